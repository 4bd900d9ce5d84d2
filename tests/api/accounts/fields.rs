//! Fields of an account: kinds, names, yield, limits.

use finance_tests::{TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

use super::{account, card, path, row};

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
                "yield_type": "none", "cdi_percentage": 100, "yield_rate": null, "yield_day_count": "calendar",
                "yield_tax": "none", "iof": null, "income_tax": null, "net_balance": null,
                "last_yield_date": null, "closing_day": null,
                "due_day": null, "balance": "0.00", "ahead": "0.00", "held": "0.00", "opening_is_derived": false, "changed_bill": null,
                "current_bill": null, "credit_limit": null, "available_limit": null,
                "first_difference": null, "agrees_until": null, "spendable": kind == "current",
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
    let earlier = ana.put(&path(first), body("cdi", json!("2026-03-01"))).ok();
    assert_eq!(earlier["last_yield_date"], "2026-03-01", "no day after it was paid");
    ana.put(&path(first), body("none", Value::Null)).ok();
    let again = ana.put(&path(first), body("cdi", Value::Null)).ok();
    assert_eq!(again["last_yield_date"], "2026-03-20", "from today, the days off earn nothing");
    let created = ana.post("/api/accounts", json!({ "name": "LCI", "kind": "investment", "yield_type": "cdi" }));
    assert_eq!(created.created()["last_yield_date"], "2026-03-20");
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
