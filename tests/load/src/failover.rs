//! Mixed load on two processes of the service on a primary and its synchronous replica. The primary is killed, the replica is
//! promoted, and the killed server comes back as a replica. Then the same happens with the roles exchanged. All data is audited.

mod keyed;

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use finance_tests::{Client, Method, Program, ScratchDir, Server, eventually, urls};
use serde_json::json;

use crate::crowd::{Crowd, Load, Outcome, Stage, StopOnDrop, create, names, program_on};
use crate::turns::{end_lost, instant};
use keyed::Keyed;

/// The parameters of a run.
#[derive(Debug, Clone, Copy)]
pub struct FailoverPlan {
    /// The load before, between and after the failovers.
    pub load: Load,
    /// The number of concurrent profiles.
    pub profiles: usize,
}

/// One failover.
#[derive(Debug, Clone, Copy)]
pub struct Failover {
    /// The time from the kill of the primary until the replica accepted writes.
    pub promoted_in: Duration,
    /// The time from the promotion until every node answered a read and a write.
    pub well_again_in: Duration,
    /// The time until the killed server was a replica again that commits wait for.
    pub rejoined_in: Duration,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct FailoverReport {
    /// The answers to the clients and the errors that were found.
    pub outcome: Outcome,
    /// The number of requests with a key that succeeded, and how often they were sent.
    pub keyed: (usize, usize),
    /// The number of reads that a replica answered, for which it was behind, and for which it was unavailable, on both nodes.
    pub replica_reads: (u64, u64, u64),
    /// The failovers in order.
    pub failovers: Vec<Failover>,
}

/// Runs the load.
pub fn failover(plan: FailoverPlan) -> FailoverReport {
    let scratch = ScratchDir::new();
    let (mut primary, mut replica) = servers();
    // Each node finds the primary and the replica by itself, because both servers are in both URLs.
    let (database_url, replica_url) = (urls(&[&primary, &replica], "finance"), urls(&[&replica, &primary], "finance"));
    let command = || program_on(&database_url, scratch.path());
    let names = names(plan.profiles);
    create(&names, command);
    let nodes = [(), ()].map(|()| {
        let mut command = command();
        command.env("DATABASE_REPLICA_URL", &replica_url).env("FINANCE_METRICS_BIND", "127.0.0.1:0");
        Program::start(command.env("FINANCE_WEBHOOKS_PRIVATE", "yes"))
    });
    let mut crowd = Crowd::gather(&names, [&nodes[0], &nodes[1]]);
    let mut report = FailoverReport::default();
    let stop = AtomicBool::new(false);
    let mut killed_at = String::new();
    let keyed = crowd.work(|stage| {
        thread::scope(|scope| {
            let (clients, stop) = (stage.clients(), &stop);
            let keyed = scope.spawn(move || Keyed::run(&clients, stop));
            let stopping = StopOnDrop(stop);
            stage.let_work(plan.load, 3, || ());
            for _ in 0..2 {
                report.failovers.push(fail_over(&mut primary, &mut replica, stage));
                std::mem::swap(&mut primary, &mut replica);
                killed_at = instant(&primary.url("finance"));
                stage.let_work(plan.load, 3, || ());
            }
            drop(stopping);
            keyed.join().expect("the client with keys ends")
        })
    });
    for node in &nodes {
        let (answered, behind, away) = replica_reads(&node.metrics());
        let of_all = &mut report.replica_reads;
        *of_all = (of_all.0 + answered, of_all.1 + behind, of_all.2 + away);
    }
    let audited = primary.url("finance");
    end_lost(&audited, &killed_at);
    let deliveries = crowd.drain(&audited);
    // Both nodes finish their requests, so that nothing is written during the audit.
    drop(nodes);
    report.outcome = crowd.audit(&audited, deliveries);
    report.keyed = (keyed.answered(), keyed.sent());
    report.outcome.wrong.extend(keyed.wrong(&mut primary.connection("finance")));
    report
}

/// Starts a primary and a replica that its commits wait for.
fn servers() -> (Server, Server) {
    let primary = Server::start("a");
    let replica = Server::replica_of(&primary, "b");
    primary.wait_for_replicas_at_commit("b");
    (primary, replica)
}

/// Kills the primary, promotes the replica, and brings the killed one back as its replica.
fn fail_over(primary: &mut Server, replica: &mut Server, stage: &Stage<'_>) -> Failover {
    let killed = Instant::now();
    primary.kill();
    replica.promote();
    let promoted = Instant::now();
    wait_for_writes(&stage.clients());
    let well_again = Instant::now();
    primary.rejoin(replica);
    replica.wait_for_replicas_at_commit(primary.name());
    Failover { promoted_in: promoted - killed, well_again_in: well_again - promoted, rejoined_in: well_again.elapsed() }
}

/// Waits until every node answers reads and writes.
fn wait_for_writes(clients: &[Client]) {
    for client in clients {
        let name = || format!("{:?}", Instant::now());
        let writes = || {
            let body = json!({ "name": name() }).to_string().into_bytes();
            let answer = client.try_send(Method::POST, "/api/categories", Some("application/json"), body, &[]);
            answer.is_ok_and(|reply| reply.status == 201)
        };
        let reads = || {
            let answer = client.try_send(Method::GET, "/api/settings", None, Vec::new(), &[]);
            answer.is_ok_and(|reply| reply.status == 200)
        };
        eventually("a node answers again", || (writes() && reads()).then_some(()));
    }
}

/// The number of reads that the replica of a node answered, for which it was behind, and for which it was unavailable.
fn replica_reads(metrics: &Client) -> (u64, u64, u64) {
    let text = String::from_utf8(metrics.get("/metrics").bytes).expect("text");
    let count = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("finance_replica_{name}_total ")));
        line.and_then(|count| count.parse::<f64>().ok()).expect("a count") as u64
    };
    (count("reads"), count("behind"), count("away"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run. `just failover` is the long one.
    #[test]
    fn a_failover_under_load_loses_nothing_that_was_acknowledged() {
        let report = failover(FailoverPlan { load: Load::Answers(150), profiles: 2 });
        println!("{report:?}");
        assert_eq!(report.outcome.wrong, Vec::<String>::new());
        assert_eq!(report.failovers.len(), 2);
        assert!(report.outcome.created > 0 && report.outcome.imports.1 > 0 && report.keyed.0 > 0, "{report:?}");
    }
}
