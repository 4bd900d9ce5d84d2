//! Opening balances: those that a person said are rows as others, those that the service keeps are derived.

use finance_tests::Method;
use serde_json::{Value, json};

use super::{House, assert_same, assert_sums, books, change_of, undo};

/// The opening balances of an account.
fn openings(house: &House, account: i64) -> Vec<(i64, Value, Value)> {
    let rows = house.ana.all(&format!("/api/transactions?account_id={account}&limit=1000"));
    let openings = rows.iter().filter(|row| row["source"] == "opening_balance");
    openings.map(|row| (row["id"].as_i64().unwrap(), row["date"].clone(), row["amount"].clone())).collect()
}

fn balance(house: &House, account: i64) -> Value {
    house.ana.get(&format!("/api/accounts/{account}")).ok()["balance"].clone()
}

/// Opens an account that holds that much today.
fn holding_today(house: &House, amount: &str) -> i64 {
    house.ana.create("/api/accounts", json!({ "name": "Hoje", "kind": "current", "balance_today": amount }))
}

#[test]
fn an_opening_balance_that_was_said_comes_back() {
    let house = House::new();
    let ana = &house.ana;
    let opened = |name: &str, kind: &str| {
        let mut body = json!({ "name": name, "kind": kind, "opening_balance": "100", "opening_date": "2025-07-01" });
        if kind == "credit" {
            body["closing_day"] = json!(25);
            body["due_day"] = json!(5);
            body["opening_balance"] = json!("-100");
        }
        ana.create("/api/accounts", body)
    };
    for (name, kind) in [("Uma", "current"), ("Outra", "credit")] {
        let account = opened(name, kind);
        let (row, day, amount) = openings(&house, account).pop().unwrap();
        let (path, before) = (format!("/api/transactions/{row}"), balance(&house, account));
        assert_eq!((&day, &amount), (&json!("2025-07-01"), &json!("100.00")));
        let restored = json!({ "restored": 1, "removed": 0, "changed": 0 });
        let changed = json!({ "restored": 0, "removed": 0, "changed": 1 });
        for (method, path, body, expected) in [
            (Method::DELETE, path.clone(), Value::Null, &restored),
            (Method::DELETE, "/api/transactions?month=2025-07".to_string(), Value::Null, &restored),
            (Method::POST, "/api/transactions/delete".to_string(), json!({ "ids": [row] }), &restored),
            (Method::PUT, path.clone(), json!({ "amount": "70.00" }), &changed),
        ] {
            let write = match method {
                Method::PUT => house.put(&path, &[("amount", body["amount"].clone())]),
                Method::POST => ana.post(&path, body),
                _ => ana.delete(&path),
            };
            assert!(write.status < 300, "{write:?}");
            let change = change_of(&write).expect("the opening balance is a row");
            let undone = undo(ana, change).ok();
            for number in ["restored", "removed", "changed"] {
                assert_eq!(undone[number], expected[number], "{kind}: {undone}");
            }
            assert_eq!(balance(&house, account), before);
            assert_eq!(openings(&house, account), [(row, day.clone(), amount.clone())]);
        }
        ana.delete(&path).gone();
    }
    assert_sums(&house.app);
}

#[test]
fn an_opening_balance_that_follows_is_never_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let account = holding_today(&house, "100.00");
    let body = |amount: &str| json!({ "type": "expense", "date": "2026-03-02", "description": "Padaria", "amount": amount, "account_id": account });
    let made = |amount: &str| {
        let reply = ana.post("/api/transactions", body(amount));
        (change_of(&reply).unwrap(), reply.created()["id"].as_i64().unwrap())
    };
    let opening = |house: &House| openings(house, account).pop().unwrap().2;
    let (first, row) = made("10.00");
    let (second, other) = made("5.00");
    assert_eq!(opening(&house), "115.00");
    undo(ana, first).ok();
    assert_eq!((opening(&house), balance(&house, account)), (json!("105.00"), json!("100.00")));
    undo(ana, second).ok();
    assert_eq!(opening(&house), "100.00");
    ana.get(&format!("/api/transactions/{row}")).problem(404, "ErrNotFound");
    ana.get(&format!("/api/transactions/{other}")).problem(404, "ErrNotFound");
    // Edits and deletions likewise.
    let paths = ["20.00", "30.00"].map(|amount| format!("/api/transactions/{}", made(amount).1));
    let edits = paths.clone().map(|path| change_of(&house.put(&path, &[("amount", json!("1.00"))])).unwrap());
    assert_eq!(opening(&house), "102.00");
    undo(ana, edits[0]).ok();
    assert_eq!(opening(&house), "121.00");
    undo(ana, edits[1]).ok();
    assert_eq!(opening(&house), "150.00");
    let deletions = paths.map(|path| change_of(&ana.delete(&path)).unwrap());
    assert_eq!(opening(&house), "100.00");
    for deletion in deletions {
        undo(ana, deletion).ok();
        assert_eq!(balance(&house, account), "100.00");
    }
    assert_eq!(opening(&house), "150.00");
    assert_sums(&house.app);
}

#[test]
fn the_row_of_a_change_names_it_and_not_the_opening_balance_that_follows() {
    let house = House::new();
    let ana = &house.ana;
    let account = holding_today(&house, "0.00");
    let read = |change: i64| ana.get(&format!("/api/changes/{change}")).ok();
    for amount in ["10.00", "12.00"] {
        let body = json!({ "type": "expense", "date": "2026-03-02", "description": "Padaria", "amount": amount, "account_id": account });
        let made = read(change_of(&ana.post("/api/transactions", body)).unwrap());
        assert_eq!(made["subject"], "Padaria", "{made}");
        assert_eq!(made["counts"], json!([{ "noun": "transactions", "created": 1, "changed": 0, "removed": 0 }]));
        assert_eq!(made["entries"].as_array().unwrap().len(), 1, "{made}");
    }
    let (opening, ..) = openings(&house, account).pop().unwrap();
    assert_eq!(ana.get(&format!("/api/transactions/{opening}/changes")).ok(), json!([]), "nobody wrote it");
}

#[test]
fn what_follows_comes_and_goes_under_its_ids() {
    let house = House::new();
    let ana = &house.ana;
    let account = holding_today(&house, "5000.00");
    house.row(account, "2026-02-10", "-10.00", None);
    let before = (openings(&house, account), books(ana));
    let deleted = change_of(&ana.delete("/api/transactions?month=2026-02")).unwrap();
    let after = (openings(&house, account), books(ana));
    assert_ne!(before.0, after.0);
    let mut change = deleted;
    for round in 0..4 {
        change = undo(ana, change).ok()["change_id"].as_i64().unwrap();
        let expected = if round % 2 == 0 { &before } else { &after };
        assert_eq!(openings(&house, account), expected.0, "{round}");
        assert_same("the books", &expected.1, &books(ana));
    }
    assert_sums(&house.app);
}

#[test]
fn what_the_service_takes_over_or_a_person_takes_over_is_in_the_way() {
    let house = House::new();
    let ana = &house.ana;
    let (row, ..) = openings(&house, house.bank).pop().unwrap();
    let path = format!("/api/transactions/{row}");
    let edited = change_of(&house.put(&path, &[("amount", json!("4000.00"))])).unwrap();
    let anchor = format!("/api/accounts/{}/anchors/2026-03-09", house.bank);
    let before = books(ana);
    let stated = change_of(&ana.put(&anchor, json!({ "amount": "7000.00" }))).unwrap();
    let refused = undo(ana, edited).problem(409, "ErrChangedSince");
    assert_eq!(refused["changes"], json!([stated]));
    undo(ana, stated).ok();
    assert_same("said", &before, &books(ana));
    undo(ana, edited).ok();
    assert_sums(&house.app);
}

#[test]
fn what_a_person_makes_of_an_opening_balance_of_the_service_is_undone_and_redone() {
    let house = House::new();
    let ana = &house.ana;
    let card =
        ana.create("/api/accounts", json!({ "name": "Novo", "kind": "credit", "closing_day": 25, "due_day": 5 }));
    let file =
        finance_tests::ofx(&[("20260301", "300.00", "k1", "Pagamento recebido"), ("20260302", "-20.00", "k2", "LOJA")]);
    ana.import(Some(card), &file).created();
    let (row, ..) = openings(&house, card).pop().expect("the payment was of a bill before the books");
    let path = format!("/api/transactions/{row}");
    house.recorded("transactions.update", Value::from("Saldo inicial"), |house| {
        house.put(&path, &[("amount", json!("250.00"))])
    });
    house.recorded("transactions.delete", Value::from("Saldo inicial"), |house| house.ana.delete(&path));
    assert_sums(&house.app);
}

#[test]
fn a_change_is_undone_although_the_opening_balance_that_follows_has_gone_or_come_again_since() {
    let house = House::new();
    let ana = &house.ana;
    let income = |account: i64, amount: &str| {
        let body = json!({ "type": "income", "date": "2026-02-01", "description": "Pix", "amount": amount,
            "account_id": account, "category_id": null });
        ana.create("/api/transactions", body)
    };
    // Of an account that was opened with a balance, the day of today is said.
    let stated = ana.create(
        "/api/accounts",
        json!({ "name": "Dita", "kind": "savings", "opening_balance": "500.00", "opening_date": "2026-01-01" }),
    );
    let before = (openings(&house, stated), ana.get(&format!("/api/accounts/{stated}")).ok()["name"].clone());
    let renamed = json!({ "name": "Outra", "kind": "savings", "balance_today": "80.00" });
    let changed = change_of(&ana.put(&format!("/api/accounts/{stated}"), renamed)).unwrap();
    let row = income(stated, "80.00");
    assert_eq!(openings(&house, stated), [], "it would be zero");
    let undone = undo(ana, changed).ok();
    assert_eq!((openings(&house, stated), ana.get(&format!("/api/accounts/{stated}")).ok()["name"].clone()), before);
    assert_eq!(balance(&house, stated), "580.00");
    assert_sums(&house.app);
    undo(ana, undone["change_id"].as_i64().unwrap()).ok();
    assert_eq!(balance(&house, stated), "80.00");
    assert_sums(&house.app);
    // It comes again under another id.
    ana.delete(&format!("/api/transactions/{row}")).gone();
    assert_eq!(balance(&house, stated), "80.00");
    // An account that was just created goes with what the service keeps on it.
    let created = ana.post("/api/accounts", json!({ "name": "Nova", "kind": "current", "balance_today": "80.00" }));
    let (creation, account) = (change_of(&created).unwrap(), created.created()["id"].as_i64().unwrap());
    let row = income(account, "80.00");
    ana.delete(&format!("/api/transactions/{row}")).gone();
    let books_before = books(ana);
    let undone = undo(ana, creation).ok();
    ana.get(&format!("/api/accounts/{account}")).problem(404, "ErrNotFound");
    assert_sums(&house.app);
    undo(ana, undone["change_id"].as_i64().unwrap()).ok();
    assert_same("redone", &books_before, &books(ana));
    // What was said of a day.
    let opened = openings(&house, house.bank);
    let anchored =
        change_of(&ana.put(&format!("/api/accounts/{}/anchors/2026-02-15", house.bank), json!({ "amount": "375.00" })));
    let row = income(house.bank, "375.00");
    assert_eq!(openings(&house, house.bank), []);
    ana.delete(&format!("/api/transactions/{row}")).gone();
    assert_ne!(openings(&house, house.bank), opened);
    undo(ana, anchored.unwrap()).ok();
    assert_eq!(openings(&house, house.bank), opened);
    assert_sums(&house.app);
}

#[test]
fn a_deleted_month_leaves_the_opening_balance_that_follows() {
    let house = House::new();
    let account = holding_today(&house, "80.00");
    house.row(account, "2026-02-10", "-5.00", None);
    let kept = openings(&house, account);
    assert_eq!(kept[0].1, "2026-02-09");
    house.row(house.savings, "2026-02-20", "-7.00", None);
    // That of the other account was said by a person.
    for expected in [3, 0] {
        assert_eq!(house.ana.delete("/api/transactions?month=2026-02").ok()["deleted"], expected);
    }
    assert_eq!(balance(&house, account), "80.00");
}

#[test]
fn a_balance_of_today_is_undone_although_its_opening_balance_has_gone_and_come_again_since() {
    let house = House::new();
    let ana = &house.ana;
    for of_anchor in [false, true] {
        let account =
            ana.create("/api/accounts", json!({ "name": format!("Poupança {of_anchor}"), "kind": "savings" }));
        let enter = |date: &str, amount: &str| {
            let row = json!({ "type": "income", "date": date, "description": "Depósito", "amount": amount, "account_id": account });
            ana.create("/api/transactions", row)
        };
        enter("2026-03-02", "10.00");
        let path = format!("/api/accounts/{account}");
        let said = match of_anchor {
            true => ana.put(&format!("{path}/anchors/2026-03-10"), json!({ "amount": "375.00" })),
            false => {
                let mut body = ana.get(&path).ok();
                body["balance_today"] = json!("375.00");
                ana.put(&path, body)
            }
        };
        let change = change_of(&said).expect("a balance is said");
        let before = openings(&house, account);
        assert_eq!(before.len(), 1);
        // With this row the balance of the day is that of the rows: there is nothing to open with.
        let row = enter("2026-03-03", "365.00");
        assert_eq!(openings(&house, account), []);
        ana.delete(&format!("/api/transactions/{row}")).gone();
        assert_ne!(openings(&house, account), before, "it has another id");
        let undone = undo(ana, change).ok();
        assert_eq!((balance(&house, account), openings(&house, account)), (json!("10.00"), vec![]));
        undo(ana, undone["change_id"].as_i64().unwrap()).ok();
        assert_eq!((balance(&house, account), openings(&house, account).len()), (json!("375.00"), 1));
        assert_sums(&house.app);
    }
}
