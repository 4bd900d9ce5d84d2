//! Operation: settings, metrics, the log, and migrations.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
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
    let file = "FINANCE_UTC_OFFSET = '+01:00'\nFINANCE_BIND = '127.0.0.1:1'\nJWT_SECRET = 'a secret of 32 bytes or more, really'\n";
    let settings = settings_file(scratch.path(), "own/finance.toml", file);
    let command = || {
        let mut command = on("postgresql://finance:hunter2@db/finance?sslpassword=hunter2", scratch.path());
        command
            .env_remove("JWT_SECRET")
            .env("FINANCE_BIND", "127.0.0.1:2")
            .env("FINANCE_CONFIG", &settings)
            .arg("config");
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
        &format!("# {} is read", settings.display()),
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
    assert_eq!(
        *listed["FINANCE_UTC_OFFSET"],
        json!({ "key": "FINANCE_UTC_OFFSET", "value": "+01:00", "origin": "file", "file": settings })
    );
    let private = printed(&Program::run(scratch.path(), &["config"]));
    assert!(private.contains("JWT_SECRET = \"(generated)\"  # default"), "{private}");
    let unusable = refused(&command().env("FINANCE_BIND", "nowhere").output().unwrap());
    assert!(unusable.contains("FINANCE_BIND"), "{unusable}");
}

/// A file of settings that only its owner may write, in folders of the same kind.
fn settings_file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    let parents: Vec<&Path> = file.ancestors().skip(1).take_while(|parent| parent.starts_with(folder)).collect();
    for parent in parents.into_iter().rev() {
        std::fs::create_dir_all(parent).unwrap();
        std::fs::set_permissions(parent, Permissions::from_mode(0o755)).unwrap();
    }
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    file
}

#[test]
fn the_settings_of_a_strangers_folder_are_not_read() {
    let scratch = ScratchDir::new();
    let strange = "FINANCE_UTC_OFFSET = '+09:00'\nFINANCE_BACKUP_DIR = '/tmp/stranger'\nDATABASE_URL = 'postgresql://stranger/'\n\
                   FINANCE_URL = 'https://stranger.example'\nRUST_LOG = 'trace'\n";
    for name in ["config/finance.toml", "finance.toml", "finance/finance.toml", ".config/finance/finance.toml", ".env"]
    {
        settings_file(scratch.path(), name, strange);
    }
    let shown = |command: &mut Command| printed(&command.current_dir(scratch.path()).arg("config").output().unwrap());
    let command = || Program::command(&scratch.path().join("data"));
    let is_strange = |lines: &str| lines.contains("stranger") || lines.contains("+09:00");
    // Relative folders and empty variables lead to no file.
    for (config_home, home) in [("/nonexistent", "/"), (".", "."), ("", ""), ("", "."), (".config", ".config")] {
        let lines = shown(command().env("XDG_CONFIG_HOME", config_home).env("HOME", home).env("FINANCE_CONFIG", ""));
        assert!(!is_strange(&lines), "{config_home:?} {home:?}: {lines}");
        assert!(lines.starts_with("# no file is read: FINANCE_CONFIG is not set"), "{lines}");
        assert!(lines.contains("/etc/finance/finance.toml"), "{lines}");
    }
    // The user's own folder is read, and an explicit file before it.
    let home = scratch.path().join("home");
    settings_file(&home, ".config/finance/finance.toml", "FINANCE_UTC_OFFSET = '+02:00'\n");
    settings_file(&home, "xdg/finance/finance.toml", "FINANCE_UTC_OFFSET = '+03:00'\n");
    let explicit = settings_file(&home, "explicit.toml", "FINANCE_UTC_OFFSET = '+04:00'\n");
    let offset = |lines: &str, offset: &str| lines.contains(&format!("FINANCE_UTC_OFFSET = {offset:?}  # file"));
    let lines = shown(command().env_remove("XDG_CONFIG_HOME").env("HOME", &home));
    assert!(offset(&lines, "+02:00"), "{lines}");
    let lines = shown(command().env("XDG_CONFIG_HOME", home.join("xdg")).env("HOME", &home));
    assert!(offset(&lines, "+03:00"), "{lines}");
    let lines = shown(command().env("XDG_CONFIG_HOME", home.join("xdg")).env("FINANCE_CONFIG", &explicit));
    assert!(offset(&lines, "+04:00"), "{lines}");
}

#[test]
fn a_file_of_settings_that_others_could_have_written_is_refused() {
    let scratch = ScratchDir::new();
    let file = settings_file(scratch.path(), "own/finance.toml", "FINANCE_UTC_OFFSET = '+02:00'\n");
    let run = |file: &Path| {
        let mut command = Program::command(&scratch.path().join("data"));
        command.arg("config").env("FINANCE_CONFIG", file).output().unwrap()
    };
    assert!(printed(&run(&file)).contains("+02:00"));
    let line = refused(&run(&scratch.path().join("own/missing.toml")));
    assert!(line.contains("FINANCE_CONFIG") && line.contains("no such file"), "{line}");
    let folder = file.parent().unwrap();
    for (path, mode, safe_mode) in [(file.as_path(), 0o666, 0o644), (&file, 0o620, 0o600), (folder, 0o777, 0o755)] {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let line = refused(&run(&file));
        assert!(line.contains("FINANCE_CONFIG") && line.contains("others may write"), "{mode:o}: {line}");
        std::fs::set_permissions(path, Permissions::from_mode(safe_mode)).unwrap();
        printed(&run(&file));
    }
    std::fs::write(&file, "FINANCE_BACKUP_DIR = 'backups'\n").unwrap();
    let line = refused(&run(&file));
    assert!(line.contains("FINANCE_BACKUP_DIR must be an absolute path"), "{line}");
    std::fs::write(&file, "FINANCE_BIN = ''\n").unwrap();
    let line = refused(&run(&file));
    assert!(line.contains("unknown key FINANCE_BIN") && line.contains(&*file.to_string_lossy()), "{line}");
}

#[test]
fn a_start_in_a_checkout_says_that_its_settings_are_not_read() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let present = settings_file(scratch.path(), "config/finance.toml", "FINANCE_BIND = '127.0.0.1:1'\n");
    let explicit = settings_file(scratch.path(), "explicit.toml", "FINANCE_UTC_OFFSET = '+04:00'\n");
    let log = |settings: Option<&Path>, folder: &Path| {
        let mut command = on(app.database_url(), scratch.path());
        if let Some(settings) = settings {
            command.env("FINANCE_CONFIG", settings);
        }
        let mut service = Program::start(command.current_dir(folder));
        service.stop();
        service.log().lines().filter(|line| line.contains("finance.toml")).map(str::to_string).collect::<Vec<_>>()
    };
    let [line] = log(None, scratch.path()).try_into().unwrap();
    assert!(line.contains("config/finance.toml of the working directory is not read"), "{line}");
    assert!(line.contains("FINANCE_CONFIG is not set") && line.contains("/etc/finance/finance.toml"), "{line}");
    let [line] = log(Some(&explicit), scratch.path()).try_into().unwrap();
    assert!(line.contains(&format!("{} is read", explicit.display())), "{line}");
    let used = "FINANCE_UTC_OFFSET = '+04:00'\n";
    std::fs::write(&present, used).unwrap();
    assert_eq!(log(Some(&present), scratch.path()), [""; 0]);
    assert_eq!(log(None, &scratch.path().join("config")), [""; 0]);
}

#[test]
fn a_command_logs_where_it_is_told_to() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let settings = settings_file(scratch.path(), "own/finance.toml", "RUST_LOG = 'info'\n");
    let errors = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = on(app.database_url(), scratch.path());
        let output = command.args(arguments).envs(variable).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let create = ["create-user", "--name", "ana", "--password", PASSWORD];
    let verbosely = |flag| [&[flag][..], &create].concat();
    assert_eq!(errors(&create, None), (true, String::new()));
    for (arguments, variable) in [
        (verbosely("-v"), None),
        (verbosely("--verbose"), None),
        (create.to_vec(), Some(("RUST_LOG", "info"))),
        (create.to_vec(), Some(("FINANCE_CONFIG", settings.to_str().unwrap()))),
    ] {
        let (succeeded, log) = errors(&arguments, variable);
        assert!(succeeded && log.contains("INFO  finance::audit"), "{arguments:?}: {log}");
    }
    let (succeeded, log) = errors(&verbosely("-v"), Some(("RUST_LOG", "error")));
    assert!(succeeded && log.is_empty(), "RUST_LOG sets the levels: {log}");
    let (succeeded, log) = errors(&["disable-user", "--name", "nobody"], None);
    assert!(!succeeded && log.starts_with("finance: ") && log.lines().count() == 1, "{log}");
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
