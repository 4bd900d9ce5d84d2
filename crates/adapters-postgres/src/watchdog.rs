//! Cancels work that takes too long or that nobody waits for any more.
//!
//! When PostgreSQL cancels a statement, diesel passes on neither the SQLSTATE nor the reason. So this process measures the time
//! itself, asks PostgreSQL to cancel the statement, and remembers that it did. Then the cause of the error is known in whichever
//! language the server's messages are.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, PgConnection, RunQueryDsl, sql_query};
use finance_domain::{Cancellation, Error};

use crate::connect::{SAY_INTERVAL, one_line};

/// The interval between two checks of the work.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// The set-up of the watchdog's own session. It may be a superuser's, so its search path is `pg_catalog` only.
const SET_UP: &str = "SET search_path = pg_catalog; SET client_min_messages = error; SET statement_timeout = '2s'";

/// Why work was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Its time limit has passed.
    TookTooLong,
    /// Nobody waits for it any more.
    NobodyWaits,
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        let text = match reason {
            Reason::TookTooLong => "it took too long and was cancelled",
            Reason::NobodyWaits => "nobody waits for it any more",
        };
        Error::Unavailable(text.into())
    }
}

/// The work of one connection.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Its `application_name`, which no other connection has.
    name: String,
    /// Locked while its statement is being cancelled, so that no cancellation is in flight once the work has ended.
    work: Mutex<Option<Work>>,
}

#[derive(Debug)]
struct Work {
    until: Instant,
    cancellation: Cancellation,
    cancelled: Option<Reason>,
}

impl Watched {
    /// Starts to watch work with a deadline.
    pub(crate) fn begin(&self, until: Instant, cancellation: &Cancellation) {
        *self.work() = Some(Work { until, cancellation: cancellation.clone(), cancelled: None });
    }

    /// Sets another deadline.
    pub(crate) fn go_on(&self, until: Instant) {
        if let Some(work) = self.work().as_mut() {
            work.until = until;
        }
    }

    /// Ends the watching, and returns why the work was cancelled, if it was. A cancellation may then still be in flight, so
    /// the connection must not be used again.
    pub(crate) fn end(&self) -> Option<Reason> {
        self.work().take().and_then(|work| work.cancelled)
    }

    /// Cancels the work if it is due.
    fn check(&self, canceller: &mut Canceller) {
        let mut work = self.work();
        let Some(work) = work.as_mut() else { return };
        if work.cancelled.is_some() {
            // The work continues although its statement was cancelled: the connection is terminated.
            canceller.call("pg_terminate_backend", &self.name);
            return;
        }
        let reason = match &work.cancellation {
            cancellation if cancellation.is_cancelled() => Reason::NobodyWaits,
            _ if Instant::now() >= work.until => Reason::TookTooLong,
            _ => return,
        };
        work.cancelled = Some(reason);
        canceller.call("pg_cancel_backend", &self.name);
    }

    fn work(&self) -> MutexGuard<'_, Option<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connections of a store, and the thread that checks them until this is dropped.
#[derive(Debug)]
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    connections: Mutex<Vec<Weak<Watched>>>,
    has_ended: Mutex<bool>,
    ending: Condvar,
}

impl Watchdog {
    /// Starts the thread, with a connection of its own.
    ///
    /// # Errors
    ///
    /// Where the system cannot create a thread.
    pub(crate) fn start(url: String) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let watching = Arc::clone(&shared);
        let thread = thread::Builder::new().name("store watchdog".into()).spawn(move || watching.watch(url))?;
        Ok(Watchdog { shared, thread: Some(thread) })
    }

    /// The list of connections that it checks, for the code that makes them. That code does not keep the watchdog itself: a pool may
    /// be dropped by a thread of its own, later than its store, and the thread would end as late.
    pub(crate) fn list(&self) -> Watchlist {
        Watchlist(Arc::clone(&self.shared))
    }
}

/// Takes new connections to the thread of a watchdog.
#[derive(Debug)]
pub(crate) struct Watchlist(Arc<Shared>);

impl Watchlist {
    /// Adds a connection by its `application_name`, until it is dropped. The process id of its backend would not work: behind a
    /// pooler a connection changes its backend and keeps its name.
    pub(crate) fn watch(&self, name: String) -> Arc<Watched> {
        let watched = Arc::new(Watched { name, work: Mutex::default() });
        self.0.connections().push(Arc::downgrade(&watched));
        watched
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.shared.has_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.ending.notify_all();
        // Its connection is closed then, so a private server that is stopped next ends no session.
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the store watchdog panicked");
        }
    }
}

impl Shared {
    fn watch(&self, url: String) {
        let mut canceller = Canceller::new(url);
        let mut has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        while !*has_ended {
            drop(has_ended);
            for connection in self.living() {
                connection.check(&mut canceller);
            }
            has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
            if !*has_ended {
                let waited = self.ending.wait_timeout(has_ended, LOOK_INTERVAL);
                has_ended = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// The connections that are alive.
    fn living(&self) -> Vec<Arc<Watched>> {
        let mut connections = self.connections();
        connections.retain(|connection| connection.strong_count() > 0);
        connections.iter().filter_map(Weak::upgrade).collect()
    }

    fn connections(&self) -> MutexGuard<'_, Vec<Weak<Watched>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks PostgreSQL to cancel statements. It connects before that is needed, because later there may be no free
/// connection.
struct Canceller {
    url: String,
    connection: Option<PgConnection>,
    logged_at: Option<Instant>,
}

impl Canceller {
    fn new(url: String) -> Self {
        let mut canceller = Canceller { url, connection: None, logged_at: None };
        if let Err(error) = canceller.connect() {
            canceller.say(&error);
        }
        canceller
    }

    /// Calls a function of PostgreSQL with the backend of the named connection.
    fn call(&mut self, function: &'static str, name: &str) {
        // Twice, because a connection that died while it was idle fails only now, and because the work may be on another of several
        // hosts: a new connection is made to the host to which the pool connects now.
        let called = match self.try_call(function, name) {
            Ok(true) => return,
            Ok(false) | Err(_) => {
                self.connection = None;
                self.try_call(function, name)
            }
        };
        if let Err(error) = called {
            self.say(&error);
        }
    }

    /// Returns whether the connection was found.
    fn try_call(&mut self, function: &'static str, name: &str) -> Result<bool, String> {
        let connection = match self.connection.take() {
            Some(connection) => self.connection.insert(connection),
            None => self.connect()?,
        };
        // A role sees the names of its own connections.
        let query =
            format!("select pg_catalog.{function}(pid) from pg_catalog.pg_stat_activity where application_name = $1");
        sql_query(query).bind::<Text, _>(name).execute(connection).map(|found| found > 0).map_err(|error| {
            self.connection = None;
            error.to_string()
        })
    }

    fn connect(&mut self) -> Result<&mut PgConnection, String> {
        let mut connection = PgConnection::establish(&self.url).map_err(|error| error.to_string())?;
        connection.batch_execute(SET_UP).map_err(|error| error.to_string())?;
        Ok(self.connection.insert(connection))
    }

    fn say(&mut self, error: &str) {
        if self.logged_at.is_none_or(|logged_at| logged_at.elapsed() >= SAY_INTERVAL) {
            self.logged_at = Some(Instant::now());
            log::warn!("statements cannot be cancelled: {}", one_line(error));
        }
    }
}
