//! Operation: settings, metrics, the log, and migrations.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use diesel::Connection;
use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use finance_tests::{Program, ScratchDir, TestApp, admin_url};
use serde_json::{Value, json};

use crate::metrics::{metric, scrape};
use crate::outcome::{printed, refused};

const PASSWORD: &str = "correct horse";

/// A command with a database URL.
fn on(database_url: &str, data_dir: &Path) -> Command {
    let mut command = Program::command(data_dir);
    command.env("DATABASE_URL", database_url).env("JWT_SECRET", "x".repeat(32));
    command
}

#[test]
fn config_prints_what_is_in_effect_and_no_secret() {
    let scratch = ScratchDir::new();
    std::fs::create_dir_all(scratch.path().join("config")).unwrap();
    let file = "FINANCE_UTC_OFFSET = '+01:00'\nFINANCE_BIND = '127.0.0.1:1'\nJWT_SECRET = 'a secret of 32 bytes or more, really'\n";
    std::fs::write(scratch.path().join("config/finance.toml"), file).unwrap();
    let command = || {
        let mut command = on("postgresql://finance:hunter2@db/finance?sslpassword=hunter2", scratch.path());
        command.env_remove("JWT_SECRET").env("FINANCE_BIND", "127.0.0.1:2").current_dir(scratch.path()).arg("config");
        command
    };
    let lines = printed(&command().output().unwrap());
    for line in [
        "FINANCE_BIND = \"127.0.0.1:2\"  # environment",
        "FINANCE_UTC_OFFSET = \"+01:00\"  # file",
        "FINANCE_YIELD_DAY_COUNT = \"calendar\"  # default",
        "JWT_SECRET = \"(set)\"  # file",
        "DATABASE_URL = \"(set)\"  # environment",
        "# FINANCE_TODAY is not set",
    ] {
        assert!(lines.lines().any(|printed| printed == line), "{line} in {lines}");
    }
    assert!(!lines.contains("hunter2") && !lines.contains("a secret"), "{lines}");
    // All keys of the shipped file are printed, and JSON has the same values.
    let shipped = include_str!("../../config/finance.toml");
    let keys = shipped.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(" = ").map(|(key, _)| key));
    let keys: Vec<&str> =
        keys.filter(|key| key.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')).collect();
    let listed: Value = serde_json::from_str(&printed(&command().arg("--json").output().unwrap())).unwrap();
    let listed: BTreeMap<&str, &Value> =
        listed.as_array().unwrap().iter().map(|setting| (setting["key"].as_str().unwrap(), setting)).collect();
    assert_eq!(listed.len(), keys.len());
    for key in keys {
        assert!(lines.contains(key) && listed.contains_key(key), "{key}");
    }
    assert_eq!(
        *listed["FINANCE_BIND"],
        json!({ "key": "FINANCE_BIND", "value": "127.0.0.1:2", "origin": "environment" })
    );
    let private = printed(&Program::run(scratch.path(), &["config"]));
    assert!(private.contains("JWT_SECRET = \"(generated)\"  # default"), "{private}");
    let unusable = refused(&command().env("FINANCE_BIND", "nowhere").output().unwrap());
    assert!(unusable.contains("FINANCE_BIND"), "{unusable}");
}

#[test]
fn metrics_tell_what_happened_on_a_listener_of_their_own() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    printed(
        &on(app.database_url(), scratch.path())
            .args(["create-user", "--name", "ana", "--password", PASSWORD])
            .output()
            .unwrap(),
    );
    let mut service = Program::start(
        on(app.database_url(), scratch.path())
            .env("FINANCE_METRICS_BIND", "127.0.0.1:0")
            // This port refuses connections.
            .env("FINANCE_BCB_URL", "http://127.0.0.1:1")
            .env("FINANCE_TODAY", "2025-02-01"),
    );
    let scraper = service.metrics();
    let scrape = || scrape(&scraper);
    assert_eq!(metric(&scrape(), "finance_rate_provider_blocked"), 0.0);

    let ana = service.login("ana", PASSWORD);
    let wrong = json!({ "name": "ana", "password": "wrong horse" });
    service.client().post("/api/auth/login", wrong).problem(401, "ErrInvalidCredentials");
    let account = ana.open_account("Banco", "current");
    let row =
        |day: u8| json!({ "date": format!("2025-01-0{day}"), "description": "x", "amount": "1.00", "type": "expense" });
    let confirm = json!({ "account_id": account, "rows": [row(1), row(2)] });
    ana.post("/api/import/confirm", confirm.clone()).created();
    ana.post("/api/import/confirm", confirm).created();
    for id in [account, account + 1, account + 2] {
        ana.get(&format!("/api/accounts/{id}"));
    }
    let cdb = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "opening_balance": "1000.00",
        "opening_date": "2024-12-31", "last_yield_date": "2024-12-31" });
    ana.post("/api/accounts", cdb).created();
    ana.get("/api/accounts").ok();
    ana.get("/api/accounts").ok();
    service.client().get("/api/nothing/1234567");
    ana.get("/api/nothing/7654321").problem(404, "ErrNotFound");

    let text = scrape();
    let requests = |labels: &str| metric(&text, &format!("finance_http_request_duration_seconds_count{{{labels}}}"));
    assert_eq!(requests("method=\"GET\",route=\"/api/accounts/{id}\",status=\"200\""), 1.0);
    assert_eq!(requests("method=\"GET\",route=\"/api/accounts/{id}\",status=\"404\""), 2.0);
    assert_eq!(requests("method=\"GET\",route=\"none\",status=\"404\""), 1.0);
    assert_eq!(requests("method=\"GET\",route=\"none\",status=\"401\""), 1.0);
    assert!(!text.contains("1234567") && !text.contains("7654321"), "{text}");
    assert_eq!(metric(&text, "finance_logins_total{outcome=\"succeeded\"}"), 1.0);
    assert_eq!(metric(&text, "finance_logins_total{outcome=\"failed\"}"), 1.0);
    assert_eq!(metric(&text, "finance_imports_total{outcome=\"imported\"}"), 2.0);
    assert_eq!(metric(&text, "finance_import_rows_total{outcome=\"inserted\"}"), 2.0);
    assert_eq!(metric(&text, "finance_import_rows_total{outcome=\"duplicate\"}"), 2.0);
    assert_eq!(metric(&text, "finance_rate_provider_calls_total"), 1.0);
    assert_eq!(metric(&text, "finance_rate_provider_failures_total"), 1.0);
    assert_eq!(metric(&text, "finance_rate_provider_blocked"), 1.0);
    assert_eq!(metric(&text, "finance_pool_in_use{pool=\"store\"}"), 0.0);
    assert_eq!(metric(&text, "finance_pool_waiting{pool=\"store\"}"), 0.0);
    assert!(metric(&text, "finance_pool_size{pool=\"store\"}") >= 1.0);
    let works = |text: &str| metric(text, "finance_pool_wait_seconds_count{pool=\"store\"}");
    assert!(works(&text) >= 8.0);
    assert_eq!(ana.get("/api/export").status, 200);
    assert_eq!(works(&scrape()) - works(&text), 1.0, "an export is one transaction");
    assert!(metric(&text, "process_resident_memory_bytes") > 1e6);
    assert!(metric(&text, "process_start_time_seconds") > 1.6e9);

    service.client().get("/metrics").problem(404, "ErrNotFound");
    assert_eq!(scraper.get("/api/accounts").status, 404, "the listener tells metrics and nothing else");
    service.signal("TERM");
    assert!(service.wait());
}

#[test]
fn a_metrics_address_that_is_taken_stops_the_start_with_its_name() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let taken = app.address().to_string();
    let output = on(app.database_url(), scratch.path()).env("FINANCE_METRICS_BIND", taken).output().unwrap();
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!output.status.success() && errors.contains("finance: FINANCE_METRICS_BIND"), "{output:?}");
}

#[test]
fn the_log_is_json_where_it_is_asked_for() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    printed(
        &on(app.database_url(), scratch.path())
            .args(["create-user", "--name", "ana", "--password", PASSWORD])
            .output()
            .unwrap(),
    );
    let mut service = Program::start(on(app.database_url(), scratch.path()).env("FINANCE_LOG_FORMAT", "json"));
    let ana = service.login("ana", PASSWORD);
    let me = ana.get("/api/auth/me");
    let (request_id, me) = (me.header("X-Request-Id").unwrap().to_string(), me.ok());
    service.client().get("/api/accounts").problem(401, "ErrUnauthenticated");
    service.signal("TERM");
    assert!(service.wait());
    let log = service.log();
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
    for line in &lines {
        for key in ["timestamp", "level", "target", "message"] {
            assert!(line[key].is_string(), "{key} of {line}");
        }
    }
    let request = lines.iter().find(|line| line["request_id"] == json!(request_id)).unwrap();
    assert_eq!(
        (&request["method"], &request["route"], &request["status"], &request["profile_id"]),
        (&json!("GET"), &json!("/api/auth/me"), &json!(200), &me["id"])
    );
    assert!(request["milliseconds"].is_u64(), "{request}");
    let refused = lines.iter().find(|line| line["status"] == 401).unwrap();
    assert_eq!((&refused["route"], &refused["profile_id"]), (&json!("/api/accounts"), &Value::Null));
    assert!(!log.contains(PASSWORD) && !log.contains(ana.token()));
}

#[test]
fn a_schema_that_is_migrated_apart_is_not_touched_at_the_start() {
    let app = TestApp::start();
    app.sql("create database migrated_apart");
    let url = admin_url("migrated_apart");
    let scratch = ScratchDir::new();
    let apart = || {
        let mut command = on(&url, scratch.path());
        command.env("FINANCE_MIGRATE_AT_START", "no");
        command
    };
    let line = refused(&apart().output().unwrap());
    assert!(line.contains("finance migrate"), "{line}");
    assert!(refused(&apart().args(["list-users"]).output().unwrap()).contains("finance migrate"));
    assert!(!printed(&apart().arg("migrate").output().unwrap()).starts_with("0 "));
    let service = Program::start(&mut apart());
    service.client().get("/readyz").ok();

    // A node with fewer migrations than the database continues to work. A node with more does not start.
    let mut connection = PgConnection::establish(&url).unwrap();
    connection.batch_execute("insert into __diesel_schema_migrations values ('9999')").unwrap();
    service.client().get("/readyz").ok();
    drop(Program::start(&mut apart()));
    connection.batch_execute("delete from __diesel_schema_migrations where version = '0022'").unwrap();
    assert!(refused(&apart().output().unwrap()).contains("0022"));
    service.client().get("/readyz").problem(503, "ErrUnavailable");
}

#[test]
fn migrating_grants_the_running_service_what_it_made() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.get("/api/categories").ok();
    // This is the state of a table that a migration has created: only its owner has access.
    app.sql("revoke all on categories from finance_service");
    ana.get("/api/categories").problem(500, "ErrInternal");
    let scratch = ScratchDir::new();
    printed(&on(app.database_url(), scratch.path()).arg("migrate").output().unwrap());
    ana.get("/api/categories").ok();
}
