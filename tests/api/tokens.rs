//! `/api/tokens`: credentials for programs.

use finance_domain::Store;
use finance_domain::credentials::Role;
use finance_tests::TestApp;
use serde_json::{Value, json};
use time::macros::date;

use crate::needs::token;

#[test]
fn a_token_is_told_once_and_kept_as_a_hash() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let reply =
        ana.post("/api/tokens", json!({ "name": " import every night ", "scopes": ["import", "read", "import"] }));
    let location = reply.header("Location").unwrap().to_string();
    let made = reply.created();
    let secret = made["token"].as_str().unwrap().to_string();
    assert_eq!(location, format!("/api/tokens/{}", made["id"]));
    assert!(secret.starts_with("fin_") && secret.len() == 47, "{secret}");
    assert!(secret[4..].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{secret}");
    let mut listed = made.clone();
    listed.as_object_mut().unwrap().remove("token");
    assert_eq!(
        (&listed["name"], &listed["scopes"], &listed["expires_on"], &listed["last_used_on"]),
        (&json!("import every night"), &json!(["import", "read"]), &json!("2026-06-13"), &Value::Null)
    );
    assert_eq!(ana.get("/api/tokens").ok(), json!([listed]));
    let stored = app.rows("select encode(hash, 'escape') as text, * from tokens");
    assert!(!stored[0].to_string().contains(&secret[4..]), "{stored:?}");
    let another = ana.post("/api/tokens", json!({ "name": "x", "scopes": ["read"] })).created();
    assert_ne!(another["token"], made["token"]);
    app.anyone().with_token(&secret).get("/api/accounts").ok();
}

#[test]
fn a_token_has_a_name_scopes_and_a_last_day_within_a_year() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let make = |body: Value| ana.post("/api/tokens", body);
    make(json!({})).invalid(&["name", "scopes"]);
    make(json!({ "name": "", "scopes": [] })).invalid(&["name", "scopes"]);
    make(json!({ "name": "x".repeat(101), "scopes": "read" })).invalid(&["name", "scopes"]);
    make(json!({ "name": "x", "scopes": ["read", "all", null, 1] })).invalid(&["scopes[1]", "scopes[2]", "scopes[3]"]);
    for day in ["2026-03-14", "2027-03-17", "tomorrow"] {
        make(json!({ "name": "x", "scopes": ["read"], "expires_on": day })).invalid(&["expires_on"]);
    }
    for day in ["2026-03-15", "2027-03-16"] {
        assert_eq!(make(json!({ "name": "x", "scopes": ["read"], "expires_on": day })).created()["expires_on"], day);
    }
    let late = make(json!({ "name": "x", "scopes": ["read"], "expires_on": null })).created();
    assert_eq!(late["expires_on"], "2026-06-13");
}

#[test]
fn a_profile_has_fifty_tokens() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = json!({ "name": "x", "scopes": ["read"] });
    let made: Vec<Value> = (0..50).map(|_| ana.post("/api/tokens", body.clone()).created()).collect();
    ana.post("/api/tokens", body.clone()).problem(409, "ErrLimitReached");
    app.user("bia").post("/api/tokens", body.clone()).created();
    ana.delete(&format!("/api/tokens/{}", made[7]["id"])).gone();
    ana.post("/api/tokens", body).created();
}

#[test]
fn a_token_is_good_until_its_last_day_by_the_clock_of_the_service() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made =
        ana.post("/api/tokens", json!({ "name": "x", "scopes": ["read"], "expires_on": "2026-03-20" })).created();
    let reads = ana.with_token(made["token"].as_str().unwrap());
    reads.get("/api/accounts").ok();
    app.clock.set_today(date!(2026 - 03 - 20));
    reads.get("/api/accounts").ok();
    app.clock.set_today(date!(2026 - 03 - 21));
    let refused = reads.get("/api/accounts");
    assert_eq!(refused.header("WWW-Authenticate"), Some("Bearer"));
    refused.problem(401, "ErrUnauthenticated");
    assert_eq!(ana.get("/api/tokens").ok()[0]["expires_on"], "2026-03-20", "it is listed still");
}

#[test]
fn the_last_use_is_noted_once_a_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let reads = token(&ana, &["read"]);
    let last = || ana.get("/api/tokens").ok()[0]["last_used_on"].clone();
    assert_eq!(last(), Value::Null);
    reads.get("/api/accounts").ok();
    assert_eq!(last(), "2026-03-15");
    let version = || app.rows("select xmin::text as version from tokens")[0]["version"].clone();
    let written = version();
    for _ in 0..3 {
        reads.get("/api/accounts").ok();
        reads.get("/api/auth/me").ok();
    }
    assert_eq!(version(), written, "a later use of the day writes nothing");
    app.clock.set_today(date!(2026 - 03 - 16));
    reads.get("/api/accounts").ok();
    assert_eq!(last(), "2026-03-16");
}

#[test]
fn a_revoked_token_is_refused_at_once_on_every_node() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let made = ana.post("/api/tokens", json!({ "name": "x", "scopes": ["write"] })).created();
    let secret = made["token"].as_str().unwrap();
    let (here, there) = (ana.with_token(secret), there.anyone().with_token(secret));
    here.get("/api/accounts").ok();
    there.get("/api/accounts").ok();
    ana.delete(&format!("/api/tokens/{}", made["id"])).gone();
    for client in [&here, &there] {
        client.get("/api/accounts").problem(401, "ErrUnauthenticated");
        client.get("/api/accounts").problem(401, "ErrUnauthenticated");
        client.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
        client.post("/api/categories", json!({})).problem(401, "ErrUnauthenticated");
        client.get("/api/accounts/x").problem(401, "ErrUnauthenticated");
    }
    ana.delete(&format!("/api/tokens/{}", made["id"])).problem(404, "ErrNotFound");
    assert_eq!(ana.get("/api/tokens").ok(), json!([]));
}

#[test]
fn a_new_password_revokes_the_tokens_of_that_member() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let (anas, bias) = (token(&ana, &["read"]), token(&bia, &["read"]));
    let elsewhere = there.anyone().with_token(bias.token());
    elsewhere.get("/api/accounts").ok();
    let change = json!({ "current_password": finance_tests::PASSWORD, "new_password": "battery staple" });
    let fresh = bia.post("/api/auth/change-password", change).ok();
    bias.get("/api/accounts").problem(401, "ErrUnauthenticated");
    elsewhere.get("/api/accounts").problem(401, "ErrUnauthenticated");
    bia.get("/api/accounts").problem(401, "ErrUnauthenticated");
    anas.get("/api/accounts").ok();
    ana.get("/api/accounts").ok();
    let bia = bia.with_token(fresh["token"].as_str().unwrap());
    assert_eq!(bia.get("/api/tokens").ok(), json!([]));
    // A new password that an operator sets also revokes the tokens.
    app.store.member_set_password("ana", finance_tests::PASSWORD_HASH).unwrap();
    anas.get("/api/accounts").problem(401, "ErrUnauthenticated");
}

#[test]
fn an_owner_sees_every_token_and_others_their_own() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let named = |name: &str| json!({ "name": name, "scopes": ["read"] });
    let anas = ana.post("/api/tokens", named("ana's")).created();
    let bias = bia.post("/api/tokens", named("bia's")).created();
    let names = |listed: Value| -> Vec<String> {
        listed.as_array().unwrap().iter().map(|token| token["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(ana.get("/api/tokens").ok()), ["ana's", "bia's"]);
    assert_eq!(names(bia.get("/api/tokens").ok()), ["bia's"]);
    bia.delete(&format!("/api/tokens/{}", anas["id"])).problem(404, "ErrNotFound");
    ana.delete(&format!("/api/tokens/{}", bias["id"])).gone();
    bia.post("/api/tokens", json!({ "name": "x", "scopes": ["read", "export"] })).problem(403, "ErrNotAllowed");
    let viewer = app.member(&ana, "caio", Role::Viewer);
    viewer.post("/api/tokens", named("caio's")).problem(403, "ErrNotAllowed");
}

#[test]
fn what_is_no_token_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let secret = token(&ana, &["read"]).token().to_string();
    for other in [
        secret[1..].to_string(),
        secret[..46].to_string(),
        format!("{secret}A"),
        secret.replacen("fin_", "FIN_", 1),
        format!("fin_{}", "A".repeat(43)),
        "fin_".to_string(),
    ] {
        let refused = ana.with_token(&other).get("/api/accounts");
        assert_eq!(refused.header("WWW-Authenticate"), Some("Bearer"), "{other}");
        refused.problem(401, "ErrUnauthenticated");
    }
    app.anyone().get(&format!("/api/accounts?token={secret}")).problem(401, "ErrUnauthenticated");
}

#[test]
fn a_token_of_a_disabled_member_is_refused_while_it_is_disabled() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let reads = token(&ana, &["read"]);
    app.store.member_set_disabled("ana", true).unwrap();
    reads.get("/api/accounts").problem(401, "ErrUnauthenticated");
    app.store.member_set_disabled("ana", false).unwrap();
    reads.get("/api/accounts").ok();
    ana.get("/api/accounts").problem(401, "ErrUnauthenticated");
}
