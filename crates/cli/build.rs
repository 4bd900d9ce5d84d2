//! Notes the commit that the program is built from: that of `FINANCE_COMMIT`, or else of the repository that the sources are in.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FINANCE_COMMIT");
    let given = std::env::var("FINANCE_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    let commit = given.or_else(of_repository).unwrap_or_else(|| "unknown commit".to_string());
    println!("cargo::rustc-env=FINANCE_COMMIT={}", commit.trim());
}

/// The first twelve digits of the commit and its date; none without git or outside the project's own repository.
fn of_repository() -> Option<String> {
    // As it is when this runs: the folder may have been moved since this was compiled.
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let root = Path::new(&crate_folder).join("../..").canonicalize().ok()?;
    // The sources may lie in the repository of something else.
    let top = PathBuf::from(git(&root, &["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    if top != root {
        return None;
    }
    // Only this crate is compiled again after a commit: its log of HEAD grows with each.
    for watched in ["logs/HEAD", "HEAD"] {
        let path = root.join(git(&root, &["rev-parse", "--git-path", watched])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
            break;
        }
    }
    git(&root, &["log", "-1", "--abbrev=12", "--format=%h %cs"])
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_string()).filter(|text| output.status.success() && !text.is_empty())
}
