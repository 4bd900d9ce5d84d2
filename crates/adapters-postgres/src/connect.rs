//! Reaching the database: within a time, and again while it is away.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use diesel::{Connection, PgConnection};

/// What libpq is told where the address does not say otherwise: a server that vanishes without a word, with
/// its machine or the network, must hold neither an attempt nor a transaction for the minutes that
/// operating systems wait. Seconds, from 2 on, but for the last, which is in milliseconds.
const TIMEOUTS: [(&str, u32); 5] = [
    ("connect_timeout", 2),
    ("keepalives_idle", 10),
    ("keepalives_interval", 5),
    ("keepalives_count", 3),
    ("tcp_user_timeout", 15_000),
];
/// How long to wait before the next attempt.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// How often the log says that the database is still away.
pub(crate) const SAY_INTERVAL: Duration = Duration::from_secs(5);
/// Answers that waiting does not change, in the words of the server and of libpq.
const LASTING: [&str; 6] =
    ["authentication failed", "no password supplied", "does not exist", "pg_hba.conf", "invalid ", "missing "];

/// Why the store could not be opened. Never shows the URL, which may hold a password.
#[derive(Debug)]
pub enum OpenError {
    /// The database cannot be reached.
    Connect(String),
    /// A migration failed; the text starts with its name.
    Migrate(String),
    /// The database is older than PostgreSQL 15.
    TooOld(String),
    /// What `finance migrate` does is not done, and is not to be done at the start.
    Behind(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Connect(cause) => write!(f, "the database cannot be reached: {cause}"),
            OpenError::Migrate(cause) => write!(f, "the database cannot be migrated: {cause}"),
            OpenError::TooOld(version) => write!(f, "PostgreSQL 15 or newer is needed, this is {version}"),
            OpenError::Behind(missing) => {
                write!(f, "the database is behind this program, {missing} is missing: run `finance migrate`")
            }
        }
    }
}

impl std::error::Error for OpenError {}

/// Waits until the database can be reached, and says in the log that it waits. An answer that no
/// waiting changes, such as a wrong password, ends it at once.
///
/// # Errors
///
/// [`OpenError::Connect`] with the last attempt's cause, in one line.
pub fn wait_until_reachable(url: &str, wait_max: Duration) -> Result<(), OpenError> {
    let began = Instant::now();
    let mut said: Option<Instant> = None;
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
        if began.elapsed() >= wait_max || is_lasting(&cause) {
            return Err(OpenError::Connect(cause));
        }
        if said.is_none_or(|said| said.elapsed() >= SAY_INTERVAL) {
            log::warn!("the database cannot be reached, trying for {} s: {cause}", wait_max.as_secs());
            said = Some(Instant::now());
        }
        thread::sleep(RETRY_INTERVAL.min(wait_max.saturating_sub(began.elapsed())));
    }
}

/// Connects once.
pub(crate) fn connect(url: &str) -> Result<PgConnection, OpenError> {
    PgConnection::establish(&timed(url)).map_err(|error| OpenError::Connect(one_line(&error.to_string())))
}

/// The URL or connection string with [`TIMEOUTS`], but for those it has itself.
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

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_lasting(cause: &str) -> bool {
    LASTING.iter().any(|lasting| cause.contains(lasting))
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
    fn only_what_may_pass_is_waited_for() {
        for cause in [
            "connection to server at \"127.0.0.1\", port 1 failed: Connection refused",
            "connection to server on socket \"/x\" failed: No such file or directory",
            "FATAL: the database system is starting up",
            "could not translate host name \"db\" to address: Temporary failure in name resolution",
            "FATAL: sorry, too many clients already",
        ] {
            assert!(!is_lasting(cause), "{cause}");
        }
        for cause in [
            "FATAL: password authentication failed for user \"finance\"",
            "FATAL: database \"finanse\" does not exist",
            "invalid port number: \"x\"",
            "missing \"=\" after \"rubbish\" in connection info string",
        ] {
            assert!(is_lasting(cause), "{cause}");
        }
    }

    #[test]
    fn a_database_that_is_away_is_waited_for_and_no_longer() {
        let url = "postgresql://finance:hunter2@127.0.0.1:1/finance";
        let began = Instant::now();
        let error = wait_until_reachable(url, Duration::from_millis(600)).unwrap_err().to_string();
        assert!((600..5_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        assert!(error.starts_with("the database cannot be reached: ") && !error.contains("hunter2"), "{error}");
    }
}
