//! Calendar months and calendar dates. Neither depends on a time zone.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use time::macros::format_description;
use time::{Date, Duration};

use crate::violations::Violation;

/// The years in which a date may lie. Calendar arithmetic cannot overflow in them.
pub const YEARS: RangeInclusive<i32> = 1900..=2199;

/// The years of computed dates: bills and kept opening balances begin before the rows that they are computed from, and end after them.
pub const COMPUTED_YEARS: RangeInclusive<i32> = *YEARS.start() - 1..=*YEARS.end() + 1;

/// A month of a year.
///
/// ```
/// use finance_domain::Month;
/// use time::macros::date;
///
/// let month: Month = "2026-02".parse()?;
/// assert_eq!(month.last_day(), date!(2026-02-28));
/// assert_eq!(month.minus(2).to_string(), "2025-12");
/// assert!("2026-13".parse::<Month>().is_err());
/// # Ok::<(), finance_domain::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i32,
    month: u8,
}

impl Month {
    /// The first month in which a date may lie.
    pub const FIRST: Month = Month { year: *YEARS.start(), month: 1 };

    /// The month that contains a date.
    pub fn of(date: Date) -> Self {
        Month { year: date.year(), month: u8::from(date.month()) }
    }

    /// The month that is `months` later.
    pub fn plus(self, months: i32) -> Self {
        let count = self.year * 12 + i32::from(self.month) - 1 + months;
        // 0 to 11 by construction, so the cast keeps the value.
        Month { year: count.div_euclid(12), month: count.rem_euclid(12) as u8 + 1 }
    }

    /// The month that is `months` earlier.
    pub fn minus(self, months: i32) -> Self {
        self.plus(-months)
    }

    /// The number of months from an earlier month to this one; negative if that one is later.
    ///
    /// ```
    /// use finance_domain::Month;
    ///
    /// let (january, march): (Month, Month) = ("2026-01".parse()?, "2026-03".parse()?);
    /// assert_eq!((march.since(january), january.since(march)), (2, -2));
    /// # Ok::<(), finance_domain::Violation>(())
    /// ```
    pub fn since(self, earlier: Month) -> i32 {
        (self.year - earlier.year) * 12 + i32::from(self.month) - i32::from(earlier.month)
    }

    /// The months from this one to `last`, both included.
    pub fn up_to(self, last: Month) -> impl Iterator<Item = Month> {
        std::iter::successors(Some(self), |month| Some(month.plus(1))).take_while(move |month| *month <= last)
    }

    /// The year.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month of the year, from 1.
    pub fn number(self) -> u8 {
        self.month
    }

    /// The first day of the month.
    pub fn first_day(self) -> Date {
        self.day_clamped(1)
    }

    /// The last day of the month.
    pub fn last_day(self) -> Date {
        self.day_clamped(31)
    }

    /// The given day of the month, or its last day if the month is shorter.
    ///
    /// ```
    /// use finance_domain::Month;
    /// use time::macros::date;
    ///
    /// let february: Month = "2024-02".parse()?;
    /// assert_eq!(february.day_clamped(31), date!(2024-02-29));
    /// # Ok::<(), finance_domain::Violation>(())
    /// ```
    pub fn day_clamped(self, day: u8) -> Date {
        let month = time::Month::try_from(self.month).unwrap_or(time::Month::January);
        let day = day.clamp(1, month.length(self.year));
        Date::from_calendar_date(self.year, month, day).unwrap_or(Date::MIN)
    }

    /// Whether the month contains the date.
    pub fn contains(self, date: Date) -> bool {
        Month::of(date) == self
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl FromStr for Month {
    type Err = Violation;

    /// Reads `YYYY-MM`.
    ///
    /// # Errors
    ///
    /// [`Violation::InvalidMonth`] or [`Violation::YearOutOfRange`].
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let first_day = if text.len() == 7 { parse_date(&format!("{text}-01")) } else { Err(Violation::InvalidMonth) };
        first_day.map(Month::of).map_err(|violation| match violation {
            Violation::InvalidDate => Violation::InvalidMonth,
            other => other,
        })
    }
}

/// Reads a calendar date as `YYYY-MM-DD`, within [`YEARS`].
///
/// ```
/// use finance_domain::month::parse_date;
///
/// assert!(parse_date("2024-02-29").is_ok());
/// assert!(parse_date("2025-02-29").is_err());
/// assert!(parse_date("2025-2-9").is_err());
/// ```
///
/// # Errors
///
/// [`Violation::InvalidDate`] or [`Violation::YearOutOfRange`].
pub fn parse_date(text: &str) -> Result<Date, Violation> {
    parse_date_within(text, &YEARS)
}

/// A date in one of the years: what is computed from a date, such as the period of a bill, may begin in the year before its own.
///
/// # Errors
///
/// As [`parse_date`].
pub fn parse_date_within(text: &str, years: &RangeInclusive<i32>) -> Result<Date, Violation> {
    let shape = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    let date = if shape { Date::parse(text, format_description!("[year]-[month]-[day]")).ok() } else { None };
    let date = date.ok_or(Violation::InvalidDate)?;
    if years.contains(&date.year()) { Ok(date) } else { Err(year_out_of_range()) }
}

/// The violation for a date in a year outside [`YEARS`].
pub fn year_out_of_range() -> Violation {
    Violation::YearOutOfRange { min: (*YEARS.start()).into(), max: (*YEARS.end()).into() }
}

/// Checks a day of the month, 1 to 31. A day past the end of a month means its last day ([`Month::day_clamped`]).
///
/// # Errors
///
/// [`Violation::OutOfRange`].
pub fn day_of_month(day: i64) -> Result<u8, Violation> {
    u8::try_from(day).ok().filter(|day| (1..=31).contains(day)).ok_or_else(|| Violation::out_of_range(1, 31))
}

/// The day after.
pub fn day_after(date: Date) -> Date {
    date.saturating_add(Duration::days(1))
}

/// The day before.
pub fn day_before(date: Date) -> Date {
    date.saturating_sub(Duration::days(1))
}
