//! Transactions that are split into lines: how they are stored, and where a line counts like a transaction.

mod counting;
mod imported;

use finance_tests::{Client, TestApp, id, money};
use serde_json::{Value, json};

const PATH: &str = "/api/transactions";

fn one(id: &Value) -> String {
    format!("{PATH}/{id}")
}

fn line(category_id: i64, amount: &str) -> Value {
    json!({ "category_id": category_id, "amount": amount })
}

fn expense(amount: &str, lines: Value) -> Value {
    json!({ "type": "expense", "date": "2026-03-05", "description": "Atacado", "amount": amount, "lines": lines })
}

/// Two categories of a user.
fn categories(client: &Client) -> (i64, i64) {
    let make = |name: &str| client.create("/api/categories", json!({ "name": name }));
    (make("Comida"), make("Casa nova"))
}

/// The spending of a month by category.
fn spent(client: &Client, month: &str) -> Vec<(Value, String)> {
    let dashboard = client.get(&format!("/api/dashboard?month={month}")).ok();
    let spending = dashboard["spending_by_category"].as_array().unwrap().iter();
    let mut spent: Vec<_> =
        spending.map(|row| (row["category_id"].clone(), row["total"].as_str().unwrap().to_string())).collect();
    spent.sort_by_key(|(id, _)| id.as_i64());
    spent
}

#[test]
fn a_transaction_takes_lines_and_gives_them_up() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let lines = json!([line(food, "60.00"), line(house, "30.00"), line(food, "10.00")]);
    let made = ana.post(PATH, expense("100.00", lines.clone())).created();
    assert_eq!((&made["lines"], &made["category_id"], &made["amount"]), (&lines, &Value::Null, &json!("100.00")));
    let path = one(&made["id"]);
    assert_eq!(ana.get(&path).ok(), made);
    assert_eq!(ana.get(PATH).ok(), json!([made]));
    assert_eq!(spent(&ana, "2026-03"), [(json!(food), "70.00".into()), (json!(house), "30.00".into())]);
    // A client can send back what it read.
    assert_eq!(ana.put(&path, made.clone()).ok(), made);
    // Fewer lines, other lines, more lines, no lines: an update replaces all of them.
    for lines in [
        json!([line(house, "50.00"), line(food, "50.00")]),
        json!([line(house, "0.01"), line(house, "0.02"), line(food, "99.97"), line(food, "0.01")]),
    ] {
        let amount = if lines.as_array().unwrap().len() == 2 { "100.00" } else { "100.01" };
        let changed = ana.put(&path, expense(amount, lines.clone())).ok();
        assert_eq!((&changed["lines"], &changed["amount"]), (&lines, &json!(amount)));
        assert_eq!(ana.get(&path).ok(), changed);
    }
    assert_eq!(spent(&ana, "2026-03"), [(json!(food), "99.98".into()), (json!(house), "0.03".into())]);
    let whole = json!({ "type": "expense", "date": "2026-03-05", "description": "Atacado", "amount": "100.00",
        "category_id": food });
    let whole = ana.put(&path, whole).ok();
    assert_eq!((&whole["lines"], &whole["category_id"]), (&Value::Null, &json!(food)));
    assert_eq!(spent(&ana, "2026-03"), [(json!(food), "100.00".into())]);
    assert_eq!(app.rows("select * from transaction_lines"), Vec::<Value>::new());
    ana.put(&path, expense("90.00", json!([line(food, "45.00"), line(house, "45")]))).ok();
    ana.delete(&path).gone();
    assert_eq!(spent(&ana, "2026-03"), []);
    assert_eq!(app.rows("select * from transaction_lines"), Vec::<Value>::new());
    assert_eq!(app.rows("select * from month_totals"), Vec::<Value>::new());
}

#[test]
fn what_is_wrong_with_lines_is_told_by_its_field() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (food, house) = categories(&ana);
    let (bias, _) = categories(&bia);
    let twenty = vec![line(food, "5.00"); 20];
    ana.post(PATH, expense("100.00", json!(twenty))).created();
    for (lines, fields) in [
        (json!([]), vec!["lines"]),
        (json!([line(food, "100.00")]), vec!["lines"]),
        (json!(vec![line(food, "1.00"); 21]), vec!["lines"]),
        (json!(vec![line(food, "1.00"); 1_000]), vec!["lines"]),
        (json!([line(food, "60.00"), line(house, "39.99")]), vec!["lines"]),
        (json!([line(food, "60.00"), line(house, "40.01")]), vec!["lines"]),
        (json!({}), vec!["lines"]),
        (json!("x"), vec!["lines"]),
        (json!(7), vec!["lines"]),
        (json!([1, null]), vec!["lines[0]", "lines[1]"]),
        (json!([{}, line(house, "40.00")]), vec!["lines[0].category_id", "lines[0].amount"]),
        (json!([line(food, "0"), line(house, "100.00")]), vec!["lines[0].amount"]),
        (json!([line(food, "-40.00"), line(house, "140.00")]), vec!["lines[0].amount"]),
        (json!([line(food, "40.001"), line(house, "59.999")]), vec!["lines[0].amount", "lines[1].amount"]),
        (json!([line(food, "10000000000.00"), line(house, "1")]), vec!["lines[0].amount"]),
        (json!([line(food, "x"), line(house, "60.00")]), vec!["lines[0].amount"]),
        (json!([line(bias, "40.00"), line(house, "60.00")]), vec!["lines[0].category_id"]),
        (
            json!([line(9_000_000_000, "40.00"), line(-1, "60.00")]),
            vec!["lines[0].category_id", "lines[1].category_id"],
        ),
        (json!([{ "category_id": "1", "amount": 40 }, line(house, "60.00")]), vec!["lines[0].category_id"]),
        (json!([{ "category_id": null, "amount": 40 }, line(house, "60.00")]), vec!["lines[0].category_id"]),
    ] {
        ana.post(PATH, expense("100.00", lines)).invalid(&fields);
    }
    let mut both = expense("100.00", json!([line(food, "60.00"), line(house, "40.00")]));
    both["category_id"] = json!(food);
    let problem = ana.post(PATH, both.clone()).invalid(&["category_id"]);
    assert_eq!(problem["errors"][0]["code"], "with_lines");
    let made = ana.post(PATH, expense("100.00", json!([line(food, "60.00"), line(house, "40")])));
    let made = made.created();
    ana.put(&one(&made["id"]), both).invalid(&["category_id"]);
    let problem = ana.put(&one(&made["id"]), expense("100.01", made["lines"].clone())).invalid(&["lines"]);
    let error = &problem["errors"][0];
    assert_eq!((&error["code"], &error["params"]["sum"]), (&json!("lines_sum"), &json!("100.00")));
    assert_eq!(ana.get(&one(&made["id"])).ok(), made, "nothing of it was saved");
    // If the amount cannot be read, there is no error about the sum.
    ana.post(PATH, expense("x", made["lines"].clone())).invalid(&["amount"]);
}

#[test]
fn a_split_row_takes_no_category_in_bulk_and_is_moved_to_an_account() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let card =
        ana.create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
    let lines = json!([line(food, "60.00"), line(house, "40.00")]);
    let split = ana.create(PATH, expense("100.00", lines.clone()));
    let whole = ana.create(PATH, expense("5.00", Value::Null));
    let update = |body: Value| ana.post("/api/transactions/update", body);
    let problem = update(json!({ "ids": [whole, split, split], "category_id": food })).invalid(&["ids[1]", "ids[2]"]);
    assert!(problem["errors"].as_array().unwrap().iter().all(|error| error["code"] == "is_split"), "{problem}");
    assert_eq!(ana.get(&one(&json!(whole))).ok()["category_id"], Value::Null, "all of them or none");
    let moved = update(json!({ "ids": [whole, split], "category_id": null, "account_id": card })).ok();
    assert_eq!(moved, json!({ "updated": 2 }));
    let row = ana.get(&one(&json!(split))).ok();
    assert_eq!((&row["lines"], &row["account_id"]), (&lines, &json!(card)));
    assert_eq!(ana.balance(card), -10_500);
    let bills = ana.get("/api/credit-bills").ok();
    let total = |bill: &&Value| bill["total"] == "105.00";
    assert!(bills.as_array().unwrap().iter().any(|bill| total(&bill)), "{bills}");
    ana.post("/api/transactions/delete", json!({ "ids": [whole, split] })).ok();
    assert_eq!(app.rows("select * from transaction_lines"), Vec::<Value>::new());
}

#[test]
fn a_transfer_has_no_lines_and_a_split_row_is_none() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let (bank, other) = (ana.open_account("Banco", "current"), ana.open_account("Outro", "current"));
    let lines = json!([line(food, "60.00"), line(house, "40.00")]);
    let mut body = expense("100.00", lines);
    body["account_id"] = json!(bank);
    body["description"] = json!("Transferência enviada para Ana");
    let split = ana.post(PATH, body.clone()).created();
    body["is_transfer"] = json!(true);
    let problem = ana.put(&one(&split["id"]), body).invalid(&["lines"]);
    assert_eq!(problem["errors"][0]["code"], "lines_of_transfer");
    let arrived = json!({ "type": "income", "date": "2026-03-05", "description": "Transferência recebida de Ana",
        "amount": "100.00", "account_id": other });
    let arrived = ana.post(PATH, arrived).created();
    assert_eq!(ana.get("/api/transfers/suggestions").ok(), json!([]));
    assert_eq!(ana.post("/api/transfers/detect", json!({})).ok()["linked"], 0);
    let link = json!({ "from_id": split["id"], "to_id": arrived["id"] });
    let problem = ana.post("/api/transfers/link", link.clone()).invalid(&["from_id"]);
    assert_eq!(problem["errors"][0]["code"], "is_split");
    // A transaction without lines can be linked. A leg of a transfer accepts no lines.
    let mut whole = split.clone();
    whole["lines"] = Value::Null;
    ana.put(&one(&split["id"]), whole).ok();
    ana.post("/api/transfers/link", link).created();
    ana.put(&one(&split["id"]), split.clone()).problem(409, "ErrTransferLeg");
}

#[test]
fn a_category_of_a_line_is_in_use_and_moves_with_its_lines() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let split = ana.create(PATH, expense("100.00", json!([line(food, "60.00"), line(house, "40.00")])));
    ana.delete(&format!("/api/categories/{food}")).problem(409, "ErrCategoryInUse");
    ana.delete(&format!("/api/categories/{food}?move_to={house}")).gone();
    let row = ana.get(&one(&json!(split))).ok();
    assert_eq!(row["lines"], json!([line(house, "60.00"), line(house, "40.00")]));
    assert_eq!(spent(&ana, "2026-03"), [(json!(house), "100.00".into())]);
}

#[test]
fn updates_at_once_leave_the_lines_of_one_of_them() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let split = ana.create(PATH, expense("100.00", json!([line(food, "60.00"), line(house, "40.00")])));
    let path = one(&json!(split));
    let sent: Vec<Value> = (2..=20)
        .map(|count: i128| {
            let mut lines = vec![line(food, "1.00"); usize::try_from(count).unwrap() - 1];
            lines.push(line(house, &money(10_000 - 100 * (count - 1))));
            json!(lines)
        })
        .collect();
    std::thread::scope(|scope| {
        for lines in &sent {
            let (ana, path) = (&ana, &path);
            scope.spawn(move || ana.put(path, expense("100.00", lines.clone())).ok());
        }
    });
    let row = ana.get(&path).ok();
    assert!(sent.contains(&row["lines"]), "{row}");
}

#[test]
fn an_idempotent_post_splits_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, house) = categories(&ana);
    let body = expense("100.00", json!([line(food, "60.00"), line(house, "40.00")])).to_string().into_bytes();
    let send = || {
        let headers = [("Idempotency-Key", "split-1")];
        ana.send_with(finance_tests::Method::POST, PATH, Some("application/json"), body.clone(), &headers).created()
    };
    assert_eq!(id(&send()), id(&send()));
    assert_eq!(ana.get(PATH).ok().as_array().unwrap().len(), 1);
}
