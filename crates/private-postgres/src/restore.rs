//! Restoring a backup while the service's database is in use, with pg_restore.

use std::error::Error;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::backup::Archive;
use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::initialize::SERVICE;
use crate::lock::Lock;
use crate::programs::{Running, failed};

/// Where a backup is restored, before it takes the service's place.
const RESTORED: &str = "finance_restored";
/// What the service's database is called once it has given way.
const REPLACED: &str = "finance_replaced";
/// How often renaming is tried. Each time PostgreSQL waits five seconds for connections to end.
const RENAME_TRIES: u32 = 3;
/// How often connections are ended while it waits.
const END_INTERVAL: Duration = Duration::from_millis(20);

impl Cluster {
    /// Replaces everything in the service's database by what a backup holds, or nothing.
    ///
    /// The backup is restored into a second database, which `complete` is given the URL of; then one transaction swaps
    /// the two. Until then the service answers from what there was, from then on from what was restored. Its connections
    /// are ended for that, and it makes new ones.
    ///
    /// # Errors
    ///
    /// The file is no backup, pg_restore or `complete` fails, or another restore is running. Everything is as it was
    /// then.
    pub fn restore<R: Read>(
        &self,
        mut archive: Archive<R>,
        complete: impl FnOnce(&str) -> Result<(), Box<dyn Error + Send + Sync>>,
    ) -> Result<(), ClusterError> {
        let Some(_alone) = Lock::exclusive(&self.place().restore_lock(), Duration::ZERO)? else {
            return Err(ClusterError::RestoreRunning { data: self.place().data.clone() });
        };
        self.drop_database(RESTORED)?;
        self.drop_database(REPLACED)?;
        self.administer(&[&format!("create database {RESTORED} owner {SERVICE} template template0")])?;
        let restored = self
            .fill(&mut archive)
            .and_then(|()| complete(&self.url_for(SERVICE, RESTORED)).map_err(ClusterError::Refused))
            .and_then(|()| self.swap());
        // Whichever of the two is of no use any more.
        let done_with = if restored.is_ok() { REPLACED } else { RESTORED };
        if let Err(error) = self.drop_database(done_with) {
            log::warn!("the database {done_with} is left over, the next restore removes it: {error}");
        }
        restored
    }

    fn fill(&self, archive: &mut dyn Read) -> Result<(), ClusterError> {
        const PROGRAM: &str = "pg_restore";
        let mut command = self.client(PROGRAM);
        command
            .args(["--format=custom", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"])
            .args(["--no-password", "--dbname", &self.url_for(SERVICE, RESTORED)]);
        let mut running = Running::start(PROGRAM, command)?;
        let fed = io::copy(archive, &mut running.input()?);
        running.finish()?;
        fed.map(drop).map_err(|error| failed(PROGRAM, format!("the backup cannot be read: {error}")))
    }

    /// Puts the restored database in the place of the other, in one transaction.
    ///
    /// Renaming keeps new connections out from its beginning, and waits for the others to end: those are ended
    /// meanwhile, from a connection of its own. Ended before, they would be made anew in no time.
    fn swap(&self) -> Result<(), ClusterError> {
        let end_connections = format!(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname in ('{SERVICE}', '{RESTORED}')"
        );
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let ending = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    self.administer(&[&end_connections])?;
                    thread::park_timeout(END_INTERVAL);
                }
                Ok(())
            });
            let renamed = self.rename();
            done.store(true, Ordering::Relaxed);
            ending.thread().unpark();
            // What kept it from ending connections is why they could not be renamed.
            let ended = ending.join().unwrap_or(Ok(()));
            if renamed.is_err() { ended.and(renamed) } else { renamed }
        })
    }

    fn rename(&self) -> Result<(), ClusterError> {
        // Several statements in one command are one transaction.
        let swap =
            format!("alter database {SERVICE} rename to {REPLACED}; alter database {RESTORED} rename to {SERVICE}");
        let mut tries_left = RENAME_TRIES;
        loop {
            tries_left -= 1;
            match self.administer(&[&swap]) {
                Err(error) if tries_left > 0 => log::warn!("the databases are not swapped yet: {error}"),
                renamed => return renamed.map(drop),
            }
        }
    }

    fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        let drop = format!("drop database if exists {name} with (force)");
        self.administer(&["set client_min_messages = warning", &drop]).map(|_| ())
    }
}
