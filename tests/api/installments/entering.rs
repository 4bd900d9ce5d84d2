//! Purchases that are entered by hand, and the statements that fill them.

use finance_tests::{TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

use super::{bought, enter, numbers, plans};

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
        "ended": false, "upcoming": [
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
        // The second time the row is recognised by the statement's values.
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
        (card, "2026-03-10", "Fogão 1/3", "33.35", "expense"),
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

    let stated = enter(&ana, card, "2026-03-10", 3, "100.00");
    let rows = json!([{ "date": "2026-03-10", "description": "Geladeira - Parcela 1/3", "amount": "33.34", "type": "expense" }]);
    let body = json!({ "account_id": card, "format": "csv", "rows": rows });
    assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 0);
    let path = format!("/api/installments/{}", stated["id"]);
    assert_eq!(
        ana.delete(&path).ok(),
        json!({ "deleted": 2 }),
        "the statement told of the first, without an id or another text"
    );
    let left = ana.get(&path).ok();
    assert_eq!((&left["number"], &left["estimated"]), (&json!(1), &json!(true)));
    assert_eq!(numbers(&left), [(2, "2026-05-05", "33.34"), (3, "2026-06-05", "33.34")], "it goes on as any purchase");
    ana.delete(&path).problem(409, "ErrInstallmentImported");
    // A transaction that was entered by hand is not a plan, so it cannot be deleted as one.
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
