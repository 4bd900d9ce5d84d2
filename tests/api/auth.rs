//! `/api/auth` and `/api/logout`: logins, tokens, and limits of failed logins.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::use_cases::login::{Login, log_in};
use finance_domain::{Clock, Store};
use finance_http::ServerOptions;
use finance_tests::{Client, PASSWORD, PASSWORD_HASH, Reply, TOKEN_SECRET, TestApp};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha384, Sha512};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use ureq::http::Method;

const WRONG: &str = "wrong horse";

fn login(app: &TestApp, name: &str, password: &str) -> Reply {
    app.anyone().post("/api/auth/login", json!({ "name": name, "password": password }))
}

fn change(client: &Client, current: &str, new: &str) -> Reply {
    client.post("/api/auth/change-password", json!({ "current_password": current, "new_password": new }))
}

/// A problem without the id of its request.
fn said(problem: &Value) -> Value {
    let mut said = problem.clone();
    said.as_object_mut().unwrap().remove("request_id");
    said
}

fn claims_of(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

fn signed<M: Mac + KeyInit>(algorithm: &str, secret: &[u8], claims: &Value) -> String {
    let message = format!("{}.{}", encoded(&json!({ "typ": "JWT", "alg": algorithm })), encoded(claims));
    let signature = M::new_from_slice(secret).unwrap().chain_update(&message).finalize().into_bytes();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn signed_hs256(secret: &[u8], claims: &Value) -> String {
    signed::<Hmac<Sha256>>("HS256", secret, claims)
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

/// The claims with some of them replaced.
fn with(claims: &Value, changes: Value) -> Value {
    let mut changed = claims.clone();
    for (name, value) in changes.as_object().unwrap() {
        changed[name] = value.clone();
    }
    changed
}

fn without(claims: &Value, name: &str) -> Value {
    let mut changed = claims.clone();
    changed.as_object_mut().unwrap().remove(name);
    changed
}

#[track_caller]
fn assert_refused(client: &Client, token: &str) {
    let reply = client.with_token(token).get("/api/auth/me");
    assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{token}");
    reply.problem(401, "ErrUnauthenticated");
}

#[test]
fn login_answers_a_token_that_works() {
    let app = TestApp::start();
    let id = app.user("ana").caller().profile_id.0;
    let before = OffsetDateTime::now_utc();
    let answer = login(&app, "ana", PASSWORD).ok();
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["profile"], json!({ "id": id, "name": "ana" }));
    let expires_at = OffsetDateTime::parse(answer["expires_at"].as_str().unwrap(), &Rfc3339).unwrap();
    assert!((expires_at - before - Duration::hours(24)).abs() < Duration::minutes(1), "{expires_at}");
    let token = answer["token"].as_str().unwrap();
    let me = app.anyone().with_token(token).get("/api/auth/me").ok();
    assert_eq!((&me["id"], &me["name"]), (&json!(id), &json!("ana")));
    OffsetDateTime::parse(me["created_at"].as_str().unwrap(), &Rfc3339).unwrap();
    assert_eq!((&me["today"], &me["upload_bytes_max"]), (&json!("2026-03-15"), &json!(10 * 1024 * 1024)));
    let header = token.split('.').next().unwrap();
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    assert_eq!(header["alg"], "HS256");
    let claims = claims_of(token);
    assert_eq!((&claims["sub"], &claims["name"]), (&json!(id.to_string()), &json!("ana")));
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 24 * 60 * 60);
    assert_eq!(claims["exp"], expires_at.unix_timestamp());
}

#[test]
fn a_name_logs_in_whatever_its_case_and_the_blanks_around_it() {
    let app = TestApp::start();
    app.user("José");
    assert_eq!(login(&app, "  JOSÉ ", PASSWORD).ok()["profile"]["name"], "José");
    login(&app, "Jose", PASSWORD).problem(401, "ErrInvalidCredentials");
}

#[test]
fn an_unknown_name_and_a_wrong_password_get_the_same_answer() {
    let app = TestApp::start();
    app.user("ana");
    let wrong = login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    for (name, password) in
        [("bia", PASSWORD), ("a\0na", PASSWORD), ("", PASSWORD), ("ana", ""), ("ana", "correct horse\0")]
    {
        let problem = login(&app, name, password).problem(401, "ErrInvalidCredentials");
        assert_eq!(said(&problem), said(&wrong), "{name:?} {password:?}");
    }
}

#[test]
fn login_names_every_field_it_cannot_read() {
    let app = TestApp::start();
    let anyone = app.anyone();
    anyone.post("/api/auth/login", json!({})).invalid(&["name", "password"]);
    anyone.post("/api/auth/login", json!({ "name": 7, "password": null })).invalid(&["name", "password"]);
    anyone.post("/api/auth/login", json!({ "name": "ana", "password": ["x"] })).invalid(&["password"]);
}

#[test]
fn only_bearer_tokens_are_taken() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let anyone = app.anyone();
    let with_header =
        |value: &str| anyone.send_with(Method::GET, "/api/auth/me", None, Vec::new(), &[("Authorization", value)]);
    with_header(&format!("Bearer {}", ana.token())).ok();
    with_header(&format!("bearer {}", ana.token())).ok();
    anyone.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    anyone.get(&format!("/api/auth/me?token={}&access_token={0}", ana.token())).problem(401, "ErrUnauthenticated");
    for value in ["", "Bearer", "Bearer ", "Basic YW5hOmNvcnJlY3QgaG9yc2U=", "Bearer null", ana.token()] {
        with_header(value).problem(401, "ErrUnauthenticated");
    }
    with_header(&format!("Token {}", ana.token())).problem(401, "ErrUnauthenticated");
}

#[test]
fn a_garbled_token_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let token = ana.token();
    let (unsigned, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = unsigned.split_once('.').unwrap();
    let other = if signature.starts_with('A') { 'B' } else { 'A' };
    for garbled in [
        "x".to_string(),
        "..".to_string(),
        "a.b.c".to_string(),
        unsigned.to_string(),
        format!("{unsigned}."),
        format!("{token}.{signature}"),
        format!("{payload}.{header}.{signature}"),
        format!("{unsigned}.{other}{}", &signature[1..]),
        token[1..].to_string(),
        format!("{token}AAAA"),
        "A".repeat(6000),
    ] {
        assert_refused(&ana, &garbled);
    }
}

#[test]
fn a_token_under_another_secret_or_algorithm_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let claims = claims_of(ana.token());
    ana.with_token(&signed_hs256(TOKEN_SECRET, &claims)).get("/api/auth/me").ok();
    assert_refused(&ana, &signed_hs256(b"another secret, which has its 32 bytes as well", &claims));
    assert_refused(&ana, &signed_hs256(b"", &claims));
    assert_refused(&ana, &signed::<Hmac<Sha384>>("HS384", TOKEN_SECRET, &claims));
    assert_refused(&ana, &signed::<Hmac<Sha512>>("HS512", TOKEN_SECRET, &claims));
    let signature = ana.token().rsplit_once('.').unwrap().1;
    for alg in ["none", "None", "NONE", "nOnE", "", "RS256", "ES256", "HS256"] {
        let header = json!({ "alg": alg, "typ": "JWT" });
        let unsigned = format!("{}.{}", encoded(&header), encoded(&claims));
        assert_refused(&ana, &format!("{unsigned}."));
        assert_refused(&ana, &unsigned);
        if alg != "HS256" {
            assert_refused(&ana, &format!("{unsigned}.{signature}"));
        }
    }
    assert_refused(&ana, &format!("{}.{}.{signature}", encoded(&json!({ "typ": "JWT" })), encoded(&claims)));
}

#[test]
fn tampered_claims_are_refused() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let claims = claims_of(ana.token());
    let (header, rest) = ana.token().split_once('.').unwrap();
    let signature = rest.split_once('.').unwrap().1;
    let bias = with(&claims, json!({ "sub": bia.caller().profile_id.0.to_string() }));
    let longer = with(&claims, json!({ "exp": claims["exp"].as_i64().unwrap() + 1 }));
    for tampered in [bias, longer] {
        assert_refused(&ana, &format!("{header}.{}.{signature}", encoded(&tampered)));
    }
}

#[test]
fn a_signed_token_with_unusable_claims_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let claims = claims_of(ana.token());
    let now = OffsetDateTime::now_utc().unix_timestamp();
    for unusable in [
        without(&claims, "sub"),
        without(&claims, "exp"),
        without(&claims, "iat"),
        without(&claims, "cid"),
        with(&claims, json!({ "sub": "ana" })),
        with(&claims, json!({ "sub": "" })),
        with(&claims, json!({ "sub": "9000000000" })),
        with(&claims, json!({ "sub": "99999999999999999999" })),
        with(&claims, json!({ "cid": "0".repeat(32) })),
        with(&claims, json!({ "cid": format!("{}'", claims["cid"].as_str().unwrap()) })),
        with(&claims, json!({ "cid": "" })),
        with(&claims, json!({ "cid": 1 })),
        // A token of release 0.1.
        with(&without(&claims, "cid"), json!({ "ver": 1 })),
        with(&claims, json!({ "exp": "tomorrow" })),
        with(&claims, json!({ "exp": now - 1 })),
        with(&claims, json!({ "exp": 0 })),
        with(&claims, json!({ "exp": -1 })),
        with(&claims, json!({ "iat": now + 3600 })),
        json!({}),
        json!([]),
    ] {
        assert_refused(&ana, &signed_hs256(TOKEN_SECRET, &unusable));
    }
}

#[test]
fn a_token_holds_for_24_hours() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.clock.advance(Duration::hours(24) - Duration::minutes(1));
    ana.get("/api/auth/me").ok();
    app.clock.advance(Duration::minutes(1));
    assert_refused(&ana, ana.token());
    let fresh = login(&app, "ana", PASSWORD).ok();
    ana.with_token(fresh["token"].as_str().unwrap()).get("/api/auth/me").ok();
    assert!(app.clock.now() > OffsetDateTime::now_utc());
}

#[test]
fn a_frozen_day_does_not_stop_tokens() {
    let app = TestApp::start();
    app.clock.set_today(time::macros::date!(2020 - 01 - 01));
    app.user("ana").get("/api/auth/me").ok();
}

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
    // Not 401, for which clients show the login screen.
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

#[test]
fn the_token_of_a_deleted_profile_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.get("/api/auth/me").ok();
    app.sql("delete from profiles");
    assert_refused(&ana, ana.token());
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
    ana.post_nothing("/api/logout").problem(401, "ErrUnauthenticated");
}

#[test]
fn logout_answers_nothing() {
    let app = TestApp::start();
    app.user("ana").post_nothing("/api/logout").gone();
    app.anyone().post_nothing("/api/logout").problem(401, "ErrUnauthenticated");
}

#[track_caller]
fn assert_too_many(reply: Reply) {
    let seconds: u64 = reply.header("Retry-After").expect("Retry-After").parse().unwrap();
    assert!((1..=15 * 60).contains(&seconds), "{seconds}");
    reply.problem(429, "ErrTooManyAttempts");
}

#[test]
fn after_ten_failures_even_the_right_password_waits() {
    let app = TestApp::start();
    app.user("ana");
    app.user("bia");
    for _ in 0..5 {
        login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
        login(&app, " ANA ", WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login(&app, "ana", PASSWORD));
    assert_too_many(login(&app, "ana", WRONG));
    assert_too_many(login(&app, "Ana", PASSWORD));
    login(&app, "bia", PASSWORD).ok();
}

#[test]
fn nine_failures_and_requests_that_cannot_be_read_do_not_lock_a_name() {
    let app = TestApp::start();
    app.user("ana");
    for _ in 0..9 {
        login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
        app.anyone().post("/api/auth/login", json!({ "name": "ana" })).invalid(&["password"]);
    }
    login(&app, "ana", PASSWORD).ok();
    login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    assert_too_many(login(&app, "ana", PASSWORD));
}

#[test]
fn names_that_nobody_has_are_counted_too() {
    let app = TestApp::start();
    for _ in 0..10 {
        login(&app, "nobody", WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login(&app, "nobody", WRONG));
    login(&app, "somebody", WRONG).problem(401, "ErrInvalidCredentials");
}

#[test]
fn failures_are_counted_by_address_and_by_every_node_alike() {
    let app = TestApp::start();
    let other = app.another_node();
    app.user("ana");
    for _ in 0..5 {
        login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
        login(&other, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login(&app, "ana", PASSWORD));
    assert_too_many(login(&other, "ana", PASSWORD));
    app.sql("update login_failures set address = '192.0.2.1'");
    login(&app, "ana", PASSWORD).ok();
}

#[test]
fn wrong_current_passwords_count_as_failed_logins_do() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for _ in 0..9 {
        change(&ana, WRONG, "battery staple").invalid(&["current_password"]);
    }
    login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    assert_too_many(change(&ana, PASSWORD, "battery staple"));
    assert_too_many(login(&app, "ana", PASSWORD));
    ana.get("/api/auth/me").ok();
}

#[test]
fn of_twenty_concurrent_guesses_ten_are_judged() {
    let app = TestApp::start();
    app.user("ana");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guesses: Vec<_> = (0..20).map(|_| scope.spawn(|| login(&app, "ana", WRONG).status)).collect();
        guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
    });
    let count = |status| statuses.iter().filter(|known| **known == status).count();
    assert_eq!((count(401), count(429)), (10, 10), "{statuses:?}");
    assert_too_many(login(&app, "ana", PASSWORD));
}

#[test]
fn of_a_burst_of_guesses_no_more_than_ten_are_judged() {
    let app = TestApp::start();
    app.user("ana");
    let judged = AtomicUsize::new(0);
    let guess = |_: Option<&str>| {
        judged.fetch_add(1, Ordering::SeqCst);
        // Time for the others to arrive.
        std::thread::sleep(std::time::Duration::from_millis(20));
        Ok(false)
    };
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| log_in(app.store.as_ref(), "ana", "198.51.100.7", guess));
        }
    });
    assert_eq!(judged.load(Ordering::SeqCst), 10);
}

#[test]
fn attempts_that_succeed_are_not_counted_however_many_come_at_once() {
    let app = TestApp::start();
    app.user("ana");
    std::thread::scope(|scope| {
        let logins: Vec<_> = (0..16).map(|_| scope.spawn(|| login(&app, "ana", PASSWORD).status)).collect();
        let statuses: Vec<u16> = logins.into_iter().map(|login| login.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    });
    assert!(app.rows("select * from login_failures").is_empty());
}

#[test]
fn a_password_that_is_changed_while_it_is_judged_opens_nothing() {
    let app = TestApp::start();
    app.user("ana");
    let changed_meanwhile = |_: Option<&str>| {
        app.store.profile_set_password("ana", PASSWORD_HASH).unwrap();
        Ok(true)
    };
    let login = log_in(app.store.as_ref(), "ana", "198.51.100.7", changed_meanwhile).unwrap();
    assert!(matches!(login, Login::Failed(Some(_))), "{login:?}");
}

#[test]
fn the_window_passes() {
    let app = TestApp::start();
    app.user("ana");
    for _ in 0..10 {
        login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    }
    app.sql("update login_failures set window_started_at = window_started_at - interval '14 minutes'");
    let reply = login(&app, "ana", PASSWORD);
    let seconds: u64 = reply.header("Retry-After").expect("Retry-After").parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_too_many(reply);
    app.sql("update login_failures set window_started_at = window_started_at - interval '1 minute'");
    login(&app, "ana", PASSWORD).ok();
    for _ in 0..10 {
        login(&app, "ana", WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login(&app, "ana", PASSWORD));
}

/// A login from an address in a proxy's header.
fn login_through(app: &TestApp, forwarded_for: &str, password: &str) -> Reply {
    let body = json!({ "name": "ana", "password": password }).to_string().into_bytes();
    let headers = [("X-Forwarded-For", forwarded_for)];
    app.anyone().send_with(Method::POST, "/api/auth/login", Some("application/json"), body, &headers)
}

#[test]
fn a_made_up_address_does_not_reset_the_count() {
    let app = TestApp::start();
    app.user("ana");
    for guess in 0..10 {
        login_through(&app, &format!("203.0.113.{guess}"), WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login_through(&app, "203.0.113.99", PASSWORD));
}

#[test]
fn behind_a_trusted_proxy_each_client_is_counted_by_itself() {
    let trusted_proxies = "127.0.0.0/8".parse().unwrap();
    let app = TestApp::start_serving(|options| ServerOptions { trusted_proxies, ..options });
    app.user("ana");
    for guess in 0..10 {
        // Addresses that the client sent itself, before the proxy appended its own, are ignored.
        login_through(&app, &format!("192.0.2.{guess}, 203.0.113.9"), WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login_through(&app, "203.0.113.9", PASSWORD));
    login_through(&app, "203.0.113.10", PASSWORD).ok();
    login(&app, "ana", PASSWORD).ok();
}

#[test]
fn an_unknown_name_takes_as_long_as_a_wrong_password() {
    let app = TestApp::start();
    app.user("ana");
    // Users of tests have cheap hashes; this one is hashed at the service's cost.
    let hash = finance_http::passwords::hash(PASSWORD).unwrap();
    app.sql(&format!("update profiles set password_hash = '{hash}'"));
    let median = |name: &str| {
        let mut times: Vec<_> = (0..9)
            .map(|_| {
                app.sql("delete from login_failures");
                let started = std::time::Instant::now();
                login(&app, name, WRONG).problem(401, "ErrInvalidCredentials");
                started.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    median("ana");
    let (known, unknown) = (median("ana"), median("nobody"));
    // Without a comparison an unknown name would take a tenth.
    assert!((0.4..2.5).contains(&(unknown / known)), "known {known} s, unknown {unknown} s");
}
