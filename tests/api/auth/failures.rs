//! Limits of failed logins.

use std::sync::atomic::{AtomicUsize, Ordering};

use finance_domain::sessions::NewSession;
use finance_domain::use_cases::login::{Login, log_in};
use finance_domain::{Clock, Store};
use finance_http::ServerOptions;
use finance_tests::{PASSWORD, PASSWORD_HASH, Reply, TestApp, eventually};
use serde_json::json;
use ureq::http::Method;

use super::{WRONG, change, login};

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
    let (judged, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let guess = |_: Option<&str>| {
        judged.fetch_add(1, Ordering::SeqCst);
        eventually("all guesses are judged at once or refused", || {
            (judged.load(Ordering::SeqCst) + refused.load(Ordering::SeqCst) == 40).then_some(())
        });
        Ok(false)
    };
    let session = NewSession::new(app.clock.now(), None);
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let ended = log_in(app.store.as_ref(), "ana", "198.51.100.7", guess, None, &session);
                refused.fetch_add(usize::from(ended.is_err()), Ordering::SeqCst);
            });
        }
    });
    assert_eq!((judged.load(Ordering::SeqCst), refused.load(Ordering::SeqCst)), (10, 30));
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
        app.store.member_set_password("ana", PASSWORD_HASH).unwrap();
        Ok(true)
    };
    let session = NewSession::new(app.clock.now(), None);
    let login = log_in(app.store.as_ref(), "ana", "198.51.100.7", changed_meanwhile, None, &session).unwrap();
    assert!(matches!(login, Login::Failed(Some(_))), "{login:?}");
    assert!(app.rows("select * from sessions").is_empty());
    assert!(app.rows("select * from login_failures").is_empty(), "it was no wrong guess");
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

/// Logs in from an address that is in a proxy's header.
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
        // The client sent the first address itself, and the proxy appended the second. The first one is ignored.
        login_through(&app, &format!("192.0.2.{guess}, 203.0.113.9"), WRONG).problem(401, "ErrInvalidCredentials");
    }
    assert_too_many(login_through(&app, "203.0.113.9", PASSWORD));
    login_through(&app, "203.0.113.10", PASSWORD).ok();
    login(&app, "ana", PASSWORD).ok();
}
