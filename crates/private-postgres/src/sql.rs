//! The administrative statements that backup and restore need, run with psql. The crate has no database driver.

use std::process::Command;

use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::programs;

/// The database that exists in every cluster, for statements about databases.
pub(crate) const MAINTENANCE: &str = "postgres";

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
        let mut command = self.client("psql");
        command.args(["--no-psqlrc", "--no-password", "--quiet", "--no-align", "--tuples-only"]);
        command.args(["--set", "ON_ERROR_STOP=1", "--dbname", url]).env("PGCLIENTENCODING", "UTF8");
        for statement in statements {
            command.args(["--command", statement]);
        }
        command
    }

    /// The superuser's URL with a fixed search path, which no setting of a database or a role replaces.
    pub(crate) fn restricted_admin_url(&self, database: &str) -> String {
        self.admin_url(database) + "&options=-csearch_path%3Dpg_catalog"
    }

    /// One of PostgreSQL's programs, to be run as the server's user: never as root.
    pub(crate) fn client(&self, program: &str) -> Command {
        self.place().user.command(self.bin_dir().join(program))
    }
}
