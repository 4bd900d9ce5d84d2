//! `/api/export`: the JSON document and the CSV tables.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};

use crate::household::Household;

/// The tables of a zip, by name.
/// The tables of a zip.
pub(crate) fn tables(bytes: Vec<u8>) -> BTreeMap<String, String> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    (0..zip.len())
        .map(|at| {
            let mut file = zip.by_index(at).expect("a file");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("UTF-8");
            (file.name().expect("a name").into_owned(), text)
        })
        .collect()
}

/// Compares the rows of a table in the document with a list of the API, by the fields that both have.
fn assert_lists(document: &Value, table: &str, listed: &[Value]) {
    let exported = document[table].as_array().unwrap_or_else(|| panic!("no {table}"));
    assert!(!exported.is_empty() && exported.len() == listed.len(), "{table}: {} of {}", exported.len(), listed.len());
    for row in exported {
        let same = listed.iter().find(|listed| listed["id"] == row["id"]);
        let same = same.unwrap_or_else(|| panic!("{table}: {row} is not listed"));
        let mut compared = 0;
        for (field, value) in row.as_object().unwrap() {
            // If the setting decides, the document has null, and the API has the value of the setting.
            if field == "yield_day_count" && value.is_null() {
                continue;
            }
            if let Some(listed) = same.get(field) {
                assert_eq!(value, listed, "{table}.{field}");
                compared += 1;
            }
        }
        assert!(compared >= 4, "{table}: {row} and {same} have little in common");
    }
}

/// Adds rows of the tables that a [`Household`] does not have.
fn complete(ana: &Household) {
    let client = &ana.client;
    let settings = json!({ "savings_goal_pct": 12.5, "show_character": false, "second_factor_days": 30 });
    client.put("/api/settings", settings).ok();
    let looks = json!({ "skin": "deep", "hair_style": "coily", "body": "curvy" });
    client.put("/api/gamification/appearance", looks).ok();
    client.post(&format!("/api/recurring/{}/confirm", ana.recurring), json!({})).created();
    client.post(&format!("/api/credit-bills/{}/pay", ana.bill), json!({ "account_id": ana.account })).ok();
    let days = json!({ "name": "Cartão", "kind": "credit", "closing_day": 21, "due_day": 28 });
    client.put(&format!("/api/accounts/{}", ana.card), days).ok();
}

#[test]
fn the_document_is_what_the_api_lists() {
    let app = TestApp::start();
    let ana = Household::new(&app, "Ana Luísa");
    complete(&ana);
    let client = &ana.client;
    let reply = client.get("/api/export");
    assert_eq!(reply.header("Content-Type"), Some("application/json"));
    let disposition = "attachment; filename=\"finance-ana-luisa-2026-03-15.json\"";
    assert_eq!(reply.header("Content-Disposition"), Some(disposition));
    assert_eq!(reply.header("Cache-Control"), Some("no-store"));
    let document = reply.ok();
    assert_eq!(document["format"], "finance-export");
    assert_eq!(document["version"], 1);
    assert_eq!(document["profile"], json!({ "name": "Ana Luísa" }));
    assert!(document["exported_at"].as_str().unwrap().ends_with('Z'));

    let settings = client.get("/api/settings").ok();
    let mut exported = settings.clone();
    exported.as_object_mut().unwrap().remove("own_names");
    assert_eq!(document["settings"], json!([exported]));
    let names = document["own_names"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect::<Vec<_>>();
    assert_eq!(json!(names), settings["own_names"]);
    let mut appearance = client.get("/api/gamification/appearance").ok();
    appearance.as_object_mut().unwrap().remove("choices");
    assert_eq!(document["appearances"], json!([appearance]));
    for (table, path) in [
        ("categories", "/api/categories"),
        ("accounts", "/api/accounts"),
        ("transactions", "/api/transactions?limit=1000"),
        ("imports", "/api/imports"),
        ("credit_bills", "/api/credit-bills"),
        ("recurring", "/api/recurring"),
        ("pending_bills", "/api/pending-bills"),
        ("xp_events", "/api/gamification/xp-events"),
    ] {
        assert_lists(&document, table, &client.all(path));
    }
    let ids = |table: &str, field: &str| -> Vec<Value> {
        document[table].as_array().unwrap().iter().map(|row| row[field].clone()).collect()
    };
    assert!(ids("transfers", "id").contains(&json!(ana.transfer)));
    assert_eq!(ids("credit_bill_payments", "bill_id"), [json!(ana.bill)]);
    assert_eq!(ids("pending_bill_rows", "pending_bill_id"), [json!(ana.pending_bill)]);
    assert_eq!(ids("recurring_marks", "recurring_id"), [json!(ana.recurring)]);
    assert_eq!(ids("recurring_marks", "month"), [json!("2026-03")]);
    assert_eq!(ids("card_cycles", "account_id"), [json!(ana.card)]);
    let xp: i64 = ids("xp_tallies", "total_xp").iter().map(|xp| xp.as_i64().unwrap()).sum();
    assert_eq!(client.get("/api/gamification/profile").ok()["xp"], json!(xp));
    let text = document.to_string();
    for secret in ["password", "$2b$", "credential"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
fn more_rows_than_a_page_are_all_there_and_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows: Vec<Value> = (0..2_345)
        .map(|at| {
            let day = at % 28 + 1;
            json!({ "date": format!("2026-02-{day:02}"), "description": format!("Compra {at}"), "amount": "1.00",
                "type": "expense" })
        })
        .collect();
    ana.post("/api/import/confirm", json!({ "format": "csv", "rows": rows })).created();
    let document = ana.get("/api/export").ok();
    let ids: Vec<i64> =
        document["transactions"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), 2_345);
    assert!(ids.is_sorted_by(|one, other| one < other), "in the order of their ids");
    let csv = tables(ana.get("/api/export?format=csv").bytes);
    assert_eq!(csv["transactions.csv"].lines().count(), 2_346);
}

#[test]
fn the_tables_have_every_row_and_run_no_formula() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    complete(&ana);
    let client = &ana.client;
    for text in
        ["=HYPERLINK(\"http://x\")", "+55 11", "-desconto", "@SUM(1)", "vírgula, \"aspas\"", "x;=cmd|' /C calc'!A0"]
    {
        let bought = json!({ "type": "income", "date": "2026-03-09", "description": text, "amount": "1.50" });
        client.post("/api/transactions", bought).created();
    }
    client.post("/api/categories", json!({ "name": "=cmd|' /C calc'!A0" })).created();
    let reply = client.get("/api/export?format=csv");
    assert_eq!(reply.header("Content-Type"), Some("application/zip"));
    let disposition = "attachment; filename=\"finance-ana-2026-03-15.zip\"";
    assert_eq!(reply.header("Content-Disposition"), Some(disposition));
    let tables = tables(reply.bytes);
    let document = client.get("/api/export").ok();
    for (name, text) in &tables {
        let rows = document[name.strip_suffix(".csv").unwrap()].as_array().unwrap();
        assert_eq!(text.split_terminator("\r\n").count(), rows.len() + 1, "{name}");
        if let Some(row) = rows.first() {
            let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
            let mut fields: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
            let mut names = header.clone();
            fields.sort_unstable();
            names.sort_unstable();
            assert_eq!(names, fields, "{name}");
        }
        for cell in text.split(['\n', ',', ';']) {
            let cell = cell.trim_start_matches('"');
            assert!(!cell.starts_with(['=', '+', '@', '\t']), "{name}: {cell}");
            assert!(!cell.starts_with('-') || cell.trim_end().parse::<f64>().is_ok(), "{name}: {cell}");
        }
    }
    assert_eq!(tables.len(), document.as_object().unwrap().len() - 4, "one file a table");
    let transactions = &tables["transactions.csv"];
    let quoted = ["\"'=HYPERLINK(\"\"http://x\"\")\"", "\"vírgula, \"\"aspas\"\"\""];
    for cell in quoted.into_iter().chain(["'+55 11", "'-desconto", "'@SUM(1)", "x;'=cmd|' /C calc'!A0"]) {
        assert!(transactions.contains(cell), "{cell} in {transactions}");
    }
    assert!(tables["categories.csv"].contains("'=cmd|' /C calc'!A0"));
    // Negative numbers are not changed.
    let card = json!({ "account_id": ana.card, "is_credit_card": true, "payment_date": "2026-03-28", "format": "csv",
        "rows": [{ "date": "2026-03-06", "description": "Estorno", "amount": "70", "type": "income" }] });
    client.post("/api/import/confirm", card).expect(202);
    let held = tables_of(client)["pending_bills.csv"].clone();
    assert!(held.contains(",-70.00,"), "{held}");
}

fn tables_of(client: &Client) -> BTreeMap<String, String> {
    tables(client.get("/api/export?format=csv").bytes)
}

#[test]
fn an_unknown_format_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for format in ["xml", "JSON", ""] {
        ana.get(&format!("/api/export?format={format}")).invalid(&["format"]);
    }
    ana.get("/api/export?format=json").ok();
    app.anyone().get("/api/export").problem(401, "ErrUnauthenticated");
}

#[test]
fn no_row_of_another_profile_is_exported() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    complete(&ana);
    ana.client.post("/api/categories", json!({ "name": "Segredo" })).created();
    let hidden = json!({ "type": "expense", "date": "2026-03-14", "description": "Segredo", "amount": "777.77" });
    ana.client.post("/api/transactions", hidden).created();
    let document = bia.client.get("/api/export").ok();
    let text = document.to_string();
    assert!(!text.contains("Segredo") && !text.contains("777.77") && !text.contains("ana"), "{text}");
    for (name, table) in tables_of(&bia.client) {
        assert!(!table.contains("Segredo") && !table.contains("777.77"), "{name}: {table}");
    }
    // No table contains a row of Ana.
    let anas = ana.client.get("/api/export").ok();
    for (table, rows) in document.as_object().unwrap() {
        let ids = |rows: &Value| -> Vec<i64> {
            rows.as_array().into_iter().flatten().filter_map(|row| row["id"].as_i64()).collect()
        };
        let shared: Vec<i64> = ids(rows).into_iter().filter(|id| ids(&anas[table]).contains(id)).collect();
        assert!(shared.is_empty(), "{table}: {shared:?}");
    }
}

#[test]
fn a_new_profile_has_its_standard_categories_and_nothing_else() {
    let app = TestApp::start();
    let document = app.user("ana").get("/api/export").ok();
    let tables = document.as_object().unwrap().iter().filter_map(|(name, rows)| Some((name, rows.as_array()?)));
    let tables: Vec<_> = tables.collect();
    assert!(tables.len() > 10, "{tables:?}");
    for (name, rows) in tables {
        let is_of_every_profile = ["categories", "account_key_secrets"].contains(&name.as_str());
        assert_eq!(rows.is_empty(), !is_of_every_profile, "{name}: {rows:?}");
    }
}
