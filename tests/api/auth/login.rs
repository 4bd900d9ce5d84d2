//! Logging in and out.

use std::cell::RefCell;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cpu_time::ThreadTime;
use finance_domain::Clock;
use finance_domain::sessions::NewSession;
use finance_domain::use_cases::login::{Login, log_in};
use finance_http::passwords;
use finance_tests::{PASSWORD, TestApp};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::{WRONG, claims_of, login};

/// A problem without the id of its request.
fn without_id(problem: &Value) -> Value {
    let mut answer = problem.clone();
    answer.as_object_mut().unwrap().remove("request_id");
    answer
}

#[test]
fn login_answers_a_token_that_works() {
    let app = TestApp::start();
    let id = app.user("ana").caller().profile_id.0;
    let before = app.clock.now();
    let answer = login(&app, "ana", PASSWORD).ok();
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["profile"], json!({ "id": id, "name": "ana" }));
    let expires_at = OffsetDateTime::parse(answer["expires_at"].as_str().unwrap(), &Rfc3339).unwrap();
    // Its expiry has whole seconds.
    let issued_at = expires_at - Duration::hours(24);
    assert!(before - Duration::SECOND < issued_at && issued_at <= app.clock.now(), "{expires_at}");
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
        assert_eq!(without_id(&problem), without_id(&wrong), "{name:?} {password:?}");
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
fn logout_answers_nothing() {
    let app = TestApp::start();
    app.user("ana").post_nothing("/api/logout").gone();
    app.anyone().post_nothing("/api/logout").problem(401, "ErrUnauthenticated");
}

#[test]
fn an_unknown_name_takes_as_long_as_a_wrong_password() {
    let app = TestApp::start();
    app.user("ana");
    // Both have one password compared.
    for (name, is_known) in [("ana", true), ("nobody", false)] {
        let compared = RefCell::new(Vec::new());
        let matches = |hash: Option<&str>| {
            compared.borrow_mut().push(hash.is_some());
            Ok(false)
        };
        let session = NewSession::new(app.clock.now(), None);
        let ended = log_in(app.store.as_ref(), name, "198.51.100.7", matches, None, &session);
        assert!(matches!(ended, Ok(Login::Failed(_))), "{name}");
        assert_eq!(compared.into_inner(), [is_known], "{name}");
    }
    // A comparison takes the same processor time without a hash. The users of tests have cheap hashes, this one has the service's
    // cost.
    let hash = passwords::hash(PASSWORD).unwrap();
    let least = |hash: Option<&str>| {
        let time = |_| {
            let started = ThreadTime::now();
            assert!(!passwords::verify(WRONG, hash).unwrap());
            started.elapsed().as_secs_f64()
        };
        (0..5).map(time).fold(f64::INFINITY, f64::min)
    };
    let (known, unknown) = (least(Some(&hash)), least(None));
    assert!((0.5..2.0).contains(&(unknown / known)), "known {known} s, unknown {unknown} s");
}
