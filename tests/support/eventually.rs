//! Waiting for what another thread, process or server does. Also compiled into the tests of crates that cannot depend on this one.

use std::thread;
use std::time::{Duration, Instant};

/// How long [`eventually`] waits. It only turns a hang into a failure: no test passes or fails by how quick the machine is.
pub const EVENTUALLY_MAX: Duration = Duration::from_secs(120);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(5);

/// Checks again and again until there is a value, and returns it.
///
/// # Panics
///
/// With `what`, the event that is waited for, if there is no value within [`EVENTUALLY_MAX`].
#[track_caller]
pub fn eventually<T>(what: &str, check: impl FnMut() -> Option<T>) -> T {
    eventually_or(|| what.to_owned(), check)
}

/// Like [`eventually`], with a text that is made when the wait fails, such as a log.
///
/// # Panics
///
/// With the text, if there is no value within [`EVENTUALLY_MAX`].
#[track_caller]
pub fn eventually_or<T>(failure: impl FnOnce() -> String, check: impl FnMut() -> Option<T>) -> T {
    if let Some(value) = in_time(check) {
        return value;
    }
    panic!("not within {EVENTUALLY_MAX:?}: {}", failure());
}

/// Like [`eventually`], without a panic, for what is done when a test has failed already. None if there is no value in time.
pub(crate) fn in_time<T>(mut check: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(value) = check() {
            return Some(value);
        }
        if began.elapsed() >= EVENTUALLY_MAX {
            return None;
        }
        thread::sleep(PAUSE);
    }
}
