//! Which rows cover dues by their days: those of a rhythm of days or weeks, and rows that come before or after the month of a due.

use std::collections::HashSet;

use time::Date;

use super::matching::{Group, Interval, Point, account_distance};

/// Dues and rows, and which row each due has. An assignment only grows: what is covered stays covered.
pub(super) struct Book<'a> {
    dues: &'a [Interval],
    rows: &'a [Point],
    /// The rows by category, type and day.
    by_day: Vec<(Group, Option<Date>, usize)>,
    /// The due that has each row.
    holders: Vec<Option<usize>>,
    /// The row of each due.
    found: Vec<Option<usize>>,
    /// The days on which each due looks for its row.
    reach: Vec<Option<(Date, Date)>>,
}

impl<'a> Book<'a> {
    pub(super) fn new(dues: &'a [Interval], rows: &'a [Point]) -> Self {
        let mut by_day: Vec<_> = rows.iter().enumerate().map(|(at, row)| (row.group, row.date, at)).collect();
        by_day.sort_unstable();
        let (holders, found) = (vec![None; rows.len()], vec![None; dues.len()]);
        Book { dues, rows, by_day, holders, found, reach: vec![None; dues.len()] }
    }

    /// The row of each due.
    pub(super) fn found(&self) -> &[Option<usize>] {
        &self.found
    }

    /// Whether no due has the row.
    pub(super) fn is_free(&self, row: usize) -> bool {
        self.holders[row].is_none()
    }

    /// Gives a free row to a due, which could as well have another one of these days.
    pub(super) fn give(&mut self, due: usize, row: usize, reach: (Date, Date)) {
        self.holders[row] = Some(due);
        self.found[due] = Some(row);
        self.reach[due] = Some(reach);
    }

    /// Lets a due that has a row look for another one on these days too, if a due without one can use its row.
    pub(super) fn widen(&mut self, due: usize, (first, last): (Date, Date)) {
        if let Some(reach) = &mut self.reach[due] {
            *reach = (reach.0.min(first), reach.1.max(last));
        }
    }

    /// Covers as many of the open dues as possible by rows of their days: each by the nearest free row, and then also by rows whose
    /// dues can do with another one.
    pub(super) fn cover(&mut self, open: &[(usize, (Date, Date))]) {
        let mut pairs = Vec::new();
        // Those with a row that fits, whether or not it is free.
        let mut fitted = Vec::new();
        for (due, reach) in open.iter().copied().filter(|(due, _)| self.found[*due].is_none()) {
            let mut fitting = self.fitting(due, reach).peekable();
            if fitting.peek().is_some() {
                fitted.push((due, reach));
            }
            pairs.extend(fitting.filter(|row| self.is_free(*row)).map(|row| (self.rank(due, row), due, row)));
        }
        fitted.iter().for_each(|(due, reach)| self.reach[*due] = Some(*reach));
        pairs.sort_unstable();
        for (_, due, row) in pairs {
            if self.found[due].is_none() && self.is_free(row) {
                self.holders[row] = Some(due);
                self.found[due] = Some(row);
            }
        }
        // What a search without success has seen stays without use until another search succeeds.
        let mut seen = HashSet::new();
        for (due, _) in &fitted {
            if self.found[*due].is_none() {
                match self.search(*due, &mut seen) {
                    true => seen.clear(),
                    false => self.reach[*due] = None,
                }
            }
        }
    }

    /// Finds a row for a due. A due that loses its row to it finds another one.
    fn search(&mut self, due: usize, seen: &mut HashSet<usize>) -> bool {
        for row in self.candidates(due) {
            if !seen.insert(row) {
                continue;
            }
            let is_found = match self.holders[row] {
                None => true,
                Some(holder) => self.search(holder, seen),
            };
            if is_found {
                self.holders[row] = Some(due);
                self.found[due] = Some(row);
                return true;
            }
        }
        false
    }

    /// The rows that may cover a due on some days.
    fn fitting(&self, due: usize, (first, last): (Date, Date)) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let due = &self.dues[due];
        let begin = self.by_day.partition_point(|(group, day, _)| (*group, *day) < (due.group, Some(first)));
        let of_days =
            self.by_day[begin..].iter().take_while(move |(group, day, _)| *group == due.group && *day <= Some(last));
        of_days.map(|(_, _, row)| *row).filter(move |row| due.is_covered_by(&self.rows[*row]))
    }

    /// The rows that may cover a due, the nearest first.
    fn candidates(&self, due: usize) -> Vec<usize> {
        let Some(reach) = self.reach[due] else { return Vec::new() };
        let mut fitting: Vec<usize> = self.fitting(due, reach).collect();
        fitting.sort_by_key(|row| self.rank(due, *row));
        fitting
    }

    fn rank(&self, due: usize, row: usize) -> impl Ord + use<> {
        let (due, row) = (&self.dues[due], &self.rows[row]);
        let days = match (due.date, row.date) {
            (Some(date), Some(day)) => (day - date).whole_days().abs(),
            _ => 0,
        };
        (days, account_distance(due, row), (due.amount - row.amount).abs(), row.id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    use super::*;
    use crate::ids::{CategoryId, RecurringId, TransactionId};
    use crate::money::Money;
    use crate::recurring::matching::CoveredBy;
    use crate::transactions::Kind;

    const GROUP: Group = (CategoryId(1), Kind::Expense);

    fn day(day: i64) -> Date {
        date!(2026 - 03 - 01) + Duration::days(day)
    }

    fn due(id: i64, date: i64, cents: i128) -> Interval {
        let amount = Money::from_cents(cents);
        let tenth = Money::from_cents(cents / 10);
        let (low, high) = (amount - tenth, amount + tenth);
        Interval { id: RecurringId(id), group: GROUP, low, high, amount, account_id: None, date: Some(day(date)) }
    }

    fn row(id: i64, date: i64, cents: i128) -> Point {
        let id = CoveredBy::Transaction(TransactionId(id));
        Point { id, group: GROUP, amount: Money::from_cents(cents), account_id: None, date: Some(day(date)) }
    }

    /// The most dues that rows of their days can cover, by trying all assignments.
    fn most(dues: &[(Interval, (Date, Date))], free: &mut Vec<Point>) -> usize {
        let Some(((due, (first, last)), rest)) = dues.split_first() else { return 0 };
        let mut best = most(rest, free);
        for at in 0..free.len() {
            if due.is_covered_by(&free[at]) && free[at].date >= Some(*first) && free[at].date <= Some(*last) {
                let taken = free.remove(at);
                best = best.max(1 + most(rest, free));
                free.insert(at, taken);
            }
        }
        best
    }

    /// Dues with their amounts and the days that they look back and ahead, and rows.
    type Case = (Vec<(i64, i128, i64, i64)>, Vec<(i64, i128)>);

    fn case() -> impl Strategy<Value = Case> {
        let dues = prop::collection::vec((0_i64..30, 90_i128..112, 0_i64..8, 0_i64..8), 0..6);
        (dues, prop::collection::vec((0_i64..30, 85_i128..120), 0..7))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn as_many_dues_are_covered_as_can_be((dues, rows) in case()) {
            let made = (1..).zip(&dues).map(|(id, (at, cents, _, _))| due(id, *at, *cents));
            let intervals: Vec<Interval> = made.collect();
            let reach: Vec<(Date, Date)> =
                dues.iter().map(|(at, _, before, after)| (day(at - before), day(at + after))).collect();
            let points: Vec<Point> = (1..).zip(&rows).map(|(id, (at, cents))| row(id, *at, *cents)).collect();
            let mut book = Book::new(&intervals, &points);
            let open: Vec<_> = reach.iter().copied().enumerate().collect();
            // Some of them first: they stay covered.
            book.cover(&open[..open.len() / 2]);
            let before: Vec<usize> = (0..open.len()).filter(|due| book.found()[*due].is_some()).collect();
            book.cover(&open);
            prop_assert!(before.iter().all(|due| book.found()[*due].is_some()));
            let found: Vec<usize> = book.found().iter().flatten().copied().collect();
            prop_assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
            let wanted: Vec<_> = intervals.iter().copied().zip(reach).collect();
            prop_assert_eq!(found.len(), most(&wanted, &mut points.clone()));
        }
    }

    #[test]
    fn each_due_has_the_nearest_row_and_gives_it_up_for_another() {
        let dues = [due(1, 10, 100), due(2, 14, 100)];
        let rows = [row(1, 9, 100), row(2, 12, 100)];
        let mut book = Book::new(&dues, &rows);
        book.cover(&[(0, (day(5), day(13)))]);
        assert_eq!(book.found(), [Some(0), None]);
        // Only the first row is near the second due.
        book.cover(&[(1, (day(8), day(10)))]);
        assert_eq!(book.found(), [Some(1), Some(0)]);
    }
}
