//! The nodes of Citus that `just citus` starts: a coordinator and its workers on ports of the loopback interface.
//!
//! A Citus database consists of databases with the same name on all nodes. The metadata of a copy name the same nodes, and Citus
//! connects to the database with the same name on each of them. So copies of the template on all nodes are a Citus database too.

use std::sync::OnceLock;
use std::thread;

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_adapters_postgres::PgStore;

use crate::app::rows;
use crate::eventually::eventually;
use crate::program::kill;

/// The variable with the ports of the nodes. The coordinator is the first: `15432,15433,15434`.
const NODES: &str = "FINANCE_TESTS_CITUS";

/// The `set_local` of Citus, which also allows a statement to query several shards while the transaction lists all profiles.
const OVER_ALL_SHARDS: &str = "
    create or replace function set_local(setting text, value text) returns text
        language plpgsql
        set citus.propagate_set_commands = 'local'
        as $$
    begin
        execute format('set local %s = %L', setting, value);
        if setting = 'finance.lists_profiles' then
            perform set_config('citus.multi_task_query_log_level', case value when 'on' then 'off' else 'error' end, true);
        end if;
        return value;
    end
    $$;";

static TEMPLATE: OnceLock<String> = OnceLock::new();

/// The nodes, if the tests run on Citus.
#[derive(Debug, Clone)]
pub struct Citus {
    ports: Vec<u16>,
}

impl Citus {
    /// The nodes of the environment variable. None if it is not set.
    pub fn of_environment() -> Option<Self> {
        let ports = std::env::var(NODES).ok()?;
        let ports = ports.split(',').map(|port| port.parse().expect("a port")).collect();
        Some(Citus { ports })
    }

    /// The URL of a database on the coordinator, as the superuser.
    pub fn url(&self, database: &str) -> String {
        url(self.ports[0], database)
    }

    /// Connections to a database on the workers, as the superuser. Lists of tables contain the shards.
    pub fn workers_of(&self, database: &str) -> Vec<PgConnection> {
        let worker = |port: &u16| {
            let mut worker = connection(&url(*port, database));
            worker.batch_execute("set citus.show_shards_for_app_name_prefixes = '*'").expect("a setting");
            worker
        };
        self.ports[1..].iter().map(worker).collect()
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        self.ports.len() - 1
    }

    /// Kills the PostgreSQL server of a worker. Finds its process with a query on `database`. Returns when the connection fails.
    pub fn kill_worker(&self, worker: usize, database: &str) {
        let mut connection = connection(&url(self.ports[worker + 1], database));
        let found = rows(&mut connection, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid");
        kill(found[0]["pid"].as_str().expect("the process of a server"));
        eventually("the end of the worker", || connection.batch_execute("select 1").err());
    }

    /// Creates an empty Citus database.
    pub fn create(&self, name: &str) {
        for port in &self.ports {
            execute(&url(*port, "postgres"), &format!("create database {name}"));
            execute(&url(*port, name), "create extension citus");
        }
        let mut coordinator = format!("select citus_set_coordinator_host('127.0.0.1', {});", self.ports[0]);
        for port in &self.ports[1..] {
            coordinator.push_str(&format!("select citus_add_node('127.0.0.1', {port});"));
        }
        execute(&self.url(name), &coordinator);
    }

    /// Creates a database with the current schema. Returns its URL.
    pub(crate) fn copy_of_template(&self, name: &str) -> String {
        let name = format!("{name}_{}", std::process::id());
        let template = TEMPLATE.get_or_init(|| {
            let template = format!("finance_template_{}", std::process::id());
            self.create(&template);
            PgStore::migrate(&self.url(&template)).expect("the migrations apply");
            execute(&self.url(&template), OVER_ALL_SHARDS);
            for port in &self.ports {
                execute(&url(*port, "postgres"), &format!("alter database {template} allow_connections false"));
            }
            template
        });
        thread::scope(|scope| {
            for port in &self.ports {
                scope.spawn(|| copy(&url(*port, "postgres"), template, &name));
            }
        });
        self.url(&name)
    }
}

/// Removes a database of a test, because the tests create hundreds of them.
pub(crate) fn remove(database_url: &str) {
    let (Some(citus), Some((_, name))) = (Citus::of_environment(), database_url.rsplit_once('/')) else { return };
    thread::scope(|scope| {
        for port in &citus.ports {
            scope.spawn(|| execute(&url(*port, "postgres"), &format!("drop database if exists {name} with (force)")));
        }
    });
}

/// The URL with which the service opens a database of the tests. On Citus, a statement of such a connection fails unless it goes
/// to one shard, and the coordinator logs the plan of each statement, which `citus.sh` reads.
pub(crate) fn url_of_service(database_url: &str) -> String {
    match Citus::of_environment() {
        Some(_) => format!(
            "{database_url}?options=-c%20citus.multi_task_query_log_level%3Derror%20-c%20auto_explain.log_min_duration%3D0"
        ),
        None => database_url.to_string(),
    }
}

/// Copies a database on a node. Ends the sessions on the template and tries again if it is in use.
fn copy(admin_url: &str, template: &str, name: &str) {
    let copy = format!("create database {name} template {template}");
    eventually(&copy, || {
        let copied = connection(admin_url).batch_execute(&copy);
        if copied.is_err() {
            let users = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{template}'");
            execute(admin_url, &users);
        }
        copied.ok()
    });
}

fn url(port: u16, database: &str) -> String {
    format!("postgresql://finance_admin@127.0.0.1:{port}/{database}")
}

fn connection(url: &str) -> PgConnection {
    PgConnection::establish(url).expect("a connection")
}

fn execute(url: &str, statement: &str) {
    connection(url).batch_execute(statement).expect("the statement runs");
}
