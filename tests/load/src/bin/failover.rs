//! `just failover`: mixed load on two nodes, with the primary killed and its synchronous replica promoted, twice.
//!
//! `cargo run --release -p finance-load --bin failover -- [SECONDS]`
#![allow(clippy::expect_used, reason = "a measurement that cannot go on stops")]

use std::process::ExitCode;
use std::time::Duration;

use finance_load::{FailoverPlan, Load, failover};

const SECONDS: u64 = 60;
const PROFILES: usize = 4;
/// The longest allowed time from the promotion until every node answers reads and writes.
const WELL_AGAIN_MAX: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).map_or(SECONDS, |text| text.parse().expect("seconds"));
    let mut report = failover(FailoverPlan { load: Load::For(Duration::from_secs(seconds)), profiles: PROFILES });
    println!("{seconds} s of load on two nodes, and two failovers");
    println!("{}", report.outcome);
    println!("  {} requests with a key answered, sent {} times", report.keyed.0, report.keyed.1);
    let (answered, behind, away) = report.replica_reads;
    println!("  {answered} reads answered by the replica, {behind} times it was behind, {away} times away");
    for failover in &report.failovers {
        println!(
            "  primary killed, replica promoted after {} ms, all well {} ms later, the killed one back as replica in {} ms",
            failover.promoted_in.as_millis(),
            failover.well_again_in.as_millis(),
            failover.rejoined_in.as_millis()
        );
        if failover.well_again_in > WELL_AGAIN_MAX {
            report
                .outcome
                .wrong
                .push(format!("all was well later than {} s after the promotion", WELL_AGAIN_MAX.as_secs()));
        }
    }
    for wrong in &report.outcome.wrong {
        println!("  WRONG: {wrong}");
    }
    if report.outcome.wrong.is_empty() {
        println!("  every sum is that of its rows; nothing that was acknowledged is lost, nothing is doubled");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
