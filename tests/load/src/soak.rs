//! Mixed load on two processes of the service on one database, while PostgreSQL and one of the two are killed. Then all data
//! is audited, and the events that webhooks were told of.

mod audit;
mod hooks;
mod worker;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Client, Method, Program, ScratchDir, kill};

pub use hooks::Deliveries;
use hooks::Hooks;
use worker::{Told, Worker};

/// Processes of the service.
const NODES: usize = 2;
/// Workers of each profile: writers of one profile meet, on different nodes as well.
const WORKERS_OF_A_PROFILE: usize = 2;
const PASSWORD: &str = "correct horse";
/// The longest time until a killed part answers again.
const RECOVERY_MAX: Duration = Duration::from_secs(20);
/// How often memory is sampled, and how often a killed part is polled.
const SAMPLE: Duration = Duration::from_millis(500);
const PROBE: Duration = Duration::from_millis(20);

/// The parameters of a run.
#[derive(Debug, Clone, Copy)]
pub struct SoakPlan {
    /// Duration of the load.
    pub duration: Duration,
    /// Concurrent profiles.
    pub profiles: usize,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct SoakReport {
    /// Answers by status; 0 counts requests without an answer.
    pub answers: BTreeMap<u16, u64>,
    /// Imports sent, and imports that succeeded.
    pub imports: (usize, usize),
    /// What was killed, and the time until every node answered again.
    pub recoveries: Vec<(&'static str, Duration)>,
    /// Resident memory of the node that was not killed, in KiB: after a quarter of the time, and at the end.
    pub memory_kib: (u64, u64),
    /// What became of the events of the profiles' webhooks.
    pub deliveries: Deliveries,
    /// Violations that the audit found; empty where the data is right.
    pub wrong: Vec<String>,
}

/// Runs the load on two nodes.
pub fn soak(plan: SoakPlan) -> SoakReport {
    let scratch = ScratchDir::new();
    let names: Vec<String> = (0..plan.profiles).map(|at| format!("ana{at}")).collect();
    for name in &names {
        let made = Program::run(scratch.path(), &["create-user", "--name", name, "--password", PASSWORD]);
        assert!(made.status.success(), "{made:?}");
    }
    let serve = || Program::start(Program::command(scratch.path()).env("FINANCE_WEBHOOKS_PRIVATE", "yes"));
    let steady = serve();
    let mut mortal = serve();
    let hooks = Hooks::start();
    // The database stays up for the audit after its services have gone.
    let cluster = Cluster::start(&ClusterOptions::new(scratch.path())).expect("the cluster that runs is joined");
    let addresses = Arc::new(Mutex::new([steady.address(), mortal.address()]));
    let told = Arc::new(Mutex::new(Told::default()));
    let stop = Arc::new(AtomicBool::new(false));
    let tokens: Vec<String> = names.iter().map(|name| steady.login(name, PASSWORD).token().to_string()).collect();
    let workers: Vec<Worker> = tokens
        .iter()
        .enumerate()
        .flat_map(|(profile, token)| {
            let client = steady.client().with_token(token);
            let settled = worker::settle(&client);
            hooks.add(&client);
            let (addresses, told) = (&addresses, &told);
            (0..WORKERS_OF_A_PROFILE).map(move |at| {
                let number = profile * WORKERS_OF_A_PROFILE + at;
                Worker::new(number, token, settled.clone(), Arc::clone(addresses), Arc::clone(told))
            })
        })
        .collect();
    let mut report = SoakReport::default();
    let mut samples = Vec::new();
    let (token, began) = (&tokens[0], Instant::now());
    thread::scope(|scope| {
        for mut worker in workers {
            let stop = Arc::clone(&stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    worker.step();
                }
            });
        }
        let until = |part: f64, samples: &mut Vec<u64>| {
            while began.elapsed() < plan.duration.mul_f64(part) {
                thread::sleep(SAMPLE.min(plan.duration / 20));
                samples.push(memory_kib(steady.pid()));
            }
        };
        until(0.25, &mut samples);
        report.recoveries.push(("PostgreSQL", kill_postgresql(scratch.path(), &addresses, token)));
        until(0.5, &mut samples);
        let killed = Instant::now();
        mortal.signal("KILL");
        mortal.wait();
        mortal = serve();
        addresses.lock().unwrap()[1] = mortal.address();
        wait_for_all(&addresses, token);
        report.recoveries.push(("a node", killed.elapsed()));
        until(0.75, &mut samples);
        report.recoveries.push(("PostgreSQL", kill_postgresql(scratch.path(), &addresses, token)));
        until(1.0, &mut samples);
        stop.store(true, Ordering::Relaxed);
    });
    report.memory_kib = (of_the(&samples, 0.25), of_the(&samples, 1.0));
    cluster.ensure_running().expect("the database answers");
    let database_url = cluster.admin_url("finance");
    report.deliveries = hooks.drain(&database_url);
    // Both nodes finish their requests, so that nothing is written during the audit.
    drop(mortal);
    drop(steady);
    let told = told.lock().unwrap();
    report.answers.clone_from(&told.answers);
    report.imports = (told.imports.len(), told.imports.iter().filter(|import| import.acknowledged).count());
    report.wrong.extend(told.wrong.iter().cloned());
    cluster.ensure_running().expect("the database answers");
    report.wrong.extend(audit::wrong(&database_url, &told.imports));
    report.wrong.extend(hooks.audit(&database_url, &told.created, &mut report.deliveries));
    cluster.stop().expect("the database stops");
    report
}

/// The resident memory of a process; 0 where there is no `/proc`.
fn memory_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// The peak of the few samples before that part of the time.
fn of_the(samples: &[u64], part: f64) -> u64 {
    let end = ((samples.len() as f64 * part) as usize).clamp(1, samples.len());
    samples[end.saturating_sub(5)..end].iter().copied().max().unwrap_or(0)
}

/// Kills the server, and waits until another one runs and every node answers from it.
fn kill_postgresql(data_dir: &Path, addresses: &Mutex<[SocketAddr; NODES]>, token: &str) -> Duration {
    let file = data_dir.join("postgres/postmaster.pid");
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_string();
    let before = first(&read());
    let killed = Instant::now();
    kill(&before);
    loop {
        let text = read();
        let is_ready = text.lines().nth(7).is_some_and(|status| status.trim() == "ready");
        if is_ready && first(&text) != before {
            break;
        }
        assert!(killed.elapsed() < RECOVERY_MAX, "PostgreSQL is not started again");
        thread::sleep(PROBE);
    }
    wait_for_all(addresses, token);
    killed.elapsed()
}

fn wait_for_all(addresses: &Mutex<[SocketAddr; NODES]>, token: &str) {
    let began = Instant::now();
    let addresses = *addresses.lock().unwrap();
    for address in addresses {
        let client = Client::of(address).with_token(token);
        let answers = || {
            client.try_send(Method::GET, "/api/settings", None, Vec::new(), &[]).is_ok_and(|reply| reply.status == 200)
        };
        while !answers() {
            assert!(began.elapsed() < RECOVERY_MAX, "{address} does not answer again");
            thread::sleep(PROBE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short one; `just soak` is the long one.
    #[test]
    fn kills_under_load_lose_and_double_nothing() {
        let report = soak(SoakPlan { duration: Duration::from_secs(16), profiles: 2 });
        println!("{report:?}");
        assert_eq!(report.wrong, Vec::<String>::new());
        let (sent, acknowledged) = report.imports;
        assert!(sent > 0 && acknowledged > 0, "{report:?}");
        assert!(report.answers.get(&200) > Some(&0) && report.answers.get(&201) > Some(&0), "{report:?}");
        assert_eq!(report.recoveries.len(), 3);
        assert!(report.deliveries.events > 0 && report.deliveries.refused > 0, "{report:?}");
    }
}
