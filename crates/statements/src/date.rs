//! Dates of statements. A time zone does not change a date.

use time::{Date, Duration, Month, macros::date};

/// The years that a date may have.
pub(crate) const YEARS: std::ops::RangeInclusive<u32> = 1900..=2199;

/// The date, if it exists and its year is one of [`YEARS`].
pub(crate) fn ymd(year: u32, month: u32, day: u32) -> Option<Date> {
    if !YEARS.contains(&year) {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

/// The latest such day up to a date. None if the day exists in no year.
pub(crate) fn latest_until(month: u32, day: u32, latest: Date) -> Option<Date> {
    let last = u32::try_from(latest.year()).ok()?;
    // At most eight years lie between two days of 29 February.
    (last.saturating_sub(8)..=last).rev().filter_map(|year| ymd(year, month, day)).find(|date| *date <= latest)
}

/// The year that two digits stand for: 1970 to 2069.
pub(crate) fn full_year(two_digits: u32) -> u32 {
    if two_digits < 70 { 2000 + two_digits } else { 1900 + two_digits }
}

/// What stands behind a day without the mark of the first of a month: `1º`, also as `1o` or with the sign of degrees.
pub(crate) fn without_ordinal(day: u32, rest: &str) -> &str {
    match rest.strip_prefix(['º', '°', 'o']) {
        Some(behind) if day == 1 && !behind.starts_with(char::is_alphanumeric) => behind,
        _ => rest,
    }
}

/// The epoch of the numbers that a spreadsheet writes for dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Epoch {
    /// 1 is 1 January 1900, and 60 is 29 February of that year, a date that did not exist.
    Year1900,
    /// 0 is 1 January 1904.
    Year1904,
}

/// The date of a number of days, if its year is from 1900 to 2199.
pub(crate) fn of_serial(days: i64, epoch: Epoch) -> Option<Date> {
    let first = match (epoch, days) {
        (Epoch::Year1900, 60) => return None,
        (Epoch::Year1900, 1..60) => date!(1899 - 12 - 31),
        (Epoch::Year1900, _) => date!(1899 - 12 - 30),
        (Epoch::Year1904, _) => date!(1904 - 01 - 01),
    };
    // The limit bounds the sum. No spreadsheet has more days.
    let days = Duration::days(Some(days).filter(|days| (0..200_000).contains(days))?);
    first.checked_add(days).filter(|date| (1900..=2199).contains(&date.year()))
}

/// The date of an ISO 8601 text. A time after it is ignored.
pub(crate) fn iso(text: &str) -> Option<Date> {
    let text = text.trim();
    let (day, rest) = text.split_at_checked(10)?;
    let is_iso = day.as_bytes()[4] == b'-' && (rest.is_empty() || rest.starts_with(['T', ' ']));
    if is_iso { ofx(day) } else { None }
}

/// The date of an OFX field: its first eight digits. The time and offset after them are ignored.
///
/// `31/01/2026` and `2026-01-31` are read too, because some converters write them.
pub(crate) fn ofx(text: &str) -> Option<Date> {
    let bytes = text.trim().as_bytes();
    match bytes {
        [y1, y2, y3, y4, m1, m2, d1, d2, ..] if bytes[..8].iter().all(u8::is_ascii_digit) => {
            ymd(number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
        }
        [y1, y2, y3, y4, b'-' | b'/', m1, m2, b'-' | b'/', d1, d2, rest @ ..] if !continues(rest) => {
            ymd(number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
        }
        [d1, d2, b'-' | b'/', m1, m2, b'-' | b'/', y1, y2, y3, y4, rest @ ..] if !continues(rest) => {
            ymd(number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
        }
        _ => None,
    }
}

/// Whether another digit follows.
fn continues(rest: &[u8]) -> bool {
    rest.first().is_some_and(u8::is_ascii_digit)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn the_first_eight_digits_are_the_date() {
        for text in [
            "20260131",
            "20260131120000",
            "202601311200",
            "20260131235959[-3:BRT]",
            "20260131000000[-03:EST]",
            "20260131000000.000[-5:EST]",
            "20260131[9:GMT]",
            "20260131230000[-3]",
            "  20260131 ",
            "31/01/2026",
            "2026-01-31",
            "2026-01-31T10:00:00Z",
        ] {
            assert_eq!(ofx(text), Some(date!(2026 - 01 - 31)), "{text}");
        }
    }

    #[test]
    fn what_is_no_day_of_the_calendar_is_no_date() {
        for text in [
            "",
            "00000000",
            "00000000000000",
            "20260230",
            "2026013",
            "18991231",
            "22000101",
            "********",
            "31/01/26",
            "31/01/20260",
            "ontem",
            "á20260131",
        ] {
            assert_eq!(ofx(text), None, "{text}");
        }
    }

    #[test]
    fn two_digits_stand_for_a_year_near_today() {
        assert_eq!((full_year(0), full_year(69), full_year(70), full_year(99)), (2000, 2069, 1970, 1999));
    }
}
