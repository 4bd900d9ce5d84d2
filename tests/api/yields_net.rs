//! The day count of single accounts, and their balance without the taxes on yield.

use finance_domain::yields::DayCount;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// An investment of 1000.00 since 31 December 2024, with more fields.
fn investment(client: &Client, name: &str, more: Value) -> i64 {
    let mut body = json!({ "name": name, "kind": "investment", "yield_type": "cdi", "last_yield_date": "2024-12-31",
        "opening_balance": "1000.00", "opening_date": "2024-12-31" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.create("/api/accounts", body)
}

fn account(client: &Client, account_id: i64) -> Value {
    let listed = client.get("/api/accounts").ok();
    listed.as_array().unwrap().iter().find(|account| account["id"] == account_id).unwrap().clone()
}

/// The rates as published for January 2025.
fn publish_january(app: &TestApp) {
    app.rates.publish_weekdays(date!(2024 - 12 - 02), date!(2024 - 12 - 11), "0.041957");
    app.rates.publish_weekdays(date!(2024 - 12 - 12), date!(2024 - 12 - 24), "0.045513");
    app.rates.publish_weekdays(date!(2024 - 12 - 26), date!(2024 - 12 - 31), "0.045513");
    app.rates.publish_weekdays(date!(2025 - 01 - 02), date!(2025 - 01 - 29), "0.045513");
    app.rates.publish_weekdays(date!(2025 - 01 - 30), date!(2025 - 01 - 31), "0.049037");
    app.clock.set_today(date!(2025 - 02 - 01));
}

#[test]
fn an_account_counts_days_as_it_says_and_taxes_leave_what_a_bank_shows() {
    let app = TestApp::start();
    publish_january(&app);
    let ana = app.user("ana");
    let business = investment(&ana, "Nubank", json!({ "yield_day_count": "business", "yield_tax": "regressive" }));
    let calendar = investment(&ana, "LCI", json!({}));
    let more = investment(&ana, "CDB", json!({ "cdi_percentage": 95, "yield_day_count": "business" }));
    let (business, calendar, more) = (account(&ana, business), account(&ana, calendar), account(&ana, more));
    assert_eq!(business["balance"], "1010.13");
    let net = json!([business["iof"], business["income_tax"], business["net_balance"]]);
    assert_eq!(net, json!(["0.00", "2.28", "1007.85"]));
    assert_eq!((&business["yield_day_count"], &business["yield_tax"]), (&json!("business"), &json!("regressive")));
    assert_eq!((&calendar["balance"], &calendar["yield_day_count"]), (&json!("1014.28"), &json!("calendar")));
    assert_eq!(
        (&calendar["iof"], &calendar["income_tax"], &calendar["net_balance"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(more["balance"], "1009.62", "by the percentage of each day's rate");
    let dashboard = ana.get("/api/dashboard?month=2025-01").ok();
    let worth = |name: &str| dashboard[name].as_str().unwrap().to_string();
    assert_eq!((worth("net_worth"), worth("net_worth_after_tax")), ("3034.03".into(), "3031.75".into()));
    assert_eq!(ana.get(&format!("/api/accounts/{}", business["id"])).ok(), business, "read alone it is the same");
}

#[test]
fn what_an_account_earned_by_month_has_its_part_of_the_taxes() {
    let app = TestApp::start();
    publish_january(&app);
    let ana = app.user("ana");
    let taxed = investment(&ana, "Nubank", json!({ "yield_day_count": "business", "yield_tax": "regressive" }));
    let free = investment(&ana, "LCI", json!({ "yield_day_count": "business" }));
    account(&ana, taxed);
    let months = |id: i64, query: &str| ana.get(&format!("/api/accounts/{id}/yields{query}")).ok();
    let january = json!({ "month": "2025-01", "gross": "10.13", "tax": "2.28", "net": "7.85" });
    let february = json!({ "month": "2025-02", "gross": "0.00", "tax": "0.00", "net": "0.00" });
    assert_eq!(months(taxed, "?months=2"), json!([january, february]));
    let untaxed = json!({ "month": "2025-01", "gross": "10.13", "tax": "0.00", "net": "10.13" });
    assert_eq!(months(free, "?months=2")[0], untaxed);
    let year = months(taxed, "");
    assert_eq!((year.as_array().unwrap().len(), &year[0]["month"]), (12, &json!("2024-03")));
    for wrong in ["0", "25", "x"] {
        ana.get(&format!("/api/accounts/{taxed}/yields?months={wrong}")).invalid(&["months"]);
    }
    app.user("eve").get(&format!("/api/accounts/{taxed}/yields")).problem(404, "ErrNotFound");
}

#[test]
fn an_account_that_says_nothing_follows_the_setting() {
    let app = TestApp::start_with(DayCount::Business);
    publish_january(&app);
    let ana = app.user("ana");
    let follows = investment(&ana, "Segue", json!({ "yield_day_count": null }));
    let own = investment(&ana, "Própria", json!({ "yield_day_count": "calendar" }));
    let read = account(&ana, follows);
    assert_eq!((&read["balance"], &read["yield_day_count"]), (&json!("1010.13"), &json!("business")));
    assert_eq!(account(&ana, own)["balance"], "1014.28");
    let stored = |id: i64| app.rows(&format!("select yield_day_count from accounts where id = {id}"))[0].clone();
    let path = format!("/api/accounts/{follows}");
    assert_eq!(ana.put(&path, read).ok()["yield_day_count"], "business");
    assert_eq!(stored(follows)["yield_day_count"], Value::Null, "what was read and sent back ties to nothing");
    let mut chosen = account(&ana, follows);
    chosen["yield_day_count"] = json!("calendar");
    assert_eq!(ana.put(&path, chosen.clone()).ok()["yield_day_count"], "calendar");
    chosen["yield_day_count"] = json!("business");
    assert_eq!(ana.put(&path, chosen).ok()["yield_day_count"], "business");
    assert_eq!(stored(follows)["yield_day_count"], "business", "a choice stays one");
}

#[test]
fn what_is_young_bears_iof_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.rates.publish_weekdays(date!(2026 - 02 - 01), date!(2026 - 03 - 13), "1");
    app.clock.set_today(date!(2026 - 03 - 12));
    let body = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "yield_tax": "regressive",
        "last_yield_date": "2026-03-10", "opening_balance": "1000.00", "opening_date": "2026-03-02" });
    let id = ana.create("/api/accounts", body);
    let read = account(&ana, id);
    let net = json!([read["balance"], read["iof"], read["income_tax"], read["net_balance"]]);
    assert_eq!(net, json!(["1010.00", "6.60", "0.76", "1002.64"]), "10.00 of yield, ten days old");
    assert_eq!(ana.all(&format!("/api/transactions?account_id={id}")).len(), 2, "nothing is posted");
    // The whole balance is withdrawn, so there are no taxes left.
    let out = json!({ "type": "expense", "account_id": id, "date": "2026-03-12", "description": "Resgate", "amount": "1010.00" });
    ana.create("/api/transactions", out);
    let read = account(&ana, id);
    assert_eq!((&read["iof"], &read["net_balance"]), (&json!("0.00"), &json!("0.00")));
}
