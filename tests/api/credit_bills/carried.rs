//! What is left of a bill is on the next one.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::Date;
use time::macros::date;

use super::{due, put};

/// Opens a card that closes on the 25th and is due on the 5th. A row with an amount above zero is a payment or a refund.
fn card(client: &Client, rows: &[(&str, &str, &str)]) -> i64 {
    let card = client.open_card("Cartão", 25, 5);
    for (date, kind, amount) in rows {
        match *kind {
            "payment" => drop(client.post("/api/transfers", transfer(client, card, date, amount)).created()),
            kind => drop(put(client, card, date, kind, amount)),
        }
    }
    card
}

fn transfer(client: &Client, card: i64, date: &str, amount: &str) -> Value {
    let accounts = client.get("/api/accounts").ok();
    let known = accounts.as_array().unwrap().iter().find(|account| account["kind"] == "current");
    let bank = known.map_or_else(|| client.open_account("Conta", "current"), |account| account["id"].as_i64().unwrap());
    json!({ "from_account_id": bank, "to_account_id": card, "amount": amount, "date": date })
}

#[test]
fn what_is_due_is_what_the_bank_says() {
    let app = TestApp::start();
    for (at, (rows, today, expected, balance)) in [
        (
            vec![("2026-02-10", "expense", "1000"), ("2026-03-05", "payment", "400"), ("2026-03-08", "expense", "50")],
            vec![date!(2026 - 03 - 10), date!(2026 - 03 - 26)],
            vec![vec![("2026-03-05", "600.00"), ("2026-04-05", "50.00")], vec![("2026-04-05", "650.00")]],
            -65_000,
        ),
        (
            vec![
                ("2026-02-10", "expense", "100"),
                ("2026-03-05", "payment", "150"),
                ("2026-03-26", "expense", "30"),
                ("2026-04-26", "expense", "40"),
            ],
            vec![date!(2026 - 04 - 26)],
            vec![vec![("2026-06-05", "20.00")]],
            -2_000,
        ),
        (
            vec![
                ("2026-01-20", "expense", "500"),
                ("2026-02-05", "payment", "500"),
                ("2026-02-10", "income", "500"),
                ("2026-03-02", "expense", "200"),
            ],
            vec![date!(2026 - 03 - 26)],
            vec![vec![("2026-05-05", "-300.00")]],
            30_000,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let days: Vec<Date> = today;
        app.clock.set_today(days[0]);
        let client = app.user(&format!("user-{at}"));
        let card = card(&client, &rows);
        for (today, expected) in days.into_iter().zip(expected) {
            app.clock.set_today(today);
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(date, amount)| (date.to_string(), amount.to_string())).collect();
            assert_eq!(due(&client, card), expected, "{at} on {today}");
        }
        assert_eq!(client.balance(card), balance, "{at}");
    }
}

#[test]
fn the_order_in_which_rows_are_stored_changes_nothing() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 04 - 26));
    let rows = [
        ("2026-01-20", "expense", "70"),
        ("2026-02-05", "payment", "100"),
        ("2026-02-10", "expense", "100"),
        ("2026-02-28", "income", "15"),
        ("2026-03-05", "payment", "10"),
        ("2026-04-01", "expense", "9"),
    ];
    let mut seen = Vec::new();
    for (at, order) in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 5, 1, 4, 0, 3]].into_iter().enumerate() {
        let client = app.user(&format!("user-{at}"));
        let card = card(&client, &order.map(|at| rows[at]));
        let figures = client.all(&format!("/api/credit-bills?account_id={card}")).into_iter().map(|bill| {
            ["period_start", "previous", "total", "statement", "paid_amount", "carried", "amount_due", "status"]
                .map(|name| bill[name].clone())
        });
        // Bills without any figure are there or not, by the order.
        let mut figures: Vec<_> = figures.filter(|bill| bill[2] != "0.00" || bill[1] != "0.00").collect();
        figures.sort_by_key(|bill| bill[0].to_string());
        seen.push(figures);
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

#[test]
fn a_payment_that_is_dated_after_the_open_bill_pays_what_is_due_by_then() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 15));
    let rows = [("2026-02-20", "income", "100"), ("2026-03-26", "payment", "50"), ("2026-03-05", "expense", "130")];
    for (at, order) in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().enumerate() {
        let client = app.user(&format!("user-{at}"));
        let card = card(&client, &order.map(|at| rows[at]));
        let open = || {
            let bills = client.all(&format!("/api/credit-bills?account_id={card}"));
            let open = bills.iter().find(|bill| bill["period_start"] == "2026-02-25").unwrap();
            ["previous", "total", "paid_amount", "amount_due"].map(|name| open[name].as_str().unwrap().to_string())
        };
        assert_eq!(open(), ["-100.00", "130.00", "30.00", "0.00"], "{order:?}");
        let rows = client.all(&format!("/api/transactions?account_id={card}&from=2026-03-05&to=2026-03-05"));
        let mut bought = rows[0].clone();
        let path = format!("/api/transactions/{}", bought["id"]);
        for (amount, expected) in [("110.00", ["10.00", "0.00"]), ("140.00", ["40.00", "0.00"])] {
            bought["amount"] = json!(amount);
            client
                .put(
                    &path,
                    json!({ "type": "expense", "account_id": card, "date": "2026-03-05", "amount": amount,
                "description": bought["description"], "category_id": bought["category_id"] }),
                )
                .ok();
            assert_eq!(open()[2..], expected, "{order:?} {amount}");
        }
        client.delete(&path).gone();
        assert_eq!(open()[2..], ["0.00", "-100.00"], "{order:?}");
    }
}

#[test]
fn a_new_period_carries_what_was_left_without_any_write() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 20));
    let ana = app.user("ana");
    let card = card(&ana, &[("2026-02-10", "expense", "80"), ("2026-03-10", "expense", "20")]);
    app.clock.set_today(date!(2026 - 03 - 25));
    // Whatever is read first tells the figures of the new day.
    let dashboard = ana.get("/api/dashboard").ok();
    let current: Vec<_> =
        dashboard["current_bills"].as_array().unwrap().iter().map(|bill| bill["amount_due"].clone()).collect();
    assert_eq!(current, ["100.00", "0.00"]);
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "100.00".to_string())]);
    let unpaid = ana.all("/api/credit-bills?status=unpaid");
    assert_eq!(unpaid.iter().map(|bill| bill["due_date"].clone()).collect::<Vec<_>>(), ["2026-05-05", "2026-04-05"]);
    let forecast = ana.get("/api/forecast").ok();
    let events = forecast["events"].as_array().unwrap().iter();
    let bills: Vec<_> =
        events.filter(|event| event["kind"] == "credit_bill").map(|event| event["amount"].clone()).collect();
    assert_eq!(bills, ["-100.00"]);
}

/// The 47 bills of a real card, with and without their payment dates.
#[test]
fn four_years_of_real_bills_owe_what_is_left_on_the_last_one() {
    let Some(statements) = crate::installments::statements() else { return };
    let app = TestApp::start();
    for name in ["ana", "bia"] {
        let client = app.user(name);
        let card = client.open_card("Nubank", 17, 25);
        for ((year, month), file) in &statements {
            let paid = Date::from_calendar_date(*year, time::Month::try_from(*month).unwrap(), 25).unwrap();
            app.clock.set_today(paid);
            match name {
                "ana" => client.import_card(card, &paid.to_string(), file).created(),
                _ => client.import(Some(card), file).created(),
            };
        }
        app.clock.set_today(date!(2019 - 08 - 01));
        assert_eq!(due(&client, card), [("2019-07-25".to_string(), "61.41".to_string())], "{name}");
        assert_eq!(client.balance(card), -6_141, "{name}");
        let forecast = client.get("/api/forecast?months=1").ok();
        assert_eq!(forecast["months"][0]["closing"], "-61.41", "{name}: {forecast}");
    }
}

#[test]
fn the_coming_bill_asks_for_what_is_due_on_it() {
    let app = TestApp::start();
    for (at, (rows, today, expected)) in [
        // Overpaid: the credit is on the open bill, and on the next one once that has closed.
        (
            vec![("2026-02-10", "expense", "200"), ("2026-03-05", "payment", "350"), ("2026-03-08", "expense", "60")],
            date!(2026 - 03 - 10),
            [("0.00", "150.00", "-90.00"), ("-90.00", "0.00", "-90.00")],
        ),
        (
            vec![
                ("2026-02-10", "expense", "200"),
                ("2026-03-02", "expense", "60"),
                ("2026-03-05", "payment", "350"),
                ("2026-04-02", "expense", "400"),
            ],
            date!(2026 - 04 - 10),
            [("-90.00", "0.00", "310.00"), ("0.00", "0.00", "0.00")],
        ),
        // More refunds than purchases.
        (
            vec![("2026-02-10", "expense", "100"), ("2026-02-12", "income", "190"), ("2026-03-08", "expense", "300")],
            date!(2026 - 03 - 10),
            [("-90.00", "0.00", "210.00"), ("0.00", "0.00", "0.00")],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        app.clock.set_today(today);
        let ana = app.user(&format!("user {at}"));
        let card = card(&ana, &rows);
        let listed = ana.get(&format!("/api/credit-bills/upcoming?account_id={card}&months=2")).ok();
        let figures = [&listed[0], &listed[1]].map(|bill| {
            let text = |name: &str| bill[name].as_str().expect("an amount").to_string();
            (text("previous"), text("paid_amount"), text("total"))
        });
        let expected =
            expected.map(|(previous, paid, total)| (previous.to_string(), paid.to_string(), total.to_string()));
        assert_eq!(figures, expected, "{at}");
        let open = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
        let open = open.as_array().unwrap().iter().find(|bill| bill["period_start"] == listed[0]["period_start"]);
        assert_eq!(open.unwrap()["amount_due"], listed[0]["total"], "{at}");
    }
}
