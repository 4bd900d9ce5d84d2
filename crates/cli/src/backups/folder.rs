//! The folder of the backups: a file has the name of a good backup only if it is one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, chown, fchown};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};

use super::retention;
use crate::configuration::Configuration;

/// The name in the data directory.
const NAME: &str = "backups";
const PREFIX: &str = "finance-";
/// The ending of a good backup.
const GOOD: &str = ".dump";
/// The ending of a backup that could not be proved. The newest one is kept until there is a good one.
const UNPROVED: &str = ".unproved";
/// The ending of a backup that is being made.
const DRAFT: &str = ".part";
const STAMP: &[BorrowedFormatItem<'_>] = format_description!("[year][month][day]T[hour][minute][second]Z");

/// The place of the backups.
pub(crate) struct Folder {
    path: PathBuf,
    /// The household's UTC offset, which defines its days.
    offset: UtcOffset,
}

/// A good backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Good {
    pub(crate) made_at: OffsetDateTime,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl Folder {
    /// The configured folder, which may not exist yet.
    pub(crate) fn new(configuration: &Configuration) -> Folder {
        let path = configuration.backup_dir.clone().unwrap_or_else(|| configuration.data_dir.join(NAME));
        Folder { path, offset: configuration.utc_offset }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The current time with the household's offset, in whole seconds.
    pub(super) fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc().truncate_to_second().to_offset(self.offset)
    }

    /// Creates the folder. Its parent must exist: it may be a disk that is not mounted.
    pub(super) fn create(&self) -> Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Ok(()) => give_to_owner_above(&self.path, |owner, group| chown(&self.path, owner, group)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && self.path.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
        .with_context(|| self.path.display().to_string())
    }

    /// The good backups, the newest first.
    pub(crate) fn good(&self) -> Result<Vec<Good>> {
        let mut good = Vec::new();
        for (name, path) in self.entries()? {
            let Some(made_at) = name.strip_suffix(GOOD).and_then(made_at) else { continue };
            // A file that is removed at this moment is not a backup.
            let Some(about) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) else { continue };
            good.push(Good { made_at: made_at.to_offset(self.offset), path, bytes: about.len() });
        }
        good.sort_by_key(|good| std::cmp::Reverse(good.made_at));
        Ok(good)
    }

    /// When the last good backup was made. One of a day to come was made while the clock was ahead, and says nothing of this day.
    pub(super) fn last_good_at(&self, now: OffsetDateTime) -> Result<Option<OffsetDateTime>> {
        Ok(self.good()?.into_iter().map(|good| good.made_at).find(|made_at| *made_at <= now))
    }

    /// A new file for a backup, with a name that marks it as incomplete.
    pub(super) fn draft(&self, made_at: OffsetDateTime) -> Result<(PathBuf, File)> {
        let path = self.path.join(format!(".{}{DRAFT}", stem(made_at)?));
        let open = || {
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
            give_to_owner_above(&path, |owner, group| fchown(&file, owner, group))?;
            Ok::<File, std::io::Error>(file)
        };
        let file = open().with_context(|| path.display().to_string())?;
        Ok((path, file))
    }

    /// Renames a proved draft to its final name, and removes the files that are no longer needed.
    pub(super) fn keep(&self, draft: &Path, made_at: OffsetDateTime) -> Result<PathBuf> {
        let path = self.path.join(stem(made_at)? + GOOD);
        fs::rename(draft, &path).with_context(|| path.display().to_string())?;
        self.synchronize()?;
        self.remove_ending(UNPROVED)?;
        let good = self.good()?;
        let times: Vec<_> = good.iter().map(|good| good.made_at).collect();
        let obsolete = retention::obsolete(&times);
        for old in good.iter().filter(|good| obsolete.contains(&good.made_at)) {
            fs::remove_file(&old.path).with_context(|| old.path.display().to_string())?;
        }
        Ok(path)
    }

    /// Keeps a complete backup that could not be proved, in place of an earlier unproved one.
    pub(super) fn keep_unproved(&self, draft: &Path, made_at: OffsetDateTime) -> Result<PathBuf> {
        self.remove_ending(UNPROVED)?;
        let path = self.path.join(stem(made_at)? + UNPROVED);
        fs::rename(draft, &path).with_context(|| path.display().to_string())?;
        self.synchronize()?;
        Ok(path)
    }

    /// Removes the drafts that killed runs left behind. No other run is active.
    pub(super) fn remove_drafts(&self) -> Result<()> {
        self.remove_ending(DRAFT)
    }

    fn remove_ending(&self, ending: &str) -> Result<()> {
        for (name, path) in self.entries()? {
            let stem = name.strip_suffix(ending).map(|stem| stem.trim_start_matches('.'));
            if stem.and_then(made_at).is_some() {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
        Ok(())
    }

    fn entries(&self) -> Result<Vec<(String, PathBuf)>> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| self.path.display().to_string()),
        };
        let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path()));
        Ok(entries.flatten().filter_map(named).collect())
    }

    fn synchronize(&self) -> Result<()> {
        let folder = File::open(&self.path).and_then(|folder| folder.sync_all());
        folder.with_context(|| self.path.display().to_string())
    }
}

/// Root may run this beside a service of another user, which must be able to read and remove the files that root creates.
fn give_to_owner_above(
    path: &Path,
    give: impl FnOnce(Option<u32>, Option<u32>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let Some(above) = path.parent().filter(|_| rustix::process::geteuid().is_root()) else { return Ok(()) };
    let above = fs::metadata(above)?;
    if above.uid() == 0 { Ok(()) } else { give(Some(above.uid()), Some(above.gid())) }
}

/// The name of a backup without its ending.
fn stem(made_at: OffsetDateTime) -> Result<String> {
    Ok(format!("{PREFIX}{}", made_at.to_offset(UtcOffset::UTC).format(STAMP)?))
}

/// The time at which a backup was made, from its name without the ending.
fn made_at(stem: &str) -> Option<OffsetDateTime> {
    PrimitiveDateTime::parse(stem.strip_prefix(PREFIX)?, STAMP).ok().map(PrimitiveDateTime::assume_utc)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn folder(dir: &tempfile::TempDir) -> Folder {
        Folder { path: dir.path().join("backups"), offset: UtcOffset::UTC }
    }

    fn names(folder: &Folder) -> Vec<String> {
        let mut names: Vec<String> = folder.entries().unwrap().into_iter().map(|(name, _)| name).collect();
        names.sort();
        names
    }

    #[test]
    fn names_tell_when_a_backup_was_made() {
        let at = datetime!(2026-11-22 00:30:15 -03:00);
        assert_eq!(stem(at).unwrap(), "finance-20261122T033015Z");
        assert_eq!(made_at("finance-20261122T033015Z"), Some(at));
        for other in ["finance-20261122", "finance-20261322T033015Z", "other-20261122T033015Z", ""] {
            assert_eq!(made_at(other), None, "{other}");
        }
    }

    #[test]
    fn an_unproved_backup_replaces_no_good_one_and_goes_with_the_next_good_one() {
        let dir = tempfile::tempdir().unwrap();
        let folder = folder(&dir);
        assert!(folder.good().unwrap().is_empty(), "there is no folder yet");
        folder.create().unwrap();
        folder.create().unwrap();
        let times = [1, 2, 3, 4].map(|day| datetime!(2026-11-22 03:00 UTC) + time::Duration::days(day));
        let (draft, _) = folder.draft(times[0]).unwrap();
        assert_eq!(fs::metadata(&draft).unwrap().mode() & 0o777, 0o600);
        assert!(folder.good().unwrap().is_empty());
        folder.keep(&draft, times[0]).unwrap();
        for at in &times[1..3] {
            folder.keep_unproved(&folder.draft(*at).unwrap().0, *at).unwrap();
        }
        fs::create_dir(folder.path.join("finance-20261221T010000Z.dump")).unwrap();
        assert_eq!(folder.good().unwrap().len(), 1, "a folder is no backup");
        fs::remove_dir(folder.path.join("finance-20261221T010000Z.dump")).unwrap();
        fs::write(folder.path.join("mine.part"), "").unwrap();
        assert_eq!(names(&folder), ["finance-20261123T030000Z.dump", "finance-20261125T030000Z.unproved", "mine.part"]);
        assert_eq!(folder.last_good_at(times[3]).unwrap(), Some(times[0]));
        assert_eq!(folder.last_good_at(times[0] - time::Duration::MINUTE).unwrap(), None, "the clock was set back");
        let _killed = folder.draft(times[3]).unwrap();
        folder.remove_drafts().unwrap();
        folder.keep(&folder.draft(times[3]).unwrap().0, times[3]).unwrap();
        assert_eq!(names(&folder), ["finance-20261123T030000Z.dump", "finance-20261126T030000Z.dump", "mine.part"]);
    }

    #[test]
    fn a_folder_is_not_made_where_a_disk_is_not_mounted() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder { path: dir.path().join("disk/backups"), offset: UtcOffset::UTC };
        assert!(folder.create().is_err() && !dir.path().join("disk").exists());
    }
}
