//! Temporary data directories.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary data directory. Dropping this removes the directory. Stop the programs that use it first.
#[derive(Debug)]
pub struct ScratchDir(PathBuf);

impl ScratchDir {
    /// A path where no directory exists yet.
    #[allow(clippy::new_without_default, reason = "two of them are never alike")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("finance-program-{}-{count}", std::process::id()));
        // A killed process with the same id may have left a directory behind.
        let _ = std::fs::remove_dir_all(&directory);
        ScratchDir(directory)
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
