//! The backups that the service makes by itself.

use std::path::Path;
use std::process::{Command, Output};

use diesel::connection::SimpleConnection;
use finance_tests::{Client, PASSWORD, Program, ScratchDir, eventually, rows, with_user};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::household::{figures, fill};
use crate::metrics::{metric, scrape};
use crate::outcome::{printed, refused};
use crate::superuser::connect as admin;

fn command(data_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Program::command(data_dir);
    command.env("FINANCE_TODAY", "2026-03-15").env("FINANCE_BCB_URL", "http://127.0.0.1:1").args(arguments);
    command.env("RUST_LOG", "warn").stdin(std::process::Stdio::null());
    command
}

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    command(data_dir, arguments).output().expect("the program runs")
}

fn listed(data_dir: &Path) -> Vec<Value> {
    let text = printed(&run(data_dir, &["backup", "--list", "--json"]));
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A service that makes a backup at once.
fn serve(command: &mut Command) -> Program {
    command.env("FINANCE_BACKUP_WAIT_SECONDS", "0").env("FINANCE_METRICS_BIND", "127.0.0.1:0").env("RUST_LOG", "info");
    Program::start(command)
}

/// The metrics about backups: the time of the last good one, and the number of failures.
fn metrics(client: &Client) -> (f64, f64) {
    let text = scrape(client);
    (metric(&text, "finance_backup_last_good_timestamp_seconds"), metric(&text, "finance_backup_failures_total"))
}

#[test]
fn the_service_makes_a_proved_backup_by_itself() {
    let scratch = ScratchDir::new();
    let (data, new) = (scratch.path().join("data"), scratch.path().join("new"));
    with_user(&data);
    assert!(listed(&data).is_empty());
    let mut service = serve(&mut command(&data, &[]));
    let last = || service.client().get("/readyz").ok()["last_backup"].clone();
    let made_at = eventually("the backup of the day", || last()["made_at"].as_str().map(str::to_string));
    let made_at = OffsetDateTime::parse(&made_at, &Rfc3339).unwrap();
    let one = listed(&data);
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["made_at"], last()["made_at"]);
    let age = |now: OffsetDateTime| (now - made_at).whole_seconds();
    let (least, reported, most) = (age(OffsetDateTime::now_utc()), last(), age(OffsetDateTime::now_utc()));
    assert!((least..=most).contains(&reported["age_seconds"].as_i64().unwrap()), "{reported}");
    let (at, failures) = metrics(&service.metrics());
    assert!(at > 1.7e9 && failures == 0.0, "{at} {failures}");
    let table = printed(&run(&data, &["backup", "--list"]));
    assert!(table.lines().nth(1).unwrap().contains(one[0]["file"].as_str().unwrap()), "{table}");

    // The next run removes what a killed run left.
    let ana = service.login("ana", PASSWORD);
    fill(&ana, None);
    let before = figures(&ana);
    let folder = data.join("backups");
    std::fs::write(folder.join(".finance-20260101T000000Z.part"), "half").unwrap();
    admin(&data).batch_execute("create database finance_proof").unwrap();
    // The name of a backup is the second in which it is made.
    eventually("another second", || (age(OffsetDateTime::now_utc()) > 0).then_some(()));
    let output = printed(&run(&data, &["backup"]));
    assert!(output.contains("and proved"), "{output}");
    let there = rows(&mut admin(&data), "select datname from pg_database where datname like 'finance%'");
    assert_eq!(there, [json!({ "datname": "finance" })]);
    // Only the newest backup of the day is kept.
    let two = listed(&data);
    assert_eq!(names(&folder).len(), 1, "{:?}", names(&folder));
    assert_ne!(two[0]["made_at"], one[0]["made_at"]);

    // A backup that cannot be proved is not good, and replaces no other. Here it has a table that a restore does not know.
    admin(&data).batch_execute("create table more (id int)").unwrap();
    let line = refused(&run(&data, &["backup"]));
    assert!(line.contains("could not be proved") && line.contains("TABLE public more"), "{line}");
    assert_eq!(listed(&data).iter().map(|good| &good["file"]).collect::<Vec<_>>(), [&two[0]["file"]]);
    assert_eq!(names(&folder).iter().filter(|name| name.ends_with(".unproved")).count(), 1);
    admin(&data).batch_execute("drop table more").unwrap();

    assert_eq!(figures(&ana), before);
    service.signal("TERM");
    assert!(service.wait());
    let file = two[0]["file"].as_str().unwrap();
    printed(&run(&new, &["restore", "--yes", file]));
    let restored = Program::start(&mut command(&new, &[]));
    assert_eq!(figures(&restored.login("ana", PASSWORD)), before);
}

#[test]
fn a_folder_that_takes_no_backup_does_not_stop_the_service() {
    let scratch = ScratchDir::with_user();
    let service = serve(command(scratch.path(), &[]).env("FINANCE_BACKUP_DIR", "/dev/null/backups"));
    eventually("the log", || service.log().contains("there is no good backup").then_some(()));
    assert!(service.log().contains("no backup was made; it is retried every hour: /dev/null/backups"));
    let ana = service.login("ana", PASSWORD);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
    let ready = service.client().get("/readyz").ok();
    assert_eq!(ready, json!({ "status": "ok", "last_backup": { "made_at": null, "age_seconds": null } }));
    assert_eq!(metrics(&service.metrics()), (0.0, 1.0));
}
