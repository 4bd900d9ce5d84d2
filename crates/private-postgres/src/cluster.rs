//! A running cluster: started or adopted, watched, stopped.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::binaries::{self, Binaries};
use crate::error::ClusterError;
use crate::initialize;
use crate::lock::Lock;
use crate::place::{self, Content, Place};
use crate::postmaster::{self, Started, State};
use crate::process::POLL;

/// How long to wait for another process that makes, starts or stops the cluster.
const LOCK_SECONDS_MAX: u64 = 30;
/// How long to wait for a released lease: a child that another thread forks at that moment holds a copy until its `exec`.
const LEASE_MILLIS_MAX: u64 = 50;
/// How long to wait for the server to accept connections. It may have to recover first.
const START_SECONDS_MAX: u64 = 60;
/// How long a server whose state is `ready` may not answer on its socket.
const SOCKET_SECONDS_MAX: u64 = 1;

/// Which cluster to use, and how to start it.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The service's data directory, `FINANCE_DATA_DIR`. It is created if missing; the cluster is its subdirectory
    /// `postgres`.
    pub data_dir: PathBuf,
    /// Server settings that override the defaults of this crate, such as `fsync` = `off`. They have no effect on a server
    /// that is already running.
    pub settings: Vec<(String, String)>,
    /// Where PostgreSQL's programs are; `None` looks in `PATH` and where packages put them.
    pub bin_dir: Option<PathBuf>,
}

impl ClusterOptions {
    /// The defaults, for the cluster in a data directory.
    pub fn new(data_dir: impl Into<PathBuf>) -> ClusterOptions {
        ClusterOptions { data_dir: data_dir.into(), settings: Vec::new(), bin_dir: None }
    }
}

/// A running private cluster, which this process holds a lease on.
///
/// Dropping it releases the lease and nothing else: the server keeps running, and the next start adopts it. Only
/// [`stop`](Cluster::stop) stops it, because only the caller knows that its requests have been served.
#[derive(Debug)]
pub struct Cluster {
    place: Place,
    options: ClusterOptions,
    /// Looked up again after an upgrade, which may have moved them.
    binaries: Mutex<Binaries>,
    /// `None` once the cluster has been stopped.
    lease: Mutex<Option<Lock>>,
}

impl Cluster {
    /// Takes a lease on the cluster of a data directory: makes it if there is none, adopts its server if one is
    /// running, starts it otherwise. Returns when it accepts connections.
    ///
    /// A new cluster comes with the role `finance`, which is no superuser, and the database `finance` that it owns.
    ///
    /// ```no_run
    /// use finance_private_postgres::{Cluster, ClusterOptions};
    ///
    /// let options = ClusterOptions {
    ///     settings: vec![("shared_buffers".to_owned(), "64MB".to_owned())],
    ///     ..ClusterOptions::new("/var/lib/finance")
    /// };
    /// let cluster = Cluster::start(&options)?;
    /// assert!(cluster.is_running());
    /// cluster.stop()?;
    /// # Ok::<(), finance_private_postgres::ClusterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// One line that says what to do: PostgreSQL is missing or of another major version than the data, the data
    /// directory cannot be used, another process is busy with the cluster for more than 30 seconds, or the server does
    /// not start.
    pub fn start(options: &ClusterOptions) -> Result<Cluster, ClusterError> {
        let place = Place::resolve(&options.data_dir)?;
        let _one_at_a_time = lock_startup(&place)?;
        let find = |made_by: Option<&str>| find(options, &place, made_by);
        initialize::remove_leftovers(&place)?;
        let binaries = match place.content()? {
            Content::Cluster(made_by) => {
                let binaries = find(Some(&made_by))?;
                place.check_owner()?;
                place.warn_if_found_again();
                binaries
            }
            Content::Nothing => {
                let binaries = find(None)?;
                let begin = Instant::now();
                let durable = !options.settings.contains(&("fsync".to_owned(), "off".to_owned()));
                initialize::initialize(&place, &binaries, durable)?;
                log::info!("made a private cluster in {} ({} ms)", place.data.display(), begin.elapsed().as_millis());
                binaries
            }
        };
        place.record()?;
        bring_up(&place, &binaries, &options.settings)?;
        let lease = Lock::shared(&place.lease(), Duration::from_secs(LOCK_SECONDS_MAX))?.ok_or_else(|| busy(&place))?;
        let (options, binaries) = (options.clone(), Mutex::new(binaries));
        Ok(Cluster { place, options, binaries, lease: Mutex::new(Some(lease)) })
    }

    /// Where the service connects: the role `finance`, its database `finance`, over the socket.
    pub fn url(&self) -> String {
        self.url_for(initialize::SERVICE, initialize::SERVICE)
    }

    /// Where the superuser connects to a database, for backups and for tests. Row-level security does not bind it.
    pub fn admin_url(&self, database: &str) -> String {
        self.url_for(initialize::ADMIN, database)
    }

    /// The directory of PostgreSQL's programs, such as `pg_dump`, in the version of the server.
    pub fn bin_dir(&self) -> PathBuf {
        self.binaries().dir.clone()
    }

    /// PostgreSQL's own data directory.
    pub fn data_dir(&self) -> &Path {
        &self.place.data
    }

    /// Where the server's messages are.
    pub(crate) fn log(&self) -> PathBuf {
        self.place.log()
    }

    /// The directory of the socket, mode 0700.
    pub fn socket_dir(&self) -> PathBuf {
        self.place.socket_dir()
    }

    /// Whether the server is there and ready. Cheap enough to ask several times a second.
    pub fn is_running(&self) -> bool {
        matches!(postmaster::state(&self.place), Ok(State::Ready(_) | State::Elsewhere))
    }

    /// Restarts the server if it has died, or if its program was replaced, as an upgrade of the package does: new sessions
    /// of the old server would load libraries of the new version. Returns whether it was restarted. Meant for a thread
    /// that calls it several times a second.
    ///
    /// A restart closes connections and rolls back open transactions. After [`stop`](Cluster::stop) this does nothing. A
    /// replaced program is detected on Linux only.
    ///
    /// # Errors
    ///
    /// The server does not start; its program was replaced and no PostgreSQL of its major version is installed; the
    /// cluster's directory is gone; or this process has no file descriptor left to look. A server that runs is left
    /// running, and a cluster that is gone is not replaced by an empty one.
    pub fn ensure_running(&self) -> Result<bool, ClusterError> {
        let is_replaced = match postmaster::state(&self.place)? {
            State::Elsewhere => return Ok(false),
            State::Ready(pid) => match postmaster::replaced(pid) {
                Some(replaced) if replaced.is_settled => true,
                _ => return Ok(false),
            },
            _ => false,
        };
        if self.lease().is_none() {
            return Ok(false);
        }
        let _one_at_a_time = lock_startup(&self.place)?;
        // It may have been stopped while this thread waited.
        if self.lease().is_none() {
            return Ok(false);
        }
        let Content::Cluster(made_by) = self.place.content()? else {
            return Err(ClusterError::NotACluster { data: self.place.data.clone(), problem: "has disappeared" });
        };
        if is_replaced {
            // Where there is none to start, the running server is left alone.
            *self.binaries() = find(&self.options, &self.place, Some(&made_by))?;
        }
        let binaries = self.binaries().clone();
        bring_up(&self.place, &binaries, &self.options.settings)
    }

    /// Releases the lease and, if no other process holds one, stops the server and waits until it has ended: connections
    /// are closed, open transactions rolled back. A second call does nothing.
    ///
    /// # Errors
    ///
    /// Another process is busy with the cluster for more than 30 seconds, or the server does not stop.
    pub fn stop(&self) -> Result<(), ClusterError> {
        let Some(lease) = self.lease().take() else { return Ok(()) };
        if !self.place.home.exists() {
            postmaster::end_orphans(&self.place);
            return Ok(());
        }
        let _one_at_a_time = lock_startup(&self.place)?;
        drop(lease);
        let Some(_alone) = Lock::exclusive(&self.place.lease(), Duration::from_millis(LEASE_MILLIS_MAX))? else {
            log::info!("the private cluster keeps running: another process uses it");
            return Ok(());
        };
        match postmaster::state(&self.place)? {
            State::Ready(pid) | State::Starting(pid) | State::Stopping(pid) => {
                postmaster::stop(&self.place, pid)?;
                self.place.remove_socket_dir();
                log::info!("stopped the private cluster");
                Ok(())
            }
            State::Elsewhere => {
                log::warn!("the private cluster runs in another container, which has to stop it");
                Ok(())
            }
            State::Stopped | State::Dead | State::SingleUser => Ok(()),
        }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    fn binaries(&self) -> MutexGuard<'_, Binaries> {
        self.binaries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lease(&self) -> MutexGuard<'_, Option<Lock>> {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn url_for(&self, role: &str, database: &str) -> String {
        format!(
            "postgresql:///{}?host={}&port={}&user={}",
            encoded(database.as_bytes()),
            encoded(self.place.socket_dir().as_os_str().as_bytes()),
            place::PORT,
            encoded(role.as_bytes()),
        )
    }
}

fn find(options: &ClusterOptions, place: &Place, made_by: Option<&str>) -> Result<Binaries, ClusterError> {
    binaries::find(options.bin_dir.as_deref(), &place.data, made_by, &place.user)
}

fn lock_startup(place: &Place) -> Result<Lock, ClusterError> {
    Lock::exclusive(&place.startup_lock(), Duration::from_secs(LOCK_SECONDS_MAX))?.ok_or_else(|| busy(place))
}

fn busy(place: &Place) -> ClusterError {
    let waited_for = "the work of another process on";
    ClusterError::Busy { data: place.data.clone(), waited_for, seconds: LOCK_SECONDS_MAX }
}

/// Adopts the server or starts it, and waits until it is ready; returns whether it was started. The caller holds the
/// startup lock, so a server that is starting or stopping was left so by a killed process.
fn bring_up(place: &Place, binaries: &Binaries, settings: &[(String, String)]) -> Result<bool, ClusterError> {
    let begin = Instant::now();
    let deadline = begin + Duration::from_secs(START_SECONDS_MAX);
    let mut started: Option<Started> = None;
    let mut unanswered_since = None;
    while Instant::now() < deadline {
        match postmaster::state(place)? {
            State::Ready(pid) if started.as_ref().is_some_and(|started| started.is(pid)) => {
                log::info!("started PostgreSQL {} in {} ms", binaries.major, begin.elapsed().as_millis());
                if let Some(started) = started {
                    started.detach();
                }
                return Ok(true);
            }
            State::Ready(pid) => {
                if let Some(replaced) = postmaster::replaced(pid) {
                    if replaced.is_settled {
                        let program = replaced.program.display();
                        log::warn!(
                            "{program} was replaced while process {pid} runs it; restarting the private cluster"
                        );
                        postmaster::stop(place, pid)?;
                    }
                    thread::sleep(POLL);
                    continue;
                }
                place.secure_socket_dir()?;
                if postmaster::answers(place)? {
                    log::info!("adopted the private cluster, process {pid}");
                    return Ok(false);
                }
                // Its socket has been removed under it, so nobody can use it.
                if unanswered_since.get_or_insert_with(Instant::now).elapsed().as_secs() >= SOCKET_SECONDS_MAX {
                    log::warn!("the private cluster, process {pid}, does not answer on its socket; restarting it");
                    postmaster::stop(place, pid)?;
                    unanswered_since = None;
                }
            }
            State::Elsewhere => {
                place.secure_socket_dir()?;
                log::info!("adopted the private cluster of another container");
                return Ok(false);
            }
            State::Stopped | State::Dead if started.is_none() => {
                postmaster::clear(place)?;
                started = Some(postmaster::start(place, binaries, settings)?);
            }
            // It may be waiting for its clients to disconnect, and this process may be one of them.
            State::Stopping(pid) => postmaster::stop(place, pid)?,
            // A server that was just started has not written its file yet, or recovers; in single-user mode an operator
            // is at work.
            State::Stopped | State::Dead | State::Starting(_) | State::SingleUser => {}
        }
        if let Some(reason) = started.as_mut().and_then(Started::ended) {
            // Processes of a dead server that cannot be found prevent the start until they end.
            if !reason.contains("is still in use") && !reason.starts_with("lock file ") {
                return Err(ClusterError::Program { program: "postgres", reason, log: Some(place.log()) });
            }
            log::warn!("PostgreSQL does not start yet: {reason}");
            started = None;
            thread::sleep(Duration::from_millis(200));
        }
        thread::sleep(POLL);
    }
    if let Some(started) = started {
        started.detach();
    }
    Err(ClusterError::Busy {
        data: place.data.clone(),
        waited_for: "the start or recovery of the server of",
        seconds: START_SECONDS_MAX,
    })
}

/// A part of a URL, with everything but letters, digits and `-._~` as percent and two hexadecimal digits.
fn encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_leaves_only_what_a_url_may_hold() {
        assert_eq!(encoded("/tmp/olá ~x".as_bytes()), "%2Ftmp%2Fol%C3%A1%20~x");
    }
}
