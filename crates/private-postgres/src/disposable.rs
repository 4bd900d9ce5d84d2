//! A cluster for tests, removed with the process that started it.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::cluster::{Cluster, ClusterOptions};
use crate::error::ClusterError;
use crate::place::Place;

/// Waits for the end of its standard input. That comes when the process at the other end is gone, even if it was killed. Then
/// stops the server and removes the directories. A running initdb may still add files for a moment. `kill` is a builtin of the
/// shell.
const SUPERVISOR: &str = r#"
trap '' HUP INT TERM
while read -r _; do :; done
pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
case $pid in *[!0-9]* | '') ;; *) kill -QUIT "$pid" 2>/dev/null ;; esac
for dir; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf "$dir" 2>/dev/null && [ ! -e "$dir" ] && break
    sleep 0.1
  done
done
"#;

/// Durability is of no use to tests.
const SETTINGS: &[(&str, &str)] = &[
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("synchronous_commit", "off"),
    ("max_connections", "200"),
    ("shared_buffers", "128MB"),
    ("max_wal_size", "1GB"),
];

/// A cluster for tests: fast, in a temporary directory, and removed with this value or this process, whichever ends first,
/// even if the process is killed.
#[derive(Debug)]
pub struct DisposableCluster {
    cluster: Cluster,
    supervisor: Child,
}

impl DisposableCluster {
    /// The cluster itself.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }
}

impl Drop for DisposableCluster {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        let _ = self.supervisor.wait();
    }
}

/// Starts a cluster for tests. It loses data when the machine fails, and is removed with this process.
///
/// A test program keeps one in a `static OnceLock`, which is never dropped: it is removed when the process ends.
/// Each test then works in a database of its own, made by [`Cluster::admin_url`] with `create database … template …`.
///
/// ```no_run
/// use std::sync::OnceLock;
///
/// use finance_private_postgres::{DisposableCluster, start_disposable};
///
/// static CLUSTER: OnceLock<DisposableCluster> = OnceLock::new();
///
/// let cluster = CLUSTER.get_or_init(|| start_disposable().expect("PostgreSQL is installed")).cluster();
/// println!("connect to {}", cluster.url());
/// ```
///
/// # Errors
///
/// As for [`Cluster::start`].
pub fn start_disposable() -> Result<DisposableCluster, ClusterError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The time distinguishes it from a directory that a process with the same id left behind when the machine failed.
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    let data_dir = std::env::temp_dir().join(format!("finance-test-{}-{count}-{time}", std::process::id()));
    let place = Place::resolve(&data_dir)?;
    let options = ClusterOptions {
        settings: SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..ClusterOptions::new(data_dir.clone())
    };
    let mut dirs: Vec<PathBuf> = vec![place.data.clone()];
    if place.socket_dir() != place.data {
        dirs.push(place.socket_dir());
    }
    dirs.push(data_dir);
    if !dirs.contains(&place.home) {
        dirs.push(place.home);
    }
    let supervisor = Command::new("/bin/sh")
        .args(["-c", SUPERVISOR, "finance-test-supervisor"])
        .args(dirs)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(ClusterError::io("run /bin/sh"))?;
    let cluster = Cluster::start(&options)?;
    Ok(DisposableCluster { cluster, supervisor })
}
