//! Investments on a fixed rate, on IPCA and on Selic.

use finance_domain::yields::Series;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// An investment of 1000.00 since 31 December 2024.
fn investment(client: &Client, yield_type: &str, rate: Value) -> i64 {
    let body = json!({ "name": format!("{yield_type} {rate}"), "kind": "investment", "yield_type": yield_type,
        "yield_rate": rate, "last_yield_date": "2024-12-31", "opening_balance": "1000.00", "opening_date": "2024-12-31" });
    client.create("/api/accounts", body)
}

/// Lists the accounts, then returns the yields of one, oldest first, as `description: amount`.
fn paid(client: &Client, account_id: i64) -> Vec<String> {
    client.get("/api/accounts").ok();
    let rows = client.all(&format!("/api/transactions?account_id={account_id}"));
    let yields = rows.iter().rev().filter(|row| row["source"] == "yield");
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_string();
    yields.map(|row| format!("{}: {} {}", text(row, "description"), text(row, "type"), text(row, "amount"))).collect()
}

/// The daily rates of January 2025, as CDI and as Selic.
fn publish(app: &TestApp) {
    for series in [Series::Cdi, Series::Selic] {
        app.rates.publish_weekdays_of(series, date!(2024 - 12 - 02), date!(2024 - 12 - 24), "0.045513");
        app.rates.publish_weekdays_of(series, date!(2024 - 12 - 26), date!(2024 - 12 - 31), "0.045513");
        app.rates.publish_weekdays_of(series, date!(2025 - 01 - 02), date!(2025 - 01 - 29), "0.045513");
        app.rates.publish_weekdays_of(series, date!(2025 - 01 - 30), date!(2025 - 01 - 31), "0.049037");
    }
    app.clock.set_today(date!(2025 - 02 - 01));
}

#[test]
fn a_month_pays_what_the_market_pays() {
    let app = TestApp::start();
    publish(&app);
    app.rates.publish_of(Series::Ipca, date!(2024 - 12 - 01), "0.52");
    app.rates.publish_of(Series::Ipca, date!(2025 - 01 - 01), "0.16");
    let ana = app.user("ana");
    for (yield_type, rate, description, amount) in [
        ("fixed", json!(12), "Rendimento prefixado", "9.94"),
        ("selic", json!(0.1), "Rendimento Selic", "10.22"),
        ("selic", Value::Null, "Rendimento Selic", "10.13"),
        ("ipca", json!(6), "Rendimento IPCA", "6.71"),
        ("ipca", Value::Null, "Rendimento IPCA", "1.60"),
    ] {
        let id = investment(&ana, yield_type, rate);
        assert_eq!(paid(&ana, id), [format!("{description} 01/01/2025 a 31/01/2025: income {amount}")]);
        assert_eq!(ana.get(&format!("/api/accounts/{id}")).ok()["last_yield_date"], "2025-01-31");
    }
}

#[test]
fn ipca_waits_for_its_index_and_a_fall_is_an_expense() {
    let app = TestApp::start();
    publish(&app);
    let ana = app.user("ana");
    let id = investment(&ana, "ipca", json!(6));
    assert_eq!(paid(&ana, id), Vec::<String>::new(), "the index is away");
    app.rates.publish_of(Series::Ipca, date!(2024 - 12 - 01), "0.52");
    assert_eq!(paid(&ana, id), Vec::<String>::new(), "it is not published yet");
    app.rates.publish_of(Series::Ipca, date!(2025 - 01 - 01), "-0.68");
    assert_eq!(paid(&ana, id), ["Rendimento IPCA 01/01/2025 a 31/01/2025: expense 1.73"]);
    assert_eq!(ana.get(&format!("/api/accounts/{id}")).ok()["balance"], "998.27");
    assert_eq!(paid(&ana, id).len(), 1);
}

#[test]
fn a_rate_is_asked_for_where_it_says_something_and_is_within_bounds() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = |yield_type: &str, rate: Value| json!({ "name": yield_type, "kind": "investment", "yield_type": yield_type, "yield_rate": rate });
    for (yield_type, rate, code) in [
        ("fixed", Value::Null, "required"),
        ("fixed", json!(0), "out_of_open_range"),
        ("fixed", json!(1000.01), "out_of_open_range"),
        ("ipca", json!(-0.01), "out_of_range"),
        ("selic", json!(1001), "out_of_range"),
        ("ipca", json!(6.155), "too_many_decimals"),
        ("selic", json!("6"), "not_a_number"),
        ("cdi", json!(-1), "out_of_range"),
    ] {
        let problem = ana.post("/api/accounts", body(yield_type, rate)).invalid(&["yield_rate"]);
        assert_eq!(problem["errors"][0]["code"], code, "{yield_type}");
    }
    let rate_of = |account: Value| account["yield_rate"].clone();
    assert_eq!(rate_of(ana.post("/api/accounts", body("fixed", json!(11.5))).created()), json!(11.5));
    assert_eq!(rate_of(ana.post("/api/accounts", body("ipca", Value::Null)).created()), json!(0));
    let cdi = ana.post("/api/accounts", body("cdi", json!(11.5))).created();
    assert_eq!(rate_of(cdi.clone()), Value::Null, "it says nothing of a percentage of the CDI rate");
    // After a switch to another rule, the yield goes on from the last day that is done.
    let mut switched = cdi.clone();
    (switched["yield_type"], switched["yield_rate"]) = (json!("selic"), json!(0.2));
    let switched = ana.put(&format!("/api/accounts/{}", cdi["id"]), switched).ok();
    assert_eq!((&switched["yield_rate"], &switched["last_yield_date"]), (&json!(0.2), &cdi["last_yield_date"]));
}
