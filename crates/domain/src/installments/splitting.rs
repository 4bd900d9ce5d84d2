//! A purchase in equal parts, a month apart.

use time::Date;

use crate::money::Money;
use crate::month::Month;

/// Splits an amount into `count` parts. The first part also gets the remaining cents.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::installments::split;
///
/// let parts: Vec<_> = split(Money::from_cents(10_000), 3).iter().map(Money::to_string).collect();
/// assert_eq!(parts, ["33.34", "33.33", "33.33"]);
/// ```
pub fn split(total: Money, count: u8) -> Vec<Money> {
    let part = Money::from_cents(total.cents() / i128::from(count.max(1)));
    let mut parts = vec![part; count.into()];
    let left_over = total - parts.iter().copied().sum();
    if let Some(first) = parts.first_mut() {
        *first += left_over;
    }
    parts
}

/// A date and the same day of each later month; in a shorter month, its last day.
///
/// ```
/// use finance_domain::installments::months_apart;
/// use time::macros::date;
///
/// let dates: Vec<_> = months_apart(date!(2026-01-31)).take(3).collect();
/// assert_eq!(dates, [date!(2026-01-31), date!(2026-02-28), date!(2026-03-31)]);
/// ```
pub fn months_apart(first: Date) -> impl Iterator<Item = Date> {
    (0..).map(move |later| Month::of(first).plus(later).day_clamped(first.day()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_sum_to_the_amount_and_differ_by_less_than_a_cent_each(cents in 99..1_000_000_000_i128, count in 2u8..=99) {
            let total = Money::from_cents(cents);
            let parts = split(total, count);
            prop_assert_eq!(parts.len(), usize::from(count));
            prop_assert_eq!(parts.iter().copied().sum::<Money>(), total);
            prop_assert!(parts.iter().all(|part| *part > Money::ZERO));
            prop_assert!(parts[1..].iter().all(|part| *part == parts[1]));
            prop_assert!((0..i128::from(count)).contains(&(parts[0] - parts[1]).cents()));
        }
    }
}
