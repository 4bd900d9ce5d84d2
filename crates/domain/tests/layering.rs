//! Which modules of the crate may import which: values ← nouns ← store ← use cases, and no files in a circle.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "layering/imports.rs"]
mod imports;

use std::path::Path;

use imports::{Modules, circle, import_graph, modules, named};

const VALUES: [&str; 9] = ["clock", "credentials", "error", "ids", "money", "month", "text", "violations", "words"];
const STORE: [&str; 3] = ["context", "step", "store"];

fn sources() -> Modules {
    modules(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")))
}

fn top(path: &str) -> &str {
    path.split("::").next().unwrap_or(path)
}

/// The files of a folder are in the layer of their folder.
fn layer(module: &str) -> u8 {
    match top(module) {
        "use_cases" => 3,
        top if STORE.contains(&top) => 2,
        top if VALUES.contains(&top) => 0,
        _ => 1,
    }
}

#[test]
fn no_module_imports_one_above_it() {
    let modules = sources();
    assert!(VALUES.iter().chain(&STORE).all(|module| modules.contains_key(*module)), "a module of the lists is gone");
    for (module, code) in &modules {
        for path in named(module, code) {
            // Not through the names that the root exports again: they would hide the module of an item.
            assert!(modules.contains_key(top(&path)), "{module} imports crate::{path}, which is in no module");
            assert!(layer(&path) <= layer(module), "{module} imports {path}, which is above it");
        }
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    assert_eq!(circle(&import_graph(&sources())), None);
}

#[test]
fn nouns_do_not_name_the_joined_repository() {
    for (module, code) in sources().iter().filter(|(module, _)| layer(module) < 2) {
        assert!(!code.contains("dyn Repo"), "{module} takes a Repo");
    }
}

#[test]
fn a_circle_is_found_wherever_it_is() {
    let found = |files: &[(&str, &str)]| {
        circle(&import_graph(&files.iter().map(|(module, code)| (module.to_string(), code.to_string())).collect()))
    };
    let circles: [&[(&str, &str)]; 4] = [
        &[("a", "use crate::b::B;"), ("b", "use crate::{a::{self, A}, c};"), ("c", "")],
        &[("n", ""), ("n::a", "use crate::n::{c, b::B};"), ("n::b", "use super::a::A;"), ("n::c", "")],
        &[("n", "pub use a::A;"), ("n::a", "use crate::n::B;")],
        &[("n::a", "use super::super::m::M;"), ("m", "fn m() { crate::n::a::b() }")],
    ];
    for files in circles {
        assert_eq!(found(files).map(|circle| circle.len()), Some(2), "{files:?}");
    }
    let order = [("n", "pub use a::A; use time::Date;"), ("n::a", "use super::b::B;"), ("n::b", "use time::Date;")];
    assert_eq!(found(&order), None);
}

/// The writes that `ledger` alone calls, so that what follows from them is never forgotten.
const WRITES: [&str; 16] = [
    "transaction_insert",
    "transaction_update",
    "transaction_delete",
    "transaction_delete_month",
    "transaction_set_transfer",
    "transaction_note_import",
    "transfer_insert",
    "transfer_delete",
    "bill_payment_insert",
    "bill_payments_delete",
    "import_insert",
    "import_delete",
    "category_empty",
    "budget_set",
    "yield_post",
    "webhook_event",
];

#[test]
fn only_the_ledger_writes_transactions_links_payments_and_imports() {
    let modules = sources();
    let ledger = &modules["use_cases::ledger"];
    for write in WRITES {
        let call = format!(".{write}(");
        assert!(ledger.contains(&call), "ledger does not call {write}");
        // The events of bills are of no write: a day has come.
        let is_other = |module: &str| module.starts_with("use_cases") && module != "use_cases::ledger";
        // The opening balances that the service keeps are written where the ledger brings the bills up to date.
        let is_allowed = |module: &str| match module {
            "use_cases::webhooks" => write == "webhook_event",
            "use_cases::openings" => write.starts_with("transaction_"),
            _ => false,
        };
        for (module, code) in modules.iter().filter(|(module, _)| is_other(module) && !is_allowed(module)) {
            assert!(!code.contains(&call), "{module} calls {write}");
        }
    }
}
