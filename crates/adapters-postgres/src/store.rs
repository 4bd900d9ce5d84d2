//! The store: a pool of connections, and transactions bound to a profile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use diesel::r2d2::{ConnectionManager, CustomizeConnection, HandleError, Pool, PooledConnection};
use finance_domain::gamification::{Catalog, Rules};
use finance_domain::profiles::{Credential, NewProfile, Profile};
use finance_domain::store::{LoginFailures, Work};
use finance_domain::{Access, Caller, Error, ProfileId, Repo, Result, Store};

use crate::connect::{OpenError, SAY_INTERVAL, connect, one_line, timed};
use crate::migrations::{PRIVILEGED_SEARCH_PATH, SERVICE_ROLE};
use crate::readiness::Readiness;
use crate::repo::PgRepo;
use crate::{constraints, migrations, profiles};

/// A transaction that waits longer for its profile than this gives up.
const LOCK_TIMEOUT_SECONDS: u32 = 10;
/// A connection that cannot be had is tried for again after half as long, so that a database that
/// comes back is found at once.
const POOL_RETRY: Duration = Duration::from_millis(400);

/// How to reach the database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// A libpq connection string or URL.
    pub url: String,
    /// Transactions run at once, at the most; one more connection is kept for the readiness check.
    pub connections_max: u32,
    /// How long a request waits for a connection before it is told that there is none.
    pub connection_timeout: Duration,
    /// Whether opening applies pending migrations; where it does not, pending ones stop it.
    pub migrate: bool,
}

impl StoreOptions {
    /// The defaults, for a database at that URL.
    pub fn new(url: impl Into<String>) -> Self {
        StoreOptions { url: url.into(), connections_max: 8, connection_timeout: Duration::from_secs(3), migrate: true }
    }
}

/// PostgreSQL as the store of the domain.
pub struct PgStore {
    pool: Pool<ConnectionManager<PgConnection>>,
    readiness: Readiness,
    connection_timeout: Duration,
    rules: Rules,
}

impl PgStore {
    /// Applies pending migrations, under a lock so that nodes starting together apply each once, or sees
    /// to it that there are none, and opens the pool. What its repositories award goes by the rules.
    ///
    /// # Errors
    ///
    /// [`OpenError`], in one line.
    pub fn open(options: &StoreOptions, rules: Rules) -> Result<Self, OpenError> {
        let mut connection = connect(&options.url)?;
        if options.migrate {
            let applied = migrations::migrate(&mut connection)?;
            if applied > 0 {
                log::info!("{applied} migrations applied");
            }
        } else {
            migrations::check_done(&mut connection)?;
        }
        // A superuser is not bound by row-level security, so the service does not work as one.
        let privileged = migrations::is_privileged(&mut connection)?;
        drop(connection);
        let session = Session { privileged };
        let pool = Pool::builder()
            .max_size(options.connections_max)
            .min_idle(Some(1))
            .connection_timeout(POOL_RETRY)
            .error_handler(Box::new(Outage::default()))
            .test_on_check_out(false)
            .connection_customizer(Box::new(session))
            .build_unchecked(ConnectionManager::new(timed(&options.url)));
        pool.get_timeout(options.connection_timeout)
            .map_err(|error| OpenError::Connect(one_line(&error.to_string())))?;
        let readiness = Readiness::new(&options.url, session);
        Ok(PgStore { pool, readiness, connection_timeout: options.connection_timeout, rules })
    }

    /// Applies pending migrations and tells how many there were. A service that runs on the database
    /// may use what they made.
    ///
    /// # Errors
    ///
    /// [`OpenError`], in one line.
    pub fn migrate(url: &str) -> Result<usize, OpenError> {
        migrations::migrate(&mut connect(url)?)
    }

    /// How many transactions it runs at once, at the most.
    pub fn connections_max(&self) -> u32 {
        self.pool.max_size()
    }

    fn connection(&self, deadline: Instant) -> Result<PooledConnection<ConnectionManager<PgConnection>>> {
        let wait_max = deadline.saturating_duration_since(Instant::now());
        self.pool.get_timeout(wait_max).map_err(|error| Error::Unavailable(one_line(&error.to_string()).into()))
    }

    /// Runs `work` between `opening`, which begins a transaction in one round trip, and its end.
    /// A connection that died while it was idle fails at `opening`, before anything was done: it is
    /// replaced, and the caller never learns of it.
    fn in_transaction<T>(&self, opening: &str, work: impl FnOnce(&mut PgConnection) -> Result<T>) -> Result<T> {
        let deadline = Instant::now() + self.connection_timeout;
        let mut connection = loop {
            let mut connection = self.connection(deadline)?;
            match connection.batch_execute(opening).map_err(constraints::error) {
                Ok(()) => break connection,
                // One that cannot even roll back is dead, and the pool drops it.
                Err(error) => match (connection.batch_execute("ROLLBACK"), error) {
                    (Err(_), Error::Unavailable(cause)) if Instant::now() < deadline => {
                        log::debug!("a connection has died and is replaced: {cause}");
                    }
                    // It has never failed for what was asked: the database is not fit to answer, as after an upgrade
                    // under the running server.
                    (_, Error::Internal(cause)) => return Err(Error::Unavailable(cause)),
                    (_, error) => return Err(error),
                },
            }
        };
        match work(&mut connection) {
            Ok(value) => {
                connection.batch_execute("COMMIT").map_err(constraints::error)?;
                Ok(value)
            }
            Err(error) => {
                roll_back(&mut connection);
                Err(error)
            }
        }
    }
}

/// Ends a failed transaction. Where even that fails the connection is dead, which ends it as well,
/// and the pool drops the connection.
fn roll_back(connection: &mut PgConnection) {
    if let Err(error) = connection.batch_execute("ROLLBACK") {
        log::warn!(
            "a transaction could not be rolled back, its connection is given up: {}",
            one_line(&error.to_string())
        );
    }
}

impl Store for PgStore {
    fn transact(&self, caller: &Caller, access: Access, work: Work<'_>) -> Result<()> {
        let Caller { profile_id, credential_id } = *caller;
        // An integer and hexadecimal digits only, so the text needs no parameters and the round trip none beside it.
        let opening = match access {
            Access::Read => {
                format!(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT bind_profile({profile_id}, '{credential_id}', false)"
                )
            }
            Access::Write => format!("BEGIN; SELECT bind_profile({profile_id}, '{credential_id}', true)"),
        };
        self.in_transaction(&opening, |connection| {
            let mut repo = PgRepo { connection, profile_id, rules: &self.rules };
            work(&mut repo as &mut dyn Repo)
        })
    }

    fn credential_by_name(&self, name: &str) -> Result<Option<Credential>> {
        self.in_transaction("BEGIN READ ONLY", |connection| profiles::credential_by_name(connection, name))
    }

    fn profile_upsert(&self, new: &NewProfile) -> Result<Profile> {
        self.in_transaction("BEGIN", |connection| profiles::upsert(connection, new))
    }

    fn profile_list(&self) -> Result<Vec<Profile>> {
        self.in_transaction("BEGIN READ ONLY", profiles::list)
    }

    fn profile_set_password(&self, name: &str, password_hash: &str) -> Result<Profile> {
        self.in_transaction("BEGIN", |connection| profiles::set_password(connection, name, password_hash))
    }

    fn profile_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Profile> {
        self.in_transaction("BEGIN", |connection| profiles::set_disabled(connection, name, is_disabled))
    }

    fn profile_delete(&self, id: ProfileId) -> Result<bool> {
        self.in_transaction("BEGIN", |connection| profiles::delete(connection, id))
    }

    fn login_failures(&self, name: &str, address: &str) -> Result<LoginFailures> {
        self.in_transaction("BEGIN READ ONLY", |connection| profiles::login_failures(connection, name, address))
    }

    fn login_failed(&self, name: &str, address: &str) -> Result<LoginFailures> {
        self.in_transaction("BEGIN", |connection| profiles::login_failed(connection, name, address))
    }

    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.rules.catalog)
    }

    fn ready(&self) -> Result<()> {
        self.readiness.check()
    }
}

/// Sets each new connection up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Session {
    privileged: bool,
}

impl CustomizeConnection<PgConnection, diesel::r2d2::Error> for Session {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), diesel::r2d2::Error> {
        let step_down = match self.privileged {
            true => format!("{PRIVILEGED_SEARCH_PATH}; SET ROLE {SERVICE_ROLE};"),
            false => String::new(),
        };
        connection
            .batch_execute(&format!(
                "{step_down} SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'; SET client_min_messages = warning"
            ))
            .map_err(diesel::r2d2::Error::QueryError)
    }
}

/// Says in the log that no connection can be had, and not with every attempt.
#[derive(Debug, Default)]
struct Outage {
    said: Mutex<Option<Instant>>,
}

impl HandleError<diesel::r2d2::Error> for Outage {
    fn handle_error(&self, error: diesel::r2d2::Error) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() >= SAY_INTERVAL) {
            *said = Some(Instant::now());
            log::warn!("no connection to the database: {}", one_line(&error.to_string()));
        }
    }
}
