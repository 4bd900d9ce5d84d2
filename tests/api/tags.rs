//! Tags and notes of transactions, `GET /api/tags`, and rules that tag.

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};

const PATH: &str = "/api/transactions";

fn expense(description: &str, tags: Value, note: Value) -> Value {
    json!({ "type": "expense", "date": "2026-03-05", "description": description, "amount": "10.00", "tags": tags, "note": note })
}

fn found(client: &Client, query: &str) -> Vec<String> {
    let rows = client.all(&format!("{PATH}?limit=1&{query}"));
    let summary = client.get(&format!("{PATH}/summary?{query}")).ok();
    assert_eq!(summary["count"], rows.len(), "{query}");
    rows.iter().map(|row| row["description"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_transaction_takes_tags_and_a_note_and_gives_them_up() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made = ana.post(PATH, expense("Hotel", json!([" Férias  2026 ", "Praia"]), json!("  Reembolsável\nem abril ")));
    let made = made.created();
    assert_eq!(
        (&made["tags"], &made["note"], &made["lines"]),
        (&json!(["Férias 2026", "Praia"]), &json!("Reembolsável\nem abril"), &Value::Null)
    );
    let path = format!("{PATH}/{}", made["id"]);
    assert_eq!(ana.get(&path).ok(), made);
    assert_eq!(ana.put(&path, made.clone()).ok(), made, "what was read may be sent back");
    let bare = ana.put(&path, expense("Hotel", Value::Null, Value::Null)).ok();
    assert_eq!((&bare["tags"], &bare["note"]), (&json!([]), &Value::Null));
    assert_eq!(ana.get(&path).ok(), bare);
    ana.put(&path, made.clone()).ok();
    let absent = json!({ "type": "expense", "date": "2026-03-05", "description": "Hotel", "amount": "10.00" });
    assert_eq!(ana.put(&path, absent).ok(), bare, "an update is whole");
}

#[test]
fn what_is_wrong_with_tags_and_notes_is_told_by_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let many: Vec<String> = (0..11).map(|number| format!("t{number}")).collect();
    let thirty = "ç".repeat(30);
    let thousand = "é".repeat(1_000);
    let made = ana.post(PATH, expense("x", json!([&thirty]), json!(&thousand))).created();
    assert_eq!((&made["tags"], &made["note"]), (&json!([thirty]), &json!(thousand)));
    ana.post(PATH, expense("x", json!(&many[..10]), Value::Null)).created();
    for (tags, note, fields) in [
        (json!(many), json!(null), vec!["tags"]),
        (json!(vec!["x"; 10_000]), json!(null), vec!["tags"]),
        (json!("x"), json!(null), vec!["tags"]),
        (json!({}), json!(null), vec!["tags"]),
        (json!([1, null, "a"]), json!(null), vec!["tags[0]", "tags[1]"]),
        (json!(["", " "]), json!(null), vec!["tags[0]", "tags[1]"]),
        (json!(["x".repeat(31)]), json!(null), vec!["tags[0]"]),
        (json!(["Saúde", "b", "SAÚDE"]), json!(null), vec!["tags[2]"]),
        (json!(["a\u{0}"]), json!("\u{0}"), vec!["tags[0]", "note"]),
        (json!([]), json!(""), vec!["note"]),
        (json!([]), json!("x".repeat(1_001)), vec!["note"]),
        (json!([]), json!(7), vec!["note"]),
        (json!([]), json!(["x"]), vec!["note"]),
    ] {
        ana.post(PATH, expense("x", tags, note)).invalid(&fields);
    }
}

#[test]
fn tags_are_listed_and_found_whatever_the_case() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    assert_eq!(ana.get("/api/tags").ok(), json!([]));
    for (description, tags) in [
        ("Um", json!(["viagem", "Saúde"])),
        ("Dois", json!(["Viagem"])),
        ("Três", json!(["saude", "VIAGEM", "l'été \\ \"%_{},"])),
        ("Quatro", json!([])),
    ] {
        ana.post(PATH, expense(description, tags, Value::Null)).created();
    }
    bia.post(PATH, expense("Bia", json!(["Viagem", "Só dela"]), Value::Null)).created();
    // The newest spelling of each tag, with the most used tags first. Another accent makes another tag.
    let listed = json!([{ "tag": "VIAGEM", "count": 3 }, { "tag": "l'été \\ \"%_{},", "count": 1 }, { "tag": "saude", "count": 1 },
        { "tag": "Saúde", "count": 1 }]);
    assert_eq!(ana.get("/api/tags").ok(), listed);
    assert_eq!(found(&ana, "tag=viagem"), ["Três", "Dois", "Um"]);
    assert_eq!(found(&ana, "tag=%20VIAGEM%20"), ["Três", "Dois", "Um"]);
    assert_eq!(found(&ana, "tag=SA%C3%9ADE"), ["Um"]);
    assert_eq!(found(&ana, "tag=l%27%C3%A9t%C3%A9%20%5C%20%22%25_%7B%7D%2C"), ["Três"]);
    assert_eq!(found(&ana, "tag=viage"), [""; 0]);
    assert_eq!(found(&ana, "tag=viagem&q=um"), ["Um"]);
    assert_eq!(found(&ana, "tag=s%C3%B3%20dela"), [""; 0]);
    assert_eq!(found(&ana, "tag="), ["Quatro"], "without tags");
    for wrong in ["tag=%00", &format!("tag={}", "x".repeat(31))] {
        ana.get(&format!("{PATH}?{wrong}")).invalid(&["tag"]);
        ana.get(&format!("{PATH}/summary?{wrong}")).invalid(&["tag"]);
    }
    ana.delete("/api/transactions?month=2026-03").ok();
    assert_eq!(ana.get("/api/tags").ok(), json!([]));
}

#[test]
fn a_search_finds_notes() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post(PATH, expense("Hotel", json!([]), json!("Reembolso  da EMPRESA\nem março"))).created();
    ana.post(PATH, expense("Empresa de ônibus", json!([]), Value::Null)).created();
    assert_eq!(found(&ana, "q=empresa"), ["Empresa de ônibus", "Hotel"]);
    assert_eq!(found(&ana, "q=em%20marco"), ["Hotel"]);
    assert_eq!(found(&ana, "q=100%25"), [""; 0]);
}

fn rule(text: &str, tags: &[&str]) -> Value {
    let actions: Vec<Value> = tags.iter().map(|tag| json!({ "action": "add_tag", "tag": tag })).collect();
    json!({ "name": text, "conditions": [{ "field": "description", "op": "contains", "value": text }], "actions": actions })
}

#[test]
fn a_rule_tags_rows_of_statements() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Banco", "current");
    let made = ana.post("/api/rules", rule("uber", &[" Transporte  urbano "])).created();
    assert_eq!(made["actions"], json!([{ "action": "add_tag", "tag": "Transporte urbano" }]));
    ana.post("/api/rules", rule("trip", &["TRANSPORTE urbano"])).created();
    ana.post("/api/rules", rule("r trip", &["Trabalho"])).created();
    for number in 0..12 {
        ana.post("/api/rules", rule("muito", &[&format!("t{number}")])).created();
    }
    for (actions, field) in [
        (json!([{ "action": "add_tag" }]), "actions[0].tag"),
        (json!([{ "action": "add_tag", "tag": "" }]), "actions[0].tag"),
        (json!([{ "action": "add_tag", "tag": "x".repeat(31) }]), "actions[0].tag"),
        (json!([{ "action": "add_tag", "tag": 1 }]), "actions[0].tag"),
        (json!([{ "action": "add_tag", "tag": "a" }, { "action": "add_tag", "tag": "b" }]), "actions[1].action"),
    ] {
        let mut wrong = rule("x", &[]);
        wrong["actions"] = actions;
        ana.post("/api/rules", wrong).invalid(&[field]);
    }
    let file = ofx(&[
        ("20260306", "-20.00", "F1", "UBER TRIP"),
        ("20260306", "-30.00", "F2", "PADARIA"),
        ("20260306", "-40.00", "F3", "MUITO"),
    ]);
    let preview = ana.preview_with(&file, &[("account_id", &account.to_string())]).ok();
    // The field is absent if there are no tags.
    let tags_of = |row: &Value| row.get("tags").cloned().unwrap_or_else(|| json!([]));
    let tags: Vec<Value> = preview["rows"].as_array().unwrap().iter().map(tags_of).collect();
    let ten: Vec<String> = (0..10).map(|number| format!("t{number}")).collect();
    assert_eq!(tags, [json!(["Transporte urbano", "Trabalho"]), json!([]), json!(ten)]);
    let imported = ana.import(Some(account), &file).created();
    let stored: Vec<Value> =
        imported["transactions"].as_array().unwrap().iter().map(|row| row["tags"].clone()).collect();
    assert_eq!(stored, tags);
    assert_eq!(found(&ana, "tag=trabalho"), ["UBER TRIP"]);
}

#[test]
fn a_rule_tags_a_held_statement_when_it_is_confirmed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card =
        ana.create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
    ana.post("/api/rules", rule("uber", &["Trabalho"])).created();
    let body = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-27", "rows": [
        { "date": "2026-03-06", "description": "UBER TRIP", "amount": "20.00", "type": "expense" }] });
    let held = ana.post("/api/import/confirm", body).expect(202);
    let confirmed = ana.post_nothing(&format!("/api/pending-bills/{}/confirm", held["pending_bill"]["id"])).created();
    assert_eq!(confirmed["transactions"][0]["tags"], json!(["Trabalho"]));
}

#[test]
fn a_rule_tags_what_is_stored_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let full: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    for (description, tags) in [
        ("Uber um", json!([])),
        ("Uber dois", json!(["a", "TRABALHO"])),
        ("Uber três", json!(full)),
        ("Pão", json!([])),
    ] {
        ana.post(PATH, expense(description, tags, json!("Nota"))).created();
    }
    let body = rule("uber", &["Trabalho"]);
    let tried = ana.post("/api/rules/test", body.clone()).ok();
    assert_eq!(tried["matches"], 3);
    let changes: Vec<Value> = tried["sample"].as_array().unwrap().iter().map(|row| row["changes"].clone()).collect();
    assert_eq!(changes, [json!({}), json!({}), json!({ "tags": ["Trabalho"] })]);
    ana.post("/api/rules", body).created();
    assert_eq!(ana.post("/api/rules/apply", json!({})).ok(), json!({ "changed": 1 }));
    assert_eq!(ana.post("/api/rules/apply", json!({})).ok(), json!({ "changed": 0 }));
    assert_eq!(found(&ana, "tag=trabalho"), ["Uber dois", "Uber um"]);
    assert!(ana.all_transactions().iter().all(|row| row["note"] == "Nota"));
}
