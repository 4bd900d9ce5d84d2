//! What is awarded, and that it is awarded once.

use std::collections::{BTreeMap, HashSet};

use finance_domain::transactions::{Kind, TransactionInput};
use finance_domain::use_cases::transactions;
use finance_domain::{Access, Error, Money, Store};
use finance_tests::{TestApp, ofx};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

use super::{achievement, category, count, events, expense, income, paged, xp};

/// Runs a hundred concurrent requests, and returns how often each status occurred.
fn hundredfold(request: impl Fn() -> u16 + Sync) -> BTreeMap<u16, usize> {
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..100).map(|_| scope.spawn(&request)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut counts = BTreeMap::new();
    for status in statuses {
        *counts.entry(status).or_insert(0) += 1;
    }
    counts
}

#[test]
fn a_hundred_repeats_at_once_of_every_action_are_awarded_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let today = date!(2026 - 03 - 15);
    let current = ana.post("/api/accounts", json!({ "name": "Banco", "kind": "current" })).created()["id"].clone();
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    let card = ana.post("/api/accounts", card).created()["id"].clone();
    let savings = ana.post("/api/accounts", json!({ "name": "Reserva", "kind": "savings" })).created()["id"].clone();
    let pets = category(&ana, "Pets", Value::Null);
    let purchase = |date: Date| {
        let mut body = expense(date, "Ração", "30");
        body["account_id"] = card.clone();
        body["category_id"] = pets.clone();
        body
    };
    // This purchase is in the last complete month, because a kept budget is awarded for that month.
    ana.post("/api/transactions", purchase(date!(2026 - 02 - 20))).created();
    let bill = ana.get(&format!("/api/credit-bills?account_id={card}")).ok();
    let bill = bill.as_array().unwrap().iter().find(|bill| bill["amount_due"] == "30.00").unwrap()["id"].clone();
    let salary = json!({ "type": "income", "description": "Salário", "amount": "5000", "category_id": pets, "day": 5 });
    let item = ana.post("/api/recurring", salary).created()["id"].clone();
    let before = |action: &str| count(&ana, action);

    let post = |path: &'static str, body: Value| {
        let ana = &ana;
        move || ana.post(path, body.clone()).status
    };
    let once = |counts: BTreeMap<u16, usize>, first: u16, repeat: u16| {
        let expected = match first == repeat {
            true => BTreeMap::from([(first, 100)]),
            false => BTreeMap::from([(first, 1), (repeat, 99)]),
        };
        assert_eq!(counts, expected);
    };

    let known = before("transaction_created");
    once(hundredfold(post("/api/transactions", expense(today, "Padaria", "7.50"))), 201, 201);
    assert_eq!(before("transaction_created"), known + 1);

    let rows = json!([{ "date": "2026-03-14", "description": "Pix", "amount": "90", "type": "income" }]);
    once(hundredfold(post("/api/import/confirm", json!({ "account_id": current, "rows": rows }))), 201, 201);
    assert_eq!(before("import_confirmed"), 1);

    let known = before("category_created");
    once(hundredfold(post("/api/categories", json!({ "name": "Plantas" }))), 201, 409);
    assert_eq!(before("category_created"), known + 1);

    let budget = json!({ "name": "Pets", "monthly_budget": "50" });
    once(hundredfold(|| ana.put(&format!("/api/categories/{pets}"), budget.clone()).status), 200, 200);
    assert_eq!((before("category_budgeted"), before("category_budget_kept")), (1, 1));

    let known = before("account_created");
    once(hundredfold(post("/api/accounts", json!({ "name": "Carteira", "kind": "current" }))), 201, 409);
    assert_eq!(before("account_created"), known + 1);

    let transfer = json!({ "from_account_id": current, "to_account_id": savings, "amount": "5", "date": "2026-03-15" });
    once(hundredfold(post("/api/transfers", transfer)), 201, 201);
    assert_eq!(before("transfer_created"), 1);

    once(hundredfold(|| ana.post(&format!("/api/credit-bills/{bill}/pay"), json!({})).status), 200, 409);
    assert_eq!(before("bill_paid"), 1);

    let rent = json!({ "type": "expense", "description": "Aluguel", "amount": "900", "category_id": pets, "day": 5 });
    let known = before("recurring_created");
    once(hundredfold(post("/api/recurring", rent)), 201, 201);
    assert_eq!(before("recurring_created"), known + 1);

    once(hundredfold(|| ana.post(&format!("/api/recurring/{item}/confirm"), json!({})).status), 201, 409);
    assert_eq!(before("recurring_confirmed"), 1);

    once(hundredfold(|| ana.put("/api/settings", json!({ "savings_goal_pct": 10 })).status), 200, 200);
    assert_eq!(before("settings_changed"), 1);

    ana.post("/api/transactions", income(today, "Venda", "90000")).created();
    once(hundredfold(|| ana.get("/api/dashboard").status), 200, 200);
    assert_eq!(before("savings_checked"), 1);

    let events = events(&ana);
    let subjects: HashSet<_> =
        events.iter().map(|event| (event["action"].as_str().unwrap(), event["subject"].as_str().unwrap())).collect();
    assert_eq!(subjects.len(), events.len());
    assert_eq!(xp(&ana), events.iter().map(|event| event["xp"].as_u64().unwrap()).sum::<u64>());
    for key in ["savings_goal_met", "first_bill_paid", "first_import", "first_recurring_confirmed"] {
        assert!(!achievement(&ana, key).unwrap()["earned_at"].is_null(), "{key}");
    }
}

#[test]
fn deleting_and_creating_again_earns_nothing_more() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let today = date!(2026 - 03 - 15);
    let make = || {
        let account = ana.post("/api/accounts", json!({ "name": "Banco", "kind": "current" })).created()["id"].clone();
        let pets = category(&ana, "Pets", json!("100"));
        let mut body = expense(today, "Padaria", "7.50");
        body["account_id"] = account.clone();
        body["category_id"] = pets.clone();
        let transaction = ana.post("/api/transactions", body).created()["id"].clone();
        (account, pets, transaction)
    };
    let (account, pets, transaction) = make();
    let earned = xp(&ana);
    assert!(earned > 0);
    ana.delete(&format!("/api/transactions/{transaction}")).gone();
    ana.delete(&format!("/api/categories/{pets}")).gone();
    ana.delete(&format!("/api/accounts/{account}")).gone();
    assert_eq!(xp(&ana), earned, "XP is never taken away");
    make();
    assert_eq!(xp(&ana), earned);
    // Case and whitespace make no difference.
    ana.post("/api/transactions", expense(today, "  PADARIA ", "7.5")).created();
    assert_eq!(xp(&ana), earned);
    app.clock.set_today(today + Duration::days(1));
    ana.post("/api/transactions", expense(today, "Padaria", "7.50")).created();
    assert_eq!(xp(&ana), earned, "nor does another day");
}

#[test]
fn an_import_undone_and_confirmed_again_earns_nothing_more() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = [("20260310", "-12.34", "a1", "Padaria"), ("20260311", "100.00", "a2", "Pix")];
    let first = ana.import(None, &ofx(&rows)).created();
    assert_eq!(count(&ana, "import_confirmed"), 1);
    assert_eq!(count(&ana, "transaction_created"), 0, "its rows are no manual transactions");
    let earned = xp(&ana);
    assert_eq!(ana.delete(&format!("/api/imports/{}", first["import_id"])).ok()["deleted"], 2);
    let reversed = [rows[1], rows[0]];
    assert_eq!(ana.import(None, &ofx(&reversed)).created()["inserted"], 2);
    assert_eq!(xp(&ana), earned);
    // An import that inserts nothing earns nothing.
    assert_eq!(ana.import(None, &ofx(&rows)).created()["inserted"], 0);
    assert_eq!(xp(&ana), earned);
}

#[test]
fn an_award_counts_on_the_day_its_work_began() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let context = app.context();
    app.clock.set_today(date!(2026 - 03 - 16));
    let store: &dyn Store = app.store.as_ref();
    let input = TransactionInput {
        kind: Some(Kind::Expense),
        date: Some(date!(2026 - 03 - 15)),
        description: Some("Padaria".into()),
        amount: Some(Money::from_cents(750)),
        ..Default::default()
    };
    store.run(&ana.caller(), Access::Write, |repo| transactions::create(repo, &context, input)).unwrap();
    let days = app.rows("select distinct day::text as day from xp_events");
    assert_eq!(days, [json!({ "day": "2026-03-15" })]);
}

#[test]
fn an_action_that_rolls_back_takes_its_awards_with_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let store: &dyn Store = app.store.as_ref();
    let undone: finance_domain::Result<()> = store.run(&ana.caller(), Access::Write, |repo| {
        let input = TransactionInput {
            kind: Some(Kind::Expense),
            date: Some(date!(2026 - 03 - 15)),
            description: Some("Padaria".into()),
            amount: Some(Money::from_cents(750)),
            ..Default::default()
        };
        transactions::create(repo, &app.context(), input)?;
        Err(Error::NotFound("reason to go on"))
    });
    assert!(undone.is_err());
    assert_eq!((xp(&ana), events(&ana).len()), (0, 0));
    ana.post("/api/transactions", expense(date!(2026 - 03 - 15), "", "1")).invalid(&["description"]);
    assert_eq!(xp(&ana), 0);
    ana.post("/api/transactions", expense(date!(2026 - 03 - 15), "Padaria", "7.50")).created();
    assert_eq!(count(&ana, "transaction_created"), 1, "what was rolled back can still be earned");
}

#[test]
fn a_daily_cap_limits_an_action_until_the_next_day() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let today = date!(2026 - 03 - 15);
    for item in 0..22 {
        ana.post("/api/transactions", expense(today, &format!("Compra {item}"), "1")).created();
    }
    assert_eq!(count(&ana, "transaction_created"), 20);
    app.clock.set_today(today + Duration::days(1));
    ana.post("/api/transactions", expense(today, "Compra 22", "1")).created();
    assert_eq!(count(&ana, "transaction_created"), 21);
}

#[test]
fn events_are_paged_newest_first_and_belong_to_their_profile() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    for item in 0..5 {
        ana.post("/api/transactions", expense(date!(2026 - 03 - 15), &format!("Compra {item}"), "1")).created();
    }
    let all = events(&ana);
    assert!(all.windows(2).all(|pair| pair[0]["id"].as_i64() > pair[1]["id"].as_i64()));
    assert_eq!(paged(&ana, 2), all);
    assert_eq!(all.last().unwrap()["action"], "transaction_created");
    assert_eq!(all.last().unwrap()["subject"], "2026-03-15 expense 1.00 compra 0");
    ana.get("/api/gamification/xp-events?limit=0&cursor=x").invalid(&["limit", "cursor"]);
    assert!(events(&bia).is_empty());
    assert_eq!(xp(&bia), 0);
}

#[test]
fn an_insert_reads_as_few_events_after_years_as_on_the_first_day() {
    const EVENTS: i64 = 5_000;
    /// Profiles with a few events each. A plan that PostgreSQL chooses for them must also suit the profile with many
    /// events.
    const NEWCOMERS: i64 = 1_000;
    const INSERTS: i64 = 10;
    /// Quests and achievements are looked up one by one. The shipped catalog has 39.
    const EVENTS_PER_INSERT_MAX: i64 = 60;
    let app = TestApp::start_alone();
    let ana = app.user("ana");
    app.sql(&format!(
        "insert into xp_events (profile_id, action, subject, xp, day)
        select {}, 'transaction_created', 'Compra ' || n, 1, date '2026-01-01' from generate_series(1, {EVENTS}) as n;
        insert into profiles (created_at) select now() from generate_series(1, {NEWCOMERS});
        insert into xp_events (profile_id, action, subject, xp, day)
        select id, 'transaction_created', 'Compra ' || n, 1, date '2026-01-01'
        from profiles, generate_series(1, 5) as n where id <> {};
        analyze profiles, xp_events;
        -- Every session reports its statistics at the end of the transaction that inserts an event, not once a second.
        alter policy xp_events_isolation on xp_events
            with check (profile_id = current_profile_id() and pg_stat_force_next_flush() is not null);
        select pg_stat_force_next_flush()",
        ana.caller().profile_id.0,
        ana.caller().profile_id.0
    ));
    let read = || {
        // The names of partitions and shards end with a number.
        let counted = app.rows_of_nodes(
            "select idx_tup_read + seq_tup_read as read, n_tup_ins as written
            from pg_stat_user_tables tables join pg_stat_user_indexes using (relid)
            where tables.relname ~ '^xp_events(_[0-9]+)?$' and indexrelname ~ '^xp_events_subject_key(_[0-9]+)?$'",
        );
        let sum = |name: &str| counted.iter().map(|table| table[name].as_i64().unwrap()).sum::<i64>();
        (sum("read"), sum("written"))
    };
    let insert =
        |item: i64| ana.post("/api/transactions", expense(date!(2026 - 03 - 15), &format!("{item}"), "1")).created();
    // After five executions, a statement may get one plan for all parameters.
    (0..INSERTS).for_each(|item| drop(insert(item)));
    let (before, written_before) = read();
    (0..INSERTS).for_each(|item| drop(insert(INSERTS + item)));
    let (after, written) = read();
    assert!(
        written_before >= EVENTS && written >= written_before + INSERTS,
        "{written_before}, {written}: counted late"
    );
    let of_one = (after - before) / INSERTS;
    assert!(after > before && of_one <= EVENTS_PER_INSERT_MAX, "{of_one} events read for one insert");
}
