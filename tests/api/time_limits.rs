//! Work is cancelled when it takes too long, or when its client no longer waits.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::{PgStore, StoreOptions, TimeLimits};
use finance_domain::profiles::{NewAccess, NewProfile};
use finance_domain::{Access, Caller, Cancellation, Error, Store, TimeLimit, TransactionOptions};
use finance_tests::{Client, EVENTUALLY_MAX, PASSWORD_HASH, TestApp, admin_url, eventually, id};
use serde_json::{Value, json};

/// Longer than any test waits, so that what ends before is not ended by its time limit.
const ENDLESS: Duration = Duration::from_secs(2 * EVENTUALLY_MAX.as_secs());
const UNLIMITED: TimeLimits = TimeLimits { begin: ENDLESS, ordinary: ENDLESS, long: ENDLESS };
/// Short time limits, so that the tests are fast.
const SHORT: TimeLimits =
    TimeLimits { begin: Duration::from_millis(800), ordinary: Duration::from_millis(1_500), long: ENDLESS };

/// Makes reading a table endless.
fn slow_down(app: &TestApp, table: &str) {
    app.sql(&format!(
        "alter policy {table}_isolation on {table}
        using (profile_id = current_profile_id() and pg_sleep({}) is not null)",
        ENDLESS.as_secs()
    ));
}

fn as_before(app: &TestApp, table: &str) {
    app.sql(&format!("alter policy {table}_isolation on {table} using (profile_id = current_profile_id())"));
}

/// A recurring item, so that there is a row to read.
fn item(client: &Client) {
    let category_id = client.create("/api/categories", json!({ "name": "Casa" }));
    let item =
        json!({ "type": "expense", "description": "Aluguel", "amount": "1", "category_id": category_id, "day": 5 });
    client.create("/api/recurring", item);
}

/// The number of running statements on a table.
fn at_work(app: &TestApp, table: &str) -> usize {
    app.rows(&format!(
        "select pid from pg_stat_activity
        where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like '%{table}%'"
    ))
    .len()
}

/// Waits for a number of running statements on a table.
#[track_caller]
fn wait_until(app: &TestApp, table: &str, count: usize) {
    eventually(&format!("{count} at work on {table}"), || (at_work(app, table) == count).then_some(()));
}

/// Sends a request and leaves the connection open.
fn send(client: &Client, app: &TestApp, method: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(app.address()).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: finance\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
        Content-Length: {}\r\n\r\n{body}",
        client.token(),
        body.len()
    )
    .unwrap();
    stream
}

/// Locks a table until the connection is dropped.
fn lock(app: &TestApp, table: &str) -> PgConnection {
    let mut connection = app.connection();
    connection.batch_execute(&format!("begin; lock table {table} in access exclusive mode")).unwrap();
    connection
}

#[test]
fn a_read_whose_client_hangs_up_is_gone_long_before_its_time_limit() {
    let app = TestApp::start_limited(UNLIMITED);
    let ana = app.user("ana");
    item(&ana);
    slow_down(&app, "recurring");
    // One profile may run this number of reads at once.
    let waiting: Vec<TcpStream> = (0..2).map(|_| send(&ana, &app, "GET", "/api/recurring", "")).collect();
    wait_until(&app, "recurring", 2);
    drop(waiting);
    wait_until(&app, "recurring", 0);
    as_before(&app, "recurring");
    assert_eq!(ana.get("/api/recurring").ok().as_array().unwrap().len(), 1);
}

#[test]
fn a_write_whose_client_hangs_up_is_not_done() {
    let app = TestApp::start_limited(UNLIMITED);
    let ana = app.user("ana");
    let before = ana.get("/api/categories").ok();
    let held = lock(&app, "categories");
    let waiting = send(&ana, &app, "POST", "/api/categories", "{\"name\": \"Praia\"}");
    wait_until(&app, "categories", 1);
    drop(waiting);
    wait_until(&app, "categories", 0);
    drop(held);
    assert_eq!(ana.get("/api/categories").ok(), before);
    ana.create("/api/categories", json!({ "name": "Praia" }));
}

#[test]
fn an_export_whose_client_hangs_up_is_gone_long_before_its_time_limit() {
    let app = TestApp::start_limited(UNLIMITED);
    let ana = app.user("ana");
    item(&ana);
    // Enough rows for the answer to begin before the slow table is read.
    app.sql(&format!(
        "insert into transactions (profile_id, kind, date, source, description, description_normalized, amount)
        select {}, 'expense', '2026-03-01', 'manual', 'x', 'x', 1 from generate_series(1, 5000)",
        ana.caller().profile_id.0
    ));
    app.rebuild_sums();
    slow_down(&app, "recurring");
    let mut waiting = send(&ana, &app, "GET", "/api/export", "");
    let mut beginning = [0; 1024];
    waiting.read_exact(&mut beginning).unwrap();
    assert!(beginning.starts_with(b"HTTP/1.1 200"));
    wait_until(&app, "recurring", 1);
    drop(waiting);
    wait_until(&app, "recurring", 0);
}

#[test]
fn a_statement_over_its_limit_is_given_up_and_the_next_one_runs() {
    let app = TestApp::start_limited(SHORT);
    let ana = app.user("ana");
    item(&ana);
    slow_down(&app, "recurring");
    // One request for each connection, so that all of them have to be replaced.
    let refused = thread::scope(|scope| {
        let requests: Vec<_> = (0..4).map(|_| scope.spawn(|| ana.get("/api/recurring"))).collect();
        requests.into_iter().map(|request| request.join().unwrap()).collect::<Vec<_>>()
    });
    for reply in refused {
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
    }
    assert_eq!(at_work(&app, "recurring"), 0);
    as_before(&app, "recurring");
    for _ in 0..8 {
        assert_eq!(ana.get("/api/recurring").ok().as_array().unwrap().len(), 1);
    }
}

#[test]
fn what_waits_for_a_lock_is_given_up() {
    let app = TestApp::start_limited(SHORT);
    let ana = app.user("ana");
    // Another process locks the profile, and then a migration locks a table.
    let writer = app.lock_profile(&ana);
    ana.post("/api/categories", json!({ "name": "Praia" })).problem(503, "ErrUnavailable");
    ana.get("/api/categories").ok();
    drop(writer);
    let migration = lock(&app, "categories");
    ana.get("/api/categories").problem(503, "ErrUnavailable");
    drop(migration);
    ana.create("/api/categories", json!({ "name": "Praia" }));
}

#[test]
fn a_long_transaction_has_a_limit_of_its_own() {
    let app = TestApp::start_limited(SHORT);
    let ana = app.user("ana");
    let store: &dyn Store = app.store.as_ref();
    let options = |time_limit| TransactionOptions { time_limit, ..Access::Read.into() };
    let listed = store.run(&ana.caller(), options(TimeLimit::Long), |repo| {
        // A transaction that began later is over its limit, so this one has taken longer than the ordinary limit, too. Its time
        // limit ends between two statements.
        let refused = store.run(&ana.caller(), options(TimeLimit::Ordinary), |repo| {
            Err::<(), _>(eventually("a statement is refused", || repo.category_list().err()))
        });
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
        repo.category_list()
    });
    assert!(!listed.unwrap().is_empty());
}

#[test]
fn a_cancellation_never_meets_the_statement_of_another() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let store: &dyn Store = app.store.as_ref();
    let (is_done, beside) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        // Ends the other threads, also if the test fails.
        let _ending = Ending(&is_done);
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    store.run(&ana.caller(), Access::Read, |repo| repo.category_list()).expect("nobody cancels it");
                    beside.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let (mut round, mut cancelled, mut done) = (0, 0, 0);
        eventually("transactions that are cancelled, that are done, and beside them", || {
            let cancellation = Cancellation::default();
            let options = TransactionOptions { cancellation: cancellation.clone(), ..Access::Read.into() };
            cancellation.cancel();
            // Some transactions end before the check of the watchdog, some during it, and some after it.
            let statements = round * 5;
            let ended = store
                .run(&ana.caller(), options, |repo| (0..statements).try_for_each(|_| repo.category_list().map(drop)));
            match ended {
                Ok(()) => done += 1,
                Err(Error::Unavailable(_)) => cancelled += 1,
                Err(error) => panic!("{error:?}"),
            }
            // The next ones are longer until half of them are cancelled.
            round = if done > cancelled { round + 1 } else { round / 2 };
            (done >= 10 && cancelled >= 10 && beside.load(Ordering::Relaxed) > 40).then_some(())
        });
    });
}

/// Sets a flag when it is dropped.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_role_without_privileges_cancels_what_is_its_own() {
    let app = TestApp::start();
    let (role, database) = ("time_limits_owner", "time_limits_owned");
    app.sql(&format!("create role {role} login"));
    app.sql(&format!("create database {database} owner {role}"));
    let url = admin_url(database).replace("finance_admin", role);
    assert!(url.contains(role), "{url}");
    // One connection, which keeps what the first transaction sets.
    let options = StoreOptions { time_limits: SHORT, connections_max: 1, ..StoreOptions::new(url) };
    let store = PgStore::open(&options).unwrap();
    let standard_categories = finance_cli::catalogs::standard_categories().unwrap();
    let new = NewProfile { name: "ana".into(), access: NewAccess::Password(PASSWORD_HASH.into()), standard_categories };
    let owner = store.profile_upsert(&new).unwrap();
    let credential = store.credential_by_name("ana").unwrap().unwrap();
    let caller = Caller::of_login(owner.profile_id, credential.id);
    let store: &dyn Store = &store;
    let mut holder = PgConnection::establish(&admin_url(database)).unwrap();
    // PostgreSQL's own limit, which is a little longer, does not end the statement.
    let unlimited = format!(
        "alter policy categories_isolation on categories using (profile_id = current_profile_id()
            and set_config('statement_timeout', '{}s', false) is not null)",
        ENDLESS.as_secs()
    );
    holder.batch_execute(&unlimited).unwrap();
    assert!(!store.run(&caller, Access::Read, |repo| repo.category_list()).unwrap().is_empty());
    holder.batch_execute("begin; lock table categories in access exclusive mode").unwrap();
    thread::scope(|scope| {
        let refused = scope.spawn(|| store.run(&caller, Access::Read, |repo| repo.category_list()));
        eventually("the statement is cancelled", || refused.is_finished().then_some(()));
        let refused = refused.join().unwrap();
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    });
    drop(holder);
    store.run(&caller, Access::Read, |repo| repo.category_list()).unwrap();
}

#[test]
fn a_statement_that_postgresql_itself_ends_for_its_time_is_an_outage() {
    let app = TestApp::start_alone();
    let ana = app.user("ana");
    // Every connection that reads the categories has a limit far below the watchdog's from then on.
    app.sql(
        "alter policy categories_isolation on categories using (profile_id = current_profile_id()
            and set_config('statement_timeout', '200ms', false) is not null)",
    );
    let access = Access::Read;
    let options = StoreOptions { connections_max: 1, ..StoreOptions::new(app.database_url()) };
    let store = PgStore::open(&options).unwrap();
    let store: &dyn Store = &store;
    store.run(&ana.caller(), access, |repo| repo.category_list()).unwrap();
    let mut holder = app.connection();
    holder.batch_execute("begin; lock table categories in access exclusive mode").unwrap();
    let refused = store.run(&ana.caller(), access, |repo| repo.category_list());
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
}

#[test]
fn what_fails_on_a_connection_that_is_gone_is_an_outage() {
    let app = TestApp::start_alone();
    let ana = app.user("ana");
    let options = StoreOptions { connections_max: 1, ..StoreOptions::new(app.database_url()) };
    let store = PgStore::open(&options).unwrap();
    let store: &dyn Store = &store;
    let failed = |ends: bool| {
        store.run(&ana.caller(), Access::Read, |repo| {
            repo.category_list()?;
            if ends {
                app.sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and state = 'idle in transaction'",
                );
            }
            Err::<(), _>(Error::Internal("nobody knows why".into()))
        })
    };
    assert!(matches!(failed(true), Err(Error::Unavailable(_))));
    assert!(matches!(failed(false), Err(Error::Internal(_))), "on one that works it is a fault");
}

#[test]
fn the_database_limits_a_session_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.post("/api/tokens", json!({ "name": "import", "scopes": ["import"] })).created();
    // A policy can read the settings of its session. This is also true on Citus, because this table is on the coordinator.
    let has = |setting: &str, value: &str| {
        app.sql(&format!(
            "alter policy tokens_isolation on tokens
            using (profile_id = current_profile_id() and current_setting('{setting}') = '{value}')"
        ));
        ana.get("/api/tokens").ok() != json!([])
    };
    assert!(has("statement_timeout", "25s"), "a little above what the service waits");
    assert!(has("temp_file_limit", "256MB"));
    assert!(has("role", "finance_service") && has("is_superuser", "off"));
    assert!(!has("temp_file_limit", "1MB"), "the policy is what decides");
}

#[test]
fn a_database_in_which_no_transaction_begins_is_unavailable() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.sql("alter function bind_profile rename to bind_profile_gone");
    ana.get("/api/categories").problem(503, "ErrUnavailable");
    app.sql("alter function bind_profile_gone rename to bind_profile");
    let categories: Value = ana.get("/api/categories").ok();
    assert!(id(&categories[0]) > 0);
}
