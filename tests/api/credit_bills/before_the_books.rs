//! The opening balance of a card that the service keeps: payments of bills that are not stored. The card closes on the 25th and is
//! due on the 5th.

use finance_tests::{Client, TestApp, ofx};
use serde_json::json;
use time::macros::date;

use super::{account, due, put};

/// The opening row of a card: its date and amount, owed above zero.
fn opening(client: &Client, card: i64) -> Option<(String, String)> {
    let rows = client.all(&format!("/api/transactions?account_id={card}&source=opening_balance"));
    assert!(rows.len() < 2, "{rows:?}");
    let row = rows.into_iter().next()?;
    assert_eq!(row["type"], "expense");
    Some((row["date"].as_str()?.into(), row["amount"].as_str()?.into()))
}

fn pair(date: &str, amount: &str) -> Option<(String, String)> {
    Some((date.to_string(), amount.to_string()))
}

const FIRST: [(&str, &str, &str, &str); 2] =
    [("20260302", "-600.00", "A1", "LOJA"), ("20260305", "1000.00", "A2", "Pagamento recebido")];

#[test]
fn the_first_file_s_payment_pays_a_bill_that_is_not_here() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = ana.open_card("Visa", 25, 5);
    assert_eq!(account(&ana, card)["opening_is_derived"], false);
    ana.import(Some(card), &ofx(&FIRST)).created();
    let shown = account(&ana, card);
    assert_eq!((&shown["balance"], &shown["opening_is_derived"]), (&json!("-600.00"), &json!(true)));
    assert_eq!(opening(&ana, card), pair("2026-03-01", "1000.00"));
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "600.00".to_string())]);
    // What is sent back as it was read is not said.
    let own = ana.all(&format!("/api/transactions?account_id={card}&limit=1000"));
    let own = own.iter().find(|row| row["source"] == "opening_balance").unwrap();
    let sent = ana.put(&format!("/api/transactions/{}", own["id"]), own.clone());
    assert_eq!((sent.status, sent.header("Finance-Change")), (200, None));
    assert_eq!(account(&ana, card)["opening_is_derived"], true);
    // An older file takes its place.
    let older = [("20260210", "-1000.00", "B1", "LOJA")];
    let import = ana.import(Some(card), &ofx(&older)).created()["import_id"].clone();
    assert_eq!((opening(&ana, card), account(&ana, card)["balance"].clone()), (None, json!("-600.00")));
    assert_eq!(account(&ana, card)["opening_is_derived"], false);
    assert_eq!(due(&ana, card), [("2026-04-05".to_string(), "600.00".to_string())]);
    // And it returns when that file is undone.
    ana.delete(&format!("/api/imports/{import}")).ok();
    assert_eq!(opening(&ana, card), pair("2026-03-01", "1000.00"));
    // A late payment of the last day that counts, and one of the day after.
    put(&ana, card, "2026-02-27", "expense", "10");
    assert_eq!(opening(&ana, card), pair("2026-02-26", "1000.00"));
    ana.import(Some(card), &ofx(&[("20260315", "5.00", "C1", "Pagamento recebido")])).created();
    assert_eq!(opening(&ana, card), pair("2026-02-26", "1005.00"));
    ana.import(Some(card), &ofx(&[("20260316", "7.00", "C2", "Pagamento recebido")])).created();
    assert_eq!(opening(&ana, card), pair("2026-02-26", "1005.00"));
}

#[test]
fn what_a_person_says_of_the_opening_balance_ends_the_service_s() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    for (at, balance) in ["0", "-1200"].into_iter().enumerate() {
        let card = json!({ "name": format!("Cartão {at}"), "kind": "credit", "closing_day": 25, "due_day": 5,
            "opening_balance": balance, "opening_date": "2026-03-01" });
        let card = ana.create("/api/accounts", card);
        ana.import(Some(card), &ofx(&FIRST)).created();
        let shown = account(&ana, card);
        assert_eq!(shown["opening_is_derived"], false);
        assert_eq!(shown["balance"], ["400.00", "-800.00"][at]);
    }
    // A person deletes or changes what the service kept.
    for change in ["delete", "put"] {
        let card = ana.open_card(change, 25, 5);
        ana.import(Some(card), &ofx(&FIRST)).created();
        let row = ana.all(&format!("/api/transactions?account_id={card}&source=opening_balance")).remove(0);
        let path = format!("/api/transactions/{}", row["id"]);
        if change == "delete" {
            ana.delete(&path).expect(204);
            assert_eq!((opening(&ana, card), account(&ana, card)["balance"].clone()), (None, json!("400.00")));
        } else {
            let debt = json!({ "type": "expense", "date": "2026-03-01", "amount": "1500", "description": "Devia",
                "account_id": card });
            ana.put(&path, debt).ok();
            assert_eq!(opening(&ana, card), pair("2026-03-01", "1500.00"));
        }
        put(&ana, card, "2026-03-03", "expense", "10");
        let expected = if change == "delete" { None } else { pair("2026-03-01", "1500.00") };
        assert_eq!(opening(&ana, card), expected, "no later write brings it back");
        assert_eq!(account(&ana, card)["opening_is_derived"], false);
    }
}

#[test]
fn it_is_exported_and_restored_as_what_it_is() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let card = ana.open_card("Visa", 25, 5);
    ana.import(Some(card), &ofx(&FIRST)).created();
    let body = json!({ "name": "Master", "kind": "credit", "closing_day": 25, "due_day": 5, "opening_balance": "0" });
    let other = ana.create("/api/accounts", body);
    ana.import(Some(other), &ofx(&FIRST)).created();
    let document = ana.get("/api/export").ok();
    bia.post("/api/restore", document).ok();
    let there = bia.get("/api/accounts").ok();
    let of = |name: &str| there.as_array().unwrap().iter().find(|account| account["name"] == name).unwrap().clone();
    assert_eq!((&of("Visa")["balance"], &of("Visa")["opening_is_derived"]), (&json!("-600.00"), &json!(true)));
    assert_eq!((&of("Master")["balance"], &of("Master")["opening_is_derived"]), (&json!("400.00"), &json!(false)));
    let (visa, master) = (of("Visa")["id"].as_i64().unwrap(), of("Master")["id"].as_i64().unwrap());
    for card in [visa, master] {
        bia.import(Some(card), &ofx(&[("20260210", "-1000.00", "B1", "LOJA")])).created();
        assert_eq!(opening(&bia, card), None);
    }
}
