//! A bill's total equals its rows, wherever and whenever it is read.

use finance_tests::{Client, TestApp, cents, id, money, ofx, signed_cents};
use serde_json::{Value, json};
use time::macros::date;

/// Expects every bill to be the sum of its rows; tells how many bills have any.
#[track_caller]
fn agree(client: &Client, what: &str) -> usize {
    let rows = client.all_transactions();
    // Before anything that might create or refresh a bill, then after it.
    let dashboard = client.get("/api/dashboard").ok();
    let accounts = client.get("/api/accounts").ok();
    let bills = client.get("/api/credit-bills?limit=1000").ok();
    let bills = bills.as_array().unwrap();
    let mut used = 0;
    for bill in bills {
        let text = |field: &str| bill[field].as_str().unwrap();
        let following = bills
            .iter()
            .filter(|other| {
                other["account_id"] == bill["account_id"] && other["period_start"].as_str() > Some(text("period_end"))
            })
            .min_by_key(|other| other["period_start"].as_str());
        let paid_in = |date: &str| match following {
            Some(next) => date > text("period_end") && date <= next["period_end"].as_str().unwrap(),
            None => date > text("period_end"),
        };
        let on_bill = |row: &&Value| {
            let date = row["date"].as_str().unwrap();
            row["account_id"] == bill["account_id"]
                && row["source"] != "transfer"
                && row["source"] != "opening_balance"
                && if row["original_date"].is_null() {
                    (text("period_start")..=text("period_end")).contains(&date)
                } else {
                    paid_in(date)
                }
        };
        let total: i128 = rows.iter().filter(on_bill).map(|row| -signed_cents(row)).sum();
        assert_eq!(bill["total"], money(total), "{what}: {bill}");
        assert_eq!(cents(&bill["amount_due"]), total - cents(&bill["paid_amount"]), "{what}: {bill}");
        assert_eq!(client.get(&format!("/api/credit-bills/{}", bill["id"])).ok(), *bill, "{what}");
        used += usize::from(total != 0);
    }
    for account in accounts.as_array().unwrap().iter().filter(|account| account["kind"] == "credit") {
        let current = bills.iter().find(|bill| bill["id"] == account["current_bill"]["id"]);
        assert_eq!(Some(&account["current_bill"]), current, "{what}");
    }
    for shown in dashboard["current_bills"].as_array().unwrap() {
        assert_eq!(Some(shown), bills.iter().find(|bill| bill["id"] == shown["id"]), "{what}");
    }
    used
}

#[test]
fn every_total_is_the_sum_of_its_rows_after_every_kind_of_write() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = |name: &str| {
        let body = json!({ "name": name, "kind": "credit", "closing_day": 10, "due_day": 20,
            "opening_balance": "-77.00", "opening_date": "2026-03-12" });
        ana.create("/api/accounts", body)
    };
    let (one, two) = (card("Um"), card("Dois"));
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let row = |account_id: i64, kind: &str, date: &str, amount: &str| json!({ "type": kind, "account_id": account_id, "date": date, "description": "Compra", "amount": amount });
    assert_eq!(agree(&ana, "nothing"), 0, "an opening balance is on no bill");

    ana.create("/api/transactions", row(one, "expense", "2026-03-12", "30.00"));
    assert_eq!(agree(&ana, "on a bill that is there"), 1);
    let old = ana.create("/api/transactions", row(one, "expense", "2025-12-15", "10.00"));
    ana.create("/api/transactions", row(one, "expense", "2026-01-09", "5.00"));
    assert_eq!(agree(&ana, "on a bill that was not there"), 2);
    ana.create("/api/transactions", row(one, "income", "2025-12-20", "2.50"));
    agree(&ana, "a refund");

    let path = format!("/api/transactions/{old}");
    for (what, changed) in [
        ("amount", row(one, "expense", "2025-12-15", "11.00")),
        ("type", row(one, "income", "2025-12-15", "11.00")),
        ("date within the bill", row(one, "expense", "2025-12-16", "11.00")),
        ("date of another bill", row(one, "expense", "2026-03-11", "11.00")),
        ("another card", row(two, "expense", "2026-03-11", "11.00")),
        ("no card", row(bank, "expense", "2026-03-11", "11.00")),
        ("a card again", row(two, "expense", "2025-12-15", "11.00")),
    ] {
        ana.put(&path, changed).ok();
        agree(&ana, what);
    }

    let bill = id(&ana.get(&format!("/api/credit-bills?account_id={two}")).ok()[0]);
    ana.create("/api/transactions", row(two, "expense", "2026-03-14", "40.00"));
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": bank })).ok();
    agree(&ana, "paid: a transfer is on no bill");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    agree(&ana, "unpaid");

    let imported = ana
        .import(Some(one), &ofx(&[("20260211", "-10.00", "a1", "Padaria"), ("20260303", "-7.77", "a2", "Livro")]))
        .created();
    agree(&ana, "imported");
    let statement = |payment_date: &str| {
        json!({ "account_id": one, "file_name": "f.csv", "format": "csv", "is_credit_card": true,
            "payment_date": payment_date,
            "rows": [{ "date": "2026-01-20", "description": "Sapato", "amount": "99.90", "type": "expense" },
                { "date": "2026-01-21", "description": "Estorno", "amount": "9.90", "type": "income" }] })
    };
    let by_payment = ana.post("/api/import/confirm", statement("2026-02-20")).created();
    agree(&ana, "imported with a payment date");
    ana.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    agree(&ana, "undone");

    ana.put(
        &format!("/api/accounts/{one}"),
        json!({ "name": "Um", "kind": "credit", "closing_day": 25, "due_day": 5 }),
    )
    .ok();
    agree(&ana, "other days");
    ana.create("/api/transactions", row(one, "expense", "2026-03-20", "3.00"));
    app.clock.set_today(date!(2026 - 04 - 28));
    agree(&ana, "another bill");
    ana.create("/api/transactions", row(one, "expense", "2026-04-26", "4.00"));
    agree(&ana, "on it");

    ana.delete(&format!("/api/imports/{}", by_payment["import_id"])).ok();
    agree(&ana, "undone as well");
    assert_eq!(ana.delete("/api/transactions?month=2026-03").ok()["deleted"], 5);
    agree(&ana, "a month is gone");
    ana.delete(&path).gone();
    for month in ["2025-12", "2026-01", "2026-04"] {
        ana.delete(&format!("/api/transactions?month={month}")).ok();
    }
    assert_eq!(agree(&ana, "everything is gone"), 0);
    for card in [one, two] {
        ana.delete(&format!("/api/accounts/{card}")).gone();
    }
    assert_eq!(agree(&ana, "the cards too"), 0);
}

#[test]
fn a_large_import_lands_on_every_bill_it_belongs_to() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    let card = ana.create("/api/accounts", body);
    let rows = |offset: u32| -> Vec<Value> {
        (0..500)
            .map(|number| {
                let date = format!("{}-{:02}-{:02}", 2024 + number % 2, number % 12 + 1, number % 28 + 1);
                json!({ "date": date, "description": format!("Compra {}", number + offset),
                    "amount": money(i128::from(number) + 1), "type": if number % 7 == 0 { "income" } else { "expense" } })
            })
            .collect()
    };
    for offset in [0, 1_000] {
        // The first finds no bills but the current one, the second finds them all.
        let body = json!({ "account_id": card, "file_name": "x.csv", "format": "csv", "rows": rows(offset) });
        assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 500);
        assert!(agree(&ana, "imported") >= 24);
    }
}
