//! Published rates: which dates have one, and how far they let yield be paid.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use bigdecimal::num_bigint::Sign;
use bigdecimal::{BigDecimal, One, Zero};
use time::{Date, Weekday};

use crate::month::{day_after, day_before};

/// Characters of a rate's text that are read: enough for any rate, few enough to cost nothing.
const TEXT_LEN_MAX: usize = 40;
/// Decimals of a rate. The series has six.
const DECIMALS_MAX: i64 = 20;
/// The highest rate accepted, in percent per day.
const PERCENT_MAX: i64 = 100;

/// A rate in percent, exact: 0 to 100, at most 20 decimals. [`Rate::signed`] reads one that may be below zero.
///
/// ```
/// use finance_domain::yields::Rate;
///
/// let rate: Rate = "0.055131".parse()?;
/// assert_eq!(rate.factor().to_string(), "1.00055131");
/// assert!("-0.01".parse::<Rate>().is_err());
/// assert!("0,055131".parse::<Rate>().is_err());
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate(BigDecimal);

impl Rate {
    /// The percentage, per day or per month, depending on its series.
    pub fn percent(&self) -> &BigDecimal {
        &self.0
    }

    /// The factor by which it multiplies a balance: 1 + percent / 100.
    pub fn factor(&self) -> BigDecimal {
        let (digits, scale) = self.0.as_bigint_and_exponent();
        BigDecimal::one() + BigDecimal::new(digits, scale + 2)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0.to_plain_string())
    }
}

impl FromStr for Rate {
    type Err = &'static str;

    /// Reads a decimal number as JSON writes it: `0.055131`, `5.5131e-2`.
    ///
    /// # Errors
    ///
    /// A message that says what the text should be.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "must be a decimal number from 0 to 100";
        Rate::signed(text).ok().filter(|rate| rate.0.sign() != Sign::Minus).ok_or(EXPECTED)
    }
}

impl Rate {
    /// Reads a rate that may be below zero, such as that of a price index: above -100 and at most 100.
    ///
    /// ```
    /// use finance_domain::yields::Rate;
    ///
    /// assert_eq!(Rate::signed("-0.68")?.factor().to_string(), "0.9932");
    /// assert!(Rate::signed("-100").is_err());
    /// # Ok::<(), &'static str>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A message that says what the text should be.
    pub fn signed(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "must be a decimal number above -100 and at most 100";
        let number = text.len() <= TEXT_LEN_MAX
            && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
        let value = if number { BigDecimal::from_str(text).ok() } else { None };
        let value = value.ok_or(EXPECTED)?.normalized();
        if value.is_zero() {
            return Ok(Rate(BigDecimal::zero()));
        }
        // The exponent is checked before any arithmetic: an exponent of a billion would be costly to compare.
        let (_, scale) = value.as_bigint_and_exponent();
        if !(-2..=DECIMALS_MAX).contains(&scale) || value > PERCENT_MAX || value <= -PERCENT_MAX {
            return Err(EXPECTED);
        }
        Ok(Rate(value))
    }
}

/// The rates published for the dates of a window.
///
/// It knows which dates were requested, so that a requested date without a rate differs from a date that was not requested. It
/// also knows which dates have a value that is not trusted.
///
/// ```
/// use finance_domain::yields::PublishedRates;
/// use time::macros::date;
///
/// let mut rates = PublishedRates::new(date!(2025-01-01), date!(2025-01-12));
/// rates.publish(date!(2025-01-09), "0.045513".parse()?);
/// rates.publish(date!(2025-01-10), "0.045513".parse()?);
/// rates.publish(date!(2025-01-13), "0.045513".parse()?);
/// assert_eq!(rates.len(), 2, "the thirteenth was not asked about");
/// assert_eq!(rates.on(date!(2025-01-11)), None, "a Saturday");
/// assert_eq!(rates.latest(date!(2025-01-11)), rates.on(date!(2025-01-10)));
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRates {
    first: Date,
    last: Date,
    /// None on a date whose published value is not trusted.
    by_date: BTreeMap<Date, Option<Rate>>,
}

impl PublishedRates {
    /// A response for the dates from `first` to `last` that holds no rate yet.
    pub fn new(first: Date, last: Date) -> Self {
        PublishedRates { first, last, by_date: BTreeMap::new() }
    }

    /// The first date that was requested.
    pub fn first(&self) -> Date {
        self.first
    }

    /// The last date that was requested.
    pub fn last(&self) -> Date {
        self.last
    }

    /// Adds the rate of a date. A date outside the window is ignored. If a second value differs from the first, the date is no
    /// longer trusted.
    pub fn publish(&mut self, date: Date, rate: Rate) {
        if self.window().contains(&date) {
            let known = self.by_date.entry(date).or_insert_with(|| Some(rate.clone()));
            if known.as_ref() != Some(&rate) {
                *known = None;
            }
        }
    }

    /// Marks a date as one whose published value is not trusted.
    pub fn distrust(&mut self, date: Date) {
        if self.window().contains(&date) {
            self.by_date.insert(date, None);
        }
    }

    /// The first date whose value is not trusted. Nothing is paid from that date on.
    pub fn untrusted_from(&self) -> Option<Date> {
        self.by_date.iter().find(|(_, rate)| rate.is_none()).map(|(date, _)| *date)
    }

    /// How many rates there are.
    pub fn len(&self) -> usize {
        self.by_date.values().flatten().count()
    }

    /// Whether there is no rate at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dates and their rates, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (Date, &Rate)> {
        self.by_date.iter().filter_map(|(date, rate)| Some((*date, rate.as_ref()?)))
    }

    /// The rate published for the date itself.
    pub fn on(&self, date: Date) -> Option<&Rate> {
        self.by_date.get(&date)?.as_ref()
    }

    /// The last available rate: the date's own, or that of the closest date before it.
    pub fn latest(&self, date: Date) -> Option<&Rate> {
        self.by_date.range(..=date).next_back()?.1.as_ref()
    }

    /// The last day that can be paid now, according to the rates from `from` on, if there is one.
    ///
    /// That is the newest day with a rate, and the weekend days right after it. The first weekday after it waits, because its
    /// rate may still be published, and so do all later days. Days that were not requested wait too, and so does everything from
    /// a date whose value is not trusted. `until` is the last day wanted.
    ///
    /// ```
    /// use finance_domain::yields::PublishedRates;
    /// use time::macros::date;
    ///
    /// let (thursday, friday, saturday) = (date!(2025-01-09), date!(2025-01-10), date!(2025-01-11));
    /// let mut rates = PublishedRates::new(thursday, saturday);
    /// rates.publish(thursday, "0.045513".parse()?);
    /// assert_eq!(rates.payable_until(thursday, saturday), Some(thursday), "Friday waits, so does Saturday");
    /// rates.publish(friday, "0.045513".parse()?);
    /// assert_eq!(rates.payable_until(thursday, saturday), Some(saturday));
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn payable_until(&self, from: Date, until: Date) -> Option<Date> {
        let mut until = until.min(self.last);
        if from > until {
            return None;
        }
        if let Some((untrusted, _)) = self.by_date.range(from..=until).find(|(_, rate)| rate.is_none()) {
            until = day_before(*untrusted);
        }
        if from > until {
            return None;
        }
        let mut payable = *self.by_date.range(from..=until).next_back()?.0;
        while payable < until && is_weekend(day_after(payable)) {
            payable = day_after(payable);
        }
        Some(payable)
    }

    /// The part of this response from `first` to `last`, as far as those dates were requested.
    pub fn part(&self, first: Date, last: Date) -> PublishedRates {
        let (first, last) = (first.max(self.first), last.min(self.last));
        let by_date = if first <= last {
            self.by_date.range(first..=last).map(|(date, rate)| (*date, rate.clone())).collect()
        } else {
            BTreeMap::new()
        };
        PublishedRates { first, last, by_date }
    }

    /// Adds a response for other dates. It is ignored if it neither overlaps nor touches this window, because the dates in
    /// between were not requested.
    pub fn join(&mut self, other: PublishedRates) {
        if other.first > other.last || other.first > day_after(self.last) || day_after(other.last) < self.first {
            return;
        }
        (self.first, self.last) = (self.first.min(other.first), self.last.max(other.last));
        for (date, rate) in other.by_date {
            match rate {
                Some(rate) => self.publish(date, rate),
                None => self.distrust(date),
            }
        }
    }

    fn window(&self) -> RangeInclusive<Date> {
        self.first..=self.last
    }
}

fn is_weekend(date: Date) -> bool {
    matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    fn rate(text: &str) -> Rate {
        text.parse().unwrap()
    }

    #[test]
    fn rates_are_read_exactly_or_refused() {
        for (text, percent) in [
            ("0.055131", "0.055131"),
            ("0.0551310000", "0.055131"),
            ("5.5131e-2", "0.055131"),
            ("1e-05", "0.00001"),
            ("0", "0"),
            ("-0.000000", "0"),
            ("0e999999", "0"),
            ("100", "100"),
        ] {
            assert_eq!(rate(text).percent(), &percent.parse::<BigDecimal>().unwrap(), "{text:?}");
        }
        for text in [
            "",
            " ",
            ".",
            "-",
            "e5",
            "-0.01",
            "100.000001",
            "1e3",
            "1e999999999",
            "1e-999999999",
            "1e99999999999999999999",
            "0,055131",
            "0.05 ",
            "1_0",
            "NaN",
            "inf",
            "null",
            "0x1",
            "0.055131%",
            "0.000000000000000000001",
            "00000000000000000000000000000000000000000.1",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_weekday_newer_than_the_newest_rate_waits_and_weekend_days_do_not() {
        let thursday = date!(2025 - 01 - 09);
        let day = |after: i64| thursday.saturating_add(time::Duration::days(after));
        // Published up to that many days after Thursday; yesterday; the last payable day.
        for (published, yesterday, payable) in [
            (0, 0, 0),
            (0, 1, 0), // Friday waits
            (0, 2, 0), // Saturday behind it too
            (0, 4, 0),
            (1, 1, 1),
            (1, 2, 2), // Saturday after a published Friday does not wait
            (1, 3, 3),
            (1, 4, 3), // Monday waits
            (1, 9, 3),
            (4, 4, 4),
        ] {
            let mut rates = PublishedRates::new(day(-30), day(10));
            (0..=published)
                .map(day)
                .filter(|date| !is_weekend(*date))
                .for_each(|date| rates.publish(date, rate("0.05")));
            let until = rates.payable_until(day(-30), day(yesterday));
            assert_eq!(until, Some(day(payable)), "published {published}, yesterday {yesterday}");
        }
    }

    #[test]
    fn nothing_is_payable_without_a_rate_or_beyond_what_was_asked() {
        let mut rates = PublishedRates::new(date!(2025 - 01 - 01), date!(2025 - 01 - 31));
        assert_eq!(rates.payable_until(date!(2025 - 01 - 01), date!(2025 - 01 - 31)), None);
        rates.publish(date!(2025 - 01 - 31), rate("0.05"));
        assert_eq!(rates.payable_until(date!(2025 - 01 - 01), date!(2025 - 02 - 02)), Some(date!(2025 - 01 - 31)));
        assert_eq!(rates.payable_until(date!(2025 - 01 - 01), date!(2025 - 01 - 30)), None, "not published by then");
        assert_eq!(rates.payable_until(date!(2025 - 02 - 01), date!(2025 - 01 - 30)), None);
    }

    #[test]
    fn nothing_from_an_unbelievable_value_on_is_payable() {
        let mut rates = PublishedRates::new(date!(2025 - 01 - 01), date!(2025 - 01 - 20));
        for day in [6, 7, 8, 9, 10, 13, 14] {
            rates.publish(date!(2025 - 01 - 01).replace_day(day).unwrap(), rate("0.05"));
        }
        let payable = |rates: &PublishedRates, from| rates.payable_until(from, date!(2025 - 01 - 15));
        assert_eq!(payable(&rates, date!(2025 - 01 - 01)), Some(date!(2025 - 01 - 14)));
        rates.publish(date!(2025 - 01 - 13), rate("0.06"));
        assert_eq!(rates.untrusted_from(), Some(date!(2025 - 01 - 13)), "two values for one date");
        assert_eq!(
            payable(&rates, date!(2025 - 01 - 01)),
            Some(date!(2025 - 01 - 12)),
            "the weekend before it is fine"
        );
        rates.publish(date!(2025 - 01 - 13), rate("0.06"));
        assert_eq!(rates.on(date!(2025 - 01 - 13)), None, "saying it again does not help");
        rates.distrust(date!(2025 - 01 - 11));
        assert_eq!(payable(&rates, date!(2025 - 01 - 01)), Some(date!(2025 - 01 - 10)));
        assert_eq!(payable(&rates, date!(2025 - 01 - 11)), None);
        assert_eq!(payable(&rates, date!(2025 - 01 - 14)), Some(date!(2025 - 01 - 14)), "does not look back that far");
    }

    #[test]
    fn answers_join_where_they_touch_and_part_again() {
        let mut rates = PublishedRates::new(date!(2025 - 02 - 01), date!(2025 - 02 - 28));
        rates.publish(date!(2025 - 02 - 03), rate("0.05"));
        let mut before = PublishedRates::new(date!(2025 - 01 - 01), date!(2025 - 01 - 31));
        before.publish(date!(2025 - 01 - 31), rate("0.04"));
        before.distrust(date!(2025 - 01 - 02));
        let mut apart = rates.clone();
        apart.join(PublishedRates::new(date!(2024 - 01 - 01), date!(2025 - 01 - 30)));
        assert_eq!(apart, rates, "nobody asked about 31 January");
        rates.join(before);
        assert_eq!((rates.first(), rates.last(), rates.len()), (date!(2025 - 01 - 01), date!(2025 - 02 - 28), 2));
        assert_eq!(rates.untrusted_from(), Some(date!(2025 - 01 - 02)));
        let part = rates.part(date!(2025 - 01 - 31), date!(2025 - 03 - 31));
        assert_eq!((part.first(), part.last(), part.len()), (date!(2025 - 01 - 31), date!(2025 - 02 - 28), 2));
        assert_eq!(part.untrusted_from(), None);
        assert_eq!(rates.part(date!(2026 - 01 - 01), date!(2026 - 01 - 02)).len(), 0);
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_panic(text in "[-+0-9.eE]{0,44}") {
            if let Ok(rate) = text.parse::<Rate>() {
                prop_assert!(rate.factor() >= BigDecimal::one());
            }
        }

        #[test]
        fn a_rate_reads_back_what_it_writes(millionths in 0..=100_000_000_u32) {
            let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
            let rate = rate(&text);
            prop_assert_eq!(&rate.percent().to_plain_string().parse::<Rate>().unwrap(), &rate);
        }
    }
}
