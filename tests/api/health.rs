//! Health and readiness, and the service with broken connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::TimeLimits;
use finance_domain::{Access, Store};
use finance_tests::{Citus, Client, EVENTUALLY_MAX, TestApp, eventually};
use serde_json::json;

/// The most concurrent transactions of the service under test.
const CONNECTIONS: usize = 4;

/// Waits until the service is ready. A check on a busy machine may end by its time limit, which is no fault: what makes a check
/// wait in these tests does not end before its answer.
#[track_caller]
fn wait_until_ready(client: &Client) {
    eventually("the service is ready", || (client.get("/readyz").status == 200).then_some(()));
}

/// Waits until the check refuses: its earlier answer is given to others for a moment. A service of two processes refuses when
/// both do, between which a client alternates.
#[track_caller]
fn wait_until_refused(client: &Client) {
    let refuses = || client.get("/readyz").status == 503;
    eventually("the service is not ready", || (refuses() && refuses()).then_some(()));
    client.get("/readyz").problem(503, "ErrUnavailable");
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
fn readiness_is_told_whatever_the_pool_does() {
    // The service runs in this process, so the test can occupy its connections.
    let app = TestApp::start_serving(|options| options);
    let (ana, anyone) = (app.user("ana"), app.anyone());
    wait_until_ready(&anyone);
    // All connections are busy until the checks are answered, and the service is still ready.
    while_held(&app, &ana, CONNECTIONS, || {
        for _ in 0..3 {
            wait_until_ready(&anyone);
        }
    });
}

/// The connections of a stranger.
const STRANGERS: usize = 200;
/// The requests for the readiness check that it sends on each of them at once.
const PIPELINED: usize = 20;

#[test]
fn however_many_ask_whether_the_service_is_ready_it_is() {
    let app = TestApp::start_serving(|options| options);
    // Connections that send nothing, or only the beginning of a request.
    let held: Vec<TcpStream> = (0..STRANGERS)
        .map(|at| {
            let mut stream = TcpStream::connect(app.address()).unwrap();
            let head: &[u8] = if at % 2 == 0 { b"" } else { b"GET /readyz HTTP/1.1\r\nHost: x\r\n" };
            stream.write_all(head).unwrap();
            stream
        })
        .collect();
    let asking: Vec<TcpStream> = (0..STRANGERS).map(|_| TcpStream::connect(app.address()).unwrap()).collect();
    for mut stream in &asking {
        let requests = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(PIPELINED);
        stream.write_all(requests.as_bytes()).unwrap();
    }
    assert_eq!(app.anyone().get("/readyz").status, 200);
    for mut stream in &asking {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answers = String::new();
        while answers.matches("\"status\":\"ok\"").count() < PIPELINED {
            let mut some = [0; 4096];
            let length = stream.read(&mut some).unwrap();
            answers += &String::from_utf8_lossy(&some[..length]);
            assert!(length > 0 && !answers.contains("HTTP/1.1 503"), "{answers}");
        }
    }
    drop(held);
}

#[test]
fn a_service_whose_new_connections_are_refused_is_not_ready_though_its_old_ones_work() {
    let app = TestApp::start_serving(|options| options);
    let (ana, anyone) = (app.user("ana"), app.anyone());
    ana.get("/api/settings").ok();
    wait_until_ready(&anyone);
    let name = app.database_name();
    let allow_connections = |allowed: bool| {
        let mut connection = PgConnection::establish(&finance_tests::admin_url("postgres")).unwrap();
        connection.batch_execute(&format!("alter database {name} allow_connections {allowed}")).unwrap();
    };
    allow_connections(false);
    // The check may use its previous connection for a second.
    eventually("a new connection is refused", || (anyone.get("/readyz").status == 503).then_some(()));
    for _ in 0..3 {
        let reply = anyone.get("/readyz");
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
        ana.get("/api/settings").ok();
    }
    let probes = thread::scope(|scope| {
        let probes: Vec<_> = (0..6).map(|_| scope.spawn(|| anyone.get("/readyz").status)).collect();
        probes.into_iter().map(|probe| probe.join().expect("an answer")).collect::<Vec<_>>()
    });
    assert_eq!(probes, [503; 6]);
    anyone.get("/healthz").ok();
    allow_connections(true);
    wait_until_ready(&anyone);
}

#[test]
fn a_check_that_the_database_does_not_answer_is_given_up() {
    let app = TestApp::start();
    let mut connection = app.connection();
    connection.batch_execute("begin; lock table __diesel_schema_migrations in access exclusive mode").unwrap();
    // The table is locked until this answer has come.
    wait_until_refused(&app.anyone());
    connection.batch_execute("rollback").unwrap();
    wait_until_ready(&app.anyone());
}

#[test]
fn a_schema_that_is_behind_is_not_ready_and_a_newer_one_is() {
    let app = TestApp::start_alone();
    app.sql("insert into __diesel_schema_migrations (version) values ('9999')");
    wait_until_ready(&app.anyone());
    app.sql("delete from __diesel_schema_migrations where version = '0022'");
    wait_until_refused(&app.anyone());
    app.sql("insert into __diesel_schema_migrations (version) values ('0022')");
    wait_until_ready(&app.anyone());
}

#[test]
fn connections_that_died_are_replaced_without_a_failed_request() {
    let app = TestApp::start_alone();
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
fn a_writer_that_waits_too_long_for_its_profile_is_tried_once() {
    let begin = Duration::from_secs(1);
    let app = TestApp::start_limited(TimeLimits { begin, ordinary: EVENTUALLY_MAX, long: EVENTUALLY_MAX });
    let ana = app.user("ana");
    // A sequence also counts attempts that are rolled back.
    app.sql(
        "create sequence attempts;
        grant usage on sequence attempts to public;
        alter function bind_profile rename to bind_profile_uncounted;
        create function bind_profile(
            profile bigint, credential uuid, roles text[], writes boolean, session bigint,
            out write_id uuid, out member_id bigint, out upkept_on date
        ) language plpgsql as $$
        begin
            if writes then
                perform nextval('attempts');
            end if;
            select * into write_id, member_id, upkept_on
            from bind_profile_uncounted(profile, credential, roles, writes, session);
        end $$;
        grant execute on function bind_profile to public",
    );
    let attempts = || app.rows("select case when is_called then last_value else 0 end as count from attempts");
    let writer = app.lock_profile(&ana);
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(503, "ErrUnavailable");
    assert_eq!(attempts(), [json!({ "count": 1 })]);
    drop(writer);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
}

#[test]
fn a_full_disk_is_an_outage_until_a_write_succeeds() {
    if Citus::of_environment().is_some() {
        eprintln!("not run on Citus: a distributed table has no triggers");
        return;
    }
    let app = TestApp::start();
    let ana = app.user("ana");
    let new = |name: &str| ana.post("/api/categories", json!({ "name": name }));
    app.sql(
        "create function no_space() returns trigger language plpgsql as $$
        begin
            raise exception 'could not extend file \"base/16384/16501\": No space left on device' using errcode = 'disk_full';
        end $$;
        create trigger no_space before insert on categories for each row execute function no_space()",
    );
    // A process knows of the full disk by its own writes.
    for name in ["Livros", "Pets"] {
        let reply = new(name);
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
    }
    wait_until_refused(&app.anyone());
    assert!(app.anyone().get("/readyz").header("Retry-After").is_some());
    ana.get("/api/categories").ok();
    app.anyone().get("/readyz").problem(503, "ErrUnavailable");
    app.sql("drop trigger no_space on categories; drop function no_space()");
    new("Livros").created();
    new("Pets").created();
    wait_until_ready(&app.anyone());
}
