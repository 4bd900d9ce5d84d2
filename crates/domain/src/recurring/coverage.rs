//! How the dues of all items stand: which rows cover which due.

use std::collections::{HashMap, HashSet};

use time::{Date, Duration};

use crate::business_days::Holidays;
use crate::error::Result;
use crate::ids::TransactionId;
use crate::money::Money;
use crate::month::Month;

use super::matching::{AmountBand, CoveredBy, Group, Interval, MatchItem, MatchTransaction, Point, assign, bands_of};
use super::near::Book;
use super::parts::{PartRow, PartSearch, PartWindow};
use super::rhythm::Due;
use super::values::{Note, NoteKey, NotedItem, Occurrence, Recurring, Status};

/// How many days before its date a due looks for its row.
pub const NEAR_DAYS_BEFORE: i64 = 5;
/// How many days after its date a due of a rare item looks for its row, and stays open.
pub const NEAR_DAYS_AFTER: i64 = 60;
/// The farthest that a due of days or weeks looks for its row, in days.
const BETWEEN_DAYS_MAX: i64 = 5;
/// How many rows are read for each one that a month can use, so that rows are left for the months beside it.
const ROWS_PER_DUE: usize = 3;

/// The days near a due, on which a row may cover it that its own month can do without.
pub fn near_days(item: &Recurring, due: Due) -> (Date, Date) {
    let first = due.date.saturating_sub(Duration::days(NEAR_DAYS_BEFORE));
    let last = match item.is_rare() {
        true => due.date.saturating_add(Duration::days(NEAR_DAYS_AFTER)),
        false => Month::of(due.due).last_day(),
    };
    (first, last)
}

/// The days around a due of days or weeks on which a row may cover it.
pub fn days_around(item: &Recurring, due: Due) -> Option<(Date, Date)> {
    let days = Duration::days(((item.schedule.every.days() - 1) / 2).min(BETWEEN_DAYS_MAX));
    item.schedule.every.is_by_days().then(|| (due.date.saturating_sub(days), due.date.saturating_add(days)))
}

/// The dues of all items from the first month of each to another month, by the months of their dates, and what covers them.
///
/// A row serves one due. What covers a due is found in this order: links and confirmations; rows of the month of its date, or rows
/// of the days around it if it is due every so many days; rows near it that their own month can do without; all rows of one payee
/// in its month, if they add up to it.
#[derive(Debug)]
pub struct Coverage<'a> {
    items: &'a [NotedItem],
    dues: Vec<(usize, Due)>,
    /// The [days near](near_days) each due.
    near: Vec<(Date, Date)>,
    intervals: Vec<Interval>,
    /// The first month whose rows may cover a due of a category and type.
    since: HashMap<Group, Month>,
    /// The last month of all dues.
    last: Month,
    covered: Vec<Covered>,
    /// The rows that cover a due.
    used: HashSet<CoveredBy>,
}

#[derive(Debug, Clone, Default)]
struct Covered {
    by: Vec<CoveredBy>,
    amount: Money,
    is_linked: bool,
    is_confirmed: bool,
}

impl<'a> Coverage<'a> {
    /// The dues of the items in the months from `first` to `last`. Nothing covers them yet.
    pub fn new(items: &'a [NotedItem], holidays: &Holidays, first: Month, last: Month) -> Self {
        Coverage::since(items, holidays, &vec![first; items.len()], last)
    }

    /// Like [`Coverage::new`], from a first month of each item. Items of one category and type have the same one, because a row may
    /// cover any of them.
    pub fn since(items: &'a [NotedItem], holidays: &Holidays, firsts: &[Month], last: Month) -> Self {
        let (mut dues, mut near) = (Vec::new(), Vec::new());
        let mut since = HashMap::new();
        for (at, (NotedItem { item, .. }, first)) in items.iter().zip(firsts).enumerate() {
            let earliest = since.entry(item.group()).or_insert(*first);
            for due in item.rhythm(holidays).expected(first.first_day(), last.last_day()) {
                let days = near_days(item, due);
                *earliest = (*earliest).min(Month::of(days.0));
                dues.push((at, due));
                near.push(days);
            }
        }
        let interval = |(at, due): &(usize, Due)| {
            let Recurring { id, kind, category_id, amount, account_id, ref schedule, .. } = items[*at].item;
            let item = MatchItem { id, kind, category_id, amount, account_id };
            Interval { date: Some(due.date), ..Interval::new(&item, schedule.range) }
        };
        let intervals: Vec<Interval> = dues.iter().map(interval).collect();
        let mut coverage = Coverage {
            items,
            covered: vec![Covered::default(); dues.len()],
            intervals,
            dues,
            near,
            since,
            last,
            used: HashSet::new(),
        };
        coverage.read_notes();
        coverage
    }

    /// What links and confirmations say.
    fn read_notes(&mut self) {
        let mut noted: HashMap<(usize, NoteKey), Vec<Note>> = HashMap::new();
        for (at, NotedItem { item, notes }) in self.items.iter().enumerate() {
            // A note of another rhythm says nothing until the item has that again.
            let fits = |key: &NoteKey| matches!(key, NoteKey::Due(_)) == item.schedule.every.is_by_days();
            for (key, note) in notes.iter().filter(|(key, _)| fits(key)) {
                noted.entry((at, *key)).or_default().push(*note);
                if let Note::Confirmed(id, _) | Note::Linked(id, _) = note {
                    self.used.insert(CoveredBy::Transaction(*id));
                }
            }
        }
        for ((at, due), covered) in self.dues.iter().zip(&mut self.covered) {
            let key = NoteKey::of(self.items[*at].item.schedule.every, due.due);
            for note in noted.get(&(*at, key)).into_iter().flatten() {
                let (id, amount) = match *note {
                    Note::Confirmed(id, amount) => (id, amount),
                    Note::Linked(id, amount) => (id, amount),
                    Note::Late | Note::Ignored => continue,
                };
                covered.is_confirmed |= matches!(note, Note::Confirmed(..));
                covered.is_linked |= matches!(note, Note::Linked(..));
                covered.by.push(CoveredBy::Transaction(id));
                covered.amount += amount;
            }
        }
    }

    fn is_open(&self, due: usize) -> bool {
        self.covered[due].by.is_empty()
    }

    fn item(&self, due: usize) -> &'a Recurring {
        &self.items[self.dues[due].0].item
    }

    /// The last month of the dues.
    pub fn last(&self) -> Month {
        self.last
    }

    /// The bands of amounts by which the rows of the months are read: several rows for each due of a month.
    pub fn bands(&self) -> Vec<AmountBand> {
        let mut intervals = Vec::new();
        let mut begin = 0;
        for of_item in self.dues.chunk_by(|one, next| one.0 == next.0) {
            // Each item once, as often as it is due in the month with the most dues. Dates are in the order of their dues.
            let months = of_item.chunk_by(|one, next| Month::of(one.1.date) == Month::of(next.1.date));
            let most = months.map(<[_]>::len).max().unwrap_or(1);
            intervals.extend(std::iter::repeat_n(self.intervals[begin], most));
            begin += of_item.len();
        }
        let mut bands = bands_of(&intervals);
        for band in &mut bands {
            band.items *= ROWS_PER_DUE;
            band.since = self.since.get(&(band.category_id, band.kind)).copied().unwrap_or(band.since);
        }
        bands
    }

    /// Covers dues by the rows of their months, of the days around them, and near them.
    pub fn by_rows(&mut self, rows: &[(Date, MatchTransaction)]) {
        let rows: Vec<_> = rows.iter().filter(|(_, row)| !self.used.contains(&row.id)).collect();
        let points: Vec<Point> = rows.iter().map(|(date, row)| Point::new(row, Some(*date))).collect();
        let intervals = std::mem::take(&mut self.intervals);
        let mut book = Book::new(&intervals, &points);
        let open: Vec<usize> = (0..self.dues.len()).filter(|due| self.is_open(*due)).collect();
        let (by_days, by_months): (Vec<usize>, Vec<usize>) =
            open.iter().copied().partition(|due| self.item(*due).schedule.every.is_by_days());

        let mut dues: Vec<(Month, usize)> =
            by_months.iter().map(|due| (Month::of(self.dues[*due].1.date), *due)).collect();
        dues.sort_unstable();
        let mut rows: Vec<(Month, usize)> = rows.iter().map(|(date, _)| Month::of(*date)).zip(0..).collect();
        rows.sort_unstable();
        for dues in dues.chunk_by(|one, next| one.0 == next.0) {
            let month = dues[0].0;
            let rows = &rows[rows.partition_point(|(of, _)| *of < month)..];
            let rows = &rows[..rows.partition_point(|(of, _)| *of == month)];
            let of_dues: Vec<Interval> = dues.iter().map(|(_, due)| intervals[*due]).collect();
            let of_rows: Vec<Point> = rows.iter().map(|(_, row)| points[*row]).collect();
            for (due, row) in assign(&of_dues, &of_rows) {
                book.give(dues[due].1, rows[row].1, (month.first_day(), month.last_day()));
            }
        }
        let around = |due: &usize| Some((*due, days_around(self.item(*due), self.dues[*due].1)?));
        book.cover(&by_days.iter().filter_map(around).collect::<Vec<_>>());
        let near = |due: &usize| (*due, self.near[*due]);
        // The row of a month can be the early one of the next month, if a row near it covers that month too.
        by_months.iter().map(near).for_each(|(due, days)| book.widen(due, days));
        book.cover(&open.iter().map(near).collect::<Vec<_>>());

        let found: Vec<(usize, usize)> =
            book.found().iter().enumerate().filter_map(|(due, row)| Some((due, (*row)?))).collect();
        for (due, row) in found {
            self.covered[due].by.push(points[row].id);
            self.covered[due].amount = points[row].amount;
            self.used.insert(points[row].id);
        }
        self.intervals = intervals;
    }

    /// The dues that may be paid in parts.
    fn in_parts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.dues.len()).filter(|due| self.is_open(*due) && !self.item(*due).schedule.every.is_by_days())
    }

    /// Covers the dues that matter, and others of their months, by all rows of one payee in their month. `read` returns the rows of
    /// windows that may be parts, at most so many of each; `payee` gives the key of a payee. No row is after the month of `last_day`.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn by_parts(
        &mut self,
        (today, last_day): (Date, Option<Date>),
        matters: impl Fn(&Recurring, Due) -> bool,
        mut read: impl FnMut(&[PartWindow], usize) -> Result<Vec<PartRow>>,
        payee: impl Fn(&str) -> String,
    ) -> Result<()> {
        let Some(last) = last_day.map(Month::of) else { return Ok(()) };
        let open = self.in_parts().filter(|due| Month::of(self.dues[*due].1.date) <= last);
        let open: Vec<(usize, Interval)> = open.map(|due| (due, self.intervals[due])).collect();
        let matters = |due: usize| matters(self.item(due), self.dues[due].1);
        let mut search = PartSearch { open: &open, used: &self.used, read: &mut read, payee: &payee };
        for (due, by, amount) in search.find(today, matters)? {
            self.used.extend(by.iter().copied());
            self.covered[due].amount = amount;
            self.covered[due].by = by;
        }
        Ok(())
    }

    /// The dues of each item, in their order, with the amount of the item where nothing came.
    pub fn occurrences(&self) -> Vec<Vec<Occurrence>> {
        let mut all: Vec<Vec<Occurrence>> = vec![Vec::new(); self.items.len()];
        for ((at, due), covered) in self.dues.iter().zip(&self.covered) {
            let NotedItem { item, notes } = &self.items[*at];
            let key = NoteKey::of(item.schedule.every, due.due);
            let marked = notes.iter().find_map(|(of, note)| match note {
                Note::Late if *of == key => Some(Status::Late),
                Note::Ignored if *of == key => Some(Status::Ignored),
                _ => None,
            });
            let status = match (covered.is_confirmed, covered.by.is_empty()) {
                (true, _) => Status::Confirmed,
                (false, false) => Status::Covered,
                (false, true) => marked.unwrap_or(Status::Pending),
            };
            let ids = covered.by.iter().copied().filter_map(CoveredBy::transaction_id);
            let mut transaction_ids: Vec<TransactionId> = ids.collect();
            transaction_ids.dedup();
            all[*at].push(Occurrence {
                due: due.due,
                date: due.date,
                amount: if covered.by.is_empty() { item.amount } else { covered.amount },
                status,
                is_linked: covered.is_linked,
                transaction_ids,
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::date;

    use super::*;
    use crate::ids::{CategoryId, ProfileId, RecurringId};
    use crate::recurring::matching::match_recurring;
    use crate::recurring::parts::{Part, parts};
    use crate::recurring::values::{Every, Schedule, Unit, Weekend};
    use crate::transactions::Kind;

    const CATEGORY: CategoryId = CategoryId(3);

    fn item(id: i64, cents: i128, day: u8, schedule: Schedule) -> NotedItem {
        let item = Recurring {
            id: RecurringId(id),
            profile_id: ProfileId(1),
            kind: Kind::Expense,
            description: "Aluguel".into(),
            amount: Money::from_cents(cents),
            category_id: CATEGORY,
            account_id: None,
            day,
            schedule,
        };
        NotedItem { item, notes: Vec::new() }
    }

    fn row(id: i64, date: Date, cents: i128) -> (Date, MatchTransaction) {
        let (id, amount) = (CoveredBy::Transaction(TransactionId(id)), Money::from_cents(cents));
        (date, MatchTransaction { id, kind: Kind::Expense, category_id: CATEGORY, amount, account_id: None })
    }

    fn states(items: &[NotedItem], rows: &[(Date, MatchTransaction)]) -> Vec<Vec<Occurrence>> {
        let (first, last) = ("2026-01".parse().unwrap(), "2026-03".parse().unwrap());
        let mut coverage = Coverage::new(items, &Holidays::default(), first, last);
        coverage.by_rows(rows);
        coverage.occurrences()
    }

    proptest! {
        #[test]
        fn as_many_are_covered_as_the_month_covers(
            amounts in prop::collection::vec((90_i128..112, 1_u8..29), 1..6),
            rows in prop::collection::vec((0_i64..90, 85_i128..120), 0..12),
        ) {
            let items: Vec<NotedItem> = (1..)
                .zip(amounts)
                .map(|(id, (cents, day))| item(id, cents, day, Schedule::default()))
                .collect();
            let dated = |(id, (at, cents)): (i64, (i64, i128))| row(id, date!(2026 - 01 - 01) + Duration::days(at), cents);
            let rows: Vec<_> = (1..).zip(rows).map(dated).collect();
            let all = states(&items, &rows);
            for month in [1, 2, 3] {
                let to_match = |noted: &NotedItem| {
                    let Recurring { id, kind, category_id, amount, account_id, .. } = noted.item;
                    MatchItem { id, kind, category_id, amount, account_id }
                };
                let of_month: Vec<MatchTransaction> =
                    rows.iter().filter(|(date, _)| u8::from(date.month()) == month).map(|(_, row)| *row).collect();
                let known = match_recurring(&items.iter().map(to_match).collect::<Vec<_>>(), &of_month);
                // Of items that a row fits as well, the nearest day says which one it covers.
                let of_month = all.iter().filter(|dues| dues[usize::from(month) - 1].status == Status::Covered);
                prop_assert!(of_month.count() >= known.len());
            }
            let ids: Vec<TransactionId> = all.iter().flatten().flat_map(|one| one.transaction_ids.clone()).collect();
            prop_assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "a row serves one due");
        }
    }

    proptest! {
        #[test]
        fn parts_are_those_that_all_rows_of_the_months_give(
            amounts in prop::collection::vec((90_i128..260, 1_u8..29), 1..4),
            rows in prop::collection::vec((0_i64..90, 10_i128..300, 0_usize..3), 0..24),
        ) {
            let items: Vec<NotedItem> = (1..)
                .zip(amounts)
                .map(|(id, (cents, day))| item(id, cents, day, Schedule::default()))
                .collect();
            let payees = ["diarista", "marcenaria", "papelaria"];
            let dated = |(id, (at, cents, payee)): (i64, (i64, i128, usize))| {
                (row(id, date!(2026 - 01 - 01) + Duration::days(at), cents), payees[payee])
            };
            let rows: Vec<_> = (1..).zip(rows).map(dated).collect();
            let (first, last) = ("2026-01".parse().unwrap(), "2026-03".parse().unwrap());
            let mut coverage = Coverage::new(&items, &Holidays::default(), first, last);
            let part = |((date, row), payee): &((Date, MatchTransaction), &str)| Part {
                id: row.id,
                place: (row.group(), Month::of(*date)),
                amount: row.amount,
                payee: payee.to_string(),
            };
            let open: Vec<(usize, Interval)> = coverage.in_parts().map(|due| (due, coverage.intervals[due])).collect();
            let mut expected = vec![Vec::new(); coverage.dues.len()];
            for (due, by, _) in parts(&open, &rows.iter().map(part).collect::<Vec<_>>()) {
                expected[due] = by;
            }
            let read = |windows: &[PartWindow], _| {
                let of_window = |(at, window): (usize, &PartWindow)| {
                    let within = rows.iter().filter(|((date, row), _)| {
                        (window.first..=window.last).contains(&Month::of(*date))
                            && (window.amount_min..=window.amount_max).contains(&row.amount)
                    });
                    let part = |((date, row), payee): &((Date, MatchTransaction), &str)| {
                        PartRow { window: at, row: *row, date: *date, description: payee.to_string() }
                    };
                    within.map(part).collect::<Vec<_>>()
                };
                Ok(windows.iter().enumerate().flat_map(of_window).collect())
            };
            let last_day = rows.iter().map(|((date, _), _)| *date).max();
            coverage.by_parts((date!(2026 - 02 - 10), last_day), |_, _| true, read, str::to_string).unwrap();
            prop_assert_eq!(coverage.covered.iter().map(|covered| covered.by.clone()).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_row_of_a_month_covers_the_next_one_if_an_early_row_covers_its_own() {
        let items = [item(1, 100, 1, Schedule::default())];
        let early = [row(1, date!(2026 - 01 - 02), 100), row(2, date!(2026 - 01 - 30), 100)];
        let earlier = [row(1, date!(2025 - 12 - 31), 100), row(2, date!(2026 - 01 - 30), 100)];
        for mut rows in [early, earlier].map(|rows| rows.to_vec()) {
            rows.push(row(3, date!(2026 - 02 - 27), 100));
            let found = states(&items, &rows);
            let ids: Vec<_> = found[0].iter().map(|one| one.transaction_ids.clone()).collect();
            assert_eq!(ids, [1, 2, 3].map(|id| vec![TransactionId(id)]));
            rows.remove(0);
            let found = states(&items, &rows);
            let ids: Vec<_> = found[0].iter().map(|one| one.transaction_ids.clone()).collect();
            assert_eq!(ids, [vec![TransactionId(2)], vec![TransactionId(3)], vec![]], "each covers its own month");
        }
    }

    #[test]
    fn money_that_comes_after_the_weekend_covers_the_due_that_was_moved_before_it() {
        let before =
            Schedule { weekend: Weekend::Before, start_on: Some(date!(2026 - 02 - 01)), ..Schedule::default() };
        let items = [item(1, 100, 1, before)];
        let found = states(&items, &[row(1, date!(2026 - 02 - 02), 100), row(2, date!(2026 - 03 - 02), 100)]);
        let ids: Vec<_> = found[0].iter().map(|one| (one.date, one.transaction_ids.clone())).collect();
        let moved = [(date!(2026 - 01 - 30), vec![TransactionId(1)]), (date!(2026 - 02 - 27), vec![TransactionId(2)])];
        assert_eq!(ids, moved);
    }

    #[test]
    fn a_confirmed_due_stays_so_and_its_row_covers_no_other() {
        let month: Month = "2026-02".parse().unwrap();
        let mut confirmed = item(1, 100, 5, Schedule::default());
        confirmed.notes.push((NoteKey::Month(month), Note::Confirmed(TransactionId(9), Money::from_cents(7))));
        let other = item(2, 100, 5, Schedule::default());
        let all = states(&[confirmed, other], &[row(9, date!(2026 - 02 - 05), 100)]);
        assert_eq!((all[0][1].status, all[0][1].amount), (Status::Confirmed, Money::from_cents(7)));
        assert_eq!(all[1][1].status, Status::Pending);
    }

    #[test]
    fn days_and_weeks_look_around_their_days() {
        let weekly = Schedule {
            every: Every { n: 1, unit: Unit::Week },
            start_on: Some(date!(2026 - 01 - 02)),
            ..Schedule::default()
        };
        let items = [item(1, 100, 1, weekly)];
        let found = states(&items, &[row(1, date!(2026 - 01 - 05), 100), row(2, date!(2026 - 01 - 13), 100)]);
        let ids: Vec<_> = found[0].iter().take(3).map(|one| one.transaction_ids.clone()).collect();
        assert_eq!(ids, [vec![TransactionId(1)], vec![], vec![TransactionId(2)]]);
    }

    #[test]
    fn a_mark_shows_until_a_row_comes() {
        let mut noted = item(1, 100, 5, Schedule::default());
        noted.notes.push((NoteKey::Month("2026-02".parse().unwrap()), Note::Late));
        let items = [noted];
        assert_eq!(states(&items, &[])[0][1].status, Status::Late);
        assert_eq!(states(&items, &[row(1, date!(2026 - 02 - 20), 111)])[0][1].status, Status::Late);
        assert_eq!(states(&items, &[row(1, date!(2026 - 02 - 20), 110)])[0][1].status, Status::Covered);
    }
}
