//! Bodies of requests: JSON, content types, limits, fields that are ignored.

use finance_tests::{Form, TestApp, id};
use serde_json::{Value, json};

use super::raw;
use crate::household::Household;

#[test]
fn a_body_that_does_not_parse_is_400() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b" ".to_vec(),
        b"{".to_vec(),
        b"{\"name\":}".to_vec(),
        b"{\"name\":\"x\"} {}".to_vec(),
        b"{\"name\":\"x\",}".to_vec(),
        b"{'name':'x'}".to_vec(),
        b"{\"name\":\"\xff\xfe\"}".to_vec(),
        b"{\"name\":\"\xed\xa0\x80\"}".to_vec(),
        b"{\"name\":\"\\ud800\"}".to_vec(),
        b"{\"name\":\"a\nb\"}".to_vec(),
        b"\xef\xbb\xbf{\"name\":\"x\"}".to_vec(),
        b"name=x".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":01}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":.5}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":+5}".to_vec(),
        b"{\"name\":\"x\",\"monthly_budget\":NaN}".to_vec(),
        nested(30_000).into_bytes(),
        "[".repeat(60_000).into_bytes(),
        "{\"a\":".repeat(10_000).into_bytes(),
        format!("{{\"name\":\"x\",\"more\":{}}}", nested(1_000)).into_bytes(),
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let reply = raw(&ana, "/api/categories", Some("application/json"), body);
        assert_eq!(reply.status, 400, "{shown}: {reply:?}");
        reply.problem(400, "ErrMalformedRequest");
    }
    let names = ana.get("/api/categories").ok();
    assert!(names.as_array().unwrap().iter().all(|category| category["name"] != "x"));
}

#[test]
fn half_of_a_character_is_400_wherever_it_stands_in_a_body() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (path, body) in [
        ("/api/transactions", r#"{"tags":["\ud800"]}"#),
        ("/api/tokens", r#"{"scopes":["\udc00"]}"#),
        ("/api/webhooks", r#"{"events":["\ud800x"]}"#),
        ("/api/rules", r#"{"conditions":[{"field":"description","op":"contains","value":["\ud800"]}]}"#),
        ("/api/recurring", r#"{"every":{"n":1,"unit":"\ud800"}}"#),
        ("/api/notices/devices", r#"{"keys":{"auth":"\ud800"}}"#),
    ] {
        raw(&ana, path, Some("application/json"), body).problem(400, "ErrMalformedRequest");
    }
    let whole = r#"{"type":"expense","amount":"1","date":"2026-03-01","description":"x","tags":["\ud83d\ude00"]}"#;
    assert_ne!(raw(&ana, "/api/transactions", Some("application/json"), whole).status, 400);
}

#[test]
fn what_is_wrong_in_the_address_and_in_the_body_is_told_together() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = id(&ana.get("/api/categories").ok()[0]);
    // What is not known says nothing of this month, in which the expense is no income and the transaction covers nothing.
    let item =
        json!({ "type": "expense", "description": "Aluguel", "amount": "1", "category_id": category, "day": 10 });
    let item = ana.create("/api/recurring", item);
    let at = |path: &str| path.replace("{item}", &item.to_string());
    for (path, body, fields) in [
        (
            "/api/recurring/{item}/confirm?month=abc",
            json!({ "amount": "x", "date": 5, "account_id": "q" }),
            &["month", "amount", "date", "account_id"][..],
        ),
        ("/api/recurring/{item}/confirm?due=x&month=abc", json!({ "date": 5 }), &["due", "month", "date"]),
        ("/api/recurring/{item}/link?month=abc", json!({ "transaction_ids": 5 }), &["month", "transaction_ids"]),
        (
            "/api/recurring?month=abc",
            json!({ "type": "z" }),
            &["month", "type", "description", "amount", "category_id", "day"],
        ),
        ("/api/import/confirm?transactions=maybe", json!({ "rows": 5, "format": "csv" }), &["transactions", "rows"]),
        ("/api/budgets/2026-13/fill", json!({ "from": 5 }), &["month", "from"]),
    ] {
        ana.post(&at(path), body).invalid(fields);
    }
    ana.put("/api/budgets/2026-13", json!({ "budgets": 5 })).invalid(&["month", "budgets"]);
    let changed = json!({ "type": "z", "description": "x", "amount": 1, "category_id": category, "day": 1 });
    ana.put(&at("/api/recurring/{item}?month=abc"), changed).invalid(&["month", "type"]);
}

#[test]
fn a_body_of_another_json_type_is_422() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for body in ["[]", "null", "7", "\"name\"", "true", "[{\"name\":\"x\"}]"] {
        raw(&ana, "/api/categories", Some("application/json"), body).invalid(&["body"]);
    }
}

#[test]
fn a_body_that_may_be_left_out_may_be_null_or_empty() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let (pay, unpay) = (format!("/api/credit-bills/{}/pay", ana.bill), format!("/api/credit-bills/{}/unpay", ana.bill));
    for (kind, body) in [
        (None, ""),
        (Some("application/json"), ""),
        (Some("text/plain"), ""),
        (Some("application/json"), "{}"),
        (Some("application/json"), " null\n"),
        (Some("application/json"), "{\"account_id\":null,\"date\":null}"),
    ] {
        assert_eq!(raw(&ana.client, &pay, kind, body).ok()["status"], "paid", "{kind:?} {body}");
        ana.client.post_nothing(&unpay).ok();
    }
    raw(&ana.client, &pay, Some("application/json"), "[]").invalid(&["body"]);
    raw(&ana.client, &pay, Some("application/json"), "{").problem(400, "ErrMalformedRequest");
}

#[test]
fn a_content_type_the_route_does_not_take_is_415() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/xml"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonp"),
    ] {
        raw(&ana, "/api/categories", kind, "{\"name\":\"x\"}").problem(415, "ErrUnsupportedMedia");
    }
    raw(&ana, "/api/categories", Some("application/json; charset=utf-8"), "{\"name\":\"x\"}").created();
    raw(&ana, "/api/categories", Some("Application/JSON"), "{\"name\":\"y\"}").created();
    ana.post("/api/import/preview", json!({})).problem(415, "ErrUnsupportedMedia");
    raw(&ana, "/api/import/preview", Some("text/plain"), "x").problem(415, "ErrUnsupportedMedia");
    raw(&ana, "/api/import/preview", Some("multipart/form-data"), "x").problem(400, "ErrMalformedRequest");
    raw(&ana, "/api/import/preview", Some("multipart/form-data; boundary=x"), "x").problem(400, "ErrMalformedRequest");
    raw(&ana, "/api/recurring/1/confirm", Some("text/plain"), "x").problem(415, "ErrUnsupportedMedia");
}

#[test]
fn a_body_over_the_limit_is_413() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let padded = |bytes: usize| format!("{{\"name\":\"x\",\"more\":\"{}\"}}", "a".repeat(bytes));
    raw(&ana, "/api/categories", Some("application/json"), padded(65 * 1024)).problem(413, "ErrTooLarge");
    raw(&ana, "/api/categories", Some("application/json"), padded(5 << 20)).problem(413, "ErrTooLarge");
    raw(&app.anyone(), "/api/auth/login", Some("application/json"), padded(1 << 20)).problem(413, "ErrTooLarge");
    raw(&ana, "/api/import/confirm", Some("application/json"), padded(17 << 20)).problem(413, "ErrTooLarge");
    ana.preview(&vec![b'a'; (10 << 20) + 1]).problem(413, "ErrTooLarge");
    ana.post_form("/api/import/preview", Form::new().text("account_id", &"1".repeat(5_000)))
        .problem(413, "ErrTooLarge");
    raw(&ana, "/api/categories", Some("application/json"), padded(60 * 1024)).created();
}

#[test]
fn unknown_and_read_only_fields_are_ignored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let created = ana
        .post(
            "/api/transactions",
            json!({ "type": "income", "date": "2026-03-01", "description": "x", "amount": "5", "id": 1, "profile_id": 1,
                "source": "ofx", "transfer_id": 9, "import_id": 9, "created_at": "2000-01-01T00:00:00Z",
                "original_date": "2020-01-01", "colour": { "deep": [1, 2] }, "": null }),
        )
        .created();
    assert_eq!(created["profile_id"], ana.caller().profile_id.0);
    assert_eq!((&created["source"], &created["transfer_id"]), (&json!("manual"), &Value::Null));
    assert_eq!((&created["import_id"], &created["original_date"]), (&Value::Null, &Value::Null));
    assert_ne!(created["created_at"], "2000-01-01T00:00:00Z");
}

#[test]
fn what_was_read_can_be_sent_back() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let investment = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 110.5,
        "last_yield_date": "2026-03-10" });
    let investment = client.post("/api/accounts", investment).created()["id"].clone();
    let imported = client.get("/api/transactions?q=padaria").ok()[0]["id"].clone();
    let opening = client.get("/api/transactions?q=saldo").ok()[0]["id"].clone();
    for path in [
        format!("/api/categories/{}", ana.category),
        format!("/api/accounts/{}", ana.account),
        format!("/api/accounts/{}", ana.card),
        format!("/api/accounts/{investment}"),
        format!("/api/transactions/{}", ana.transaction),
        format!("/api/transactions/{imported}"),
        format!("/api/transactions/{opening}"),
        format!("/api/recurring/{}", ana.recurring),
        "/api/settings".to_string(),
        "/api/gamification/appearance".to_string(),
    ] {
        let read = client.get(&path).ok();
        assert_eq!(client.put(&path, read.clone()).ok(), read, "{path}");
        assert_eq!(client.get(&path).ok(), read, "{path}");
    }
}
