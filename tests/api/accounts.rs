//! `/api/accounts`.

use std::collections::BTreeMap;

use finance_tests::{Client, TestApp, cents, id, money, ofx, signed_cents};
use serde_json::{Value, json};
use time::macros::date;

fn account(client: &Client, name: &str) -> i64 {
    client.create("/api/accounts", json!({ "name": name, "kind": "current" }))
}

fn card(client: &Client, name: &str) -> i64 {
    client.create("/api/accounts", json!({ "name": name, "kind": "credit", "closing_day": 10, "due_day": 20 }))
}

fn path(id: i64) -> String {
    format!("/api/accounts/{id}")
}

fn row(account_id: i64, kind: &str, date: &str, amount: &str) -> Value {
    json!({ "account_id": account_id, "type": kind, "date": date, "description": "Algo", "amount": amount })
}

fn transaction(client: &Client, account_id: i64, kind: &str, date: &str, amount: &str) -> i64 {
    client.create("/api/transactions", row(account_id, kind, date, amount))
}

/// Checks that every balance in every answer is the sum of the account's transactions. Returns the balances by account.
#[track_caller]
fn balances(client: &Client) -> BTreeMap<i64, String> {
    let mut sums: BTreeMap<i64, i128> = BTreeMap::new();
    for transaction in client.all_transactions() {
        if let Some(account_id) = transaction["account_id"].as_i64() {
            *sums.entry(account_id).or_default() += signed_cents(&transaction);
        }
    }
    let listed = client.get("/api/accounts").ok();
    let mut balances = BTreeMap::new();
    for account in listed.as_array().unwrap() {
        let sum = sums.remove(&id(account)).unwrap_or(0);
        assert_eq!(account["balance"], money(sum), "{account}");
        assert_eq!(client.get(&path(id(account))).ok()["balance"], money(sum));
        balances.insert(id(account), money(sum));
    }
    assert!(sums.is_empty(), "transactions of accounts that are not listed: {sums:?}");
    let dashboard = client.get("/api/dashboard").ok();
    assert_eq!(dashboard["accounts"], listed);
    let net_worth: i128 = listed.as_array().unwrap().iter().map(|account| cents(&account["balance"])).sum();
    assert_eq!(dashboard["net_worth"], money(net_worth));
    for month in ["2025-12", "2026-01", "2026-02", "2026-03"] {
        agree_on_month(client, month);
    }
    balances
}

/// Checks that the dashboard's sums of a month are those of the transactions that count.
#[track_caller]
fn agree_on_month(client: &Client, month: &str) {
    let (mut income, mut spent) = (0, BTreeMap::<Option<i64>, i128>::new());
    for row in client.all_transactions() {
        let counts = row["source"] != "transfer" && row["source"] != "opening_balance";
        if counts && row["date"].as_str().unwrap().starts_with(month) {
            match signed_cents(&row) {
                came if came > 0 => income += came,
                went => *spent.entry(row["category_id"].as_i64()).or_default() -= went,
            }
        }
    }
    let shown = client.get(&format!("/api/dashboard?month={month}")).ok();
    assert_eq!(shown["income"], money(income), "{month}");
    assert_eq!(shown["expenses"], money(spent.values().sum()), "{month}");
    let by_category = shown["spending_by_category"].as_array().unwrap();
    let by_category = by_category.iter().map(|entry| (entry["category_id"].as_i64(), cents(&entry["total"]))).collect();
    assert_eq!(spent, by_category, "{month}");
}

#[test]
fn each_kind_is_created_with_its_defaults() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for kind in ["current", "savings", "investment"] {
        let reply = ana.post("/api/accounts", json!({ "name": format!("  {kind} "), "kind": kind }));
        let location = reply.header("Location").unwrap().to_string();
        let created = reply.created();
        assert_eq!(location, path(id(&created)));
        assert_eq!(
            created,
            json!({
                "id": created["id"], "profile_id": ana.caller().profile_id.0, "name": kind, "kind": kind,
                "yield_type": "none", "cdi_percentage": 100, "last_yield_date": null, "closing_day": null,
                "due_day": null, "balance": "0.00", "current_bill": null, "credit_limit": null, "available_limit": null,
            })
        );
        assert_eq!(ana.get(&location).ok(), created);
    }
    let id = card(&ana, "Cartão");
    let card = ana.get(&path(id)).ok();
    assert_eq!((&card["closing_day"], &card["due_day"]), (&json!(10), &json!(20)));
    let bill = &card["current_bill"];
    assert_eq!((&bill["period_start"], &bill["period_end"]), (&json!("2026-03-10"), &json!("2026-04-09")));
    assert_eq!((&bill["total"], &bill["status"]), (&json!("0.00"), &json!("unpaid")));
    let listed = ana.get("/api/accounts").ok();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|account| account["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Cartão", "current", "investment", "savings"], "by name");
}

#[test]
fn an_account_is_replaced_and_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let first = account(&ana, "Banco");
    let mut changed = ana.get(&path(first)).ok();
    changed["name"] = json!("Outro banco");
    changed["id"] = json!(1);
    changed["balance"] = json!("99.00");
    changed["opening_balance"] = json!("99.00");
    let replaced = ana.put(&path(first), changed).ok();
    assert_eq!((&replaced["id"], &replaced["name"]), (&json!(first), &json!("Outro banco")));
    assert_eq!(replaced["balance"], "0.00", "read-only and creation-only fields are ignored");
    assert!(ana.all_transactions().is_empty());
    ana.delete(&path(first)).gone();
    ana.get(&path(first)).problem(404, "ErrNotFound");
    ana.put(&path(first), json!({ "name": "x", "kind": "current" })).problem(404, "ErrNotFound");
    ana.delete(&path(first)).problem(404, "ErrNotFound");
}

#[test]
fn the_kind_is_fixed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let first = account(&ana, "Banco");
    ana.put(&path(first), json!({ "name": "Banco", "kind": "savings" })).invalid(&["kind"]);
    ana.put(&path(first), json!({ "name": "Banco", "kind": "investment", "yield_type": "cdi" })).invalid(&["kind"]);
    ana.put(&path(first), json!({ "name": "Banco" })).invalid(&["kind"]);
    assert_eq!(ana.get(&path(first)).ok()["kind"], "current");
    let card = card(&ana, "Cartão");
    ana.put(&path(card), json!({ "name": "Cartão", "kind": "current" })).invalid(&["kind"]);
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (body, fields) in [
        (json!({}), vec!["name", "kind"]),
        (json!({ "name": " ", "kind": "cash" }), vec!["name", "kind"]),
        (json!({ "name": 7, "kind": 7 }), vec!["name", "kind"]),
        (json!({ "name": "x".repeat(101), "kind": "credit" }), vec!["name", "closing_day", "due_day"]),
        (json!({ "name": "a\0b", "kind": "current" }), vec!["name"]),
        (json!({ "name": "x", "kind": "credit", "closing_day": 0, "due_day": 32 }), vec!["closing_day", "due_day"]),
        (json!({ "name": "x", "kind": "credit", "closing_day": "5", "due_day": 5.5 }), vec!["closing_day", "due_day"]),
        (
            json!({ "name": "x", "kind": "credit", "closing_day": -1, "due_day": i64::MAX }),
            vec!["closing_day", "due_day"],
        ),
        (json!({ "name": "x", "kind": "credit", "closing_day": 31 }), vec!["due_day"]),
        (
            json!({ "name": "x", "kind": "savings", "closing_day": 1, "due_day": 1, "yield_type": "cdi" }),
            vec!["closing_day", "due_day", "yield_type"],
        ),
        (json!({ "name": "x", "kind": "investment", "closing_day": 1 }), vec!["closing_day"]),
        (json!({ "name": "x", "kind": "current", "yield_type": "variable" }), vec!["yield_type"]),
        (
            json!({ "name": "x", "kind": "credit", "closing_day": 1, "due_day": 2, "yield_type": "cdi" }),
            vec!["yield_type"],
        ),
        (json!({ "name": "x", "kind": "investment", "yield_type": "CDI" }), vec!["yield_type"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": 0 }), vec!["cdi_percentage"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": -1 }), vec!["cdi_percentage"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": 1000.01 }), vec!["cdi_percentage"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": 1001 }), vec!["cdi_percentage"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": 100.005 }), vec!["cdi_percentage"]),
        (json!({ "name": "x", "kind": "investment", "cdi_percentage": "100" }), vec!["cdi_percentage"]),
        (
            json!({ "name": "x", "kind": "investment", "yield_type": "cdi", "last_yield_date": "2026-03-16" }),
            vec!["last_yield_date"],
        ),
        (
            json!({ "name": "x", "kind": "investment", "yield_type": "cdi", "last_yield_date": "15/03/2026" }),
            vec!["last_yield_date"],
        ),
        (json!({ "name": "x", "kind": "current", "opening_balance": "1.005" }), vec!["opening_balance"]),
        (json!({ "name": "x", "kind": "current", "opening_balance": "10000000000" }), vec!["opening_balance"]),
        (json!({ "name": "x", "kind": "current", "opening_balance": "-10000000000" }), vec!["opening_balance"]),
        (json!({ "name": "x", "kind": "current", "opening_balance": true }), vec!["opening_balance"]),
        (
            json!({ "name": "x", "kind": "current", "opening_balance": 1, "opening_date": "2026-03-16" }),
            vec!["opening_date"],
        ),
        (json!({ "name": "x", "kind": "current", "opening_date": "2026-02-30" }), vec!["opening_date"]),
        (json!([]), vec!["body"]),
    ] {
        ana.post("/api/accounts", body).invalid(&fields);
    }
    assert_eq!(ana.get("/api/accounts").ok(), json!([]), "nothing was stored");
    assert!(ana.all_transactions().is_empty());
}

#[test]
fn the_bounds_themselves_are_allowed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (number, body) in [
        json!({ "kind": "credit", "closing_day": 1, "due_day": 31 }),
        json!({ "kind": "credit", "closing_day": 31, "due_day": 1 }),
        json!({ "kind": "investment", "yield_type": "cdi", "cdi_percentage": 1000 }),
        json!({ "kind": "investment", "yield_type": "cdi", "cdi_percentage": 0.01, "last_yield_date": "2026-03-15" }),
        json!({ "kind": "investment", "yield_type": "variable", "cdi_percentage": 110.5 }),
        json!({ "kind": "current", "opening_balance": "9999999999.99" }),
        json!({ "kind": "current", "opening_balance": "-9999999999.99", "opening_date": "2026-03-15" }),
    ]
    .into_iter()
    .enumerate()
    {
        let mut body = body;
        body["name"] = json!(format!("{number}{}", "é".repeat(99)));
        let created = ana.post("/api/accounts", body.clone()).created();
        for field in ["kind", "closing_day", "due_day", "yield_type", "cdi_percentage"] {
            if !body[field].is_null() {
                assert_eq!(created[field], body[field], "{field}");
            }
        }
    }
}

#[test]
fn names_are_unique_whatever_the_case() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let first = account(&ana, "Poupança");
    let body = |name: &str| json!({ "name": name, "kind": "current" });
    ana.post("/api/accounts", body(" POUPANÇA ")).problem(409, "ErrAccountNameTaken");
    let second = account(&ana, "Outra");
    ana.put(&path(second), body("poupança")).problem(409, "ErrAccountNameTaken");
    ana.put(&path(first), body("POUPANÇA")).ok();
    account(&bia, "Poupança");
    ana.delete(&path(first)).gone();
    ana.put(&path(second), body("poupança")).ok();
}

#[test]
fn an_opening_balance_is_one_transaction_that_counts_for_the_balance_only() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (number, (opening, date, kind, amount)) in [
        (json!("1500.25"), json!("2026-03-01"), "income", "1500.25"),
        (json!(-0.5), json!("2025-12-31"), "expense", "0.50"),
        (json!("10"), Value::Null, "income", "10.00"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("Conta {number}");
        let created = ana
            .post(
                "/api/accounts",
                json!({ "name": name, "kind": "current", "opening_balance": opening, "opening_date": date }),
            )
            .created();
        let rows = ana.get(&format!("/api/transactions?account_id={}", created["id"])).ok();
        assert_eq!(rows.as_array().unwrap().len(), 1);
        assert_eq!(rows[0]["source"], "opening_balance");
        assert_eq!((&rows[0]["type"], &rows[0]["amount"]), (&json!(kind), &json!(amount)));
        assert_eq!(rows[0]["date"], if date.is_null() { json!("2026-03-15") } else { date });
        assert_eq!(created["balance"], money(signed_cents(&rows[0])));
    }
    let zero = json!({ "name": "Vazia", "kind": "savings", "opening_balance": "0.00", "opening_date": "2026-01-01" });
    ana.post("/api/accounts", zero).created();
    assert_eq!(ana.all_transactions().len(), 3, "zero makes none");
    balances(&ana);
    let dashboard = ana.get("/api/dashboard").ok();
    assert_eq!((&dashboard["income"], &dashboard["expenses"]), (&json!("0.00"), &json!("0.00")));
    assert_eq!(dashboard["net_worth"], "1509.75");
}

#[test]
fn an_opening_balance_of_a_card_is_on_no_bill() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = json!({
        "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20, "opening_balance": "-300",
        "opening_date": "2026-03-12",
    });
    let created = ana.post("/api/accounts", body).created();
    assert_eq!(created["balance"], "-300.00");
    assert_eq!(created["current_bill"]["total"], "0.00");
    transaction(&ana, id(&created), "expense", "2026-03-12", "25.00");
    let card = ana.get(&path(id(&created))).ok();
    assert_eq!((&card["balance"], &card["current_bill"]["total"]), (&json!("-325.00"), &json!("25.00")));
}

#[test]
fn yield_is_switched_on_off_and_on_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body = |yield_type: &str, last: Value| {
        json!({ "name": "CDB", "kind": "investment", "yield_type": yield_type, "cdi_percentage": 110,
            "last_yield_date": last })
    };
    let first = ana.create("/api/accounts", json!({ "name": "CDB", "kind": "investment" }));
    assert_eq!(ana.get(&path(first)).ok()["last_yield_date"], Value::Null);
    ana.put(&path(first), body("cdi", json!("2026-03-16"))).invalid(&["last_yield_date"]);
    let on = ana.put(&path(first), body("cdi", json!("2026-03-02"))).ok();
    assert_eq!((&on["yield_type"], &on["last_yield_date"]), (&json!("cdi"), &json!("2026-03-02")));
    let still = ana.put(&path(first), body("cdi", json!("2026-01-01"))).ok();
    assert_eq!(still["last_yield_date"], "2026-03-02", "what is done is done: the date is taken at switching on only");
    let off = ana.put(&path(first), body("none", Value::Null)).ok();
    assert_eq!((&off["yield_type"], &off["last_yield_date"]), (&json!("none"), &json!("2026-03-02")));
    app.clock.set_today(date!(2026 - 03 - 20));
    ana.put(&path(first), body("cdi", json!("2026-03-01"))).invalid(&["last_yield_date"]);
    let again = ana.put(&path(first), body("cdi", Value::Null)).ok();
    assert_eq!(again["last_yield_date"], "2026-03-20", "from today, the days off earn nothing");
    let created = ana.post("/api/accounts", json!({ "name": "LCI", "kind": "investment", "yield_type": "cdi" }));
    assert_eq!(created.created()["last_yield_date"], "2026-03-20");
}

#[test]
fn an_account_with_nothing_but_its_opening_balance_is_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let opened = json!({ "name": "Banco", "kind": "current", "opening_balance": "100" });
    let first = ana.create("/api/accounts", opened.clone());
    ana.delete(&path(first)).gone();
    assert!(ana.all_transactions().is_empty(), "the opening balance goes with it");
    let again = ana.create("/api/accounts", opened);
    let row = transaction(&ana, again, "expense", "2026-03-01", "1");
    ana.delete(&path(again)).problem(409, "ErrAccountInUse");
    assert_eq!(balances(&ana), [(again, "99.00".to_string())].into(), "a refused delete changes nothing");
    ana.delete(&format!("/api/transactions/{row}")).gone();
    ana.delete(&path(again)).gone();
    assert_eq!(ana.get("/api/dashboard").ok()["net_worth"], "0.00");
}

#[test]
fn an_import_log_and_a_recurring_item_do_not_hold_an_account() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let first = account(&ana, "Banco");
    let category = id(&ana.get("/api/categories").ok()[0]);
    let rent = ana.create(
        "/api/recurring",
        json!({ "type": "expense", "description": "Aluguel", "amount": "900", "category_id": category,
            "account_id": first, "day": 5 }),
    );
    let imported = ana.import(Some(first), &ofx(&[("20260301", "-10.00", "a1", "Padaria")])).created();
    ana.delete(&path(first)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/transactions/{}", imported["transactions"][0]["id"])).gone();
    ana.delete(&path(first)).gone();
    let log = ana.get("/api/imports").ok();
    assert_eq!(log[0]["account_id"], Value::Null, "the log entry stays, without its account");
    assert_eq!(ana.get(&format!("/api/recurring/{rent}")).ok()["account_id"], Value::Null);
}

#[test]
fn a_transfer_holds_both_accounts() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (from, to) = (account(&ana, "De"), account(&ana, "Para"));
    let transfer = ana.create(
        "/api/transfers",
        json!({ "from_account_id": from, "to_account_id": to, "amount": 5, "date": "2026-03-01" }),
    );
    ana.delete(&path(from)).problem(409, "ErrAccountInUse");
    ana.delete(&path(to)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/transfers/{transfer}")).gone();
    ana.delete(&path(from)).gone();
    ana.delete(&path(to)).gone();
}

#[test]
fn a_pending_statement_holds_its_card_until_it_is_discarded() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&ana, "Cartão");
    let held = ana
        .post(
            "/api/import/confirm",
            json!({ "account_id": card, "file_name": "fatura.csv", "format": "csv", "is_credit_card": true,
                "payment_date": "2026-03-20",
                "rows": [{ "date": "2026-03-02", "description": "Livro", "amount": "30.00", "type": "expense" }] }),
        )
        .expect(202);
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.delete(&format!("/api/pending-bills/{}", held["pending_bill"]["id"])).gone();
    ana.delete(&path(card)).gone();
    assert_eq!(ana.get("/api/credit-bills").ok(), json!([]), "empty bills go with their card");
}

#[test]
fn a_card_is_deleted_once_its_bills_have_no_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (card(&ana, "Cartão"), account(&ana, "Banco"));
    let purchase = transaction(&ana, card, "expense", "2026-03-12", "80.00");
    let bill = ana.get(&path(card)).ok()["current_bill"]["id"].clone();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": bank })).ok();
    ana.delete(&format!("/api/transactions/{purchase}")).gone();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    ana.delete(&path(card)).gone();
    assert_eq!(balances(&ana), [(bank, "0.00".to_string())].into());
}

#[test]
fn a_card_is_not_deleted_with_payments_that_were_noted_on_its_bills() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = card(&ana, "Cartão");
    let purchase = transaction(&ana, card, "expense", "2026-03-12", "80.00");
    let bill = ana.get(&path(card)).ok()["current_bill"]["id"].clone();
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({})).ok();
    ana.delete(&format!("/api/transactions/{purchase}")).gone();
    let before = ana.get("/api/credit-bills").ok();
    ana.delete(&path(card)).problem(409, "ErrAccountInUse");
    assert_eq!(ana.get("/api/credit-bills").ok(), before, "a refused delete changes nothing");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    ana.delete(&path(card)).gone();
}

#[test]
fn a_profile_holds_two_hundred_accounts() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    app.sql(&format!(
        "insert into accounts (profile_id, name, name_key, kind)
        select {}, n::text, n::text, 'current' from generate_series(1, 199) as n",
        ana.caller().profile_id.0
    ));
    let last = account(&ana, "Banco");
    let new = json!({ "name": "Mais um", "kind": "current", "opening_balance": "5.00" });
    let problem = ana.post("/api/accounts", new.clone()).problem(409, "ErrLimitReached");
    assert_eq!(problem["detail"], "Refused: a profile holds at most 200 accounts.");
    assert_eq!(ana.get("/api/accounts").ok().as_array().unwrap().len(), 200);
    bia.post("/api/accounts", new.clone()).created();
    ana.delete(&path(last)).gone();
    ana.post("/api/accounts", new).created();
}

#[test]
fn balances_are_the_sum_of_the_transactions_after_every_kind_of_write() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let opened = json!({ "name": "Um", "kind": "current", "opening_balance": "-50.05", "opening_date": "2026-01-01" });
    let (one, two, card) = (ana.create("/api/accounts", opened), account(&ana, "Dois"), card(&ana, "Cartão"));
    let three = ana.create("/api/accounts", json!({ "name": "Três", "kind": "investment" }));
    let expect = |what: &str, of_one: &str, of_two: &str, of_card: &str| {
        let expected = [(one, of_one), (two, of_two), (card, of_card), (three, "0.00")];
        assert_eq!(balances(&ana), expected.map(|(id, balance)| (id, balance.to_string())).into(), "{what}");
    };
    expect("opening balance", "-50.05", "0.00", "0.00");

    let salary = transaction(&ana, one, "income", "2026-03-01", "1000.10");
    let lunch = transaction(&ana, one, "expense", "2026-03-02", "30.03");
    expect("create", "920.02", "0.00", "0.00");

    let lunch_path = format!("/api/transactions/{lunch}");
    ana.put(&lunch_path, row(one, "expense", "2026-02-02", "31.00")).ok();
    expect("another amount and date", "919.05", "0.00", "0.00");
    ana.put(&lunch_path, row(two, "expense", "2026-03-02", "31.00")).ok();
    expect("another account", "950.05", "-31.00", "0.00");
    let mut food = row(two, "expense", "2026-03-02", "31.00");
    let category = ana.create("/api/categories", json!({ "name": "Almoço" }));
    food["category_id"] = json!(category);
    ana.put(&lunch_path, food).ok();
    expect("another category", "950.05", "-31.00", "0.00");
    ana.put(&lunch_path, row(two, "income", "2026-03-02", "31.00")).ok();
    expect("another type, and no category", "950.05", "31.00", "0.00");
    ana.delete(&format!("/api/categories/{category}")).gone();
    let mut nowhere = row(two, "income", "2026-03-02", "31.00");
    nowhere["account_id"] = Value::Null;
    ana.put(&lunch_path, nowhere).ok();
    expect("no account", "950.05", "0.00", "0.00");
    ana.put(&lunch_path, row(card, "expense", "2026-03-12", "31.00")).ok();
    expect("a card", "950.05", "0.00", "-31.00");
    ana.put(&lunch_path, row(one + 1000, "expense", "2026-03-12", "31.00")).invalid(&["account_id"]);
    expect("a refused change", "950.05", "0.00", "-31.00");

    let transfer = json!({ "from_account_id": one, "to_account_id": two, "amount": "50.05", "date": "2026-02-28" });
    let first = ana.create("/api/transfers", transfer.clone());
    expect("transfer", "900.00", "50.05", "-31.00");
    ana.delete(&format!("/api/transfers/{first}")).gone();
    expect("transfer deleted", "950.05", "0.00", "-31.00");
    let second = ana.post("/api/transfers", transfer.clone()).created();
    ana.delete(&format!("/api/transactions/{}", second["to"]["id"])).gone();
    expect("leg deleted", "950.05", "0.00", "-31.00");

    let statement = ofx(&[("20260301", "-10.00", "a1", "Padaria"), ("20260303", "7.77", "a2", "Estorno")]);
    let imported = ana.import(Some(two), &statement).created();
    expect("import", "950.05", "-2.23", "-31.00");
    ana.import(Some(two), &statement).created();
    expect("import again", "950.05", "-2.23", "-31.00");
    let edited = format!("/api/transactions/{}", imported["transactions"][0]["id"]);
    ana.put(&edited, row(one, "expense", "2026-03-01", "11.00")).ok();
    expect("imported row moved", "939.05", "7.77", "-31.00");
    ana.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    expect("undo", "950.05", "0.00", "-31.00");

    let bill = ana.get(&path(card)).ok()["current_bill"]["id"].clone();
    ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({ "account_id": one })).ok();
    expect("bill paid", "919.05", "0.00", "0.00");
    ana.post_nothing(&format!("/api/credit-bills/{bill}/unpay")).ok();
    expect("bill unpaid", "950.05", "0.00", "-31.00");

    ana.post("/api/transfers", transfer).created();
    assert_eq!(ana.delete("/api/transactions?month=2026-02").ok()["deleted"], 2);
    expect("a month with a transfer deleted", "950.05", "0.00", "-31.00");
    ana.delete(&format!("/api/transactions/{salary}")).gone();
    expect("delete", "-50.05", "0.00", "-31.00");
    assert_eq!(ana.delete("/api/transactions?month=2026-01").ok()["deleted"], 1);
    expect("the opening balance's month deleted", "0.00", "0.00", "-31.00");
    assert_eq!(ana.delete("/api/transactions?month=2026-03").ok()["deleted"], 1);
    expect("everything deleted", "0.00", "0.00", "0.00");
}

#[test]
fn balances_are_exact_however_large() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (rich, poor) = (account(&ana, "Rica"), account(&ana, "Pobre"));
    let rows = |kind: &str| -> Vec<Value> {
        (0..1_000)
            .map(|number| {
                json!({ "date": "2026-03-01", "description": format!("Linha {number}"), "amount": "9999999999.99",
                    "type": kind })
            })
            .collect()
    };
    for (account_id, kind) in [(rich, "income"), (poor, "expense")] {
        let body = json!({ "account_id": account_id, "file_name": "x.csv", "format": "csv", "rows": rows(kind) });
        assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 1_000);
    }
    transaction(&ana, rich, "income", "2026-03-02", "0.01");
    let expected = [(rich, "9999999999990.01".to_string()), (poor, "-9999999999990.00".to_string())];
    assert_eq!(balances(&ana), expected.into());
    let dashboard = ana.get("/api/dashboard").ok();
    assert_eq!((&dashboard["income"], &dashboard["net_worth"]), (&json!("9999999999990.01"), &json!("0.01")));
}

#[test]
fn concurrent_writes_lose_no_cent() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let same_ana_elsewhere = Client::of(node.address()).with_token(ana.token());
    let shared = account(&ana, "Conta");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let client = if thread % 2 == 0 { &ana } else { &same_ana_elsewhere };
            scope.spawn(move || {
                for _ in 0..5 {
                    transaction(client, shared, "income", "2026-03-01", "0.07");
                    let gone = transaction(client, shared, "expense", "2026-03-01", "3.33");
                    client.delete(&format!("/api/transactions/{gone}")).gone();
                }
            });
        }
    });
    assert_eq!(balances(&ana), [(shared, "2.80".to_string())].into());
}

#[test]
fn another_profile_has_no_such_account() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let hers = account(&ana, "Banco");
    bia.get(&path(hers)).problem(404, "ErrNotFound");
    bia.put(&path(hers), json!({ "name": "Meu", "kind": "current" })).problem(404, "ErrNotFound");
    bia.delete(&path(hers)).problem(404, "ErrNotFound");
    bia.post("/api/transactions", row(hers, "income", "2026-03-01", "1")).invalid(&["account_id"]);
    assert_eq!(bia.get("/api/accounts").ok(), json!([]));
    assert_eq!(bia.get(&format!("/api/transactions?account_id={hers}")).ok(), json!([]));
    assert_eq!(ana.get(&path(hers)).ok()["name"], "Banco");
    for unusable in ["0", "-1", "9223372036854775807"] {
        ana.get(&format!("/api/accounts/{unusable}")).problem(404, "ErrNotFound");
    }
    ana.get("/api/accounts/abc").problem(404, "ErrNotFound");
    ana.get("/api/accounts/9223372036854775808").problem(404, "ErrNotFound");
}
