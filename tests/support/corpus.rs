//! Samples of real statements, which some machines have next to the project.

use std::path::PathBuf;

use crate::skipped::notice;

/// The folder of samples, if it is present. Prints a notice if it is not, also in CI.
///
/// # Panics
///
/// If the folder has no samples: a test that reads them would pass without having read one.
pub fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if !folder.exists() {
        notice("../shared/corpus is not here; its samples are not tested");
        return None;
    }
    let mut entries = std::fs::read_dir(&folder).expect("the folder of samples");
    assert!(entries.next().is_some(), "{} is empty", folder.display());
    Some(folder)
}
