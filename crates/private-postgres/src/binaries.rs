//! Where PostgreSQL's programs are, and which of several installed versions to take.

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::MAJOR_MIN;
use crate::error::ClusterError;
use crate::user::ServerUser;

/// The directories where packages install the programs. `*` stands for any end of a directory's name.
const PLACES: &[&str] = &[
    "/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
    "/usr/pgsql-*/bin",                                   // Red Hat, the PostgreSQL project's packages
    "/usr/lib/postgresql*/bin",                           // SUSE
    "/usr/libexec/postgresql*",                           // Alpine
    "/opt/homebrew/opt/postgresql*/bin",                  // Homebrew on Apple silicon
    "/usr/local/opt/postgresql*/bin",                     // Homebrew on Intel
    "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",     // Homebrew on Linux
    "/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
    "/opt/local/lib/postgresql*/bin",                     // MacPorts
    "/usr/local/pgsql/bin",                               // built from source
    "/usr/local/bin",                                     // FreeBSD
    "/usr/bin",                                           // Fedora, Arch
];

/// Programs beside the server's that backups and upgrades need.
const CLIENTS: [&str; 4] = ["pg_dump", "pg_dumpall", "pg_restore", "psql"];

/// An installed PostgreSQL.
#[derive(Debug, Clone)]
pub(crate) struct Binaries {
    pub(crate) dir: PathBuf,
    pub(crate) major: u32,
    /// Not a beta version or another pre-release.
    is_release: bool,
}

impl Binaries {
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// The installed versions: for each usable major version, the programs that were found first.
#[derive(Debug)]
pub(crate) struct Installed {
    found: BTreeMap<u32, Binaries>,
    looked_in: Vec<PathBuf>,
    unusable: Vec<String>,
}

/// Looks for programs in `only` or, if that is empty, in `PATH` and where packages install them.
pub(crate) fn find(only: &[PathBuf], user: &ServerUser) -> Installed {
    let dirs = if only.is_empty() { candidates(user) } else { only.to_vec() };
    let (mut found, mut unusable, mut seen) = (BTreeMap::new(), Vec::new(), HashSet::new());
    for dir in dirs.iter().filter_map(|dir| complete(dir)) {
        if !seen.insert(dir.clone()) {
            continue;
        }
        let postgres = dir.join("postgres");
        match version(&postgres, user) {
            Ok((major, _)) if major < MAJOR_MIN => unusable.push(format!("{} has version {major}", dir.display())),
            Ok((major, is_release)) => {
                found.entry(major).or_insert(Binaries { dir, major, is_release });
            }
            Err(reason) => unusable.push(format!("{} cannot be run: {reason}", postgres.display())),
        }
    }
    let looked_in = match only {
        [] => ["PATH", "pg_config --bindir"].iter().chain(PLACES).map(PathBuf::from).collect(),
        only => only.to_vec(),
    };
    Installed { found, looked_in, unusable }
}

impl Installed {
    /// The newest version, which makes new clusters.
    pub(crate) fn newest(&self) -> Result<&Binaries, ClusterError> {
        self.found.values().next_back().ok_or_else(|| ClusterError::PostgresMissing {
            looked_in: self.looked_in.clone(),
            unusable: self.unusable.clone(),
        })
    }

    /// The version that made a cluster, as its `PG_VERSION` says.
    pub(crate) fn that_made(&self, data: &Path, made_by: &str) -> Result<&Binaries, ClusterError> {
        let newest = self.newest()?;
        major(made_by).and_then(|major| self.found.get(&major)).ok_or_else(|| ClusterError::VersionMismatch {
            data: data.to_owned(),
            made_by: made_by.to_owned(),
            found: newest.major,
            found_in: newest.dir.clone(),
        })
    }

    /// The newest release after a major version, if it has all the programs that an upgrade needs.
    pub(crate) fn newer_than(&self, major: u32) -> Option<&Binaries> {
        let is_usable =
            |newer: &&Binaries| newer.is_release && CLIENTS.iter().all(|name| newer.program(name).is_file());
        self.found.range(major + 1..).map(|(_, newer)| newer).rev().find(is_usable)
    }
}

/// The directory that contains the programs themselves, if they exist. A directory in `PATH` may have links to only some of
/// them.
fn complete(dir: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(dir.join("postgres")).ok();
    let real = real.as_deref().and_then(Path::parent);
    let found =
        real.into_iter().chain([dir]).find(|dir| dir.join("postgres").is_file() && dir.join("initdb").is_file());
    found.map(Path::to_owned)
}

/// The leading number of a version: `15.18` and `16beta1` alike.
pub(crate) fn major(version: &str) -> Option<u32> {
    let version = version.trim();
    let end = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..end].parse().ok()
}

/// The major version of a program, and whether it is a release.
fn version(postgres: &Path, user: &ServerUser) -> Result<(u32, bool), String> {
    let output = user.command(postgres).arg("--version").output().map_err(|error| error.to_string())?;
    // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
    let text = String::from_utf8_lossy(&output.stdout);
    text.split_once("(PostgreSQL)")
        .and_then(|(_, version)| Some((major(version)?, is_release(version))))
        .ok_or_else(|| crate::error::reason(&String::from_utf8_lossy(&output.stderr)))
}

/// Whether a version is a release: `17.5`, and not `18beta1`.
fn is_release(version: &str) -> bool {
    version.split_whitespace().next().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn candidates(user: &ServerUser) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    if let Ok(output) = user.command("pg_config").arg("--bindir").output()
        && output.status.success()
    {
        dirs.push(PathBuf::from(OsStr::from_bytes(output.stdout.trim_ascii())));
    }
    dirs.extend(PLACES.iter().flat_map(|place| expand(place)));
    dirs.retain(|dir| dir.is_absolute());
    dirs
}

/// The directories that a place with at most one `*` stands for.
fn expand(place: &str) -> Vec<PathBuf> {
    let Some((before, after)) = place.split_once('*') else { return vec![PathBuf::from(place)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().starts_with(prefix.as_bytes()))
        .map(|entry| entry.path().join(after.trim_start_matches('/')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_is_the_leading_number() {
        assert_eq!(major(" 15.18 (Debian)"), Some(15));
        assert_eq!(major("16beta1"), Some(16));
        assert_eq!(major("9.6\n"), Some(9));
        assert_eq!(major("devel"), None);
    }

    fn installed(versions: &[(u32, bool)]) -> Installed {
        let binaries = |(major, is_release)| Binaries { dir: PathBuf::from("/usr/bin"), major, is_release };
        let found = versions.iter().copied().map(|version| (version.0, binaries(version))).collect();
        Installed { found, looked_in: Vec::new(), unusable: Vec::new() }
    }

    #[test]
    fn the_version_that_made_a_cluster_is_taken_and_never_another() {
        let installed = installed(&[(15, true), (17, true)]);
        assert_eq!(installed.newest().unwrap().major, 17);
        assert_eq!(installed.that_made(Path::new("/x"), "15").unwrap().major, 15);
        let error = installed.that_made(Path::new("/x"), "16").unwrap_err();
        assert!(matches!(error, ClusterError::VersionMismatch { found: 17, .. }), "{error}");
    }

    #[test]
    fn only_a_whole_release_is_followed() {
        assert!(
            is_release(" 17.5 (Debian 17.5-1)") && is_release("18.0") && !is_release("18beta1") && !is_release("18rc1")
        );
        // No programs are in this directory.
        let mut installed = installed(&[(15, true), (18, true)]);
        if let Some(newest) = installed.found.get_mut(&18) {
            newest.dir = PathBuf::from("/nowhere");
        }
        assert!(installed.newer_than(15).is_none());
        assert!(installed.newer_than(18).is_none());
    }
}
