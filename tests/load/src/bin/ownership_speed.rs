//! Measures the time to export, restore and delete a profile with a hundred thousand transactions, and checks that the service's
//! memory does not grow with the size of the stream.
//!
//! `cargo run --release -p finance-load --bin ownership_speed`
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a measurement that cannot go on stops")]

use std::io::{self, Read};
use std::process::Command;
use std::time::{Duration, Instant};

use finance_tests::{Program, ScratchDir, TestApp};
use serde_json::json;

const TRANSACTIONS: u32 = 100_000;
/// The largest allowed growth of the service's memory while it streams, in KiB.
const GROWTH_KIB_MAX: u64 = 24 * 1024;

fn main() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    std::fs::create_dir_all(scratch.path()).unwrap();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 10, "due_day": 20 });
    let card = ana.create("/api/accounts", card);
    let profile = ana.caller().profile_id;
    app.sql(&format!(
        "insert into transactions (profile_id, kind, account_id, date, source, description, description_normalized, amount)
        select {profile}, 'expense', case when i % 5 = 0 then {card} else {bank} end,
            date '2016-04-01' + (i % 3600), 'manual', 'Compra número ' || i, 'compra numero ' || i, 1 + i % 500
        from generate_series(1, {TRANSACTIONS}) as i"
    ));
    app.rebuild_sums();
    app.sql("vacuum analyze");
    ana.get("/api/accounts").ok();
    app.user("bia");

    let command = |arguments: &[&str]| {
        let mut command = Program::command(scratch.path());
        command.env("DATABASE_URL", app.database_url()).env("JWT_SECRET", "x".repeat(32)).env("RUST_LOG", "warn");
        command.args(arguments);
        command
    };
    let service = Program::start(&mut command(&[]));
    let there = service.login("ana", finance_tests::PASSWORD);
    let file = scratch.path().join("ana.json");
    let small = service.login("bia", finance_tests::PASSWORD);
    small.get("/api/export?format=csv").header("Content-Type").expect("an export");
    let before = peak_kib(service.pid());
    for (format, to) in [("json", file.as_path()), ("csv", scratch.path().join("ana.zip").as_path())] {
        let mut answer = ureq::get(format!("{}/api/export?format={format}", service.url()))
            .header("Authorization", format!("Bearer {}", there.token()))
            .call()
            .expect("an export");
        let begun = Instant::now();
        let bytes = io::copy(&mut answer.body_mut().as_reader(), &mut std::fs::File::create(to).unwrap()).unwrap();
        println!("export as {format}: {bytes} bytes in {:?}", begun.elapsed());
    }
    // A slow client: it reads the first bytes, and the rest three seconds later.
    let mut answer = ureq::get(format!("{}/api/export", service.url()))
        .header("Authorization", format!("Bearer {}", there.token()))
        .call()
        .expect("an export");
    let mut slow = answer.body_mut().as_reader();
    slow.read_exact(&mut [0; 1024]).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    io::copy(&mut slow, &mut io::sink()).unwrap();
    let grown = peak_kib(service.pid()) - before;
    println!("the service's peak memory grew by {grown} KiB, from {before} KiB");
    timed("import-profile", &mut command(&["import-profile", "--name", "bia", file.to_str().unwrap()]));
    let balance = |client: &finance_tests::Client| client.get("/api/dashboard").ok()["net_worth"].clone();
    assert_eq!(balance(&small), balance(&there));
    timed("delete-profile", &mut command(&["delete-profile", "--yes", "--name", "bia"]));
    if grown > GROWTH_KIB_MAX {
        println!("above {GROWTH_KIB_MAX} KiB");
        std::process::exit(1);
    }
}

fn timed(what: &str, command: &mut Command) {
    let begun = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    println!("{what}: {:?}", begun.elapsed());
}

/// The peak memory of a process, in KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
