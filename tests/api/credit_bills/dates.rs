//! Bills that close or are due on other days than the card's days.

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{bill_holding, bills, path, pay, put};

/// A card that closes on the 25th and is due on the 5th. It has purchases of 1.00, 2.00, 4.00 and 8.00 on four days. Today
/// is 20 March.
fn card(app: &TestApp, client: &Client) -> i64 {
    app.clock.set_today(date!(2026 - 03 - 20));
    let card = client.open_card("Cartão", 25, 5);
    for (date, amount) in
        [("2026-02-10", "1.00"), ("2026-02-24", "2.00"), ("2026-02-25", "4.00"), ("2026-03-12", "8.00")]
    {
        put(client, card, date, "expense", amount);
    }
    card
}

#[test]
fn a_bill_closes_when_its_bank_says() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&app, &ana);
    let [january, february, march] =
        ["2026-02-10", "2026-02-25", "2026-03-20"].map(|date| bill_holding(&ana, card, date));
    assert_eq!((&january["total"], &february["total"]), (&json!("3.00"), &json!("12.00")));
    assert_eq!(february, march, "25 February to 24 March");
    let same = ana.put(&path(&february), february.clone());
    assert_eq!(same.header("Finance-Change"), None, "what was read changes nothing");
    assert_eq!(same.ok(), february);
    // "Fechamento 26/02": the bill that closes then also has the purchase of the 25th.
    let dates = json!({ "closing_date": "2026-02-26" });
    let moved = ana.put(&path(&january), dates.clone()).ok();
    let expected =
        json!({ "period_end": "2026-02-25", "closing_date": "2026-02-26", "due_date": "2026-03-05", "total": "7.00" });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(moved[name], *value, "{name}");
    }
    assert_eq!(ana.get(&path(&january)).ok(), moved);
    let next = ana.get(&path(&february)).ok();
    assert_eq!((&next["period_start"], &next["total"]), (&json!("2026-02-26"), &json!("8.00")));
    // The account shows the best day to buy. The changed dates also decide on which bill a later row is.
    let account = ana.get(&format!("/api/accounts/{card}")).ok();
    assert_eq!(account["current_bill"]["closing_date"], "2026-03-25");
    put(&ana, card, "2026-02-25", "expense", "16.00");
    assert_eq!(ana.get(&path(&january)).ok()["total"], "23.00");
    // The same dates again change nothing. Without dates the card's days apply.
    let listed = bills(&ana, card);
    ana.put(&path(&january), dates).ok();
    assert_eq!(bills(&ana, card), listed);
    let back = ana.put(&path(&january), json!({ "closing_date": null })).ok();
    assert_eq!((&back["closing_date"], &back["total"]), (&json!("2026-02-25"), &json!("3.00")));
    assert_eq!(ana.get(&path(&february)).ok()["total"], "28.00");
}

#[test]
fn a_closing_date_decides_which_bill_is_open() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&app, &ana);
    let open = bill_holding(&ana, card, "2026-03-20");
    // The bill closed yesterday, so another bill is open.
    ana.put(&path(&open), json!({ "closing_date": "2026-03-19" })).ok();
    let current = |client: &Client| client.get(&format!("/api/accounts/{card}")).ok()["current_bill"].clone();
    let next = current(&ana);
    assert_eq!((&next["period_start"], &next["period_end"]), (&json!("2026-03-19"), &json!("2026-04-24")));
    put(&ana, card, "2026-03-19", "expense", "32.00");
    assert_eq!(current(&ana)["total"], "32.00");
    // Now the bill closes later, so the other bill has not begun, and its row is on the open bill.
    ana.put(&path(&open), json!({ "closing_date": "2026-03-27" })).ok();
    assert_eq!(current(&ana), ana.get(&path(&open)).ok());
    assert_eq!(current(&ana)["total"], "44.00");
    ana.get(&path(&next)).problem(404, "ErrNotFound");
    app.clock.set_today(date!(2026 - 03 - 26));
    assert_eq!(current(&ana)["closing_date"], "2026-03-27", "it is still open a day after its day");
    app.clock.set_today(date!(2026 - 03 - 27));
    assert_eq!(current(&ana)["period_start"], "2026-03-27");
    let upcoming = ana.get(&format!("/api/credit-bills/upcoming?account_id={card}&months=2")).ok();
    let starts: Vec<&Value> = upcoming.as_array().unwrap().iter().map(|bill| &bill["period_start"]).collect();
    assert_eq!(starts, ["2026-03-27", "2026-04-25"]);
}

#[test]
fn a_bill_is_due_when_its_bank_says() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&app, &ana);
    let bill = bill_holding(&ana, card, "2026-02-10");
    let moved = ana.put(&path(&bill), json!({ "due_date": "2026-03-09" })).ok();
    assert_eq!(
        (&moved["due_date"], &moved["closing_date"], &moved["total"]),
        (&json!("2026-03-09"), &json!("2026-02-25"), &json!("3.00"))
    );
    assert_eq!(bills(&ana, card).iter().find(|row| row[0] == "2026-01-25").unwrap()[2], "2026-03-09");
    pay(&ana, &bill, json!({})).ok();
    ana.put(&path(&bill), json!({ "closing_date": "2026-02-25", "due_date": "2026-03-06" })).ok();
    let paid = ana.get(&path(&bill)).ok();
    assert_eq!((&paid["due_date"], &paid["status"]), (&json!("2026-03-06"), &json!("paid")), "a payment stays");
}

#[test]
fn a_bill_keeps_off_the_bills_beside_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&app, &ana);
    let bill = bill_holding(&ana, card, "2026-02-10");
    let before = bills(&ana, card);
    for (dates, fields) in [
        // The card's days are 25 January, 25 February and 25 March. A closing date may move at most half-way to the next
        // one or back to the previous one.
        (json!({ "closing_date": "2026-02-09" }), &["closing_date"][..]),
        (json!({ "closing_date": "2026-03-12" }), &["closing_date"]),
        (json!({ "closing_date": "26/02" }), &["closing_date"]),
        (json!({ "due_date": "2026-02-25" }), &["due_date"]),
        (json!({ "due_date": "2026-04-29" }), &["due_date"]),
        (json!({ "closing_date": "2026-02-27", "due_date": "2026-02-27" }), &["due_date"]),
        (json!({ "closing_date": 26, "due_date": "x" }), &["closing_date", "due_date"]),
    ] {
        ana.put(&path(&bill), dates).invalid(fields);
    }
    assert_eq!(bills(&ana, card), before, "what is refused changes nothing");
    for date in ["2026-02-10", "2026-03-11"] {
        assert_eq!(ana.put(&path(&bill), json!({ "closing_date": date })).ok()["closing_date"], date);
    }
    ana.put("/api/credit-bills/999999", json!({})).problem(404, "ErrNotFound");
}

#[test]
fn other_days_of_a_card_end_the_dates_of_its_open_bill() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&app, &ana);
    let [closed, open] = ["2026-02-10", "2026-03-20"].map(|date| bill_holding(&ana, card, date));
    ana.put(&path(&closed), json!({ "closing_date": "2026-02-27" })).ok();
    ana.put(&path(&open), json!({ "closing_date": "2026-03-28" })).ok();
    let days =
        |closing: u8, due: u8| json!({ "name": "Cartão", "kind": "credit", "closing_day": closing, "due_day": due });
    let account = format!("/api/accounts/{card}");
    ana.put(&account, days(25, 6)).ok();
    assert_eq!(ana.get(&path(&open)).ok()["closing_date"], "2026-03-28", "it closes as it did");
    ana.put(&account, days(22, 6)).ok();
    assert_eq!(ana.get(&path(&open)).ok()["closing_date"], "2026-03-22");
    assert_eq!(ana.get(&path(&closed)).ok()["closing_date"], "2026-02-27", "what closed stays");
}

#[test]
fn a_statement_that_names_its_due_date_gives_it_to_the_bill() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 28));
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Visa", 25, 5), ana.open_account("Banco", "current"));
    let file = "Fatura Visa\nVencimento;07/04/2026\n\nData;Descrição;Valor\n10/03/2026;Livraria;-50,00\n".as_bytes();
    let fields = [("account_id", card.to_string()), ("is_credit_card", "true".to_string())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let preview = ana.preview_with(file, &fields).ok();
    assert_eq!(preview["due_date"], "2026-04-07");
    let confirm = |account: i64, is_card: bool, due: Value, rows: Value| {
        let body =
            json!({ "account_id": account, "format": "csv", "is_credit_card": is_card, "due_date": due, "rows": rows });
        ana.post("/api/import/confirm", body)
    };
    assert_eq!(confirm(card, true, preview["due_date"].clone(), preview["rows"].clone()).created()["inserted"], 1);
    let bills = || -> Vec<(Value, Value, Value)> {
        let bills = ana.all(&format!("/api/credit-bills?account_id={card}"));
        bills.iter().map(|bill| (bill["period_end"].clone(), bill["due_date"].clone(), bill["total"].clone())).collect()
    };
    let bill = |end: &str, due: &str, total: &str| (json!(end), json!(due), json!(total));
    let known = bills();
    assert!(known.contains(&bill("2026-03-24", "2026-04-07", "50.00")), "{known:?}");
    assert!(known.contains(&bill("2026-04-24", "2026-05-05", "0.00")), "the next one keeps the card's day: {known:?}");
    // A second confirm changes nothing, and neither does a confirm for an account that is not a card.
    assert_eq!(confirm(card, true, preview["due_date"].clone(), preview["rows"].clone()).created()["inserted"], 0);
    assert_eq!(confirm(bank, false, json!("2026-04-09"), json!([])).created()["inserted"], 0);
    assert_eq!(bills(), known);
    confirm(card, true, json!("soon"), json!([])).invalid(&["due_date"]);
    assert_eq!(
        ana.preview(b"Data;Descri\xc3\xa7\xc3\xa3o;Valor\n10/03/2026;Livraria;50,00\n").ok()["due_date"],
        Value::Null
    );
}

#[test]
fn a_due_date_that_the_bank_moves_past_the_next_closing_stays_with_its_bill() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 05 - 09));
    let ana = app.user("ana");
    // 10 May 2026 is a Sunday.
    let card = ana.open_card("Visa", 10, 10);
    let row = json!({ "date": "2026-03-15", "description": "Livraria", "amount": "50.00", "type": "expense" });
    let body = json!({ "account_id": card, "is_credit_card": true, "due_date": "2026-05-11", "rows": [row] });
    for inserted in [1, 0] {
        assert_eq!(ana.post("/api/import/confirm", body.clone()).created()["inserted"], inserted);
        let due = |bill: &Value| (bill["period_end"].clone(), bill["due_date"].clone(), bill["total"].clone());
        let bills: Vec<_> = ana.all(&format!("/api/credit-bills?account_id={card}")).iter().map(due).collect();
        let bill = |end: &str, due: &str, total: &str| (json!(end), json!(due), json!(total));
        assert!(bills.contains(&bill("2026-04-09", "2026-05-11", "50.00")), "{bills:?}");
        assert!(bills.contains(&bill("2026-05-09", "2026-06-10", "0.00")), "{bills:?}");
    }
    // What is paid on that day is on that bill.
    app.clock.set_today(date!(2026 - 05 - 12));
    let rows = ofx(&[("20260401", "-20.00", "L1", "CAFE")]);
    assert_eq!(ana.import_card(card, "2026-05-11", &rows).created()["inserted"], 1);
    assert_eq!(bill_holding(&ana, card, "2026-03-15")["total"], "70.00");
}

#[test]
fn a_coming_bill_for_which_a_statement_is_held_keeps_its_id_when_dates_change() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = ana.open_card("Visa", 25, 5);
    ana.import_card(card, "2026-05-05", &ofx(&[("20260302", "-140.00", "H1", "MERCADO")])).expect(202);
    let (open, coming) = (bill_holding(&ana, card, "2026-03-10"), bill_holding(&ana, card, "2026-03-25"));
    let moved = ana.put(&path(&coming), json!({ "due_date": "2026-05-06" })).ok();
    assert_eq!(
        (&moved["id"], &moved["due_date"], &moved["held"]),
        (&coming["id"], &json!("2026-05-06"), &json!("140.00"))
    );
    ana.put(&path(&open), json!({ "closing_date": "2026-03-27" })).ok();
    let moved = ana.get(&path(&coming)).ok();
    assert_eq!((&moved["period_start"], &moved["held"]), (&json!("2026-03-27"), &json!("140.00")));
    let days = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 7 });
    ana.put(&format!("/api/accounts/{card}"), days).ok();
    assert_eq!(ana.get(&path(&coming)).ok()["held"], "140.00");
}
