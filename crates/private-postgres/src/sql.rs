//! The administrative statements that backup and restore need, run with psql. The crate has no database driver.

use std::process::Command;

use crate::client::{self, MAINTENANCE};
use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::programs;

impl Cluster {
    /// Runs statements as the superuser, each in a transaction of its own, and returns what they print.
    ///
    /// Names are looked up in `pg_catalog` only, whatever the settings of a database or a role are: no other object can take
    /// the place of one of PostgreSQL's own.
    pub(crate) fn administer(&self, statements: &[&str]) -> Result<String, ClusterError> {
        self.psql(&self.restricted_admin_url(MAINTENANCE), statements)
    }

    /// Runs statements at a URL.
    pub(crate) fn psql(&self, url: &str, statements: &[&str]) -> Result<String, ClusterError> {
        let output = programs::run("psql", self.psql_command(url, statements), b"");
        let output = output.map_err(|error| error.with_log(&self.log()))?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// psql with statements to run.
    pub(crate) fn psql_command(&self, url: &str, statements: &[&str]) -> Command {
        let mut command = client::psql(self.place(), &self.bin_dir(), url);
        for statement in statements {
            command.args(["--command", statement]);
        }
        command
    }

    /// Drops a database with its sessions, if it exists.
    pub(crate) fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        let statement = format!("drop database if exists {name} with (force)");
        self.administer(&["set client_min_messages = warning", &statement]).map(drop)
    }

    /// The superuser's URL with a fixed search path, which no setting of a database or a role overrides.
    pub(crate) fn restricted_admin_url(&self, database: &str) -> String {
        client::restricted_admin_url(self.place(), database)
    }

    /// A command for one of PostgreSQL's programs. It runs as the server's user, never as root.
    pub(crate) fn client(&self, program: &str) -> Command {
        client::program(self.place(), &self.bin_dir(), program)
    }
}
