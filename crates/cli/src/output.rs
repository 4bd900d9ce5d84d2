//! Standard output of the commands.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use finance_domain::text::hidden;

static IS_LOST: AtomicBool = AtomicBool::new(false);

/// A text as it may be shown on a terminal: hidden characters are written as the escapes of JSON. Without this, a stored name or
/// a description could move the cursor, change the title of the window, or look like another one. JSON stays valid.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for a text of several lines, which keeps its line breaks and tabs.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = 0;
    for (at, character) in hidden(text).filter(|(_, character)| !is_kept(*character)) {
        shown.push_str(&text[rest..at]);
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a `String` does not fail.
            let _ = write!(shown, "\\u{unit:04x}");
        }
        rest = at + character.len_utf8();
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[rest..]);
    Cow::Owned(shown)
}

/// Prints a line as `println!` does, but does not panic on a closed pipe: `finance list-users | head -1` closes it early, and the
/// command must still finish its work. Any other failure is printed to standard error once, and the program exits with an error.
/// Hidden characters are escaped as by [`printable_lines`].
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    if let Err(error) = writeln!(io::stdout(), "{}", printable_lines(&text))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_or_not_show_is_escaped() {
        for (text, shown) in [
            ("São João 👩\u{200d}👦", "São João 👩\u{200d}👦"),
            ("\u{1b}]0;owned\u{7}", r"\u001b]0;owned\u0007"),
            ("Ana\u{202e}txt.\u{200b}", r"Ana\u202etxt.\u200b"),
            ("a\nb\tc\r", r"a\u000ab\u0009c\u000d"),
            ("\u{e0041}\u{9b}", r"\udb40\udc41\u009b"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(printable(shown), shown, "a second time changes nothing");
        }
        assert_eq!(printable_lines("a\n\tb\u{1b}c"), "a\n\tb\\u001bc");
        let json = serde_json::to_string("\u{202e}\u{7f}\u{e0041}\n").unwrap();
        assert_eq!(serde_json::from_str::<String>(&printable(&json)).unwrap(), "\u{202e}\u{7f}\u{e0041}\n");
    }
}
