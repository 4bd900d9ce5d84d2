//! Ending every login of a member.

use finance_domain::credentials::Role;
use finance_tests::{PASSWORD, TestApp};
use serde_json::json;

use super::{assert_refused, login};

#[test]
fn every_login_of_the_member_ends_and_nothing_else_does() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Viewer);
    let reads = ana.post("/api/tokens", json!({ "name": "script", "scopes": ["read"] })).created();
    let reads = ana.with_token(reads["token"].as_str().unwrap());
    let second = login(&app, "ana", PASSWORD).ok()["token"].as_str().unwrap().to_string();
    reads.delete("/api/auth/sessions").problem(403, "ErrInsufficientScope");
    ana.delete("/api/auth/sessions").gone();
    for client in [&ana, &there.anyone()] {
        assert_refused(client, ana.token());
        assert_refused(client, &second);
    }
    ana.delete("/api/auth/sessions").problem(401, "ErrUnauthenticated");
    // Others of the profile, tokens, and who logs in anew.
    bia.get("/api/accounts").ok();
    reads.get("/api/accounts").ok();
    let fresh = login(&app, "ana", PASSWORD).ok()["token"].as_str().unwrap().to_string();
    ana.with_token(&fresh).get("/api/accounts").ok();
    // Whoever it is ends its own.
    bia.delete("/api/auth/sessions").gone();
    assert_refused(&bia, bia.token());
    ana.with_token(&fresh).get("/api/accounts").ok();
}
