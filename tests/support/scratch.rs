//! Data directories of programs under test.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A data directory of a test's own, gone with this value. Stop what works in it first.
#[derive(Debug)]
pub struct ScratchDir(PathBuf);

impl ScratchDir {
    /// A directory that nothing has made yet.
    #[allow(clippy::new_without_default, reason = "two of them are never alike")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("finance-program-{}-{count}", std::process::id()));
        // One that a killed process of the same number left behind.
        let _ = std::fs::remove_dir_all(&directory);
        ScratchDir(directory)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
