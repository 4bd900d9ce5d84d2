//! `finance backup` and `finance restore`: the whole private database, while the service goes on.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use finance_adapters_postgres::restored;
use finance_private_postgres::{Archive, Cluster, Schema};

use crate::arguments::{Backup, Restore};
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::{Database, with_database};
use crate::progress::Progress;

/// Writes a backup. It gets its name only when it is complete.
pub(crate) fn back_up(configuration: &Configuration, arguments: &Backup) -> Result<()> {
    private_only(configuration)?;
    let data_dir = &configuration.data_dir;
    if !data_dir.join("postgres").exists() {
        bail!("there is no private database in {}, nothing to back up", data_dir.display());
    }
    let file = arguments.file.as_path();
    let draft = draft_of(file)?;
    let written = write_draft(configuration, &draft).and_then(|bytes| {
        fs::rename(&draft, file).with_context(|| file.display().to_string())?;
        let folder = File::open(folder_of(file)).and_then(|folder| folder.sync_all());
        folder.with_context(|| file.display().to_string())?;
        Ok(bytes)
    });
    if written.is_err() {
        // It is incomplete, and may not exist.
        let _ = fs::remove_file(&draft);
    }
    let bytes = written?;
    log::info!("the private database was backed up to {}: {bytes} bytes", file.display());
    println!("{bytes} bytes written to {}", file.display());
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
    println!("{data_dir} holds what {} held", file.display());
    Ok(())
}

/// What the restore has to know about the service's schema.
struct ServiceSchema;

impl Schema for ServiceSchema {
    fn version_table(&self) -> &str {
        restored::VERSION_TABLE
    }

    fn version_column(&self) -> &str {
        restored::VERSION_COLUMN
    }

    fn build(&self, url: &str, versions: &[String]) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(restored::build(url, versions)?)
    }

    fn complete(&self, url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(restored::complete(url)?)
    }
}

fn private_only(configuration: &Configuration) -> Result<()> {
    if configuration.database_url.is_some() {
        bail!("this is for the private database; the one of DATABASE_URL is its server's to back up, with pg_dump");
    }
    Ok(())
}

fn private(database: &Database) -> Result<&Cluster> {
    database.cluster.as_ref().context("there is no private database")
}

fn write_draft(configuration: &Configuration, draft: &Path) -> Result<u64> {
    // Created before anything is started, so that an unwritable directory fails at once.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft);
    let file = file.with_context(|| draft.display().to_string())?;
    let mut file = Progress::new(file, "backing up", None);
    let bytes = with_database(configuration, |database| Ok(private(database)?.back_up(&mut file)?))?;
    file.inner().sync_all().with_context(|| draft.display().to_string())?;
    Ok(bytes)
}

/// The name of a temporary file beside the file, unique to this process.
fn draft_of(file: &Path) -> Result<PathBuf> {
    if file.is_dir() {
        bail!("{} is a directory", file.display());
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
