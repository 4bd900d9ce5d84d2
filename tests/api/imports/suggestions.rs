//! What a preview suggests for a row: a category, and a similar stored row.

use finance_tests::{Client, TestApp, eventually, ofx};
use serde_json::{Value, json};

use super::spend;

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
    spend_as(&bia, "2026-01-30", "Zé Ninguém", Some(category(&bia, "Carnes")));
    assert_eq!(suggested("ZE NINGUEM"), Value::Null, "another profile's history is nobody's");
    // A confirm of the preview's rows stores the suggested category. A duplicate gets no suggestion.
    let file = ofx(&[("20260131", "-12.34", "", "PADARIA")]);
    assert_eq!(ana.import(None, &file).created()["transactions"][0]["category_id"], newest);
    let again = ana.preview(&file).ok();
    assert_eq!((&again["rows"][0]["duplicate"], &again["rows"][0]["category_id"]), (&json!(true), &Value::Null));
}

#[test]
fn suggestions_are_found_by_the_index_of_descriptions_however_long_the_history() {
    const STORED: i64 = 5_000;
    const ROWS: usize = 500;
    // The statistics describe the rows as they are, or as they were before any row had a category.
    for filed_before_analyze in [true, false] {
        let app = TestApp::start_alone();
        let [ana, bia] = ["ana", "bia"].map(|name| app.user(name));
        let store = |client: &Client, category: &str| {
            let profile = client.caller().profile_id.0;
            app.sql(&format!(
                "insert into transactions (profile_id, kind, category_id, date, source, description, description_normalized, amount)
                select {profile}, 'expense', {category}, date '2025-01-01' + n % 300, 'manual', 'LOJA ' || n, 'loja ' || n, 10 + n
                from generate_series(1, {STORED}) as n"
            ));
        };
        let filed = format!("(select min(id) from categories where profile_id = {})", ana.caller().profile_id.0);
        if filed_before_analyze {
            store(&ana, &filed);
            app.sql("analyze transactions");
        } else {
            store(&bia, "null");
            app.sql("analyze transactions");
            store(&ana, &filed);
        }
        app.rebuild_sums();
        // Every session reports its statistics at the end of a transaction that reads categories, not once a second.
        app.sql(
            "alter policy categories_isolation on categories
                using (profile_id = current_profile_id() and pg_stat_force_next_flush() is not null)",
        );
        let read = || {
            // The names of partitions and shards end with a number.
            let tables = app.rows_of_nodes(
                "select (seq_tup_read + idx_tup_fetch) as read from pg_stat_user_tables
                where relname ~ '^transactions(_[0-9]+)?$'",
            );
            tables.iter().filter_map(|table| table["read"].as_i64()).sum::<i64>()
        };
        let texts: Vec<(String, String)> = (0..ROWS).map(|at| (format!("F{at}"), format!("LOJA {}", at + 1))).collect();
        let rows: Vec<_> = texts.iter().map(|(id, text)| ("20260302", "-1.00", id.as_str(), text.as_str())).collect();
        let file = ofx(&rows);
        let before = read();
        assert_eq!(ana.preview(&file).ok()["summary"]["new"], ROWS);
        let previewed = ana.preview(&file).ok();
        assert!(previewed["rows"].as_array().unwrap().iter().all(|row| row["category_id"].is_number()));
        let read = eventually("the counters have what the previews read", || {
            ana.get("/api/categories").ok();
            Some(read() - before).filter(|read| *read >= ROWS as i64)
        });
        assert!(read < STORED * 20, "{read} rows read for two previews of {ROWS} rows");
    }
}
