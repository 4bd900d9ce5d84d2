//! `/api/credit-bills`.

use std::thread;

use finance_domain::transactions::{Kind, NewTransaction, Source, TransactionFilter};
use finance_domain::{Access, AccountId, Money, Store};
use finance_tests::{Client, TestApp, cents, ofx};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

/// Creates a transaction on an account. Returns its id.
#[track_caller]
fn put(client: &Client, account_id: i64, date: &str, kind: &str, amount: &str) -> i64 {
    let body =
        json!({ "type": kind, "date": date, "description": "Compra", "amount": amount, "account_id": account_id });
    client.post("/api/transactions", body).created()["id"].as_i64().unwrap()
}

/// The bills of a card, newest first, as period, due date, total and status.
fn bills(client: &Client, card: i64) -> Vec<[String; 5]> {
    let bills = client.get(&format!("/api/credit-bills?account_id={card}")).ok();
    bills.as_array().unwrap().iter().map(summary).collect()
}

fn summary(bill: &Value) -> [String; 5] {
    ["period_start", "period_end", "due_date", "total", "status"].map(|field| bill[field].as_str().unwrap().to_string())
}

/// The bill of a card whose period holds a date.
#[track_caller]
fn bill_holding(client: &Client, card: i64, date: &str) -> Value {
    let bills = client.get(&format!("/api/credit-bills?account_id={card}")).ok();
    let holds =
        |bill: &&Value| bill["period_start"].as_str() <= Some(date) && Some(date) <= bill["period_end"].as_str();
    bills.as_array().unwrap().iter().find(holds).unwrap_or_else(|| panic!("no bill holds {date}: {bills}")).clone()
}

fn path(bill: &Value) -> String {
    format!("/api/credit-bills/{}", bill["id"])
}

fn pay(client: &Client, bill: &Value, body: Value) -> finance_tests::Reply {
    client.post(&format!("{}/pay", path(bill)), body)
}

/// Today is 2026-03-15; the bill of February closed on 2026-03-10 with 150.00 on it.
fn closed_bill(client: &Client) -> (i64, i64, Value) {
    let (card, current) = (client.open_card("Cartão", 10, 20), client.open_account("Conta", "current"));
    put(client, card, "2026-02-15", "expense", "150.00");
    let bill = bill_holding(client, card, "2026-02-15");
    (card, current, bill)
}

#[test]
fn a_card_has_its_current_bill_from_the_start_and_earlier_ones_that_have_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let opened = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    let account = ana.post("/api/accounts", opened).created();
    let card = account["id"].as_i64().unwrap();
    let bill = account["current_bill"].clone();
    assert_eq!(
        bill,
        json!({ "id": bill["id"], "profile_id": ana.caller().profile_id.0, "account_id": card,
            "period_start": "2026-03-10", "period_end": "2026-04-09", "due_date": "2026-04-20", "total": "0.00",
            "paid_amount": "0.00", "amount_due": "0.00", "status": "unpaid", "paid_at": null })
    );
    assert_eq!(ana.get(&path(&bill)).ok(), bill);
    put(&ana, card, "2025-12-24", "expense", "80.00");
    let listed = ana.get("/api/accounts").ok();
    assert_eq!(listed[0]["current_bill"]["id"], bill["id"], "the same bill, not another one");
    assert_eq!(
        bills(&ana, card),
        [
            ["2026-03-10", "2026-04-09", "2026-04-20", "0.00", "unpaid"],
            ["2025-12-10", "2026-01-09", "2026-01-20", "80.00", "unpaid"],
        ]
    );
    assert_eq!(ana.get("/api/accounts").ok()[0]["current_bill"]["total"], "0.00");
}

#[test]
fn listing_accounts_opens_the_bill_of_a_new_period() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    let first = ana.get("/api/accounts").ok()[0]["current_bill"]["id"].clone();
    app.clock.set_today(date!(2026 - 04 - 09));
    assert_eq!(ana.get("/api/accounts").ok()[0]["current_bill"]["id"], first);
    app.clock.set_today(date!(2026 - 04 - 10));
    let second = ana.get("/api/accounts").ok()[0]["current_bill"].clone();
    assert_eq!(second["period_start"], "2026-04-10");
    // After months without a request, only the current bill is created, because no other has rows.
    app.clock.set_today(date!(2026 - 09 - 01));
    ana.get("/api/accounts").ok();
    let starts: Vec<String> = bills(&ana, card).into_iter().map(|[start, ..]| start).collect();
    assert_eq!(starts, ["2026-08-10", "2026-04-10", "2026-03-10"]);
}

#[test]
fn days_past_the_end_of_a_month_mean_its_last_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (name, today, (closing, due), period) in [
        ("a", date!(2026 - 02 - 27), (31, 10), ["2026-01-31", "2026-02-27", "2026-03-10"]),
        ("b", date!(2026 - 02 - 28), (31, 10), ["2026-02-28", "2026-03-30", "2026-04-10"]),
        ("c", date!(2028 - 02 - 28), (30, 31), ["2028-01-30", "2028-02-28", "2028-03-31"]),
        ("d", date!(2028 - 02 - 29), (30, 31), ["2028-02-29", "2028-03-29", "2028-03-31"]),
        ("e", date!(2026 - 01 - 30), (29, 29), ["2026-01-29", "2026-02-27", "2026-03-29"]),
        ("f", date!(2026 - 01 - 15), (15, 15), ["2026-01-15", "2026-02-14", "2026-03-15"]),
        ("g", date!(2025 - 12 - 31), (31, 1), ["2025-12-31", "2026-01-30", "2026-02-01"]),
    ] {
        app.clock.set_today(today);
        let body = json!({ "name": name, "kind": "credit", "closing_day": closing, "due_day": due });
        let bill = ana.post("/api/accounts", body).created()["current_bill"].clone();
        assert_eq!(
            ["period_start", "period_end", "due_date"].map(|field| bill[field].as_str().unwrap()),
            period,
            "{name}"
        );
    }
}

#[test]
fn a_purchase_on_the_closing_day_is_on_the_next_bill() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    put(&ana, card, "2026-03-09", "expense", "1.00");
    put(&ana, card, "2026-03-10", "expense", "2.00");
    put(&ana, card, "2026-04-09", "expense", "4.00");
    put(&ana, card, "2026-04-10", "expense", "8.00");
    assert_eq!(
        bills(&ana, card),
        [
            ["2026-03-10", "2026-04-09", "2026-04-20", "6.00", "unpaid"],
            ["2026-02-10", "2026-03-09", "2026-03-20", "1.00", "unpaid"],
        ]
    );
    app.clock.set_today(date!(2026 - 04 - 10));
    assert_eq!(bills(&ana, card)[0][3], "8.00");
}

#[test]
fn a_row_with_a_payment_date_is_on_the_bill_that_date_pays() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    let purchases = ofx(&[("20260115", "-30.00", "1", "LOJA Parcela 2/3"), ("20260301", "-5.00", "2", "CAFE")]);
    // On the closing date, on the due date, and on a Monday after a due date on a weekend.
    for (payment_date, today) in [
        ("2026-03-10", date!(2026 - 03 - 15)),
        ("2026-04-20", date!(2026 - 04 - 20)),
        ("2026-05-22", date!(2026 - 05 - 23)),
    ] {
        app.clock.set_today(today);
        let import = ana.import_card(card, payment_date, &purchases).created();
        let [last_closed, earlier] = match payment_date {
            "2026-03-10" => ["2026-03-09", "2026-02-09"],
            "2026-04-20" => ["2026-04-09", "2026-03-09"],
            _ => ["2026-05-09", "2026-04-09"],
        };
        let listed = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
        let total = |end: &str| {
            let bills = listed.as_array().unwrap();
            bills.iter().find(|bill| bill["period_end"] == end).map_or(0, |bill| cents(&bill["total"]))
        };
        assert_eq!((total(last_closed), total(earlier)), (3500, 0), "{payment_date}: {listed}");
        ana.delete(&format!("/api/imports/{}", import["import_id"])).ok();
    }
}

#[test]
fn the_total_equals_the_rows_after_every_kind_of_write() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let opened = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20,
        "opening_balance": "-999.00", "opening_date": "2026-03-12" });
    let card = ana.post("/api/accounts", opened).created()["id"].as_i64().unwrap();
    let current = ana.open_account("Conta", "current");
    let bill = bill_holding(&ana, card, "2026-03-12");
    let total = || {
        let read = ana.get(&path(&bill)).ok();
        let of_account = ana.get(&format!("/api/accounts/{card}")).ok()["current_bill"].clone();
        let of_list = ana.get("/api/accounts").ok()[0]["current_bill"].clone();
        assert_eq!((&of_account, &of_list), (&read, &read), "every read tells the same");
        assert_eq!(cents(&read["amount_due"]), cents(&read["total"]) - cents(&read["paid_amount"]));
        cents(&read["total"])
    };
    assert_eq!(total(), 0, "the opening balance is no row");
    let purchase = put(&ana, card, "2026-03-12", "expense", "100.00");
    put(&ana, card, "2026-03-13", "income", "30.00");
    assert_eq!(total(), 7000);
    let transaction = |date: &str, account: Option<i64>, amount: &str| json!({ "type": "expense", "date": date, "description": "Compra", "amount": amount, "account_id": account });
    let at = format!("/api/transactions/{purchase}");
    for (body, expected) in [
        (transaction("2026-03-12", Some(card), "250.10"), 22_010),
        (transaction("2026-03-09", Some(card), "250.10"), -3000),
        (transaction("2026-04-09", Some(card), "250.10"), 22_010),
        (transaction("2026-04-09", Some(current), "250.10"), -3000),
        (transaction("2026-04-09", None, "250.10"), -3000),
        (transaction("2026-03-10", Some(card), "1.00"), -2900),
    ] {
        ana.put(&at, body.clone()).ok();
        assert_eq!(total(), expected, "{body}");
    }
    let transfer = json!({ "from_account_id": current, "to_account_id": card, "amount": "500", "date": "2026-03-12" });
    ana.post("/api/transfers", transfer).created();
    assert_eq!(total(), -2900, "a transfer is no row");
    assert_eq!(ana.get(&path(&bill)).ok()["paid_amount"], "500.00", "it is a payment");
    let import =
        ana.import(Some(card), &ofx(&[("20260314", "-10.00", "1", "CAFE"), ("20260409", "-1.00", "2", "CAFE")]));
    let import = import.created()["import_id"].clone();
    assert_eq!(total(), -1800);
    ana.delete(&format!("/api/imports/{import}")).ok();
    assert_eq!(total(), -2900);
    ana.delete(&at).gone();
    assert_eq!(total(), -3000);
    ana.delete("/api/transactions?month=2026-03").ok();
    assert_eq!(total(), 0);
}

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
    // A body is optional.
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
    assert_eq!((&read["amount_due"], &read["status"]), (&json!("-40.00"), &json!("unpaid")));
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
    // After a refund it is still paid, and more was paid than is due.
    ana.delete(&format!("/api/transactions/{late}")).gone();
    let over = ana.get(&path(&bill)).ok();
    assert_eq!((&over["status"], &over["amount_due"]), (&json!("paid"), &json!("-20.50")));
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
fn bills_are_listed_by_card_and_by_status_of_the_moment() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (card, other) = (ana.open_card("Cartão", 10, 20), ana.open_card("Outro", 1, 8));
    put(&ana, card, "2026-02-15", "expense", "150.00");
    put(&ana, card, "2026-01-15", "expense", "70.00");
    let bill = bill_holding(&ana, card, "2026-01-15");
    pay(&ana, &bill, json!({})).ok();
    let listed = |query: &str| -> Vec<(i64, String)> {
        let bills = ana.get(&format!("/api/credit-bills{query}")).ok();
        bills
            .as_array()
            .unwrap()
            .iter()
            .map(|bill| (bill["account_id"].as_i64().unwrap(), bill["period_start"].as_str().unwrap().to_string()))
            .collect()
    };
    let starts = |query: &str| listed(query).into_iter().map(|(_, start)| start).collect::<Vec<_>>();
    assert_eq!(starts(""), ["2026-03-10", "2026-03-01", "2026-02-10", "2026-01-10"]);
    assert_eq!(listed(&format!("?account_id={other}")), [(other, "2026-03-01".to_string())]);
    assert_eq!(starts(&format!("?account_id={card}&status=paid")), ["2026-01-10"]);
    assert_eq!(starts("?status=unpaid"), ["2026-03-10", "2026-03-01", "2026-02-10"]);
    put(&ana, card, "2026-01-20", "expense", "0.01");
    assert_eq!(starts("?status=paid"), [""; 0]);
    assert_eq!(ana.all("/api/credit-bills?limit=1").len(), 4);
    assert_eq!(bia.get(&format!("/api/credit-bills?account_id={card}")).ok(), json!([]));
    ana.get("/api/credit-bills?account_id=x&status=open&limit=0&cursor=y").invalid(&[
        "account_id",
        "status",
        "limit",
        "cursor",
    ]);
}

#[test]
fn new_days_apply_from_the_current_bill_on() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    put(&ana, card, "2026-02-15", "expense", "150.00");
    put(&ana, card, "2026-03-12", "expense", "7.00");
    let before = bills(&ana, card);
    let account = format!("/api/accounts/{card}");
    let days = |closing: u8, due: u8| {
        ana.put(&account, json!({ "name": "Cartão", "kind": "credit", "closing_day": closing, "due_day": due })).ok();
    };
    days(25, 5);
    assert_eq!(
        bills(&ana, card),
        [["2026-03-10", "2026-03-24", "2026-04-05", "7.00", "unpaid"].map(str::to_string), before[1].clone()],
        "what closed stays"
    );
    put(&ana, card, "2026-03-24", "expense", "1.00");
    put(&ana, card, "2026-03-25", "expense", "2.00");
    app.clock.set_today(date!(2026 - 03 - 25));
    assert_eq!(
        bills(&ana, card)[..2],
        [
            ["2026-03-25", "2026-04-24", "2026-05-05", "2.00", "unpaid"],
            ["2026-03-10", "2026-03-24", "2026-04-05", "8.00", "unpaid"],
        ]
    );
    // Two changes in one period: only the last one counts.
    days(1, 8);
    days(25, 5);
    assert_eq!(bills(&ana, card)[0][..3], ["2026-03-25", "2026-04-24", "2026-05-05"]);
    let sum: i128 =
        ana.get("/api/credit-bills").ok().as_array().unwrap().iter().map(|bill| cents(&bill["total"])).sum();
    assert_eq!(sum, -ana.balance(card), "each row is on one bill");
}

#[test]
fn concurrent_listings_create_one_bill() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let there = Client::of(node.address()).with_token(ana.token());
    let card = ana.open_card("Cartão", 10, 20);
    put(&ana, card, "2026-02-15", "expense", "1.00");
    let tomorrow: Date = date!(2026 - 04 - 10);
    app.clock.set_today(tomorrow);
    node.clock.set_today(tomorrow);
    thread::scope(|scope| {
        for at in 0..16 {
            let client = if at % 2 == 0 { &ana } else { &there };
            let path = if at % 4 < 2 { "/api/accounts" } else { "/api/credit-bills" };
            scope.spawn(move || client.get(path).ok());
        }
    });
    let starts: Vec<String> = bills(&ana, card).into_iter().map(|[start, ..]| start).collect();
    assert_eq!(starts, ["2026-04-10", "2026-03-10", "2026-02-10"]);
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
fn another_profile_has_no_such_bill() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (_, _, bill) = closed_bill(&ana);
    bia.get(&path(&bill)).problem(404, "ErrNotFound");
    pay(&bia, &bill, json!({})).problem(404, "ErrNotFound");
    bia.post_nothing(&format!("{}/unpay", path(&bill))).problem(404, "ErrNotFound");
    assert_eq!(bia.get("/api/credit-bills").ok(), json!([]));
    ana.get("/api/credit-bills/x").problem(404, "ErrNotFound");
    assert_eq!(ana.get(&path(&bill)).ok(), bill);
}

#[test]
fn a_card_with_rows_on_its_bills_is_not_deleted_and_one_without_is() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, empty) = (ana.open_card("Cartão", 10, 20), ana.open_card("Vazio", 10, 20));
    let purchase = put(&ana, card, "2026-02-15", "expense", "150.00");
    ana.get("/api/accounts").ok();
    ana.delete(&format!("/api/accounts/{card}")).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/accounts/{empty}")).gone();
    ana.delete(&format!("/api/transactions/{purchase}")).gone();
    ana.delete(&format!("/api/accounts/{card}")).gone();
    assert_eq!(ana.get("/api/credit-bills").ok(), json!([]));
}

/// A small generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A change of a card's transactions by SQL: with a purchase date, or of a row with a given amount.
#[derive(Debug, Clone, Copy)]
enum Change {
    Insert { original_date: Option<Date> },
    Move,
    Delete,
}

impl Change {
    fn make(self, app: &TestApp, client: &Client, card: AccountId, date: Date, amount: Money) {
        let row = NewTransaction {
            account_id: Some(card),
            source: Source::Ofx,
            ..NewTransaction::new(Kind::Expense, date, "x", amount)
        };
        let store: &dyn Store = app.store.as_ref();
        let made = store.run(&client.caller(), Access::Write, |repo| {
            let all = repo.transaction_list(&TransactionFilter::default(), None, 1_000)?;
            match self {
                Change::Insert { original_date } => {
                    repo.transaction_insert(&[NewTransaction { original_date, ..row }])?;
                }
                Change::Move => {
                    let first = all.iter().filter(|stored| stored.amount >= amount).min_by_key(|stored| stored.id);
                    if let Some(stored) = first {
                        repo.transaction_update(&[stored.edited(NewTransaction { amount: stored.amount, ..row })])?;
                    }
                }
                Change::Delete => {
                    let same = all.iter().filter(|stored| stored.amount == amount).map(|stored| stored.id);
                    repo.transaction_delete(&same.collect())?;
                }
            }
            Ok(())
        });
        made.unwrap();
    }
}

/// Two profiles have the same history. Before each listing of the second one's bills, `bills_complete_until` is reset, so that
/// all bills are refreshed.
#[test]
fn refreshing_changed_bills_gives_the_same_as_refreshing_all() {
    let app = TestApp::start();
    let twins = ["ana", "bia"].map(|name| app.user(name));
    let cards = twins.each_ref().map(|client| [client.open_card("Um", 10, 20), client.open_card("Dois", 31, 7)]);
    let list = |client: &Client| {
        let own = |bill: &Value| {
            let mut bill = bill.clone();
            for field in ["id", "profile_id", "account_id"] {
                bill.as_object_mut().unwrap().remove(field);
            }
            bill
        };
        let accounts = client.get("/api/accounts").ok();
        let current: Vec<Value> =
            accounts.as_array().unwrap().iter().map(|account| own(&account["current_bill"])).collect();
        let bills = client.get("/api/credit-bills?limit=1000").ok();
        (current, bills.as_array().unwrap().iter().map(own).collect::<Vec<_>>())
    };
    let (mut numbers, mut today) = (Numbers(7), date!(2026 - 03 - 15));
    let first = date!(2025 - 09 - 01);
    let mut most = 0;
    for step in 0..120 {
        let day = first + Duration::days(numbers.below(600) as i64);
        let (which, amount) = (numbers.below(2) as usize, numbers.below(100) + 1);
        let change = match numbers.below(8) {
            0..4 => {
                let original_date = (numbers.below(2) == 1).then(|| day - Duration::days(30));
                Some(Change::Insert { original_date })
            }
            4 => Some(Change::Move),
            5 => Some(Change::Delete),
            6 => {
                let (closing_day, due_day) = (numbers.below(31) + 1, numbers.below(31) + 1);
                let name = ["Um", "Dois"][which];
                let days = json!({ "name": name, "kind": "credit", "closing_day": closing_day, "due_day": due_day });
                for (client, cards) in twins.iter().zip(&cards) {
                    client.put(&format!("/api/accounts/{}", cards[which]), days.clone()).ok();
                }
                None
            }
            _ => {
                today += Duration::days(numbers.below(20) as i64);
                app.clock.set_today(today);
                None
            }
        };
        for (client, cards) in twins.iter().zip(&cards) {
            if let Some(change) = change {
                let card = AccountId(cards[which]);
                change.make(&app, client, card, day, Money::from_cents(i128::from(amount) * 100));
            }
        }
        if numbers.below(3) > 0 {
            let forgotten = twins[1].caller().profile_id.0;
            app.sql(&format!("update accounts set bills_complete_until = null where profile_id = {forgotten}"));
            let listed = list(&twins[0]);
            assert!(listed == list(&twins[1]), "step {step}, {today}: {change:?} on {day}");
            most = most.max(listed.1.len());
        }
    }
    assert!(most > 15, "{most} bills: the years were too quiet");
}

#[test]
fn bills_are_listed_without_waiting_for_a_writer_while_nothing_changed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    put(&ana, card, "1900-01-01", "expense", "1.00");
    put(&ana, card, "2026-03-12", "expense", "2.00");
    let listed = ["/api/accounts", "/api/credit-bills"].map(|path| ana.get(path).ok());
    let mut writer = app.connection();
    diesel::connection::SimpleConnection::batch_execute(&mut writer, "begin; select from profiles for update").unwrap();
    assert_eq!(["/api/accounts", "/api/credit-bills"].map(|path| ana.get(path).ok()), listed);
}
