//! Request ids, headers, and the content of a problem.

use finance_tests::{Client, Reply, TestApp};
use serde_json::json;
use ureq::http::Method;

use super::raw;
use crate::household::Household;

fn with_request_id(client: &Client, path: &str, id: &str) -> Reply {
    client.send_with(Method::GET, path, None, Vec::new(), &[("X-Request-Id", id)])
}

#[test]
fn a_sane_request_id_comes_back_and_another_is_replaced() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let longest = "x".repeat(64);
    for sane in ["7", "4bf92f3577b34da6a3ce929d0e0e4736", "a-b_c.d:e", longest.as_str()] {
        assert_eq!(with_request_id(&ana, "/api/auth/me", sane).header("X-Request-Id"), Some(sane));
        let problem = with_request_id(&app.anyone(), "/api/nowhere", sane).problem(401, "ErrUnauthenticated");
        assert_eq!(problem["request_id"], sane);
    }
    let too_long = "x".repeat(65);
    for odd in ["", "two words", "<script>", "a\"b", "ação", "a,b", too_long.as_str()] {
        let reply = with_request_id(&ana, "/api/auth/me", odd);
        let id = reply.header("X-Request-Id").expect("an id").to_string();
        assert!(id != odd && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{odd}: {id}");
    }
}

#[test]
fn every_answer_has_an_id_of_its_own() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let replies = [
        ana.get("/api/auth/me"),
        ana.get("/api/auth/me"),
        ana.get("/healthz"),
        ana.get("/docs"),
        ana.get("/nowhere"),
        ana.get("/api/nowhere"),
        ana.post_nothing("/api/logout"),
        app.anyone().get("/api/auth/me"),
    ];
    let mut ids: Vec<&str> = replies.iter().map(|reply| reply.header("X-Request-Id").expect("an id")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), replies.len());
}

#[test]
fn answers_are_not_stored_and_not_sniffed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let anyone = app.anyone();
    for reply in [
        ana.get("/api/auth/me"),
        ana.get("/api/categories/0"),
        ana.post("/api/categories", json!({})),
        anyone.get("/api/auth/me"),
        anyone.get("/api/nowhere"),
        anyone.get("/api/openapi.json"),
        anyone.post("/api/auth/login", json!({ "name": "x", "password": "y" })),
    ] {
        assert_eq!(reply.header("Cache-Control"), Some("no-store"), "{reply:?}");
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"), "{reply:?}");
    }
    for path in ["/healthz", "/docs", "/nowhere"] {
        assert_eq!(anyone.get(path).header("X-Content-Type-Options"), Some("nosniff"), "{path}");
    }
}

#[test]
fn a_problem_says_nothing_of_the_inside() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for reply in [
        ana.get("/api/categories/99999999999"),
        ana.get("/api/transactions?month=x&limit=0"),
        ana.post("/api/categories", json!({ "name": "a\0b" })),
        raw(&ana, "/api/categories", Some("application/json"), "{"),
        raw(&ana, "/api/categories", Some("text/plain"), "{}"),
        app.anyone().get("/api/categories"),
    ] {
        let text = String::from_utf8(reply.bytes).unwrap().to_lowercase();
        for inside in ["select ", "insert ", "diesel", "postgres", "/src/", ".rs", "panicked", "actix"] {
            assert!(!text.contains(inside), "{text}");
        }
    }
}

#[test]
fn what_is_created_is_where_its_location_says() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let transaction = json!({ "type": "income", "date": "2026-03-01", "description": "x", "amount": 1 });
    let transfer =
        json!({ "from_account_id": ana.account, "to_account_id": ana.savings, "amount": 1, "date": "2026-03-01" });
    let recurring =
        json!({ "type": "expense", "description": "x", "amount": 1, "category_id": ana.category, "day": 1 });
    for (path, body) in [
        ("/api/categories", json!({ "name": "Nova" })),
        ("/api/accounts", json!({ "name": "Nova", "kind": "savings" })),
        ("/api/transactions", transaction),
        ("/api/transfers", transfer),
        ("/api/recurring", recurring),
    ] {
        let reply = ana.client.post(path, body);
        let location = reply.header("Location").expect("a location").to_string();
        assert_eq!(reply.header("Content-Type"), Some("application/json"));
        let created = reply.created();
        assert_eq!(location, format!("{path}/{}", created["id"]));
        assert_eq!(ana.client.get(&location).ok(), created);
    }
    let confirmed = ana.client.post_nothing(&format!("/api/recurring/{}/confirm", ana.recurring));
    let location = confirmed.header("Location").expect("a location").to_string();
    assert_eq!(ana.client.get(&location).ok(), confirmed.created());
}
