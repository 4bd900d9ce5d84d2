//! Splits text into records and fields, tolerating invalid quotes.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

use super::dates;
use super::source::Source;
use crate::text::{DESCRIPTION_CHARS_MAX, clean_to, is_invisible};
use crate::watch::Watch;

/// The most fields of a record. Further ones are dropped.
const FIELDS_MAX: usize = 512;
/// The most fields of a record that is shown.
const FIELDS_SHOWN_MAX: usize = 64;
/// The most bytes of a quoted field. A quote that is not closed within them is an ordinary character.
const QUOTED_BYTES_MAX: usize = 8 * 1024;
/// The work of a field, in bytes of text.
const FIELD_WORK: usize = 8;
/// The most line ends inside a quoted field.
const QUOTED_LINES_MAX: usize = 16;

/// A line of the file, or several lines if a quoted field contains line ends.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    /// The line on which it starts, from 1.
    pub(super) line: usize,
    fields: Vec<Cow<'a, str>>,
}

impl Record<'_> {
    /// The field at a position from 0, trimmed. Empty if there is none.
    pub(super) fn cell(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| trim(field))
    }

    /// The field as it is written, without blanks around it.
    pub(super) fn written(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| field.trim())
    }

    /// The fields, trimmed.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| trim(field))
    }

    /// The first fields. A field that is too long to be shown is cut.
    pub(super) fn shown(&self) -> Vec<String> {
        self.cells().take(FIELDS_SHOWN_MAX).map(|cell| clean_to(cell, DESCRIPTION_CHARS_MAX)).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Joins a field with the next one by a comma.
    pub(super) fn join(&mut self, at: usize) {
        if at + 1 < self.fields.len() {
            let next = self.fields.remove(at + 1);
            self.fields[at] = Cow::Owned(format!("{},{next}", self.fields[at]));
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.cells().all(str::is_empty)
    }
}

/// The position of a record in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    at: usize,
    line: usize,
}

impl Place {
    /// The start of the file.
    pub(super) const START: Place = Place { at: 0, line: 1 };

    /// The part of the file before this position.
    pub(super) fn before(self, text: &str) -> &str {
        text.get(..self.at).unwrap_or(text)
    }
}

/// Reads the records of a file from a position on.
///
/// A quote opens a quoted field only at the start of a field, and only if a closing quote precedes a separator or line
/// end within the limits. Any other quote is an ordinary character. CR, LF and CRLF end a line.
#[derive(Debug)]
pub(super) struct Records<'a> {
    text: &'a str,
    separator: u8,
    place: Place,
    /// Bytes searched for closing quotes without success. They are limited, so that the time stays linear.
    wasted: usize,
    watch: Option<&'a Watch<'a>>,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str, separator: u8, place: Place) -> Self {
        Records { text, separator, place, wasted: 0, watch: None }
    }

    /// The records of a source, which seem to end where its watch stops: whoever reads all of them then checks the watch.
    pub(super) fn watched(source: &Source<'a>, separator: u8, place: Place) -> Self {
        Records { watch: Some(source.watch), ..Records::new(source.text, separator, place) }
    }

    /// The position of the next record.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Reads the next record into `record`. False at the end of the file.
    pub(super) fn next_into(&mut self, record: &mut Record<'a>) -> bool {
        record.fields.clear();
        record.line = self.place.line;
        let start = self.place.at;
        if start >= self.text.len() {
            return false;
        }
        self.fields_into(record);
        // A text with many separators takes longer.
        let work = self.place.at - start + FIELD_WORK * record.fields.len();
        self.watch.is_none_or(|watch| watch.work(work).is_ok())
    }

    fn fields_into(&mut self, record: &mut Record<'a>) {
        loop {
            let (field, end) = self.field();
            if record.fields.len() < FIELDS_MAX {
                record.fields.push(field);
            }
            self.place.at = end + 1;
            match self.text.as_bytes().get(end) {
                Some(byte) if *byte == self.separator => {}
                Some(b'\r') if self.text.as_bytes().get(end + 1) == Some(&b'\n') => {
                    self.place = Place { at: end + 2, line: self.place.line + 1 };
                    return;
                }
                Some(_) => {
                    self.place.line += 1;
                    return;
                }
                None => return,
            }
        }
    }

    /// The field that starts here, and the position of the separator or line end after it.
    fn field(&mut self) -> (Cow<'a, str>, usize) {
        let bytes = self.text.as_bytes();
        let start = self.place.at;
        let first = skip_spaces(bytes, start);
        if bytes.get(first) == Some(&b'"')
            && let Some(quoted) = self.quoted(first)
        {
            return quoted;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let end = memchr3(self.separator, b'\r', b'\n', rest).map_or(bytes.len(), |length| start + length);
        (Cow::Borrowed(self.text.get(start..end).unwrap_or_default()), end)
    }

    /// The quoted field that starts here. None if its quote is an ordinary character.
    fn quoted(&mut self, open: usize) -> Option<(Cow<'a, str>, usize)> {
        if self.wasted > self.text.len() {
            return None;
        }
        let bytes = self.text.as_bytes();
        let limit = bytes.len().min(open + 1 + QUOTED_BYTES_MAX);
        let (mut at, mut doubled, mut stray) = (open + 1, false, false);
        let closed = loop {
            let Some(length) = bytes.get(at..limit).and_then(|rest| memchr(b'"', rest)) else {
                at = limit;
                break None;
            };
            let quote = at + length;
            at = quote + 1;
            if bytes.get(at) == Some(&b'"') {
                (doubled, at) = (true, at + 1);
                continue;
            }
            let end = skip_spaces(bytes, at);
            match bytes.get(end) {
                None | Some(b'\r' | b'\n') => break Some((quote, end)),
                Some(byte) if *byte == self.separator => break Some((quote, end)),
                Some(_) if self.opens_field(quote) => break None,
                Some(_) => stray = true,
            }
        };
        let content = closed.and_then(|(quote, _)| self.text.get(open + 1..quote));
        let lines = content.and_then(|content| self.line_ends(content, stray));
        let (Some((_, end)), Some(content), Some(lines)) = (closed, content, lines) else {
            self.wasted += at - open;
            return None;
        };
        self.place.line += lines;
        let field = if doubled { Cow::Owned(unescaped(content)) } else { Cow::Borrowed(content) };
        Some((field, end))
    }

    /// Whether there is a quote at the start of a field.
    fn opens_field(&self, quote: usize) -> bool {
        let before = self.text.as_bytes()[..quote].iter().rev().take(QUOTED_BYTES_MAX).find(|byte| **byte != b' ');
        before.is_none_or(|byte| *byte == self.separator || matches!(byte, b'\r' | b'\n'))
    }

    /// The number of line ends inside a quoted field. None if the field would contain rows of the file.
    fn line_ends(&self, content: &str, stray: bool) -> Option<usize> {
        let bytes = content.as_bytes();
        let (mut count, mut at) = (0, 0);
        while let Some(length) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'\r', b'\n', rest)) {
            at += length + 1;
            if bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n') {
                at += 1;
            }
            count += 1;
            let line = content.get(at..).unwrap_or_default().trim_start_matches([' ', '"']);
            let cell = line.split([char::from(self.separator), '"']).next().unwrap_or_default();
            if stray || count > QUOTED_LINES_MAX || cell.len() < line.len() && dates::is_date(cell) {
                return None;
            }
        }
        Some(count)
    }
}

/// The text with one quote for each two. [`str::replace`] takes longer for short texts.
fn unescaped(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = memchr(b'"', rest.as_bytes()) {
        let (before, after) = rest.split_at(at + 1);
        text.push_str(before);
        rest = after.strip_prefix('"').unwrap_or(after);
    }
    text.push_str(rest);
    text
}

/// [`str::trim`], also of marks of no width, which are copied with dates, with a fast path for a text that needs none.
///
/// Spreadsheets write a text that must not become a number as a formula, `="02/03/2026"`.
fn trim(field: &str) -> &str {
    match field.as_bytes() {
        [b'=', b'"', value @ .., b'"'] if is_number_or_date(value) => &field[2..field.len() - 1],
        [] | [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => field,
        _ => field.trim_matches(|letter: char| letter.is_whitespace() || is_invisible(letter)),
    }
}

/// Whether a text has digits and the signs of numbers and dates, and nothing else.
fn is_number_or_date(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_digit)
        && text
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'-' | b'.' | b',' | b':' | b' ' | b'R' | b'$'))
}

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use cpu_time::ThreadTime;

    use super::*;

    fn records(text: &str, separator: u8) -> Vec<(usize, Vec<String>)> {
        let mut records = Records::new(text, separator, Place::START);
        let (mut record, mut all) = (Record::default(), Vec::new());
        while records.next_into(&mut record) {
            all.push((record.line, record.cells().map(str::to_string).collect()));
        }
        all
    }

    fn fields(line: &str) -> Vec<String> {
        let mut all = records(line, b';');
        assert_eq!(all.len(), 1, "{line}");
        all.remove(0).1
    }

    #[test]
    fn a_quote_counts_at_the_start_of_a_closed_field_only() {
        assert_eq!(fields("a;\"b;c\";d"), ["a", "b;c", "d"]);
        assert_eq!(fields("a;\"say \"\"b\"\"\";d"), ["a", "say \"b\"", "d"]);
        assert_eq!(fields("a; \"b;c\" ;d"), ["a", "b;c", "d"]);
        assert_eq!(fields("Pix: \"Cp :1-X\";1;2"), ["Pix: \"Cp :1-X\"", "1", "2"]);
        assert_eq!(fields("a;\"b;c"), ["a", "\"b", "c"], "never closed");
        assert_eq!(fields("a;\"B\" ok;\"c\""), ["a", "\"B\" ok", "c"], "closed too soon");
        assert_eq!(fields("a;\"Say \"b\" ok\";c"), ["a", "Say \"b\" ok", "c"], "not doubled inside");
        assert_eq!(fields("\"\";\"\""), ["", ""]);
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let lines = |text| records(text, b';').into_iter().map(|(line, fields)| format!("{line}{}", fields.join("|")));
        assert_eq!(lines("a\rb\r\nc\n\nd").collect::<Vec<_>>(), ["1a", "2b", "3c", "4", "5d"]);
        assert_eq!(lines("a;\"b\r\nc\";d\ne\n").collect::<Vec<_>>(), ["1a|b\r\nc|d", "3e"]);
    }

    #[test]
    fn a_stray_quote_swallows_no_row() {
        let text = "01/02/2025;\"Oficina;-10\n02/02/2025;Loja \"X\";-20\n03/02/2025;Bar;-30\n04/02/2025;Loja X\";-40\n";
        let all = records(text, b';');
        assert_eq!(all.len(), 4);
        assert_eq!(all[0].1, ["01/02/2025", "\"Oficina", "-10"]);
        let all = records("01/02/2025;\"Oficina;-10\n02/02/2025;Loja X\";-40\n", b';');
        assert_eq!(all.len(), 2, "a line that starts with a date is a row");
    }

    #[test]
    fn quotes_that_never_close_cost_no_more_than_the_file() {
        let time = |piece: &str, bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let once = |_| {
                let started = ThreadTime::now();
                records(&text, b';');
                started.elapsed()
            };
            // One measurement takes less than a millisecond, of which an interrupt may be the larger part.
            (0..5).map(once).min().unwrap_or_default()
        };
        for piece in ["\"\"\"a;", "\"a ", "\"x;", "\"\n", "a;\"\"\"\n", "\" "] {
            let (few, many) = (time(piece, 500_000), time(piece, 2_000_000));
            assert!(many < few * 9, "{piece:?}: {many:?} after {few:?}, of a quarter");
        }
    }
}
