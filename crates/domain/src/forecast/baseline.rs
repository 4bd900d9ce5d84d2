//! The estimated spending of a month, in addition to what is known to come.

use crate::money::Money;

/// How many complete months the median covers.
pub const BASELINE_MONTHS: usize = 3;

/// The median of what was spent in [`BASELINE_MONTHS`] months.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::forecast::median;
///
/// assert_eq!(median([900, 100, 300].map(Money::from_cents)), Money::from_cents(300));
/// ```
pub fn median(mut spent: [Money; BASELINE_MONTHS]) -> Money {
    spent.sort_unstable();
    spent[BASELINE_MONTHS / 2]
}

/// The estimated spending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// For a whole month.
    pub monthly: Money,
    /// The amount already spent this month.
    pub spent: Money,
}

impl Estimate {
    /// The estimate for the rest of this month, not below zero.
    pub fn left(&self) -> Money {
        (self.monthly - self.spent).max(Money::ZERO)
    }
}

/// The part of an amount for day `at` of `days` days, counted from 0. The parts differ by at most one cent and sum to the amount.
pub(super) fn part_of_day(amount: Money, at: usize, days: usize) -> Money {
    let until = |day: usize| amount.cents() * day as i128 / days.max(1) as i128;
    Money::from_cents(until(at + 1) - until(at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_parts_of_the_days_sum_to_the_amount_and_are_equal_but_for_a_cent(cents in 0..10_000_000_i128, days in 1usize..=31) {
            let parts: Vec<i128> =
                (0..days).map(|at| part_of_day(Money::from_cents(cents), at, days).cents()).collect();
            prop_assert_eq!(parts.iter().sum::<i128>(), cents);
            prop_assert!(parts.iter().max().unwrap() - parts.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn what_was_spent_is_not_estimated_again() {
        let left = |spent| Estimate { monthly: Money::from_cents(300), spent: Money::from_cents(spent) }.left().cents();
        assert_eq!((left(0), left(120), left(300), left(450)), (300, 180, 0, 0));
    }
}
