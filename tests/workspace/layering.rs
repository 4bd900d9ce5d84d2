//! Which crates may import which: domain ← statements, drawings, export, adapters-postgres, adapters-bcb, adapters-delivery, http ← cli ←
//! tests ← load; mcp ← http, cli. The crates private-postgres, mcp and web import no other crate of the workspace. The files of a
//! crate do not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[path = "../../crates/domain/tests/layering/imports.rs"]
mod imports;

use imports::{circle, import_graph, modules};

/// Each crate of the workspace, with the crates of the workspace that it may depend on.
const MAY_IMPORT: [(&str, &[&str]); 14] = [
    ("finance-domain", &[]),
    ("finance-drawings", &["finance-domain"]),
    ("finance-export", &["finance-domain"]),
    ("finance-statements", &["finance-domain"]),
    ("finance-private-postgres", &[]),
    ("finance-web", &[]),
    ("finance-mcp", &[]),
    ("finance-adapters-postgres", &["finance-domain"]),
    ("finance-adapters-bcb", &["finance-domain"]),
    ("finance-adapters-delivery", &["finance-domain"]),
    ("finance-http", &["finance-domain", "finance-drawings", "finance-export", "finance-mcp", "finance-statements"]),
    (
        "finance-cli",
        &[
            "finance-domain",
            "finance-drawings",
            "finance-export",
            "finance-statements",
            "finance-private-postgres",
            "finance-adapters-postgres",
            "finance-adapters-bcb",
            "finance-adapters-delivery",
            "finance-http",
            "finance-mcp",
            "finance-web",
        ],
    ),
    (
        "finance-tests",
        &[
            "finance-domain",
            "finance-export",
            "finance-statements",
            "finance-private-postgres",
            "finance-adapters-postgres",
            "finance-adapters-bcb",
            "finance-adapters-delivery",
            "finance-http",
            "finance-web",
            "finance-cli",
        ],
    ),
    (
        "finance-load",
        &[
            "finance-domain",
            "finance-private-postgres",
            "finance-adapters-postgres",
            "finance-http",
            "finance-cli",
            "finance-tests",
        ],
    ),
];

pub(crate) fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The crates of the workspace, each with its direct dependencies, including those of its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"])).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages
        .map(|package| {
            let named = package["dependencies"].as_array().expect("dependencies").iter();
            let names = named.map(|dependency| dependency["name"].as_str().expect("a name").to_string());
            (package["name"].as_str().expect("a name").to_string(), names.collect())
        })
        .collect()
}

/// The names of all direct and indirect dependencies of a crate.
fn reached(package: &str) -> BTreeSet<String> {
    let tree = cargo(&["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    tree.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
}

#[track_caller]
fn assert_does_not_see(package: &str, unseen: &[&str]) {
    let reached = reached(package);
    assert!(reached.contains(package), "{reached:?}");
    for name in unseen {
        assert!(!reached.contains(*name), "{package} sees {name}");
    }
}

#[test]
fn imports_go_in_one_direction() {
    let known = BTreeMap::from(MAY_IMPORT);
    let dependencies = dependencies();
    for (package, imported) in &dependencies {
        let allowed = known.get(package.as_str()).unwrap_or_else(|| panic!("{package} is not listed in MAY_IMPORT"));
        for name in imported.iter().filter(|name| name.starts_with("finance-")) {
            assert!(allowed.contains(&name.as_str()), "{package} must not import {name}");
        }
    }
    assert_eq!(dependencies.len(), MAY_IMPORT.len(), "a crate of the table is gone");
}

#[test]
fn the_domain_sees_neither_serialization_nor_a_log_nor_a_database() {
    let unseen = ["serde", "serde_core", "serde_json", "log", "diesel", "ureq", "actix-web", "tokio", "anyhow"];
    assert_does_not_see("finance-domain", &unseen);
    // The packer of a crate that unpacks spreadsheets logs; nothing here packs.
    let unseen_by_statements = unseen.into_iter().filter(|name| *name != "log").collect::<Vec<_>>();
    assert_does_not_see("finance-statements", &unseen_by_statements);
    assert_does_not_see("finance-export", &unseen);
    assert_does_not_see("finance-drawings", &unseen);
    // The last two are used only by its tests.
    let own: BTreeSet<&str> =
        ["bigdecimal", "hmac", "sha2", "time", "unicode-normalization", "cpu-time", "proptest"].into();
    for name in &dependencies()["finance-domain"] {
        assert!(own.contains(name.as_str()), "the domain depends on {name}");
    }
}

#[test]
fn the_http_crate_sees_neither_the_database_nor_the_rate_provider() {
    assert_does_not_see("finance-http", &["diesel", "diesel_migrations", "pq-sys", "ureq", "anyhow", "toml"]);
}

#[test]
fn adapters_see_neither_http_nor_each_other() {
    assert_does_not_see("finance-adapters-postgres", &["actix-web", "serde_json", "ureq", "utoipa", "anyhow"]);
    assert_does_not_see("finance-adapters-bcb", &["actix-web", "diesel", "pq-sys", "utoipa", "anyhow"]);
}

#[test]
fn the_private_postgresql_has_no_database_driver() {
    assert_does_not_see("finance-private-postgres", &["diesel", "pq-sys", "tokio", "serde", "anyhow"]);
}

#[test]
fn only_the_program_uses_anyhow() {
    for (package, imported) in dependencies() {
        assert!(!imported.contains("anyhow") || package == "finance-cli", "{package} uses anyhow");
    }
}

/// Every statement that writes transactions also updates the sums. The only exceptions are:
///
/// - the restore of a profile: its statements are built from the list of tables;
/// - `sums.rs`: it moves the rows of a category to another category and updates the sums itself;
/// - the mark of restored lines: the sums are computed again after it;
/// - a migration that writes no column that a sum is computed from.
#[test]
fn transactions_are_written_in_one_folder() {
    const WRITES: [&str; 6] = [
        "insert into transactions ",
        "update transactions",
        "delete from transactions",
        "insert_into(transactions::table",
        "update(transactions::table",
        "delete(transactions::table",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/adapters-postgres/src");
    let (mut writing, mut paths) = (BTreeSet::new(), vec![folder.clone()]);
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a file").path()));
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source file");
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
        if WRITES.iter().any(|write| text.contains(write)) {
            writing.insert(path.strip_prefix(&folder).expect("below the folder").to_string_lossy().into_owned());
        }
    }
    let known = [
        // An undo puts rows back under their ids.
        "changes/undoing.rs",
        "migrations/read_installments.rs",
        "sums.rs",
        "transactions/deletions.rs",
        "transactions/inserts.rs",
        "transactions/lines.rs",
        "transactions/transfer_marks.rs",
        "transactions/updates.rs",
    ];
    assert_eq!(writing, BTreeSet::from(known.map(str::to_string)));
}

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for entry in std::fs::read_dir(crates).expect("the folder of the crates") {
        let src = entry.expect("a crate").path().join("src");
        assert_eq!(circle(&import_graph(&modules(&src))), None, "{}", src.display());
    }
}
