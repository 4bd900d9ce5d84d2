//! The schema: applying what is pending, telling what is missing, and the role the service steps down to.

use std::sync::LazyLock;

use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::connect::{OpenError, one_line};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");
/// The versions of all of them, in order.
pub(crate) static VERSIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().unwrap_or_default();
    let mut versions: Vec<String> = migrations.iter().map(|migration| migration.name().version().to_string()).collect();
    versions.sort_unstable();
    versions
});
/// The advisory lock that nodes starting together take before they migrate.
const MIGRATION_LOCK: i64 = 0x0066_696e_616e_6365;
/// What a superuser's session looks names up in, whatever the database or the role sets: objects that somebody else made
/// must not stand in for PostgreSQL's own, which come first.
pub(crate) const PRIVILEGED_SEARCH_PATH: &str = "SET search_path = public, pg_temp";
/// The role without privileges of its own that a superuser's connections step down to.
pub(crate) const SERVICE_ROLE: &str = "finance_service";

/// Applies pending migrations and tells how many there were. Grants the service's role what they made,
/// so that a service that runs already can use it.
pub(crate) fn migrate(connection: &mut PgConnection) -> Result<usize, OpenError> {
    let privileged = is_privileged(connection)?;
    if privileged {
        connection.batch_execute(PRIVILEGED_SEARCH_PATH).map_err(migrate_error)?;
    }
    check_server(connection)?;
    let lock = |function: &str| format!("SELECT {function}({MIGRATION_LOCK})");
    connection.batch_execute(&lock("pg_advisory_lock")).map_err(migrate_error)?;
    let result = run_pending(connection).and_then(|applied| {
        if privileged {
            connection.batch_execute(&service_role()).map_err(|error| {
                OpenError::Migrate(format!("the role {SERVICE_ROLE}: {}", one_line(&error.to_string())).into())
            })?;
        }
        Ok(applied)
    });
    connection.batch_execute(&lock("pg_advisory_unlock")).map_err(migrate_error)?;
    result
}

/// That there is nothing to migrate, where the service must not.
pub(crate) fn check_done(connection: &mut PgConnection) -> Result<(), OpenError> {
    check_server(connection)?;
    #[derive(QueryableByName)]
    struct Made {
        #[diesel(sql_type = Bool)]
        schema: bool,
        #[diesel(sql_type = Bool)]
        role: bool,
    }
    let made: Made = sql_query(format!(
        "select to_regclass('__diesel_schema_migrations') is not null as schema,
            exists (select from pg_catalog.pg_roles where rolname = '{SERVICE_ROLE}') as role"
    ))
    .get_result(connection)
    .map_err(migrate_error)?;
    if !made.schema {
        return Err(OpenError::Behind("all of the schema".into()));
    }
    if let Some(version) = missing(connection).map_err(migrate_error)? {
        return Err(OpenError::Behind(format!("migration {version}")));
    }
    if !made.role && is_privileged(connection)? {
        return Err(OpenError::Behind(format!("the role {SERVICE_ROLE}")));
    }
    Ok(())
}

/// The first migration that this program knows and the database has not. One that only the database
/// knows is a newer program's: nodes are upgraded one by one, and the older ones go on meanwhile.
pub(crate) fn missing(connection: &mut PgConnection) -> QueryResult<Option<&'static str>> {
    #[derive(QueryableByName)]
    struct Applied {
        #[diesel(sql_type = Text)]
        version: String,
    }
    let applied: Vec<Applied> = sql_query("select version from __diesel_schema_migrations").load(connection)?;
    let is_applied = |version: &String| applied.iter().any(|applied| applied.version == *version);
    Ok(VERSIONS.iter().find(|version| !is_applied(version)).map(String::as_str))
}

/// Whether row-level security would not bind the connection's role.
pub(crate) fn is_privileged(connection: &mut PgConnection) -> Result<bool, OpenError> {
    #[derive(QueryableByName)]
    struct Role {
        #[diesel(sql_type = Bool)]
        privileged: bool,
    }
    let role = connection.transaction(|connection| {
        connection.batch_execute("set local search_path = pg_catalog")?;
        sql_query("select rolsuper or rolbypassrls as privileged from pg_roles where rolname = current_user")
            .get_result(connection)
    });
    role.map(|role: Role| role.privileged)
        .map_err(|error: diesel::result::Error| OpenError::Connect(one_line(&error.to_string()).into()))
}

/// The unprivileged role; roles belong to the cluster, so another database may have made it already.
pub(crate) fn service_role() -> String {
    format!(
        "do $$ begin
            if not exists (select from pg_catalog.pg_roles where rolname = '{SERVICE_ROLE}') then
                create role {SERVICE_ROLE} nologin;
            end if;
        exception when duplicate_object or unique_violation then null;
        end $$;
        grant usage on schema public to {SERVICE_ROLE};
        grant select, insert, update, delete on all tables in schema public to {SERVICE_ROLE};
        grant usage on all sequences in schema public to {SERVICE_ROLE};"
    )
}

fn check_server(connection: &mut PgConnection) -> Result<(), OpenError> {
    #[derive(QueryableByName)]
    struct Version {
        #[diesel(sql_type = Bool)]
        supported: bool,
        #[diesel(sql_type = Text)]
        version: String,
    }
    let version: Version = sql_query(
        "select current_setting('server_version_num')::int >= 150000 as supported, current_setting('server_version') as version",
    )
    .get_result(connection)
    .map_err(migrate_error)?;
    if version.supported { Ok(()) } else { Err(OpenError::TooOld(version.version)) }
}

fn run_pending(connection: &mut PgConnection) -> Result<usize, OpenError> {
    let applied: Result<Vec<MigrationVersion<'_>>, _> = connection.run_pending_migrations(MIGRATIONS);
    applied.map(|applied| applied.len()).map_err(|error| OpenError::Migrate(one_line(&error.to_string()).into()))
}

/// Applies the migrations of those versions to an empty database, in order.
pub(crate) fn apply(connection: &mut PgConnection, versions: &[String]) -> Result<(), OpenError> {
    let failed = |error: &dyn std::fmt::Display| OpenError::Migrate(one_line(&error.to_string()).into());
    let mut migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(|error| failed(&error))?;
    migrations.retain(|migration| versions.contains(&migration.name().version().to_string()));
    migrations.sort_unstable_by_key(|migration| migration.name().version().to_string());
    // Makes the table of the applied ones.
    connection.applied_migrations().map_err(|error| failed(&error))?;
    connection.run_migrations(&migrations).map(drop).map_err(|error| failed(&error))
}

fn migrate_error(error: diesel::result::Error) -> OpenError {
    OpenError::Migrate(one_line(&error.to_string()).into())
}
