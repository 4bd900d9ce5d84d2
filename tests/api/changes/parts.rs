//! What a change tells of the parts of a row, before and after it.

use finance_tests::{Reply, id};
use serde_json::{Value, json};

use super::{House, change_of, undo};

/// The one row that a change concerns, before and after it.
#[track_caller]
fn sides(house: &House, reply: &Reply) -> (Value, Value) {
    let change = change_of(reply).unwrap_or_else(|| panic!("no change: {reply:?}"));
    of_change(house, change)
}

#[track_caller]
fn of_change(house: &House, change: i64) -> (Value, Value) {
    let entries = house.ana.get(&format!("/api/changes/{change}")).ok()["entries"].clone();
    assert_eq!(entries.as_array().unwrap().len(), 1, "{entries}");
    (entries[0]["before"].clone(), entries[0]["after"].clone())
}

#[test]
fn lines_are_a_field_of_their_transaction() {
    let house = House::new();
    let ana = &house.ana;
    let lines = |one: &str, other: &str| json!([{ "category_id": house.food, "amount": one }, { "category_id": house.home, "amount": other }]);
    let body = json!({ "type": "expense", "date": "2026-03-02", "description": "Feira", "amount": "10.00", "account_id": house.bank,
        "lines": lines("4.00", "6.00") });
    let made = ana.post("/api/transactions", body);
    let path = format!("/api/transactions/{}", id(&made.json()));
    let divided = house.put(&path, &[("lines", lines("5.00", "5.00"))]);
    let expected = (json!({ "lines": lines("4.00", "6.00") }), json!({ "lines": lines("5.00", "5.00") }));
    assert_eq!(sides(&house, &divided), expected);
    let joined = house.put(&path, &[("lines", Value::Null), ("category_id", json!(house.food))]);
    let (before, after) = sides(&house, &joined);
    assert_eq!(before, json!({ "category_id": null, "lines": lines("5.00", "5.00") }));
    assert_eq!(after, json!({ "category_id": house.food, "lines": null }));
    let tagged = house.put(&path, &[("tags", json!(["x"]))]);
    assert_eq!(sides(&house, &tagged), (json!({ "tags": [] }), json!({ "tags": ["x"] })), "no lines were touched");
    house.put(&path, &[("lines", lines("2.00", "8.00")), ("category_id", Value::Null)]).ok();
    let removed = ana.delete(&path);
    let lost = sides(&house, &removed);
    assert_eq!((&lost.0["lines"], &lost.0["amount"], &lost.1), (&lines("2.00", "8.00"), &json!("10.00"), &Value::Null));
    // What came later does not change what a change did.
    let undone = undo(ana, change_of(&removed).unwrap()).ok()["change_id"].as_i64().unwrap();
    house.put(&path, &[("lines", lines("9.00", "1.00"))]).ok();
    assert_eq!(sides(&house, &removed), lost);
    assert_eq!(sides(&house, &divided), expected);
    assert_eq!(sides(&house, &made).1["lines"], lines("4.00", "6.00"));
    assert_eq!(of_change(&house, undone).1["lines"], lines("2.00", "8.00"));
    let of_row = ana.get(&format!("{path}/changes")).ok();
    assert_eq!(of_row[0]["entry"]["after"], json!({ "lines": lines("9.00", "1.00") }));
}

#[test]
fn a_rule_is_told_by_the_names_of_the_api() {
    let house = House::new();
    let ana = &house.ana;
    let by_text = json!([{ "field": "description", "op": "contains", "value": "loja" }]);
    let filed = json!([{ "action": "set_category", "category_id": house.home }]);
    let rule = json!({ "name": "Loja", "conditions": by_text, "actions": filed });
    let made = ana.post("/api/rules", rule);
    let path = format!("/api/rules/{}", id(&made.json()));
    let (_, after) = sides(&house, &made);
    assert_eq!((&after["enabled"], &after["match"]), (&json!(true), &json!("all")), "{after}");
    assert_eq!((&after["conditions"], &after["actions"]), (&by_text, &filed), "{after}");
    let conditions = json!([
        { "field": "amount", "op": "between", "value": ["1.00", "2.00"] },
        { "field": "amount", "op": "gte", "value": "1.00" },
        { "field": "type", "op": "eq", "value": "expense" },
        { "field": "account_id", "op": "eq", "value": house.bank },
        { "field": "day", "op": "between", "value": [1, 9] },
    ]);
    let edited = house.put(&path, &[("conditions", conditions.clone()), ("match", json!("any"))]);
    let expected =
        (json!({ "match": "all", "conditions": by_text }), json!({ "match": "any", "conditions": conditions }));
    assert_eq!(sides(&house, &edited), expected);
    let actions = json!([{ "action": "add_tag", "tag": "x" }, { "action": "rename", "description": "Y" }]);
    let edited = house.put(&path, &[("actions", actions.clone()), ("enabled", json!(false))]);
    let expected = (json!({ "enabled": true, "actions": filed }), json!({ "enabled": false, "actions": actions }));
    assert_eq!(sides(&house, &edited), expected);
    let (before, after) = sides(&house, &ana.delete(&path));
    assert_eq!((&before["conditions"], &before["actions"], after), (&conditions, &actions, Value::Null));
}

#[test]
fn actions_of_a_rule_that_move_are_undone_and_redone() {
    let house = House::new();
    let ana = &house.ana;
    let conditions = json!([{ "field": "description", "op": "contains", "value": "loja" }]);
    let filed = json!({ "action": "set_category", "category_id": house.home });
    let tagged = json!({ "action": "add_tag", "tag": "x" });
    let renamed = json!({ "action": "rename", "description": "Loja" });
    let rule = |actions: &[&Value]| json!({ "name": "Loja", "conditions": conditions, "actions": actions });
    let id = ana.create("/api/rules", rule(&[&tagged]));
    let path = format!("/api/rules/{id}");
    let actions = || ana.get(&path).ok()["actions"].clone();
    let steps: [&[&Value]; 5] =
        [&[&filed, &tagged], &[&tagged, &filed], &[&filed], &[&renamed, &tagged, &filed], &[&filed, &renamed]];
    let mut before = json!([tagged]);
    for step in steps {
        let edited = ana.put(&path, rule(step));
        let undone = undo(ana, change_of(&edited).unwrap()).ok()["change_id"].as_i64().unwrap();
        assert_eq!(actions(), before, "undone: {step:?}");
        undo(ana, undone).ok();
        assert_eq!(actions(), json!(step), "redone");
        before = json!(step);
    }
}

#[test]
fn parts_that_change_alone_are_told() {
    let house = House::new();
    let ana = &house.ana;
    let names = house.put("/api/settings", &[("own_names", json!(["Ana Souza"]))]);
    assert_eq!(sides(&house, &names), (json!({ "own_names": [] }), json!({ "own_names": ["Ana Souza"] })));
    let names = house.put("/api/settings", &[("own_names", json!([])), ("savings_goal_pct", json!(50))]);
    let (before, after) = sides(&house, &names);
    assert_eq!((&before["own_names"], &after["own_names"]), (&json!(["Ana Souza"]), &json!([])));
    assert_eq!((&before["savings_goal_pct"], &after["savings_goal_pct"]), (&json!(40), &json!(50)));
    let budget = |amount: Value| {
        let budgets = json!([{ "category_id": house.food, "amount": amount }]);
        sides(&house, &ana.put("/api/budgets/2026-03", json!({ "budgets": budgets })))
    };
    let of_month = |amount: &str| json!({ "budgets": [{ "month": "2026-03", "amount": amount }] });
    assert_eq!(budget(json!("60.00")), (json!({ "budgets": [] }), of_month("60.00")));
    assert_eq!(budget(json!("70.00")), (of_month("60.00"), of_month("70.00")));
    assert_eq!(budget(Value::Null), (of_month("70.00"), json!({ "budgets": [] })));
    house.row(house.bank, "2026-02-03", "-90.00", Some(house.home));
    let filled = ana.post("/api/budgets/2026-03/fill", json!({ "from": "average3" }));
    let (before, after) = sides(&house, &filled);
    assert_eq!(before, json!({ "budgets": [] }));
    assert_eq!(after["budgets"][0]["month"], "2026-03", "{after}");
    let item = json!({ "type": "expense", "description": "Escola", "amount": "400.00", "category_id": house.home,
        "account_id": house.bank, "day": 5 });
    let item = format!("/api/recurring/{}", ana.create("/api/recurring", item));
    let late = sides(&house, &ana.post_nothing(&format!("{item}/late?month=2026-03")));
    let mark = json!({ "month": "2026-03", "mark": "late", "transaction_id": null });
    assert_eq!(late, (json!({ "marks": [] }), json!({ "marks": [mark] })));
    house.row(house.card, "2026-03-02", "-10.00", None);
    let bill = ana.get(&format!("/api/accounts/{}", house.card)).ok()["current_bill"]["id"].clone();
    let dated = sides(&house, &ana.put(&format!("/api/credit-bills/{bill}"), json!({ "due_date": "2026-04-07" })));
    assert_eq!(dated.0, json!({ "bill_dates": [] }));
    assert_eq!(dated.1["bill_dates"][0]["due_date"], "2026-04-07", "{}", dated.1);
    let anchor = format!("/api/accounts/{}/anchors/2026-03-09", house.savings);
    let change = change_of(&ana.put(&anchor, json!({ "amount": "40.00" }))).unwrap();
    let entries = ana.get(&format!("/api/changes/{change}")).ok()["entries"].clone();
    let of_account = entries.as_array().unwrap().iter().find(|entry| entry["noun"] == "accounts").unwrap().clone();
    assert_eq!(of_account["after"]["anchors"], json!([{ "date": "2026-03-09", "amount": "40.00" }]), "{entries}");
    // The fields of an item have the names of the API.
    let rarer = house.put(&item, &[("every", json!({ "n": 2, "unit": "month" })), ("start_on", json!("2026-03-05"))]);
    let (before, after) = sides(&house, &rarer);
    let every = |n: u32| json!({ "n": n, "unit": "month" });
    assert_eq!((&before["every"], &after["every"]), (&every(1), &every(2)), "{after}");
}
