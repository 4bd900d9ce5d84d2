//! Health and readiness, and the service with broken connections.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_domain::{Access, Store};
use finance_tests::{Client, Reply, TestApp};
use serde_json::json;

/// The time limit of the readiness check.
const READY_MAX: Duration = Duration::from_secs(1);
/// The most concurrent transactions of the service under test.
const CONNECTIONS: usize = 4;

/// Requests the readiness check, and checks that the answer is in time.
#[track_caller]
fn readiness(client: &Client) -> Reply {
    let asked = Instant::now();
    let reply = client.get("/readyz");
    let taken = asked.elapsed();
    assert!(taken < READY_MAX, "{taken:?}: {reply:?}");
    reply
}

/// Runs `work` while the given number of transactions occupy a connection each.
fn while_held(app: &TestApp, client: &Client, count: usize, work: impl FnOnce()) {
    let caller = client.caller();
    thread::scope(|scope| {
        let (held, holds) = mpsc::channel();
        let releases: Vec<_> = (0..count)
            .map(|_| {
                let (release, released) = mpsc::channel::<()>();
                let held = held.clone();
                scope.spawn(move || {
                    let store: &dyn Store = app.store.as_ref();
                    let ended = store.run(&caller, Access::Read, |_| {
                        held.send(()).expect("the test waits");
                        // Ends when the test drops its end of the channel.
                        let _ = released.recv();
                        Ok(())
                    });
                    ended.expect("the transaction ends");
                });
                release
            })
            .collect();
        for _ in 0..count {
            holds.recv().expect("a connection");
        }
        work();
        drop(releases);
    });
}

#[test]
fn readiness_is_told_within_a_second_whatever_the_pool_does() {
    // The service runs in this process, so the test can occupy its connections.
    let app = TestApp::start_serving(|options| options);
    let (ana, anyone) = (app.user("ana"), app.anyone());
    readiness(&anyone).ok();
    // All connections are busy, and the service is still ready.
    while_held(&app, &ana, CONNECTIONS, || {
        for _ in 0..3 {
            readiness(&anyone).ok();
        }
    });
}

#[test]
fn a_service_whose_new_connections_are_refused_is_not_ready_though_its_old_ones_work() {
    let app = TestApp::start_serving(|options| options);
    let (ana, anyone) = (app.user("ana"), app.anyone());
    ana.get("/api/settings").ok();
    readiness(&anyone).ok();
    let name = app.database_name();
    let allow_connections = |allowed: bool| {
        let mut connection = PgConnection::establish(&finance_tests::admin_url("postgres")).unwrap();
        connection.batch_execute(&format!("alter database {name} allow_connections {allowed}")).unwrap();
    };
    allow_connections(false);
    // Until then the check may still use its previous connection.
    thread::sleep(READY_MAX);
    for _ in 0..3 {
        let reply = readiness(&anyone);
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
        ana.get("/api/settings").ok();
    }
    let probes = thread::scope(|scope| {
        let probes: Vec<_> = (0..6).map(|_| scope.spawn(|| readiness(&anyone).status)).collect();
        probes.into_iter().map(|probe| probe.join().expect("in time")).collect::<Vec<_>>()
    });
    assert_eq!(probes, [503; 6]);
    anyone.get("/healthz").ok();
    allow_connections(true);
    readiness(&anyone).ok();
}

#[test]
fn a_check_that_the_database_does_not_answer_is_given_up() {
    let app = TestApp::start();
    let mut connection = app.connection();
    connection.batch_execute("begin; lock table __diesel_schema_migrations in access exclusive mode").unwrap();
    readiness(&app.anyone()).problem(503, "ErrUnavailable");
    connection.batch_execute("rollback").unwrap();
    readiness(&app.anyone()).ok();
}

#[test]
fn a_schema_that_is_behind_is_not_ready_and_a_newer_one_is() {
    let app = TestApp::start();
    app.sql("insert into __diesel_schema_migrations (version) values ('9999')");
    readiness(&app.anyone()).ok();
    app.sql("delete from __diesel_schema_migrations where version = '0022'");
    readiness(&app.anyone()).problem(503, "ErrUnavailable");
    app.sql("insert into __diesel_schema_migrations (version) values ('0022')");
    readiness(&app.anyone()).ok();
}

#[test]
fn connections_that_died_are_replaced_without_a_failed_request() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for round in 0..3 {
        // All connections of the pool are open and idle.
        while_held(&app, &ana, CONNECTIONS, || ());
        let killed = app.rows(
            "select pg_terminate_backend(pid) as done from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()",
        );
        assert!(killed.len() >= CONNECTIONS, "{killed:?}");
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|thread| {
                    let ana = &ana;
                    scope.spawn(move || {
                        for at in 0..5 {
                            ana.get("/api/accounts").ok();
                            let name = format!("{round} {thread} {at}");
                            ana.post("/api/categories", json!({ "name": name })).created();
                        }
                    })
                })
                .collect();
            for thread in threads {
                thread.join().expect("every request succeeds");
            }
        });
    }
}

#[test]
fn a_writer_that_waits_too_long_for_its_profile_is_told_so_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let writer = app.lock_profile(&ana);
    let asked = Instant::now();
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(503, "ErrUnavailable");
    let taken = asked.elapsed();
    assert!(taken < Duration::from_secs(15), "{taken:?}: it was tried again");
    drop(writer);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
}
