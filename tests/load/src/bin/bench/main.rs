//! `just bench`: compares the throughput of the service with the throughput of PostgreSQL alone on the same machine.
//!
//! Starts a private cluster in a scratch directory and the program itself, loads profiles through the
//! use cases, and puts load on the service and on the limit in turn (A B A B): `wrk` sends requests, and
//! `pgbench` sends the statements that the service sends for such a request. As in the service, they are
//! bound to a profile and under row-level security. The results are medians of the rounds, with the ratios first.
//!
//! `cargo run --release -p finance-load --bin bench -- [--quick] [--json] [--hold] [--cost] [--only PARTS]`. With `--only` it
//! measures only these parts, separated by commas (see [`PARTS`]). With `--hold` it loads the data, prints the addresses of the
//! service and the database, and waits, so that a profiler can be used. With `--cost` it measures the cost of a request and of a
//! row, fills a database with a million profiles, and prints what ten thousand to ten million households need.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

mod budgets;
mod capture;
mod cards;
mod cost;
mod data;
mod growth;
mod history;
mod imports;
mod limit;
mod load;
mod million;
mod notices;
mod report;
mod requests;
mod schedules;
mod sessions;
mod stage;
mod statements;
mod unchanged;

use std::process::ExitCode;
use std::time::Duration;

use report::Report;
use stage::Stage;

/// The amount of data, and the duration of the load on each side of a comparison.
pub(crate) struct Plan {
    /// The number of profiles with a thousand transactions each.
    pub(crate) households: i64,
    /// The number of transactions of the one large profile.
    pub(crate) large_rows: usize,
    /// The number of other profiles, with few transactions each.
    pub(crate) small_households: i64,
    /// The number of rounds of service and limit.
    pub(crate) rounds: usize,
    /// The duration of one side of one round.
    pub(crate) turn: Duration,
    /// The number of imported files of 10,000 rows.
    pub(crate) files: usize,
}

const FULL: Plan = Plan {
    households: 1_000,
    large_rows: 100_000,
    small_households: 9_000,
    rounds: 5,
    turn: Duration::from_secs(3),
    files: 5,
};
const QUICK: Plan = Plan {
    households: 100,
    large_rows: 20_000,
    small_households: 400,
    rounds: 3,
    turn: Duration::from_secs(2),
    files: 3,
};

/// What measures a part.
type Measure = fn(&Stage, &Plan, &mut Report);

/// The parts, in their order. All but the first two need only the profiles of [`FEW_PROFILES`].
const PARTS: [(&str, Measure); 12] = [
    ("requests", requests::measure),
    ("growth", growth::measure),
    ("imports", imports::measure),
    ("ahead", growth::figures),
    ("cards", cards::measure),
    ("budgets", budgets::measure),
    ("schedules", schedules::measure),
    ("notices", notices::measure),
    ("sessions", sessions::measure),
    ("unchanged", unchanged::measure),
    ("statements", statements::measure),
    ("history", history::measure),
];
/// The parts that compare many profiles.
const OF_MANY_PROFILES: [&str; 2] = ["requests", "growth"];
/// The profiles of the other parts.
const FEW_PROFILES: Plan = Plan { households: 2, large_rows: 100_000, small_households: 2, ..QUICK };

/// The number of profiles of `--cost`, with few rows each.
const MANY: i64 = 1_000_000;

fn main() -> ExitCode {
    let mut plan = FULL;
    let mut json = false;
    let mut hold = false;
    let mut only: Option<Vec<String>> = None;
    let mut cost = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => plan = QUICK,
            "--json" => json = true,
            "--hold" => hold = true,
            "--cost" => (plan, cost) = (QUICK, Some(MANY)),
            "--only" => only = arguments.next().map(|parts| parts.split(',').map(str::to_string).collect()),
            other => {
                eprintln!("unknown argument {other}; known are --quick, --json, --hold, --cost and --only PARTS");
                return ExitCode::FAILURE;
            }
        }
    }
    if let Some(only) = &only {
        let names = PARTS.map(|(name, _)| name);
        if let Some(unknown) = only.iter().find(|part| !names.contains(&part.as_str())) {
            eprintln!("unknown part {unknown}; known are {}", names.join(", "));
            return ExitCode::FAILURE;
        }
        if !only.iter().any(|part| OF_MANY_PROFILES.contains(&part.as_str())) {
            plan = FEW_PROFILES;
        }
    }
    if let Some(missing) = ["wrk", "pgbench"].into_iter().find(|tool| stage::find(tool).is_none()) {
        eprintln!(
            "{missing} is not installed; install it with the system's package manager (`just bench` does), and come back"
        );
        return ExitCode::FAILURE;
    }
    let mut report = Report::default();
    let stage = Stage::set_up(&plan, &mut report);
    if hold {
        stage.hold();
        return ExitCode::SUCCESS;
    }
    if let Some(profiles) = cost {
        let table = cost::measure(&stage, &plan, profiles, &mut report);
        print!("{}\n{table}", report.table());
        return ExitCode::SUCCESS;
    }
    for (name, measure) in PARTS {
        if only.as_ref().is_none_or(|only| only.iter().any(|part| part == name)) {
            measure(&stage, &plan, &mut report);
        }
    }
    if only.is_none() {
        stage.memory(&mut report);
    }
    print!("{}", if json { report.json() } else { report.table() });
    ExitCode::SUCCESS
}
