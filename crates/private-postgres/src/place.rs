//! The location of the cluster: `<data directory>/postgres`, or another directory that its unprivileged user can reach.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};

use crate::error::ClusterError;
use crate::user::ServerUser;

const NAME: &str = "postgres";
/// Separates the cluster's name from the major version in the directory name of an earlier cluster.
const EARLIER: &str = ".old-";

/// The port number in the socket's file name. Nothing listens on TCP.
pub(crate) const PORT: u16 = 5432;

/// The capacity of `sun_path` in bytes on the strictest system (macOS), without the terminating zero. Linux has four more.
const SOCKET_PATH_BYTES_MAX: usize = 103;

/// The cluster's directories and files, and the user they belong to.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Holds the cluster, its locks and its log. Belongs to this process's user.
    pub(crate) home: PathBuf,
    /// PostgreSQL's own data directory. Belongs to the server's user.
    pub(crate) data: PathBuf,
    pub(crate) user: ServerUser,
    /// Where to leave a symbolic link to `data` when it is not in the service's data directory.
    link: Option<PathBuf>,
}

/// What the cluster's directory contains.
pub(crate) enum Content {
    Nothing,
    /// A cluster, and the major version that made it.
    Cluster(String),
}

impl Place {
    /// Finds the cluster that belongs to a data directory, or decides where it will be made. Creates the data
    /// directory.
    ///
    /// Under root the server runs as another user, who must be able to enter every directory on the path. Permissions of
    /// directories above the data directory are never changed. The data directory itself is opened for entering (not for
    /// reading): to that user's group alone if the group had no rights before, else to all users. The secret in it has mode
    /// 0600. If a directory above cannot be entered, such as /root, the cluster is created in `/var/lib/finance-<hash>`, and
    /// `<data directory>/postgres` becomes a symbolic link to it.
    pub(crate) fn resolve(data_dir: &Path) -> Result<Place, ClusterError> {
        create_data_dir(data_dir)?;
        let data_dir = fs::canonicalize(data_dir).map_err(ClusterError::file("find", data_dir))?;
        let own = data_dir.join(NAME);
        if own.is_symlink() {
            // The link stands for existing data. If its target is missing, an empty new cluster must not take its place.
            let found = fs::canonicalize(&own).or_else(|error| displaced(&own).ok_or(error));
            let data = found.map_err(ClusterError::file("follow the link", &own))?;
            let home = data.parent().unwrap_or(&data).to_owned();
            let user = user_of(&home, &data)?;
            reachable(&user, &home)?;
            return Ok(Place { home, data, user, link: None });
        }
        let user = user_of(&data_dir, &own)?;
        if reachable(&user, &data_dir).is_ok() || let_in(&user, &data_dir)? {
            return Ok(Place { home: data_dir, data: own, user, link: None });
        }
        if !matches!(content(&own)?, Content::Nothing) {
            reachable(&user, &data_dir)?;
        }
        let home = elsewhere(&user, &data_dir)?;
        let data = home.join(NAME);
        let user = user_of(&home, &data)?;
        Ok(Place { home, data, user, link: Some(own) })
    }

    pub(crate) fn content(&self) -> Result<Content, ClusterError> {
        content(&self.data)
    }

    /// Checks that the server's user owns the cluster. PostgreSQL's own message would be less clear.
    pub(crate) fn check_owner(&self) -> Result<(), ClusterError> {
        let owner = metadata(&self.data)?.uid();
        if owner == self.user.uid {
            return Ok(());
        }
        Err(ClusterError::ForeignOwner { data: self.data.clone(), owner, user: self.user.name.clone() })
    }

    /// Held exclusively while the cluster is made, started or stopped.
    pub(crate) fn startup_lock(&self) -> PathBuf {
        self.beside(".lock")
    }

    /// Shared by every process that uses the cluster.
    pub(crate) fn lease(&self) -> PathBuf {
        self.beside(".lease")
    }

    /// Held exclusively while a backup is restored.
    pub(crate) fn restore_lock(&self) -> PathBuf {
        self.beside(".restore")
    }

    /// Held exclusively while a backup is made and proved.
    pub(crate) fn backup_lock(&self) -> PathBuf {
        self.beside(".backup")
    }

    /// Shared by every process of the server itself.
    pub(crate) fn server_lock(&self) -> PathBuf {
        self.beside(".server")
    }

    /// What the server writes to its standard error.
    pub(crate) fn log(&self) -> PathBuf {
        self.beside(".log")
    }

    /// Where a cluster is made before it is complete.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.beside(&format!(".new-{}", std::process::id()))
    }

    /// The same, with the cluster in another directory beside this one.
    pub(crate) fn at(&self, data: PathBuf) -> Place {
        Place { data, link: None, ..self.clone() }
    }

    /// The clusters that an interrupted first start or upgrade left behind.
    pub(crate) fn leftovers(&self) -> Result<Vec<PathBuf>, ClusterError> {
        let numbered = numbered(&self.home, &self.beside(".new-"))?;
        // The files beside such a cluster are removed with it.
        let clusters: BTreeSet<u32> = numbered.into_iter().map(|(number, _)| number).collect();
        Ok(clusters.into_iter().map(|number| self.beside(&format!(".new-{number}"))).collect())
    }

    /// Where the cluster of a major version is kept when a newer one takes its place.
    pub(crate) fn earlier(&self, major: u32) -> PathBuf {
        self.beside(&format!("{EARLIER}{major}"))
    }

    /// The clusters of earlier major versions that are kept, the newest last.
    pub(crate) fn all_earlier(&self) -> Result<Vec<(u32, PathBuf)>, ClusterError> {
        let mut kept = numbered(&self.home, &self.beside(EARLIER))?;
        kept.retain(|(major, path)| *path == self.earlier(*major));
        kept.sort();
        Ok(kept)
    }

    /// Creates a link in the service's data directory if the cluster had to be created elsewhere.
    pub(crate) fn record(&self) -> Result<(), ClusterError> {
        let Some(link) = &self.link else { return Ok(()) };
        // There may be an empty directory in this place, as there may be in the cluster's own place.
        let _ = fs::remove_dir(link);
        match symlink(&self.data, link) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            done => done.map_err(ClusterError::file("create the link", link)),
        }
    }

    /// Warns that a data directory without its link, such as a recreated one, gets its earlier cluster back.
    pub(crate) fn warn_if_found_again(&self) {
        if let Some(link) = &self.link {
            log::warn!("using the cluster in {}, which was made earlier for {}", self.data.display(), link.display());
        }
    }

    /// The directory of the socket: the cluster's own directory, which PostgreSQL requires to be private to its user. Another
    /// directory is used if the path is too long for a socket, or contains a comma, which libpq reads as the beginning of
    /// another host.
    pub(crate) fn socket_dir(&self) -> PathBuf {
        let socket = path_of_socket(&self.data).into_os_string();
        if socket.len() <= SOCKET_PATH_BYTES_MAX && !socket.as_bytes().contains(&b',') {
            return self.data.clone();
        }
        let base = if rustix::process::geteuid().is_root() && Path::new("/run").is_dir() { "/run" } else { "/tmp" };
        Path::new(base).join(format!("finance-{}-{}", self.user.uid, hash(&self.data)))
    }

    pub(crate) fn socket(&self) -> PathBuf {
        path_of_socket(&self.socket_dir())
    }

    /// Creates the socket's directory if it is not the cluster's own. Checks in either case that only the server's user has
    /// access to it: with `trust` authentication, this is what keeps other users out.
    pub(crate) fn secure_socket_dir(&self) -> Result<(), ClusterError> {
        let dir = self.socket_dir();
        if dir != self.data {
            create_dir(&dir, 0o700)?;
            let made = fs::symlink_metadata(&dir).map_err(ClusterError::file("read", &dir))?;
            if self.user.switch && made.is_dir() && made.uid() == 0 {
                lchown(&dir, Some(self.user.uid), Some(self.user.gid))
                    .map_err(ClusterError::file("change the owner of", &dir))?;
            }
        }
        let found = fs::symlink_metadata(&dir).map_err(ClusterError::file("read", &dir))?;
        if found.is_dir() && found.uid() == self.user.uid && found.mode() & 0o077 == 0 {
            return Ok(());
        }
        Err(ClusterError::UnsafeSocketDir { path: dir })
    }

    /// Removes the socket's directory again if it is not the cluster's own. The server has stopped.
    pub(crate) fn remove_socket_dir(&self) {
        let dir = self.socket_dir();
        if dir != self.data {
            // It does no harm if it stays.
            let _ = fs::remove_dir(dir);
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.data.file_name().map_or_else(|| OsString::from(NAME), OsStr::to_owned);
        name.push(ending);
        self.home.join(name)
    }
}

/// Makes a directory if it is missing, with exactly this mode whatever the umask.
fn create_dir(dir: &Path, mode: u32) -> Result<(), ClusterError> {
    match DirBuilder::new().mode(mode).create(dir) {
        Ok(()) => fs::set_permissions(dir, Permissions::from_mode(mode))
            .map_err(ClusterError::file("change the mode of", dir)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(ClusterError::file("create the directory", dir)(error)),
    }
}

/// Creates an empty directory of mode 0700 for the server's user. It must not exist yet.
pub(crate) fn create_for(user: &ServerUser, dir: &Path) -> Result<(), ClusterError> {
    DirBuilder::new().mode(0o700).create(dir).map_err(ClusterError::file("create the directory", dir))?;
    if user.switch {
        lchown(dir, Some(user.uid), Some(user.gid)).map_err(ClusterError::file("change the owner of", dir))?;
    }
    Ok(())
}

fn create_data_dir(data_dir: &Path) -> Result<(), ClusterError> {
    let missing: Vec<_> = data_dir.ancestors().take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists()).collect();
    for (depth, dir) in missing.iter().enumerate().rev() {
        // The server's user may enter the parent directories that root creates, whatever root's umask.
        let on_the_way = if rustix::process::geteuid().is_root() { 0o755 } else { 0o700 };
        create_dir(dir, if depth == 0 { 0o700 } else { on_the_way })?;
    }
    if !data_dir.is_dir() {
        return Err(ClusterError::NotACluster { data: data_dir.to_owned(), problem: "is not a directory" });
    }
    Ok(())
}

/// The server's user: the owner of the cluster or, before it is created, of the directory that will contain it.
fn user_of(home: &Path, data: &Path) -> Result<ServerUser, ClusterError> {
    let owner = match content(data)? {
        Content::Cluster(_) => metadata(data)?,
        // An upgrade was interrupted.
        Content::Nothing => match newest_earlier(data) {
            Some(earlier) => metadata(&earlier)?,
            None => metadata(home)?,
        },
    };
    ServerUser::choose(Some((owner.uid(), owner.gid())))
}

/// The path that a link points to, if an upgrade was interrupted while the cluster's directory had another name.
fn displaced(link: &Path) -> Option<PathBuf> {
    let target = link.parent()?.join(fs::read_link(link).ok()?);
    let data = fs::canonicalize(target.parent()?).ok()?.join(target.file_name()?);
    newest_earlier(&data).map(|_| data)
}

/// The newest of the earlier clusters beside a cluster.
fn newest_earlier(data: &Path) -> Option<PathBuf> {
    let mut prefix = data.as_os_str().to_owned();
    prefix.push(EARLIER);
    let earlier = numbered(data.parent()?, Path::new(&prefix)).ok()?;
    earlier.into_iter().filter(|(_, path)| path.is_dir()).max().map(|(_, path)| path)
}

/// The entries of a directory whose name is a prefix, a number and optionally an ending after a dot, each with the number.
fn numbered(dir: &Path, prefix: &Path) -> Result<Vec<(u32, PathBuf)>, ClusterError> {
    let entries = fs::read_dir(dir).map_err(ClusterError::file("read the directory", dir))?;
    let number = |path: &Path| {
        let rest = path.as_os_str().as_bytes().strip_prefix(prefix.as_os_str().as_bytes())?;
        let digits = rest.split(|byte| *byte == b'.').next()?;
        str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
    };
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths.filter_map(|path| number(&path).map(|number| (number, path))).collect())
}

fn content(data: &Path) -> Result<Content, ClusterError> {
    let not_a_cluster = |problem| Err(ClusterError::NotACluster { data: data.to_owned(), problem });
    let version = data.join("PG_VERSION");
    let found = match fs::metadata(data) {
        Ok(found) if !found.is_dir() => return not_a_cluster("is not a directory"),
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::Nothing),
        Err(error) => return Err(ClusterError::file("read", data)(error)),
    };
    match fs::read_to_string(&version) {
        Ok(major) => Ok(Content::Cluster(major.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut entries = fs::read_dir(data).map_err(ClusterError::file("read the directory", data))?;
            if entries.next().is_none() {
                Ok(Content::Nothing)
            } else {
                not_a_cluster("is not empty and not a PostgreSQL data directory (it has no PG_VERSION)")
            }
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let user = ServerUser::choose(None)?.name;
            Err(ClusterError::ForeignOwner { data: data.to_owned(), owner: found.uid(), user })
        }
        Err(error) => Err(ClusterError::file("read", &version)(error)),
    }
}

fn metadata(path: &Path) -> Result<Metadata, ClusterError> {
    fs::metadata(path).map_err(ClusterError::file("read", path))
}

fn reachable(user: &ServerUser, dir: &Path) -> Result<(), ClusterError> {
    if !user.switch {
        return Ok(());
    }
    match user.can_enter(dir) {
        Ok(true) => Ok(()),
        Ok(false) => Err(unreachable(user, dir, "a directory on the way may not be entered".to_owned())),
        Err(source) => Err(ClusterError::Io { attempt: format!("run /bin/sh as the user {}", user.name), source }),
    }
}

fn unreachable(user: &ServerUser, path: &Path, because: String) -> ClusterError {
    ClusterError::Unreachable { path: path.to_owned(), user: user.name.clone(), because }
}

/// Permits the server's user to enter root's own data directory, if no directory above it prevents access.
fn let_in(user: &ServerUser, data_dir: &Path) -> Result<bool, ClusterError> {
    let Some(parent) = data_dir.parent() else { return Ok(false) };
    let found = metadata(data_dir)?;
    if found.uid() != 0 || reachable(user, parent).is_err() {
        return Ok(false);
    }
    let by_group = found.gid() == user.gid || found.mode() & 0o070 == 0;
    if by_group {
        chown(data_dir, None, Some(user.gid)).map_err(ClusterError::file("change the group of", data_dir))?;
    }
    let mode = found.mode() & 0o7777 | if by_group { 0o010 } else { 0o001 };
    fs::set_permissions(data_dir, Permissions::from_mode(mode))
        .map_err(ClusterError::file("change the mode of", data_dir))?;
    Ok(reachable(user, data_dir).is_ok())
}

/// A directory that the server's user can reach and only root can change. The same data directory always gets the same one.
fn elsewhere(user: &ServerUser, data_dir: &Path) -> Result<PathBuf, ClusterError> {
    let refuse = |because: &str| Err(unreachable(user, data_dir, because.to_owned()));
    let Some(base) = ["/var/lib", "/var/db"].iter().map(Path::new).find(|base| base.is_dir()) else {
        return refuse("and there is no /var/lib to use instead");
    };
    // A separate volume is used for a reason: in a container, for example, data outside the volume would be lost.
    if metadata(base)?.dev() != metadata(data_dir)?.dev() {
        return refuse("a directory on the way may not be entered, and it is on a volume of its own");
    }
    let home = base.join(format!("finance-{}", hash(data_dir)));
    create_dir(&home, 0o711)?;
    let made = fs::symlink_metadata(&home).map_err(ClusterError::file("read", &home))?;
    if !made.is_dir() || made.uid() != 0 || made.mode() & 0o022 != 0 {
        return refuse(&format!("and {} is not root's alone to change", home.display()));
    }
    reachable(user, &home)?;
    log::info!(
        "the user {} cannot reach {}; the private cluster is in {}",
        user.name,
        data_dir.display(),
        home.display()
    );
    Ok(home)
}

fn path_of_socket(dir: &Path) -> PathBuf {
    dir.join(format!(".s.PGSQL.{PORT}"))
}

/// A short name for a path that stays the same across processes and releases (FNV-1a).
fn hash(path: &Path) -> String {
    let mixed = path
        .as_os_str()
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{mixed:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_path_never_changes() {
        assert_eq!(hash(Path::new("/root/.local/share/finance")), hash(Path::new("/root/.local/share/finance")));
        assert_eq!(hash(Path::new("a")), "af63dc4c8601ec8c");
    }
}
