//! `/api/notices/devices`: which devices sign up, and when they go.

use finance_adapters_delivery::Channels;
use finance_domain::credentials::Role;
use finance_tests::{Client, PASSWORD, TestApp, public_push_key};
use serde_json::{Value, json};

/// The key and the secret of the device in RFC 8291, appendix A.
const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

pub(crate) fn subscription(endpoint: &str) -> Value {
    json!({ "endpoint": endpoint, "expirationTime": null, "keys": { "p256dh": P256DH, "auth": AUTH } })
}

fn sign_up(client: &Client, endpoint: &str) -> Value {
    client.post("/api/notices/devices", subscription(endpoint)).created()
}

fn devices(client: &Client) -> Vec<Value> {
    client.get("/api/notices/devices").ok().as_array().unwrap().clone()
}

fn log_in(app: &TestApp, name: &str) -> Client {
    let token = app.anyone().post("/api/auth/login", json!({ "name": name, "password": PASSWORD })).ok();
    app.anyone().with_token(token["token"].as_str().unwrap())
}

#[test]
fn a_device_signs_up_once_and_a_member_has_ten() {
    let app = TestApp::start();
    let ana = app.user("ana");
    assert_eq!(ana.get("/api/notices/preferences").ok()["push_key"], json!(public_push_key()));
    let made = ana.post("/api/notices/devices", subscription("http://127.0.0.1:9/a"));
    assert!(made.header("Location").is_some_and(|at| at.starts_with("/api/notices/devices/")));
    let made = made.created();
    let mut names: Vec<&String> = made.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["client", "created_at", "failure", "host", "id"]);
    assert_eq!((&made["host"], &made["failure"]), (&json!("127.0.0.1"), &Value::Null));
    assert_eq!(ana.post("/api/notices/devices", subscription("http://127.0.0.1:9/a")).ok(), made, "it is the same");
    assert_eq!(devices(&ana), std::slice::from_ref(&made));
    for number in 1..10 {
        sign_up(&ana, &format!("http://127.0.0.1:9/{number}"));
    }
    ana.post("/api/notices/devices", subscription("http://127.0.0.1:9/b")).problem(409, "ErrLimitReached");
    assert_eq!(ana.post("/api/notices/devices", subscription("http://127.0.0.1:9/a")).ok(), made, "a known one may");
    let path = format!("/api/notices/devices/{}", made["id"]);
    let tested = ana.post_nothing(&format!("{path}/test")).expect(202);
    assert_eq!(tested, made);
    ana.delete(&path).gone();
    ana.delete(&path).problem(404, "ErrNotFound");
    ana.post_nothing(&format!("{path}/test")).problem(404, "ErrNotFound");
    assert_eq!(devices(&ana).len(), 9);
    assert!(!ana.get("/api/export").ok().to_string().contains("127.0.0.1"));
}

#[test]
fn what_no_browser_sends_is_refused_at_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let send = |body: Value| ana.post("/api/notices/devices", body);
    send(json!({})).invalid(&["endpoint", "keys.p256dh", "keys.auth"]);
    send(json!({ "endpoint": 7, "keys": 7 })).invalid(&["endpoint", "keys"]);
    send(json!({ "endpoint": "http://127.0.0.1:9/a", "keys": [P256DH, AUTH] })).invalid(&["keys"]);
    send(json!({ "endpoint": "http://127.0.0.1:9/a", "keys": { "p256dh": 1, "auth": [] } }))
        .invalid(&["keys.p256dh", "keys.auth"]);
    for endpoint in [
        "",
        "x",
        "https://push.example/x",
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com.evil.example/x",
        "https://user@fcm.googleapis.com/x",
        "https://10.0.0.1/x",
    ] {
        send(subscription(endpoint)).invalid(&["endpoint"]);
    }
    let with = |p256dh: &str, auth: &str| {
        let mut body = subscription("https://fcm.googleapis.com/fcm/send/x");
        body["keys"] = json!({ "p256dh": p256dh, "auth": auth });
        send(body)
    };
    let off_the_curve = format!("{}A", &P256DH[..P256DH.len() - 1]);
    for p256dh in ["", "x", "é", AUTH, &off_the_curve, &P256DH[1..]] {
        with(p256dh, AUTH).invalid(&["keys.p256dh"]);
    }
    for auth in ["", "x", "BTBZMqHH6r4Tts7J_aSI", P256DH] {
        with(P256DH, auth).invalid(&["keys.auth"]);
    }
    with(P256DH, &format!("{AUTH}==")).created();
}

#[test]
fn private_push_services_are_for_those_who_allow_them() {
    let app = TestApp::start_without_private_webhooks();
    let ana = app.user("ana");
    for endpoint in
        ["http://127.0.0.1:9/a", "https://127.0.0.1:9/a", "https://localhost/a", "http://fcm.googleapis.com/x"]
    {
        ana.post("/api/notices/devices", subscription(endpoint)).invalid(&["endpoint"]);
    }
    sign_up(&ana, "https://updates.push.services.mozilla.com/wpush/v2/x");
}

#[test]
fn without_a_key_nothing_is_pushed_and_nothing_else_is_missing() {
    let app = TestApp::start_sending_by(Channels::default());
    let ana = app.user("ana");
    let preferences = ana.get("/api/notices/preferences").ok();
    assert_eq!((&preferences["push_key"], &preferences["email"]), (&Value::Null, &Value::Null));
    ana.post("/api/notices/devices", subscription("http://127.0.0.1:9/a")).problem(409, "ErrNotConfigured");
    ana.post_nothing("/api/notices/devices/1/test").problem(409, "ErrNotConfigured");
    ana.post("/api/notices/email", json!({ "address": "ana@example.com" })).problem(409, "ErrNotConfigured");
    ana.post("/api/notices/email/confirm", json!({ "code": "000000" })).problem(409, "ErrNotConfigured");
    // Whoever may not write at all is told that.
    let made = ana.post("/api/tokens", json!({ "name": "t", "scopes": ["read"] })).created();
    let reader = ana.with_token(made["token"].as_str().unwrap());
    for (path, body) in [
        ("/api/notices/devices", subscription("http://127.0.0.1:9/a")),
        ("/api/notices/devices/1/test", json!({})),
        ("/api/notices/email", json!({ "address": "ana@example.com" })),
        ("/api/notices/email/confirm", json!({ "code": "000000" })),
    ] {
        reader.post(path, body).problem(403, "ErrInsufficientScope");
    }
    assert_eq!(devices(&ana), [Value::Null; 0]);
    ana.delete("/api/notices/email").gone();
    assert_eq!(ana.get("/api/notices").ok(), json!([]));
}

#[test]
fn a_device_is_of_the_member_who_signed_up_last() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Viewer);
    let made = sign_up(&ana, "http://127.0.0.1:9/a");
    let path = format!("/api/notices/devices/{}", made["id"]);
    assert_eq!(devices(&bia), [Value::Null; 0]);
    bia.delete(&path).problem(404, "ErrNotFound");
    bia.post_nothing(&format!("{path}/test")).problem(404, "ErrNotFound");
    let moved = sign_up(&bia, "http://127.0.0.1:9/a");
    assert_eq!((devices(&ana).len(), devices(&bia)), (0, vec![moved]));
    // It is another browser for another household.
    let carla = app.user("carla");
    sign_up(&carla, "http://127.0.0.1:9/a");
    assert_eq!(devices(&bia).len(), 1);
    let member = bia.get("/api/auth/me").ok()["member_id"].clone();
    ana.delete(&format!("/api/members/{member}")).gone();
    assert_eq!(app.rows("select 1 from push_devices").len(), 1, "Carla's");
}

#[test]
fn a_device_goes_when_its_login_is_ended() {
    let app = TestApp::start();
    let ana = app.user("ana");
    sign_up(&ana, "http://127.0.0.1:9/token");
    let [first, second, third] = [1, 2, 3].map(|number| {
        let client = log_in(&app, "ana");
        sign_up(&client, &format!("http://127.0.0.1:9/{number}"));
        client
    });
    let session = |client: &Client| {
        let listed = client.get("/api/auth/sessions").ok();
        listed.as_array().unwrap().iter().find(|session| session["current"] == true).unwrap()["id"].clone()
    };
    let gone = session(&first);
    first.delete(&format!("/api/auth/sessions/{gone}")).gone();
    let count = || app.rows("select 1 from push_devices").len();
    assert_eq!(count(), 3);
    second.post_nothing("/api/logout").gone();
    assert_eq!(count(), 2);
    let body = json!({ "current_password": PASSWORD, "new_password": "another horse" });
    let renewed = third.post("/api/auth/change-password", body).ok();
    assert_eq!(count(), 0, "its other logins end with the password");
    let renewed = third.with_token(renewed["token"].as_str().unwrap());
    sign_up(&renewed, "http://127.0.0.1:9/3");
    renewed.delete("/api/auth/sessions").gone();
    assert_eq!(count(), 0);
}

#[test]
fn who_has_no_device_pays_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let stale = || app.rows("select notices_on::text from profiles")[0]["notices_on"].clone();
    let spend = || {
        let row = json!({ "type": "expense", "date": "2026-03-10", "description": "Pão", "amount": "1.00" });
        ana.post("/api/transactions", row).created();
    };
    spend();
    assert_eq!(stale(), Value::Null);
    let device = sign_up(&ana, "http://127.0.0.1:9/a");
    assert_eq!(stale(), "-infinity");
    super::delivery::pass(&app, &app.channels);
    assert_eq!(stale(), "2026-03-15", "the day of the service");
    super::delivery::pass(&app, &app.channels);
    spend();
    assert_eq!(stale(), "-infinity", "a write makes the profile due");
    ana.delete(&format!("/api/notices/devices/{}", device["id"])).gone();
    super::delivery::pass(&app, &app.channels);
    assert_eq!(stale(), Value::Null);
    spend();
    assert_eq!(stale(), Value::Null);
}
