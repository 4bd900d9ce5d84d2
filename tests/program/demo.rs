//! `finance demo`.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use finance_tests::{Program, ScratchDir};

#[test]
fn demo_shows_the_statement_on_the_dashboard_and_leaves_nothing() {
    let scratch = ScratchDir::new();
    let mut command = Program::command(scratch.path());
    // The configured data directory and database are not used.
    command.env("DATABASE_URL", "postgresql://finance@127.0.0.1:1/finance").env("JWT_SECRET", "x".repeat(32));
    command.arg("demo").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut demo = command.spawn().expect("the program runs");
    let (mut out, mut shown) = (BufReader::new(demo.stdout.take().unwrap()), String::new());
    let url = loop {
        let before = shown.len();
        assert_ne!(out.read_line(&mut shown).expect("UTF-8"), 0, "{shown}");
        if let Some(url) = shown[before..].strip_prefix("listening on ") {
            break url.trim().to_string();
        }
    };
    // While it runs, the login page learns that a link may log in.
    let answer = ureq::get(format!("{url}/demonstration")).call().expect("an answer");
    assert_eq!(answer.status(), 204);
    out.read_to_string(&mut shown).expect("UTF-8");
    let ended = demo.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert!(ended.status.success(), "{ended:?}");
    for expected in [
        "user ana is ready, profile 1",
        "70 rows, 70 new, income 21120.50, expenses 18631.18",
        "Confirmed: 70 transactions inserted.",
        "Confirmed once more: 0 inserted, 70 found to be duplicates.",
        "The card's statement: 3 inserted, 0 found to be duplicates, 1 recognised as a transfer.",
        "The account's next statement: 1 inserted, 1 found to be duplicates, 1 recognised as a transfer.",
        "== Dashboard of 2026-03 ",
        // The purchases with the card count as expenses, and their payment does not.
        "  Income                             6970.50\n",
        "  Expenses                           6498.01\n",
        "  Net worth                          4376.97\n",
        "    Mercado                          1328.11  of 1200.00\n",
        "    2026-02       7300.00       6934.70    5.4 %\n",
        "    2026-03-28  ESTORNO LOJA VIRTUAL                   +120.50\n",
        "The profile is ana, its password \"correct horse\".",
    ] {
        assert!(shown.contains(expected), "{expected:?} in {shown}");
    }
    // The link logs in by its fragment, which is not sent to any server.
    let link = shown.lines().map(str::trim).find(|line| line.contains("/login#name=ana&password=correct%20horse"));
    assert!(link.is_some_and(|link| link.starts_with("http://127.0.0.1:")), "{shown}");
    // No command that is printed has a secret among its arguments.
    let command = shown.lines().map(str::trim).find(|line| line.starts_with("curl "));
    assert!(command.is_some_and(|command| command.contains(" -H @/")), "{shown}");
    assert!(!shown.contains("Bearer") && !shown.contains("TOKEN"), "{shown}");
    let directory =
        shown.lines().next().and_then(|line| line.strip_prefix("Starting a service on a private PostgreSQL in "));
    let directory = directory.and_then(|directory| directory.strip_suffix('.')).expect("the directory");
    assert!(directory.contains("finance-demo-") && !Path::new(directory).exists(), "{directory}");
    assert!(!scratch.path().exists(), "the data directory is not used");
}
