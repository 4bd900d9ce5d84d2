//! Starting, stopping and configuring the program.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use finance_tests::{Program, ScratchDir, TestApp, postmaster};
use serde_json::{Value, json};

use crate::outcome::{printed, refused, run_with_input};

const PASSWORD: &str = "correct horse";

fn create_user(data_dir: &Path, name: &str, password: &str) -> Output {
    Program::run(data_dir, &["create-user", "--name", name, "--password", password])
}

/// Whether the private cluster of a data directory is running.
fn cluster_runs(data_dir: &Path) -> bool {
    data_dir.join("postgres/postmaster.pid").exists()
}

#[test]
fn the_life_of_a_private_installation() {
    let scratch = ScratchDir::new();
    let data_dir = scratch.path();

    let mut service = Program::serve(data_dir);
    println!("first start: {} ms", service.started_in.as_millis());
    service.client().get("/healthz").ok();
    service.client().get("/readyz").ok();
    let secret = data_dir.join("jwt_secret");
    let kept = std::fs::read(&secret).unwrap();
    assert_eq!(std::fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(kept.len() >= 32);

    // A user is created while the service runs. The service and its cluster go on.
    let output = printed(&create_user(data_dir, "ana", PASSWORD));
    assert!(output.contains("ana"), "{output}");
    let ana = service.login("ana", PASSWORD);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();

    // If the user is created again, it has the new password, and its tokens are revoked.
    let from_input = &mut Program::command(data_dir);
    let output = printed(&run_with_input(from_input.args(["create-user", "--name", "ana"]), "another horse\n"));
    assert!(output.contains("ana"), "{output}");
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let old = json!({ "name": "ana", "password": PASSWORD });
    service.client().post("/api/auth/login", old).problem(401, "ErrInvalidCredentials");
    let ana = service.login("ana", "another horse");
    assert!(names(&ana.get("/api/categories").ok()).contains(&"Pets".to_string()), "the same profile");

    // SIGTERM stops it and its cluster.
    service.signal("TERM");
    assert!(service.wait(), "SIGTERM ends with status 0");
    assert!(!cluster_runs(data_dir));

    // A user is created while nothing runs. Then the cluster is stopped again.
    printed(&create_user(data_dir, "bia", PASSWORD));
    assert!(!cluster_runs(data_dir));

    // A later start has the same data and secret: ana's token is still valid.
    let token = ana.token().to_string();
    let mut service = Program::serve(data_dir);
    println!("later start: {} ms", service.started_in.as_millis());
    assert_eq!(std::fs::read(&secret).unwrap(), kept);
    let ana = service.client().with_token(&token);
    assert!(names(&ana.get("/api/categories").ok()).contains(&"Pets".to_string()));
    service.login("bia", PASSWORD).get("/api/auth/me").ok();

    // If the service is killed, its cluster goes on, and the next start adopts it.
    service.signal("KILL");
    assert!(!service.wait());
    let left = postmaster(data_dir).expect("a running cluster");
    let mut service = Program::serve(data_dir);
    println!("start on a cluster left running: {} ms", service.started_in.as_millis());
    assert_eq!(postmaster(data_dir), Some(left), "the same server goes on");
    service.client().with_token(&token).get("/api/auth/me").ok();

    // Ctrl-C stops the service like SIGTERM.
    service.signal("INT");
    assert!(service.wait());
    assert!(!cluster_runs(data_dir));
    assert!(printed(&Program::run(data_dir, &["migrate"])).contains("0 migrations applied"));
    assert!(!cluster_runs(data_dir));
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn invalid_arguments_are_reported_in_one_line() {
    let scratch = ScratchDir::new();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    for (arguments, word) in [
        (&["frobnicate"][..], "frobnicate"),
        (&["serve", "--port", "80"], "--port"),
        (&["create-user"], "--name"),
        (&["create-user", "--name", "ana"], "password"),
        (&["create-user", "--name", "ana", "--password", ""], "password"),
        (&["create-user", "--name", "ana", "--password", "1234567"], "password"),
        (&["create-user", "--name", " ", "--password", PASSWORD], "name"),
    ] {
        let line = refused(&run(arguments));
        assert!(line.contains(word), "{arguments:?}: {line}");
    }
    let long = "x".repeat(73);
    assert!(refused(&create_user(scratch.path(), "ana", &long)).contains("password"), "never cut to what bcrypt takes");
    let short = run_with_input(Program::command(scratch.path()).args(["create-user", "--name", "ana"]), "short\r\n");
    assert!(refused(&short).contains("password"));
    assert!(!scratch.path().join("postgres").exists(), "none of it made a cluster");
}

#[test]
fn commands_that_need_no_database_start_none() {
    let scratch = ScratchDir::new();
    let document: Value = serde_json::from_str(&printed(&Program::run(scratch.path(), &["openapi"]))).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    assert!(document["paths"]["/api/import/preview"]["post"].is_object());
    assert!(printed(&Program::run(scratch.path(), &["--help"])).contains("create-user"));
    assert!(!scratch.path().exists());
}

#[test]
fn invalid_settings_stop_the_start_and_are_named() {
    let scratch = ScratchDir::new();
    for (key, value) in [
        ("FINANCE_BIND", "nowhere"),
        ("FINANCE_BCB_URL", "ftp://rates"),
        ("FINANCE_UTC_OFFSET", "-3"),
        ("FINANCE_TODAY", "31/01/2026"),
        ("FINANCE_YIELD_DAY_COUNT", "252"),
        ("FINANCE_UPLOAD_BYTES_MAX", "10MB"),
        ("FINANCE_UPLOAD_BYTES_MAX", "0"),
        ("FINANCE_METRICS_BIND", "9090"),
        ("FINANCE_WEBHOOKS_PRIVATE", "true"),
        ("FINANCE_PUSH_KEY", "segredo"),
        ("FINANCE_PUSH_HOSTS", "https://push.example"),
        ("FINANCE_SMTP_URL", "smtps://ana:segredo@smtp.example?tls=no"),
        ("FINANCE_SMTP_URL", "smtp://ana:segredo@93.184.215.14"),
        ("FINANCE_MAIL_FROM", "finance"),
        ("FINANCE_SHUTDOWN_SECONDS", "1m"),
        ("FINANCE_DATABASE_WAIT_SECONDS", "-1"),
        ("FINANCE_MIGRATE_AT_START", "maybe"),
        ("FINANCE_LOG_FORMAT", "xml"),
        ("JWT_SECRET", "too short"),
    ] {
        let line = refused(&Program::command(scratch.path()).env(key, value).output().unwrap());
        assert!(line.contains(key), "{key}: {line}");
        assert!(key != "JWT_SECRET" || !line.contains(value), "a secret is not shown: {line}");
        assert!(!line.contains("segredo"), "a secret is not shown: {line}");
    }
    assert!(!scratch.path().join("postgres").exists(), "each is refused before a cluster is made");
}

#[test]
fn a_database_url_requires_a_secret() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let command = || {
        let mut command = Program::command(scratch.path());
        command.env("DATABASE_URL", app.database_url());
        command
    };
    let missing = refused(&command().output().unwrap());
    assert!(missing.contains("JWT_SECRET"), "{missing}");
    let short = refused(&command().env("JWT_SECRET", "x".repeat(31)).output().unwrap());
    assert!(short.contains("JWT_SECRET"), "{short}");
    assert!(printed(&command().arg("migrate").output().unwrap()).contains("0 migrations applied"));
    printed(&command().args(["create-user", "--name", "ana", "--password", PASSWORD]).output().unwrap());
    let mut service = Program::start(command().env("JWT_SECRET", "x".repeat(32)));
    println!("start on a database of one's own: {} ms", service.started_in.as_millis());
    service.login("ana", PASSWORD).get("/api/auth/me").ok();
    service.signal("TERM");
    assert!(service.wait());
    assert!(!scratch.path().exists(), "nothing is written to the data directory");
    let away = Program::command(scratch.path())
        .env("DATABASE_URL", "postgresql://finance:hunter2@127.0.0.1:1/finance")
        .env("JWT_SECRET", "x".repeat(32))
        .env("FINANCE_DATABASE_WAIT_SECONDS", "0")
        .output()
        .unwrap();
    let line = refused(&away);
    assert!(line.contains("database") && !line.contains("hunter2"), "{line}");
}

#[test]
fn an_empty_database_is_migrated_once() {
    let app = TestApp::start();
    app.sql("create database empty_for_migrate");
    let url = finance_tests::admin_url("empty_for_migrate");
    let scratch = ScratchDir::new();
    let migrate =
        || printed(&Program::command(scratch.path()).env("DATABASE_URL", &url).arg("migrate").output().unwrap());
    assert!(!migrate().starts_with("0 "));
    assert!(migrate().starts_with("0 "));
}

#[test]
fn today_can_be_frozen() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let ana = app.user("ana");
    let mut command = Program::command(scratch.path());
    command
        .env("DATABASE_URL", app.database_url())
        .env("JWT_SECRET", "x".repeat(32))
        .env("FINANCE_TODAY", "2031-02-28");
    printed(
        &Program::command(scratch.path())
            .env("DATABASE_URL", app.database_url())
            .args(["create-user", "--name", "ana", "--password", PASSWORD])
            .output()
            .unwrap(),
    );
    let service = Program::start(&mut command);
    let there = service.login("ana", PASSWORD);
    assert_eq!(there.get("/api/dashboard").ok()["month"], "2031-02");
    let card = json!({ "name": "Cartão", "kind": "credit", "closing_day": 28, "due_day": 7 });
    assert_eq!(there.post("/api/accounts", card).created()["current_bill"]["period_start"], "2031-02-28");
    assert_eq!(there.get("/api/auth/me").ok()["id"], ana.caller().profile_id.0);
}
