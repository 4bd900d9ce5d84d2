//! A profile that has rows in every table, and every figure that it is shown.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

const STATEMENT: &[u8] = include_bytes!("../../config/demo/three_months.ofx");

/// The months that hold anything, and one on either side.
pub(crate) const MONTHS: [&str; 8] =
    ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05"];

/// Gives a new profile a history up to 2026-03-15. Where the service's clock and rates can be set, it earns
/// yield as well.
pub(crate) fn fill(client: &Client, app: Option<&TestApp>) {
    let make = |path: &str, body: Value| client.post(path, body).created();
    let bank = id(&make(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "2300.00", "opening_date": "2025-11-30" }),
    ));
    let card =
        id(&make("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 })));
    let invested = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 102.5,
        "last_yield_date": "2026-01-31", "opening_balance": "10000", "opening_date": "2026-01-31" });
    let invested = id(&make("/api/accounts", invested));
    let category = id(&make("/api/categories", json!({ "name": "Pets", "monthly_budget": "250.00" })));
    client.import(Some(bank), STATEMENT).created();
    for (day, amount, text) in
        [("2026-01-08", "120.00", "Ração"), ("2026-02-11", "80.00", "Banho"), ("2026-03-02", "55.55", "Ração")]
    {
        let bought = json!({ "type": "expense", "date": day, "description": text, "amount": amount,
            "category_id": category, "account_id": card });
        make("/api/transactions", bought);
    }
    let own = json!({ "type": "income", "date": "2026-02-20", "description": "Venda da bicicleta", "amount": "400",
        "external_id": "manual-1" });
    make("/api/transactions", own);
    // A statement paid in the past, and one held until its payment date.
    let row = |day: &str, text: &str, amount: &str| json!({ "date": day, "description": text, "amount": amount, "type": "expense", "external_id": text });
    let paid = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-02-27", "format": "csv",
        "file_name": "fatura.csv", "rows": [row("2026-02-01", "Livro 1/3", "50.00"), row("2026-02-02", "Livro", "50.00")] });
    make("/api/import/confirm", paid);
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27", "format": "csv",
        "file_name": "fatura-3.csv", "rows": [row("2026-03-05", "Livro 2/3", "50.00"), row("2026-03-06", "Mercado", "99.90")] });
    client.post("/api/import/confirm", held).expect(202);
    let moved = json!({ "from_account_id": bank, "to_account_id": invested, "amount": "150.00", "date": "2026-03-01" });
    make("/api/transfers", moved);
    client.get("/api/accounts").ok();
    let bills = client.all("/api/credit-bills");
    let due = bills.iter().find(|bill| bill["amount_due"] != "0.00").expect("a bill to pay");
    client
        .post(&format!("/api/credit-bills/{}/pay", due["id"]), json!({ "account_id": bank, "date": "2026-03-10" }))
        .ok();
    let due = client.all("/api/credit-bills").into_iter().find(|bill| bill["amount_due"] != "0.00");
    if let Some(due) = due {
        client.post(&format!("/api/credit-bills/{}/pay", due["id"]), json!({ "date": "2026-03-11" })).ok();
    }
    for (kind, text, amount, day) in
        [("income", "Salário", "5000.00", 5), ("expense", "Aluguel", "1800.00", 10), ("expense", "Luz", "777.00", 12)]
    {
        let item = json!({ "type": kind, "description": text, "amount": amount, "category_id": category,
            "account_id": bank, "day": day });
        let item = id(&make("/api/recurring", item));
        match text {
            "Salário" => {
                drop(client.post(&format!("/api/recurring/{item}/confirm?month=2026-02"), json!({})).created())
            }
            "Aluguel" => drop(client.post_nothing(&format!("/api/recurring/{item}/late")).ok()),
            _ => drop(client.post_nothing(&format!("/api/recurring/{item}/ignore?month=2026-01")).ok()),
        }
    }
    let days = json!({ "name": "Cartão", "kind": "credit", "closing_day": 21, "due_day": 28 });
    client.put(&format!("/api/accounts/{card}"), days).ok();
    client.put("/api/settings", json!({ "savings_goal_pct": 12.5 })).ok();
    if let Some(app) = app {
        app.rates.publish_weekdays(date!(2026 - 01 - 30), date!(2026 - 03 - 14), "0.05");
        client.get("/api/accounts").ok();
        let yields = client.all(&format!("/api/transactions?account_id={invested}"));
        assert!(yields.iter().any(|row| row["source"] == "yield"), "{yields:?}");
    }
    for month in MONTHS {
        client.get(&format!("/api/dashboard?month={month}")).ok();
    }
    client.get("/api/gamification/achievements").ok();
    let cosmetics = client.get("/api/gamification/cosmetics").ok();
    let own = cosmetics.as_array().unwrap().iter().find(|cosmetic| cosmetic["owned"] == true).expect("one to wear");
    client.post_nothing(&format!("/api/gamification/cosmetics/{}/equip", own["id"])).ok();
}

/// Every figure that a profile is shown, by the path that shows it, without ids.
pub(crate) fn figures(client: &Client) -> Vec<(String, Value)> {
    let months = MONTHS
        .iter()
        .flat_map(|month| [format!("/api/dashboard?month={month}"), format!("/api/recurring?month={month}")]);
    let lists = [
        "/api/accounts",
        "/api/categories",
        "/api/transactions?limit=1000",
        "/api/credit-bills",
        "/api/pending-bills",
        "/api/imports",
        "/api/settings",
        "/api/gamification/profile",
        "/api/gamification/xp-events?limit=1000",
        "/api/gamification/quests",
        "/api/gamification/achievements",
        "/api/gamification/cosmetics",
    ];
    // The list of accounts first: it makes the bills of the period that holds today.
    lists
        .into_iter()
        .map(str::to_string)
        .chain(months)
        .map(|path| {
            let mut answer = client.get(&path).ok();
            without_ids(&mut answer);
            (path, answer)
        })
        .collect()
}

/// Takes out what is given anew by every service that stores it.
fn without_ids(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, value| {
                // The key of a category's achievement has the category's id in it.
                let names_an_id = value.as_str().is_some_and(|text| text.starts_with("category_budget_"));
                key != "id" && (!key.ends_with("_id") || key == "external_id") && !(key == "key" && names_an_id)
            });
            object.values_mut().for_each(without_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        _ => {}
    }
}
