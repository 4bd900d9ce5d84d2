//! No source file runs programs that a minimal Debian does not have: signals and processes are handled by system calls.

use std::fs;
use std::path::{Path, PathBuf};

/// Programs that send signals, list processes or change users.
const NOT_RUN: [&str; 12] =
    ["ps", "kill", "pkill", "pgrep", "killall", "pidof", "fuser", "lsof", "runuser", "su", "sudo", "setpriv"];

/// The programs of [`NOT_RUN`] that a source file runs.
fn run_by(source: &str) -> Vec<&'static str> {
    let is_run = |program: &&str| {
        let name = Path::new("/bin").join(program);
        [format!("Command::new(\"{program}\")"), format!("Command::new(\"{}\")", name.display())]
            .iter()
            .any(|call| source.contains(call))
    };
    NOT_RUN.into_iter().filter(is_run).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_runs_a_program_for_signals_or_processes() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    for folder in ["crates", "tests"] {
        sources(&workspace.join(folder), &mut files);
    }
    assert!(files.len() > 100, "{} files", files.len());
    for file in files {
        let source = fs::read_to_string(&file).expect("a source");
        assert_eq!(run_by(&source), Vec::<&str>::new(), "{}", file.display());
    }
}

#[test]
fn a_source_that_runs_one_is_found() {
    let call = |program: &str| format!("let output = Command::{}({program:?}).output();", "new");
    assert_eq!(run_by(&call("ps")), ["ps"]);
    assert_eq!(run_by(&call("/bin/kill")), ["kill"]);
    assert!(run_by(&call("psql")).is_empty());
}
