//! Migrations: applying pending ones, finding missing ones, and the unprivileged role of the service.
//!
//! A rule of the domain may be a part of a migration (`WITH_RULES`): it runs after the migration's SQL, in the same
//! transaction, over all profiles in batches. For example, `0037` reads the instalments of stored rows.

mod align_bills;
mod read_installments;

use std::sync::LazyLock;

use diesel::connection::{BoxableConnection, SimpleConnection};
use diesel::migration::{Migration, MigrationMetadata, MigrationName, MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::connect::{OpenError, one_line};
use crate::distributed;
use crate::row::row;

const FILES: EmbeddedMigrations = embed_migrations!("../../migrations");

/// Changes the rows of all profiles.
type Rule = fn(&mut PgConnection) -> QueryResult<()>;

/// The migrations with a part that is a rule of the domain, and is therefore in Rust. It runs after the migration's SQL, in the
/// same transaction.
const WITH_RULES: [(&str, Rule); 3] =
    [("0037", read_installments::run), ("0070", align_bills::run), ("0076", read_installments::run_renamed)];

/// The migrations of the program.
struct Migrations;

impl MigrationSource<Pg> for Migrations {
    fn migrations(&self) -> diesel::migration::Result<Vec<Box<dyn Migration<Pg>>>> {
        let files: Vec<Box<dyn Migration<Pg>>> = FILES.migrations()?;
        let with_rule = |file: Box<dyn Migration<Pg>>| -> Box<dyn Migration<Pg>> {
            let version = file.name().version().to_string();
            match WITH_RULES.iter().find(|(with_rule, _)| *with_rule == version) {
                Some((_, rule)) => Box::new(WithRule { file, rule: *rule }),
                None => file,
            }
        };
        Ok(files.into_iter().map(with_rule).collect())
    }
}

struct WithRule {
    file: Box<dyn Migration<Pg>>,
    rule: Rule,
}

impl Migration<Pg> for WithRule {
    fn run(&self, connection: &mut dyn BoxableConnection<Pg>) -> diesel::migration::Result<()> {
        self.file.run(connection)?;
        let connection = connection.downcast_mut::<PgConnection>().ok_or("a migration needs a plain connection")?;
        Ok((self.rule)(connection)?)
    }

    fn revert(&self, connection: &mut dyn BoxableConnection<Pg>) -> diesel::migration::Result<()> {
        self.file.revert(connection)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self.file.metadata()
    }

    fn name(&self) -> &dyn MigrationName {
        self.file.name()
    }
}

/// The versions of all migrations, in order.
pub(crate) static VERSIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let migrations = Migrations.migrations().unwrap_or_default();
    let mut versions: Vec<String> = migrations.iter().map(|migration| migration.name().version().to_string()).collect();
    versions.sort_unstable();
    versions
});
/// The advisory lock that makes nodes that start together migrate one after another.
const MIGRATION_LOCK: i64 = 0x0066_696e_616e_6365;
/// The search path of a superuser's session, whatever the database or the role sets. `pg_catalog` comes first, so that an
/// object of another role cannot replace a function of PostgreSQL.
pub(crate) const PRIVILEGED_SEARCH_PATH: &str = "SET search_path = public, pg_temp";
/// The unprivileged role that a superuser's connections switch to.
pub(crate) const SERVICE_ROLE: &str = "finance_service";

/// Applies pending migrations and returns their number. Grants the service's role access to new objects, so that a
/// running service can use them.
pub(crate) fn migrate(connection: &mut PgConnection) -> Result<usize, OpenError> {
    let privileged = is_privileged(connection)?;
    if privileged {
        connection.batch_execute(PRIVILEGED_SEARCH_PATH).map_err(migrate_error)?;
    }
    check_server(connection)?;
    let is_citus = distributed::begin(connection).map_err(migrate_error)?;
    let lock = |function: &str| format!("SELECT {function}({MIGRATION_LOCK})");
    connection.batch_execute(&lock("pg_advisory_lock")).map_err(migrate_error)?;
    let result = run_pending(connection).and_then(|applied| {
        if is_citus {
            distributed::distribute(connection).map_err(migrate_error)?;
        }
        if privileged {
            let failed = |error: diesel::result::Error| {
                OpenError::Migrate(format!("the role {SERVICE_ROLE}: {}", one_line(&error.to_string())).into())
            };
            connection.batch_execute(&service_role()).map_err(failed)?;
            if is_citus {
                // In a separate transaction, because it runs on nodes that must know the role.
                connection.batch_execute(&distributed::role_on_nodes(SERVICE_ROLE)).map_err(failed)?;
            }
        }
        Ok(applied)
    });
    connection.batch_execute(&lock("pg_advisory_unlock")).map_err(migrate_error)?;
    result
}

/// Fails if migrations are pending, for a service that must not apply them.
pub(crate) fn check_done(connection: &mut PgConnection) -> Result<(), OpenError> {
    check_server(connection)?;
    row! { struct Made {
        schema: bool [Bool],
        role: bool [Bool],
    } }
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

/// The first migration that this program has and the database does not have. Migrations that only the database has are accepted:
/// nodes are upgraded one by one, and the older ones continue to run meanwhile.
pub(crate) fn missing(connection: &mut PgConnection) -> QueryResult<Option<&'static str>> {
    row! { struct Applied { version: String [Text] } }
    let applied: Vec<Applied> = sql_query("select version from __diesel_schema_migrations").load(connection)?;
    let is_applied = |version: &String| applied.iter().any(|applied| applied.version == *version);
    Ok(VERSIONS.iter().find(|version| !is_applied(version)).map(String::as_str))
}

/// Whether the connection's role bypasses row-level security.
pub(crate) fn is_privileged(connection: &mut PgConnection) -> Result<bool, OpenError> {
    row! { struct Role { privileged: bool [Bool] } }
    let role = connection.transaction(|connection| {
        connection.batch_execute("set local search_path = pg_catalog")?;
        sql_query("select rolsuper or rolbypassrls as privileged from pg_roles where rolname = current_user")
            .get_result(connection)
    });
    role.map(|role: Role| role.privileged)
        .map_err(|error: diesel::result::Error| OpenError::Connect(one_line(&error.to_string()).into()))
}

/// Creates the unprivileged role. Roles belong to the cluster, so it may exist because of another database.
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
    row! { struct Version {
        supported: bool [Bool],
        version: String [Text],
    } }
    let version: Version = sql_query(
        "select current_setting('server_version_num')::int >= 150000 as supported, current_setting('server_version') as version",
    )
    .get_result(connection)
    .map_err(migrate_error)?;
    if version.supported { Ok(()) } else { Err(OpenError::TooOld(version.version)) }
}

fn run_pending(connection: &mut PgConnection) -> Result<usize, OpenError> {
    let applied: Result<Vec<MigrationVersion<'_>>, _> = connection.run_pending_migrations(Migrations);
    applied.map(|applied| applied.len()).map_err(|error| OpenError::Migrate(one_line(&error.to_string()).into()))
}

/// Applies the migrations with those versions to an empty database, in order.
pub(crate) fn apply(connection: &mut PgConnection, versions: &[String]) -> Result<(), OpenError> {
    let failed = |error: &dyn std::fmt::Display| OpenError::Migrate(one_line(&error.to_string()).into());
    let mut migrations: Vec<Box<dyn Migration<Pg>>> = Migrations.migrations().map_err(|error| failed(&error))?;
    migrations.retain(|migration| versions.contains(&migration.name().version().to_string()));
    migrations.sort_unstable_by_key(|migration| migration.name().version().to_string());
    // Creates the table of applied migrations.
    connection.applied_migrations().map_err(|error| failed(&error))?;
    connection.run_migrations(&migrations).map(drop).map_err(|error| failed(&error))
}

fn migrate_error(error: diesel::result::Error) -> OpenError {
    OpenError::Migrate(one_line(&error.to_string()).into())
}
