//! Measures whether the dashboard takes longer if a profile has more history.
//!
//! Two profiles have the same number of transactions in the shown month. One has a hundred thousand
//! over ten years, the other has a thousand in total. One in five is on a card, and the old bills of
//! the card are paid. The two dashboards are read in turn, so that other load affects both.
//!
//! `cargo run --release -p finance-load --bin dashboard_growth`
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::time::{Duration, Instant};

use finance_tests::{Client, TestApp};
use serde_json::json;

/// The number of measured pairs of requests. [`WARM_UP_ROUNDS`] pairs that are not measured come first.
const ROUNDS: usize = 300;
const WARM_UP_ROUNDS: usize = 30;
/// The largest allowed ratio of the medians.
const RATIO_MAX: f64 = 1.5;
/// The number of transactions in the shown month: the monthly share of a hundred thousand over ten years.
const IN_THE_MONTH: u32 = 833;
/// The first day of the current month of the tests' clock.
const MONTH: &str = "date '2026-03-01'";

fn main() {
    let app = TestApp::start();
    let large = household(&app, "large", 100_000 - IN_THE_MONTH, 119);
    let small = household(&app, "small", 1_000 - IN_THE_MONTH, 5);
    // In a running service, autovacuum does this.
    app.sql("vacuum analyze");
    for (name, client) in [("large", &large), ("small", &small)] {
        let shown = client.get("/api/dashboard").ok();
        let bills = client.get("/api/credit-bills?limit=1000").ok().as_array().unwrap().len();
        println!("{name}: expenses of the month {}, bills {bills}", shown["expenses"]);
    }
    let (mut large_times, mut small_times) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP_ROUNDS + ROUNDS {
        // The order alternates, so that neither profile always follows the other.
        let pair = if round % 2 == 0 {
            [timed(&large), timed(&small)]
        } else {
            let small = timed(&small);
            [timed(&large), small]
        };
        if round >= WARM_UP_ROUNDS {
            large_times.push(pair[0]);
            small_times.push(pair[1]);
        }
    }
    let (large, small) = (median(large_times), median(small_times));
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    println!("100,000 transactions: median {large:?}; 1,000: median {small:?}; ratio {ratio:.2}");
    if ratio > RATIO_MAX {
        println!("above {RATIO_MAX}");
        std::process::exit(1);
    }
}

fn timed(client: &Client) -> Duration {
    let begun = Instant::now();
    let reply = client.get("/api/dashboard");
    let took = begun.elapsed();
    assert_eq!(reply.status, 200);
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Creates a profile with [`IN_THE_MONTH`] transactions in this month, and `earlier` transactions spread over the
/// `earlier_months` before it.
fn household(app: &TestApp, name: &str, earlier: u32, earlier_months: u32) -> Client {
    let client = app.user(name);
    let account = |body| client.create("/api/accounts", body);
    let bank = account(json!({ "name": "Banco", "kind": "current" }));
    let card = account(json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 }));
    account(json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi" }));
    let categories = client.get("/api/categories").ok();
    for (day, category) in (1..=10).zip(categories.as_array().unwrap()) {
        let body = json!({ "type": "expense", "description": "Conta", "amount": "100", "day": day,
            "category_id": category["id"] });
        client.create("/api/recurring", body);
    }
    let profile = client.caller().profile_id;
    for (count, months, first) in [
        (earlier, earlier_months, format!("{MONTH} - interval '{earlier_months} months'")),
        (IN_THE_MONTH, 1, MONTH.to_string()),
    ] {
        app.sql(&format!(
            "insert into transactions (profile_id, kind, category_id, account_id, date, source, description,
                description_normalized, amount)
            select {profile}, case when n % 4 = 0 then 'income' else 'expense' end,
                (select min(id) from categories where profile_id = {profile}) + n % 12,
                case when n % 5 = 1 then {card} else {bank} end,
                ({first} + (n::bigint * {months} / {count}) * interval '1 month' + (n % 28) * interval '1 day')::date,
                'manual', 'Compra ' || n, 'compra ' || n, (n % 50000 + 1) / 100.0
            from generate_series(0, {count} - 1) as n"
        ));
    }
    app.rebuild_sums();
    client.get("/api/accounts").ok();
    for bill in client.get("/api/credit-bills?status=unpaid&limit=1000").ok().as_array().unwrap() {
        // The request is refused for the few bills with more income than expenses, because nothing is due on them.
        client.post(&format!("/api/credit-bills/{}/pay", bill["id"]), json!({}));
    }
    client
}
