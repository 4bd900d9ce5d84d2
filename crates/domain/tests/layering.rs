//! Which modules of the crate may import which: values ← nouns ← store ← use cases, and no circle among nouns.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const VALUES: [&str; 7] = ["clock", "error", "ids", "money", "month", "text", "words"];
const STORE: [&str; 3] = ["context", "step", "store"];

/// Names of modules, and of what the crate's root exports again.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else {
            let source = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
            let module = source.with_extension("").to_string_lossy().replace('/', "::");
            files.push((module, fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The code of a file: without comments, and without what is compiled for tests only.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    source.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// What stands after each `crate::`: the first name, or each first name of a list in braces.
fn imported(code: &str) -> BTreeSet<String> {
    let name = |text: &str| text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices("crate::").filter(|(at, _)| !code[..*at].ends_with('$')) {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split('}').next().unwrap().split(',').map(|one| name(one.trim()))),
            None => drop(names.insert(name(rest))),
        }
    }
    names.remove("");
    names
}

/// Which top-level modules each top-level module imports; the files of a folder count as its module.
fn imports() -> Imports {
    let mut files = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    let mut imports = Imports::new();
    for (module, source) in files {
        let top = module.split("::").next().unwrap().to_string();
        if top == "lib" || module.ends_with("::tests") {
            continue;
        }
        imports
            .entry(top.clone())
            .or_default()
            .extend(imported(&code(&source)).into_iter().filter(|name| *name != top));
    }
    imports
}

fn layer(module: &str) -> u8 {
    match module {
        "use_cases" => 3,
        module if STORE.contains(&module) => 2,
        module if VALUES.contains(&module) => 0,
        _ => 1,
    }
}

#[test]
fn no_module_imports_one_above_it() {
    let imports = imports();
    assert!(VALUES.iter().chain(&STORE).all(|module| imports.contains_key(*module)), "a module of the lists is gone");
    for (module, imported) in &imports {
        for name in imported {
            // Not through the names that the root exports again: they would hide where a module stands.
            assert!(imports.contains_key(name), "{module} imports crate::{name}, which is no module");
            assert!(layer(name) <= layer(module), "{module} imports {name}, which is above it");
        }
    }
}

#[test]
fn there_is_no_circle() {
    let mut left = imports();
    while !left.is_empty() {
        let known: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, imported| imported.iter().any(|name| known.contains(name)));
        assert!(left.len() < before, "a circle among {known:?}");
    }
}

#[test]
fn nouns_do_not_name_the_joined_repository() {
    let mut files = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
    for (module, source) in files.iter().filter(|(module, _)| layer(module.split("::").next().unwrap()) < 2) {
        assert!(module == "lib" || !code(source).contains("dyn Repo"), "{module} takes a Repo");
    }
}
