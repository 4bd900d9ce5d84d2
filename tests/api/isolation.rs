//! No profile can access another profile's data. Every route of the OpenAPI document is tested. A route that is not in the
//! table fails the test.

use std::collections::BTreeSet;

use finance_tests::{Client, Reply, TestApp, ofx};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;
use crate::routes::{CALENDAR, ENDS_SESSIONS, NEVER_ISSUED, PUBLIC, Payload, Route, routes};

/// The payload with the field replaced.
fn smuggled(payload: &Payload, field: &str, id: i64) -> Payload {
    match payload {
        Payload::Nothing => Payload::Json(json!({ field: id })),
        Payload::Json(body) => {
            let mut body = body.clone();
            // `rows[0].amount` is `/rows/0/amount`.
            let pointer = format!("/{}", field.replace('[', "/").replace("].", "/").replace(']', ""));
            match body.pointer_mut(&pointer) {
                Some(value) => *value = json!(id),
                None => body[field] = json!(id),
            }
            Payload::Json(body)
        }
        Payload::Statement(texts) => {
            let text = (field.to_string(), id.to_string());
            Payload::Statement(texts.iter().cloned().chain([text]).collect())
        }
    }
}

/// The routes of the served document.
fn documented(app: &TestApp) -> BTreeSet<(String, String)> {
    let document = app.anyone().get("/api/openapi.json").ok();
    let mut routes = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            routes.insert((method.to_uppercase(), path.clone()));
        }
    }
    routes
}

/// Everything that Ana can read, byte for byte.
fn seen(ana: &Household, routes: &[Route]) -> Vec<(String, Vec<u8>)> {
    let readable = routes.iter().filter(|route| route.method == Method::GET);
    let paths = readable.map(|route| route.path(route.anas)).chain([
        "/api/recurring?month=2026-02".to_string(),
        "/api/dashboard?month=2026-02".to_string(),
        format!("/api/accounts/{}", ana.savings),
        format!("/api/accounts/{}", ana.card),
    ]);
    paths
        .map(|path| {
            let bytes = read(&ana.client, &path);
            (path, bytes)
        })
        .collect()
}

/// The answer of a path, without the instant of an export.
fn read(client: &Client, path: &str) -> Vec<u8> {
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{path}");
    if path != "/api/export" {
        return reply.bytes;
    }
    let mut document = reply.json();
    document.as_object_mut().unwrap().remove("exported_at");
    document.to_string().into_bytes()
}

/// An answer without the id of its request.
fn refusal(reply: Reply, status: u16, code: &str) -> Value {
    let mut problem = reply.problem(status, code);
    problem.as_object_mut().unwrap().remove("request_id");
    problem
}

#[test]
fn every_route_of_the_document_is_in_the_table() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let tabled = routes(&ana, &bia).into_iter().map(|route| (route.method.to_string(), route.template.to_string()));
    let others = PUBLIC
        .into_iter()
        .chain([CALENDAR, ENDS_SESSIONS])
        .map(|(method, path)| (method.to_string(), path.to_string()));
    let known: BTreeSet<_> = tabled.chain(others).collect();
    let documented = documented(&app);
    let untested: Vec<_> = documented.difference(&known).collect();
    assert!(untested.is_empty(), "routes without an isolation test: {untested:?}");
    let unknown: Vec<_> = known.difference(&documented).collect();
    assert!(unknown.is_empty(), "routes that are not served: {unknown:?}");
}

#[test]
fn without_a_token_every_route_but_the_public_ones_is_401() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let anyone = app.anyone();
    let routes = routes(&ana, &bia);
    let before = seen(&ana, &routes);
    for route in &routes {
        let reply = route.call(&anyone, &route.path(route.anas), &route.payload);
        assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"), "{reply:?}");
        reply.problem(401, "ErrUnauthenticated");
        let expired = anyone.with_token("eyJhbGciOiJIUzI1NiJ9.e30.x");
        route.call(&expired, &route.path(route.anas), &route.payload).problem(401, "ErrUnauthenticated");
    }
    assert_eq!(seen(&ana, &routes), before);
    for (method, path) in PUBLIC {
        let path = path.replace("{file}", "swagger-ui.css");
        let reply = anyone.send(method.parse().unwrap(), &path, None, Vec::new());
        assert_ne!(reply.status, 401, "{path}");
    }
}

#[test]
fn another_profiles_rows_do_not_exist_and_stay_as_they_are() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let routes = routes(&ana, &bia);
    seen(&ana, &routes); // The first read in a period creates its bills.
    let before = seen(&ana, &routes);
    let of_ana = [',', '}'].map(|end| format!("\"profile_id\": {}{end}", ana.client.caller().profile_id.0));
    let stored = || -> Vec<String> {
        app.stored_rows(&[]).into_iter().filter(|row| of_ana.iter().any(|of_ana| row.contains(of_ana))).collect()
    };
    let rows = stored();
    assert!(rows.len() > 20, "{rows:?}");
    let mut client = bia.client.clone();
    for route in &routes {
        let what = format!("{} {}", route.method, route.template);
        assert_eq!(route.anas.is_some(), route.template.contains("{id}"), "{what}");
        for reference in &route.references {
            let path = route.path(route.bias);
            let [foreign, unknown] = [reference.anas, NEVER_ISSUED]
                .map(|id| route.call(&client, &path, &smuggled(&route.payload, reference.field, id)));
            let foreign = refusal(foreign, 422, "ErrValidation");
            assert_eq!(foreign["errors"][0]["field"], reference.field, "{what}: {foreign}");
            assert_eq!(foreign["errors"].as_array().unwrap().len(), 1, "{what}: {foreign}");
            assert_eq!(foreign, refusal(unknown, 422, "ErrValidation"), "{what}: the answers differ");
        }
        for (name, anas) in &route.filters {
            let found = client.get(&format!("{}?{name}={anas}", route.template)).ok();
            assert_eq!(found, route.nothing, "{what} by {name}");
        }
        if let Some(anas) = route.anas {
            let [foreign, unknown] =
                [anas, NEVER_ISSUED].map(|id| route.call(&client, &route.path(Some(id)), &route.payload));
            let (foreign, unknown) = (refusal(foreign, 404, "ErrNotFound"), refusal(unknown, 404, "ErrNotFound"));
            assert_eq!(foreign, unknown, "{what}: the answers differ");
        } else {
            // Bia's valid request succeeds, and changes nothing of Ana.
            let reply = route.call(&client, &route.path(None), &route.payload);
            let is_refused = route.template == "/api/restore" && reply.status == 409;
            assert!(reply.status < 300 || is_refused, "{what}: {reply:?}");
            // Some routes end the login of the request, and answer with a new one.
            if reply.status == 200 && reply.json()["token_type"] == "Bearer" {
                client = client.with_token(reply.json()["token"].as_str().unwrap());
            }
        }
        assert_eq!(stored(), rows, "{what} by bia changed rows of ana");
    }
    for (path, bytes) in &before {
        let now = read(&ana.client, path);
        let (now, bytes) = (String::from_utf8_lossy(&now), String::from_utf8_lossy(bytes));
        assert_eq!(now, bytes, "bia changed {path} of ana");
    }
}

#[test]
fn no_answer_to_bia_holds_a_word_of_anas() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = Household::new(&app, "bia");
    ana.post("/api/categories", json!({ "name": "Segredo" })).created();
    let account = ana.post("/api/accounts", json!({ "name": "Segredo", "kind": "current" })).created()["id"].clone();
    let hidden = json!({ "type": "expense", "date": "2026-03-14", "description": "Segredo", "amount": "7077.77",
        "tags": ["Segredo"], "note": "Segredo",
        "account_id": account });
    ana.post("/api/transactions", hidden).created();
    let routes = routes(&bia, &bia);
    for route in routes.iter().filter(|route| route.method == Method::GET) {
        let body = String::from_utf8(bia.client.get(&route.path(route.bias)).bytes).unwrap();
        assert!(!body.contains("Segredo") && !body.contains("7077.77"), "{}: {body}", route.template);
    }
    assert_eq!(bia.client.get("/api/transactions?q=segredo").ok(), json!([]));
    // Equal texts of another profile make no duplicates and no suggestions, and its names are not taken.
    let statement = ofx(&[("20260314", "-7077.77", "F1", "Segredo")]);
    let row = bia.client.preview(&statement).ok()["rows"][0].clone();
    assert_eq!(
        (&row["duplicate"], &row["category_id"], &row["similar_to"]),
        (&json!(false), &Value::Null, &Value::Null),
        "{row}"
    );
    bia.client.post("/api/categories", json!({ "name": "Segredo" })).created();
}
