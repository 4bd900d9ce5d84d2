//! Facts about processes, read from Linux's `/proc`. On other systems nothing is found.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

/// The interval between checks of a process that starts or ends.
pub(crate) const POLL: Duration = Duration::from_millis(5);

/// Whether there is a `/proc`.
pub(crate) fn are_shown() -> bool {
    Path::new("/proc/self/stat").exists()
}

/// Whether an error is a shortage of file descriptors or memory in this process or system.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(|errno| [Errno::MFILE, Errno::NFILE, Errno::NOMEM].contains(&errno))
}

/// Whether a process is a PostgreSQL process of a data directory. The data directory is the working directory of each of them,
/// even if it has been deleted.
pub(crate) fn works_in(pid: Pid, data: &Path) -> io::Result<bool> {
    let of = |file: &str| PathBuf::from(format!("/proc/{pid}/{file}"));
    // The name is in parentheses and may contain anything; the state follows. A zombie has no working directory.
    let stat = match fs::read_to_string(of("stat")) {
        Ok(stat) => stat,
        Err(error) if is_shortage(&error) => return Err(error),
        Err(_) => return Ok(false),
    };
    let Some((name, rest)) = stat.rsplit_once(')') else { return Ok(false) };
    if !name.ends_with("(postgres") || rest.trim_start().starts_with(['Z', 'X']) {
        return Ok(false);
    }
    let identity = |path: &Path| fs::metadata(path).ok().map(|dir| (dir.dev(), dir.ino()));
    let Some(cwd) = identity(&of("cwd")) else { return Ok(false) };
    Ok(identity(data) == Some(cwd)
        || fs::read_link(of("cwd")).is_ok_and(|cwd| without_deleted(&cwd).is_some_and(|cwd| cwd == data)))
}

/// The path of a process's program, if the file at that path was replaced or removed.
pub(crate) fn replaced_program(pid: Pid) -> Option<PathBuf> {
    let exe = PathBuf::from(format!("/proc/{pid}/exe"));
    let link = fs::read_link(&exe).ok()?;
    if let Some(program) = without_deleted(&link) {
        return Some(program.to_owned());
    }
    let (running, installed) = (fs::metadata(exe).ok()?, fs::metadata(&link).ok()?);
    ((running.dev(), running.ino()) != (installed.dev(), installed.ino())).then_some(link)
}

/// The path of a link to a file that has been deleted.
fn without_deleted(link: &Path) -> Option<&Path> {
    let path = link.as_os_str().as_bytes().strip_suffix(b" (deleted)")?;
    Some(Path::new(OsStr::from_bytes(path)))
}

/// Ends every PostgreSQL process in a data directory, and waits for its end.
pub(crate) fn end_all_in(data: &Path) {
    for (signal, seconds) in [(Signal::QUIT, 2), (Signal::KILL, 2)] {
        let mut left = all_in(data);
        for pid in &left {
            log::warn!("ending PostgreSQL process {pid}, left over in {}", data.display());
            let _ = kill_process(*pid, signal);
        }
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while !left.is_empty() && Instant::now() < deadline {
            thread::sleep(POLL);
            left.retain(|pid| works_in(*pid, data).unwrap_or(true));
        }
        if left.is_empty() {
            return;
        }
    }
}

fn all_in(data: &Path) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(|pid| works_in(*pid, data).unwrap_or(false))
        .collect()
}
