//! Devices: they renew a login for 90 days without the password.

use std::sync::Barrier;
use std::thread;

use finance_domain::credentials::Role;
use finance_domain::{Clock, Store};
use finance_tests::{Client, Method, PASSWORD, Reply, TestApp, totp};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::{assert_refused, change, claims_of};

const RENEW: &str = "/api/auth/renew";
const SESSIONS: &str = "/api/auth/sessions";
const DAY: Duration = Duration::hours(24);

/// Logs in as a program that keeps a device. Returns the answer.
fn enter(app: &TestApp, name: &str) -> Value {
    let body = json!({ "name": name, "password": PASSWORD, "remember": "token" });
    app.anyone().post("/api/auth/login", body).ok()
}

fn device(answer: &Value) -> String {
    answer["device_token"].as_str().unwrap_or_else(|| panic!("no device in {answer}")).to_string()
}

fn client(app: &TestApp, answer: &Value) -> Client {
    app.anyone().with_token(answer["token"].as_str().unwrap())
}

fn renew(app: &TestApp, device: &str) -> Reply {
    app.anyone().post(RENEW, json!({ "device_token": device }))
}

/// Renews as a browser does.
fn renew_by_cookie(app: &TestApp, headers: &[(&str, &str)]) -> Reply {
    app.anyone().send_with(Method::POST, RENEW, Some("application/json"), b"{}".to_vec(), headers)
}

fn cookie(reply: &Reply) -> String {
    reply.header("Set-Cookie").unwrap_or_else(|| panic!("no cookie in {reply:?}")).to_string()
}

fn session_of(answer: &Value) -> i64 {
    claims_of(answer["token"].as_str().unwrap())["sid"].as_i64().unwrap()
}

#[test]
fn a_device_renews_the_login_of_its_session_day_by_day() {
    let app = TestApp::start();
    app.user("ana");
    let first = enter(&app, "ana");
    let text = device(&first);
    assert!(text.starts_with("fin_dev_") && text.len() == 73, "{text}");
    let instant = |value: &Value| OffsetDateTime::parse(value.as_str().unwrap(), &Rfc3339).unwrap();
    let begun = instant(&first["expires_at"]) - DAY;
    assert_eq!(instant(&first["device_expires_at"]), begun + Duration::days(90));
    let mut last = first.clone();
    for _ in 0..100 {
        app.clock.advance(DAY);
        assert_refused(&app.anyone(), last["token"].as_str().unwrap());
        let renewed = renew(&app, &device(&last)).ok();
        let names: Vec<&String> = renewed.as_object().unwrap().keys().collect();
        assert_eq!(names, ["device_expires_at", "device_token", "expires_at", "profile", "token", "token_type"]);
        assert_eq!((session_of(&renewed), &renewed["profile"]), (session_of(&first), &first["profile"]));
        assert_ne!(device(&renewed), device(&last));
        assert_eq!(device(&renewed)[..30], text[..30], "the part that names the device stays");
        last = renewed;
    }
    let listed = client(&app, &last).get(SESSIONS).ok();
    let one = &listed.as_array().unwrap()[0];
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(instant(&one["created_at"]), begun);
    assert_eq!((&one["expires_at"], &one["device_expires_at"]), (&last["expires_at"], &last["device_expires_at"]));
    let renewed = instant(&one["renewed_at"]);
    assert_eq!(
        (renewed + DAY, renewed + Duration::days(90)),
        (instant(&last["expires_at"]), instant(&last["device_expires_at"]))
    );
    assert!(renewed >= begun + Duration::days(100));
    app.clock.advance(Duration::days(90));
    renew(&app, &device(&last)).problem(401, "ErrUnauthenticated");
}

#[test]
fn a_login_without_the_word_has_no_device_and_one_with_another_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for body in [
        json!({ "name": "ana", "password": PASSWORD }),
        json!({ "name": "ana", "password": PASSWORD, "remember": null }),
    ] {
        let reply = app.anyone().post("/api/auth/login", body);
        assert_eq!(reply.header("Set-Cookie"), None);
        let names: Vec<String> = reply.ok().as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, ["expires_at", "profile", "token", "token_type"]);
    }
    for word in [json!("yes"), json!(true), json!(""), json!("Token"), json!(["token"])] {
        let login = json!({ "name": "ana", "password": PASSWORD, "remember": word });
        app.anyone().post("/api/auth/login", login).invalid(&["remember"]);
        let body = json!({ "current_password": PASSWORD, "new_password": "battery staple", "remember": word });
        ana.post("/api/auth/change-password", body).invalid(&["remember"]);
    }
    let listed = ana.get(SESSIONS).ok();
    assert!(listed[0]["device_expires_at"].is_null() && listed[0]["renewed_at"].is_null(), "{listed}");
}

#[test]
fn a_browser_keeps_the_device_in_a_cookie_that_no_script_reads() {
    let app = TestApp::start();
    app.user("ana");
    let body = json!({ "name": "ana", "password": PASSWORD, "remember": "cookie" }).to_string().into_bytes();
    let log_in = |headers: &[(&str, &str)]| {
        app.anyone().send_with(Method::POST, "/api/auth/login", Some("application/json"), body.clone(), headers)
    };
    let plain = log_in(&[("Origin", "http://localhost:8080")]);
    let set = cookie(&plain);
    let (pair, rest) = set.split_once("; ").unwrap();
    assert_eq!(rest, "Path=/api/auth/renew; HttpOnly; SameSite=Strict; Max-Age=7776000");
    let answer = plain.ok();
    assert!(!answer.to_string().contains("fin_dev_"), "{answer}");
    assert!(cookie(&log_in(&[("Origin", "https://finance.example")])).ends_with("Max-Age=7776000; Secure"));
    // The new secret comes as the old one did.
    let same = [("Cookie", pair), ("Sec-Fetch-Site", "same-origin"), ("Origin", "https://finance.example")];
    let renewed = renew_by_cookie(&app, &same);
    let next = cookie(&renewed);
    assert!(next.ends_with("; Secure") && !next.contains(pair), "{next}");
    let renewed = renewed.ok();
    assert!(!renewed.to_string().contains("fin_dev_"), "{renewed}");
    assert_eq!(session_of(&renewed), session_of(&answer));
    let pair = next.split("; ").next().unwrap();
    // Another site cannot use it, and changes nothing.
    for site in ["cross-site", "same-site", "none", ""] {
        let reply = renew_by_cookie(&app, &[("Cookie", pair), ("Sec-Fetch-Site", site)]);
        assert_eq!(reply.header("Set-Cookie"), None);
        reply.problem(401, "ErrUnauthenticated");
    }
    // A browser that sends no such header, and one with more cookies.
    let more = format!("theme=dark; {pair}; finance_devices=x");
    let reply = renew_by_cookie(&app, &[("Cookie", more.as_str())]);
    let pair = cookie(&reply).split("; ").next().unwrap().to_string();
    let last = client(&app, &reply.ok());
    // A logout removes it.
    let gone = last.post_nothing("/api/logout");
    assert_eq!(cookie(&gone), "finance_device=; Path=/api/auth/renew; HttpOnly; SameSite=Strict; Max-Age=0");
    gone.gone();
    renew_by_cookie(&app, &[("Cookie", pair.as_str())]).problem(401, "ErrUnauthenticated");
}

#[test]
fn what_is_no_device_renews_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let answer = enter(&app, "ana");
    let text = device(&answer);
    app.anyone().post(RENEW, json!({})).problem(401, "ErrUnauthenticated");
    ana.post(RENEW, json!({})).problem(401, "ErrUnauthenticated");
    let other = format!("fin_dev_{}{}", "A".repeat(22), &text[30..]);
    let garbled = [&text[1..], &text[..72], ana.token(), &other, "", "fin_dev_"];
    for garbled in garbled {
        renew(&app, garbled).problem(401, "ErrUnauthenticated");
    }
    for wrong in [json!(7), json!(true), json!([text])] {
        app.anyone().post(RENEW, json!({ "device_token": wrong })).invalid(&["device_token"]);
    }
    app.anyone().post(RENEW, json!({ "device_token": text, "code": 7 })).invalid(&["code"]);
    let send = |kind: Option<&str>, body: &[u8]| app.anyone().send(Method::POST, RENEW, kind, body.to_vec());
    send(Some("application/x-www-form-urlencoded"), b"device_token=x").problem(415, "ErrUnsupportedMedia");
    send(None, b"").problem(415, "ErrUnsupportedMedia");
    send(Some("application/json"), b"{").problem(400, "ErrMalformedRequest");
    send(Some("application/json"), b"").problem(400, "ErrMalformedRequest");
    // It is no credential.
    assert_refused(&app.anyone(), &text);
    renew(&app, &text).ok();
}

#[test]
fn two_tabs_get_the_same_secret_also_at_once_and_on_two_nodes() {
    let app = TestApp::start();
    let there = app.another_node();
    app.user("ana");
    let text = device(&enter(&app, "ana"));
    let at_once = Barrier::new(6);
    let given: Vec<String> = thread::scope(|scope| {
        let begun: Vec<_> = (0..6)
            .map(|number| {
                let anyone = if number % 2 == 0 { app.anyone() } else { there.anyone() };
                let (at_once, body) = (&at_once, json!({ "device_token": text }));
                scope.spawn(move || {
                    at_once.wait();
                    device(&anyone.post(RENEW, body).ok())
                })
            })
            .collect();
        begun.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(given.iter().all(|one| *one == given[0]), "{given:?}");
    // Within a minute; the clock goes on meanwhile.
    app.clock.advance(Duration::seconds(40));
    assert_eq!(device(&renew(&app, &text).ok()), given[0]);
    let third = device(&renew(&app, &given[0]).ok());
    assert_ne!(third, given[0]);
}

#[test]
fn a_lost_answer_is_asked_for_again_and_an_old_secret_ends_the_session() {
    let app = TestApp::start();
    let there = app.another_node();
    app.user("ana");
    let other = enter(&app, "ana");
    let first = enter(&app, "ana");
    let lost = renew(&app, &device(&first)).ok();
    app.clock.advance(Duration::seconds(61));
    let second = renew(&app, &device(&first)).ok();
    assert_ne!(device(&second), device(&lost));
    app.clock.advance(DAY - Duration::minutes(2));
    let third = renew(&app, &device(&second)).ok();
    client(&app, &third).get("/api/accounts").ok();
    // Whoever has the answer that counts no more, has a copy.
    there.anyone().post(RENEW, json!({ "device_token": device(&lost) })).problem(401, "ErrUnauthenticated");
    for answer in [&second, &third] {
        for anyone in [app.anyone(), there.anyone()] {
            assert_refused(&anyone, answer["token"].as_str().unwrap());
        }
        renew(&app, &device(answer)).problem(401, "ErrUnauthenticated");
    }
    // No other session ends.
    let other = renew(&app, &device(&other)).ok();
    let listed = client(&app, &other).get(SESSIONS).ok();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn any_other_secret_of_a_device_ends_its_session() {
    let app = TestApp::start();
    app.user("ana");
    for last in ["A", "B", "_"] {
        let answer = enter(&app, "ana");
        let text = device(&answer);
        let changed = format!("{}{}", &text[..72], if text.ends_with(last) { "-" } else { last });
        renew(&app, &changed).problem(401, "ErrUnauthenticated");
        assert_refused(&app.anyone(), answer["token"].as_str().unwrap());
        renew(&app, &text).problem(401, "ErrUnauthenticated");
    }
}

#[test]
fn a_session_is_ended_at_once_on_every_node_and_only_ones_own() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    app.member(&ana, "bia", Role::Viewer);
    let (phone, desk, bias) = (enter(&app, "ana"), enter(&app, "ana"), enter(&app, "bia"));
    let (at_phone, at_desk) = (client(&app, &phone), client(&app, &desk));
    let path = |answer: &Value| format!("{SESSIONS}/{}", session_of(answer));
    for unknown in [path(&bias), format!("{SESSIONS}/9000000000")] {
        at_desk.delete(&unknown).problem(404, "ErrNotFound");
    }
    client(&app, &bias).get("/api/accounts").ok();
    at_desk.delete(&path(&phone)).gone();
    for anyone in [app.anyone(), there.anyone()] {
        assert_refused(&anyone, at_phone.token());
        let write = anyone.with_token(at_phone.token());
        write.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
        write.put("/api/settings", json!([])).problem(401, "ErrUnauthenticated");
    }
    renew(&app, &device(&phone)).problem(401, "ErrUnauthenticated");
    at_desk.delete(&path(&phone)).problem(404, "ErrNotFound");
    assert_eq!(at_desk.get(SESSIONS).ok().as_array().unwrap().len(), 1);
    // It stays ended however many logins come after it, and the token is forgotten once it has expired.
    for _ in 0..51 {
        app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    }
    assert_refused(&app.anyone(), at_phone.token());
    renew(&app, &device(&desk)).ok();
    app.clock.advance(DAY);
    let later = client(&app, &enter(&app, "ana"));
    assert_eq!(later.get(SESSIONS).ok().as_array().unwrap().len(), 2);
    assert_eq!(app.rows("select id from sessions where ended_at is not null"), Vec::<Value>::new());
    // One ends its own, too.
    let mine = later.get(SESSIONS).ok()[0]["id"].clone();
    later.delete(&format!("{SESSIONS}/{mine}")).gone();
    assert_refused(&later, later.token());
}

#[test]
fn more_ended_sessions_than_are_kept_end_all() {
    let app = TestApp::start();
    app.user("ana");
    let (phone, desk) = (client(&app, &enter(&app, "ana")), client(&app, &enter(&app, "ana")));
    app.sql(
        "insert into sessions (profile_id, member_id, credential_id, created_at, expires_at, ended_at)
        select profile_id, id, credential_id, now(), now() + interval '1 day', now()
        from members, generate_series(1, 200)",
    );
    let ids: Vec<Value> =
        desk.get(SESSIONS).ok().as_array().unwrap().iter().map(|session| session["id"].clone()).collect();
    desk.delete(&format!("{SESSIONS}/{}", ids[1])).gone();
    assert_refused(&phone, phone.token());
    assert_refused(&desk, desk.token());
    assert_eq!(app.rows("select id from sessions"), Vec::<Value>::new());
}

/// Something that ends the devices of Ana: of the service, an owner of the profile, and a client of Ana's.
type End<'a> = (&'a str, &'a dyn Fn(&TestApp, &Client, &Client));

#[test]
fn devices_end_with_what_ends_logins() {
    let ends: [End<'_>; 7] = [
        ("a new password", &|_, _, ana| {
            change(ana, PASSWORD, "battery staple").ok();
        }),
        ("the end of all sessions", &|_, _, ana| ana.delete(SESSIONS).gone()),
        ("a logout", &|_, _, ana| {
            ana.post_nothing("/api/logout").gone();
        }),
        ("a removed member", &|_, owner, ana| {
            owner.delete(&format!("/api/members/{}", ana.get("/api/auth/me").ok()["member_id"])).gone();
        }),
        ("a disabled member", &|app, _, _| {
            app.store.member_set_disabled("ana", true).unwrap();
            app.store.member_set_disabled("ana", false).unwrap();
        }),
        ("a restore", &|_, owner, _| {
            let document = owner.get("/api/export").ok();
            owner.post("/api/restore", document).ok();
        }),
        ("a new password by an operator", &|app, _, _| {
            app.store.member_set_password("ana", finance_tests::PASSWORD_HASH).unwrap();
        }),
    ];
    for (what, end) in ends {
        let app = TestApp::start();
        let owner = app.user("zoe");
        app.member(&owner, "ana", Role::Editor);
        let answer = enter(&app, "ana");
        let renewed = renew(&app, &device(&answer)).ok();
        end(&app, &owner, &client(&app, &renewed));
        for text in [device(&renewed), device(&answer)] {
            renew(&app, &text).problem(401, "ErrUnauthenticated");
        }
        assert_eq!(
            app.rows(
                "select id from sessions where device_selector is not null and credential_id in
            (select credential_id from members)"
            ),
            Vec::<Value>::new(),
            "{what}"
        );
    }
}

#[test]
fn accepting_and_a_new_password_remember_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let invitation = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created()["invitation"].clone();
    let body = json!({ "invitation": invitation, "name": "bia", "password": PASSWORD, "remember": "token" });
    let bia = app.anyone().post("/api/auth/accept", body).created();
    renew(&app, &device(&bia)).ok();
    let body = json!({ "current_password": PASSWORD, "new_password": "battery staple", "remember": "cookie" });
    let changed = client(&app, &bia).post("/api/auth/change-password", body);
    let pair = cookie(&changed).split("; ").next().unwrap().to_string();
    changed.ok();
    renew_by_cookie(&app, &[("Cookie", pair.as_str())]).ok();
}

#[test]
fn the_device_that_was_unused_longest_gives_way_to_the_twenty_first() {
    let app = TestApp::start();
    app.user("ana");
    let mut devices: Vec<Value> = Vec::new();
    for _ in 0..20 {
        app.clock.advance(Duration::seconds(1));
        devices.push(enter(&app, "ana"));
    }
    // The oldest is used, so the second is the one that was unused longest.
    app.clock.advance(Duration::seconds(1));
    devices[0] = renew(&app, &device(&devices[0])).ok();
    app.clock.advance(Duration::seconds(1));
    devices.push(enter(&app, "ana"));
    renew(&app, &device(&devices[1])).problem(401, "ErrUnauthenticated");
    client(&app, &devices[1]).get("/api/accounts").ok();
    for kept in devices.iter().take(1).chain(&devices[2..]) {
        renew(&app, &device(kept)).ok();
    }
    let listed = client(&app, &devices[0]).get(SESSIONS).ok();
    let with_device =
        listed.as_array().unwrap().iter().filter(|session| !session["device_expires_at"].is_null()).count();
    assert_eq!((listed.as_array().unwrap().len(), with_device), (21, 20));
}

#[test]
fn programs_that_log_in_every_minute_take_no_device_away() {
    let app = TestApp::start();
    app.user("ana");
    let phone = enter(&app, "ana");
    for _ in 0..60 {
        app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    }
    let renewed = client(&app, &renew(&app, &device(&phone)).ok());
    assert_eq!(renewed.get(SESSIONS).ok().as_array().unwrap().len(), 50);
}

#[test]
fn a_code_is_asked_for_again_after_the_days_of_the_settings() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let begun = bia.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
    let secret = begun["secret"].as_str().unwrap().to_string();
    let confirm = json!({ "code": totp(&secret, app.clock.now()) });
    bia.post("/api/auth/second-factor/confirm", confirm).ok();
    let coded = || {
        app.clock.advance(Duration::seconds(30));
        totp(&secret, app.clock.now())
    };
    let log_in = json!({ "name": "bia", "password": PASSWORD, "code": coded(), "remember": "token" });
    let mut last = app.anyone().post("/api/auth/login", log_in).ok();
    let first = last.clone();
    let plain = enter(&app, "ana");
    app.clock.advance(Duration::days(30));
    last = renew(&app, &device(&last)).ok();
    ana.with_token(renew(&app, &device(&plain)).ok()["token"].as_str().unwrap())
        .put("/api/settings", json!({ "savings_goal_pct": 40, "second_factor_days": 30 }))
        .ok();
    // Ana has no second factor; the last code of Bia is 30 days old.
    let with_code =
        |device: &str, code: &str| app.anyone().post(RENEW, json!({ "device_token": device, "code": code }));
    renew(&app, &device(&last)).problem(401, "ErrSecondFactorRequired");
    with_code(&device(&last), "000000").problem(401, "ErrInvalidCredentials");
    let before = app.rows("select device_current from sessions order by id");
    renew(&app, &device(&last)).problem(401, "ErrSecondFactorRequired");
    assert_eq!(app.rows("select device_current from sessions order by id"), before, "nothing is renewed");
    client(&app, &last).get("/api/accounts").ok();
    let code = coded();
    last = with_code(&device(&last), &code).ok();
    // A code is good once, and counts for the days to come.
    app.clock.advance(Duration::days(29));
    last = renew(&app, &device(&last)).ok();
    app.clock.advance(Duration::days(1));
    with_code(&device(&last), &code).problem(401, "ErrInvalidCredentials");
    for _ in 0..8 {
        with_code(&device(&last), "000000").problem(401, "ErrInvalidCredentials");
    }
    with_code(&device(&last), &coded()).problem(429, "ErrTooManyAttempts");
    // An old secret is reuse, whether or not a code is due.
    renew(&app, &device(&first)).problem(401, "ErrUnauthenticated");
    renew(&app, &device(&last)).problem(401, "ErrUnauthenticated");
}

#[test]
fn no_secret_of_a_device_is_stored_or_exported() {
    let app = TestApp::start();
    app.user("ana");
    let first = enter(&app, "ana");
    let second = renew(&app, &device(&first)).ok();
    let stored: String = app.stored_rows(&[]).concat();
    let exported = client(&app, &second).get("/api/export").ok().to_string();
    for answer in [&first, &second] {
        let text = device(answer);
        for part in [&text[8..30], &text[30..]] {
            assert!(!stored.contains(part) && !exported.contains(part), "{part}");
        }
    }
    assert!(!exported.contains("device") && !exported.contains("session"), "{exported}");
}

#[test]
fn tokens_of_the_last_release_hold_until_they_expire() {
    let app = TestApp::start();
    app.user("ana");
    // A token of a session that is not stored: the last release removed those of a logout.
    let answer = enter(&app, "ana");
    let ana = client(&app, &answer);
    app.sql("delete from sessions");
    ana.get("/api/accounts").ok();
    // The function that the last release calls.
    let rows = app.rows(
        "select m.profile_id, bind_profile(m.profile_id, m.credential_id, '{owner}', false)::text as bound from members m",
    );
    assert_eq!(rows.len(), 1);
}
