//! Backs up the service's database while it is in use, with pg_dump.

use std::io::{self, Cursor, Read, Write};

use crate::archive::not_a_backup;
use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::initialize::SERVICE;
use crate::programs::Running;

/// The first bytes of an archive in pg_dump's custom format.
const ARCHIVE_MARK: &[u8] = b"PGDMP";

/// A backup as [`Cluster::back_up`] writes it. Only its first bytes have been checked.
///
/// ```
/// use finance_private_postgres::Archive;
///
/// assert!(Archive::open(&b"PGDMP\x01\x0e"[..]).is_ok());
/// assert!(Archive::open(&b"-- PostgreSQL database dump"[..]).is_err());
/// ```
#[derive(Debug)]
pub struct Archive<R>(io::Chain<Cursor<Vec<u8>>, R>);

impl<R: Read> Archive<R> {
    /// Reads the first bytes. The rest is read by [`Cluster::restore`].
    ///
    /// # Errors
    ///
    /// [`ClusterError::NotABackup`] if they are not those of an archive in pg_dump's custom format.
    pub fn open(mut from: R) -> Result<Self, ClusterError> {
        let mut mark = vec![0; ARCHIVE_MARK.len()];
        if from.read_exact(&mut mark).is_err() || mark != ARCHIVE_MARK {
            return Err(not_a_backup("is no backup made by `finance backup`"));
        }
        Ok(Archive(io::Cursor::new(mark).chain(from)))
    }
}

impl<R: Read> Archive<R> {
    /// Reads until `take` returns false, the end, or `bytes_max`; returns what was read.
    pub(crate) fn read_head(&mut self, bytes_max: usize, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut buffer = [0; 8192];
        loop {
            let count = self.0.read(&mut buffer)?;
            head.extend_from_slice(&buffer[..count]);
            if count == 0 || head.len() >= bytes_max || !take(&buffer[..count]) {
                return Ok(head);
            }
        }
    }

    /// The archive with what was read put back in front.
    pub(crate) fn rewound(self, head: Vec<u8>) -> Archive<impl Read> {
        let rest = self.0;
        Archive(Cursor::new(head).chain(rest))
    }
}

impl<R: Read> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Cluster {
    /// Writes everything in the service's database, as of one instant, as an archive of pg_dump's custom format; returns its
    /// size in bytes. Requests are served meanwhile.
    ///
    /// ```no_run
    /// use finance_private_postgres::{Cluster, ClusterOptions};
    ///
    /// let cluster = Cluster::start(&ClusterOptions::new("/var/lib/finance"))?;
    /// let mut file = std::fs::File::create("finance.dump").expect("a file");
    /// cluster.back_up(&mut file)?;
    /// cluster.stop()?;
    /// # Ok::<(), finance_private_postgres::ClusterError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// pg_dump cannot be run or fails, or the archive cannot be written. What was written is then unusable.
    pub fn back_up(&self, out: &mut dyn Write) -> Result<u64, ClusterError> {
        self.dump(None, out)
    }

    /// Like [`Cluster::back_up`], as of the instant of a snapshot that another session holds.
    pub(crate) fn dump(&self, snapshot: Option<&str>, out: &mut dyn Write) -> Result<u64, ClusterError> {
        const PROGRAM: &str = "pg_dump";
        let mut command = self.client(PROGRAM);
        command.args(["--format=custom", "--no-password", "--dbname", &self.restricted_admin_url(SERVICE)]);
        if let Some(snapshot) = snapshot {
            command.arg(format!("--snapshot={snapshot}"));
        }
        let mut dump = Running::start(PROGRAM, command)?;
        let copied = io::copy(&mut dump.output()?, out).and_then(|bytes| out.flush().map(|()| bytes));
        // On an error `dump` is dropped, which kills pg_dump.
        let bytes = copied.map_err(ClusterError::io("write the backup"))?;
        dump.finish()?;
        Ok(bytes)
    }
}
