//! Anchors: what an account held at the end of a day, as a person or a file says it.
//!
//! The opening balance of an account [follows](opening) the first anchor that a person said. Every other anchor is a
//! [check](checks) of the rows: it agrees with them, or there is a difference, of which some rows are [suspects].

use std::collections::HashMap;

use time::{Date, Duration};

use crate::error::Result;
use crate::ids::{AccountId, AnchorId, ImportId, TransactionId};
use crate::imports::{LeftOutRow, SIMILAR_DAYS_MAX};
use crate::money::Money;
use crate::month::{day_after, day_before};
use crate::openings::{Opening, StoredOpening};
use crate::transactions::Kind;
use crate::words::words;

/// The most anchors of one account. Of a file that would bring more, only the newest are kept.
pub const ANCHORS_MAX: usize = 10_000;

/// The most suspects of a difference.
pub const SUSPECTS_MAX: usize = 5;

words! {
    /// Who says an anchor.
    pub enum AnchorSource {
        /// A person.
        Person = "person",
        /// The file of an import.
        File = "file",
    }
}

/// What an account held at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// Its id. Of one said later it is higher.
    pub id: AnchorId,
    /// The day.
    pub date: Date,
    /// What the account held. Below zero if money was owed.
    pub amount: Money,
    /// The import whose file says it. None if a person does.
    pub import_id: Option<ImportId>,
}

impl Anchor {
    /// Who says it.
    pub fn source(&self) -> AnchorSource {
        if self.import_id.is_some() { AnchorSource::File } else { AnchorSource::Person }
    }
}

/// An anchor, and what is known of the rows of its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAnchor {
    /// The anchor.
    pub anchor: Anchor,
    /// Income minus expenses of all rows up to its day.
    pub rows: Money,
    /// Whether an import later than its own has a row of its day: the file may be of the middle of the day.
    pub has_later_rows: bool,
}

/// An anchor compared with the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// The anchor.
    pub anchor: Anchor,
    /// What the rows up to its day come to. An opening balance that follows an anchor counts whatever its date.
    pub computed: Money,
    /// Whether the opening balance follows this anchor.
    pub is_followed: bool,
}

impl Check {
    /// What the rows lack: the anchor minus what they come to.
    pub fn difference(&self) -> Money {
        self.anchor.amount - self.computed
    }

    /// Whether the rows come to the anchor.
    pub fn agrees(&self) -> bool {
        self.anchor.amount == self.computed
    }
}

/// An account whose opening balance follows an anchor, with the sums that decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The account.
    pub account_id: AccountId,
    /// The day of the anchor.
    pub date: Date,
    /// What the account held then.
    pub amount: Money,
    /// Income minus expenses of its other rows up to that day.
    pub others: Money,
    /// The date of the first of its other rows.
    pub first_row: Option<Date>,
    /// The stored opening balances.
    pub openings: Vec<StoredOpening>,
}

/// The opening balance with which the rows up to the day of the anchor come to it. None if they do without one. It is dated the day
/// before the first other row, and never after the anchor.
///
/// ```
/// use finance_domain::{AccountId, Money};
/// use finance_domain::anchors::{Followed, opening};
/// use finance_domain::openings::Opening;
/// use time::macros::date;
///
/// let followed = Followed {
///     account_id: AccountId(1), date: date!(2026-03-10), amount: Money::from_cents(100_000),
///     others: Money::from_cents(190_000), first_row: Some(date!(2026-01-05)), openings: vec![],
/// };
/// assert_eq!(opening(&followed), Some(Opening { date: date!(2026-01-04), balance: Money::from_cents(-90_000) }));
/// ```
pub fn opening(followed: &Followed) -> Option<Opening> {
    let balance = followed.amount - followed.others;
    let before_rows = followed.first_row.map_or(followed.date, day_before);
    (balance != Money::ZERO).then_some(Opening { date: before_rows.min(followed.date), balance })
}

/// The anchors that count, newest first, each compared with the rows. `openings` are the opening balances of the account.
///
/// Of one day the person's counts, or else that of the latest import. A file's counts while no later import has a row of its day,
/// and one of zero only while it agrees: banks write zero where they do not know.
///
/// ```
/// use finance_domain::{AnchorId, ImportId, Money};
/// use finance_domain::anchors::{Anchor, KnownAnchor, checks};
/// use time::macros::date;
///
/// let known = |id, import_id, date, amount, rows| KnownAnchor {
///     anchor: Anchor { id: AnchorId(id), date, amount: Money::from_cents(amount), import_id },
///     rows: Money::from_cents(rows),
///     has_later_rows: false,
/// };
/// let by_file = Some(ImportId(7));
/// let anchors = [
///     known(1, by_file, date!(2026-03-09), 5_000, 5_000),
///     known(2, by_file, date!(2026-03-10), 5_000, 4_000),
///     known(3, None, date!(2026-03-10), 4_000, 4_000), // a person says otherwise
///     known(4, by_file, date!(2026-03-11), 0, 4_000), // the bank does not know
/// ];
/// let found: Vec<i64> = checks(&anchors, &[]).iter().map(|check| check.anchor.id.0).collect();
/// assert_eq!(found, [3, 1]);
/// ```
pub fn checks(known: &[KnownAnchor], openings: &[Opening]) -> Vec<Check> {
    let by_people = known.iter().filter(|known| known.anchor.source() == AnchorSource::Person);
    let followed = by_people.map(|known| known.anchor.id).min();
    let later = |date: Date| -> Money {
        let later = openings.iter().filter(|opening| followed.is_some() && opening.date > date);
        later.map(|opening| opening.balance).sum()
    };
    let mut of_days: HashMap<Date, &KnownAnchor> = HashMap::new();
    // A person's comes after those of all files.
    let rank = |known: &KnownAnchor| (known.anchor.import_id.is_none(), known.anchor.import_id);
    for known in known {
        let of_day = of_days.entry(known.anchor.date).or_insert(known);
        if rank(known) > rank(of_day) {
            *of_day = known;
        }
    }
    let counts = |known: &KnownAnchor, check: &Check| {
        let is_known = check.anchor.amount != Money::ZERO || check.agrees();
        check.anchor.source() == AnchorSource::Person || !known.has_later_rows && is_known
    };
    let mut checks: Vec<Check> = of_days
        .into_values()
        .filter_map(|known| {
            let anchor = known.anchor;
            let computed = known.rows + later(anchor.date);
            let check = Check { anchor, computed, is_followed: followed == Some(anchor.id) };
            counts(known, &check).then_some(check)
        })
        .collect();
    checks.sort_unstable_by_key(|check| std::cmp::Reverse(check.anchor.date));
    checks
}

/// How far an account agrees with its anchors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The earliest anchor to which the rows do not come.
    pub first_difference: Option<Check>,
    /// The day of the newest anchor before that, the followed one not counted.
    pub agrees_until: Option<Date>,
}

/// The agreement of these checks, newest first.
pub fn agreement(checks: &[Check]) -> Agreement {
    let first_difference = checks.iter().rev().find(|check| !check.agrees()).copied();
    let is_before = |check: &&Check| first_difference.is_none_or(|first| check.anchor.date < first.anchor.date);
    let newest = checks.iter().filter(is_before).find(|check| !check.is_followed);
    Agreement { first_difference, agrees_until: newest.map(|check| check.anchor.date) }
}

/// The days in which the cause of a difference lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The day before the first one. None if the span has no beginning.
    pub after: Option<Date>,
    /// The last day.
    pub until: Date,
    /// What the rows of these days lack.
    pub gap: Money,
}

/// The days from an anchor to the neighbour that agrees: the one before, or else the one after, or else all days up to it. None if
/// there is no such anchor, or no difference. `checks` are those of the account, newest first.
pub fn span(checks: &[Check], date: Date) -> Option<Span> {
    let at = checks.iter().position(|check| check.anchor.date == date)?;
    let (newer, older) = (checks.get(..at)?, checks.get(at + 1..)?);
    let gap = checks.get(at).filter(|check| !check.agrees())?.difference();
    let agreeing = |check: &&Check| check.agrees();
    if let Some(before) = older.iter().find(agreeing) {
        return Some(Span { after: Some(before.anchor.date), until: date, gap });
    }
    Some(match newer.iter().rev().find(agreeing) {
        Some(after) => Span { after: Some(date), until: after.anchor.date, gap: -gap },
        None => Span { after: None, until: date, gap },
    })
}

/// Rows that end a difference: signed amounts by date, of which the first is about the day asked for. `checks` are those of the
/// account, newest first. None if there is no such anchor, or no difference.
///
/// Up to the followed anchor the opening balance moves against every row, so there a row of the day alone would change nothing.
pub fn adjustment(checks: &[Check], date: Date) -> Option<Vec<(Date, Money)>> {
    let check = checks.iter().find(|check| check.anchor.date == date && !check.agrees())?;
    let of_day = (date, check.difference());
    let of_next_day = (day_after(date), -check.difference());
    let is_before_followed = checks.iter().any(|check| check.is_followed && check.anchor.date > date);
    Some(match (is_before_followed, checks.iter().any(|check| check.anchor.date < date && check.agrees())) {
        (false, _) => vec![of_day],
        // What is earlier agrees, and shall go on doing so.
        (true, true) => vec![of_day, of_next_day],
        (true, false) => vec![of_next_day],
    })
}

words! {
    /// Why a row may be the cause of a difference.
    #[derive(PartialOrd, Ord)]
    pub enum SuspectKind {
        /// A row with the wrong sign.
        Sign = "sign",
        /// A row that is too many.
        Extra = "extra",
        /// A row that an import left out.
        LeftOut = "left_out",
    }
}

/// A row that may be the cause of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// Why.
    pub kind: SuspectKind,
    /// The row, if it is stored.
    pub transaction_id: Option<TransactionId>,
    /// The import that brought it or left it out.
    pub import_id: Option<ImportId>,
    /// Its date.
    pub date: Date,
    /// Its amount, above zero.
    pub amount: Money,
    /// Income or expense.
    pub row_kind: Kind,
    /// Its description.
    pub description: String,
}

impl Suspect {
    fn signed(&self) -> Money {
        self.row_kind.sign(self.amount)
    }
}

/// The rows that may be the cause of a gap: at most [`SUSPECTS_MAX`], by kind, and of each kind at least one if there is one.
/// `stored` are rows of the span. `left_out` are rows that imports left out there. The newest come first, and among the rows that
/// are too many those that have a twin.
pub fn suspects(gap: Money, stored: Vec<Suspect>, left_out: Vec<Suspect>) -> Vec<Suspect> {
    let twin_days = Duration::days(SIMILAR_DAYS_MAX);
    let has_twin = |row: &Suspect| {
        stored.iter().any(|other| {
            other.transaction_id != row.transaction_id
                && other.signed() == row.signed()
                && (other.date - row.date).abs() <= twin_days
        })
    };
    let mut ranked: Vec<(bool, Suspect)> = Vec::new();
    for row in &stored {
        if row.signed() == -gap {
            ranked.push((!has_twin(row), Suspect { kind: SuspectKind::Extra, ..row.clone() }));
        } else if row.signed() + row.signed() == -gap {
            ranked.push((false, Suspect { kind: SuspectKind::Sign, ..row.clone() }));
        }
    }
    let missing = left_out.into_iter().filter(|row| row.signed() == gap);
    ranked.extend(missing.map(|row| (false, Suspect { kind: SuspectKind::LeftOut, ..row })));
    ranked.sort_by_key(|(is_alone, row)| (row.kind, *is_alone, std::cmp::Reverse((row.date, row.transaction_id))));
    let mut counts: HashMap<SuspectKind, usize> = HashMap::new();
    let places: Vec<usize> = ranked
        .iter()
        .map(|(_, row)| {
            let count = counts.entry(row.kind).or_default();
            *count += 1;
            *count
        })
        .collect();
    // The first of every kind, then the second of every kind, and so on.
    let mut chosen: Vec<(usize, SuspectKind, Suspect)> =
        places.into_iter().zip(ranked).map(|(place, (_, row))| (place, row.kind, row)).collect();
    chosen.sort_by_key(|(place, kind, _)| (*place, *kind));
    chosen.truncate(SUSPECTS_MAX);
    chosen.sort_by_key(|(place, kind, _)| (*kind, *place));
    chosen.into_iter().map(|(_, _, row)| row).collect()
}

/// The port of anchors. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait AnchorRepo {
    /// The accounts whose opening balance follows an anchor. None of them if nothing was written that an opening balance or an anchor
    /// depends on.
    fn anchor_followed(&mut self) -> Result<Vec<Followed>>;
    /// Whether the opening balance of one of the accounts follows an anchor.
    fn anchor_follows(&mut self, accounts: &[AccountId]) -> Result<bool>;
    /// Stores what a person says, in the place of what people said of the same day.
    fn anchor_put(&mut self, account_id: AccountId, date: Date, amount: Money) -> Result<()>;
    /// Deletes what a person said of a day. Returns whether there was such an anchor.
    fn anchor_delete(&mut self, account_id: AccountId, date: Date) -> Result<bool>;
    /// Stores what the file of an import says, each day once.
    fn anchor_insert(&mut self, account_id: AccountId, import_id: ImportId, balances: &[(Date, Money)]) -> Result<()>;
    /// How many anchors the account has.
    fn anchor_count(&mut self, account_id: AccountId) -> Result<usize>;
    /// How many anchors the account with the most of them has.
    fn anchor_count_max(&mut self) -> Result<usize>;
    /// All anchors of an account, and its opening balances.
    fn anchor_list(&mut self, account_id: AccountId) -> Result<(Vec<KnownAnchor>, Vec<Opening>)>;
    /// The [`checks`] of an account from before a day on, at most `limit`.
    fn anchor_checks(&mut self, account_id: AccountId, before: Option<Date>, limit: u32) -> Result<Vec<Check>>;
    /// The [`agreement`] of every account with anchors, or of one.
    fn anchor_agreements(&mut self, account_id: Option<AccountId>) -> Result<HashMap<AccountId, Agreement>>;
    /// The rows of a span with one of these amounts, newest first; no opening balances.
    fn anchor_rows(&mut self, account_id: AccountId, span: &Span, amounts: &[Money]) -> Result<Vec<Suspect>>;
    /// The rows of a span with this amount that imports of the account left out, newest first.
    fn left_out_list(&mut self, account_id: AccountId, span: &Span, amount: Money) -> Result<Vec<Suspect>>;
    /// Stores the rows that an import left out.
    fn left_out_insert(&mut self, import_id: ImportId, rows: &[LeftOutRow]) -> Result<()>;
}

#[cfg(test)]
mod tests;
