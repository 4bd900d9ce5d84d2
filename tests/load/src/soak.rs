//! Mixed load on two processes of the service on one database, while PostgreSQL and one of the two processes are killed. Then
//! all data, all events that webhooks received and all notices that devices received are audited.

use std::path::Path;
use std::time::{Duration, Instant};

use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Program, ScratchDir, eventually, is_restarted, kill, postmaster};

use crate::crowd::{Crowd, Load, Outcome, Stage, create, names};
use crate::notices::{Households, Notices};
use crate::turns::{end_lost, instant};

/// The parameters of a run.
#[derive(Debug, Clone, Copy)]
pub struct SoakPlan {
    /// The load before, between and after the kills.
    pub load: Load,
    /// The number of concurrent profiles.
    pub profiles: usize,
    /// The number of other profiles whose members are told of thirty things each, while a node is killed.
    pub notified: usize,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct SoakReport {
    /// The answers to the clients and the errors that were found.
    pub outcome: Outcome,
    /// The notices that were due when a node was killed, and what arrived.
    pub notices: Notices,
    /// The killed processes, each with the time until every node answered again.
    pub recoveries: Vec<(&'static str, Duration)>,
    /// The resident memory of the node that was not killed, in KiB: after a quarter of the time, and at the end.
    pub memory_kib: (u64, u64),
}

/// Runs the load on two nodes.
pub fn soak(plan: SoakPlan) -> SoakReport {
    let scratch = ScratchDir::new();
    let names = names(plan.profiles);
    let notified: Vec<String> = (0..plan.notified).map(|at| format!("told{at}")).collect();
    create(&names, || Program::command(scratch.path()));
    create(&notified, || Program::command(scratch.path()));
    let serve = || {
        let mut command = Program::command(scratch.path());
        Program::start(command.env("FINANCE_WEBHOOKS_PRIVATE", "yes").env("FINANCE_PUSH_HOSTS", "127.0.0.1"))
    };
    let steady = serve();
    let mut mortal = serve();
    // The lease keeps the database running for the audit after the services have stopped.
    let cluster = Cluster::start(&ClusterOptions::new(scratch.path())).expect("the cluster that runs is joined");
    let database_url = cluster.admin_url("finance");
    let mut crowd = Crowd::gather(&names, [&steady, &mortal]);
    let households = Households::gather(&notified, &steady);
    let mut report = SoakReport::default();
    let (mut samples, mut killed_at) = (Vec::new(), String::new());
    crowd.work(|stage| {
        let mut phase = || stage.let_work(plan.load, 4, || samples.push(memory_kib(steady.pid())));
        phase();
        report.recoveries.push(("PostgreSQL", kill_postgresql(scratch.path(), stage)));
        phase();
        households.charge_twice(&steady);
        let killed = Instant::now();
        mortal.signal("KILL");
        mortal.wait();
        mortal = serve();
        stage.moved(1, mortal.address());
        stage.wait_for_all();
        report.recoveries.push(("a node", killed.elapsed()));
        phase();
        report.recoveries.push(("PostgreSQL", kill_postgresql(scratch.path(), stage)));
        killed_at = instant(&database_url);
        phase();
    });
    report.memory_kib = (of_the(&samples, 0.25), of_the(&samples, 1.0));
    cluster.ensure_running().expect("the database answers");
    end_lost(&database_url, &killed_at);
    households.drain(&database_url);
    let deliveries = crowd.drain(&database_url);
    // Both nodes finish their requests, so that nothing is written during the audit.
    drop(mortal);
    drop(steady);
    cluster.ensure_running().expect("the database answers");
    report.outcome = crowd.audit(&database_url, deliveries);
    let (notices, wrong) = households.audit(&database_url);
    report.notices = notices;
    report.outcome.wrong.extend(wrong);
    cluster.stop().expect("the database stops");
    report
}

/// The resident memory of a process in KiB. 0 if there is no `/proc`.
fn memory_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The maximum of the last five samples before that part of the time.
fn of_the(samples: &[u64], part: f64) -> u64 {
    let end = ((samples.len() as f64 * part) as usize).clamp(1, samples.len());
    samples[end.saturating_sub(5)..end].iter().copied().max().unwrap_or(0)
}

/// Kills the server, and waits until a new one runs and every node answers requests from it.
fn kill_postgresql(data_dir: &Path, stage: &Stage<'_>) -> Duration {
    let before = postmaster(data_dir).expect("a running cluster");
    let killed = Instant::now();
    kill(&before);
    eventually("PostgreSQL is started again", || is_restarted(data_dir, &before).then_some(()));
    stage.wait_for_all();
    killed.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run. `just soak` is the long one.
    #[test]
    fn kills_under_load_lose_and_double_nothing() {
        let report = soak(SoakPlan { load: Load::Answers(150), profiles: 2, notified: 2 });
        println!("{report:?}");
        assert_eq!(report.outcome.wrong, Vec::<String>::new());
        let (sent, acknowledged) = report.outcome.imports;
        assert!(sent > 0 && acknowledged > 0, "{report:?}");
        assert!(
            report.outcome.answers.get(&200) > Some(&0) && report.outcome.answers.get(&201) > Some(&0),
            "{report:?}"
        );
        assert_eq!((report.notices.due, report.notices.topics), (60, 60));
        assert_eq!(report.recoveries.len(), 3);
        assert!(report.outcome.deliveries.events > 0 && report.outcome.deliveries.refused > 0, "{report:?}");
    }
}
