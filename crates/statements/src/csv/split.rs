//! Text to records of fields, leniently.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

use super::dates;

/// Fields kept of one record at the most; what follows is left out.
const FIELDS_MAX: usize = 512;
/// Bytes one quoted field takes at the most; a quote that is not closed by then is a letter like any other.
const QUOTED_BYTES_MAX: usize = 8 * 1024;
/// Line ends inside one quoted field at the most.
const QUOTED_LINES_MAX: usize = 16;

/// A line of the file, or more where a quoted field goes on over line ends.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    /// The line it starts on, from 1.
    pub(super) line: usize,
    fields: Vec<Cow<'a, str>>,
}

impl Record<'_> {
    /// The field at a place from 0, trimmed; empty where there is none.
    pub(super) fn cell(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| field.trim())
    }

    /// The fields, trimmed.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.trim())
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.cells().all(str::is_empty)
    }
}

/// A place in the file: where a record starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    at: usize,
    line: usize,
}

impl Place {
    /// Where the file starts.
    pub(super) const START: Place = Place { at: 0, line: 1 };
}

/// The records of a file from one place on.
///
/// A quote counts at the start of a field only, and only where it is closed before a separator or line end
/// soon enough; anywhere else it is a letter. CR, LF and CRLF end a line.
#[derive(Debug)]
pub(super) struct Records<'a> {
    text: &'a str,
    separator: u8,
    place: Place,
    /// Bytes looked at in vain for closing quotes; bounded, so that the whole stays linear.
    wasted: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str, separator: u8, place: Place) -> Self {
        Records { text, separator, place, wasted: 0 }
    }

    /// Where the next record starts.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Reads the next record into one that may be used again; false at the end of the file.
    pub(super) fn next_into(&mut self, record: &mut Record<'a>) -> bool {
        record.fields.clear();
        record.line = self.place.line;
        if self.place.at >= self.text.len() {
            return false;
        }
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
                    return true;
                }
                Some(_) => {
                    self.place.line += 1;
                    return true;
                }
                None => return true,
            }
        }
    }

    /// The field that starts here, and where the separator or line end after it is.
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

    /// The quoted field that opens here; none where its quote is a mere letter.
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
        let field = if doubled { Cow::Owned(content.replace("\"\"", "\"")) } else { Cow::Borrowed(content) };
        Some((field, end))
    }

    /// Whether a quote stands where a field starts.
    fn opens_field(&self, quote: usize) -> bool {
        let before = self.text.as_bytes()[..quote].iter().rev().take(QUOTED_BYTES_MAX).find(|byte| **byte != b' ');
        before.is_none_or(|byte| *byte == self.separator || matches!(byte, b'\r' | b'\n'))
    }

    /// How many lines end inside a quoted field; none where rows of the file would be lost in it.
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

fn skip_spaces(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
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
        for piece in ["\"\"\"a;", "\"a ", "\"x;", "\"\n", "a;\"\"\"\n", "\" "] {
            let text = piece.repeat(2_000_000 / piece.len());
            let started = std::time::Instant::now();
            records(&text, b';');
            assert!(started.elapsed().as_secs() < 10, "{piece:?}");
        }
    }
}
