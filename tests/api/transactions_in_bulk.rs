//! `POST /api/transactions/update` and `POST /api/transactions/delete`: several transactions at once.

use finance_tests::{Client, TestApp, money, ofx, signed_sum};
use serde_json::{Value, json};

use crate::household::{Household, id};

const UPDATE: &str = "/api/transactions/update";
const DELETE: &str = "/api/transactions/delete";

fn expense(client: &Client, description: &str, more: &Value) -> i64 {
    let mut body = json!({ "type": "expense", "date": "2026-03-05", "description": description, "amount": "10" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    id(&client.post("/api/transactions", body).created()["id"])
}

fn read(client: &Client, id: i64) -> Value {
    client.get(&format!("/api/transactions/{id}")).ok()
}

#[test]
fn several_transactions_get_a_category_and_an_account() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let client = &house.client;
    let other = client.create("/api/categories", json!({ "name": "Festa" }));
    let first = expense(client, "Bolo", &json!({ "account_id": house.account, "external_id": "b-1" }));
    let second = expense(client, "Vela", &json!({ "category_id": house.category }));
    let ids = json!([first, second, first]);
    let answer = client.post(UPDATE, json!({ "ids": ids, "category_id": other })).ok();
    assert_eq!(answer, json!({ "updated": 2 }), "an id that is named twice is one transaction");
    assert_eq!(
        (&read(client, first)["category_id"], &read(client, second)["category_id"]),
        (&json!(other), &json!(other))
    );
    assert_eq!(read(client, first)["account_id"], house.account, "what is absent stays");
    let before = read(client, first);
    client.post(UPDATE, json!({ "ids": ids, "account_id": house.card, "category_id": null })).ok();
    for id in [first, second] {
        let row = read(client, id);
        assert_eq!((&row["category_id"], &row["account_id"]), (&Value::Null, &json!(house.card)));
    }
    let mut expected = before;
    (expected["category_id"], expected["account_id"]) = (Value::Null, json!(house.card));
    assert_eq!(read(client, first), expected, "nothing else changes");
    client.post(UPDATE, json!({ "ids": [second], "account_id": null })).ok();
    assert_eq!(read(client, second)["account_id"], Value::Null);
    let rows = client.all(&format!("/api/transactions?to=2026-03-15&account_id={}", house.card));
    assert_eq!(client.balance(house.card), signed_sum(&rows));
    let bill = client.get(&format!("/api/credit-bills/{}", house.bill)).ok();
    let figures = (&bill["total"], &bill["held"]);
    assert_eq!(figures, (&json!("240.00"), &json!("50.00")), "the purchases of before, the cake, and a held statement");
    let spent = client.get("/api/dashboard?month=2026-03").ok()["spending_by_category"].clone();
    let without = spent.as_array().unwrap().iter().find(|spending| spending["category_id"].is_null()).unwrap();
    let rows = client.all("/api/transactions?month=2026-03&category_id=none&type=expense");
    let counted: Vec<Value> = rows.into_iter().filter(|row| row["is_transfer"] == false).collect();
    assert_eq!(without["total"], money(-signed_sum(&counted)));
}

#[test]
fn an_update_changes_all_or_nothing() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let client = &house.client;
    let stored = expense(client, "Bolo", &json!({}));
    let legs = client.all("/api/transactions?source=transfer");
    let opening = id(&client.all("/api/transactions?source=opening_balance")[0]["id"]);
    let before = client.all_transactions();
    let unknown = json!({ "ids": [stored, 9_000_000_000_i64, stored, -1], "category_id": house.category });
    let problem = client.post(UPDATE, unknown.clone()).invalid(&["ids[1]", "ids[3]"]);
    assert_eq!(problem["errors"][0]["code"], "no_such_transaction");
    client.post(DELETE, unknown).invalid(&["ids[1]", "ids[3]"]);
    let wrong = json!({ "ids": [stored], "category_id": 9_000_000_000_i64, "account_id": 9_000_000_000_i64 });
    client.post(UPDATE, wrong).invalid(&["category_id", "account_id"]);
    let moved = json!({ "ids": [stored, opening], "account_id": house.savings });
    let problem = client.post(UPDATE, moved).invalid(&["account_id"]);
    assert_eq!(problem["errors"][0]["code"], "fixed_account");
    client.post(UPDATE, json!({ "ids": [opening], "account_id": null })).invalid(&["account_id"]);
    for change in ["category_id", "account_id"] {
        let body = json!({ "ids": [stored, legs[0]["id"]], change: null });
        client.post(UPDATE, body).problem(409, "ErrTransferLeg");
    }
    let taken = expense(client, "Vela", &json!({ "account_id": house.account, "external_id": "same" }));
    let twin = expense(client, "Vela", &json!({ "account_id": house.savings, "external_id": "same" }));
    let body = json!({ "ids": [stored, taken, twin], "account_id": house.account });
    client.post(UPDATE, body).problem(409, "ErrDuplicateExternalId");
    client.post(DELETE, json!({ "ids": [taken, twin] })).ok();
    assert_eq!(client.all_transactions(), before);
    client.post(UPDATE, json!({ "ids": [opening], "category_id": house.category, "account_id": house.account })).ok();
}

#[test]
fn several_transactions_are_deleted_and_transfers_whole() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let client = &house.client;
    let (first, second) = (expense(client, "Bolo", &json!({})), expense(client, "Vela", &json!({})));
    let legs = client.all("/api/transactions?source=transfer");
    let count = client.all_transactions().len();
    let ids = json!([first, second, second, legs[0]["id"]]);
    assert_eq!(client.post(DELETE, json!({ "ids": ids })).ok(), json!({ "deleted": 4 }));
    assert_eq!(client.all_transactions().len(), count - 4);
    client.get(&format!("/api/transfers/{}", house.transfer)).problem(404, "ErrNotFound");
    client.post(DELETE, json!({ "ids": [first] })).invalid(&["ids[0]"]);
    let left = client.all(&format!("/api/transactions?account_id={}", house.savings));
    assert_eq!(client.balance(house.savings), signed_sum(&left));
}

#[test]
fn what_a_statement_said_stays_through_a_bulk_change() {
    let app = TestApp::start();
    let client = app.user("ana");
    let (right, wrong) = (client.open_account("Certa", "current"), client.open_account("Errada", "current"));
    let file = b"Data;Descricao;Valor\n31/01/2026;PADARIA;-12,34\n30/01/2026;FEIRA;-5,00\n";
    let rows = client.import(Some(wrong), file).created()["transactions"].clone();
    let ids: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["id"]).collect();
    client.post(UPDATE, json!({ "ids": ids, "account_id": right })).ok();
    for account in [right, wrong] {
        let again = client.import(Some(account), file).created();
        assert_eq!((&again["inserted"], again["skipped"].as_array().unwrap().len()), (&json!(0), 2), "{again}");
    }
}

#[test]
fn ids_are_1_to_1000_whole_numbers() {
    let app = TestApp::start();
    let client = app.user("ana");
    let category = client.create("/api/categories", json!({ "name": "Festa" }));
    for (ids, fields, code) in [
        (Value::Null, &["ids"][..], "required"),
        (json!([]), &["ids"], "empty"),
        (json!(7), &["ids"], "not_an_array"),
        (json!({ "0": 1 }), &["ids"], "not_an_array"),
        (json!(["1"]), &["ids[0]"], "not_a_whole_number"),
        (json!([null, 1.5, [], {}]), &["ids[0]", "ids[1]", "ids[2]", "ids[3]"], "not_a_whole_number"),
        (json!(vec![1; 1_001]), &["ids"], "too_many"),
    ] {
        for (path, body) in [(UPDATE, json!({ "ids": ids, "category_id": category })), (DELETE, json!({ "ids": ids }))]
        {
            let problem = client.post(path, body).invalid(fields);
            assert_eq!(problem["errors"][0]["code"], code, "{problem}");
        }
    }
    client.post(DELETE, json!({})).invalid(&["ids"]);
    let stored = expense(&client, "Bolo", &json!({}));
    let problem = client.post(UPDATE, json!({ "ids": [stored] })).invalid(&["category_id"]);
    assert_eq!(problem["errors"][0]["code"], "nothing_to_change");
    client.post(UPDATE, json!({ "ids": [stored], "account_id": "x" })).invalid(&["account_id"]);
    let rows: Vec<_> = (0..1_000).map(|row| ("20260304", "-1.00", format!("F{row}"), "Bala")).collect();
    let rows: Vec<_> = rows.iter().map(|(date, amount, id, text)| (*date, *amount, id.as_str(), *text)).collect();
    let imported = client.import(None, &ofx(&rows)).created()["transactions"].clone();
    let ids: Vec<i64> = imported.as_array().unwrap().iter().map(|row| id(&row["id"])).collect();
    assert_eq!(client.post(UPDATE, json!({ "ids": ids, "category_id": category })).ok(), json!({ "updated": 1_000 }));
    assert_eq!(client.get(&format!("/api/transactions/summary?category_id={category}")).ok()["count"], 1_000);
    assert_eq!(client.post(DELETE, json!({ "ids": ids })).ok(), json!({ "deleted": 1_000 }));
}

#[test]
fn a_transfer_without_another_side_stays_one_and_keeps_an_account() {
    let app = TestApp::start();
    let client = app.user("ana");
    let (account, other) = (client.open_account("Conta", "current"), client.open_account("Outra", "current"));
    let single = expense(&client, "Para a poupança", &json!({ "account_id": account }));
    let mut body = read(&client, single);
    body["is_transfer"] = json!(true);
    client.put(&format!("/api/transactions/{single}"), body).ok();
    let problem = client.post(UPDATE, json!({ "ids": [single], "account_id": null })).invalid(&["account_id"]);
    assert_eq!(problem["errors"][0]["code"], "required_for_transfer");
    client.post(UPDATE, json!({ "ids": [single], "account_id": other })).ok();
    let moved = read(&client, single);
    assert_eq!((&moved["account_id"], &moved["is_transfer"]), (&json!(other), &json!(true)));
    assert_eq!(
        client.get("/api/transactions/summary").ok(),
        json!({ "count": 1, "income": "0.00", "expenses": "0.00" })
    );
}

#[test]
fn a_row_that_moves_to_another_account_alone_or_with_others_pays_no_card() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    ana.open_card("Nubank", 25, 5);
    let paid = |more: Value| expense(&ana, "Pagamento fatura cartao", &more);
    let (alone, with_others) = (paid(json!({})), paid(json!({})));
    let mut row = read(&ana, alone);
    row["account_id"] = json!(bank);
    ana.put(&format!("/api/transactions/{alone}"), row).ok();
    ana.post(UPDATE, json!({ "ids": [with_others], "account_id": bank })).ok();
    for id in [alone, with_others] {
        let moved = read(&ana, id);
        assert_eq!((&moved["account_id"], &moved["is_transfer"]), (&json!(bank), &json!(false)), "{moved}");
    }
}
