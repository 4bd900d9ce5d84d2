//! A migration that is killed half-way: nothing of it stays, and the next start applies it.

use std::process::{Command, Stdio};

use diesel::connection::SimpleConnection;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use finance_tests::{Program, ScratchDir, TestApp, eventually, rows, wrong_sums};
use serde_json::json;

use crate::outcome::{printed, refused};

/// The migration that writes the table of transactions anew. It waits for whoever reads the table.
const WRITES_TRANSACTIONS: &str = "0049";

/// Takes the schema back to the version before [`WRITES_TRANSACTIONS`].
fn revert(app: &TestApp) -> usize {
    let mut connection = app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = FileBasedMigrations::from_path(folder).expect("the migrations");
    let mut reverted = 0;
    loop {
        reverted += 1;
        let version = connection.revert_last_migration(migrations.clone()).expect("its down.sql works").to_string();
        if version == WRITES_TRANSACTIONS {
            return reverted;
        }
    }
}

fn migrate(app: &TestApp, directory: &ScratchDir) -> Command {
    let mut command = Program::command(directory.path());
    command.env("DATABASE_URL", app.database_url()).env("JWT_SECRET", "x".repeat(32));
    command.arg("migrate").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_migration_that_is_killed_leaves_nothing_and_is_applied_by_the_next_start() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let ana = app.user("ana");
    let bank = ana.open_account("Banco", "current");
    for day in 1..=9 {
        let body = json!({ "type": "expense", "date": format!("2026-03-0{day}"), "description": "Feira",
            "amount": "10.00", "account_id": bank });
        ana.create("/api/transactions", body);
    }
    let stored = "select to_jsonb(t) - 'description_key' as row from transactions t order by id";
    let versions = "select version from __diesel_schema_migrations order by version";
    let (before, applied) = (app.rows(stored), app.rows(versions));
    let reverted = revert(&app);
    let old = app.rows(versions);
    assert_eq!(applied.len() - old.len(), reverted);

    let waiting = "select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'advisory'";
    // Whoever reads the table holds the migration half-way. Once the program is killed, once the server ends its session.
    for kill in ["the program", "its session"] {
        let mut reader = app.connection();
        reader.batch_execute("begin; lock table transactions in access share mode").unwrap();
        let mut program = migrate(&app, &scratch).spawn().expect("the program starts");
        let pid = eventually("the migration that waits", || {
            Some(rows(&mut app.connection(), waiting)).filter(|found| found.len() == 1)
        });
        // Migrations before the one that waits are complete.
        let held = app.rows(versions);
        assert!(held.len() < applied.len());
        if kill == "the program" {
            program.kill().unwrap();
            assert!(!program.wait().unwrap().success());
        } else {
            app.sql(&format!("select pg_terminate_backend({})", pid[0]["pid"]));
            let line = refused(&program.wait_with_output().unwrap());
            assert!(line.contains("migrat"), "{line}");
        }
        reader.batch_execute("rollback").unwrap();
        // The session of the killed program ends when it finds that nobody reads its answer.
        let sessions = format!("select 1 as one from pg_locks where pid = {}", pid[0]["pid"]);
        eventually("the end of its session", || app.rows(&sessions).is_empty().then_some(()));
        assert_eq!(app.rows(versions), held, "after {kill} was killed");
    }

    let told = printed(&migrate(&app, &scratch).output().unwrap());
    assert!(told.contains("migrations applied"), "{told}");
    assert_eq!(app.rows(versions), applied);
    assert_eq!(app.rows(stored), before);
    assert_eq!(wrong_sums(&mut app.connection()), Vec::<String>::new());
}
