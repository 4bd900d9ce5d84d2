//! The days on which an item is due.

use time::{Date, Duration};

use crate::business_days::Holidays;
use crate::month::{Month, YEARS};

use super::values::{DueDayCount, NoteKey, Recurring, Schedule, Weekend};

/// A due of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// The day of the rhythm, which names the due.
    pub due: Date,
    /// The day on which it is expected: `due`, or a business day near it.
    pub date: Date,
}

/// The farthest that a due moves to a business day, in days.
const MOVED_DAYS_MAX: i64 = 31;

/// The rhythm of an item.
///
/// ```
/// use finance_domain::business_days::Holidays;
/// use finance_domain::recurring::{Every, Rhythm, Schedule, Unit};
/// use time::macros::date;
///
/// let every = Every { n: 2, unit: Unit::Month };
/// let schedule = Schedule { every, start_on: Some(date!(2026 - 01 - 31)), ..Schedule::default() };
/// let holidays = Holidays::default();
/// let rhythm = Rhythm { day: 31, schedule: &schedule, holidays: &holidays };
/// let dues: Vec<_> = rhythm.dues(date!(2026 - 02 - 01), date!(2026 - 09 - 29)).map(|due| due.due).collect();
/// assert_eq!(dues, [date!(2026 - 03 - 31), date!(2026 - 05 - 31), date!(2026 - 07 - 31)]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Rhythm<'a> {
    /// The day of the month.
    pub day: u8,
    /// The rest.
    pub schedule: &'a Schedule,
    /// The holidays.
    pub holidays: &'a Holidays,
}

impl<'a> Rhythm<'a> {
    /// The dues whose day of the rhythm is from `first` to `last`.
    pub fn dues(self, first: Date, last: Date) -> impl Iterator<Item = Due> + 'a {
        self.from(first).take_while(move |due| due.due <= last)
    }

    /// The dues that are expected from `first` to `last`.
    pub fn expected(self, first: Date, last: Date) -> impl Iterator<Item = Due> + 'a {
        let margin = Duration::days(MOVED_DAYS_MAX);
        let dues = self.dues(first.saturating_sub(margin), last.saturating_add(margin));
        dues.filter(move |due| (first..=last).contains(&due.date))
    }

    /// The dues from a day on, without end unless the item has one.
    pub fn from(self, first: Date) -> impl Iterator<Item = Due> + 'a {
        let begin = self.index_from(first).max(self.first_index());
        (begin..).map_while(move |index| self.nth(index))
    }

    /// The dues before a day, the latest first.
    pub fn before(self, day: Date) -> impl Iterator<Item = Due> + 'a {
        let end = self.index_from(day);
        let known = (self.first_index()..end).rev().filter_map(move |index| self.nth(index));
        // Dues past the end of the item are none.
        known.skip_while(move |due| due.due >= day)
    }

    /// The first date from a day on, if the item is still due then.
    pub fn next_on(self, day: Date) -> Option<Date> {
        let margin = Duration::days(MOVED_DAYS_MAX);
        // Dates are in the order of their dues.
        self.from(day.saturating_sub(margin)).map(|due| due.date).find(|date| *date >= day)
    }

    /// The due with this name.
    pub fn named(self, due: Date) -> Option<Due> {
        self.dues(due, due).next()
    }

    /// Whether there is no due any more of which this says something. What was said of months waits while the rhythm is one of days,
    /// and the other way round.
    pub fn has_lost(self, key: NoteKey) -> bool {
        match (key, self.schedule.every.is_by_days()) {
            (NoteKey::Due(due), true) => self.named(due).is_none(),
            (NoteKey::Month(month), false) => self.dues(month.first_day(), month.last_day()).next().is_none(),
            (NoteKey::Due(_), false) | (NoteKey::Month(_), true) => false,
        }
    }

    /// The due of a place in the rhythm. None past its end.
    fn nth(self, index: i64) -> Option<Due> {
        let due = self.day_at(index)?;
        let Schedule { count, until, .. } = *self.schedule;
        let is_counted = count.is_none_or(|count| index < self.first_index() + i64::from(count));
        let is_within = is_counted && until.is_none_or(|until| due <= until) && due.year() <= *YEARS.end();
        is_within.then(|| Due { due, date: self.moved(due) })
    }

    /// The place of the first due: one day of the rhythm may be before the first possible day.
    fn first_index(self) -> i64 {
        match (self.schedule.start_on, self.day_at(0)) {
            (Some(start), Some(due)) if due < start => 1,
            _ => 0,
        }
    }

    /// The first month of a rhythm of months or years.
    fn first_month(self) -> Month {
        self.schedule.start_on.map_or(Month::FIRST, Month::of)
    }

    /// The first place whose day is not before `first`.
    fn index_from(self, first: Date) -> i64 {
        let every = self.schedule.every;
        match (every.months(), self.schedule.start_on) {
            (Some(months), _) => {
                let passed = Month::of(first).since(self.first_month());
                let index = i64::from(passed).div_euclid(i64::from(months))
                    + i64::from(i64::from(passed).rem_euclid(i64::from(months)) > 0);
                let index = index.max(0);
                index + i64::from(self.day_at(index).is_some_and(|due| due < first))
            }
            (None, Some(start)) => {
                let passed = (first - start).whole_days();
                let days = every.days();
                (passed.div_euclid(days) + i64::from(passed.rem_euclid(days) > 0)).max(0)
            }
            (None, None) => 0,
        }
    }

    /// The day of a place, whether or not the item is still due then.
    fn day_at(self, index: i64) -> Option<Date> {
        let every = self.schedule.every;
        let Some(months) = every.months() else {
            return self.schedule.start_on?.checked_add(Duration::days(index.checked_mul(every.days())?));
        };
        let passed = i32::try_from(index).ok()?.checked_mul(months)?;
        // More months than the years that dates may have.
        if passed > 12 * (YEARS.end() - YEARS.start() + 2) {
            return None;
        }
        let month = self.first_month().plus(passed);
        Some(match self.schedule.day_count {
            DueDayCount::Calendar => month.day_clamped(self.day),
            DueDayCount::Business => self.holidays.nth(month, self.day, Holidays::is_business),
            DueDayCount::Labour => self.holidays.nth(month, self.day, Holidays::is_labour),
        })
    }

    fn moved(self, due: Date) -> Date {
        match self.schedule.weekend {
            Weekend::Same => due,
            Weekend::Before => self.holidays.business_before(due),
            Weekend::After => self.holidays.business_after(due),
        }
    }
}

impl Recurring {
    /// Its rhythm.
    pub fn rhythm<'a>(&'a self, holidays: &'a Holidays) -> Rhythm<'a> {
        Rhythm { day: self.day, schedule: &self.schedule, holidays }
    }
}

/// How many of the months before a due are over. Each of them ends on the due's day of the month, the last one with the due.
///
/// ```
/// use finance_domain::recurring::months_over;
/// use time::macros::date;
///
/// let today = date!(2026 - 03 - 10);
/// assert_eq!(months_over(date!(2027 - 01 - 20), 12, today), 1);
/// assert_eq!(months_over(date!(2026 - 04 - 01), 12, today), 11);
/// assert_eq!(months_over(date!(2030 - 04 - 01), 12, today), 0);
/// ```
pub fn months_over(due: Date, months: i32, today: Date) -> u32 {
    let ends = |before: i32| Month::of(due).minus(before).day_clamped(due.day());
    let over = (0..months).filter(|before| ends(*before) <= today).count();
    u32::try_from(over).unwrap_or(u32::MAX)
}

/// How many times an item may be due within 31 days.
///
/// ```
/// use finance_domain::recurring::{Every, Schedule, Unit, density};
///
/// let every = |n, unit| density(&Schedule { every: Every { n, unit }, ..Schedule::default() });
/// assert_eq!((every(1, Unit::Day), every(2, Unit::Day), every(1, Unit::Week)), (31, 16, 5));
/// assert_eq!((every(1, Unit::Month), every(1, Unit::Year)), (1, 1));
/// ```
pub fn density(schedule: &Schedule) -> usize {
    let dues = match schedule.every.months() {
        Some(_) => 1,
        None => (DENSITY_DAYS + schedule.every.days() - 1) / schedule.every.days(),
    };
    let dues = usize::try_from(dues).unwrap_or(usize::MAX);
    schedule.count.map_or(dues, |count| dues.min(usize::from(count)))
}

/// The days over which the dues of all items are limited.
const DENSITY_DAYS: i64 = 31;
