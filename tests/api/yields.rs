//! Yield that `GET /api/accounts` pays.

use std::collections::BTreeSet;

use finance_domain::use_cases::accounts;
use finance_domain::yields::DayCount;
use finance_domain::{Access, Store};
use finance_tests::{Client, FakeRates, TestApp, cents, id};
use serde_json::{Value, json};
use time::Date;
use time::macros::date;

/// An investment account whose opening balance is dated on the last day whose yield is done.
fn investment(client: &Client, name: &str, percentage: i64, opening: &str, done: &str) -> i64 {
    client.create(
        "/api/accounts",
        json!({ "name": name, "kind": "investment", "yield_type": "cdi", "cdi_percentage": percentage,
            "last_yield_date": done, "opening_balance": opening, "opening_date": done }),
    )
}

/// The account with that id in the list of accounts.
fn listed(client: &Client, account_id: i64) -> Value {
    let accounts = client.get("/api/accounts").ok();
    accounts.as_array().unwrap().iter().find(|account| id(account) == account_id).unwrap().clone()
}

/// Lists the accounts, then returns the yields of one, oldest first, as `description: amount`.
fn paid(client: &Client, account_id: i64) -> Vec<String> {
    client.get("/api/accounts").ok();
    yields(client, account_id)
}

/// The yields of an account, oldest first, as `description: amount`, without listing accounts.
fn yields(client: &Client, account_id: i64) -> Vec<String> {
    let rows = client.get(&format!("/api/transactions?account_id={account_id}&limit=1000")).ok();
    let yields = rows.as_array().unwrap().iter().rev().filter(|row| row["source"] == "yield");
    yields
        .map(|row| {
            let description = row["description"].as_str().unwrap();
            let period = description.strip_prefix("Rendimento CDI ").unwrap();
            let last = period.rsplit(' ').next().unwrap();
            let date: Vec<&str> = row["date"].as_str().unwrap().split('-').rev().collect();
            assert_eq!(date.join("/"), last, "dated at its period's end");
            assert_eq!((&row["type"], &row["category_id"]), (&json!("income"), &Value::Null));
            format!("{period}: {}", row["amount"].as_str().unwrap())
        })
        .collect()
}

fn deposit(client: &Client, account_id: i64, kind: &str, date: &str, amount: &str) -> i64 {
    client.create(
        "/api/transactions",
        json!({ "type": kind, "account_id": account_id, "date": date, "description": "Aporte", "amount": amount }),
    )
}

/// The rates as published for January 2025; 1 January was a holiday.
fn publish_january(rates: &FakeRates) {
    rates.publish_weekdays(date!(2024 - 12 - 12), date!(2024 - 12 - 24), "0.045513");
    rates.publish_weekdays(date!(2024 - 12 - 26), date!(2024 - 12 - 31), "0.045513");
    rates.publish_weekdays(date!(2025 - 01 - 02), date!(2025 - 01 - 29), "0.045513");
    rates.publish_weekdays(date!(2025 - 01 - 30), date!(2025 - 01 - 31), "0.049037");
}

#[test]
fn january_2025_pays_what_the_market_paid_by_business_days() {
    let app = TestApp::start_with(DayCount::Business);
    app.clock.set_today(date!(2025 - 02 - 01));
    publish_january(&app.rates);
    let ana = app.user("ana");
    let full = investment(&ana, "100 %", 100, "1000.00", "2024-12-31");
    let more = investment(&ana, "110 %", 110, "1000.00", "2024-12-31");
    let less = investment(&ana, "95 %", 95, "1000.00", "2024-12-31");
    for (account_id, amount, balance) in
        [(full, "10.13", "1010.13"), (more, "11.15", "1011.15"), (less, "9.62", "1009.62")]
    {
        let account = listed(&ana, account_id);
        assert_eq!((&account["balance"], &account["last_yield_date"]), (&json!(balance), &json!("2025-01-31")));
        assert_eq!(yields(&ana, account_id), [format!("01/01/2025 a 31/01/2025: {amount}")]);
    }
    assert_eq!(app.rates.requests(), 1, "one window serves all accounts, and nothing is due after");
}

#[test]
fn january_2025_by_calendar_days_uses_the_last_available_rate() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 02 - 01));
    publish_january(&app.rates);
    let ana = app.user("ana");
    let full = investment(&ana, "100 %", 100, "1000.00", "2024-12-31");
    let more = investment(&ana, "110 %", 110, "1000.00", "2024-12-31");
    assert_eq!(paid(&ana, full), ["01/01/2025 a 31/01/2025: 14.28"]);
    assert_eq!(paid(&ana, more), ["01/01/2025 a 31/01/2025: 15.70"]);
    assert_eq!(listed(&ana, more)["balance"], "1015.70");
}

#[test]
fn a_program_that_runs_the_steps_itself_pays_the_same() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 02 - 01));
    publish_january(&app.rates);
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let of_ana = investment(&ana, "CDB", 100, "1000.00", "2024-12-31");
    let of_bia = investment(&bia, "CDB", 100, "1000.00", "2024-12-31");
    let (store, context): (&dyn Store, _) = (app.store.as_ref(), app.context());
    let caller = ana.caller();
    let list = || {
        let step = store.run(&caller, Access::Read, |repo| accounts::list(repo, &context)).unwrap();
        step.finish(store, app.rates.as_ref(), &caller).unwrap()
    };
    let listed_by_steps = list();
    assert_eq!(listed_by_steps[0].account.balance.to_string(), listed(&bia, of_bia)["balance"].as_str().unwrap());
    assert_eq!(yields(&ana, of_ana), paid(&bia, of_bia));
    assert_eq!(list(), listed_by_steps, "nothing is due any more");
}

#[test]
fn a_yield_is_an_income_of_its_account() {
    let app = TestApp::start_with(DayCount::Business);
    app.clock.set_today(date!(2025 - 02 - 01));
    publish_january(&app.rates);
    let ana = app.user("ana");
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2024-12-31");
    ana.get("/api/accounts").ok();
    let row = ana.get("/api/transactions?month=2025-01").ok()[0].clone();
    assert_eq!(
        row,
        json!({
            "id": row["id"], "profile_id": ana.caller().profile_id.0, "type": "income", "category_id": null,
            "account_id": account_id, "date": "2025-01-31", "original_date": null, "external_id": null,
            "source": "yield", "description": "Rendimento CDI 01/01/2025 a 31/01/2025",
            "display": { "name": "Rendimento CDI 01/01/2025 a 31/01/2025", "method": null },
            "statement_description": null, "amount": "10.13",
            "transfer_id": null, "import_id": null, "is_transfer": false, "installment": null, "lines": null, "tags": [], "note": null, "created_at": row["created_at"], "created_by": null,
        })
    );
    let january = ana.get("/api/dashboard?month=2025-01").ok();
    assert_eq!((&january["income"], &january["savings_pct"]), (&json!("10.13"), &json!(100)));
    assert_eq!(january["last_transactions"], json!([row]));
}

#[test]
fn periods_end_with_the_month_and_where_the_balance_changes() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 02 - 04));
    app.rates.publish_weekdays(date!(2025 - 01 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-28");
    deposit(&ana, account_id, "income", "2025-01-30", "700.00");
    deposit(&ana, account_id, "expense", "2025-01-30", "200.00");
    // Two transactions that sum to zero do not change the balance, and do not end a period.
    deposit(&ana, account_id, "income", "2025-02-01", "50.00");
    deposit(&ana, account_id, "expense", "2025-02-01", "50.00");
    let so_far = [
        "29/01/2025 a 30/01/2025: 20.10", // two days on 1000.00; what comes on a day earns from the next
        "31/01/2025 a 31/01/2025: 15.20", // one day on 1520.10
        "01/02/2025 a 02/02/2025: 30.86", // Saturday and Sunday on 1535.30
    ];
    assert_eq!(paid(&ana, account_id), so_far);
    let account = listed(&ana, account_id);
    assert_eq!((&account["balance"], &account["last_yield_date"]), (&json!("1566.16"), &json!("2025-02-02")));

    app.rates.publish(date!(2025 - 02 - 03), "1");
    let mut all = so_far.to_vec();
    all.push("03/02/2025 a 03/02/2025: 15.66");
    assert_eq!(paid(&ana, account_id), all, "Monday's rate has come");
}

#[test]
fn long_absences_are_paid_month_by_month() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 03 - 31));
    app.rates.publish_weekdays(date!(2024 - 11 - 01), date!(2025 - 03 - 28), "0.05");
    let ana = app.user("ana");
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2024-12-31");
    let expected =
        ["01/01/2025 a 31/01/2025: 15.62", "01/02/2025 a 28/02/2025: 14.32", "01/03/2025 a 30/03/2025: 15.56"];
    assert_eq!(paid(&ana, account_id), expected);
    assert_eq!(listed(&ana, account_id)["balance"], "1045.50");
}

#[test]
fn a_weekday_whose_rate_is_not_published_waits_and_a_weekend_does_not() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 09), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-08");
    let done = |day: Date| {
        app.clock.set_today(day);
        listed(&ana, account_id)["last_yield_date"].clone()
    };
    assert_eq!(done(date!(2025 - 01 - 10)), "2025-01-09", "Thursday");
    assert_eq!(done(date!(2025 - 01 - 11)), "2025-01-09", "Friday is not published yet");
    assert_eq!(done(date!(2025 - 01 - 13)), "2025-01-09", "the weekend waits behind it");
    app.rates.publish(date!(2025 - 01 - 10), "1");
    assert_eq!(done(date!(2025 - 01 - 13)), "2025-01-12", "a weekend after a published Friday does not wait");
    assert_eq!(done(date!(2025 - 01 - 14)), "2025-01-12", "Monday waits");
    app.rates.publish(date!(2025 - 01 - 14), "1");
    assert_eq!(done(date!(2025 - 01 - 15)), "2025-01-14", "a newer rate came: Monday was a holiday");
    let expected =
        ["09/01/2025 a 09/01/2025: 10.00", "10/01/2025 a 12/01/2025: 30.60", "13/01/2025 a 14/01/2025: 20.92"];
    assert_eq!(yields(&ana, account_id), expected);
}

#[test]
fn a_weekend_by_business_days_is_left_to_the_monday_after_it() {
    let app = TestApp::start_with(DayCount::Business);
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 10), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 11));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-09");
    assert_eq!(paid(&ana, account_id), ["10/01/2025 a 10/01/2025: 10.00"]);
    app.clock.set_today(date!(2025 - 01 - 13));
    assert_eq!(paid(&ana, account_id).len(), 1, "Saturday and Sunday earn nothing by themselves");
    app.rates.publish(date!(2025 - 01 - 13), "1");
    app.clock.set_today(date!(2025 - 01 - 14));
    assert_eq!(paid(&ana, account_id)[1..], ["11/01/2025 a 13/01/2025: 10.10"]);
}

#[test]
fn today_itself_earns_tomorrow() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 08));
    let body = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "opening_balance": "100.00" });
    let account_id = ana.create("/api/accounts", body);
    for (day, expected) in [
        (date!(2025 - 01 - 08), vec![]),
        (date!(2025 - 01 - 09), vec![]),
        (date!(2025 - 01 - 10), vec!["09/01/2025 a 09/01/2025: 1.00"]),
        (date!(2025 - 01 - 11), vec!["09/01/2025 a 09/01/2025: 1.00", "10/01/2025 a 10/01/2025: 1.01"]),
    ] {
        app.clock.set_today(day);
        assert_eq!(paid(&ana, account_id), expected, "{day}");
    }
}

#[test]
fn a_period_that_rounds_to_nothing_is_left_to_grow_and_an_earlier_one_is_passed_over() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "0.5");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 08));
    let (small, even) =
        (investment(&ana, "Um", 100, "1.00", "2025-01-06"), investment(&ana, "Três", 100, "3.00", "2025-01-06"));
    assert!(paid(&ana, small).is_empty(), "0.005 is rounded half-even to 0.00");
    assert_eq!(paid(&ana, even), ["07/01/2025 a 07/01/2025: 0.02"], "and 0.015 to 0.02");
    assert_eq!(listed(&ana, small)["last_yield_date"], "2025-01-06");
    app.clock.set_today(date!(2025 - 01 - 09));
    assert_eq!(paid(&ana, small), ["07/01/2025 a 08/01/2025: 0.01"]);

    app.clock.set_today(date!(2025 - 02 - 01));
    let tiny = investment(&ana, "Centavo", 100, "0.01", "2025-01-29");
    deposit(&ana, tiny, "income", "2025-01-30", "9.99");
    assert_eq!(paid(&ana, tiny), ["31/01/2025 a 31/01/2025: 0.05"], "30 January on 0.01 is passed over");
    assert_eq!(listed(&ana, tiny)["last_yield_date"], "2025-01-31");
}

#[test]
fn a_balance_not_above_zero_earns_nothing_and_its_days_are_done() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 15));
    let empty = investment(&ana, "Vazia", 100, "0", "2025-01-01");
    let negative = investment(&ana, "Negativa", 100, "-100.00", "2025-01-01");
    for account_id in [empty, negative] {
        assert!(paid(&ana, account_id).is_empty());
        assert_eq!(listed(&ana, account_id)["last_yield_date"], "2025-01-14");
    }
    deposit(&ana, empty, "income", "2025-01-02", "100.00");
    assert!(paid(&ana, empty).is_empty(), "days that are done earn nothing on what comes later with an old date");
    app.clock.set_today(date!(2025 - 01 - 16));
    assert_eq!(paid(&ana, empty), ["15/01/2025 a 15/01/2025: 1.00"]);
}

#[test]
fn listing_twice_pays_once_and_other_reads_pay_nothing() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-08");
    ana.get(&format!("/api/accounts/{account_id}")).ok();
    ana.get("/api/dashboard").ok();
    bia.get("/api/accounts").ok();
    assert!(yields(&ana, account_id).is_empty());
    assert_eq!(app.rates.requests(), 0, "nothing is due for anybody who listed");
    for _ in 0..3 {
        assert_eq!(paid(&ana, account_id), ["09/01/2025 a 09/01/2025: 10.00"]);
    }
    assert_eq!(app.rates.requests(), 1);
}

#[test]
fn a_deleted_yield_is_not_paid_again() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 02 - 28), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-08");
    ana.get("/api/accounts").ok();
    let row = ana.get("/api/transactions?month=2025-01").ok()[0]["id"].clone();
    ana.delete(&format!("/api/transactions/{row}")).gone();
    assert!(paid(&ana, account_id).is_empty());
    assert_eq!(listed(&ana, account_id)["balance"], "1000.00");
    app.clock.set_today(date!(2025 - 01 - 11));
    assert_eq!(paid(&ana, account_id), ["10/01/2025 a 10/01/2025: 10.00"], "the next day earns on what is there");
    app.clock.set_today(date!(2025 - 02 - 02));
    assert_eq!(paid(&ana, account_id).len(), 3);
    ana.delete("/api/transactions?month=2025-01").ok();
    assert_eq!(paid(&ana, account_id).len(), 1, "January is gone and stays so");
}

#[test]
fn an_account_that_does_not_yield_earns_nothing_and_asks_nobody() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 20));
    for (name, kind, yield_type) in [
        ("a", "current", "none"),
        ("b", "savings", "none"),
        ("c", "investment", "none"),
        ("d", "investment", "variable"),
    ] {
        let body = json!({ "name": name, "kind": kind, "yield_type": yield_type, "opening_balance": "1000",
            "opening_date": "2025-01-01", "last_yield_date": "2025-01-01" });
        let account_id = ana.create("/api/accounts", body);
        assert!(paid(&ana, account_id).is_empty());
    }
    assert_eq!(app.rates.requests(), 0);
}

#[test]
fn the_days_on_which_yield_was_off_earn_nothing() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-08");
    let switch = |yield_type: &str, percentage: i64| {
        let body = json!({ "name": "CDB", "kind": "investment", "yield_type": yield_type,
            "cdi_percentage": percentage });
        ana.put(&format!("/api/accounts/{account_id}"), body).ok();
    };
    let first = "09/01/2025 a 09/01/2025: 10.00";
    assert_eq!(paid(&ana, account_id), [first]);
    switch("none", 100);
    app.clock.set_today(date!(2025 - 01 - 14));
    assert_eq!(paid(&ana, account_id), [first]);
    switch("cdi", 200);
    assert_eq!(paid(&ana, account_id), [first]);
    app.clock.set_today(date!(2025 - 01 - 16));
    assert_eq!(paid(&ana, account_id), [first, "15/01/2025 a 15/01/2025: 20.20"], "at the new percentage");
}

#[test]
fn yield_switched_on_again_begins_on_any_day_from_the_last_one_paid() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "0.00", "2024-12-31");
    assert!(paid(&ana, account_id).is_empty());
    assert_eq!(listed(&ana, account_id)["last_yield_date"], "2025-01-09", "days without a balance count as done");
    deposit(&ana, account_id, "income", "2025-01-07", "1000.00");
    assert!(paid(&ana, account_id).is_empty());
    let put = |yield_type: &str, done: &str| {
        let body = json!({ "name": "CDB", "kind": "investment", "yield_type": yield_type, "last_yield_date": done });
        ana.put(&format!("/api/accounts/{account_id}"), body)
    };
    put("none", "2025-01-07").ok();
    assert_eq!(put("cdi", "2025-01-07").ok()["last_yield_date"], "2025-01-07", "nothing was paid until then");
    let both = ["08/01/2025 a 09/01/2025: 20.10"];
    assert_eq!(paid(&ana, account_id), both);
    put("none", "2025-01-07").ok();
    put("cdi", "2025-01-08").invalid(&["last_yield_date"]);
    put("cdi", "2025-01-09").ok();
    assert_eq!(paid(&ana, account_id), both, "no day is paid twice");
}

#[test]
fn a_provider_that_is_away_costs_nothing_but_time() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-07");
    assert!(paid(&ana, account_id).is_empty());
    assert_eq!(listed(&ana, account_id)["last_yield_date"], "2025-01-07");
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 09), "1");
    assert_eq!(paid(&ana, account_id), ["08/01/2025 a 09/01/2025: 20.10"], "nothing was lost");
}

#[test]
fn thirty_two_listings_at_once_on_two_nodes_post_each_period_once() {
    let app = TestApp::start();
    let node = app.another_node();
    for each in [&app, &node] {
        each.clock.set_today(date!(2025 - 03 - 31));
        each.rates.publish_weekdays(date!(2024 - 11 - 01), date!(2025 - 03 - 28), "0.05");
    }
    let ana = app.user("ana");
    let accounts: Vec<i64> =
        (0..3).map(|number| investment(&ana, &format!("CDB {number}"), 100, "5000.00", "2024-12-31")).collect();
    let same_ana_elsewhere = Client::of(node.address()).with_token(ana.token());
    std::thread::scope(|scope| {
        for thread in 0..32 {
            let client = if thread % 2 == 0 { &ana } else { &same_ana_elsewhere };
            scope.spawn(move || {
                let accounts = client.get("/api/accounts").ok();
                // Each answer shows completed yields only.
                for account in accounts.as_array().unwrap() {
                    assert_eq!(account["balance"], "5227.47");
                    assert_eq!(account["last_yield_date"], "2025-03-30");
                }
            });
        }
    });
    let expected =
        ["01/01/2025 a 31/01/2025: 78.08", "01/02/2025 a 28/02/2025: 71.58", "01/03/2025 a 30/03/2025: 77.81"];
    for account_id in accounts {
        assert_eq!(yields(&ana, account_id), expected);
        assert_eq!(listed(&same_ana_elsewhere, account_id)["balance"], "5227.47");
    }
}

#[test]
fn writes_between_listings_of_many_threads_leave_no_day_paid_twice() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 11 - 01), date!(2025 - 01 - 31), "0.05");
    app.clock.set_today(date!(2025 - 01 - 31));
    let ana = app.user("ana");
    let account_id = investment(&ana, "CDB", 100, "5000.00", "2024-12-31");
    std::thread::scope(|scope| {
        for day in 1..=8 {
            let ana = &ana;
            scope.spawn(move || {
                deposit(ana, account_id, "income", &format!("2025-01-{day:02}"), "10.00");
                ana.get("/api/accounts").ok();
            });
        }
    });
    let rows = ana.get(&format!("/api/transactions?account_id={account_id}")).ok();
    let mut days = BTreeSet::new();
    let mut sum = 0;
    for row in rows.as_array().unwrap() {
        sum += cents(&row["amount"]);
        if row["source"] == "yield" {
            let period = row["description"].as_str().unwrap();
            let day = |from: usize| period[from..from + 2].parse::<u8>().unwrap();
            assert!((day(15)..=day(28)).all(|day| days.insert(day)), "a day is paid twice: {rows}");
        }
    }
    assert_eq!(days, (1..=30).collect());
    assert_eq!(cents(&listed(&ana, account_id)["balance"]), sum);
}

#[test]
fn yield_that_was_given_a_later_date_is_not_paid_again() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-08");
    assert_eq!(paid(&ana, account_id), ["09/01/2025 a 09/01/2025: 10.00"]);
    let mut row = ana.all(&format!("/api/transactions?account_id={account_id}&q=rendimento"))[0].clone();
    row["date"] = json!("2025-01-20");
    ana.put(&format!("/api/transactions/{}", row["id"]), row.clone()).ok();
    let put = |yield_type: &str, done: &str| {
        let body = json!({ "name": "CDB", "kind": "investment", "yield_type": yield_type, "last_yield_date": done });
        ana.put(&format!("/api/accounts/{account_id}"), body)
    };
    put("none", "2025-01-09").ok();
    put("cdi", "2025-01-08").invalid(&["last_yield_date"]);
    put("cdi", "2025-01-09").ok();
}

#[test]
fn yield_that_was_given_an_earlier_date_is_not_paid_again() {
    let app = TestApp::start();
    app.rates.publish_weekdays(date!(2024 - 12 - 01), date!(2025 - 01 - 31), "1");
    let ana = app.user("ana");
    app.clock.set_today(date!(2025 - 01 - 10));
    let account_id = investment(&ana, "CDB", 100, "1000.00", "2025-01-07");
    assert_eq!(paid(&ana, account_id), ["08/01/2025 a 09/01/2025: 20.10"]);
    let rows = || ana.all(&format!("/api/transactions?account_id={account_id}&q=rendimento"));
    let mut row = rows()[0].clone();
    let put = |yield_type: &str, done: &str| {
        let body = json!({ "name": "CDB", "kind": "investment", "yield_type": yield_type, "last_yield_date": done });
        ana.put(&format!("/api/accounts/{account_id}"), body)
    };
    for date in ["2025-01-03", "2025-01-02"] {
        (row["date"], row["description"]) = (json!(date), json!(format!("Rendimento de {date}")));
        ana.put(&format!("/api/transactions/{}", row["id"]), row.clone()).ok();
        put("none", "2025-01-07").ok();
        for done in [date, "2025-01-07", "2025-01-08"] {
            put("cdi", done).invalid(&["last_yield_date"]);
        }
        put("cdi", "2025-01-09").ok();
        ana.get("/api/accounts").ok();
        assert_eq!(rows().len(), 1, "no day is paid twice");
    }
}
