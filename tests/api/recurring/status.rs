//! The status of an item in a month: how it is confirmed, ignored and marked.

use finance_tests::{Client, TestApp};
use serde_json::json;
use time::macros::date;

use super::{category, income_in, item, path, recurring, stands, status, transaction};

const STATES: [&str; 5] = ["pending", "covered", "confirmed", "late", "ignored"];

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
    // This item was confirmed as an income, and is now an expense.
    let changed = recurring(&ana, "income", other, "50.00");
    ana.post_nothing(&format!("{}/confirm", path(changed))).created();
    ana.put(&path(changed), item("expense", other, "50.00")).ok();
    assert_eq!(status(&ana, changed), "confirmed");
    ana.post_nothing(&format!("{}/confirm", path(changed))).problem(422, "ErrRecurringNotIncome");
    assert_eq!(ana.all_transactions().len(), 2);
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
            "source": "manual", "description": "Salário", "display": { "name": "Salário", "method": null }, "statement_description": null, "amount": "5000.00",
            "transfer_id": null, "import_id": null, "is_transfer": false, "installment": null, "lines": null, "tags": [], "note": null, "created_at": made["created_at"],
            "created_by": ana.get("/api/auth/me").ok()["member_id"],
        })
    );
    assert_eq!(location, format!("/api/transactions/{}", made["id"]));
    assert_eq!(ana.get(&location).ok(), made);
    assert_eq!(stands(&ana, id, ""), ("confirmed".into(), made["id"].as_i64()));
    assert_eq!(ana.get(&format!("/api/accounts/{account}")).ok()["balance"], "5000.00");
    // In other months, the date is the item's day or the month's last day.
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
