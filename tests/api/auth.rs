//! `/api/auth` and `/api/logout`: logins, tokens, and limits of failed logins.

mod devices;
mod failures;
mod links;
mod login;
mod passwords;
mod sessions;
mod tokens;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_tests::{Client, Reply, TestApp};
use serde_json::{Value, json};

const WRONG: &str = "wrong horse";

fn login(app: &TestApp, name: &str, password: &str) -> Reply {
    app.anyone().post("/api/auth/login", json!({ "name": name, "password": password }))
}

fn change(client: &Client, current: &str, new: &str) -> Reply {
    client.post("/api/auth/change-password", json!({ "current_password": current, "new_password": new }))
}

fn claims_of(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

#[track_caller]
fn assert_refused(client: &Client, token: &str) {
    let reply = client.with_token(token).get("/api/auth/me");
    assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{token}");
    reply.problem(401, "ErrUnauthenticated");
}
