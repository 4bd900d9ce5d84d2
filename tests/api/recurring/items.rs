//! Items: fields, order, limits.

use finance_tests::{TestApp, id};
use serde_json::{Value, json};

use super::{category, item, path, recurring, stands, status};

#[test]
fn an_item_is_created_read_replaced_and_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let account = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let mut body = item("income", category, "5000");
    body["account_id"] = json!(account);
    let reply = ana.post("/api/recurring", body);
    let location = reply.header("Location").unwrap().to_string();
    let created = reply.created();
    assert_eq!(
        created,
        json!({
            "id": created["id"], "profile_id": ana.caller().profile_id.0, "type": "income", "description": "Salário",
            "amount": "5000.00", "category_id": category, "account_id": account, "day": 31, "status": "pending",
            "transaction_id": null, "every": { "n": 1, "unit": "month" }, "start_on": null, "until": null, "count": null,
            "day_count": "calendar", "weekend": "same", "amount_min": null, "amount_max": null, "expects": "amount",
            "reserve": false, "next_on": "2026-03-31",
            "occurrences": [{ "due": "2026-03-31", "date": "2026-03-31", "amount": "5000.00", "status": "pending",
                "linked": false, "transaction_ids": [] }],
        })
    );
    assert_eq!(location, path(id(&created)));
    assert_eq!(ana.get(&location).ok(), created);
    let mut changed = created.clone();
    changed["description"] = json!(" Bolsa ");
    changed["amount"] = json!(10.5);
    changed["type"] = json!("expense");
    changed["account_id"] = Value::Null;
    changed["day"] = json!(1);
    changed["status"] = json!("confirmed");
    let replaced = ana.put(&location, changed).ok();
    assert_eq!((&replaced["id"], &replaced["description"]), (&created["id"], &json!("Bolsa")));
    assert_eq!(
        (&replaced["amount"], &replaced["type"], &replaced["day"]),
        (&json!("10.50"), &json!("expense"), &json!(1))
    );
    assert_eq!((&replaced["account_id"], &replaced["status"]), (&Value::Null, &json!("pending")));
    ana.delete(&location).gone();
    ana.get(&location).problem(404, "ErrNotFound");
    ana.delete(&location).problem(404, "ErrNotFound");
    ana.put(&location, item("income", category, "1")).problem(404, "ErrNotFound");
    for action in ["confirm", "late", "unlate", "ignore", "unignore"] {
        ana.post_nothing(&format!("{location}/{action}")).problem(404, "ErrNotFound");
    }
    assert_eq!(ana.get("/api/recurring").ok(), json!([]));
}

#[test]
fn items_are_listed_by_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    for day in [20, 5, 20, 31, 1] {
        let mut body = item("expense", category, "10");
        body["day"] = json!(day);
        ana.post("/api/recurring", body).created();
    }
    let listed = ana.get("/api/recurring").ok();
    let days: Vec<i64> = listed.as_array().unwrap().iter().map(|item| item["day"].as_i64().unwrap()).collect();
    assert_eq!(days, [1, 5, 20, 20, 31]);
    assert!(id(&listed[2]) < id(&listed[3]), "equal days by id");
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (hers, category) = (category(&bia, "Dela"), category(&ana, "Renda"));
    let account = bia.create("/api/accounts", json!({ "name": "Dela", "kind": "current" }));
    let all = ["type", "description", "amount", "category_id", "day"];
    ana.post("/api/recurring", json!({})).invalid(&all);
    let wrong = json!({ "type": "both", "description": " ", "amount": "-1", "category_id": "1", "day": 0,
        "account_id": account });
    ana.post("/api/recurring", wrong).invalid(&["type", "description", "amount", "category_id", "day", "account_id"]);
    ana.post("/api/recurring", item("income", hers, "1")).invalid(&["category_id"]);
    let first = path(recurring(&ana, "income", category, "1"));
    for (field, value) in [
        ("day", json!(32)),
        ("day", json!("5")),
        ("day", json!(1.5)),
        ("day", json!(-1)),
        ("amount", json!(0)),
        ("amount", json!("1.001")),
        ("amount", json!("10000000000.00")),
        ("amount", json!([])),
        ("description", json!("x".repeat(256))),
        ("description", json!("a\0b")),
        ("category_id", Value::Null),
        ("category_id", json!(999_999)),
        ("account_id", json!(999_999)),
        ("type", json!("Income")),
    ] {
        let mut body = item("income", category, "1");
        body[field] = value;
        ana.post("/api/recurring", body.clone()).invalid(&[field]);
        ana.put(&first, body).invalid(&[field]);
    }
    assert_eq!(ana.get("/api/recurring").ok().as_array().unwrap().len(), 1);
}

#[test]
fn a_month_that_cannot_be_read_is_refused_everywhere() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let first = path(recurring(&ana, "income", category, "1"));
    for month in ["2026-13", "2026-3", "março", "", "2026-03-01", "1899-12", "2200-01"] {
        let query = format!("?month={}", month.replace('ç', "%C3%A7"));
        ana.get(&format!("/api/recurring{query}")).invalid(&["month"]);
        ana.get(&format!("{first}{query}")).invalid(&["month"]);
        ana.post(&format!("/api/recurring{query}"), item("income", category, "1")).invalid(&["month"]);
        ana.put(&format!("{first}{query}"), item("income", category, "1")).invalid(&["month"]);
        for action in ["confirm", "late", "ignore", "unignore"] {
            ana.post_nothing(&format!("{first}/{action}{query}")).invalid(&["month"]);
        }
    }
    assert_eq!(stands(&ana, id(&ana.get(&first).ok()), "").0, "pending");
}

#[test]
fn deleting_an_item_leaves_its_transactions() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let id = recurring(&ana, "income", category, "100.00");
    let made = ana.post_nothing(&format!("{}/confirm", path(id))).created();
    ana.delete(&format!("/api/categories/{category}")).problem(409, "ErrCategoryInUse");
    ana.delete(&path(id)).gone();
    assert_eq!(ana.all_transactions(), std::slice::from_ref(&made));
    let again = recurring(&ana, "income", category, "100.00");
    assert_eq!(stands(&ana, again, ""), ("covered".into(), made["id"].as_i64()), "which is free again");
    ana.delete(&format!("/api/transactions/{}", made["id"])).gone();
    ana.delete(&format!("/api/categories/{category}")).problem(409, "ErrCategoryInUse");
    ana.delete(&path(again)).gone();
    ana.delete(&format!("/api/categories/{category}")).gone();
}

#[test]
fn another_profile_has_no_such_item() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let mine = category(&bia, "Renda");
    let hers = recurring(&ana, "income", category(&ana, "Renda"), "100.00");
    bia.get(&path(hers)).problem(404, "ErrNotFound");
    bia.put(&path(hers), item("income", mine, "1")).problem(404, "ErrNotFound");
    bia.delete(&path(hers)).problem(404, "ErrNotFound");
    for action in ["confirm", "late", "ignore", "unignore"] {
        bia.post_nothing(&format!("{}/{action}", path(hers))).problem(404, "ErrNotFound");
    }
    assert_eq!(bia.get("/api/recurring").ok(), json!([]));
    assert_eq!(status(&ana, hers), "pending");
}

#[test]
fn a_profile_holds_five_hundred_items() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category_id = category(&ana, "Casa");
    app.sql(&format!(
        "insert into recurring (profile_id, kind, description, amount, category_id, day)
        select {}, 'expense', 'Algo', n, {category_id}, 5 from generate_series(1, 499) as n",
        ana.caller().profile_id.0
    ));
    let last = recurring(&ana, "income", category_id, "1.00");
    let one_more = item("income", category_id, "2.00");
    let problem = ana.post("/api/recurring", one_more.clone()).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 500 recurring items.");
    assert_eq!(ana.get("/api/recurring").ok().as_array().unwrap().len(), 500);
    ana.delete(&path(last)).gone();
    ana.post("/api/recurring", one_more).created();
}
