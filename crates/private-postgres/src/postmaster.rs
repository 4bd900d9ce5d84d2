//! The server's main process: detects, starts and stops it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::binaries::Binaries;
use crate::error::{self, ClusterError};
use crate::lock::{Lock, give_to_owner_of_dir, private};
use crate::place::{PORT, Place};
use crate::process::{self, POLL, is_shortage};

const STOP_SECONDS_MAX: u64 = 60;
/// The minimum age of a newly installed program before a server is started from it: a package manager installs the files of a
/// package one after the other.
const SETTLED_SECONDS_MIN: u64 = 1;
const LOG_BYTES_MAX: u64 = 10 << 20;
const LOG_TAIL_BYTES: u64 = 64 << 10;

/// The settings for a small household service: little memory, full durability, and a log without personal data.
const SETTINGS: &[(&str, &str)] = &[
    // Connections use the socket only. The socket's directory keeps other users out; the mode does so a second time.
    ("listen_addresses", ""),
    ("unix_socket_permissions", "0700"),
    ("max_connections", "50"),
    // Memory is allocated page by page as data is read: a household's few megabytes take only a few megabytes.
    ("shared_buffers", "256MB"),
    // After each checkpoint, the first change of a page writes the whole page to the log. With many active profiles, most
    // changes are such first changes. Twice this size would double what is replayed after a crash.
    ("max_wal_size", "512MB"),
    // Queries are small: planning for parallel workers or compiling would cost more than it saves.
    ("max_parallel_workers_per_gather", "0"),
    ("jit", "off"),
    // What is read often is in memory, so reading by an index costs little more than reading all.
    ("random_page_cost", "1.1"),
    ("fsync", "on"),
    ("synchronous_commit", "on"),
    ("full_page_writes", "on"),
    // Nothing replicates from this cluster.
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    ("TimeZone", "UTC"),
    ("log_timezone", "UTC"),
    ("log_destination", "stderr"),
    ("logging_collector", "off"),
    ("log_line_prefix", "%m [%p] "),
    // Statements, their parameters and the details of errors contain what people own and earn. The service reports failed
    // statements itself, so nothing below LOG is written, and DETAIL lines are left out.
    ("log_min_messages", "log"),
    ("log_min_error_statement", "panic"),
    ("log_error_verbosity", "terse"),
    ("log_statement", "none"),
    ("log_min_duration_statement", "-1"),
    ("log_parameter_max_length", "0"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_lock_waits", "off"),
    ("log_checkpoints", "off"),
    ("log_autovacuum_min_duration", "-1"),
    ("cluster_name", "finance"),
];

/// Adds one setting to the command line of `postgres`.
pub(crate) fn set(command: &mut Command, name: &str, value: impl AsRef<std::ffi::OsStr>) {
    let mut setting = OsString::from(name);
    setting.push("=");
    setting.push(value);
    command.arg("-c").arg(setting);
}

/// What `postmaster.pid` and the processes say about the server of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It was shut down properly, or never ran.
    Stopped,
    /// It ended without removing its `postmaster.pid`.
    Dead,
    Starting(Pid),
    /// It accepts connections.
    Ready(Pid),
    Stopping(Pid),
    /// It accepts connections, but it is not a process of this system: another container shares the data directory.
    Elsewhere,
    /// An operator works on the cluster in single-user mode.
    SingleUser,
}

pub(crate) fn state(place: &Place) -> Result<State, ClusterError> {
    let path = pid_file(place);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Stopped),
        Err(error) => return Err(ClusterError::file("read", &path)(error)),
    };
    let file = PidFile::parse(&text);
    Ok(match file.pid {
        Some(pid) if is_server(place, pid)? => match file.status {
            _ if file.single_user => State::SingleUser,
            "ready" => State::Ready(pid),
            "stopping" => State::Stopping(pid),
            _ => State::Starting(pid),
        },
        _ if answers(place)? => State::Elsewhere,
        _ => State::Dead,
    })
}

struct PidFile<'a> {
    pid: Option<Pid>,
    single_user: bool,
    status: &'a str,
}

impl PidFile<'_> {
    /// The process id is on the first line, negative in single-user mode; the status is on the eighth.
    fn parse(text: &str) -> PidFile<'_> {
        let mut lines = text.lines().map(str::trim);
        let pid: i32 = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
        let pid_or_none = pid.checked_abs().and_then(Pid::from_raw);
        PidFile { pid: pid_or_none, single_user: pid < 0, status: lines.nth(6).unwrap_or("") }
    }
}

fn pid_file(place: &Place) -> PathBuf {
    place.data.join("postmaster.pid")
}

/// Whether a process is the server of this cluster, and not another program that got its process id later. A restarted
/// container soon assigns the same ids again.
///
/// # Errors
///
/// This process has no file descriptor or memory left for the check. The server may still be running.
fn is_server(place: &Place, pid: Pid) -> Result<bool, ClusterError> {
    if test_kill_process(pid).is_err() {
        // The process has ended or belongs to another user.
        return Ok(false);
    }
    if process::are_shown() {
        return process::works_in(pid, &place.data).map_err(ClusterError::file("look at the server of", &place.data));
    }
    Ok(answers(place)? || Lock::is_held(&place.server_lock())?)
}

/// Whether a process listens on the socket.
pub(crate) fn answers(place: &Place) -> Result<bool, ClusterError> {
    match UnixStream::connect(place.socket()) {
        Ok(_) => Ok(true),
        Err(error) if is_shortage(&error) => Err(ClusterError::file("connect to", &place.socket())(error)),
        Err(_) => Ok(false),
    }
}

/// A program that was replaced or removed while a server runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replaced {
    /// The path of the program.
    pub(crate) program: PathBuf,
    /// Whether the new file is old enough for the rest of its package to be installed as well.
    pub(crate) is_settled: bool,
}

/// Whether the program of a running server was replaced or removed. Detected on Linux only.
pub(crate) fn replaced(pid: Pid) -> Option<Replaced> {
    let program = process::replaced_program(pid)?;
    let age = fs::metadata(&program).map(|installed| {
        let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(installed.ctime()).unwrap_or(0));
        // The age is unknown if the clock was set back.
        SystemTime::now().duration_since(changed).unwrap_or(Duration::MAX)
    });
    // A program that was removed has no age.
    let is_settled = age.unwrap_or(Duration::MAX) >= Duration::from_secs(SETTLED_SECONDS_MIN);
    Some(Replaced { program, is_settled })
}

/// Removes what a crashed server left behind: its files, and child processes that still run and would prevent a new server from
/// starting. The caller has checked that the server itself is gone.
pub(crate) fn clear(place: &Place) -> Result<(), ClusterError> {
    process::end_all_in(&place.data);
    let socket = place.socket();
    let mut socket_lock = socket.clone().into_os_string();
    socket_lock.push(".lock");
    for path in [pid_file(place), socket, socket_lock.into()] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(ClusterError::file("remove", &path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A server this process has just started, and what it has written since.
pub(crate) struct Started {
    child: Child,
    log: PathBuf,
    log_start: u64,
}

pub(crate) fn start(place: &Place, binaries: &Binaries, extra: &[(String, String)]) -> Result<Started, ClusterError> {
    place.secure_socket_dir()?;
    let log_path = place.log();
    let log = open_log(&log_path).map_err(ClusterError::file("write", &log_path))?;
    let log_start = log.metadata().map_err(ClusterError::file("read", &log_path))?.len();
    let also_log = log.try_clone().map_err(ClusterError::file("write", &log_path))?;

    let mut command = place.user.command(binaries.program("postgres"));
    command.arg("-D").arg(&place.data);
    for (name, value) in SETTINGS {
        set(&mut command, name, value);
    }
    if cfg!(target_os = "linux") {
        // After a crash the server synchronizes the data directory once. With one call for each file, this takes seconds.
        set(&mut command, "recovery_init_sync_method", "syncfs");
    }
    set(&mut command, "port", PORT.to_string());
    set(&mut command, "unix_socket_directories", quoted(&place.socket_dir()));
    for (name, value) in extra {
        set(&mut command, name, value);
    }
    // Every process of the server inherits the file, so the lock is held for as long as one of them lives.
    let lock = Lock::shared(&place.server_lock(), Duration::from_secs(1))?;
    command.stdin(lock.map_or_else(Stdio::null, |lock| lock.into_file().into()));
    // The server has its own process group: Ctrl-C in the terminal reaches only the service, which then shuts the server down
    // properly.
    command.process_group(0).stdout(also_log).stderr(log);
    let child = command.spawn().map_err(ClusterError::io(format!("run postgres as the user {}", place.user.name)))?;
    Ok(Started { child, log: log_path, log_start })
}

impl Started {
    /// Why the server ended, if it did.
    pub(crate) fn ended(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => match self.tail() {
                text if text.trim().is_empty() => Some(status.to_string()),
                text => Some(error::reason(&text)),
            },
            Err(error) => Some(error.to_string()),
        }
    }

    pub(crate) fn is(&self, pid: Pid) -> bool {
        Pid::from_child(&self.child) == pid
    }

    /// Lets the server run on. A thread waits for its end, so that it does not become a zombie.
    pub(crate) fn detach(mut self) {
        let reaper = thread::Builder::new().name("postgres-reaper".to_owned());
        if let Err(error) = reaper.spawn(move || self.child.wait()) {
            log::warn!("no thread to wait for the end of the private cluster: {error}");
        }
    }

    fn tail(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut log = File::open(&self.log)?;
            let end = log.metadata()?.len();
            log.seek(SeekFrom::Start(self.log_start.max(end.saturating_sub(LOG_TAIL_BYTES))))?;
            let mut bytes = Vec::new();
            log.take(LOG_TAIL_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
    }
}

/// Stops the server with a fast shutdown: it rolls back open transactions and closes connections. If that takes too long, stops
/// it immediately, and the next start recovers.
pub(crate) fn stop(place: &Place, pid: Pid) -> Result<(), ClusterError> {
    for (signal, seconds) in [(Signal::INT, STOP_SECONDS_MAX), (Signal::QUIT, 10)] {
        match kill_process(pid, signal) {
            Err(error) if error != rustix::io::Errno::SRCH => {
                return Err(ClusterError::file("stop the server of", &place.data)(error.into()));
            }
            _ => {}
        }
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < deadline {
            if matches!(is_server(place, pid), Ok(false)) {
                return Ok(());
            }
            thread::sleep(POLL);
        }
    }
    Err(ClusterError::Busy {
        data: place.data.clone(),
        waited_for: "the stop of the server of",
        seconds: STOP_SECONDS_MAX,
    })
}

/// Ends the servers whose data directory has been deleted, on systems where processes can be found by directory.
pub(crate) fn end_orphans(place: &Place) {
    process::end_all_in(&place.data);
}

/// Quotes a path for a setting that is a comma-separated list of paths.
fn quoted(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut list = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        list.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    list.push(b'"');
    OsString::from_vec(list)
}

/// Opens the server's log. A log of more than [`LOG_BYTES_MAX`] is renamed first.
fn open_log(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|log| log.size() > LOG_BYTES_MAX) {
        fs::rename(path, path.with_extension("log.old"))?;
    }
    let log = private(OpenOptions::new().append(true).create(true)).open(path)?;
    give_to_owner_of_dir(&log, path)?;
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID_FILE: &str = "4711\n/data/postgres\n1767225600\n5432\n/data/postgres\n\n  1234 5\nready   \n";

    #[test]
    fn a_pid_file_tells_the_process_and_its_status() {
        let file = PidFile::parse(PID_FILE);
        assert_eq!((file.pid, file.single_user, file.status), (Pid::from_raw(4711), false, "ready"));
    }

    #[test]
    fn a_pid_file_of_single_user_mode_has_a_negative_number() {
        let file = PidFile::parse("-4711\n/data/postgres\n");
        assert_eq!((file.pid, file.single_user, file.status), (Pid::from_raw(4711), true, ""));
    }

    #[test]
    fn a_pid_file_that_was_never_filled_names_nobody() {
        for text in ["", "\n", "0\n", "-2147483648\n", "rubbish\n"] {
            assert_eq!(PidFile::parse(text).pid, None, "{text:?}");
        }
    }

    #[test]
    fn a_path_in_a_list_is_quoted() {
        assert_eq!(quoted(Path::new("/a, \"b\"")), "\"/a, \"\"b\"\"\"");
    }
}
