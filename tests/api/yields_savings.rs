//! The yield of poupança, which `GET /api/accounts` pays on the day of each lot.

use finance_domain::yields::Series;
use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::Date;
use time::macros::date;

/// A poupança account whose yield is done until a date.
fn savings(client: &Client, name: &str, done: &str) -> i64 {
    let body = json!({ "name": name, "kind": "savings", "yield_type": "poupanca", "last_yield_date": done });
    client.create("/api/accounts", body)
}

fn enter(client: &Client, account_id: i64, kind: &str, date: &str, amount: &str) {
    let body =
        json!({ "type": kind, "account_id": account_id, "date": date, "description": "Dinheiro", "amount": amount });
    client.create("/api/transactions", body);
}

/// Lists the accounts, then returns the yields of one, oldest first, as `date: amount`.
fn paid(client: &Client, account_id: i64) -> Vec<String> {
    client.get("/api/accounts").ok();
    let rows = client.all(&format!("/api/transactions?account_id={account_id}&limit=1000"));
    let yields = rows.iter().rev().filter(|row| row["source"] == "yield");
    yields.map(|row| format!("{}: {}", row["date"].as_str().unwrap(), row["amount"].as_str().unwrap())).collect()
}

fn account(client: &Client, account_id: i64) -> Value {
    client.get(&format!("/api/accounts/{account_id}")).ok()
}

fn publish(app: &TestApp) {
    app.rates.publish_of(Series::Savings, date!(2026 - 01 - 10), "0.6700");
    app.rates.publish_of(Series::Savings, date!(2026 - 02 - 10), "0.6500");
}

/// Publishes 0.5 % for every period that begins between the two dates.
fn publish_all(app: &TestApp, first: Date, last: Date) {
    let mut day = first;
    while day <= last {
        app.rates.publish_of(Series::Savings, day, "0.5");
        day = day.next_day().unwrap();
    }
}

#[test]
fn a_deposit_earns_on_its_day_of_every_month() {
    let app = TestApp::start();
    publish(&app);
    let ana = app.user("ana");
    let (whole, cut) = (savings(&ana, "Poupança", "2026-01-10"), savings(&ana, "Outra", "2026-01-10"));
    for id in [whole, cut] {
        enter(&ana, id, "income", "2026-01-10", "1000.00");
    }
    enter(&ana, cut, "expense", "2026-02-09", "400.00");
    assert_eq!(paid(&ana, whole), ["2026-02-10: 6.70", "2026-03-10: 6.54"]);
    assert_eq!(paid(&ana, cut), ["2026-02-10: 4.02", "2026-03-10: 3.93"]);
    let rows = ana.all(&format!("/api/transactions?account_id={whole}"));
    let last = &rows[0];
    assert_eq!(last["description"], "Rendimento poupança 10/02/2026 a 10/03/2026");
    assert_eq!((&last["type"], &last["category_id"]), (&json!("income"), &Value::Null));
    let account = account(&ana, whole);
    assert_eq!((&account["balance"], &account["last_yield_date"]), (&json!("1013.24"), &json!("2026-03-15")));
    assert_eq!((&account["iof"], &account["net_balance"]), (&Value::Null, &Value::Null));
    assert_eq!(app.rates.requests(), 1, "nothing more is due");
}

#[test]
fn a_day_is_paid_on_the_day_itself() {
    let app = TestApp::start();
    publish(&app);
    let ana = app.user("ana");
    app.clock.set_today(date!(2026 - 02 - 09));
    let body = json!({ "name": "Poupança", "kind": "savings", "yield_type": "poupanca", "last_yield_date": "2026-01-10",
        "opening_balance": "1000.00", "opening_date": "2026-01-10" });
    let id = ana.create("/api/accounts", body);
    assert_eq!(paid(&ana, id), Vec::<String>::new());
    assert_eq!(app.rates.requests(), 0, "no rate is needed yet");
    app.clock.set_today(date!(2026 - 02 - 10));
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70"]);
    app.clock.set_today(date!(2026 - 03 - 09));
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70"]);
    app.clock.set_today(date!(2026 - 03 - 10));
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70", "2026-03-10: 6.54"]);
}

#[test]
fn a_deposit_of_the_31st_counts_from_the_first() {
    let app = TestApp::start();
    publish_all(&app, date!(2026 - 01 - 01), date!(2026 - 03 - 01));
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2026-01-01");
    enter(&ana, id, "income", "2026-01-31", "1000.00");
    assert_eq!(paid(&ana, id), ["2026-03-01: 5.00"]);
}

#[test]
fn a_missing_rate_waits_and_a_provider_that_is_away_is_no_error() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2026-01-10");
    enter(&ana, id, "income", "2026-01-10", "1000.00");
    assert_eq!(paid(&ana, id), Vec::<String>::new());
    assert_eq!(account(&ana, id)["last_yield_date"], "2026-02-09", "the day of the lot waits");
    app.rates.publish_of(Series::Savings, date!(2026 - 01 - 10), "0.6700");
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70"]);
    assert_eq!(account(&ana, id)["last_yield_date"], "2026-03-09");
    publish(&app);
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70", "2026-03-10: 6.54"]);
}

#[test]
fn one_series_that_is_away_does_not_keep_the_other_from_being_paid() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2026 - 02 - 01), date!(2026 - 03 - 13), "0.05");
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2026-01-10");
    enter(&ana, id, "income", "2026-01-10", "1000.00");
    let cdb = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "last_yield_date": "2026-03-11",
        "opening_balance": "1000.00", "opening_date": "2026-03-11" });
    let cdb = ana.create("/api/accounts", cdb);
    assert_eq!(paid(&ana, cdb), ["2026-03-14: 1.50"]);
    assert_eq!(paid(&ana, id), Vec::<String>::new());
}

#[test]
fn history_that_comes_after_the_account_was_listed_still_earns() {
    let app = TestApp::start();
    publish(&app);
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2026-01-01");
    ana.get("/api/accounts").ok();
    enter(&ana, id, "income", "2026-01-10", "1000.00");
    assert_eq!(paid(&ana, id), ["2026-02-10: 6.70", "2026-03-10: 6.54"]);
}

#[test]
fn a_yield_that_was_deleted_is_not_paid_again() {
    let app = TestApp::start();
    publish(&app);
    let ana = app.user("ana");
    let account_id = savings(&ana, "Poupança", "2026-01-10");
    enter(&ana, account_id, "income", "2026-01-10", "1000.00");
    app.clock.set_today(date!(2026 - 02 - 12));
    assert_eq!(paid(&ana, account_id), ["2026-02-10: 6.70"]);
    let rows = ana.all(&format!("/api/transactions?account_id={account_id}"));
    ana.delete(&format!("/api/transactions/{}", id(&rows[0]))).gone();
    app.clock.set_today(date!(2026 - 03 - 12));
    assert_eq!(paid(&ana, account_id), ["2026-03-10: 6.50"]);
}

#[test]
fn concurrent_listings_pay_each_day_once() {
    let app = TestApp::start();
    publish_all(&app, date!(2025 - 01 - 01), date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2025-01-01");
    for day in ["2025-01-05", "2025-01-15", "2025-01-25", "2025-01-31"] {
        enter(&ana, id, "income", day, "1000.00");
    }
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let listed = ana.get("/api/accounts").ok();
                assert_eq!(listed[0]["last_yield_date"], "2026-03-15", "each answer shows completed yields only");
            });
        }
    });
    let paid = paid(&ana, id);
    let days: std::collections::BTreeSet<&str> = paid.iter().map(|row| &row[..10]).collect();
    assert_eq!((paid.len(), days.len()), (13 + 14 + 14 + 13, 13 + 14 + 14 + 13));
}

#[test]
fn only_savings_are_poupanca_and_only_investments_are_taxed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for kind in ["current", "investment"] {
        let body = json!({ "name": "x", "kind": kind, "yield_type": "poupanca" });
        let problem = ana.post("/api/accounts", body).invalid(&["yield_type"]);
        assert_eq!(problem["errors"][0]["code"], "only_on_savings");
    }
    for yield_type in ["cdi", "variable", "fixed", "ipca", "selic"] {
        let body = json!({ "name": "x", "kind": "savings", "yield_type": yield_type, "yield_rate": 1 });
        let problem = ana.post("/api/accounts", body).invalid(&["yield_type"]);
        assert_eq!(problem["errors"][0]["code"], "only_on_investment");
    }
    let body = json!({ "name": "x", "kind": "savings", "yield_type": "poupanca", "yield_tax": "regressive" });
    ana.post("/api/accounts", body).invalid(&["yield_tax"]);
    let body = json!({ "name": "x", "kind": "investment", "yield_tax": "progressive", "yield_day_count": "252" });
    ana.post("/api/accounts", body).invalid(&["yield_day_count", "yield_tax"]);
    let id = savings(&ana, "Poupança", "2026-01-10");
    let read = account(&ana, id);
    assert_eq!((&read["yield_type"], &read["yield_tax"]), (&json!("poupanca"), &json!("none")));
    assert_eq!(ana.put(&format!("/api/accounts/{id}"), read.clone()).ok(), read, "what was read may be sent back");
}

#[test]
fn ten_years_of_daily_deposits_are_paid_at_once() {
    let app = TestApp::start();
    publish_all(&app, date!(2016 - 01 - 01), date!(2026 - 03 - 01));
    let ana = app.user("ana");
    let id = savings(&ana, "Poupança", "2015-12-31");
    let mut rows = Vec::new();
    let mut day = date!(2016 - 01 - 01);
    while day < date!(2026 - 01 - 01) {
        rows.push(json!({ "date": day.to_string(), "description": "Depósito", "amount": "10.00", "type": "income" }));
        day = day.next_day().unwrap();
    }
    let count = rows.len();
    let body = json!({ "account_id": id, "format": "csv", "rows": rows });
    assert_eq!(ana.post("/api/import/confirm?transactions=false", body).created()["inserted"], count);
    ana.get("/api/accounts").ok();
    let account = ana.get("/api/accounts").ok()[0].clone();
    assert_eq!(account["last_yield_date"], "2026-03-15");
    let yields = app.rows("select count(*)::int as count from transactions where source = 'yield'");
    // 28 lots in each of 121 months, and 15 of them in the last month, March. In the first month no lot is paid yet.
    assert_eq!(yields[0]["count"], 28 * 121 + 15);
}
