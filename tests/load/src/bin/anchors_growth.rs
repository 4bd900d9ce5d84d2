//! Measures whether anchors take longer if an account has more rows, and whether an insert takes longer if it has anchors.
//!
//! Two profiles have an account each, one with a hundred thousand rows and one with a thousand, over the same ten years. Both have an
//! anchor of every month by a file, and two of a person. Requests of both are sent in turn, so that other load affects both.
//!
//! `cargo run --release -p finance-load --bin anchors_growth`
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::time::{Duration, Instant};

use finance_tests::{Client, TestApp};
use serde_json::json;

/// The number of measured pairs of requests. [`WARM_UP_ROUNDS`] pairs that are not measured come first.
const ROUNDS: usize = 300;
const WARM_UP_ROUNDS: usize = 30;
/// The largest allowed ratio of the medians of reading anchors.
const GROWTH_RATIO_MAX: f64 = 1.5;
/// The largest allowed ratio of the medians of an insert after the last anchor to one into an account without any.
const INSERT_RATIO_MAX: f64 = 1.02;

struct Profile {
    client: Client,
    bank: i64,
}

fn main() {
    let app = TestApp::start();
    let large = profile(&app, "large", 100_000);
    let small = profile(&app, "small", 1_000);
    let plain = small.client.create("/api/accounts", json!({ "name": "Carteira", "kind": "current" }));
    // In a running service, autovacuum does this.
    app.sql("vacuum analyze");
    println!("requests of 100,000 and of 1,000 rows; medians");
    let mut is_above = false;
    for (what, path) in [
        ("anchors", "/api/accounts/{id}/anchors"),
        ("one anchor and its suspects", "/api/accounts/{id}/anchors/2026-02-28"),
        ("the account", "/api/accounts/{id}"),
        ("all accounts", "/api/accounts"),
    ] {
        let get = |of: &Profile| {
            let path = path.replace("{id}", &of.bank.to_string());
            timed(|| of.client.get(&path).ok())
        };
        let [large, small] = in_turn(|| get(&large), || get(&small));
        is_above |= report(what, large, small, GROWTH_RATIO_MAX);
    }
    let mut cents = 0;
    let put = |of: &Profile, cents: u32| {
        let path = format!("/api/accounts/{}/anchors/2026-03-02", of.bank);
        timed(|| of.client.put(&path, json!({ "amount": format!("{cents}.00") })).ok())
    };
    let mut next = || {
        cents += 1;
        cents
    };
    let (mut of_large, mut of_small) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let cents = next();
        of_large.push(put(&large, cents));
        of_small.push(put(&small, cents));
    }
    is_above |= report("to say what it held", median(of_large), median(of_small), GROWTH_RATIO_MAX);
    let add = |account: i64| {
        let row = json!({ "type": "expense", "date": "2026-03-15", "description": "Pão", "amount": "1", "account_id": account });
        timed(|| small.client.post("/api/transactions", row).created())
    };
    println!("an insert after the last anchor, and one into an account without any; medians");
    let [anchored, without] = in_turn(|| add(small.bank), || add(plain));
    is_above |= report("an insert", anchored, without, INSERT_RATIO_MAX);
    if is_above {
        std::process::exit(1);
    }
}

/// Prints two medians and their ratio. Returns whether it is too high.
fn report(what: &str, first: Duration, second: Duration, max: f64) -> bool {
    let ratio = first.as_secs_f64() / second.as_secs_f64();
    println!("  {what:<30}{first:>12.1?}{second:>12.1?}{ratio:>7.2} (at most {max})");
    ratio > max
}

fn timed<T>(request: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    request();
    begun.elapsed()
}

/// The medians of two requests that are sent in turn.
fn in_turn(first: impl Fn() -> Duration, second: impl Fn() -> Duration) -> [Duration; 2] {
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for round in 0..WARM_UP_ROUNDS + ROUNDS {
        // The order alternates, so that neither always follows the other.
        let pair = if round % 2 == 0 {
            [first(), second()]
        } else {
            let second = second();
            [first(), second]
        };
        if round >= WARM_UP_ROUNDS {
            firsts.push(pair[0]);
            seconds.push(pair[1]);
        }
    }
    [median(firsts), median(seconds)]
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A profile with an account of that many rows in the ten years up to the end of February 2026.
fn profile(app: &TestApp, name: &str, rows: u32) -> Profile {
    let client = app.user(name);
    let bank = client.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let profile = client.caller().profile_id;
    app.sql(&format!(
        "insert into transactions (profile_id, kind, account_id, date, source, description, description_normalized, amount)
        select {profile}, case when n % 2 = 0 then 'income' else 'expense' end, {bank},
            date '2016-03-01' + (n::bigint * 3650 / {rows})::integer, 'manual', 'Compra ' || n, 'compra ' || n,
            (n % 50000 + 1) / 100.0
        from generate_series(0, {rows} - 1) as n"
    ));
    app.rebuild_sums();
    let balances: Vec<_> = (0..120)
        .map(|month| json!({ "date": format!("{}-{:02}-28", 2016 + (month + 2) / 12, (month + 2) % 12 + 1), "amount": "5.00" }))
        .collect();
    let row = json!({ "date": "2026-03-01", "type": "expense", "description": "Pão", "amount": "1" });
    let file = json!({ "account_id": bank, "format": "ofx", "rows": [row],
        "statements": [{ "index": 0, "balances": balances }] });
    client.post("/api/import/confirm", file).created();
    for (date, amount) in [("2026-03-01", "100.00"), ("2026-03-02", "90.00")] {
        client.put(&format!("/api/accounts/{bank}/anchors/{date}"), json!({ "amount": amount })).ok();
    }
    Profile { client, bank }
}
