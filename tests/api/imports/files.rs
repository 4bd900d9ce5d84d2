//! How a preview reads a file: its format, its options, its broken lines.

use finance_tests::{Form, TestApp, cents, ofx, signed_sum};
use serde_json::{Value, json};

use super::{TWO, descriptions, duplicates};

#[test]
fn a_preview_answers_rows_rejected_lines_and_a_summary() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let file = ofx(&[TWO[0], ("20260131", "88.00", "A9", "SALDO DO DIA"), TWO[1]]);
    let categories = ana.all("/api/categories");
    let salary = &categories.iter().find(|category| category["name"] == "Salário").unwrap()["id"];
    let suggestion = json!({ "category_id": salary, "source": "dictionary", "rule_id": null });
    assert_eq!(
        ana.preview(&file).ok(),
        json!({
            "format": "ofx",
            "rows": [
                { "row": 0, "line": 9, "date": "2026-01-31", "description": "PADARIA PAO QUENTE",
                  "display": { "name": "Padaria Pão Quente", "method": null }, "amount": "12.34",
                  "type": "expense", "external_id": "A1", "category_id": null, "suggestion": null, "duplicate": false,
                  "duplicate_of": null, "automatic_yield": false, "similar_to": null, "transfer": null, "statement_description": null,
                  "skipped_by_rule": false, "currency": null, "statement": 0 },
                { "row": 1, "line": 11, "date": "2026-02-02", "description": "SALARIO", "amount": "1500.00",
                  "display": { "name": "Salario", "method": null },
                  "type": "income", "external_id": "A2", "category_id": salary, "suggestion": suggestion, "duplicate": false,
                  "duplicate_of": null, "automatic_yield": false, "similar_to": null, "transfer": null, "statement_description": null,
                  "skipped_by_rule": false, "currency": null, "statement": 0 },
            ],
            "rejected": [{ "line": 10, "code": "balance_line", "params": {}, "reason": "linha de saldo", "date": "2026-01-31",
                "amount": "88.00", "type": "income", "description": "SALDO DO DIA" }],
            "summary": { "rows": 2, "new": 2, "duplicates": 0, "rejected": 1, "income": "1500.00", "expenses": "12.34" },
            "detected": null, "headers": null, "sample": null, "due_date": null,
            "statements": [{ "index": 0, "ref": null, "hint": null, "kind": null, "currency": null, "rows": 2,
                "balance": { "amount": "88.00", "date": "2026-01-31" }, "balances": [{ "amount": "88.00", "date": "2026-01-31" }],
                "balance_after": null, "agrees": null, "account_id": null }],
        })
    );
    assert_eq!(ana.get("/api/transactions").ok(), json!([]), "a preview saves nothing");
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
        ("ZIP", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("HTML", b"<!DOCTYPE html><html><body><table><tr><td>01/01/2026</td></tr></table></body></html>"),
        ("binary", &binary),
    ] {
        let problem = ana.preview(bytes).problem(415, "ErrUnsupportedMedia");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{kind}");
        let banks = problem["banks"].as_array().expect("where to get a statement that can be read");
        let itau = json!({ "name": "Itaú", "channels": ["site"], "formats": ["OFX", "XLS"],
            "path": ["Conta corrente", "Consultar extrato", "Salvar em OFX"] });
        assert!(banks.contains(&itau), "{kind}: {banks:?}");
    }
    let other = ana.preview(b"").problem(422, "ErrStatementUnreadable");
    assert!(other.get("banks").is_none(), "{other}");
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
    // Another file has the other decimal separator, and the month before the day.
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
fn a_preview_of_a_csv_file_tells_what_was_recognized() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let lines: Vec<String> = (1..=7).map(|day| format!("0{day}/02/2026;LOJA {day};-{day},50;x")).collect();
    let file = format!("Extrato da conta\n\nData;Histórico;Valor (R$);Obs\n{}\n", lines.join("\n"));
    let preview = ana.preview(file.as_bytes()).ok();
    let expected = json!({ "separator": ";", "decimal_separator": ",", "date_format": "dd/mm/yyyy", "date_column": 1,
        "description_column": 2, "amount_column": 3, "sign": null });
    assert_eq!(preview["detected"], expected);
    assert_eq!(preview["headers"], json!(["Data", "Histórico", "Valor (R$)", "Obs"]));
    let sample = preview["sample"].as_array().unwrap();
    assert_eq!((sample.len(), &sample[0]), (5, &json!(["01/02/2026", "LOJA 1", "-1,50", "x"])));
    // If they are sent back as options, the file is read in the same way.
    let options: Vec<(String, String)> = expected
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| !value.is_null())
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
        "description_column": 3, "amount_column": 2, "sign": null });
    assert_eq!((&headless["detected"], &headless["headers"]), (&expected, &json!([])));
    let split = ana.preview(b"Data;Historico;Credito;Debito\n31/01/2026;PIX;10,00;\n01/02/2026;LUZ;;5,00\n").ok();
    assert_eq!(split["detected"]["amount_column"], Value::Null, "{split}");
    let wide = format!("Data;Descricao;Valor{}\n31/01/2026;{};-1,00\n", ";c".repeat(100), "x".repeat(400));
    let wide = ana.preview(wide.as_bytes()).ok();
    assert_eq!(wide["headers"].as_array().unwrap().len(), 64);
    assert_eq!(wide["sample"][0][1].as_str().unwrap().chars().count(), 255);
}
