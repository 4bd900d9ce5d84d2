//! Reads the transactions of a profile, for tests that compute sums themselves.

use serde_json::Value;

use crate::client::Client;

impl Client {
    /// Creates a resource and returns its id.
    #[track_caller]
    pub fn create(&self, path: &str, body: Value) -> i64 {
        id(&self.post(path, body).created())
    }

    /// Every transaction of the profile, newest first.
    #[track_caller]
    pub fn all_transactions(&self) -> Vec<Value> {
        self.all("/api/transactions?limit=1000")
    }
}

/// The id of a resource.
#[track_caller]
pub fn id(resource: &Value) -> i64 {
    resource["id"].as_i64().unwrap_or_else(|| panic!("no id in {resource}"))
}

/// The money of an answer, in cents. Only the format of the API contract is accepted.
#[track_caller]
pub fn cents(money: &Value) -> i128 {
    let text = money.as_str().unwrap_or_else(|| panic!("money is a string, not {money}"));
    let (units, cents) = text.split_once('.').unwrap_or_else(|| panic!("{text} has no decimals"));
    assert_eq!(cents.len(), 2, "{text}");
    format!("{units}{cents}").parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// The effect of a transaction on its account's balance, in cents.
#[track_caller]
pub fn signed_cents(transaction: &Value) -> i128 {
    match transaction["type"].as_str() {
        Some("income") => cents(&transaction["amount"]),
        Some("expense") => -cents(&transaction["amount"]),
        _ => panic!("neither income nor expense: {transaction}"),
    }
}

/// Cents in the format of answers.
pub fn money(cents: i128) -> String {
    let (sign, cents) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}
