//! Balances are the sums of the transactions, including opening balances.

use finance_tests::{Client, TestApp, id, money, ofx, signed_cents};
use serde_json::{Value, json};

use super::{account, balances, card, path, row, transaction};

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
fn a_balance_of_today_that_needs_an_opening_balance_out_of_range_is_refused_at_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account =
        json!({ "name": "Conta", "kind": "current", "opening_balance": "100.00", "opening_date": "2026-01-01" });
    let id = ana.create("/api/accounts", account);
    let spent =
        json!({ "type": "expense", "account_id": id, "date": "2026-03-01", "amount": "5.00", "description": "x" });
    ana.create("/api/transactions", spent);
    let said = json!({ "name": "Conta", "kind": "current", "balance_today": "9999999999.99" });
    let problem = ana.put(&format!("/api/accounts/{id}"), said).invalid(&["balance_today"]);
    assert_eq!(problem["errors"][0]["code"], "too_far_from_zero");
}
