//! Rows of statements that come back while their statement was imported or held again.

use finance_tests::{Client, ofx};
use serde_json::{Value, json};

use super::{House, assert_same, books, change_of, undo};

const HELD_UNTIL: &str = "2026-04-05";
const PAID_ON: &str = "2026-03-05";

fn file() -> Vec<u8> {
    ofx(&[("20260301", "-10.00", "s1", "LOJA X"), ("20260302", "-11.00", "s2", "LOJA Y")])
}

fn hold(house: &House) -> (i64, String) {
    let reply = house.ana.import_card(house.card, HELD_UNTIL, &file());
    let change = change_of(&reply).unwrap();
    (change, format!("/api/pending-bills/{}", reply.expect(202)["pending_bill"]["id"]))
}

fn import(house: &House) -> (i64, String) {
    let reply = house.ana.import_card(house.card, PAID_ON, &file());
    (change_of(&reply).unwrap(), format!("/api/imports/{}", reply.created()["import_id"]))
}

#[track_caller]
fn refused(client: &Client, change: i64, expected: i64) {
    assert_eq!(undo(client, change).problem(409, "ErrChangedSince")["changes"], json!([expected]));
    assert_eq!(client.get(&format!("/api/changes/{change}")).ok()["blocked_by"], json!([expected]));
}

#[test]
fn a_discarded_statement_does_not_come_back_beside_the_same_one() {
    let house = House::new();
    let ana = &house.ana;
    let (_, path) = hold(&house);
    let discarded = change_of(&ana.delete(&path)).unwrap();
    let (again, path) = hold(&house);
    refused(ana, discarded, again);
    ana.delete(&path).gone();
    // The second one is gone.
    let back = undo(ana, discarded).ok()["change_id"].as_i64().unwrap();
    let gone = undo(ana, back).ok()["change_id"].as_i64().unwrap();
    let (imported, _) = import(&house);
    refused(ana, gone, imported);
}

#[test]
fn an_undone_import_does_not_come_back_beside_the_held_statement() {
    for by_month in [false, true] {
        let house = House::new();
        let ana = &house.ana;
        let (_, path) = import(&house);
        let removed = if by_month { ana.delete("/api/transactions?month=2026-03") } else { ana.delete(&path) };
        let removed = change_of(&removed).unwrap();
        let (held, _) = hold(&house);
        refused(ana, removed, held);
        undo(ana, held).ok();
        undo(ana, removed).ok();
    }
}

#[test]
fn an_undone_statement_does_not_come_back_beside_its_import() {
    let house = House::new();
    let ana = &house.ana;
    let (held, _) = hold(&house);
    let undone = undo(ana, held).ok()["change_id"].as_i64().unwrap();
    let (imported, _) = import(&house);
    refused(ana, undone, imported);
    undo(ana, imported).ok();
    undo(ana, undone).ok();
    let pending = ana.get("/api/pending-bills").ok();
    assert_eq!((pending.as_array().unwrap().len(), &pending[0]["row_count"]), (1, &json!(2)));
}

#[test]
fn what_a_later_statement_repeats_is_its_own_once_the_holding_of_the_first_is_undone() {
    let house = House::new();
    let ana = &house.ana;
    let rows = [("20260301", "-10.00", "s1", "LOJA X"), ("20260302", "-11.00", "s2", "LOJA Y")];
    let first = change_of(&ana.import_card(house.card, HELD_UNTIL, &ofx(&rows[..1]))).unwrap();
    let second = ana.import_card(house.card, HELD_UNTIL, &ofx(&rows)).expect(202)["pending_bill"].clone();
    assert_eq!((&second["total"], &second["row_count"]), (&json!("11.00"), &json!(1)));
    let owed = || ana.get(&format!("/api/accounts/{}", house.card)).ok()["held"].clone();
    assert_eq!(owed(), "-21.00");
    let before = books(ana);
    let undone = undo(ana, first).ok()["change_id"].as_i64().unwrap();
    let left = ana.get("/api/pending-bills").ok();
    assert_eq!(
        (left.as_array().unwrap().len(), &left[0]["id"], &left[0]["total"], &left[0]["row_count"]),
        (1, &second["id"], &json!("21.00"), &json!(2)),
        "as if the first had been discarded"
    );
    assert_eq!(owed(), "-21.00");
    undo(ana, undone).ok();
    assert_same("redone", &before, &books(ana));
}

#[test]
fn a_discarded_statement_comes_back_after_what_it_only_repeats_was_imported() {
    let house = House::new();
    let ana = &house.ana;
    let rows = [("20260301", "-10.00", "s1", "LOJA X"), ("20260302", "-11.00", "s2", "LOJA Y")];
    let first = ana.import_card(house.card, HELD_UNTIL, &ofx(&rows[..1])).expect(202)["pending_bill"]["id"].clone();
    let second = ana.import_card(house.card, HELD_UNTIL, &ofx(&rows)).expect(202)["pending_bill"]["id"].clone();
    let path = format!("/api/pending-bills/{second}");
    let discarded = change_of(&ana.delete(&path)).unwrap();
    ana.post_nothing(&format!("/api/pending-bills/{first}/confirm")).created();
    assert_eq!(ana.get(&format!("/api/changes/{discarded}")).ok()["blocked_by"], json!([]));
    undo(ana, discarded).ok();
    let back = ana.get(&path).ok();
    assert_eq!((&back["total"], &back["row_count"]), (&json!("11.00"), &json!(1)));
    assert_eq!(ana.post_nothing(&format!("{path}/confirm")).created()["inserted"], 1);
}

#[test]
fn another_statement_with_other_rows_is_not_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let (_, path) = hold(&house);
    let discarded = change_of(&ana.delete(&path)).unwrap();
    let other = ofx(&[("20260303", "-12.00", "s3", "LOJA Z")]);
    ana.import_card(house.card, HELD_UNTIL, &other).expect(202);
    undo(ana, discarded).ok();
    assert_eq!(ana.get("/api/pending-bills").ok().as_array().unwrap().len(), 2);
    // An equal row by hand is none of a statement.
    let (_, path) = import_of(&house, &[("20260304", "-13.00", "s4", "LOJA W")]);
    let removed = change_of(&ana.delete(&path)).unwrap();
    let by_hand = json!({ "type": "expense", "date": "2026-03-04", "description": "LOJA W", "amount": "13.00", "account_id": house.card });
    ana.post("/api/transactions", by_hand).created();
    undo(ana, removed).ok();
}

#[test]
fn a_row_that_was_entered_does_not_come_back_beside_the_statement_that_has_it() {
    for is_known in [true, false] {
        let house = House::new();
        let ana = &house.ana;
        let row = house.row(house.bank, "2026-03-02", "-10.00", None);
        let file = b"Data;Descricao;Valor\n02/03/2026;Loja;-10,00\n03/03/2026;Banca;-5,00\n";
        if is_known {
            assert_eq!(ana.import(Some(house.bank), file).created()["inserted"], 1, "the row is there");
        }
        let removed = change_of(&ana.delete(&format!("/api/transactions/{row}"))).unwrap();
        let again = ana.import(Some(house.bank), file);
        refused(ana, removed, change_of(&again).unwrap());
        undo(ana, change_of(&again).unwrap()).ok();
        undo(ana, removed).ok();
        let rows = ana.get("/api/transactions?q=loja").ok();
        assert_eq!(rows.as_array().unwrap().len(), 1, "{is_known}");
    }
}

#[test]
fn a_balance_that_a_file_stated_puts_no_change_of_the_account_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let file = "<OFX><STMTRS><CURDEF>BRL<BANKACCTFROM><BANKID>1<ACCTID>2</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT\
        <DTPOSTED>20260302<TRNAMT>-10.00<FITID>s1<MEMO>LOJA</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>4990.00<DTASOF>20260303\
        </LEDGERBAL></STMTRS></OFX>";
    let preview = ana.preview_with(file.as_bytes(), &[("account_id", &house.bank.to_string())]).ok();
    let body = json!({ "account_id": house.bank, "file_name": "a.ofx", "format": "ofx", "statements": preview["statements"],
        "rows": preview["rows"] });
    let imported = change_of(&ana.post("/api/import/confirm", body)).unwrap();
    let anchors = format!("/api/accounts/{}/anchors", house.bank);
    assert_eq!(ana.get(&anchors).ok().as_array().unwrap().len(), 1);
    house.put(&format!("/api/accounts/{}", house.bank), &[("name", json!("Banco"))]).ok();
    undo(ana, imported).ok();
    assert_eq!(ana.get(&anchors).ok(), json!([]));
    assert_eq!(ana.get(&format!("/api/accounts/{}", house.bank)).ok()["name"], "Banco");
}

fn import_of(house: &House, rows: &[(&str, &str, &str, &str)]) -> (i64, String) {
    let reply = house.ana.import(Some(house.card), &ofx(rows));
    (change_of(&reply).unwrap(), format!("/api/imports/{}", reply.created()["import_id"]))
}

#[test]
fn an_import_that_only_takes_over_a_leg_is_named_by_its_file() {
    let house = House::new();
    let ana = &house.ana;
    let transfer =
        json!({ "from_account_id": house.bank, "to_account_id": house.savings, "amount": "50", "date": "2026-03-03" });
    ana.post("/api/transfers", transfer).created();
    let file = ofx(&[("20260303", "50.00", "t1", "PIX RECEBIDO")]);
    let reply = ana.import(Some(house.savings), &file);
    let shown = ana.get(&format!("/api/changes/{}", change_of(&reply).unwrap())).ok();
    assert_eq!(reply.created()["inserted"], 0, "{shown}");
    assert_eq!((&shown["kind"], &shown["subject"]), (&json!("imports.confirm"), &json!("statement")), "{shown}");
    assert_ne!(shown["counts"], Value::Null);
}
