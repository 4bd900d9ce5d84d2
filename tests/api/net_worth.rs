//! `GET /api/net-worth`: the balances of accounts at the end of each month.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

fn months(client: &Client, query: &str) -> Vec<String> {
    let found = client.get(&format!("/api/net-worth{query}")).ok();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_string();
    let fields = ["month", "current", "savings", "investment", "credit", "total"];
    let row = |row: &Value| fields.map(|name| text(row, name)).join(" ");
    found.as_array().unwrap().iter().map(row).collect()
}

fn open(client: &Client, name: &str, kind: &str, opening: &str, date: &str) -> i64 {
    let mut body = json!({ "name": name, "kind": kind, "opening_balance": opening, "opening_date": date });
    if kind == "credit" {
        (body["closing_day"], body["due_day"]) = (json!(10), json!(20));
    }
    client.create("/api/accounts", body)
}

fn enter(client: &Client, account_id: i64, kind: &str, date: &str, amount: &str) -> i64 {
    let body = json!({ "type": kind, "account_id": account_id, "date": date, "description": "x", "amount": amount });
    client.create("/api/transactions", body)
}

#[test]
fn each_month_ends_with_what_accounts_held_and_this_one_with_today() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let current = open(&ana, "Conta", "current", "100.00", "2025-11-20");
    let savings = open(&ana, "Caderneta", "savings", "50.00", "2026-01-31");
    open(&ana, "CDB", "investment", "1000.00", "2026-02-01");
    let card = open(&ana, "Cartão", "credit", "-20.00", "2026-02-28");
    enter(&ana, current, "expense", "2026-03-15", "10.00");
    enter(&ana, current, "expense", "2026-03-16", "500.00");
    enter(&ana, card, "expense", "2026-04-01", "7.00");
    let transfer =
        json!({ "from_account_id": current, "to_account_id": savings, "amount": "30.00", "date": "2026-03-01" });
    ana.post("/api/transfers", transfer).created();
    let expected = [
        "2025-12 100.00 0.00 0.00 0.00 100.00",
        "2026-01 100.00 50.00 0.00 0.00 150.00",
        "2026-02 100.00 50.00 1000.00 -20.00 1130.00",
        "2026-03 60.00 80.00 1000.00 -20.00 1120.00",
    ];
    assert_eq!(months(&ana, "?from=2025-12&to=2026-03"), expected);
    assert_eq!(months(&ana, "?from=2026-01&to=2026-02"), expected[1..3]);
    let year = months(&ana, "");
    assert_eq!(
        (year.len(), &year[11], &year[0]),
        (12, &expected[3].to_string(), &"2025-04 0.00 0.00 0.00 0.00 0.00".to_string())
    );
    assert_eq!(months(&app.user("bia"), "?from=2026-03&to=2026-03"), ["2026-03 0.00 0.00 0.00 0.00 0.00"]);
}

#[test]
fn what_is_changed_moved_or_deleted_changes_the_months() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (current, savings) =
        (open(&ana, "Conta", "current", "0", "2026-01-01"), open(&ana, "Caderneta", "savings", "5.00", "2026-01-01"));
    let row = enter(&ana, current, "income", "2026-01-10", "40.00");
    let query = "?from=2026-01&to=2026-02";
    assert_eq!(months(&ana, query), ["2026-01 40.00 5.00 0.00 0.00 45.00", "2026-02 40.00 5.00 0.00 0.00 45.00"]);
    let moved =
        json!({ "type": "income", "account_id": savings, "date": "2026-02-10", "description": "x", "amount": "41.00" });
    ana.put(&format!("/api/transactions/{row}"), moved).ok();
    assert_eq!(months(&ana, query), ["2026-01 0.00 5.00 0.00 0.00 5.00", "2026-02 0.00 46.00 0.00 0.00 46.00"]);
    ana.delete(&format!("/api/transactions/{row}")).gone();
    ana.delete(&format!("/api/accounts/{savings}")).gone();
    assert_eq!(months(&ana, query), ["2026-01 0.00 0.00 0.00 0.00 0.00", "2026-02 0.00 0.00 0.00 0.00 0.00"]);
    assert_eq!(id(&ana.get("/api/accounts").ok()[0]), current);
}

#[test]
fn months_that_cannot_be_answered_for_are_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (query, field, code) in [
        ("?from=2026-03&to=2026-04", "to", "after_today"),
        ("?from=2026-03&to=2026-02", "to", "before_from"),
        ("?from=2006-03", "to", "too_many_months"),
        ("?from=2026-3", "from", "invalid_month"),
        ("?to=2026-13", "to", "invalid_month"),
    ] {
        let problem = ana.get(&format!("/api/net-worth{query}")).invalid(&[field]);
        assert_eq!(problem["errors"][0]["code"], code, "{query}");
    }
    assert_eq!(months(&ana, "?from=2006-04").len(), 240);
}

#[test]
fn a_coming_month_keeps_a_card_s_credit_after_its_bills_are_paid() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 15));
    for (at, (rows, expected)) in [
        (vec![("2026-02-20", "expense", "300.00"), ("2026-03-10", "income", "120.00")], "820.00"),
        (vec![("2026-02-20", "expense", "100.00"), ("2026-03-10", "income", "100.00")], "1000.00"),
        (vec![("2026-03-10", "income", "100.00")], "1100.00"),
    ]
    .into_iter()
    .enumerate()
    {
        let ana = app.user(&format!("ana-{at}"));
        open(&ana, "Conta", "current", "1000.00", "2026-01-01");
        let card = ana.open_card("Cartão", 25, 5);
        for (date, kind, amount) in rows {
            enter(&ana, card, kind, date, amount);
        }
        for month in ["2026-03", "2026-04", "2026-05"] {
            let dashboard = ana.get(&format!("/api/dashboard?month={month}")).ok();
            assert_eq!(dashboard["net_worth"], expected, "{at} {month}");
        }
    }
}
