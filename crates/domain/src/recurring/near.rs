//! Which rows cover dues by their days: those of a rhythm of days or weeks, and rows that come before or after the month of a due.

use std::collections::{HashMap, HashSet};

use time::Date;

use super::matching::{Group, Interval, Point};

/// Dues and rows, and which row each due has. An assignment only grows: what is covered stays covered.
pub(super) struct Book<'a> {
    dues: &'a [Interval],
    rows: &'a [Point],
    /// The rows of each category and type, by day.
    by_day: HashMap<Group, Vec<usize>>,
    /// The due that has each row.
    holders: Vec<Option<usize>>,
    /// The row of each due.
    found: Vec<Option<usize>>,
    /// The days on which each due looks for its row.
    reach: Vec<Option<(Date, Date)>>,
}

impl<'a> Book<'a> {
    pub(super) fn new(dues: &'a [Interval], rows: &'a [Point]) -> Self {
        let mut by_day: HashMap<Group, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            by_day.entry(row.group).or_default().push(at);
        }
        for of_group in by_day.values_mut() {
            of_group.sort_by_key(|at| rows[*at].date);
        }
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

    /// Covers as many of the open dues as possible by rows of their days: each by the nearest free row, and then also by rows whose
    /// dues can do with another one.
    pub(super) fn cover(&mut self, open: &[(usize, (Date, Date))]) {
        let open: Vec<_> = open.iter().copied().filter(|(due, _)| self.found[*due].is_none()).collect();
        let mut pairs = Vec::new();
        for (due, reach) in &open {
            self.reach[*due] = Some(*reach);
            let free = self.candidates(*due).into_iter().filter(|row| self.is_free(*row));
            pairs.extend(free.map(|row| (self.rank(*due, row), *due, row)));
        }
        pairs.sort_unstable();
        for (_, due, row) in pairs {
            if self.found[due].is_none() && self.is_free(row) {
                self.holders[row] = Some(due);
                self.found[due] = Some(row);
            }
        }
        // What a search without success has seen stays without use until another search succeeds.
        let mut seen = HashSet::new();
        for (due, _) in &open {
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

    /// The rows that may cover a due, the nearest first.
    fn candidates(&self, due: usize) -> Vec<usize> {
        let Some((first, last)) = self.reach[due] else { return Vec::new() };
        let Some(rows) = self.by_day.get(&self.dues[due].group) else { return Vec::new() };
        let begin = rows.partition_point(|row| self.rows[*row].date < Some(first));
        let of_days = rows[begin..].iter().copied().take_while(|row| self.rows[*row].date <= Some(last));
        let mut fitting: Vec<usize> = of_days.filter(|row| self.dues[due].is_covered_by(&self.rows[*row])).collect();
        fitting.sort_by_key(|row| self.rank(due, *row));
        fitting
    }

    fn rank(&self, due: usize, row: usize) -> impl Ord + use<> {
        let (due, row) = (&self.dues[due], &self.rows[row]);
        let days = match (due.date, row.date) {
            (Some(date), Some(day)) => (day - date).whole_days().abs(),
            _ => 0,
        };
        let is_elsewhere = due.account_id.is_some() && due.account_id != row.account_id;
        (days, is_elsewhere, (due.amount - row.amount).abs(), row.id)
    }
}
