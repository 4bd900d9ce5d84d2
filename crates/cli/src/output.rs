//! Standard output of the commands.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Prints a line as `println!` does, but does not panic on a closed pipe: `finance list-users | head -1` closes it early, and the
/// command must still finish its work. Any other failure is printed to standard error once, and the program exits with an error.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
        && !IS_LOST.swap(true, Ordering::Relaxed)
    {
        eprintln!("finance: standard output: {error}");
    }
}

/// Whether output was lost for another reason than a closed pipe.
pub(crate) fn is_lost() -> bool {
    IS_LOST.load(Ordering::Relaxed)
}

/// [`line`] with the arguments of `format!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}

pub(crate) use say;
