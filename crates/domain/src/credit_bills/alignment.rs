//! What becomes of a card's stored bills when its days or the dates of a bill change.

use std::collections::BTreeMap;

use time::Date;

use super::cycle::{Cycles, PaymentDates, Period};
use crate::ids::BillId;

/// A stored bill and its days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredBill {
    /// Its id.
    pub id: BillId,
    /// Its period.
    pub period: Period,
    /// The payment dates of its rows.
    pub paid: PaymentDates,
}

/// What becomes of the stored bills of a card, so that each is a period of the card, and no period has two bills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    /// The bills that remain, with their periods: also those that do not change.
    pub kept: Vec<(BillId, Period)>,
    /// The bills that are gone, each with the bill that gets its payments.
    pub merged: Vec<(BillId, BillId)>,
}

/// Assigns each stored bill to the period that opens nearest to its own first day. If several bills get one period, the bill that
/// begins with the period remains, or else the earliest one.
///
/// ```
/// use finance_domain::BillId;
/// use finance_domain::credit_bills::{Cycle, Cycles, StoredBill, align};
/// use time::macros::date;
///
/// // A card closes on the 25th. An earlier release left a bill from 19 March to 24 April, which overlaps both others.
/// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
/// let mut bills = [(1, date!(2026-02-25)), (2, date!(2026-03-19)), (3, date!(2026-03-25))].map(|(id, first)| {
///     let period = card.period_holding(first);
///     StoredBill { id: BillId(id), period, paid: card.payment_dates(&period) }
/// });
/// bills[1].period.start = date!(2026-03-19);
/// let aligned = align(&card, &bills);
/// assert_eq!(aligned.kept.iter().map(|(id, period)| (id.0, period.start)).collect::<Vec<_>>(), [
///     (1, date!(2026-02-25)),
///     (3, date!(2026-03-25)),
/// ]);
/// assert_eq!(aligned.merged, [(BillId(2), BillId(3))]);
/// ```
pub fn align(cycles: &Cycles, bills: &[StoredBill]) -> Alignment {
    let mut of_periods: BTreeMap<Date, (Period, Vec<StoredBill>)> = BTreeMap::new();
    for bill in bills {
        let period = cycles.period_opening_near(bill.period.start);
        of_periods.entry(period.start).or_insert_with(|| (period, Vec::new())).1.push(*bill);
    }
    let mut alignment = Alignment::default();
    for (period, mut bills) in of_periods.into_values() {
        bills.sort_unstable_by_key(|bill| (bill.period.start != period.start, bill.period.start, bill.id));
        let mut ids = bills.into_iter().map(|bill| bill.id);
        if let Some(kept) = ids.next() {
            alignment.kept.push((kept, period));
            alignment.merged.extend(ids.map(|gone| (gone, kept)));
        }
    }
    alignment
}

#[cfg(test)]
mod tests;
