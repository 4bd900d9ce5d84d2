//! `POST /api/restore`: restores the document of an export into an empty profile.

use finance_tests::{Client, Method, Reply, TestApp};
use serde_json::{Value, json};

use crate::household::Household;

/// The figures of a profile, without ids and instants, which differ between profiles.
fn figures(client: &Client) -> Value {
    let dashboard = client.get("/api/dashboard?month=2026-03").ok();
    let of = |key: &str| dashboard[key].clone();
    let names = |path: &str, fields: &[&str]| -> Vec<Vec<Value>> {
        let rows = client.get(path).ok();
        let row = |row: &Value| fields.iter().map(|field| row[*field].clone()).collect();
        rows.as_array().expect("a list").iter().map(row).collect()
    };
    json!({
        "income": of("income"), "expenses": of("expenses"), "net_worth": of("net_worth"), "evolution": of("evolution"),
        "accounts": names("/api/accounts", &["name", "kind", "balance"]),
        "transactions": names("/api/transactions?limit=1000", &["date", "description", "amount", "type"]),
        "bills": names("/api/credit-bills", &["period_start", "total", "amount_paid", "status"]),
        "recurring": names("/api/recurring?month=2026-03", &["description", "status"]),
    })
}

fn keyed(client: &Client, document: &Value) -> Reply {
    let headers = [("Idempotency-Key", "restore-1")];
    client.send_with(
        Method::POST,
        "/api/restore",
        Some("application/json"),
        document.to_string().into_bytes(),
        &headers,
    )
}

fn sent(client: &Client, content_type: &str, body: &[u8]) -> Reply {
    client.send(Method::POST, "/api/restore", Some(content_type), body.to_vec())
}

#[test]
fn an_export_is_restored_into_a_profile_that_was_only_looked_at() {
    let app = TestApp::start();
    let ana = Household::new(&app, "Ana");
    let document = ana.client.get("/api/export").ok();
    let bia = app.user("bia");
    // After the requests that a page sends after a login, the profile is still empty.
    for path in ["/api/auth/me", "/api/dashboard", "/api/accounts", "/api/gamification/profile", "/api/recurring"] {
        bia.get(path).ok();
    }
    let restored = keyed(&bia, &document).ok();
    let rows: usize = document.as_object().unwrap().values().filter_map(Value::as_array).map(Vec::len).sum();
    assert_eq!(restored, json!({ "restored": rows }));
    assert_eq!(figures(&bia), figures(&ana.client));
    // If the request is sent again under its key, it is answered again, but not executed again.
    let again = keyed(&bia, &document);
    assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
    assert_eq!(again.ok(), restored);
    // The profile has data now.
    bia.post("/api/restore", document).problem(409, "ErrNotEmpty");
    assert_eq!(figures(&bia), figures(&ana.client));
}

#[test]
fn what_is_no_export_is_refused_and_changes_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let before = ana.get("/api/categories").ok();
    let document = ana.get("/api/export").ok();
    let changed = |key: &str, value: Value| {
        let mut document = document.clone();
        document[key] = value;
        document
    };
    for (body, message) in [
        (json!({}), "has no format"),
        (changed("format", json!("other")), "must be of format finance-export"),
        (changed("version", json!(99)), "has version 99"),
        (changed("unknown", json!([])), "has an unknown part"),
        (changed("settings", json!([{ "savings_goal_pct": 12.345 }])), "must have at most two decimals"),
        (changed("categories", json!([{ "id": 1 }])), "has no"),
    ] {
        let problem = ana.post("/api/restore", body).problem(422, "ErrValidation");
        let reason = problem["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(reason.contains(message), "{problem}");
    }
    sent(&ana, "application/json", b"{\"format\":").problem(400, "ErrMalformedRequest");
    sent(&ana, "application/json", b"").problem(400, "ErrMalformedRequest");
    sent(&ana, "text/plain", b"{}").problem(415, "ErrUnsupportedMedia");
    assert_eq!(ana.get("/api/categories").ok(), before);
}

#[test]
fn a_document_beyond_the_limit_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = vec![b' '; 48 * 1024 * 1024 + 1];
    sent(&ana, "application/json", &body).problem(413, "ErrTooLarge");
}

#[test]
fn what_begins_before_the_first_year_or_ends_after_the_last_one_can_be_restored() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let card = ana.open_card("Visa", 10, 20);
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current", "balance_today": "50.00" }));
    for account in [card, bank] {
        let row = json!({ "type": "expense", "account_id": account, "date": "1900-01-01", "description": "x", "amount": "1.00" });
        ana.create("/api/transactions", row);
    }
    ana.import_card(card, "2199-12-31", &finance_tests::ofx(&[("20260301", "-9.00", "H1", "LOJA")])).expect(202);
    let figures = |client: &Client| -> Vec<Value> {
        let accounts = client.get("/api/accounts").ok();
        accounts.as_array().unwrap().iter().map(|account| account["balance"].clone()).collect()
    };
    let document = ana.get("/api/export").ok();
    bia.post("/api/restore", document).ok();
    assert_eq!(figures(&bia), figures(&ana));
}

#[test]
fn every_instant_of_an_export_can_be_restored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let row = json!({ "type": "expense", "date": "2026-03-01", "description": "Compra", "amount": "1.00" });
    ana.post("/api/transactions", row).created();
    let document = ana.get("/api/export").ok();
    let at = |instant: &str| {
        let mut document = document.clone();
        document["transactions"][0]["created_at"] = json!(instant);
        document
    };
    let last = "2199-12-31T23:59:59.999999Z";
    for (at_number, (instant, stored)) in [
        // Finer than a microsecond, which the store would round up to the next year.
        ("2199-12-31T23:59:59.9999999Z", last),
        ("2199-12-31T23:59:59.999999999Z", last),
        ("2199-12-31T20:59:59.9999995-03:00", last),
        // What an earlier release made of it, and exported.
        ("2200-01-01T00:00:00Z", last),
        ("1900-01-01T00:00:00Z", "1900-01-01T00:00:00Z"),
        ("2026-03-01T12:00:00.1234567Z", "2026-03-01T12:00:00.123456Z"),
    ]
    .into_iter()
    .enumerate()
    {
        let (once, again) = (app.user(&format!("once-{at_number}")), app.user(&format!("again-{at_number}")));
        once.post("/api/restore", at(instant)).ok();
        let exported = once.get("/api/export").ok();
        assert_eq!(exported["transactions"][0]["created_at"], stored, "{instant}");
        again.post("/api/restore", exported.clone()).ok();
        assert_eq!(again.get("/api/export").ok()["transactions"][0]["created_at"], stored, "{instant}");
    }
    let bia = app.user("bia");
    for instant in ["2200-01-01T00:00:00.000001Z", "1899-12-31T23:59:59.999999Z", "2199-12-31T23:59:59.9-00:01"] {
        bia.post("/api/restore", at(instant)).problem(422, "ErrValidation");
    }
}
