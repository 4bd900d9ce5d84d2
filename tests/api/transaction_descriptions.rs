//! `GET /api/transactions/descriptions`: the earlier descriptions that complete a new one.

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};

use crate::household::Household;

const PATH: &str = "/api/transactions/descriptions";

fn used(client: &Client, date: &str, description: &str, more: &Value) {
    let mut body = json!({ "type": "expense", "date": date, "description": description, "amount": "10" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.post("/api/transactions", body).created();
}

fn descriptions(client: &Client, query: &str) -> Vec<String> {
    let found = client.get(&format!("{PATH}{query}")).ok();
    found.as_array().unwrap().iter().map(|row| row["description"].as_str().unwrap().to_string()).collect()
}

#[test]
fn each_description_is_told_once_as_it_was_used_last() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let client = &house.client;
    used(
        client,
        "2026-01-05",
        "PADARIA  São João",
        &json!({ "category_id": house.category, "account_id": house.account }),
    );
    used(client, "2026-02-05", "Padaria São João", &json!({ "type": "income", "account_id": house.card }));
    used(client, "2026-01-31", "padaria sao joao", &json!({ "category_id": house.category }));
    assert_eq!(
        client.get(&format!("{PATH}?q=PADARIA%20s%C3%A3o")).ok(),
        json!([{ "description": "Padaria São João", "type": "income", "category_id": null, "account_id": house.card }])
    );
    // The household also has a description of March.
    assert_eq!(descriptions(client, "?q=padaria"), ["Padaria", "Padaria São João"]);
}

#[test]
fn what_begins_with_the_text_comes_first_and_then_the_newest() {
    let app = TestApp::start();
    let client = app.user("ana");
    for (date, description) in [
        ("2026-03-01", "Compra de café"),
        ("2026-01-01", "Café da manhã"),
        ("2026-02-01", "Cafeteria"),
        ("2026-03-02", "100% algodão"),
        ("2026-03-03", "100 gramas"),
        ("2026-03-04", "a_b"),
        ("2026-03-05", "acb"),
    ] {
        used(&client, date, description, &json!({}));
    }
    assert_eq!(descriptions(&client, "?q=caf%C3%A9"), ["Cafeteria", "Café da manhã", "Compra de café"]);
    assert_eq!(descriptions(&client, "?q=caf&limit=2"), ["Cafeteria", "Café da manhã"]);
    assert_eq!(descriptions(&client, "?limit=2"), ["acb", "a_b"], "without a text the newest");
    assert_eq!(descriptions(&client, "?q=100%25"), ["100% algodão"], "a sign of a pattern is a sign");
    assert_eq!(descriptions(&client, "?q=a_b"), ["a_b"]);
    assert_eq!(descriptions(&client, "?q=nada"), [""; 0]);
    assert_eq!(descriptions(&client, "?q=%20"), descriptions(&client, ""));
    for (query, field) in [("?limit=0", "limit"), ("?limit=101", "limit"), ("?limit=x", "limit"), ("?q=a%00", "q")] {
        client.get(&format!("{PATH}{query}")).invalid(&[field]);
    }
}

#[test]
fn transfers_and_opening_balances_are_no_descriptions_to_complete_from() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let rows = house.client.all_transactions();
    let counted = rows.iter().filter(|row| row["is_transfer"] == false && row["source"] != "opening_balance");
    let mut expected: Vec<String> = counted.map(|row| row["description"].as_str().unwrap().to_string()).collect();
    assert!(expected.len() < rows.len(), "{rows:?}");
    expected.sort();
    expected.dedup();
    let mut all = descriptions(&house.client, "?limit=100");
    all.sort();
    assert_eq!(all, expected);
}

#[test]
fn ten_are_told_where_no_limit_is_given() {
    let app = TestApp::start();
    let client = app.user("ana");
    let rows: Vec<String> = (0..120).map(|row| format!("Loja {row:03}")).collect();
    let ids: Vec<String> = (0..120).map(|row| format!("F{row}")).collect();
    let rows: Vec<_> =
        rows.iter().zip(&ids).map(|(row, id)| ("20260304", "-1.00", id.as_str(), row.as_str())).collect();
    client.import(None, &ofx(&rows)).created();
    assert_eq!(descriptions(&client, "?q=loja").len(), 10);
    assert_eq!(descriptions(&client, "?q=loja&limit=100").len(), 100);
    assert_eq!(descriptions(&client, "?q=loja")[0], "Loja 119", "of one day the one stored last");
}

#[test]
fn the_search_looks_at_the_newest_ten_thousand_only() {
    let app = TestApp::start();
    let client = app.user("ana");
    let profile = client.caller().profile_id.0;
    used(&client, "2020-01-02", "Segunda mais antiga", &json!({}));
    used(&client, "2020-01-01", "Mais antiga", &json!({}));
    app.sql(&format!(
        "insert into transactions (profile_id, kind, date, source, description, description_normalized, amount)
        select {profile}, 'expense', date '2026-01-01' + n % 60, 'manual', 'Pão', 'pao', 1 from generate_series(1, 9999) n"
    ));
    app.rebuild_sums();
    assert_eq!(descriptions(&client, "?q=antiga"), ["Segunda mais antiga"]);
    assert_eq!(descriptions(&client, ""), ["Pão", "Segunda mais antiga"]);
}
