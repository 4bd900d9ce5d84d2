//! `finance demo`, the first thing that a newcomer sees.

use std::path::Path;
use std::process::Stdio;

use finance_tests::{Program, ScratchDir};

use crate::outcome::printed;

#[test]
fn demo_shows_the_statement_on_the_dashboard_and_leaves_nothing() {
    let scratch = ScratchDir::new();
    let mut command = Program::command(scratch.path());
    // What is configured for the service is not touched.
    command.env("DATABASE_URL", "postgresql://finance@127.0.0.1:1/finance").env("JWT_SECRET", "x".repeat(32));
    let output = command.arg("demo").stdin(Stdio::null()).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let shown = printed(&output);
    for expected in [
        "user ana is ready, profile 1",
        "70 rows, 70 new, income 21120.50, expenses 18631.18",
        "Confirmed: 70 transactions inserted.",
        "Confirmed once more: 0 inserted, 70 found to be duplicates.",
        "== Dashboard of 2026-03 ",
        "  Net worth                          4789.32\n",
        "    Mercado                          1328.11  of 1200.00\n",
        "    2026-02       7300.00       6934.70    5.4 %\n",
        "    2026-03-28  ESTORNO LOJA VIRTUAL                   +120.50\n",
        "log in as ana with the password \"correct horse\"",
    ] {
        assert!(shown.contains(expected), "{expected:?} in {shown}");
    }
    let directory =
        shown.lines().next().and_then(|line| line.strip_prefix("Starting a service on a private PostgreSQL in "));
    let directory = directory.and_then(|directory| directory.strip_suffix('.')).expect("the directory");
    assert!(directory.contains("finance-demo-") && !Path::new(directory).exists(), "{directory}");
    assert!(!scratch.path().exists(), "the data directory is not used");
}
