//! One profile does not slow the others down: its writers wait only for each other, and its bodies and unread answers are
//! limited.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use finance_adapters_postgres::TimeLimits;
use finance_domain::credentials::Role;
use finance_http::ServerOptions;
use finance_tests::{Client, EVENTUALLY_MAX, Method, TestApp, eventually};
use serde_json::json;

/// Concurrent answers, together larger than the system's buffers.
const ANSWERS: usize = 16;

fn backends_waiting_for_a_lock(app: &TestApp) -> usize {
    let waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    app.rows_of_nodes(waiting).len()
}

#[test]
fn a_profiles_writers_take_one_connection_however_many_wait() {
    // No time limit ends the transaction that waits, so the number of them cannot change while the profile is locked.
    let unlimited = TimeLimits { begin: EVENTUALLY_MAX, ordinary: EVENTUALLY_MAX, long: EVENTUALLY_MAX };
    let app = TestApp::start_limited(unlimited);
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    std::thread::scope(|scope| {
        let holder = app.lock_profile(&ana);
        // More writers than connections.
        let writers: Vec<_> = (0..16)
            .map(|number| {
                let ana = ana.clone();
                scope.spawn(move || ana.post("/api/categories", json!({ "name": format!("Casa {number}") })))
            })
            .collect();
        eventually("a writer waits for the lock", || (backends_waiting_for_a_lock(&app) > 0).then_some(()));
        for _ in 0..10 {
            bia.get("/api/settings").ok();
            bia.post("/api/transactions", expense()).created();
            ana.get("/api/settings").ok();
            assert_eq!(backends_waiting_for_a_lock(&app), 1);
        }
        drop(holder);
        let statuses: Vec<u16> = writers.into_iter().map(|writer| writer.join().unwrap().status).collect();
        assert_eq!(statuses, [201; 16]);
    });
}

fn expense() -> serde_json::Value {
    json!({ "type": "expense", "date": "2026-03-10", "description": "Padaria", "amount": "5.00" })
}

/// The beginning of a confirm with a large content length.
fn begin_large_body(client: &Client, app: &TestApp) -> TcpStream {
    let mut stream = TcpStream::connect(app.address()).unwrap();
    let head = format!(
        "POST /api/import/confirm HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 4000000\r\n\r\n",
        client.token()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(format!("{{\"rows\": [{}", " ".repeat(100_000)).as_bytes()).unwrap();
    stream
}

#[test]
fn bodies_that_one_profile_sends_slowly_keep_no_place_from_others() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let held: Vec<TcpStream> = (0..20).map(|_| begin_large_body(&ana, &app)).collect();
    let rows: Vec<_> = (0..1_000)
        .map(|at| json!({ "date": "2026-03-10", "description": format!("Compra {at}"), "amount": "1.00", "type": "expense" }))
        .collect();
    let large = json!({ "rows": rows });
    assert!(large.to_string().len() > 64 * 1024);
    assert_eq!(bia.post("/api/import/confirm", large).created()["inserted"], 1_000);
    drop(held);
}

/// The beginning of an upload: its head, and nothing of its body.
fn begin_upload(address: SocketAddr, path: &str, content_type: &str, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(EVENTUALLY_MAX)).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {content_type}\r\n\
         Content-Length: 4000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// The status of the answer to an upload of which no body was sent. None if the service waits for the body.
fn status_without_a_body(mut stream: &TcpStream) -> Option<u16> {
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).ok().filter(|length| *length > 0)?;
    String::from_utf8_lossy(&answer[..length]).split(' ').nth(1)?.parse().ok()
}

/// The routes with large bodies.
const UPLOADS: [(&str, &str); 3] = [
    ("/api/import/preview", "multipart/form-data; boundary=x"),
    ("/api/import/confirm", "application/json"),
    ("/api/restore", "application/json"),
];

#[test]
fn whoever_lost_the_access_is_refused_before_the_body_and_keeps_no_place_from_the_household() {
    // The service waits a minute for a body.
    let app = TestApp::start_serving(|options| ServerOptions { request_timeout: EVENTUALLY_MAX * 2, ..options });
    let ana = app.user("ana");
    let token = ana.post("/api/tokens", json!({ "name": "x", "scopes": ["write"] })).created();
    let removed = app.member(&ana, "bia", Role::Editor);
    let ended = app.member(&ana, "caio", Role::Editor);
    let viewer = app.member(&ana, "davi", Role::Viewer);
    let reader = ana.post("/api/tokens", json!({ "name": "y", "scopes": ["read"] })).created();
    ana.delete(&format!("/api/tokens/{}", token["id"])).gone();
    let members = ana.get("/api/members").ok();
    let bia = members.as_array().unwrap().iter().find(|member| member["name"] == "bia").unwrap();
    ana.delete(&format!("/api/members/{}", bia["id"])).gone();
    ended.delete("/api/auth/sessions").gone();
    let credentials = [
        (token["token"].as_str().unwrap(), 401),
        (removed.token(), 401),
        (ended.token(), 401),
        (viewer.token(), 403),
        (reader["token"].as_str().unwrap(), 403),
    ];
    for (credential, expected) in credentials {
        let held: Vec<TcpStream> = UPLOADS
            .iter()
            .flat_map(|(path, kind)| (0..3).map(|_| begin_upload(app.address(), path, kind, credential)))
            .collect();
        for stream in &held {
            assert_eq!(status_without_a_body(stream), Some(expected));
        }
    }
    // None of them has a place of the household's.
    let rows: Vec<_> = (0..1_000)
        .map(|at| json!({ "date": "2026-03-10", "description": format!("Compra {at}"), "amount": "1.00", "type": "expense" }))
        .collect();
    assert_eq!(ana.post("/api/import/confirm", json!({ "rows": rows })).created()["inserted"], 1_000);
}

#[test]
fn invalid_rows_are_reported_one_by_one_and_too_many_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let confirm =
        |body: &str| ana.send(Method::POST, "/api/import/confirm", Some("application/json"), body.as_bytes().to_vec());
    confirm("{\"rows\":[0,\"x\",[],null]}").invalid(&["rows[0]", "rows[1]", "rows[2]", "rows[3]"]);
    confirm("{\"rows\":7}").invalid(&["rows"]);
    confirm("{\"rows\":null}").invalid(&["rows"]);
    let zeros = |count: usize| format!("{{\"account_id\":\"x\",\"rows\":[{}0]}}", "0,".repeat(count - 1));
    // A body that is parsed while it arrives gives the same errors as a small one.
    let refused = confirm(&zeros(50_001)).problem(422, "ErrValidation");
    let fields: Vec<&str> =
        refused["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
    assert_eq!(fields.first(), Some(&"account_id"));
    let far_beyond = confirm(&zeros(7_000_000)).problem(422, "ErrValidation");
    assert!(!far_beyond["errors"].as_array().unwrap().is_empty());
    let broken = format!("{{\"rows\":[{}", "0,".repeat(100_000));
    confirm(&broken).problem(400, "ErrMalformedRequest");
    confirm(&format!("{{\"rows\":[],\"more\":{}", "[".repeat(200_000))).problem(400, "ErrMalformedRequest");
}

#[test]
fn a_client_that_never_reads_its_answers_is_hung_up_on() {
    let timeout = Duration::from_secs(1);
    let app = TestApp::start_serving(|options| ServerOptions { answer_timeout: timeout, ..options });
    let ana = app.user("ana");
    let mut stream = TcpStream::connect(app.address()).unwrap();
    stream.set_read_timeout(Some(EVENTUALLY_MAX)).unwrap();
    // All answers together are larger than the buffers of a connection.
    let path = "/docs/swagger-ui-bundle.js";
    let whole = app.anyone().get(path).bytes.len() * ANSWERS;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(ANSWERS).as_bytes()).unwrap();
    // Writing fails when the service has closed the connection, the second time if the system does not know it before the first.
    // The pauses grow, because each byte may restart the timer with which the service's system finds that nothing is read.
    let mut attempt = 0_u32;
    eventually("the service hangs up", || {
        attempt += 1;
        let is_written = attempt.is_power_of_two() || (attempt - 1).is_power_of_two();
        (is_written && stream.write_all(b"G").is_err()).then_some(())
    });
    let mut read = Vec::new();
    // The connection was closed with or without a reset.
    let _ = stream.read_to_end(&mut read);
    assert!(read.len() < whole, "all of the answers waited for a client that read nothing");
    ana.get("/api/settings").ok();
}
