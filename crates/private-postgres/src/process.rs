//! Processes as Linux shows them under /proc. On other systems nothing is found there, and nothing is done.

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

use crate::postmaster::POLL;

/// Whether the system shows them.
pub(crate) fn are_shown() -> bool {
    Path::new("/proc/self/stat").exists()
}

/// Whether it is this process that cannot look.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(|errno| [Errno::MFILE, Errno::NFILE, Errno::NOMEM].contains(&errno))
}

/// Whether a process is a PostgreSQL at work in a data directory: each of its processes changes to it. One that has
/// been deleted under it counts as well.
pub(crate) fn works_in(pid: Pid, data: &Path) -> io::Result<bool> {
    let of = |file: &str| PathBuf::from(format!("/proc/{pid}/{file}"));
    // The name stands in parentheses and may hold anything; the state letter follows. A zombie works nowhere.
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

/// Where the program of a process was, if another file is there now, or none.
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

/// Ends every PostgreSQL process at work in a data directory, and waits for it.
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
