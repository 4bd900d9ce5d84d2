//! `/api/categories`.

use finance_tests::TestApp;
use serde_json::json;

use crate::household::Household;

#[test]
fn a_new_profile_starts_with_the_standard_categories() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let listed = ana.get("/api/categories").ok();
    let listed = listed.as_array().unwrap();
    assert!(listed.iter().all(|category| category["is_standard"] == true && category["monthly_budget"].is_null()));
    assert!(listed.iter().any(|category| category["is_tax"] == true));
}

#[test]
fn a_category_is_created_read_replaced_and_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let reply = ana.post("/api/categories", json!({ "name": "  Pets ", "monthly_budget": 250.5 }));
    let location = reply.header("Location").unwrap().to_string();
    let created = reply.created();
    assert_eq!(created["name"], "Pets");
    assert_eq!(created["monthly_budget"], "250.50");
    assert_eq!(created["is_standard"], false);
    assert_eq!(created["profile_id"], ana.caller().profile_id.0);
    assert_eq!(location, format!("/api/categories/{}", created["id"]));
    assert_eq!(ana.get(&location).ok(), created);
    let mut changed = created.clone();
    changed["name"] = json!("Bichos");
    changed["id"] = json!(1);
    changed["is_standard"] = json!(true);
    let replaced = ana.put(&location, changed).ok();
    assert_eq!(replaced["id"], created["id"]);
    assert_eq!(replaced["name"], "Bichos");
    assert_eq!(replaced["is_standard"], false, "a read-only field is ignored");
    ana.delete(&location).gone();
    ana.get(&location).problem(404, "ErrNotFound");
    ana.delete(&location).problem(404, "ErrNotFound");
}

#[test]
fn names_are_unique_whatever_the_case() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let id = ana.post("/api/categories", json!({ "name": "Açúcar" })).created()["id"].clone();
    ana.post("/api/categories", json!({ "name": "AÇÚCAR" })).problem(409, "ErrCategoryNameTaken");
    let other = ana.post("/api/categories", json!({ "name": "Sal" })).created()["id"].clone();
    ana.put(&format!("/api/categories/{other}"), json!({ "name": "açúcar" })).problem(409, "ErrCategoryNameTaken");
    ana.put(&format!("/api/categories/{id}"), json!({ "name": "AÇÚCAR" })).ok();
    bia.post("/api/categories", json!({ "name": "Açúcar" })).created();
}

#[test]
fn a_standard_category_is_edited_but_not_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let standard = ana.get("/api/categories").ok()[0].clone();
    let path = format!("/api/categories/{}", standard["id"]);
    ana.put(&path, json!({ "name": "Comida", "monthly_budget": "0" })).ok();
    ana.delete(&path).problem(409, "ErrStandardCategory");
}

#[test]
fn a_category_in_use_is_not_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = ana.post("/api/categories", json!({ "name": "Pets" })).created()["id"].clone();
    let transaction =
        json!({ "type": "expense", "date": "2026-03-01", "description": "Ração", "amount": "80", "category_id": id });
    let transaction = ana.post("/api/transactions", transaction).created()["id"].clone();
    ana.delete(&format!("/api/categories/{id}")).problem(409, "ErrCategoryInUse");
    ana.delete(&format!("/api/transactions/{transaction}")).gone();
    ana.delete(&format!("/api/categories/{id}")).gone();
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post("/api/categories", json!({})).invalid(&["name"]);
    ana.post("/api/categories", json!({ "name": 7, "is_tax": "yes", "monthly_budget": -1 })).invalid(&[
        "name",
        "is_tax",
        "monthly_budget",
    ]);
    ana.post("/api/categories", json!({ "name": "x".repeat(101) })).invalid(&["name"]);
    ana.post("/api/categories", json!({ "name": "a\0b", "monthly_budget": "1.005" }))
        .invalid(&["name", "monthly_budget"]);
    ana.post("/api/categories", json!({ "name": "x", "monthly_budget": "10000000000.00" }))
        .invalid(&["monthly_budget"]);
    ana.post("/api/categories", json!(["name"])).invalid(&["body"]);
}

#[test]
fn another_profile_has_no_such_category() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let id = ana.post("/api/categories", json!({ "name": "Pets" })).created()["id"].clone();
    let path = format!("/api/categories/{id}");
    bia.get(&path).problem(404, "ErrNotFound");
    bia.put(&path, json!({ "name": "Meus" })).problem(404, "ErrNotFound");
    bia.delete(&path).problem(404, "ErrNotFound");
    assert_eq!(ana.get(&path).ok()["name"], "Pets");
}

#[test]
fn a_profile_holds_five_hundred_categories_with_the_standard_ones() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let standard = ana.get("/api/categories").ok().as_array().unwrap().len();
    assert!(standard > 0);
    app.sql(&format!(
        "insert into categories (profile_id, name, name_key, is_tax, is_standard)
        select {}, n::text, n::text, false, false from generate_series({standard} + 1, 499) as n",
        ana.caller().profile_id.0
    ));
    let last = ana.create("/api/categories", json!({ "name": "Última" }));
    let problem = ana.post("/api/categories", json!({ "name": "Mais uma" })).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 500 categories.");
    assert_eq!(ana.get("/api/categories").ok().as_array().unwrap().len(), 500);
    ana.delete(&format!("/api/categories/{last}")).gone();
    ana.create("/api/categories", json!({ "name": "Mais uma" }));
}

#[test]
fn a_deleted_category_leaves_its_rows_to_another_one() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let bia = Household::new(&app, "bia");
    let client = &ana.client;
    let pets = format!("/api/categories/{}", ana.category);
    let other = client.create("/api/categories", json!({ "name": "Bichos", "monthly_budget": "100" }));
    let body = json!({ "type": "income", "date": "2026-03-09", "description": "Troco", "amount": "3.50", "category_id": other });
    client.create("/api/transactions", body);
    let before = client.get(&format!("/api/transactions/summary?category_id={}", ana.category)).ok();
    assert_eq!(before["count"], 1);
    for wrong in [ana.category, bia.category, 999_999] {
        client.delete(&format!("{pets}?move_to={wrong}")).invalid(&["move_to"]);
    }
    client.delete(&format!("{pets}?move_to=x")).invalid(&["move_to"]);
    client.delete(&pets).problem(409, "ErrCategoryInUse");
    let dashboard = client.get("/api/dashboard?month=2026-03").ok();
    client.delete(&format!("{pets}?move_to={other}")).gone();
    client.get(&pets).problem(404, "ErrNotFound");
    let after = client.get(&format!("/api/transactions/summary?category_id={other}")).ok();
    assert_eq!(after, json!({ "count": 2, "income": "3.50", "expenses": "80.00" }));
    assert_eq!(client.get(&format!("/api/recurring/{}", ana.recurring)).ok()["category_id"], other);
    let now = client.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&now["income"], &now["expenses"]), (&dashboard["income"], &dashboard["expenses"]));
    let spent = now["spending_by_category"].as_array().unwrap().iter().find(|row| row["category_id"] == other).cloned();
    assert_eq!(spent.map(|row| row["total"].clone()), Some(json!("80.00")));
    assert_eq!(app.wrong_sums(), Vec::<String>::new());
    // A standard category cannot be deleted.
    let standard = client.get("/api/categories").ok()[0]["id"].as_i64().unwrap();
    client.delete(&format!("/api/categories/{standard}?move_to={other}")).problem(409, "ErrStandardCategory");
}
