//! Tests of the private cluster with the installed PostgreSQL.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

// This crate cannot depend on the tests of the workspace, which depend on it.
#[allow(unreachable_pub, reason = "they are public in the tests of the workspace")]
#[path = "../../../../tests/support/eventually.rs"]
mod eventually;
#[allow(unreachable_pub, dead_code, reason = "they are public in the tests of the workspace")]
#[path = "../../../../tests/support/skipped.rs"]
mod skipped;

mod access;
mod disposable;
mod pid_files;
mod place;
mod start;
mod watch;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use finance_private_postgres::{Cluster, ClusterError, ClusterOptions};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use eventually::eventually;

/// A data directory of mode 0700, as `mktemp -d` makes it. Dropping the value ends its server and removes the directory.
struct DataDir(PathBuf);

impl DataDir {
    fn new() -> DataDir {
        DataDir::named("")
    }

    fn named(name: &str) -> DataDir {
        DataDir::below(&std::env::temp_dir(), name)
    }

    fn below(parent: &Path, name: &str) -> DataDir {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("cluster-{}-{count}{name}", std::process::id()));
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
        DataDir(fs::canonicalize(dir).unwrap())
    }

    fn options(&self) -> ClusterOptions {
        let settings = vec![("fsync".to_owned(), "off".to_owned())];
        ClusterOptions { settings, ..ClusterOptions::new(&self.0) }
    }

    fn start(&self) -> Cluster {
        Cluster::start(&self.options()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn error(&self) -> ClusterError {
        let error = Cluster::start(&self.options()).expect_err("the start must fail");
        assert_eq!(error.to_string().lines().count(), 1, "one line: {error}");
        error
    }

    fn postgres(&self) -> PathBuf {
        self.0.join("postgres")
    }

    fn pid_file(&self) -> PathBuf {
        self.postgres().join("postmaster.pid")
    }

    fn pid(&self) -> Pid {
        let text = fs::read_to_string(self.pid_file()).unwrap();
        Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if self.pid_file().exists() {
            let _ = kill_process(self.pid(), Signal::QUIT);
        }
        let is_removed = || fs::remove_dir_all(&self.0).is_ok() || !self.0.exists();
        // The processes of the server may add files until they end.
        if !std::thread::panicking() {
            eventually("the removal of the directory", || is_removed().then_some(()));
        } else if !is_removed() {
            eprintln!("{} is left", self.0.display());
        }
    }
}

fn psql(cluster: &Cluster, url: &str) -> Command {
    let mut psql = Command::new(cluster.bin_dir().join("psql"));
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url]);
    psql
}

fn query_at(cluster: &Cluster, url: &str, sql: &str) -> String {
    let output = psql(cluster, url).args(["-c", sql]).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn query(cluster: &Cluster, sql: &str) -> String {
    query_at(cluster, &cluster.url(), sql)
}

#[track_caller]
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    eventually(what, || condition().then_some(()));
}

/// Whether this process is root. A test of what is particular to root is skipped otherwise.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped::skipped("this is not root, so PostgreSQL runs as the user of this process");
    }
    is_root
}

fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid).is_err()
        || fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).is_ok_and(|stat| stat.contains(") Z "))
}
