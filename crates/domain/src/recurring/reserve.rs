//! What is set aside each month for items that are due less than once a month.

use std::num::NonZeroU32;

use time::Date;

use crate::ids::RecurringId;
use crate::money::Money;

use super::rhythm::months_over;

/// What is set aside today for one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserve {
    /// The item.
    pub recurring_id: RecurringId,
    /// Its description.
    pub description: String,
    /// Its next due.
    pub due: Date,
    /// The day on which the money goes out. From then on nothing is set aside.
    pub ends_on: Date,
    /// The expected amount.
    pub amount: Money,
    /// The part of it that is set aside.
    pub reserved: Money,
}

/// The part of an amount that is set aside today: as many of `months` equal parts as months before the due are over, half-even.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::recurring::reserved;
/// use time::macros::date;
///
/// let today = date!(2026 - 03 - 10);
/// assert_eq!(reserved(Money::from_cents(240_000), date!(2027 - 01 - 20), 12, today), Money::from_cents(20_000));
/// assert_eq!(reserved(Money::from_cents(120_000), date!(2026 - 04 - 01), 12, today), Money::from_cents(110_000));
/// assert_eq!(reserved(Money::from_cents(100), date!(2026 - 05 - 01), 3, today), Money::from_cents(33));
/// ```
pub fn reserved(amount: Money, due: Date, months: i32, today: Date) -> Money {
    let Some(whole) = u32::try_from(months).ok().and_then(NonZeroU32::new) else { return Money::ZERO };
    amount.share(months_over(due, months, today), whole)
}
