//! The service stops with requests in flight, or loses the connection to the database.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Client, Method, Program, ScratchDir, TestApp, is_restarted, kill, postmaster};
use serde_json::json;

use crate::outcome::printed;

const PASSWORD: &str = "correct horse";
/// The time limit until the service answers again after its database is back.
const RECOVERY_MAX: Duration = Duration::from_secs(5);
/// Far longer than any step takes, so that slow machines pass.
const PATIENCE: Duration = Duration::from_secs(30);
const CLIENTS: usize = 8;

/// A command with a database URL.
fn on(database_url: &str, data_dir: &Path) -> Command {
    let mut command = Program::command(data_dir);
    command.env("DATABASE_URL", database_url).env("JWT_SECRET", "x".repeat(32));
    command
}

/// Waits until a condition is true.
#[track_caller]
fn eventually(patience: Duration, what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < patience, "not within {patience:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
    began.elapsed()
}

fn is_listening(service: &Program) -> bool {
    TcpStream::connect_timeout(&service.address(), Duration::from_secs(1)).is_ok()
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
    eventually(PATIENCE, "the request waits", || {
        !app.rows("select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")
            .is_empty()
    });
    sent
}

#[test]
fn a_request_in_flight_is_answered_and_new_ones_are_refused() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let (mut service, ana) = service_of(&app, scratch.path(), "30");
    let mut holder = app.connection();
    holder.batch_execute("begin; select 1 from profiles for update").unwrap();
    let sent = send_waiting(&app, &ana);
    service.signal("TERM");
    let refused_after = eventually(RECOVERY_MAX, "new connections are refused", || !is_listening(&service));
    assert!(!sent.is_finished(), "the request still waits");
    holder.batch_execute("rollback").unwrap();
    let released = Instant::now();
    assert_eq!(sent.join().unwrap(), Some(201), "what was in flight is answered");
    assert!(service.wait(), "and the service ends with success");
    println!("refused after {refused_after:?}, ended {:?} after the last answer", released.elapsed());
}

#[test]
fn requests_that_do_not_end_are_given_up_within_the_bound() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let (mut service, ana) = service_of(&app, scratch.path(), "1");
    let mut holder = app.connection();
    holder.batch_execute("begin; select 1 from profiles for update").unwrap();
    let sent = send_waiting(&app, &ana);
    let told = Instant::now();
    service.signal("TERM");
    service.wait();
    let taken = told.elapsed();
    println!("ended {taken:?} after SIGTERM, with a request that never ends and a bound of 1 s");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
    assert_eq!(sent.join().unwrap(), None);
    holder.batch_execute("rollback").unwrap();
    assert_eq!(app.rows("select 1 from categories where name = 'Pets'").len(), 0, "nothing of it was done");
}

/// Clients that send requests without a pause until they are stopped or a connection breaks.
struct Load {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    clients: Vec<thread::JoinHandle<BTreeMap<String, usize>>>,
    last_failure: Arc<Mutex<Option<Instant>>>,
}

impl Load {
    /// Starts the clients. A broken connection ends a client, because the service may be stopping.
    fn start(client: &Client) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let last_failure = Arc::new(Mutex::new(None));
        let clients = (0..CLIENTS)
            .map(|number| {
                let (client, stop, answered, last_failure) =
                    (client.clone(), Arc::clone(&stop), Arc::clone(&answered), Arc::clone(&last_failure));
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
                        match what.as_str() {
                            "200" | "201" => {
                                answered.fetch_add(1, Ordering::Relaxed);
                            }
                            _ => *last_failure.lock().unwrap() = Some(Instant::now()),
                        }
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
        Load { stop, answered, clients, last_failure }
    }

    fn wait_for_more(&self, count: usize) {
        let before = self.answered.load(Ordering::Relaxed);
        eventually(PATIENCE, "requests are answered", || self.answered.load(Ordering::Relaxed) >= before + count);
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
    let (mut service, ana) = service_of(&app, scratch.path(), "30");
    let load = Load::start(&ana);
    load.wait_for_more(200);
    let told = Instant::now();
    service.signal("TERM");
    assert!(service.wait(), "it ends with success");
    let taken = told.elapsed();
    let seen = load.end();
    println!("shutdown with {CLIENTS} clients at work: {taken:?}; answers: {seen:?}");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
    // The next request of a client may fail to connect, but every answer is a success.
    assert!(seen.keys().all(|what| ["200", "201", "broken"].contains(&what.as_str())), "{seen:?}");
    // Every acknowledged row is stored.
    let stored = app.rows("select count(*) as count from categories where not is_standard");
    assert!(stored[0]["count"].as_u64().unwrap() >= seen["201"] as u64);
}

#[test]
fn a_private_cluster_that_dies_under_load_is_back_within_seconds() {
    let scratch = ScratchDir::new();
    printed(&Program::run(scratch.path(), &["create-user", "--name", "ana", "--password", PASSWORD]));
    let service = Program::serve(scratch.path());
    let ana = service.login("ana", PASSWORD);
    let load = Load::start(&ana);
    for round in 0..3 {
        load.wait_for_more(100);
        let pid = postmaster(scratch.path()).expect("a running cluster");
        let killed = Instant::now();
        kill(&pid);
        eventually(PATIENCE, "PostgreSQL is started again", || is_restarted(scratch.path(), &pid));
        let restarted = killed.elapsed();
        load.wait_for_more(100);
        let failed = load.last_failure.lock().unwrap().filter(|failed| *failed > killed).map(|failed| failed - killed);
        println!("round {round}: PostgreSQL ready again {restarted:?} after SIGKILL, last 503 at {failed:?}");
        assert!(failed.unwrap_or_default() < RECOVERY_MAX && restarted < RECOVERY_MAX, "{failed:?} {restarted:?}");
        service.client().get("/readyz").ok();
    }
    let seen = load.end();
    println!("answers: {seen:?}");
    assert!(seen.keys().all(|what| ["200", "201", "503"].contains(&what.as_str())), "{seen:?}");
}

#[test]
fn a_database_that_is_away_is_waited_for_at_the_start_and_recovered_from_later() {
    let (database, scratch) = (ScratchDir::new(), ScratchDir::new());
    let options = ClusterOptions::new(database.path());
    let cluster = Cluster::start(&options).unwrap();
    let url = cluster.url();
    cluster.stop().unwrap();

    // If the database cannot be reached at the start, the service waits, and logs it.
    let mut command = on(&url, scratch.path());
    let starting = thread::spawn(move || Program::start(&mut command));
    thread::sleep(Duration::from_secs(1));
    assert!(!starting.is_finished(), "it waits");
    let cluster = Cluster::start(&options).unwrap();
    let back = Instant::now();
    let service = starting.join().unwrap();
    println!("listening {:?} after the database was there", back.elapsed());
    eventually(RECOVERY_MAX, "the log", || service.log().contains("the database can be reached after"));
    assert!(service.log().contains("the database cannot be reached, trying for 30 s"), "{}", service.log());
    printed(&on(&url, scratch.path()).args(["create-user", "--name", "ana", "--password", PASSWORD]).output().unwrap());
    let ana = service.login("ana", PASSWORD);
    ana.get("/api/accounts").ok();

    // If the database cannot be reached later, requests get 503, and the service recovers by itself.
    cluster.stop().unwrap();
    for path in ["/api/accounts", "/readyz"] {
        let asked = Instant::now();
        let reply = ana.get(path);
        println!("{path} told after {:?}", asked.elapsed());
        assert!(path != "/readyz" || asked.elapsed() < Duration::from_secs(1));
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
    }
    service.client().get("/healthz").ok();
    let cluster = Cluster::start(&options).unwrap();
    let back = eventually(RECOVERY_MAX, "it recovers", || ana.get("/api/accounts").status == 200);
    println!("answering {back:?} after the database was back");
    service.client().get("/readyz").ok();
    drop(service);
    cluster.stop().unwrap();
}

#[test]
fn a_database_that_stays_away_ends_the_start_in_one_line() {
    let scratch = ScratchDir::new();
    finance_tests::finance_binary();
    let began = Instant::now();
    let output = on("postgresql://finance:hunter2@127.0.0.1:1/finance", scratch.path())
        .env("FINANCE_DATABASE_WAIT_SECONDS", "1")
        .output()
        .unwrap();
    let taken = began.elapsed();
    assert!(taken >= Duration::from_secs(1) && taken < PATIENCE, "{taken:?}");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!output.status.success() && !errors.contains("hunter2"), "{errors}");
    let last = errors.lines().last().unwrap();
    assert!(last.starts_with("finance: the database cannot be reached"), "{errors}");
    assert!(errors.lines().next().unwrap().contains("trying for 1 s"), "{errors}");
}
