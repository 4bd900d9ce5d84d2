//! The user that the server runs as: the user of this process, or an unprivileged user if this process is root.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::ClusterError;

/// The user that PostgreSQL's programs run as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerUser {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) name: String,
    /// Whether this process is root and so has to become that user for the server.
    pub(crate) switch: bool,
}

impl ServerUser {
    /// The user of this process. If that is root, which PostgreSQL refuses to run as: the owner of an existing cluster, else the
    /// system's `postgres`, else `nobody`.
    pub(crate) fn choose(cluster_owner: Option<(u32, u32)>) -> Result<ServerUser, ClusterError> {
        let uid = rustix::process::geteuid();
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        if !uid.is_root() {
            let uid = uid.as_raw();
            let name = entries(&passwd).find(|user| user.uid == uid).map_or_else(|| uid.to_string(), |user| user.name);
            return Ok(ServerUser { uid, gid: rustix::process::getegid().as_raw(), name, switch: false });
        }
        if let Some((uid, gid)) = cluster_owner.filter(|(uid, _)| *uid != 0) {
            let known = entries(&passwd).find(|user| user.uid == uid);
            return Ok(known.unwrap_or(ServerUser { uid, gid, name: uid.to_string(), switch: true }));
        }
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| entries(&passwd).find(|user| user.name == *name && user.uid != 0))
            .ok_or(ClusterError::NoServerUser)
    }

    /// A command that will run as this user, in a clean environment, with nothing on its standard input.
    ///
    /// `CommandExt::uid` also drops root's supplementary groups.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        clean_environment(&mut command);
        command.stdin(Stdio::null());
        if self.switch {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Whether this user may enter a directory. A child process tries it, so that access lists count as well.
    pub(crate) fn can_enter(&self, dir: &Path) -> io::Result<bool> {
        let entered = self.command("/bin/sh").args(["-c", ":"]).current_dir(dir).status();
        match entered {
            Ok(status) => Ok(status.success()),
            Err(refused) if refused.kind() == io::ErrorKind::PermissionDenied => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Removes the variables that name another server from a command's environment.
pub(crate) fn clean_environment(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        // PGDATA, PGPORT, PGOPTIONS …
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    // This crate searches some messages for English text. With a fixed time zone, initdb does not search for the system's.
    command.env("LC_ALL", "C").env("TZ", "UTC").current_dir("/");
}

/// The users in the text of `/etc/passwd`.
fn entries(passwd: &str) -> impl Iterator<Item = ServerUser> {
    passwd.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?.to_owned();
        let (uid, gid) = (fields.nth(1)?, fields.next()?);
        // macOS writes ids from the top of the range as negative numbers.
        let id = |text: &str| text.parse::<u32>().or_else(|_| text.parse::<i32>().map(i32::cast_unsigned)).ok();
        Some(ServerUser { uid: id(uid)?, gid: id(gid)?, name, switch: true })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_reads_names_and_ids_and_skips_what_it_cannot_read() {
        let passwd = "# a comment\nroot:x:0:0:root:/root:/bin/sh\nnobody:*:-2:-2:x:/:/bin/false\nbroken\n\
                      postgres:x:101:104::/var/lib/postgresql:/bin/bash\n";
        let users: Vec<_> = entries(passwd).map(|user| (user.name, user.uid, user.gid)).collect();
        assert_eq!(
            users,
            [("root".into(), 0, 0), ("nobody".into(), u32::MAX - 1, u32::MAX - 1), ("postgres".into(), 101, 104)]
        );
    }
}
