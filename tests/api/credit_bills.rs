//! `/api/credit-bills`.

mod before_the_books;
mod carried;
mod changed_days;
mod dates;
mod overdue;
mod payments;
mod random;
mod refreshing;
mod same_figures;
mod today;
mod upgraded;

use std::thread;

use finance_tests::{Client, TestApp, cents, ofx};
use serde_json::{Value, json};
use time::Date;
use time::macros::date;

/// Creates a transaction on an account. Returns its id.
#[track_caller]
fn put(client: &Client, account_id: i64, date: &str, kind: &str, amount: &str) -> i64 {
    let body =
        json!({ "type": kind, "date": date, "description": "Compra", "amount": amount, "account_id": account_id });
    client.post("/api/transactions", body).created()["id"].as_i64().unwrap()
}

/// The bills of a card, newest first: period, due date, total and status.
fn bills(client: &Client, card: i64) -> Vec<[String; 5]> {
    let bills = client.get(&format!("/api/credit-bills?account_id={card}")).ok();
    bills.as_array().unwrap().iter().map(summary).collect()
}

fn summary(bill: &Value) -> [String; 5] {
    ["period_start", "period_end", "due_date", "total", "status"].map(|field| bill[field].as_str().unwrap().to_string())
}

/// The bill of a card whose period contains a date.
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

/// The bills of a card with an amount due, by their due dates.
fn due(client: &Client, card: i64) -> Vec<(String, String)> {
    let mut due: Vec<(String, String)> = client
        .all(&format!("/api/credit-bills?account_id={card}"))
        .iter()
        .map(|bill| ["due_date", "amount_due"].map(|name| bill[name].as_str().unwrap().to_string()).into())
        .filter(|(_, amount): &(String, String)| amount != "0.00")
        .collect();
    due.sort();
    due
}

fn account(client: &Client, id: i64) -> Value {
    client.get(&format!("/api/accounts/{id}")).ok()
}

fn pay(client: &Client, bill: &Value, body: Value) -> finance_tests::Reply {
    client.post(&format!("{}/pay", path(bill)), body)
}

/// Opens a card and a current account. Today is 2026-03-15. The bill of February closed on 2026-03-10 with 150.00 on it.
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
            "period_start": "2026-03-10", "period_end": "2026-04-09", "closing_date": "2026-04-10", "due_date": "2026-04-20",
            "previous": "0.00", "total": "0.00", "held": "0.00", "statement": null, "paid_amount": "0.00", "carried": "0.00", "amount_due": "0.00", "status": "unpaid", "paid_at": null })
    );
    assert_eq!(ana.get(&path(&bill)).ok(), bill);
    put(&ana, card, "2025-12-24", "expense", "80.00");
    let listed = ana.get("/api/accounts").ok();
    assert_eq!(listed[0]["current_bill"]["id"], bill["id"], "the same bill, not another one");
    assert_eq!(
        bills(&ana, card),
        [
            ["2026-03-10", "2026-04-09", "2026-04-20", "0.00", "unpaid"],
            ["2026-02-10", "2026-03-09", "2026-03-20", "0.00", "unpaid"],
            ["2026-01-10", "2026-02-09", "2026-02-20", "0.00", "paid"],
            ["2025-12-10", "2026-01-09", "2026-01-20", "80.00", "paid"],
        ],
        "the debt passed from bill to bill"
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
        assert_eq!(read["amount_due"], read["total"]);
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
    let closed = bill_holding(&ana, card, "2026-03-09");
    assert_eq!(
        ["previous", "total", "paid_amount", "amount_due"].map(|name| &closed[name]),
        ["999.00", "0.00", "500.00", "499.00"],
        "the opening balance is due with the bill that closed before it, and the transfer is a payment"
    );
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
fn bills_are_listed_by_card_and_by_status_of_the_moment() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (card, other) = (ana.open_card("Cartão", 10, 20), ana.open_card("Outro", 1, 8));
    put(&ana, card, "2026-02-15", "expense", "150.00");
    put(&ana, card, "2026-01-15", "expense", "70.00");
    let [carried, last] = ["2026-01-15", "2026-02-15"].map(|date| bill_holding(&ana, card, date));
    pay(&ana, &carried, json!({})).problem(409, "ErrNothingToPay");
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
    assert_eq!(starts(&format!("?account_id={card}&status=paid")), ["2026-01-10"], "what was left is on the next one");
    assert_eq!(starts("?status=unpaid"), ["2026-03-10", "2026-03-01", "2026-02-10"]);
    assert_eq!(pay(&ana, &last, json!({})).ok()["paid_amount"], "220.00");
    assert_eq!(starts("?status=paid"), ["2026-02-10", "2026-01-10"]);
    put(&ana, card, "2026-01-20", "expense", "0.01");
    assert_eq!(starts("?status=paid"), ["2026-01-10"]);
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
fn bills_that_begin_before_the_first_year_have_a_page_after_them_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (name, closing_day) in [("Visa", 10), ("Master", 12)] {
        let card = ana.open_card(name, closing_day, 20);
        // They come at once, so that nothing is left to the bills of the years after.
        let row = json!({ "date": "1900-01-02", "type": "expense", "description": "Livro", "amount": "5.00" });
        let mut refund = row.clone();
        refund["type"] = json!("income");
        let rows = [row, refund];
        ana.post("/api/import/confirm", json!({ "account_id": card, "rows": rows })).created();
    }
    let starts: Vec<Value> =
        ana.all("/api/credit-bills?limit=1").into_iter().map(|bill| bill["period_start"].clone()).collect();
    assert_eq!(starts, ["2026-03-12", "2026-03-10", "1899-12-12", "1899-12-10"]);
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

#[test]
fn bills_are_listed_without_waiting_for_a_writer_while_nothing_changed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 10, 20);
    put(&ana, card, "1900-01-01", "expense", "1.00");
    put(&ana, card, "2026-03-12", "expense", "2.00");
    let listed = ["/api/accounts", "/api/credit-bills"].map(|path| ana.get(path).ok());
    let _writer = app.lock_profile(&ana);
    assert_eq!(["/api/accounts", "/api/credit-bills"].map(|path| ana.get(path).ok()), listed);
}
