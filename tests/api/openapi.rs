//! The OpenAPI document and the page that shows it.

use std::collections::{BTreeMap, BTreeSet};

use finance_tests::TestApp;
use serde_json::{Map, Value, json};

use crate::household::Household;
use crate::routes::ANCHORED;

const METHODS: [&str; 8] = ["get", "post", "put", "delete", "patch", "head", "options", "trace"];

fn document(app: &TestApp) -> Value {
    app.anyone().get("/api/openapi.json").ok()
}

/// Every operation of the document, with its method and path.
fn operations(document: &Value) -> Vec<(String, String, &Map<String, Value>)> {
    let paths = document["paths"].as_object().expect("paths");
    let mut all = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("a path item") {
            assert!(METHODS.contains(&method.as_str()), "{path}: {method} is no method");
            all.push((method.clone(), path.clone(), operation.as_object().expect("an operation")));
        }
    }
    all
}

/// Calls `visit` for every object of a JSON value.
fn walk<'a>(value: &'a Value, at: &str, visit: &mut impl FnMut(&str, &'a Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(at, object);
            for (key, inner) in object {
                walk(inner, &format!("{at}/{key}"), visit);
            }
        }
        Value::Array(items) => {
            for (position, inner) in items.iter().enumerate() {
                walk(inner, &format!("{at}/{position}"), visit);
            }
        }
        _ => {}
    }
}

/// The target of a reference.
fn resolve<'a>(document: &'a Value, reference: &str) -> &'a Value {
    let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} points outside the document"));
    document.pointer(pointer).unwrap_or_else(|| panic!("{reference} points at nothing"))
}

fn parameters(operation: &Map<String, Value>) -> Vec<&Value> {
    operation.get("parameters").and_then(Value::as_array).map(|list| list.iter().collect()).unwrap_or_default()
}

#[test]
fn the_document_is_served_without_a_token() {
    let app = TestApp::start();
    let reply = app.anyone().get("/api/openapi.json");
    assert_eq!(reply.header("Content-Type"), Some("application/json"));
    let document = reply.ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document["info"]["title"], "Finance");
    assert!(!document["info"]["version"].as_str().unwrap().is_empty());
    app.user("ana").get("/api/openapi.json").ok();
}

#[test]
fn every_route_has_an_id_a_tag_and_responses() {
    let app = TestApp::start();
    let document = document(&app);
    let mut ids = BTreeMap::new();
    for (method, path, operation) in operations(&document) {
        let what = format!("{method} {path}");
        let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{what} has no operationId"));
        if let Some(other) = ids.insert(id.to_string(), what.clone()) {
            panic!("{what} and {other} share the operationId {id}");
        }
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{what}: {id} is no identifier");
        let tags = operation["tags"].as_array().unwrap_or_else(|| panic!("{what} has no tags"));
        assert!(tags.iter().all(|tag| !tag.as_str().unwrap().is_empty()) && !tags.is_empty(), "{what}");
        assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{what} has no summary");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{what} never succeeds");
        for (status, response) in responses {
            assert!(status.len() == 3 && status.parse::<u16>().is_ok(), "{what}: {status}");
            assert!(!response["description"].as_str().unwrap_or_default().is_empty(), "{what}: {status} says nothing");
            if status == "304" {
                let tags = [&responses["200"], response].map(|response| response["headers"]["ETag"].is_object());
                assert_eq!((tags, &response["content"]), ([true, true], &Value::Null), "{what}");
            } else if !status.starts_with('2') {
                let schema = &response["content"]["application/problem+json"]["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/Problem", "{what}: {status}");
            }
        }
    }
}

#[test]
fn the_document_says_which_problems_a_route_may_answer_with() {
    let app = TestApp::start();
    let document = document(&app);
    for (method, path, operation) in operations(&document) {
        let what = format!("{method} {path}");
        let says = |status: &str| operation["responses"].get(status).is_some();
        let has_body = operation.contains_key("requestBody");
        let can_be_invalid = parameters(operation)
            .iter()
            .any(|parameter| parameter["in"] != "path" && parameter["name"] != "If-None-Match");
        // A month that cannot be read is invalid, and every other one is there.
        let has_month = path.contains("{month}");
        // The ids of notices are in the body, and one of another member is not there.
        let has_id = path.contains('{') && !has_month || path == "/api/notices/read";
        assert_eq!(says("404"), has_id, "{what}: 404");
        assert_eq!(says("415"), has_body, "{what}: 415");
        assert_eq!(says("413"), has_body, "{what}: 413");
        assert_eq!(says("400"), has_body, "{what}: 400");
        assert_eq!(says("422"), has_body || has_month || can_be_invalid, "{what}: 422");
        assert!(says("405") && says("500") && says("503"), "{what}");
        let is_public = operation["security"] == serde_json::json!([{}]);
        let takes_a_secret = ["/api/auth/login", "/api/auth/accept", "/api/auth/renew"].contains(&path.as_str());
        assert_eq!(says("401"), !is_public || takes_a_secret, "{what}: 401");
        let is_for_all = is_public || path == "/api/auth/me";
        assert_eq!(says("403"), !is_for_all, "{what}: 403");
    }
}

#[test]
fn a_list_with_a_cursor_has_a_link_and_a_limit_that_may_be_reached_is_told() {
    let app = TestApp::start();
    let document = document(&app);
    for (method, path, operation) in operations(&document) {
        if parameters(operation).iter().any(|parameter| parameter["name"] == "cursor") {
            assert!(operation["responses"]["200"]["headers"]["Link"].is_object(), "{method} {path}");
        }
    }
    for (method, path) in [
        ("put", "/api/accounts/{id}"),
        ("put", "/api/recurring/{id}"),
        ("post", "/api/recurring/suggestions/{id}/reject"),
        ("post", "/api/transfers/detect"),
        ("post", "/api/transfers/link"),
    ] {
        let told = &document["paths"][path][method]["responses"]["409"]["description"];
        assert!(told.as_str().is_some_and(|told| told.contains("`ErrLimitReached`")), "{method} {path}: {told}");
    }
}

#[test]
fn path_parameters_are_declared_and_required() {
    let app = TestApp::start();
    let document = document(&app);
    for (method, path, operation) in operations(&document) {
        let what = format!("{method} {path}");
        assert!(path.starts_with('/') && !path.ends_with('/'), "{what}");
        let in_template: BTreeSet<&str> =
            path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect();
        let mut declared = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for parameter in parameters(operation) {
            let name = parameter["name"].as_str().unwrap();
            let place = parameter["in"].as_str().unwrap();
            assert!(seen.insert((place, name)), "{what}: {name} twice");
            assert!(parameter["schema"].is_object(), "{what}: {name} has no schema");
            match place {
                "path" => {
                    assert_eq!(parameter["required"], true, "{what}: {name}");
                    declared.insert(name);
                }
                "query" => {}
                "header" => assert!(
                    [("Idempotency-Key", "post"), ("If-None-Match", "get")].contains(&(name, method.as_str())),
                    "{what}"
                ),
                other => panic!("{what}: {name} in {other}"),
            }
        }
        assert_eq!(declared, in_template, "{what}");
    }
}

#[test]
fn references_and_security_schemes_resolve_and_nothing_is_left_over() {
    let app = TestApp::start();
    let document = document(&app);
    let mut used = BTreeSet::new();
    walk(&document, "", &mut |at, object| {
        if let Some(reference) = object.get("$ref") {
            let reference = reference.as_str().unwrap_or_else(|| panic!("{at}: $ref is no text"));
            assert!(resolve(&document, reference).is_object(), "{at}");
            used.insert(reference.to_string());
        }
    });
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("#/components/schemas/{name}")), "{name} is used nowhere");
    }
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    for (method, path, operation) in operations(&document) {
        for requirement in operation["security"].as_array().unwrap() {
            for scheme in requirement.as_object().unwrap().keys() {
                assert!(schemes.contains_key(scheme), "{method} {path}: {scheme}");
            }
        }
    }
    assert_eq!(schemes["bearer"]["scheme"], "bearer");
}

#[test]
fn every_schema_is_a_sound_one() {
    let app = TestApp::start();
    let document = document(&app);
    const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
    let mut count = 0;
    let mut check = |at: &str, schema: &Map<String, Value>| {
        count += 1;
        let types: Vec<&str> = match schema.get("type") {
            None => Vec::new(),
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().map(|one| one.as_str().unwrap()).collect(),
            Some(other) => panic!("{at}: type {other}"),
        };
        assert!(types.iter().all(|known| TYPES.contains(known)), "{at}: {types:?}");
        if types.contains(&"array") {
            assert!(schema.contains_key("items"), "{at}: an array of what?");
        }
        if let Some(required) = schema.get("required") {
            for name in required.as_array().unwrap() {
                assert!(schema["properties"].get(name.as_str().unwrap()).is_some(), "{at}: {name} is required only");
            }
        }
        if let Some(words) = schema.get("enum") {
            assert!(!words.as_array().unwrap().is_empty(), "{at}");
        }
    };
    walk(&document["components"]["schemas"], "", &mut |at, object| {
        let is_schema = at.is_empty() || at.ends_with("/properties") || at.ends_with("/examples");
        if !is_schema {
            check(at, object);
        }
    });
    for (method, path, operation) in operations(&document) {
        let bodies =
            operation.get("requestBody").into_iter().chain(operation["responses"].as_object().unwrap().values());
        for body in bodies {
            for (kind, content) in body["content"].as_object().into_iter().flatten() {
                assert!(kind.contains('/'), "{method} {path}: {kind}");
                check(&format!("{method} {path} {kind}"), content["schema"].as_object().expect("a schema"));
            }
        }
    }
    assert!(count > 100, "{count} schemas");
}

#[test]
fn bodies_that_may_be_left_out_are_not_required() {
    let app = TestApp::start();
    let document = document(&app);
    let optional = [
        "/api/notices/read",
        "/api/credit-bills/{id}/pay",
        "/api/recurring/suggestions/{id}/accept",
        "/api/recurring/{id}/confirm",
        "/api/transfers/detect",
    ];
    for (method, path, operation) in operations(&document) {
        if let Some(body) = operation.get("requestBody") {
            let required = body["required"].as_bool().unwrap_or(false);
            assert_eq!(required, !optional.contains(&path.as_str()), "{method} {path}");
        }
    }
}

/// Whether a value matches a schema, with the parts of JSON Schema that the document uses.
fn fits(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        fits(document, resolve(document, reference), value)?;
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(document, part, value)?;
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| fits(document, choice, value).is_ok()).count();
        if fitting != 1 {
            return Err(format!("{value} fits {fitting} of {choices:?}"));
        }
    }
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        _ => value.is_number(),
    };
    let fits_type = match &schema["type"] {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap_or_default())),
        _ => true,
    };
    if !fits_type {
        return Err(format!("{value} is no {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        return Err(format!("{value} is none of {}", schema["enum"]));
    }
    for (position, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(document, &schema["items"], item).map_err(|error| format!("[{position}]: {error}"))?;
    }
    if let (Some(properties), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap_or_default()) {
                return Err(format!("{name} is missing in {value}"));
            }
        }
        for (name, inner) in properties {
            if let Some(held) = object.get(name) {
                fits(document, inner, held).map_err(|error| format!("{name}: {error}"))?;
            }
        }
    }
    Ok(())
}

/// The property names of an object schema, including referenced ones.
fn known_names<'a>(document: &'a Value, schema: &'a Value, names: &mut BTreeSet<&'a str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        known_names(document, resolve(document, reference), names);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        known_names(document, part, names);
    }
    names.extend(
        schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys()).map(String::as_str),
    );
}

#[test]
fn answers_are_what_the_document_says() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    for month in ["2025-12", "2026-01", "2026-02"] {
        let row =
            json!({ "type": "expense", "date": format!("{month}-20"), "description": "Internet", "amount": "99.90" });
        ana.client.create("/api/transactions", row);
    }
    let document = document(&app);
    let rows = BTreeMap::from([
        ("categories", ana.category),
        ("accounts", ana.card),
        ("transactions", ana.transaction),
        ("transfers", ana.transfer),
        ("credit-bills", ana.bill),
        ("pending-bills", ana.pending_bill),
        ("recurring", ana.recurring),
        ("webhooks", ana.webhook),
    ]);
    let mut compared = 0;
    for (method, path, operation) in operations(&document) {
        if method != "get" || !path.starts_with("/api/") {
            continue;
        }
        let noun = path.split('/').nth(2).unwrap();
        // No file states what is owed on a card.
        let anchored = path.replace("{id}", &ana.account.to_string()).replace("{date}", ANCHORED);
        let Some(filled) = path
            .contains("/anchors")
            .then_some(&anchored)
            .or(path.ends_with("/keys").then_some(&anchored))
            .cloned()
            .or(rows.get(noun).map(|id| path.replace("{id}", &id.to_string())))
            .or(if path.contains('{') { None } else { Some(path.clone()) })
        else {
            continue;
        };
        let answer = ana.client.get(&filled).ok();
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        fits(&document, schema, &answer).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (one, schema) = match answer.as_array() {
            Some(list) => (list.first().unwrap_or_else(|| panic!("{path} lists nothing")), &schema["items"]),
            None => (&answer, schema),
        };
        let mut names = BTreeSet::new();
        known_names(&document, schema, &mut names);
        if !names.is_empty() {
            let answered: BTreeSet<&str> = one.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(answered, names, "{path}");
        }
        compared += 1;
    }
    assert!(compared >= 15, "{compared} routes compared");
    let problem = ana.client.post("/api/categories", serde_json::json!({})).invalid(&["name"]);
    let schema = &document["components"]["schemas"]["Problem"];
    fits(&document, schema, &problem).unwrap();
}

/// The addresses that an HTML page or a style sheet fetches from.
fn fetched(text: &str) -> Vec<&str> {
    let starts = ["src=\"", "href=\"", "url(", "@import \""];
    let mut found = Vec::new();
    for start in starts {
        for (at, _) in text.match_indices(start) {
            let rest = text[at + start.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(['"', '\'', ')']).unwrap_or(rest.len());
            found.push(&rest[..end]);
        }
    }
    found
}

#[test]
fn the_page_and_its_files_work_and_reference_nothing_outside() {
    let app = TestApp::start();
    let anyone = app.anyone();
    let page = anyone.get("/docs");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("Content-Type"), Some("text/html; charset=utf-8"));
    let policy = page.header("Content-Security-Policy").expect("a policy").to_string();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("http") && !policy.contains("script-src 'self' '")
    );
    let html = String::from_utf8(page.bytes).unwrap();
    assert!(!html.contains("://") && !html.contains("\"//"), "{html}");
    assert!(!html.contains("<script>"), "inline scripts are refused by the page's own policy");
    let files = fetched(&html);
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert!(file.starts_with("/docs/"), "{file}");
        let reply = anyone.get(file);
        assert_eq!(reply.status, 200, "{file}");
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"));
        let kind = reply.header("Content-Type").unwrap();
        let expected = if file.ends_with(".css") { "css" } else { "javascript" };
        assert!(kind.contains(expected), "{file} is {kind}");
        assert!(!reply.bytes.is_empty());
        let text = String::from_utf8(reply.bytes).unwrap();
        if file.ends_with(".css") {
            let outside: Vec<_> = fetched(&text).into_iter().filter(|address| !address.starts_with("data:")).collect();
            assert!(outside.is_empty(), "{file} fetches {outside:?}");
        }
        if file.ends_with("start.js") {
            assert!(text.contains("/api/openapi.json") && !text.contains("://"), "{text}");
        }
    }
}

#[test]
fn the_page_has_no_other_files() {
    let app = TestApp::start();
    let anyone = app.anyone();
    for file in
        ["nothing.js", "index.html", "swagger-initializer.js", "..%2Fopenapi.json", "%2e%2e", "oauth2-redirect.html"]
    {
        anyone.get(&format!("/docs/{file}")).problem(404, "ErrNotFound");
    }
    let slash = anyone.get("/docs/");
    assert_eq!((slash.status, slash.header("location")), (308, Some("/docs")));
}

/// The names of the schemas that a value refers to, directly or indirectly.
fn reachable(document: &Value, from: &Value, names: &mut BTreeSet<String>) {
    walk(from, "", &mut |_, object| {
        let reference = object.get("$ref").and_then(Value::as_str);
        let name = reference.and_then(|reference| reference.strip_prefix("#/components/schemas/"));
        if let Some(name) = name
            && names.insert(name.to_string())
        {
            reachable(document, &document["components"]["schemas"][name], names);
        }
    });
}

#[test]
fn answers_have_all_their_fields_and_schemas_of_requests_are_named_so() {
    let app = TestApp::start();
    let document = document(&app);
    let (mut entering, mut leaving) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, operation) in operations(&document) {
        reachable(&document, operation.get("requestBody").unwrap_or(&Value::Null), &mut entering);
        reachable(&document, &operation["responses"], &mut leaving);
    }
    assert!(entering.len() > 20 && leaving.len() > 40, "{} enter, {} leave", entering.len(), leaving.len());
    let schemas = &document["components"]["schemas"];
    for name in &entering {
        let has_fields = schemas[name].get("properties").is_some();
        // A restore takes the document of an export unchanged.
        let is_named_so = name.ends_with("Body") || name.ends_with("Form") || name == "ExportDocument";
        assert!(!has_fields || is_named_so, "{name} enters");
    }
    for name in &leaving {
        walk(&schemas[name], name, &mut |at, object| {
            let Some(properties) = object.get("properties").and_then(Value::as_object) else { return };
            let required: BTreeSet<&str> = object
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .map(|name| name.as_str().unwrap())
                .collect();
            let mut all: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
            match name.as_str() {
                "Problem" => all.retain(|name| !["errors", "banks", "changes"].contains(name)),
                "Imported" => drop(all.remove("transactions")),
                "Detected" => drop(all.remove("transfers")),
                // A login without a device.
                "Token" => all.retain(|name| !["device_token", "device_expires_at"].contains(name)),
                // A `RuleAction` has only the fields of its action, and a `RuleChange` has only the fields that would
                // change.
                "RuleAction" => all.retain(|name| *name == "action"),
                "RuleChange" => all.clear(),
                "PreviewRow" => all.retain(|name| !["tags", "transfer_with", "former"].contains(name)),
                "FormerRow" => drop(all.remove("date")),
                // Its object says by its fields what the other side is.
                "TransferWith" => all.clear(),
                "RejectedLine" => all.retain(|name| ["line", "code", "params", "reason"].contains(name)),
                // What a notice names, and how it is told, depends on its kind.
                "NoticeParams" => all.clear(),
                "NoticeKindPreferences" => all.retain(|name| *name == "channels"),
                _ => {}
            }
            assert_eq!(required, all, "{at}");
        });
    }
}

#[test]
fn an_invitation_offers_the_roles_that_it_takes() {
    let app = TestApp::start();
    let document = document(&app);
    assert_eq!(
        document["components"]["schemas"]["InvitationBody"]["properties"]["role"]["enum"],
        json!(["editor", "viewer"])
    );
}

#[test]
fn an_amount_enters_as_text_or_as_a_number() {
    let app = TestApp::start();
    let document = document(&app);
    let amount = &document["components"]["schemas"]["TransactionBody"]["properties"]["amount"];
    assert_eq!(resolve(&document, amount["$ref"].as_str().unwrap())["type"], serde_json::json!(["string", "number"]));
    let ana = app.user("ana");
    for amount in [serde_json::json!("8.10"), serde_json::json!(8.1)] {
        let row =
            serde_json::json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": amount });
        assert_eq!(ana.post("/api/transactions", row).created()["amount"], "8.10");
    }
}

#[test]
fn a_preview_is_what_the_document_says() {
    let app = TestApp::start();
    let (client, document) = (app.user("ana"), document(&app));
    let account = client.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let csv = "Data;Histórico;Valor;Saldo\n05/03/2026;SALDO ANTERIOR;;100,00\n06/03/2026;Mercado;-10,00;90,00\n";
    let preview = client.preview_with(csv.as_bytes(), &[("account_id", &account.to_string())]).ok();
    assert!(!preview["rows"].as_array().unwrap().is_empty() && !preview["rejected"].as_array().unwrap().is_empty());
    let answer = &document["paths"]["/api/import/preview"]["post"]["responses"]["200"];
    fits(&document, &answer["content"]["application/json"]["schema"], &preview).unwrap();
}
