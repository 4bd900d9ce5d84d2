//! Rows of a confirm with tags, a note and lines, as a transaction has them.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};

use super::row;

const CONFIRM: &str = "/api/import/confirm";

fn line(category_id: i64, amount: &str) -> Value {
    json!({ "category_id": category_id, "amount": amount })
}

/// A row with these fields beside those that every row has.
fn with(fields: Value) -> Value {
    let mut row = row("2026-02-10", "Atacado", "100.00", "expense");
    row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    row
}

fn categories(client: &Client) -> (i64, i64) {
    let make = |name: &str| client.create("/api/categories", json!({ "name": name }));
    (make("Comida"), make("Casa nova"))
}

/// Lines, tags and note of a transaction or a row.
fn details(of: &Value) -> [Value; 4] {
    ["lines", "tags", "note", "category_id"].map(|field| of[field].clone())
}

#[test]
fn rows_are_split_tagged_and_noted_and_a_replay_is_the_same_import() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let account = ana.open_account("Conta", "current");
    ana.post(
        "/api/rules",
        json!({ "name": "Compras", "conditions": [{ "field": "description", "op": "contains", "value": "atacado" }],
            "actions": [{ "action": "add_tag", "tag": "mês" }] }),
    )
    .created();
    let lines = json!([line(food, "70.00"), line(house, "30")]);
    let rows = json!([
        with(json!({ "lines": lines, "tags": [" Casa ", "MÊS"], "note": " Duas notas " })),
        row("2026-02-11", "Padaria", "5.00", "expense"),
        json!({ "date": "2026-02-12", "description": "Banca", "amount": "9.00", "type": "expense", "category_id": food,
            "lines": null, "tags": null, "note": null }),
    ]);
    let body = json!({ "account_id": account, "rows": rows });
    let answer = ana.post(CONFIRM, body.clone()).created();
    let stored = answer["transactions"].as_array().unwrap();
    let split = json!([line(food, "70.00"), line(house, "30.00")]);
    assert_eq!(details(&stored[0]), [split, json!(["Casa", "MÊS"]), json!("Duas notas"), Value::Null]);
    assert_eq!(details(&stored[1]), [Value::Null, json!([]), Value::Null, Value::Null]);
    assert_eq!(details(&stored[2]), [Value::Null, json!([]), Value::Null, json!(food)]);
    assert_eq!(ana.get(&format!("/api/transactions/{}", stored[0]["id"])).ok(), stored[0]);
    let spent: Vec<(Value, Value)> = ana.get("/api/dashboard?month=2026-02").ok()["spending_by_category"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["category_id"].clone(), row["total"].clone()))
        .collect();
    assert!(spent.contains(&(json!(food), json!("79.00"))), "{spent:?}");
    assert!(spent.contains(&(json!(house), json!("30.00"))), "{spent:?}");
    let again = ana.post(CONFIRM, body).created();
    assert_eq!((&again["inserted"], again["skipped"].as_array().unwrap().len()), (&json!(0), 3));
}

#[test]
fn wrong_details_are_told_by_their_field_and_nothing_is_stored() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (food, house) = categories(&ana);
    let (foreign, _) = categories(&bia);
    let whole = [line(food, "70.00"), line(house, "30.00")];
    for (fields, wrong) in [
        (json!({ "lines": [line(food, "100.00")] }), vec!["lines"]),
        (json!({ "lines": [] }), vec!["lines"]),
        (json!({ "lines": vec![line(food, "1.00"); 21] }), vec!["lines"]),
        (json!({ "lines": vec![line(food, "1.00"); 1_000] }), vec!["lines"]),
        (json!({ "lines": [line(food, "70.00"), line(house, "30.01")] }), vec!["lines"]),
        (json!({ "lines": [line(food, "70.00"), line(foreign, "30.00")] }), vec!["lines[1].category_id"]),
        (json!({ "lines": [line(food, "70.00"), 3] }), vec!["lines[1]"]),
        (
            json!({ "lines": [{}, line(house, "x")] }),
            vec!["lines[0].amount", "lines[0].category_id", "lines[1].amount"],
        ),
        (json!({ "lines": 1 }), vec!["lines"]),
        (json!({ "lines": whole, "category_id": food }), vec!["category_id"]),
        (json!({ "lines": whole, "transfer_with": {} }), vec!["lines"]),
        (json!({ "tags": "a" }), vec!["tags"]),
        (json!({ "tags": (0..11).map(|at| at.to_string()).collect::<Vec<_>>() }), vec!["tags"]),
        (json!({ "tags": (0..3_000).map(|at| at.to_string()).collect::<Vec<_>>() }), vec!["tags"]),
        (json!({ "tags": ["a", "", 1, "A", "x".repeat(31)] }), vec!["tags[1]", "tags[2]", "tags[3]", "tags[4]"]),
        (json!({ "note": "" }), vec!["note"]),
        (json!({ "note": "x".repeat(1_001) }), vec!["note"]),
        (json!({ "note": 1 }), vec!["note"]),
    ] {
        let fields_of = |path: &str| wrong.iter().map(|field| format!("{path}{field}")).collect::<Vec<_>>();
        let rows = json!([row("2026-02-10", "Padaria", "5.00", "expense"), with(fields.clone())]);
        let wrong_rows = fields_of("rows[1].");
        let wrong_rows: Vec<&str> = wrong_rows.iter().map(String::as_str).collect();
        ana.post(CONFIRM, json!({ "rows": rows })).invalid(&wrong_rows);
        // A transaction's body is judged alike; only there is no other side.
        if fields.get("transfer_with").is_none() {
            let wrong: Vec<&str> = wrong.clone();
            ana.post("/api/transactions", with(fields)).invalid(&wrong);
        }
    }
    assert_eq!(ana.get("/api/transactions").ok(), json!([]));
}

#[test]
fn a_split_row_is_no_transfer() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let (from, to) = (ana.open_account("Conta", "current"), ana.open_account("Poupança", "savings"));
    let income = row("2026-02-10", "Transferencia recebida entre contas", "100.00", "income");
    ana.post(CONFIRM, json!({ "account_id": to, "rows": [income] })).created();
    let mut out = with(json!({ "lines": [line(food, "70.00"), line(house, "30.00")] }));
    out["description"] = json!("Transferencia enviada entre contas");
    let answer = ana.post(CONFIRM, json!({ "account_id": from, "rows": [out] })).created();
    let stored = &answer["transactions"][0];
    assert_eq!((&stored["is_transfer"], &answer["linked"]), (&json!(false), &json!([])));
}

/// A held statement with a split row. Returns its path and its categories.
fn held(client: &Client) -> (String, i64, i64) {
    let (food, house) = categories(client);
    let card = client.open_card("Cartão", 3, 20);
    let rows = json!([
        row("2026-02-09", "Padaria", "5.00", "expense"),
        with(json!({ "lines": [line(food, "70.00"), line(house, "30.00")], "tags": ["casa"], "note": "Duas notas" })),
    ]);
    let body = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-20", "rows": rows });
    let bill = client.post(CONFIRM, body).expect(202)["pending_bill"].clone();
    (format!("/api/pending-bills/{}", bill["id"]), food, house)
}

#[test]
fn held_rows_keep_their_details_until_they_are_confirmed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (path, food, house) = held(&ana);
    let expected =
        [json!([line(food, "70.00"), line(house, "30.00")]), json!(["casa"]), json!("Duas notas"), Value::Null];
    let rows = ana.get(&path).ok()["rows"].clone();
    assert_eq!(details(&rows[0]), [Value::Null, json!([]), Value::Null, Value::Null]);
    assert_eq!(details(&rows[1]), expected);
    let answer = ana.post_nothing(&format!("{path}/confirm")).created();
    assert_eq!(details(&answer["transactions"][1]), expected);
    assert_eq!(details(&ana.get(&path).ok()["rows"][1]), expected);
}

#[test]
fn a_held_line_goes_to_the_category_that_takes_the_place_of_its_own() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (path, food, house) = held(&ana);
    ana.delete(&format!("/api/categories/{house}?move_to={food}")).gone();
    let lines = json!([line(food, "70.00"), line(food, "30.00")]);
    assert_eq!(ana.get(&path).ok()["rows"][1]["lines"], lines);
    ana.delete(&format!("/api/categories/{food}")).problem(409, "ErrCategoryInUse");
    assert_eq!(ana.get(&path).ok()["rows"][1]["lines"], lines);
    ana.delete(&path).gone();
    ana.delete(&format!("/api/categories/{food}")).gone();
}

#[test]
fn a_confirmed_statement_forgets_a_category_that_nothing_else_has() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (path, food, house) = held(&ana);
    let split = &ana.post_nothing(&format!("{path}/confirm")).created()["transactions"][1];
    ana.delete(&format!("/api/categories/{house}")).problem(409, "ErrCategoryInUse");
    ana.delete(&format!("/api/transactions/{}", split["id"])).gone();
    ana.delete(&format!("/api/categories/{house}")).gone();
    // A row without the category of a line is split no more.
    assert_eq!(
        details(&ana.get(&path).ok()["rows"][1]),
        [Value::Null, json!(["casa"]), json!("Duas notas"), Value::Null]
    );
    ana.delete(&format!("/api/categories/{food}")).gone();
}

#[test]
fn exported_and_restored_held_rows_have_their_details() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (path, ..) = held(&ana);
    let document = ana.get("/api/export").ok();
    assert_eq!(document["pending_bill_lines"].as_array().unwrap().len(), 2);
    for (field, change) in [
        ("amount", (|d: &mut Value| d["pending_bill_lines"][0]["amount"] = json!("60.01")) as fn(&mut Value)),
        ("position", |d| drop(d["pending_bill_lines"].as_array_mut().unwrap().pop())),
        ("category_id", |d| d["pending_bill_lines"][0]["category_id"] = json!(9_000_000_000_i64)),
    ] {
        let mut broken = document.clone();
        change(&mut broken);
        let problem = bia.post("/api/restore", broken).expect(422);
        assert!(problem.to_string().contains(field), "{problem}");
    }
    bia.post("/api/restore", document).expect(200);
    let restored = bia.get("/api/pending-bills").ok()[0]["id"].clone();
    let rows = bia.get(&format!("/api/pending-bills/{restored}")).ok()["rows"].clone();
    let names = |lines: &Value| lines.as_array().unwrap().iter().map(|line| line["amount"].clone()).collect::<Vec<_>>();
    let first = ana.get(&path).ok()["rows"][1].clone();
    assert_eq!(names(&rows[1]["lines"]), names(&first["lines"]));
    assert_eq!((&rows[1]["tags"], &rows[1]["note"]), (&first["tags"], &first["note"]));
}
