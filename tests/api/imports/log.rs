//! `/api/imports`: the log of imports, and how an import is undone.

use finance_tests::{TestApp, ofx};
use serde_json::{Value, json};

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
