//! Lines that are no transactions: titles of sections, and totals.

use super::header::{Plan, key};
use super::split::{Place, Record, Records};
use crate::words::WORDS;

/// Whether a text is that of a total. A transaction with such a description would count the other rows again.
pub(super) fn is_total(text: &str) -> bool {
    let follows = |rest: &str| {
        let next = rest.split(' ').next().unwrap_or_default();
        next.is_empty() || next.starts_with(|first: char| first.is_ascii_digit()) || WORDS.total_links.contains(&next)
    };
    let is_total = |key: &str| {
        WORDS.whole_totals.contains(&key) || rest_after(key, &WORDS.totals).any(|rest| follows(rest.trim_start()))
    };
    text.len() <= 64 && text.starts_with(TOTAL_LETTERS) && is_total(&key(text))
}

/// Whether a text begins as that of a total, of a limit or of a balance, whatever it goes on with. Shops have such names, taxes have none.
pub(super) fn begins_as_total(text: &str) -> bool {
    let folded = key(text);
    let first = folded.split(' ').next().unwrap_or_default();
    matches!(first, "total" | "totais" | "subtotal" | "limite" | "saldo" | "valor")
}

/// The first letters of totals.
const TOTAL_LETTERS: [char; 14] = ['a', 'A', 'f', 'F', 'g', 'G', 'l', 'L', 's', 'S', 't', 'T', 'v', 'V'];

/// What follows these words in a text that begins with them.
fn rest_after<'t>(text: &'t str, starts: &[&str]) -> impl Iterator<Item = &'t str> {
    let rest = |start: &&str| text.strip_prefix(start).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    starts.iter().filter_map(rest)
}

/// The title of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Title {
    /// Of transactions that have not happened yet.
    Future,
    /// Of those after them.
    Past,
}

impl Title {
    /// Whether the rows below it are future transactions.
    pub(super) fn is_future(self) -> bool {
        self == Title::Future
    }

    /// The title that the line is, if it has no other text. `is_below_rows` is whether rows may stand above it.
    pub(super) fn of(record: &Record<'_>, is_below_rows: bool) -> Option<Self> {
        let mut cells = record.cells().filter(|cell| !cell.is_empty());
        let (Some(title), None) = (cells.next(), cells.next()) else { return None };
        let title = key(title);
        let is_next_bill = || is_below_rows && WORDS.next_bill_title.contains(&title.as_str());
        if WORDS.past_titles.iter().any(|start| title.starts_with(start)) {
            Some(Title::Past)
        } else if WORDS.future_titles.iter().any(|start| title.starts_with(start)) || is_next_bill() {
            Some(Title::Future)
        } else {
            None
        }
    }
}

/// Whether the headers stand below the title of a section of future transactions.
pub(super) fn begins_in_future(text: &str, plan: &Plan) -> bool {
    let mut records = Records::new(plan.preamble(text), plan.separator, Place::START);
    let mut record = Record::default();
    let mut is_future = false;
    while records.next_into(&mut record) {
        if let Some(title) = Title::of(&record, false) {
            is_future = title.is_future();
        }
    }
    is_future
}

/// Whether a row tells the rate by which purchases were converted: those below it, which have no date of their own (Itaú, card), or the
/// one above it (C6).
pub(super) fn is_conversion(text: &str) -> bool {
    text.starts_with(['d', 'D', 'c', 'C'])
        && matches!(key(text).as_str(), "dolar de conversao" | "cotacao do dolar" | "cotacao dolar")
}

/// Whether a text alone on its line is a remark about the file.
pub(super) fn is_remark(text: &str) -> bool {
    let start = text.char_indices().nth(REMARK_CHARS_MAX).map_or(text, |(at, _)| &text[..at]);
    rest_after(&key(start), &WORDS.remarks).next().is_some()
}

/// The most characters of a remark that are looked at: less than the bytes of the longest header.
const REMARK_CHARS_MAX: usize = 32;
