//! How a store is opened, and the time limits of its transactions.

use std::time::Duration;

use finance_domain::TimeLimit;
use finance_domain::transactions::TRANSACTIONS_MAX;

/// How to reach the database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// A libpq connection string or URL.
    pub url: String,
    /// The connection string or URL of a replica that may answer reads. The store opens without it.
    pub replica_url: Option<String>,
    /// The most concurrent transactions. The readiness check uses one more connection.
    pub connections_max: u32,
    /// How long a request waits for a connection before it fails.
    pub connection_timeout: Duration,
    /// The time limits of transactions.
    pub time_limits: TimeLimits,
    /// The most transactions of a profile.
    pub transactions_max: usize,
    /// Whether opening applies pending migrations. If not, opening fails if any are pending.
    pub migrate: bool,
}

/// The time limits of transactions.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// For beginning: a writer waits for the writers of its profile in other processes.
    pub begin: Duration,
    /// For [`TimeLimit::Ordinary`].
    pub ordinary: Duration,
    /// For [`TimeLimit::Long`]. A streamed export takes as long as its client reads it.
    pub long: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        TimeLimits {
            begin: Duration::from_secs(10),
            ordinary: Duration::from_secs(20),
            long: Duration::from_secs(30 * 60),
        }
    }
}

impl TimeLimits {
    pub(crate) fn of(&self, limit: TimeLimit) -> Duration {
        match limit {
            TimeLimit::Ordinary => self.ordinary,
            TimeLimit::Long => self.long,
        }
    }
}

impl StoreOptions {
    /// The default options for the database of a URL.
    pub fn new(url: impl Into<String>) -> Self {
        StoreOptions {
            url: url.into(),
            replica_url: None,
            connections_max: 8,
            connection_timeout: Duration::from_secs(3),
            time_limits: TimeLimits::default(),
            transactions_max: TRANSACTIONS_MAX,
            migrate: true,
        }
    }
}
