//! `/api/dashboard`.

use std::collections::{BTreeMap, BTreeSet};

use finance_tests::{Client, TestApp, cents, id, money, signed_cents};
use serde_json::{Value, json};
use time::macros::date;

fn dashboard(client: &Client, month: &str) -> Value {
    let dashboard = client.get(&format!("/api/dashboard?month={month}")).ok();
    assert_eq!(dashboard["month"], month);
    dashboard
}

fn transaction(client: &Client, kind: &str, category_id: Option<i64>, date: &str, amount: &str) -> i64 {
    client.create(
        "/api/transactions",
        json!({ "type": kind, "category_id": category_id, "date": date, "description": "Algo", "amount": amount }),
    )
}

/// A percentage in hundredths of a percent. None for null.
fn hundredths(percentage: &Value) -> Option<i128> {
    let text = percentage.as_number()?.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    assert!(rest.len() <= 2, "{text} has more than two decimals");
    Some(format!("{whole}{rest:0<2}").parse().unwrap())
}

/// 100 × (income − expenses) / (income − taxes), in hundredths of a percent. It is rounded to the closer neighbour. If both
/// neighbours are equally close, it is rounded to the even one.
fn savings(income: i128, expenses: i128, taxes: i128) -> Option<i128> {
    let (saved, disposable) = ((income - expenses) * 10_000, income - taxes);
    if disposable <= 0 {
        return None;
    }
    let below = saved.div_euclid(disposable);
    let distance = |candidate: i128| (saved - candidate * disposable).abs();
    [below, below + 1].into_iter().min_by_key(|candidate| (distance(*candidate), candidate.rem_euclid(2)))
}

/// This number of months, beginning with the first one, as text.
fn months(first: (i32, u8), count: usize) -> Vec<String> {
    let number = |later: usize| first.0 * 12 + i32::from(first.1) - 1 + i32::try_from(later).unwrap();
    (0..count).map(|later| format!("{:04}-{:02}", number(later) / 12, number(later) % 12 + 1)).collect()
}

/// Pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Two years of a household: rows with and without category and account, taxes, transfers, opening
/// balances, yields, and two months in which nothing happened.
fn household(app: &TestApp) -> Client {
    let ana = app.user("ana");
    app.clock.set_today(date!(2026 - 03 - 15));
    app.rates.publish_weekdays(date!(2025 - 12 - 01), date!(2026 - 03 - 31), "0.05");
    let open = |name: &str, kind: &str, opening: &str, more: Value| {
        let mut body = json!({ "name": name, "kind": kind, "opening_balance": opening, "opening_date": "2026-01-10" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ana.create("/api/accounts", body)
    };
    let bank = open("Banco", "current", "1234.56", json!({}));
    let saved = open("Poupança", "savings", "-10.00", json!({}));
    let yielding = json!({ "yield_type": "cdi", "last_yield_date": "2025-12-31" });
    let invested = open("CDB", "investment", "50000.00", yielding);
    let card = open("Cartão", "credit", "-5.00", json!({ "closing_day": 10, "due_day": 20 }));
    let mut categories: Vec<Option<i64>> =
        ana.get("/api/categories").ok().as_array().unwrap().iter().map(|category| Some(id(category))).collect();
    for (name, is_tax) in [("IPTU", true), ("Zoológico", false)] {
        let body = json!({ "name": name, "is_tax": is_tax, "monthly_budget": "300.00" });
        categories.push(Some(ana.create("/api/categories", body)));
    }
    categories.push(None);
    let mut numbers = Numbers(20_260_315);
    let months: Vec<String> =
        months((2024, 12), 17).into_iter().filter(|month| month != "2025-08" && month != "2025-11").collect();
    for account_id in [Some(bank), Some(saved), Some(card), None] {
        let rows: Vec<Value> = (0..150)
            .map(|number| {
                let month = &months[usize::try_from(numbers.below(months.len() as u64)).unwrap()];
                let category = categories[usize::try_from(numbers.below(categories.len() as u64)).unwrap()];
                json!({
                    "date": format!("{month}-{:02}", numbers.below(28) + 1),
                    "description": format!("Linha {number} de {account_id:?}"),
                    "amount": money(i128::from(numbers.below(400_000)) + 1),
                    "type": if numbers.below(3) == 0 { "income" } else { "expense" },
                    "category_id": category,
                })
            })
            .collect();
        let body = json!({ "account_id": account_id, "file_name": "x.csv", "format": "csv", "rows": rows });
        assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 150);
    }
    for month in &months {
        let body = json!({ "from_account_id": bank, "to_account_id": invested, "amount": "99.99",
            "date": format!("{month}-28") });
        ana.create("/api/transfers", body);
    }
    ana.get("/api/accounts").ok();
    assert!(ana.all_transactions().iter().filter(|row| row["source"] == "yield").count() >= 3);
    ana
}

#[test]
fn every_figure_of_every_month_is_what_the_transactions_say() {
    let app = TestApp::start();
    let ana = household(&app);
    let rows = ana.all_transactions();
    let categories = ana.get("/api/categories").ok();
    let categories: BTreeMap<i64, &Value> =
        categories.as_array().unwrap().iter().map(|category| (id(category), category)).collect();
    let counts = |row: &&Value| row["source"] != "transfer" && row["source"] != "opening_balance";
    let in_month = |row: &Value, month: &str| row["date"].as_str().unwrap().starts_with(month);
    let totals = |month: &str| {
        let (mut income, mut expenses, mut taxes) = (0, 0, 0);
        for row in rows.iter().filter(counts).filter(|row| in_month(row, month)) {
            let amount = cents(&row["amount"]);
            if row["type"] == "income" {
                income += amount;
                continue;
            }
            expenses += amount;
            let category = row["category_id"].as_i64().map(|id| categories[&id]);
            taxes += if category.is_some_and(|category| category["is_tax"] == true) { amount } else { 0 };
        }
        (income, expenses, taxes)
    };
    let mut seen_null = 0;
    for (at, month) in months((2024, 11), 19).iter().enumerate() {
        let shown = dashboard(&ana, month);
        let (income, expenses, taxes) = totals(month);
        assert_eq!((&shown["income"], &shown["expenses"]), (&json!(money(income)), &json!(money(expenses))), "{month}");
        assert_eq!(shown["taxes"], money(taxes), "{month}");
        assert_eq!(hundredths(&shown["savings_pct"]), savings(income, expenses, taxes), "{month}");
        seen_null += usize::from(shown["savings_pct"].is_null());

        let mut spending: BTreeMap<Option<i64>, i128> = BTreeMap::new();
        for row in rows.iter().filter(counts).filter(|row| in_month(row, month) && row["type"] == "expense") {
            *spending.entry(row["category_id"].as_i64()).or_default() += cents(&row["amount"]);
        }
        let listed = shown["spending_by_category"].as_array().unwrap();
        assert!(listed.windows(2).all(|pair| cents(&pair[0]["total"]) >= cents(&pair[1]["total"])), "most first");
        let mut named = BTreeSet::new();
        for entry in listed {
            let category_id = entry["category_id"].as_i64();
            assert!(named.insert(category_id), "a category twice");
            assert_eq!(entry["total"], money(spending[&category_id]), "{month} {entry}");
            let known = category_id.map(|id| categories[&id]);
            for field in ["name", "monthly_budget"] {
                assert_eq!(entry[field], known.map_or(Value::Null, |category| category[field].clone()));
            }
        }
        assert_eq!(named, spending.keys().copied().collect());

        let evolution: Vec<Value> = months((2024, 6), 25)[at..at + 6]
            .iter()
            .map(|month| {
                let (income, expenses, taxes) = totals(month);
                json!([month, money(income), money(expenses), savings(income, expenses, taxes)])
            })
            .collect();
        let shown_evolution: Vec<Value> = shown["evolution"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| json!([entry["month"], entry["income"], entry["expenses"], hundredths(&entry["savings_pct"])]))
            .collect();
        assert_eq!(shown_evolution, evolution, "{month}");

        let last: Vec<&Value> = rows.iter().filter(|row| in_month(row, month)).take(10).collect();
        assert_eq!(shown["last_transactions"], json!(last), "{month}");
        let last = if month == "2026-03" { "2026-03-15".to_string() } else { format!("{month}-31") };
        let is_due = |row: &&Value| !row["account_id"].is_null() && row["date"].as_str() <= Some(last.as_str());
        let net_worth: i128 = rows.iter().filter(is_due).map(signed_cents).sum();
        // A coming month has what the forecast says.
        if month.as_str() <= "2026-03" {
            assert_eq!(shown["net_worth"], money(net_worth), "at the end of {month}");
        }
        assert_eq!(shown["accounts"], ana.get("/api/accounts").ok());
    }
    assert!(seen_null >= 3, "the empty months");
}

#[test]
fn a_profile_without_anything_has_a_dashboard_of_zeros() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let evolution: Vec<Value> = months((2025, 10), 6)
        .iter()
        .map(|month| json!({ "month": month, "income": "0.00", "expenses": "0.00", "refunds": "0.00", "savings_pct": null }))
        .collect();
    assert_eq!(
        ana.get("/api/dashboard").ok(),
        json!({
            "month": "2026-03", "first_month": null, "income": "0.00", "expenses": "0.00", "refunds": "0.00", "taxes": "0.00",
            "savings_pct": null,
            "savings_goal_pct": 40, "spending_by_category": [], "evolution": evolution, "last_transactions": [],
            "pending_recurrings": [], "pending_income_recurrings": [], "income_confirmation_widget": false,
            "pending_salary_badge": false, "current_bills": [], "pending_bill_imports": [], "accounts": [],
            "net_worth": "0.00", "net_worth_after_tax": "0.00",
            "expected": { "income": "0.00", "expenses": "0.00", "result": "0.00" },
            "pace": { "spent": "0.00", "planned": null, "previous": "0.00", "average3": null, "free_until": "2026-03-31",
                "bills_after": "0.00" },
            "forecast": { "closing": "0.00", "free_to_spend": "0.00", "reserved": "0.00", "first_negative_date": null },
        })
    );
}

#[test]
fn a_month_that_cannot_be_read_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for month in ["2026-13", "2026-3", "2026-03-01", "", "202603", "0000-00", "2200-01", "1899-12"] {
        ana.get(&format!("/api/dashboard?month={month}")).invalid(&["month"]);
    }
    for month in ["1900-01", "2199-12"] {
        let evolution = &dashboard(&ana, month)["evolution"];
        assert_eq!((evolution.as_array().unwrap().len(), &evolution[5]["month"]), (6, &json!(month)));
    }
}

#[test]
fn savings_are_rounded_half_even_and_null_without_disposable_income() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let tax = ana.create("/api/categories", json!({ "name": "IPTU", "is_tax": true }));
    // A cent is half a hundredth of a percent of 200.00.
    for (month, income, expenses, taxes, expected) in [
        ("2025-01", "200.00", "199.99", "", json!(0)),
        ("2025-02", "200.00", "199.97", "", json!(0.02)),
        ("2025-03", "200.00", "199.95", "", json!(0.02)),
        ("2025-04", "200.00", "200.01", "", json!(0)),
        ("2025-05", "200.00", "200.03", "", json!(-0.02)),
        ("2025-06", "3.00", "2.00", "", json!(33.33)),
        ("2025-07", "3.00", "1.00", "", json!(66.67)),
        ("2025-08", "5000.00", "3000.00", "500.00", json!(33.33)),
        ("2025-09", "100.00", "", "", json!(100)),
        ("2025-10", "100.00", "", "99.99", json!(100)),
        ("2025-11", "100.00", "", "100.00", Value::Null),
        ("2025-12", "100.00", "5.00", "100.01", Value::Null),
        ("2026-01", "", "5.00", "", Value::Null),
        ("2026-02", "0.01", "9999999999.99", "", json!(-99_999_999_999_800_i64)),
        ("2024-12", "8.00", "1.00", "4.00", json!(75)),
    ] {
        let day = format!("{month}-10");
        for (kind, category, amount) in
            [("income", None, income), ("expense", None, expenses), ("expense", Some(tax), taxes)]
        {
            if !amount.is_empty() {
                transaction(&ana, kind, category, &day, amount);
            }
        }
        let shown = dashboard(&ana, month);
        assert_eq!(shown["savings_pct"], expected, "{month}: {income} - {expenses} - {taxes}");
        assert_eq!(shown["evolution"][5]["savings_pct"], expected);
    }
}

#[test]
fn incomes_are_never_netted_against_spending() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let shop = ana.create("/api/categories", json!({ "name": "Compras da casa", "monthly_budget": "250" }));
    let tax = ana.create("/api/categories", json!({ "name": "IPTU", "is_tax": true }));
    transaction(&ana, "expense", Some(shop), "2026-03-01", "100.00");
    transaction(&ana, "income", Some(shop), "2026-03-02", "30.00");
    transaction(&ana, "income", Some(tax), "2026-03-02", "7.00");
    transaction(&ana, "expense", None, "2026-03-03", "20.00");
    transaction(&ana, "income", None, "2026-03-03", "20.00");
    let shown = ana.get("/api/dashboard").ok();
    assert_eq!(
        shown["spending_by_category"],
        json!([
            { "category_id": shop, "name": "Compras da casa", "total": "100.00", "monthly_budget": "250.00",
                "refunds": "30.00", "spent": "70.00", "budget": "250.00", "available": "180.00" },
            { "category_id": null, "name": null, "total": "20.00", "monthly_budget": null,
                "refunds": "0.00", "spent": "20.00", "budget": null, "available": null },
        ])
    );
    assert_eq!(
        (&shown["income"], &shown["expenses"], &shown["taxes"]),
        (&json!("57.00"), &json!("120.00"), &json!("0.00"))
    );
}

#[test]
fn the_widget_asks_in_the_first_five_days_and_the_badge_shows_after_them() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = ana.create("/api/categories", json!({ "name": "Renda" }));
    let item = |kind: &str| {
        ana.create(
            "/api/recurring",
            json!({ "type": kind, "description": "Salário", "amount": "5000", "category_id": category, "day": 5 }),
        )
    };
    let flags = |query: &str| {
        let shown = ana.get(&format!("/api/dashboard{query}")).ok();
        (shown["income_confirmation_widget"].as_bool().unwrap(), shown["pending_salary_badge"].as_bool().unwrap())
    };
    let (asks, misses, neither) = ((true, false), (false, true), (false, false));
    item("expense");
    for day in [date!(2026 - 03 - 01), date!(2026 - 03 - 06)] {
        app.clock.set_today(day);
        assert_eq!(flags(""), neither, "an expense is not awaited");
    }
    let salary = item("income");
    for (day, expected) in [
        (date!(2026 - 03 - 01), asks),
        (date!(2026 - 03 - 05), asks),
        (date!(2026 - 03 - 06), misses),
        (date!(2026 - 03 - 31), misses),
    ] {
        app.clock.set_today(day);
        assert_eq!(flags(""), expected, "{day}");
        assert_eq!(flags("?month=2026-03"), expected, "{day}");
        for other in ["?month=2026-02", "?month=2026-04", "?month=2025-03"] {
            assert_eq!(flags(other), neither, "{day} {other}");
        }
    }
    let act = |action: &str| drop(ana.post_nothing(&format!("/api/recurring/{salary}/{action}")));
    act("late");
    assert_eq!(flags(""), misses, "late is awaited still");
    act("ignore");
    assert_eq!(flags(""), neither);
    act("unignore");
    assert_eq!(flags(""), misses);
    let row = transaction(&ana, "income", Some(category), "2026-03-31", "4500.00");
    assert_eq!(flags(""), neither, "covered");
    ana.delete(&format!("/api/transactions/{row}")).gone();
    act("confirm");
    assert_eq!(flags(""), neither, "confirmed");
}

#[test]
fn only_pending_and_late_items_are_listed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let mut items = Vec::new();
    for (name, kind, action) in [
        ("a", "income", ""),
        ("b", "income", "late"),
        ("c", "income", "ignore"),
        ("d", "income", "confirm"),
        ("e", "expense", ""),
        ("f", "expense", "late"),
        ("g", "expense", "ignore"),
    ] {
        let category = ana.create("/api/categories", json!({ "name": name }));
        let item = ana.create(
            "/api/recurring",
            json!({ "type": kind, "description": name, "amount": "10", "category_id": category, "day": 5 }),
        );
        if !action.is_empty() {
            assert!(ana.post_nothing(&format!("/api/recurring/{item}/{action}")).status < 300);
        }
        items.push(item);
    }
    let covered = ana.get(&format!("/api/recurring/{}", items[0])).ok();
    let shown = ana.get("/api/dashboard").ok();
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["description"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(&shown["pending_recurrings"]), ["a", "b", "e", "f"]);
    assert_eq!(names(&shown["pending_income_recurrings"]), ["a", "b"]);
    assert_eq!(shown["pending_recurrings"][0], covered);
    let april = dashboard(&ana, "2026-04");
    assert_eq!(names(&april["pending_recurrings"]), ["a", "b", "c", "d", "e", "f", "g"], "marks are by month");
}

#[test]
fn unpaid_bills_and_held_statements_are_shown() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = |name: &str| {
        let body = json!({ "name": name, "kind": "credit", "closing_day": 10, "due_day": 20 });
        ana.create("/api/accounts", body)
    };
    let (used, idle) = (card("Usado"), card("Parado"));
    for (date, amount) in [("2026-01-15", "10.00"), ("2026-02-15", "20.00"), ("2026-03-12", "30.00")] {
        let body =
            json!({ "type": "expense", "account_id": used, "date": date, "description": "Compra", "amount": amount });
        ana.create("/api/transactions", body);
    }
    ana.get("/api/accounts").ok();
    let bills = |query: &str| -> Vec<(i64, String, String)> {
        let shown = ana.get(&format!("/api/dashboard{query}")).ok();
        let bills = shown["current_bills"].as_array().unwrap();
        for bill in bills {
            assert_eq!(ana.get(&format!("/api/credit-bills/{}", bill["id"])).ok(), *bill);
        }
        let mut bills: Vec<_> = bills
            .iter()
            .map(|bill| {
                let text = |field: &str| bill[field].as_str().unwrap().to_string();
                (bill["account_id"].as_i64().unwrap(), text("period_start"), text("amount_due"))
            })
            .collect();
        bills.sort();
        bills
    };
    let bill = |account: i64, start: &str, due: &str| (account, start.to_string(), due.to_string());
    let all = [bill(used, "2026-02-10", "30.00"), bill(used, "2026-03-10", "30.00"), bill(idle, "2026-03-10", "0.00")];
    assert_eq!(bills(""), all);
    assert_eq!(bills("?month=2026-01"), all, "of now, whatever the month");
    let oldest = ana.get("/api/dashboard").ok()["current_bills"][0].clone();
    ana.post(&format!("/api/credit-bills/{}/pay", oldest["id"]), json!({})).ok();
    assert_eq!(bills(""), all[1..], "a paid one is gone");
    let late =
        json!({ "type": "expense", "account_id": used, "date": "2026-01-16", "description": "Mais", "amount": "1.50" });
    let late = ana.create("/api/transactions", late);
    assert_eq!(bills("")[0], bill(used, "2026-02-10", "1.50"), "and back for what landed on an earlier one since");
    ana.delete(&format!("/api/transactions/{late}")).gone();
    assert_eq!(bills(""), all[1..]);
    ana.post_nothing(&format!("/api/credit-bills/{}/unpay", oldest["id"])).ok();
    assert_eq!(bills(""), all);

    let held = ana
        .post(
            "/api/import/confirm",
            json!({ "account_id": used, "file_name": "fatura.csv", "format": "csv", "is_credit_card": true,
                "payment_date": "2026-04-20",
                "rows": [{ "date": "2026-03-02", "description": "Livro", "amount": "30.00", "type": "expense" }] }),
        )
        .expect(202);
    let shown = ana.get("/api/dashboard").ok();
    assert_eq!(shown["pending_bill_imports"], ana.get("/api/pending-bills").ok());
    assert_eq!(shown["pending_bill_imports"][0]["id"], held["pending_bill"]["id"]);
    assert_eq!(shown["expenses"], "30.00", "what is held counts for nothing yet");
    ana.post_nothing(&format!("/api/pending-bills/{}/confirm", held["pending_bill"]["id"])).created();
    assert_eq!(ana.get("/api/dashboard").ok()["pending_bill_imports"], json!([]));
}

#[test]
fn the_read_applies_no_yield() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.rates.publish_weekdays(date!(2026 - 01 - 01), date!(2026 - 04 - 30), "1");
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    ana.create("/api/accounts", card);
    let investment = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "opening_balance": "1000",
        "opening_date": "2026-03-01", "last_yield_date": "2026-03-01" });
    ana.create("/api/accounts", investment);
    app.clock.set_today(date!(2026 - 04 - 15));
    let before = ana.all_transactions();
    for month in ["2026-03", "2026-04", "2026-05"] {
        dashboard(&ana, month);
    }
    let shown = ana.get("/api/dashboard").ok();
    assert_eq!(ana.all_transactions(), before);
    assert_eq!(app.rates.requests(), 0);
    assert_eq!(shown["net_worth"], "1000.00");
    assert_eq!(shown["current_bills"][0]["period_start"], "2026-04-10", "the bill of the new period");
    ana.get("/api/accounts").ok();
    let shown = ana.get("/api/dashboard").ok();
    assert_ne!(shown["net_worth"], "1000.00");
}

#[test]
fn another_profile_is_in_no_figure() {
    let app = TestApp::start();
    household(&app);
    let bia = app.user("bia");
    let shown = bia.get("/api/dashboard").ok();
    for (figure, value) in shown.as_object().unwrap() {
        match value {
            Value::Array(list) if figure != "evolution" => assert!(list.is_empty(), "{figure}"),
            Value::String(text) if figure != "month" => assert_eq!(text, "0.00", "{figure}"),
            _ => {}
        }
    }
    for entry in shown["evolution"].as_array().unwrap() {
        assert_eq!((&entry["income"], &entry["expenses"]), (&json!("0.00"), &json!("0.00")));
    }
}
