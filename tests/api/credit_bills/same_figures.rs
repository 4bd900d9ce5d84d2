//! Assistants, the calendar, webhooks and documents say the same figures of a card as the API: with a debt that was carried, a
//! statement that waits, payments in parts, and a credit.

use finance_tests::{Client, TestApp, cents, money};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

use super::put;
use crate::calendar::{address, feed};
use crate::mcp::called;
use crate::webhooks::{Taking, hook, pass};

/// What the bills of a card say, newest first.
const FIGURES: [&str; 11] = [
    "account_id",
    "period_start",
    "due_date",
    "previous",
    "total",
    "held",
    "statement",
    "paid_amount",
    "carried",
    "amount_due",
    "status",
];

/// Opens a card that closes on the 25th and is due on the 5th, and an account that pays it in parts. A rest of January's bill is
/// carried, and a statement waits for 5 April.
fn household(client: &Client) -> (i64, i64) {
    let bank = client.open_account("Conta", "current");
    let card = client.open_card("Cartão", 25, 5);
    put(client, bank, "2026-01-02", "income", "9000.00");
    put(client, card, "2026-01-10", "expense", "1000.00");
    put(client, card, "2026-02-10", "expense", "300.00");
    put(client, card, "2026-03-01", "expense", "75.50");
    for (day, amount) in [("2026-02-03", "200.00"), ("2026-02-05", "250.00"), ("2026-03-05", "150.00")] {
        let moved = json!({ "from_account_id": bank, "to_account_id": card, "amount": amount, "date": day });
        client.post("/api/transfers", moved).created();
    }
    let row = json!({ "date": "2026-02-26", "description": "Livro", "amount": "140.00", "type": "expense" });
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-05", "format": "csv", "rows": [row] });
    client.post("/api/import/confirm", held).expect(202);
    (bank, card)
}

fn only(of: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| (field.to_string(), of[field].clone())).collect::<serde_json::Map<_, _>>().into()
}

fn each(of: &Value, fields: &[&str]) -> Vec<Value> {
    of.as_array().unwrap().iter().map(|row| only(row, fields)).collect()
}

/// The figures of the API on a day, each compared with every other place that tells them.
fn compare(app: &TestApp, client: &Client, today: Date) -> Vec<Value> {
    app.clock.set_today(today);
    app.clock.advance(Duration::minutes(61));
    let listed = client.get("/api/credit-bills").ok();
    let bills = each(&listed, &FIGURES);
    let by_tool = called(client, "credit_bills", &json!({}));
    assert_eq!(each(&by_tool["bills"], &FIGURES), bills, "{today}");

    let accounts = client.get("/api/accounts").ok();
    let amounts = ["id", "balance", "ahead", "held", "available_limit"];
    assert_eq!(
        each(&called(client, "list_accounts", &json!({}))["accounts"], &amounts),
        each(&accounts, &amounts),
        "{today}"
    );
    let dashboard = client.get("/api/dashboard").ok();
    assert_eq!(each(&dashboard["accounts"], &amounts), each(&accounts, &amounts), "{today}");
    let is_current = |bill: &&Value| {
        let (first, last) = (bill["period_start"].as_str(), bill["due_date"].as_str());
        first <= Some(today.to_string().as_str()) && last.is_some() && bill["amount_due"] != "0.00"
    };
    let mut current = each(&dashboard["current_bills"], &FIGURES);
    current.retain(|bill| bill["amount_due"] != "0.00");
    let mut due: Vec<Value> = bills.iter().filter(is_current).cloned().collect();
    due.sort_by_key(|bill| bill["due_date"].as_str().unwrap().to_string());
    current.sort_by_key(|bill| bill["due_date"].as_str().unwrap().to_string());
    assert_eq!(current, due, "{today}");
    let amount = |value: &Value, name: &str| cents(&value[name]);
    let owed: i128 = accounts
        .as_array()
        .unwrap()
        .iter()
        .filter(|account| account["kind"] == "credit")
        .map(|account| -amount(account, "balance") - amount(account, "held"))
        .sum();
    assert_eq!(bills.iter().map(|bill| amount(bill, "amount_due")).sum::<i128>(), owed, "{today}");

    // A statement that waits is an event of its own, so its bill's event is without it.
    let events = feed(app, &format!("{}&amounts=1", address(client)));
    for bill in &due {
        let beside = amount(bill, "amount_due") - amount(bill, "held").min(amount(bill, "amount_due")).max(0);
        let first = bill["due_date"].as_str().unwrap().replace('-', "");
        let event = events.iter().find(|event| event.first == first && event.summary.starts_with("Fatura:"));
        let expected = (beside > 0).then(|| format!("Fatura: Cartão, R$ {}", money(beside).replace('.', ",")));
        assert_eq!(event.map(|event| event.summary.clone()), expected, "{today}: {events:?}");
    }
    bills
}

#[test]
fn every_place_says_the_same_figures_of_a_card() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.clock.set_today(date!(2026 - 03 - 10));
    let (bank, card) = household(&ana);
    let all = hook(&ana, "https://hooks.example/x", &["bill.closed", "bill.due"]);
    for today in [date!(2026 - 03 - 10), date!(2026 - 03 - 25), date!(2026 - 03 - 26), date!(2026 - 04 - 03)] {
        compare(&app, &ana, today);
        pass(&app, std::sync::Arc::new(Taking));
    }
    // Closed on 25 March: what was left of February's 850.00, the purchase, and the statement that waits.
    let bills = compare(&app, &ana, date!(2026 - 04 - 03));
    let closed = bills.iter().find(|bill| bill["due_date"] == "2026-04-05").unwrap();
    assert_eq!(
        only(closed, &["previous", "total", "held", "statement", "amount_due"]),
        json!({ "previous": "700.00", "total": "215.50", "held": "140.00", "statement": "915.50", "amount_due": "915.50" })
    );
    let sent = app.rows("select kind, data from webhook_deliveries order by id");
    let sent: Vec<(String, Value)> = sent
        .iter()
        .map(|row| {
            let data = serde_json::from_str(row["data"].as_str().unwrap()).unwrap();
            (row["kind"].as_str().unwrap().to_string(), data)
        })
        .collect();
    for kind in ["bill.closed", "bill.due"] {
        let of_april = sent.iter().filter(|(sent, data)| sent == kind && data["due_date"] == "2026-04-05");
        let figures: Vec<Value> =
            of_april.map(|(_, data)| only(data, &["account_id", "total", "amount_due"])).collect();
        assert_eq!(
            figures,
            [json!({ "account_id": card, "total": "215.50", "amount_due": "915.50" })],
            "{kind} of {all}"
        );
    }

    // A payment of more than is due leaves a credit, and a refund more of it.
    put(&ana, card, "2026-04-02", "income", "30.00");
    let moved = json!({ "from_account_id": bank, "to_account_id": card, "amount": "1000.00", "date": "2026-04-03" });
    ana.post("/api/transfers", moved).created();
    let bills = compare(&app, &ana, date!(2026 - 04 - 04));
    assert_eq!(bills[0]["amount_due"], "-114.50", "{bills:?}");

    // A restored document has the same figures.
    let document = ana.get("/api/export").ok();
    let bia = app.user("bia");
    bia.post("/api/restore", document).ok();
    let figures = &FIGURES[1..];
    assert_eq!(each(&bia.get("/api/credit-bills").ok(), figures), each(&ana.get("/api/credit-bills").ok(), figures));
    compare(&app, &bia, date!(2026 - 04 - 04));
}
