//! `/api/accounts`.

mod balances;
mod deletion;
mod fields;

use std::collections::BTreeMap;

use finance_tests::{Client, cents, id, money, signed_cents};
use serde_json::{Value, json};

fn account(client: &Client, name: &str) -> i64 {
    client.create("/api/accounts", json!({ "name": name, "kind": "current" }))
}

fn card(client: &Client, name: &str) -> i64 {
    client.create("/api/accounts", json!({ "name": name, "kind": "credit", "closing_day": 10, "due_day": 20 }))
}

fn path(id: i64) -> String {
    format!("/api/accounts/{id}")
}

fn row(account_id: i64, kind: &str, date: &str, amount: &str) -> Value {
    json!({ "account_id": account_id, "type": kind, "date": date, "description": "Algo", "amount": amount })
}

fn transaction(client: &Client, account_id: i64, kind: &str, date: &str, amount: &str) -> i64 {
    client.create("/api/transactions", row(account_id, kind, date, amount))
}

/// Checks that every balance in every answer is the sum of the account's transactions. Returns the balances by account.
#[track_caller]
fn balances(client: &Client) -> BTreeMap<i64, String> {
    let mut sums: BTreeMap<i64, i128> = BTreeMap::new();
    for transaction in client.all_transactions() {
        if let Some(account_id) = transaction["account_id"].as_i64() {
            *sums.entry(account_id).or_default() += signed_cents(&transaction);
        }
    }
    let listed = client.get("/api/accounts").ok();
    let mut balances = BTreeMap::new();
    for account in listed.as_array().unwrap() {
        let sum = sums.remove(&id(account)).unwrap_or(0);
        assert_eq!(account["balance"], money(sum), "{account}");
        assert_eq!(client.get(&path(id(account))).ok()["balance"], money(sum));
        balances.insert(id(account), money(sum));
    }
    assert!(sums.is_empty(), "transactions of accounts that are not listed: {sums:?}");
    let dashboard = client.get("/api/dashboard").ok();
    assert_eq!(dashboard["accounts"], listed);
    let net_worth: i128 = listed.as_array().unwrap().iter().map(|account| cents(&account["balance"])).sum();
    assert_eq!(dashboard["net_worth"], money(net_worth));
    for month in ["2025-12", "2026-01", "2026-02", "2026-03"] {
        agree_on_month(client, month);
    }
    balances
}

/// Checks that the dashboard's sums of a month are the sums of the transactions that count.
#[track_caller]
fn agree_on_month(client: &Client, month: &str) {
    let (mut income, mut spent) = (0, BTreeMap::<Option<i64>, i128>::new());
    for row in client.all_transactions() {
        let counts = row["source"] != "transfer" && row["source"] != "opening_balance";
        if counts && row["date"].as_str().unwrap().starts_with(month) {
            match signed_cents(&row) {
                came if came > 0 => income += came,
                went => *spent.entry(row["category_id"].as_i64()).or_default() -= went,
            }
        }
    }
    let shown = client.get(&format!("/api/dashboard?month={month}")).ok();
    assert_eq!(shown["income"], money(income), "{month}");
    assert_eq!(shown["expenses"], money(spent.values().sum()), "{month}");
    let by_category = shown["spending_by_category"].as_array().unwrap();
    let by_category = by_category.iter().map(|entry| (entry["category_id"].as_i64(), cents(&entry["total"]))).collect();
    assert_eq!(spent, by_category, "{month}");
}
