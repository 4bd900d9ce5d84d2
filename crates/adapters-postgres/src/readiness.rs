//! The readiness check: whether a request that needs a new connection can be served.
//!
//! Pooled connections can work for hours while new ones fail. For example, after PostgreSQL was upgraded under its running
//! server, new sessions cannot load PL/pgSQL.

use std::fmt::Display;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::r2d2::{ConnectionManager, Error as PoolError, ManageConnection, NopErrorHandler, Pool};
use diesel::{Connection, ConnectionError, PgConnection};
use finance_domain::{Error, Result};

use crate::connect::one_line;
use crate::{constraints, migrations};

/// How long the check waits for a connection, and then for each answer.
const MILLIS_MAX: u64 = 400;
/// The maximum age of the check's connection, so that it shows whether new ones work. The check needs no login, so this
/// also limits how often it connects.
const CONNECTION_AGE_MAX: Duration = Duration::from_secs(1);
/// The statement that every transaction of a profile begins with, for a profile that does not exist.
const BIND_NOBODY: &str = "SELECT bind_profile(0, '00000000000000000000000000000000', '{}', false, null)";

/// The readiness check, with a connection of its own.
pub(crate) struct Readiness(Pool<NewConnections>);

impl Readiness {
    /// Creates a check that connects and sets connections up as the store does.
    pub(crate) fn new(url: String, set_up: String) -> Self {
        let connections = NewConnections { manager: ConnectionManager::new(url), set_up };
        let pool = Pool::builder()
            .max_size(1)
            .min_idle(Some(0))
            .connection_timeout(Duration::from_millis(MILLIS_MAX))
            // The caller gets the error; the pool of the requests logs it.
            .error_handler(Box::new(NopErrorHandler))
            .test_on_check_out(true)
            .build_unchecked(connections);
        Readiness(pool)
    }

    pub(crate) fn check(&self) -> Result<()> {
        loop {
            let mut made = self.0.get().map_err(unavailable)?;
            let was_used = std::mem::replace(&mut made.is_used, true);
            let checked = made.check();
            made.has_failed = checked.is_err();
            // The failure of a reused connection may concern only that connection.
            if checked.is_ok() || !was_used {
                return checked;
            }
        }
    }
}

/// The connection of the check.
struct NewConnection {
    connection: PgConnection,
    made_at: Instant,
    is_used: bool,
    has_failed: bool,
}

impl NewConnection {
    fn check(&mut self) -> Result<()> {
        let checked = self.connection.transaction(|connection| {
            connection
                .batch_execute(&format!("SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = {MILLIS_MAX}"))?;
            if let Some(version) = migrations::missing(connection)? {
                return Ok(Some(version));
            }
            connection.batch_execute(BIND_NOBODY).map(|()| None)
        });
        match checked.map_err(constraints::error) {
            // The statement runs, and finds no profile.
            Err(Error::Unauthenticated) => Ok(()),
            Err(error) => Err(unavailable(error)),
            Ok(Some(version)) => Err(unavailable(format!("migration {version} is not applied"))),
            Ok(None) => Err(Error::Internal("a profile was bound that nobody has".into())),
        }
    }
}

fn unavailable(cause: impl Display) -> Error {
    Error::Unavailable(one_line(&cause.to_string()).into())
}

/// Connects as the store does.
struct NewConnections {
    manager: ConnectionManager<PgConnection>,
    set_up: String,
}

impl ManageConnection for NewConnections {
    type Connection = NewConnection;
    type Error = PoolError;

    fn connect(&self) -> Result<NewConnection, PoolError> {
        let mut connection = self.manager.connect()?;
        connection.batch_execute(&self.set_up).map_err(PoolError::QueryError)?;
        Ok(NewConnection { connection, made_at: Instant::now(), is_used: false, has_failed: false })
    }

    fn is_valid(&self, made: &mut NewConnection) -> Result<(), PoolError> {
        if made.made_at.elapsed() < CONNECTION_AGE_MAX {
            return Ok(());
        }
        Err(PoolError::ConnectionError(ConnectionError::BadConnection("is no new one".into())))
    }

    fn has_broken(&self, made: &mut NewConnection) -> bool {
        made.has_failed || self.manager.has_broken(&mut made.connection)
    }
}
