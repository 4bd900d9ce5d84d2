//! Tests that a machine cannot run. Also compiled into the tests of crates that cannot depend on this one.

use std::io::Write;

/// Prints a notice that a test, or a part of it, is not run, and why: a program, a file or a right is missing.
///
/// # Panics
///
/// If the variable `CI` is set: nobody would read the notice there, and the test would pass without having run.
#[track_caller]
pub fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none_or(|ci| ci.is_empty()), "a test cannot be skipped in CI: {why}");
    notice(why);
}

/// Prints a notice that a test, or a part of it, is not run, also in CI. For what no machine of that kind has.
pub fn notice(why: &str) {
    let thread = std::thread::current();
    // `eprintln!` is not shown if the test passes. The text is only informative, so a closed standard error is no failure.
    let _ = writeln!(std::io::stderr(), "notice: {}: {why}", thread.name().unwrap_or("a test"));
}
