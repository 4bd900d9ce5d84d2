//! Pools of connections.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::r2d2::{HandleError, Pool, PooledConnection};
use finance_domain::{Error, Result};

use crate::connect::one_line;
use crate::connection::ConnectionManager;

/// The wait before a pool tries to connect again. The first wait is half of it. The wait is short, so that the pool soon finds a
/// database that is back.
const RETRY: Duration = Duration::from_millis(400);

/// A pool.
pub(crate) type ConnectionPool = Pool<ConnectionManager>;

/// Builds a pool, which starts to connect and keeps trying. A connection older than `age_max` is replaced.
pub(crate) fn build(
    manager: ConnectionManager,
    connections_max: u32,
    age_max: Duration,
    outage: Outage,
) -> ConnectionPool {
    Pool::builder()
        .max_size(connections_max)
        .max_lifetime(Some(age_max))
        .min_idle(Some(1))
        .connection_timeout(RETRY)
        .error_handler(Box::new(outage))
        .test_on_check_out(false)
        .build_unchecked(manager)
}

/// Takes a connection. Waits for it until the deadline.
pub(crate) fn connection(pool: &ConnectionPool, deadline: Instant) -> Result<PooledConnection<ConnectionManager>> {
    let wait_max = deadline.saturating_duration_since(Instant::now());
    pool.get_timeout(wait_max).map_err(|error| Error::Unavailable(one_line(&error.to_string()).into()))
}

/// Logs that a pool cannot connect, but not for every attempt.
#[derive(Debug)]
pub(crate) struct Outage {
    /// The server that the pool connects to.
    server: &'static str,
    /// The minimum interval between two log messages.
    interval: Duration,
    logged_at: Mutex<Option<Instant>>,
}

impl Outage {
    pub(crate) fn of(server: &'static str, interval: Duration) -> Self {
        Outage { server, interval, logged_at: Mutex::default() }
    }
}

impl HandleError<diesel::r2d2::Error> for Outage {
    fn handle_error(&self, error: diesel::r2d2::Error) {
        let mut logged_at = self.logged_at.lock().unwrap_or_else(PoisonError::into_inner);
        if logged_at.is_none_or(|logged_at| logged_at.elapsed() >= self.interval) {
            *logged_at = Some(Instant::now());
            log::warn!("no connection to the {}: {}", self.server, one_line(&error.to_string()));
        }
    }
}
