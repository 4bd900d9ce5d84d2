//! The program as an operator runs it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::Client;
use crate::eventually::{eventually, eventually_or, in_time};

/// The path of the program. Builds it first if it is out of date.
pub fn finance_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let profile = profile_folder();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "finance-cli", "--bin", "finance"]);
        if profile.ends_with("release") {
            build.arg("--release");
        }
        // Cargo's variables for the test's package would make build scripts run again, now and in the next build.
        for (key, _) in std::env::vars_os() {
            if key.to_str().is_some_and(|key| key.starts_with("CARGO_PKG_") || key.starts_with("CARGO_MANIFEST_")) {
                build.env_remove(&key);
            }
        }
        let built = build.current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(built.expect("cargo runs").success(), "the program builds");
        profile.join("finance")
    })
}

/// The folder of this process's build profile: `target/debug` for `target/debug/deps/api-…` and `target/debug/soak`.
pub(crate) fn profile_folder() -> PathBuf {
    let own = std::env::current_exe().expect("this program's own path");
    let mut folders = own.ancestors().skip(1);
    folders.find(|folder| !folder.ends_with("deps")).expect("the profile's folder").to_owned()
}

/// The process id of PostgreSQL in the data directory of a service. None until it accepts connections.
pub fn postmaster(data_dir: &Path) -> Option<String> {
    let text = std::fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?;
    let is_ready = text.lines().nth(7).is_some_and(|status| status.trim() == "ready");
    text.lines().next().map(|pid| pid.trim().to_string()).filter(|_| is_ready)
}

/// Whether a PostgreSQL server other than the process `before` accepts connections. Until then, processes that a killed server
/// left may still answer.
pub fn is_restarted(data_dir: &Path, before: &str) -> bool {
    postmaster(data_dir).is_some_and(|pid| pid != before)
}

/// Kills a process by its id, such as a [`postmaster`].
pub fn kill(pid: &str) {
    send(pid, Signal::KILL);
}

/// Sends a signal. A minimal system has no `kill` command.
fn send(pid: &str, signal: Signal) {
    let pid = pid.parse().ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("the signal is sent");
}

/// A running service. Dropping it stops the service.
pub struct Program {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
    logging: Option<JoinHandle<()>>,
    /// The time from the start until it listened.
    pub started_in: Duration,
}

impl Program {
    /// A command of the program with a separate data directory, without the configuration variables of this process.
    pub fn command(data_dir: &Path) -> Command {
        let mut command = Command::new(finance_binary());
        let inherited = ["DATABASE_URL", "DATABASE_REPLICA_URL", "JWT_SECRET", "RUST_LOG", "FINANCE_LOG_FORMAT"];
        for key in inherited.into_iter().chain(["FINANCE_CONFIG", "FINANCE_URL", "FINANCE_TOKEN", "FINANCE_TOKEN_FILE"])
        {
            command.env_remove(key);
        }
        // The settings of whoever runs the tests are elsewhere.
        command.env("XDG_CONFIG_HOME", data_dir.join("no-settings"));
        command.current_dir(std::env::temp_dir()).env("FINANCE_DATA_DIR", data_dir).env("FINANCE_BIND", "127.0.0.1:0");
        command
    }

    /// The same command, which a shell runs after the commands `first`, such as `ulimit`.
    pub fn command_after(first: &str, data_dir: &Path) -> Command {
        let program = Self::command(data_dir);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("{first}; exec \"$0\"")).arg(program.get_program());
        for (key, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(key, value),
                None => shell.env_remove(key),
            };
        }
        shell.current_dir(std::env::temp_dir());
        shell
    }

    /// Starts the service on the private database in a directory.
    pub fn serve(data_dir: &Path) -> Self {
        Self::start(&mut Self::command(data_dir))
    }

    /// Starts a command that serves, and waits until the service listens.
    pub fn start(command: &mut Command) -> Self {
        let mut program = Self::start_logging(command, Stdio::piped());
        // The output is read to its end, so that the pipe does not fill up.
        let lines = BufReader::new(program.child.stderr.take().expect("its standard error")).lines();
        let kept = Arc::clone(&program.log);
        program.logging = Some(std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut log = kept.lock().expect("the log");
                log.push_str(&line);
                log.push('\n');
            }
        }));
        program
    }

    /// Like [`start`](Self::start), with the log in a file. For measurements, because reading a pipe takes processor time.
    pub fn start_with_log(command: &mut Command, log: &Path) -> Self {
        let file = std::fs::File::options().create(true).append(true).open(log).expect("a file for the log");
        Self::start_logging(command, file.into())
    }

    fn start_logging(command: &mut Command, log: Stdio) -> Self {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its standard output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let Some(address) = line.trim().strip_prefix("listening on http://") else {
            let mut errors = String::new();
            let _ = child.kill();
            if let Some(mut stderr) = child.stderr.take() {
                let _ = stderr.read_to_string(&mut errors);
            }
            panic!("the program did not listen: {line:?} {errors}");
        };
        let address = address.parse().expect("an address");
        let log = Arc::new(Mutex::new(String::new()));
        Program { child, address, log, logging: None, started_in: started.elapsed() }
    }

    /// Runs a command of the program to its end.
    pub fn run(data_dir: &Path, arguments: &[&str]) -> Output {
        Self::command(data_dir).args(arguments).stdin(Stdio::null()).output().expect("the program runs")
    }

    /// The URL of the service.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A client of the service.
    pub fn client(&self) -> Client {
        Client::of(self.address)
    }

    /// A client of the listener of metrics. The service was started with [`start`](Self::start) and with a port of 0 in
    /// `FINANCE_METRICS_BIND`, and logs the address that it got.
    pub fn metrics(&self) -> Client {
        let failure = || format!("the address of the metrics: {}", self.log());
        let address = eventually_or(failure, || {
            let log = self.log();
            let (_, rest) = log.split_once("metrics on http://")?;
            let (address, _) = rest.split_once("/metrics")?;
            Some(address.parse().expect("an address"))
        });
        Client::of(address)
    }

    /// A client that is logged in.
    pub fn login(&self, name: &str, password: &str) -> Client {
        let body = serde_json::json!({ "name": name, "password": password });
        let answer = self.client().post("/api/auth/login", body).ok();
        self.client().with_token(answer["token"].as_str().expect("a token"))
    }

    /// Stops the service and returns its log.
    pub fn stop(&mut self) -> String {
        self.signal("TERM");
        assert!(self.wait(), "the program stops well");
        if let Some(logging) = self.logging.take() {
            logging.join().expect("the log is read");
        }
        self.log.lock().expect("the log").clone()
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("the log").clone()
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by its name: `TERM`, `INT` or `KILL`.
    pub fn signal(&self, name: &str) {
        let signal = match name {
            "TERM" => Signal::TERM,
            "INT" => Signal::INT,
            "KILL" => Signal::KILL,
            _ => panic!("no test sends {name}"),
        };
        send(&self.pid().to_string(), signal);
    }

    /// Waits for the process to end. Returns whether it succeeded.
    #[track_caller]
    pub fn wait(&mut self) -> bool {
        eventually("the end of the program", || self.child.try_wait().expect("its state")).success()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A process that was waited for has ended, and its id may belong to another process.
        if matches!(self.child.try_wait(), Ok(None)) {
            send(&self.pid().to_string(), Signal::TERM);
            if in_time(|| self.child.try_wait().transpose()).is_none() {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
        }
    }
}
