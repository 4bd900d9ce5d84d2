//! The replica of a store: its connections, when it is used, and the outcome of the reads.
//!
//! Every transaction that changes what a read route shows gives the profile another `write_id`. What changes without that (logins, tokens,
//! members) is read on the primary (`is_of_books`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use finance_domain::credentials::Need;
use finance_domain::error::Chain;
use finance_domain::{Access, Caller, Error, ProfileId, Proof, TransactionOptions};

use crate::connect::of_replica;
use crate::connection::{ConnectionManager, SetUp};
use crate::pool::{self, ConnectionPool, Outage};
use crate::watchdog::Watchdog;

/// How long a read waits for a connection to the replica.
pub(crate) const WAIT_MAX: Duration = Duration::from_millis(250);
/// How long the replica is not used after a failure.
const AWAY: Duration = Duration::from_secs(5);
/// How long the reads of a profile stay on the primary after a write on this node, or after the replica was behind.
const AFTER_WRITE: Duration = Duration::from_secs(1);
/// The maximum number of profiles remembered as having written.
const WRITERS_MAX: usize = 10_000;
/// When a connection is replaced: if there are several hosts, another one may be the replica by then.
const AGE_MAX: Duration = Duration::from_secs(5 * 60);
/// How often the log repeats that the replica cannot be reached.
const SAY_INTERVAL: Duration = Duration::from_secs(60);

/// Counts of the reads that a replica could have answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplicaFigures {
    /// Reads that the replica answered.
    pub answered: u64,
    /// Reads for which the replica did not have the profile's last write. The primary answered them.
    pub behind: u64,
    /// Reads for which the replica could not be used. The primary answered them.
    pub away: u64,
}

/// The replica of a store.
pub(crate) struct Replica {
    pub(crate) pool: ConnectionPool,
    away_until: Mutex<Option<Instant>>,
    writers: Mutex<Writers>,
    answered: AtomicU64,
    behind: AtomicU64,
    away: AtomicU64,
    /// Its thread ends with the store.
    _watchdog: Watchdog,
}

/// Profiles that wrote recently: the replica would not have their last write yet. This only avoids useless queries.
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

/// Whether a replica may answer a request with that need. The data behind the other needs (logins, tokens, members) also changes
/// without a write of the profile.
fn is_of_books(need: Need) -> bool {
    match need {
        Need::Read | Need::Reference | Need::Export | Need::Calendar => true,
        Need::Any
        | Need::Login
        | Need::Tokens
        | Need::Members
        | Need::Webhooks
        | Need::Import
        | Need::Write
        | Need::Enter
        | Need::Own
        | Need::Tools => false,
    }
}

impl Replica {
    /// Starts to connect and does not wait for the connection: the store works without the replica.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub(crate) fn open(url: &str, connections_max: u32, statement_millis_max: u128) -> std::io::Result<Self> {
        let url = of_replica(url);
        let watchdog = Watchdog::start(url.clone())?;
        let manager = ConnectionManager::new(url, SetUp::Replica { statement_millis_max }, watchdog.list());
        let pool = pool::build(manager, connections_max, AGE_MAX, Outage::of("replica", SAY_INTERVAL));
        let replica = Replica {
            pool,
            away_until: Mutex::default(),
            writers: Mutex::default(),
            answered: AtomicU64::default(),
            behind: AtomicU64::default(),
            away: AtomicU64::default(),
            _watchdog: watchdog,
        };
        Ok(replica)
    }

    /// Whether the replica is worth trying for this transaction.
    pub(crate) fn may_answer(&self, caller: &Caller, options: &TransactionOptions) -> bool {
        let now = Instant::now();
        options.access == Access::Read
            && is_of_books(caller.need)
            && !matches!(caller.proof, Proof::Invitation { .. })
            && locked(&self.away_until).is_none_or(|until| now >= until)
            && !locked(&self.writers).has(caller.profile_id, now)
    }

    /// Records that a profile has written.
    pub(crate) fn note_write(&self, profile_id: ProfileId) {
        locked(&self.writers).note(profile_id, Instant::now());
    }

    /// Records that the replica answered.
    pub(crate) fn note_answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that the replica did not have the last write of a profile, so that the profile's next reads do not try it at once.
    pub(crate) fn note_behind(&self, profile_id: ProfileId) {
        self.behind.fetch_add(1, Ordering::Relaxed);
        self.note_write(profile_id);
    }

    /// Records that the replica could not be used.
    pub(crate) fn note_away(&self, cause: &Error) {
        self.away.fetch_add(1, Ordering::Relaxed);
        self.put_aside(cause);
    }

    /// The counts of the reads so far.
    pub(crate) fn figures(&self) -> ReplicaFigures {
        ReplicaFigures {
            answered: self.answered.load(Ordering::Relaxed),
            behind: self.behind.load(Ordering::Relaxed),
            away: self.away.load(Ordering::Relaxed),
        }
    }

    /// Does not use the replica for a while.
    pub(crate) fn put_aside(&self, cause: &Error) {
        let now = Instant::now();
        let mut away_until = locked(&self.away_until);
        // If several reads find it unavailable together, only one logs it.
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
