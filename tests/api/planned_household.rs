//! A household with budgets, fourteen months from January 2025 on. Today is 10 March 2026.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// The household, and the ids of its categories.
pub(crate) struct Planned {
    pub(crate) client: Client,
    pub(crate) market: i64,
    pub(crate) leisure: i64,
    pub(crate) shopping: i64,
    pub(crate) health: i64,
    pub(crate) salary: i64,
}

/// The id of a category of every new profile.
pub(crate) fn standard(client: &Client, name: &str) -> i64 {
    let listed = client.get("/api/categories").ok();
    let found = listed.as_array().expect("a list").iter().find(|category| category["name"] == name);
    found.unwrap_or_else(|| panic!("no category {name}"))["id"].as_i64().expect("an id")
}

/// Changes fields of a category.
pub(crate) fn change(client: &Client, id: i64, fields: Value) -> Value {
    let path = format!("/api/categories/{id}");
    let mut category = client.get(&path).ok();
    for (name, value) in fields.as_object().expect("fields") {
        category[name] = value.clone();
    }
    client.put(&path, category).ok()
}

/// Cents as money.
pub(crate) fn money(cents: i64) -> String {
    format!("{}{}.{:02}", if cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100)
}

/// Money as cents.
pub(crate) fn cents(value: &Value) -> i64 {
    i64::try_from(finance_tests::cents(value)).expect("a small amount")
}

/// Stores an expense or an income.
pub(crate) fn enter(client: &Client, kind: &str, category: i64, date: &str, description: &str, cents: i64) -> i64 {
    let body = json!({ "type": kind, "category_id": category, "date": date, "description": description,
        "amount": money(cents) });
    client.create("/api/transactions", body)
}

/// The month that is that many months after January 2025.
pub(crate) fn month(later: i64) -> String {
    format!("{}-{:02}", 2025 + later.div_euclid(12), later.rem_euclid(12) + 1)
}

impl Planned {
    pub(crate) fn new(app: &TestApp) -> Self {
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user("ana");
        let [market, leisure, shopping, health, salary] =
            ["Mercado", "Lazer", "Compras", "Saúde", "Salário"].map(|name| standard(&client, name));
        let of = |group: &str, budget: &str, carry: &str| {
            let since = if carry == "none" { Value::Null } else { json!("2025-01") };
            json!({ "group": group, "monthly_budget": budget, "carry": carry, "carry_since": since })
        };
        change(&client, market, of("Casa", "500.00", "both"));
        change(&client, leisure, of("Vida", "200.00", "surplus"));
        change(&client, shopping, of("Vida", "100.00", "none"));
        let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 29, "due_day": 5 });
        let card = client.create("/api/accounts", card);
        for i in 0..14 {
            let (now, next) = (month(i), month(i + 1));
            enter(&client, "income", salary, &format!("{now}-05"), "Salário", 500_000);
            enter(&client, "expense", market, &format!("{now}-08"), &format!("Mercado Bom {i}"), 43_000 + 1_500 * i);
            enter(&client, "expense", leisure, &format!("{now}-12"), "CINE LUX", 15_010 + 4_735 * (i % 4));
            let row = json!({ "date": format!("{now}-28"), "description": "MODA SUL", "type": "expense",
                "amount": money(8_000 + 250 * i), "category_id": shopping });
            let statement = json!({ "account_id": card, "is_credit_card": true, "format": "csv",
                "payment_date": format!("{next}-05"), "rows": [row] });
            client.post("/api/import/confirm", statement).created();
        }
        enter(&client, "expense", health, "2025-02-15", "DENTISTA", 40_000);
        let own = json!({ "budgets": [{ "category_id": market, "amount": "800.00" }] });
        client.put("/api/budgets/2025-12", own).ok();
        let split = json!({ "type": "expense", "date": "2026-01-20", "description": "ATACADO", "amount": "300.00",
            "lines": [{ "category_id": market, "amount": "220.00" }, { "category_id": leisure, "amount": "80.00" }] });
        client.create("/api/transactions", split);
        enter(&client, "income", shopping, "2026-02-20", "MODA SUL", 5_025);
        enter(&client, "expense", market, "2026-02-25", "PADARIA ANA", 6_000);
        Planned { client, market, leisure, shopping, health, salary }
    }

    /// The budgets of a month.
    pub(crate) fn budgets(&self, month: &str) -> Value {
        self.client.get(&format!("/api/budgets/{month}")).ok()
    }
}

/// The row of a list whose field has that value.
#[track_caller]
pub(crate) fn row<'v>(list: &'v Value, field: &str, value: impl Into<Value>) -> &'v Value {
    let value = value.into();
    let found = list.as_array().expect("a list").iter().find(|row| row[field] == value);
    found.unwrap_or_else(|| panic!("no {field} {value} in {list}"))
}
