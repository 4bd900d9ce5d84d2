//! `just replica-reads`: sends reads to a service with a replica and to a service without one, in turns. Prints the requests per
//! second, and the processor time of a request on the primary, the replica and the service, as medians of the rounds.
//!
//! `cargo run --release -p finance-load --bin replica_reads -- [SECONDS OF A TURN]`
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use finance_load::processor::{used_by, used_by_server};
use finance_tests::{Client, Program, ScratchDir, Server};
use serde_json::json;

const PROFILES: usize = 10;
const ROWS_OF_A_PROFILE: usize = 1_000;
const MONTHS: usize = 12;
const CLIENTS: usize = 8;
const ROUNDS: usize = 5;
const SECONDS: u64 = 3;
const PASSWORD: &str = "correct horse";
const TODAY: &str = "2026-03-15";
/// The measured requests: name and path.
const PATHS: [(&str, &str); 4] = [
    ("month list, 50 rows", "/api/transactions?month=2026-03&limit=50"),
    ("dashboard", "/api/dashboard?month=2026-03"),
    ("net worth", "/api/net-worth"),
    ("export, 1,000 rows", "/api/export"),
];

/// The result of one turn: requests per second, and microseconds of processor time per request.
#[derive(Debug, Clone, Copy)]
struct Turn {
    rate: f64,
    primary: f64,
    replica: f64,
    service: f64,
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(SECONDS, |text| text.parse().expect("seconds"));
    let scratch = ScratchDir::new();
    std::fs::create_dir_all(scratch.path()).unwrap();
    let primary = Server::start("a");
    let replica = Server::replica_of(&primary, "b");
    let command = |with_replica: bool| {
        let mut command = Program::command(scratch.path());
        command
            .env("DATABASE_URL", primary.url("finance"))
            .env("JWT_SECRET", "x".repeat(32))
            .env("FINANCE_TODAY", TODAY);
        if with_replica {
            command.env("DATABASE_REPLICA_URL", replica.url("finance"));
        }
        command
    };
    let names: Vec<String> = (0..PROFILES).map(|at| format!("ana{at}")).collect();
    for name in &names {
        let made = command(false).args(["create-user", "--name", name, "--password", PASSWORD]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    }
    let log = scratch.path().join("service.log");
    let alone = Program::start_with_log(&mut command(false), &log);
    let with = Program::start_with_log(&mut command(true), &log);
    let tokens: Vec<String> = names.iter().map(|name| alone.login(name, PASSWORD).token().to_string()).collect();
    for token in &tokens {
        fill(&alone.client().with_token(token));
    }
    primary.sql("finance", "vacuum analyze");
    primary.sql("finance", "checkpoint");
    primary.wait_until_replayed_by(&replica);
    println!(
        "{PROFILES} profiles of {ROWS_OF_A_PROFILE} transactions, {CLIENTS} clients; µs of processor time a request"
    );
    for (what, path) in PATHS {
        let mut turns: [Vec<Turn>; 2] = Default::default();
        for program in [&alone, &with] {
            ask(program, &tokens, path, Duration::from_millis(500), &primary, &replica);
        }
        for _ in 0..ROUNDS {
            for (program, turns) in [&alone, &with].into_iter().zip(&mut turns) {
                turns.push(ask(program, &tokens, path, Duration::from_secs(seconds), &primary, &replica));
            }
        }
        for (how, turns) in ["one server", "with a replica"].into_iter().zip(&turns) {
            let of = |figure: fn(&Turn) -> f64| median(turns.iter().map(figure).collect());
            println!(
                "  {what:<22}{how:<16}requests/s {:>6.0}  primary {:>6.0}  replica {:>6.0}  service {:>6.0}",
                of(|turn| turn.rate),
                of(|turn| turn.primary),
                of(|turn| turn.replica),
                of(|turn| turn.service)
            );
        }
    }
}

/// Imports a profile's transactions.
fn fill(client: &Client) {
    let account = client.open_account("Banco", "current");
    let rows: Vec<_> = (0..ROWS_OF_A_PROFILE)
        .map(|row| {
            let month = row % MONTHS;
            let (year, month) = if month < 3 { (2026, month + 1) } else { (2025, month + 1) };
            json!({ "date": format!("{year}-{month:02}-{:02}", row % 28 + 1), "description": format!("Compra {row}"),
                "amount": format!("{}.{:02}", row % 300 + 1, row % 100), "type": "expense" })
        })
        .collect();
    client.post("/api/import/confirm", json!({ "account_id": account, "rows": rows })).created();
    // The first read of a profile also stores data, so it is done before the measurement.
    client.get("/api/dashboard").ok();
}

/// Sends requests for the duration `turn`.
fn ask(program: &Program, tokens: &[String], path: &str, turn: Duration, primary: &Server, replica: &Server) -> Turn {
    let used = || {
        let service = used_by(&program.pid().to_string()).map_or(0.0, |used| used.own);
        [used_by_server(&primary.pid().to_string()), used_by_server(&replica.pid().to_string()), service]
    };
    let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let (before, began) = (used(), Instant::now());
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (stop, answered) = (&stop, &answered);
            scope.spawn(move || {
                let clients: Vec<Client> = tokens.iter().map(|token| program.client().with_token(token)).collect();
                for client in clients.iter().cycle().skip(number) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let reply = client.get(path);
                    // A concurrent export of the same profile gets 503.
                    assert!(reply.status == 200 || reply.status == 503, "{reply:?}");
                    if reply.status == 200 {
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        thread::sleep(turn);
        stop.store(true, Ordering::Relaxed);
    });
    let (took, after) = (began.elapsed().as_secs_f64(), used());
    let requests = answered.load(Ordering::Relaxed) as f64;
    let of = |at: usize| (after[at] - before[at]) / requests * 1e6;
    Turn { rate: requests / took, primary: of(0), replica: of(1), service: of(2) }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
