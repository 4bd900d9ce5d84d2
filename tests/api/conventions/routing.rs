//! Paths, methods, ids in paths, and query parameters.

use finance_tests::TestApp;
use serde_json::json;
use ureq::http::Method;

use super::raw;

#[test]
fn an_unknown_route_is_404_with_a_token_and_401_without_one() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in ["/api", "/api/", "/api/nowhere", "/api/categories/1/more", "/api/v1/categories", "/api/import"] {
        ana.get(path).problem(404, "ErrNotFound");
        ana.post(path, json!({})).problem(404, "ErrNotFound");
        let reply = app.anyone().get(path);
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{path}");
        reply.problem(401, "ErrUnauthenticated");
    }
    for path in ["/", "/nowhere", "/apis", "/docs/nothing.js", "/favicon.ico"] {
        app.anyone().get(path).problem(404, "ErrNotFound");
    }
}

#[test]
fn a_route_has_no_trailing_slash_and_one_spelling() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in ["/api/categories/", "/api//categories", "/api/Categories", "/api/auth/me/", "/healthz/"] {
        ana.get(path).problem(404, "ErrNotFound");
    }
    ana.post("/api/auth/login/", json!({ "name": "ana", "password": "x" })).problem(404, "ErrNotFound");
    app.anyone().post("/api/auth/login/", json!({})).problem(401, "ErrUnauthenticated");
}

#[test]
fn no_spelling_of_a_path_gets_past_the_token() {
    let app = TestApp::start();
    app.user("ana");
    for path in [
        "/%61pi/categories",
        "/api%2Fcategories",
        "//api/categories",
        "/./api/categories",
        "/api/../api/categories",
        "/API/categories",
    ] {
        let reply = app.anyone().get(path);
        assert!([401, 404].contains(&reply.status), "{path}: {reply:?}");
    }
}

#[test]
fn another_method_is_405_with_the_ones_there_are() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (method, path, allowed) in [
        ("PATCH", "/api/categories", "GET, HEAD, POST"),
        ("PUT", "/api/categories", "GET, HEAD, POST"),
        ("DELETE", "/api/categories", "GET, HEAD, POST"),
        ("POST", "/api/categories/1", "DELETE, GET, HEAD, PUT"),
        ("PATCH", "/api/transactions/1", "DELETE, GET, HEAD, PUT"),
        ("PUT", "/api/transactions", "DELETE, GET, HEAD, POST"),
        ("GET", "/api/import/preview", "POST"),
        ("GET", "/api/imports/1", "DELETE"),
        ("GET", "/api/auth/login", "POST"),
        ("GET", "/api/logout", "POST"),
        ("POST", "/api/openapi.json", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("DELETE", "/docs", "GET, HEAD"),
        ("PROPFIND", "/api/settings", "GET, HEAD, PUT"),
        // These paths also match the pattern of a path with an id.
        ("PUT", "/api/transactions/delete", "POST"),
        ("PUT", "/api/members/invitations", "GET, HEAD, POST"),
        ("DELETE", "/api/members/invitations", "GET, HEAD, POST"),
        ("GET", "/api/transfers/link", "POST"),
        ("PATCH", "/api/transfers/reject", "POST"),
    ] {
        let reply = ana.send(method.parse().unwrap(), path, None, Vec::new());
        assert_eq!(reply.header("Allow"), Some(allowed), "{method} {path}: {reply:?}");
        reply.problem(405, "ErrMethodNotAllowed");
    }
    app.anyone().send(Method::PATCH, "/api/categories", None, Vec::new()).problem(401, "ErrUnauthenticated");
    app.anyone().get("/api/auth/login").problem(405, "ErrMethodNotAllowed");
}

#[test]
fn head_is_answered_wherever_get_is() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for path in
        ["/api/categories", "/api/settings", "/api/dashboard", "/healthz", "/readyz", "/docs", "/api/openapi.json"]
    {
        let (get, head) = (ana.get(path), ana.send(Method::HEAD, path, None, Vec::new()));
        assert_eq!((head.status, head.bytes.len()), (200, 0), "{head:?}");
        for header in ["content-length", "content-type"] {
            assert_eq!(head.header(header), get.header(header), "{head:?}");
        }
    }
    assert_eq!(ana.send(Method::HEAD, "/api/categories/999", None, Vec::new()).status, 404);
    assert_eq!(ana.send(Method::HEAD, "/api/import/preview", None, Vec::new()).status, 405);
    assert_eq!(app.anyone().send(Method::HEAD, "/api/categories", None, Vec::new()).status, 401);
}

#[test]
fn a_number_is_nothing_but_a_number() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for budget in [
        json!({ "$serde_json::private::Number": "5.00" }),
        json!({ "$serde_json::private::RawValue": "5.00" }),
        json!([5]),
    ] {
        ana.post("/api/categories", json!({ "name": "Quitanda", "monthly_budget": budget }))
            .invalid(&["monthly_budget"]);
    }
    let exact = raw(
        &ana,
        "/api/categories",
        Some("application/json"),
        "{\"name\":\"Quitanda\",\"monthly_budget\":9999999999.99}",
    );
    assert_eq!(exact.created()["monthly_budget"], "9999999999.99");
}

#[test]
fn an_invalid_id_is_404() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for id in
        ["abc", "1.5", "-1", "0", "99999999999999999999", "9223372036854775807", "1%2F2", "%00", "1e3", "%20", "null"]
    {
        for noun in ["categories", "accounts", "transactions", "recurring", "credit-bills"] {
            ana.get(&format!("/api/{noun}/{id}")).problem(404, "ErrNotFound");
        }
        ana.delete(&format!("/api/imports/{id}")).problem(404, "ErrNotFound");
    }
}

#[test]
fn every_unusable_query_parameter_is_named() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.get("/api/transactions?month=2026-13&account_id=x&category_id=1.5&type=gift&limit=0&cursor=!").invalid(&[
        "month",
        "account_id",
        "category_id",
        "type",
        "limit",
        "cursor",
    ]);
    ana.get("/api/dashboard?month=march").invalid(&["month"]);
    ana.get("/api/recurring?month=2026-00").invalid(&["month"]);
    ana.get("/api/credit-bills?status=late&account_id=&limit=1001").invalid(&["status", "account_id", "limit"]);
    ana.get("/api/imports?limit=-1&cursor=x").invalid(&["limit", "cursor"]);
    ana.get("/api/transactions?limit=1&limit=2").invalid(&["query"]);
    ana.get("/api/transactions?nothing=else").ok();
    ana.get("/api/transactions?q=%FF").ok();
    ana.get("/api/transactions?q=%00").invalid(&["q"]);
}

#[test]
fn the_process_and_the_database_can_be_asked_without_a_token() {
    let app = TestApp::start();
    let anyone = app.anyone();
    assert_eq!(anyone.get("/healthz").ok(), json!({ "status": "ok" }));
    assert_eq!(anyone.get("/readyz").ok(), json!({ "status": "ok", "last_backup": null }));
}
