//! `/api/installments`, the limit of cards, and what is stored of instalments.

use std::collections::BTreeMap;
use std::fs;

use finance_tests::{Client, TestApp, corpus, id};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Month};

/// A purchase on an account.
fn bought(account_id: i64, date: &str, description: &str, amount: &str) -> Value {
    json!({ "type": "expense", "account_id": account_id, "date": date, "description": description, "amount": amount })
}

/// The plans of a profile.
fn plans(client: &Client) -> Vec<Value> {
    client.all("/api/installments")
}

/// Enters a plan on a card.
fn enter(client: &Client, card: i64, date: &str, count: u8, total: &str) -> Value {
    let body =
        json!({ "account_id": card, "description": "Geladeira", "date": date, "count": count, "total_amount": total });
    client.post("/api/installments", body).created()
}

fn numbers(plan: &Value) -> Vec<(u64, &str, &str)> {
    let upcoming = plan["upcoming"].as_array().unwrap();
    upcoming
        .iter()
        .map(|row| {
            (row["number"].as_u64().unwrap(), row["due_date"].as_str().unwrap(), row["amount"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_description_is_read_on_a_card_and_nowhere_else() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Banco", "current"));
    let read = |account: i64, text: &str| {
        let made = ana.post("/api/transactions", bought(account, "2026-03-01", text, "10.00")).created();
        let stored = ana.get(&format!("/api/transactions/{}", id(&made))).ok();
        assert_eq!(made["installment"], stored["installment"], "{text}");
        stored["installment"].clone()
    };
    for (text, number, count) in [
        ("Loja - Parcela 3/10", 3, 10),
        ("LOJA PARC 02/12 SOROCABA BR", 2, 12),
        ("Empiricus 3/12", 3, 12),
        ("Loja 2 de 3", 2, 3),
        ("Loja (2/3)", 2, 3),
        ("Parcela 99/99", 99, 99),
    ] {
        assert_eq!(read(card, text), json!({ "number": number, "count": count }), "{text}");
    }
    for text in ["Parcela 1/1", "Única", "Loja 4/3", "Loja 1/100", "Loja 12/03/10"] {
        assert_eq!(read(card, text), Value::Null, "{text}");
    }
    for text in ["RSHOP-TREVO -10/09", "SAQUE 06/08", "PIX JOAO 05/12", "Loja - Parcela 3/10"] {
        assert_eq!(read(bank, text), Value::Null, "{text}");
    }
    let nowhere = json!({ "type": "expense", "date": "2026-03-01", "description": "Parcela 1/3", "amount": "1" });
    assert_eq!(ana.post("/api/transactions", nowhere).created()["installment"], Value::Null);
    // Several rows at once, on two kinds of account.
    let rows = json!([
        { "date": "2026-03-02", "description": "Sofá 1/3", "amount": "5", "type": "expense" },
        { "date": "2026-03-02", "description": "Padaria", "amount": "6", "type": "expense" },
    ]);
    let import = |account: i64| {
        let body = json!({ "account_id": account, "format": "csv", "rows": rows });
        ana.post("/api/import/confirm", body).created()["transactions"].clone()
    };
    let on_card = import(card);
    assert_eq!(
        (&on_card[0]["installment"], &on_card[1]["installment"]),
        (&json!({ "number": 1, "count": 3 }), &Value::Null)
    );
    assert_eq!(import(bank)[0]["installment"], Value::Null);
}

#[test]
fn a_changed_description_or_account_is_read_anew() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Banco", "current"));
    let made = ana.post("/api/transactions", bought(card, "2026-03-01", "Loja 3/10", "10.00")).created();
    let path = format!("/api/transactions/{}", id(&made));
    let put = |account: i64, text: &str| ana.put(&path, bought(account, "2026-03-01", text, "10.00")).ok();
    assert_eq!(put(card, "Loja")["installment"], Value::Null);
    assert_eq!(put(card, "Loja 4/10")["installment"], json!({ "number": 4, "count": 10 }));
    assert_eq!(put(bank, "Loja 4/10")["installment"], Value::Null);
    assert_eq!(plans(&ana), Vec::<Value>::new());
    let other = ana.create("/api/transactions", bought(bank, "2026-03-01", "Outra 1/2", "10.00"));
    let moved = json!({ "ids": [id(&made), other], "account_id": card });
    ana.post("/api/transactions/update", moved).ok();
    assert_eq!(ana.get(&path).ok()["installment"], json!({ "number": 4, "count": 10 }));
    assert_eq!(plans(&ana).len(), 2);
}

#[test]
fn what_was_stored_before_is_read_by_the_migration() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Banco", "current"));
    for account in [card, bank] {
        for text in ["Loja - Parcela 3/10", "Padaria"] {
            ana.create("/api/transactions", bought(account, "2026-03-01", text, "10.00"));
        }
    }
    let columns = "select id, installment_number, installment_count, installment_shop from transactions order by id";
    let read = app.rows(columns);
    assert_eq!(read.iter().filter(|row| row["installment_shop"] == "loja").count(), 1, "{read:?}");
    app.sql(
        "update transactions set installment_number = null, installment_count = null, installment_shop = null;
        delete from __diesel_schema_migrations where version = '0037'",
    );
    finance_adapters_postgres::PgStore::migrate(app.database_url()).expect("the migration reads the rows");
    assert_eq!(app.rows(columns), read);
    let forced = "select relname from pg_class where relname in ('accounts', 'transactions') and relforcerowsecurity";
    assert_eq!(app.rows(forced).len(), 2);
}

#[test]
fn a_purchase_by_instalments_is_entered_once_and_filled_by_the_statements() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let category = id(&ana.get("/api/categories").ok()[0]);
    let body = json!({ "account_id": card, "description": "  Geladeira ", "date": "2026-03-10", "count": 3,
        "total_amount": "100.00", "category_id": category });
    let reply = ana.post("/api/installments", body);
    let location = reply.header("Location").unwrap().to_string();
    let plan = reply.created();
    assert_eq!(ana.get(&location).ok(), plan);
    let ids = plan["transactions"].clone();
    let expected = json!({ "id": ids[0], "account_id": card, "description": "Geladeira", "category_id": category,
        "amount": "33.33", "count": 3, "number": 1, "remaining": 2, "remaining_amount": "66.66", "estimated": false,
        "status": "active", "first_date": "2026-03-10", "last_due_date": "2026-06-05", "transactions": ids,
        "upcoming": [
            { "number": 2, "due_date": "2026-05-05", "amount": "33.33" },
            { "number": 3, "due_date": "2026-06-05", "amount": "33.33" },
        ] });
    assert_eq!(plan, expected);
    let stored = ana.all("/api/transactions");
    let mut shown: Vec<_> = stored
        .iter()
        .map(|row| {
            (row["date"].as_str().unwrap(), row["description"].as_str().unwrap(), row["amount"].as_str().unwrap())
        })
        .collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("2026-03-10", "Geladeira - Parcela 1/3", "33.34"),
            ("2026-04-10", "Geladeira - Parcela 2/3", "33.33"),
            ("2026-05-10", "Geladeira - Parcela 3/3", "33.33"),
        ]
    );
    assert!(stored.iter().all(|row| row["source"] == "installment" && row["type"] == "expense"));

    // The statements: the first with another text and other cents, the last with a payment date.
    let row = |date: &str, text: &str, amount: &str, external_id: Value| json!([{ "date": date, "description": text, "amount": amount, "type": "expense", "external_id": external_id }]);
    let confirm = |rows: &Value, payment_date: Option<&str>| {
        let body = json!({ "account_id": card, "format": "ofx", "rows": rows, "is_credit_card": true, "payment_date": payment_date });
        ana.post("/api/import/confirm", body).created()
    };
    for (rows, payment_date, at) in [
        (row("2026-03-11", "GELADEIRA 1/3", "33.33", json!("F1")), None, 0),
        (row("2026-03-30", "Geladeira - Parcela 2/3", "33.33", json!("F2")), None, 1),
        (row("2026-04-02", "Geladeira - Parcela 3/3", "33.33", json!("F3")), Some("2026-06-05"), 2),
    ] {
        app.clock.set_today(date!(2026 - 06 - 05));
        let skipped = confirm(&rows, payment_date)["skipped"].clone();
        assert_eq!(skipped[0]["code"], "duplicate", "{skipped}");
        assert_eq!(skipped[0]["params"]["transaction_id"], ids[at], "{skipped}");
        // Once more, now by what the statement said.
        assert_eq!(confirm(&rows, payment_date)["skipped"][0]["params"]["transaction_id"], ids[at]);
    }
    let filled = |at: usize| ana.get(&format!("/api/transactions/{}", ids[at])).ok();
    let (first, third) = (filled(0), filled(2));
    assert_eq!(
        (&first["date"], &first["external_id"], &first["original_date"]),
        (&json!("2026-03-11"), &json!("F1"), &Value::Null)
    );
    assert_eq!(
        (&first["description"], &first["statement_description"]),
        (&json!("Geladeira - Parcela 1/3"), &json!("GELADEIRA 1/3"))
    );
    assert_eq!((&third["date"], &third["original_date"]), (&json!("2026-06-05"), &json!("2026-04-02")));
    assert_eq!(ana.all("/api/transactions").len(), 3, "not six");
    let plan = &plans(&ana)[0];
    assert_eq!((&plan["id"], &plan["status"], &plan["number"]), (&ids[0], &json!("finished"), &json!(3)));
    ana.delete(&format!("/api/installments/{}", ids[0])).problem(409, "ErrInstallmentImported");
}

#[test]
fn a_preview_judges_as_the_confirm_and_saves_nothing() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let plan = enter(&ana, card, "2026-03-10", 3, "100.00");
    let file =
        "date,title,amount\n2026-03-09,GELADEIRA 1/3,33.34\n2026-03-09,GELADEIRA 1/3,33.34\n2026-03-09,Padaria,5.00\n";
    let account = card.to_string();
    let preview = ana.preview_with(file.as_bytes(), &[("account_id", &account), ("is_credit_card", "true")]).ok();
    let duplicates: Vec<_> =
        preview["rows"].as_array().unwrap().iter().map(|row| row["duplicate_of"].clone()).collect();
    assert_eq!(duplicates, [plan["id"].clone(), Value::Null, Value::Null], "one was entered");
    assert_eq!(ana.get(&format!("/api/transactions/{}", plan["id"])).ok()["date"], "2026-03-10");
    let body =
        json!({ "account_id": card, "format": preview["format"], "rows": preview["rows"], "is_credit_card": true });
    let confirmed = ana.post("/api/import/confirm", body.clone()).created();
    assert_eq!((&confirmed["inserted"], &confirmed["skipped"][0]["row"]), (&json!(2), &json!(0)));
    assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 0, "all of it is known");
    assert_eq!(ana.get(&format!("/api/transactions/{}", plan["id"])).ok()["date"], "2026-03-09");
}

#[test]
fn rows_that_differ_are_other_purchases() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let (card, other) = (ana.open_card("Cartão", 25, 5), ana.open_card("Outro", 25, 5));
    enter(&ana, card, "2026-03-10", 3, "100.00");
    for (account, date, text, amount, kind) in [
        (other, "2026-03-10", "Geladeira 1/3", "33.34", "expense"),
        (card, "2026-03-10", "Fogão 1/3", "33.34", "expense"),
        (card, "2026-03-10", "Geladeira 1/4", "33.34", "expense"),
        (card, "2026-03-10", "Geladeira 1/3", "33.37", "expense"),
        (card, "2026-01-10", "Geladeira 1/3", "33.34", "expense"),
        (card, "2026-03-10", "Geladeira 1/3", "33.34", "income"),
        (card, "2026-03-10", "Geladeira", "33.34", "expense"),
    ] {
        let rows = json!([{ "date": date, "description": text, "amount": amount, "type": kind }]);
        let body = json!({ "account_id": account, "format": "csv", "rows": rows });
        assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 1, "{text} {amount} {date} {kind}");
    }
}

#[test]
fn only_what_no_statement_told_of_is_deleted_with_a_plan() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let whole = enter(&ana, card, "2026-03-10", 3, "100.00");
    let path = format!("/api/installments/{}", whole["id"]);
    let second = format!("/api/installments/{}", whole["transactions"][1]);
    ana.get(&second).problem(404, "ErrNotFound");
    ana.delete(&second).problem(404, "ErrNotFound");
    assert_eq!(ana.delete(&path).ok(), json!({ "deleted": 3 }));
    ana.get(&path).problem(404, "ErrNotFound");
    ana.delete(&path).problem(404, "ErrNotFound");

    let told = enter(&ana, card, "2026-03-10", 3, "100.00");
    let rows = json!([{ "date": "2026-03-10", "description": "Geladeira - Parcela 1/3", "amount": "33.34", "type": "expense" }]);
    let body = json!({ "account_id": card, "format": "csv", "rows": rows });
    assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 0);
    let path = format!("/api/installments/{}", told["id"]);
    assert_eq!(
        ana.delete(&path).ok(),
        json!({ "deleted": 2 }),
        "the statement told of the first, without an id or another text"
    );
    let left = ana.get(&path).ok();
    assert_eq!((&left["number"], &left["estimated"]), (&json!(1), &json!(true)));
    assert_eq!(numbers(&left), [(2, "2026-05-05", "33.34"), (3, "2026-06-05", "33.34")], "it goes on as any purchase");
    ana.delete(&path).problem(409, "ErrInstallmentImported");
    // A row that was typed in is nobody's plan to delete.
    let typed = ana.create("/api/transactions", bought(card, "2026-03-10", "Sofá 1/3", "10.00"));
    ana.delete(&format!("/api/installments/{typed}")).problem(409, "ErrInstallmentImported");
}

#[test]
fn what_is_wrong_with_a_purchase_is_told_at_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Banco", "current"));
    let valid = json!({ "account_id": card, "description": "Geladeira", "date": "2026-03-10", "count": 3, "total_amount": "100.00" });
    let with = |changes: Value| {
        let mut body = valid.clone();
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        ana.post("/api/installments", body)
    };
    for (changes, fields) in [
        (json!({ "account_id": bank }), vec!["account_id"]),
        (json!({ "account_id": null }), vec!["account_id"]),
        (json!({ "account_id": 999_999 }), vec!["account_id"]),
        (json!({ "category_id": 999_999 }), vec!["category_id"]),
        (json!({ "count": 1 }), vec!["count"]),
        (json!({ "count": 0 }), vec!["count"]),
        (json!({ "count": -3 }), vec!["count"]),
        (json!({ "count": 100 }), vec!["count"]),
        (json!({ "count": 9_223_372_036_854_775_807_i64 }), vec!["count"]),
        (json!({ "count": 2.5 }), vec!["count"]),
        (json!({ "count": null }), vec!["count"]),
        (json!({ "amount": "10.00" }), vec!["amount"]),
        (json!({ "total_amount": null }), vec!["total_amount"]),
        (json!({ "total_amount": "0" }), vec!["total_amount"]),
        (json!({ "total_amount": "0.02" }), vec!["total_amount"]),
        (json!({ "total_amount": "-1" }), vec!["total_amount"]),
        (json!({ "total_amount": "1.001" }), vec!["total_amount"]),
        (json!({ "total_amount": "10000000000" }), vec!["total_amount"]),
        (json!({ "total_amount": null, "amount": "0" }), vec!["amount"]),
        (json!({ "description": " " }), vec!["description"]),
        (json!({ "description": "x".repeat(242) }), vec!["description"]),
        (json!({ "date": "2026-02-30" }), vec!["date"]),
        (json!({ "date": "2199-12-01" }), vec!["date"]),
        (
            json!({ "account_id": null, "count": 1, "description": "", "date": null, "total_amount": null }),
            vec!["account_id", "count", "description", "date", "total_amount"],
        ),
    ] {
        let what = changes.to_string();
        let problem = with(changes).problem(422, "ErrValidation");
        let mut named: Vec<&str> =
            problem["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
        let mut expected = fields;
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected, "{what}: {problem}");
    }
    assert_eq!(ana.all("/api/transactions"), Vec::<Value>::new());

    let each =
        with(json!({ "total_amount": null, "amount": "33.34", "count": 99, "description": "x".repeat(239) })).created();
    assert_eq!((&each["transactions"].as_array().unwrap().len(), &each["remaining_amount"]), (&99, &json!("3267.32")));
    assert_eq!(with(json!({ "total_amount": "0.03" })).created()["amount"], "0.01");
    let most = with(json!({ "total_amount": "9999999999.99", "count": 2 })).created();
    assert_eq!((&most["amount"], &most["remaining_amount"]), (&json!("4999999999.99"), &json!("4999999999.99")));
}

#[test]
fn a_month_apart_is_the_same_day_or_the_last_one() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    enter(&ana, card, "2026-01-31", 4, "40.00");
    let mut dates: Vec<String> =
        ana.all("/api/transactions").iter().map(|row| row["date"].as_str().unwrap().to_string()).collect();
    dates.sort_unstable();
    assert_eq!(dates, ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]);
}

#[test]
fn plans_are_listed_by_card_and_status_and_in_pages() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let (one, two) = (ana.open_card("Um", 25, 5), ana.open_card("Dois", 25, 5));
    let make = |card: i64, date: &str, text: &str| ana.create("/api/transactions", bought(card, date, text, "10.00"));
    let active = make(one, "2026-03-01", "Ativa 1/3");
    let stale = make(one, "2025-10-20", "Parada 1/12");
    let almost = make(two, "2025-12-20", "Quase 1/12");
    let first = make(two, "2026-01-20", "Acabou 1/2");
    make(two, "2026-02-20", "Acabou 2/2");
    // A refund is no purchase.
    let refund =
        json!({ "type": "income", "account_id": two, "date": "2026-03-01", "description": "Ativa 1/3", "amount": "9" });
    ana.create("/api/transactions", refund);
    let ids = |query: &str| ana.all(&format!("/api/installments{query}")).iter().map(id).collect::<Vec<_>>();
    assert_eq!(ids(""), [active, first, almost, stale]);
    assert_eq!(ids("?status=active"), [active, almost]);
    assert_eq!(ids("?status=stale"), [stale]);
    assert_eq!(ids("?status=finished"), [first]);
    assert_eq!(ids(&format!("?account_id={two}")), [first, almost]);
    assert_eq!(ids(&format!("?account_id={two}&status=active")), [almost]);
    assert_eq!(ids("?account_id=999999"), Vec::<i64>::new());
    assert_eq!(ids("?limit=1"), [active, first, almost, stale], "in four pages");
    let page = ana.get("/api/installments?limit=3");
    assert!(page.next().is_some());
    assert!(ana.get("/api/installments?limit=4").next().is_none());
    ana.get("/api/installments?status=over&account_id=x&limit=0&cursor=%21").invalid(&[
        "status",
        "account_id",
        "limit",
        "cursor",
    ]);
}

#[test]
fn the_limit_that_is_left_is_without_what_is_projected() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let body =
        json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "5000.00" });
    let made = ana.post("/api/accounts", body.clone()).created();
    assert_eq!((&made["credit_limit"], &made["available_limit"]), (&json!("5000.00"), &json!("5000.00")));
    let card = id(&made);
    let left = || {
        let alone = ana.get(&format!("/api/accounts/{card}")).ok()["available_limit"].clone();
        for accounts in [ana.get("/api/accounts").ok(), ana.get("/api/dashboard").ok()["accounts"].clone()] {
            let listed = accounts.as_array().unwrap().iter().find(|account| id(account) == card).unwrap();
            assert_eq!(listed["available_limit"], alone);
        }
        alone
    };
    ana.create("/api/transactions", bought(card, "2026-03-01", "LOJA - Parcela 1/12", "100.00"));
    assert_eq!(left(), "3800.00");
    app.clock.set_today(date!(2026 - 04 - 10));
    assert_eq!(left(), "3800.00", "the next may come on the open bill");
    ana.create("/api/transactions", bought(card, "2026-04-01", "LOJA - Parcela 2/12", "100.00"));
    assert_eq!(left(), "3800.00");
    let bills = ana.all(&format!("/api/credit-bills?account_id={card}&status=unpaid"));
    ana.post(
        &format!("/api/credit-bills/{}/pay", bills[1]["id"]),
        json!({ "account_id": ana.open_account("Banco", "current") }),
    )
    .ok();
    assert_eq!(left(), "3900.00");
    enter(&ana, card, "2026-04-05", 3, "300.00");
    assert_eq!(left(), "3600.00", "rows of later bills are in the balance");

    let mut change = body.clone();
    change["credit_limit"] = json!(10.5);
    assert_eq!(ana.put(&format!("/api/accounts/{card}"), change.clone()).ok()["available_limit"], "-1389.50");
    change["credit_limit"] = Value::Null;
    let without = ana.put(&format!("/api/accounts/{card}"), change.clone()).ok();
    assert_eq!((&without["credit_limit"], &without["available_limit"]), (&Value::Null, &Value::Null));
    for wrong in [json!("-0.01"), json!("10000000000.00"), json!("1.001"), json!("x"), json!(true)] {
        change["credit_limit"] = wrong;
        ana.put(&format!("/api/accounts/{card}"), change.clone()).invalid(&["credit_limit"]);
    }
    let bank = json!({ "name": "Poupança", "kind": "savings", "credit_limit": 0 });
    ana.post("/api/accounts", bank).invalid(&["credit_limit"]);
    let savings =
        ana.post("/api/accounts", json!({ "name": "Poupança", "kind": "savings", "credit_limit": null })).created();
    assert_eq!((&savings["credit_limit"], &savings["available_limit"]), (&Value::Null, &Value::Null));
}

#[test]
fn two_profiles_share_no_plan() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (anas, bias) = (ana.open_card("Cartão", 25, 5), bia.open_card("Cartão", 25, 5));
    let plan = enter(&ana, anas, "2026-03-10", 3, "100.00");
    let rows = json!([{ "date": "2026-03-10", "description": "Geladeira 1/3", "amount": "33.34", "type": "expense" }]);
    let confirmed =
        bia.post("/api/import/confirm", json!({ "account_id": bias, "format": "csv", "rows": rows })).created();
    assert_eq!(confirmed["inserted"], 1);
    let own = id(&confirmed["transactions"][0]);
    bia.create("/api/transactions", bought(bias, "2026-04-10", "Geladeira 2/3", "33.33"));
    assert_eq!(plans(&bia).iter().map(id).collect::<Vec<_>>(), [own]);
    bia.get(&format!("/api/installments/{}", plan["id"])).problem(404, "ErrNotFound");
    assert_eq!(plans(&ana), [plan]);
}

/// The bills of the corpus, each with the month of its name.
fn statements() -> Option<BTreeMap<(i32, u8), Vec<u8>>> {
    let folder = corpus()?.join("cards");
    let files = fs::read_dir(folder).ok()?.map(|entry| entry.unwrap().path());
    let named = files.filter_map(|path| {
        let month = path.file_name()?.to_str()?.strip_prefix("nubank-")?.strip_suffix(".csv")?.to_string();
        let (year, month) = month.split_once('-')?;
        Some(((year.parse().ok()?, month.parse().ok()?), fs::read(path).ok()?))
    });
    Some(named.collect())
}

#[test]
fn four_years_of_real_bills_give_nine_finished_plans() {
    let Some(statements) = statements() else { return };
    assert_eq!(statements.len(), 47);
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Nubank", 17, 25);
    let (mut projected_of_next, mut arrived, mut missing) = (0, 0, Vec::new());
    // What the plans projected for the bill that comes next: shop, number and count.
    let mut expected: Vec<(String, u64, u64)> = Vec::new();
    for ((year, month), file) in &statements {
        let day = |day| Date::from_calendar_date(*year, Month::try_from(*month).unwrap(), day).unwrap();
        app.clock.set_today(day(26));
        let imported = ana.import_card(card, &day(25).to_string(), file).created();
        let came: Vec<(String, u64, u64)> = imported["transactions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| !row["installment"].is_null())
            .map(|row| {
                let (text, _) = row["description"].as_str().unwrap().rsplit_once(' ').unwrap();
                let of = &row["installment"];
                (text.to_string(), of["number"].as_u64().unwrap(), of["count"].as_u64().unwrap())
            })
            .collect();
        for known in expected.drain(..) {
            projected_of_next += 1;
            match came.contains(&known) {
                true => arrived += 1,
                false => missing.push((format!("{year}-{month:02}"), known)),
            }
        }
        let next_due = ana.get(&format!("/api/credit-bills/upcoming?account_id={card}&months=1")).ok();
        let plans = plans(&ana);
        for plan in &plans {
            let posted = plan["number"].as_u64().unwrap();
            for upcoming in plan["upcoming"].as_array().unwrap() {
                assert!(upcoming["number"].as_u64().unwrap() > posted, "projected and posted: {plan}");
                if upcoming["due_date"] == next_due[0]["due_date"] {
                    let text = plan["description"].as_str().unwrap().to_string();
                    expected.push((text, upcoming["number"].as_u64().unwrap(), plan["count"].as_u64().unwrap()));
                }
            }
        }
        if (*year, *month) == (2016, 10) {
            let anticipated = came.iter().filter(|(text, _, count)| text == "Saraiva Com" && *count == 11).count();
            assert_eq!(anticipated, 6, "six numbers of one plan: {came:?}");
        }
    }
    let plans = plans(&ana);
    assert_eq!(plans.len(), 9, "{plans:?}");
    assert!(plans.iter().all(|plan| plan["status"] == "finished"), "{plans:?}");
    let rows: usize = plans.iter().map(|plan| plan["transactions"].as_array().unwrap().len()).sum();
    assert_eq!(rows, 46);
    assert_eq!((projected_of_next, arrived), (24, 21), "{missing:?}");
    assert!(missing.iter().all(|(bill, _)| bill == "2016-07"), "{missing:?}");
}
