//! `just soak`: ten minutes of mixed load on two nodes, with PostgreSQL killed twice and one node killed once. On the nodes of
//! Citus that `just citus --soak` starts, each worker is killed once instead.
//!
//! `cargo run --release -p finance-load --bin soak -- [SECONDS]`
#![allow(clippy::expect_used, reason = "a measurement that cannot go on stops")]

use std::process::ExitCode;
use std::time::Duration;

use finance_load::{Load, Notices, SoakPlan, soak, soak_on_citus};
use finance_tests::Citus;

const SECONDS: u64 = 600;
const PROFILES: usize = 4;
/// The profiles whose members are sent 1,020 notices while a node is killed.
const TOLD: usize = 34;
/// The largest allowed growth of resident memory between a quarter of the time and the end, in KiB.
const GROWTH_KIB_MAX: u64 = 16 * 1024;

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).map_or(SECONDS, |text| text.parse().expect("seconds"));
    let plan = SoakPlan { load: Load::For(Duration::from_secs(seconds)), profiles: PROFILES, notified: TOLD };
    let citus = Citus::of_environment();
    let report = citus.as_ref().map_or_else(|| soak(plan), |citus| soak_on_citus(plan, citus));
    println!("{seconds} s of load on two nodes");
    println!("{}", report.outcome);
    if citus.is_none() {
        let Notices { due, topics, requests } = report.notices;
        println!("  {due} notices were due when a node was killed, {topics} topics arrived in {requests} requests");
    }
    for (who, recovery) in &report.recoveries {
        println!("  {who} killed, all well again after {} ms", recovery.as_millis());
    }
    let (early, late) = report.memory_kib;
    if citus.is_none() {
        println!("  resident memory of the node that lived: {early} KiB after a quarter, {late} KiB at the end");
    }
    for wrong in &report.outcome.wrong {
        println!("  WRONG: {wrong}");
    }
    let is_flat = late <= early + GROWTH_KIB_MAX;
    if !is_flat {
        println!("  WRONG: memory grows");
    }
    if report.outcome.wrong.is_empty() && is_flat {
        println!("  every sum is that of its rows; no import, event or notice is lost or doubled");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
