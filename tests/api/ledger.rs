//! What follows from a write, whichever request writes.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// A household with a webhook that is told of budgets. Each category has a budget of 100.00.
struct House {
    app: TestApp,
    client: Client,
    bank: i64,
    savings: i64,
    card: i64,
}

impl House {
    fn new() -> Self {
        let app = TestApp::start();
        app.clock.set_today(date!(2026 - 03 - 10));
        let client = app.user("ana");
        let (bank, savings) = (client.open_account("Conta", "current"), client.open_account("Poupança", "savings"));
        let card = client.open_card("Cartão", 25, 5);
        client
            .post("/api/webhooks", json!({ "url": "https://hooks.example/x", "events": ["budget.exceeded"] }))
            .created();
        House { app, client, bank, savings, card }
    }

    fn category(&self, name: &str) -> i64 {
        self.client.create("/api/categories", json!({ "name": name, "monthly_budget": "100.00" }))
    }

    fn put(&self, kind: &str, account: i64, amount: &str, category: Option<i64>) -> Value {
        let body = json!({ "type": kind, "date": "2026-03-02", "description": "Loja", "amount": amount,
            "account_id": account, "category_id": category });
        self.client.post("/api/transactions", body).created()
    }

    /// The categories whose exceeded budget was told, the oldest first.
    fn exceeded(&self) -> Vec<i64> {
        let rows = self.app.rows("select data from webhook_deliveries order by id");
        let data = |row: &Value| -> Value { serde_json::from_str(row["data"].as_str().unwrap()).unwrap() };
        rows.iter().map(|row| data(row)["category_id"].as_i64().unwrap()).collect()
    }
}

#[test]
fn a_budget_that_the_lines_of_a_split_row_exceed_is_told() {
    let house = House::new();
    let (food, home) = (house.category("Comida"), house.category("Lar"));
    let line = |category: i64, amount: &str| json!({ "category_id": category, "amount": amount });
    let body = json!({ "type": "expense", "date": "2026-03-02", "description": "Loja", "amount": "150.00",
        "account_id": house.bank, "lines": [line(food, "110.00"), line(home, "40.00")] });
    let id = house.client.create("/api/transactions", body.clone());
    assert_eq!(house.exceeded(), [food]);
    let mut edited = body;
    edited["lines"] = json!([line(food, "10.00"), line(home, "140.00")]);
    house.client.put(&format!("/api/transactions/{id}"), edited).ok();
    assert_eq!(house.exceeded(), [food, home]);
}

#[test]
fn a_budget_that_is_exceeded_by_what_moves_into_its_category_is_told() {
    let house = House::new();
    let from = house.client.create("/api/categories", json!({ "name": "Antiga" }));
    let to = house.category("Nova");
    house.put("expense", house.bank, "120.00", Some(from));
    assert_eq!(house.exceeded(), [0; 0]);
    house.client.delete(&format!("/api/categories/{from}?move_to={to}")).gone();
    assert_eq!(house.exceeded(), [to]);
}

#[test]
fn a_budget_that_is_exceeded_by_what_is_a_transfer_no_more_is_told() {
    let house = House::new();
    // Unlinked, the transfer deleted, and its other side deleted.
    for way in ["unlink", "delete", "delete the other side"] {
        let category = house.category(way);
        let from = house.put("expense", house.bank, "90.00", Some(category));
        let to = house.put("income", house.savings, "90.00", None);
        let link = json!({ "from_id": from["id"], "to_id": to["id"] });
        let transfer = house.client.post("/api/transfers/link", link).created()["id"].clone();
        // The transfer is not spending, so the budget holds.
        house.put("expense", house.bank, "50.00", Some(category));
        let before = house.exceeded();
        assert!(!before.contains(&category), "{way}");
        match way {
            "unlink" => {
                house.client.post_nothing(&format!("/api/transfers/{transfer}/unlink")).ok();
            }
            "delete" => house.client.delete(&format!("/api/transfers/{transfer}")).gone(),
            _ => house.client.delete(&format!("/api/transactions/{}", to["id"])).gone(),
        }
        assert_eq!(house.exceeded(), [before, vec![category]].concat(), "{way}");
    }
}

#[test]
fn a_budget_that_is_exceeded_by_a_payment_taken_back_is_told() {
    let house = House::new();
    house.app.clock.set_today(date!(2026 - 02 - 10));
    let bought = json!({ "type": "expense", "date": "2026-02-02", "description": "Loja", "amount": "120.00",
        "account_id": house.card });
    house.client.post("/api/transactions", bought).created();
    house.app.clock.set_today(date!(2026 - 03 - 10));
    let bills = house.client.get(&format!("/api/credit-bills?account_id={}", house.card)).ok();
    let bill = bills.as_array().unwrap().iter().find(|bill| bill["total"] == "120.00").unwrap()["id"].clone();
    let category = house.category("Pagamentos");
    let paid = house.put("expense", house.bank, "90.00", Some(category));
    house.client.post("/api/transfers/link", json!({ "from_id": paid["id"], "bill_id": bill })).created();
    house.put("expense", house.bank, "50.00", Some(category));
    assert_eq!(house.exceeded(), [0; 0], "the payment is not spending");
    house.client.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    assert_eq!(house.exceeded(), [category]);
}

#[test]
fn a_confirmed_income_on_a_card_leaves_no_bill_behind() {
    let house = House::new();
    let category = house.client.get("/api/categories").ok()[0]["id"].clone();
    let item = json!({ "type": "income", "description": "Estorno", "amount": "30.00", "category_id": category, "day": 5,
        "account_id": house.card });
    let id = house.client.create("/api/recurring", item);
    house.client.post(&format!("/api/recurring/{id}/confirm"), json!({})).created();
    // The sums and bills of every card are compared with its rows when the test ends.
    assert_eq!(house.app.rows("select id from accounts where payments_stale"), [] as [Value; 0]);
}
