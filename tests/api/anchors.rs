//! Anchors: what accounts held at the end of days.

mod properties;

use finance_tests::{Client, Method, TestApp};
use serde_json::{Value, json};
use time::macros::date;

/// A confirm of rows with the balances that the file states. A row is its date, its signed amount and its description.
fn confirm(client: &Client, account: i64, rows: &[(&str, &str, &str)], balances: &[(&str, &str)]) -> Value {
    client.post("/api/import/confirm", body(account, rows, balances)).created()
}

fn body(account: i64, rows: &[(&str, &str, &str)], balances: &[(&str, &str)]) -> Value {
    let row = |(date, signed, description): &(&str, &str, &str)| {
        let (kind, amount) = signed.strip_prefix('-').map_or(("income", *signed), |amount| ("expense", amount));
        json!({ "date": date, "type": kind, "amount": amount, "description": description })
    };
    let balances: Vec<Value> =
        balances.iter().map(|(date, amount)| json!({ "date": date, "amount": amount })).collect();
    json!({ "account_id": account, "format": "ofx", "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "statements": [{ "index": 0, "balance": balances.last(), "balances": balances }] })
}

fn add(client: &Client, account: i64, date: &str, signed: &str, description: &str) -> i64 {
    let (kind, amount) = signed.strip_prefix('-').map_or(("income", signed), |amount| ("expense", amount));
    client.create(
        "/api/transactions",
        json!({ "account_id": account, "date": date, "type": kind, "amount": amount, "description": description }),
    )
}

fn account(client: &Client, id: i64) -> Value {
    client.get(&format!("/api/accounts/{id}")).ok()
}

fn say(client: &Client, id: i64, date: &str, amount: &str) -> Value {
    client.put(&format!("/api/accounts/{id}/anchors/{date}"), json!({ "amount": amount })).ok()
}

/// The opening balances of an account: dates and signed amounts.
fn openings(client: &Client, id: i64) -> Vec<(String, String)> {
    let rows = client.all(&format!("/api/transactions?account_id={id}"));
    rows.iter()
        .filter(|row| row["source"] == "opening_balance")
        .map(|row| {
            let sign = if row["type"] == "expense" { "-" } else { "" };
            (row["date"].as_str().unwrap().to_string(), format!("{sign}{}", row["amount"].as_str().unwrap()))
        })
        .collect()
}

fn opening(date: &str, amount: &str) -> Vec<(String, String)> {
    vec![(date.to_string(), amount.to_string())]
}

#[test]
fn a_balance_of_today_stays_whatever_older_statements_bring() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let body_of = json!({ "name": "Banco", "kind": "current", "balance_today": "1000.00" });
    let created = ana.post("/api/accounts", body_of).created();
    let bank = created["id"].as_i64().unwrap();
    assert_eq!((&created["balance"], &created["first_difference"]), (&json!("1000.00"), &Value::Null));
    assert_eq!(openings(&ana, bank), opening("2026-03-10", "1000.00"));
    let rows = [
        ("2026-01-05", "4000.00", "Salário"),
        ("2026-02-10", "-1500.00", "Aluguel"),
        ("2026-03-09", "-600.00", "Mercado"),
    ];
    let first = confirm(&ana, bank, &rows, &[("2026-03-09", "1000.00")]);
    let now = account(&ana, bank);
    assert_eq!(now["balance"], "1000.00");
    assert_eq!(openings(&ana, bank), opening("2026-01-04", "-900.00"));
    assert_eq!((&now["agrees_until"], &now["first_difference"]), (&json!("2026-03-09"), &Value::Null));

    app.clock.set_today(date!(2026 - 03 - 14));
    confirm(&ana, bank, &[("2026-03-11", "-10.00", "Pão")], &[("2026-03-13", "935.10")]);
    let difference = json!({ "date": "2026-03-13", "amount": "935.10", "difference": "-54.90" });
    let now = account(&ana, bank);
    assert_eq!((&now["first_difference"], &now["agrees_until"]), (&difference, &json!("2026-03-09")));
    add(&ana, bank, "2026-03-12", "-54.90", "Farmácia");
    let now = account(&ana, bank);
    assert_eq!((&now["first_difference"], &now["agrees_until"]), (&Value::Null, &json!("2026-03-13")));
    assert_eq!(now["balance"], "935.10");

    ana.delete(&format!("/api/imports/{}", first["import_id"])).ok();
    assert_eq!(openings(&ana, bank), opening("2026-03-10", "1000.00"));
    let listed = ana.get(&format!("/api/accounts/{bank}/anchors")).ok();
    let anchor = |date: &str, amount: &str, source: &str, import: &Value, is_followed: bool| {
        json!({ "account_id": bank, "date": date, "amount": amount, "source": source, "import_id": import,
            "computed": amount, "difference": "0.00", "is_followed": is_followed })
    };
    let second = listed[0]["import_id"].clone();
    let expected = [
        anchor("2026-03-13", "935.10", "file", &second, false),
        anchor("2026-03-10", "1000.00", "person", &Value::Null, true),
    ];
    assert_eq!(listed, json!(expected), "the balance of the file that was undone is gone");
}

#[test]
fn the_opening_balance_follows_the_first_day_that_a_person_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "77.00",
        "opening_date": "2026-01-31" }),
    );
    add(&ana, bank, "2026-02-02", "10.00", "Venda");
    assert_eq!(say(&ana, bank, "2026-02-10", "100.00")["is_followed"], true);
    assert_eq!(openings(&ana, bank), opening("2026-02-01", "90.00"), "in the place of what was said before");
    // Said later, of an earlier day: a check only.
    let other = say(&ana, bank, "2026-02-05", "60.00");
    assert_eq!(
        (&other["computed"], &other["difference"], &other["is_followed"]),
        (&json!("100.00"), &json!("-40.00"), &json!(false))
    );
    assert_eq!(openings(&ana, bank), opening("2026-02-01", "90.00"));
    // Saying the same day again corrects it and keeps its place.
    say(&ana, bank, "2026-02-10", "110.00");
    assert_eq!(openings(&ana, bank), opening("2026-02-01", "100.00"));
    // An opening balance that counts from ever: also for a day before it.
    assert_eq!(say(&ana, bank, "2026-01-15", "100.00")["difference"], "0.00");
    // It cannot be changed by itself.
    let row = ana.all(&format!("/api/transactions?account_id={bank}")).pop().unwrap();
    assert_eq!(row["source"], "opening_balance");
    let id = row["id"].as_i64().unwrap();
    let edit =
        json!({ "type": "income", "date": "2026-02-01", "description": "Saldo", "amount": "1", "account_id": bank });
    ana.put(&format!("/api/transactions/{id}"), edit.clone()).problem(409, "ErrOpeningFollows");
    ana.delete(&format!("/api/transactions/{id}")).problem(409, "ErrOpeningFollows");
    ana.post("/api/transactions/delete", json!({ "ids": [id] })).problem(409, "ErrOpeningFollows");
    let category = ana.create("/api/categories", json!({ "name": "Outra" }));
    let filed = json!({ "ids": [id], "category_id": category });
    ana.post("/api/transactions/update", filed).problem(409, "ErrOpeningFollows");
    assert_eq!(openings(&ana, bank), opening("2026-02-01", "100.00"));
    // A deletion of its month takes it away with the rest, and it comes again as the rest requires.
    ana.delete("/api/transactions?month=2026-02").ok();
    assert_eq!(openings(&ana, bank), opening("2026-02-10", "110.00"));
    // Without the first, the next one that was said is followed. A zero removes the row.
    ana.delete(&format!("/api/accounts/{bank}/anchors/2026-02-10")).gone();
    assert_eq!(openings(&ana, bank), opening("2026-02-05", "60.00"));
    say(&ana, bank, "2026-02-05", "0");
    assert_eq!(openings(&ana, bank), []);
    say(&ana, bank, "2026-02-05", "-5.5");
    assert_eq!(openings(&ana, bank), opening("2026-02-05", "-5.50"));
    // Without any, the row stays and is an ordinary one again.
    ana.delete(&format!("/api/accounts/{bank}/anchors/2026-02-05")).gone();
    ana.delete(&format!("/api/accounts/{bank}/anchors/2026-01-15")).gone();
    assert_eq!(openings(&ana, bank).len(), 1);
    let id = ana.all(&format!("/api/transactions?account_id={bank}"))[0]["id"].as_i64().unwrap();
    ana.put(&format!("/api/transactions/{id}"), edit).ok();
    ana.delete(&format!("/api/transactions/{id}")).gone();
    assert_eq!(openings(&ana, bank), []);
}

#[test]
fn every_write_of_rows_moves_the_opening_balance() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current", "balance_today": "100" }));
    let savings = ana.create("/api/accounts", json!({ "name": "Reserva", "kind": "savings", "balance_today": "0" }));
    let holds = |opening: &str, row: &str| {
        assert_eq!(account(&ana, bank)["balance"], "100.00", "{row}");
        assert_eq!(openings(&ana, bank).first().map(|(_, amount)| amount.clone()).as_deref(), Some(opening), "{row}");
    };
    let row = add(&ana, bank, "2026-03-01", "-30.00", "Feira");
    holds("130.00", "a new row");
    let edit =
        json!({ "type": "income", "date": "2026-02-20", "description": "Feira", "amount": "5", "account_id": bank });
    ana.put(&format!("/api/transactions/{row}"), edit).ok();
    holds("95.00", "an edited row");
    ana.post("/api/transactions/update", json!({ "ids": [row], "account_id": savings })).ok();
    holds("100.00", "a row that went to another account");
    assert_eq!(
        (account(&ana, savings)["balance"].clone(), openings(&ana, savings)),
        (json!("0.00"), opening("2026-02-19", "-5.00"))
    );
    let moved = json!({ "from_account_id": bank, "to_account_id": savings, "amount": "40", "date": "2026-03-02" });
    let transfer = ana.post("/api/transfers", moved).created();
    holds("140.00", "a transfer");
    ana.delete(&format!("/api/transfers/{}", transfer["id"])).gone();
    holds("100.00", "a deleted transfer");
    let imported = confirm(&ana, bank, &[("2026-03-03", "-1.00", "Café"), ("2026-03-04", "-2.00", "Chá")], &[]);
    holds("103.00", "an import");
    let ids: Vec<i64> = ana
        .all(&format!("/api/transactions?account_id={bank}"))
        .iter()
        .filter(|row| row["source"] == "ofx")
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    ana.post("/api/transactions/delete", json!({ "ids": [ids[0]] })).ok();
    holds("101.00", "rows deleted in bulk");
    ana.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    holds("100.00", "an import that was undone");
    // A row after the anchor changes the balance and not the opening balance.
    app.clock.set_today(date!(2026 - 03 - 20));
    add(&ana, bank, "2026-03-20", "-7.00", "Táxi");
    assert_eq!(
        (account(&ana, bank)["balance"].clone(), openings(&ana, bank)),
        (json!("93.00"), opening("2026-03-15", "100.00"))
    );
}

#[test]
fn a_card_follows_what_was_owed_on_a_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card =
        json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27, "balance_today": "-250.00" });
    let card = ana.create("/api/accounts", card);
    add(&ana, card, "2026-03-02", "-80.00", "Ração");
    let now = account(&ana, card);
    assert_eq!((&now["balance"], &now["opening_is_derived"]), (&json!("-250.00"), &json!(false)));
    assert_eq!(openings(&ana, card), opening("2026-03-01", "-170.00"));
    // What a person said of a balance is not derived from payments any more.
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let moved = json!({ "from_account_id": bank, "to_account_id": card, "amount": "60", "date": "2026-03-03" });
    ana.post("/api/transfers", moved).created();
    assert_eq!(
        (account(&ana, card)["balance"].clone(), openings(&ana, card)),
        (json!("-250.00"), opening("2026-03-01", "-230.00"))
    );
    // No file says what is owed on a card.
    let statement = json!({ "account_id": card, "is_credit_card": true, "format": "csv",
        "rows": [{ "date": "2026-03-05", "description": "Livro", "amount": "50", "type": "expense" }],
        "statements": [{ "index": 0, "balance": { "date": "2026-03-05", "amount": "-1.00" } }] });
    ana.post("/api/import/confirm", statement).created();
    let listed = ana.get(&format!("/api/accounts/{card}/anchors")).ok();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_card_whose_opening_balance_was_derived_follows_what_is_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let card =
        ana.create("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 }));
    add(&ana, card, "2026-03-02", "-80.00", "Ração");
    let moved = json!({ "from_account_id": bank, "to_account_id": card, "amount": "60", "date": "2026-02-26" });
    ana.post("/api/transfers", moved).created();
    assert_eq!(account(&ana, card)["opening_is_derived"], true);
    say(&ana, card, "2026-03-10", "-500.00");
    assert_eq!(openings(&ana, card), opening("2026-02-25", "-480.00"));
    let now = account(&ana, card);
    assert_eq!((&now["opening_is_derived"], &now["balance"]), (&json!(false), &json!("-500.00")));
}

#[test]
fn balances_of_files_count_by_their_rules() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let listed = || -> Vec<(String, String)> {
        let listed = ana.get(&format!("/api/accounts/{bank}/anchors")).ok();
        let text = |value: &Value| value.as_str().unwrap().to_string();
        listed.as_array().unwrap().iter().map(|anchor| (text(&anchor["date"]), text(&anchor["amount"]))).collect()
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(date, amount)| (date.to_string(), amount.to_string())).collect()
    };
    // Not after today, and a zero only while it agrees.
    let first = confirm(
        &ana,
        bank,
        &[("2026-03-02", "10.00", "Venda"), ("2026-03-04", "5.00", "Troco")],
        &[("2026-03-01", "0.00"), ("2026-03-02", "10.00"), ("2026-03-04", "0.00"), ("2026-03-16", "15.00")],
    );
    assert_eq!(listed(), pairs(&[("2026-03-02", "10.00"), ("2026-03-01", "0.00")]));
    let spent = add(&ana, bank, "2026-03-03", "-15.00", "Feira");
    assert_eq!(listed()[0], ("2026-03-04".to_string(), "0.00".to_string()), "now it agrees");
    ana.delete(&format!("/api/transactions/{spent}")).gone();
    // Until a later import has a row of its day; a row by hand or of the same import has no effect.
    add(&ana, bank, "2026-03-02", "1.00", "Achado");
    assert_eq!(listed(), pairs(&[("2026-03-02", "10.00"), ("2026-03-01", "0.00")]));
    let second = confirm(&ana, bank, &[("2026-03-02", "-3.00", "Café")], &[("2026-03-05", "12.00")]);
    assert_eq!(listed(), pairs(&[("2026-03-05", "12.00"), ("2026-03-01", "0.00")]));
    ana.delete(&format!("/api/imports/{}", second["import_id"])).ok();
    assert_eq!(listed(), pairs(&[("2026-03-02", "10.00"), ("2026-03-01", "0.00")]), "as it was before");
    // Of one day that of the later file, and before both that of a person.
    let third = confirm(&ana, bank, &[("2026-03-06", "-3.00", "Chá")], &[("2026-03-01", "1.00")]);
    assert_eq!(listed(), pairs(&[("2026-03-02", "10.00"), ("2026-03-01", "1.00")]));
    say(&ana, bank, "2026-03-01", "2.00");
    assert_eq!(listed(), pairs(&[("2026-03-02", "10.00"), ("2026-03-01", "2.00")]));
    let source = ana.get(&format!("/api/accounts/{bank}/anchors/2026-03-01")).ok();
    assert_eq!((&source["source"], &source["import_id"]), (&json!("person"), &Value::Null));
    ana.delete(&format!("/api/accounts/{bank}/anchors/2026-03-01")).gone();
    ana.delete(&format!("/api/accounts/{bank}/anchors/2026-03-01")).problem(404, "ErrNotFound");
    ana.delete(&format!("/api/imports/{}", third["import_id"])).ok();
    ana.delete(&format!("/api/imports/{}", first["import_id"])).ok();
    assert_eq!(listed(), []);
    // An import that inserts nothing leaves nothing.
    let again = [("2026-03-07", "1.00", "Venda")];
    confirm(&ana, bank, &again, &[]);
    let body = confirm(&ana, bank, &again, &[("2026-03-07", "9.00")]);
    assert_eq!((&body["import_id"], listed()), (&Value::Null, Vec::new()));
}

#[test]
fn a_difference_has_suspects() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    say(&ana, bank, "2026-03-01", "1000.00");
    let suspects = |date: &str| -> Vec<Value> {
        let found = ana.get(&format!("/api/accounts/{bank}/anchors/{date}")).ok();
        found["suspects"].as_array().unwrap().clone()
    };
    let kinds = |date: &str| -> Vec<(String, String)> {
        suspects(date)
            .iter()
            .map(|row| (row["kind"].as_str().unwrap().to_string(), row["description"].as_str().unwrap().to_string()))
            .collect()
    };
    // A row with the wrong sign.
    add(&ana, bank, "2026-03-02", "20.00", "Farmácia");
    say(&ana, bank, "2026-03-02", "980.00");
    assert_eq!(kinds("2026-03-02"), [("sign".to_string(), "Farmácia".to_string())]);
    // A row that is there twice, before one that is there once.
    let adjusted = ana.post_nothing(&format!("/api/accounts/{bank}/anchors/2026-03-02/adjust"));
    let row = adjusted.created();
    assert_eq!(
        (&row["amount"], &row["type"], &row["date"], &row["source"], &row["is_transfer"]),
        (&json!("40.00"), &json!("expense"), &json!("2026-03-02"), &json!("manual"), &json!(true))
    );
    add(&ana, bank, "2026-03-03", "-7.00", "Padaria");
    add(&ana, bank, "2026-03-04", "-7.00", "PADARIA CENTRAL");
    add(&ana, bank, "2026-03-09", "-7.00", "Doceria");
    say(&ana, bank, "2026-03-10", "966.00");
    let found = suspects("2026-03-10");
    let pairs: Vec<(&str, &str)> =
        found.iter().map(|row| (row["kind"].as_str().unwrap(), row["description"].as_str().unwrap())).collect();
    assert_eq!(pairs, [("extra", "PADARIA CENTRAL"), ("extra", "Padaria"), ("extra", "Doceria")]);
    assert!(found[0]["transaction_id"].is_i64() && found[0]["import_id"].is_null(), "{}", found[0]);
    ana.delete(&format!("/api/transactions/{}", found[0]["transaction_id"])).gone();
    assert_eq!(suspects("2026-03-10"), [] as [Value; 0], "no difference, no suspects");
    // A row that an import left out: rejected in the file, or skipped by the confirm.
    let rule = json!({ "name": "Sem tarifas", "conditions": [{ "field": "description", "op": "contains", "value": "tarifa" }],
        "actions": [{ "action": "skip" }] });
    ana.post("/api/rules", rule).created();
    let mut file = body(
        bank,
        &[("2026-03-11", "-1.00", "Pão"), ("2026-03-12", "-54.90", "TARIFA MENSAL"), ("2026-03-12", "54.90", "Venda")],
        &[("2026-03-13", "910.10")],
    );
    let line = |line: u32, code: &str, amount: &str| {
        json!({ "line": line, "code": code, "params": {}, "reason": "x", "date": "2026-03-12", "amount": amount,
            "type": "expense", "description": "Estorno" })
    };
    // A balance is no row of the account, and of the last line too little is known.
    file["rejected"] = json!([line(4, "pending_transaction", "109.80"), line(5, "balance_line", "109.80"),
        { "line": 6, "code": "invalid_date", "params": { "text": "x" }, "reason": "data inválida: x" }]);
    let imported = ana.post("/api/import/confirm", file).created();
    assert_eq!(imported["skipped"].as_array().unwrap().len(), 1, "{imported}");
    let found = suspects("2026-03-13");
    let expected = json!([{ "kind": "left_out", "transaction_id": null, "import_id": imported["import_id"],
        "date": "2026-03-12", "amount": "109.80", "type": "expense", "description": "Estorno" }]);
    assert_eq!(json!(found[found.len() - 1]), expected[0]);
    assert_eq!(account(&ana, bank)["first_difference"]["difference"], "-109.80");
    say(&ana, bank, "2026-03-13", "965.00");
    let named = kinds("2026-03-13");
    let expected = [("extra", "Venda"), ("left_out", "TARIFA MENSAL")];
    assert_eq!(named, expected.map(|(kind, text)| (kind.to_string(), text.to_string())), "the row that a rule skips");
    // They go with the import.
    ana.delete(&format!("/api/imports/{}", imported["import_id"])).ok();
    assert_eq!(app.rows("select * from left_out_rows"), Vec::<Value>::new());
}

#[test]
fn an_import_keeps_two_hundred_rows_that_it_left_out() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let mut file = body(bank, &[("2026-03-11", "-1.00", "Pão")], &[]);
    let line = |line: usize| json!({ "line": line + 1, "code": "pending_transaction", "date": "2026-03-12", "amount": "2", "type": "income" });
    file["rejected"] = (0..250).map(line).collect();
    ana.post("/api/import/confirm", file).created();
    let kept = app.rows("select count(*) as kept, min(description) as text from left_out_rows");
    assert_eq!((&kept[0]["kept"], &kept[0]["text"]), (&json!(200), &json!("Sem descrição")));
}

#[test]
fn an_adjustment_ends_a_difference_on_every_side_of_the_followed_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    say(&ana, bank, "2026-03-10", "1000.00");
    let anchors = format!("/api/accounts/{bank}/anchors");
    let differences = || -> Vec<String> {
        let listed = ana.get(&anchors).ok();
        listed.as_array().unwrap().iter().map(|anchor| anchor["difference"].as_str().unwrap().to_string()).collect()
    };
    let adjust = |date: &str| ana.post_nothing(&format!("{anchors}/{date}/adjust"));
    say(&ana, bank, "2026-03-12", "990.00");
    say(&ana, bank, "2026-03-05", "970.00");
    say(&ana, bank, "2026-03-03", "950.00");
    assert_eq!(differences(), ["-10.00", "0.00", "-30.00", "-50.00"]);
    assert_eq!(adjust("2026-03-12").created()["type"], "expense");
    assert_eq!(differences(), ["0.00", "0.00", "-30.00", "-50.00"]);
    // Before the followed day a row of the day would move the opening balance only.
    let row = adjust("2026-03-05").created();
    assert_eq!((&row["date"], &row["type"], &row["amount"]), (&json!("2026-03-06"), &json!("income"), &json!("30.00")));
    assert_eq!(differences(), ["0.00", "0.00", "0.00", "-20.00"]);
    adjust("2026-03-03").created();
    assert_eq!(differences(), ["0.00"; 4]);
    // What is earlier agrees, and goes on doing so.
    say(&ana, bank, "2026-03-04", "951.00");
    assert_eq!(differences(), ["0.00", "0.00", "0.00", "-19.00", "0.00"]);
    assert_eq!(adjust("2026-03-04").created()["date"], "2026-03-04");
    assert_eq!(differences(), ["0.00"; 5]);
    assert_eq!(account(&ana, bank)["balance"], "990.00");
    let month = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&month["income"], &month["expenses"]), (&json!("0.00"), &json!("0.00")), "they count in balances only");
    let nothing = adjust("2026-03-10").invalid(&["date"]);
    assert_eq!(nothing["errors"][0]["code"], "nothing_to_adjust");
    adjust("2026-03-11").problem(404, "ErrNotFound");
    adjust("x").problem(404, "ErrNotFound");
}

#[test]
fn an_adjustment_of_a_card_is_owed_or_paid_on_its_bills() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 15));
    let ana = app.user("ana");
    let card = ana.create(
        "/api/accounts",
        json!({ "name": "Cartão", "kind": "credit", "closing_day": 3, "due_day": 13, "balance_today": "-100.00" }),
    );
    add(&ana, card, "2026-03-10", "-100.00", "Mercado");
    let owed = || -> Vec<(String, String)> {
        let text = |bill: &Value, field: &str| bill[field].as_str().unwrap().to_string();
        let bills = ana.all(&format!("/api/credit-bills?account_id={card}"));
        let due = |bill: &Value| (text(bill, "due_date"), text(bill, "amount_due"));
        bills.iter().map(due).filter(|(_, amount)| amount != "0.00").collect()
    };
    let due = |amount: &str| vec![("2026-04-13".to_string(), amount.to_string())];
    assert_eq!(owed(), due("100.00"));
    // The bank shows more on an earlier day than the rows, and less today.
    say(&ana, card, "2026-03-12", "-130.00");
    ana.post_nothing(&format!("/api/accounts/{card}/anchors/2026-03-12/adjust")).created();
    assert_eq!((account(&ana, card)["balance"].clone(), owed()), (json!("-100.00"), due("100.00")));
    say(&ana, card, "2026-03-15", "-90.00");
    assert_eq!((account(&ana, card)["balance"].clone(), owed()), (json!("-90.00"), due("90.00")));
    let month = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!(month["expenses"], "100.00");
}

#[test]
fn bad_input_is_refused_at_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let path = format!("/api/accounts/{bank}/anchors");
    for (date, body, field) in [
        ("2026-03-16", json!({ "amount": "1" }), "date"),
        ("2026-02-30", json!({ "amount": "1" }), "date"),
        ("x", json!({ "amount": "1" }), "date"),
        ("2026-03-15", json!({}), "amount"),
        ("2026-03-15", json!({ "amount": "1.001" }), "amount"),
        ("2026-03-15", json!({ "amount": "10000000000.00" }), "amount"),
        ("2026-03-15", json!({ "amount": true }), "amount"),
    ] {
        ana.put(&format!("{path}/{date}"), body).invalid(&[field]);
    }
    for path in ["/api/accounts/999999/anchors", "/api/accounts/999999/anchors/2026-03-01"] {
        ana.get(path).problem(404, "ErrNotFound");
    }
    ana.get(&format!("{path}/2026-03-01")).problem(404, "ErrNotFound");
    ana.get(&format!("{path}/ontem")).problem(404, "ErrNotFound");
    ana.delete(&format!("{path}/ontem")).problem(404, "ErrNotFound");
    ana.put("/api/accounts/999999/anchors/2026-03-01", json!({ "amount": "1" })).problem(404, "ErrNotFound");
    ana.get(&format!("{path}?cursor=x")).invalid(&["cursor"]);
    let both = json!({ "name": "Outro", "kind": "current", "balance_today": "1", "opening_balance": "1" });
    let problem = ana.post("/api/accounts", both.clone()).invalid(&["balance_today"]);
    assert_eq!(problem["errors"][0]["code"], "with_opening_balance");
    ana.put(&format!("/api/accounts/{bank}"), both).invalid(&["balance_today"]);
    let far = json!({ "name": "Outro", "kind": "current", "balance_today": "-10000000000.00" });
    ana.post("/api/accounts", far).invalid(&["balance_today"]);
    let file = |part: Value| {
        let mut file = body(bank, &[("2026-03-11", "-1.00", "Pão")], &[]);
        file.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        ana.post("/api/import/confirm", file)
    };
    file(json!({ "statements": 1 })).invalid(&["statements"]);
    file(json!({ "statements": [1] })).invalid(&["statements[0]"]);
    file(json!({ "statements": [{ "balance": 1 }] })).invalid(&["statements[0].balance"]);
    let balances = json!([{ "date": "2026-03-01" }, { "date": "x", "amount": "1" }, 7]);
    file(json!({ "statements": [{ "balances": balances }] })).invalid(&[
        "statements[0].balances[0].amount",
        "statements[0].balances[1].date",
        "statements[0].balances[2]",
    ]);
    file(json!({ "statements": vec![json!({}); 51] })).invalid(&["statements"]);
    file(json!({ "rejected": {} })).invalid(&["rejected"]);
    let lines = json!([{ "line": 1 }, { "code": "invalid_date" }, { "line": 1, "code": "never" },
        { "line": 1, "code": "invalid_date", "amount": "x", "type": "gift", "date": 1, "description": 2 }]);
    file(json!({ "rejected": lines })).invalid(&[
        "rejected[0].code",
        "rejected[1].line",
        "rejected[2].code",
        "rejected[3].amount",
        "rejected[3].date",
        "rejected[3].description",
        "rejected[3].type",
    ]);
    assert_eq!(app.rows("select 1 as one from anchors union all select 1 from imports"), Vec::<Value>::new());
}

#[test]
fn a_long_list_comes_in_pages() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    for day in 1..=5 {
        say(&ana, bank, &format!("2026-03-0{day}"), "5");
    }
    let first = ana.get(&format!("/api/accounts/{bank}/anchors?limit=3"));
    let next = first.next().expect("another page").to_string();
    let days = |page: Value| -> Vec<String> {
        page.as_array().unwrap().iter().map(|anchor| anchor["date"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(days(first.ok()), ["2026-03-05", "2026-03-04", "2026-03-03"]);
    let last = ana.get(&next);
    assert_eq!(last.next(), None);
    assert_eq!(days(last.ok()), ["2026-03-02", "2026-03-01"]);
}

#[test]
fn a_restored_profile_has_its_anchors_in_the_order_in_which_they_were_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    say(&ana, bank, "2026-03-10", "100.00");
    say(&ana, bank, "2026-03-05", "50.00");
    let mut file = body(bank, &[("2026-03-11", "-1.00", "Pão")], &[("2026-03-11", "98.00")]);
    file["rejected"] = json!([{ "line": 1, "code": "pending_transaction", "date": "2026-03-11", "amount": "1",
        "type": "expense", "description": "Chá" }]);
    ana.post("/api/import/confirm", file).created();
    let document = ana.get("/api/export").ok();
    let bia = app.user("bia");
    bia.send(Method::POST, "/api/restore", Some("application/json"), document.to_string().into_bytes()).ok();
    let restored = bia.get("/api/accounts").ok()[0]["id"].as_i64().unwrap();
    let seen = |client: &Client, id: i64| -> Vec<Value> {
        let listed = client.get(&format!("/api/accounts/{id}/anchors")).ok();
        let part =
            |anchor: &Value| json!([anchor["date"], anchor["amount"], anchor["difference"], anchor["is_followed"]]);
        listed.as_array().unwrap().iter().map(part).collect()
    };
    assert_eq!(seen(&bia, restored), seen(&ana, bank));
    let suspects = bia.get(&format!("/api/accounts/{restored}/anchors/2026-03-11")).ok()["suspects"].clone();
    assert_eq!((suspects.as_array().unwrap().len(), &suspects[0]["description"]), (1, &json!("Chá")));
    add(&bia, restored, "2026-03-09", "-9.00", "Feira");
    assert_eq!(openings(&bia, restored), opening("2026-03-08", "109.00"));
}

#[test]
fn the_guides_balance_of_today_stays_and_the_months_before_are_right() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 31));
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current", "balance_today": "5000.00" }));
    let statement = include_bytes!("../../config/demo/three_months.ofx");
    ana.import(Some(bank), statement).created();
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5 });
    let card = ana.create("/api/accounts", card);
    let file = include_bytes!("../../config/demo/card.ofx");
    let options = [("account_id", card.to_string()), ("is_credit_card", "true".to_string())];
    let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let preview = ana.preview_with(file, &options).ok();
    let confirm = json!({ "account_id": card, "is_credit_card": true, "format": "ofx", "rows": preview["rows"],
        "due_date": preview["due_date"] });
    ana.post("/api/import/confirm", confirm).created();
    assert_eq!((&account(&ana, bank)["balance"], &account(&ana, card)["balance"]), (&json!("5000.00"), &json!("0.00")));
    assert_eq!(openings(&ana, bank), opening("2026-01-02", "2510.68"));
    let months = ana.get(&format!("/api/accounts/{bank}/balances?months=3")).ok();
    let balances: Vec<&Value> = months["balances"].as_array().unwrap().iter().map(|month| &month["balance"]).collect();
    assert_eq!(balances, ["3749.86", "4115.16", "5000.00"]);
    let march = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&march["income"], &march["expenses"]), (&json!("6970.50"), &json!("6498.01")));
}

#[test]
fn an_account_goes_with_its_anchors_and_never_has_too_many() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current", "balance_today": "7.00" }));
    app.sql(&format!(
        "insert into anchors (profile_id, account_id, date, amount, rows_total)
        select profile_id, id, date '1990-01-01' + day, 1, 0 from accounts, generate_series(1, 9999) day where id = {bank}"
    ));
    let path = |date: &str| format!("/api/accounts/{bank}/anchors/{date}");
    ana.put(&path("2026-03-01"), json!({ "amount": "1" })).problem(409, "ErrLimitReached");
    ana.put(&path("2026-03-15"), json!({ "amount": "8" })).ok();
    assert_eq!(account(&ana, bank)["balance"], "8.00");
    // Of a file the newest that there is room for are kept.
    ana.delete(&path("1990-01-02")).gone();
    ana.delete(&path("1990-01-03")).gone();
    let balances = [("2026-03-02", "5"), ("2026-03-05", "5"), ("2026-03-04", "5")];
    confirm(&ana, bank, &[("2026-03-06", "-1.00", "Pão")], &balances);
    let listed = ana.get(&format!("/api/accounts/{bank}/anchors?limit=4")).ok();
    let days: Vec<&str> = listed.as_array().unwrap().iter().map(|anchor| anchor["date"].as_str().unwrap()).collect();
    assert_eq!(days, ["2026-03-15", "2026-03-05", "2026-03-04", "2017-05-18"]);
    let other = ana.create("/api/accounts", json!({ "name": "Outro", "kind": "current", "balance_today": "9.00" }));
    ana.delete(&format!("/api/accounts/{other}")).gone();
    assert_eq!(app.rows(&format!("select 1 as one from anchors where account_id = {other}")), Vec::<Value>::new());
}

#[test]
fn a_preview_states_no_balance_of_a_later_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let file = |day: &str| {
        format!(
            "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKTRANLIST><STMTTRN>\
             <TRNTYPE>DEBIT<DTPOSTED>20260301<TRNAMT>-1.00<FITID>A1<MEMO>LUZ</STMTTRN></BANKTRANLIST>\
             <LEDGERBAL><BALAMT>10.00<DTASOF>{day}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
        )
    };
    let options = [("account_id", bank.to_string())];
    let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let stated = |day: &str| ana.preview_with(file(day).as_bytes(), &options).ok()["statements"][0].clone();
    let past = stated("20260310");
    assert_eq!((&past["balance"]["amount"], &past["agrees"]), (&json!("10.00"), &json!(false)));
    let later = stated("20260331");
    assert_eq!([&later["balance"], &later["balance_after"], &later["agrees"]], [&Value::Null; 3]);
}
