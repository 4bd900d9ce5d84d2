//! Runs commands of the program, and checks how they end.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs a command with the given standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().expect("the program ends")
}

/// Expects success, and returns what was printed.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Expects a failure with one line on standard error, and returns the line.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(errors.starts_with("finance: ") && errors.ends_with('\n'), "{errors:?}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}
