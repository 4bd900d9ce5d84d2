//! A database that was restored from a backup: whether it is one of this service's, and what it takes to be one
//! of today's.

use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{PgConnection, QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::MigrationHarness;

use crate::OpenError;
use crate::connect::one_line;
use crate::migrations::{self, SERVICE_ROLE, VERSIONS, service_role};

/// What a restored database is.
pub(crate) enum Restored {
    /// One of this service's, with the present schema by now.
    Ours,
    /// One of a later release, with migrations that this one does not know.
    Newer,
    /// One that this service never made.
    Foreign,
}

/// Brings a restored database to the present schema, if it is one of this service's.
pub(crate) fn migrate(connection: &mut PgConnection) -> Result<Restored, OpenError> {
    let applied =
        connection.applied_migrations().map_err(|error| OpenError::Migrate(one_line(&error.to_string()).into()))?;
    if applied.is_empty() {
        return Ok(Restored::Foreign);
    }
    if !applied.iter().all(|applied| VERSIONS.contains(&applied.to_string())) {
        return Ok(Restored::Newer);
    }
    migrations::migrate(connection).map(|_| Restored::Ours)
}

/// Grants the role that a superuser's connections step down to what it needs in this database, where there is
/// such a role.
pub(crate) fn let_service_role_in(connection: &mut PgConnection) -> diesel::QueryResult<()> {
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
