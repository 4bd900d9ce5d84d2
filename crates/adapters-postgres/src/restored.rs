//! A database that was restored from a backup: whether it is one of this service's, and what makes it one of today's.

use std::error::Error;
use std::fmt;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{PgConnection, QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::MigrationHarness;

use crate::OpenError;
use crate::connect::{connect, one_line};
use crate::migrations::{self, SERVICE_ROLE, VERSIONS, service_role};
use crate::sums;

/// Why a restored database cannot be served.
#[derive(Debug)]
pub enum RestoredError {
    /// This service never made it.
    Foreign,
    /// A later release made it, with migrations that this one does not know.
    Newer,
    /// It cannot be reached or migrated.
    Database(OpenError),
}

impl fmt::Display for RestoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoredError::Foreign => f.write_str("it is a backup of something else"),
            RestoredError::Newer => f.write_str("it was made by a newer release of finance; use that"),
            RestoredError::Database(_) => f.write_str("the restored database cannot be brought to the present schema"),
        }
    }
}

impl Error for RestoredError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RestoredError::Database(cause) => Some(cause),
            RestoredError::Foreign | RestoredError::Newer => None,
        }
    }
}

impl From<OpenError> for RestoredError {
    fn from(error: OpenError) -> Self {
        RestoredError::Database(error)
    }
}

impl From<diesel::result::Error> for RestoredError {
    fn from(error: diesel::result::Error) -> Self {
        RestoredError::Database(OpenError::Migrate(one_line(&error.to_string())))
    }
}

/// Brings a restored database to the present schema, if it is one of this service's, and lets the role that a
/// superuser's connections step down to use it.
///
/// # Errors
///
/// [`RestoredError`].
pub fn complete(url: &str) -> Result<(), RestoredError> {
    let mut connection = connect(url)?;
    let applied = connection.applied_migrations().map_err(|error| OpenError::Migrate(one_line(&error.to_string())))?;
    if applied.is_empty() {
        return Err(RestoredError::Foreign);
    }
    if !applied.iter().all(|applied| VERSIONS.contains(&applied.to_string())) {
        return Err(RestoredError::Newer);
    }
    migrations::migrate(&mut connection)?;
    Ok(grant_service_role(&mut connection)?)
}

/// Makes every balance, bill total and month total of every profile anew from its transactions, where rows were stored by
/// something else than this service; tells how many profiles there are. Must run on the present schema.
///
/// # Errors
///
/// [`RestoredError::Database`].
pub fn rebuild_sums(url: &str) -> Result<usize, RestoredError> {
    Ok(sums::rebuild_all(&mut connect(url)?)?)
}

/// Grants the role that a superuser's connections step down to what it needs in this database, where there is such a
/// role. The database's owner may do that: it owns everything in it.
fn grant_service_role(connection: &mut PgConnection) -> diesel::QueryResult<()> {
    #[derive(QueryableByName)]
    struct Known {
        #[diesel(sql_type = Bool)]
        known: bool,
    }
    let role: Known =
        sql_query(format!("select exists (select from pg_roles where rolname = '{SERVICE_ROLE}') as known"))
            .get_result(connection)?;
    if role.known { connection.batch_execute(&service_role()) } else { Ok(()) }
}
