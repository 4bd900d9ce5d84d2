//! Clients that send requests to two processes of the service, and the audit of the data afterwards.

mod audit;
mod hooks;
mod worker;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use finance_tests::{Client, Method, Program, eventually};

pub use hooks::Deliveries;
use hooks::Hooks;
use worker::{Tally, Worker};

/// The number of processes of the service.
pub(crate) const NODES: usize = 2;
/// The number of workers of each profile. More than one, so that there are concurrent writers of a profile, also on different
/// nodes.
const WORKERS_OF_A_PROFILE: usize = 2;
pub(crate) const PASSWORD: &str = "correct horse";
/// The longest pause between two looks at a running load.
const LOOK_MAX: Duration = Duration::from_millis(500);

/// How much load there is.
#[derive(Debug, Clone, Copy)]
pub enum Load {
    /// All phases together, without the disturbances between them, take this time. For measurements.
    For(Duration),
    /// Each phase lasts until this many more requests have succeeded, however long that takes. For tests.
    Answers(u64),
}

/// The clients of some profiles.
pub(crate) struct Crowd {
    addresses: Arc<Mutex<[SocketAddr; NODES]>>,
    tally: Arc<Mutex<Tally>>,
    hooks: Hooks,
    tokens: Vec<String>,
    workers: Vec<Worker>,
}

/// The answers to the clients, and the errors in the stored data.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The number of answers by status. 0 counts requests without an answer.
    pub answers: BTreeMap<u16, u64>,
    /// The number of imports that were sent, and of imports that succeeded.
    pub imports: (usize, usize),
    /// The number of transactions whose creation was acknowledged.
    pub created: usize,
    /// The deliveries to the webhooks of the profiles.
    pub deliveries: Deliveries,
    /// The violations that the audit found. Empty if the data is correct.
    pub wrong: Vec<String>,
}

/// Everything except the violations, one figure per line.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (status, count) in &self.answers {
            let what = if *status == 0 { "no answer".to_string() } else { status.to_string() };
            writeln!(f, "  {what:<12}{count:>9}")?;
        }
        let (sent, acknowledged) = self.imports;
        writeln!(f, "  {sent} imports sent, {acknowledged} acknowledged; {} transactions acknowledged", self.created)?;
        let Deliveries { events, requests, refused, drained_in } = self.deliveries;
        writeln!(f, "  {events} events of webhooks in {requests} requests, {refused} of them refused")?;
        write!(f, "  all delivered {} ms after the load", drained_in.as_millis())
    }
}

/// A command of the program on an external database. The caller adds the arguments.
pub(crate) fn program_on(database_url: &str, data_dir: &Path) -> Command {
    let mut command = Program::command(data_dir);
    command.env("DATABASE_URL", database_url).env("JWT_SECRET", "x".repeat(32));
    command
}

/// Creates profiles with these names. Each is created by a separate run of the program.
pub(crate) fn create(names: &[String], program: impl Fn() -> Command) {
    for name in names {
        let made = program().args(["create-user", "--name", name, "--password", PASSWORD]).output();
        assert!(made.as_ref().is_ok_and(|made| made.status.success()), "{made:?}");
    }
}

/// The names of `profiles` profiles.
pub(crate) fn names(profiles: usize) -> Vec<String> {
    (0..profiles).map(|at| format!("ana{at}")).collect()
}

impl Crowd {
    /// Creates the accounts and webhooks of the named profiles.
    pub(crate) fn gather(names: &[String], nodes: [&Program; NODES]) -> Self {
        let hooks = Hooks::start();
        let addresses = Arc::new(Mutex::new(nodes.map(Program::address)));
        let tally = Arc::new(Mutex::new(Tally::default()));
        let tokens: Vec<String> = names.iter().map(|name| nodes[0].login(name, PASSWORD).token().to_string()).collect();
        let workers = tokens
            .iter()
            .enumerate()
            .flat_map(|(profile, token)| {
                let client = nodes[0].client().with_token(token);
                let settled = worker::settle(&client);
                hooks.add(&client);
                let (addresses, tally) = (&addresses, &tally);
                (0..WORKERS_OF_A_PROFILE).map(move |at| {
                    let number = profile * WORKERS_OF_A_PROFILE + at;
                    Worker::new(number, token, settled.clone(), Arc::clone(addresses), Arc::clone(tally))
                })
            })
            .collect();
        Crowd { addresses, tally, hooks, tokens, workers }
    }

    /// Lets the clients send requests while `meanwhile` runs.
    pub(crate) fn work<T>(&mut self, meanwhile: impl FnOnce(&Stage<'_>) -> T) -> T {
        let stop = AtomicBool::new(false);
        let workers = std::mem::take(&mut self.workers);
        thread::scope(|scope| {
            for mut worker in workers {
                let stop = &stop;
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        worker.step();
                    }
                });
            }
            let stopping = StopOnDrop(&stop);
            let result = meanwhile(&Stage { addresses: &self.addresses, tally: &self.tally, tokens: &self.tokens });
            drop(stopping);
            result
        })
    }

    /// Waits until all webhooks are delivered.
    pub(crate) fn drain(&self, database_url: &str) -> Deliveries {
        self.hooks.drain(database_url)
    }

    /// Compares the answers to the clients with the stored data. Nothing may be written during the audit.
    pub(crate) fn audit(&self, database_url: &str, mut deliveries: Deliveries) -> Outcome {
        let tally = self.tally.lock().unwrap();
        let mut wrong = tally.wrong.clone();
        wrong.extend(audit::wrong(database_url, &tally));
        wrong.extend(self.hooks.audit(database_url, &tally.created, &mut deliveries));
        Outcome {
            answers: tally.answers.clone(),
            imports: (tally.imports.len(), tally.imports.iter().filter(|import| import.acknowledged).count()),
            created: tally.created.len(),
            deliveries,
            wrong,
        }
    }
}

/// Stops the clients when it is dropped, also if the code that runs meanwhile panics.
pub(crate) struct StopOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Access to the nodes while the clients send requests.
pub(crate) struct Stage<'a> {
    addresses: &'a Mutex<[SocketAddr; NODES]>,
    tally: &'a Mutex<Tally>,
    tokens: &'a [String],
}

impl Stage<'_> {
    /// Lets the clients send requests for one of several equal phases. Meanwhile it calls `check` again and again.
    pub(crate) fn let_work(&self, load: Load, phases: u32, mut check: impl FnMut()) {
        match load {
            Load::For(duration) => {
                let (began, phase) = (Instant::now(), duration / phases);
                while began.elapsed() < phase {
                    thread::sleep(LOOK_MAX.min(phase / 5));
                    check();
                }
            }
            Load::Answers(count) => {
                let enough = self.succeeded() + count;
                eventually("the clients are answered", || {
                    check();
                    (self.succeeded() >= enough).then_some(())
                });
            }
        }
    }

    /// The number of requests that have succeeded.
    fn succeeded(&self) -> u64 {
        self.tally.lock().unwrap().answers.range(200..300).map(|(_, count)| count).sum()
    }

    /// Sets the new address of a node for the clients.
    pub(crate) fn moved(&self, node: usize, address: SocketAddr) {
        self.addresses.lock().unwrap()[node] = address;
    }

    /// One client for each node, with the token of the first profile.
    pub(crate) fn clients(&self) -> [Client; NODES] {
        let addresses = *self.addresses.lock().unwrap();
        addresses.map(|address| Client::of(address).with_token(&self.tokens[0]))
    }

    /// Waits until every node answers requests of every profile from the database.
    pub(crate) fn wait_for_all(&self) {
        for (client, token) in
            self.clients().iter().flat_map(|client| self.tokens.iter().map(move |token| (client, token)))
        {
            let client = client.with_token(token);
            let answers = || {
                let answer = client.try_send(Method::GET, "/api/settings", None, Vec::new(), &[]);
                answer.is_ok_and(|reply| reply.status == 200)
            };
            eventually("a node answers again", || answers().then_some(()));
        }
    }
}
