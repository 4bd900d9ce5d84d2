//! Advisory locks on files: they end with the process that holds them, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ClusterError;

const POLL: Duration = Duration::from_millis(10);

/// A lock that is held for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Lock(File);

#[derive(Clone, Copy)]
enum Kind {
    Shared,
    Exclusive,
}

impl Lock {
    /// Waits until nobody else holds the lock; `None` when `wait` was not long enough.
    pub(crate) fn exclusive(path: &Path, wait: Duration) -> Result<Option<Lock>, ClusterError> {
        acquire(path, Kind::Exclusive, wait)
    }

    /// Whether somebody holds the lock, alone or with others.
    pub(crate) fn is_held(path: &Path) -> Result<bool, ClusterError> {
        Lock::exclusive(path, Duration::ZERO).map(|free| free.is_none())
    }

    /// The lock's file. The lock ends when the last copy of the file, in any process, is closed.
    pub(crate) fn into_file(self) -> File {
        self.0
    }

    /// Shares the lock with others; `None` if somebody holds it exclusively for longer than `wait`.
    pub(crate) fn shared(path: &Path, wait: Duration) -> Result<Option<Lock>, ClusterError> {
        acquire(path, Kind::Shared, wait)
    }
}

fn acquire(path: &Path, kind: Kind, wait: Duration) -> Result<Option<Lock>, ClusterError> {
    let deadline = Instant::now() + wait;
    loop {
        let file = open(path).map_err(ClusterError::file("open the lock file", path))?;
        loop {
            let tried = match kind {
                Kind::Shared => file.try_lock_shared(),
                Kind::Exclusive => file.try_lock(),
            };
            match tried {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(None),
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
                Err(TryLockError::Error(error)) => return Err(ClusterError::file("lock", path)(error)),
            }
        }
        // A lock on a file that was deleted meanwhile excludes nobody: lock the new file.
        let held = file.metadata().map_err(ClusterError::file("read", path))?;
        if fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (held.dev(), held.ino())) {
            return Ok(Some(Lock(file)));
        }
    }
}

/// Opens a private file of this process beside the cluster, and creates it if it is missing.
fn open(path: &Path) -> io::Result<File> {
    let file = private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path)?;
    give_to_owner_of_dir(&file, path)?;
    Ok(file)
}

/// Sets mode 0600, and refuses a symbolic link that somebody else may have put there.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
}

/// Root may work in another user's data directory. The files it creates there must stay usable by that user.
pub(crate) fn give_to_owner_of_dir(file: &File, path: &Path) -> io::Result<()> {
    if rustix::process::geteuid().is_root()
        && let Some(dir) = path.parent()
    {
        let (owner, group) = fs::metadata(dir).map(|dir| (dir.uid(), dir.gid()))?;
        if file.metadata()?.uid() != owner {
            fchown(file, Some(owner), Some(group))?;
        }
    }
    Ok(())
}
