//! Codes in addition to texts: a page in another language uses the codes.

use std::collections::BTreeSet;

use finance_domain::Violation;
use finance_tests::{Form, TestApp, ofx};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::household::Household;

/// The codes of a schema in the OpenAPI document.
fn codes(document: &Value, schema: &str) -> BTreeSet<String> {
    let listed = document["components"]["schemas"][schema]["enum"].as_array().unwrap_or_else(|| panic!("{schema}"));
    let codes: BTreeSet<String> = listed.iter().map(|code| code.as_str().unwrap().to_string()).collect();
    assert_eq!(codes.len(), listed.len(), "{schema} lists a code twice");
    codes
}

/// The codes in the tables of `docs/clients.md` with that header, in alphabetical order.
fn tabled_codes(docs: &str, header: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let mut lines = docs.lines();
    while lines.any(|line| line.starts_with(header)) {
        let table = lines.by_ref().skip(1).map_while(|line| line.strip_prefix("| `")?.split_once('`'));
        rows.extend(table.map(|(code, _)| code.to_string()));
    }
    rows.sort();
    rows
}

/// The words that begin with `Err` in the texts of a document.
fn named_problems(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| word.len() > 3 && word.starts_with("Err") && word.as_bytes()[3].is_ascii_uppercase())
        .map(str::to_string)
        .collect()
}

#[test]
fn the_document_and_the_docs_list_every_code() {
    let app = TestApp::start();
    let document = app.anyone().get("/api/openapi.json").ok();
    let docs = include_str!("../../docs/clients.md");
    let fields = codes(&document, "FieldErrorCode");
    for code in Violation::CODES {
        assert!(fields.contains(*code), "{code}");
    }
    for (schema, header) in [
        ("FieldErrorCode", "| code | params | message |"),
        ("RejectedCode", "| `rejected[].code` |"),
        ("SkippedCode", "| `skipped[].code` |"),
    ] {
        let listed: Vec<String> = codes(&document, schema).into_iter().collect();
        assert_eq!(tabled_codes(docs, header), listed, "docs/clients.md has one row for each code of {schema}");
    }
    let problems = codes(&document, "ProblemCode");
    assert_eq!(named_problems(&document["paths"].to_string()), problems, "each problem is said of an operation");
    for (schema, property, code) in [
        ("Problem", "code", "ProblemCode"),
        ("FieldError", "code", "FieldErrorCode"),
        ("RejectedLine", "code", "RejectedCode"),
        ("SkippedRow", "code", "SkippedCode"),
    ] {
        let named = &document["components"]["schemas"][schema]["properties"][property]["$ref"];
        assert_eq!(named, &format!("#/components/schemas/{code}"), "{schema}");
    }
}

#[test]
fn every_kind_of_input_is_answered_with_codes_and_params() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let of = |problem: Value| -> Vec<Value> {
        let errors = problem["errors"].as_array().unwrap().iter();
        errors.map(|error| json!([error["field"], error["code"], error["params"]])).collect()
    };
    let body = json!({ "type": "gift", "date": "2026-02-30", "description": " ", "amount": "0.00", "category_id": "1",
        "account_id": 9_000_000_000_i64, "external_id": "x".repeat(256) });
    let fields = ["type", "date", "description", "amount", "category_id", "account_id", "external_id"];
    let mut errors = of(client.post("/api/transactions", body).invalid(&fields));
    errors.sort_by_key(Value::to_string);
    let mut expected = vec![
        json!(["type", "not_one_of", { "choices": ["income", "expense"] }]),
        json!(["date", "invalid_date", {}]),
        json!(["description", "blank", { "max": 255 }]),
        json!(["amount", "not_positive", {}]),
        json!(["category_id", "not_a_whole_number", {}]),
        json!(["account_id", "no_such_account", {}]),
        json!(["external_id", "too_long", { "max": 255 }]),
    ];
    expected.sort_by_key(Value::to_string);
    assert_eq!(errors, expected);
    for (body, field, code) in [
        (json!({ "name": null }), "name", json!(["name", "required", {}])),
        (json!({ "name": "x".repeat(101) }), "name", json!(["name", "too_long", { "max": 100 }])),
        (json!({ "name": "a\0" }), "name", json!(["name", "nul_character", {}])),
        (json!({ "name": "a\u{202e}" }), "name", json!(["name", "hidden_character", { "character": "U+202E" }])),
        (json!([]), "body", json!(["body", "not_an_object", {}])),
        (
            json!({ "name": "Luz", "monthly_budget": -1 }),
            "monthly_budget",
            json!(["monthly_budget", "out_of_range", { "min": 0, "max": "9999999999.99" }]),
        ),
        (
            json!({ "name": "Luz", "monthly_budget": "1.234" }),
            "monthly_budget",
            json!(["monthly_budget", "too_many_decimals", {}]),
        ),
    ] {
        assert_eq!(of(client.post("/api/categories", body).invalid(&[field])), [code]);
    }
    for (path, field, code) in [
        ("/api/transactions?month=2026-13", "month", json!(["month", "invalid_month", {}])),
        (
            "/api/transactions?month=2200-01",
            "month",
            json!(["month", "year_out_of_range", { "min": 1900, "max": 2199 }]),
        ),
        ("/api/transactions?limit=0", "limit", json!(["limit", "out_of_range", { "min": 1, "max": 1000 }])),
        ("/api/transactions?cursor=!", "cursor", json!(["cursor", "invalid_cursor", {}])),
        ("/api/export?format=pdf", "format", json!(["format", "not_one_of", { "choices": ["json", "csv"] }])),
    ] {
        assert_eq!(of(client.get(path).invalid(&[field])), [code]);
    }
    let twice = client.get("/api/transactions?month=2026-01&month=2026-02").invalid(&["query"]);
    assert_eq!(of(twice.clone())[0][1], "unreadable_query");
    assert!(twice["errors"][0]["params"]["detail"].is_string());
    let key = |value: &str| {
        let header = [("Idempotency-Key", value)];
        let body = br#"{ "name": "Luz" }"#.to_vec();
        client.send_with(Method::POST, "/api/categories", Some("application/json"), body, &header)
    };
    assert_eq!(of(key("a b").invalid(&["Idempotency-Key"])), [json!(["Idempotency-Key", "invalid_key", {}])]);
    let confirm = json!({ "rows": [{ "date": 1, "description": "x", "amount": "1", "type": "expense" }, 7] });
    assert_eq!(
        of(client.post("/api/import/confirm", confirm).invalid(&["rows[0].date", "rows[1]"])),
        [json!(["rows[0].date", "invalid_date", {}]), json!(["rows[1]", "not_an_object", {}])]
    );
    let preview = |file: &[u8], name: &str, value: &str| {
        let form = Form::new().file("extrato", file).text(name, value);
        of(client.post_form("/api/import/preview", form).invalid(&[name]))
    };
    let file = ofx(&[("20260306", "-5.00", "F9", "Café")]);
    assert_eq!(
        preview(&file, "format", "pdf"),
        [json!(["format", "not_one_of", { "choices": ["auto", "ofx", "csv"] }])]
    );
    let csv = b"Data;Descricao;Valor\n31/01/2026;PADARIA;-12,34\n";
    assert_eq!(
        preview(csv, "date_column", "9"),
        [json!(["date_column", "no_such_column", { "column": 9, "columns": 3 }])]
    );
    assert_eq!(preview(csv, "date_column", "0"), [json!(["date_column", "column_zero", {}])]);
    assert_eq!(
        preview(csv, "amount_column", "Preço"),
        [json!(["amount_column", "no_such_header", { "header": "Preço" }])]
    );
}

#[test]
fn rejected_lines_and_skipped_rows_say_why_by_codes() {
    let app = TestApp::start();
    let client = app.user("ana");
    let csv = b"Data;Descricao;Valor\n31/01/2026;PADARIA;-12,34\nontem;FEIRA;-5,00\n30/01/2026;TAXA;0,00\n";
    let preview = client.preview(csv).ok();
    assert_eq!(
        preview["rejected"],
        json!([
            { "line": 3, "code": "invalid_date", "params": { "text": "ontem" }, "reason": "data inválida: ontem",
              "amount": "5.00", "type": "expense", "description": "FEIRA" },
            { "line": 4, "code": "zero_amount", "params": {}, "reason": "valor zero", "date": "2026-01-30",
              "amount": "0.00", "type": "income", "description": "TAXA" },
        ])
    );
    let rows = json!({ "format": "csv", "rows": preview["rows"] });
    let stored = client.post("/api/import/confirm", rows.clone()).created()["transactions"][0]["id"].clone();
    let again = client.post("/api/import/confirm", rows).created();
    let reason = format!("duplicate of transaction {stored}");
    let skipped = json!([{ "row": 0, "code": "duplicate", "params": { "transaction_id": stored }, "reason": reason }]);
    assert_eq!(again["skipped"], skipped);
}

#[test]
fn a_wrong_current_password_is_told_by_its_code() {
    let app = TestApp::start();
    let client = app.user("ana");
    let body = json!({ "current_password": "not the password", "new_password": "battery staple" });
    let problem = client.post("/api/auth/change-password", body).invalid(&["current_password"]);
    assert_eq!(problem["errors"][0]["code"], "wrong_password");
    let body = json!({ "current_password": "not the password", "new_password": "short" });
    let problem = client.post("/api/auth/change-password", body).invalid(&["new_password"]);
    assert_eq!(
        (&problem["errors"][0]["code"], &problem["errors"][0]["params"]),
        (&json!("too_short"), &json!({ "min": 8 }))
    );
}
