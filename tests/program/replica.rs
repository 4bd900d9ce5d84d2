//! Reads that a replica answers: no answer misses an earlier write, a revoked credential is refused, and the service works
//! without the replica.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use diesel::connection::SimpleConnection;
use finance_tests::{Client, PASSWORD, Program, ScratchDir, Server, TestApp, eventually, eventually_or, urls};
use serde_json::json;

use crate::metrics::{metric, scrape};
use crate::outcome::{printed, refused};

/// A service on a primary and a replica, and its metrics.
struct Service {
    program: Program,
    metrics: Client,
}

fn command(database_url: &str, data_dir: &Path) -> Command {
    let mut command = Program::command(data_dir);
    command.env("DATABASE_URL", database_url).env("JWT_SECRET", "x".repeat(32));
    command
}

impl Service {
    fn start(database_url: &str, replica_url: &str, data_dir: &Path) -> Self {
        let mut command = command(database_url, data_dir);
        command.env("DATABASE_REPLICA_URL", replica_url).env("FINANCE_METRICS_BIND", "127.0.0.1:0");
        let program = Program::start(&mut command);
        let metrics = program.metrics();
        Service { program, metrics }
    }

    /// The number of reads with this result: answered by the replica (`reads`), `behind` or `away`.
    fn count(&self, end: &str) -> u64 {
        metric(&scrape(&self.metrics), &format!("finance_replica_{end}_total")) as u64
    }

    /// Sends reads until one more has this result. The reads of a profile stay on the primary for a while after a write, and
    /// an unusable replica is not tried for a while.
    #[track_caller]
    fn wait_for(&self, end: &str, client: &Client) {
        let before = self.count(end);
        let failure = || format!("no read is counted as {end}: {}", self.program.log());
        eventually_or(failure, || {
            client.get("/api/accounts").ok();
            (self.count(end) > before).then_some(())
        });
    }

    /// Sends reads until the replica was asked, whether it was behind or not.
    #[track_caller]
    fn wait_until_asked(&self, client: &Client) {
        let requests = || self.count("reads") + self.count("behind");
        let before = requests();
        eventually("the replica is asked", || {
            client.get("/api/accounts").ok();
            (requests() > before).then_some(())
        });
    }

    /// Waits until the replica answers the reads of a profile.
    #[track_caller]
    fn wait_for_replica(&self, client: &Client) {
        self.wait_for("reads", client);
    }
}

#[test]
fn a_replica_answers_what_is_not_behind_and_is_never_needed() {
    let primary = Server::start("a");
    let mut replica = Server::replica_of(&primary, "b");
    let scratch = ScratchDir::new();
    let url = primary.url("finance");
    for name in ["ana", "bia"] {
        let made = command(&url, scratch.path()).args(["create-user", "--name", name, "--password", PASSWORD]).output();
        printed(&made.unwrap());
    }
    let service = Service::start(&url, &replica.url("finance"), scratch.path());
    let other = Service::start(&url, &replica.url("finance"), scratch.path());
    let (ana, bia) = (service.program.login("ana", PASSWORD), service.program.login("bia", PASSWORD));
    let at_other = other.program.client().with_token(ana.token());
    let account = ana.open_account("Banco", "current");
    let transaction = |text: &str| json!({ "type": "expense", "date": "2026-11-02", "description": text, "amount": "5.00", "account_id": account });
    let first = ana.post("/api/transactions", transaction("um")).created()["id"].as_i64().unwrap();

    // If a profile has not written for a while, the replica answers its reads, with all its writes.
    primary.wait_until_replayed_by(&replica);
    service.wait_for_replica(&ana);
    let reads = service.count("reads");
    assert_eq!(ana.get("/api/transactions").ok().as_array().unwrap().len(), 1);
    assert_eq!(ana.get("/api/dashboard").status, 200);
    assert_eq!(ana.get("/api/export").status, 200);
    assert!(service.count("reads") >= reads + 3);
    let of_logins = service.count("reads");
    assert_eq!(ana.get("/api/auth/sessions").ok().as_array().map(Vec::len), Some(1));
    ana.get("/api/auth/me").ok();
    ana.get("/api/tokens").ok();
    ana.get("/api/members").ok();
    assert_eq!(service.count("reads"), of_logins, "credentials are read on the primary");

    // A write that the replica does not have yet is seen on every node at once.
    other.wait_for_replica(&at_other);
    replica.sql("postgres", "select pg_wal_replay_pause()");
    let second = ana.post("/api/transactions", transaction("dois")).created()["id"].as_i64().unwrap();
    for node in [&at_other, &ana] {
        assert_eq!(node.get(&format!("/api/transactions/{second}")).status, 200);
        assert_eq!(node.get("/api/transactions").ok().as_array().unwrap().len(), 2);
    }
    assert!(other.count("behind") >= 1, "the node that did not write has found the replica behind");
    // So does the node that wrote, once it asks the replica again.
    service.wait_for("behind", &ana);
    assert_eq!(ana.get(&format!("/api/transactions/{second}")).status, 200);
    // The other profile has not written.
    let (answered, behind) = (service.count("reads"), service.count("behind"));
    bia.get("/api/dashboard").ok();
    assert_eq!((service.count("reads") > answered, service.count("behind")), (true, behind));

    // A revoked credential is refused at once, even if the replica does not know it yet.
    let token = json!({ "name": "leitura", "scopes": ["read"] });
    let made = bia.post("/api/tokens", token).created();
    let reader = service.program.client().with_token(made["token"].as_str().unwrap());
    service.wait_until_asked(&reader);
    bia.delete(&format!("/api/tokens/{}", made["id"])).gone();
    service.wait_until_asked(&bia);
    reader.get("/api/accounts").problem(401, "ErrUnauthenticated");
    printed(&command(&url, scratch.path()).args(["disable-user", "--name", "bia"]).output().unwrap());
    bia.get("/api/accounts").problem(401, "ErrUnauthenticated");

    // Once the replica has all writes, it answers again.
    replica.sql("postgres", "select pg_wal_replay_resume()");
    primary.wait_until_replayed_by(&replica);
    service.wait_for_replica(&ana);
    assert_eq!(ana.get(&format!("/api/transactions/{first}")).status, 200);

    // Without the replica the primary answers. When the replica is back, it answers again.
    replica.kill();
    for _ in 0..20 {
        ana.get("/api/dashboard").ok();
        assert_eq!(ana.get("/api/transactions").ok().as_array().unwrap().len(), 2);
    }
    assert!(service.count("away") >= 1);
    assert!(service.program.log().contains("the replica cannot be used"), "{}", service.program.log());
    replica.start_again();
    service.wait_for_replica(&ana);
    drop((service, other));

    // A service starts without the replica, and logs it. It finds the host that accepts writes among several hosts.
    replica.stop();
    let away = replica.url("finance").replace("finance_admin@", "finance_admin:hunter2@");
    let of_any = urls(&[&replica, &primary], "finance");
    let mut service = Service::start(&of_any, &away, scratch.path());
    let ana = service.program.client().with_token(ana.token());
    ana.get("/api/dashboard").ok();
    ana.post("/api/transactions", transaction("três")).created();
    let log = service.program.stop();
    assert!(log.contains("no connection to the replica") && !log.contains("hunter2"), "{log}");
}

#[test]
fn a_read_that_nobody_waits_for_is_cancelled_on_the_host_to_which_the_pool_moved() {
    const WAITING: &str = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = 'finance'";
    let primary = Server::start("a");
    let mut near = Server::replica_of(&primary, "b");
    let far = Server::replica_of(&primary, "c");
    let scratch = ScratchDir::new();
    let url = primary.url("finance");
    let made = command(&url, scratch.path()).args(["create-user", "--name", "ana", "--password", PASSWORD]).output();
    printed(&made.unwrap());
    // Both the pool and the watchdog connect to the second host, because the first one is away.
    near.stop();
    let service = Service::start(&url, &urls(&[&near, &far], "finance"), scratch.path());
    let ana = service.program.login("ana", PASSWORD);
    service.wait_for_replica(&ana);
    near.start_again();
    primary.wait_until_replayed_by(&near);
    // The connections of the pool end, and its next ones are to the first host. Only the watchdog's stays where it was.
    far.sql(
        "postgres",
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'finance-%'",
    );
    service.wait_for_replica(&ana);

    let mut lock = primary.connection("finance");
    lock.batch_execute("begin; lock table transactions in access exclusive mode").unwrap();
    primary.wait_until_replayed_by(&near);
    let mut waiting = TcpStream::connect(service.program.address()).unwrap();
    let request =
        format!("GET /api/transactions HTTP/1.1\r\nHost: finance\r\nAuthorization: Bearer {}\r\n\r\n", ana.token());
    waiting.write_all(request.as_bytes()).unwrap();
    eventually("the read waits on the first host", || (!near.rows("postgres", WAITING).is_empty()).then_some(()));
    drop(waiting);
    eventually("the read is cancelled", || near.rows("postgres", WAITING).is_empty().then_some(()));
    // Not by its time limit, which ends it later.
    assert!(near.log().contains("canceling statement due to user request"), "{}", near.log());
    lock.batch_execute("rollback").unwrap();
    service.wait_for_replica(&ana);
}

#[test]
fn an_unusable_replica_is_refused_without_its_password() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let on = |url: &str| command(app.database_url(), scratch.path()).env("DATABASE_REPLICA_URL", url).output().unwrap();
    let line = refused(&on("replica:hunter2"));
    assert!(line.contains("DATABASE_REPLICA_URL") && !line.contains("hunter2"), "{line}");
    let private = Program::command(scratch.path()).env("DATABASE_REPLICA_URL", "host=b password=hunter2").output();
    let line = refused(&private.unwrap());
    assert!(line.contains("DATABASE_REPLICA_URL needs DATABASE_URL") && !line.contains("hunter2"), "{line}");
    let shown = command(app.database_url(), scratch.path())
        .env("DATABASE_REPLICA_URL", "host=b password=hunter2")
        .arg("config")
        .output();
    assert!(printed(&shown.unwrap()).contains("DATABASE_REPLICA_URL = \"(set)\""));
}
