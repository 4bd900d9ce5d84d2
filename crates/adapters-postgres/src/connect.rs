//! Connecting to the database, with retries while it cannot be reached.

use std::error::Error;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use diesel::{Connection, PgConnection};

/// Settings of libpq that apply unless the URL sets them. A server that disappears with its machine or network must not
/// block a connection attempt or a transaction for the minutes of the operating system's defaults. All are seconds, at
/// least 2, but for the last, which is milliseconds.
const TIMEOUTS: [(&str, u32); 5] = [
    ("connect_timeout", 2),
    ("keepalives_idle", 10),
    ("keepalives_interval", 5),
    ("keepalives_count", 3),
    ("tcp_user_timeout", 15_000),
];
/// The wait before the next attempt.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// How often the log repeats that the database cannot be reached.
pub(crate) const SAY_INTERVAL: Duration = Duration::from_secs(5);

/// Why the store could not be opened. Never shows the URL, which may contain a password.
#[derive(Debug)]
pub enum OpenError {
    /// The database cannot be reached. The text is the reason.
    Connect(Box<dyn Error + Send + Sync>),
    /// A migration failed. The text is its name and the reason.
    Migrate(Box<dyn Error + Send + Sync>),
    /// The database is older than PostgreSQL 15.
    TooOld(String),
    /// Migrations are pending, and the options exclude applying them.
    Behind(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Connect(_) => f.write_str("the database cannot be reached"),
            OpenError::Migrate(_) => f.write_str("the database cannot be migrated"),
            OpenError::TooOld(version) => write!(f, "PostgreSQL 15 or newer is needed, this is {version}"),
            OpenError::Behind(missing) => {
                write!(f, "the database is behind this program, {missing} is missing: run `finance migrate`")
            }
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OpenError::Connect(cause) | OpenError::Migrate(cause) => Some(cause.as_ref()),
            OpenError::TooOld(_) | OpenError::Behind(_) => None,
        }
    }
}

/// Waits until the database can be reached. Logs the reason why it cannot at once, when it changes, and at intervals.
///
/// Every failure is retried: libpq distinguishes a wrong password from a starting server by the text of a message only,
/// which may be in any language, and a missing role or database may be about to be created.
///
/// # Errors
///
/// [`OpenError::Connect`] with the last attempt's cause, in one line.
pub fn wait_until_reachable(url: &str, wait_max: Duration) -> Result<(), OpenError> {
    let began = Instant::now();
    let mut said: Option<(Instant, String)> = None;
    loop {
        let cause = match PgConnection::establish(&timed(url)) {
            Ok(_) => {
                if said.is_some() {
                    log::info!("the database can be reached after {} s", began.elapsed().as_secs());
                }
                return Ok(());
            }
            Err(error) => one_line(&error.to_string()),
        };
        if began.elapsed() >= wait_max {
            return Err(OpenError::Connect(cause.into()));
        }
        if said.as_ref().is_none_or(|(at, known)| at.elapsed() >= SAY_INTERVAL || *known != cause) {
            log::warn!("the database cannot be reached, trying for {} s: {cause}", wait_max.as_secs());
            said = Some((Instant::now(), cause));
        }
        thread::sleep(RETRY_INTERVAL.min(wait_max.saturating_sub(began.elapsed())));
    }
}

/// Connects once.
pub(crate) fn connect(url: &str) -> Result<PgConnection, OpenError> {
    PgConnection::establish(&timed(url)).map_err(|error| OpenError::Connect(one_line(&error.to_string()).into()))
}

/// The URL or connection string with those [`TIMEOUTS`] that it does not set.
pub(crate) fn timed(url: &str) -> String {
    let mut timed = url.to_string();
    for (name, value) in TIMEOUTS.iter().filter(|(name, _)| !url.contains(name)) {
        let separator = match timed.contains("://") {
            true if timed.contains('?') => '&',
            true => '?',
            false => ' ',
        };
        timed.push_str(&format!("{separator}{name}={value}"));
    }
    timed
}

/// A text with its whitespace collapsed to one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_address_gets_time_limits_and_keeps_its_own() {
        for (url, beginning) in [
            ("postgresql://host/finance", "postgresql://host/finance?connect_timeout=2&keepalives_idle=10&"),
            ("postgres:///x?host=%2Ftmp", "postgres:///x?host=%2Ftmp&connect_timeout=2&keepalives_idle=10&"),
            ("host=db dbname=finance", "host=db dbname=finance connect_timeout=2 keepalives_idle=10 "),
            ("postgresql://host/x?connect_timeout=9", "postgresql://host/x?connect_timeout=9&keepalives_idle=10&"),
        ] {
            let timed = timed(url);
            assert!(timed.starts_with(beginning), "{timed}");
            assert!(TIMEOUTS.iter().all(|(name, _)| timed.matches(name).count() == 1), "{timed}");
        }
    }

    #[test]
    fn a_database_that_is_away_is_waited_for_and_no_longer() {
        let url = "postgresql://finance:hunter2@127.0.0.1:1/finance";
        let began = Instant::now();
        let error = wait_until_reachable(url, Duration::from_millis(600)).unwrap_err();
        assert!((600..5_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        let cause = error.source().unwrap().to_string();
        assert_eq!(error.to_string(), "the database cannot be reached", "the cause comes from source()");
        assert!(!cause.is_empty() && !cause.contains("hunter2") && cause.lines().count() == 1, "{cause}");
    }
}
