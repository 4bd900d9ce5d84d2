//! `/api/import` and `/api/imports`.

mod confirm;
mod details;
mod duplicates;
mod files;
mod log;
mod own_export;
mod spreadsheets;
mod statements;
mod suggestions;

use finance_tests::{Client, OfxRow, Reply};
use serde_json::{Value, json};

/// A row to confirm.
fn row(date: &str, description: &str, amount: &str, kind: &str) -> Value {
    json!({ "date": date, "description": description, "amount": amount, "type": kind })
}

fn confirm(client: &Client, account_id: Option<i64>, rows: &Value) -> Reply {
    client.post("/api/import/confirm", json!({ "account_id": account_id, "file_name": "extrato.ofx", "rows": rows }))
}

fn preview_for(client: &Client, account_id: i64, file: &[u8]) -> Value {
    client.preview_with(file, &[("account_id", &account_id.to_string())]).ok()
}

/// For each row of a preview whether it is a duplicate.
fn duplicates(preview: &Value) -> Vec<bool> {
    preview["rows"].as_array().unwrap().iter().map(|row| row["duplicate"].as_bool().unwrap()).collect()
}

fn descriptions(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["description"].as_str().unwrap()).collect()
}

fn spend(client: &Client, date: &str, description: &str, amount: &str) -> i64 {
    let body = json!({ "type": "expense", "date": date, "description": description, "amount": amount });
    client.post("/api/transactions", body).created()["id"].as_i64().unwrap()
}

const TWO: [OfxRow<'_>; 2] =
    [("20260131", "-12.34", "A1", "PADARIA PAO QUENTE"), ("20260202", "1.500,00", "A2", "SALARIO")];
