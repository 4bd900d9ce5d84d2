//! `finance backup` and `finance restore`: the whole private database, while the service continues to run.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use finance_private_postgres::{Archive, Cluster};
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::arguments::{Backup, Restore};
use crate::backups::{self, Folder};
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::{Database, with_database};
use crate::output::say;
use crate::progress::Progress;
use crate::schema::ServiceSchema;

/// Writes a backup to a file, makes one as the service does every day, or lists those in the folder.
pub(crate) fn back_up(configuration: &Configuration, arguments: &Backup) -> Result<()> {
    private_only(configuration)?;
    if arguments.list {
        return list(configuration, arguments.json);
    }
    let data_dir = &configuration.data_dir;
    if !data_dir.join("postgres").exists() {
        bail!("there is no private database in {}, nothing to back up", data_dir.display());
    }
    match &arguments.file {
        Some(file) => write_file(configuration, file),
        None => make(configuration),
    }
}

/// Makes a proved backup in the folder of the backups.
fn make(configuration: &Configuration) -> Result<()> {
    let folder = Folder::new(configuration);
    let never = AtomicBool::new(false);
    let good = with_database(configuration, |database| backups::make(private(database)?, &folder, &never))?;
    say!("{} bytes written to {} and proved", good.bytes, good.path.display());
    Ok(())
}

/// Lists the good backups, the newest first, with their age.
fn list(configuration: &Configuration, as_json: bool) -> Result<()> {
    let (good, now) = (Folder::new(configuration).good()?, OffsetDateTime::now_utc());
    if as_json {
        let backups = good.iter().map(|good| {
            let made_at = good.made_at.to_offset(UtcOffset::UTC).format(&Rfc3339)?;
            let age_seconds = (now - good.made_at).whole_seconds();
            Ok(json!({ "made_at": made_at, "age_seconds": age_seconds, "bytes": good.bytes, "file": good.path }))
        });
        say!("{}", serde_json::to_string_pretty(&backups.collect::<Result<Vec<_>>>()?)?);
        return Ok(());
    }
    say!("{:<20}  {:>8}  {:>12}  file", "made at", "age", "bytes");
    for good in good {
        let made_at = good.made_at.to_offset(UtcOffset::UTC).format(&Rfc3339)?;
        let age = backups::age(good.made_at, now);
        say!("{made_at:<20}  {age:>8}  {:>12}  {}", good.bytes, good.path.display());
    }
    Ok(())
}

/// Writes a backup to a file. It gets its name only when it is complete.
fn write_file(configuration: &Configuration, file: &Path) -> Result<()> {
    let draft = draft_of(file)?;
    let written = write_draft(configuration, &draft, file).and_then(|bytes| {
        fs::rename(&draft, file).with_context(|| file.display().to_string())?;
        let folder = File::open(folder_of(file)).and_then(|folder| folder.sync_all());
        folder.with_context(|| file.display().to_string())?;
        Ok(bytes)
    });
    if written.is_err() {
        // The draft is incomplete, and may not exist.
        let _ = fs::remove_file(&draft);
    }
    let bytes = written?;
    log::info!("the private database was backed up to {}: {bytes} bytes", file.display());
    say!("{bytes} bytes written to {}", file.display());
    Ok(())
}

/// Replaces everything by the content of a backup.
pub(crate) fn restore(configuration: &Configuration, arguments: &Restore) -> Result<()> {
    private_only(configuration)?;
    let file = arguments.file.as_path();
    let archive = File::open(file).with_context(|| file.display().to_string())?;
    let about = archive.metadata().with_context(|| file.display().to_string())?;
    if about.is_dir() {
        bail!("{} is a directory", file.display());
    }
    let archive = Archive::open(Progress::new(archive, "restoring", Some(about.len())))?;
    let data_dir = configuration.data_dir.display();
    confirmation::ask(&format!("everything in {data_dir} will be replaced"), "restore", arguments.yes)?;
    with_database(configuration, |database| Ok(private(database)?.restore(archive, &ServiceSchema)?))?;
    log::info!("the private database was restored from {}", file.display());
    say!("{data_dir} now contains the data of {}", file.display());
    Ok(())
}

fn private_only(configuration: &Configuration) -> Result<()> {
    if configuration.database_url.is_some() {
        bail!("this command works only on the private database; back up the server of DATABASE_URL with pg_dump");
    }
    Ok(())
}

fn private(database: &Database) -> Result<&Cluster> {
    database.cluster.as_ref().context("there is no private database")
}

/// Writes the draft of a backup. Errors name the file that it will be.
fn write_draft(configuration: &Configuration, draft: &Path, shown: &Path) -> Result<u64> {
    // Created before anything is started, so that an unwritable directory fails at once.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft);
    let file = file.with_context(|| shown.display().to_string())?;
    let mut file = Progress::new(file, "backing up", None);
    let bytes = with_database(configuration, |database| Ok(private(database)?.back_up(&mut file)?))?;
    file.inner().sync_all().with_context(|| shown.display().to_string())?;
    Ok(bytes)
}

/// The name of a temporary file in the file's directory, unique to this process.
fn draft_of(file: &Path) -> Result<PathBuf> {
    // The finished draft takes the name, so a device would be gone.
    if let Ok(about) = fs::metadata(file)
        && !about.is_file()
    {
        bail!("{} is a {}", file.display(), if about.is_dir() { "directory" } else { "device or a pipe, and no file" });
    }
    let name = file.file_name().with_context(|| format!("{} names no file", file.display()))?;
    let mut draft = std::ffi::OsString::from(".");
    draft.push(name);
    draft.push(format!(".{}.part", std::process::id()));
    Ok(folder_of(file).join(draft))
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
