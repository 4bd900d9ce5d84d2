//! The service stops with requests in flight, or loses the connection to the database.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use diesel::connection::SimpleConnection;
use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{
    Client, Method, PASSWORD, Program, ScratchDir, TestApp, eventually, is_restarted, kill, postmaster,
};
use serde_json::json;

use crate::outcome::printed;

const CLIENTS: usize = 8;
/// A shutdown that waits for this bound is longer than the tests wait for the end of a program.
const ENDLESS_SHUTDOWN_SECONDS: &str = "3600";

/// A command with a database URL.
fn on(database_url: &str, data_dir: &Path) -> Command {
    let mut command = Program::command(data_dir);
    command.env("DATABASE_URL", database_url).env("JWT_SECRET", "x".repeat(32));
    command
}

fn is_listening(service: &Program) -> bool {
    TcpStream::connect(service.address()).is_ok()
}

/// A service on the database of the test, and its client.
fn service_of(app: &TestApp, data_dir: &Path, shutdown_seconds: &str) -> (Program, Client) {
    printed(
        &on(app.database_url(), data_dir)
            .args(["create-user", "--name", "ana", "--password", PASSWORD])
            .output()
            .unwrap(),
    );
    let service = Program::start(on(app.database_url(), data_dir).env("FINANCE_SHUTDOWN_SECONDS", shutdown_seconds));
    let ana = service.login("ana", PASSWORD);
    (service, ana)
}

/// Sends a request that waits for its profile until the test releases it.
fn send_waiting(app: &TestApp, ana: &Client) -> thread::JoinHandle<Option<u16>> {
    let client = ana.clone();
    let sent = thread::spawn(move || {
        let body = json!({ "name": "Pets" }).to_string().into_bytes();
        let sent = client.try_send(Method::POST, "/api/categories", Some("application/json"), body, &[]);
        sent.ok().map(|reply| reply.status)
    });
    let waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    eventually("the request waits", || (!app.rows(waiting).is_empty()).then_some(()));
    sent
}

#[test]
fn a_request_in_flight_is_answered_and_new_ones_are_refused() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let (mut service, ana) = service_of(&app, scratch.path(), ENDLESS_SHUTDOWN_SECONDS);
    let mut holder = app.connection();
    holder.batch_execute("begin; select 1 from profiles for update").unwrap();
    let sent = send_waiting(&app, &ana);
    service.signal("TERM");
    eventually("new connections are refused", || (!is_listening(&service)).then_some(()));
    assert!(!sent.is_finished(), "the request still waits");
    holder.batch_execute("rollback").unwrap();
    assert_eq!(sent.join().unwrap(), Some(201), "what was in flight is answered");
    assert!(service.wait(), "and the service ends with success");
}

#[test]
fn requests_that_do_not_end_are_given_up_within_the_bound() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let (mut service, ana) = service_of(&app, scratch.path(), "1");
    let mut holder = app.connection();
    holder.batch_execute("begin; select 1 from profiles for update").unwrap();
    let sent = send_waiting(&app, &ana);
    service.signal("TERM");
    service.wait();
    // The time limit of a transaction would have ended the request much later, with an answer.
    assert_eq!(sent.join().unwrap(), None, "it was given up");
    holder.batch_execute("rollback").unwrap();
    assert_eq!(app.rows("select 1 from categories where name = 'Pets'").len(), 0, "nothing of it was done");
}

/// Clients that send requests without a pause until they are stopped or a connection breaks.
struct Load {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    failed: Arc<AtomicUsize>,
    clients: Vec<thread::JoinHandle<BTreeMap<String, usize>>>,
}

impl Load {
    /// Starts the clients. A broken connection ends a client, because the service may be stopping.
    fn start(client: &Client) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let failed = Arc::new(AtomicUsize::new(0));
        let clients = (0..CLIENTS)
            .map(|number| {
                let (client, stop, answered, failed) =
                    (client.clone(), Arc::clone(&stop), Arc::clone(&answered), Arc::clone(&failed));
                thread::spawn(move || {
                    let mut seen = BTreeMap::new();
                    for at in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let reply = if at % 4 == 0 {
                            let body = json!({ "name": format!("{number} {at}") }).to_string().into_bytes();
                            client.try_send(Method::POST, "/api/categories", Some("application/json"), body, &[])
                        } else {
                            client.try_send(Method::GET, "/api/accounts", None, Vec::new(), &[])
                        };
                        let what = match reply {
                            Ok(reply) if reply.status == 503 && reply.header("Retry-After").is_none() => {
                                "503 bare".into()
                            }
                            Ok(reply) => reply.status.to_string(),
                            Err(_) => "broken".to_string(),
                        };
                        let count = if ["200", "201"].contains(&what.as_str()) { &answered } else { &failed };
                        count.fetch_add(1, Ordering::Relaxed);
                        let is_broken = what == "broken";
                        *seen.entry(what).or_default() += 1;
                        if is_broken {
                            break;
                        }
                    }
                    seen
                })
            })
            .collect();
        Load { stop, answered, failed, clients }
    }

    fn wait_for_more(&self, count: usize) {
        let before = self.answered.load(Ordering::Relaxed);
        let has_more = || self.answered.load(Ordering::Relaxed) >= before + count;
        eventually("requests are answered", || has_more().then_some(()));
    }

    /// Ends the load, and returns the number of answers by status.
    fn end(self) -> BTreeMap<String, usize> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = BTreeMap::new();
        for client in self.clients {
            for (what, count) in client.join().unwrap() {
                *all.entry(what).or_default() += count;
            }
        }
        all
    }
}

#[test]
fn shutdown_under_load_is_swift_and_breaks_nothing_it_has_begun() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let (mut service, ana) = service_of(&app, scratch.path(), ENDLESS_SHUTDOWN_SECONDS);
    let load = Load::start(&ana);
    load.wait_for_more(200);
    service.signal("TERM");
    assert!(service.wait(), "it ends with success, and waits for no client that could send more");
    let seen = load.end();
    println!("shutdown with {CLIENTS} clients at work; answers: {seen:?}");
    // The next request of a client may fail to connect, but every answer is a success.
    assert!(seen.keys().all(|what| ["200", "201", "broken"].contains(&what.as_str())), "{seen:?}");
    // Every acknowledged row is stored.
    let stored = app.rows("select count(*) as count from categories where not is_standard");
    assert!(stored[0]["count"].as_u64().unwrap() >= seen["201"] as u64);
}

#[test]
fn a_private_cluster_that_dies_under_load_is_back_by_itself_and_then_nothing_fails() {
    let scratch = ScratchDir::with_user();
    let service = Program::serve(scratch.path());
    let ana = service.login("ana", PASSWORD);
    let load = Load::start(&ana);
    for round in 0..3 {
        load.wait_for_more(100);
        let pid = postmaster(scratch.path()).expect("a running cluster");
        kill(&pid);
        eventually("PostgreSQL is started again", || is_restarted(scratch.path(), &pid).then_some(()));
        // By then the connections to the killed server have been replaced.
        load.wait_for_more(100);
        service.client().get("/readyz").ok();
        let failed = load.failed.load(Ordering::Relaxed);
        load.wait_for_more(100);
        assert_eq!(load.failed.load(Ordering::Relaxed), failed, "round {round}: failures after it was back");
        let starts = service.log().matches("started PostgreSQL").count();
        assert_eq!(starts, round + 2, "{}", service.log());
    }
    let seen = load.end();
    println!("answers: {seen:?}");
    let is_expected = seen.keys().all(|what| ["200", "201", "503"].contains(&what.as_str()));
    assert!(is_expected, "{seen:?}: {}", service.log());
}

#[test]
fn a_database_that_is_away_is_waited_for_at_the_start_and_recovered_from_later() {
    let (database, scratch) = (ScratchDir::with_user(), ScratchDir::new());
    std::fs::create_dir(scratch.path()).unwrap();
    let options = ClusterOptions::new(database.path());
    let cluster = Cluster::start(&options).unwrap();
    let url = cluster.url();
    cluster.stop().unwrap();

    // If the database cannot be reached at the start, the service waits, and logs it.
    let log = scratch.path().join("log");
    let mut command = on(&url, scratch.path());
    command.env("FINANCE_DATABASE_WAIT_SECONDS", "600");
    let starting = thread::spawn({
        let log = log.clone();
        move || Program::start_with_log(&mut command, &log)
    });
    let has_told = |text: &str| {
        let is_told = || std::fs::read_to_string(&log).unwrap_or_default().contains(text).then_some(());
        eventually(text, is_told);
    };
    has_told("the database cannot be reached, trying for 600 s");
    assert!(!starting.is_finished(), "it waits");
    let cluster = Cluster::start(&options).unwrap();
    let service = starting.join().unwrap();
    has_told("the database can be reached after");
    let ana = service.login("ana", PASSWORD);
    ana.get("/api/accounts").ok();

    // If the database cannot be reached later, requests get 503, and the service recovers by itself.
    cluster.stop().unwrap();
    for path in ["/api/accounts", "/readyz"] {
        let reply = ana.get(path);
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
    }
    service.client().get("/healthz").ok();
    let cluster = Cluster::start(&options).unwrap();
    eventually("it recovers", || (ana.get("/api/accounts").status == 200).then_some(()));
    eventually("it is ready", || (service.client().get("/readyz").status == 200).then_some(()));
    drop(service);
    cluster.stop().unwrap();
}

#[test]
fn a_database_that_stays_away_ends_the_start_in_one_line() {
    let scratch = ScratchDir::new();
    // Something that accepts connections and closes them, and is no database.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let tries = Arc::new(AtomicUsize::new(0));
    thread::spawn({
        let tries = Arc::clone(&tries);
        move || {
            for _ in listener.incoming() {
                tries.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let url = format!("postgresql://finance:hunter2@{address}/finance?sslmode=disable&gssencmode=disable");
    let output = on(&url, scratch.path()).env("FINANCE_DATABASE_WAIT_SECONDS", "1").output().unwrap();
    let tries = tries.load(Ordering::Relaxed);
    assert!(tries > 1, "{tries} tries");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!output.status.success() && !errors.contains("hunter2"), "{errors}");
    let last = errors.lines().last().unwrap();
    assert!(last.starts_with("finance: the database cannot be reached"), "{errors}");
    assert!(errors.lines().next().unwrap().contains("trying for 1 s"), "{errors}");
}
