//! The replica of a store: its connections, when it is asked, and what became of the reads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use finance_domain::credentials::Need;
use finance_domain::error::Chain;
use finance_domain::{Access, Caller, Error, ProfileId, Proof, TransactionOptions};

use crate::connect::of_replica;
use crate::pool::{self, Outage, Sessions};
use crate::session::{SessionManager, SetUp};
use crate::watchdog::Watchdog;

/// How long a read waits for a connection to the replica.
pub(crate) const WAIT_MAX: Duration = Duration::from_millis(250);
/// How long the replica is not asked after it could not be used.
const AWAY: Duration = Duration::from_secs(5);
/// How long the reads of a profile stay on the primary after it has written here, or the replica was behind it.
const AFTER_WRITE: Duration = Duration::from_secs(1);
/// The most profiles that are remembered to have written.
const WRITERS_MAX: usize = 10_000;
/// When a connection is replaced: of several hosts, another one may be the replica since.
const AGE_MAX: Duration = Duration::from_secs(5 * 60);
/// How often the log repeats that the replica cannot be reached.
const SAY_INTERVAL: Duration = Duration::from_secs(60);

/// What became of the reads that might have been answered by a replica.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplicaFigures {
    /// Reads that it answered.
    pub answered: u64,
    /// Reads that it did not have the profile's last write for; the primary answered.
    pub behind: u64,
    /// Reads for which it could not be used; the primary answered.
    pub away: u64,
}

/// The replica of a store.
pub(crate) struct Replica {
    pub(crate) sessions: Sessions,
    away_until: Mutex<Option<Instant>>,
    writers: Mutex<Writers>,
    answered: AtomicU64,
    behind: AtomicU64,
    away: AtomicU64,
}

/// Profiles that have written lately, so that asking the replica for them would be in vain. Nothing else depends on it.
#[derive(Debug, Default)]
struct Writers(HashMap<ProfileId, Instant>);

impl Writers {
    fn note(&mut self, profile_id: ProfileId, now: Instant) {
        if self.0.len() >= WRITERS_MAX {
            self.0.retain(|_, wrote| now.duration_since(*wrote) < AFTER_WRITE);
        }
        if self.0.len() < WRITERS_MAX {
            self.0.insert(profile_id, now);
        }
    }

    fn has(&self, profile_id: ProfileId, now: Instant) -> bool {
        self.0.get(&profile_id).is_some_and(|wrote| now.duration_since(*wrote) < AFTER_WRITE)
    }
}

/// Whether a replica may answer what has that need. What is behind the others (logins, tokens, members) also changes without a
/// write of the profile.
fn is_of_books(need: Need) -> bool {
    match need {
        Need::Read | Need::Reference | Need::Export | Need::Calendar => true,
        Need::Any | Need::Login | Need::Tokens | Need::Members | Need::Import | Need::Write => false,
    }
}

impl Replica {
    /// Begins to connect, and does not wait for it: the store is of use without.
    ///
    /// # Errors
    ///
    /// Where the system cannot create a thread.
    pub(crate) fn open(url: &str, connections_max: u32, statement_millis_max: u128) -> std::io::Result<Self> {
        let url = of_replica(url);
        let watchdog = Watchdog::start(url.clone())?;
        let manager = SessionManager::new(url, SetUp::Replica { statement_millis_max }, watchdog);
        let sessions = pool::build(manager, connections_max, AGE_MAX, Outage::of("replica", SAY_INTERVAL));
        let replica = Replica {
            sessions,
            away_until: Mutex::default(),
            writers: Mutex::default(),
            answered: AtomicU64::default(),
            behind: AtomicU64::default(),
            away: AtomicU64::default(),
        };
        Ok(replica)
    }

    /// Whether it is worth asking.
    pub(crate) fn may_answer(&self, caller: &Caller, options: &TransactionOptions) -> bool {
        let now = Instant::now();
        options.access == Access::Read
            && is_of_books(caller.need)
            && !matches!(caller.proof, Proof::Invitation { .. })
            && locked(&self.away_until).is_none_or(|until| now >= until)
            && !locked(&self.writers).has(caller.profile_id, now)
    }

    /// Notes that a profile has written.
    pub(crate) fn note_write(&self, profile_id: ProfileId) {
        locked(&self.writers).note(profile_id, Instant::now());
    }

    /// Notes that it answered.
    pub(crate) fn note_answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that it did not have the last write of a profile, so that it is not asked again at once.
    pub(crate) fn note_behind(&self, profile_id: ProfileId) {
        self.behind.fetch_add(1, Ordering::Relaxed);
        self.note_write(profile_id);
    }

    /// Notes that it could not be used.
    pub(crate) fn note_away(&self, cause: &Error) {
        self.away.fetch_add(1, Ordering::Relaxed);
        self.put_aside(cause);
    }

    /// What became of the reads so far.
    pub(crate) fn figures(&self) -> ReplicaFigures {
        ReplicaFigures {
            answered: self.answered.load(Ordering::Relaxed),
            behind: self.behind.load(Ordering::Relaxed),
            away: self.away.load(Ordering::Relaxed),
        }
    }

    /// Leaves the replica alone for a while.
    pub(crate) fn put_aside(&self, cause: &Error) {
        let now = Instant::now();
        let mut away_until = locked(&self.away_until);
        // Of those that found it away together, one says so.
        if away_until.is_none_or(|until| now >= until) {
            log::warn!("the replica cannot be used, the primary answers: {}", Chain(cause));
        }
        *away_until = Some(now + AWAY);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_that_has_written_is_read_on_the_primary_for_a_while() {
        let (mut writers, now) = (Writers::default(), Instant::now());
        writers.note(ProfileId(1), now);
        assert!(writers.has(ProfileId(1), now + AFTER_WRITE / 2));
        assert!(!writers.has(ProfileId(1), now + AFTER_WRITE));
        assert!(!writers.has(ProfileId(2), now));
    }

    #[test]
    fn no_more_writers_are_remembered_than_the_limit() {
        let (mut writers, now) = (Writers::default(), Instant::now());
        for id in 0..WRITERS_MAX as i64 + 5 {
            writers.note(ProfileId(id), now);
        }
        assert_eq!(writers.0.len(), WRITERS_MAX);
        writers.note(ProfileId(-1), now + AFTER_WRITE);
        assert_eq!(writers.0.len(), 1, "those from before are forgotten");
    }

    #[test]
    fn logins_tokens_and_members_are_read_on_the_primary() {
        let of_books: Vec<Need> = Need::ALL.into_iter().filter(|need| is_of_books(*need)).collect();
        assert_eq!(of_books, [Need::Read, Need::Reference, Need::Export, Need::Calendar]);
    }
}
