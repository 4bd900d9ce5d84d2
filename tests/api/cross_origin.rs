//! CORS: web pages may call the API only if their origin is configured.

use finance_http::ServerOptions;
use finance_tests::{Client, Method, PASSWORD, Reply, TestApp};
use serde_json::json;

const OURS: &str = "https://finance.example";

fn preflight(client: &Client, origin: &str) -> Reply {
    let headers = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "PUT"),
        ("Access-Control-Request-Headers", "authorization,content-type"),
    ];
    client.send_with(Method::OPTIONS, "/api/settings", None, Vec::new(), &headers)
}

fn allowing() -> TestApp {
    TestApp::start_serving(|options| ServerOptions { cors_origins: vec![OURS.to_string()], ..options })
}

#[test]
fn without_origins_no_browser_is_told_that_it_may() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for reply in [
        ana.send_with(Method::GET, "/api/settings", None, Vec::new(), &[("Origin", OURS)]),
        preflight(&ana, OURS),
        preflight(&app.anyone(), OURS),
    ] {
        assert_eq!(reply.header("Access-Control-Allow-Origin"), None, "{reply:?}");
        assert_eq!(reply.header("Access-Control-Allow-Headers"), None, "{reply:?}");
    }
}

#[test]
fn a_named_origin_may_call_and_read_what_it_needs() {
    let app = allowing();
    let reply = preflight(&app.anyone(), OURS);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("Access-Control-Allow-Origin"), Some(OURS));
    assert!(reply.header("Access-Control-Allow-Methods").unwrap().contains("PUT"));
    assert!(reply.header("Access-Control-Allow-Headers").unwrap().to_lowercase().contains("authorization"));
    assert_eq!(reply.header("Access-Control-Allow-Credentials"), None);

    app.user("ana");
    let body = json!({ "name": "ana", "password": PASSWORD }).to_string().into_bytes();
    let json = Some("application/json");
    let login = app.anyone().send_with(Method::POST, "/api/auth/login", json, body, &[("Origin", OURS)]);
    assert_eq!((login.status, login.header("Access-Control-Allow-Origin")), (200, Some(OURS)));
    let exposed = login.header("Access-Control-Expose-Headers").unwrap().to_lowercase();
    for name in ["link", "x-request-id", "retry-after", "finance-change"] {
        assert!(exposed.contains(name), "{name}: {exposed}");
    }

    // The page may also read problems.
    let refused = app.anyone().send_with(Method::GET, "/api/settings", None, Vec::new(), &[("Origin", OURS)]);
    assert_eq!((refused.status, refused.header("Access-Control-Allow-Origin")), (401, Some(OURS)));
}

#[test]
fn a_named_origin_may_ask_by_head_and_send_a_packed_body() {
    let app = allowing();
    for (method, headers) in [("HEAD", "authorization"), ("POST", "authorization,content-encoding,content-type")] {
        let asked =
            [("Origin", OURS), ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", headers)];
        let reply = app.anyone().send_with(Method::OPTIONS, "/api/import/confirm", None, Vec::new(), &asked);
        assert_eq!((reply.status, reply.header("Access-Control-Allow-Origin")), (200, Some(OURS)), "{reply:?}");
    }
}

#[test]
fn another_origin_is_refused_in_the_shape_of_all_problems() {
    let app = allowing();
    for origin in ["https://evil.example", "http://finance.example", "https://finance.example.evil.example", "null"] {
        let reply = preflight(&app.anyone(), origin);
        assert_eq!(reply.header("Access-Control-Allow-Origin"), None, "{reply:?}");
        reply.problem(400, "ErrMalformedRequest");
    }
    // Clients that are not browsers send no origin.
    app.user("ana").get("/api/settings").ok();
}
