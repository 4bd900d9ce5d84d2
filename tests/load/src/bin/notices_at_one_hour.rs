//! Measures how long it takes until a thousand households are told at one hour.
//!
//! Each has a device, and a notice that became known in its quiet hours. They end for all at once. The push service is on this machine.
//!
//! `cargo run --release -p finance-load --bin notices_at_one_hour`
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::time::{Duration, Instant};

use finance_domain::Clock;
use finance_tests::{Device, Receiver, TestApp, channels, eventually};
use serde_json::json;
use time::Time;
use time::macros::time;

const HOUSEHOLDS: usize = 1_000;
/// The longest time until the last one is told.
const TOLD_MAX: Duration = Duration::from_secs(60);

fn main() {
    let (app, service) = (TestApp::start_sending_by(channels(None)), Receiver::start());
    service.answers("201 Created");
    advance_to(&app, time!(22:00));
    for number in 0..HOUSEHOLDS {
        let client = app.user(&format!("casa {number}"));
        // Enough for both rows: a balance below zero would be a second notice.
        let account = json!({ "name": "Conta", "kind": "current", "opening_balance": "100.00" });
        let account = client.create("/api/accounts", account);
        client.post("/api/notices/devices", Device::new(&service, 1).subscription()).created();
        for _ in 0..2 {
            let row = json!({ "type": "expense", "account_id": account, "date": "2026-03-15", "description": "Padaria",
                "amount": "7.00" });
            client.post("/api/transactions", row).created();
        }
    }
    let began = Instant::now();
    {
        let _deliverer = app.deliver();
        eventually("all are looked at", || {
            let waiting = app.rows(&format!(
                "select 1 from notice_deliveries where state = 'pending' and next_attempt_at > '{}'",
                app.clock.now()
            ));
            (waiting.len() == HOUSEHOLDS).then_some(())
        });
    }
    println!("{HOUSEHOLDS} households looked at in {:?}", began.elapsed());
    assert!(service.received().is_empty(), "something was sent in the quiet hours");
    advance_to(&app, time!(08:00:05));
    let began = Instant::now();
    let _deliverer = app.deliver();
    service.wait_for(HOUSEHOLDS);
    let took = began.elapsed();
    println!("{HOUSEHOLDS} households told in {took:?}");
    assert!(took <= TOLD_MAX, "more than {TOLD_MAX:?}");
}

/// Moves the clock on to the next time of day in UTC.
fn advance_to(app: &TestApp, time: Time) {
    let now = app.clock.now();
    let mut at = now.replace_time(time);
    if at <= now {
        at += time::Duration::DAY;
    }
    app.clock.advance(at - now);
}
