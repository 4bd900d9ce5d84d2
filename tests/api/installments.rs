//! `/api/installments`, the limit of cards, and which instalments are stored.

mod ended;
mod entering;
mod many;

use std::collections::BTreeMap;
use std::fs;

use finance_tests::{Citus, Client, TestApp, corpus, id, ofx, skipped};
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
    // Several rows at once, on accounts of two kinds.
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
    if Citus::of_environment().is_some() {
        skipped("the tables of Citus are distributed after this migration");
        return;
    }
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
    // A refund is not a purchase.
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

#[test]
fn a_plan_stays_one_though_its_rows_are_renamed_or_the_bank_cuts_the_shop() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 28));
    let ana = app.user("ana");
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "1000.00" });
    let card = ana.create("/api/accounts", card);
    let rows = [
        ("20260130", "-100.00", "A1", "MERCADOLIVRE*LJCASA - Parcela 1/4"),
        ("20260227", "-100.00", "A2", "MERCADOLIVRE*LJCASA - Parcela 2/4"),
        ("20260327", "-100.00", "A3", "MERCADOLIVRE*LJCASAS - Parcela 3/4"),
        // Another shop of the same count opens its own plan.
        ("20260327", "-100.00", "B1", "OUTRA LOJA - Parcela 3/4"),
    ];
    let stored = ana.import(Some(card), &ofx(&rows)).created()["transactions"].clone();
    let numbers = || -> Vec<Vec<i64>> {
        let ids =
            |plan: &Value| plan["transactions"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        let mut all: Vec<Vec<i64>> = plans(&ana).iter().map(ids).collect();
        all.sort();
        all
    };
    let id = |at: usize| stored[at]["id"].as_i64().unwrap();
    let expected = vec![vec![id(0), id(1), id(2)], vec![id(3)]];
    assert_eq!(numbers(), expected);
    let first = ana.get(&format!("/api/installments/{}", id(0))).ok();
    assert_eq!((&first["number"], &first["remaining_amount"]), (&json!(3), &json!("100.00")));
    let limit = || ana.get(&format!("/api/accounts/{card}")).ok()["available_limit"].clone();
    assert_eq!(limit(), "400.00", "400.00 are spent, and 100.00 of each plan are to come");
    // A new name without, or with another, instalment changes nothing.
    for (at, name) in [(1, "Sofá"), (2, "Sofá - Parcela 3/4"), (0, "Sofá 1/4")] {
        let mut row = ana.get(&format!("/api/transactions/{}", id(at))).ok();
        row["description"] = json!(name);
        let edit = json!({ "type": row["type"], "date": row["date"], "description": name, "amount": row["amount"],
            "account_id": row["account_id"] });
        ana.put(&format!("/api/transactions/{}", id(at)), edit).ok();
        assert_eq!((numbers(), limit()), (expected.clone(), json!("400.00")), "{name}");
    }
}

#[test]
fn a_plan_of_several_spellings_is_one_in_every_list() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 08 - 20));
    let ana = app.user("ana");
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "2000.00" });
    let card = ana.create("/api/accounts", card);
    let rows: Vec<(String, &str, String, String)> = (1..=8)
        .map(|number| {
            let shop = if number < 3 { "LJCASA" } else { "LJCASAS" };
            let text = format!("MERCADOLIVRE*{shop} - Parcela {number}/12");
            (format!("2026{number:02}10"), "-100.00", format!("A{number}"), text)
        })
        .collect();
    let rows: Vec<(&str, &str, &str, &str)> =
        rows.iter().map(|(day, amount, id, text)| (day.as_str(), *amount, id.as_str(), text.as_str())).collect();
    ana.import(Some(card), &ofx(&rows)).created();
    let all = plans(&ana);
    assert_eq!((all.len(), all[0]["transactions"].as_array().unwrap().len()), (1, 8));
    assert_eq!(ana.get("/api/installments?status=active").ok(), json!(all));
    // What was said of its older spelling holds for all of it.
    ana.put(&format!("/api/installments/{}", all[0]["id"]), json!({ "ended": true })).ok();
    assert_eq!(ana.get("/api/installments?status=active").ok(), json!([]));
    assert_eq!(ana.get(&format!("/api/accounts/{card}")).ok()["available_limit"], "1200.00");
}

#[test]
fn an_instalment_of_a_held_statement_is_in_its_plan_though_a_rule_renames_it() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "5000.00" });
    let card = ana.create("/api/accounts", card);
    let rule = json!({ "name": "TV", "conditions": [{ "field": "description", "op": "contains", "value": "tv - parcela" }],
        "actions": [{ "action": "rename", "description": "Televisão" }] });
    ana.post("/api/rules", rule).created();
    let file = ofx(&[("20260226", "-1000.00", "A1", "LOJA"), ("20260302", "-100.00", "A2", "TV - Parcela 1/12")]);
    let held = ana.import_card(card, "2026-04-05", &file).expect(202)["pending_bill"]["id"].clone();
    let limit = || ana.get(&format!("/api/accounts/{card}")).ok()["available_limit"].clone();
    assert_eq!(limit(), "2800.00", "1100.00 are held, and 1100.00 are to come");
    let plan = plans(&ana).remove(0);
    assert_eq!((&plan["description"], &plan["remaining_amount"]), (&json!("Televisão"), &json!("1100.00")));
    ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    assert_eq!(limit(), "2800.00");
}

#[test]
fn plans_that_only_held_statements_have_are_listed_once_each_in_pages() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = ana.open_card("Visa", 25, 5);
    let file = ofx(&[
        ("20260302", "-100.00", "A1", "LOJA A - Parcela 1/3"),
        ("20260302", "-100.00", "A2", "LOJA B - Parcela 1/6"),
        ("20260302", "-100.00", "A3", "LOJA C - Parcela 1/6"),
    ]);
    ana.import_card(card, "2026-04-05", &file).expect(202);
    let mut shops: Vec<Value> =
        ana.all("/api/installments?limit=1").iter().map(|plan| plan["description"].clone()).collect();
    shops.sort_by_key(Value::to_string);
    assert_eq!(shops, ["LOJA A", "LOJA B", "LOJA C"]);
    assert!(plans(&ana).iter().all(|plan| plan["id"].is_null()));
}

#[test]
fn a_plan_is_whole_in_every_list_though_a_held_statement_comes_after_months_without_one() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    let ana = app.user("ana");
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "5000.00" });
    let card = ana.create("/api/accounts", card);
    ana.import(Some(card), &ofx(&[("20251010", "-100.00", "A1", "TV - Parcela 1/12")])).created();
    assert_eq!(ana.get("/api/installments?status=active").ok(), json!([]), "it is stale");
    ana.import_card(card, "2026-04-05", &ofx(&[("20251010", "-100.00", "A6", "TV - Parcela 6/12")])).expect(202);
    let all = plans(&ana);
    assert_eq!((all.len(), &all[0]["number"], all[0]["id"].is_null()), (1, &json!(6), false), "{all:?}");
    assert_eq!(ana.get("/api/installments?status=active").ok(), json!(all));
    let limit = || ana.get(&format!("/api/accounts/{card}")).ok()["available_limit"].clone();
    assert_eq!(limit(), "4200.00", "200.00 are owed, and 600.00 are to come");
    ana.put(&format!("/api/installments/{}", all[0]["id"]), json!({ "ended": true })).ok();
    assert_eq!((ana.get("/api/installments?status=active").ok(), limit()), (json!([]), json!("4800.00")));
}

/// The bills of the corpus, each with the month of its name.
pub(crate) fn statements() -> Option<BTreeMap<(i32, u8), Vec<u8>>> {
    let folder = corpus()?.join("cards");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = files.filter_map(|path| {
        let month = path.file_name()?.to_str()?.strip_prefix("nubank-")?.strip_suffix(".csv")?.to_string();
        let (year, month) = month.split_once('-').unwrap();
        Some(((year.parse().unwrap(), month.parse().unwrap()), fs::read(path).unwrap()))
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
    // The instalments that the plans projected for the next bill: shop, number and count.
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
