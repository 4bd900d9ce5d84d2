//! Which rows of a statement are stored already.
//!
//! Banks repeat ids inside a file, reuse them for other purchases, change them with every export, or
//! give none; and two equal rows on one day can both be real. So a row is judged in two steps:
//!
//! 1. **By id.** Same id, date, type and amount is the same row, unless the descriptions differ in
//!    digits only (`Parcela 3/10`, `Parcela 4/10`). An id that repeats inside the file, or is stored with
//!    other content, proves nothing: the row gets an id of its own, derived from its content.
//! 2. **By content**, among what is left on both sides: date, type, amount and normalized description,
//!    as multisets. Of N equal rows in the file against M stored, min(N, M) are duplicates.
//!
//! A row that earlier versions of the reader read otherwise, and that is not stored as it is read now, is judged again by what they
//! made of it, among the stored rows that are left.
//!
//! The content of a [`Stored`] row is its content in the statement; later edits do not matter. The outcome does not depend on the
//! order of rows, and the derived ids are the same on every import.

use std::collections::{BTreeMap, HashMap, HashSet};

use time::{Date, Duration};

use crate::ids::TransactionId;
use crate::installments;
use crate::money::Money;
use crate::text::EXTERNAL_ID_CHARS_MAX;
use crate::transactions::Kind;

/// The most days between a row and a stored transaction that may be the same.
pub const SIMILAR_DAYS_MAX: i64 = 3;

/// What decides whether two rows are the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Content {
    /// The statement's own date: the purchase date on a card.
    pub date: Date,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The description, [normalized](crate::text::normalized).
    pub description: String,
}

/// A row of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its content.
    pub content: Content,
    /// The bank's id; blank and all-zero ids count as absent.
    pub external_id: Option<String>,
    /// The content that earlier versions of the reader gave the row, if it differs.
    pub former: Option<Content>,
}

impl Candidate {
    /// The row as a pending statement has it.
    pub(crate) fn held(self, id: Option<TransactionId>) -> Stored {
        Stored { id, content: self.content, external_id: self.external_id, is_entered: false }
    }
}

/// A stored transaction, or a row of a pending statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The transaction's id; none for a row of a pending import.
    pub id: Option<TransactionId>,
    /// Its content in the statement, with the purchase date.
    pub content: Content,
    /// Its external id.
    pub external_id: Option<String>,
    /// Whether a person entered it, and no statement is known to have it.
    pub is_entered: bool,
}

/// Whether a row is stored already, and as which transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The id to store the row under.
    pub external_id: Option<String>,
    /// Whether the row is stored already.
    pub duplicate: bool,
    /// The transaction that it duplicates. None if it duplicates a row of a pending statement.
    pub duplicate_of: Option<TransactionId>,
    /// A hint: a transaction of the same amount and type within [`SIMILAR_DAYS_MAX`] days, with another description.
    pub similar_to: Option<TransactionId>,
}

/// The bank's id in an external id, without the suffix that [`judge`] may have added.
///
/// ```
/// use finance_domain::imports::base_id;
///
/// assert_eq!(base_id("20250110001~00000000deadbeef~2"), "20250110001");
/// assert_eq!(base_id("a~b"), "a~b");
/// ```
pub fn base_id(external_id: &str) -> &str {
    let is_hash = |text: &str| text.len() == HASH_CHARS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut base = external_id;
    if let Some((rest, count)) = base.rsplit_once('~')
        && !count.is_empty()
        && count.len() <= 5
        && count.bytes().all(|byte| byte.is_ascii_digit())
    {
        base = rest;
    }
    match base.rsplit_once('~') {
        Some((rest, hash)) if is_hash(hash) => rest,
        _ => external_id,
    }
}

/// Compares every row of a file with what is stored. The result has the order of `rows`.
///
/// Takes linear time in both lists, except for sorting.
///
/// ```
/// use finance_domain::imports::{judge, Candidate, Content, Stored};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{Money, TransactionId};
/// use time::macros::date;
///
/// let coffee = Content {
///     date: date!(2026-01-31), kind: Kind::Expense, amount: Money::from_cents(550), description: "padaria".into(),
/// };
/// let row = Candidate { content: coffee.clone(), external_id: None, former: None };
/// let stored = Stored { id: Some(TransactionId(7)), content: coffee, external_id: None, is_entered: true };
///
/// let judgements = judge(&[row.clone(), row], &[stored]);
/// assert_eq!(judgements[0].duplicate_of, Some(TransactionId(7)));
/// assert!(!judgements[1].duplicate, "two coffees were bought, one is stored");
/// ```
pub fn judge(rows: &[Candidate], stored: &[Stored]) -> Vec<Judgement> {
    let mut matched = vec![false; stored.len()];
    let mut judgements = judge_by_id(rows, stored, &mut matched);
    judge_by_content(rows, stored, &mut matched, &mut judgements, |row| Some(&row.content));
    judge_by_former_id(rows, stored, &mut matched, &mut judgements);
    judge_by_content(rows, stored, &mut matched, &mut judgements, |row| row.former.as_ref());
    hint_similar(rows, stored, &matched, &mut judgements);
    judgements
}

/// The id of a row. None if it is blank or all zeros.
fn usable_id(external_id: Option<&str>) -> Option<&str> {
    external_id.map(str::trim).filter(|id| !id.bytes().all(|byte| byte == b'0'))
}

fn judge_by_id(rows: &[Candidate], stored: &[Stored], matched: &mut [bool]) -> Vec<Judgement> {
    let mut stored_by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, stored) in stored.iter().enumerate() {
        if let Some(id) = &stored.external_id {
            stored_by_id.entry(id).or_default().push(at);
        }
    }
    let mut occurrences: HashMap<&str, usize> = HashMap::new();
    for id in rows.iter().filter_map(|row| usable_id(row.external_id.as_deref())) {
        *occurrences.entry(id).or_default() += 1;
    }
    // Ids that occur once go first, so that a derived id never takes one that the bank gave to another row.
    let stands_alone =
        |row: &Candidate| usable_id(row.external_id.as_deref()).is_some_and(|id| occurrences.get(id) == Some(&1));
    let mut taken: HashSet<String> =
        occurrences.iter().filter(|(_, count)| **count == 1).map(|(id, _)| id.to_string()).collect();
    let mut next_count: HashMap<(&str, &Content), usize> = HashMap::new();
    let mut judgements =
        vec![Judgement { external_id: None, duplicate: false, duplicate_of: None, similar_to: None }; rows.len()];
    let (alone, repeated): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|at| stands_alone(&rows[*at]));
    for at in alone.into_iter().chain(repeated) {
        let row = &rows[at];
        let Some(id) = usable_id(row.external_id.as_deref()) else { continue };
        let own = (occurrences.get(id) == Some(&1) && fits(id)).then(|| id.to_string());
        let count = next_count.entry((id, &row.content)).or_insert(1);
        let mut candidate = own.unwrap_or_else(|| next_derived(id, &row.content, count));
        let judgement = &mut judgements[at];
        loop {
            let same_id = stored_by_id.get(candidate.as_str()).map_or(&[][..], Vec::as_slice);
            let same_row = same_id.iter().find(|at| !matched[**at] && is_same_row(&row.content, &stored[**at].content));
            if let Some(same_row) = same_row {
                matched[*same_row] = true;
                judgement.duplicate = true;
                judgement.duplicate_of = stored[*same_row].id;
                break;
            }
            // The bank's own id is reserved for this row; a derived one must be new in the file.
            if same_id.is_empty() && (candidate == id || taken.insert(candidate.clone())) {
                break;
            }
            candidate = next_derived(id, &row.content, count);
        }
        judgement.external_id = Some(candidate);
    }
    judgements
}

/// Whether two rows with the same id are one row: same date, type and amount, and not instalments of a series.
fn is_same_row(row: &Content, stored: &Content) -> bool {
    (row.date, row.kind, row.amount) == (stored.date, stored.kind, stored.amount)
        && (row.description == stored.description
            || without_digits(&row.description) != without_digits(&stored.description)
                && !are_of_a_series(&row.description, &stored.description))
}

/// Whether two texts are of different instalments of as many, however the bank cut the name of the shop.
fn are_of_a_series(one: &str, other: &str) -> bool {
    let instalment = |text: &str| installments::read(text).map(|reading| reading.installment);
    matches!((instalment(one), instalment(other)), (Some(one), Some(other)) if one.count == other.count && one != other)
}

fn without_digits(description: &str) -> String {
    description.chars().filter(|letter| !letter.is_numeric()).collect()
}

/// Finds rows by their bank's id among rows that earlier versions of the reader stored.
fn judge_by_former_id(rows: &[Candidate], stored: &[Stored], matched: &mut [bool], judgements: &mut [Judgement]) {
    let mut left: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, stored) in stored.iter().enumerate().filter(|(at, _)| !matched[*at]) {
        if let Some(id) = &stored.external_id {
            left.entry(base_id(id)).or_default().push(at);
        }
    }
    for (row, judgement) in rows.iter().zip(judgements).filter(|(_, judgement)| !judgement.duplicate) {
        let (Some(former), Some(id)) = (&row.former, usable_id(row.external_id.as_deref())) else { continue };
        let same = left.get(id).into_iter().flatten();
        let mut same = same.filter(|at| !matched[**at] && is_same_row(former, &stored[**at].content));
        if let Some(at) = same.next().copied() {
            matched[at] = true;
            (judgement.duplicate, judgement.duplicate_of) = (true, stored[at].id);
        }
    }
}

fn judge_by_content<'r>(
    rows: &'r [Candidate],
    stored: &'r [Stored],
    matched: &mut [bool],
    judgements: &mut [Judgement],
    content: impl Fn(&'r Candidate) -> Option<&'r Content>,
) {
    let mut left: HashMap<&Content, Vec<usize>> = HashMap::new();
    for (at, stored) in stored.iter().enumerate().rev() {
        if !matched[at] {
            left.entry(&stored.content).or_default().push(at);
        }
    }
    for (row, judgement) in rows.iter().zip(judgements).filter(|(_, judgement)| !judgement.duplicate) {
        if let Some(at) = content(row).and_then(|content| left.get_mut(content)).and_then(Vec::pop) {
            matched[at] = true;
            judgement.duplicate = true;
            judgement.duplicate_of = stored[at].id;
        }
    }
}

/// The stored transactions that a hint may name, for each amount, type and date: the latest one, and the latest one with another
/// text. So a row with either text finds one with another text.
type Latest<'a> = BTreeMap<(Money, Kind, Date), Vec<(TransactionId, &'a str)>>;

fn hint_similar(rows: &[Candidate], stored: &[Stored], matched: &[bool], judgements: &mut [Judgement]) {
    let mut latest: Latest<'_> = BTreeMap::new();
    for (stored, _) in stored.iter().zip(matched).filter(|(_, matched)| !**matched) {
        let Some(id) = stored.id else { continue };
        let Content { date, kind, amount, description } = &stored.content;
        let known = latest.entry((*amount, *kind, *date)).or_default();
        match known.iter_mut().find(|(_, text)| text == description) {
            Some(entry) => entry.0 = entry.0.max(id),
            None => known.push((id, description)),
        }
        known.sort_by(|a, b| b.cmp(a));
        known.truncate(2);
    }
    let offsets = (0..=SIMILAR_DAYS_MAX).flat_map(|days| [days, -days]).skip(1);
    for (row, judgement) in rows.iter().zip(judgements).filter(|(_, judgement)| !judgement.duplicate) {
        let Content { date, kind, amount, description } = &row.content;
        judgement.similar_to = offsets.clone().find_map(|days| {
            let date = date.checked_add(Duration::days(days))?;
            let known = latest.get(&(*amount, *kind, date))?;
            known.iter().find(|(_, text)| text != description).map(|(id, _)| *id)
        });
    }
}

/// Hexadecimal digits of the hash in a derived id.
const HASH_CHARS: usize = 16;
/// The most characters of a suffix: `~`, the hash, `~` and a count of five digits.
const SUFFIX_CHARS_MAX: usize = 1 + HASH_CHARS + 1 + 5;

fn fits(id: &str) -> bool {
    id.chars().nth(EXTERNAL_ID_CHARS_MAX).is_none()
}

/// The next id derived from a row's content: `id~hash`, then `id~hash~2`, `id~hash~3` …
fn next_derived(id: &str, content: &Content, count: &mut usize) -> String {
    let Content { date, kind, amount, description } = content;
    let mut hash = Fnv1a::default();
    for part in [id, &date.to_string(), &kind.sign(*amount).to_string(), description] {
        hash.write(part);
    }
    let stem: String = id.chars().take(EXTERNAL_ID_CHARS_MAX - SUFFIX_CHARS_MAX).collect();
    let derived = match *count {
        1 => format!("{stem}~{:016x}", hash.0),
        count => format!("{stem}~{:016x}~{count}", hash.0),
    };
    *count += 1;
    derived
}

/// FNV-1a of 64 bits: stable across versions and machines, which the standard library's hashers are not.
struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    fn write(&mut self, text: &str) {
        // Each part ends with a byte that never occurs in UTF-8, so different lists of parts never give the same bytes.
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests;
