//! `/mcp`: the tools of assistants over HTTP.

use finance_domain::credentials::Role;
use finance_tests::{Client, Method, Reply, TestApp};
use serde_json::{Value, json};

use crate::household::Household;
use crate::needs::token;

/// Sends a message.
fn send(client: &Client, message: &Value) -> Reply {
    client.post("/mcp", message.clone())
}

/// Sends a request of the protocol, and returns its result.
#[track_caller]
fn result(client: &Client, method: &str, params: &Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = send(client, &message).ok();
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)), "{answer}");
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

/// Calls a tool and returns its result, successful or not.
#[track_caller]
pub(crate) fn call(client: &Client, tool: &str, arguments: &Value) -> Value {
    result(client, "tools/call", &json!({ "name": tool, "arguments": arguments }))
}

/// Calls a tool that succeeds.
#[track_caller]
pub(crate) fn called(client: &Client, tool: &str, arguments: &Value) -> Value {
    let result = call(client, tool, arguments);
    assert_eq!(result["isError"], false, "{tool}: {result}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "{tool}");
    result["structuredContent"].clone()
}

/// Calls a tool that fails, and returns the text of the failure.
#[track_caller]
pub(crate) fn failed(client: &Client, tool: &str, arguments: &Value) -> String {
    let result = call(client, tool, arguments);
    assert_eq!(result["isError"], true, "{tool}: {result}");
    result["content"][0]["text"].as_str().expect("a text").to_string()
}

#[test]
fn a_client_is_told_of_the_tools() {
    let app = TestApp::start();
    let reads = token(&app.user("ana"), &["read"]);
    let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    let begun = result(&reads, "initialize", &client);
    assert_eq!((&begun["protocolVersion"], &begun["serverInfo"]["name"]), (&json!("2025-06-18"), &json!("finance")));
    assert!(begun["instructions"].as_str().unwrap().contains("Confirm with the user"), "{begun}");
    let noted = send(&reads, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!((noted.status, noted.bytes.len()), (202, 0));
    let listed = result(&reads, "tools/list", &json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "list_accounts",
            "account_anchors",
            "list_categories",
            "month_summary",
            "spending_by_category",
            "search_transactions",
            "credit_bills",
            "installments",
            "recurring_items",
            "forecast",
            "net_worth",
            "notices",
            "month_budget",
            "report",
            "parse_entry",
            "create_transaction",
            "add_entry",
            "set_categories",
            "set_budgets"
        ]
    );
    for tool in tools {
        let is_writing = ["create_transaction", "add_entry", "set_categories", "set_budgets"]
            .contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], !is_writing, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
}

/// Checks that a value has every field that a schema requires, at all depths.
#[track_caller]
fn fits(schema: &Value, root: &Value, value: &Value) {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(&root["$defs"][name.rsplit('/').next().unwrap()], root, value);
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{name} is missing in {value}");
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            fits(schema, root, value);
        }
    }
    for item in value.as_array().into_iter().flatten() {
        fits(&schema["items"], root, item);
    }
}

#[test]
fn each_reading_tool_answers_with_what_the_api_has() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let reads = token(&house.client, &["read"]);
    let schemas = result(&reads, "tools/list", &json!({}))["tools"].clone();
    let found = |tool: &str, arguments: Value| {
        let value = called(&reads, tool, &arguments);
        let described = schemas.as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap();
        fits(&described["outputSchema"], &described["outputSchema"], &value);
        value
    };
    let accounts = found("list_accounts", json!({}));
    assert_eq!(accounts["accounts"].as_array().unwrap().len(), 3);
    let bank = accounts["accounts"].as_array().unwrap().iter().find(|account| account["name"] == "Banco").unwrap();
    assert_eq!((&bank["id"], &bank["kind"]), (&json!(house.account), &json!("current")));
    assert_eq!(bank["balance"], house.client.get(&format!("/api/accounts/{}", house.account)).ok()["balance"]);

    let anchors = found("account_anchors", json!({ "account_id": house.account }));
    let listed = house.client.get(&format!("/api/accounts/{}/anchors", house.account)).ok();
    for field in ["date", "amount", "source", "computed", "difference", "is_followed"] {
        assert_eq!(anchors["anchors"][0][field], listed[0][field], "{field}");
    }
    assert_eq!(anchors["anchors"].as_array().unwrap().len(), 1);
    let one = found("account_anchors", json!({ "account_id": house.account, "date": "2026-03-04" }));
    assert_eq!((&one["anchors"], &one["has_more"]), (&anchors["anchors"], &json!(false)));
    let wrong = call(&reads, "account_anchors", &json!({ "account_id": house.account, "date": "../x" }));
    assert_eq!(wrong["content"][0]["text"], "date must be a date as YYYY-MM-DD.");

    let categories = found("list_categories", json!({}));
    let pets = categories["categories"].as_array().unwrap().iter().find(|category| category["name"] == "Pets").unwrap();
    assert_eq!((&pets["id"], &pets["monthly_budget"]), (&json!(house.category), &json!("250.00")));

    let month = json!({ "month": "2026-03" });
    let dashboard = house.client.get("/api/dashboard?month=2026-03").ok();
    let summary = found("month_summary", month.clone());
    for field in ["month", "income", "expenses", "taxes", "savings_pct", "savings_goal_pct", "net_worth"] {
        assert_eq!(summary[field], dashboard[field], "{field}");
    }
    let counts = [("evolution", 6), ("last_transactions", 10)];
    assert_eq!(counts.map(|(list, _)| (list, summary[list].as_array().unwrap().len())), counts);
    let spending = found("spending_by_category", month.clone());
    assert_eq!(spending["spending_by_category"], dashboard["spending_by_category"]);

    let searched = found("search_transactions", json!({ "q": "racao", "month": "2026-03" }));
    assert_eq!((&searched["summary"]["count"], &searched["has_more"]), (&json!(1), &json!(false)));
    assert_eq!(searched["transactions"][0]["id"], house.transaction);
    let first = found("search_transactions", json!({ "limit": 1 }));
    assert_eq!((first["transactions"].as_array().unwrap().len(), &first["has_more"]), (1, &json!(true)));
    let unfiled = found("search_transactions", json!({ "without_category": true, "type": "expense", "limit": 100 }));
    assert!(unfiled["transactions"].as_array().unwrap().iter().all(|row| row["category_id"].is_null()));

    let bills = found("credit_bills", json!({ "account_id": house.card, "status": "unpaid" }));
    assert!(bills["bills"].as_array().unwrap().iter().any(|bill| bill["id"] == house.bill), "{bills}");
    let plans = found("installments", json!({}));
    assert_eq!((&plans["purchases"][0]["count"], &plans["purchases"][0]["amount"]), (&json!(3), &json!("100.00")));
    // One that only a held statement has.
    let held = finance_tests::ofx(&[("20260302", "-30.00", "H1", "TV - Parcela 1/12")]);
    house.client.import_card(house.card, "2026-12-05", &held).expect(202);
    let plans = found("installments", json!({}));
    assert!(plans["purchases"].as_array().unwrap().iter().any(|plan| plan["id"].is_null()), "{plans}");
    let items = found("recurring_items", month);
    assert_eq!((&items["items"][0]["id"], &items["items"][0]["type"]), (&json!(house.recurring), &json!("income")));
    let ahead = found("forecast", json!({ "months": 2, "with_usual_spending": true }));
    let forecast = house.client.get("/api/forecast?months=2&baseline=median3").ok();
    assert_eq!((&ahead["opening"], &ahead["free_to_spend"]), (&forecast["opening"], &forecast["free_to_spend"]));
    assert_eq!((ahead["months"].as_array().unwrap().len(), &ahead["events_left_out"]), (2, &json!(0)));
    let worth = found("net_worth", json!({ "from": "2026-02" }));
    assert_eq!(worth["months"], house.client.get("/api/net-worth?from=2026-02").ok());
    let shown = found("notices", json!({ "unread": true }));
    let listed = house.client.get("/api/notices?unread=true").ok();
    assert_eq!(
        (shown["notices"].as_array().unwrap().len(), &shown["notices"][0]["title"], &shown["notices"][0]["params"]),
        (listed.as_array().unwrap().len(), &listed[0]["title"], &listed[0]["params"])
    );
    let planned = found("month_budget", json!({ "month": "2026-03" }));
    let budgets = house.client.get("/api/budgets/2026-03").ok();
    assert_eq!(
        (&planned["to_distribute"], &planned["total"]["available"]),
        (&budgets["to_distribute"], &budgets["total"]["available"])
    );
    let arguments =
        json!({ "by": "payee", "from": "2026-03-01", "to": "2026-03-31", "interval": "month", "compare": "previous" });
    let report = found("report", arguments);
    let own = house.client.get("/api/reports/flow?by=payee&from=2026-03-01&to=2026-03-31&compare=previous").ok();
    assert_eq!((&report["total"], &report["rows"][0]["key"]), (&own["total"], &own["rows"][0]["key"]));
}

#[test]
fn a_token_that_writes_creates_once_and_files() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let writes = token(&ana, &["write"]);
    let pets = ana.create("/api/categories", json!({ "name": "Pets" }));
    let coffee = json!({ "type": "expense", "date": "2026-03-14", "description": "Café", "amount": "6.50",
        "idempotency_key": "coffee-1" });
    let created = called(&writes, "create_transaction", &coffee);
    let id = created["transaction"]["id"].clone();
    assert_eq!(called(&writes, "create_transaction", &coffee), created, "the same call again");
    let mut another = coffee.clone();
    another["amount"] = json!("7.50");
    assert!(failed(&writes, "create_transaction", &another).starts_with("422 ErrIdempotencyKeyReused"));
    another.as_object_mut().unwrap().remove("idempotency_key");
    let other = called(&writes, "create_transaction", &another)["transaction"]["id"].clone();
    called(&writes, "create_transaction", &another);
    assert_eq!(ana.all("/api/transactions").len(), 3, "each call without a key creates one");

    let filed = called(&writes, "set_categories", &json!({ "ids": [id, other], "category_id": pets }));
    assert_eq!(filed, json!({ "updated": 2 }));
    let found = called(&writes, "search_transactions", &json!({ "category_id": pets }));
    assert_eq!(found["summary"], json!({ "count": 2, "income": "0.00", "expenses": "14.00" }));
    let text = failed(&writes, "set_categories", &json!({ "ids": [id, 9_000_000_000_i64], "category_id": pets }));
    assert!(text.starts_with("422 ErrValidation") && text.contains("ids[1]"), "{text}");

    let budgets = json!({ "month": "2026-04", "budgets": [{ "category_id": pets, "amount": "80.00" }] });
    let planned = called(&writes, "set_budgets", &budgets);
    assert_eq!(planned["total"]["budget"], "80.00");
    let foreign = json!({ "month": "2026-04", "budgets": [{ "category_id": 9_000_000_000_i64, "amount": null }] });
    assert!(failed(&writes, "set_budgets", &foreign).contains("budgets[0].category_id"));
}

#[test]
fn a_tool_does_what_the_credential_may_and_says_what_is_missing() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let coffee = json!({ "type": "expense", "date": "2026-03-14", "description": "Café", "amount": "6.50" });
    let before = ana.client.all("/api/transactions").len();
    for client in [token(&ana.client, &["read"]), token(&ana.client, &["import"])] {
        let text = failed(&client, "create_transaction", &coffee);
        assert!(text.starts_with("403 ErrInsufficientScope: The token needs the scope write"), "{text}");
    }
    let viewer = app.member(&ana.client, "caio", Role::Viewer);
    assert!(failed(&viewer, "create_transaction", &coffee).starts_with("403 ErrNotAllowed"));
    called(&viewer, "list_accounts", &json!({}));
    assert_eq!(ana.client.all("/api/transactions").len(), before);
    let imports = token(&ana.client, &["import"]);
    called(&imports, "list_accounts", &json!({}));
    assert!(failed(&imports, "month_summary", &json!({})).contains("the scope read"));
    // Another profile's rows are neither found nor filed.
    let writes = token(&bia.client, &["write"]);
    let text = failed(&writes, "set_categories", &json!({ "ids": [ana.transaction], "category_id": bia.category }));
    assert!(text.contains("ids[0]"), "{text}");
    let found = called(&writes, "credit_bills", &json!({ "account_id": ana.card }));
    assert_eq!(found["bills"], json!([]));
}

#[test]
fn wrong_arguments_and_unknown_tools_are_told_and_do_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (tool, arguments, part) in [
        ("search_transactions", json!({ "limit": 1_000_000 }), "limit must be 1 to 100"),
        ("search_transactions", json!({ "limit": "many" }), "invalid type"),
        ("search_transactions", json!({ "query": "x" }), "unknown field `query`"),
        ("search_transactions", json!({ "month": "2026-03&limit=1000#" }), "422 ErrValidation"),
        ("month_summary", json!({ "month": "../accounts" }), "422 ErrValidation"),
        ("month_summary", json!({ "month": "2026-13" }), "month"),
        ("forecast", json!({ "months": 10_000 }), "months"),
        ("net_worth", json!({ "from": "1000-01" }), "422 ErrValidation"),
        ("create_transaction", json!({}), "missing field"),
        (
            "create_transaction",
            json!({ "type": "expense", "date": "2026-03-14", "description": "x", "amount": "0.001" }),
            "amount",
        ),
        (
            "create_transaction",
            json!({ "type": "expense", "date": "2026-03-14", "description": "x", "amount": "1", "idempotency_key": "a\r\nX: y" }),
            "idempotency_key must be",
        ),
        ("set_categories", json!({ "ids": vec![1; 101], "category_id": 1 }), "1 to 100 ids"),
    ] {
        let text = failed(&ana, tool, &arguments);
        assert!(text.contains(part), "{tool} {arguments}: {text}");
    }
    assert_eq!(ana.all("/api/transactions").len(), 0);
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "drop_tables", "arguments": {} } });
    let answer = send(&ana, &unknown).ok();
    assert_eq!(answer["error"], json!({ "code": -32602, "message": "unknown tool: drop_tables" }));
    let answer = send(&ana, &json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/destroy" })).ok();
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[test]
fn a_message_needs_a_credential_and_is_no_larger_than_needed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let reply = send(&app.anyone(), &list);
    assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"));
    reply.problem(401, "ErrUnauthenticated");
    send(&app.anyone().with_token("fin_no"), &list).problem(401, "ErrUnauthenticated");
    let made = ana.post("/api/tokens", json!({ "name": "x", "scopes": ["read"] })).created();
    let reads = app.anyone().with_token(made["token"].as_str().unwrap());
    let reply = send(&reads, &list);
    assert_eq!(reply.header("Cache-Control"), Some("no-store"));
    reply.ok();
    ana.delete(&format!("/api/tokens/{}", made["id"])).gone();
    send(&reads, &list).problem(401, "ErrUnauthenticated");

    let reply = ana.get("/mcp");
    assert_eq!(reply.header("Allow"), Some("POST"));
    reply.problem(405, "ErrMethodNotAllowed");
    ana.delete("/mcp").problem(405, "ErrMethodNotAllowed");
    ana.send(Method::POST, "/mcp", Some("text/plain"), list.to_string().into_bytes())
        .problem(415, "ErrUnsupportedMedia");
    let large =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "cursor": "x".repeat(70_000) } });
    send(&ana, &large).problem(413, "ErrTooLarge");
    for body in [&b"{"[..], b"[]", b"null", b"{\"jsonrpc\": \"1.0\"}"] {
        let reply = ana.send(Method::POST, "/mcp", Some("application/json"), body.to_vec());
        assert!((400..500).contains(&reply.status), "{reply:?}");
    }
}

#[test]
fn pages_of_other_origins_are_refused() {
    let app = TestApp::start_serving(|mut options| {
        options.cors_origins = vec!["https://assistant.example".to_string()];
        options
    });
    let ana = app.user("ana");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string().into_bytes();
    let send = |origin: &str| {
        let headers = [("Origin", origin)];
        ana.send_with(Method::POST, "/mcp", Some("application/json"), list.clone(), &headers).status
    };
    assert_eq!(send("https://assistant.example"), 200);
    for origin in ["https://evil.example", "http://assistant.example", "https://assistant.example:8443", "null"] {
        assert!([400, 403].contains(&send(origin)), "{origin}");
    }
}

/// The revision of the protocol without a handshake: each message has its version, and headers repeat the method and the
/// tool.
#[test]
fn messages_of_the_newest_revision_are_answered() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    let send = |version: &str, name: &str| {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "list_accounts", "arguments": {}, "_meta": meta } });
        let headers = [("MCP-Protocol-Version", version), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
        let body = message.to_string().into_bytes();
        ana.send_with(Method::POST, "/mcp", Some("application/json"), body, &headers)
    };
    let answer = send("2026-07-28", "list_accounts").ok();
    assert_eq!(answer["result"]["structuredContent"], json!({ "accounts": [] }), "{answer}");
    // An invalid message gets an error of the protocol.
    for reply in [send("2026-07-28", "create_transaction"), send("2025-06-18", "list_accounts")] {
        assert_eq!((reply.status, reply.header("Content-Type")), (400, Some("application/json")), "{reply:?}");
        assert!(reply.json()["error"]["message"].is_string(), "{reply:?}");
    }
}
