//! The connections of the pool: how each is set up, and which are not used again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

use diesel::connection::SimpleConnection;
use diesel::r2d2::{Error, ManageConnection, R2D2Connection};
use diesel::sql_types::Bool;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};

use crate::connect::{OpenError, one_line};
use crate::migrations::{PRIVILEGED_SEARCH_PATH, SERVICE_ROLE};
use crate::watchdog::{Watchdog, Watched};

/// Disk space for what does not fit into memory, where the role may limit it: sorting a profile takes a tenth of it.
const TEMP_FILES_MEBIBYTES_MAX: u32 = 256;

/// A connection of the pool.
pub(crate) struct Session {
    pub(crate) connection: PgConnection,
    /// What it is at.
    pub(crate) watched: Arc<Watched>,
    /// Whether the pool drops it instead of taking it back.
    pub(crate) is_spent: bool,
}

/// What the role that the URL names may do.
#[derive(Debug, Clone, Copy, QueryableByName)]
pub(crate) struct Powers {
    /// Row-level security would not bind it.
    #[diesel(sql_type = Bool)]
    is_privileged: bool,
    /// It may limit temporary files.
    #[diesel(sql_type = Bool)]
    limits_temp_files: bool,
}

impl Powers {
    /// Those of the connection's role.
    pub(crate) fn of(connection: &mut PgConnection) -> Result<Self, OpenError> {
        let powers = connection.transaction(|connection| {
            // Whatever path the database prescribes, names are those of PostgreSQL.
            connection.batch_execute("set local search_path = pg_catalog")?;
            sql_query(
                "select rolsuper or rolbypassrls as is_privileged,
                    has_parameter_privilege('temp_file_limit', 'SET') as limits_temp_files
                from pg_roles where rolname = current_user",
            )
            .get_result(connection)
        });
        powers.map_err(|error: diesel::result::Error| OpenError::Connect(one_line(&error.to_string()).into()))
    }
}

impl Powers {
    /// What sets a new connection up. Its statements take no longer than so many milliseconds, unless a transaction says
    /// otherwise.
    pub(crate) fn set_up(self, statement_millis_max: u128) -> String {
        let mut set_up = format!("SET client_min_messages = warning; SET statement_timeout = {statement_millis_max};");
        if self.limits_temp_files {
            set_up.push_str(&format!("SET temp_file_limit = '{TEMP_FILES_MEBIBYTES_MAX}MB';"));
        }
        // A superuser is not bound by row-level security, so the service does not work as one.
        if self.is_privileged {
            set_up.push_str(&format!("{PRIVILEGED_SEARCH_PATH}; SET ROLE {SERVICE_ROLE};"));
        }
        set_up
    }
}

/// Makes the connections of a pool.
#[derive(Debug)]
pub(crate) struct SessionManager {
    url: String,
    set_up: String,
    watchdog: Watchdog,
}

impl SessionManager {
    /// Connections that are set up so.
    pub(crate) fn new(url: String, set_up: String, watchdog: Watchdog) -> Self {
        SessionManager { url, set_up, watchdog }
    }
}

impl ManageConnection for SessionManager {
    type Connection = Session;
    type Error = Error;

    fn connect(&self) -> Result<Session, Error> {
        let mut connection = PgConnection::establish(&self.url)?;
        let name = format!("finance-{:016x}", random());
        connection.batch_execute(&format!("{} SET application_name = '{name}'", self.set_up))?;
        Ok(Session { connection, watched: self.watchdog.watch(name), is_spent: false })
    }

    fn is_valid(&self, session: &mut Session) -> Result<(), Error> {
        session.connection.ping().map_err(Error::QueryError)
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_spent || std::thread::panicking() || session.connection.is_broken()
    }
}

/// A number that no other connection of any process has: each `RandomState` is keyed anew.
fn random() -> u64 {
    RandomState::new().hash_one(Instant::now())
}
