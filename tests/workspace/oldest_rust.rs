//! The minimum Rust version in the manifest is enough for all dependencies, and is also the version in clippy's configuration.

use std::process::Command;

use serde_json::Value;

use crate::layering::cargo;

/// Parses `1.89` and `1.89.0`.
fn version(text: &str) -> [u32; 3] {
    let mut parts = text.split('.').map(|part| part.parse().expect("a number"));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// The platform of this test. Packages for other platforms may be missing.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("the host").to_string()
}

#[test]
fn every_dependency_builds_with_the_oldest_rust_that_is_named() {
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", &host()]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let named = |package: &Value| package["rust_version"].as_str().map(str::to_string);
    let own = packages.iter().find(|package| package["name"] == "finance-cli").and_then(named);
    let own = own.expect("the workspace's own");
    assert!(packages.len() > 100, "the dependencies are among the packages");
    let newer: Vec<String> = packages
        .iter()
        .filter(|package| named(package).is_some_and(|needed| version(&needed) > version(&own)))
        .map(|package| format!("{} {} needs {}", package["name"], package["version"], package["rust_version"]))
        .collect();
    assert!(newer.is_empty(), "Cargo.toml names {own}: {newer:#?}");
    let clippy = include_str!("../../clippy.toml");
    assert!(clippy.contains(&format!("msrv = \"{own}\"\n")), "clippy.toml names another");
}
