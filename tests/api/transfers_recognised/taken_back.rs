//! What stays when a transfer is taken back: rows of statements are what they would be alone.

use finance_tests::{TestApp, ofx};
use serde_json::{Value, json};

use super::House;

/// A house that owes 300.00 on the bill due 5 March, paid by a transfer of which the card's statement has the leg.
fn paid_by_transfer(app: &TestApp, name: &str) -> (House, i64) {
    let house = House::new(app, name);
    let bought = json!({ "type": "expense", "account_id": house.card, "date": "2026-02-10", "description": "Loja",
        "amount": "300.00" });
    house.client.create("/api/transactions", bought);
    let bills = house.client.all("/api/credit-bills");
    let bill = bills.iter().find(|bill| bill["due_date"] == "2026-03-05").unwrap()["id"].as_i64().unwrap();
    let pay = json!({ "account_id": house.account, "date": "2026-03-05" });
    house.client.post(&format!("/api/credit-bills/{bill}/pay"), pay).ok();
    let shown = ofx(&[("20260305", "300.00", "D1", "Pagamento recebido")]);
    assert_eq!(house.client.import(Some(house.card), &shown).created()["inserted"], 0);
    (house, bill)
}

fn leg_of(house: &House, account: i64) -> Value {
    let rows = house.client.all("/api/transactions");
    rows.into_iter().find(|row| row["account_id"] == account && row["transfer_id"].is_i64()).unwrap()
}

#[test]
fn the_card_s_row_stays_a_payment_when_the_other_side_is_taken_back() {
    let app = TestApp::start();
    for (name, is_deleted) in [("ana", true), ("bia", false)] {
        let (house, bill) = paid_by_transfer(&app, name);
        match is_deleted {
            true => {
                let id = &leg_of(&house, house.account)["id"];
                house.client.delete(&format!("/api/transactions/{id}")).gone();
            }
            false => {
                house.client.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
            }
        }
        let rows = house.client.all("/api/transactions");
        let row = rows.iter().find(|row| row["external_id"] == "D1").unwrap();
        assert_eq!((&row["is_transfer"], &row["transfer_id"]), (&json!(true), &Value::Null), "{name}");
        assert_eq!(house.month("2026-03"), ["0.00", "0.00"], "{name}");
        assert_eq!(house.balances(), ["5000.00", "0.00"], "{name}");
    }
}

#[test]
fn the_account_s_row_is_no_spending_when_the_payment_is_taken_back() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let bought = json!({ "type": "expense", "account_id": house.card, "date": "2026-02-10", "description": "Loja",
        "amount": "300.00" });
    house.client.create("/api/transactions", bought);
    let bills = house.client.all("/api/credit-bills");
    let bill = &bills.iter().find(|bill| bill["due_date"] == "2026-03-05").unwrap()["id"];
    let pay = json!({ "account_id": house.account, "date": "2026-03-05" });
    house.client.post(&format!("/api/credit-bills/{bill}/pay"), pay).ok();
    let sent = ofx(&[("20260305", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")]);
    assert_eq!(house.client.import(Some(house.account), &sent).created()["inserted"], 0);
    let unpaid = house.client.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    assert_eq!(unpaid["amount_due"], "300.00");
    assert_eq!(house.month("2026-03"), ["0.00", "0.00"]);
    assert_eq!(house.balances(), ["4700.00", "-300.00"]);
}

#[test]
fn a_leg_that_a_statement_has_outlives_its_transfer() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let savings = house.client.create("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }));
    let moved =
        json!({ "from_account_id": house.account, "to_account_id": savings, "amount": "200.00", "date": "2026-03-05" });
    let balances = |house: &House| {
        [house.account, savings].map(|id| house.client.get(&format!("/api/accounts/{id}")).ok()["balance"].clone())
    };
    let both = [(savings, "200.00", "PIX RECEBIDO"), (house.account, "-200.00", "PIX ENVIADO")];
    for (count, left) in [(1, ["5000.00", "200.00"]), (2, ["4800.00", "200.00"])] {
        let transfer = house.client.post("/api/transfers", moved.clone()).created()["id"].clone();
        for (account, amount, text) in &both[..count] {
            let id = format!("{account}-{count}");
            let file = ofx(&[("20260306", amount, &id, text)]);
            assert_eq!(house.client.import(Some(*account), &file).created()["inserted"], 0);
        }
        house.client.delete(&format!("/api/transfers/{transfer}")).gone();
        assert_eq!(balances(&house), left, "{count}");
        let rows = house.client.all("/api/transactions").into_iter().filter(|row| row["date"] == "2026-03-05");
        let ids: Vec<Value> = rows.map(|row| row["id"].clone()).collect();
        assert_eq!(ids.len(), count);
        house.client.post("/api/transactions/delete", json!({ "ids": ids })).ok();
    }
}

#[test]
fn the_other_half_of_a_pix_on_credit_is_alone_when_one_is_gone() {
    let app = TestApp::start();
    let lent = ofx(&[("20260303", "100.00", "L1", "Valor adicionado na conta por cartão de crédito")]);
    let sent = ofx(&[("20260303", "-100.00", "S1", "Transferência enviada pelo Pix - ELETRICISTA")]);
    for (name, files, alone) in
        [("ana", [&sent, &lent], ["0.00", "100.00"]), ("bia", [&lent, &sent], ["100.00", "0.00"])]
    {
        let house = House::new(&app, name);
        house.client.import(Some(house.account), files[0]).created();
        assert_eq!(house.month("2026-03"), alone);
        for by_import in [true, false] {
            let import = house.client.import(Some(house.account), files[1]).created();
            assert_eq!(house.month("2026-03"), ["0.00", "0.00"]);
            let gone = match by_import {
                true => format!("/api/imports/{}", import["import_id"]),
                false => format!("/api/transactions/{}", import["transactions"][0]["id"]),
            };
            assert!(house.client.delete(&gone).status < 300, "{gone}");
            assert_eq!(house.month("2026-03"), alone, "{name} {gone}");
        }
    }
}

#[test]
fn the_other_side_of_a_refused_payment_stays_income() {
    let app = TestApp::start();
    let house = House::new(&app, "ana");
    let sent = ofx(&[("20260305", "-300.00", "A1", "PAGAMENTO FATURA")]);
    let mut preview = house.preview(house.account, &sent);
    preview["rows"][0]["transfer_with"] = Value::Null;
    house.confirm(house.account, &preview);
    let rows = [("20260201", "-300.00", "C1", "LOJA"), ("20260305", "300.00", "C2", "Pagamento recebido")];
    house.client.import(Some(house.card), &ofx(&rows)).created();
    assert_eq!(house.month("2026-03"), ["300.00", "300.00"]);
    let detected = house.client.post("/api/transfers/detect", json!({})).ok();
    assert_eq!((&detected["linked"], &detected["suggested"]), (&json!(0), &json!(0)));
    assert_eq!(house.client.get("/api/transfers/suggestions").ok(), json!([]));
    assert_eq!(house.month("2026-03"), ["300.00", "300.00"]);
}

#[test]
fn a_card_s_payment_that_is_refused_makes_the_account_s_row_ordinary_whichever_file_is_first() {
    let app = TestApp::start();
    let paid = [("20260305", "-300.00", "A1", "PAGAMENTO FATURA CARTAO")];
    for (at, card_first) in [true, false].into_iter().enumerate() {
        let house = House::new(&app, &format!("house-{at}"));
        house.confirm(house.card, &house.preview(house.card, &ofx(&[("20260210", "-300.00", "C1", "LOJA")])));
        for of_card in [card_first, !card_first] {
            if of_card {
                let mut preview =
                    house.preview(house.card, &ofx(&[("20260305", "300.00", "C2", "Pagamento recebido")]));
                preview["rows"][0]["transfer_with"] = Value::Null;
                assert_eq!(house.confirm(house.card, &preview)["inserted"], 1);
            } else {
                house.confirm(house.account, &house.preview(house.account, &ofx(&paid)));
            }
        }
        assert_eq!(house.client.balance(house.card), 0, "{card_first}");
        assert_eq!(house.month("2026-03"), ["300.00", "300.00"], "{card_first}");
    }
}
