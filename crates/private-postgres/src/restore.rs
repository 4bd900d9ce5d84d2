//! Restores a backup while the service's database is in use.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::archive::{self, Part, Script, not_a_backup};
use crate::backup::Archive;
use crate::client::{self, REPLACED, RESTORED};
use crate::cluster::Cluster;
use crate::error::{self, ClusterError};
use crate::initialize::SERVICE;
use crate::lock::Lock;
use crate::programs::Running;
use crate::schema::{Built, Schema};

/// The program that reads archives.
const PROGRAM: &str = "pg_restore";
/// The maximum size, in bytes, of the list of objects at the beginning of an archive. The service's own takes some 60 kB.
const HEAD_BYTES_MAX: usize = 16 << 20;
/// The maximum size, in bytes, of the rows with the versions of the schema.
const VERSIONS_BYTES_MAX: usize = 1 << 20;
/// How often renaming is tried. Each time PostgreSQL waits five seconds for connections to end.
const RENAME_TRIES: u32 = 3;
/// The interval at which connections are ended while PostgreSQL waits.
const END_INTERVAL: Duration = Duration::from_millis(20);

impl Cluster {
    /// Replaces everything in the service's database with the content of a backup. On failure, nothing changes.
    ///
    /// Only rows are taken from the backup. They go into a second database, whose schema the caller builds; then one
    /// transaction swaps the two. Until the swap the service uses the old data, afterwards the restored data. The swap ends the
    /// service's connections, and the service makes new ones.
    ///
    /// No SQL of the backup is run: the output of pg_restore is parsed here, each table's rows are copied with a statement made
    /// from the schema, and anything else rejects the backup. All of that runs as the role that owns the database, which is not
    /// a superuser.
    ///
    /// ```no_run
    /// use finance_private_postgres::{Archive, Cluster, ClusterOptions, Schema};
    ///
    /// fn restore(schema: &dyn Schema) -> Result<(), finance_private_postgres::ClusterError> {
    ///     let archive = Archive::open(std::fs::File::open("finance.dump").expect("a file"))?;
    ///     let cluster = Cluster::start(&ClusterOptions::new("/var/lib/finance"))?;
    ///     let restored = cluster.restore(archive, schema);
    ///     cluster.stop()?;
    ///     restored
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The file is not a backup, or contains an object, a table or a column that its version of the schema does not have; its
    /// rows break a constraint; the schema refuses it; or another restore is running. In each case everything is as it was.
    pub fn restore<R: Read + Send>(&self, archive: Archive<R>, schema: &dyn Schema) -> Result<(), ClusterError> {
        let Some(_alone) = Lock::exclusive(&self.place().restore_lock(), Duration::ZERO)? else {
            return Err(ClusterError::RestoreRunning { data: self.place().data.clone() });
        };
        self.drop_database(REPLACED)?;
        let url = &self.restored_url(RESTORED);
        let restored = self.fill(archive, schema, RESTORED, url);
        let restored = restored.and_then(|()| schema.complete(url).map_err(ClusterError::Refused));
        let restored = restored.and_then(|()| self.swap());
        let done_with = if restored.is_ok() { REPLACED } else { RESTORED };
        if let Err(error) = self.drop_database(done_with) {
            log::warn!("the database {done_with} is left over, the next restore removes it: {}", error::chain(&error));
        }
        restored
    }

    /// Creates a database with the backup's rows. `url` connects to it as the role that will own it.
    pub(crate) fn fill<R: Read + Send>(
        &self,
        archive: Archive<R>,
        schema: &dyn Schema,
        database: &str,
        url: &str,
    ) -> Result<(), ClusterError> {
        let (listed, mut archive) = self.list(archive)?;
        let mut print = Running::start(PROGRAM, self.reader(&["--data-only", "--file=-"]))?;
        let (mut input, output) = (print.input()?, print.output()?);
        // If the rows are rejected, `print` is dropped, which kills pg_restore and so ends the thread that feeds it.
        thread::scope(move |scope| {
            let feeding = scope.spawn(move || io::copy(&mut archive, &mut input));
            let mut script = Script::new(BufReader::new(output));
            let loaded = self.load(&mut script, &listed, schema, database, url);
            if script.has_ended() {
                // pg_restore reports why an archive ends too early.
                print.finish()?;
                let fed = feeding.join().unwrap_or(Ok(0));
                fed.map_err(ClusterError::io("read the backup"))?;
            }
            loaded
        })
    }

    /// Lists the objects in an archive, and returns the archive rewound to its beginning.
    fn list<R: Read>(&self, mut archive: Archive<R>) -> Result<(Vec<String>, Archive<impl Read>), ClusterError> {
        let mut list = Running::start(PROGRAM, self.reader(&["--list"]))?;
        let (mut input, mut output) = (list.input()?, list.output()?);
        let reading = thread::spawn(move || {
            let mut objects = Vec::new();
            output.read_to_end(&mut objects).map(|_| objects)
        });
        // The list is at the beginning; pg_restore reads no further and ends.
        let head = archive.read_head(HEAD_BYTES_MAX, &mut |bytes| input.write_all(bytes).is_ok());
        drop(input);
        let head = head.map_err(ClusterError::io("read the backup"))?;
        if head.len() >= HEAD_BYTES_MAX {
            return Err(not_a_backup("lists too many objects"));
        }
        list.finish()?;
        let objects = reading.join().unwrap_or_else(|_| Ok(Vec::new()));
        let objects = objects.map_err(ClusterError::io("read what pg_restore prints"))?;
        Ok((archive::objects(&String::from_utf8_lossy(&objects)), archive.rewound(head)))
    }

    /// A pg_restore command that reads an archive from its standard input and does not connect to a server.
    fn reader(&self, arguments: &[&str]) -> Command {
        let mut command = self.client(PROGRAM);
        command.arg("--format=custom").args(arguments);
        command
    }

    /// Loads the rows into a new database, whose schema is that of the backup.
    fn load<R: BufRead>(
        &self,
        script: &mut Script<R>,
        listed: &[String],
        schema: &dyn Schema,
        database: &str,
        url: &str,
    ) -> Result<(), ClusterError> {
        let (statement, rows) = version_rows(script, schema)?;
        let versions = column(&statement, &rows, schema.version_column());
        self.drop_database(database)?;
        self.administer(&[&format!("create database {database} owner {SERVICE} template template0")])?;
        let mut built = Built::read(self, url, schema, &versions)?;
        built.check(listed)?;
        // Keys, triggers and policies come after the rows, as in any restore by pg_restore.
        self.psql(url, &["set client_min_messages = warning", "drop owned by current_user"])?;
        built.restore_section(self, url, "pre-data")?;
        self.copy_rows(url, &built.take_table(&statement)?, &mut Script::new(rows.as_slice()))?;
        let mut sequences = Vec::new();
        while let Some(part) = script.next_part()? {
            match part {
                Part::Rows(statement) => self.copy_rows(url, &built.take_table(&statement)?, script)?,
                Part::Sequence { statement, value, is_called } => {
                    sequences.push(format!("{}, {value}, {is_called})", built.take_sequence(&statement)?));
                }
            }
        }
        built.check_complete()?;
        built.restore_section(self, url, "post-data")?;
        let sequences: Vec<&str> = sequences.iter().map(String::as_str).collect();
        self.psql(url, &sequences).map(drop)
    }

    /// Copies the next rows into the database, with that statement.
    fn copy_rows<R: BufRead>(&self, url: &str, statement: &str, script: &mut Script<R>) -> Result<(), ClusterError> {
        const PROGRAM: &str = "psql";
        let mut copy = Running::start(PROGRAM, self.psql_command(url, &[statement]))?;
        let mut input = BufWriter::new(copy.input()?);
        let passed = script.pass_rows(&mut input)?;
        drop(input);
        copy.finish()?;
        passed.map_err(ClusterError::io("pass rows to psql"))
    }

    /// Replaces the service's database with the restored one, in one transaction.
    ///
    /// Renaming blocks new connections and waits for the existing ones to end; a second session ends them meanwhile. If
    /// they were ended before, the service would have made new ones by then.
    fn swap(&self) -> Result<(), ClusterError> {
        let end_connections = format!(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname in ('{SERVICE}', '{RESTORED}')"
        );
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let ending = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    self.administer(&[&end_connections])?;
                    thread::park_timeout(END_INTERVAL);
                }
                Ok(())
            });
            let renamed = self.rename();
            done.store(true, Ordering::Relaxed);
            ending.thread().unpark();
            // If connections could not be ended, that is why renaming failed.
            let ended = ending.join().unwrap_or(Ok(()));
            if renamed.is_err() { ended.and(renamed) } else { renamed }
        })
    }

    fn rename(&self) -> Result<(), ClusterError> {
        // Several statements in one command are one transaction.
        let swap =
            format!("alter database {SERVICE} rename to {REPLACED}; alter database {RESTORED} rename to {SERVICE}");
        let mut tries_left = RENAME_TRIES;
        loop {
            tries_left -= 1;
            match self.administer(&[&swap]) {
                Err(error) if tries_left > 0 => {
                    log::warn!("the databases are not swapped yet: {}", error::chain(&error));
                }
                renamed => return renamed.map(drop),
            }
        }
    }

    /// The URL of a database that is being restored, for the role that owns it. Commits there do not wait for the disk. The
    /// transaction that swaps the databases does, and everything that was logged before it is on disk by then.
    pub(crate) fn restored_url(&self, database: &str) -> String {
        client::url(self.place(), SERVICE, database) + "&options=-csynchronous_commit%3Doff"
    }
}

/// The `COPY` statement of the version table and its rows, with the line that ends them. They come first in the script.
fn version_rows<R: BufRead>(script: &mut Script<R>, schema: &dyn Schema) -> Result<(String, Vec<u8>), ClusterError> {
    let beginning = format!("COPY public.{} (", schema.version_table());
    match script.next_part()? {
        Some(Part::Rows(statement)) if statement.starts_with(&beginning) => {
            let mut rows = Limited(Vec::new());
            let read = script.pass_rows(&mut rows)?;
            read.map_err(|_| not_a_backup("has too many versions of its schema"))?;
            rows.0.extend_from_slice(archive::END_OF_ROWS);
            Ok((statement, rows.0))
        }
        _ => Err(not_a_backup("is a backup of something else")),
    }
}

/// The values of a column in rows in the format of an archive.
fn column(statement: &str, rows: &[u8], name: &str) -> Vec<String> {
    let names = statement.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(names, _)| names);
    let at = names.split(", ").position(|column| column == name);
    let rows = String::from_utf8_lossy(rows);
    let rows = rows.lines().filter(|row| *row != "\\.");
    rows.filter_map(|row| row.split('\t').nth(at?).map(str::to_owned)).collect()
}

/// A buffer of at most [`VERSIONS_BYTES_MAX`].
struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > VERSIONS_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_found_by_its_name() {
        let rows = b"0001\t2026-01-01\n0002\t2026-01-02\n\\.\n";
        let statement = "COPY public.versions (version, run_on) FROM stdin;";
        assert_eq!(column(statement, rows, "version"), ["0001", "0002"]);
        assert_eq!(column(statement, rows, "run_on"), ["2026-01-01", "2026-01-02"]);
        assert!(column(statement, rows, "other").is_empty());
    }
}
