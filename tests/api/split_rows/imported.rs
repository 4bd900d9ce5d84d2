//! Rows of statements that are split: a second import, suggestions, export and restore.

use finance_tests::{TestApp, id, ofx};
use serde_json::{Value, json};

use super::{PATH, categories, expense, line, one, spent};

#[test]
fn a_row_imported_again_keeps_its_lines_tags_and_note() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let account = ana.open_account("Banco", "current");
    for (name, file) in [
        ("with ids", ofx(&[("20260305", "-100.00", "F1", "ATACADO SUL")])),
        ("without ids", b"data;descricao;valor\n06/03/2026;FEIRA NORTE;-80,00\n".to_vec()),
    ] {
        let imported = ana.import(Some(account), &file).created();
        assert_eq!(imported["inserted"], 1, "{name}");
        let mut row = imported["transactions"][0].clone();
        let amount = row["amount"].as_str().unwrap().to_string();
        let rest = if amount == "100.00" { "90.00" } else { "70.00" };
        row["lines"] = json!([line(food, rest), line(house, "10.00")]);
        row["category_id"] = Value::Null;
        row["tags"] = json!(["Churrasco"]);
        row["note"] = json!("Dividir com Bia");
        row["description"] = json!("Compras do mês");
        let path = one(&row["id"]);
        let split = ana.put(&path, row).ok();
        assert_eq!((split["tags"][0].as_str(), split["note"].as_str()), (Some("Churrasco"), Some("Dividir com Bia")));
        let again = ana.import(Some(account), &file).created();
        assert_eq!((&again["inserted"], again["skipped"].as_array().unwrap().len()), (&json!(0), 1), "{name}");
        assert_eq!(ana.get(&path).ok(), split, "{name}");
    }
}

#[test]
fn an_instalment_that_was_entered_keeps_its_lines_when_its_statement_comes() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let card =
        ana.create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
    let plan = json!({ "account_id": card, "description": "Fogão", "date": "2026-03-05", "count": 2, "total_amount": "200.00" });
    ana.post("/api/installments", plan).created();
    let mut row = ana.get("/api/transactions?q=1/2").ok()[0].clone();
    assert_eq!(row["amount"], "100.00");
    row["lines"] = json!([line(food, "60.00"), line(house, "40.00")]);
    row["tags"] = json!(["Cozinha"]);
    let split = ana.put(&one(&row["id"]), row).ok();
    let file = ofx(&[("20260306", "-100.00", "F9", "FOGAO 1/2")]);
    let again = ana.import(Some(card), &file).created();
    assert_eq!(again["inserted"], 0, "{again}");
    let now = ana.get(&one(&split["id"])).ok();
    assert_eq!((&now["lines"], &now["tags"]), (&split["lines"], &split["tags"]));
}

#[test]
fn suggestions_neither_learn_from_nor_fill_split_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let account = ana.open_account("Banco", "current");
    let mut split = expense("100.00", json!([line(food, "60.00"), line(house, "40.00")]));
    split["description"] = json!("Zzyzx Qwrt");
    let split = ana.post(PATH, split).created();
    let file = ofx(&[("20260306", "-90.00", "F2", "ZZYZX QWRT")]);
    let row = ana.preview_with(&file, &[("account_id", &account.to_string())]).ok()["rows"][0].clone();
    assert_eq!((&row["category_id"], &row["suggestion"]), (&Value::Null, &Value::Null), "{row}");
    // A rule changes transactions without lines, but never a split row, whichever rows it is applied to.
    let rule = json!({ "name": "Zzyzx", "conditions": [{ "field": "description", "op": "contains", "value": "zzyzx" }],
        "actions": [{ "action": "set_category", "category_id": food }, { "action": "mark_transfer" }] });
    ana.post("/api/rules", rule.clone()).created();
    let tried = ana.post("/api/rules/test", rule).ok();
    assert_eq!((&tried["matches"], &tried["sample"][0]["changes"]), (&json!(1), &json!({})));
    for only_uncategorized in [true, false] {
        let body = json!({ "only_uncategorized": only_uncategorized });
        assert_eq!(ana.post("/api/rules/apply", body).ok(), json!({ "changed": 0 }));
    }
    assert_eq!(ana.get(&one(&split["id"])).ok(), split);
}

#[test]
fn lines_tags_and_notes_are_exported_and_restored() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (food, house) = categories(&ana);
    let mut body = expense("100.00", json!([line(food, "60.00"), line(house, "30.00"), line(food, "10.00")]));
    body["tags"] = json!(["Férias", "a; =1", "b, c"]);
    body["note"] = json!(format!("Linha um\n{}", "x".repeat(900)));
    ana.create(PATH, body.clone());
    let mut income = expense("5.00", json!([line(house, "2.50"), line(food, "2.50")]));
    income["type"] = json!("income");
    ana.create(PATH, income);
    ana.create(PATH, expense("1.00", Value::Null));
    let rule = json!({ "name": "R", "conditions": [{ "field": "type", "op": "eq", "value": "income" }],
        "actions": [{ "action": "add_tag", "tag": "Renda" }] });
    ana.post("/api/rules", rule).created();
    let document = ana.get("/api/export").ok();
    assert_eq!(document["transactions"][0]["tags"], body["tags"]);
    assert_eq!(document["transactions"][2]["tags"], json!([]));
    assert_eq!(document["transactions"][0]["note"], body["note"]);
    let first = json!({ "transaction_id": document["transactions"][0]["id"], "position": 0, "category_id": food,
        "amount": "60.00" });
    assert_eq!(
        (document["transaction_lines"].as_array().unwrap().len(), &document["transaction_lines"][0]),
        (5, &first)
    );
    bia.post("/api/restore", document.clone()).ok();
    let names = |client: &finance_tests::Client| -> Vec<Value> {
        let categories = client.get("/api/categories").ok();
        let name = |id: &Value| {
            let known = categories.as_array().unwrap().iter().find(|category| category["id"] == *id);
            known.map_or(Value::Null, |category| category["name"].clone())
        };
        let row = |row: Value| {
            let lines = row["lines"].as_array().map(|lines| {
                lines.iter().map(|line| json!([name(&line["category_id"]), line["amount"]])).collect::<Vec<_>>()
            });
            json!([row["date"], row["amount"], row["type"], lines, row["tags"], row["note"]])
        };
        client.all_transactions().into_iter().map(row).collect()
    };
    assert_eq!(names(&bia), names(&ana));
    let totals = |client: &finance_tests::Client| -> Vec<String> {
        spent(client, "2026-03").into_iter().map(|(_, total)| total).collect()
    };
    assert_eq!(totals(&bia), totals(&ana));
    assert_eq!(bia.get("/api/tags").ok(), ana.get("/api/tags").ok());
    assert_eq!(bia.get("/api/transactions?q=linha%20um").ok().as_array().unwrap().len(), 1);
    assert_eq!(bia.get("/api/rules").ok()[0]["actions"], json!([{ "action": "add_tag", "tag": "Renda" }]));
    let sums = || app.rows("select income, expenses, transactions from month_totals order by 1, 2, 3");
    let before = sums();
    app.rebuild_sums();
    assert_eq!(sums(), before);
}

#[test]
fn a_document_with_lines_that_do_not_hold_is_refused() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (food, house) = categories(&ana);
    let split = ana.create(PATH, expense("100.00", json!([line(food, "60.00"), line(house, "40.00")])));
    let rule = json!({ "name": "R", "conditions": [{ "field": "type", "op": "eq", "value": "income" }],
        "actions": [{ "action": "add_tag", "tag": "Renda" }] });
    ana.post("/api/rules", rule).created();
    let document = ana.get("/api/export").ok();
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 15] = [
        ("amount", |d| d["transaction_lines"][0]["amount"] = json!("60.01")),
        ("amount", |d| d["transactions"][0]["amount"] = json!("99.00")),
        ("id", |d| drop(d["transaction_lines"].as_array_mut().unwrap().pop())),
        ("category_id", |d| d["transactions"][0]["category_id"] = d["transaction_lines"][0]["category_id"].clone()),
        ("category_id", |d| d["transaction_lines"][0]["category_id"] = Value::Null),
        ("category_id", |d| d["transaction_lines"][0]["category_id"] = json!(9_000_000_000_i64)),
        ("transaction_id", |d| d["transaction_lines"][0]["transaction_id"] = json!(9_000_000_000_i64)),
        ("transaction_lines", |d| d["transaction_lines"][1]["position"] = json!(0)),
        ("transaction_lines", |d| d["transaction_lines"][1]["position"] = json!(20)),
        ("is_transfer", |d| d["transactions"][0]["is_transfer"] = json!(true)),
        ("tags", |d| d["transactions"][0]["tags"] = json!(["a", "A"])),
        ("tags", |d| d["transactions"][0]["tags"] = json!([" a"])),
        ("tags", |d| d["transactions"][0]["tags"] = json!((0..11).map(|at| at.to_string()).collect::<Vec<_>>())),
        ("note", |d| d["transactions"][0]["note"] = json!("x".repeat(1_001))),
        ("tag", |d| d["rule_actions"][0]["tag"] = json!("a\nb")),
    ];
    for (field, change) in changes {
        let mut changed = document.clone();
        change(&mut changed);
        let problem = bia.post("/api/restore", changed).problem(422, "ErrValidation");
        assert!(problem["errors"][0]["field"].as_str().unwrap().ends_with(field), "{field}: {problem}");
    }
    bia.post("/api/restore", document).ok();
    let restored = bia.all_transactions();
    assert_ne!(id(&restored[0]), split);
    assert_eq!(restored[0]["lines"].as_array().unwrap().len(), 2);
}
