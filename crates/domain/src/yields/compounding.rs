//! Compounding: the factor of a range of days.

use bigdecimal::{BigDecimal, One};
use time::Date;

use super::rates::PublishedRates;
use crate::money::Percentage;
use crate::words::words;

words! {
    /// What a day without a published rate earns: a weekend day or a holiday.
    ///
    /// ```
    /// use finance_domain::yields::DayCount;
    ///
    /// assert_eq!("business".parse(), Ok(DayCount::Business));
    /// assert_eq!(DayCount::default(), DayCount::Calendar);
    /// assert!("252".parse::<DayCount>().is_err());
    /// ```
    #[derive(Default)]
    pub enum DayCount {
        /// The last available rate.
        #[default]
        Calendar = "calendar",
        /// Nothing, as in the market convention.
        Business = "business",
    }
}

/// The factor by which one day multiplies a balance: 1 + rate / 100.
///
/// For a day without a published rate, calendar days use the last available rate, and business days use the factor 1. A day
/// before the first known rate also has the factor 1.
///
/// ```
/// use finance_domain::yields::{DayCount, PublishedRates, day_factor};
/// use time::macros::date;
///
/// let (thursday, friday, saturday) = (date!(2025-01-09), date!(2025-01-10), date!(2025-01-11));
/// let mut rates = PublishedRates::new(thursday, saturday);
/// rates.publish(friday, "0.045513".parse()?);
/// let factor = |day_count, day| day_factor(&rates, day_count, day).to_string();
/// assert_eq!(factor(DayCount::Calendar, friday), "1.00045513");
/// assert_eq!(factor(DayCount::Calendar, saturday), "1.00045513");
/// assert_eq!(factor(DayCount::Business, saturday), "1");
/// assert_eq!(factor(DayCount::Calendar, thursday), "1");
/// # Ok::<(), &'static str>(())
/// ```
pub fn day_factor(rates: &PublishedRates, day_count: DayCount, day: Date) -> BigDecimal {
    let rate = match day_count {
        DayCount::Calendar => rates.latest(day),
        DayCount::Business => rates.on(day),
    };
    rate.map_or_else(BigDecimal::one, |rate| rate.factor())
}

/// The exact product of the factors of the days from `first` to `last`.
///
/// Nothing is rounded here, so a range of days compounds to the same digits if it is split in two. A published rate adds eight
/// digits a day. A period lies in one month, so that is a few hundred digits at most.
///
/// ```
/// use finance_domain::yields::{DayCount, PublishedRates, compound};
/// use time::macros::date;
///
/// let (friday, monday) = (date!(2025-01-10), date!(2025-01-13));
/// let mut rates = PublishedRates::new(friday, monday);
/// rates.publish(friday, "10".parse()?);
/// rates.publish(monday, "20".parse()?);
/// assert_eq!(compound(&rates, DayCount::Business, friday, monday).to_string(), "1.32");
/// // Friday, Saturday, Sunday and Monday: 1.1 × 1.1 × 1.1 × 1.2
/// assert_eq!(compound(&rates, DayCount::Calendar, friday, monday).to_string(), "1.5972");
/// assert_eq!(compound(&rates, DayCount::Calendar, monday, friday).to_string(), "1", "no day at all");
/// # Ok::<(), &'static str>(())
/// ```
pub fn compound(rates: &PublishedRates, day_count: DayCount, first: Date, last: Date) -> BigDecimal {
    std::iter::successors(Some(first), |day| day.next_day())
        .take_while(|day| *day <= last)
        .fold(BigDecimal::one(), |factor, day| factor * day_factor(rates, day_count, day))
}

/// The exact product of the factors of the days from `first` to `last` at a percentage of each day's rate, ∏(1 + r·p). This is
/// the market convention for percentages of the CDI rate. A day without a published rate has the factor 1.
///
/// ```
/// use finance_domain::Percentage;
/// use finance_domain::yields::{PublishedRates, compound_share};
/// use time::macros::date;
///
/// let (friday, monday) = (date!(2025-01-10), date!(2025-01-13));
/// let mut rates = PublishedRates::new(friday, monday);
/// rates.publish(friday, "10".parse()?);
/// rates.publish(monday, "20".parse()?);
/// assert_eq!(compound_share(&rates, Percentage::whole(50), friday, monday).normalized().to_string(), "1.155");
/// # Ok::<(), &'static str>(())
/// ```
pub fn compound_share(rates: &PublishedRates, percentage: Percentage, first: Date, last: Date) -> BigDecimal {
    let share = percentage.to_decimal() * BigDecimal::new(1.into(), 4);
    let part = rates.part(first, last);
    part.iter().fold(BigDecimal::one(), |product, (_, rate)| product * (BigDecimal::one() + rate.percent() * &share))
}

#[cfg(test)]
mod tests {
    use super::super::published_series::published_series;
    use super::super::series::{LOOK_BACK_DAYS, SERIES_START};
    use super::*;
    use crate::month::day_after;
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    #[test]
    fn the_published_series_compounds_to_the_published_figures() {
        let Some(rates) = published_series() else { return };
        assert_eq!(rates.untrusted_from(), None);
        for (first, last, factor) in [
            (date!(2024 - 01 - 01), date!(2024 - 12 - 31), "1.10875983174469544"),
            (date!(2024 - 12 - 01), date!(2024 - 12 - 31), "1.009314310718994948"),
            (date!(2025 - 01 - 01), date!(2025 - 01 - 31), "1.010132013564149152"),
            (date!(2025 - 03 - 01), date!(2025 - 03 - 31), "1.009640295622480766"),
            (date!(2025 - 06 - 16), date!(2025 - 06 - 23), "1.002733584054808579"),
            (date!(2025 - 10 - 20), date!(2025 - 10 - 24), "1.002759591103289545"),
        ] {
            let places = i64::try_from(factor.len()).unwrap() - 2;
            let compounded = compound(&rates, DayCount::Business, first, last);
            assert_eq!(compounded.round(places).to_plain_string(), factor, "{first} to {last}");
        }
    }

    #[test]
    fn the_published_series_never_pauses_longer_than_the_look_back() {
        let Some(rates) = published_series() else { return };
        let dates: Vec<Date> = rates.iter().map(|(date, _)| date).collect();
        assert_eq!(dates.first(), Some(&SERIES_START));
        let pause = dates.windows(2).map(|pair| (pair[1] - pair[0]).whole_days()).max().unwrap();
        assert!(pause < LOOK_BACK_DAYS, "{pause}");
    }

    /// Rates on some of sixty days.
    fn some_rates() -> impl Strategy<Value = PublishedRates> {
        prop::collection::vec(prop::option::weighted(0.7, 0..200_000_u32), 60).prop_map(|days| {
            let first = date!(2025 - 01 - 01);
            let mut rates = PublishedRates::new(first, first.saturating_add(Duration::days(59)));
            for (day, millionths) in days.into_iter().enumerate() {
                if let Some(millionths) = millionths {
                    let rate = format!("0.{millionths:06}").parse().unwrap();
                    rates.publish(first.saturating_add(Duration::days(day as i64)), rate);
                }
            }
            rates
        })
    }

    proptest! {
        #[test]
        fn the_parts_of_a_period_cut_at_any_day_compound_to_the_whole(
            rates in some_rates(), cut in 0..60_i64, business: bool,
        ) {
            let day_count = if business { DayCount::Business } else { DayCount::Calendar };
            let (first, last) = (rates.first(), rates.last());
            let cut = first.saturating_add(Duration::days(cut));
            let before = compound(&rates, day_count, first, cut);
            let after = compound(&rates, day_count, day_after(cut), last);
            prop_assert_eq!(before * after, compound(&rates, day_count, first, last));
        }

        #[test]
        fn calendar_days_never_earn_less_than_business_days(rates in some_rates()) {
            let factor = |day_count| compound(&rates, day_count, rates.first(), rates.last());
            prop_assert!(factor(DayCount::Calendar) >= factor(DayCount::Business));
            prop_assert!(factor(DayCount::Business) >= BigDecimal::one());
        }
    }
}
