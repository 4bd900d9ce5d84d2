//! The store: a pool of connections, and transactions bound to a profile.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::migration::MigrationVersion;
use diesel::r2d2::{ConnectionManager, CustomizeConnection, Pool, PooledConnection};
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use finance_domain::gamification::{Catalog, Rules};
use finance_domain::profiles::{Credential, NewProfile, Profile};
use finance_domain::store::{LoginFailures, Work};
use finance_domain::{Access, Caller, Error, ProfileId, Repo, Result, Store};

use crate::constraints;
use crate::profiles;
use crate::repo::PgRepo;

pub(crate) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");
/// The advisory lock that nodes starting together take before they migrate.
const MIGRATION_LOCK: i64 = 0x0066_696e_616e_6365;
/// The role without privileges of its own that a superuser's connections step down to.
pub(crate) const SERVICE_ROLE: &str = "finance_service";
/// A transaction that waits longer for its profile than this gives up.
const LOCK_TIMEOUT_SECONDS: u32 = 10;

/// How to reach the database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// A libpq connection string or URL.
    pub url: String,
    /// Connections kept at the most.
    pub connections_max: u32,
    /// How long a request waits for a connection before it is told that there is none.
    pub connection_timeout: Duration,
}

impl StoreOptions {
    /// The defaults, for a database at that URL.
    pub fn new(url: impl Into<String>) -> Self {
        StoreOptions { url: url.into(), connections_max: 8, connection_timeout: Duration::from_secs(3) }
    }
}

/// Why the store could not be opened. Never shows the URL, which may hold a password.
#[derive(Debug)]
pub enum OpenError {
    /// The database cannot be reached.
    Connect(String),
    /// A migration failed; the text starts with its name.
    Migrate(String),
    /// The database is older than PostgreSQL 15.
    TooOld(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Connect(cause) => write!(f, "the database cannot be reached: {cause}"),
            OpenError::Migrate(cause) => write!(f, "the database cannot be migrated: {cause}"),
            OpenError::TooOld(version) => write!(f, "PostgreSQL 15 or newer is needed, this is {version}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// PostgreSQL as the store of the domain.
pub struct PgStore {
    pool: Pool<ConnectionManager<PgConnection>>,
    rules: Rules,
}

impl PgStore {
    /// Applies pending migrations, under a lock so that nodes starting together apply each once, and
    /// opens the pool. What its repositories award goes by the rules.
    ///
    /// # Errors
    ///
    /// [`OpenError`], in one line.
    pub fn open(options: &StoreOptions, rules: Rules) -> Result<Self, OpenError> {
        let mut connection = PgConnection::establish(&options.url).map_err(connect_error)?;
        let privileged = prepare(&mut connection)?;
        let pool = Pool::builder()
            .max_size(options.connections_max)
            .min_idle(Some(1))
            .connection_timeout(options.connection_timeout)
            .test_on_check_out(false)
            .connection_customizer(Box::new(Session { privileged }))
            .build(ConnectionManager::new(&options.url))
            .map_err(|error| OpenError::Connect(one_line(&error.to_string())))?;
        Ok(PgStore { pool, rules })
    }

    /// Applies pending migrations and tells how many there were.
    ///
    /// # Errors
    ///
    /// [`OpenError`], in one line.
    pub fn migrate(url: &str) -> Result<usize, OpenError> {
        let mut connection = PgConnection::establish(url).map_err(connect_error)?;
        with_migration_lock(&mut connection, run_migrations)
    }

    /// How many transactions it runs at once, at the most.
    pub fn connections_max(&self) -> u32 {
        self.pool.max_size()
    }

    fn connection(&self) -> Result<PooledConnection<ConnectionManager<PgConnection>>> {
        self.pool.get().map_err(|error| Error::Unavailable(Box::new(error)))
    }

    /// Runs `work` between `opening`, which begins a transaction in one round trip, and its end.
    /// A connection that died while it was idle fails at `opening`, before anything was done: it is
    /// replaced, and the caller never learns of it.
    fn in_transaction<T>(&self, opening: &str, work: impl FnOnce(&mut PgConnection) -> Result<T>) -> Result<T> {
        let mut replacements = self.pool.max_size();
        let mut connection = loop {
            let mut connection = self.connection()?;
            match connection.batch_execute(opening).map_err(constraints::error) {
                Ok(()) => break connection,
                Err(Error::Unavailable(_)) if replacements > 0 => replacements -= 1,
                Err(error) => {
                    roll_back(&mut connection);
                    return Err(error);
                }
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
        log::warn!("a transaction could not be rolled back, its connection is given up: {error}");
    }
}

impl Store for PgStore {
    fn transact(&self, caller: &Caller, access: Access, work: Work<'_>) -> Result<()> {
        let Caller { profile_id, credential_version } = *caller;
        // Integers only, so the text needs no parameters and the round trip none beside it.
        let opening = match access {
            Access::Read => {
                format!(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT bind_profile({profile_id}, {credential_version}, false)"
                )
            }
            Access::Write => format!("BEGIN; SELECT bind_profile({profile_id}, {credential_version}, true)"),
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
        self.in_transaction("BEGIN READ ONLY", |_| Ok(()))
    }
}

/// Sets each new connection up.
#[derive(Debug)]
struct Session {
    privileged: bool,
}

impl CustomizeConnection<PgConnection, diesel::r2d2::Error> for Session {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), diesel::r2d2::Error> {
        let step_down = if self.privileged { format!("SET ROLE {SERVICE_ROLE};") } else { String::new() };
        connection
            .batch_execute(&format!(
                "{step_down} SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'; SET client_min_messages = warning"
            ))
            .map_err(diesel::r2d2::Error::QueryError)
    }
}

/// Migrates, and sees to it that the service will not work as a superuser, whom row-level security
/// does not bind. Tells whether its connections have to step down.
fn prepare(connection: &mut PgConnection) -> Result<bool, OpenError> {
    with_migration_lock(connection, |connection| {
        let applied = run_migrations(connection)?;
        if applied > 0 {
            log::info!("{applied} migrations applied");
        }
        #[derive(QueryableByName)]
        struct Role {
            #[diesel(sql_type = Bool)]
            privileged: bool,
        }
        let role: Role =
            sql_query("select rolsuper or rolbypassrls as privileged from pg_roles where rolname = current_user")
                .get_result(connection)
                .map_err(|error| OpenError::Connect(one_line(&error.to_string())))?;
        if role.privileged {
            connection.batch_execute(&service_role()).map_err(|error| {
                OpenError::Migrate(format!("the role {SERVICE_ROLE}: {}", one_line(&error.to_string())))
            })?;
        }
        Ok(role.privileged)
    })
}

/// The unprivileged role; roles belong to the cluster, so another database may have made it already.
pub(crate) fn service_role() -> String {
    format!(
        "do $$ begin
            if not exists (select from pg_roles where rolname = '{SERVICE_ROLE}') then
                create role {SERVICE_ROLE} nologin;
            end if;
        exception when duplicate_object or unique_violation then null;
        end $$;
        grant usage on schema public to {SERVICE_ROLE};
        grant select, insert, update, delete on all tables in schema public to {SERVICE_ROLE};
        grant usage on all sequences in schema public to {SERVICE_ROLE};"
    )
}

pub(crate) fn with_migration_lock<T>(
    connection: &mut PgConnection,
    work: impl FnOnce(&mut PgConnection) -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    #[derive(QueryableByName)]
    struct Version {
        #[diesel(sql_type = Bool)]
        supported: bool,
        #[diesel(sql_type = Text)]
        version: String,
    }
    let migrate_error = |error: diesel::result::Error| OpenError::Migrate(one_line(&error.to_string()));
    let version: Version = sql_query(
        "select current_setting('server_version_num')::int >= 150000 as supported, current_setting('server_version') as version",
    )
    .get_result(connection)
    .map_err(migrate_error)?;
    if !version.supported {
        return Err(OpenError::TooOld(version.version));
    }
    connection.batch_execute(&format!("SELECT pg_advisory_lock({MIGRATION_LOCK})")).map_err(migrate_error)?;
    let result = work(connection);
    connection.batch_execute(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})")).map_err(migrate_error)?;
    result
}

pub(crate) fn run_migrations(connection: &mut PgConnection) -> Result<usize, OpenError> {
    let applied: std::result::Result<Vec<MigrationVersion<'_>>, _> = connection.run_pending_migrations(MIGRATIONS);
    applied.map(|applied| applied.len()).map_err(|error| OpenError::Migrate(one_line(&error.to_string())))
}

fn connect_error(error: diesel::ConnectionError) -> OpenError {
    OpenError::Connect(one_line(&error.to_string()))
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
