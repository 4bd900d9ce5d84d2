//! Connecting to the database, with retries while it cannot be reached.

use std::error::Error;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use diesel::{Connection, PgConnection};

/// Settings of libpq that apply unless the URL sets them. If a server disappears with its machine or network, a connection
/// attempt or a transaction must not block for the minutes of the operating system's defaults. All values are seconds, at least
/// 2, except the last one, which is milliseconds.
const TIMEOUTS: [(&str, u32); 5] = [
    ("connect_timeout", 2),
    ("keepalives_idle", 10),
    ("keepalives_interval", 5),
    ("keepalives_count", 3),
    ("tcp_user_timeout", 15_000),
];
/// How long data sent to a replica may stay unacknowledged, in milliseconds.
const REPLICA_MILLIS_MAX: u32 = 3_000;
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
    let mut logged: Option<(Instant, String)> = None;
    loop {
        let cause = match PgConnection::establish(&of_primary(url)) {
            Ok(_) => {
                if logged.is_some() {
                    log::info!("the database can be reached after {} s", began.elapsed().as_secs());
                }
                return Ok(());
            }
            Err(error) => one_line(&error.to_string()),
        };
        if began.elapsed() >= wait_max {
            return Err(OpenError::Connect(cause.into()));
        }
        if logged.as_ref().is_none_or(|(at, known)| at.elapsed() >= SAY_INTERVAL || *known != cause) {
            log::warn!("the database cannot be reached, trying for {} s: {cause}", wait_max.as_secs());
            logged = Some((Instant::now(), cause));
        }
        thread::sleep(RETRY_INTERVAL.min(wait_max.saturating_sub(began.elapsed())));
    }
}

/// Connects once.
pub(crate) fn connect(url: &str) -> Result<PgConnection, OpenError> {
    PgConnection::establish(&of_primary(url)).map_err(|error| OpenError::Connect(one_line(&error.to_string()).into()))
}

/// The URL or connection string of the primary, with the [`TIMEOUTS`] that it does not set. If it lists several hosts, libpq
/// selects the one that accepts writes at that time.
pub(crate) fn of_primary(url: &str) -> String {
    with(url, &settings(url, TIMEOUTS, "read-write"))
}

/// The same for a replica, with a shorter `tcp_user_timeout`, because another server can answer. If it lists several
/// hosts, libpq prefers one that is not a primary.
pub(crate) fn of_replica(url: &str) -> String {
    let sooner =
        TIMEOUTS.map(|(name, value)| (name, if name == "tcp_user_timeout" { REPLICA_MILLIS_MAX } else { value }));
    with(url, &settings(url, sooner, "prefer-standby"))
}

/// The settings that a connection must have.
fn settings(url: &str, timeouts: [(&'static str, u32); 5], attributes: &str) -> Vec<(&'static str, String)> {
    let mut settings: Vec<_> = timeouts.into_iter().map(|(name, value)| (name, value.to_string())).collect();
    if names_several_hosts(url) {
        settings.push(("target_session_attrs", attributes.to_string()));
    }
    settings
}

/// The URL or connection string, with the settings that it does not contain yet.
fn with(url: &str, settings: &[(&str, String)]) -> String {
    let mut complete = url.to_string();
    for (name, value) in settings.iter().filter(|(name, _)| !url.contains(name)) {
        let separator = match complete.contains("://") {
            true if complete.contains('?') => '&',
            true => '?',
            false => ' ',
        };
        complete.push_str(&format!("{separator}{name}={value}"));
    }
    complete
}

/// Whether a URL or connection string has a list of hosts: `postgresql://a,b/x`, `postgresql:///x?host=a,b`, `host=a,b dbname=x`.
fn names_several_hosts(url: &str) -> bool {
    let is_list = |hosts: &str| hosts.contains(',') || hosts.to_ascii_lowercase().contains("%2c");
    let parameter = |parts: &str, separator: fn(char) -> bool| {
        parts.split(separator).filter_map(|part| part.trim().strip_prefix("host")).any(|part| {
            let value = part.strip_prefix("addr").unwrap_or(part).trim_start().strip_prefix('=');
            value.is_some_and(is_list)
        })
    };
    let Some((_, rest)) = url.split_once("://") else { return parameter(url, char::is_whitespace) };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = path.split('/').next().unwrap_or_default();
    // A password may contain any other character.
    let hosts = authority.rsplit('@').next().unwrap_or_default();
    is_list(hosts) || parameter(query, |letter| letter == '&')
}

/// A text with its whitespace collapsed to one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_form_of_address_gets_time_limits_and_keeps_its_own() {
        for (url, beginning) in [
            ("postgresql://host/finance", "postgresql://host/finance?connect_timeout=2&keepalives_idle=10&"),
            ("postgres:///x?host=%2Ftmp", "postgres:///x?host=%2Ftmp&connect_timeout=2&keepalives_idle=10&"),
            ("host=db dbname=finance", "host=db dbname=finance connect_timeout=2 keepalives_idle=10 "),
            ("postgresql://host/x?connect_timeout=9", "postgresql://host/x?connect_timeout=9&keepalives_idle=10&"),
        ] {
            let timed = of_primary(url);
            assert!(timed.starts_with(beginning), "{timed}");
            assert!(TIMEOUTS.iter().all(|(name, _)| timed.matches(name).count() == 1), "{timed}");
            assert!(!timed.contains("target_session_attrs"), "{timed}");
        }
    }

    #[test]
    fn of_several_hosts_the_one_that_takes_writes_is_the_primary() {
        for url in [
            "postgres://finance@a:5432,b:5433/finance",
            "postgresql://finance:p@ss@a,b/finance",
            "postgresql:///finance?user=finance&host=%2Ftmp%2Fa%2C%2Ftmp%2Fb",
            "host=a,b dbname=finance",
            "dbname=finance hostaddr=10.0.0.1,10.0.0.2",
        ] {
            assert!(of_primary(url).ends_with("target_session_attrs=read-write"), "{url}");
            assert!(of_replica(url).ends_with("target_session_attrs=prefer-standby"), "{url}");
            assert!(of_replica(url).contains("tcp_user_timeout=3000"), "{url}");
        }
        for url in ["postgresql://finance:a,b@host/finance", "host=a dbname=a,b", "postgresql://a/x?options=-ca%3D1,2"]
        {
            assert!(!of_primary(url).contains("target_session_attrs"), "{url}");
        }
        let own = "postgresql://a,b/finance?target_session_attrs=primary";
        assert_eq!(of_primary(own).matches("target_session_attrs").count(), 1);
    }

    #[test]
    fn a_database_that_is_away_is_waited_for_and_no_longer() {
        // A server that ends each connection at once.
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("postgresql://finance:hunter2@{}/finance", server.local_addr().unwrap());
        let attempts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&attempts);
        thread::spawn(move || {
            for _ in server.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        let wait_max = RETRY_INTERVAL * 4;
        let error = wait_until_reachable(&url, wait_max).unwrap_err();
        // One attempt at the beginning and one after each interval. A busy machine makes fewer.
        assert!((2..=5).contains(&attempts.load(Ordering::SeqCst)), "{attempts:?}");
        let cause = error.source().unwrap().to_string();
        assert_eq!(error.to_string(), "the database cannot be reached", "the cause comes from source()");
        assert!(!cause.is_empty() && !cause.contains("hunter2") && cause.lines().count() == 1, "{cause}");
    }
}
