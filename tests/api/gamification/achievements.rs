//! Achievements: budgets, complete months, savings.

use finance_tests::TestApp;
use serde_json::{Value, json};
use time::Date;
use time::macros::date;

use super::{achievement, category, count, expense, income, xp};

#[test]
fn a_category_has_its_achievement_while_it_has_a_budget_and_for_good_once_earned() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let pets = category(&ana, "Pets", Value::Null);
    let key = format!("category_budget_{pets}");
    let path = format!("/api/categories/{pets}");
    let budget = |budget: Value| ana.put(&path, json!({ "name": "Pets", "monthly_budget": budget })).ok();
    let earned = || achievement(&ana, &key).map(|achievement| !achievement["earned_at"].is_null());
    assert_eq!(earned(), None);
    budget(json!("100"));
    assert_eq!(earned(), Some(false));
    let listed = achievement(&ana, &key).unwrap();
    assert_eq!(listed["category_id"], pets);
    assert!(listed["title"].as_str().unwrap().contains("Pets"), "{listed}");
    budget(Value::Null);
    assert_eq!(earned(), None);
    budget(json!("100"));

    let spend = |date: Date, amount: &str| {
        let mut body = expense(date, "Ração", amount);
        body["category_id"] = pets.clone();
        ana.post("/api/transactions", body).created()["id"].clone()
    };
    spend(date!(2026 - 03 - 01), "10");
    assert_eq!(earned(), Some(false), "this month is not complete");
    spend(date!(2026 - 01 - 31), "10");
    assert_eq!(earned(), Some(false), "January is not the last one");
    let too_much = spend(date!(2026 - 02 - 28), "100.01");
    assert_eq!(earned(), Some(false));
    ana.delete(&format!("/api/transactions/{too_much}")).gone();
    spend(date!(2026 - 02 - 28), "100.00");
    assert_eq!(earned(), Some(true));
    assert_eq!(count(&ana, "category_budget_kept"), 1);

    budget(Value::Null);
    assert_eq!(earned(), Some(true), "earned is earned");
    let bia = app.user("bia");
    assert!(achievement(&bia, &key).is_none());
    ana.delete("/api/transactions?month=2026-01").ok();
    ana.delete("/api/transactions?month=2026-02").ok();
    ana.delete("/api/transactions?month=2026-03").ok();
    ana.delete(&path).gone();
    assert_eq!(earned(), None, "it goes with its category");
    // A new category with the same name earns nothing more.
    let before = xp(&ana);
    let pets = category(&ana, "Pets", json!("100"));
    let mut body = expense(date!(2026 - 02 - 28), "Ração", "100.00");
    body["category_id"] = pets.clone();
    ana.post("/api/transactions", body).created();
    assert_eq!(xp(&ana), before);
}

#[test]
fn a_month_that_turns_complete_is_checked_by_a_dashboard_read() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let pets = category(&ana, "Pets", json!("100"));
    let mut body = expense(date!(2026 - 03 - 10), "Ração", "60");
    body["category_id"] = pets.clone();
    ana.post("/api/transactions", body).created();
    ana.get("/api/dashboard").ok();
    assert_eq!(count(&ana, "category_budget_kept"), 0);
    app.clock.set_today(date!(2026 - 04 - 01));
    ana.get("/api/dashboard").ok();
    assert_eq!(count(&ana, "category_budget_kept"), 1);
}

#[test]
fn the_savings_goal_is_earned_by_reading_a_month_that_met_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let fixed = |key: &str| !achievement(&ana, key).unwrap()["earned_at"].is_null();
    ana.put("/api/settings", json!({ "savings_goal_pct": 40 })).ok();
    ana.post("/api/transactions", income(date!(2026 - 03 - 01), "Salário", "1000")).created();
    ana.post("/api/transactions", expense(date!(2026 - 03 - 02), "Aluguel", "600.10")).created();
    ana.post("/api/transactions", income(date!(2026 - 04 - 01), "Salário", "1000")).created();
    ana.get("/api/dashboard").ok();
    assert!(!fixed("savings_goal_met"), "39.99 is below 40");
    ana.get("/api/dashboard?month=2026-04").ok();
    assert!(!fixed("savings_goal_met"), "April is to come");
    ana.post("/api/transactions", income(date!(2026 - 03 - 03), "Troco", "0.20")).created();
    assert!(!fixed("savings_goal_met"), "it is the read that earns it");
    let before = xp(&ana);
    assert_eq!(ana.get("/api/dashboard").ok()["savings_pct"], 40.0);
    assert!(fixed("savings_goal_met"));
    let earned = xp(&ana);
    assert!(earned > before);
    ana.get("/api/dashboard").ok();
    assert_eq!(xp(&ana), earned, "a month earns once");
    app.clock.set_today(date!(2026 - 05 - 02));
    ana.get("/api/dashboard?month=2026-04").ok();
    assert_eq!(count(&ana, "savings_checked"), 2);
}

#[test]
fn the_first_read_of_a_day_earns_though_it_makes_a_bill() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.open_card("Cartão", 25, 5);
    ana.post("/api/transactions", income(date!(2026 - 03 - 01), "Salário", "1000")).created();
    app.clock.set_today(date!(2026 - 04 - 02));
    ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!(count(&ana, "savings_checked"), 1);
}
