//! A migration that is killed half-way: nothing of it stays, and the next start applies it.

use std::process::{Command, Stdio};

use diesel::connection::SimpleConnection;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use finance_tests::{PASSWORD, Program, ScratchDir, TestApp, eventually, rows};
use serde_json::{Value, json};

use crate::outcome::{printed, refused};

/// The migration that writes the table of transactions anew. It waits for whoever reads the table.
const WRITES_TRANSACTIONS: &str = "0049";

/// The migration after which what is left of a bill is on the next one.
const KEEPS_LEDGERS: &str = "0073";

/// Takes the schema back to the version before another one.
fn revert(app: &TestApp, to_before: &str) -> usize {
    let mut connection = app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = FileBasedMigrations::from_path(folder).expect("the migrations");
    let mut reverted = 0;
    loop {
        reverted += 1;
        let version = connection.revert_last_migration(migrations.clone()).expect("its down.sql works").to_string();
        if version == to_before {
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
    let reverted = revert(&app, WRITES_TRANSACTIONS);
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

    let output = printed(&migrate(&app, &scratch).output().unwrap());
    assert!(output.contains("migrations applied"), "{output}");
    assert_eq!(app.rows(versions), applied);
    assert_eq!(app.rows(stored), before);
    assert_eq!(app.wrong_sums(), Vec::<String>::new());
}

#[test]
fn an_upgrade_tells_what_it_changed_on_the_open_bill() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let ana = app.user("ana");
    let (bank, card) = (ana.open_account("Banco", "current"), ana.open_card("Cartão", 10, 20));
    for (date, amount) in [("2026-01-20", "500.00"), ("2026-03-12", "200.00")] {
        let body =
            json!({ "type": "expense", "date": date, "description": "Loja", "amount": amount, "account_id": card });
        ana.create("/api/transactions", body);
    }
    let paid = json!({ "from_account_id": bank, "to_account_id": card, "amount": "650.00", "date": "2026-02-20" });
    ana.post("/api/transfers", paid).created();
    ana.get("/api/credit-bills").ok();
    revert(&app, KEEPS_LEDGERS);
    // The earlier release stored the payment with the bill, and left what was too much there.
    app.sql(&format!(
        "insert into credit_bill_payments (profile_id, bill_id, amount, date, transaction_id)
        select b.profile_id, b.id, t.amount, t.date, t.id
        from credit_bills b
        join transactions t on t.profile_id = b.profile_id and t.account_id = b.account_id and t.kind = 'income'
        where b.account_id = {card} and b.due_date = '2026-02-20'"
    ));
    printed(&migrate(&app, &scratch).output().unwrap());
    let before = app.rows(&format!(
        "select due_date, due_before::text as due from credit_bills where account_id = {card} order by due_date"
    ));
    let before: Vec<_> = before.iter().map(|row| (row["due_date"].as_str().unwrap(), row["due"].as_str())).collect();
    assert!(before.contains(&("2026-02-20", Some("-150.00"))), "{before:?}");
    assert!(before.contains(&("2026-04-20", Some("200.00"))), "{before:?}");

    let mut command = Program::command(scratch.path());
    command
        .env("DATABASE_URL", app.database_url())
        .env("JWT_SECRET", "x".repeat(32))
        .env("FINANCE_TODAY", "2026-03-15");
    let service = Program::start(&mut command);
    let ana = service.login("ana", PASSWORD);
    let changed = json!({ "due_date": "2026-04-20", "before": "200.00", "after": "50.00" });
    assert_eq!(ana.get(&format!("/api/accounts/{card}")).ok()["changed_bill"], changed);
    ana.delete("/api/credit-bills/changed").gone();
    assert_eq!(ana.get(&format!("/api/accounts/{card}")).ok()["changed_bill"], Value::Null);
}
