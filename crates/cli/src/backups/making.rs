//! Makes one backup, and proves it.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use finance_private_postgres::{Archive, BackupRun, Cluster, ClusterError};

use super::folder::{Folder, Good};
use crate::schema::ServiceSchema;

/// Bytes that stay free on a disk. A server without space for its log stops.
const RESERVE_BYTES: u64 = 64 << 20;

/// Makes a backup, proves it by restoring it into a separate database, and only then gives it its name. Removes the backups that
/// are no longer kept. Ends early with an error when `stop` is set.
pub(crate) fn make(cluster: &Cluster, folder: &Folder, stop: &AtomicBool) -> Result<Good> {
    let begin = Instant::now();
    let run = cluster.begin_backup()?;
    folder.create()?;
    folder.remove_drafts()?;
    check_room(cluster, folder.path())?;
    let made_at = folder.now();
    let (draft, file) = folder.draft(made_at)?;
    let made = write(&run, file, stop).and_then(|(bytes, proved)| match proved {
        Ok(rows) => Ok((folder.keep(&draft, made_at)?, bytes, rows)),
        Err(error) if stop.load(Ordering::Relaxed) => Err(error.into()),
        Err(error) => {
            let kept = folder.keep_unproved(&draft, made_at)?;
            Err(error).with_context(|| format!("{} is a backup that could not be proved", kept.display()))
        }
    });
    if made.is_err() {
        // The draft still has its temporary name, or no longer exists.
        let _ = fs::remove_file(&draft);
    }
    let (path, bytes, rows) = made?;
    let (at, seconds) = (path.display(), begin.elapsed().as_secs());
    log::info!("backed up to {at} and proved: {rows} rows, {bytes} bytes, {seconds} s");
    // The restored copy is in the cluster that serves.
    cluster.remove_earlier()?;
    Ok(Good { made_at, path, bytes })
}

/// Writes the file, and proves it. The inner result is the result of the proof, with the number of rows.
fn write(run: &BackupRun<'_>, mut file: File, stop: &AtomicBool) -> Result<(u64, Result<u64, ClusterError>)> {
    let counted = run.write(&mut Stoppable { inner: &file, stop })?;
    file.sync_all()?;
    // The proof reads the file itself, not the data that should have been written.
    let bytes = file.seek(io::SeekFrom::End(0))?;
    file.rewind()?;
    let proved = Archive::open(Stoppable { inner: &file, stop })
        .and_then(|archive| run.prove(archive, &ServiceSchema, &counted))
        .map(|()| counted.rows());
    Ok((bytes, proved))
}

/// Checks that the disk of the cluster has enough space: a server without space for its log stops. If the backup goes to another
/// disk, a lack of space there only makes the backup fail.
fn check_room(cluster: &Cluster, folder: &Path) -> Result<()> {
    let data = cluster.data_dir();
    let is_shared = fs::metadata(folder)?.dev() == fs::metadata(data)?.dev();
    let needed = room(cluster.database_bytes()?, is_shared);
    let disk = rustix::fs::statvfs(data).with_context(|| data.display().to_string())?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free < needed {
        let [free, needed] = [free, needed].map(|bytes| bytes.div_ceil(1_000_000));
        bail!("the disk of {} has {free} MB free, a backup needs {needed} MB", data.display());
    }
    Ok(())
}

/// The free bytes that a backup needs on the disk of the cluster. A restore takes the size of the database again, and as much for
/// the server's log. The backup itself is smaller than the database.
fn room(database_bytes: u64, is_shared: bool) -> u64 {
    database_bytes * if is_shared { 3 } else { 2 } + RESERVE_BYTES
}

/// Passes bytes on until `stop` is set.
struct Stoppable<'a> {
    inner: &'a File,
    stop: &'a AtomicBool,
}

impl Stoppable<'_> {
    fn check(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(io::Error::other("the service stops")) } else { Ok(()) }
    }
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check().and_then(|()| self.inner.read(buffer))
    }
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check().and_then(|()| self.inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_on_the_disk_of_the_cluster_needs_the_room_of_both() {
        let megabyte = 1 << 20;
        assert_eq!(room(10 * megabyte, false), 84 * megabyte);
        assert_eq!(room(10 * megabyte, true), 94 * megabyte);
    }
}
