//! Dues that are paid in parts: several rows of one payee in one month.

use std::collections::BTreeMap;

use crate::money::Money;
use crate::month::Month;

use super::matching::{CoveredBy, Group, Interval};

/// The least parts of a due.
pub const PARTS_MIN: usize = 2;
/// The most parts of a due.
pub const PARTS_MAX: usize = 10;

/// A row that may be a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) id: CoveredBy,
    pub(super) group: Group,
    pub(super) month: Month,
    pub(super) amount: Money,
    /// The key of its payee.
    pub(super) payee: String,
}

impl Part {
    /// Its payee in its month, whose rows serve one due together.
    pub(super) fn key(&self) -> (Group, Month, &str) {
        (self.group, self.month, &self.payee)
    }
}

/// The parts of each open due: all rows of one payee in the month of the due, if they add up to it. Rows of a payee serve one due.
pub(super) fn parts(open: &[(usize, Interval)], rows: &[Part]) -> Vec<(usize, Vec<CoveredBy>)> {
    let mut payees: BTreeMap<(Group, Month, &str), Vec<&Part>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.payee.is_empty()) {
        payees.entry(row.key()).or_default().push(row);
    }
    payees.retain(|_, parts| (PARTS_MIN..=PARTS_MAX).contains(&parts.len()));
    let mut found = Vec::new();
    for (due, interval) in open {
        let Some(month) = interval.date.map(Month::of) else { continue };
        let sum = |parts: &Vec<&Part>| parts.iter().map(|part| part.amount).sum::<Money>();
        let of_month = payees
            .range((interval.group, month, "")..)
            .take_while(|((group, of, _), _)| (*group, *of) == (interval.group, month));
        let fitting = of_month.filter(|(_, parts)| (interval.low..=interval.high).contains(&sum(parts)));
        let best = fitting.min_by_key(|(_, parts)| (interval.amount - sum(parts)).abs()).map(|(key, _)| *key);
        if let Some(parts) = best.and_then(|key| payees.remove(&key)) {
            found.push((*due, parts.into_iter().map(|part| part.id).collect()));
        }
    }
    found
}
