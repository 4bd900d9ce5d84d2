//! Spreadsheets as statements.

use finance_tests::TestApp;
use serde_json::json;

const BTG: &[u8] = include_bytes!("../../../crates/statements/tests/fixtures/btg.xlsx");
const ITAU: &[u8] = include_bytes!("../../../crates/statements/tests/fixtures/itau.xls");
const C6: &[u8] = include_bytes!("../../../crates/statements/tests/fixtures/c6.ods");
const PASSWORD: &[u8] = include_bytes!("../../../crates/statements/tests/fixtures/password.xlsx");

#[test]
fn a_spreadsheet_is_previewed_and_confirmed_as_csv_and_known_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.create("/api/accounts", json!({ "name": "BTG", "kind": "current" }));
    let preview = ana.preview(BTG).ok();
    assert_eq!(preview["format"], "csv");
    assert_eq!(
        preview["summary"],
        json!({ "rows": 5, "new": 5, "duplicates": 0, "rejected": 2, "income": "5000.00", "expenses": "1293.10" })
    );
    assert_eq!(
        preview["rejected"],
        json!([
            { "sheet": "Extrato", "line": 15, "code": "balance_line", "params": {}, "reason": "linha de saldo",
              "description": "Saldo diário", "amount": "4987.36", "type": "income" },
            { "sheet": "Fevereiro", "line": 3, "code": "invalid_date", "params": { "text": "ontem" },
              "reason": "data inválida: ontem", "description": "FEIRA", "amount": "5.00", "type": "expense" },
        ])
    );
    assert_eq!(
        preview["detected"],
        json!({ "separator": null, "decimal_separator": ",", "date_format": "yyyy-mm-dd", "date_column": 2,
                "description_column": 4, "amount_column": 8, "sign": null })
    );
    let row = &preview["rows"][0];
    assert_eq!((&row["line"], &row["date"], &row["amount"]), (&json!(12), &json!("2026-01-05"), &json!("12.34")));
    let confirmed = ana.import(Some(account), BTG).created();
    assert_eq!(confirmed["inserted"], 5);
    assert!(confirmed["transactions"].as_array().unwrap().iter().all(|row| row["source"] == "csv"));
    // The same file, and a text file with the same rows.
    assert_eq!(ana.preview_with(BTG, &[("account_id", &account.to_string())]).ok()["summary"]["duplicates"], 5);
    let again = ana.import(Some(account), BTG).created();
    assert_eq!((&again["inserted"], again["skipped"].as_array().map(Vec::len)), (&json!(0), Some(5)));
    let text = "Data;Descrição;Valor\n05/01/2026;Pix enviado PADARIA DO ZÉ;-12,34\n02/02/2026;LIVRARIA;-45,90\n";
    assert_eq!(ana.preview(text.as_bytes()).ok()["summary"]["duplicates"], 2);
}

#[test]
fn every_format_of_spreadsheets_is_read_and_takes_the_options_of_csv() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (file, rows) in [(ITAU, 403), (C6, 4)] {
        assert_eq!(ana.preview(file).ok()["summary"]["rows"], rows);
        assert_eq!(ana.preview_with(file, &[("format", "csv"), ("separator", ";")]).ok()["summary"]["rows"], rows);
        ana.preview_with(file, &[("format", "ofx")]).problem(422, "ErrStatementUnreadable");
        ana.preview_with(file, &[("date_column", "Quando")]).invalid(&["date_column"]);
    }
    let by_name = ana.preview_with(BTG, &[("description_column", "Transação"), ("skip_negative", "true")]).ok();
    assert_eq!(by_name["rows"][0]["description"], "Pix recebido");
}

#[test]
fn a_spreadsheet_that_cannot_be_read_says_why() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let locked = ana.preview(PASSWORD).problem(422, "ErrStatementUnreadable");
    assert!(locked["detail"].as_str().unwrap().contains("senha"), "{locked}");
    for file in [&BTG[..BTG.len() / 2], &ITAU[..ITAU.len() / 2], &C6[..40]] {
        ana.preview(file).problem(422, "ErrStatementUnreadable");
    }
    // The archive says that one of its parts has 2 GB.
    let mut large = BTG.to_vec();
    let entry = large.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    large[entry + 24..entry + 28].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let problem = ana.preview(&large).problem(413, "ErrTooLarge");
    assert!(problem["detail"].as_str().unwrap().contains("64 MB"), "{problem}");
}
