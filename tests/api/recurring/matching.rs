//! Which transaction covers which item.

use std::collections::HashSet;

use finance_domain::recurring::{MatchItem, amount_bands};
use finance_domain::transactions::Kind;
use finance_domain::{Access, CategoryId, Money, Month, RecurringId, Store};
use finance_tests::TestApp;
use serde_json::json;
use time::macros::date;

use super::{category, income_in, path, recurring, stands, status, transaction};

#[test]
fn ten_percent_either_way_covers_and_a_cent_more_does_not() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (amount, covering, missing) in [
        ("1000.00", ["900.00", "1100.00"], ["899.99", "1100.01"]),
        ("1000.05", ["900.05", "1100.05"], ["900.04", "1100.06"]),
        ("0.10", ["0.09", "0.11"], ["0.08", "0.12"]),
        ("0.09", ["0.09", "0.09"], ["0.08", "0.10"]),
        ("9999999999.99", ["9000000000.00", "9999999999.99"], ["8999999999.99", "0.01"]),
    ] {
        let category = category(&ana, amount);
        let id = recurring(&ana, "expense", category, amount);
        for (paid, expected) in
            [(covering[0], "covered"), (covering[1], "covered"), (missing[0], "pending"), (missing[1], "pending")]
        {
            let row = transaction(&ana, "expense", category, "2026-03-31", paid);
            let by = (expected == "covered").then_some(row);
            assert_eq!(stands(&ana, id, ""), (expected.to_string(), by), "{paid} for {amount}");
            ana.delete(&format!("/api/transactions/{row}")).gone();
            assert_eq!(status(&ana, id), "pending");
        }
    }
}

#[test]
fn only_the_same_category_type_and_month_covers() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (one, two) = (category(&ana, "Um"), category(&ana, "Dois"));
    let id = recurring(&ana, "expense", one, "100.00");
    transaction(&ana, "income", one, "2026-03-10", "100.00");
    transaction(&ana, "expense", two, "2026-03-10", "100.00");
    transaction(&ana, "expense", one, "2026-02-28", "100.00");
    transaction(&ana, "expense", one, "2026-04-01", "100.00");
    ana.post(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-03-10", "description": "Sem categoria", "amount": "100.00" }),
    )
    .created();
    assert_eq!(status(&ana, id), "pending");
    assert_eq!(stands(&ana, id, "?month=2026-02").0, "covered");
    assert_eq!(stands(&ana, id, "?month=2026-04").0, "covered");
    let row = transaction(&ana, "expense", one, "2026-03-01", "100.00");
    assert_eq!(stands(&ana, id, ""), ("covered".into(), Some(row)));
}

#[test]
fn an_opening_balance_and_a_transfer_with_a_category_cover_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let id = recurring(&ana, "income", category, "100.00");
    let account = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "100.00", "opening_date": "2026-03-01" }),
    );
    let mut opening = ana.all_transactions()[0].clone();
    assert_eq!(opening["account_id"], account);
    opening["category_id"] = json!(category);
    ana.put(&format!("/api/transactions/{}", opening["id"]), opening).ok();
    assert_eq!(status(&ana, id), "pending");
    assert_eq!(ana.get("/api/dashboard").ok()["income"], "0.00");
}

#[test]
fn one_transaction_covers_one_item_and_as_many_are_covered_as_can_be() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Casa");
    let wide = recurring(&ana, "expense", category, "110.00");
    let narrow = recurring(&ana, "expense", category, "100.00");
    // This transaction matches both items, and covers one of them.
    let first = transaction(&ana, "expense", category, "2026-03-10", "105.00");
    let covered = |id| stands(&ana, id, "").1;
    assert_eq!([covered(wide), covered(narrow)].iter().flatten().collect::<Vec<_>>(), [&first]);
    // This transaction matches only one of them. The first transaction then covers the other.
    let second = transaction(&ana, "expense", category, "2026-03-11", "95.00");
    assert_eq!((covered(wide), covered(narrow)), (Some(first), Some(second)));
    // Two transactions cover two of three items.
    let third = recurring(&ana, "expense", category, "100.00");
    let by = [wide, narrow, third].map(covered);
    assert_eq!(by.iter().flatten().collect::<std::collections::BTreeSet<_>>(), [&first, &second].into());
    assert_eq!(by.iter().flatten().count(), 2);
}

#[test]
fn a_mark_does_not_hide_a_transaction_that_arrives() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for state in ["late", "ignored"] {
        let id = income_in(&ana, state);
        let category = ana.get(&path(id)).ok()["category_id"].as_i64().unwrap();
        let row = transaction(&ana, "income", category, "2026-03-20", "950.00");
        assert_eq!(stands(&ana, id, ""), ("covered".into(), Some(row)));
        ana.delete(&format!("/api/transactions/{row}")).gone();
        assert_eq!(status(&ana, id), state, "the mark shows again");
    }
}

#[test]
fn the_transaction_of_a_confirmed_item_covers_no_other() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Renda");
    let (one, two) = (recurring(&ana, "income", category, "100.00"), recurring(&ana, "income", category, "100.00"));
    let made = ana.post_nothing(&format!("{}/confirm", path(two))).created();
    assert_eq!(stands(&ana, one, ""), ("pending".into(), None));
    // With another amount and month, it is still the transaction of the item.
    let mut moved = made.clone();
    moved["date"] = json!("2026-04-02");
    moved["amount"] = json!("101.00");
    ana.put(&format!("/api/transactions/{}", made["id"]), moved).ok();
    assert_eq!(stands(&ana, two, ""), ("confirmed".into(), made["id"].as_i64()));
    assert_eq!(stands(&ana, two, "?month=2026-04").0, "pending");
    assert_eq!(stands(&ana, one, "?month=2026-04").0, "pending");
}

#[test]
fn a_row_that_several_items_fit_covers_that_of_its_account_then_of_its_amount_then_of_its_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let accounts = ["Um", "Dois"].map(|name| ana.open_account(name, "current"));
    let made = |category: i64, account: usize, amount: &str, day: u8| {
        let item = json!({ "type": "expense", "description": "Algo", "amount": amount, "category_id": category,
            "account_id": accounts[account], "day": day });
        ana.create("/api/recurring", item)
    };
    for (name, first, second, row) in [
        ("Conta", (0, "100.00", 10), (1, "100.00", 10), (1, "100.00", "10")),
        ("Valor", (0, "100.00", 10), (0, "105.00", 10), (0, "105.00", "10")),
        ("Dia", (0, "100.00", 10), (0, "100.00", 25), (0, "100.00", "25")),
    ] {
        let category = category(&ana, name);
        let items = [first, second].map(|(account, amount, day)| made(category, account, amount, day));
        let row = json!({ "type": "expense", "category_id": category, "account_id": accounts[row.0], "amount": row.1,
            "date": format!("2026-02-{}", row.2), "description": "Algo" });
        let row = ana.create("/api/transactions", row);
        assert_eq!(stands(&ana, items[0], "?month=2026-02").0, "pending", "{name}");
        assert_eq!(stands(&ana, items[1], "?month=2026-02"), ("covered".into(), Some(row)), "{name}");
    }
}

#[test]
fn of_several_rows_a_due_takes_the_nearest_amount_whenever_they_came() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Casa");
    let rent = recurring(&ana, "expense", category, "1800.00");
    // More than are read of each end of the amounts.
    for (day, amount) in
        (1..).zip(["1620.00", "1650.00", "1700.00", "1710.00", "1950.00", "1960.00", "1970.00", "1980.00"])
    {
        transaction(&ana, "expense", category, &format!("2026-03-{day:02}"), amount);
    }
    let near = transaction(&ana, "expense", category, "2026-03-20", "1790.00");
    assert_eq!(stands(&ana, rent, ""), ("covered".into(), Some(near)));
    let exact = transaction(&ana, "expense", category, "2026-03-21", "1800.00");
    assert_eq!(stands(&ana, rent, ""), ("covered".into(), Some(exact)));
    transaction(&ana, "expense", category, "2026-03-31", "1801.00");
    assert_eq!(stands(&ana, rent, ""), ("covered".into(), Some(exact)));
}

#[test]
fn a_crowded_month_is_read_once_however_many_items_there_are() {
    const ITEMS: usize = 300;
    let app = TestApp::start();
    let ana = app.user("ana");
    let (profile, category_id) = (ana.caller().profile_id.0, category(&ana, "Casa"));
    app.sql(&format!(
        "insert into recurring (profile_id, kind, description, amount, category_id, day)
        select {profile}, 'expense', 'Algo', 100, {category_id}, 5 from generate_series(1, {ITEMS});
        insert into transactions (profile_id, kind, category_id, date, source, description, description_normalized, amount)
        select {profile}, 'expense', {category_id}, date '2026-03-01' + n % 28, 'manual', 'Algo', 'algo', 100
        from generate_series(1, 50000) as n;
        analyze recurring, transactions"
    ));
    app.rebuild_sums();
    let store: &dyn Store = app.store.as_ref();
    let item = |id| MatchItem {
        id: RecurringId(id),
        kind: Kind::Expense,
        category_id: CategoryId(category_id),
        amount: Money::from_cents(10_000),
        account_id: None,
    };
    let month = Month::of(date!(2026 - 03 - 01));
    let mut bands = amount_bands(&(1..=ITEMS as i64).map(item).collect::<Vec<_>>());
    bands.iter_mut().for_each(|band| band.since = month);
    let read = store.run(&ana.caller(), Access::Read, |repo| repo.recurring_transactions((month, month), &bands, true));
    let read = read.unwrap().len();
    assert!((ITEMS..=2 * ITEMS).contains(&read), "{read} rows: no more leave the database than can cover an item");

    // Items and transactions together make fifteen million pairs.
    let listed = ana.get("/api/recurring").ok();
    let covering: HashSet<i64> =
        listed.as_array().unwrap().iter().filter_map(|item| item["transaction_id"].as_i64()).collect();
    assert_eq!(covering.len(), ITEMS);
    assert_eq!(ana.get("/api/dashboard").ok()["pending_recurrings"], json!([]));
}

#[test]
fn a_link_whose_row_has_become_of_the_other_type_holds_it_no_more() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = category(&ana, "Aluguel");
    let income = recurring(&ana, "income", category, "100.00");
    let expenses = [(); 2].map(|()| recurring(&ana, "expense", category, "100.00"));
    let row = transaction(&ana, "income", category, "2026-03-06", "100.00");
    let link = |id| ana.post(&format!("{}/link", path(id)), json!({ "transaction_ids": [row] }));
    link(income).ok();
    assert_eq!(stands(&ana, income, ""), ("covered".to_string(), Some(row)));
    let body = json!({ "type": "expense", "category_id": category, "date": "2026-03-06", "description": "Algo",
        "amount": "100.00" });
    ana.put(&format!("/api/transactions/{row}"), body).ok();
    assert_eq!(expenses.map(|id| status(&ana, id)), ["covered", "pending"]);
    link(expenses[1]).ok();
    assert_eq!(expenses.map(|id| status(&ana, id)), ["pending", "covered"]);
    assert_eq!(status(&ana, income), "pending");
}
