//! Common steps of tests of imports and cards.

use serde_json::{Value, json};

use crate::client::{Client, Reply};
use crate::ledger::{cents, id, signed_cents};
use crate::multipart::Form;

/// The sum of rows with a `type` and an `amount`, in cents: incomes minus expenses.
#[track_caller]
pub fn signed_sum(rows: &[Value]) -> i128 {
    rows.iter().map(signed_cents).sum()
}

impl Client {
    /// Creates an account of a kind that has no other required fields. Returns its id.
    #[track_caller]
    pub fn open_account(&self, name: &str, kind: &str) -> i64 {
        id(&self.post("/api/accounts", json!({ "name": name, "kind": kind })).created())
    }

    /// Creates a card. Returns its id.
    #[track_caller]
    pub fn open_card(&self, name: &str, closing_day: u8, due_day: u8) -> i64 {
        let card = json!({ "name": name, "kind": "credit", "closing_day": closing_day, "due_day": due_day });
        id(&self.post("/api/accounts", card).created())
    }

    /// An account's balance, in cents.
    #[track_caller]
    pub fn balance(&self, account_id: i64) -> i128 {
        cents(&self.get(&format!("/api/accounts/{account_id}")).ok()["balance"])
    }

    /// Previews a file with options.
    pub fn preview_with(&self, file: &[u8], options: &[(&str, &str)]) -> Reply {
        let form = options.iter().fold(Form::new(), |form, (name, value)| form.text(name, value));
        self.post_form("/api/import/preview", form.file("statement", file))
    }

    /// Previews a card's statement, and confirms all rows of the preview with a payment date.
    pub fn import_card(&self, account_id: i64, payment_date: &str, file: &[u8]) -> Reply {
        let account = account_id.to_string();
        let options = [("account_id", account.as_str()), ("is_credit_card", "true"), ("payment_date", payment_date)];
        let preview = self.preview_with(file, &options).ok();
        self.post(
            "/api/import/confirm",
            json!({
                "account_id": account_id, "file_name": "fatura", "format": preview["format"], "rows": preview["rows"],
                "is_credit_card": true, "payment_date": payment_date,
            }),
        )
    }

    /// All rows of a list, from all its pages.
    #[track_caller]
    pub fn all(&self, path: &str) -> Vec<Value> {
        let (mut rows, mut next) = (Vec::new(), Some(path.to_string()));
        while let Some(page) = next {
            let reply = self.get(&page);
            next = reply.header("Link").map(next_page);
            let Value::Array(mut page) = reply.ok() else { panic!("{path} is no list") };
            rows.append(&mut page);
        }
        rows
    }
}

/// The path and query of a `Link` header.
fn next_page(link: &str) -> String {
    let (url, _) = link.trim_start_matches('<').split_once(">; rel=\"next\"").expect("a link to the next page");
    match url.find("/api/") {
        Some(at) => url[at..].to_string(),
        None => panic!("{link} leads out of the API"),
    }
}
