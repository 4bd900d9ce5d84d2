//! Dues that are paid in parts: several rows of one payee in one month.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use time::Date;

use crate::error::Result;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;

use super::matching::{CoveredBy, Group, Interval, MatchTransaction};

/// The least parts of a due.
pub const PARTS_MIN: usize = 2;
/// The most parts of a due.
pub const PARTS_MAX: usize = 10;

/// The most rows of a month, not larger than what is due, in which parts are looked for. In a month with as many, none are.
const ROWS_MAX: usize = 1_000;

/// Where parts of a due may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartWindow {
    /// Their category.
    pub category_id: CategoryId,
    /// Their type.
    pub kind: Kind,
    /// The first month.
    pub first: Month,
    /// The last month.
    pub last: Month,
    /// Their least amount.
    pub amount_min: Money,
    /// Their largest amount.
    pub amount_max: Money,
}

/// A row that may be a part of a due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRow {
    /// The position of its window.
    pub window: usize,
    /// The row.
    pub row: MatchTransaction,
    /// Its day: that of the purchase.
    pub date: Date,
    /// The description of its statement.
    pub description: String,
}

impl PartRow {
    fn place(&self) -> Place {
        (self.row.group(), Month::of(self.date))
    }
}

/// A month of a category and type.
pub(super) type Place = (Group, Month);

/// A row that may be a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) id: CoveredBy,
    pub(super) place: Place,
    pub(super) amount: Money,
    /// The key of its payee.
    pub(super) payee: String,
}

impl Part {
    /// Its payee in its month, whose rows serve one due together.
    fn key(&self) -> (Place, &str) {
        (self.place, &self.payee)
    }
}

/// What pays a due: its number, the rows, and their sum.
type Paid = (usize, Vec<CoveredBy>, Money);

/// The parts of each open due: all rows of one payee in the month of the due, if they add up to it. Rows of a payee serve one due.
pub(super) fn parts(open: &[(usize, Interval)], rows: &[Part]) -> Vec<Paid> {
    let mut payees: BTreeMap<(Place, &str), Vec<&Part>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.payee.is_empty()) {
        payees.entry(row.key()).or_default().push(row);
    }
    payees.retain(|_, parts| (PARTS_MIN..=PARTS_MAX).contains(&parts.len()));
    let sum = |parts: &[&Part]| parts.iter().map(|part| part.amount).sum::<Money>();
    let mut found = Vec::new();
    for (due, interval) in open {
        let Some(place) = place(interval) else { continue };
        let of_month = payees.range((place, "")..).take_while(|((of, _), _)| *of == place);
        let fitting = of_month.filter(|(_, parts)| (interval.low..=interval.high).contains(&sum(parts)));
        let best = fitting.min_by_key(|(_, parts)| (interval.amount - sum(parts)).abs()).map(|(key, _)| *key);
        if let Some(parts) = best.and_then(|key| payees.remove(&key)) {
            found.push((*due, parts.iter().map(|part| part.id).collect(), sum(&parts)));
        }
    }
    found
}

/// Reads the rows of windows, at most so many of each.
type Read<'a> = dyn FnMut(&[PartWindow], usize) -> Result<Vec<PartRow>> + 'a;

/// The search for the parts of dues.
pub(super) struct PartSearch<'a> {
    /// The dues that nothing covers yet and that may be paid in parts, with their numbers.
    pub(super) open: &'a [(usize, Interval)],
    /// The rows that cover another due.
    pub(super) used: &'a HashSet<CoveredBy>,
    pub(super) read: &'a mut Read<'a>,
    /// The key of a payee.
    pub(super) payee: &'a dyn Fn(&str) -> String,
}

impl PartSearch<'_> {
    /// The parts of the dues that matter, and of others of their months.
    pub(super) fn find(&mut self, today: Date, matters: impl Fn(usize) -> bool) -> Result<Vec<Paid>> {
        let windows = windows(self.open, today, matters);
        let (mut found, _) = self.free(&windows)?;
        let dues: HashSet<usize> = parts(self.open, &found).into_iter().map(|(due, ..)| due).collect();
        if dues.is_empty() {
            return Ok(Vec::new());
        }
        let paid = self.open.iter().filter(|(due, _)| dues.contains(due));
        let places: BTreeSet<Place> = paid.filter_map(|(_, interval)| place(interval)).collect();
        // A payee who has a larger row too was paid more than any of these dues.
        let larger = |place: Place| {
            let window = windows[window_of(&windows, place)?];
            let amount_min = window.amount_max + Money::from_cents(1);
            let amount_max = Money::TRANSACTION_MAX.max(amount_min);
            Some(PartWindow { first: place.1, last: place.1, amount_min, amount_max, ..window })
        };
        let larger: Vec<PartWindow> = places.into_iter().filter_map(larger).collect();
        let (larger, unknown) = self.free(&larger)?;
        let payees: HashSet<_> = larger.iter().map(Part::key).collect();
        found.retain(|part| !unknown.contains(&part.place) && !payees.contains(&part.key()));
        Ok(parts(self.open, &found))
    }

    /// The free rows of windows, and the months that have more than were read, whose rows are left out.
    fn free(&mut self, windows: &[PartWindow]) -> Result<(Vec<Part>, HashSet<Place>)> {
        let months = windows.iter().map(|window| window.last.since(window.first) + 1).max();
        let Some(months) = months.and_then(|months| usize::try_from(months).ok()) else {
            return Ok(Default::default());
        };
        let limit = ROWS_MAX.saturating_mul(months);
        let rows = (self.read)(windows, limit)?;
        let mut of_windows: HashMap<usize, usize> = HashMap::new();
        let mut of_months: HashMap<Place, usize> = HashMap::new();
        for row in &rows {
            *of_windows.entry(row.window).or_default() += 1;
            *of_months.entry(row.place()).or_default() += 1;
        }
        // The last rows of a window with as many as the limit were not read.
        let is_unknown = |row: &&PartRow| {
            of_windows.get(&row.window).is_some_and(|rows| *rows >= limit)
                || of_months.get(&row.place()).is_some_and(|rows| *rows >= ROWS_MAX)
        };
        let unknown: HashSet<Place> = rows.iter().filter(is_unknown).map(PartRow::place).collect();
        let free = rows.iter().filter(|row| !unknown.contains(&row.place()) && !self.used.contains(&row.row.id));
        let part = |row: &PartRow| {
            let payee = (self.payee)(&row.description);
            Part { id: row.row.id, place: row.place(), amount: row.row.amount, payee }
        };
        Ok((free.map(part).collect(), unknown))
    }
}

/// The month of a due, with its category and type.
fn place(interval: &Interval) -> Option<Place> {
    Some((interval.group, Month::of(interval.date?)))
}

/// Where the parts of the open dues that matter may be: the months of a category and type that follow each other, and those after
/// this one, which have few rows, are one window. Other dues of a month with a window are looked at too, because they may be paid by
/// the same rows. A part is not larger than what is due.
fn windows(open: &[(usize, Interval)], today: Date, matters: impl Fn(usize) -> bool) -> Vec<PartWindow> {
    let this_month = Month::of(today);
    let of_those = open.iter().filter(|(due, _)| matters(*due));
    let mut places: Vec<Place> = of_those.filter_map(|(_, interval)| place(interval)).collect();
    places.sort_unstable();
    let follows = |one: &Place, next: &Place| one.0 == next.0 && (one.1 >= this_month || next.1 <= one.1.plus(1));
    let window = |places: &[Place]| {
        let (((category_id, kind), first), last) = (places[0], places[places.len() - 1].1);
        PartWindow { category_id, kind, first, last, amount_min: Money::ZERO, amount_max: Money::ZERO }
    };
    let mut windows: Vec<PartWindow> = places.chunk_by(follows).map(window).collect();
    for (_, interval) in open {
        if let Some(at) = place(interval).and_then(|place| window_of(&windows, place)) {
            windows[at].amount_max = windows[at].amount_max.max(interval.high);
        }
    }
    windows
}

/// The window that has a month of a category and type. Windows are in the order of these.
fn window_of(windows: &[PartWindow], (group, month): Place) -> Option<usize> {
    let of = |window: &PartWindow| (window.category_id, window.kind);
    let at = windows.partition_point(|window| (of(window), window.first) <= (group, month)).checked_sub(1)?;
    (of(&windows[at]) == group && month <= windows[at].last).then_some(at)
}
