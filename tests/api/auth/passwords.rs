//! Changing the password.

use finance_tests::{PASSWORD, TestApp};
use serde_json::json;
use ureq::http::Method;

use super::{WRONG, assert_refused, change, login};

#[test]
fn changing_the_password_refuses_every_older_token() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let second = login(&app, "ana", PASSWORD).ok()["token"].as_str().unwrap().to_string();
    let answer = change(&ana, PASSWORD, "battery staple").ok();
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["profile"], json!({ "id": ana.caller().profile_id.0, "name": "ana" }));
    assert_refused(&ana, ana.token());
    assert_refused(&ana, &second);
    for (method, path) in
        [(Method::POST, "/api/logout"), (Method::GET, "/api/transactions"), (Method::GET, "/api/accounts")]
    {
        ana.send(method, path, None, Vec::new()).problem(401, "ErrUnauthenticated");
    }
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
    change(&ana, "battery staple", "another staple").problem(401, "ErrUnauthenticated");
    ana.with_token(answer["token"].as_str().unwrap()).get("/api/auth/me").ok();
    login(&app, "ana", PASSWORD).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", "battery staple").ok();
    bia.get("/api/auth/me").ok();
}

#[test]
fn a_wrong_current_password_changes_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    // The answer is not 401, because clients show the login screen for 401.
    change(&ana, WRONG, "battery staple").invalid(&["current_password"]);
    ana.get("/api/auth/me").ok();
    login(&app, "ana", PASSWORD).ok();
}

#[test]
fn a_new_password_has_8_characters_to_72_bytes_and_no_nul() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for refused in ["", "short", "1234567", "ççççççç", "nul\0in the middle", "\0\0\0\0\0\0\0\0"] {
        change(&ana, PASSWORD, refused).invalid(&["new_password"]);
    }
    change(&ana, PASSWORD, &"a".repeat(73)).invalid(&["new_password"]);
    change(&ana, PASSWORD, &"ç".repeat(37)).invalid(&["new_password"]);
    let path = "/api/auth/change-password";
    ana.post(path, json!({})).invalid(&["current_password", "new_password"]);
    ana.post(path, json!({ "current_password": 1, "new_password": 12345678 }))
        .invalid(&["current_password", "new_password"]);
    change(&ana, WRONG, "short").invalid(&["new_password"]);
    let answer = change(&ana, PASSWORD, "çççççççç").ok();
    let ana = ana.with_token(answer["token"].as_str().unwrap());
    change(&ana, "çççççççç", "12345678").ok();
}

#[test]
fn a_password_of_72_bytes_is_never_cut() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let longest = format!("{}z", "a".repeat(71));
    change(&ana, PASSWORD, &longest).ok();
    login(&app, "ana", &longest).ok();
    login(&app, "ana", &format!("{}y", "a".repeat(71))).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", &"a".repeat(71)).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", &format!("{longest}z")).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", &"z".repeat(10_000)).problem(401, "ErrInvalidCredentials");
}

#[test]
fn of_two_password_changes_at_once_one_is_done() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let changes = ["battery staple 1", "battery staple 2"].map(|new| {
            let ana = &ana;
            scope.spawn(move || change(ana, PASSWORD, new).status)
        });
        changes.into_iter().map(|change| change.join().unwrap()).collect()
    });
    assert!(statuses == [200, 401] || statuses == [401, 200], "{statuses:?}");
}

#[test]
fn setting_a_password_as_an_operator_does_refuses_older_tokens() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = ana.post("/api/categories", json!({ "name": "Pets" })).created();
    let again = app.user("Ana");
    assert_eq!(again.caller().profile_id, ana.caller().profile_id);
    assert_refused(&ana, ana.token());
    assert_eq!(again.get(&format!("/api/categories/{}", category["id"])).ok(), category, "the data stays");
}
