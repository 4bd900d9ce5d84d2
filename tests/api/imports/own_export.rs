//! Our own table of transactions, read back as a statement: every row is known, whatever was edited since it was imported.

use std::collections::BTreeSet;

use finance_tests::{Client, Form, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{duplicates, row};
use crate::edited_rows::edit;
use crate::export::tables;
use crate::household::Household;

/// The table of transactions, as both formats of the export write it.
fn exported(client: &Client) -> [String; 2] {
    ["/api/export?format=csv", "/api/export?format=csv&locale=pt-BR"]
        .map(|path| tables(client.get(path).bytes).remove("transactions.csv").expect("a table of transactions"))
}

fn all_transactions(client: &Client) -> Vec<Value> {
    client.get("/api/transactions?limit=200").ok().as_array().unwrap().clone()
}

/// A household whose rows were edited in every way, and whose texts are unkind to tables.
fn edited_household(app: &TestApp) -> Household {
    let ana = Household::new(app, "ana");
    app.clock.set_today(date!(2026 - 06 - 01));
    let client = &ana.client;
    let file = ofx(&[
        ("20260131", "-12.34", "A1", "PADARIA PAO QUENTE 0034"),
        ("20260131", "-12.34", "A2", "Mercado"),
        ("20260202", "1500.00", "A3", "SALARIO"),
        ("20260203", "-77.10", "A4", "LOJA DE TINTAS"),
        ("20260204", "-8.00", "A5", "BANCA"),
        ("20260205", "-9.00", "", "=SOMA(A1)"),
    ]);
    let answer = client.import(Some(ana.account), &file).created();
    let rows = answer["transactions"].as_array().unwrap();
    let of = |text: &str| rows.iter().find(|row| row["description"] == *text).expect(text);
    // Another row has this name in its statement, on the same day and of the same amount.
    edit(client, of("PADARIA PAO QUENTE 0034"), json!({ "description": "Mercado" }));
    edit(client, of("SALARIO"), json!({ "amount": "1499.50", "date": "2026-02-07" }));
    edit(client, of("LOJA DE TINTAS"), json!({ "type": "income", "description": "Total" }));
    edit(client, of("BANCA"), json!({ "description": "Saldo anterior", "account_id": ana.card }));
    edit(client, of("=SOMA(A1)"), json!({ "description": "-10% na \"Loja\"; x" }));
    ana
}

/// A card whose purchases count on the payment dates of its bills; one is made on the payment date of the first bill.
fn add_card_with_payment_dates(client: &Client) {
    let card = client.open_card("Cartão com datas", 1, 10);
    let uber = |date: &str| row(date, "UBER", "10.00", "expense");
    for (dates, payment_date) in
        [(["2026-03-01", "2026-03-02"], "2026-04-10"), (["2026-04-10", "2026-04-11"], "2026-05-10")]
    {
        let body = json!({
            "account_id": card, "is_credit_card": true, "payment_date": payment_date,
            "rows": dates.map(uber),
        });
        client.post("/api/import/confirm", body).created();
    }
}

#[test]
fn a_note_of_our_own_export_is_no_part_of_the_description() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let bank = ana.open_account("Banco", "current");
    let body = json!({ "type": "expense", "date": "2026-03-02", "description": "MERCADO", "amount": "50.00",
        "account_id": bank, "note": "com cupom" });
    ana.create("/api/transactions", body);
    let of_bia = bia.open_account("Banco", "current");
    for table in exported(&ana) {
        let rows = bia.preview(table.as_bytes()).ok()["rows"].clone();
        assert_eq!(rows[0]["description"], "MERCADO", "{table}");
    }
    bia.import(Some(of_bia), exported(&ana)[0].as_bytes()).created();
    let of_bank = "Data;Descrição;Valor\n02/03/2026;MERCADO;-50,00\n";
    assert_eq!(bia.import(Some(of_bia), of_bank.as_bytes()).created()["inserted"], 0);
}

#[test]
fn every_row_of_our_own_export_is_known() {
    let app = TestApp::start();
    let ana = edited_household(&app);
    add_card_with_payment_dates(&ana.client);
    let own: BTreeSet<i64> = all_transactions(&ana.client).iter().map(id).collect();
    assert!(own.len() > 15, "{}", own.len());
    for table in exported(&ana.client) {
        let preview = ana.client.preview(table.as_bytes()).ok();
        assert_eq!(preview["rejected"], json!([]), "{table}");
        let new: Vec<&Value> =
            preview["rows"].as_array().unwrap().iter().filter(|row| row["duplicate"] == json!(false)).collect();
        assert!(new.is_empty(), "{new:#?}\n{table}");
        let known: BTreeSet<i64> =
            preview["rows"].as_array().unwrap().iter().map(|row| row["duplicate_of"].as_i64().unwrap()).collect();
        assert_eq!(known, own, "each is known as itself");
        let answer = ana.client.import(None, table.as_bytes()).created();
        assert_eq!(answer["inserted"], json!(0));
    }
}

#[test]
fn what_a_person_entered_comes_back_from_our_own_export_as_it_was_typed() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let card = ana.open_card("Cartão", 1, 10);
    let long = format!("={}", "a".repeat(254));
    let texts = [
        "a\u{200b}b",
        "\u{200b}c\u{feff}",
        "d  e\tf",
        "Saldo em atraso",
        "Crédito de atraso",
        "Saldo anterior",
        "Dólar de conversão",
        long.as_str(),
    ];
    for text in texts {
        let body = json!({ "type": "expense", "date": "2026-03-02", "description": text, "amount": "50.00", "account_id": card });
        ana.create("/api/transactions", body);
    }
    let form = |table: &str| {
        let form = Form::new().file("statement", table.as_bytes());
        form.text("account_id", &card.to_string()).text("is_credit_card", "true")
    };
    let count = texts.len();
    for table in exported(&ana) {
        let preview = ana.post_form("/api/import/preview", form(&table)).ok();
        assert_eq!((&preview["rejected"], duplicates(&preview)), (&json!([]), vec![true; count]), "{table}");
    }
    bia.import(None, exported(&ana)[0].as_bytes()).created();
    let descriptions = |client: &Client| -> BTreeSet<String> {
        let of = |row: &Value| row["description"].as_str().unwrap().to_string();
        all_transactions(client).iter().map(of).collect()
    };
    assert_eq!(descriptions(&bia), descriptions(&ana));
}

#[test]
fn another_profile_keeps_the_names_and_recognises_the_banks_file() {
    let app = TestApp::start();
    let ana = edited_household(&app);
    add_card_with_payment_dates(&ana.client);
    let [table, _] = exported(&ana.client);
    let bia = app.user("bia");
    let imported = bia.import(None, table.as_bytes()).created();
    assert_eq!(imported["skipped"], json!([]), "{imported}");
    let again = bia.import(None, table.as_bytes()).created();
    assert_eq!(again["inserted"], json!(0), "{again}");
    let renamed = all_transactions(&bia);
    let renamed = renamed.iter().find(|row| row["statement_description"] == json!("PADARIA PAO QUENTE 0034"));
    assert_eq!(renamed.expect("the bakery")["description"], json!("Mercado"));
    let file = ofx(&[
        ("20260131", "-12.34", "A1", "PADARIA PAO QUENTE 0034"),
        ("20260202", "1500.00", "A3", "SALARIO"),
        ("20260203", "-77.10", "A4", "LOJA DE TINTAS"),
    ]);
    assert_eq!(duplicates(&bia.preview(&file).ok()), [true, true, true]);
}

#[test]
fn a_table_that_an_earlier_version_imported_as_it_showed_the_rows_is_known() {
    let app = TestApp::start();
    let ana = edited_household(&app);
    let [table, _] = exported(&ana.client);
    let preview = ana.client.preview(table.as_bytes()).ok();
    // The earlier version sent what the row shows now, and nothing of its statement.
    let shown = |row: &Value| {
        let former = row.get("former").cloned().unwrap_or_else(|| json!({}));
        let value = |name: &str| former.get(name).cloned().unwrap_or_else(|| row[name].clone());
        json!({
            "date": value("date"), "description": value("description"), "amount": value("amount"), "type": value("type"),
        })
    };
    let rows: Vec<Value> = preview["rows"].as_array().unwrap().iter().map(shown).collect();
    let count = rows.len();
    let bia = app.user("bia");
    let answer = bia.post("/api/import/confirm", json!({ "rows": rows })).created();
    assert_eq!(answer["inserted"], json!(count), "{answer}");
    let again = bia.import(None, table.as_bytes()).created();
    assert_eq!(again["transactions"], json!([]), "{again}");
}

#[test]
fn a_former_date_is_checked_like_the_others() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let mut one = row("2026-01-05", "Padaria", "5.00", "expense");
    one["former"] = json!({ "description": "Padaria", "amount": "5.00", "type": "expense", "date": "2026-02-30" });
    ana.post("/api/import/confirm", json!({ "rows": [one] })).invalid(&["rows[0].former.date"]);
}
