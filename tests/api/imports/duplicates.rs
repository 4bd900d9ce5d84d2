//! Which rows of a file are stored already.

use finance_tests::{OfxRow, TestApp, cents, ofx};
use serde_json::{Value, json};

use super::{TWO, confirm, descriptions, duplicates, preview_for, row, spend};

#[test]
fn a_second_import_of_a_file_adds_nothing_in_any_order_of_its_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    // Rows with their own id, with a shared id, without an id, and equal rows.
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
    // The bank changed only the text: the id, date and amount are the same.
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
    // Many banks count from 1 each day, so rows of different accounts have the same ids.
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
    // With another payment date it is still the same statement.
    for payment_date in ["2026-03-10", "2026-03-11"] {
        assert_eq!(ana.import_card(card, payment_date, &file).created()["inserted"], 0);
    }
    assert_eq!(duplicates(&preview_for(&ana, card, &file)), [true, true]);
    // A row with the text and amount of a stored row, but with the payment date as its date, is another purchase.
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
    // The rows of a card statement without a payment date keep their dates.
    let rows = json!([row("2026-03-02", "Livraria", "49.90", "expense")]);
    let body = json!({ "account_id": card, "is_credit_card": true, "rows": rows });
    let transaction = ana.post("/api/import/confirm", body).created()["transactions"][0].clone();
    assert_eq!((&transaction["date"], &transaction["original_date"]), (&json!("2026-03-02"), &Value::Null));
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
fn what_was_entered_and_is_in_a_file_is_known_again_whatever_it_is_called_since() {
    let app = TestApp::start();
    for (at, kind) in ["current", "credit"].into_iter().enumerate() {
        let ana = app.user(&format!("ana-{at}"));
        let account = match kind {
            "credit" => ana.open_card("Cartão", 25, 5),
            kind => ana.open_account("Conta", kind),
        };
        let entered = json!({ "type": "expense", "account_id": account, "date": "2026-02-10", "amount": "300.00",
            "description": "LOJA" });
        let id = ana.create("/api/transactions", entered.clone());
        let file = ofx(&[("20260210", "-300.00", "L1", "LOJA"), ("20260211", "-5.00", "K1", "CAFE")]);
        let first = ana.import(Some(account), &file).created();
        assert_eq!(first["inserted"], 1);
        let known = ana.get(&format!("/api/transactions/{id}")).ok();
        assert_eq!((&known["external_id"], &known["source"]), (&json!("L1"), &json!("manual")));
        let mut renamed = entered.clone();
        renamed["description"] = json!("Presente");
        ana.put(&format!("/api/transactions/{id}"), renamed).ok();
        for again in
            [file.clone(), b"Data;Hist\xF3rico;Valor\n10/02/2026;LOJA;-300,00\n11/02/2026;CAFE;-5,00\n".to_vec()]
        {
            assert_eq!(ana.import(Some(account), &again).created()["inserted"], 0, "{kind}");
        }
        assert_eq!(ana.balance(account), -30_500, "{kind}");
        // The undo of the import leaves what a person entered as it was.
        ana.delete(&format!("/api/imports/{}", first["import_id"])).ok();
        let left = ana.get(&format!("/api/transactions/{id}")).ok();
        assert_eq!((&left["external_id"], &left["description"]), (&Value::Null, &json!("Presente")));
        assert_eq!(ana.balance(account), -30_000, "{kind}");
    }
}
