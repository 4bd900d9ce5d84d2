//! The file of the settings: where it is looked for, and whether it may be trusted.
//!
//! It is never looked for in the working directory. Whoever can write the file decides where the program keeps and sends the data
//! of everybody, so a file that others could have written is refused.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The variable that names the file.
const VARIABLE: &str = "FINANCE_CONFIG";
/// The file of the machine.
const SYSTEM: &str = "/etc/finance/finance.toml";
/// The file in a folder of configurations of a user.
const OF_USER: &str = "finance/finance.toml";
/// The file of a checkout, which documents the settings. Earlier versions read it in the working directory.
const OF_CHECKOUT: &str = "config/finance.toml";
/// The most bytes that are read. The shipped file has 5 KB.
const BYTES_MAX: u64 = 1024 * 1024;
/// The mode bits with which the group or others may write.
const WRITABLE: u32 = 0o022;
/// The mode bit of a directory in which only the owner of a file may replace it.
const STICKY: u32 = 0o1000;

/// Where the file was looked for, and where it was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// The places, in their order.
    pub(crate) places: Vec<PathBuf>,
    /// The place of the file that is read. None if no place has one.
    pub(crate) found: Option<PathBuf>,
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(found) = &self.found else {
            let places: Vec<String> = self.places.iter().map(|place| place.display().to_string()).collect();
            return write!(f, "no file is read: {VARIABLE} is not set, and there is none at {}", places.join(" or "));
        };
        write!(f, "{} is read", found.display())
    }
}

impl Search {
    /// Whether the working directory has a file that looks like the settings and is not read.
    fn passes_by_a_checkout(&self) -> bool {
        let Ok(present) = fs::canonicalize(OF_CHECKOUT) else { return false };
        let found = self.found.as_ref().and_then(|found| fs::canonicalize(found).ok());
        found != Some(present)
    }

    /// What a service says at its start in a checkout.
    pub(crate) fn tell(&self) {
        if self.passes_by_a_checkout() {
            log::warn!("{OF_CHECKOUT} of the working directory is not read; {self}");
        }
    }
}

/// Finds and reads the file. The text is empty if there is none.
///
/// # Errors
///
/// A file that `FINANCE_CONFIG` names and that does not exist, one that cannot be read, and one that others own or may write.
pub(super) fn read() -> Result<(Search, String)> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = variable(VARIABLE) {
        let path = std::path::absolute(&named).context(VARIABLE)?;
        let text = read_at(&path).with_context(|| format!("{VARIABLE} {}", named.display()))?;
        let text = text.with_context(|| format!("{VARIABLE} {}: there is no such file", named.display()))?;
        return Ok((Search { places: vec![path.clone()], found: Some(path) }, text));
    }
    // A relative folder would depend on the working directory.
    let folder = |name| variable(name).filter(|folder: &PathBuf| folder.is_absolute());
    let of_user = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    let places = [Some(PathBuf::from(SYSTEM)), of_user.map(|folder| folder.join(OF_USER))];
    let mut search = Search { places: places.into_iter().flatten().collect(), found: None };
    for place in &search.places {
        let text = read_at(place).with_context(|| place.display().to_string())?;
        if let Some(text) = text {
            search.found = Some(place.clone());
            return Ok((search, text));
        }
    }
    Ok((search, String::new()))
}

/// The content of a file that may be trusted. None if there is no file.
fn read_at(path: &Path) -> Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // The open file is the one that is read, whatever its path leads to by then.
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        bail!("it is not a regular file");
    }
    check(&metadata, "it", WRITABLE)?;
    let real = fs::canonicalize(path)?;
    for path in [path, real.as_path()] {
        for folder in path.ancestors().skip(1) {
            let metadata = fs::metadata(folder)?;
            // In a folder like /tmp others may create files, but not replace those of their owner.
            let is_sticky = metadata.mode() & STICKY != 0;
            check(&metadata, &format!("its folder {}", folder.display()), if is_sticky { 0 } else { WRITABLE })?;
        }
    }
    let mut text = String::new();
    file.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > BYTES_MAX {
        bail!("it has more than {BYTES_MAX} bytes");
    }
    Ok(Some(text))
}

/// Refuses what others own, or may write by one of these mode bits.
fn check(metadata: &Metadata, what: &str, refused_bits: u32) -> Result<()> {
    let own = rustix::process::geteuid().as_raw();
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    if owner != own && owner != 0 {
        bail!(
            "{what} belongs to another user (uid {owner}), who could change where the data goes; chown it to root or to uid {own}"
        );
    }
    if mode & refused_bits != 0 {
        bail!("others may write {what} (mode {mode:o}), and change where the data goes; chmod go-w");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_file_that_others_may_write_or_replace_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("folder");
        fs::create_dir(&folder).unwrap();
        set_mode(&folder, 0o755);
        let file = folder.join("finance.toml");
        assert_eq!(read_at(&file).unwrap(), None);
        fs::write(&file, "FINANCE_BIND = '127.0.0.1:1'").unwrap();
        for (file_mode, folder_mode, is_read) in [
            (0o600, 0o700, true),
            (0o644, 0o755, true),
            (0o644, 0o1777, true),
            (0o664, 0o755, false),
            (0o646, 0o755, false),
            (0o644, 0o775, false),
            (0o644, 0o777, false),
        ] {
            set_mode(&file, file_mode);
            set_mode(&folder, folder_mode);
            let read = read_at(&file);
            assert_eq!(read.as_ref().is_ok_and(Option::is_some), is_read, "{file_mode:o} {folder_mode:o}: {read:?}");
            if let Err(error) = read {
                assert!(format!("{error:#}").contains("others may write"), "{error:#}");
            }
        }
        // A link in a safe folder leads into one that is not.
        set_mode(&file, 0o644);
        set_mode(&folder, 0o777);
        let safe = scratch.path().join("safe");
        fs::create_dir(&safe).unwrap();
        set_mode(&safe, 0o755);
        symlink(&file, safe.join("finance.toml")).unwrap();
        assert!(read_at(&safe.join("finance.toml")).is_err());
        set_mode(&folder, 0o755);
        assert!(read_at(&safe.join("finance.toml")).unwrap().is_some());
        assert!(read_at(&folder).is_err(), "a folder is not a file");
        assert_eq!(read_at(&file.join("finance.toml")).unwrap(), None, "a file is not a folder");
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("finance.toml");
        fs::write(&file, "").unwrap();
        if !rustix::process::geteuid().is_root() {
            eprintln!("not root: the owner of a file cannot be changed");
            return;
        }
        std::os::unix::fs::chown(&file, Some(12_345), None).unwrap();
        let error = format!("{:#}", read_at(&file).unwrap_err());
        assert!(error.contains("another user (uid 12345)"), "{error}");
        std::os::unix::fs::chown(&file, Some(0), None).unwrap();
        std::os::unix::fs::chown(scratch.path(), Some(12_345), None).unwrap();
        let error = format!("{:#}", read_at(&file).unwrap_err());
        assert!(error.contains("its folder"), "{error}");
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("finance.toml");
        fs::write(&file, "#".repeat(BYTES_MAX as usize + 1)).unwrap();
        set_mode(&file, 0o600);
        assert!(read_at(&file).is_err());
    }
}
