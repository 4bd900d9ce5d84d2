//! A running cluster: started or adopted, watched, stopped.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::binaries::{self, Binaries, Installed};
use crate::client;
use crate::error::{self, ClusterError};
use crate::initialize;
use crate::lock::Lock;
use crate::major_upgrade;
use crate::place::{Content, Place};
use crate::postmaster::{self, State};
use crate::startup::{LOCK_SECONDS_MAX, bring_up, busy, lock_startup};

/// How long to wait for a released lease: a child that another thread forks at that moment holds a copy until its `exec`.
const LEASE_MILLIS_MAX: u64 = 50;

/// Which cluster to use, and how to start it.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// The service's data directory, `FINANCE_DATA_DIR`. It is created if missing; the cluster is its subdirectory
    /// `postgres`.
    pub data_dir: PathBuf,
    /// Server settings that override the defaults of this crate, such as `fsync` = `off`. They have no effect on a server
    /// that is already running.
    pub settings: Vec<(String, String)>,
    /// The directories to search for PostgreSQL's programs. If empty, `PATH` and the directories where packages install them.
    pub bin_dirs: Vec<PathBuf>,
}

/// The environment variable with the directories of PostgreSQL's programs, separated by colons.
const BIN_DIRS: &str = "FINANCE_POSTGRES_BIN_DIRS";

impl ClusterOptions {
    /// The defaults, for the cluster in a data directory. The directories of PostgreSQL's programs are those of the
    /// environment variable `FINANCE_POSTGRES_BIN_DIRS`, if it is set.
    pub fn new(data_dir: impl Into<PathBuf>) -> ClusterOptions {
        let dirs = std::env::var_os(BIN_DIRS).unwrap_or_default();
        let bin_dirs = std::env::split_paths(&dirs).filter(|dir| dir.is_absolute()).collect();
        ClusterOptions { data_dir: data_dir.into(), settings: Vec::new(), bin_dirs }
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
    /// Takes a lease on the cluster of a data directory: creates the cluster if there is none, adopts its server if it is
    /// running, and starts it otherwise. Returns when the server accepts connections.
    ///
    /// A new cluster has the role `finance`, which is not a superuser, and the database `finance`, which that role owns.
    ///
    /// If a newer major version of PostgreSQL than the one that made the cluster is installed, and no other process uses the
    /// cluster, its content moves to the newer version first. The earlier cluster is kept beside the new one until
    /// [`remove_earlier`](Cluster::remove_earlier). If the move fails, the cluster is started with the version that made it.
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
        major_upgrade::recover(&place)?;
        initialize::remove_leftovers(&place)?;
        let installed = binaries::find(&options.bin_dirs, &place.user);
        let binaries = match place.content()? {
            Content::Cluster(made_by) => {
                let binaries = installed.that_made(&place.data, &made_by)?;
                place.check_owner()?;
                place.warn_if_found_again();
                follow(&place, binaries, &installed, &options.settings)?
            }
            Content::Nothing => {
                let binaries = installed.newest()?.clone();
                let begin = Instant::now();
                initialize::initialize(&place, &binaries, is_durable(&options.settings))?;
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

    /// The URL for the service: the role `finance` and its database `finance`, over the socket.
    pub fn url(&self) -> String {
        client::url(&self.place, initialize::SERVICE, initialize::SERVICE)
    }

    /// The URL for the superuser and a database, for backups and tests. Row-level security does not apply to the superuser.
    pub fn admin_url(&self, database: &str) -> String {
        client::url(&self.place, initialize::ADMIN, database)
    }

    /// The directory of PostgreSQL's programs, such as `pg_dump`, in the version of the server.
    pub fn bin_dir(&self) -> PathBuf {
        self.binaries().dir.clone()
    }

    /// PostgreSQL's own data directory.
    pub fn data_dir(&self) -> &Path {
        &self.place.data
    }

    /// The file with the server's messages.
    pub(crate) fn log(&self) -> PathBuf {
        self.place.log()
    }

    /// The directory of the socket, mode 0700.
    pub fn socket_dir(&self) -> PathBuf {
        self.place.socket_dir()
    }

    /// Whether the server is running and ready. Cheap enough to call several times a second.
    pub fn is_running(&self) -> bool {
        matches!(postmaster::state(&self.place), Ok(State::Ready(_) | State::Elsewhere))
    }

    /// Restarts the server if it has died, or if its program was replaced, for example by an upgrade of the package: new
    /// sessions of the old server would load libraries of the new version. Returns whether it was restarted. Meant for a thread
    /// that calls it several times a second.
    ///
    /// A restart closes connections and rolls back open transactions. After [`stop`](Cluster::stop) this does nothing. A
    /// replaced program is detected on Linux only.
    ///
    /// # Errors
    ///
    /// The server does not start; its program was replaced and no PostgreSQL of its major version is installed; the cluster's
    /// directory is gone; or this process has no file descriptor left for the check. A running server keeps running, and a
    /// missing cluster is not replaced by an empty one.
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
            // If there is no program to start, the running server is left alone.
            let installed = binaries::find(&self.options.bin_dirs, &self.place.user);
            *self.binaries() = installed.that_made(&self.place.data, &made_by)?.clone();
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

    /// Removes the clusters of earlier major versions that upgrades left beside this one; returns their number. Meant to be
    /// called when this one is known to work.
    ///
    /// # Errors
    ///
    /// A directory cannot be removed.
    pub fn remove_earlier(&self) -> Result<usize, ClusterError> {
        major_upgrade::remove_earlier(&self.place)
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
}

/// Moves the cluster to the newest version that is installed, if that is newer and nobody uses the cluster. Returns the
/// version to start.
fn follow(
    place: &Place,
    made_by: &Binaries,
    installed: &Installed,
    settings: &[(String, String)],
) -> Result<Binaries, ClusterError> {
    let Some(newer) = installed.newer_than(made_by.major) else { return Ok(made_by.clone()) };
    let Some(_alone) = Lock::exclusive(&place.lease(), Duration::ZERO)? else { return Ok(made_by.clone()) };
    if matches!(postmaster::state(place)?, State::Elsewhere | State::SingleUser) {
        return Ok(made_by.clone());
    }
    match major_upgrade::upgrade(place, made_by, newer, settings, is_durable(settings)) {
        Ok(()) => Ok(newer.clone()),
        Err(error) => {
            let (from, to) = (made_by.major, newer.major);
            log::error!(
                "the private cluster stays with PostgreSQL {from}, it cannot move to {to}: {}; the next start tries again",
                error::chain(&error)
            );
            Ok(made_by.clone())
        }
    }
}

/// Whether committed data must survive a failure of the machine.
fn is_durable(settings: &[(String, String)]) -> bool {
    !settings.contains(&("fsync".to_owned(), "off".to_owned()))
}
