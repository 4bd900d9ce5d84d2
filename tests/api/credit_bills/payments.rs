//! Payments of bills.

use std::thread;

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{bill_holding, closed_bill, due, path, pay, put};

#[test]
fn paying_from_an_account_is_a_transfer_to_the_card() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, current, bill) = closed_bill(&ana);
    let paid = pay(&ana, &bill, json!({ "account_id": current, "date": "2026-03-14" })).ok();
    assert_eq!(
        (&paid["status"], &paid["paid_amount"], &paid["amount_due"], &paid["total"]),
        (&json!("paid"), &json!("150.00"), &json!("0.00"), &json!("150.00"))
    );
    assert!(paid["paid_at"].as_str().unwrap().ends_with('Z'), "{paid}");
    assert_eq!((ana.balance(card), ana.balance(current)), (0, -15_000));
    let legs: Vec<Value> =
        ana.all("/api/transactions").into_iter().filter(|transaction| transaction["source"] == "transfer").collect();
    assert_eq!(legs.len(), 2);
    for leg in &legs {
        assert_eq!(
            (&leg["date"], &leg["description"]),
            (&json!("2026-03-14"), &json!("Pagamento de fatura 20/03/2026"))
        );
    }
    let march = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&march["income"], &march["expenses"]), (&json!("0.00"), &json!("0.00")), "nothing is counted twice");
    pay(&ana, &bill, json!({ "account_id": current })).problem(409, "ErrBillAlreadyPaid");
    assert_eq!(ana.get(&path(&bill)).ok(), paid);
}

#[test]
fn paying_without_an_account_creates_no_transfer() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, current, bill) = closed_bill(&ana);
    // The body is optional.
    assert_eq!(ana.post_nothing(&format!("{}/pay", path(&bill))).ok()["status"], "paid");
    assert_eq!((ana.balance(card), ana.balance(current)), (-15_000, 0));
    assert_eq!(ana.all("/api/transactions").len(), 1);
    let unpaid = ana.post_nothing(&format!("{}/unpay", path(&bill))).ok();
    assert_eq!(
        (&unpaid["status"], &unpaid["paid_at"], &unpaid["paid_amount"]),
        (&json!("unpaid"), &Value::Null, &json!("0.00"))
    );
}

#[test]
fn four_payments_at_once_pay_once() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let (card, current, bill) = closed_bill(&ana);
    let there = Client::of(node.address()).with_token(ana.token());
    let replies = thread::scope(|scope| {
        let payments = [&ana, &there, &ana, &there]
            .map(|client| scope.spawn(|| pay(client, &bill, json!({ "account_id": current }))));
        payments.map(|payment| payment.join().unwrap())
    });
    let (paid, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 200);
    assert_eq!(paid.len(), 1);
    for reply in refused {
        reply.problem(409, "ErrBillAlreadyPaid");
    }
    assert_eq!((ana.balance(card), ana.balance(current)), (0, -15_000));
}

#[test]
fn a_bill_on_which_nothing_is_due_is_neither_paid_nor_unpaid() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    let bill = bill_holding(&ana, card, "2026-03-15");
    pay(&ana, &bill, json!({})).problem(409, "ErrNothingToPay");
    ana.post_nothing(&format!("{}/unpay", path(&bill))).problem(409, "ErrBillNotPaid");
    put(&ana, card, "2026-03-12", "income", "40.00");
    pay(&ana, &bill, json!({})).problem(409, "ErrNothingToPay");
    let read = ana.get(&path(&bill)).ok();
    assert_eq!((&read["amount_due"], &read["status"]), (&json!("-40.00"), &json!("paid")));
}

#[test]
fn a_purchase_after_the_payment_is_due_by_itself() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, current, bill) = closed_bill(&ana);
    pay(&ana, &bill, json!({ "account_id": current })).ok();
    let late = put(&ana, card, "2026-03-09", "expense", "20.50");
    let due = ana.get(&path(&bill)).ok();
    assert_eq!(
        (&due["status"], &due["total"], &due["paid_amount"], &due["amount_due"]),
        (&json!("unpaid"), &json!("170.50"), &json!("150.00"), &json!("20.50"))
    );
    let outstanding = ana.get("/api/dashboard").ok()["current_bills"].clone();
    assert_eq!(outstanding[0]["id"], bill["id"]);
    assert_eq!(pay(&ana, &bill, json!({ "account_id": current })).ok()["paid_amount"], "170.50");
    assert_eq!((ana.balance(card), ana.balance(current)), (0, -17_050));
    // After the purchase is deleted, the rest of the second payment counts on the open bill.
    ana.delete(&format!("/api/transactions/{late}")).gone();
    let over = ana.get(&path(&bill)).ok();
    assert_eq!(
        (&over["status"], &over["paid_amount"], &over["amount_due"]),
        (&json!("paid"), &json!("150.00"), &json!("0.00"))
    );
    assert_eq!(bill_holding(&ana, card, "2026-03-15")["amount_due"], "-20.50");
    let unpaid = ana.post_nothing(&format!("{}/unpay", path(&bill))).ok();
    assert_eq!((&unpaid["paid_amount"], &unpaid["amount_due"]), (&json!("0.00"), &json!("150.00")), "both payments");
    assert_eq!((ana.balance(card), ana.balance(current)), (-15_000, 0));
    ana.post_nothing(&format!("{}/unpay", path(&bill))).problem(409, "ErrBillNotPaid");
}

#[test]
fn deleting_the_transfer_or_one_leg_or_its_month_takes_the_payment_back() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, current, bill) = closed_bill(&ana);
    let deletions: [fn(&Client, &Value); 4] = [
        |ana, leg| ana.delete(&format!("/api/transfers/{}", leg["transfer_id"])).gone(),
        |ana, leg| ana.delete(&format!("/api/transactions/{}", leg["id"])).gone(),
        |ana, leg| ana.delete(&format!("/api/transactions/{}", leg["id"])).gone(),
        |ana, _| assert_eq!(ana.delete("/api/transactions?month=2026-03").ok(), json!({ "deleted": 2 })),
    ];
    for (at, delete) in deletions.iter().enumerate() {
        assert_eq!(pay(&ana, &bill, json!({ "account_id": current, "date": "2026-03-14" })).ok()["status"], "paid");
        let legs =
            ana.all(&format!("/api/transactions?month=2026-03&account_id={}", if at == 1 { card } else { current }));
        delete(&ana, &legs[0]);
        assert_eq!((ana.balance(card), ana.balance(current)), (-15_000, 0), "{at}");
        let read = ana.get(&path(&bill)).ok();
        assert_eq!((&read["status"], &read["paid_at"]), (&json!("unpaid"), &Value::Null), "{at}");
    }
}

#[test]
fn an_invalid_payment_changes_nothing() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (card, current, bill) = closed_bill(&ana);
    let others = bia.open_account("Conta", "current");
    for account in [card, others, i64::MAX] {
        pay(&ana, &bill, json!({ "account_id": account })).invalid(&["account_id"]);
    }
    pay(&ana, &bill, json!({ "account_id": "1", "date": "20/03/2026" })).invalid(&["account_id", "date"]);
    pay(&ana, &bill, json!([1])).invalid(&["body"]);
    let pay_path = format!("{}/pay", path(&bill));
    ana.send("POST".parse().unwrap(), &pay_path, Some("application/json"), b"{".to_vec())
        .problem(400, "ErrMalformedRequest");
    ana.send("POST".parse().unwrap(), &pay_path, Some("text/plain"), b"now".to_vec())
        .problem(415, "ErrUnsupportedMedia");
    assert_eq!(ana.get(&path(&bill)).ok(), bill);
    assert_eq!((ana.balance(card), ana.balance(current), bia.balance(others)), (-15_000, 0, 0));
}

#[test]
fn a_recorded_payment_gives_way_to_the_row_of_a_statement() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    for (name, of_card) in [("ana", true), ("bia", false)] {
        let client = app.user(name);
        let (card, bank) = (client.open_card("Visa", 25, 5), client.open_account("Banco", "current"));
        put(&client, card, "2026-02-10", "expense", "1000.00");
        let bill = bill_holding(&client, card, "2026-02-10");
        pay(&client, &bill, json!({ "date": "2026-03-05" })).ok();
        assert!(due(&client, card).is_empty());
        let (account, file) = match of_card {
            true => (card, ofx(&[("20260306", "1000.00", "C1", "Pagamento recebido")])),
            false => (bank, ofx(&[("20260305", "-1000.00", "A1", "PAGAMENTO FATURA")])),
        };
        let import = client.import(Some(account), &file).created()["import_id"].clone();
        assert!(due(&client, card).is_empty(), "{name}: {:?}", due(&client, card));
        assert_eq!(super::account(&client, card)["balance"], "0.00", "{name}");
        client.delete(&format!("/api/imports/{import}")).ok();
        assert!(due(&client, card).is_empty(), "the recorded payment counts again");
        assert_eq!(super::account(&client, card)["balance"], "-1000.00");
    }
}

#[test]
fn money_that_a_transfer_takes_out_of_a_card_is_owed_with_the_open_bill() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Visa", 25, 5), ana.open_account("Banco", "current"));
    let owed = |date: &str, amount: &str| vec![(date.to_string(), amount.to_string())];
    let out = json!({ "from_account_id": card, "to_account_id": bank, "amount": "100.00", "date": "2026-02-09" });
    let transfer = ana.post("/api/transfers", out).created();
    assert_eq!(due(&ana, card), owed("2026-03-05", "100.00"));
    let bill = bill_holding(&ana, card, "2026-02-10");
    pay(&ana, &bill, json!({ "account_id": bank, "date": "2026-03-05" })).ok();
    assert!(due(&ana, card).is_empty());
    assert_eq!(super::account(&ana, card)["balance"], "0.00");
    ana.delete(&format!("/api/transfers/{}", transfer["id"])).gone();
    assert_eq!(due(&ana, card), owed("2026-04-05", "-100.00"), "what was paid is a credit");
    // The bank pays the credit out.
    let out = json!({ "from_account_id": card, "to_account_id": bank, "amount": "100.00", "date": "2026-03-08" });
    ana.post("/api/transfers", out).created();
    assert!(due(&ana, card).is_empty(), "{:?}", due(&ana, card));
    // A purchase that a person calls a transfer is owed as before.
    let bought = put(&ana, card, "2026-03-09", "expense", "30.00");
    let mut row = ana.get(&format!("/api/transactions/{bought}")).ok();
    row["is_transfer"] = json!(true);
    ana.put(&format!("/api/transactions/{bought}"), row).ok();
    assert_eq!(due(&ana, card), owed("2026-04-05", "30.00"));
}

#[test]
fn a_payment_that_was_only_recorded_gives_way_to_what_was_paid() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let whole = &[("20260205", "100.00")][..];
    let in_parts = &[("20260205", "60.00"), ("20260206", "40.00")][..];
    let (more, days_later) = (&[("20260205", "100.50")][..], &[("20260220", "100.00")][..]);
    let payments =
        [("whole", whole, "7.00"), ("parts", in_parts, "7.00"), ("more", more, "6.50"), ("later", days_later, "7.00")];
    for (name, rows, owed) in payments {
        let ana = app.user(name);
        let card = ana.open_card("Cartão", 25, 5);
        put(&ana, card, "2026-01-05", "expense", "100.00");
        put(&ana, card, "2026-02-26", "expense", "7.00");
        app.clock.set_today(date!(2026 - 02 - 10));
        let bill = bill_holding(&ana, card, "2026-01-05");
        assert_eq!(pay(&ana, &bill, json!({ "date": "2026-02-05" })).ok()["status"], "paid");
        app.clock.set_today(date!(2026 - 03 - 10));
        for (at, (day, amount)) in rows.iter().enumerate() {
            let id = format!("C{at}");
            ana.import(Some(card), &ofx(&[(day, amount, &id, "Pagamento recebido")])).created();
        }
        let sum: f64 = due(&ana, card).iter().map(|(_, amount)| amount.parse::<f64>().unwrap()).sum();
        assert_eq!(format!("{sum:.2}"), owed, "{name}: {:?}", due(&ana, card));
    }
}
