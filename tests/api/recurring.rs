//! `/api/recurring`.

mod coverage;
mod items;
mod matching;
mod schedules;
mod status;
mod suggestions;

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// The line of a boleto of one real.
pub(crate) const BOLETO: &str = "00190500954014481606906809350314337370000000100";

/// A new category.
fn category(client: &Client, name: &str) -> i64 {
    client.create("/api/categories", json!({ "name": name }))
}

fn item(kind: &str, category_id: i64, amount: &str) -> Value {
    json!({ "type": kind, "description": "Salário", "amount": amount, "category_id": category_id, "day": 31 })
}

fn recurring(client: &Client, kind: &str, category_id: i64, amount: &str) -> i64 {
    client.create("/api/recurring", item(kind, category_id, amount))
}

fn transaction(client: &Client, kind: &str, category_id: i64, date: &str, amount: &str) -> i64 {
    client.create(
        "/api/transactions",
        json!({ "type": kind, "category_id": category_id, "date": date, "description": "Algo", "amount": amount }),
    )
}

fn path(id: i64) -> String {
    format!("/api/recurring/{id}")
}

/// The status of an item, and its transaction.
fn stands(client: &Client, id: i64, query: &str) -> (String, Option<i64>) {
    let one = client.get(&format!("/api/recurring/{id}{query}")).ok();
    let all = client.get(&format!("/api/recurring{query}")).ok();
    let listed = all.as_array().unwrap().iter().find(|item| item["id"] == id).unwrap();
    assert_eq!(*listed, one, "the list and the item agree");
    (one["status"].as_str().unwrap().to_string(), one["transaction_id"].as_i64())
}

fn status(client: &Client, id: i64) -> String {
    stands(client, id, "").0
}

/// Creates an income with the given status in March 2026.
fn income_in(client: &Client, state: &str) -> i64 {
    let category = category(client, state);
    let id = recurring(client, "income", category, "1000.00");
    match state {
        "pending" => {}
        "covered" => drop(transaction(client, "income", category, "2026-03-05", "1000.00")),
        "confirmed" => drop(client.post_nothing(&format!("{}/confirm", path(id))).created()),
        "late" => drop(client.post_nothing(&format!("{}/late", path(id))).ok()),
        "ignored" => drop(client.post_nothing(&format!("{}/ignore", path(id))).ok()),
        other => panic!("no state {other}"),
    }
    assert_eq!(status(client, id), state);
    id
}

/// Creates an item with these fields beside the usual ones.
fn made(client: &Client, kind: &str, category_id: i64, amount: &str, fields: Value) -> i64 {
    client.create("/api/recurring", with(item(kind, category_id, amount), &fields))
}

/// A body with these fields set.
fn with(mut body: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// Ana, on the day of the acceptance figures.
fn at(app: &TestApp) -> Client {
    app.clock.set_today(date!(2026 - 03 - 10));
    app.user("ana")
}

/// The dates and the status of an item's dues in a month.
fn dues(client: &Client, id: i64, month: &str) -> Vec<(String, String)> {
    let item = client.get(&format!("/api/recurring/{id}?month={month}")).ok();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let dues = item["occurrences"].as_array().unwrap().iter();
    dues.map(|one| (text(&one["date"]), text(&one["status"]))).collect()
}

/// The dates of an item's dues in some months.
fn dates(client: &Client, id: i64, months: &[&str]) -> Vec<String> {
    months.iter().flat_map(|month| dues(client, id, month)).map(|(date, _)| date).collect()
}
