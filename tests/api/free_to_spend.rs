//! What is free to spend, main incomes, how a month goes, and the net worth of other months.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

fn enter(client: &Client, kind: &str, account_id: i64, category_id: Option<i64>, day: &str, amount: &str) -> i64 {
    let body = json!({ "type": kind, "account_id": account_id, "category_id": category_id, "date": day,
        "description": "Algo", "amount": amount });
    client.create("/api/transactions", body)
}

fn recurring(client: &Client, kind: &str, account_id: i64, category_id: i64, day: u8, amount: &str) -> i64 {
    let body = json!({ "type": kind, "description": format!("Todo dia {day}"), "amount": amount, "day": day,
        "category_id": category_id, "account_id": account_id });
    client.create("/api/recurring", body)
}

/// An account with a salary of 5000.00 in each of the three months before.
fn earner(client: &Client, category: i64) -> i64 {
    let account = client.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    for month in ["2025-12", "2026-01", "2026-02"] {
        enter(client, "income", account, Some(category), &format!("{month}-05"), "5000.00");
        enter(client, "expense", account, None, &format!("{month}-20"), "4000.00");
    }
    account
}

#[test]
fn accounts_are_spendable_by_kind_until_somebody_says_otherwise() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let open = |name: &str, kind: &str, more: Value| {
        let mut body = json!({ "name": name, "kind": kind });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ana.post("/api/accounts", body).created()
    };
    let card = json!({ "closing_day": 10, "due_day": 20 });
    let conta = open("Conta", "current", json!({}));
    assert_eq!(conta["spendable"], true);
    assert_eq!(open("Caderneta", "savings", json!({}))["spendable"], false);
    assert_eq!(open("CDB", "investment", json!({}))["spendable"], false);
    assert_eq!(open("Cartão", "credit", card.clone())["spendable"], false);
    assert_eq!(open("Reserva", "savings", json!({ "spendable": true }))["spendable"], true);
    assert_eq!(open("Cofre", "current", json!({ "spendable": false }))["spendable"], false);
    let refused = json!({ "name": "Outro", "kind": "credit", "closing_day": 10, "due_day": 20, "spendable": true });
    ana.post("/api/accounts", refused).invalid(&["spendable"]);
    ana.post("/api/accounts", json!({ "name": "X", "kind": "current", "spendable": "yes" })).invalid(&["spendable"]);
    // A client of an earlier release does not send it.
    let path = format!("/api/accounts/{}", conta["id"]);
    ana.put(&path, json!({ "name": "Conta", "kind": "current", "spendable": false })).ok();
    assert_eq!(ana.put(&path, json!({ "name": "Conta 2", "kind": "current" })).ok()["spendable"], false);
    assert_eq!(ana.get(&path).ok()["spendable"], false);
    // An account of an earlier release.
    app.sql("update accounts set is_spendable = null");
    let listed = ana.get("/api/accounts").ok();
    for account in listed.as_array().unwrap() {
        assert_eq!(account["spendable"], account["kind"] == "current", "{account}");
    }
    // Documents have it.
    let document = ana.get("/api/export").ok();
    assert!(document["accounts"].as_array().unwrap().iter().all(|account| account.get("spendable").is_some()));
    let bia = app.user("bia");
    let mut old = document.clone();
    for account in old["accounts"].as_array_mut().unwrap() {
        account.as_object_mut().unwrap().remove("spendable");
    }
    for category in old["categories"].as_array_mut().unwrap() {
        category.as_object_mut().unwrap().remove("color");
    }
    bia.post("/api/restore", old).ok();
    let restored = bia.get("/api/accounts").ok();
    assert_eq!(restored.as_array().unwrap().iter().filter(|account| account["spendable"] == true).count(), 2);
}

#[test]
fn what_is_free_lasts_until_a_main_income_and_leaves_savings_alone() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let account = earner(&ana, category);
    let savings = ana.create(
        "/api/accounts",
        json!({ "name": "Caderneta", "kind": "savings", "opening_balance": "1000.00", "opening_date": "2026-01-01" }),
    );
    // The balance is 3000.00. A child's pocket money comes in two days, the salary on the 25th.
    recurring(&ana, "income", account, category, 12, "350.00");
    recurring(&ana, "income", account, category, 25, "5000.00");
    recurring(&ana, "expense", account, category, 20, "800.00");
    enter(&ana, "expense", savings, None, "2026-03-15", "400.00");
    let forecast = ana.get("/api/forecast?months=1").ok();
    assert_eq!((&forecast["opening"], &forecast["free_until"]), (&json!("4000.00"), &json!("2026-03-24")));
    assert_eq!(forecast["free_to_spend"], "2550.00");
    let dashboard = ana.get("/api/dashboard").ok();
    assert_eq!(dashboard["forecast"]["free_to_spend"], "2550.00");
    assert_eq!(dashboard["pace"]["free_until"], "2026-03-24");
    // The savings may be spent, too: 4000 + 350 - 800 - 400.
    let path = format!("/api/accounts/{savings}");
    ana.put(&path, json!({ "name": "Caderneta", "kind": "savings", "spendable": true })).ok();
    assert_eq!(ana.get("/api/forecast?months=1").ok()["free_to_spend"], "3150.00");
    // An income of exactly a quarter is a main one.
    recurring(&ana, "income", account, category, 18, "1250.00");
    assert_eq!(ana.get("/api/forecast?months=1").ok()["free_until"], "2026-03-17");
    assert_eq!(ana.get("/api/forecast?months=12").ok()["free_until"], "2026-03-17");
}

#[test]
fn what_is_free_is_the_same_for_any_number_of_months() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let account = ana.create(
        "/api/accounts",
        json!({ "name": "Conta", "kind": "current", "opening_balance": "2000.00", "opening_date": "2026-01-01" }),
    );
    recurring(&ana, "expense", account, category, 20, "100.00");
    // A yearly income a year ahead: no month that the dashboard looks at has it.
    let income = json!({ "type": "income", "description": "Bônus", "amount": "5000.00", "day": 10, "category_id": category,
        "account_id": account, "every": { "n": 1, "unit": "year" }, "start_on": "2027-03-10" });
    ana.create("/api/recurring", income);
    let free = |of: &Value| (of["free_to_spend"].clone(), of["free_until"].clone());
    for months in [1, 12, 13, 24] {
        let forecast = ana.get(&format!("/api/forecast?months={months}")).ok();
        assert_eq!(free(&forecast), (json!("1900.00"), json!("2026-03-31")), "{months}");
    }
    assert_eq!(ana.get("/api/dashboard").ok()["forecast"]["free_to_spend"], "1900.00");
}

#[test]
fn a_transfer_from_savings_is_spendable_and_an_investment_may_be() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let opened = |name: &str, kind: &str, spendable: bool| {
        let body = json!({ "name": name, "kind": kind, "spendable": spendable, "opening_balance": "100.00", "opening_date": "2026-01-01" });
        ana.create("/api/accounts", body)
    };
    let (bank, savings, fund) =
        (opened("Conta", "current", true), opened("Caderneta", "savings", false), opened("Fundo", "investment", true));
    let free = || ana.get("/api/forecast").ok()["free_to_spend"].clone();
    assert_eq!(free(), "200.00");
    let move_to = |from: i64, to: i64, amount: &str| {
        let body = json!({ "from_account_id": from, "to_account_id": to, "amount": amount, "date": "2026-03-11" });
        ana.post("/api/transfers", body).created()
    };
    move_to(bank, savings, "30.00");
    assert_eq!(free(), "170.00");
    move_to(fund, bank, "50.00");
    assert_eq!(free(), "170.00", "between spendable accounts");
    move_to(savings, fund, "10.00");
    assert_eq!(free(), "180.00", "what comes back is spendable");
    enter(&ana, "expense", fund, None, "2026-03-20", "80.00");
    assert_eq!(free(), "100.00");
    assert_eq!(ana.get("/api/forecast").ok()["opening"], "200.00", "the forecast is of current and savings accounts");
}

#[test]
fn bills_that_are_due_later_are_told() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let account = earner(&ana, category);
    recurring(&ana, "income", account, category, 5, "5000.00");
    enter(&ana, "income", account, Some(category), "2026-03-05", "5000.00");
    let card = ana.open_card("Nubank", 25, 7);
    enter(&ana, "expense", card, None, "2026-03-03", "2660.00");
    ana.get("/api/accounts").ok();
    let pace = ana.get("/api/dashboard").ok()["pace"].clone();
    assert_eq!((&pace["free_until"], &pace["bills_after"]), (&json!("2026-04-04"), &json!("2660.00")));
    let forecast = ana.get("/api/forecast").ok();
    assert_eq!(forecast["bills_after"], "2660.00");
}

#[test]
fn the_badge_is_for_a_main_income_only() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let account = earner(&ana, category);
    recurring(&ana, "income", account, category, 1, "350.00");
    let shown = ana.get("/api/dashboard").ok();
    assert_eq!(
        (&shown["pending_salary_badge"], shown["pending_income_recurrings"].as_array().unwrap().len()),
        (&json!(false), 1)
    );
    recurring(&ana, "income", account, category, 2, "1250.00");
    assert_eq!(ana.get("/api/dashboard").ok()["pending_salary_badge"], true);
    // What comes is measured by what came last, as in the forecast.
    let caio = app.user("caio");
    let category = caio.create("/api/categories", json!({ "name": "Renda" }));
    let account = earner(&caio, category);
    let freelance = json!({ "type": "income", "description": "Freela", "amount": "1000.00", "day": 5, "category_id": category,
        "account_id": account, "amount_min": "500.00", "amount_max": "9000.00", "expects": "last" });
    caio.create("/api/recurring", freelance);
    let shown = caio.get("/api/dashboard").ok();
    assert_eq!(shown["pending_income_recurrings"][0]["occurrences"][0]["amount"], "5000.00");
    assert_eq!(shown["pending_salary_badge"], true);
    // A household without earlier income has no measure.
    let bia = app.user("bia");
    let category = bia.create("/api/categories", json!({ "name": "Renda" }));
    let account = bia.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    recurring(&bia, "income", account, category, 1, "350.00");
    assert_eq!(bia.get("/api/dashboard").ok()["pending_salary_badge"], true);
}

#[test]
fn a_month_is_compared_with_its_plan_or_with_the_months_before() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 30));
    let ana = app.user("ana");
    let account = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    let food = ana.create("/api/categories", json!({ "name": "Comida" }));
    let other = ana.create("/api/categories", json!({ "name": "Prêmio", "nets_refunds": false }));
    for (day, amount) in [
        ("2025-12-30", "100.00"),
        ("2025-12-31", "7.00"),
        ("2026-01-01", "50.00"),
        ("2026-02-28", "31.00"),
        ("2026-03-01", "40.00"),
        ("2026-03-30", "2.00"),
        ("2026-03-31", "1000.00"),
    ] {
        enter(&ana, "expense", account, Some(food), day, amount);
    }
    enter(&ana, "income", account, Some(food), "2026-03-02", "5.00");
    enter(&ana, "income", account, Some(other), "2026-03-02", "900.00");
    enter(&ana, "income", account, None, "2026-03-02", "900.00");
    let pace = |of: &str| ana.get("/api/dashboard").ok()["pace"][of].clone();
    assert_eq!((pace("spent"), pace("planned"), pace("previous")), (json!("37.00"), Value::Null, json!("31.00")));
    // Months before the first one are none: a profile without any has no mean.
    let bia = app.user("bia");
    let mean = || bia.get("/api/dashboard").ok()["pace"]["average3"].clone();
    let conta = bia.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    assert_eq!(mean(), Value::Null);
    enter(&bia, "expense", conta, None, "2026-03-02", "8.00");
    assert_eq!(mean(), Value::Null);
    enter(&bia, "expense", conta, None, "2026-01-02", "90.00");
    assert_eq!(mean(), "45.00");
    // (31 + 50 + 100) / 3
    assert_eq!(pace("average3"), "60.33");
    // Budgets of the month, whether something was spent or not.
    ana.put(&format!("/api/categories/{food}"), json!({ "name": "Comida", "monthly_budget": "500.00" })).ok();
    ana.put("/api/budgets/2026-03", json!({ "budgets": [{ "category_id": other, "amount": "30.00" }] })).ok();
    assert_eq!((pace("planned"), pace("average3"), pace("previous")), (json!("530.00"), Value::Null, json!("31.00")));
    // A split row counts by line, and a transfer not at all.
    let savings = ana.create("/api/accounts", json!({ "name": "Caderneta", "kind": "savings" }));
    ana.post(
        "/api/transfers",
        json!({ "from_account_id": account, "to_account_id": savings, "amount": "9.00", "date": "2026-03-10" }),
    )
    .created();
    let split = json!({ "type": "expense", "account_id": account, "date": "2026-03-11", "description": "Loja", "amount": "10.00",
        "lines": [{ "category_id": food, "amount": "4.00" }, { "category_id": other, "amount": "6.00" }] });
    ana.post("/api/transactions", split).created();
    assert_eq!(pace("spent"), "47.00");
    assert_eq!(ana.get("/api/dashboard?month=2026-02").ok()["pace"], Value::Null);
    assert_eq!(ana.get("/api/dashboard?month=2026-02").ok()["expected"], Value::Null);
}

#[test]
fn another_months_net_worth_is_that_of_its_end() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let account = earner(&ana, category);
    let card = ana.open_card("Nubank", 25, 5);
    enter(&ana, "expense", card, None, "2026-03-02", "300.00");
    enter(&ana, "expense", card, None, "2026-04-02", "100.00");
    recurring(&ana, "income", account, category, 5, "5000.00");
    recurring(&ana, "expense", account, category, 15, "1800.00");
    let shown = |month: &str| ana.get(&format!("/api/dashboard?month={month}")).ok();
    let worth = |month: &str| shown(month)["net_worth"].clone();
    assert_eq!(worth("2025-11"), "0.00");
    assert_eq!(worth("2025-12"), "1000.00");
    assert_eq!(worth("2026-02"), "3000.00");
    assert_eq!(worth("2026-03"), "2700.00", "of today");
    let months = ana.get("/api/net-worth?from=2025-12&to=2026-03").ok();
    for row in months.as_array().unwrap() {
        assert_eq!(
            row["total"],
            worth(row["month"].as_str().unwrap()),
            "the chart, the accounts and the dashboard agree"
        );
    }
    // The salary of March is still to come: 2700 + 2 x 5000 - 2 x 1800 - 100.
    assert_eq!(worth("2026-04"), "9000.00");
    assert_eq!(worth("2026-05"), "12200.00");
    assert_eq!(worth("2199-12"), worth("2028-02"), "the forecast ends after 24 months");
    let april = shown("2026-04");
    assert_eq!(april["expected"], json!({ "income": "5000.00", "expenses": "1900.00", "result": "3100.00" }));
    assert_eq!(
        shown("2026-03")["expected"],
        json!({ "income": "5000.00", "expenses": "2100.00", "result": "2900.00" })
    );
    assert_eq!((&april["forecast"], &april["pace"]), (&Value::Null, &Value::Null));
    assert_eq!(shown("2026-02")["expected"], Value::Null);
}

#[test]
fn what_will_be_bought_on_cards_is_owed_at_the_end_of_its_month() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 06 - 10));
    let worths = |name: &str, buy: &dyn Fn(&Client, i64)| {
        let ana = app.user(name);
        let bank =
            json!({ "name": "Conta", "kind": "current", "opening_balance": "6000.00", "opening_date": "2026-01-01" });
        ana.create("/api/accounts", bank);
        let card = ana.open_card("Nubank", 25, 5);
        buy(&ana, card);
        ["2026-06", "2026-07", "2026-08", "2026-09"]
            .map(|month| ana.get(&format!("/api/dashboard?month={month}")).ok()["net_worth"].clone())
    };
    let item = |ana: &Client, card: i64| {
        let category = ana.create("/api/categories", json!({ "name": "Streaming" }));
        recurring(ana, "expense", card, category, 12, "40.00");
    };
    // Of the present month it is that of today.
    assert_eq!(worths("ana", &item), ["6000.00", "5920.00", "5880.00", "5840.00"]);
    // A purchase in instalments is worth the same, however the service knows it.
    let from_bank = |ana: &Client, card: i64| {
        let first = json!({ "type": "expense", "account_id": card, "date": "2026-06-02", "amount": "100.00",
            "description": "LOJA - Parcela 1/3" });
        ana.create("/api/transactions", first);
    };
    let entered = |ana: &Client, card: i64| {
        let plan = json!({ "account_id": card, "description": "Loja", "date": "2026-06-02", "count": 3,
            "total_amount": "300.00" });
        ana.post("/api/installments", plan).created();
    };
    let both = [worths("bia", &from_bank), worths("caio", &entered)];
    assert_eq!(both[0], ["5900.00", "5800.00", "5700.00", "5700.00"]);
    assert_eq!(both[0], both[1]);
}
