//! `POST /api/import/confirm`: what a confirm inserts, and what it refuses.

use std::thread;

use finance_tests::{Client, OfxRow, TestApp, ofx};
use serde_json::json;

use super::{TWO, confirm, preview_for, row};

#[test]
fn a_confirm_answers_what_it_inserted_and_what_it_skipped() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let stored = ana.import(Some(account), &ofx(&TWO[..1])).created()["transactions"][0]["id"].clone();
    let mut rows = preview_for(&ana, account, &ofx(&TWO))["rows"].clone();
    rows[1]["category_id"] = json!(null);
    let mut answer = confirm(&ana, Some(account), &rows).created();
    let (transaction, import) = (answer["transactions"][0].take(), answer["import_id"].take());
    let reason = format!("duplicate of transaction {stored}");
    assert_eq!(
        answer,
        json!({ "status": "imported", "import_id": null, "inserted": 1,
            "skipped": [{ "row": 0, "code": "duplicate", "params": { "transaction_id": stored }, "reason": reason }],
            "linked": [], "transactions": [null] })
    );
    assert_eq!(
        transaction,
        json!({
            "id": transaction["id"], "profile_id": ana.caller().profile_id.0, "type": "income", "category_id": null,
            "account_id": account, "date": "2026-02-02", "original_date": null, "external_id": "A2", "source": "ofx",
            "description": "SALARIO", "display": { "name": "Salario", "method": null }, "statement_description": null, "amount": "1500.00", "transfer_id": null, "import_id": import, "is_transfer": false, "installment": null, "lines": null, "tags": [], "note": null,
            "created_at": transaction["created_at"], "created_by": ana.get("/api/auth/me").ok()["member_id"],
        })
    );
    assert_eq!(ana.get(&format!("/api/transactions/{}", transaction["id"])).ok(), transaction);
}

#[test]
fn what_is_inserted_has_the_format_as_source_and_the_import_it_came_with() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let csv = b"date,title,amount\n2026-03-01,Padaria,12.50\n";
    for (file, source) in [(ofx(&TWO), "ofx"), (csv.to_vec(), "csv")] {
        let answer = ana.import(None, &file).created();
        for transaction in answer["transactions"].as_array().unwrap() {
            assert_eq!(transaction["source"], source);
            assert_eq!(transaction["import_id"], answer["import_id"]);
        }
    }
    let without_format = confirm(&ana, None, &json!([row("2026-03-02", "Feira", "5", "expense")])).created();
    assert_eq!(without_format["transactions"][0]["source"], "ofx");
}

#[test]
fn one_unsound_row_refuses_all_and_every_wrong_field_is_named() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let others = bia.get("/api/categories").ok()[0]["id"].clone();
    let mut rows = vec![
        row("2026-01-01", "Certa", "1", "expense"),
        row("01/01/2026", "Data", "1", "expense"),
        row("2026-02-30", "Data", "1", "expense"),
        row("2026-01-01", "  ", "1", "expense"),
        row("2026-01-01", &"x".repeat(256), "1", "expense"),
        row("2026-01-01", "Valor", "0", "expense"),
        row("2026-01-01", "Valor", "-1", "expense"),
        row("2026-01-01", "Valor", "1.001", "expense"),
        row("2026-01-01", "Valor", "10000000000.00", "expense"),
        row("2026-01-01", "Tipo", "1", "debit"),
        json!({}),
        json!("2026-01-01;Feira;1"),
        row("2026-01-01", "a\0b", "um", "expense"),
    ];
    rows.push(json!({ "date": "2026-01-01", "description": "Categoria", "amount": 1, "type": "income", "category_id": others }));
    rows.push(
        json!({ "date": 20260101, "description": 7, "amount": [], "type": null, "external_id": "x".repeat(256) }),
    );
    let problem = confirm(&ana, None, &json!(rows)).problem(422, "ErrValidation");
    let named: Vec<&str> =
        problem["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
    let mut expected = vec![
        "rows[1].date",
        "rows[2].date",
        "rows[3].description",
        "rows[4].description",
        "rows[5].amount",
        "rows[6].amount",
        "rows[7].amount",
        "rows[8].amount",
        "rows[9].type",
        "rows[10].date",
        "rows[10].description",
        "rows[10].amount",
        "rows[10].type",
        "rows[11]",
        "rows[12].description",
        "rows[12].amount",
        "rows[13].category_id",
        "rows[14].date",
        "rows[14].description",
        "rows[14].amount",
        "rows[14].type",
        "rows[14].external_id",
    ];
    let mut sorted = named.clone();
    sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(ana.get("/api/transactions").ok(), json!([]), "nothing was saved");
    assert_eq!(ana.get("/api/imports").ok(), json!([]));
}

#[test]
fn the_fields_beside_the_rows_are_judged_with_them() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post("/api/import/confirm", json!({})).invalid(&["rows"]);
    let body = json!({ "account_id": "7", "file_name": "x".repeat(256), "format": "pdf", "is_credit_card": "yes",
        "payment_date": "10/03/2026", "rows": [{ "date": "2026-01-01", "description": "Feira", "amount": 0, "type": "expense" }] });
    ana.post("/api/import/confirm", body).invalid(&[
        "account_id",
        "file_name",
        "format",
        "is_credit_card",
        "payment_date",
        "rows[0].amount",
    ]);
    ana.post("/api/import/confirm", json!({ "rows": "none" })).invalid(&["rows"]);
}

#[test]
fn an_import_of_no_rows_inserts_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let preview = ana.preview(&ofx(&[])).ok();
    assert_eq!(preview["rows"], json!([]));
    assert_eq!(
        preview["summary"],
        json!({ "rows": 0, "new": 0, "duplicates": 0, "rejected": 0, "income": "0.00", "expenses": "0.00" })
    );
    let answer = confirm(&ana, None, &json!([])).created();
    assert_eq!(
        answer,
        json!({ "status": "imported", "import_id": null, "inserted": 0, "skipped": [], "linked": [], "transactions": [] })
    );
}

#[test]
fn more_rows_than_the_limit_are_refused_with_the_limit_named() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let one = row("2026-01-01", "Feira", "1", "expense");
    let problem = confirm(&ana, None, &json!(vec![one; 50_001])).invalid(&["rows"]);
    assert!(problem["errors"][0]["message"].as_str().unwrap().contains("50000"), "{problem}");
    let mut csv = String::from("date,title,amount\n");
    csv.push_str(&"2026-01-01,Feira,1.00\n".repeat(50_001));
    let problem = ana.preview(csv.as_bytes()).invalid(&["file"]);
    assert!(problem["errors"][0]["message"].as_str().unwrap().contains("50000"), "{problem}");
}

#[test]
fn a_body_or_file_over_its_limit_is_too_large() {
    let app = TestApp::start();
    let ana = app.user("ana");
    // A body under 16 MiB with one row is read. It is refused because its description is too long.
    confirm(&ana, None, &json!([row("2026-01-01", &"x".repeat(15 << 20), "1", "expense")]))
        .invalid(&["rows[0].description"]);
    confirm(&ana, None, &json!([row("2026-01-01", &"x".repeat(16 << 20), "1", "expense")])).problem(413, "ErrTooLarge");
    let mut file = ofx(&TWO);
    file.resize(11 << 20, b' ');
    ana.preview(&file).problem(413, "ErrTooLarge");
    file.truncate(9 << 20);
    assert_eq!(ana.preview(&file).ok()["summary"]["rows"], 2);
    ana.preview_with(&ofx(&TWO), &[("date_column", &"x".repeat(5000))]).problem(413, "ErrTooLarge");
}

#[test]
fn the_account_of_an_import_is_the_callers_and_a_card_for_a_card_statement() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (current, others) = (ana.open_account("Conta", "current"), bia.open_card("Cartão", 3, 10));
    let rows = json!([row("2026-01-01", "Feira", "1", "expense")]);
    for (account, is_credit_card) in [(others, false), (others, true), (i64::MAX, false), (current, true)] {
        let body = json!({ "account_id": account, "is_credit_card": is_credit_card, "rows": rows });
        ana.post("/api/import/confirm", body).invalid(&["account_id"]);
        let options = [("account_id", account.to_string()), ("is_credit_card", is_credit_card.to_string())];
        let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
        ana.preview_with(&ofx(&TWO), &options).invalid(&["account_id"]);
    }
    // A card statement does not have to name its card.
    ana.post("/api/import/confirm", json!({ "is_credit_card": true, "payment_date": "2026-03-10", "rows": rows }))
        .created();
    assert_eq!(bia.get("/api/transactions").ok(), json!([]));
}

#[test]
fn a_file_confirmed_by_many_at_once_is_inserted_once() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let there = Client::of(node.address()).with_token(ana.token());
    let memos: Vec<String> = (0..150).map(|at| format!("COMPRA {}", at % 100)).collect();
    let file: Vec<OfxRow<'_>> = memos.iter().map(|memo| ("20260106", "-2.00", "", memo.as_str())).collect();
    let rows = ana.preview(&ofx(&file)).ok()["rows"].clone();
    let clients = [&ana, &there, &ana, &there, &ana, &there, &ana, &there];
    let inserted: u64 = thread::scope(|scope| {
        let confirms = clients.map(|client| {
            let rows = &rows;
            scope.spawn(move || confirm(client, Some(account), rows).created()["inserted"].as_u64().unwrap())
        });
        confirms.into_iter().map(|confirm| confirm.join().unwrap()).sum()
    });
    assert_eq!(inserted, 150);
    assert_eq!(ana.all("/api/transactions?limit=1000").len(), 150);
    assert_eq!(ana.balance(account), -150 * 200);
    assert_eq!(ana.get("/api/imports").ok().as_array().unwrap().len(), 1);
}

#[test]
fn a_confirm_leaves_out_the_list_where_it_is_not_asked_for() {
    let app = TestApp::start();
    let client = app.user("ana");
    let rows = client.preview(&ofx(&TWO)).ok()["rows"].clone();
    let body = json!({ "format": "ofx", "rows": rows });
    client.post("/api/import/confirm?transactions=no", body.clone()).invalid(&["transactions"]);
    let mut answer = client.post("/api/import/confirm?transactions=false", body.clone()).created();
    assert!(answer["import_id"].take().is_i64());
    assert_eq!(answer, json!({ "status": "imported", "import_id": null, "inserted": 2, "skipped": [], "linked": [] }));
    let again = client.post("/api/import/confirm?transactions=true", body).created();
    assert_eq!((&again["inserted"], &again["transactions"]), (&json!(0), &json!([])));
    let card = client.open_card("Cartão", 20, 27);
    let held = client.import_card(card, "2026-04-27", &ofx(&[("20260310", "-5.00", "C1", "Livro")])).expect(202);
    let path = format!("/api/pending-bills/{}/confirm?transactions=false", held["pending_bill"]["id"]);
    let answer = client.post_nothing(&path).created();
    assert_eq!((&answer["inserted"], answer.get("transactions")), (&json!(1), None));
}
