//! Proved backups: the content that is backed up is counted, the backup is restored into a second database, and the content of
//! that database is counted and compared.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Duration;

use crate::backup::Archive;
use crate::client::{self, PROOF};
use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::fingerprint::{self, Fingerprint};
use crate::initialize::SERVICE;
use crate::lock::Lock;
use crate::programs::{self, Running};
use crate::schema::Schema;

/// What psql prints after a fingerprint.
const END: &str = "end of the fingerprint";
/// How long a statement of a proof may take.
const STATEMENT_MINUTES_MAX: u64 = 30;

/// A proved backup in progress. No other process makes one of the same cluster meanwhile.
#[derive(Debug)]
pub struct BackupRun<'a> {
    cluster: &'a Cluster,
    _alone: Lock,
}

impl Cluster {
    /// Begins a backup that is to be proved. Removes what a killed backup left in the server.
    ///
    /// ```no_run
    /// use finance_private_postgres::{Archive, Cluster, ClusterError, Schema};
    ///
    /// fn back_up(cluster: &Cluster, schema: &dyn Schema) -> Result<(), ClusterError> {
    ///     let run = cluster.begin_backup()?;
    ///     let mut archive = Vec::new();
    ///     let counted = run.write(&mut archive)?;
    ///     run.prove(Archive::open(archive.as_slice())?, schema, &counted)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ClusterError::BackupRunning`], or the server does not answer.
    pub fn begin_backup(&self) -> Result<BackupRun<'_>, ClusterError> {
        let Some(alone) = Lock::exclusive(&self.place().backup_lock(), Duration::ZERO)? else {
            return Err(ClusterError::BackupRunning { data: self.place().data.clone() });
        };
        self.drop_database(PROOF)?;
        Ok(BackupRun { cluster: self, _alone: alone })
    }

    /// Ends the proof that another thread runs. That proof then fails.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn end_proof(&self) -> Result<(), ClusterError> {
        self.drop_database(PROOF)
    }

    /// The size of the service's database, in bytes.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub fn database_bytes(&self) -> Result<u64, ClusterError> {
        let size = self.administer(&[&format!("select pg_database_size('{SERVICE}')")])?;
        size.parse().map_err(|_| ClusterError::io("read the size of the database")(io::ErrorKind::InvalidData.into()))
    }

    fn fingerprint(&self, database: &str) -> Result<Fingerprint, ClusterError> {
        let psql = client::psql(self.place(), &self.bin_dir(), &self.restricted_admin_url(database));
        let output = programs::run("psql", psql, fingerprint::script().as_bytes())?;
        Ok(Fingerprint::read(String::from_utf8_lossy(&output).lines()))
    }
}

impl BackupRun<'_> {
    /// Writes a backup as [`Cluster::back_up`] does, and counts its content, both as of the same instant.
    ///
    /// # Errors
    ///
    /// The errors of [`Cluster::back_up`].
    pub fn write(&self, out: &mut dyn Write) -> Result<Fingerprint, ClusterError> {
        const PROGRAM: &str = "psql";
        let cluster = self.cluster;
        let url = cluster.restricted_admin_url(SERVICE);
        let mut session = Running::start(PROGRAM, client::psql(cluster.place(), &cluster.bin_dir(), &url))?;
        let (mut input, output) = (session.input()?, session.output()?);
        let statements = format!(
            "begin isolation level repeatable read read only;\nselect pg_export_snapshot();\n{}select '{END}';\n",
            fingerprint::script()
        );
        // If psql has ended, `finish` returns the reason.
        let sent = input.write_all(statements.as_bytes()).and_then(|()| input.flush());
        let mut lines = Vec::new();
        for line in BufReader::new(output).lines() {
            match line.map_err(ClusterError::io("read what psql prints"))? {
                line if line == END => break,
                line => lines.push(line),
            }
        }
        let mut lines = lines.iter().map(String::as_str);
        let (Some(snapshot), Ok(())) = (lines.next(), sent) else {
            drop(input);
            session.finish()?;
            return Err(ClusterError::io("read a snapshot from psql")(io::ErrorKind::UnexpectedEof.into()));
        };
        let counted = Fingerprint::read(lines);
        cluster.dump(Some(snapshot), out)?;
        // The snapshot was valid until now.
        drop(input);
        session.finish()?;
        Ok(counted)
    }

    /// Restores a backup into a separate database, as [`Cluster::restore`] does, compares its content with what was counted,
    /// and removes the database.
    ///
    /// # Errors
    ///
    /// [`ClusterError::Unproved`], or it cannot be restored.
    pub fn prove<R: Read + Send>(
        &self,
        archive: Archive<R>,
        schema: &dyn Schema,
        counted: &Fingerprint,
    ) -> Result<(), ClusterError> {
        let proved = self.compare(archive, schema, counted);
        let dropped = self.cluster.drop_database(PROOF);
        proved.and(dropped)
    }

    fn compare<R: Read + Send>(
        &self,
        archive: Archive<R>,
        schema: &dyn Schema,
        counted: &Fingerprint,
    ) -> Result<(), ClusterError> {
        let url = format!(
            "{}%20-cstatement_timeout%3D{STATEMENT_MINUTES_MAX}min%20-cmaintenance_work_mem%3D16MB",
            self.cluster.restored_url(PROOF)
        );
        self.cluster.fill(archive, schema, PROOF, &url)?;
        match counted.difference(&self.cluster.fingerprint(PROOF)?) {
            Some(problem) => Err(ClusterError::Unproved { problem }),
            None if counted.tables() == 0 => Err(ClusterError::Unproved { problem: "no table was counted".to_owned() }),
            None => schema.complete(&url).map_err(ClusterError::Refused),
        }
    }
}
