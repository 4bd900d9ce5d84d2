//! Transfers between own accounts and payments of cards that are recognised when statements are imported.

mod asked_again;
mod bills;
mod in_flight;
mod pairs;
mod taken_back;

use finance_tests::{Client, Form, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

const CARD: [finance_tests::OfxRow<'static>; 5] = [
    ("20260210", "-300.00", "C1", "MERCADO A"),
    ("20260220", "-700.00", "C2", "LOJA B - Parcela 1/3"),
    ("20260302", "-120.00", "C3", "POSTO C"),
    ("20260305", "1000.00", "C4", "Pagamento recebido"),
    ("20260308", "50.00", "C5", "Estorno LOJA D"),
];

const ACCOUNT: [finance_tests::OfxRow<'static>; 3] = [
    ("20260301", "4000.00", "A1", "SALARIO"),
    ("20260305", "-1000.00", "A2", "PAGAMENTO FATURA CARTAO"),
    ("20260306", "-200.00", "A3", "PIX ENVIADO FULANO"),
];

/// A household with an account and a card, on 10 March 2026.
struct House {
    client: Client,
    account: i64,
    card: i64,
}

impl House {
    fn new(app: &TestApp, name: &str) -> Self {
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user(name);
        let account = json!({ "name": "Conta", "kind": "current", "opening_balance": "5000.00",
            "opening_date": "2026-02-01" });
        let account = client.create("/api/accounts", account);
        let card = client
            .create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5 }));
        House { client, account, card }
    }

    fn preview(&self, account: i64, file: &[u8]) -> Value {
        preview(&self.client, account, file)
    }

    fn confirm(&self, account: i64, preview: &Value) -> Value {
        confirm(&self.client, account, preview)
    }

    fn import_card(&self) -> Value {
        self.confirm(self.card, &self.preview(self.card, &ofx(&CARD)))
    }

    fn import_account(&self) -> Value {
        self.confirm(self.account, &self.preview(self.account, &ofx(&ACCOUNT)))
    }

    fn bills(&self) -> Vec<[String; 5]> {
        let bills = self.client.get(&format!("/api/credit-bills?account_id={}", self.card)).ok();
        let text = |bill: &Value, name: &str| bill[name].as_str().unwrap().to_string();
        let bill = |bill: &Value| {
            ["period_start", "period_end", "total", "paid_amount", "status"].map(|name| text(bill, name))
        };
        bills.as_array().unwrap().iter().map(bill).collect()
    }

    fn month(&self, month: &str) -> [String; 2] {
        let dashboard = self.client.get(&format!("/api/dashboard?month={month}")).ok();
        ["income", "expenses"].map(|name| dashboard[name].as_str().unwrap().to_string())
    }

    fn balances(&self) -> [Value; 2] {
        [self.account, self.card].map(|id| self.client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone())
    }

    /// Checks the figures of the two files, in whatever order they were imported.
    #[track_caller]
    fn assert_figures(&self, when: &str) {
        assert_eq!(self.month("2026-03"), ["4050.00", "320.00"], "{when}");
        assert_eq!(self.month("2026-02"), ["0.00", "1000.00"], "{when}");
        assert_eq!(self.balances(), [json!("7800.00"), json!("-70.00")], "{when}");
        let bill = |start: &str, end: &str, total: &str, paid: &str, status: &str| {
            [start, end, total, paid, status].map(str::to_string)
        };
        assert_eq!(
            self.bills(),
            [
                bill("2026-02-25", "2026-03-24", "70.00", "0.00", "unpaid"),
                bill("2026-01-25", "2026-02-24", "1000.00", "1000.00", "paid"),
            ],
            "{when}"
        );
    }

    fn undo(&self, imported: &Value) {
        self.client.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    }
}

fn preview(client: &Client, account: i64, file: &[u8]) -> Value {
    let form = Form::new().file("statement", file).text("account_id", &account.to_string());
    client.post_form("/api/import/preview", form).ok()
}

fn body(account: i64, preview: &Value) -> Value {
    json!({ "account_id": account, "file_name": "statement", "format": preview["format"], "rows": preview["rows"] })
}

fn confirm(client: &Client, account: i64, preview: &Value) -> Value {
    client.post("/api/import/confirm", body(account, preview)).created()
}

fn described<'a>(list: &'a Value, description: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|row| row["description"] == description).unwrap()
}
