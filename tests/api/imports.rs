//! `/api/import` and `/api/imports`.

use std::thread;

use finance_tests::{Client, Form, OfxRow, Reply, TestApp, cents, ofx, signed_sum};
use serde_json::{Value, json};

/// A row to confirm.
fn row(date: &str, description: &str, amount: &str, kind: &str) -> Value {
    json!({ "date": date, "description": description, "amount": amount, "type": kind })
}

fn confirm(client: &Client, account_id: Option<i64>, rows: &Value) -> Reply {
    client.post("/api/import/confirm", json!({ "account_id": account_id, "file_name": "extrato.ofx", "rows": rows }))
}

fn preview_for(client: &Client, account_id: i64, file: &[u8]) -> Value {
    client.preview_with(file, &[("account_id", &account_id.to_string())]).ok()
}

/// For each row of a preview whether it is a duplicate.
fn duplicates(preview: &Value) -> Vec<bool> {
    preview["rows"].as_array().unwrap().iter().map(|row| row["duplicate"].as_bool().unwrap()).collect()
}

fn descriptions(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["description"].as_str().unwrap()).collect()
}

fn spend(client: &Client, date: &str, description: &str, amount: &str) -> i64 {
    let body = json!({ "type": "expense", "date": date, "description": description, "amount": amount });
    client.post("/api/transactions", body).created()["id"].as_i64().unwrap()
}

const TWO: [OfxRow<'_>; 2] =
    [("20260131", "-12.34", "A1", "PADARIA PAO QUENTE"), ("20260202", "1.500,00", "A2", "SALARIO")];

#[test]
fn a_preview_answers_rows_rejected_lines_and_a_summary() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[TWO[0], ("20260131", "88.00", "A9", "SALDO DO DIA"), TWO[1]]);
    assert_eq!(
        ana.preview(&file).ok(),
        json!({
            "format": "ofx",
            "rows": [
                { "row": 0, "line": 9, "date": "2026-01-31", "description": "PADARIA PAO QUENTE", "amount": "12.34",
                  "type": "expense", "external_id": "A1", "category_id": null, "duplicate": false,
                  "duplicate_of": null, "similar_to": null, "transfer": null },
                { "row": 1, "line": 11, "date": "2026-02-02", "description": "SALARIO", "amount": "1500.00",
                  "type": "income", "external_id": "A2", "category_id": null, "duplicate": false,
                  "duplicate_of": null, "similar_to": null, "transfer": null },
            ],
            "rejected": [{ "line": 10, "code": "balance_line", "params": {}, "reason": "linha de saldo" }],
            "summary": { "rows": 2, "new": 2, "duplicates": 0, "rejected": 1, "income": "1500.00", "expenses": "12.34" },
            "detected": null, "headers": null, "sample": null,
        })
    );
    assert_eq!(ana.get("/api/transactions").ok(), json!([]), "a preview saves nothing");
}

#[test]
fn a_confirm_answers_what_it_inserted_and_what_it_skipped() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let stored = ana.import(Some(account), &ofx(&TWO[..1])).created()["transactions"][0]["id"].clone();
    let rows = preview_for(&ana, account, &ofx(&TWO))["rows"].clone();
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
            "description": "SALARIO", "statement_description": null, "amount": "1500.00", "transfer_id": null, "import_id": import, "is_transfer": false, "installment": null,
            "created_at": transaction["created_at"],
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
fn a_second_import_of_a_file_adds_nothing_in_any_order_of_its_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    // An id of its own, one shared, none, and equal rows.
    let mut rows: Vec<OfxRow<'_>> = vec![
        ("20260105", "-10.00", "X1", "MERCADO"),
        ("20260105", "-10.00", "X2", "MERCADO"),
        ("20260106", "-7.00", "DUP", "LOJA Parcela 1/3"),
        ("20260106", "-7.00", "DUP", "LOJA Parcela 2/3"),
        ("20260106", "-7.00", "DUP", "LOJA Parcela 2/3"),
        ("20260106", "-1.00", "DUP", "IOF DE LOJA"),
        ("20260107", "-3.00", "0", "CAFE"),
        ("20260107", "-3.00", "", "CAFE"),
        ("20260107", "3.00", "000000", "CAFE"),
    ];
    let first = ana.import(Some(account), &ofx(&rows)).created();
    assert_eq!(first["inserted"], 9);
    assert_eq!(first["skipped"], json!([]));
    for turn in 0..rows.len() {
        rows.rotate_left(turn);
        if turn % 2 == 1 {
            rows.reverse();
        }
        let again = ana.import(Some(account), &ofx(&rows)).created();
        assert_eq!(again["inserted"], 0, "{again}");
        assert_eq!(again["import_id"], Value::Null);
        let skipped = again["skipped"].as_array().unwrap();
        let positions: Vec<u64> = skipped.iter().map(|row| row["row"].as_u64().unwrap()).collect();
        assert_eq!(positions, (0..9).collect::<Vec<_>>());
    }
    assert_eq!(ana.all("/api/transactions").len(), 9);
    assert_eq!(ana.get("/api/imports").ok().as_array().unwrap().len(), 1, "the log holds what inserted something");
}

#[test]
fn overlapping_files_end_in_the_same_rows_whichever_comes_first() {
    let app = TestApp::start();
    let rows: Vec<OfxRow<'_>> = vec![
        ("20260110", "-5.00", "", "CAFE"),
        ("20260110", "-5.00", "", "CAFE"),
        ("20260111", "-8.00", "B1", "ALMOCO"),
        ("20260112", "-8.00", "B1", "ALMOCO"),
        ("20260113", "20.00", "B3", "PIX DE BIA"),
        ("20260113", "20.00", "B4", "PIX DE BIA"),
    ];
    let (january, february) = (ofx(&rows[..4]), ofx(&rows[2..]));
    let stored = |name: &str, files: [&[u8]; 2]| {
        let client = app.user(name);
        let inserted: i64 =
            files.map(|file| client.import(None, file).created()["inserted"].as_i64().unwrap()).iter().sum();
        assert_eq!(inserted, 6);
        let mut stored: Vec<String> = client
            .all("/api/transactions")
            .iter()
            .map(|row| format!("{} {} {} {}", row["date"], row["type"], row["amount"], row["description"]))
            .collect();
        stored.sort_unstable();
        stored
    };
    assert_eq!(stored("ana", [&january, &february]), stored("bia", [&february, &january]));
}

#[test]
fn of_equal_rows_only_as_many_are_duplicates_as_are_stored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let coffee = ("20260110", "-5.00", "", "CAFE");
    assert_eq!(ana.import(None, &ofx(&[coffee; 2])).created()["inserted"], 2);
    assert_eq!(duplicates(&ana.preview(&ofx(&[coffee; 3])).ok()), [true, true, false]);
    assert_eq!(ana.import(None, &ofx(&[coffee; 3])).created()["inserted"], 1);
    assert_eq!(duplicates(&ana.preview(&ofx(&[coffee; 3])).ok()), [true; 3]);
    assert_eq!(duplicates(&ana.preview(&ofx(&[coffee; 1])).ok()), [true]);
    let stored = ana.all("/api/transactions");
    let mut named: Vec<i64> = ana.preview(&ofx(&[coffee; 3])).ok()["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["duplicate_of"].as_i64().unwrap())
        .collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named.len(), stored.len(), "each is the duplicate of another one");
}

#[test]
fn an_id_that_repeats_inside_a_file_makes_no_row_a_duplicate() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[
        ("20260106", "-7.00", "DUP", "LOJA Parcela 1/3"),
        ("20260106", "-7.00", "DUP", "LOJA Parcela 2/3"),
        ("20260106", "0.50", "DUP", "DESCONTO"),
    ]);
    let preview = ana.preview(&file).ok();
    assert_eq!(duplicates(&preview), [false; 3]);
    let ids = |preview: &Value| -> Vec<String> {
        preview["rows"].as_array().unwrap().iter().map(|row| row["external_id"].as_str().unwrap().to_string()).collect()
    };
    let told_apart = ids(&preview);
    assert!(told_apart.iter().all(|id| id.starts_with("DUP~")), "{told_apart:?}");
    assert_eq!(ana.import(None, &file).created()["inserted"], 3);
    let again = ana.preview(&file).ok();
    assert_eq!(duplicates(&again), [true; 3]);
    assert_eq!(ids(&again), told_apart, "the ids are the same on every import");
}

#[test]
fn an_id_stored_with_other_content_makes_no_row_a_duplicate() {
    let app = TestApp::start();
    let ana = app.user("ana");
    assert_eq!(ana.import(None, &ofx(&[("20260106", "-7.00", "N1", "LOJA")])).created()["inserted"], 1);
    for other in
        [("20260106", "-8.00", "N1", "LOJA"), ("20260107", "-7.00", "N1", "LOJA"), ("20260106", "7.00", "N1", "LOJA")]
    {
        assert_eq!(ana.import(None, &ofx(&[other])).created()["inserted"], 1, "{other:?}");
        assert_eq!(ana.import(None, &ofx(&[other])).created()["inserted"], 0, "{other:?}");
    }
    // The bank has only reworded it: same id, date and amount.
    assert_eq!(ana.import(None, &ofx(&[("20260106", "-7.00", "N1", "LOJA SAO PAULO")])).created()["inserted"], 0);
    assert_eq!(ana.all("/api/transactions").len(), 4);
}

#[test]
fn two_instalments_under_one_id_are_two_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let instalment = |number: u8| ofx(&[("20260106", "-49.90", "UUID-1", &format!("LOJA Parcela {number}/10"))]);
    for number in [3, 4, 5] {
        assert_eq!(ana.import(None, &instalment(number)).created()["inserted"], 1);
    }
    for number in [5, 3, 4] {
        assert_eq!(ana.import(None, &instalment(number)).created()["inserted"], 0);
    }
}

#[test]
fn blank_and_all_zero_ids_are_none() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[
        ("20260107", "-3.00", "0", "CAFE"),
        ("20260107", "-4.00", "", "CAFE"),
        ("20260107", "-5.00", "0000000000", "CAFE"),
    ]);
    for preview_row in ana.preview(&file).ok()["rows"].as_array().unwrap() {
        assert_eq!(preview_row["external_id"], Value::Null);
    }
    let mut zero = row("2026-01-08", "Almoço", "9", "expense");
    zero["external_id"] = json!("0");
    let answer = confirm(&ana, None, &json!([zero])).created();
    assert_eq!(answer["transactions"][0]["external_id"], Value::Null, "what a client sends is judged alike");
}

#[test]
fn an_import_is_compared_with_its_account_and_with_what_has_none() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (nubank, inter) = (ana.open_account("Nubank", "current"), ana.open_account("Inter", "current"));
    // Many banks count from 1 each day, so ids of different accounts are alike.
    let in_nubank = ("20260110", "-10.00", "20260110001", "PIX PARA CAIO");
    let in_none = ("20260111", "-11.00", "20260111001", "PIX PARA DUDA");
    bia.import(None, &ofx(&[in_nubank, in_none])).created();
    ana.import(Some(nubank), &ofx(&[in_nubank])).created();
    ana.import(None, &ofx(&[in_none])).created();
    let file = ofx(&[in_nubank, in_none]);
    assert_eq!(duplicates(&preview_for(&ana, nubank, &file)), [true, true]);
    assert_eq!(duplicates(&preview_for(&ana, inter, &file)), [false, true], "another account is another statement");
    assert_eq!(duplicates(&ana.preview(&file).ok()), [true, true], "without an account everything counts");
    assert_eq!(ana.import(Some(inter), &file).created()["inserted"], 1);
    assert_eq!(ana.balance(inter), -1000);
    assert_eq!(ana.import(None, &file).created()["inserted"], 0);
}

#[test]
fn what_was_written_by_hand_counts_as_stored() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let by_hand = spend(&ana, "2026-01-31", "  padaria  Pão   Quente", "12.34");
    let preview = preview_for(&ana, account, &ofx(&TWO));
    assert_eq!(duplicates(&preview), [true, false], "text is compared without case, accents and runs of blanks");
    assert_eq!(preview["rows"][0]["duplicate_of"], by_hand);
    assert_eq!(ana.import(Some(account), &ofx(&TWO)).created()["inserted"], 1);
}

#[test]
fn what_was_edited_since_is_still_known_by_its_id() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let stored = ana.import(None, &ofx(&TWO)).created()["transactions"][0].clone();
    let mut edited = stored.clone();
    edited["description"] = json!("Pães da semana");
    ana.put(&format!("/api/transactions/{}", stored["id"]), edited).ok();
    assert_eq!(duplicates(&ana.preview(&ofx(&TWO)).ok()), [true, true]);
}

#[test]
fn a_card_statement_counts_on_its_payment_date_and_is_known_by_its_purchase_dates() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 10);
    let file = ofx(&[("20260215", "-49.90", "C1", "LIVRARIA"), ("20260220", "-5.00", "", "CAFE")]);
    let imported = ana.import_card(card, "2026-03-10", &file).created();
    assert_eq!(imported["inserted"], 2);
    for (transaction, purchase) in imported["transactions"].as_array().unwrap().iter().zip(["2026-02-15", "2026-02-20"])
    {
        assert_eq!(transaction["date"], "2026-03-10");
        assert_eq!(transaction["original_date"], purchase);
    }
    // Another payment date does not make it another statement.
    for payment_date in ["2026-03-10", "2026-03-11"] {
        assert_eq!(ana.import_card(card, payment_date, &file).created()["inserted"], 0);
    }
    assert_eq!(duplicates(&preview_for(&ana, card, &file)), [true, true]);
    // A row that says what the stored ones say on their payment date is another purchase.
    let on_payment_date = ofx(&[("20260310", "-49.90", "", "LIVRARIA"), ("20260310", "-5.00", "", "CAFE")]);
    assert_eq!(duplicates(&preview_for(&ana, card, &on_payment_date)), [false, false]);
}

#[test]
fn a_payment_date_counts_only_for_a_card_statement() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 10);
    let rows = json!([row("2026-03-01", "Livraria", "49.90", "expense")]);
    let body = json!({ "account_id": card, "payment_date": "2027-01-10", "rows": rows });
    let transaction = ana.post("/api/import/confirm", body).created()["transactions"][0].clone();
    assert_eq!((&transaction["date"], &transaction["original_date"]), (&json!("2026-03-01"), &Value::Null));
    // And a card statement without one keeps its dates.
    let rows = json!([row("2026-03-02", "Livraria", "49.90", "expense")]);
    let body = json!({ "account_id": card, "is_credit_card": true, "rows": rows });
    let transaction = ana.post("/api/import/confirm", body).created()["transactions"][0].clone();
    assert_eq!((&transaction["date"], &transaction["original_date"]), (&json!("2026-03-02"), &Value::Null));
}

#[test]
fn a_row_like_a_stored_one_of_other_text_is_hinted_at_and_inserted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = spend(&ana, "2026-01-10", "Restaurante da esquina", "80");
    let similar = |date: &str, amount: &str, memo: &str| {
        let preview = ana.preview(&ofx(&[(date, amount, "", memo)])).ok()["rows"][0].clone();
        assert_eq!(preview["duplicate"], false, "{preview}");
        preview["similar_to"].clone()
    };
    for date in ["20260107", "20260109", "20260110", "20260113"] {
        assert_eq!(similar(date, "-80.00", "REST ESQUINA"), id, "{date}");
    }
    for (date, amount, memo) in [
        ("20260106", "-80.00", "REST ESQUINA"),
        ("20260114", "-80.00", "REST ESQUINA"),
        ("20260110", "80.00", "REST ESQUINA"),
        ("20260110", "-80.01", "REST ESQUINA"),
        ("20260111", "-80.00", "RESTAURANTE DA ESQUINA"),
    ] {
        assert_eq!(similar(date, amount, memo), Value::Null, "{date} {amount} {memo}");
    }
    assert_eq!(ana.import(None, &ofx(&[("20260110", "-80.00", "", "REST ESQUINA")])).created()["inserted"], 1);
}

#[test]
fn a_category_is_suggested_from_the_latest_use_of_the_description() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let category = |client: &Client, name: &str| {
        client.post("/api/categories", json!({ "name": name })).created()["id"].as_i64().unwrap()
    };
    let [old, new, newest] = ["Velha", "Nova", "Novíssima"].map(|name| category(&ana, name));
    let spend_as = |client: &Client, date: &str, description: &str, category_id: Option<i64>| {
        let body = json!({ "type": "expense", "date": date, "description": description, "amount": "1.00",
            "category_id": category_id });
        client.post("/api/transactions", body).created();
    };
    let suggested =
        |memo: &str| ana.preview(&ofx(&[("20260131", "-12.34", "", memo)])).ok()["rows"][0]["category_id"].clone();
    assert_eq!(suggested("PADARIA"), Value::Null);
    spend_as(&ana, "2026-01-20", "Padaria", Some(new));
    spend_as(&ana, "2026-01-10", "Padaria", Some(old));
    assert_eq!(suggested("PADÁRIA "), new, "by date, whichever was written last");
    spend_as(&ana, "2026-01-20", "Padaria", Some(newest));
    assert_eq!(suggested("padaria"), newest, "then by id");
    spend_as(&ana, "2026-01-30", "Padaria", None);
    assert_eq!(suggested("padaria"), newest, "what has no category says nothing");
    spend_as(&ana, "2026-01-30", "Loja Parcela 2/10", Some(old));
    assert_eq!(suggested("LOJA PARCELA 2/10"), old);
    assert_eq!(suggested("LOJA PARCELA 3/10"), Value::Null, "digits stay");
    spend_as(&bia, "2026-01-30", "Açougue", Some(category(&bia, "Carnes")));
    assert_eq!(suggested("ACOUGUE"), Value::Null, "another profile's history is nobody's");
    // A suggestion is kept by who confirms it, and a duplicate gets none.
    let file = ofx(&[("20260131", "-12.34", "", "PADARIA")]);
    assert_eq!(ana.import(None, &file).created()["transactions"][0]["category_id"], newest);
    let again = ana.preview(&file).ok();
    assert_eq!((&again["rows"][0]["duplicate"], &again["rows"][0]["category_id"]), (&json!(true), &Value::Null));
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
    // One row under 16 MiB is read, and refused for what it holds.
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
fn a_file_that_is_missing_or_empty_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post_form("/api/import/preview", Form::new()).invalid(&["file"]);
    ana.post_form("/api/import/preview", Form::new().text("format", "ofx")).invalid(&["file"]);
    ana.preview(b"").problem(422, "ErrStatementUnreadable");
    ana.preview(b" \r\n \n").problem(422, "ErrStatementUnreadable");
    ana.preview(b"Ol\xc3\xa1, segue o extrato que voc\xc3\xaa pediu.").problem(422, "ErrStatementUnreadable");
    ana.preview(b"OFXHEADER:100\r\n\r\n<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>")
        .problem(422, "ErrStatementUnreadable");
}

#[test]
fn a_file_of_another_kind_is_told_from_its_bytes() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let binary: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for (kind, bytes) in [
        ("PDF", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>".as_slice()),
        ("xlsx", b"PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml"),
        ("xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00"),
        ("HTML", b"<!DOCTYPE html><html><body><table><tr><td>01/01/2026</td></tr></table></body></html>"),
        ("binary", &binary),
    ] {
        let problem = ana.preview(bytes).problem(415, "ErrUnsupportedMedia");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{kind}");
    }
    ana.post("/api/import/preview", json!({ "file": "…" })).problem(415, "ErrUnsupportedMedia");
    ana.post_form("/api/import/confirm", Form::new().file("statement", &ofx(&TWO))).problem(415, "ErrUnsupportedMedia");
}

#[test]
fn every_unusable_option_is_named_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let csv = b"date,title,amount\n2026-03-01,Padaria,12.50\n";
    ana.preview_with(
        csv,
        &[
            ("account_id", "nubank"),
            ("format", "qif"),
            ("separator", ";;"),
            ("decimal_separator", "x"),
            ("date_format", "day/month"),
            ("skip_negative", "maybe"),
            ("all_expenses", "2"),
            ("is_credit_card", "yes"),
            ("payment_date", "10/03/2026"),
        ],
    )
    .invalid(&[
        "account_id",
        "format",
        "separator",
        "decimal_separator",
        "date_format",
        "skip_negative",
        "all_expenses",
        "is_credit_card",
        "payment_date",
    ]);
    for (option, value) in [("date_column", "Quando"), ("description_column", "9"), ("amount_column", "Quanto")] {
        ana.preview_with(csv, &[(option, value)]).invalid(&[option]);
    }
    ana.preview_with(csv, &[("format", "ofx")]).problem(422, "ErrStatementUnreadable");
    assert_eq!(ana.preview_with(csv, &[("format", "csv"), ("unknown", "7")]).ok()["summary"]["rows"], 1);
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
    // A card statement need not name its card.
    ana.post("/api/import/confirm", json!({ "is_credit_card": true, "payment_date": "2026-03-10", "rows": rows }))
        .created();
    assert_eq!(bia.get("/api/transactions").ok(), json!([]));
}

#[test]
fn a_csv_is_read_as_the_options_say() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = "Quando|O quê|Quanto\n02.01.26|PADARIA|-12,34\n01.02.26|ESTORNO|1.000,00\n".as_bytes();
    let by_name = [
        ("format", "csv"),
        ("separator", "|"),
        ("decimal_separator", ","),
        ("date_format", "dd.mm.yy"),
        ("date_column", "quando"),
        ("description_column", "o que"),
        ("amount_column", "Quanto"),
    ];
    let by_number = [
        ("separator", "|"),
        ("decimal_separator", ","),
        ("date_format", "dd.mm.yy"),
        ("date_column", "1"),
        ("description_column", "2"),
        ("amount_column", "3"),
    ];
    for options in [&by_name[..], &by_number[..]] {
        let preview = ana.preview_with(file, options).ok();
        assert_eq!(preview["format"], "csv");
        let rows: Vec<_> = preview["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| ["date", "description", "amount", "type"].map(|field| row[field].as_str().unwrap().to_string()))
            .collect();
        assert_eq!(
            rows,
            [["2026-01-02", "PADARIA", "12.34", "expense"], ["2026-02-01", "ESTORNO", "1000.00", "income"]]
        );
        assert_eq!(preview["rows"][1]["line"], 3);
    }
    // The other decimal mark and order of day and month are another file.
    let file = b"Quando\tTexto\tQuanto\n01/02/2026\tPADARIA\t-1.234\n";
    let options = [
        ("separator", "\t"),
        ("decimal_separator", "."),
        ("date_format", "mm/dd/yyyy"),
        ("date_column", "1"),
        ("description_column", "2"),
        ("amount_column", "3"),
    ];
    let preview = ana.preview_with(file, &options).ok();
    assert_eq!((&preview["rows"][0]["date"], &preview["rows"][0]["amount"]), (&json!("2026-01-02"), &json!("1.23")));
}

#[test]
fn a_card_export_is_read_without_options_and_its_payments_can_be_left_out() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = b"date,title,amount\n2026-03-01,Padaria,12.50\n2026-03-05,Pagamento recebido,-300.00\n2026-03-06,Livraria,49.90\n";
    let kinds = |preview: &Value| -> Vec<String> {
        preview["rows"].as_array().unwrap().iter().map(|row| row["type"].as_str().unwrap().to_string()).collect()
    };
    let plain = ana.preview(file).ok();
    assert_eq!(kinds(&plain), ["expense", "income", "expense"]);
    assert_eq!(plain["summary"]["expenses"], "62.40");
    assert_eq!(plain["summary"]["income"], "300.00");
    let without = ana.preview_with(file, &[("skip_negative", "true")]).ok();
    assert_eq!(descriptions(&without["rows"]), ["Padaria", "Livraria"]);
    assert_eq!(without["rejected"][0]["line"], 3);
    assert_eq!(kinds(&ana.preview_with(file, &[("all_expenses", "true")]).ok()), ["expense"; 3]);
    let both = ana.preview_with(file, &[("skip_negative", "1"), ("all_expenses", "on")]).ok();
    assert_eq!(signed_sum(both["rows"].as_array().unwrap()), -6240);
    let mut rows = both["rows"].clone();
    rows[0]["category_id"] = ana.get("/api/categories").ok()[0]["id"].clone();
    let body = json!({ "file_name": "fatura.csv", "format": "csv", "rows": rows });
    let imported = ana.post("/api/import/confirm", body).created();
    assert_eq!(imported["inserted"], 2);
    assert_eq!(imported["transactions"][0]["category_id"], rows[0]["category_id"]);
    assert_eq!(duplicates(&ana.preview(file).ok()), [true, false, true]);
}

#[test]
fn a_broken_row_or_a_truncated_file_keeps_the_rest_and_names_the_line() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[TWO[0], ("20261399", "-1.00", "B1", "DATA"), ("20260201", "um real", "B2", "VALOR"), TWO[1]]);
    let preview = ana.preview(&file).ok();
    assert_eq!(descriptions(&preview["rows"]), ["PADARIA PAO QUENTE", "SALARIO"]);
    let lines: Vec<u64> =
        preview["rejected"].as_array().unwrap().iter().map(|rejected| rejected["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [10, 11]);
    assert_eq!(preview["summary"]["rejected"], 2);
    let whole = ofx(&TWO);
    let cut = whole.len() - whole.iter().rev().position(|byte| *byte == b'A').unwrap();
    let preview = ana.preview(&whole[..cut]).ok();
    assert_eq!(descriptions(&preview["rows"])[0], "PADARIA PAO QUENTE");
    for end in (0..whole.len()).step_by(37) {
        let reply = ana.preview(&whole[..end]);
        assert!(matches!(reply.status, 200 | 415 | 422), "cut at {end}: {reply:?}");
    }
    let csv = b"date,title,amount\n2026-03-01,Padaria,12.50\nsoon,Feira,1.00\n2026-03-02,Livraria,49.90\n";
    let preview = ana.preview(csv).ok();
    assert_eq!(descriptions(&preview["rows"]), ["Padaria", "Livraria"]);
    assert_eq!(preview["rejected"][0]["line"], 3);
}

#[test]
fn a_description_is_the_memo_or_the_name_or_says_that_there_is_none() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = format!(
        "<OFX><BANKTRANLIST>\
         <STMTTRN><DTPOSTED>20260101<TRNAMT>-1.005<FITID>1<NAME>NOME<MEMO>MEMO</STMTTRN>\
         <STMTTRN><DTPOSTED>20260101<TRNAMT>-1.015<FITID>2<NAME>NOME<MEMO></STMTTRN>\
         <STMTTRN><DTPOSTED>20260101<TRNAMT>1.015<FITID>3</STMTTRN></BANKTRANLIST>\
         <BANKTRANLIST><STMTTRN><DTPOSTED>20260131235959[+14:KIR]<TRNAMT>1.00<FITID>4<MEMO>{}</STMTTRN></BANKTRANLIST></OFX>",
        "ç".repeat(300)
    );
    let preview = ana.preview(file.as_bytes()).ok();
    let long = "ç".repeat(255);
    assert_eq!(descriptions(&preview["rows"]), ["MEMO", "NOME", "(sem descrição)", &long], "all statements of a file");
    let amounts: Vec<i128> = preview["rows"].as_array().unwrap().iter().map(|row| cents(&row["amount"])).collect();
    assert_eq!(amounts, [100, 102, 102, 100], "half to even");
    assert_eq!(preview["rows"][3]["date"], "2026-01-31", "no offset moves a date");
    assert_eq!(ana.import(None, file.as_bytes()).created()["inserted"], 4);
}

#[test]
fn an_id_longer_than_can_be_stored_still_tells_its_rows_apart() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (first, second) = (format!("{}1", "N".repeat(300)), format!("{}2", "N".repeat(300)));
    let file = ofx(&[("20260101", "-1.00", &first, "PIX"), ("20260101", "-1.00", &second, "PIX")]);
    assert_eq!(ana.import(None, &file).created()["inserted"], 2);
    assert_eq!(ana.import(None, &file).created()["inserted"], 0);
}

#[test]
fn rows_left_out_of_a_confirm_can_be_imported_later() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[
        ("20260106", "-7.00", "DUP", "LOJA"),
        ("20260106", "-7.00", "DUP", "LOJA"),
        ("20260106", "-9.00", "DUP", "LOJA"),
    ]);
    let rows = ana.preview(&file).ok()["rows"].clone();
    assert_eq!(confirm(&ana, None, &json!([rows[1], rows[2]])).created()["inserted"], 2);
    assert_eq!(ana.preview(&file).ok()["summary"]["new"], 1);
    assert_eq!(ana.import(None, &file).created()["inserted"], 1);
    assert_eq!(ana.import(None, &file).created()["inserted"], 0);
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
        json!({ "id": expected[0], "file_name": "extrato.ofx", "format": "ofx", "account_id": account, "inserted": 1,
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

#[test]
fn ten_thousand_rows_are_previewed_confirmed_and_known_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let rows: Vec<(String, String, String)> = (0..10_000_u32)
        .map(|at| {
            let date = format!("2025{:02}{:02}", at / 28 % 12 + 1, at % 28 + 1);
            (date, format!("-{}.{:02}", at % 700 + 1, at % 100), format!("COMPRA {}", at % 300))
        })
        .collect();
    let file: Vec<OfxRow<'_>> =
        rows.iter().map(|(date, amount, memo)| (date.as_str(), amount.as_str(), "", memo.as_str())).collect();
    let file = ofx(&file);
    let preview = preview_for(&ana, account, &file);
    assert_eq!(preview["summary"]["new"], 10_000);
    let expenses = cents(&preview["summary"]["expenses"]);
    assert_eq!(expenses, (0..10_000_i128).map(|at| (at % 700 + 1) * 100 + at % 100).sum::<i128>());
    let answer = confirm(&ana, Some(account), &preview["rows"]).created();
    assert_eq!(answer["inserted"], 10_000);
    assert_eq!(descriptions(&answer["transactions"])[9_999], "COMPRA 99", "in the order of the rows");
    assert_eq!(ana.balance(account), -expenses);
    assert_eq!(preview_for(&ana, account, &file)["summary"]["duplicates"], 10_000);
    let again = confirm(&ana, Some(account), &preview["rows"]).created();
    assert_eq!((again["inserted"].as_u64(), again["skipped"].as_array().unwrap().len()), (Some(0), 10_000));
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

#[test]
fn a_preview_of_a_csv_file_tells_what_was_recognized() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let lines: Vec<String> = (1..=7).map(|day| format!("0{day}/02/2026;LOJA {day};-{day},50;x")).collect();
    let file = format!("Extrato da conta\n\nData;Histórico;Valor (R$);Obs\n{}\n", lines.join("\n"));
    let preview = ana.preview(file.as_bytes()).ok();
    let expected = json!({ "separator": ";", "decimal_separator": ",", "date_format": "dd/mm/yyyy", "date_column": 1,
        "description_column": 2, "amount_column": 3 });
    assert_eq!(preview["detected"], expected);
    assert_eq!(preview["headers"], json!(["Data", "Histórico", "Valor (R$)", "Obs"]));
    let sample = preview["sample"].as_array().unwrap();
    assert_eq!((sample.len(), &sample[0]), (5, &json!(["01/02/2026", "LOJA 1", "-1,50", "x"])));
    // Sent back as options, they read the file in the same way.
    let options: Vec<(String, String)> = expected
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_string)))
        .collect();
    let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let again = ana.preview_with(file.as_bytes(), &options).ok();
    assert_eq!((&again["detected"], &again["rows"]), (&preview["detected"], &preview["rows"]));
    let chosen = ana.preview_with(file.as_bytes(), &[("description_column", "Obs")]).ok();
    assert_eq!(
        (&chosen["detected"]["description_column"], &chosen["rows"][0]["description"]),
        (&json!(4), &json!("x"))
    );
    let headless = ana.preview(b"2026-01-31,-10.50,PADARIA\n2026-02-01,-3.25,FEIRA\n").ok();
    let expected = json!({ "separator": ",", "decimal_separator": ".", "date_format": "yyyy-mm-dd", "date_column": 1,
        "description_column": 3, "amount_column": 2 });
    assert_eq!((&headless["detected"], &headless["headers"]), (&expected, &json!([])));
    let split = ana.preview(b"Data;Historico;Credito;Debito\n31/01/2026;PIX;10,00;\n01/02/2026;LUZ;;5,00\n").ok();
    assert_eq!(split["detected"]["amount_column"], Value::Null, "{split}");
    let wide = format!("Data;Descricao;Valor{}\n31/01/2026;{};-1,00\n", ";c".repeat(100), "x".repeat(400));
    let wide = ana.preview(wide.as_bytes()).ok();
    assert_eq!(wide["headers"].as_array().unwrap().len(), 64);
    assert_eq!(wide["sample"][0][1].as_str().unwrap().chars().count(), 255);
}

#[test]
fn suggestions_are_found_by_the_index_of_descriptions_however_long_the_history() {
    const STORED: i64 = 5_000;
    const ROWS: usize = 500;
    let app = TestApp::start();
    let ana = app.user("ana");
    let profile = ana.caller().profile_id.0;
    app.sql(&format!(
        "insert into transactions (profile_id, kind, category_id, date, source, description, description_normalized, amount)
        select {profile}, 'expense', (select min(id) from categories where profile_id = {profile}),
            date '2025-01-01' + n % 300, 'manual', 'Compra ' || n, 'compra ' || n, 10 + n
        from generate_series(1, {STORED}) as n;
        analyze transactions"
    ));
    app.rebuild_sums();
    let read = || {
        let counted = app.rows(
            "select sum(idx_tup_read)::bigint as read from pg_stat_user_indexes
            where indexrelname in ('transactions_by_date', 'transactions_by_category', 'transactions_pkey')",
        );
        counted[0]["read"].as_i64().unwrap()
    };
    let texts: Vec<(String, String)> = (0..ROWS).map(|at| (format!("F{at}"), format!("LOJA {at}"))).collect();
    let rows: Vec<_> = texts.iter().map(|(id, text)| ("20260302", "-1.00", id.as_str(), text.as_str())).collect();
    let file = ofx(&rows);
    let before = read();
    assert_eq!(ana.preview(&file).ok()["summary"]["new"], ROWS);
    // A connection reports what it did once a second at the most.
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    ana.preview(&file).ok();
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    ana.get("/api/transactions?limit=1").ok();
    let read = read() - before;
    assert!(read < STORED * 20, "{read} rows read for two previews of {ROWS} rows");
}
