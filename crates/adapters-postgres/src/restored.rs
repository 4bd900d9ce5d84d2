//! The schema in a restore: building it as it was when the backup was made, and migrating it to the current one when the rows are
//! restored.

use std::error::Error;
use std::fmt;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{PgConnection, QueryableByName, RunQueryDsl, sql_query};

use crate::OpenError;
use crate::connect::{connect, one_line};
use crate::migrations::{self, SERVICE_ROLE, VERSIONS, service_role};
use crate::row::row;
use crate::sums;

/// Why a restored database cannot be served.
#[derive(Debug)]
pub enum RestoredError {
    /// It is not a backup of this service.
    Foreign,
    /// A later release made it: this release does not have all its migrations.
    Newer,
    /// It cannot be reached or migrated.
    Database(OpenError),
}

impl fmt::Display for RestoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoredError::Foreign => f.write_str("it is a backup of something else"),
            RestoredError::Newer => f.write_str("it was made by a newer release of finance; use that"),
            RestoredError::Database(_) => f.write_str("the restored database cannot be migrated to the current schema"),
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
        RestoredError::Database(OpenError::Migrate(one_line(&error.to_string()).into()))
    }
}

/// The table of applied migrations.
pub const VERSION_TABLE: &str = "__diesel_schema_migrations";
/// The column of that table that contains the version.
pub const VERSION_COLUMN: &str = "version";

/// A new credential revokes the logins and the devices of a member. A link for a password may have been used since the backup.
///
/// Row-level security is forced on the tables' owner too. Without the change the owner would see no member.
const DRAW_CREDENTIALS: &str = "begin;
    alter table members no force row level security;
    update members set credential_id = gen_random_uuid();
    alter table members force row level security;
    alter table invitations no force row level security;
    delete from invitations where member_id is not null;
    alter table invitations force row level security;
    commit";

/// Applies the migrations of the given versions, and no others, to an empty database.
///
/// # Errors
///
/// [`RestoredError::Newer`] if this release does not have one of them, [`RestoredError::Foreign`] if the list is empty.
pub fn build(url: &str, versions: &[String]) -> Result<(), RestoredError> {
    if versions.is_empty() {
        return Err(RestoredError::Foreign);
    }
    if !versions.iter().all(|version| VERSIONS.contains(version)) {
        return Err(RestoredError::Newer);
    }
    Ok(migrations::apply(&mut connect(url)?, versions)?)
}

/// Migrates a database that contains the rows of a backup to the current schema. Gives every member a new credential, which
/// revokes all logins and devices, removes the links for passwords, and grants access to the role that a superuser's connections switch to.
///
/// # Errors
///
/// [`RestoredError::Database`].
pub fn complete(url: &str) -> Result<(), RestoredError> {
    let mut connection = connect(url)?;
    migrations::migrate(&mut connection)?;
    connection.batch_execute(DRAW_CREDENTIALS)?;
    Ok(grant_service_role(&mut connection)?)
}

/// Recomputes the balances, bill totals and month totals of every profile from its transactions, after another program wrote
/// rows. Returns the number of profiles. The schema must be the current one.
///
/// # Errors
///
/// [`RestoredError::Database`].
pub fn rebuild_sums(url: &str) -> Result<usize, RestoredError> {
    Ok(sums::rebuild_all(&mut connect(url)?)?)
}

/// Grants the privileges that it needs in this database to the role that a superuser's connections switch to, if the role exists.
/// The database's owner may do that.
fn grant_service_role(connection: &mut PgConnection) -> diesel::QueryResult<()> {
    row! { struct Known { known: bool [Bool] } }
    let role: Known =
        sql_query(format!("select exists (select from pg_catalog.pg_roles where rolname = '{SERVICE_ROLE}') as known"))
            .get_result(connection)?;
    if role.known { connection.batch_execute(&service_role()) } else { Ok(()) }
}
