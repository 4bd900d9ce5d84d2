//! Where PostgreSQL's programs are, and which of several installed versions to take.

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::MAJOR_MIN;
use crate::error::ClusterError;
use crate::user::ServerUser;

/// Where packages put the programs, a `*` standing for any end of a folder's name.
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

/// An installed PostgreSQL.
#[derive(Debug, Clone)]
pub(crate) struct Binaries {
    pub(crate) dir: PathBuf,
    pub(crate) major: u32,
}

impl Binaries {
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// Finds the version that made `data`, or the newest when nothing has been made yet.
///
/// `only` restricts the search to one directory.
pub(crate) fn find(
    only: Option<&Path>,
    data: &Path,
    made_by: Option<&str>,
    user: &ServerUser,
) -> Result<Binaries, ClusterError> {
    let looked_in = match only {
        Some(dir) => vec![dir.to_owned()],
        None => candidates(user),
    };
    let (mut newest, mut unusable) = (None::<Binaries>, Vec::new());
    let wanted = made_by.and_then(major);
    let mut seen = HashSet::new();
    for dir in &looked_in {
        let Some(dir) = complete(dir) else { continue };
        if !seen.insert(dir.clone()) {
            continue;
        }
        let postgres = dir.join("postgres");
        match version(&postgres, user) {
            Ok(found) if found < MAJOR_MIN => unusable.push(format!("{} has version {found}", dir.display())),
            Ok(found) => {
                let binaries = Binaries { dir, major: found };
                if wanted == Some(found) {
                    return Ok(binaries);
                }
                if newest.as_ref().is_none_or(|newest| newest.major < found) {
                    newest = Some(binaries);
                }
            }
            Err(reason) => unusable.push(format!("{} cannot be run: {reason}", postgres.display())),
        }
    }
    match (newest, made_by) {
        (Some(newest), None) => Ok(newest),
        (Some(newest), Some(made_by)) => Err(ClusterError::VersionMismatch {
            data: data.to_owned(),
            made_by: made_by.to_owned(),
            found: newest.major,
            found_in: newest.dir,
        }),
        (None, _) => Err(ClusterError::PostgresMissing {
            looked_in: match only {
                Some(dir) => vec![dir.to_owned()],
                None => [PathBuf::from("PATH"), PathBuf::from("pg_config --bindir")]
                    .into_iter()
                    .chain(PLACES.iter().map(PathBuf::from))
                    .collect(),
            },
            unusable,
        }),
    }
}

/// The directory the programs themselves are in, if they are there. Links to some of them may lie in `PATH` without the
/// others.
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

fn version(postgres: &Path, user: &ServerUser) -> Result<u32, String> {
    let output = user.command(postgres).arg("--version").output().map_err(|error| error.to_string())?;
    // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
    let text = String::from_utf8_lossy(&output.stdout);
    text.split_once("(PostgreSQL)")
        .and_then(|(_, version)| major(version))
        .ok_or_else(|| crate::error::reason(&String::from_utf8_lossy(&output.stderr)))
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
}
