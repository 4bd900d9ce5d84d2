//! Line numbers of byte positions.

use memchr::{memchr, memchr_iter};

/// Counts the line ends of a file from its start on. CR, LF and CRLF are one each.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    has_returns: bool,
    counted_to: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Lines { bytes, has_returns: memchr(b'\r', bytes).is_some(), counted_to: 0, line: 1 }
    }

    /// The line of a position, from 1. Positions must not decrease from call to call.
    pub(super) fn line_of(&mut self, at: usize) -> usize {
        let passed = self.bytes.get(self.counted_to..at).unwrap_or_default();
        self.line += memchr_iter(b'\n', passed).count();
        if self.has_returns {
            // A CR at the end of the file is not counted: no position follows it.
            let following = self.bytes.get(self.counted_to + 1..).unwrap_or_default();
            self.line += lone_returns(passed, following);
        }
        self.counted_to = at.max(self.counted_to);
        self.line
    }
}

/// The CRs without an LF after them. The sums are bytes, so that the compiler vectorizes them.
fn lone_returns(bytes: &[u8], following: &[u8]) -> usize {
    let chunks = bytes.chunks(CHUNK_LEN).zip(following.chunks(CHUNK_LEN));
    chunks
        .map(|(bytes, following)| {
            let is_lone = |(byte, next): (&u8, &u8)| u8::from(*byte == b'\r') & u8::from(*next != b'\n');
            usize::from(bytes.iter().zip(following).map(is_lone).sum::<u8>())
        })
        .sum()
}

/// The most that a byte can count.
const CHUNK_LEN: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        for (text, line) in [("x", 1), ("\nx", 2), ("\rx", 2), ("\r\nx", 2), ("\n\r\n\r\rx", 5), ("a\r\nb\nc\rx", 4)] {
            assert_eq!(Lines::new(text).line_of(text.len() - 1), line, "{text:?}");
            let mut lines = Lines::new(text);
            let last = (0..text.len()).map(|at| lines.line_of(at)).last();
            assert_eq!(last, Some(line), "step by step: {text:?}");
        }
    }
}
