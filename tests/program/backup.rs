//! Backup and restore of the private database while it is in use.

use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use diesel::connection::SimpleConnection;
use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Client, Form, PASSWORD, Program, ScratchDir, cents, migrated, money, ofx, rows, with_user};
use serde_json::{Value, json};

use crate::household::{choose_looks, edit_a_row, figures, fill};
use crate::outcome::{printed, refused};
use crate::superuser::{self, connect as admin};

/// A command of the program with a fixed date and without rates.
fn command(data_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Program::command(data_dir);
    command.env("FINANCE_TODAY", "2026-03-15").env("FINANCE_BCB_URL", "http://127.0.0.1:1").env("RUST_LOG", "warn");
    command.args(arguments).stdin(std::process::Stdio::null());
    command
}

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    command(data_dir, arguments).output().expect("the program runs")
}

fn serve(data_dir: &Path) -> Program {
    Program::start(&mut command(data_dir, &[]))
}

fn create_user(data_dir: &Path, name: &str) {
    printed(&run(data_dir, &["create-user", "--name", name, "--password", PASSWORD]));
}

fn path(folder: &Path, name: &str) -> (PathBuf, String) {
    let path = folder.join(name);
    let text = path.to_str().unwrap().to_string();
    (path, text)
}

fn databases(data_dir: &Path) -> Vec<Value> {
    rows(&mut admin(data_dir), "select datname from pg_database where datname like 'finance%'")
}

#[test]
fn a_backup_comes_back_beside_a_running_service_and_in_a_new_directory() {
    let scratch = ScratchDir::new();
    let (old, new) = (scratch.path().join("old"), scratch.path().join("new"));
    let (file, name) = path(scratch.path(), "finance.dump");
    with_user(&old);
    let service = serve(&old);
    let ana = service.login("ana", PASSWORD);
    fill(&ana, None);
    edit_a_row(&ana);
    choose_looks(&ana);
    let before = figures(&ana);

    let output = printed(&run(&old, &["backup", &name]));
    assert!(output.contains("bytes written"), "{output}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(figures(&ana), before, "the service went on");

    // The restore undoes later changes, while the service runs.
    ana.delete("/api/transactions?month=2026-01").ok();
    create_user(&old, "bia");
    let bia = service.login("bia", PASSWORD);
    bia.get("/api/auth/me").ok();
    assert_ne!(figures(&ana), before);
    let line = refused(&run(&old, &["restore", &name]));
    assert!(line.contains("--yes"), "{line}");
    assert_ne!(figures(&ana), before, "not without a confirmation");
    let (restored, answered, away) = asking(&ana, || run(&old, &["restore", "--yes", &name]));
    printed(&restored);
    println!("while it was restored {answered} requests were answered, {away} were told to come back");
    assert!(answered > 0, "the service answers while a backup is restored beside it");
    // All tokens were issued for credentials that no longer exist.
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let ana = service.login("ana", PASSWORD);
    assert_eq!(figures(&ana), before, "every dashboard, bill and level as it was");
    // If the id of a profile is used again, a token of the former profile with that id is refused.
    create_user(&old, "caio");
    let caio = service.login("caio", PASSWORD);
    let id = |client: &Client| subject(client.token());
    assert_eq!(id(&caio), id(&bia));
    bia.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    assert_eq!(caio.get("/api/auth/me").ok()["name"], "caio");
    let gone = json!({ "name": "bia", "password": PASSWORD });
    service.client().post("/api/auth/login", gone).problem(401, "ErrInvalidCredentials");
    ana.post("/api/categories", json!({ "name": "Depois" })).created();
    assert_eq!(databases(&old).len(), 1, "nothing is left over: {:?}", databases(&old));
    drop(service);

    // The backup is restored into a new directory, which does not exist yet.
    printed(&run(&new, &["restore", "--yes", &name]));
    let service = serve(&new);
    let there = service.login("ana", PASSWORD);
    assert_eq!(figures(&there), before);
    there.post("/api/categories", json!({ "name": "Depois" })).created();
    let owners = rows(
        &mut admin(&new),
        "select distinct pg_get_userbyid(relowner) as owner from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    assert_eq!(owners, [json!({ "owner": "finance" })], "no superuser, or policies would not bind it");
    isolated(&there, &service);
}

/// The profile of a token.
fn subject(token: &str) -> String {
    let claims = token.split('.').nth(1).expect("claims");
    let claims = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(claims).expect("Base64");
    serde_json::from_slice::<Value>(&claims).expect("JSON")["sub"].to_string()
}

/// Requests the dashboard during the work. Returns how many answers were 200, and how many were 503. Once the backup is
/// restored, the token is refused. Any other answer fails the test.
fn asking(client: &Client, work: impl FnOnce() -> Output) -> (Output, u32, u32) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut answered, mut away) = (0, 0);
            while !done.load(Ordering::Relaxed) {
                let reply = client.get("/api/dashboard");
                match reply.status {
                    200 => answered += 1,
                    503 => away += 1,
                    401 => break,
                    status => panic!("{status}: {reply:?}"),
                }
            }
            (answered, away)
        });
        let output = work();
        done.store(true, Ordering::Relaxed);
        let (answered, away) = asking.join().expect("no answer but these");
        (output, answered, away)
    })
}

/// Checks the isolation of profiles in a restored database.
fn isolated(ana: &Client, service: &Program) {
    let text = ana.get("/api/export").ok().to_string();
    assert!(text.contains("Depois") && !text.contains("\"bia\""));
    assert_eq!(service.client().get("/api/export").status, 401);
}

#[test]
fn a_file_that_is_not_a_backup_changes_nothing() {
    let scratch = ScratchDir::new();
    let data = scratch.path().join("data");
    let (_, name) = path(scratch.path(), "finance.dump");
    with_user(&data);
    let service = serve(&data);
    let ana = service.login("ana", PASSWORD);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
    printed(&run(&data, &["backup", &name]));
    for refused in [["--list", name.as_str()], ["--json", name.as_str()]] {
        let output = run(&data, &["backup", refused[0], refused[1]]);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{output:?}");
    }
    let whole = std::fs::read(&name).unwrap();
    let before = figures(&ana);
    let write = |name: &str, bytes: &[u8]| {
        let (file, name) = path(scratch.path(), name);
        std::fs::write(file, bytes).unwrap();
        name
    };
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..].fill(0);
    for (file, word) in [
        (write("text", b"-- PostgreSQL database dump\n"), "no backup"),
        (write("nothing", b""), "no backup"),
        (write("half", &whole[..whole.len() / 2]), "pg_restore"),
        (write("damaged", &damaged), "pg_restore"),
        (write("head", &whole[..64]), "pg_restore"),
    ] {
        let line = refused(&run(&data, &["restore", "--yes", &file]));
        assert!(line.contains(word), "{file}: {line}");
        assert_eq!(figures(&ana), before, "{file}");
    }
    assert!(refused(&run(&data, &["restore", "--yes", "/nowhere/a.dump"])).contains("/nowhere/a.dump"));

    // A backup of another database, and one of a future release.
    let dump_of = |database: &str, name: &str| {
        let dump = Command::new(pg_dump(&data))
            .args(["--format=custom", "--dbname"])
            .arg(superuser::url(&data, database))
            .output();
        let dump = dump.expect("pg_dump runs");
        assert!(dump.status.success(), "{dump:?}");
        write(name, &dump.stdout)
    };
    admin(&data).batch_execute("create database other").unwrap();
    let line = refused(&run(&data, &["restore", "--yes", &dump_of("other", "other")]));
    assert!(line.contains("something else"), "{line}");
    admin(&data).batch_execute("insert into __diesel_schema_migrations (version) values ('9999')").unwrap();
    let newer = dump_of("finance", "newer");
    admin(&data).batch_execute("delete from __diesel_schema_migrations where version = '9999'").unwrap();
    let line = refused(&run(&data, &["restore", "--yes", &newer]));
    assert!(line.contains("newer release"), "{line}");
    assert_eq!(figures(&ana), before);
    assert_eq!(databases(&data).len(), 1, "{:?}", databases(&data));

    // A backup that cannot be written leaves no file. Without a database there is nothing to back up.
    assert!(refused(&run(&data, &["backup", "/nowhere/a.dump"])).contains("/nowhere"));
    assert!(refused(&run(&data, &["backup", scratch.path().to_str().unwrap()])).contains("directory"));
    let (pipe, pipe_name) = path(scratch.path(), "pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let line = refused(&run(&data, &["backup", &pipe_name]));
    assert!(line.contains(&pipe_name) && line.contains("no file"), "{line}");
    assert!(pipe.metadata().unwrap().file_type().is_fifo(), "what it names is as it was");
    std::fs::remove_file(&pipe).unwrap();
    let none = scratch.path().join("none");
    assert!(refused(&run(&none, &["backup", &name])).contains("nothing to back up"));
    let line = refused(&run(&none, &["restore", "--yes", &write("text", b"no")]));
    assert!(line.contains("no backup") && !none.exists(), "{line}");
    assert_eq!(std::fs::read(&name).unwrap(), whole, "the backup there was is still there");
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains(".part")), "{left:?}");
    for arguments in [&["backup", &name][..], &["restore", "--yes", &name]] {
        let line =
            refused(&command(&data, arguments).env("DATABASE_URL", "postgresql://x:hunter2@h/d").output().unwrap());
        assert!(line.contains("DATABASE_URL") && !line.contains("hunter2"), "{line}");
    }
}

/// The path of `pg_dump` of the running cluster.
fn pg_dump(data_dir: &Path) -> PathBuf {
    let cluster = Cluster::start(&ClusterOptions::new(data_dir)).expect("the cluster that runs is joined");
    cluster.bin_dir().join("pg_dump")
}

/// Takes back all migrations from that version on.
fn take_back(data_dir: &Path, from: &str) {
    let migrations = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations")).unwrap();
    let mut later: Vec<PathBuf> = migrations.map(|entry| entry.unwrap().path().join("down.sql")).collect();
    later.retain(|down| down.parent().unwrap().file_name().unwrap().to_str().unwrap() >= from);
    later.sort();
    assert!(!later.is_empty(), "no migration from {from} on");
    for down in later.iter().rev() {
        admin(data_dir).batch_execute(&std::fs::read_to_string(down).unwrap()).expect("a migration is taken back");
    }
    let forgotten = format!("delete from __diesel_schema_migrations where version >= '{from}'");
    admin(data_dir).batch_execute(&forgotten).unwrap();
}

#[test]
fn an_upgrade_and_a_restore_keep_the_inbox() {
    let scratch = ScratchDir::new();
    let data = scratch.path().join("data");
    let (_, name) = path(scratch.path(), "inbox.dump");
    with_user(&data);
    let service = serve(&data);
    let ana = service.login("ana", PASSWORD);
    let account = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let files = [ofx(&[("20260205", "-6.00", "F7", "Café")]), ofx(&[("20260206", "-7.00", "F8", "Pão")])];
    let [_, imported] = files
        .each_ref()
        .map(|file| ana.post_form("/api/inbox", Form::new().file("fevereiro.ofx", file)).created()["id"].clone());
    let preview = ana.preview(&files[1]).ok();
    let confirm = json!({ "inbox_id": imported, "account_id": account, "format": preview["format"],
        "rows": preview["rows"], "statements": preview["statements"] });
    let import = ana.post("/api/import/confirm", confirm).created()["import_id"].clone();
    let inbox = |client: &Client| -> Vec<(Value, Vec<u8>)> {
        let items = client.get("/api/inbox").ok();
        let items = items.as_array().unwrap().iter().cloned();
        items.map(|item| (item.clone(), client.get(&format!("/api/inbox/{}/file", item["id"])).bytes)).collect()
    };
    let before = inbox(&ana);
    assert_eq!(before.iter().map(|(item, _)| &item["state"]).collect::<Vec<_>>(), ["imported", "new"]);

    // The schema of the release that brought the inbox.
    take_back(&data, "0132");
    printed(&run(&data, &["backup", &name]));
    printed(&run(&data, &["restore", "--yes", &name]));
    let ana = service.login("ana", PASSWORD);
    assert_eq!(inbox(&ana), before);
    // What became of a file still follows its import.
    ana.delete(&format!("/api/imports/{import}")).ok();
    assert_eq!(inbox(&ana).iter().map(|(item, _)| item["state"].clone()).collect::<Vec<_>>(), ["new", "new"]);
}

#[test]
fn a_backup_of_an_earlier_release_is_brought_up_to_date() {
    let scratch = ScratchDir::new();
    let data = scratch.path().join("data");
    let (_, name) = path(scratch.path(), "earlier.dump");
    with_user(&data);
    let service = serve(&data);
    let ana = service.login("ana", PASSWORD);
    fill(&ana, None);
    // What the upgrade leaves of categories: they have no groups, icons and colors, and in this one more came in than went out.
    let plain = "update categories set group_name = null, group_key = null, icon = null, color = null, nets_refunds = nets_refunds and name <> 'Pets'";
    admin(&data).batch_execute(plain).unwrap();
    let before = figures(&ana);
    let count = "select count(*) as count from month_totals";
    let totals = rows(&mut admin(&data), count);
    take_back(&data, "0021");
    printed(&run(&data, &["backup", &name]));
    // The database has tables of the current schema that are not in the backup.
    printed(&run(&data, &["restore", "--yes", &name]));
    let restored = service.login("ana", PASSWORD);
    // What the upgrade changed on the open bill of the card, until it is read.
    let cards = restored.all("/api/accounts");
    assert!(cards.iter().any(|card| !card["changed_bill"].is_null()), "{cards:?}");
    restored.delete("/api/credit-bills/changed").gone();
    assert_eq!(figures(&restored), before);
    assert_eq!(rows(&mut admin(&data), count), totals);
}

#[test]
fn a_cluster_that_a_superuser_served_comes_back_too() {
    let scratch = ScratchDir::new();
    let (old, new) = (scratch.path().join("old"), scratch.path().join("new"));
    let (_, name) = path(scratch.path(), "finance.dump");
    // Another service uses the running private cluster as its superuser. It switches to a role that a new cluster does not
    // have.
    with_user(&old);
    let private = serve(&old);
    let as_superuser = |data_dir: &Path| {
        let mut command = command(data_dir, &[]);
        command.env("DATABASE_URL", superuser::url(data_dir, "finance")).env("JWT_SECRET", "x".repeat(32));
        Program::start(&mut command)
    };
    let service = as_superuser(&old);
    let ana = service.login("ana", PASSWORD);
    fill(&ana, None);
    let before = figures(&ana);
    printed(&run(&old, &["backup", &name]));
    ana.delete("/api/transactions?month=2026-02").ok();
    printed(&run(&old, &["restore", "--yes", &name]));
    assert_eq!(figures(&service.login("ana", PASSWORD)), before, "the role still has what it needs");
    drop((service, private));

    printed(&run(&new, &["restore", "--yes", &name]));
    let private = serve(&new);
    assert_eq!(figures(&private.login("ana", PASSWORD)), before);
    let service = as_superuser(&new);
    assert_eq!(figures(&service.login("ana", PASSWORD)), before);
}

/// A backup of two users that release 0.1 wrote on 2026-03-15. Ana has a row in every table. The answers that Ana got then
/// are stored in [`FIGURES_0_1`].
const RELEASE_0_1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/release-0.1.dump");
const FIGURES_0_1: &str = include_str!("../fixtures/release-0.1.json");

/// Whether a value has everything that an earlier release returned. Later releases may return more.
fn shows(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => {
            then.iter().all(|(key, then)| now.get(key).is_some_and(|now| shows(now, then)))
        }
        (Value::Array(now), Value::Array(then)) => {
            now.len() == then.len() && now.iter().zip(then).all(|(now, then)| shows(now, then))
        }
        _ => now == then,
    }
}

/// Removes what release 0.1 computed of the payments of bills: it carried nothing from bill to bill.
fn without_payments(figures: &mut Value) {
    match figures {
        Value::Object(fields) => {
            if fields.contains_key("paid_amount") {
                fields.retain(|name, _| !["paid_amount", "paid_at", "amount_due", "status"].contains(&name.as_str()));
            }
            fields.remove("current_bills");
            fields.values_mut().for_each(without_payments);
        }
        Value::Array(values) => values.iter_mut().for_each(without_payments),
        _ => {}
    }
}

/// Counts rows of later days in balances, and no held statement, as release 0.1 did. Returns what the accounts among the figures
/// have together.
fn of_all_rows(figures: &mut Value) -> i128 {
    match figures {
        Value::Object(fields) => {
            let mut total = fields.values_mut().map(of_all_rows).sum();
            if let (Some(balance), Some(ahead)) = (fields.get("balance"), fields.get("ahead")) {
                total = cents(balance) + cents(ahead);
                fields.insert("balance".into(), json!(money(total)));
            } else if let (Some(bought), Some(held)) = (fields.get("total"), fields.get("held")) {
                let rows = cents(bought) - cents(held);
                fields.insert("total".into(), json!(money(rows)));
            }
            if fields.contains_key("net_worth") {
                fields.insert("net_worth".into(), json!(money(total)));
            }
            total
        }
        Value::Array(values) => values.iter_mut().map(of_all_rows).sum(),
        _ => 0,
    }
}

/// The definitions in the service's database, as pg_dump prints them.
fn schema(data_dir: &Path) -> Vec<String> {
    let dump = Command::new(pg_dump(data_dir))
        .args(["--schema-only", "--dbname"])
        .arg(superuser::url(data_dir, "finance"))
        .output();
    let dump = dump.expect("pg_dump runs");
    assert!(dump.status.success(), "{dump:?}");
    let text = String::from_utf8(dump.stdout).unwrap();
    // These lines have a random key of pg_dump.
    text.lines().filter(|line| !line.contains("restrict ")).map(str::to_string).collect()
}

#[test]
fn a_backup_that_release_0_1_wrote_is_restored_whole() {
    let scratch = ScratchDir::new();
    let (data, fresh) = (scratch.path().join("data"), scratch.path().join("fresh"));
    printed(&run(&data, &["restore", "--yes", RELEASE_0_1]));
    let service = serve(&data);
    let mut shown: Value =
        figures(&service.login("ana", PASSWORD)).into_iter().collect::<serde_json::Map<_, _>>().into();
    let mut then: Value = serde_json::from_str(FIGURES_0_1).unwrap();
    // Later releases have other drawings, more cosmetics, and smaller awards. What was earned stays.
    then["/api/gamification/profile"].as_object_mut().unwrap().remove("sprite");
    for catalog in ["/api/gamification/achievements", "/api/gamification/quests"] {
        for goal in then.get_mut(catalog).and_then(Value::as_array_mut).into_iter().flatten() {
            goal.as_object_mut().unwrap().remove("xp");
        }
    }
    let known = then["/api/gamification/cosmetics"].as_array().unwrap().len();
    shown["/api/gamification/cosmetics"].as_array_mut().unwrap().truncate(known);
    without_payments(&mut then);
    let due: Vec<&str> = shown["/api/credit-bills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bill| bill["amount_due"].as_str().unwrap())
        .collect();
    // 120.00 were left of the first of the three bills. The payment on the open one counts on the one before it. 149.90 of the open
    // one are a held statement.
    assert_eq!(due, ["205.45", "64.45", "0.00"]);
    of_all_rows(&mut shown);
    for (path, then) in then.as_object().unwrap() {
        assert!(shows(&shown[path], then), "{path}: {} was {then}", shown[path]);
    }
    assert_eq!(service.login("bia", PASSWORD).all("/api/transactions"), Vec::<Value>::new());
    // Constraints, triggers and policies are the same as those that the migrations create.
    migrated(&fresh);
    let _fresh = serve(&fresh);
    assert_eq!(schema(&data), schema(&fresh));
}
