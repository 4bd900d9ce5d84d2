//! How a rule is tried, and how rules are applied to stored rows.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};

use super::{category, confirm, files, preview, rule};

/// An account with rows of a statement and one entered by hand.
fn household(client: &Client) -> (i64, Vec<Value>) {
    let account = client.open_account("Conta", "current");
    let rows = preview(
        client,
        account,
        &[
            ("20260301", "-10.00", "", "PADARIA SAO JOAO"),
            ("20260305", "-20.00", "", "PADARIA CENTRAL"),
            ("20260210", "-30.00", "", "CORRETORA XYZ"),
            ("20260211", "-40.00", "", "POSTO"),
        ],
    );
    let mut rows: Vec<Value> = rows;
    for row in &mut rows {
        row["category_id"] = Value::Null;
    }
    let mut stored = confirm(client, account, &rows)["transactions"].as_array().unwrap().clone();
    let by_hand = json!({ "type": "expense", "date": "2026-03-06", "description": "Padaria do Zé", "amount": "5.00" });
    stored.push(client.post("/api/transactions", by_hand).created());
    (account, stored)
}

#[test]
fn a_rule_is_tried_before_it_is_saved() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (_, stored) = household(&ana);
    let food = category(&ana, "Mercado");
    let actions = json!([files(food), { "action": "rename", "description": "Pão" }, { "action": "skip" }]);
    let tried = ana.post("/api/rules/test", rule("padaria", actions)).ok();
    assert_eq!(tried["matches"], 3);
    let sample = tried["sample"].as_array().unwrap();
    let ids: Vec<i64> = sample.iter().map(id).collect();
    assert_eq!(ids, [&stored[4], &stored[1], &stored[0]].map(id), "newest first");
    assert_eq!(sample[0]["changes"], json!({ "category_id": food }), "what a person wrote is not renamed");
    assert_eq!(sample[1]["changes"], json!({ "category_id": food, "description": "Pão" }));
    let mut whole = sample[1].clone();
    whole.as_object_mut().unwrap().remove("changes");
    assert_eq!(whole, stored[1]);
    let marked =
        ana.post("/api/rules/test", rule("corretora", json!([{ "action": "mark_transfer" }, files(food)]))).ok();
    assert_eq!(marked["sample"][0]["changes"], json!({ "is_transfer": true }));
    assert_eq!(
        ana.post("/api/rules/test", rule("nada", json!([files(food)]))).ok(),
        json!({ "matches": 0, "sample": [] })
    );
    for at in 0..30 {
        let body =
            json!({ "type": "expense", "date": "2026-03-07", "description": format!("Feira {at}"), "amount": "1" });
        ana.create("/api/transactions", body);
    }
    let many = ana.post("/api/rules/test", rule("feira", json!([files(food)]))).ok();
    assert_eq!((&many["matches"], many["sample"].as_array().unwrap().len()), (&json!(30), 20));
    assert_eq!(ana.get("/api/rules").ok(), json!([]));
    assert_eq!(ana.get(&format!("/api/transactions/{}", id(&stored[0]))).ok(), stored[0]);
}

#[test]
fn rules_are_applied_to_what_is_stored_and_a_second_time_change_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (account, stored) = household(&ana);
    let [food, fun] = ["Mercado", "Lazer"].map(|name| category(&ana, name));
    let apply = |body: Value| ana.post("/api/rules/apply", body).ok()["changed"].clone();
    let get = |at: usize| ana.get(&format!("/api/transactions/{}", id(&stored[at]))).ok();
    assert_eq!(apply(json!({})), 0, "no rule");
    let renaming = json!([files(food), { "action": "rename", "description": "Pão" }]);
    let first = ana.post("/api/rules", rule("padaria", renaming)).created();
    ana.post("/api/rules", rule("pao", json!([files(fun)]))).created();
    let third = ana.post("/api/rules", rule("corretora", json!([{ "action": "mark_transfer" }]))).created();
    ana.post("/api/rules", rule("posto", json!([{ "action": "skip" }]))).created();
    assert_eq!(apply(json!({ "from": "2026-03-02", "to": "2026-03-05" })), 1);
    let central = get(1);
    assert_eq!(
        (&central["category_id"], &central["description"], &central["statement_description"]),
        (&json!(food), &json!("Pão"), &json!("PADARIA CENTRAL"))
    );
    assert_eq!(get(0), stored[0]);
    assert_eq!(apply(json!({ "rule_ids": [id(&third)] })), 1);
    assert_eq!((&get(2)["is_transfer"], &get(2)["category_id"]), (&json!(true), &Value::Null));
    // The balance and the sums stay correct.
    assert_eq!(ana.balance(account), -10_000);
    assert_eq!(ana.get("/api/dashboard?month=2026-02").ok()["expenses"], "40.00");
    assert_eq!(ana.post_nothing("/api/rules/apply").ok()["changed"], 2);
    assert_eq!((&get(4)["category_id"], &get(4)["description"]), (&json!(food), &json!("Padaria do Zé")));
    assert_eq!(get(3), stored[3], "skip is for imports");
    for body in [json!({}), json!({ "only_uncategorized": false }), json!({ "rule_ids": [id(&first)] })] {
        assert_eq!(apply(body.clone()), 0, "{body}");
    }
    let rules = ana.get("/api/rules").ok();
    ana.put(&format!("/api/rules/{}", id(&rules[0])), rule("padaria", json!([files(fun)]))).ok();
    assert_eq!(apply(json!({})), 0, "all have a category");
    assert_eq!(apply(json!({ "only_uncategorized": false })), 3);
    assert_eq!(apply(json!({ "only_uncategorized": false })), 0);
    assert_eq!(apply(json!({ "rule_ids": [] })), 0);
}

#[test]
fn what_a_person_said_counts_more_than_a_rule_and_legs_stay_as_they_are() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (account, savings) = (ana.open_account("Conta", "current"), ana.open_account("Poupança", "savings"));
    let food = category(&ana, "Mercado");
    let transfer = json!({ "from_account_id": account, "to_account_id": savings, "amount": "10", "date": "2026-03-01",
        "description": "CORRETORA" });
    ana.post("/api/transfers", transfer).created();
    let row = json!({ "date": "2026-03-02", "description": "CORRETORA", "amount": "7", "type": "expense", "transfer_with": null });
    let imported = confirm(&ana, account, &[row])["transactions"][0].clone();
    ana.create(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-03-03", "description": "Corretora", "amount": "8" }),
    );
    ana.post("/api/rules", rule("corretora", json!([{ "action": "mark_transfer" }]))).created();
    let changed = ana.post("/api/rules/apply", json!({ "only_uncategorized": false })).ok();
    assert_eq!(changed["changed"], 0, "a leg, one that was said to be none, and one without an account");
    ana.post("/api/rules", rule("corretora", json!([files(food)]))).created();
    let changed = ana.post("/api/rules/apply", json!({ "only_uncategorized": false })).ok();
    assert_eq!(changed["changed"], 2, "not the legs");
    assert_eq!(ana.get(&format!("/api/transactions/{}", id(&imported))).ok()["category_id"], food);
}

#[test]
fn what_is_wrong_with_an_application_is_told_by_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let made = ana.post("/api/rules", rule("padaria", json!([{ "action": "skip" }]))).created();
    for (body, field) in [
        (json!({ "rule_ids": [id(&made), 987_654_321] }), "rule_ids[1]"),
        (json!({ "rule_ids": ["1"] }), "rule_ids[0]"),
        (json!({ "rule_ids": 1 }), "rule_ids"),
        (json!({ "rule_ids": vec![id(&made); 201] }), "rule_ids"),
        (json!({ "from": "yesterday" }), "from"),
        (json!({ "from": "2026-03-02", "to": "2026-03-01" }), "to"),
        (json!({ "only_uncategorized": 1 }), "only_uncategorized"),
    ] {
        let problem = ana.post("/api/rules/apply", body).problem(422, "ErrValidation");
        assert_eq!(problem["errors"][0]["field"], field);
    }
}
