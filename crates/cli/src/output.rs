//! Standard output of the commands.

use std::fmt;
use std::io::{self, ErrorKind, Write};

/// Prints a line as `println!` does, but does not panic where nobody reads: `finance list-users | head -1` has read enough, and a
/// command goes on with its work. Standard error is told of any other failure.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        eprintln!("finance: standard output: {error}");
    }
}

/// [`line`] with the arguments of `format!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::line(format_args!($($text)*)) };
}

pub(crate) use say;
