//! When a card's bills open, close and are due.
//!
//! A bill closes on the closing day, and what is bought on that day is on the next one. A card whose
//! days change keeps its past: bills that closed under the old days stay as they were, the current
//! one stretches or shrinks to the next new closing date, and the new days rule from there. So the
//! periods of a card tile the calendar, without gap or overlap, however often its days change.

use time::Date;

use crate::month::{Month, day_after, day_before};

/// The days of the month on which a card's bills close and are due; past a month's end they mean its
/// last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The day a bill closes, 1 to 31.
    pub closing_day: u8,
    /// The day a bill is due, 1 to 31.
    pub due_day: u8,
}

/// The period of one bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// Its first day: the date the bill before it closed.
    pub start: Date,
    /// Its last day: the day before it closes.
    pub end: Date,
    /// The day to pay: the first due day after it closes.
    pub due: Date,
}

impl Cycle {
    /// The closing date in a month.
    fn closing_in(self, month: Month) -> Date {
        month.day_clamped(self.closing_day)
    }

    /// The first closing date after a date.
    fn closing_after(self, date: Date) -> Date {
        let this_month = self.closing_in(Month::of(date));
        if this_month > date { this_month } else { self.closing_in(Month::of(date).plus(1)) }
    }

    /// The last closing date on or before a date.
    fn closing_until(self, date: Date) -> Date {
        let this_month = self.closing_in(Month::of(date));
        if this_month <= date { this_month } else { self.closing_in(Month::of(date).minus(1)) }
    }

    /// The first due day after a closing date.
    fn due_after(self, closing: Date) -> Date {
        let this_month = Month::of(closing).day_clamped(self.due_day);
        if this_month > closing { this_month } else { Month::of(closing).plus(1).day_clamped(self.due_day) }
    }

    /// The period between two closing dates.
    fn period(self, opening: Date, closing: Date) -> Period {
        Period { start: opening, end: day_before(closing), due: self.due_after(closing) }
    }
}

/// A card's days, and those it had before: what tells the period of any date.
///
/// ```
/// use finance_domain::credit_bills::{Cycle, Cycles};
/// use time::macros::date;
///
/// let card = Cycles::new(Cycle { closing_day: 31, due_day: 10 }, []);
/// let february = card.period_holding(date!(2024-02-28));
/// assert_eq!((february.start, february.end), (date!(2024-01-31), date!(2024-02-28)));
/// assert_eq!(february.due, date!(2024-03-10));
/// assert_eq!(card.period_holding(date!(2024-02-29)).start, date!(2024-02-29), "the closing day is on the next bill");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycles {
    first: Cycle,
    /// In the order of their starts, which differ.
    changes: Vec<Change>,
}

/// The cycle that rules from a period on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    /// The first day of the first period: the one that was current at the change.
    start: Date,
    /// The date that period closes; the ones after it close by the cycle alone.
    closing: Date,
    cycle: Cycle,
}

impl Cycles {
    /// The days a card has, and each of those it had before with the date on which they were replaced.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// // On 25 January the closing day moved from the 10th to the 15th.
    /// let before = (date!(2026-01-25), Cycle { closing_day: 10, due_day: 20 });
    /// let card = Cycles::new(Cycle { closing_day: 15, due_day: 25 }, [before]);
    ///
    /// let last_year = card.period_holding(date!(2026-01-09));
    /// assert_eq!((last_year.end, last_year.due), (date!(2026-01-09), date!(2026-01-20)), "what closed stays");
    /// let current = card.period_holding(date!(2026-01-25));
    /// assert_eq!((current.start, current.end), (date!(2026-01-10), date!(2026-02-14)), "the current bill stretches");
    /// assert_eq!(current.due, date!(2026-02-25));
    /// ```
    pub fn new(present: Cycle, replaced: impl IntoIterator<Item = (Date, Cycle)>) -> Self {
        let mut replaced: Vec<(Date, Cycle)> = replaced.into_iter().collect();
        replaced.sort_by_key(|(on, _)| *on);
        let first = replaced.first().map_or(present, |(_, cycle)| *cycle);
        let mut cycles = Cycles { first, changes: Vec::with_capacity(replaced.len()) };
        let successors = replaced.iter().skip(1).map(|(_, cycle)| *cycle).chain([present]);
        for ((on, _), cycle) in replaced.iter().zip(successors) {
            let start = cycles.period_holding(*on).start;
            // A change within the same period takes the place of the one before.
            cycles.changes.retain(|change| change.start < start);
            cycles.changes.push(Change { start, closing: cycle.closing_after(*on), cycle });
        }
        cycles
    }

    /// The period that contains a date.
    pub fn period_holding(&self, date: Date) -> Period {
        let cycle = match self.changes.iter().rev().find(|change| change.start <= date) {
            Some(change) if date < change.closing => return change.cycle.period(change.start, change.closing),
            Some(change) => change.cycle,
            None => self.first,
        };
        cycle.period(cycle.closing_until(date), cycle.closing_after(date))
    }

    /// The number of a period: the following one has the next number. Numbers of two cards say nothing about each other.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 31, due_day: 10 }, []);
    /// let number = |date| card.number_of(&card.period_holding(date));
    /// assert_eq!(number(date!(2026-03-31)) - number(date!(2025-12-31)), 3);
    /// ```
    pub fn number_of(&self, period: &Period) -> i32 {
        let (mut cycle_start, mut number) = (None, 0);
        for change in self.changes.iter().take_while(|change| change.start <= period.start) {
            number = numbered(cycle_start, number, change.start);
            if change.start == period.start {
                return number;
            }
            // The first period of the change, and the first that closes by its days alone.
            (cycle_start, number) = (Some(change.closing), number + 1);
        }
        numbered(cycle_start, number, period.start)
    }

    /// The period before a period.
    pub fn period_before(&self, period: &Period) -> Period {
        self.period_holding(day_before(period.start))
    }

    /// The period after a period.
    pub fn period_following(&self, period: &Period) -> Period {
        self.period_holding(day_after(period.end))
    }

    /// The period whose bill is paid on a date: the last that closed on or before it.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 3, due_day: 10 }, []);
    /// assert_eq!(card.period_paid_on(date!(2026-02-10)).end, date!(2026-02-02));
    /// assert_eq!(card.period_paid_on(date!(2026-02-03)).end, date!(2026-02-02), "on the closing date itself");
    /// assert_eq!(card.period_paid_on(date!(2026-02-02)).end, date!(2026-01-02));
    /// ```
    pub fn period_paid_on(&self, date: Date) -> Period {
        self.period_before(&self.period_holding(date))
    }

    /// The period of a transaction on the card: where it was imported with a payment date, and so has
    /// a purchase date beside its own, the one paid on that date; else the one that holds its date.
    pub fn period_of(&self, date: Date, original_date: Option<Date>) -> Period {
        match original_date {
            Some(_) => self.period_paid_on(date),
            None => self.period_holding(date),
        }
    }
}

/// The number of the period that starts on a closing date, where the one that starts on `first` has the number `number`:
/// a cycle has one closing date in each month.
fn numbered(first: Option<Date>, number: i32, start: Date) -> i32 {
    let month = |date: Date| date.year() * 12 + i32::from(u8::from(date.month()));
    number + month(start) - first.map_or(0, month)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    use super::*;

    fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
        std::iter::successors(Some(first), |date| date.next_day()).take_while(move |date| *date <= last)
    }

    /// Every date is in the period it is said to be in, and each period begins where another ended.
    fn assert_tiles(cycles: &Cycles, first: Date, last: Date) {
        let mut period = cycles.period_holding(first);
        for date in days(first, last) {
            if date > period.end {
                let before = std::mem::replace(&mut period, cycles.period_holding(date));
                assert_eq!(period.start, day_after(before.end), "{cycles:?}");
                assert_eq!(cycles.period_following(&before), period, "{cycles:?}");
                assert_eq!(cycles.number_of(&period), cycles.number_of(&before) + 1, "{cycles:?}");
                assert_eq!(cycles.period_paid_on(date), before, "{cycles:?}");
            }
            assert_eq!(cycles.period_holding(date), period, "{date} {cycles:?}");
            assert!(period.start <= date && date <= period.end, "{date} {period:?} {cycles:?}");
            assert!(period.due > day_after(period.end), "due after the close: {period:?} {cycles:?}");
        }
    }

    #[test]
    fn periods_tile_the_calendar_whatever_the_days() {
        for closing_day in 1..=31 {
            for due_day in 1..=31 {
                let cycle = Cycle { closing_day, due_day };
                let cycles = Cycles::new(cycle, []);
                // A common year, then a leap year.
                assert_tiles(&cycles, date!(2023 - 01 - 01), date!(2024 - 12 - 31));
                for later in 0..24 {
                    let month = Month::of(date!(2023 - 01 - 01)).plus(later);
                    let closing = month.day_clamped(closing_day);
                    let period = cycles.period_holding(day_before(closing));
                    assert_eq!(period.end, day_before(closing));
                    assert_eq!(period.start, month.minus(1).day_clamped(closing_day));
                    let due =
                        days(day_after(closing), date!(2025 - 03 - 31)).find(|date| month_day(*date, due_day) == *date);
                    assert_eq!(Some(period.due), due, "the first due day after {closing}: {cycle:?}");
                }
            }
        }
    }

    fn month_day(date: Date, day: u8) -> Date {
        Month::of(date).day_clamped(day)
    }

    #[test]
    fn a_row_is_on_one_bill_by_its_date_or_by_its_payment_date() {
        let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
        for (date, original_date, start) in [
            (date!(2026 - 03 - 09), None, date!(2026 - 02 - 10)),
            (date!(2026 - 03 - 10), None, date!(2026 - 03 - 10)),
            (date!(2026 - 03 - 20), Some(date!(2026 - 02 - 15)), date!(2026 - 02 - 10)),
            (date!(2026 - 03 - 10), Some(date!(2026 - 02 - 15)), date!(2026 - 02 - 10)),
            (date!(2026 - 03 - 09), Some(date!(2025 - 06 - 01)), date!(2026 - 01 - 10)),
        ] {
            assert_eq!(cycles.period_of(date, original_date).start, start, "{date} {original_date:?}");
        }
    }

    #[test]
    fn the_current_bill_ends_by_the_new_days_and_the_closed_ones_stay() {
        let (old, changed_on) = (Cycle { closing_day: 10, due_day: 20 }, date!(2026 - 03 - 20));
        for (new, end, due) in [
            (Cycle { closing_day: 25, due_day: 5 }, date!(2026 - 03 - 24), date!(2026 - 04 - 05)),
            (Cycle { closing_day: 5, due_day: 12 }, date!(2026 - 04 - 04), date!(2026 - 04 - 12)),
            (Cycle { closing_day: 20, due_day: 12 }, date!(2026 - 04 - 19), date!(2026 - 05 - 12)),
            (Cycle { closing_day: 21, due_day: 21 }, date!(2026 - 03 - 20), date!(2026 - 04 - 21)),
            (Cycle { closing_day: 10, due_day: 28 }, date!(2026 - 04 - 09), date!(2026 - 04 - 28)),
        ] {
            let cycles = Cycles::new(new, [(changed_on, old)]);
            let current = cycles.period_holding(changed_on);
            assert_eq!(current, Period { start: date!(2026 - 03 - 10), end, due }, "{new:?}");
            let closed =
                Period { start: date!(2026 - 02 - 10), end: date!(2026 - 03 - 09), due: date!(2026 - 03 - 20) };
            assert_eq!(cycles.period_paid_on(changed_on), closed, "{new:?}");
        }
    }

    #[test]
    fn a_change_within_the_same_bill_takes_the_place_of_the_one_before() {
        let [first, second, third] = [10, 25, 28].map(|closing_day| Cycle { closing_day, due_day: 5 });
        let twice = Cycles::new(third, [(date!(2026 - 03 - 12), first), (date!(2026 - 03 - 20), second)]);
        assert_eq!(twice, Cycles::new(third, [(date!(2026 - 03 - 20), first)]));
        assert_eq!(twice.period_holding(date!(2026 - 03 - 20)).end, date!(2026 - 03 - 27));
    }

    fn cycle() -> impl Strategy<Value = Cycle> {
        (1..=31_u8, 1..=31_u8).prop_map(|(closing_day, due_day)| Cycle { closing_day, due_day })
    }

    fn replaced() -> impl Strategy<Value = Vec<(Date, Cycle)>> {
        let day = (0..700_i64).prop_map(|day| date!(2023 - 02 - 01) + Duration::days(day));
        prop::collection::vec((day, cycle()), 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn periods_tile_the_calendar_however_often_the_days_change(present in cycle(), replaced in replaced()) {
            assert_tiles(&Cycles::new(present, replaced), date!(2023 - 01 - 01), date!(2025 - 06 - 30));
        }

        #[test]
        fn a_change_moves_no_bill_that_closed(present in cycle(), new in cycle(), replaced in replaced(), later in 0..90_i64) {
            let today = date!(2025 - 01 - 01) + Duration::days(later);
            let before = Cycles::new(present, replaced.clone());
            let after = Cycles::new(new, replaced.into_iter().chain([(today, present)]));
            let current = before.period_holding(today);
            prop_assert_eq!(after.period_holding(today).start, current.start);
            for date in days(date!(2023 - 01 - 01), day_before(current.start)) {
                prop_assert_eq!(after.period_holding(date), before.period_holding(date));
            }
            let closing = day_after(after.period_holding(today).end);
            prop_assert_eq!(closing, month_day(closing, new.closing_day), "it closes on the new day");
            prop_assert!(closing > today);
        }
    }
}
