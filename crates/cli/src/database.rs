//! The database of a command: the one of `DATABASE_URL`, or the private one.

use anyhow::Result;
use finance_adapters_postgres::{PgStore, StoreOptions, wait_until_reachable};
use finance_domain::Store;
use finance_private_postgres::{Cluster, ClusterOptions};

use crate::configuration::Configuration;
use crate::output::say;

/// A database, with its private cluster if it has one.
pub(crate) struct Database {
    pub(crate) url: String,
    pub(crate) cluster: Option<Cluster>,
    replica_url: Option<String>,
    transactions_max: usize,
    migrate_at_start: bool,
}

impl Database {
    /// Opens the configured database, once it can be reached. Starts the private cluster, or uses the running one.
    pub(crate) fn open(configuration: &Configuration) -> Result<Self> {
        let (url, cluster) = match &configuration.database_url {
            Some(url) => {
                wait_until_reachable(url, configuration.database_wait)?;
                (url.clone(), None)
            }
            None => {
                let cluster = start_cluster(configuration)?;
                (cluster.url(), Some(cluster))
            }
        };
        let replica_url = configuration.database_replica_url.clone();
        let Configuration { transactions_max, migrate_at_start, .. } = *configuration;
        Ok(Database { url, cluster, replica_url, transactions_max, migrate_at_start })
    }

    /// The database as a store for a command. Applies pending migrations first, unless they are configured to be applied separately.
    ///
    /// It has one connection, as a command does one thing after another. A pool of several would still open one in the background
    /// when the command is done and the private cluster stops, and the server's answer to that would be a line of the command's.
    pub(crate) fn store(&self) -> Result<PgStore> {
        Ok(PgStore::open(&StoreOptions { connections_max: 1, ..self.options() })?)
    }

    /// The same, for a service: the replica may answer reads.
    pub(crate) fn store_with_replica(&self) -> Result<PgStore> {
        Ok(PgStore::open(&StoreOptions { replica_url: self.replica_url.clone(), ..self.options() })?)
    }

    fn options(&self) -> StoreOptions {
        StoreOptions {
            migrate: self.migrate_at_start,
            transactions_max: self.transactions_max,
            ..StoreOptions::new(&self.url)
        }
    }

    /// Stops the private cluster, unless another process uses it.
    pub(crate) fn close(&self) -> Result<()> {
        if let Some(cluster) = &self.cluster {
            cluster.stop()?;
        }
        Ok(())
    }
}

fn start_cluster(configuration: &Configuration) -> Result<Cluster> {
    let bin_dirs = configuration.postgres_bin_dirs.clone();
    Ok(Cluster::start(&ClusterOptions { bin_dirs, ..ClusterOptions::new(&configuration.data_dir) })?)
}

/// Runs work on the configured database, and closes the database whether the work succeeds or fails.
pub(crate) fn with_database<T>(configuration: &Configuration, work: impl FnOnce(&Database) -> Result<T>) -> Result<T> {
    let database = Database::open(configuration)?;
    let result = work(&database);
    let closed = database.close();
    let value = result?;
    closed?;
    Ok(value)
}

/// Runs work on the store of the configured database, whether a service is running or not.
pub(crate) fn with_store<T>(configuration: &Configuration, work: impl FnOnce(&dyn Store) -> Result<T>) -> Result<T> {
    with_database(configuration, |database| work(&database.store()?))
}

/// `finance migrate`.
pub(crate) fn migrate(configuration: &Configuration) -> Result<()> {
    let applied = with_database(configuration, |database| Ok(PgStore::migrate(&database.url)?))?;
    say!("{applied} migrations applied");
    Ok(())
}
