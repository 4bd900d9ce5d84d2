//! Where a line counts like a transaction.

use finance_tests::TestApp;
use serde_json::{Value, json};

use super::{PATH, categories, expense, line, one, spent};

#[test]
fn totals_taxes_and_budgets_go_by_lines() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let food = ana.create("/api/categories", json!({ "name": "Comida", "monthly_budget": "50" }));
    let tax = ana.create("/api/categories", json!({ "name": "Taxas", "is_tax": true, "tax_kind": "health" }));
    let split = ana.create(PATH, expense("100.00", json!([line(food, "75.00"), line(tax, "25.00")])));
    let mut income = expense("10.00", json!([line(food, "4.00"), line(tax, "6.00")]));
    income["type"] = json!("income");
    ana.create(PATH, income);
    let dashboard = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!(
        (&dashboard["income"], &dashboard["expenses"], &dashboard["taxes"]),
        (&json!("10.00"), &json!("100.00"), &json!("25.00"))
    );
    let of_food = dashboard["spending_by_category"].as_array().unwrap().iter().find(|row| row["category_id"] == food);
    let of_food = of_food.unwrap();
    assert_eq!((&of_food["total"], &of_food["monthly_budget"]), (&json!("75.00"), &json!("50.00")));
    // The transaction moves to another month.
    let mut moved = expense("100.00", json!([line(food, "75.00"), line(tax, "25.00")]));
    moved["date"] = json!("2026-02-28");
    ana.put(&one(&json!(split)), moved).ok();
    assert_eq!(spent(&ana, "2026-03"), []);
    assert_eq!(spent(&ana, "2026-02"), [(json!(food), "75.00".into()), (json!(tax), "25.00".into())]);
    // The report for the yearly return has the line, under the transaction's description.
    let report = ana.get("/api/reports/irpf?year=2026").ok();
    let payees = json!([{ "key": "atacado", "description": "Atacado", "total": "25.00" }]);
    let health = json!({ "tax_kind": "health", "total": "25.00", "payees": payees });
    assert_eq!(report["categories"], json!([health]));
    // The sums are the same after they are computed again.
    let sums = || app.rows("select * from month_totals order by month, category_id");
    let before = sums();
    app.rebuild_sums();
    assert_eq!(sums(), before);
    assert_eq!(ana.delete("/api/transactions?month=2026-02").ok(), json!({ "deleted": 1 }));
    assert_eq!(spent(&ana, "2026-02"), []);
}

#[test]
fn the_filter_of_a_category_finds_lines_and_the_summary_adds_them_up() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let split =
        ana.create(PATH, expense("100.00", json!([line(food, "50.00"), line(house, "40.00"), line(food, "10.00")])));
    let mut whole = expense("7.00", Value::Null);
    whole["category_id"] = json!(food);
    let whole = ana.create(PATH, whole);
    let bare = ana.create(PATH, expense("3.00", Value::Null));
    for (query, ids, expenses) in [
        ("".to_string(), vec![bare, whole, split], "110.00"),
        (format!("category_id={food}"), vec![whole, split], "67.00"),
        (format!("category_id={house}"), vec![split], "40.00"),
        ("category_id=none".to_string(), vec![bare], "3.00"),
        (format!("category_id={food}&type=income"), vec![], "0.00"),
        (format!("category_id={food}&month=2026-04"), vec![], "0.00"),
        (format!("category_id={house}&q=atacado&account_id=none"), vec![split], "40.00"),
        ("category_id=9000000000".to_string(), vec![], "0.00"),
    ] {
        let found = ana.all(&format!("{PATH}?limit=1&{query}"));
        assert_eq!(found.iter().map(|row| row["id"].as_i64().unwrap()).collect::<Vec<_>>(), ids, "{query}");
        let summary = json!({ "count": ids.len(), "income": "0.00", "expenses": expenses });
        assert_eq!(ana.get(&format!("{PATH}/summary?{query}")).ok(), summary, "{query}");
    }
}

#[test]
fn recurring_items_are_covered_by_lines() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let item = |category: i64, amount: &str| {
        let body =
            json!({ "type": "expense", "description": "Item", "amount": amount, "category_id": category, "day": 10 });
        ana.create("/api/recurring", body)
    };
    let (rent, condominium, market) = (item(house, "1000.00"), item(house, "500.00"), item(food, "300.00"));
    let stands = |id: i64| {
        let item = ana.get(&format!("/api/recurring/{id}?month=2026-03")).ok();
        (item["status"].as_str().unwrap().to_string(), item["transaction_id"].as_i64())
    };
    // The whole amount matches no item, but two of the lines cover two items of one category.
    let lines = json!([line(house, "1050.00"), line(house, "460.00"), line(food, "90.00")]);
    let split = ana.create(PATH, expense("1600.00", lines));
    assert_eq!(stands(rent), ("covered".into(), Some(split)));
    assert_eq!(stands(condominium), ("covered".into(), Some(split)));
    assert_eq!(stands(market), ("pending".into(), None));
    // A line whose amount differs too much covers nothing, and neither does a line of the other type.
    let lines = json!([line(house, "1100.01"), line(house, "409.99"), line(food, "90.00")]);
    ana.put(&one(&json!(split)), expense("1600.00", lines)).ok();
    assert_eq!(stands(rent), ("pending".into(), None));
    assert_eq!(stands(condominium), ("pending".into(), None));
    let mut income = expense("400.00", json!([line(food, "300.00"), line(house, "100.00")]));
    income["type"] = json!("income");
    let income = ana.create(PATH, income);
    assert_eq!(stands(market), ("pending".into(), None));
    ana.delete(&one(&json!(income))).gone();
    let mut other = expense("300.00", Value::Null);
    other["category_id"] = json!(food);
    let other = ana.create(PATH, other);
    assert_eq!(stands(market), ("covered".into(), Some(other)));
}

#[test]
fn ordinary_spending_is_what_lines_leave() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let tax = ana.create("/api/categories", json!({ "name": "Taxas", "is_tax": true }));
    let rent =
        json!({ "type": "expense", "description": "Aluguel", "amount": "1000.00", "category_id": house, "day": 10 });
    ana.create("/api/recurring", rent);
    for month in ["2025-12", "2026-01", "2026-02"] {
        let mut body = expense("1600.00", json!([line(house, "1000.00"), line(food, "370.00"), line(tax, "230.00")]));
        body["date"] = json!(format!("{month}-05"));
        ana.create(PATH, body);
    }
    // The rent is foreseen as an item, and the tax is not ordinary spending, so 370 a month are left.
    let forecast = ana.get("/api/forecast?months=2&baseline=median3").ok();
    assert_eq!(forecast["months"][1]["estimated"], "370.00");
}

#[test]
fn a_split_row_that_is_linked_is_on_its_item_whatever_its_categories() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let school = ana.create("/api/categories", json!({ "name": "Escola" }));
    let item = ana.create(
        "/api/recurring",
        json!({ "type": "expense", "description": "Escola", "amount": "500.00", "category_id": school, "day": 10,
            "start_on": "2025-12-10", "every": { "n": 1, "unit": "month" } }),
    );
    for date in ["2025-12-10", "2026-01-10", "2026-02-10"] {
        let mut body = expense("500.00", json!([line(food, "200.00"), line(house, "300.00")]));
        body["date"] = json!(date);
        let row = ana.create(PATH, body);
        ana.post(&format!("/api/recurring/{item}/link?due={date}"), json!({ "transaction_ids": [row] })).ok();
    }
    let forecast = ana.get("/api/forecast?months=2&baseline=median3").ok();
    assert_eq!(forecast["months"][1]["estimated"], "0.00");
}
