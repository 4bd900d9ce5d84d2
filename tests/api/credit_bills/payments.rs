//! Payments of bills.

use std::thread;

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};

use super::{bill_holding, closed_bill, path, pay, put};

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
