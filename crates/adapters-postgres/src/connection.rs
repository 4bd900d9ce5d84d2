//! The connections of the pool: how each is set up, and when one is dropped.

use std::error::Error as _;
use std::sync::Arc;

use diesel::connection::SimpleConnection;
use diesel::r2d2::{Error, ManageConnection, R2D2Connection};
use diesel::sql_types::Bool;
use diesel::{Connection, ConnectionError, PgConnection, QueryableByName, RunQueryDsl, sql_query};
use uuid::Uuid;

use crate::connect::{OpenError, one_line};
use crate::migrations::{self, PRIVILEGED_SEARCH_PATH, SERVICE_ROLE};
use crate::watchdog::{Watched, Watchlist};

/// The disk space for temporary files of a connection, if the role may limit it. Sorting a profile takes a tenth of it.
const TEMP_FILES_MEBIBYTES_MAX: u32 = 256;

/// A connection of the pool.
pub(crate) struct WatchedConnection {
    pub(crate) connection: PgConnection,
    /// The work that it runs.
    pub(crate) watched: Arc<Watched>,
    /// Whether the pool drops it instead of reusing it.
    pub(crate) is_spent: bool,
}

/// The privileges of the role of the URL.
#[derive(Debug, Clone, Copy, QueryableByName)]
pub(crate) struct Powers {
    /// The role bypasses row-level security.
    #[diesel(sql_type = Bool)]
    is_privileged: bool,
    /// The role may set `temp_file_limit`.
    #[diesel(sql_type = Bool)]
    limits_temp_files: bool,
    /// The role may set `lc_messages`.
    #[diesel(sql_type = Bool)]
    sets_messages: bool,
}

impl Powers {
    /// The privileges of the connection's role.
    pub(crate) fn of(connection: &mut PgConnection) -> Result<Self, OpenError> {
        let powers = connection.transaction(|connection| {
            // Resolve only PostgreSQL's own objects, whatever search path the database sets.
            connection.batch_execute("set local search_path = pg_catalog")?;
            sql_query(
                "select rolsuper or rolbypassrls as is_privileged,
                    has_parameter_privilege('temp_file_limit', 'SET') as limits_temp_files,
                    has_parameter_privilege('lc_messages', 'SET') as sets_messages
                from pg_roles where rolname = current_user",
            )
            .get_result(connection)
        });
        powers.map_err(|error: diesel::result::Error| OpenError::Connect(one_line(&error.to_string()).into()))
    }
}

impl Powers {
    /// The statements that set a new connection up. `statement_millis_max` applies unless a transaction sets another
    /// limit.
    pub(crate) fn set_up(self, statement_millis_max: u128) -> String {
        let mut set_up = format!("SET client_min_messages = warning; SET statement_timeout = {statement_millis_max};");
        if self.limits_temp_files {
            set_up.push_str(&format!("SET temp_file_limit = '{TEMP_FILES_MEBIBYTES_MAX}MB';"));
        }
        // Some errors are known by their message only (`constraints.rs`).
        if self.sets_messages {
            set_up.push_str("SET lc_messages = 'C';");
        }
        // A superuser bypasses row-level security, so the service switches to another role.
        if self.is_privileged {
            set_up.push_str(&format!("{PRIVILEGED_SEARCH_PATH}; SET ROLE {SERVICE_ROLE};"));
        }
        set_up
    }
}

/// How the connections of a pool are set up.
#[derive(Debug)]
pub(crate) enum SetUp {
    /// With these statements.
    Known(String),
    /// With statements for the privileges that the role has there, and with this statement timeout. The server must have the
    /// schema of this program: a replica that is behind a migration would answer with errors.
    Replica {
        /// The statement timeout.
        statement_millis_max: u128,
    },
}

impl SetUp {
    fn statements(&self, connection: &mut PgConnection) -> Result<String, Error> {
        match self {
            SetUp::Known(statements) => Ok(statements.clone()),
            SetUp::Replica { statement_millis_max } => {
                let powers = Powers::of(connection).map_err(|error| {
                    let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    unusable(cause)
                })?;
                let set_up = powers.set_up(*statement_millis_max);
                connection.batch_execute(&set_up).map_err(Error::QueryError)?;
                match migrations::missing(connection).map_err(Error::QueryError)? {
                    None => Ok(String::new()),
                    Some(version) => Err(unusable(format!("migration {version} is not there yet"))),
                }
            }
        }
    }
}

fn unusable(cause: String) -> Error {
    Error::ConnectionError(ConnectionError::BadConnection(cause))
}

/// Creates the connections of a pool.
#[derive(Debug)]
pub(crate) struct ConnectionManager {
    url: String,
    set_up: SetUp,
    watchlist: Watchlist,
}

impl ConnectionManager {
    /// Creates a manager whose connections are set up by `set_up`.
    pub(crate) fn new(url: String, set_up: SetUp, watchlist: Watchlist) -> Self {
        ConnectionManager { url, set_up, watchlist }
    }
}

impl ManageConnection for ConnectionManager {
    type Connection = WatchedConnection;
    type Error = Error;

    fn connect(&self) -> Result<WatchedConnection, Error> {
        let mut connection = PgConnection::establish(&self.url)?;
        // No other connection of any process has this name.
        let name = format!("finance-{}", Uuid::new_v4().simple());
        let set_up = self.set_up.statements(&mut connection)?;
        connection.batch_execute(&format!("{set_up} SET application_name = '{name}'"))?;
        Ok(WatchedConnection { connection, watched: self.watchlist.watch(name), is_spent: false })
    }

    fn is_valid(&self, pooled: &mut WatchedConnection) -> Result<(), Error> {
        pooled.connection.ping().map_err(Error::QueryError)
    }

    fn has_broken(&self, pooled: &mut WatchedConnection) -> bool {
        pooled.is_spent || std::thread::panicking() || pooled.connection.is_broken()
    }
}
