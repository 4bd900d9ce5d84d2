//! PostgreSQL servers that replicate from each other. Each listens on a socket in its own directory, so no ports are chosen.

use std::io::Write;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::app::rows;
use crate::eventually::eventually_or;
use crate::scratch::ScratchDir;

/// The superuser. The service's connections switch to another role.
const ADMIN: &str = "finance_admin";
/// The settings of each server, with full durability.
const SETTINGS: [(&str, &str); 7] = [
    ("listen_addresses", ""),
    ("max_connections", "100"),
    ("shared_buffers", "128MB"),
    ("wal_level", "replica"),
    ("wal_keep_size", "512MB"),
    ("hot_standby_feedback", "on"),
    ("max_parallel_workers_per_gather", "0"),
];

/// The number in the name of each socket. Nothing listens on TCP.
const PORT: u16 = 5432;

/// A server with its data. Dropping this stops the server and removes the data.
#[derive(Debug)]
pub struct Server {
    /// The name under which another server knows it as a replica.
    name: &'static str,
    scratch: ScratchDir,
    process: Option<Child>,
}

impl Server {
    /// Starts a server with the empty database `finance`.
    pub fn start(name: &'static str) -> Self {
        let mut server = Server::at(name);
        server.run(server.command("initdb").args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]).args(
            ["--data-checksums", &format!("--username={ADMIN}"), &format!("--pgdata={}", server.data().display())],
        ));
        // The settings are written to the file, so that copies have them too.
        let mut file =
            std::fs::File::options().append(true).open(server.data().join("postgresql.conf")).expect("its settings");
        for (name, value) in SETTINGS {
            writeln!(file, "{name} = '{value}'").expect("its settings are written");
        }
        server.start_again();
        server.sql("postgres", "create database finance");
        server
    }

    /// Starts a replica of another server.
    pub fn replica_of(primary: &Server, name: &'static str) -> Self {
        let mut replica = Server::at(name);
        replica.copy(primary);
        replica.start_again();
        replica
    }

    fn at(name: &'static str) -> Self {
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).expect("a directory");
        if let Some((uid, gid)) = server_user() {
            chown(scratch.path(), Some(uid), Some(gid)).expect("the directory is given to the server's user");
        }
        Server { name, scratch, process: None }
    }

    fn copy(&self, primary: &Server) {
        self.run(self.command("pg_basebackup").args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf"]).args(
            [
                format!("--pgdata={}", self.data().display()),
                format!("--dbname={}", primary.connection_string(self.name)),
            ],
        ));
    }

    /// Starts the server on its existing data.
    pub fn start_again(&mut self) {
        let log = std::fs::File::options().create(true).append(true).open(self.scratch.path().join("log"));
        let log = log.expect("a file for the log");
        let mut command = self.command("postgres");
        // These are no settings of the file, because copies of the data have another socket.
        command.arg("-D").arg(self.data()).arg("-k").arg(self.scratch.path()).args(["-p", &PORT.to_string()]);
        command.stdout(log.try_clone().expect("the same file")).stderr(log);
        self.process = Some(command.spawn().expect("PostgreSQL starts"));
        self.wait_for("it does not start", |server| PgConnection::establish(&server.url("postgres")).is_ok());
    }

    /// Kills the server and its child processes at once, like a failure of its machine.
    pub fn kill(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let others = children(process.id());
        for pid in std::iter::once(process.id()).chain(others) {
            signal(pid, Signal::KILL);
        }
        process.wait().expect("it has ended");
    }

    /// Stops the server properly.
    pub fn stop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        signal(process.id(), Signal::INT);
        process.wait().expect("it has ended");
    }

    /// Promotes a replica to primary. Returns when it accepts writes.
    pub fn promote(&self) {
        self.sql("postgres", "select pg_promote(true, 60)");
        self.wait_for("it is not promoted", |server| !server.is_replica());
    }

    /// Turns this killed primary into a replica of the new primary, from a new copy, and starts it.
    pub fn rejoin(&mut self, primary: &Server) {
        std::fs::remove_dir_all(self.data()).expect("what it had is removed");
        self.copy(primary);
        self.start_again();
    }

    /// Makes the server answer a commit only when the named replicas have it. If `names` is empty, commits wait for no replica.
    pub fn wait_for_replicas_at_commit(&self, names: &str) {
        self.sql("postgres", &format!("alter system set synchronous_standby_names = '{names}'"));
        self.sql("postgres", "select pg_reload_conf()");
        if !names.is_empty() {
            self.wait_for("no replica is in step", |server| {
                !server.rows("postgres", "select pid from pg_stat_replication where sync_state = 'sync'").is_empty()
            });
        }
    }

    /// Waits until a replica has replayed all that the server has now.
    pub fn wait_until_replayed_by(&self, replica: &Server) {
        let there = self.rows("postgres", "select pg_current_wal_insert_lsn()::text as at");
        let at = there[0]["at"].as_str().expect("a position").to_string();
        let query = format!("select pg_last_wal_replay_lsn() >= '{at}' as has");
        replica.wait_for("it does not follow", |replica| replica.rows("postgres", &query)[0]["has"] == true);
    }

    /// Whether the server is a replica.
    pub fn is_replica(&self) -> bool {
        self.rows("postgres", "select pg_is_in_recovery() as is")[0]["is"] == true
    }

    /// Runs SQL as the superuser.
    pub fn sql(&self, database: &str, statement: &str) {
        self.connection(database).batch_execute(statement).expect("the statement runs");
    }

    /// The rows of a query as JSON, read as the superuser.
    pub fn rows(&self, database: &str, query: &str) -> Vec<Value> {
        rows(&mut self.connection(database), query)
    }

    /// A connection as the superuser.
    pub fn connection(&self, database: &str) -> PgConnection {
        PgConnection::establish(&self.url(database)).expect("a connection")
    }

    /// The superuser's URL of a database.
    pub fn url(&self, database: &str) -> String {
        urls(&[self], database)
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.scratch.path().join("log")).expect("its log")
    }

    /// The name of the server.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().expect("it runs").id()
    }

    fn connection_string(&self, application: &str) -> String {
        let socket = self.scratch.path().display();
        format!("host='{socket}' port={PORT} user={ADMIN} dbname=postgres application_name={application}")
    }

    fn data(&self) -> PathBuf {
        self.scratch.path().join("data")
    }

    /// A command for one of PostgreSQL's programs. It runs as the server's user. It does not get the `PG…` variables of the
    /// environment, because they could name other servers.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(bin_dir().join(program));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").current_dir("/").stdin(Stdio::null());
        if let Some((uid, gid)) = server_user() {
            command.uid(uid).gid(gid);
        }
        command
    }

    fn run(&self, command: &mut Command) {
        let output = command.output().expect("PostgreSQL's program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", command.get_program().display());
    }

    fn wait_for(&self, what_not: &str, mut holds: impl FnMut(&Server) -> bool) {
        let log = || std::fs::read_to_string(self.scratch.path().join("log")).unwrap_or_default();
        eventually_or(|| format!("server {}: {what_not}: {}", self.name, log()), || holds(self).then_some(()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            signal(process.id(), Signal::QUIT);
            let _ = process.wait();
        }
    }
}

/// The superuser's URL of a database that may be on any of the servers.
pub fn urls(servers: &[&Server], database: &str) -> String {
    let host = |server: &&Server| format!("{}:{PORT}", server.scratch.path().display().to_string().replace('/', "%2F"));
    let hosts: Vec<String> = servers.iter().map(host).collect();
    format!("postgresql://{ADMIN}@{}/{database}", hosts.join(","))
}

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    // The call fails if the process has ended already. Then there is nothing to signal.
    let _ = kill_process(pid, signal);
}

/// The child processes of a process. Empty if the system has no `/proc`.
fn children(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name of the program is before this parenthesis and may contain spaces.
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok());
        of == Some(parent)
    })
    .collect()
}

/// The user and group of the server if this process is root, because PostgreSQL refuses to run as root.
fn server_user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("the users");
    let ids = |name: &str| {
        let fields: Vec<&str> = users.lines().find(|line| line.split(':').next() == Some(name))?.split(':').collect();
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    Some(ids("postgres").or_else(|| ids("nobody")).expect("a user for the server"))
}

/// The directory of PostgreSQL's programs: the first match in `FINANCE_POSTGRES_BIN_DIRS`, the directories of packages and
/// `PATH`.
fn bin_dir() -> PathBuf {
    let listed = |name: &str| std::env::var_os(name).unwrap_or_default();
    let mut packaged: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    packaged.sort();
    let (own, path) = (listed("FINANCE_POSTGRES_BIN_DIRS"), listed("PATH"));
    let dirs = std::env::split_paths(&own).chain(packaged.into_iter().rev()).chain(std::env::split_paths(&path));
    let has_all =
        |dir: &PathBuf| ["initdb", "pg_basebackup", "postgres"].iter().all(|program| dir.join(program).is_file());
    dirs.filter(|dir: &PathBuf| dir.as_path() != Path::new("")).find(has_all).expect("PostgreSQL's programs")
}
