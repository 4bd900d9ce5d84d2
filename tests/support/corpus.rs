//! Samples of real statements, which some machines have next to the project.

use std::path::PathBuf;

/// The folder of samples, if it is present. Prints a message if it is not.
pub fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("notice: ../shared/corpus is not here; its samples are not tested");
        None
    }
}
