//! Standard output of the commands.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Prints a line as `println!` does, but does not panic where nobody reads: `finance list-users | head -1` has read enough, and a
/// command goes on with its work. Of any other failure standard error is told, once, and the program ends as one that failed.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
        && !IS_LOST.swap(true, Ordering::Relaxed)
    {
        eprintln!("finance: standard output: {error}");
    }
}

/// Whether something was not printed that may be read.
pub(crate) fn is_lost() -> bool {
    IS_LOST.load(Ordering::Relaxed)
}

/// [`line`] with the arguments of `format!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}

pub(crate) use say;
