//! The stage: a private cluster, the program that uses it, and its profiles.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::{PgStore, StoreOptions};
use finance_load::processor::{used_by, used_by_server};
use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Program, ScratchDir, TOKEN_SECRET};

use crate::Plan;
use crate::data::{Household, SET_CREDENTIALS, load, load_with_plans};
use crate::load::{Ask, Load};
use crate::report::{Report, Target, median};

/// The current day in all measurements.
pub(crate) const TODAY: time::Date = time::macros::date!(2026 - 03 - 15);
/// The requested month.
pub(crate) const MONTH: &str = "2026-03";
/// The database with only a few profiles, for comparison.
pub(crate) const FEW: &str = "few";
/// The number of profiles in that database.
pub(crate) const FEW_HOUSEHOLDS: i64 = 10;
/// The number of transactions of a small profile.
const SMALL_ROWS: usize = 52;
const STARTS: usize = 5;
const MIB: f64 = 1024.0;

/// A part of the time of service and database.
type Part = fn((f64, f64)) -> f64;
const BOTH: Part = |(service, database)| service + database;

/// A running service with its data.
pub(crate) struct Stage {
    pub(crate) program: Program,
    pub(crate) cluster: Cluster,
    /// Profiles with a thousand transactions each.
    pub(crate) households: Vec<Household>,
    /// Profiles with few transactions each.
    pub(crate) small: Vec<Household>,
    /// The profile with a hundred thousand transactions, a thousand in each month.
    pub(crate) large: Household,
    /// A profile with a thousand transactions, all of them in this month.
    pub(crate) new: Household,
    /// A profile with a hundred thousand transactions and one with a thousand, each with two hundred purchases by instalments.
    pub(crate) with_plans: [Household; 2],
    /// Profiles with few transactions each, in the database with few profiles.
    pub(crate) few: Vec<Household>,
    idle_kib: f64,
    scratch: ScratchDir,
}

impl Stage {
    pub(crate) fn set_up(plan: &Plan, report: &mut Report) -> Self {
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).unwrap();
        // Builds the program before anything is timed.
        finance_tests::finance_binary();
        let made = Instant::now();
        drop(start(&scratch, None));
        let first = made.elapsed();
        let whole: Vec<f64> = (0..STARTS).map(|_| start_ms(&scratch)).collect();
        let cluster = Cluster::start(&ClusterOptions::new(scratch.path())).unwrap();
        let beside: Vec<f64> = (0..STARTS).map(|_| start_ms(&scratch)).collect();
        report.add(
            "start, milliseconds",
            None,
            None,
            &[
                ("with its database", median(whole)),
                ("beside a running one", median(beside)),
                ("the first, with initdb", first.as_secs_f64() * 1e3),
            ],
        );

        let started = Instant::now();
        // This data is loaded before the measurements, so its commits need not wait for the disk.
        let store = store(cluster.url() + "&options=-csynchronous_commit%3Doff");
        let households = load(&store, "h", plan.households, 1_000, 12);
        let small = load(&store, "s", plan.small_households, SMALL_ROWS, 1);
        let large = load(&store, "large", 1, plan.large_rows, plan.large_rows as i32 / 1_000).remove(0);
        let new = load(&store, "new", 1, 1_000, 1).remove(0);
        let with_plans = [(plan.large_rows, plan.large_rows as i32 / 1_000), (1_000, 1)]
            .map(|(rows, months)| load_with_plans(&store, &format!("plans{rows}-"), rows, months));
        let rows = (plan.households + 1) * 1_000
            + plan.small_households * SMALL_ROWS as i64
            + 2 * plan.large_rows as i64
            + 1_000;
        let took = started.elapsed().as_secs_f64();
        report.add(
            "loading, through the use cases",
            None,
            None,
            &[("rows", rows as f64), ("seconds", took), ("rows/s", rows as f64 / took)],
        );
        let few = load(&create_database(&cluster, FEW), "s", FEW_HOUSEHOLDS, SMALL_ROWS, 1);
        for database in ["finance", FEW] {
            // In a running service, autovacuum does the vacuum and the analyze.
            execute(&cluster.admin_url(database), SET_CREDENTIALS);
            execute(&cluster.admin_url(database), "vacuum analyze");
            execute(&cluster.admin_url(database), "checkpoint");
        }
        let program = start(&scratch, None);
        program.client().get("/readyz").ok();
        // Measures the memory after the start, before the first client.
        std::thread::sleep(Duration::from_secs(1));
        let idle_kib = memory_kib(program.pid(), "VmRSS");
        Stage { program, cluster, households, small, large, new, with_plans, few, idle_kib, scratch }
    }

    /// Starts another service on another database of the cluster.
    pub(crate) fn service_of(&self, database: &str) -> Program {
        start(&self.scratch, Some(database_url(&self.cluster, database)))
    }

    /// Creates a database in the cluster, with the schema.
    pub(crate) fn create_database(&self, name: &str) -> PgStore {
        create_database(&self.cluster, name)
    }

    /// Creates more profiles, as [`load`] does.
    pub(crate) fn load(&self, name: &str, rows: usize, months: i32) -> Household {
        let household = load(&store(self.cluster.url()), name, 1, rows, months).remove(0);
        self.admin(SET_CREDENTIALS);
        household
    }

    /// What two requests cost in processor time, of the service and the database together, in microseconds, measured in turn.
    pub(crate) fn compared(&self, plan: &Plan, one: (&Ask, &Household), other: (&Ask, &Household)) -> (f64, f64) {
        self.compared_by(BOTH, plan, one, other)
    }

    /// The same, by a part of the time of service and database.
    pub(crate) fn compared_by(
        &self,
        part: Part,
        plan: &Plan,
        one: (&Ask, &Household),
        other: (&Ask, &Household),
    ) -> (f64, f64) {
        let sides = [one, other].map(|(ask, household)| Load::new(ask, std::slice::from_ref(household)));
        let mut costs = [Vec::new(), Vec::new()];
        for load in &sides {
            load.run(&self.program.url(), Duration::from_secs(1));
        }
        for _ in 0..plan.rounds {
            for (load, costs) in sides.iter().zip(&mut costs) {
                let (turn, cost) = self.spent_by(part, || load.run(&self.program.url(), plan.turn));
                costs.push(cost / (turn.rate * plan.turn.as_secs_f64()));
            }
        }
        let [one, other] = costs.map(median);
        (one, other)
    }

    /// Starts another service on the same database. Its connections are new, so they have the current settings of the role.
    pub(crate) fn fresh_service(&self) -> Program {
        start(&self.scratch, None)
    }

    /// The peak of the service's resident memory so far, in KiB.
    pub(crate) fn peak_kib(&self) -> f64 {
        memory_kib(self.program.pid(), "VmHWM")
    }

    /// The same of another service.
    pub(crate) fn peak_of(&self, program: &Program) -> f64 {
        memory_kib(program.pid(), "VmHWM")
    }

    /// The store, as the service's role.
    pub(crate) fn store(&self) -> PgStore {
        store(self.cluster.url())
    }

    /// Resets the peak.
    pub(crate) fn forget_peak(&self) {
        // Some systems do not allow it. Then the peak is that of the whole life of the process.
        let _ = std::fs::write(format!("/proc/{}/clear_refs", self.program.pid()), "5");
    }

    /// The processor time of the connections to the database that have ended by now, in seconds.
    pub(crate) fn of_ended_connections(&self) -> f64 {
        // The server takes a moment to notice the end of a connection.
        std::thread::sleep(Duration::from_millis(300));
        used_by(&self.postmaster()).map_or(0.0, |used| used.by_children)
    }

    fn postmaster(&self) -> String {
        let file = std::fs::read_to_string(self.cluster.data_dir().join("postmaster.pid")).unwrap_or_default();
        file.lines().next().unwrap_or_default().trim().to_string()
    }

    /// Prints the addresses, and waits for a line of input.
    pub(crate) fn hold(&self) {
        println!("service {} process {}", self.program.url(), self.program.pid());
        println!("database {}", self.cluster.url());
        for (what, household) in [("few", &self.small[self.small.len() / 2]), ("many", &self.large)] {
            let Household { profile, account, category, token } = household;
            println!("of {what} rows: profile {profile} account {account} category {category} token {token}");
        }
        println!("Press Enter to stop.");
        let _ = std::io::stdin().read_line(&mut String::new());
    }

    /// The processor time that the service and the database have used so far, in seconds.
    pub(crate) fn processor(&self) -> (f64, f64) {
        self.processor_with(&self.program)
    }

    /// Does some work, and measures the processor time that the service and the database together use for it, in microseconds.
    pub(crate) fn spent<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        self.spent_by(BOTH, work)
    }

    /// The same, by a part of the time.
    fn spent_by<T>(&self, part: Part, work: impl FnOnce() -> T) -> (T, f64) {
        let before = part(self.processor());
        let done = work();
        (done, (part(self.processor()) - before) * 1e6)
    }

    /// Like [`Stage::processor`], for another service.
    pub(crate) fn processor_with(&self, program: &Program) -> (f64, f64) {
        let database = used_by_server(&self.postmaster());
        (used_by(&program.pid().to_string()).map_or(0.0, |used| used.own), database)
    }

    pub(crate) fn memory(&self, report: &mut Report) {
        let idle = self.idle_kib / MIB;
        report.add("resident memory idle, of 64 MiB", Some(idle / 64.0), Some(Target::AtMost(1.0)), &[("MiB", idle)]);
    }

    pub(crate) fn admin(&self, statement: &str) {
        execute(&self.cluster.admin_url("finance"), statement);
    }

    /// The number that a query selects as `n`.
    pub(crate) fn number(&self, query: &str) -> f64 {
        let mut connection = PgConnection::establish(&self.cluster.admin_url("finance")).unwrap();
        finance_tests::rows(&mut connection, query)[0]["n"].as_f64().unwrap()
    }

    pub(crate) fn log_path(&self) -> PathBuf {
        self.scratch.path().join("postgres.log")
    }
}

/// Starts the program with its default configuration, except for the day and the secret.
fn start(scratch: &ScratchDir, database_url: Option<String>) -> Program {
    let mut command = Program::command(scratch.path());
    command.env("JWT_SECRET", std::str::from_utf8(TOKEN_SECRET).unwrap()).env("FINANCE_TODAY", TODAY.to_string());
    if let Some(url) = database_url {
        command.env("DATABASE_URL", url);
    }
    Program::start_with_log(&mut command, &scratch.path().join("service.log"))
}

fn start_ms(scratch: &ScratchDir) -> f64 {
    start(scratch, None).started_in.as_secs_f64() * 1e3
}

/// The URL of another database of the cluster, as the service's role.
fn database_url(cluster: &Cluster, database: &str) -> String {
    cluster.url().replacen("/finance?", &format!("/{database}?"), 1)
}

fn create_database(cluster: &Cluster, name: &str) -> PgStore {
    execute(&cluster.admin_url("postgres"), &format!("create database {name} owner finance"));
    store(database_url(cluster, name))
}

fn store(url: String) -> PgStore {
    PgStore::open(&StoreOptions::new(url)).unwrap()
}

pub(crate) fn execute(url: &str, statement: &str) {
    PgConnection::establish(url).unwrap().batch_execute(statement).unwrap();
}

/// A figure of a process's memory, in KiB. 0 if the system does not report this figure.
fn memory_kib(pid: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim_matches([':', ' ', '\t', 'k', 'B']).parse().ok()).unwrap_or(0.0)
}

/// The path of a tool, in a directory of `PATH` or in those of the PostgreSQL packages.
pub(crate) fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(
        std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path().join("bin")),
    );
    folders.into_iter().map(|folder| folder.join(tool)).find(|file| file.is_file())
}
