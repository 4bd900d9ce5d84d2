//! Who may import whom: domain ← statements, export, adapters-postgres, adapters-bcb, http ← cli ← tests ← load;
//! private-postgres imports none of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Each crate of the workspace, and which others of it may be among its dependencies.
const MAY_IMPORT: [(&str, &[&str]); 10] = [
    ("finance-domain", &[]),
    ("finance-export", &["finance-domain"]),
    ("finance-statements", &["finance-domain"]),
    ("finance-private-postgres", &[]),
    ("finance-adapters-postgres", &["finance-domain"]),
    ("finance-adapters-bcb", &["finance-domain"]),
    ("finance-http", &["finance-domain", "finance-export", "finance-statements"]),
    (
        "finance-cli",
        &[
            "finance-domain",
            "finance-export",
            "finance-statements",
            "finance-private-postgres",
            "finance-adapters-postgres",
            "finance-adapters-bcb",
            "finance-http",
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
            "finance-http",
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

/// The workspace's crates, each with the names of all it depends on directly; its tests' needs included.
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

/// The names of all crates that end up in a crate, at any depth, when it is built by itself.
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
    assert_does_not_see("finance-statements", &unseen);
    assert_does_not_see("finance-export", &unseen);
    let own: BTreeSet<&str> = ["bigdecimal", "time", "unicode-normalization", "proptest"].into();
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

/// What writes transactions keeps the sums beside them in the same statement. Beside the file of the noun that is the
/// restore of a profile, whose statements are made from the list of tables.
#[test]
fn transactions_are_written_in_one_file() {
    const WRITES: [&str; 6] = [
        "insert into transactions ",
        "update transactions",
        "delete from transactions",
        "insert_into(transactions::table",
        "update(transactions::table",
        "delete(transactions::table",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/adapters-postgres/src");
    let mut writing = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the crate's folder") {
        let path = entry.expect("a file").path();
        let source = std::fs::read_to_string(&path).expect("a source file");
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
        if WRITES.iter().any(|write| text.contains(write)) {
            writing.insert(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    assert_eq!(writing, BTreeSet::from(["transactions.rs".to_string()]));
}

/// The files of a crate by their modules, such as `routes::imports::confirm`; the crate's root is left out.
fn modules(crate_name: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(crate_name).join("src");
    let mut modules = BTreeMap::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let within = path.strip_prefix(&root).expect("below the root").with_extension("");
            let module = within.to_str().expect("UTF-8").replace('/', "::");
            let text = std::fs::read_to_string(&path).expect("a source");
            // What tests import is no part of the structure.
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_string();
            if module != "lib" && module != "main" {
                modules.insert(module, text);
            }
        }
    }
    modules
}

/// The modules of the same crate that a file names by a path from the crate's root or from its own parent.
fn imports(module: &str, text: &str, known: &BTreeMap<String, String>) -> BTreeSet<String> {
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut found = BTreeSet::new();
    for (prefix, base) in [("crate::", ""), ("super::", parent)] {
        for (at, _) in text.match_indices(prefix) {
            let rest = &text[at + prefix.len()..];
            let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
            let named: Vec<String> =
                match rest[path.len()..].strip_prefix('{').and_then(|group| group.split('}').next()) {
                    Some(group) => group.split(',').map(|item| format!("{path}{}", item.trim())).collect(),
                    None => vec![path],
                };
            for name in named {
                let whole = if base.is_empty() { name } else { format!("{base}::{name}") };
                let parts: Vec<&str> = whole.split("::").filter(|part| !part.is_empty()).collect();
                let longest = (1..=parts.len())
                    .rev()
                    .map(|count| parts[..count].join("::"))
                    .find(|path| known.contains_key(path));
                found.extend(longest.filter(|path| path != module));
            }
        }
    }
    found
}

/// Files that import each other, directly or by way of others.
fn circle(crate_name: &str) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        graph: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|known| known == module) {
            return Some(path[at..].to_vec());
        }
        if !done.contains(module) {
            path.push(module.to_string());
            let circle = graph[module].iter().find_map(|next| visit(next, graph, path, done));
            path.pop();
            done.insert(module.to_string());
            return circle;
        }
        None
    }
    let modules = modules(crate_name);
    let graph: BTreeMap<_, _> =
        modules.iter().map(|(module, text)| (module.clone(), imports(module, text, &modules))).collect();
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(module, &graph, &mut Vec::new(), &mut done))
}

#[test]
fn no_files_of_http_import_each_other_in_a_circle() {
    assert_eq!(circle("http"), None);
}
