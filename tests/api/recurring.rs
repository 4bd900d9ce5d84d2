//! `/api/recurring`.

use std::collections::HashSet;

use finance_domain::recurring::{MatchItem, amount_bands};
use finance_domain::transactions::Kind;
use finance_domain::{Access, CategoryId, Money, Month, RecurringId, Store};
use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

/// A new category.
fn category(client: &Client, name: &str) -> i64 {
    client.create("/api/categories", json!({ "name": name }))
}

fn item(kind: &str, category_id: i64, amount: &str) -> Value {
    json!({ "type": kind, "description": "Salário", "amount": amount, "category_id": category_id, "day": 31 })
}

fn recurring(client: &Client, kind: &str, category_id: i64, amount: &str) -> i64 {
    client.create("/api/recurring", item(kind, category_id, amount))
}

fn transaction(client: &Client, kind: &str, category_id: i64, date: &str, amount: &str) -> i64 {
    client.create(
        "/api/transactions",
        json!({ "type": kind, "category_id": category_id, "date": date, "description": "Algo", "amount": amount }),
    )
}

fn path(id: i64) -> String {
    format!("/api/recurring/{id}")
}

/// The status of an item, and its transaction.
fn stands(client: &Client, id: i64, query: &str) -> (String, Option<i64>) {
    let one = client.get(&format!("/api/recurring/{id}{query}")).ok();
    let all = client.get(&format!("/api/recurring{query}")).ok();
    let listed = all.as_array().unwrap().iter().find(|item| item["id"] == id).unwrap();
    assert_eq!(*listed, one, "the list and the item agree");
    (one["status"].as_str().unwrap().to_string(), one["transaction_id"].as_i64())
}

fn status(client: &Client, id: i64) -> String {
    stands(client, id, "").0
}

/// Creates an income with the given status in March 2026.
fn income_in(client: &Client, state: &str) -> i64 {
    let category = category(client, state);
    let id = recurring(client, "income", category, "1000.00");
    match state {
        "pending" => {}
        "covered" => drop(transaction(client, "income", category, "2026-03-05", "1000.00")),
        "confirmed" => drop(client.post_nothing(&format!("{}/confirm", path(id))).created()),
        "late" => drop(client.post_nothing(&format!("{}/late", path(id))).ok()),
        "ignored" => drop(client.post_nothing(&format!("{}/ignore", path(id))).ok()),
        other => panic!("no state {other}"),
    }
    assert_eq!(status(client, id), state);
    id
}

const STATES: [&str; 5] = ["pending", "covered", "confirmed", "late", "ignored"];

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
            "transaction_id": null,
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
fn every_move_is_allowed_from_its_states_and_refused_from_the_others() {
    let app = TestApp::start();
    for (action, allowed, refusal, becomes) in [
        ("confirm", vec!["pending", "late"], "ErrRecurringNotPending", "confirmed"),
        ("late", vec!["pending"], "ErrRecurringNotPending", "late"),
        ("ignore", vec!["pending", "late"], "ErrRecurringNotPending", "ignored"),
        ("unlate", vec!["late"], "ErrRecurringNotLate", "pending"),
        ("unignore", vec!["ignored"], "ErrRecurringNotIgnored", "pending"),
    ] {
        let ana = app.user(action);
        for state in STATES {
            let id = income_in(&ana, state);
            let before = (stands(&ana, id, ""), ana.all_transactions().len());
            let reply = ana.post_nothing(&format!("{}/{action}", path(id)));
            if allowed.contains(&state) {
                match action {
                    "confirm" => drop(reply.created()),
                    _ => {
                        let answered = reply.ok();
                        assert_eq!(answered["status"], becomes, "{action} from {state}");
                        assert_eq!(answered, ana.get(&path(id)).ok());
                    }
                }
                assert_eq!(status(&ana, id), becomes, "{action} from {state}");
            } else {
                reply.problem(409, refusal);
                assert_eq!((stands(&ana, id, ""), ana.all_transactions().len()), before, "{action} from {state}");
            }
        }
    }
}

#[test]
fn an_expense_is_never_confirmed_whatever_its_state() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (category, other) = (category(&ana, "Casa"), category(&ana, "Outra"));
    let id = recurring(&ana, "expense", category, "1000.00");
    let confirm = format!("{}/confirm", path(id));
    let refused = || ana.post_nothing(&confirm).problem(422, "ErrRecurringNotIncome");
    refused();
    ana.post(&confirm, json!({ "amount": "x", "date": "1999-01-01" })).problem(422, "ErrRecurringNotIncome");
    ana.post_nothing(&format!("{}/late", path(id))).ok();
    refused();
    ana.post_nothing(&format!("{}/ignore", path(id))).ok();
    refused();
    transaction(&ana, "expense", category, "2026-03-05", "1000.00");
    assert_eq!(status(&ana, id), "covered");
    refused();
    // An item that was confirmed as an income and is an expense now.
    let changed = recurring(&ana, "income", other, "50.00");
    ana.post_nothing(&format!("{}/confirm", path(changed))).created();
    ana.put(&path(changed), item("expense", other, "50.00")).ok();
    assert_eq!(status(&ana, changed), "confirmed");
    ana.post_nothing(&format!("{}/confirm", path(changed))).problem(422, "ErrRecurringNotIncome");
    assert_eq!(ana.all_transactions().len(), 2);
}

#[test]
fn ten_percent_either_way_covers_and_a_cent_more_does_not() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (amount, covering, missing) in [
        ("1000.00", ["900.00", "1100.00"], ["899.99", "1100.01"]),
        ("1000.05", ["900.05", "1100.05"], ["900.04", "1100.06"]),
        ("0.10", ["0.09", "0.11"], ["0.08", "0.12"]),
        ("0.09", ["0.09", "0.09"], ["0.08", "0.10"]),
        ("9999999999.99", ["9000000000.00", "9999999999.99"], ["8999999999.99", "0.01"]),
    ] {
        let category = category(&ana, amount);
        let id = recurring(&ana, "expense", category, amount);
        for (paid, expected) in
            [(covering[0], "covered"), (covering[1], "covered"), (missing[0], "pending"), (missing[1], "pending")]
        {
            let row = transaction(&ana, "expense", category, "2026-03-31", paid);
            let by = (expected == "covered").then_some(row);
            assert_eq!(stands(&ana, id, ""), (expected.to_string(), by), "{paid} for {amount}");
            ana.delete(&format!("/api/transactions/{row}")).gone();
            assert_eq!(status(&ana, id), "pending");
        }
    }
}

#[test]
fn only_the_same_category_type_and_month_covers() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (one, two) = (category(&ana, "Um"), category(&ana, "Dois"));
    let id = recurring(&ana, "expense", one, "100.00");
    transaction(&ana, "income", one, "2026-03-10", "100.00");
    transaction(&ana, "expense", two, "2026-03-10", "100.00");
    transaction(&ana, "expense", one, "2026-02-28", "100.00");
    transaction(&ana, "expense", one, "2026-04-01", "100.00");
    ana.post(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-03-10", "description": "Sem categoria", "amount": "100.00" }),
    )
    .created();
    assert_eq!(status(&ana, id), "pending");
    assert_eq!(stands(&ana, id, "?month=2026-02").0, "covered");
    assert_eq!(stands(&ana, id, "?month=2026-04").0, "covered");
    let row = transaction(&ana, "expense", one, "2026-03-01", "100.00");
    assert_eq!(stands(&ana, id, ""), ("covered".into(), Some(row)));
}

#[test]
fn an_opening_balance_and_a_transfer_with_a_category_cover_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let id = recurring(&ana, "income", category, "100.00");
    let account = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "100.00", "opening_date": "2026-03-01" }),
    );
    let mut opening = ana.all_transactions()[0].clone();
    assert_eq!(opening["account_id"], account);
    opening["category_id"] = json!(category);
    ana.put(&format!("/api/transactions/{}", opening["id"]), opening).ok();
    assert_eq!(status(&ana, id), "pending");
    assert_eq!(ana.get("/api/dashboard").ok()["income"], "0.00");
}

#[test]
fn one_transaction_covers_one_item_and_as_many_are_covered_as_can_be() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Casa");
    let wide = recurring(&ana, "expense", category, "110.00");
    let narrow = recurring(&ana, "expense", category, "100.00");
    // It matches both items, and covers one of them.
    let first = transaction(&ana, "expense", category, "2026-03-10", "105.00");
    let covered = |id| stands(&ana, id, "").1;
    assert_eq!([covered(wide), covered(narrow)].iter().flatten().collect::<Vec<_>>(), [&first]);
    // It matches only one of them; the first transaction then covers the other.
    let second = transaction(&ana, "expense", category, "2026-03-11", "95.00");
    assert_eq!((covered(wide), covered(narrow)), (Some(first), Some(second)));
    // Two transactions cover two of three items.
    let third = recurring(&ana, "expense", category, "100.00");
    let by = [wide, narrow, third].map(covered);
    assert_eq!(by.iter().flatten().collect::<std::collections::BTreeSet<_>>(), [&first, &second].into());
    assert_eq!(by.iter().flatten().count(), 2);
}

#[test]
fn a_mark_does_not_hide_a_transaction_that_arrives() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for state in ["late", "ignored"] {
        let id = income_in(&ana, state);
        let category = ana.get(&path(id)).ok()["category_id"].as_i64().unwrap();
        let row = transaction(&ana, "income", category, "2026-03-20", "950.00");
        assert_eq!(stands(&ana, id, ""), ("covered".into(), Some(row)));
        ana.delete(&format!("/api/transactions/{row}")).gone();
        assert_eq!(status(&ana, id), state, "the mark shows again");
    }
}

#[test]
fn confirming_makes_the_transaction_of_the_item() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let account = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let mut body = item("income", category, "5000.00");
    body["account_id"] = json!(account);
    let id = ana.create("/api/recurring", body);
    let reply = ana.post_nothing(&format!("{}/confirm", path(id)));
    let location = reply.header("Location").unwrap().to_string();
    let made = reply.created();
    assert_eq!(
        made,
        json!({
            "id": made["id"], "profile_id": ana.caller().profile_id.0, "type": "income", "category_id": category,
            "account_id": account, "date": "2026-03-15", "original_date": null, "external_id": null,
            "source": "manual", "description": "Salário", "statement_description": null, "amount": "5000.00",
            "transfer_id": null, "import_id": null, "is_transfer": false, "installment": null, "created_at": made["created_at"],
        })
    );
    assert_eq!(location, format!("/api/transactions/{}", made["id"]));
    assert_eq!(ana.get(&location).ok(), made);
    assert_eq!(stands(&ana, id, ""), ("confirmed".into(), made["id"].as_i64()));
    assert_eq!(ana.get(&format!("/api/accounts/{account}")).ok()["balance"], "5000.00");
    // In other months, the item's day, or the month's last day.
    for (month, date) in
        [("2026-02", "2026-02-28"), ("2024-02", "2024-02-29"), ("2026-04", "2026-04-30"), ("2027-01", "2027-01-31")]
    {
        let made = ana.post(&format!("{}/confirm?month={month}", path(id)), json!({})).created();
        assert_eq!(made["date"], date);
        assert_eq!(stands(&ana, id, &format!("?month={month}")).0, "confirmed");
    }
}

#[test]
fn what_a_confirmation_says_wins_and_is_checked() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let category = category(&ana, "Renda");
    let own = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let hers = bia.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let id = recurring(&ana, "income", category, "5000.00");
    let confirm = format!("{}/confirm", path(id));
    for (body, fields) in [
        (json!({ "date": "2026-02-28" }), vec!["date"]),
        (json!({ "date": "2026-04-01" }), vec!["date"]),
        (json!({ "date": "01/03/2026" }), vec!["date"]),
        (json!({ "amount": 0, "date": 7, "account_id": hers }), vec!["amount", "date", "account_id"]),
        (json!({ "amount": "-5" }), vec!["amount"]),
        (json!({ "amount": "10000000000" }), vec!["amount"]),
        (json!({ "account_id": "1" }), vec!["account_id"]),
        (json!([]), vec!["body"]),
    ] {
        ana.post(&confirm, body).invalid(&fields);
    }
    assert_eq!(status(&ana, id), "pending");
    assert!(ana.all_transactions().is_empty());
    let made = ana.post(&confirm, json!({ "amount": "1.23", "date": "2026-03-31", "account_id": own })).created();
    assert_eq!(
        (&made["amount"], &made["date"], &made["account_id"]),
        (&json!("1.23"), &json!("2026-03-31"), &json!(own))
    );
    assert_eq!(stands(&ana, id, ""), ("confirmed".into(), made["id"].as_i64()), "however far the amount is");
    let earlier = ana.post(&format!("{confirm}?month=2026-02"), json!({ "date": "2026-02-01" })).created();
    assert_eq!(earlier["date"], "2026-02-01");
    ana.post(&format!("{confirm}?month=2026-01"), json!({ "date": "2026-03-01" })).invalid(&["date"]);
}

#[test]
fn twenty_confirmations_at_once_make_one_transaction() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let elsewhere = Client::of(node.address()).with_token(ana.token());
    let id = recurring(&ana, "income", category(&ana, "Renda"), "5000.00");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20)
            .map(|thread| {
                let client = if thread % 2 == 0 { &ana } else { &elsewhere };
                scope.spawn(move || {
                    let reply = client.post_nothing(&format!("{}/confirm", path(id)));
                    let status = reply.status;
                    if status != 201 {
                        reply.problem(409, "ErrRecurringNotPending");
                    }
                    status
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1);
    assert_eq!(ana.all_transactions().len(), 1);
}

#[test]
fn a_confirmed_item_whose_transaction_is_gone_is_pending_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = recurring(&ana, "income", category(&ana, "Renda"), "5000.00");
    let confirm = format!("{}/confirm", path(id));
    ana.post_nothing(&format!("{}/late", path(id))).ok();
    let made = ana.post_nothing(&confirm).created();
    ana.delete(&format!("/api/transactions/{}", made["id"])).gone();
    assert_eq!(stands(&ana, id, ""), ("pending".into(), None));
    ana.post_nothing(&confirm).created();
    assert_eq!(ana.delete("/api/transactions?month=2026-03").ok()["deleted"], 1);
    assert_eq!(stands(&ana, id, ""), ("pending".into(), None));
    ana.post_nothing(&confirm).created();
}

#[test]
fn the_transaction_of_a_confirmed_item_covers_no_other() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let (one, two) = (recurring(&ana, "income", category, "100.00"), recurring(&ana, "income", category, "100.00"));
    let made = ana.post_nothing(&format!("{}/confirm", path(two))).created();
    assert_eq!(stands(&ana, one, ""), ("pending".into(), None));
    // With another amount or month it is still the transaction of the item.
    let mut moved = made.clone();
    moved["date"] = json!("2026-04-02");
    moved["amount"] = json!("101.00");
    ana.put(&format!("/api/transactions/{}", made["id"]), moved).ok();
    assert_eq!(stands(&ana, two, ""), ("confirmed".into(), made["id"].as_i64()));
    assert_eq!(stands(&ana, two, "?month=2026-04").0, "pending");
    assert_eq!(stands(&ana, one, "?month=2026-04").0, "pending");
}

#[test]
fn marks_hold_for_their_month_only() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = recurring(&ana, "income", category(&ana, "Renda"), "100.00");
    let act = |action: &str, month: &str| ana.post_nothing(&format!("{}/{action}?month={month}", path(id)));
    assert_eq!(act("late", "2026-01").ok()["status"], "late");
    assert_eq!(act("ignore", "2026-02").ok()["status"], "ignored");
    let state = |month: &str| stands(&ana, id, &format!("?month={month}")).0;
    assert_eq!([state("2026-01"), state("2026-02"), state("2026-03")], ["late", "ignored", "pending"]);
    act("unignore", "2026-01").problem(409, "ErrRecurringNotIgnored");
    act("late", "2026-02").problem(409, "ErrRecurringNotPending");
    act("ignore", "2026-01").ok();
    act("unignore", "2026-02").ok();
    assert_eq!([state("2026-01"), state("2026-02"), state("2026-03")], ["ignored", "pending", "pending"]);
    app.clock.set_today(date!(2026 - 01 - 10));
    assert_eq!(status(&ana, id), "ignored", "this month where no month is given");
    let created = ana.post("/api/recurring?month=2026-02", item("income", category(&ana, "Outra"), "1")).created();
    assert_eq!(created["status"], "pending");
    let mut changed = ana.get(&path(id)).ok();
    changed["amount"] = json!("200.00");
    let changed = ana.put(&format!("{}?month=2026-01", path(id)), changed).ok();
    assert_eq!((&changed["status"], &changed["amount"]), (&json!("ignored"), &json!("200.00")), "marks outlive edits");
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
fn a_crowded_month_is_read_once_however_many_items_there_are() {
    const ITEMS: usize = 300;
    let app = TestApp::start();
    let ana = app.user("ana");
    let (profile, category_id) = (ana.caller().profile_id.0, category(&ana, "Casa"));
    app.sql(&format!(
        "insert into recurring (profile_id, kind, description, amount, category_id, day)
        select {profile}, 'expense', 'Algo', 100, {category_id}, 5 from generate_series(1, {ITEMS});
        insert into transactions (profile_id, kind, category_id, date, source, description, description_normalized, amount)
        select {profile}, 'expense', {category_id}, date '2026-03-01' + n % 28, 'manual', 'Algo', 'algo', 100
        from generate_series(1, 50000) as n;
        analyze recurring, transactions"
    ));
    app.rebuild_sums();
    let store: &dyn Store = app.store.as_ref();
    let item = |id| MatchItem {
        id: RecurringId(id),
        kind: Kind::Expense,
        category_id: CategoryId(category_id),
        amount: Money::from_cents(10_000),
    };
    let bands = amount_bands(&(1..=ITEMS as i64).map(item).collect::<Vec<_>>());
    let month = Month::of(date!(2026 - 03 - 01));
    let read = store.run(&ana.caller(), Access::Read, |repo| repo.recurring_transactions(month, month, &bands));
    assert_eq!(read.unwrap().len(), ITEMS, "no more leave the database than can cover an item");

    // The product of items and transactions is fifteen million pairs.
    let begun = std::time::Instant::now();
    let listed = ana.get("/api/recurring").ok();
    println!("300 items, 50,000 rows: {} ms", begun.elapsed().as_millis());
    let covering: HashSet<i64> =
        listed.as_array().unwrap().iter().filter_map(|item| item["transaction_id"].as_i64()).collect();
    assert_eq!(covering.len(), ITEMS);
    assert_eq!(ana.get("/api/dashboard").ok()["pending_recurrings"], json!([]));
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
