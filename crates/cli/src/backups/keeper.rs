//! The thread of the service that makes backups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use finance_http::LastBackup;
use finance_private_postgres::Cluster;
use time::OffsetDateTime;

use super::age::age;
use super::folder::Folder;
use super::making::make;
use super::schedule;

/// How often the thread checks whether a backup is due.
const INTERVAL: Duration = Duration::from_secs(60);
/// When the service stops: the interval between attempts to end a proof that is still running.
const END_INTERVAL: Duration = Duration::from_millis(500);
/// How often the log warns that the last good backup is old.
const WARN_INTERVAL: time::Duration = time::Duration::DAY;
/// The niceness of the programs that it starts, as `nice` counts: they yield to the service.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Makes a backup a day.
pub(crate) struct Keeper {
    folder: Folder,
    /// The delay of the first backup after the start.
    wait: Duration,
    last_good: Arc<LastBackup>,
    failures: Arc<AtomicU64>,
    stop: AtomicBool,
}

/// The state that the thread keeps between runs.
#[derive(Default)]
struct Memory {
    last_failure: Option<OffsetDateTime>,
    last_warning: Option<OffsetDateTime>,
    problem: String,
}

impl Keeper {
    pub(crate) fn new(folder: Folder, wait: Duration) -> Keeper {
        let keeper =
            Keeper { folder, wait, last_good: Arc::default(), failures: Arc::default(), stop: AtomicBool::new(false) };
        keeper.refresh();
        keeper
    }

    /// The time of the last good backup, kept up to date.
    pub(crate) fn last_good(&self) -> &Arc<LastBackup> {
        &self.last_good
    }

    /// The number of failed backups.
    pub(crate) fn failures(&self) -> &Arc<AtomicU64> {
        &self.failures
    }

    /// Makes backups until it is stopped.
    pub(crate) fn run(&self, cluster: &Cluster) {
        give_way();
        let (started, mut memory) = (Instant::now(), Memory::default());
        while !self.stop.load(Ordering::Relaxed) {
            let left = self.wait.saturating_sub(started.elapsed());
            if left.is_zero() {
                self.look_and_make(cluster, &mut memory);
                thread::park_timeout(INTERVAL);
            } else {
                thread::park_timeout(left);
            }
        }
    }

    /// Stops the thread, and the backup in progress.
    pub(crate) fn stop(&self, cluster: &Cluster, running: &thread::ScopedJoinHandle<'_, ()>) {
        self.stop.store(true, Ordering::Relaxed);
        running.thread().unpark();
        let mut ended_at = Instant::now();
        while !running.is_finished() {
            thread::sleep(Duration::from_millis(5));
            if ended_at.elapsed() >= END_INTERVAL {
                ended_at = Instant::now();
                // If the server does not answer, the proof does not continue either.
                if let Err(error) = cluster.end_proof() {
                    log::warn!("the proof of a backup cannot be ended: {:#}", anyhow::Error::from(error));
                }
            }
        }
    }

    fn look_and_make(&self, cluster: &Cluster, memory: &mut Memory) {
        let last_good = self.refresh();
        if !schedule::is_due(last_good, memory.last_failure, self.folder.now()) {
            return;
        }
        match make(cluster, &self.folder, &self.stop) {
            Ok(good) => {
                self.last_good.set(good.made_at);
                *memory = Memory::default();
            }
            Err(_) if self.stop.load(Ordering::Relaxed) => {}
            Err(error) => self.tell(&error, last_good, memory),
        }
    }

    fn tell(&self, error: &anyhow::Error, last_good: Option<OffsetDateTime>, memory: &mut Memory) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        let now = self.folder.now();
        memory.last_failure = Some(now);
        let problem = format!("{error:#}");
        if problem != memory.problem {
            log::error!("no backup was made; it is retried every hour: {problem}");
            memory.problem = problem;
        }
        let is_told = memory.last_warning.is_some_and(|at| now - at < WARN_INTERVAL);
        if schedule::is_old(last_good, now) && !is_told {
            match last_good {
                Some(at) => log::warn!("the last good backup is {} old", age(at, now)),
                None => log::warn!("there is no good backup"),
            }
            memory.last_warning = Some(now);
        }
    }

    /// Reads the folder, because a command may also have made a backup.
    fn refresh(&self) -> Option<OffsetDateTime> {
        let found: Result<_> = self.folder.last_good_at(self.folder.now());
        let last_good = found.unwrap_or_else(|error| {
            log::warn!("the folder of the backups cannot be read: {error:#}");
            None
        });
        if let Some(at) = last_good {
            self.last_good.set(at);
        }
        last_good
    }
}

/// Lowers the priority of this thread, and so of the programs that it starts.
fn give_way() {
    // On other systems this would change the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        log::debug!("backups have the priority of the service: {error}");
    }
}
