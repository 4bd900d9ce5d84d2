//! Which accounts can be deleted.

use finance_tests::{TestApp, id, ofx};
use serde_json::{Value, json};

use super::{account, balances, card, path, transaction};

#[test]
fn an_account_with_nothing_but_its_opening_balance_is_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let opened = json!({ "name": "Banco", "kind": "current", "opening_balance": "100" });
    let first = ana.create("/api/accounts", opened.clone());
    ana.delete(&path(first)).gone();
    assert!(ana.all_transactions().is_empty(), "the opening balance goes with it");
    let again = ana.create("/api/accounts", opened);
    let row = transaction(&ana, again, "expense", "2026-03-01", "1");
    ana.delete(&path(again)).problem(409, "ErrAccountInUse");
    assert_eq!(balances(&ana), [(again, "99.00".to_string())].into(), "a refused delete changes nothing");
    ana.delete(&format!("/api/transactions/{row}")).gone();
    ana.delete(&path(again)).gone();
    assert_eq!(ana.get("/api/dashboard").ok()["net_worth"], "0.00");
}

#[test]
fn an_import_log_and_a_recurring_item_do_not_hold_an_account() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let first = account(&ana, "Banco");
    let category = id(&ana.get("/api/categories").ok()[0]);
    let rent = ana.create(
        "/api/recurring",
        json!({ "type": "expense", "description": "Aluguel", "amount": "900", "category_id": category,
            "account_id": first, "day": 5 }),
    );
    let imported = ana.import(Some(first), &ofx(&[("20260301", "-10.00", "a1", "Padaria")])).created();
    ana.delete(&path(first)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/transactions/{}", imported["transactions"][0]["id"])).gone();
    ana.delete(&path(first)).gone();
    let log = ana.get("/api/imports").ok();
    assert_eq!(log[0]["account_id"], Value::Null, "the log entry stays, without its account");
    assert_eq!(ana.get(&format!("/api/recurring/{rent}")).ok()["account_id"], Value::Null);
}

#[test]
fn a_transfer_holds_both_accounts() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let transfer = ana.create(
        "/api/transfers",
        json!({ "from_account_id": from, "to_account_id": to, "amount": 5, "date": "2026-03-01" }),
    );
    ana.delete(&path(from)).problem(409, "ErrAccountInUse");
    ana.delete(&path(to)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/transfers/{transfer}")).gone();
    ana.delete(&path(from)).gone();
    ana.delete(&path(to)).gone();
}

#[test]
fn a_pending_statement_holds_its_card_until_it_is_discarded() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&ana, "Cartão");
    let held = ana
        .post(
            "/api/import/confirm",
            json!({ "account_id": card, "file_name": "fatura.csv", "format": "csv", "is_credit_card": true,
                "payment_date": "2026-03-20",
                "rows": [{ "date": "2026-03-02", "description": "Livro", "amount": "30.00", "type": "expense" }] }),
        )
        .expect(202);
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/pending-bills/{}", held["pending_bill"]["id"])).gone();
    ana.delete(&path(card)).gone();
    assert_eq!(ana.get("/api/credit-bills").ok(), json!([]), "empty bills go with their card");
}

#[test]
fn a_card_is_deleted_once_its_bills_have_no_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (card(&ana, "Cartão"), account(&ana, "Banco"));
    let purchase = transaction(&ana, card, "expense", "2026-03-12", "80.00");
    let bill = ana.get(&path(card)).ok()["current_bill"]["id"].clone();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": bank })).ok();
    ana.delete(&format!("/api/transactions/{purchase}")).gone();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    ana.delete(&path(card)).gone();
    assert_eq!(balances(&ana), [(bank, "0.00".to_string())].into());
}

#[test]
fn a_card_is_not_deleted_with_payments_that_were_noted_on_its_bills() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&ana, "Cartão");
    let purchase = transaction(&ana, card, "expense", "2026-03-12", "80.00");
    let bill = ana.get(&path(card)).ok()["current_bill"]["id"].clone();
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({})).ok();
    ana.delete(&format!("/api/transactions/{purchase}")).gone();
    let before = ana.get("/api/credit-bills").ok();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    assert_eq!(ana.get("/api/credit-bills").ok(), before, "a refused delete changes nothing");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    ana.delete(&path(card)).gone();
}
