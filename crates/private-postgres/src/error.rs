//! The reasons why the private cluster cannot be used. Each message is one line that says what to do. `source()` returns the
//! cause.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use crate::MAJOR_MIN;

/// Why the private cluster cannot be used. It displays as one line that says what to do about it. The line does not contain the
/// cause, which [`source`](std::error::Error::source) returns.
///
/// ```
/// use std::error::Error;
///
/// use finance_private_postgres::{Cluster, ClusterOptions};
///
/// let error = Cluster::start(&ClusterOptions::new("/dev/null/finance")).unwrap_err();
/// assert_eq!(error.to_string().lines().count(), 1);
/// assert!(error.source().is_some_and(|cause| cause.is::<std::io::Error>()));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ClusterError {
    /// No usable PostgreSQL is installed.
    PostgresMissing {
        /// The places that were searched.
        looked_in: Vec<PathBuf>,
        /// The programs that were found there but cannot be used, and why.
        unusable: Vec<String>,
    },
    /// The data was made by a major version that is not installed.
    VersionMismatch {
        /// The cluster's data directory.
        data: PathBuf,
        /// The major version that made it, as its `PG_VERSION` says.
        made_by: String,
        /// The newest major version that was found.
        found: u32,
        /// Where it was found.
        found_in: PathBuf,
    },
    /// The cluster's directory contains something else, which is never changed.
    NotACluster {
        /// The directory in question.
        data: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The cluster belongs to a user that this process is not and cannot become.
    ForeignOwner {
        /// The cluster's data directory.
        data: PathBuf,
        /// The numeric id of its owner.
        owner: u32,
        /// The user the server would run as.
        user: String,
    },
    /// The unprivileged user that the server runs as cannot reach the data directory.
    Unreachable {
        /// The directory that cannot be reached.
        path: PathBuf,
        /// The user the server would run as.
        user: String,
        /// Why the cluster was not placed elsewhere.
        because: String,
    },
    /// This process is root, and there is no unprivileged user for the server to run as.
    NoServerUser,
    /// The directory for the socket exists and belongs to somebody else, or is open to others.
    UnsafeSocketDir {
        /// The directory in question.
        path: PathBuf,
    },
    /// Another process has been starting or stopping the cluster for too long.
    Busy {
        /// The cluster's data directory.
        data: PathBuf,
        /// What this process waited for.
        waited_for: &'static str,
        /// How long it waited, in seconds.
        seconds: u64,
    },
    /// Another process restores a backup into the cluster.
    RestoreRunning {
        /// The cluster's data directory.
        data: PathBuf,
    },
    /// Another process makes a proved backup of the cluster.
    BackupRunning {
        /// The cluster's data directory.
        data: PathBuf,
    },
    /// The restored backup does not contain what was backed up.
    Unproved {
        /// The first difference.
        problem: String,
    },
    /// The disk has too little free space.
    NoRoom {
        /// What needs the space.
        what: &'static str,
        /// A directory on the disk.
        path: PathBuf,
        /// How many bytes are needed.
        needed: u64,
        /// How many bytes are free.
        free: u64,
    },
    /// The file is not a backup that this release can restore.
    NotABackup {
        /// What is wrong with the file.
        problem: String,
    },
    /// The caller of [`Cluster::restore`](crate::Cluster::restore) cannot use the restored data.
    Refused(Box<dyn std::error::Error + Send + Sync>),
    /// A program could not be run, or bytes could not be passed on.
    Io {
        /// What was attempted, as in "cannot *run initdb*".
        attempt: String,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A file or directory could not be made, read or changed.
    File {
        /// What was attempted, as in "cannot *create*".
        attempt: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// One of PostgreSQL's programs failed.
    Program {
        /// The program's name.
        program: &'static str,
        /// What it said last.
        reason: String,
        /// The log with more details.
        log: Option<PathBuf>,
    },
}

impl ClusterError {
    /// For `map_err`: an attempt on a path that the operating system refused.
    pub(crate) fn file(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ClusterError {
        move |source| ClusterError::File { attempt, path: path.to_owned(), source }
    }

    /// For `map_err`: an attempt that the operating system refused.
    pub(crate) fn io(attempt: impl Into<String>) -> impl FnOnce(io::Error) -> ClusterError {
        move |source| ClusterError::Io { attempt: attempt.into(), source }
    }

    /// Adds the path of the log to an error of one of PostgreSQL's programs.
    pub(crate) fn with_log(self, path: &Path) -> ClusterError {
        match self {
            ClusterError::Program { program, reason, log: _ } => {
                ClusterError::Program { program, reason, log: Some(path.to_owned()) }
            }
            other => other,
        }
    }

    fn message(&self) -> String {
        match self {
            ClusterError::PostgresMissing { looked_in, unusable } => {
                let mut places: Vec<_> = looked_in.iter().map(|dir| dir.display().to_string()).collect();
                places.extend(unusable.iter().cloned());
                format!(
                    "PostgreSQL {MAJOR_MIN} or newer was not found (looked in {}); install it, for example \
                     `apt-get install postgresql` (Debian, Ubuntu), `dnf install postgresql-server` (Fedora, Red Hat) \
                     or `brew install postgresql@17` (macOS), or set DATABASE_URL to a server of your own",
                    places.join(", ")
                )
            }
            ClusterError::VersionMismatch { data, made_by, found, found_in } => {
                let advice = match major_of(made_by) {
                    Some(major) if (MAJOR_MIN..*found).contains(&major) => format!(
                        "install PostgreSQL {major} beside it once more ({}), and start again: the data is then \
                         moved to PostgreSQL {found} automatically, and PostgreSQL {major} can be removed",
                        install_command(major, found_in)
                    ),
                    Some(major) if major > *found => {
                        format!("install PostgreSQL {major} or newer ({})", install_command(major, found_in))
                    }
                    _ => format!(
                        "install PostgreSQL {made_by} again, or dump the data with it and restore them into a new data \
                         directory"
                    ),
                };
                format!(
                    "the data directory {} was made by PostgreSQL {made_by}, but PostgreSQL {found} was found in {}; {advice}",
                    data.display(),
                    found_in.display()
                )
            }
            ClusterError::NotACluster { data, problem } => {
                format!("{} {problem}; move it away, or set FINANCE_DATA_DIR to another directory", data.display())
            }
            ClusterError::ForeignOwner { data, owner: 0, user } => format!(
                "the data directory {0} belongs to root, and PostgreSQL refuses to run as root; give it to the \
                 server's user with `chown -R {user} {0}`",
                data.display()
            ),
            ClusterError::ForeignOwner { data, owner, user } => format!(
                "the data directory {} belongs to the user with id {owner}, not to {user}; run as that user or as \
                 root, or set FINANCE_DATA_DIR to another directory",
                data.display()
            ),
            ClusterError::Unreachable { path, user, because } => format!(
                "the user {user}, which PostgreSQL runs as because it refuses to run as root, cannot reach {} \
                 ({because}); set FINANCE_DATA_DIR to a directory it can reach, for example /var/lib/finance",
                path.display()
            ),
            ClusterError::NoServerUser => {
                "PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody to run it \
                 as; run finance as an ordinary user, or set DATABASE_URL"
                    .to_owned()
            }
            ClusterError::UnsafeSocketDir { path } => format!(
                "the socket directory {} exists with another owner or is open to other users; remove it, or set \
                 FINANCE_DATA_DIR to a shorter path so that it is not needed",
                path.display()
            ),
            ClusterError::Busy { data, waited_for, seconds } => {
                format!("{waited_for} {} has not ended within {seconds} s; try again", data.display())
            }
            ClusterError::RestoreRunning { data } => {
                format!("another restore into {} is running; try again when it has ended", data.display())
            }
            ClusterError::BackupRunning { data } => {
                format!("another backup of {} is being made; try again when it has ended", data.display())
            }
            ClusterError::Unproved { problem } => {
                format!("the restored backup does not contain what was backed up: {problem}")
            }
            ClusterError::NoRoom { what, path, needed, free } => format!(
                "the disk of {} has {} MB free, and {what} needs {} MB",
                path.display(),
                free / 1_000_000,
                needed.div_ceil(1_000_000)
            ),
            ClusterError::Refused(_) => "the backup cannot be restored, everything is as it was".to_owned(),
            ClusterError::Io { attempt, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::NotFound => " (install PostgreSQL's server and client programs)",
                    _ => "",
                };
                format!("cannot {attempt}{advice}")
            }
            ClusterError::NotABackup { problem } => format!("the file {problem}; everything is as it was"),
            ClusterError::File { attempt, path, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        " (set FINANCE_DATA_DIR to a directory that may be written)"
                    }
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => " (make room on the disk)",
                    _ => "",
                };
                format!("cannot {attempt} {}{advice}", path.display())
            }
            ClusterError::Program { program, reason, log: None } => format!("{program} failed: {reason}"),
            ClusterError::Program { program, reason, log: Some(log) } => {
                format!("{program} failed: {reason} (more in {})", log.display())
            }
        }
    }
}

impl Display for ClusterError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // An error stays one line, whatever a path or a program's message contains.
        let line: String = self.message().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        f.write_str(&line)
    }
}

impl std::error::Error for ClusterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ClusterError::Refused(cause) => Some(cause.as_ref()),
            ClusterError::Io { source, .. } | ClusterError::File { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The major version that a `PG_VERSION` names.
fn major_of(made_by: &str) -> Option<u32> {
    made_by.parse().ok()
}

/// How to install a major version, judged by the directory in which another version was found.
fn install_command(major: u32, found_in: &Path) -> String {
    let dir = found_in.to_string_lossy();
    if dir.starts_with("/usr/lib/postgresql/") {
        format!("`apt-get install postgresql-{major}`, from the release of Debian or Ubuntu that has it")
    } else if dir.starts_with("/usr/pgsql-") {
        format!("`dnf install postgresql{major}-server`")
    } else if dir.contains("brew") || dir.starts_with("/usr/local/") {
        format!("`brew install postgresql@{major}`")
    } else {
        format!("the server and client programs of PostgreSQL {major}")
    }
}

/// An error with its causes, in one line of the log.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The line of a program's output that tells why it failed.
pub(crate) fn reason(output: &str) -> String {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let after = |mark: &'static str| {
        lines().filter_map(move |line| line.split_once(mark).map(|(_, text)| text.trim())).rfind(|text| {
            // The server's answer to a client that connects too early or too late; never the cause.
            !text.starts_with("the database system is ")
        })
    };
    after("PANIC:")
        .or_else(|| after("FATAL:"))
        .or_else(|| after("error:"))
        .or_else(|| after("ERROR:"))
        .or_else(|| lines().next_back())
        .unwrap_or("no message")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_is_the_last_fatal_line_without_its_prefix() {
        let log = "2026-01-01 00:00:00 UTC [7] LOG:  starting PostgreSQL\n\
                   2026-01-01 00:00:00 UTC [7] FATAL:  could not create shared memory segment: No space left on device\n\
                   2026-01-01 00:00:00 UTC [8] FATAL:  the database system is starting up\n\
                   2026-01-01 00:00:00 UTC [7] LOG:  database system is shut down\n";
        assert_eq!(reason(log), "could not create shared memory segment: No space left on device");
    }

    #[test]
    fn reason_of_initdb_is_its_error_not_its_last_line() {
        let output = "creating subdirectories ... initdb: error: could not create directory \"x\": Permission denied\n\
                      initdb: removing contents of data directory \"x\"\n";
        assert_eq!(reason(output), "could not create directory \"x\": Permission denied");
        assert_eq!(reason(""), "no message");
    }

    #[test]
    fn a_cause_is_told_once() {
        let error = ClusterError::file("read", Path::new("/x"))(io::ErrorKind::NotFound.into());
        assert_eq!(error.to_string(), "cannot read /x");
        assert_eq!(chain(&error), "cannot read /x: entity not found");
        let error = ClusterError::Refused(Box::new(error));
        assert!(chain(&error).ends_with("everything is as it was: cannot read /x: entity not found"));
    }

    #[test]
    fn where_the_programs_of_the_data_are_gone_the_line_says_what_to_install() {
        let line = |made_by: &str, found: u32| {
            let found_in = format!("/usr/lib/postgresql/{found}/bin").into();
            ClusterError::VersionMismatch { data: "/x".into(), made_by: made_by.into(), found, found_in }.to_string()
        };
        let line_15 = line("15", 17);
        assert!(line_15.contains("`apt-get install postgresql-15`") && line_15.contains("automatically"), "{line_15}");
        assert!(line("18", 17).contains("install PostgreSQL 18 or newer"), "{}", line("18", 17));
        assert!(line("9.6", 17).contains("was made by PostgreSQL 9.6, but PostgreSQL 17"), "{}", line("9.6", 17));
    }

    #[test]
    fn an_error_stays_one_line_whatever_the_path_holds() {
        let error = ClusterError::NotACluster { data: "/tmp/a\nb".into(), problem: "is a file" };
        assert_eq!(error.to_string().lines().count(), 1);
    }
}
