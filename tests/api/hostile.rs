//! Malicious clients: requests that never end, invalid heads, floods.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use finance_http::ServerOptions;
use finance_tests::{Client, EVENTUALLY_MAX, TestApp, eventually};
use serde_json::{Value, json};

/// A short time limit, so that the tests are fast.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

fn impatient() -> TestApp {
    TestApp::start_serving(|options| ServerOptions { request_timeout: REQUEST_TIMEOUT, ..options })
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(EVENTUALLY_MAX)).unwrap();
    stream
}

/// All bytes that the service sends until it closes the connection. Panics if it does not close it.
fn received(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("the connection was left open: {error}"),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sends raw bytes, and closes the sending side.
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The service may close the connection during the write.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(std::net::Shutdown::Write));
    received(&mut stream)
}

fn status(answer: &str) -> Option<u16> {
    answer.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

fn body(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn assert_answers(client: &Client) {
    client.get("/api/settings").ok();
}

#[test]
fn a_head_that_never_ends_is_given_up() {
    let app = impatient();
    let mut stream = connect(app.address());
    stream.write_all(b"GET /api/settings HTTP/1.1\r\nHost: x\r\nX-A: ").unwrap();
    let answer = received(&mut stream);
    assert_eq!(status(&answer), Some(408), "{answer}");
}

#[test]
fn a_head_sent_byte_by_byte_is_given_up() {
    let app = impatient();
    let mut stream = connect(app.address());
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ").unwrap();
    eventually("the service hangs up", || stream.write_all(b"a").is_err().then_some(()));
}

#[test]
fn a_body_that_never_ends_is_given_up() {
    let app = impatient();
    let ana = app.user("ana");
    let login = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n".to_string();
    let authorized = format!("HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n", ana.token());
    let form = "Content-Type: multipart/form-data; boundary=b\r\n";
    let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.ofx\"\r\n\r\nOFX";
    for head in [
        format!("{login}Content-Length: 40\r\n\r\n{{\"name\":"),
        format!("{login}Transfer-Encoding: chunked\r\n\r\n4\r\n{{\"na\r\n"),
        format!("POST /api/categories {authorized}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n"),
        format!(
            "POST /api/import/confirm {authorized}Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n["
        ),
        format!("POST /api/import/preview {authorized}{form}Content-Length: 900000\r\n\r\n{part}"),
    ] {
        let mut stream = connect(app.address());
        stream.write_all(head.as_bytes()).unwrap();
        let answer = received(&mut stream);
        assert_eq!(status(&answer), Some(408), "{head}: {answer}");
        assert_eq!(body(&answer)["code"], "ErrRequestTimeout", "{answer}");
        assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
    }
    assert_answers(&ana);
}

#[test]
fn an_unread_body_closes_the_connection() {
    let app = impatient();
    let ana = app.user("ana");
    let endless = "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n";
    for (head, expected) in [
        ("POST /api/categories HTTP/1.1\r\n".to_string(), 401),
        ("POST /healthz HTTP/1.1\r\n".to_string(), 405),
        ("GET /healthz HTTP/1.1\r\n".to_string(), 200),
        (format!("GET /api/settings HTTP/1.1\r\nAuthorization: Bearer {}\r\n", ana.token()), 200),
    ] {
        let mut stream = connect(app.address());
        stream.write_all(format!("{head}{endless}").as_bytes()).unwrap();
        let answer = received(&mut stream);
        assert_eq!(status(&answer), Some(expected), "{head}: {answer}");
    }
}

#[test]
fn a_body_sent_byte_by_byte_is_given_up() {
    let app = impatient();
    let mut stream = connect(app.address());
    let head =
        "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    // Two hundred bytes a second are too few.
    eventually("the service hangs up", || stream.write_all(b" ").is_err().then_some(()));
}

#[test]
fn a_body_that_keeps_coming_is_read_to_its_end() {
    let app = impatient();
    let ana = app.user("ana");
    let json = json!({ "name": "Casa" }).to_string();
    let padding = " ".repeat(48 * 1024);
    let head = format!(
        "POST /api/categories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        ana.token(),
        json.len() + padding.len()
    );
    let mut stream = connect(app.address());
    // Each of the 48 KiB extends the time limit, to seven seconds.
    stream.write_all(format!("{head}{padding}").as_bytes()).unwrap();
    // When a body that began later and brought nothing is given up, this one has taken longer than the time limit, too.
    let mut idle = connect(app.address());
    idle.write_all(head.as_bytes()).unwrap();
    assert_eq!(status(&received(&mut idle)), Some(408));
    if stream.write_all(json.as_bytes()).is_err() {
        panic!("given up: {}", received(&mut stream));
    }
    let answer = received(&mut stream);
    assert_eq!(status(&answer), Some(201), "{answer}");
}

#[test]
fn a_hundred_unfinished_requests_keep_nobody_waiting() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let held: Vec<TcpStream> = (0..100)
        .map(|number| {
            let mut stream = connect(app.address());
            let head: &[u8] = match number % 2 {
                0 => b"GET /api/settings HTTP/1.1\r\nHost: x\r\nX-A: ",
                _ => b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{",
            };
            stream.write_all(head).unwrap();
            stream
        })
        .collect();
    for _ in 0..20 {
        assert_answers(&ana);
    }
    drop(held);
}

#[test]
fn bytes_that_are_not_a_request_are_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    let long = "a".repeat(256 * 1024);
    let zeros = vec![0_u8; 4096];
    let noise: Vec<u8> = (0_u32..4096).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let requests: Vec<Vec<u8>> = vec![
        b"\r\n\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX\0Y: 1\r\n\r\n".to_vec(),
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n".to_vec(),
        b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}".to_vec(),
        b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}".to_vec(),
        b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n{}".to_vec(),
        b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n{}".to_vec(),
        b"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n".to_vec(),
        format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{many}\r\n").into_bytes(),
        format!("GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: {long}\r\n\r\n").into_bytes(),
        format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes(),
        zeros,
        noise,
    ];
    for request in requests {
        let shown = String::from_utf8_lossy(&request[..request.len().min(80)]).into_owned();
        let answer = exchange(app.address(), &request);
        if let Some(status) = status(&answer) {
            assert!((400..500).contains(&status), "{shown:?}: {answer}");
        } else {
            assert!(answer.is_empty(), "{shown:?}: {answer}");
        }
    }
    assert_answers(&ana);
}

#[test]
fn a_second_request_cannot_hide_in_the_body_of_the_first() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let hidden = "DELETE /api/transactions?month=2026-03 HTTP/1.1\r\nHost: x\r\n\r\n";
    // The request has two different lengths. A proxy and the service must not use different ones.
    let smuggled = format!(
        "POST /api/logout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        ana.token(),
        5 + hidden.len(),
    );
    let answer = exchange(app.address(), smuggled.as_bytes());
    let answers = answer.matches("HTTP/1.1 ").count();
    assert!(answers <= 1 || !answer.contains("HTTP/1.1 200"), "{answer}");
}

#[test]
fn json_nested_without_end_is_refused_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [200, 10_000] {
            let body = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let reply = ana.send(finance_tests::Method::POST, "/api/categories", Some("application/json"), body.into());
            reply.problem(400, "ErrMalformedRequest");
        }
    }
    assert_answers(&ana);
}

#[test]
fn a_flood_of_logins_keeps_nobody_else_waiting() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_answers(&ana);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
        let logins: Vec<_> = (0..24)
            .map(|number| {
                let anyone = app.anyone();
                let body = json!({ "name": format!("nobody {number}"), "password": "a guess" });
                scope.spawn(move || anyone.post("/api/auth/login", body).problem(401, "ErrInvalidCredentials"))
            })
            .collect();
        let judged: Vec<_> = logins.into_iter().map(|login| login.join()).collect();
        done.store(true, Ordering::Relaxed);
        others.join().unwrap();
        assert!(judged.iter().all(Result::is_ok), "a login was not judged");
    });
    // To check 24 passwords takes seconds of one core. Each answer to the other client takes milliseconds.
    let answered = answered.load(Ordering::Relaxed);
    assert!(answered >= 24, "{answered} answers while 24 logins were judged");
}
