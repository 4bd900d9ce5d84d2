//! Requests to every route of the OpenAPI document, with each scope of a token and each role of a login.

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;
use crate::mcp::call;
use crate::routes::{ENDS_SESSIONS, routes};

const SCOPES: [&str; 6] = ["read", "import", "write", "export", "calendar", "enter"];
const ALL: &str = "owner editor viewer";

/// The scopes and the roles, each of which is sufficient for a route. A refusal names the first of the scopes.
fn expected(method: &str, path: &str) -> (&'static str, &'static str) {
    let noun = path.split('/').nth(2).unwrap_or_default();
    match (method, path) {
        ("GET", "/api/auth/me") => ("read import write export calendar enter", ALL),
        ("POST", "/api/auth/change-password" | "/api/logout") => ("", ALL),
        (_, "/api/auth/sessions" | "/api/auth/sessions/{id}") => ("", ALL),
        (_, "/api/auth/second-factor" | "/api/auth/second-factor/confirm") => ("", ALL),
        ("POST", "/api/webhooks") => ("", "owner editor"),
        ("POST" | "PUT" | "DELETE", _) if noun == "notices" => ("write", ALL),
        _ if noun == "tokens" => ("", "owner editor"),
        _ if noun == "members" => ("", "owner"),
        ("GET", "/api/export") => ("export", "owner"),
        ("POST" | "PUT" | "DELETE", "/api/inbox" | "/api/inbox/{id}") => ("import write", "owner editor"),
        ("POST", "/api/import/preview" | "/api/import/confirm") => ("import write", "owner editor"),
        ("POST", "/api/entries/parse" | "/api/transactions" | "/api/installments" | "/api/transfers") => {
            ("write enter", "owner editor")
        }
        ("GET", _) if ["accounts", "categories", "imports", "inbox"].contains(&noun) => ("read import write", ALL),
        ("GET", _) => ("read write", ALL),
        _ => ("write", "owner editor"),
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// A client with a token of those scopes, made by the given client.
pub(crate) fn token(of: &Client, scopes: &[&str]) -> Client {
    let made = of.post("/api/tokens", json!({ "name": scopes.join(" "), "scopes": scopes })).created();
    of.with_token(made["token"].as_str().expect("a token"))
}

/// The routes of the document that need a credential in a header.
fn protected(app: &TestApp) -> Vec<(String, String, Value)> {
    let document = app.anyone().get("/api/openapi.json").ok();
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation["security"] != json!([{}]) && path.starts_with("/api/") {
                found.push((method.to_uppercase(), path.clone(), operation.clone()));
            }
        }
    }
    assert!(found.len() > 80, "{} routes", found.len());
    found
}

/// Sends a request that no route can fulfil: no row has the id, and the body has no fields.
fn ask(client: &Client, method: &str, path: &str) -> finance_tests::Reply {
    let path = path.replace("{id}", "9000000000").replace("{delivery_id}", "1").replace("{month}", "2026-03");
    let body = if method == "POST" || method == "PUT" { b"{}".to_vec() } else { Vec::new() };
    let content_type = (!body.is_empty()).then_some("application/json");
    client.send(method.parse().unwrap(), &path, content_type, body)
}

#[test]
fn every_route_is_open_to_the_scopes_and_roles_that_reach_and_to_no_others() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let tokens = SCOPES.map(|scope| (scope, token(&ana, &[scope])));
    let logins = [
        ("owner", ana.clone()),
        ("editor", app.member(&ana, "bia", Role::Editor)),
        ("viewer", app.member(&ana, "caio", Role::Viewer)),
    ];
    let mut all = protected(&app);
    // This route is last, because it ends the logins of this test.
    all.sort_by_key(|(method, path, _)| (method.as_str(), path.as_str()) == ENDS_SESSIONS);
    for (method, path, _) in all {
        let (scopes, roles) = expected(&method, &path);
        for (scope, client) in &tokens {
            let reply = ask(client, &method, &path);
            let what = format!("{method} {path} by the scope {scope}");
            if has(scopes, scope) {
                assert!(![401, 403].contains(&reply.status), "{what}: {reply:?}");
                continue;
            }
            let challenge = match scopes.split(' ').next().unwrap() {
                "" => "Bearer error=\"insufficient_scope\"".to_string(),
                first => format!("Bearer error=\"insufficient_scope\", scope=\"{first}\""),
            };
            assert_eq!(reply.header("WWW-Authenticate"), Some(challenge.as_str()), "{what}: {reply:?}");
            reply.problem(403, "ErrInsufficientScope");
        }
        for (role, client) in &logins {
            let reply = ask(client, &method, &path);
            let what = format!("{method} {path} by the role {role}");
            if has(roles, role) {
                assert!(![401, 403].contains(&reply.status), "{what}: {reply:?}");
            } else {
                assert_eq!(reply.header("WWW-Authenticate"), None, "{what}");
                assert_eq!(reply.status, 403, "{what}: {reply:?}");
                reply.problem(403, "ErrNotAllowed");
            }
        }
    }
}

/// `/mcp` is not in the document. Each of its tools requests routes that are.
#[test]
fn credentials_with_a_tool_open_the_tools_and_each_tool_needs_what_its_routes_need() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let tools = [
        ("list_accounts", json!({}), "read import write", ALL),
        ("account_anchors", json!({ "account_id": 9_000_000_000_i64 }), "read import write", ALL),
        ("list_categories", json!({}), "read import write", ALL),
        ("month_summary", json!({}), "read write", ALL),
        ("search_transactions", json!({}), "read write", ALL),
        ("month_budget", json!({ "month": "2026-03" }), "read write", ALL),
        ("report", json!({}), "read write", ALL),
        ("parse_entry", json!({ "text": "pão 5" }), "write", "owner editor"),
        ("add_entry", json!({ "path": "/api/transactions", "body": {} }), "write", "owner editor"),
        (
            "set_budgets",
            json!({ "month": "2026-03", "budgets": [{ "category_id": 9_000_000_000_i64 }] }),
            "write",
            "owner editor",
        ),
        (
            "set_categories",
            json!({ "ids": [9_000_000_000_i64], "category_id": 9_000_000_000_i64 }),
            "write",
            "owner editor",
        ),
    ];
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for scope in ["export", "calendar", "enter"] {
        let reply = token(&ana, &[scope]).post("/mcp", list.clone());
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"read\"";
        assert_eq!(reply.header("WWW-Authenticate"), Some(challenge), "{scope}: {reply:?}");
        reply.problem(403, "ErrInsufficientScope");
    }
    token(&ana, &["calendar", "import"]).post("/mcp", list).ok();
    let tokens = ["read", "import", "write"].map(|scope| (scope, token(&ana, &[scope])));
    let logins = [
        ("owner", ana.clone()),
        ("editor", app.member(&ana, "bia", Role::Editor)),
        ("viewer", app.member(&ana, "caio", Role::Viewer)),
    ];
    for (tool, arguments, scopes, roles) in &tools {
        for (credential, client) in tokens.iter().chain(&logins) {
            let result = call(client, tool, arguments);
            let text = result["content"][0]["text"].as_str().unwrap();
            let is_refused = text.starts_with("401 ") || text.starts_with("403 ");
            let may = has(scopes, credential) || has(roles, credential);
            assert_eq!(is_refused, !may, "{tool} by {credential}: {text}");
        }
    }
}

#[test]
fn the_document_says_which_scopes_and_roles_reach() {
    let app = TestApp::start();
    for (method, path, operation) in protected(&app) {
        let (scopes, roles) = expected(&method, &path);
        let mut by_scope: Vec<&str> = Vec::new();
        for requirement in operation["security"].as_array().unwrap() {
            by_scope.extend(requirement["bearer"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()));
        }
        let is_for_every_token = path == "/api/auth/me";
        let of_document = if is_for_every_token { scopes.to_string() } else { by_scope.join(" ") };
        assert_eq!(of_document, scopes, "{method} {path}");
        let refusals = operation["responses"]["403"]["description"].as_str().unwrap_or_default();
        assert_eq!(refusals.contains("`ErrInsufficientScope`"), !is_for_every_token, "{method} {path}: {refusals}");
        assert_eq!(refusals.contains("`ErrNotAllowed`"), roles != ALL, "{method} {path}: {refusals}");
        for role in roles.split(' ').filter(|_| roles != ALL) {
            assert!(refusals.contains(&format!("`{role}`")), "{method} {path}: {refusals}");
        }
    }
}

#[test]
fn a_path_with_escapes_needs_what_the_route_needs() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let reads = token(&ana, &["read"]);
    for path in
        ["/api/%65xport", "/api/%74okens", "/%61pi/members", "/api/export?x=1", "/api/export%3F", "/api//export"]
    {
        let status = reads.get(path).status;
        assert!([401, 403, 404].contains(&status), "{path}: {status}");
        assert_ne!(app.anyone().get(path).status, 200, "{path}");
    }
    reads.get("/%61pi/accounts").ok();
    reads.send(Method::HEAD, "/api/export", None, Vec::new()).expect(403);
}

/// All rows, without the last use of a token, because a read also stores that.
fn everything(app: &TestApp) -> Vec<String> {
    app.stored_rows(&["last_used_on"])
}

#[test]
fn a_credential_that_reads_changes_nothing_by_any_request() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let readers = [
        token(&house.client, &["read"]),
        token(&house.client, &["calendar"]),
        app.member(&house.client, "bia", Role::Viewer),
    ];
    let routes = routes(&house, &house);
    for route in routes.iter().filter(|route| route.method == Method::GET) {
        let reply = route.call(&house.client, &route.path(route.bias), &route.payload);
        assert_eq!(reply.status, 200, "{}", route.template);
    }
    // The list stores what a member is told.
    readers[2].get("/api/notices").ok();
    let before = everything(&app);
    for client in &readers {
        for route in &routes {
            // Every login may use these routes for its own member.
            let is_own = [
                "/api/auth/change-password",
                "/api/auth/second-factor",
                "/api/auth/second-factor/confirm",
                "/api/auth/sessions/{id}",
                "/api/notices/read",
                "/api/notices/preferences",
                "/api/notices/{id}/snooze",
                "/api/notices/devices",
                "/api/notices/devices/{id}",
                "/api/notices/devices/{id}/test",
                "/api/notices/email",
                "/api/notices/email/confirm",
            ];
            if is_own.contains(&route.template) {
                continue;
            }
            let status = route.call(client, &route.path(route.bias), &route.payload).status;
            let is_open = route.method == Method::GET || route.template == "/api/logout";
            assert!(status == 403 || is_open, "{} {}: {status}", route.method, route.template);
        }
        assert_eq!(everything(&app), before);
    }
}

#[test]
fn a_token_reaches_no_row_of_another_profile() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let writes = token(&bia.client, &["write"]);
    let mut count = 0;
    for route in routes(&ana, &bia).iter().filter(|route| route.anas.is_some()) {
        let (scopes, _) = expected(route.method.as_str(), route.template);
        if has(scopes, "write") {
            let reply = route.call(&writes, &route.path(route.anas), &route.payload);
            assert_eq!(reply.status, 404, "{} {}: {reply:?}", route.method, route.template);
            count += 1;
        }
    }
    assert!(count > 20, "{count} routes");
}

#[test]
fn a_token_does_no_more_than_its_maker_may_by_now() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let (writes, reads) = (token(&bia, &["write"]), token(&bia, &["read"]));
    writes.post("/api/categories", json!({ "name": "Pets" })).created();
    let id = bia.get("/api/auth/me").ok()["member_id"].clone();
    ana.put(&format!("/api/members/{id}"), json!({ "role": "viewer" })).ok();
    writes.post("/api/categories", json!({ "name": "Casa nova" })).problem(403, "ErrInsufficientScope");
    writes.get("/api/categories").ok();
    reads.get("/api/dashboard").ok();
    bia.post("/api/categories", json!({ "name": "Casa nova" })).problem(403, "ErrNotAllowed");
    assert_eq!(writes.get("/api/auth/me").ok()["role"], "viewer");
    // An owner makes a token for exports. The token is refused once its maker is no longer an owner.
    ana.put(&format!("/api/members/{id}"), json!({ "role": "owner" })).ok();
    let exports = token(&bia, &["export"]);
    exports.get("/api/export").ok();
    ana.put(&format!("/api/members/{id}"), json!({ "role": "editor" })).ok();
    exports.get("/api/export").problem(403, "ErrInsufficientScope");
    writes.post("/api/categories", json!({ "name": "Casa nova" })).created();
}
