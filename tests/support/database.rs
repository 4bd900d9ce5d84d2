//! One private cluster for each test process, and databases in it, cloned from a migrated template.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::PgStore;
use finance_private_postgres::{DisposableCluster, start_disposable};

use crate::citus::Citus;
use crate::eventually::eventually;

static CLUSTER: OnceLock<DisposableCluster> = OnceLock::new();
static COUNT: AtomicU32 = AtomicU32::new(0);

/// If this variable is set, every test uses tables that are hash partitions by profile. `just partitions` sets it.
const PARTITIONED: &str = "FINANCE_TESTS_PARTITIONED";
/// The variable with the locale of the messages of the tests' PostgreSQL, such as `es_ES.UTF-8`.
const MESSAGES: &str = "FINANCE_TESTS_LC_MESSAGES";
const BY_PROFILE: &str = include_str!("../partitions/by_profile.sql");

const TEMPLATE: &str = "finance_template";

fn cluster() -> &'static DisposableCluster {
    CLUSTER.get_or_init(|| {
        let cluster = start_disposable().expect("PostgreSQL starts; `just test` installs it");
        let admin_url = cluster.cluster().admin_url("postgres");
        if let Ok(locale) = std::env::var(MESSAGES) {
            speak(&admin_url, &locale);
        }
        execute(&admin_url, &format!("create database {TEMPLATE}"));
        PgStore::migrate(&cluster.cluster().admin_url(TEMPLATE)).expect("the migrations apply");
        if std::env::var_os(PARTITIONED).is_some() {
            execute(&cluster.cluster().admin_url(TEMPLATE), BY_PROFILE);
        }
        cluster
    })
}

/// Sets the language of the cluster's messages.
fn speak(admin_url: &str, locale: &str) {
    // Separate statements, because the setting cannot be changed inside a transaction.
    execute(admin_url, &format!("alter system set lc_messages = '{locale}'"));
    execute(admin_url, "select pg_reload_conf()");
    // The server's processes apply the setting one by one.
    let is_taken_up = || {
        let mut connection = PgConnection::establish(admin_url).expect("a connection");
        let known = format!(
            "do $$ begin if current_setting('lc_messages') <> '{locale}' then raise exception 'not yet'; end if; end $$"
        );
        connection.batch_execute(&known).is_ok()
    };
    eventually(&format!("the locale {locale} is taken up; is it there (locale -a)?"), || is_taken_up().then_some(()));
}

/// The URL of a new database with the current schema, as the superuser. The store switches to the service's role.
pub(crate) fn fresh() -> String {
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    if let Some(citus) = Citus::of_environment() {
        return citus.copy_of_template(&name);
    }
    let cluster = cluster().cluster();
    execute(&cluster.admin_url("postgres"), &format!("create database {name} template {TEMPLATE} strategy file_copy"));
    cluster.admin_url(&name)
}

/// The URL of a database of the tests' cluster, as the superuser.
pub fn admin_url(database: &str) -> String {
    if let Some(citus) = Citus::of_environment() {
        return citus.url(database);
    }
    cluster().cluster().admin_url(database)
}

fn execute(url: &str, statement: &str) {
    let mut connection = PgConnection::establish(url).expect("a connection");
    connection.batch_execute(statement).expect("the statement runs");
}
