//! `/api/recurring`.

mod items;
mod matching;
mod schedules;
mod status;
mod suggestions;

use finance_tests::Client;
use serde_json::{Value, json};

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
