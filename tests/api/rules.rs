//! Rules: how they are stored, what they do to statements, and how they are tried and applied to stored rows.

mod applied;

use finance_tests::{Client, OfxRow, TestApp, id, ofx};
use serde_json::{Value, json};

/// The id of a category of the profile.
#[track_caller]
fn category(client: &Client, name: &str) -> i64 {
    let categories = client.get("/api/categories").ok();
    id(categories.as_array().unwrap().iter().find(|category| category["name"] == name).expect("a category"))
}

/// A rule for descriptions that contain a text.
fn rule(text: &str, actions: Value) -> Value {
    let conditions = json!([{ "field": "description", "op": "contains", "value": text }]);
    json!({ "name": text, "conditions": conditions, "actions": actions })
}

fn files(category_id: i64) -> Value {
    json!({ "action": "set_category", "category_id": category_id })
}

fn preview(client: &Client, account_id: i64, rows: &[OfxRow<'_>]) -> Vec<Value> {
    let preview = client.preview_with(&ofx(rows), &[("account_id", &account_id.to_string())]).ok();
    preview["rows"].as_array().unwrap().clone()
}

fn confirm(client: &Client, account_id: i64, rows: &[Value]) -> Value {
    let body = json!({ "account_id": account_id, "format": "ofx", "rows": rows });
    client.post("/api/import/confirm", body).created()
}

#[test]
fn rules_are_kept_in_the_order_of_their_positions() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, account) = (category(&ana, "Mercado"), ana.open_account("Conta", "current"));
    assert_eq!(ana.get("/api/rules").ok(), json!([]));
    let full = json!({
        "name": "Tudo", "position": 5, "enabled": false, "match": "any",
        "conditions": [
            { "field": "description", "op": "not_contains", "value": "São João" },
            { "field": "description", "op": "starts_with", "value": "a" },
            { "field": "description", "op": "ends_with", "value": "b" },
            { "field": "description", "op": "equals", "value": "c" },
            { "field": "amount", "op": "eq", "value": "10.00" },
            { "field": "amount", "op": "gte", "value": "0.00" },
            { "field": "amount", "op": "lte", "value": "9999999999.99" },
            { "field": "amount", "op": "between", "value": ["10.00", "20.50"] },
            { "field": "type", "op": "eq", "value": "expense" },
            { "field": "day", "op": "between", "value": [1, 31] },
        ],
        "actions": [
            { "action": "set_category", "category_id": food },
            { "action": "rename", "description": "Pão" },
            { "action": "mark_transfer" },
            { "action": "skip" },
        ],
    });
    let made = ana.post("/api/rules", full.clone());
    assert_eq!(made.header("Location").map(str::to_string), Some(format!("/api/rules/{}", id(&made.json()))));
    let made = made.created();
    for (name, value) in full.as_object().unwrap() {
        assert_eq!(&made[name], value, "{name}");
    }
    let last = ana.post("/api/rules", rule("b", json!([{ "action": "skip" }]))).created();
    assert_eq!((&last["position"], &last["enabled"], &last["match"]), (&json!(6), &json!(true), &json!("all")));
    let mut first = rule("a", json!([{ "action": "skip" }]));
    first["position"] = json!(0);
    first["conditions"][0] = json!({ "field": "account_id", "op": "eq", "value": account });
    let first = ana.post("/api/rules", first).created();
    assert_eq!(ana.get("/api/rules").ok(), json!([first, made, last]));
    // A client can send back what it read. If the body has no position, the position does not change.
    let path = format!("/api/rules/{}", id(&last));
    assert_eq!(ana.put(&path, last.clone()).ok(), last);
    let changed = ana.put(&path, rule("c", json!([files(food)]))).ok();
    assert_eq!((&changed["position"], &changed["actions"]), (&json!(6), &json!([files(food)])));
    assert_eq!(ana.get(&path).ok(), changed);
    ana.delete(&path).gone();
    ana.get(&path).problem(404, "ErrNotFound");
    ana.delete(&path).problem(404, "ErrNotFound");
    ana.put(&path, rule("c", json!([files(food)]))).problem(404, "ErrNotFound");
    assert_eq!(ana.get("/api/rules").ok(), json!([first, made]));
}

#[test]
fn what_is_wrong_with_a_rule_is_told_by_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let valid = || rule("padaria", json!([{ "action": "skip" }]));
    let with = |field: &str, value: Value| {
        let mut body = valid();
        body[field] = value;
        body
    };
    let condition =
        |field: &str, op: &str, value: Value| with("conditions", json!([{ "field": field, "op": op, "value": value }]));
    let action = |action: Value| with("actions", json!([action]));
    let eleven: Vec<Value> = vec![json!({ "field": "type", "op": "eq", "value": "income" }); 11];
    for (body, fields) in [
        (json!({}), vec!["name", "conditions", "actions"]),
        (with("name", json!(" ")), vec!["name"]),
        (with("position", json!(-1)), vec!["position"]),
        (with("position", json!("1")), vec!["position"]),
        (with("enabled", json!("yes")), vec!["enabled"]),
        (with("match", json!("none")), vec!["match"]),
        (with("conditions", json!([])), vec!["conditions"]),
        (with("conditions", json!({})), vec!["conditions"]),
        (with("conditions", json!([1])), vec!["conditions[0]"]),
        (with("conditions", json!(eleven)), vec!["conditions"]),
        (with("actions", json!([])), vec!["actions"]),
        (condition("merchant", "eq", json!("a")), vec!["conditions[0].field"]),
        (condition("description", "matches", json!("a")), vec!["conditions[0].op"]),
        (condition("description", "eq", json!("a")), vec!["conditions[0].op"]),
        (condition("amount", "contains", json!("1")), vec!["conditions[0].op"]),
        (condition("description", "contains", Value::Null), vec!["conditions[0].value"]),
        (condition("description", "contains", json!("")), vec!["conditions[0].value"]),
        (condition("description", "contains", json!("x".repeat(101))), vec!["conditions[0].value"]),
        (condition("description", "contains", json!(7)), vec!["conditions[0].value"]),
        (condition("description", "contains", json!({ "a": 1 })), vec!["conditions[0].value"]),
        (condition("amount", "eq", json!("ten")), vec!["conditions[0].value"]),
        (condition("amount", "eq", json!(true)), vec!["conditions[0].value"]),
        (condition("amount", "between", json!("1")), vec!["conditions[0].value"]),
        (condition("amount", "between", json!([1])), vec!["conditions[0].value"]),
        (condition("amount", "between", json!([2, 1])), vec!["conditions[0].value"]),
        (condition("amount", "between", json!([null, 1])), vec!["conditions[0].value"]),
        (condition("amount", "between", json!([[1], 1])), vec!["conditions[0].value"]),
        (condition("type", "eq", json!("gift")), vec!["conditions[0].value"]),
        (condition("account_id", "eq", json!(987_654_321)), vec!["conditions[0].value"]),
        (condition("day", "between", json!([0, 31])), vec!["conditions[0].value"]),
        (condition("day", "between", json!([1, 32])), vec!["conditions[0].value"]),
        (condition("day", "between", json!([1.5, 2])), vec!["conditions[0].value"]),
        (action(json!({})), vec!["actions[0].action"]),
        (action(json!({ "action": "explode" })), vec!["actions[0].action"]),
        (action(json!({ "action": "add_tag", "tag": " " })), vec!["actions[0].tag"]),
        (action(json!({ "action": "set_category" })), vec!["actions[0].category_id"]),
        (action(json!({ "action": "set_category", "category_id": 987_654_321 })), vec!["actions[0].category_id"]),
        (action(json!({ "action": "rename" })), vec!["actions[0].description"]),
        (action(json!({ "action": "rename", "description": "x".repeat(256) })), vec!["actions[0].description"]),
        (with("actions", json!([{ "action": "skip" }, { "action": "skip" }])), vec!["actions[1].action"]),
    ] {
        for path in ["/api/rules", "/api/rules/test"] {
            let problem = ana.post(path, body.clone()).problem(422, "ErrValidation");
            let found: Vec<&str> =
                problem["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
            assert_eq!(found, fields, "{body}");
        }
    }
    assert_eq!(ana.get("/api/rules").ok(), json!([]));
}

#[test]
fn a_profile_has_at_most_two_hundred_rules() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for at in 0..200 {
        ana.post("/api/rules", rule(&format!("loja {at}"), json!([{ "action": "skip" }]))).created();
    }
    let refused = ana.post("/api/rules", rule("loja", json!([{ "action": "skip" }]))).problem(409, "ErrLimitReached");
    assert!(refused["detail"].as_str().unwrap().contains("200 rules"), "{refused}");
}

#[test]
fn what_a_rule_names_is_not_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [pets, toys] = ["Pets", "Brinquedos"].map(|name| ana.create("/api/categories", json!({ "name": name })));
    let account = ana.open_account("Conta", "current");
    let mut body = rule("racao", json!([files(pets)]));
    body["conditions"][0] = json!({ "field": "account_id", "op": "eq", "value": account });
    let made = ana.post("/api/rules", body).created();
    ana.delete(&format!("/api/categories/{pets}")).problem(409, "ErrCategoryInUse");
    ana.delete(&format!("/api/accounts/{account}")).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/categories/{pets}?move_to={toys}")).gone();
    let path = format!("/api/rules/{}", id(&made));
    assert_eq!(ana.get(&path).ok()["actions"], json!([files(toys)]));
    ana.delete(&path).gone();
    ana.delete(&format!("/api/categories/{toys}")).gone();
    ana.delete(&format!("/api/accounts/{account}")).gone();
}

#[test]
fn a_rule_goes_before_the_history_and_of_several_the_first_to_set_a_thing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let [food, fun, health] = ["Mercado", "Lazer", "Saúde"].map(|name| category(&ana, name));
    let row = ("20260301", "-10.00", "", "PADARIA SAO JOAO");
    let mut rows = preview(&ana, account, &[row]);
    rows[0]["category_id"] = json!(food);
    confirm(&ana, account, &rows);
    let again = [("20260302", "-11.00", "", "PADARIA SAO JOAO")];
    assert_eq!(preview(&ana, account, &again)[0]["suggestion"]["source"], "history");
    let mut disabled = rule("padaria", json!([files(health)]));
    disabled["enabled"] = json!(false);
    ana.post("/api/rules", disabled).created();
    assert_eq!(preview(&ana, account, &again)[0]["suggestion"]["source"], "history", "it does nothing");
    let first = ana.post("/api/rules", rule("JOÃO", json!([files(fun)]))).created();
    let renaming = json!([files(health), { "action": "rename", "description": "Pão" }]);
    ana.post("/api/rules", rule("daria", renaming)).created();
    let found = preview(&ana, account, &again)[0].clone();
    assert_eq!(found["suggestion"], json!({ "category_id": fun, "source": "rule", "rule_id": id(&first) }));
    assert_eq!(
        (&found["category_id"], &found["description"], &found["statement_description"]),
        (&json!(fun), &json!("Pão"), &json!("PADARIA SAO JOAO"))
    );
    let known = preview(&ana, account, &[row])[0].clone();
    assert_eq!(
        (&known["duplicate"], &known["suggestion"], &known["statement_description"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    let other = preview(&ana, account, &[("20260302", "-11.00", "", "FULANO")])[0].clone();
    assert_eq!(
        (&other["suggestion"], &other["statement_description"], &other["skipped_by_rule"]),
        (&Value::Null, &Value::Null, &json!(false))
    );
}

#[test]
fn a_renamed_row_keeps_the_text_of_its_statement_and_is_known_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    ana.post("/api/rules", rule("padaria", json!([{ "action": "rename", "description": "Pão" }]))).created();
    let csv = "Data;Descrição;Valor\n31/01/2026;PADARIA 0034;-12,34\n31/01/2026;PADARIA 0034;-12,34\n".as_bytes();
    let import = || {
        let preview = ana.preview_with(csv, &[("account_id", &account.to_string())]).ok();
        let body = json!({ "account_id": account, "format": "csv", "rows": preview["rows"] });
        ana.post("/api/import/confirm", body).created()
    };
    let made = import();
    assert_eq!(made["inserted"], 2, "{made}");
    for row in made["transactions"].as_array().unwrap() {
        assert_eq!((&row["description"], &row["statement_description"]), (&json!("Pão"), &json!("PADARIA 0034")));
        assert_eq!(&ana.get(&format!("/api/transactions/{}", id(row))).ok(), row);
    }
    assert_eq!(import()["inserted"], 0);
    // The row is renamed again by hand, and the rule is deleted.
    let row = made["transactions"][0].clone();
    let mut body = row.clone();
    body["description"] = json!("Café da manhã");
    let edited = ana.put(&format!("/api/transactions/{}", id(&row)), body).ok();
    assert_eq!(edited["statement_description"], "PADARIA 0034");
    let rule = ana.get("/api/rules").ok()[0].clone();
    ana.delete(&format!("/api/rules/{}", id(&rule))).gone();
    assert_eq!(import()["inserted"], 0);
    // If a client undoes the rename, the row is an ordinary one.
    let plain = json!([{ "date": "2026-02-01", "description": "PADARIA 1", "statement_description": "PADARIA 1", "amount": "1", "type": "expense" }]);
    let body = json!({ "account_id": account, "format": "csv", "rows": plain });
    assert_eq!(
        ana.post("/api/import/confirm", body).created()["transactions"][0]["statement_description"],
        Value::Null
    );
    let long = json!([{ "date": "2026-02-01", "description": "a", "statement_description": "x".repeat(256), "amount": "1", "type": "expense" }]);
    let problem = ana.post("/api/import/confirm", json!({ "rows": long })).problem(422, "ErrValidation");
    assert_eq!(problem["errors"][0]["field"], "rows[0].statement_description");
}

#[test]
fn a_renamed_instalment_stays_one() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    ana.post("/api/rules", rule("mercadolivre", json!([{ "action": "rename", "description": "Fogão" }]))).created();
    let rows = preview(&ana, card, &[("20260301", "-10.00", "", "MERCADOLIVRE - Parcela 2/10")]);
    let row = confirm(&ana, card, &rows)["transactions"][0].clone();
    let installment = json!({ "number": 2, "count": 10 });
    assert_eq!((&row["description"], &row["installment"]), (&json!("Fogão"), &installment));
    let mut body = row.clone();
    body["amount"] = json!("11.00");
    assert_eq!(ana.put(&format!("/api/transactions/{}", id(&row)), body).ok()["installment"], installment);
}

#[test]
fn a_held_statement_keeps_what_rules_decided() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    ana.post("/api/rules", rule("padaria", json!([{ "action": "rename", "description": "Pão" }]))).created();
    ana.post("/api/rules", rule("anuidade", json!([{ "action": "skip" }]))).created();
    let file = ofx(&[
        ("20260301", "-10.00", "", "PADARIA 0034"),
        ("20260302", "-20.00", "", "ANUIDADE"),
        ("20260303", "-30.00", "", "ANUIDADE EXTRA"),
    ]);
    let account = card.to_string();
    let options = [("account_id", account.as_str()), ("is_credit_card", "true"), ("payment_date", "2026-04-05")];
    let mut rows = ana.preview_with(&file, &options).ok()["rows"].clone();
    rows[2]["keep"] = json!(true);
    let body = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-05", "rows": rows });
    let held = ana.post("/api/import/confirm", body).expect(202)["pending_bill"].clone();
    assert_eq!((&held["row_count"], &held["total"]), (&json!(2), &json!("40.00")));
    let again = ana.preview_with(&file, &options).ok()["rows"].clone();
    let known: Vec<&Value> = again.as_array().unwrap().iter().map(|row| &row["duplicate"]).collect();
    assert_eq!(known, [&json!(true), &json!(false), &json!(true)]);
    let path = format!("/api/pending-bills/{}", id(&held));
    assert_eq!(ana.get(&path).ok()["rows"][0]["statement_description"], "PADARIA 0034");
    let made = ana.post_nothing(&format!("{path}/confirm")).created();
    assert_eq!(made["inserted"], 2, "what was kept is not left out later");
    let first = &made["transactions"][0];
    assert_eq!((&first["description"], &first["statement_description"]), (&json!("Pão"), &json!("PADARIA 0034")));
    assert_eq!(ana.import_card(card, "2026-03-10", &file).created()["inserted"], 0);
}

#[test]
fn a_row_that_a_rule_leaves_out_is_skipped_unless_it_is_kept() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let made = ana.post("/api/rules", rule("tarifa", json!([{ "action": "skip" }]))).created();
    let rows =
        preview(&ana, account, &[("20260301", "-10.00", "", "TARIFA MENSAL"), ("20260301", "-11.00", "", "PADARIA")]);
    assert_eq!((&rows[0]["skipped_by_rule"], &rows[1]["skipped_by_rule"]), (&json!(true), &json!(false)));
    let answer = confirm(&ana, account, &rows);
    let skipped = json!([{ "row": 0, "code": "skipped_by_rule", "params": { "rule_id": id(&made) },
        "reason": format!("skipped by rule {}", id(&made)) }]);
    assert_eq!((&answer["inserted"], &answer["skipped"]), (&json!(1), &skipped));
    let mut kept = rows.clone();
    kept[0]["keep"] = json!(true);
    let answer = confirm(&ana, account, &kept);
    assert_eq!((&answer["inserted"], &answer["skipped"][0]["code"]), (&json!(1), &json!("duplicate")));
    kept[0]["keep"] = json!("yes");
    let body = json!({ "account_id": account, "rows": kept });
    let problem = ana.post("/api/import/confirm", body).problem(422, "ErrValidation");
    assert_eq!(problem["errors"][0]["field"], "rows[0].keep");
    // If no row is left, there is no import and no held statement.
    let alone = preview(&ana, account, &[("20260305", "-10.00", "", "TARIFA MENSAL")]);
    let answer = confirm(&ana, account, &alone);
    assert_eq!(
        (&answer["status"], &answer["inserted"], &answer["import_id"]),
        (&json!("imported"), &json!(0), &Value::Null)
    );
}

#[test]
fn a_row_that_a_rule_marks_is_a_transfer_of_one_side() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let food = category(&ana, "Mercado");
    ana.post("/api/rules", rule("corretora", json!([{ "action": "mark_transfer" }, files(food)]))).created();
    let file = [("20260301", "-100.00", "", "CORRETORA XYZ")];
    let rows = preview(&ana, account, &file);
    assert_eq!(rows[0]["transfer"], json!({ "kind": "own_account", "confidence": "certain", "with": null }));
    assert_eq!((&rows[0]["transfer_with"], &rows[0]["suggestion"]), (&json!({}), &Value::Null));
    let row = confirm(&ana, account, &rows)["transactions"][0].clone();
    assert_eq!((&row["is_transfer"], &row["transfer_id"]), (&json!(true), &Value::Null));
    assert_eq!(ana.get("/api/dashboard?month=2026-03").ok()["expenses"], "0.00");
    // An absent field means the same, and null means that the row is no transfer. A row without an account cannot be a
    // transfer.
    for (date, transfer_with, expected) in [("2026-03-02", None, true), ("2026-03-03", Some(Value::Null), false)] {
        let mut row = json!({ "date": date, "description": "CORRETORA XYZ", "amount": "100", "type": "expense" });
        if let Some(transfer_with) = transfer_with {
            row["transfer_with"] = transfer_with;
        }
        assert_eq!(confirm(&ana, account, &[row])["transactions"][0]["is_transfer"], expected, "{date}");
    }
    let nowhere = ana.preview(&ofx(&[("20260305", "-100.00", "", "CORRETORA XYZ")])).ok()["rows"][0].clone();
    assert_eq!((&nowhere["transfer"], &nowhere["suggestion"]["source"]), (&Value::Null, &json!("rule")));
    assert_eq!(ana.post("/api/import/confirm", json!({ "rows": [nowhere] })).created()["inserted"], 1);
}
