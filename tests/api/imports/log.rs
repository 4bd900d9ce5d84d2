//! `/api/imports`: the log of imports, and how an import is undone.

use finance_tests::{TestApp, cents, ofx};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use super::{TWO, confirm, row};

#[test]
fn the_log_is_listed_in_pages_newest_first() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let account = ana.open_account("Conta", "current");
    let mut expected = Vec::new();
    for day in 1..=5 {
        let date = format!("2026-01-{day:02}");
        let rows = json!([row("2026-01-01", "Sempre", "1", "expense"), row(&date, "Feira", "1", "expense")]);
        let answer = confirm(&ana, Some(account), &rows).created();
        expected.insert(0, answer["import_id"].clone());
    }
    let log = ana.all("/api/imports?limit=2");
    assert_eq!(log.iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>(), expected);
    assert_eq!(
        log[0],
        json!({ "id": expected[0], "file_name": "extrato.ofx", "format": "ofx", "account_id": account, "account_ids": [account], "inserted": 1,
            "skipped": 1, "created_at": log[0]["created_at"] })
    );
    assert!(ana.get("/api/imports?limit=5").header("Link").is_none());
    assert_eq!(bia.get("/api/imports").ok(), json!([]));
    ana.get("/api/imports?limit=0&cursor=x").invalid(&["limit", "cursor"]);
    ana.get("/api/imports?limit=1001").invalid(&["limit"]);
}

#[test]
fn the_log_has_a_limit() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    app.sql(&format!(
        "insert into imports (profile_id, format, inserted, skipped) select {}, 'ofx', 1, 0 from generate_series(1, 49999)",
        ana.caller().profile_id.0
    ));
    let file = |fitid: &str| ofx(&[("20260101", "-1.00", fitid, fitid)]);
    let last = ana.import(Some(account), &file("A")).created();
    let problem = ana.import(Some(account), &file("B")).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 50000 imports.");
    // What inserts nothing has no entry, and an undone import makes room.
    assert_eq!(ana.import(Some(account), &file("A")).created()["inserted"], 0);
    let undone = ana.delete(&format!("/api/imports/{}", last["import_id"]));
    let change = undone.header("Finance-Change").unwrap().to_string();
    undone.ok();
    ana.import(Some(account), &file("B")).created();
    ana.post_nothing(&format!("/api/changes/{change}/undo")).problem(409, "ErrLimitReached");
}

#[test]
fn an_import_is_undone_whole_with_the_rows_edited_since() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let account = ana.open_account("Conta", "current");
    let kept = ana.import(Some(account), &ofx(&[("20260101", "-1.00", "K", "FICA")])).created();
    let import = ana.import(Some(account), &ofx(&TWO)).created();
    let mut edited = import["transactions"][0].clone();
    edited["description"] = json!("Outra coisa");
    edited["date"] = json!("2025-12-01");
    ana.put(&format!("/api/transactions/{}", edited["id"]), edited).ok();
    let path = format!("/api/imports/{}", import["import_id"]);
    bia.delete(&path).problem(404, "ErrNotFound");
    assert_eq!(ana.delete(&path).ok(), json!({ "deleted": 2 }));
    ana.delete(&path).problem(404, "ErrNotFound");
    ana.delete("/api/imports/x").problem(404, "ErrNotFound");
    let left: Vec<Value> = ana.all("/api/imports").iter().map(|entry| entry["id"].clone()).collect();
    assert_eq!(left, [kept["import_id"].clone()]);
    assert_eq!(ana.all("/api/transactions").len(), 1);
    assert_eq!(ana.balance(account), -100);
    assert_eq!(ana.import(Some(account), &ofx(&TWO)).created()["inserted"], 2, "what was undone is new again");
}

#[test]
fn an_import_whose_rows_were_deleted_one_by_one_can_still_be_undone() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let import = ana.import(None, &ofx(&TWO)).created();
    for transaction in import["transactions"].as_array().unwrap() {
        ana.delete(&format!("/api/transactions/{}", transaction["id"])).gone();
    }
    assert_eq!(ana.delete(&format!("/api/imports/{}", import["import_id"])).ok(), json!({ "deleted": 0 }));
}

#[test]
fn a_row_that_two_imports_brought_stays_until_both_are_undone() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let bank = ana.open_account("Banco", "current");
    let rows = [
        ("20260301", "-1.00", "A", "PADARIA"),
        ("20260305", "-2.00", "B", "MERCADO"),
        ("20260310", "-4.00", "C", "POSTO"),
    ];
    let import = |rows: &[finance_tests::OfxRow<'_>]| ana.import(Some(bank), &ofx(rows)).created()["import_id"].clone();
    let undo = |id: &Value| ana.delete(&format!("/api/imports/{id}")).ok()["deleted"].clone();
    for first_goes_first in [true, false] {
        let (first, second) = (import(&rows[..2]), import(&rows[1..]));
        if first_goes_first {
            // A copy knows it too.
            if bia.get("/api/accounts").ok() == json!([]) {
                bia.post("/api/restore", ana.get("/api/export").ok()).ok();
                let of_bia = bia.get("/api/imports").ok();
                assert_eq!(bia.delete(&format!("/api/imports/{}", of_bia[1]["id"])).ok()["deleted"], 1);
                assert_eq!(bia.get("/api/accounts").ok()[0]["balance"], "-6.00");
            }
            assert_eq!((undo(&first), ana.balance(bank)), (json!(1), -600));
            assert_eq!((undo(&second), ana.balance(bank)), (json!(2), 0));
        } else {
            assert_eq!((undo(&second), ana.balance(bank)), (json!(1), -300));
            assert_eq!((undo(&first), ana.balance(bank)), (json!(2), 0));
        }
    }
    // An import that brought nothing new is in no log.
    let only = import(&rows);
    assert_eq!(import(&rows[..1]), Value::Null);
    assert_eq!((undo(&only), ana.balance(bank)), (json!(3), 0));
}

/// PostgreSQL's statistics know nothing of a profile that is newer than they are, so its plans take it for one row.
#[test]
fn many_rows_of_a_profile_without_statistics_are_deleted_in_time() {
    let app = TestApp::start();
    for name in ["bia", "caio", "davi"] {
        let client = app.user(name);
        let account = client.open_account("Conta", "current");
        let rows: Vec<Value> = (0..200).map(|at| row("2025-01-02", &format!("Loja {at}"), "1", "expense")).collect();
        confirm(&client, Some(account), &json!(rows)).created();
    }
    app.sql("vacuum analyze");
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let rows: Vec<Value> = (0..20_000).map(|at| row("2026-03-01", &format!("Loja {at}"), "1", "expense")).collect();
    let import = ana.post("/api/import/confirm?transactions=false", json!({ "account_id": account, "rows": rows }));
    let import = format!("/api/imports/{}", import.created()["import_id"]);
    assert_eq!(ana.delete("/api/transactions?month=2026-03").ok(), json!({ "deleted": 20_000 }));
    let change = &ana.get("/api/changes?limit=1").ok()[0];
    assert_eq!(ana.post_nothing(&format!("/api/changes/{}/undo", change["id"])).ok()["restored"], 20_000);
    assert_eq!(ana.delete(&import).ok(), json!({ "deleted": 20_000 }));
}

/// The same of the bills of a card, each of which follows from its rows.
#[test]
fn rows_on_many_bills_of_a_profile_without_statistics_are_deleted_in_time() {
    let app = TestApp::start();
    let import = |name: &str, count: i64| {
        let client = app.user(name);
        let card = client.open_card("Cartão", 25, 5);
        let date = |at: i64| date!(1996 - 01 - 02) + Duration::days(3 * at);
        let rows: Vec<Value> = (0..count).map(|at| row(&date(at).to_string(), "Loja", "1", "expense")).collect();
        let body = json!({ "account_id": card, "is_credit_card": true, "rows": rows });
        let import = client.post("/api/import/confirm?transactions=false", body).created()["import_id"].clone();
        (client, format!("/api/imports/{import}"))
    };
    for name in ["bia", "caio", "davi"] {
        import(name, 100);
    }
    app.sql("vacuum analyze");
    let (ana, import) = import("ana", 3_000);
    let bills = || ana.all("/api/credit-bills").iter().map(|bill| cents(&bill["total"])).sum::<i128>();
    assert_eq!(bills(), 300_000);
    assert_eq!(ana.delete(&import).ok(), json!({ "deleted": 3_000 }));
    assert_eq!(bills(), 0);
    let change = &ana.get("/api/changes?limit=1").ok()[0];
    assert_eq!(ana.post_nothing(&format!("/api/changes/{}/undo", change["id"])).ok()["restored"], 3_001);
    assert_eq!(bills(), 300_000);
}

#[test]
fn what_an_undone_import_found_of_stored_rows_is_what_it_was_before() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let [bank, other] = ["Conta", "Poupança"].map(|name| ana.open_account(name, "current"));
    let card = ana.open_card("Cartão", 25, 5);
    let moved = json!({ "from_account_id": bank, "to_account_id": other, "amount": "200.00", "date": "2026-03-05" });
    ana.post("/api/transfers", moved).created();
    let plan =
        json!({ "account_id": card, "description": "Loja B", "date": "2026-02-10", "count": 3, "total_amount": "90" });
    ana.post("/api/installments", plan).created();
    let rows = |client: &finance_tests::Client| -> Vec<Value> {
        let mut rows = client.all("/api/transactions");
        rows.iter_mut().for_each(|row| {
            row.as_object_mut().unwrap().remove("updated_at");
        });
        rows
    };
    let before = rows(&ana);
    // The file of another account, and a payment date that is wrong.
    let wrong = ofx(&[("20260304", "-200.00", "W1", "PIX ENVIADO FULANO"), ("20260303", "-15.00", "W2", "PADARIA")]);
    let undo = |import: Value| {
        let path = format!("/api/imports/{}", import["import_id"]);
        ana.delete(&path).ok();
        assert_eq!(rows(&ana), before);
        let undone = ana.get("/api/changes?limit=1").ok()[0]["id"].clone();
        ana.post_nothing(&format!("/api/changes/{undone}/undo")).ok();
        assert_ne!(rows(&ana), before);
        ana.delete(&path).ok();
        assert_eq!(rows(&ana), before, "again after the undo was undone");
    };
    undo(ana.import(Some(bank), &wrong).created());
    let bill = ofx(&[("20260210", "-30.00", "P1", "LOJA B - Parcela 1/3"), ("20260211", "-10.00", "P2", "OUTRA")]);
    undo(ana.import_card(card, "2026-02-05", &bill).created());
    // What the right files have is found.
    let right = ofx(&[("20260305", "-200.00", "R1", "TED ENVIADA"), ("20260303", "-25.00", "R2", "POSTO")]);
    assert_eq!(ana.import(Some(bank), &right).created()["inserted"], 1);
    assert_eq!(ana.import_card(card, "2026-03-05", &bill).created()["inserted"], 1);
    let plan = ana.all("/api/transactions").into_iter().find(|row| row["external_id"] == "P1").unwrap();
    assert_eq!((&plan["date"], &plan["original_date"]), (&json!("2026-03-05"), &json!("2026-02-10")));
    assert_eq!(ana.balance(bank), -22_500);
}
