//! Writes whose rows the service finds or derives itself: transfers, rules, yield, links of recurring items, keys, budgets.

use finance_tests::{id, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::{House, assert_same, assert_sums, books, change_of, undo};

#[test]
fn found_transfers_are_undone_and_redone() {
    let house = House::new();
    let row = |account: i64, kind: &str, description: &str| {
        let body = json!({ "type": kind, "date": "2026-03-05", "description": description, "amount": "300.00", "account_id": account });
        house.ana.create("/api/transactions", body)
    };
    row(house.card, "income", "Pagamento recebido");
    row(house.bank, "expense", "PAGAMENTO FATURA CARTAO");
    let found =
        house.recorded("transfers.detect", Value::Null, |house| house.ana.post("/api/transfers/detect", json!({})));
    assert_eq!(found["linked"], 1, "{found}");
    let nothing = house.ana.post("/api/transfers/detect", json!({}));
    assert_eq!(change_of(&nothing), None, "nothing was found");
}

#[test]
fn a_row_that_comes_back_may_be_a_side_of_a_transfer_again() {
    let house = House::new();
    let row = |account: i64, kind: &str| {
        let body = json!({ "type": kind, "date": "2026-03-05", "description": "PIX", "amount": "300.00", "account_id": account });
        house.ana.post("/api/transactions", body)
    };
    row(house.bank, "expense").created();
    let made = house.recorded("transactions.create", "PIX", |house| row(house.savings, "income"));
    let path = format!("/api/transactions/{}", made["id"]);
    assert_eq!(books(&house.ana)["suggested"][0]["to"]["id"], made["id"], "{}", books(&house.ana)["suggested"]);
    house.recorded("transactions.delete", "PIX", |house| house.ana.delete(&path));
    house.recorded("transactions.delete", "2026-03", |house| house.ana.delete("/api/transactions?month=2026-03"));
}

#[test]
fn applied_rules_are_undone_and_redone() {
    let house = House::new();
    for day in 1..6 {
        house.row(house.bank, &format!("2026-03-0{day}"), "-10.00", None);
        house.row(house.card, &format!("2026-03-0{day}"), "-20.00", Some(house.food));
    }
    let rule = json!({ "name": "Loja", "conditions": [{ "field": "description", "op": "contains", "value": "loja" }],
        "actions": [{ "action": "set_category", "category_id": house.home }, { "action": "add_tag", "tag": "compras" },
            { "action": "rename", "description": "Mercado" }, { "action": "mark_transfer" }] });
    let rule = id(&house.ana.post("/api/rules", rule).created());
    let applied = house.recorded("rules.apply", Value::Null, |house| {
        house.ana.post("/api/rules/apply", json!({ "rule_ids": [rule], "only_uncategorized": false }))
    });
    assert_eq!(applied["changed"], 10, "{applied}");
    let again = house.ana.post("/api/rules/apply", json!({ "rule_ids": [rule], "only_uncategorized": false }));
    assert_eq!((again.status, change_of(&again)), (200, None), "nothing changes");
}

/// Opens an investment whose yield is posted until the end of February, and returns it.
fn investment(house: &House) -> i64 {
    house.app.rates.publish_weekdays(date!(2026 - 01 - 02), date!(2026 - 03 - 31), "0.055131");
    house.ana.create(
        "/api/accounts",
        json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 100, "opening_balance": "10000.00",
            "opening_date": "2026-01-30", "last_yield_date": "2026-01-30" }),
    )
}

#[test]
fn posted_yield_is_undone_and_its_days_are_not_paid_again() {
    let house = House::new();
    let ana = &house.ana;
    let account = investment(&house);
    let yields = || -> Vec<Value> {
        let rows = ana.all(&format!("/api/transactions?account_id={account}&limit=1000"));
        rows.into_iter().filter(|row| row["source"] == "yield").collect()
    };
    let listed = || -> Value {
        let all = ana.get("/api/accounts").ok();
        all.as_array().unwrap().iter().find(|known| id(known) == account).unwrap().clone()
    };
    let before = books(ana);
    let reply = ana.get("/api/accounts");
    let change = change_of(&reply).expect("a posting of yield is a change");
    let (after, posted, paid) = (books(ana), yields(), listed());
    assert_ne!(posted, [] as [Value; 0]);
    let shown = ana.get(&format!("/api/changes/{change}")).ok();
    assert_eq!(
        (&shown["kind"], &shown["member_id"], &shown["subject"]),
        (&json!("yields.post"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        shown["counts"],
        json!([{ "noun": "transactions", "created": posted.len(), "changed": 0, "removed": 0 }])
    );
    let undone = undo(ana, change).ok();
    assert_eq!((&undone["removed"], &undone["changed"]), (&json!(posted.len()), &json!(0)));
    let until = |books: &Value| {
        let all = books["accounts"].as_array().unwrap();
        all.iter().find(|known| id(known) == account).unwrap()["last_yield_date"].clone()
    };
    assert_eq!(until(&books(ana)), until(&after), "the days stay done");
    let mut rest = books(ana);
    for known in rest["accounts"].as_array_mut().unwrap() {
        if id(known) == account {
            known["last_yield_date"] = until(&before);
        }
    }
    assert_same("undone", &before, &rest);
    let again = ana.get("/api/accounts");
    assert_eq!((change_of(&again), yields()), (None, Vec::new()), "not paid again");
    assert_sums(&house.app);
    undo(ana, undone["change_id"].as_i64().unwrap()).ok();
    assert_same("redone", &after, &books(ana));
    assert_eq!((yields(), listed()), (posted, paid));
    // What comes later is paid, and keeps the earlier days as they are.
    house.app.clock.set_today(date!(2026 - 04 - 09));
    let ana = &house.app.user("ana");
    assert!(change_of(&ana.get("/api/accounts")).is_some());
    undo(ana, change).problem(409, "ErrAlreadyUndone");
}

#[test]
fn the_day_until_which_yield_is_paid_goes_back_only_if_nothing_was_posted_since() {
    let house = House::new();
    let ana = &house.ana;
    let account = investment(&house);
    let path = format!("/api/accounts/{account}");
    let until = || ana.get(&path).ok()["last_yield_date"].clone();
    let set =
        |day: &str| change_of(&house.put(&path, &[("last_yield_date", json!(day)), ("name", json!(day))])).unwrap();
    let first = set("2026-02-10");
    undo(ana, first).ok();
    assert_eq!(until(), "2026-01-30");
    let second = set("2026-02-12");
    ana.get("/api/accounts").ok();
    let paid = until();
    assert!(paid.as_str() > Some("2026-02-12"), "{paid}");
    undo(ana, second).ok();
    assert_eq!((until(), ana.get(&path).ok()["name"].clone()), (paid, json!("CDB")));
    assert_sums(&house.app);
}

#[test]
fn links_and_suggestions_of_recurring_items_are_undone_and_redone() {
    let house = House::new();
    let body = json!({ "type": "expense", "description": "Escola", "amount": "400.00", "category_id": house.home,
        "account_id": house.bank, "day": 5 });
    let item = format!("/api/recurring/{}", house.ana.create("/api/recurring", body));
    let rows = ["2026-03-01", "2026-03-02"].map(|day| house.row(house.bank, day, "-200.00", Some(house.food)));
    house.recorded("recurring.link", "Escola", |house| {
        house.ana.post(&format!("{item}/link"), json!({ "transaction_ids": rows }))
    });
    house.recorded("recurring.unlink", "Escola", |house| house.ana.post_nothing(&format!("{item}/unlink")));
    for month in ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"] {
        for (name, day, amount) in [("Academia", "09", "120.00"), ("Streaming", "04", "39.90")] {
            let body = json!({ "type": "expense", "date": format!("{month}-{day}"), "description": name, "amount": amount,
                "account_id": house.bank, "category_id": house.food });
            house.ana.create("/api/transactions", body);
        }
    }
    let found = house.ana.get("/api/recurring/suggestions").ok();
    let ids: Vec<&str> = found.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2, "{found}");
    house.recorded("recurring.reject", Value::Null, |house| {
        house.ana.post_nothing(&format!("/api/recurring/suggestions/{}/reject", ids[0]))
    });
    let name = "Academia";
    house.recorded("recurring.accept", name, |house| {
        house.ana.post(&format!("/api/recurring/suggestions/{}/accept", ids[1]), json!({}))
    });
}

#[test]
fn budgets_anchors_and_keys_are_undone_and_redone() {
    let house = House::new();
    house.row(house.bank, "2026-02-03", "-90.00", Some(house.home));
    house.recorded("categories.update", "2026-03", |house| {
        house.ana.post("/api/budgets/2026-03/fill", json!({ "from": "average3" }))
    });
    let anchor = format!("/api/accounts/{}/anchors/2026-03-09", house.bank);
    house.recorded("anchors.set", "Conta", |house| house.ana.put(&anchor, json!({ "amount": "4000.00" })));
    house.recorded("anchors.delete", "Conta", |house| house.ana.delete(&anchor));
    house.ana.put(&anchor, json!({ "amount": "4000.00" })).ok();
    house.row(house.bank, "2026-03-08", "-5.00", None);
    let moved = format!("/api/accounts/{}/anchors/2026-03-10", house.bank);
    house.ana.put(&moved, json!({ "amount": "4100.00" })).ok();
    house.recorded("anchors.set", "Conta", |house| house.ana.post_nothing(&format!("{moved}/adjust")));
    let file = ofx(&[("20260301", "-12.00", "k1", "PADARIA")]);
    house.recorded("imports.confirm", "statement", |house| house.ana.import(Some(house.bank), &file));
}

#[test]
fn a_plan_is_undone_as_a_whole_and_a_part_of_it_alone() {
    let house = House::new();
    let ana = &house.ana;
    let plan = json!({ "account_id": house.card, "description": "Sofá", "total_amount": "1000.01", "count": 3, "date": "2026-01-15",
        "category_id": house.home });
    let made =
        house.recorded("installments.create", Value::Null, |house| house.ana.post("/api/installments", plan.clone()));
    let rows = ana.all("/api/transactions?q=Sof%C3%A1");
    assert_eq!(rows.len(), 3, "{rows:?}");
    house.recorded("transactions.delete", rows[1]["description"].clone(), |house| {
        house.ana.delete(&format!("/api/transactions/{}", id(&rows[1])))
    });
    let gone = change_of(&ana.delete(&format!("/api/installments/{}", id(&made)))).unwrap();
    let counts = ana.get(&format!("/api/changes/{gone}")).ok()["counts"].clone();
    assert_eq!(counts[0]["noun"], "transactions", "{counts}");
    undo(ana, gone).ok();
    assert_sums(&house.app);
}

#[test]
fn an_entry_of_before_a_migration_that_adds_columns_is_undone() {
    let house = House::new();
    let ana = &house.ana;
    let festa = ana.create("/api/categories", json!({ "name": "Festa", "monthly_budget": "9.00" }));
    let account = ana.create("/api/accounts", json!({ "name": "Velha", "kind": "current", "opening_balance": "7.00" }));
    let gone = [format!("/api/categories/{festa}"), format!("/api/accounts/{account}")]
        .map(|path| change_of(&ana.delete(&path)).unwrap());
    // As a release without these columns recorded it, before its database was migrated.
    house.app.sql("update change_entries set columns = columns - 'color' - 'is_spendable' where columns is not null");
    house.app.sql(include_str!("../../../migrations/0140_add_spendable_accounts_and_colors/down.sql"));
    house.app.sql(include_str!("../../../migrations/0140_add_spendable_accounts_and_colors/up.sql"));
    for change in gone {
        undo(ana, change).ok();
    }
    let category = ana.get(&format!("/api/categories/{festa}")).ok();
    assert_eq!((&category["name"], &category["monthly_budget"]), (&json!("Festa"), &json!("9.00")));
    let known = ana.get(&format!("/api/accounts/{account}")).ok();
    assert_eq!((&known["spendable"], &known["balance"]), (&json!(true), &json!("7.00")));
    assert_sums(&house.app);
}

#[test]
fn a_month_of_a_thousand_rows_with_all_that_hangs_on_them_is_undone() {
    let house = House::new();
    let ana = &house.ana;
    investment(&house);
    let names: Vec<String> = (0..1000).map(|at| format!("LOJA {at}")).collect();
    let ids: Vec<String> = (0..1000).map(|at| format!("id{at}")).collect();
    let rows: Vec<(&str, &str, &str, &str)> = names
        .iter()
        .zip(&ids)
        .enumerate()
        .map(|(at, (name, id))| (["20260302", "20260305", "20260309"][at % 3], "-3.07", id.as_str(), name.as_str()))
        .collect();
    let file = ofx(&rows);
    assert_eq!(ana.import(Some(house.bank), &file).created()["inserted"], 1000);
    let (card, bank) = super::files();
    ana.import(Some(house.card), &card).created();
    ana.import(Some(house.bank), &bank).created();
    let parts =
        json!([{ "category_id": house.food, "amount": "6.00" }, { "category_id": house.home, "amount": "4.00" }]);
    let split = house.row(house.bank, "2026-03-03", "-10.00", None);
    house
        .put(
            &format!("/api/transactions/{split}"),
            &[("lines", parts), ("category_id", Value::Null), ("tags", json!(["x"]))],
        )
        .ok();
    let item = json!({ "type": "expense", "description": "Aula", "amount": "50.00", "category_id": house.home, "account_id": house.bank, "day": 5 });
    let item = house.ana.create("/api/recurring", item);
    let covering = house.row(house.bank, "2026-03-04", "-50.00", Some(house.home));
    ana.post(&format!("/api/recurring/{item}/link"), json!({ "transaction_ids": [covering] })).ok();
    let (from, to) =
        (house.row(house.bank, "2026-03-06", "-44.00", None), house.row(house.savings, "2026-03-06", "44.00", None));
    ana.post("/api/transfers/link", json!({ "from_id": from, "to_id": to })).created();
    let (from, to) =
        (house.row(house.bank, "2026-03-07", "-45.00", None), house.row(house.savings, "2026-03-07", "45.00", None));
    ana.post("/api/transfers/reject", json!({ "from_id": from, "to_id": to })).gone();
    let bills = ana.get("/api/credit-bills").ok();
    let open = bills.as_array().unwrap().iter().find(|bill| bill["status"] == "unpaid" && bill["total"] != "0.00");
    if let Some(bill) = open {
        ana.post(
            &format!("/api/credit-bills/{}/pay", id(bill)),
            json!({ "account_id": house.bank, "date": "2026-03-10" }),
        )
        .ok();
    }
    ana.get("/api/accounts").ok();
    let before = books(ana);
    let removed = ana.delete("/api/transactions?month=2026-03");
    let deleted = removed.json()["deleted"].as_u64().unwrap();
    assert!(deleted > 1000, "{deleted}");
    let change = change_of(&removed).unwrap();
    let after = books(ana);
    assert_sums(&house.app);
    let undone = undo(ana, change).ok();
    assert_eq!((&undone["restored"], &undone["removed"]), (&json!(deleted), &json!(0)), "{undone}");
    assert_same("undone", &before, &books(ana));
    assert_sums(&house.app);
    let redone = undo(ana, undone["change_id"].as_i64().unwrap()).ok();
    assert_same("redone", &after, &books(ana));
    undo(ana, redone["change_id"].as_i64().unwrap()).ok();
    assert_same("undone again", &before, &books(ana));
    for (account, file) in [(house.bank, &file), (house.card, &card), (house.bank, &bank)] {
        assert_eq!(ana.import(Some(account), file).created()["inserted"], 0);
    }
}
