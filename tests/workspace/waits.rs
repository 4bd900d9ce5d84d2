//! No test waits for a fixed time or is judged by the clock of the wall. Such a test fails on a busy machine, or passes before
//! what it waits for has happened.
//!
//! In Rust a test waits with `finance_tests::eventually`, and counts events instead of measuring durations. A test of a page waits
//! with `eventually`, or opens a gate, in `tests/web/support.mjs`, names the toast whose undo it presses, and moves the clock of
//! the page. A port is 0, and the program reports the one that it got.

use std::fs;
use std::path::{Path, PathBuf};

/// The places where a fixed wait or a clock is right: the beginning of a file's path, a part of the line, and the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("tests/support/eventually.rs", "", "the one function that waits, with a limit that turns a hang into a failure"),
    ("tests/support/program.rs", "started", "the duration of a start, which measurements print"),
    ("tests/load/src/bin/", "", "measurements: they print durations, and no test runs them"),
    ("tests/load/src/crowd.rs", "", "the load of a measurement lasts for a given time"),
    (
        "tests/load/src/crowd/hooks.rs",
        "",
        "a measurement of the time until all is delivered; it tries again at intervals",
    ),
    ("tests/load/src/crowd/worker.rs", "thread::sleep(PAUSE)", "a client waits before it tries again, as real ones do"),
    ("tests/load/src/failover.rs", "Instant::now()", "durations that a measurement prints"),
    ("tests/load/src/failover.rs", "elapsed()", "durations that a measurement prints"),
    (
        "tests/load/src/failover/keyed.rs",
        "thread::sleep(PAUSE)",
        "a client waits before it tries again, as real ones do",
    ),
    ("tests/load/src/soak.rs", "killed", "durations that a measurement prints"),
    ("tests/load/src/workers.rs", "killed", "durations that a measurement prints"),
    ("crates/statements/", "elapsed()", "the processor time of the thread, in the ratio of two sizes"),
    ("crates/adapters-postgres/src/replica.rs", "Instant::now()", "a first instant for a rule that is told the time"),
    (
        "crates/http/src/readiness.rs",
        "sleep(KEPT)",
        "the least time after which an answer is no longer given to others",
    ),
    ("crates/http/src/stream.rs", "begu", "the least time that the writer waits, which no load makes shorter"),
    (
        "crates/http/src/middleware/unread_answers.rs",
        "thread::sleep(",
        "the least time until a limit of zero has passed",
    ),
    ("tests/api/auth/login.rs", "started.elapsed()", "the processor time of the thread, in the ratio of two passwords"),
    ("tests/web/bench.mjs", "", "a measurement; no test runs it"),
    ("tests/web/bench_peer.mjs", "", "a measurement; no test runs it"),
    ("tests/web/pool.mjs", "timer = setTimeout(", "the inner loop waits for the last of several changes of files"),
    ("tests/web/support.mjs", "START_MILLISECONDS", "a limit that turns a hang into a failure"),
    ("tests/web/support.mjs", "ASKED_MILLISECONDS", "a limit that turns a hang into a failure"),
    (
        "tests/web/support.mjs",
        "TRY_MILLISECONDS",
        "the pause of `eventually`, the one function of the pages that waits",
    ),
    ("tests/web/waits.mjs", "requestAnimationFrame(", "a task of the page after its next frame, which takes no time"),
];

/// What is looked for in the tests of the pages.
const OF_PAGES: &[&str] = &["networkidle", "waitForTimeout(", "setTimeout(", "'Desfazer' }).last("];
/// What is looked for in tests in Rust.
const OF_RUST: &[&str] = &[
    "thread::sleep(",
    "time::sleep(",
    "park_timeout(",
    "recv_timeout(",
    "wait_timeout(",
    "Instant::now()",
    "SystemTime::now()",
    ".elapsed()",
];

/// A line that waits for a time or reads a clock.
#[derive(Debug, PartialEq)]
struct Found {
    path: String,
    number: usize,
    line: String,
}

impl Found {
    fn is_allowed_by(&self, (path, part, _): &(&str, &str, &str)) -> bool {
        self.path.starts_with(path) && self.line.contains(part)
    }
}

/// Whether a listener's port is used after the listener is gone. Another process may have the port by then.
fn frees_a_port(line: &str) -> bool {
    line.find(":0\")").is_some_and(|at| line[at..].contains(".local_addr()"))
}

/// Whether one element of a class is waited for, where the page may show several for a moment: the placeholders of two
/// readings, or two toasts.
fn waits_for_one_of_a_class(line: &str) -> bool {
    let class = line.split_once("page.locator('.").and_then(|(_, after)| after.split_once("')"));
    class.is_some_and(|(_, after)| after.starts_with(".waitFor("))
}

/// The lines of a file that wait or read a clock.
fn found_in(path: &str, text: &str) -> Vec<Found> {
    let is_rust = path.ends_with(".rs");
    // In a source, only its own tests.
    let first = match !path.contains("/src/") || path.starts_with("tests/") {
        true => Some(0),
        false => text.lines().position(|line| line.trim() == "#[cfg(test)]"),
    };
    let is_test = |number: &usize| first.is_some_and(|first| *number >= first);
    let is_code = |line: &str| !["//", "*", "/*"].iter().any(|comment| line.trim_start().starts_with(comment));
    let waits = |line: &str| match is_rust {
        true => OF_RUST.iter().any(|wait| line.contains(wait)) || frees_a_port(line),
        false => OF_PAGES.iter().any(|wait| line.contains(wait)) || waits_for_one_of_a_class(line),
    };
    let lines = text.lines().enumerate().filter(|(number, line)| is_test(number) && is_code(line) && waits(line));
    lines.map(|(at, line)| Found { path: path.to_string(), number: at + 1, line: line.trim().to_string() }).collect()
}

/// The sources and tests below a folder, without examples, benchmarks, packages of others, and this file.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !["node_modules", "target", "examples", "benches"].iter().any(|other| path.ends_with(other))
        {
            files(&path, found);
        }
        let is_known =
            path.extension().is_some_and(|extension| ["rs", "mjs", "js", "ts"].iter().any(|known| extension == *known));
        if is_known && !path.ends_with(file!()) {
            found.push(path);
        }
    }
}

fn all_found() -> Vec<Found> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut paths = Vec::new();
    for folder in ["crates", "tests"] {
        files(&workspace.join(folder), &mut paths);
    }
    paths.sort();
    assert!(paths.len() > 100, "{} files", paths.len());
    // The scripts of the pages may use timers.
    let is_asset = |path: &str| path.starts_with("crates/") && !path.ends_with(".rs");
    let named =
        paths.iter().map(|path| (path.strip_prefix(workspace).expect("its path").to_str().expect("UTF-8"), path));
    named
        .filter(|(name, _)| !is_asset(name))
        .flat_map(|(name, path)| found_in(name, &fs::read_to_string(path).expect("a source")))
        .collect()
}

#[test]
fn no_test_waits_for_a_fixed_time_or_is_judged_by_a_clock() {
    let found = all_found();
    let more = found.iter().filter(|found| !ALLOWED.iter().any(|allowed| found.is_allowed_by(allowed)));
    let more: Vec<String> = more.map(|found| format!("{}:{}: {}", found.path, found.number, found.line)).collect();
    assert!(more.is_empty(), "wait for an event, or count events:\n{}", more.join("\n"));
}

#[test]
fn every_allowed_place_is_still_there() {
    let found = all_found();
    let is_unused = |allowed: &&(&str, &str, &str)| !found.iter().any(|found| found.is_allowed_by(allowed));
    assert_eq!(ALLOWED.iter().filter(is_unused).collect::<Vec<_>>(), Vec::<&(&str, &str, &str)>::new());
}

#[test]
fn fixed_waits_and_clocks_are_found() {
    for line in [
        "std::thread::sleep(Duration::from_secs(1));",
        "let deadline = Instant::now() + WAIT;",
        "assert!(began.elapsed() < WAIT);",
        "tokio::time::sleep(PAUSE).await;",
        "received.recv_timeout(WAIT)",
        "TcpListener::bind(\"127.0.0.1:0\").unwrap().local_addr().unwrap()",
    ] {
        assert_eq!(found_in("tests/api/x.rs", line).len(), 1, "{line}");
        let source = format!("{line}\n#[cfg(test)]\nmod tests {{\n{line}\n}}\n");
        let numbers: Vec<usize> = found_in("crates/x/src/x.rs", &source).iter().map(|found| found.number).collect();
        assert_eq!(numbers, [4], "{line}");
    }
    for line in [
        "await page.waitForTimeout(500);",
        "await page.waitForLoadState('networkidle');",
        "await new Promise(resolve => setTimeout(resolve, 30));",
        "await page.getByRole('button', { name: 'Desfazer' }).last().click();",
        "await page.locator('.loading').waitFor();",
    ] {
        assert_eq!(found_in("tests/web/x.test.mjs", line).len(), 1, "{line}");
    }
    for line in
        ["// thread::sleep(PAUSE)", "let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();", "pg_sleep(60)"]
    {
        assert_eq!(found_in("tests/api/x.rs", line), [], "{line}");
    }
}
