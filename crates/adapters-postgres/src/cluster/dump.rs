//! Backs the service's database up and restores it, while it is in use, with PostgreSQL's own programs.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};

use super::error::{self, ClusterError};
use super::initialize::SERVICE;
use super::{Cluster, user};
use crate::restored::{self, Restored};

/// Where a backup is restored, before it takes the service's place.
const RESTORED: &str = "finance_restored";
/// What the service's database is called once it has given way.
const REPLACED: &str = "finance_replaced";
/// The advisory lock that two restores at once would both want.
const RESTORE_LOCK: i64 = 0x0066_696e_7265_7374;
/// How often renaming is tried. Each time PostgreSQL waits five seconds for connections to end.
const RENAME_TRIES: u32 = 3;
/// How often connections are ended while it waits.
const END_INTERVAL: Duration = Duration::from_millis(20);
/// Bytes that are passed on at once.
const COPY_BYTES: usize = 64 * 1024;
/// What an archive of pg_dump's custom format begins with.
const ARCHIVE_MARK: &[u8] = b"PGDMP";

/// What [`Cluster::back_up`] wrote, as far as its first bytes tell.
#[derive(Debug)]
pub struct Archive<R>(io::Chain<io::Cursor<Vec<u8>>, R>);

impl<R: Read> Archive<R> {
    /// The archive that begins here.
    ///
    /// # Errors
    ///
    /// Where what can be read is no archive of pg_dump's custom format.
    pub fn open(mut from: R) -> Result<Self, ClusterError> {
        let mut mark = vec![0; ARCHIVE_MARK.len()];
        if from.read_exact(&mut mark).is_err() || mark != ARCHIVE_MARK {
            return Err(ClusterError::NotABackup { problem: "is no backup made by `finance backup`" });
        }
        Ok(Archive(io::Cursor::new(mark).chain(from)))
    }
}

impl Cluster {
    /// Writes everything in the service's database, as of one instant, as an archive of pg_dump's custom
    /// format; tells how many bytes that were. The service goes on meanwhile.
    ///
    /// # Errors
    ///
    /// pg_dump cannot be run or fails, or the archive cannot be written. What was written is of no use then.
    pub fn back_up(&self, out: &mut dyn Write) -> Result<u64, ClusterError> {
        const PROGRAM: &str = "pg_dump";
        let mut command = self.client(PROGRAM);
        command.args(["--format=custom", "--no-password", "--dbname"]).arg(self.admin_url(SERVICE));
        let mut child = spawn(PROGRAM, command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        let said = listen(&mut child);
        let copied = match child.stdout.take() {
            Some(mut archive) => copy(&mut archive, out),
            None => Ok(0),
        };
        if copied.is_err() {
            // Nobody reads on; it would wait for ever.
            let _ = child.kill();
        }
        let ended = child.wait().map_err(|error| failed(PROGRAM, error.to_string()))?;
        let bytes = copied.map_err(|error| failed(PROGRAM, format!("the backup cannot be written: {error}")))?;
        if !ended.success() {
            return Err(failed(PROGRAM, error::reason(&said.join().unwrap_or_default())));
        }
        Ok(bytes)
    }

    /// Replaces everything in the service's database by what a backup holds, or nothing.
    ///
    /// The backup is restored beside it and brought to the present schema; then one transaction swaps the two.
    /// Until then the service answers from what there was, from then on from what was restored. Its connections
    /// are ended for that, and it makes new ones.
    ///
    /// The archive is read with the rights of the service's role alone: what it holds cannot reach beyond the
    /// database.
    ///
    /// # Errors
    ///
    /// The file is no backup of this service or of a newer release of it, pg_restore fails, or another restore is
    /// at work. Everything is as it was then.
    pub fn restore<R: Read>(&self, archive: Archive<R>) -> Result<(), ClusterError> {
        let mut archive = archive.0;
        let mut admin = self.admin("postgres")?;
        #[derive(QueryableByName)]
        struct Locked {
            #[diesel(sql_type = Bool)]
            locked: bool,
        }
        let locked: Locked = sql_query(format!("select pg_try_advisory_lock({RESTORE_LOCK}) as locked"))
            .get_result(&mut admin)
            .map_err(|error| self.database_failed(&error))?;
        if !locked.locked {
            return Err(failed("PostgreSQL", "another restore is at work; try again when it has ended".to_owned()));
        }
        self.drop_database(&mut admin, RESTORED)?;
        self.drop_database(&mut admin, REPLACED)?;
        self.execute(&mut admin, &format!("create database {RESTORED} owner {SERVICE} template template0"))?;
        let restored =
            self.fill(&mut archive).and_then(|()| self.bring_up_to_date()).and_then(|()| self.swap(&mut admin));
        // Whichever of the two is of no use any more.
        let done_with = if restored.is_ok() { REPLACED } else { RESTORED };
        if let Err(error) = self.drop_database(&mut admin, done_with) {
            log::warn!("the database {done_with} is left over, the next restore removes it: {error}");
        }
        restored
    }

    fn fill(&self, archive: &mut dyn Read) -> Result<(), ClusterError> {
        const PROGRAM: &str = "pg_restore";
        let mut command = self.client(PROGRAM);
        command
            .args(["--format=custom", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"])
            .args(["--no-password", "--dbname"])
            .arg(self.url_for(SERVICE, RESTORED));
        let mut child = spawn(PROGRAM, command.stdin(Stdio::piped()).stdout(Stdio::null()))?;
        let said = listen(&mut child);
        let fed = match child.stdin.take() {
            Some(mut input) => copy(archive, &mut input),
            None => Ok(0),
        };
        let ended = child.wait().map_err(|error| failed(PROGRAM, error.to_string()))?;
        if !ended.success() {
            return Err(failed(PROGRAM, error::reason(&said.join().unwrap_or_default())));
        }
        fed.map(drop).map_err(|error| failed(PROGRAM, format!("the backup cannot be read: {error}")))
    }

    /// Applies the migrations that came after the backup, and lets the role in that a superuser's service uses.
    fn bring_up_to_date(&self) -> Result<(), ClusterError> {
        let mut connection =
            PgConnection::establish(&self.url_for(SERVICE, RESTORED)).map_err(|error| self.database_failed(&error))?;
        match restored::migrate(&mut connection) {
            Ok(Restored::Ours) => {}
            Ok(Restored::Foreign) => {
                return Err(ClusterError::NotABackup { problem: "is a backup of something else" });
            }
            Ok(Restored::Newer) => {
                return Err(ClusterError::NotABackup { problem: "was made by a newer release of finance; use that" });
            }
            Err(error) => return Err(failed("PostgreSQL", error.to_string())),
        }
        drop(connection);
        let mut admin = self.admin(RESTORED)?;
        restored::let_service_role_in(&mut admin).map_err(|error| self.database_failed(&error))
    }

    /// Puts the restored database in the place of the other, in one transaction.
    ///
    /// Renaming keeps new connections out from its beginning, and waits for the others to end: those are ended
    /// meanwhile, from a connection of its own. Ended before, they would be made anew in no time.
    fn swap(&self, admin: &mut PgConnection) -> Result<(), ClusterError> {
        let mut ender = self.admin("postgres")?;
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let ending = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    self.execute(&mut ender, &format!(
                        "select pg_terminate_backend(pid) from pg_stat_activity where datname in ('{SERVICE}', '{RESTORED}')"
                    ))?;
                    thread::park_timeout(END_INTERVAL);
                }
                Ok(())
            });
            let renamed = self.rename(admin);
            done.store(true, Ordering::Relaxed);
            ending.thread().unpark();
            // What kept it from ending connections is why they could not be renamed.
            let ended = ending.join().unwrap_or(Ok(()));
            if renamed.is_err() { ended.and(renamed) } else { renamed }
        })
    }

    fn rename(&self, admin: &mut PgConnection) -> Result<(), ClusterError> {
        let mut tries_left = RENAME_TRIES;
        loop {
            let renamed = admin.batch_execute(&format!(
                "begin;
                alter database {SERVICE} rename to {REPLACED};
                alter database {RESTORED} rename to {SERVICE};
                commit"
            ));
            let Err(error) = renamed else { return Ok(()) };
            self.execute(admin, "rollback")?;
            tries_left -= 1;
            if tries_left == 0 || !error.to_string().contains("being accessed") {
                return Err(self.database_failed(&error));
            }
        }
    }

    /// One of PostgreSQL's programs as this process's own user, who may read the socket and the operator's files.
    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.binaries.program(program));
        user::clean_environment(&mut command);
        command
    }

    fn admin(&self, database: &str) -> Result<PgConnection, ClusterError> {
        PgConnection::establish(&self.admin_url(database)).map_err(|error| self.database_failed(&error))
    }

    fn drop_database(&self, admin: &mut PgConnection, name: &str) -> Result<(), ClusterError> {
        self.execute(admin, "set client_min_messages = warning")?;
        self.execute(admin, &format!("drop database if exists {name} with (force)"))
    }

    fn execute(&self, admin: &mut PgConnection, statement: &str) -> Result<(), ClusterError> {
        admin.batch_execute(statement).map_err(|error| self.database_failed(&error))
    }

    fn database_failed(&self, error: &dyn std::error::Error) -> ClusterError {
        ClusterError::Program { program: "PostgreSQL", reason: error.to_string(), log: Some(self.place.log()) }
    }
}

fn failed(program: &'static str, reason: String) -> ClusterError {
    ClusterError::Program { program, reason, log: None }
}

fn spawn(program: &'static str, command: &mut Command) -> Result<Child, ClusterError> {
    command.stderr(Stdio::piped()).spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let place = command.get_program().to_string_lossy().into_owned();
            failed(program, format!("{place} is not installed; install PostgreSQL's client programs"))
        }
        _ => failed(program, error.to_string()),
    })
}

/// What the program says, read while it works: a full pipe would stop it.
fn listen(child: &mut Child) -> thread::JoinHandle<String> {
    let errors = child.stderr.take();
    thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut errors) = errors {
            // What was said before it broke is said nevertheless.
            let _ = errors.read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    })
}

fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<u64> {
    let mut buffer = vec![0; COPY_BYTES];
    let mut bytes = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                to.write_all(&buffer[..count])?;
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    to.flush()?;
    Ok(bytes)
}
