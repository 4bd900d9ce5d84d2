//! `/api/transactions`.

mod pages;

use finance_tests::{Reply, TestApp};
use pages::all;
use serde_json::{Value, json};
use time::macros::date;

use crate::household::{Household, id};

const PATH: &str = "/api/transactions";

/// An expense with its required fields, and these additional ones.
fn expense(date: &str, description: &str, more: Value) -> Value {
    let mut body = json!({ "type": "expense", "date": date, "description": description, "amount": "10" });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

fn at(id: &Value) -> String {
    format!("{PATH}/{id}")
}

fn descriptions(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["description"].as_str().unwrap()).collect()
}

fn ids(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|row| id(&row["id"])).collect()
}

#[test]
fn a_transaction_is_created_read_replaced_and_deleted() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let body = json!({ "type": "income", "date": "2026-03-01", "description": " Venda ", "amount": 12.5,
        "category_id": ana.category, "account_id": ana.account, "external_id": " v-1 " });
    let created = client.post(PATH, body).created();
    let path = at(&created["id"]);
    let expected = json!({ "id": created["id"], "profile_id": client.caller().profile_id.0, "type": "income",
        "category_id": ana.category, "account_id": ana.account, "date": "2026-03-01", "original_date": null,
        "external_id": "v-1", "source": "manual", "description": "Venda", "display": { "name": "Venda", "method": null }, "statement_description": null, "amount": "12.50",
        "transfer_id": null, "import_id": null, "is_transfer": false, "installment": null, "lines": null, "tags": [], "note": null, "created_at": created["created_at"],
        "created_by": client.get("/api/auth/me").ok()["member_id"] });
    assert_eq!(created, expected);
    assert_eq!(client.get(&path).ok(), expected);
    let replaced = client.put(&path, expense("2026-02-28", "Compra", json!({ "amount": "3" }))).ok();
    let expected = json!({ "id": created["id"], "profile_id": client.caller().profile_id.0, "type": "expense",
        "category_id": null, "account_id": null, "date": "2026-02-28", "original_date": null, "external_id": null,
        "source": "manual", "description": "Compra", "display": { "name": "Compra", "method": null }, "statement_description": null, "amount": "3.00",
        "transfer_id": null, "import_id": null, "is_transfer": false, "installment": null, "lines": null, "tags": [], "note": null, "created_at": created["created_at"],
        "created_by": client.get("/api/auth/me").ok()["member_id"] });
    assert_eq!(replaced, expected, "what a PUT leaves out is taken out");
    assert_eq!(client.get(&path).ok(), expected);
    client.delete(&path).gone();
    client.get(&path).problem(404, "ErrNotFound");
    client.put(&path, expense("2026-02-28", "Compra", json!({}))).problem(404, "ErrNotFound");
    client.delete(&path).problem(404, "ErrNotFound");
}

#[test]
fn balances_follow_every_change() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account =
        |name: &str| ana.post("/api/accounts", json!({ "name": name, "kind": "current" })).created()["id"].clone();
    let (first, second) = (account("Primeira"), account("Segunda"));
    let balances = || [&first, &second].map(|id| ana.get(&format!("/api/accounts/{id}")).ok()["balance"].clone());
    let created = ana.post(PATH, expense("2026-03-01", "x", json!({ "account_id": first }))).created();
    let path = at(&created["id"]);
    assert_eq!(balances(), ["-10.00", "0.00"]);
    ana.put(&path, expense("2026-03-01", "x", json!({ "account_id": first, "amount": "4.50" }))).ok();
    assert_eq!(balances(), ["-4.50", "0.00"]);
    ana.put(&path, expense("2026-03-01", "x", json!({ "account_id": second, "type": "income" }))).ok();
    assert_eq!(balances(), ["0.00", "10.00"]);
    ana.put(&path, expense("2026-03-01", "x", json!({}))).ok();
    assert_eq!(balances(), ["0.00", "0.00"]);
    ana.put(&path, expense("2026-03-01", "x", json!({ "account_id": second }))).ok();
    ana.delete(&path).gone();
    assert_eq!(balances(), ["0.00", "0.00"]);
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = Household::new(&app, "bia");
    ana.post(PATH, json!({})).invalid(&["type", "date", "description", "amount"]);
    let wrong = json!({ "type": "gift", "date": "2025-02-30", "description": " ", "amount": "0", "category_id": 9_000_000_000_i64,
        "account_id": 9_000_000_000_i64, "external_id": "x".repeat(256) });
    let every = ["type", "date", "description", "amount", "category_id", "account_id", "external_id"];
    ana.post(PATH, wrong).invalid(&every);
    let mistyped = json!({ "type": 1, "date": 2, "description": 3, "amount": [], "category_id": "4", "account_id": 5.5,
        "external_id": 6 });
    ana.post(PATH, mistyped).invalid(&every);
    let foreign = json!({ "category_id": bia.category, "account_id": bia.account, "amount": "0.001" });
    ana.post(PATH, expense("2026-03-01", "x", foreign)).invalid(&["category_id", "account_id", "amount"]);
    assert_eq!(ana.get(PATH).ok(), json!([]));
}

#[test]
fn a_row_of_another_profile_is_no_reference() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let path = format!("{PATH}/{}", bia.transaction);
    let before = bia.client.get(&path).ok();
    for (field, anas) in [("category_id", ana.category), ("account_id", ana.account)] {
        for unknown in [anas, 0, -1, i64::MAX] {
            let body = expense("2026-03-01", "x", json!({ field: unknown }));
            bia.client.post(PATH, body.clone()).invalid(&[field]);
            bia.client.put(&path, body).invalid(&[field]);
        }
    }
    assert_eq!(bia.client.get(&path).ok(), before);
    bia.client.get(&format!("{PATH}/{}", ana.transaction)).problem(404, "ErrNotFound");
}

#[test]
fn filters_combine() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = |name: &str| id(&ana.post("/api/categories", json!({ "name": name })).created()["id"]);
    let account =
        |name: &str| id(&ana.post("/api/accounts", json!({ "name": name, "kind": "current" })).created()["id"]);
    let categories = [None, Some(category("Um")), Some(category("Dois"))];
    let accounts = [None, Some(account("Um")), Some(account("Dois"))];
    let (months, kinds, words) = (["2026-01", "2026-02"], ["income", "expense"], ["Café", "Pão"]);
    let mut stored = Vec::new();
    for (month, day) in [("2026-01", "01"), ("2026-01", "31"), ("2026-02", "01"), ("2026-02", "28")] {
        for (at, category_id) in categories.iter().enumerate() {
            for (position, account_id) in accounts.iter().enumerate() {
                let (kind, word) = (kinds[(at + position) % 2], words[position % 2]);
                let body = json!({ "type": kind, "date": format!("{month}-{day}"), "description": word, "amount": 1,
                    "category_id": category_id, "account_id": account_id });
                stored.push(ana.post(PATH, body).created());
            }
        }
    }
    stored.sort_by_key(|row| std::cmp::Reverse((row["date"].as_str().unwrap().to_string(), id(&row["id"]))));
    let mut count = 0;
    for month in [None, Some(months[0]), Some(months[1])] {
        for category in categories {
            for account in accounts {
                for kind in [None, Some(kinds[0]), Some(kinds[1])] {
                    for word in [None, Some("cafe"), Some("p%C3%A3")] {
                        let filters = [
                            month.map(|month| format!("month={month}")),
                            category.map(|id| format!("category_id={id}")),
                            account.map(|id| format!("account_id={id}")),
                            kind.map(|kind| format!("type={kind}")),
                            word.map(|word| format!("q={word}")),
                        ];
                        let query = filters.into_iter().flatten().collect::<Vec<_>>().join("&");
                        let expected: Vec<i64> = stored
                            .iter()
                            .filter(|row| month.is_none_or(|month| row["date"].as_str().unwrap().starts_with(month)))
                            .filter(|row| category.is_none_or(|id| row["category_id"] == id))
                            .filter(|row| account.is_none_or(|id| row["account_id"] == id))
                            .filter(|row| kind.is_none_or(|kind| row["type"] == kind))
                            .filter(|row| word.is_none_or(|word| (row["description"] == "Café") == (word == "cafe")))
                            .map(|row| id(&row["id"]))
                            .collect();
                        assert_eq!(ids(&ana.get(&format!("{PATH}?{query}")).ok()), expected, "{query}");
                        assert_eq!(all(&ana, &format!("{PATH}?limit=5&{query}")), expected, "{query}, in pages");
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, 3 * 3 * 3 * 3 * 3);
}

#[test]
fn the_list_is_newest_first() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (date, description) in [("2026-01-10", "a"), ("2026-03-01", "b"), ("2026-01-10", "c"), ("2025-12-31", "d")] {
        ana.post(PATH, expense(date, description, json!({}))).created();
    }
    assert_eq!(descriptions(&ana.get(PATH).ok()), ["b", "c", "a", "d"]);
}

#[test]
fn q_finds_a_part_of_the_description_whatever_its_case_and_accents() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for description in [
        "Padaria São João",
        "PADARIA SAO JOAO",
        "Ação de graças",
        "100% algodão",
        "snake_case",
        r"C:\temp",
        "a  b",
        "1000",
        "Ünïcödé",
    ] {
        ana.post(PATH, expense("2026-03-01", description, json!({}))).created();
    }
    for (q, found) in [
        ("s%C3%A3o", vec!["Padaria São João", "PADARIA SAO JOAO"]),
        ("SAO%20JO", vec!["Padaria São João", "PADARIA SAO JOAO"]),
        ("sa%CC%83o", vec!["Padaria São João", "PADARIA SAO JOAO"]),
        ("daria%20s", vec!["Padaria São João", "PADARIA SAO JOAO"]),
        ("padaria+sao", vec!["Padaria São João", "PADARIA SAO JOAO"]),
        ("GRA%C3%87AS", vec!["Ação de graças"]),
        ("unicode", vec!["Ünïcödé"]),
        ("%25", vec!["100% algodão"]),
        ("100%25", vec!["100% algodão"]),
        ("_", vec!["snake_case"]),
        ("e_c", vec!["snake_case"]),
        ("%5C", vec![r"C:\temp"]),
        (r"c:%5Ctemp", vec![r"C:\temp"]),
        ("a%20b", vec!["a  b"]),
        ("a++b", vec!["a  b"]),
        ("%25%25", vec![]),
        ("__", vec![]),
        ("%27", vec![]),
        ("nowhere", vec![]),
    ] {
        let listed = ana.get(&format!("{PATH}?q={q}")).ok();
        let mut listed = descriptions(&listed);
        listed.reverse();
        assert_eq!(listed, found, "{q}");
    }
    for everything in ["", "%20", "+"] {
        assert_eq!(ana.get(&format!("{PATH}?q={everything}")).ok().as_array().unwrap().len(), 9, "{everything:?}");
    }
    ana.get(&format!("{PATH}?q={}", "x".repeat(256))).invalid(&["q"]);
}

#[test]
fn a_month_that_is_none_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for bad in [
        "",
        "2026",
        "2026-13",
        "2026-00",
        "2026-1",
        "2026-01-01",
        "1899-12",
        "2200-01",
        "03-2026",
        "now",
        "2026-01%20",
        "%C3%A9026-01",
    ] {
        ana.get(&format!("{PATH}?month={bad}")).invalid(&["month"]);
        ana.delete(&format!("{PATH}?month={bad}")).invalid(&["month"]);
    }
}

#[test]
fn a_month_is_deleted_and_no_other() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for date in ["2024-01-31", "2024-02-01", "2024-02-15", "2024-02-29", "2024-03-01"] {
        for client in [&ana, &bia] {
            client.post(PATH, expense(date, date, json!({}))).created();
        }
    }
    ana.delete(PATH).invalid(&["month"]);
    ana.delete(&format!("{PATH}?q=x")).invalid(&["month"]);
    assert_eq!(ana.get(PATH).ok().as_array().unwrap().len(), 5);
    assert_eq!(ana.delete(&format!("{PATH}?month=2024-02")).ok(), json!({ "deleted": 3 }));
    assert_eq!(descriptions(&ana.get(PATH).ok()), ["2024-03-01", "2024-01-31"]);
    assert_eq!(ana.delete(&format!("{PATH}?month=2024-02")).ok(), json!({ "deleted": 0 }));
    assert_eq!(bia.get(PATH).ok().as_array().unwrap().len(), 5);
}

#[test]
fn deleting_a_month_deletes_whatever_came_into_it() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    client.delete(&format!("/api/installments/{}", ana.plan)).ok();
    let before = client.get(PATH).ok().as_array().unwrap().len();
    assert_eq!(client.delete(&format!("{PATH}?month=2026-03")).ok(), json!({ "deleted": before }));
    assert_eq!(client.get(PATH).ok(), json!([]));
    client.get(&format!("/api/transfers/{}", ana.transfer)).problem(404, "ErrNotFound");
    for account in [ana.account, ana.savings, ana.card] {
        assert_eq!(client.get(&format!("/api/accounts/{account}")).ok()["balance"], "0.00");
    }
    let bill = client.get(&format!("/api/credit-bills/{}", ana.bill)).ok();
    assert_eq!((&bill["total"], &bill["held"]), (&json!("50.00"), &json!("50.00")), "a statement is still held for it");
}

#[test]
fn an_external_id_is_unique_within_its_account() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let client = &ana.client;
    let body = |account: Option<i64>| expense("2026-03-01", "x", json!({ "account_id": account, "external_id": "E1" }));
    let refused = |reply: Reply| reply.problem(409, "ErrDuplicateExternalId");
    let scopes = [None, Some(ana.account), Some(ana.savings)];
    let stored = scopes.map(|account| client.post(PATH, body(account)).created()["id"].clone());
    for account in scopes {
        refused(client.post(PATH, body(account)));
    }
    let mut other = body(None);
    other["date"] = json!("2020-01-01");
    other["external_id"] = json!("  E1 ");
    refused(client.post(PATH, other));
    refused(client.put(&at(&stored[1]), body(Some(ana.savings))));
    refused(client.put(&at(&stored[1]), body(None)));
    client.put(&at(&stored[1]), body(Some(ana.account))).ok();
    client.post(PATH, expense("2026-03-01", "x", json!({ "external_id": "e1" }))).created();
    bia.client.post(PATH, body(None)).created();
    client.delete(&at(&stored[0])).gone();
    client.post(PATH, body(None)).created();
    for blank in [json!(null), json!(""), json!("  ")] {
        for _ in 0..2 {
            let created = client.post(PATH, expense("2026-03-01", "x", json!({ "external_id": blank }))).created();
            assert_eq!(created["external_id"], Value::Null);
        }
    }
}

#[test]
fn an_imported_transaction_keeps_what_its_statement_said_of_it() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let imported = client.get(&format!("{PATH}?q=padaria")).ok()[0].clone();
    assert_eq!((&imported["source"], &imported["external_id"]), (&json!("ofx"), &json!("F1")));
    let changed = json!({ "external_id": "mine", "source": "manual", "import_id": null, "is_transfer": false, "category_id": ana.category });
    let replaced = client.put(&at(&imported["id"]), expense("2026-03-06", "Pão", changed)).ok();
    for kept in ["id", "source", "external_id", "import_id", "created_at"] {
        assert_eq!(replaced[kept], imported[kept], "{kept}");
    }
    assert_eq!((&replaced["description"], &replaced["date"]), (&json!("Pão"), &json!("2026-03-06")));
    assert_eq!((&replaced["account_id"], &replaced["category_id"]), (&Value::Null, &json!(ana.category)));
}

#[test]
fn a_yield_and_an_opening_balance_keep_their_account() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.rates.publish_weekdays(date!(2026 - 03 - 01), date!(2026 - 03 - 14), "0.05");
    let investment = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "last_yield_date": "2026-03-01",
        "opening_balance": "1000", "opening_date": "2026-03-01" });
    let account = ana.post("/api/accounts", investment).created()["id"].clone();
    let other = ana.post("/api/accounts", json!({ "name": "Outra", "kind": "investment" })).created()["id"].clone();
    ana.get("/api/accounts").ok();
    for (q, source) in [("rendimento", "yield"), ("saldo", "opening_balance")] {
        let listed = ana.get(&format!("{PATH}?q={q}")).ok();
        let row = listed[0].clone();
        assert_eq!((listed.as_array().unwrap().len(), &row["source"]), (1, &json!(source)));
        let path = at(&row["id"]);
        for moved in [other.clone(), Value::Null] {
            let mut body = row.clone();
            body["account_id"] = moved;
            ana.put(&path, body).invalid(&["account_id"]);
        }
        let mut body = row.clone();
        body["description"] = json!("Meu");
        body["amount"] = json!("1.11");
        let replaced = ana.put(&path, body).ok();
        assert_eq!((&replaced["account_id"], &replaced["source"]), (&account, &json!(source)));
        assert_eq!(replaced["amount"], "1.11");
    }
    assert_eq!(ana.get(&format!("/api/accounts/{account}")).ok()["balance"], "2.22");
}

#[test]
fn a_leg_of_a_transfer_is_not_changed_by_itself_and_goes_with_the_other() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let client = &ana.client;
    let transfer = client.get(&format!("/api/transfers/{}", ana.transfer)).ok();
    for leg in ["from", "to"] {
        let path = at(&transfer[leg]["id"]);
        assert_eq!(client.get(&path).ok(), transfer[leg]);
        client.put(&path, transfer[leg].clone()).problem(409, "ErrTransferLeg");
        client.put(&path, expense("2026-03-01", "x", json!({}))).problem(409, "ErrTransferLeg");
    }
    client.delete(&at(&transfer["to"]["id"])).gone();
    client.get(&at(&transfer["from"]["id"])).problem(404, "ErrNotFound");
    client.get(&format!("/api/transfers/{}", ana.transfer)).problem(404, "ErrNotFound");
}
