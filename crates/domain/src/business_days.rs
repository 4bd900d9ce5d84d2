//! Holidays and business days.

use time::{Date, Duration, Weekday};

use crate::error::ConfigError;
use crate::month::{Month, day_after, day_before};

/// A holiday on the same day of every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedHoliday {
    /// The month, from 1.
    pub month: u8,
    /// The day of the month.
    pub day: u8,
    /// The first year in which it is a holiday. None if it always was.
    pub since: Option<i32>,
}

/// The holidays of a country. The default has none.
///
/// ```
/// use finance_domain::business_days::{FixedHoliday, Holidays};
/// use time::macros::date;
///
/// let holidays = Holidays::new(vec![FixedHoliday { month: 5, day: 1, since: None }], vec![-2])?;
/// assert!(holidays.is_holiday(date!(2026 - 05 - 01)));
/// assert!(holidays.is_holiday(date!(2026 - 04 - 03)), "two days before Easter");
/// assert!(!holidays.is_business(date!(2026 - 05 - 02)), "a Saturday");
/// assert!(holidays.is_labour(date!(2026 - 05 - 02)));
/// assert_eq!(holidays.business_before(date!(2026 - 05 - 03)), date!(2026 - 04 - 30));
/// assert_eq!(holidays.business_after(date!(2026 - 05 - 01)), date!(2026 - 05 - 04));
/// # Ok::<(), finance_domain::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holidays {
    fixed: Vec<FixedHoliday>,
    easter: Vec<i16>,
}

/// How far a holiday may be from Easter, in days.
const EASTER_DAYS_MAX: i16 = 100;

impl Holidays {
    /// Holidays on fixed days, and others by their distance from Easter in days.
    ///
    /// # Errors
    ///
    /// If there is no such day, or a distance is over 100 days.
    pub fn new(fixed: Vec<FixedHoliday>, easter: Vec<i16>) -> Result<Self, ConfigError> {
        let error = |place: String| Err(ConfigError::new(place, "is not a day of the year"));
        for FixedHoliday { month, day, .. } in &fixed {
            let known = time::Month::try_from(*month).ok().filter(|month| (1..=month.length(2024)).contains(day));
            if known.is_none() {
                return error(format!("holiday {month:02}-{day:02}"));
            }
        }
        if let Some(days) = easter.iter().find(|days| days.abs() > EASTER_DAYS_MAX) {
            return error(format!("holiday Easter {days:+}"));
        }
        Ok(Holidays { fixed, easter })
    }

    /// Whether the day is a holiday.
    pub fn is_holiday(&self, date: Date) -> bool {
        let is_fixed = |holiday: &FixedHoliday| {
            (holiday.month, holiday.day) == (u8::from(date.month()), date.day())
                && holiday.since.is_none_or(|since| date.year() >= since)
        };
        self.fixed.iter().any(is_fixed) || {
            let from_easter = (date - easter(date.year())).whole_days();
            self.easter.iter().any(|days| i64::from(*days) == from_easter)
        }
    }

    /// Monday to Friday, and no holiday.
    pub fn is_business(&self, date: Date) -> bool {
        !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) && !self.is_holiday(date)
    }

    /// Monday to Saturday, and no holiday: the days by which wages are due (CLT, article 459).
    pub fn is_labour(&self, date: Date) -> bool {
        date.weekday() != Weekday::Sunday && !self.is_holiday(date)
    }

    /// The day itself if it is a business day, otherwise the last business day before it.
    pub fn business_before(&self, date: Date) -> Date {
        self.nearest(date, day_before)
    }

    /// The day itself if it is a business day, otherwise the first business day after it.
    pub fn business_after(&self, date: Date) -> Date {
        self.nearest(date, day_after)
    }

    fn nearest(&self, date: Date, next: impl Fn(Date) -> Date) -> Date {
        let days = std::iter::successors(Some(date), |date| Some(next(*date)));
        // Even the longest holidays end within a month.
        days.take(31).find(|date| self.is_business(*date)).unwrap_or(date)
    }

    /// The k-th day of a month that counts, or the last one that does. `counts` is [`is_business`](Holidays::is_business) or
    /// [`is_labour`](Holidays::is_labour).
    pub(crate) fn nth(&self, month: Month, k: u8, counts: impl Fn(&Self, Date) -> bool) -> Date {
        let days = (1..=month.last_day().day()).map(|day| month.day_clamped(day));
        let counting: Vec<Date> = days.filter(|date| counts(self, *date)).take(usize::from(k)).collect();
        counting.last().copied().unwrap_or(month.last_day())
    }
}

/// Easter Sunday of a year, by the Gregorian computus.
///
/// ```
/// use finance_domain::business_days::easter;
/// use time::macros::date;
///
/// assert_eq!(easter(2026), date!(2026 - 04 - 05));
/// assert_eq!(easter(2000), date!(2000 - 04 - 23));
/// ```
pub fn easter(year: i32) -> Date {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let (d, e, g) = (b / 4, b % 4, (8 * b + 13) / 25);
    let h = (19 * a + b - d - g + 15) % 30;
    let m = (a + 11 * h) / 319;
    let (j, k) = (c / 4, c % 4);
    let l = (2 * e + 2 * j - k - h + m + 32) % 7;
    // Days after 21 March, which is the earliest date of the Paschal moon.
    let month = (h - m + l + 90) / 25;
    let day = (h - m + l + month + 19) % 32;
    let march = Month::FIRST.plus((year - Month::FIRST.year()) * 12 + 2).first_day();
    let first = if month == 4 { march + Duration::days(31) } else { march };
    first + Duration::days(i64::from(day) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Easter by another rule: that of the tables of Oudin.
    fn oudin(year: i32) -> Date {
        let (g, c) = (year % 19, year / 100);
        let h = (c - c / 4 - (8 * c + 13) / 25 + 19 * g + 15) % 30;
        let i = h - (h / 28) * (1 - (h / 28) * (29 / (h + 1)) * ((21 - g) / 11));
        let j = (year + year / 4 + i + 2 - c + c / 4) % 7;
        let l = i - j;
        let month = 3 + (l + 40) / 44;
        let day = l + 28 - 31 * (month / 4);
        let month = time::Month::try_from(u8::try_from(month).unwrap()).unwrap();
        Date::from_calendar_date(year, month, u8::try_from(day).unwrap()).unwrap()
    }

    #[test]
    fn easter_agrees_with_another_rule_in_all_years() {
        for year in 1900..2200 {
            assert_eq!(easter(year), oudin(year), "{year}");
            assert_eq!(easter(year).weekday(), Weekday::Sunday);
        }
    }

    #[test]
    fn the_last_day_that_counts_stands_for_those_beyond() {
        let none = Holidays::default();
        let month: Month = "2026-02".parse().unwrap();
        assert_eq!(none.nth(month, 1, Holidays::is_business).day(), 2);
        assert_eq!(none.nth(month, 20, Holidays::is_business).day(), 27);
        assert_eq!(none.nth(month, 31, Holidays::is_business).day(), 27);
        assert_eq!(none.nth(month, 31, Holidays::is_labour).day(), 28);
    }

    #[test]
    fn days_that_are_none_are_refused() {
        let fixed = |month, day| Holidays::new(vec![FixedHoliday { month, day, since: None }], vec![]);
        assert!(fixed(2, 29).is_ok() && fixed(2, 30).is_err() && fixed(13, 1).is_err() && fixed(1, 0).is_err());
        assert!(Holidays::new(vec![], vec![60]).is_ok() && Holidays::new(vec![], vec![101]).is_err());
    }
}
