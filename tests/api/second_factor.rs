//! `/api/auth/second-factor`: codes of an authenticator, recovery codes, and the limit of guesses.

use std::collections::BTreeSet;

use finance_domain::Clock;
use finance_domain::credentials::Role;
use finance_tests::{Client, Method, PASSWORD, Reply, TestApp, totp};
use serde_json::{Value, json};
use time::Duration;

use crate::needs::token;

const PATH: &str = "/api/auth/second-factor";
const CONFIRM: &str = "/api/auth/second-factor/confirm";

fn login(app: &TestApp, name: &str, code: Option<&str>) -> Reply {
    app.anyone().post("/api/auth/login", json!({ "name": name, "password": PASSWORD, "code": code }))
}

/// The code that an authenticator shows now.
fn shown(app: &TestApp, secret: &str) -> String {
    totp(secret, app.clock.now())
}

/// A code that is not the code of the current step, nor of the two steps before or after it.
fn wrong(app: &TestApp, secret: &str) -> String {
    let near: Vec<String> = (-2..=2).map(|step| totp(secret, app.clock.now() + Duration::seconds(30) * step)).collect();
    (0..).map(|number| format!("{number:06}")).find(|code| !near.contains(code)).unwrap()
}

/// Turns the second factor on, and returns its secret and its recovery codes. The client gets the new login. Half a minute
/// passes, so that the next code is a new one.
fn turn_on(app: &TestApp, client: &mut Client) -> (String, Vec<String>) {
    let secret = begin(client);
    let answer = client.post(CONFIRM, json!({ "code": shown(app, &secret) })).ok();
    *client = client.with_token(answer["token"].as_str().unwrap());
    app.clock.advance(Duration::seconds(30));
    let codes = answer["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_string());
    (secret, codes.collect())
}

fn begin(client: &Client) -> String {
    client.post(PATH, json!({ "password": PASSWORD })).created()["secret"].as_str().unwrap().to_string()
}

fn turn_off(client: &Client, password: &str) -> Reply {
    let body = json!({ "password": password }).to_string().into_bytes();
    client.send(Method::DELETE, PATH, Some("application/json"), body)
}

/// Turns the second factor off. The client gets the new login.
fn turned_off(client: &mut Client) {
    let answer = turn_off(client, PASSWORD).ok();
    *client = client.with_token(answer["token"].as_str().unwrap());
}

fn is_on(client: &Client) -> bool {
    client.get("/api/auth/me").ok()["second_factor"].as_bool().unwrap()
}

#[test]
fn it_is_in_effect_once_a_code_has_confirmed_it() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    assert!(!is_on(&ana));
    let enrolment = ana.post(PATH, json!({ "password": PASSWORD })).created();
    let secret = enrolment["secret"].as_str().unwrap();
    assert_eq!(enrolment["otpauth"], format!("otpauth://totp/Finance:ana?secret={secret}&issuer=Finance"));
    let drawn = enrolment["qr_svg"].as_str().unwrap();
    assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "), "{drawn}");
    // The second factor is not in effect yet, so logins need no code.
    assert!(!is_on(&ana));
    login(&app, "ana", None).ok();
    login(&app, "ana", Some("000000")).ok();
    ana.post(CONFIRM, json!({ "code": wrong(&app, secret) })).invalid(&["code"]);
    ana.post(CONFIRM, json!({})).invalid(&["code"]);
    ana.post(CONFIRM, json!({ "code": 7 })).invalid(&["code"]);
    let answer = ana.post(CONFIRM, json!({ "code": shown(&app, secret) })).ok();
    let codes: BTreeSet<&str> =
        answer["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap()).collect();
    assert_eq!(codes.len(), 10);
    assert_eq!((&answer["token_type"], &answer["profile"]["name"]), (&json!("Bearer"), &json!("ana")));
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    ana = ana.with_token(answer["token"].as_str().unwrap());
    assert!(is_on(&ana), "the answer has a new login");
    login(&app, "ana", None).problem(401, "ErrSecondFactorRequired");
    for once in
        [ana.post(PATH, json!({ "password": PASSWORD })), ana.post(CONFIRM, json!({ "code": shown(&app, secret) }))]
    {
        once.problem(409, "ErrSecondFactorActive");
    }
    app.clock.advance(Duration::seconds(30));
    let token = login(&app, "ana", Some(&shown(&app, secret))).ok()["token"].clone();
    assert!(is_on(&ana.with_token(token.as_str().unwrap())));
    assert!(!is_on(&app.user("bia")));
}

#[test]
fn each_code_is_good_once_on_every_node() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let secret = begin(&ana);
    let first = shown(&app, &secret);
    ana.post(CONFIRM, json!({ "code": first })).ok();
    login(&app, "ana", Some(&first)).problem(401, "ErrInvalidCredentials");
    // The code of the next step is already accepted. After that the codes of earlier steps are refused.
    let next = totp(&secret, app.clock.now() + Duration::seconds(30));
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let tries = (0..8).map(|at| {
            let (node, next) = (if at % 2 == 0 { &app } else { &there }, next.as_str());
            scope.spawn(move || login(node, "ana", Some(next)).status)
        });
        tries.collect::<Vec<_>>().into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 7, "{statuses:?}");
    login(&there, "ana", Some(&first)).problem(401, "ErrInvalidCredentials");
}

#[test]
fn a_code_begun_anew_replaces_the_secret_that_was_not_confirmed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post(CONFIRM, json!({ "code": "000000" })).problem(409, "ErrSecondFactorMissing");
    turn_off(&ana, PASSWORD).problem(409, "ErrSecondFactorMissing");
    let (old, new) = (begin(&ana), begin(&ana));
    assert_ne!(old, new);
    ana.post(CONFIRM, json!({ "code": shown(&app, &old) })).invalid(&["code"]);
    ana.post(CONFIRM, json!({ "code": shown(&app, &new) })).ok();
}

#[test]
fn a_recovery_code_opens_once_and_only_its_member() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let mut bia = app.member(&ana, "bia", Role::Viewer);
    let (_, codes) = turn_on(&app, &mut ana);
    let (_, others) = turn_on(&app, &mut bia);
    login(&app, "ana", Some(&others[0])).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", Some(&codes[0])).ok();
    login(&app, "ana", Some(&codes[0])).problem(401, "ErrInvalidCredentials");
    login(&app, "ana", Some(&codes[1].to_uppercase().replace('-', " "))).ok();
    login(&app, "bia", Some(&others[0])).ok();
    assert_eq!(app.rows("select * from recovery_codes").len(), 17);
    // The table of recovery codes contains neither a readable code nor the secret.
    let stored = app.rows("select encode(hash, 'escape') as hash from recovery_codes");
    assert!(stored.iter().all(|row| !row["hash"].as_str().unwrap().contains(&codes[2].replace('-', ""))));
}

#[test]
fn a_recovery_code_confirms_nothing() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let (_, codes) = turn_on(&app, &mut ana);
    turned_off(&mut ana);
    begin(&ana);
    ana.post(CONFIRM, json!({ "code": codes[0] })).invalid(&["code"]);
    assert!(!is_on(&ana));
}

#[test]
fn it_is_turned_off_with_the_password() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    turn_on(&app, &mut ana);
    turn_off(&ana, "wrong horse").invalid(&["password"]);
    ana.delete(PATH).problem(415, "ErrUnsupportedMedia");
    assert!(is_on(&ana));
    turned_off(&mut ana);
    assert!(!is_on(&ana));
    login(&app, "ana", None).ok();
    turn_off(&ana, PASSWORD).problem(409, "ErrSecondFactorMissing");
    assert_eq!(app.rows("select * from recovery_codes"), Vec::<Value>::new());
    let kept = app.rows("select * from members where factor_secret is not null or factor_since is not null");
    assert_eq!(kept, Vec::<Value>::new());
    // A new second factor has another secret and other codes.
    turn_on(&app, &mut ana);
    login(&app, "ana", None).problem(401, "ErrSecondFactorRequired");
}

#[test]
fn guesses_of_codes_count_as_wrong_passwords_do_wherever_they_come_from() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let (secret, codes) = turn_on(&app, &mut ana);
    for guess in 0..10 {
        login(&app, "ana", Some(&wrong(&app, &secret))).problem(401, "ErrInvalidCredentials");
        // Each guess is stored as if it came from another address.
        app.sql(&format!("update login_failures set address = '192.0.2.{guess}' where address not like '192.0.2.%' and address <> 'every address'"));
    }
    for code in [shown(&app, &secret), codes[0].clone()] {
        login(&app, "ana", Some(&code)).problem(429, "ErrTooManyAttempts");
    }
    app.sql("delete from login_failures");
    login(&app, "ana", Some(&codes[0])).ok();
}

#[test]
fn a_right_password_without_a_code_neither_counts_nor_resets_the_count() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let (secret, _) = turn_on(&app, &mut ana);
    let wrong_password = || app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": "wrong horse" }));
    for _ in 0..9 {
        wrong_password().problem(401, "ErrInvalidCredentials");
        login(&app, "ana", None).problem(401, "ErrSecondFactorRequired");
    }
    wrong_password().problem(401, "ErrInvalidCredentials");
    login(&app, "ana", None).problem(429, "ErrTooManyAttempts");
    login(&app, "ana", Some(&shown(&app, &secret))).problem(429, "ErrTooManyAttempts");
}

#[test]
fn guesses_while_it_is_confirmed_count_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let secret = begin(&ana);
    for _ in 0..10 {
        ana.post(CONFIRM, json!({ "code": wrong(&app, &secret) })).invalid(&["code"]);
    }
    ana.post(CONFIRM, json!({ "code": shown(&app, &secret) })).problem(429, "ErrTooManyAttempts");
    turn_off(&ana, PASSWORD).problem(429, "ErrTooManyAttempts");
}

#[test]
fn a_changed_password_keeps_it_and_a_token_goes_on() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let reads = token(&ana, &["read"]);
    let (secret, _) = turn_on(&app, &mut ana);
    reads.get("/api/categories").ok();
    for method in [Method::POST, Method::DELETE] {
        reads.send(method, PATH, None, Vec::new()).problem(403, "ErrInsufficientScope");
    }
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    ana.post("/api/auth/change-password", change).ok();
    let again = json!({ "name": "ana", "password": "battery staple" });
    app.anyone().post("/api/auth/login", again.clone()).problem(401, "ErrSecondFactorRequired");
    let mut with_code = again;
    with_code["code"] = json!(shown(&app, &secret));
    app.anyone().post("/api/auth/login", with_code).ok();
}

#[test]
fn a_wrong_password_with_a_right_code_uses_no_code_up() {
    let app = TestApp::start();
    let mut ana = app.user("ana");
    let (secret, codes) = turn_on(&app, &mut ana);
    for code in [&shown(&app, &secret), &codes[0]] {
        let body = json!({ "name": "ana", "password": "wrong horse", "code": code });
        app.anyone().post("/api/auth/login", body).problem(401, "ErrInvalidCredentials");
    }
    login(&app, "ana", Some(&codes[0])).ok();
    login(&app, "ana", Some(&shown(&app, &secret))).ok();
    // A login with a text that is not a code is an ordinary failed login.
    for none in ["", "x", "１２３４５６", &"9".repeat(10_000)] {
        login(&app, "ana", Some(none)).problem(401, "ErrInvalidCredentials");
    }
}

#[test]
fn it_is_turned_on_with_the_password() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post_nothing(PATH).problem(415, "ErrUnsupportedMedia");
    for body in [json!({}), json!({ "password": null }), json!({ "password": 7 })] {
        ana.post(PATH, body).invalid(&["password"]);
    }
    for _ in 0..9 {
        ana.post(PATH, json!({ "password": "wrong horse" })).invalid(&["password"]);
    }
    // The right password uncounts only itself.
    begin(&ana);
    ana.post(PATH, json!({ "password": "wrong horse" })).invalid(&["password"]);
    // Wrong ones count as failed logins, with those of the login itself.
    ana.post(PATH, json!({ "password": PASSWORD })).problem(429, "ErrTooManyAttempts");
    login(&app, "ana", None).problem(429, "ErrTooManyAttempts");
    assert!(!is_on(&ana));
}

#[test]
fn a_wrong_password_stores_no_secret() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post(PATH, json!({ "password": "wrong horse" })).invalid(&["password"]);
    ana.post(CONFIRM, json!({ "code": "000000" })).problem(409, "ErrSecondFactorMissing");
}

#[test]
fn every_other_login_ends_when_it_is_turned_on_and_off_on_every_node() {
    let app = TestApp::start();
    let there = app.another_node();
    let mut ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let reads = token(&ana, &["read"]);
    let entered = |code: Option<&str>| {
        let answer = login(&app, "ana", code).ok();
        app.anyone().with_token(answer["token"].as_str().unwrap())
    };
    let ended = |clients: &[&Client]| {
        for client in clients {
            client.get("/api/auth/me").problem(401, "ErrUnauthenticated");
            there.anyone().with_token(client.token()).get("/api/auth/me").problem(401, "ErrUnauthenticated");
        }
    };
    let sessions = |client: &Client| {
        let listed = client.get("/api/auth/sessions").ok();
        listed.as_array().unwrap().iter().map(|one| one["current"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let (before, elsewhere) = (ana.clone(), entered(None));
    let (secret, _) = turn_on(&app, &mut ana);
    ended(&[&before, &elsewhere]);
    assert_eq!(sessions(&ana), [true]);
    let (before, elsewhere) = (ana.clone(), entered(Some(&shown(&app, &secret))));
    elsewhere.get("/api/auth/me").ok();
    turned_off(&mut ana);
    ended(&[&before, &elsewhere]);
    assert_eq!(sessions(&ana), [true]);
    // Nobody else's login, and no token of a program.
    bia.get("/api/accounts").ok();
    reads.get("/api/accounts").ok();
}

/// Whoever began it with a password, or in a session, that holds no longer knows the secret.
#[test]
fn what_was_begun_before_a_new_password_or_ended_sessions_is_not_confirmed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let secret = begin(&ana);
    ana.delete("/api/auth/sessions").gone();
    let entered = login(&app, "ana", None).ok();
    let ana = ana.with_token(entered["token"].as_str().unwrap());
    ana.post(CONFIRM, json!({ "code": shown(&app, &secret) })).problem(409, "ErrSecondFactorMissing");
    let secret = begin(&ana);
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    let changed = ana.post("/api/auth/change-password", change).ok();
    let ana = ana.with_token(changed["token"].as_str().unwrap());
    ana.post(CONFIRM, json!({ "code": shown(&app, &secret) })).problem(409, "ErrSecondFactorMissing");
    assert!(!is_on(&ana));
}
