//! `cargo build`, `cargo test --package finance-tests` and `cargo test --workspace` compile each dependency with the same
//! features, so that none is compiled once for the program and again for the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The features of each crate in the tree of a selection of packages. Crates of the workspace are included.
fn features(selection: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "--no-dedupe", "--format", "{p}|{f}", "--edges"])
        .args(selection)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.trim_end_matches(" (*)").split_once('|').expect("a package and its features");
        found.entry(package.to_string()).or_default().insert(features.to_string());
    }
    found
}

#[test]
fn the_program_and_its_tests_are_built_with_one_set_of_features() {
    // Build scripts and procedural macros are left out: they are compiled separately, with the same features for all selections.
    let workspace = features(&["normal,dev", "--workspace"]);
    for selection in [&["normal", "--package", "finance-cli"][..], &["normal,dev", "--package", "finance-tests"]] {
        let own = features(selection);
        assert!(own.len() > 100, "{selection:?}: {} packages", own.len());
        let differing: Vec<_> = own.iter().filter(|(package, set)| workspace.get(*package) != Some(set)).collect();
        assert!(differing.is_empty(), "declare their features in Cargo.toml of the workspace: {differing:?}");
    }
}
