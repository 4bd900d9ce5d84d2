//! The list of a member's logins, and how to end all of them.

use std::io::{Read, Write};
use std::net::TcpStream;

use diesel::connection::SimpleConnection;
use finance_domain::credentials::Role;
use finance_domain::{Clock, Store};
use finance_tests::{Client, PASSWORD, TestApp, rows, totp};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use ureq::http::Method;

use super::{assert_refused, change, claims_of, login};

const PATH: &str = "/api/auth/sessions";
const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// Logs in with this `User-Agent`. Returns a client of the new session.
fn enter(app: &TestApp, name: &str, user_agent: &str) -> Client {
    let body = json!({ "name": name, "password": PASSWORD }).to_string().into_bytes();
    let headers = [("User-Agent", user_agent)];
    let path = "/api/auth/login";
    let answer = app.anyone().send_with(Method::POST, path, Some("application/json"), body, &headers).ok();
    app.anyone().with_token(answer["token"].as_str().unwrap())
}

/// The `User-Agent` of each listed session, and whether the session is that of the request.
fn listed(client: &Client) -> Vec<(Value, bool)> {
    let sessions = client.get(PATH).ok();
    sessions.as_array().unwrap().iter().map(|one| (one["client"].clone(), one["current"] == true)).collect()
}

fn instant(value: &Value) -> OffsetDateTime {
    OffsetDateTime::parse(value.as_str().unwrap(), &Rfc3339).unwrap()
}

#[test]
fn logins_are_listed_the_newest_first_to_whoever_logged_in() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.member(&ana, "bia", Role::Viewer);
    app.user("carla");
    assert_eq!(ana.get(PATH).ok(), json!([]), "its login is of no stored session");
    let first = enter(&app, "ana", FIREFOX);
    let second = enter(&app, "ana", "curl/8.5.0");
    let bias = enter(&app, "bia", "bias phone");
    let carlas = enter(&app, "carla", "carlas phone");
    assert_eq!(listed(&first), [(json!("curl/8.5.0"), false), (json!(FIREFOX), true)]);
    assert_eq!(listed(&second), [(json!("curl/8.5.0"), true), (json!(FIREFOX), false)]);
    assert_eq!(listed(&ana), [(json!("curl/8.5.0"), false), (json!(FIREFOX), false)]);
    assert_eq!(listed(&bias), [(json!("bias phone"), true)]);
    assert_eq!(listed(&carlas), [(json!("carlas phone"), true)]);
    let session = &first.get(PATH).ok()[1];
    let claims = claims_of(first.token());
    assert_eq!(claims["sid"], session["id"]);
    assert_eq!(claims["iat"], instant(&session["created_at"]).unix_timestamp());
    assert_eq!(claims["exp"], instant(&session["expires_at"]).unix_timestamp());
    let names: Vec<&String> = session.as_object().unwrap().keys().collect();
    assert_eq!(names, ["client", "created_at", "current", "device_expires_at", "expires_at", "id", "renewed_at"]);
    // A failed login begins no session, and another node gives the same list.
    login(&app, "ana", super::WRONG).problem(401, "ErrInvalidCredentials");
    let there = app.another_node();
    assert_eq!(there.anyone().with_token(first.token()).get(PATH).ok(), first.get(PATH).ok());
}

#[test]
fn a_second_factor_an_invitation_and_a_new_password_begin_sessions_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let invitation = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created();
    let body = json!({ "invitation": invitation["invitation"], "name": "bia", "password": PASSWORD });
    let bia = app.anyone().post("/api/auth/accept", body).created();
    let bia = app.anyone().with_token(bia["token"].as_str().unwrap());
    assert_eq!(listed(&bia).iter().map(|one| one.1).collect::<Vec<_>>(), [true]);
    let enrolment = bia.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
    let secret = enrolment["secret"].as_str().unwrap();
    let code = json!({ "code": totp(secret, app.clock.now()) });
    let confirmed = bia.post("/api/auth/second-factor/confirm", code).ok();
    let bia = bia.with_token(confirmed["token"].as_str().unwrap());
    app.clock.advance(Duration::seconds(30));
    login(&app, "bia", PASSWORD).problem(401, "ErrSecondFactorRequired");
    assert_eq!(listed(&bia).len(), 1);
    let body = json!({ "name": "bia", "password": PASSWORD, "code": totp(secret, app.clock.now()) });
    let coded = app.anyone().post("/api/auth/login", body).ok();
    assert_eq!(listed(&bia.with_token(coded["token"].as_str().unwrap())).len(), 2);
    // A new password ends the other sessions, and removes them from the list and from the table.
    let renewed = change(&bia, PASSWORD, "battery staple").ok();
    let renewed = bia.with_token(renewed["token"].as_str().unwrap());
    assert_eq!(listed(&renewed).iter().map(|one| one.1).collect::<Vec<_>>(), [true]);
    assert_eq!(app.rows("select id from sessions").len(), 1);
}

#[test]
fn a_session_that_is_ended_or_has_expired_is_not_listed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (phone, desk) = (enter(&app, "ana", "phone"), enter(&app, "ana", "desk"));
    phone.post_nothing("/api/logout").gone();
    assert_eq!(listed(&desk), [(json!("desk"), true)]);
    // The token is still valid after a logout: only the client discards it. A second logout is no error.
    phone.post_nothing("/api/logout").gone();
    ana.post_nothing("/api/logout").gone();
    assert_eq!(listed(&phone), [(json!("desk"), false)]);
    desk.delete(PATH).gone();
    assert_eq!(app.rows("select id from sessions"), Vec::<Value>::new());
    let desk = enter(&app, "ana", "desk");
    assert_eq!(listed(&desk), [(json!("desk"), true)]);
    // A member who was disabled and enabled again has to log in.
    app.store.member_set_disabled("ana", true).unwrap();
    app.store.member_set_disabled("ana", false).unwrap();
    let phone = enter(&app, "ana", "phone");
    assert_eq!(listed(&phone), [(json!("phone"), true)]);
    assert_eq!(app.rows("select id from sessions").len(), 1, "those before are removed");
    app.clock.advance(Duration::hours(23));
    let late = enter(&app, "ana", "late");
    assert_eq!(listed(&late).len(), 2);
    app.clock.advance(Duration::hours(1) + Duration::seconds(1));
    assert_eq!(listed(&late), [(json!("late"), true)]);
    assert_refused(&phone, phone.token());
    enter(&app, "ana", "later");
    assert_eq!(app.rows("select id from sessions").len(), 2, "what has expired is removed");
    // The sessions of a member are deleted with its profile.
    let bia = app.user("bia");
    enter(&app, "bia", "phone");
    app.store.profile_delete(bia.caller().profile_id).unwrap();
    assert_eq!(app.rows("select id from sessions").len(), 2);
}

#[test]
fn the_newest_fifty_are_kept_also_of_those_that_come_at_once() {
    let app = TestApp::start();
    app.user("ana");
    app.user("bia");
    enter(&app, "bia", "phone");
    app.sql(
        "insert into sessions (profile_id, member_id, credential_id, created_at, expires_at, client)
        select profile_id, id, credential_id, now(), now() + interval '1 hour', 'old ' || number
        from members, generate_series(1, 60) as number where name = 'ana'",
    );
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| enter(&app, "ana", "new"));
        }
    });
    let last = enter(&app, "ana", "last");
    let listed = listed(&last);
    assert_eq!(listed.len(), 50);
    assert_eq!(listed[0], (json!("last"), true));
    assert!(listed[1..7].iter().all(|one| one.0 == "new"), "{listed:?}");
    assert_eq!((&listed[7].0, &listed[49].0), (&json!("old 60"), &json!("old 18")));
    assert_eq!(app.rows("select id from sessions").len(), 51);
}

#[test]
fn of_a_hostile_client_a_line_is_kept() {
    let app = TestApp::start();
    app.user("ana");
    let long = enter(&app, "ana", &"A".repeat(4096));
    assert_eq!(listed(&long)[0].0, "A".repeat(200));
    let controls = enter(&app, "ana", "<img src=x>\t'; drop table sessions; --\u{85}\u{9b}31m");
    assert_eq!(listed(&controls)[0].0, "<img src=x>'; drop table sessions; --31m");
    let blank = enter(&app, "ana", " \t ");
    assert_eq!(listed(&blank)[0].0, Value::Null);
    // A header that is not valid text, and a request without the header.
    for (header, kept) in
        [(&b"User-Agent: \xff\xfe\xc3(\r\n"[..], json!("\u{fffd}\u{fffd}\u{fffd}(")), (b"", Value::Null)]
    {
        let body = json!({ "name": "ana", "password": PASSWORD }).to_string();
        let head =
            format!("Host: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        let request =
            [b"POST /api/auth/login HTTP/1.1\r\n", header, head.as_bytes(), b"\r\n\r\n", body.as_bytes()].concat();
        let mut stream = TcpStream::connect(app.address()).unwrap();
        stream.write_all(&request).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert_eq!(listed(&blank)[0].0, kept);
    }
}

#[test]
fn no_other_profiles_sessions_are_seen_or_ended() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.user("carla");
    let (anas, carlas) = (enter(&app, "ana", "anas"), enter(&app, "carla", "carlas"));
    let mut connection = app.connection();
    connection.batch_execute("set role finance_service; begin").unwrap();
    assert_eq!(rows(&mut connection, "select id from sessions"), Vec::<Value>::new());
    let profile_id = ana.caller().profile_id;
    connection.batch_execute(&format!("select set_local('finance.profile_id', '{profile_id}')")).unwrap();
    assert_eq!(rows(&mut connection, "select client from sessions"), [json!({ "client": "anas" })]);
    connection.batch_execute("rollback").unwrap();
    // A session of another profile cannot be ended by its id either.
    let id = claims_of(carlas.token())["sid"].as_i64().unwrap();
    app.store.session_delete(profile_id, finance_domain::SessionId(id)).unwrap();
    assert_eq!(listed(&carlas), [(json!("carlas"), true)]);
    carlas.delete(PATH).gone();
    assert_eq!(listed(&anas), [(json!("anas"), true)]);
}

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
    // The logins of other members, the tokens and a new login still work.
    bia.get("/api/accounts").ok();
    reads.get("/api/accounts").ok();
    let fresh = login(&app, "ana", PASSWORD).ok()["token"].as_str().unwrap().to_string();
    ana.with_token(&fresh).get("/api/accounts").ok();
    // A member with any role can end its own logins.
    bia.delete("/api/auth/sessions").gone();
    assert_refused(&bia, bia.token());
    ana.with_token(&fresh).get("/api/accounts").ok();
}
