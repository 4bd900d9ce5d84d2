//! Which incomes a household lives from.

use time::Date;

use crate::money::Money;
use crate::month::Month;

/// How many complete months tell what a household earns.
const MONTHS: i32 = 3;

/// What is known of the income of some months.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownIncome {
    /// What was earned in all of them.
    pub sum: Money,
    /// The first month of all with any income or expense. None if the profile has no transactions that count.
    pub first: Option<Month>,
    /// Whether the profile has pending card statements. Few have, so most callers need no read of them.
    pub has_pending_bills: bool,
}

/// An income is a main one if it is at least a quarter of the mean.
const PARTS: i128 = 4;

/// What a household earned in the last complete months. It tells a salary from an income on the side.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::forecast::MainIncome;
/// use time::macros::date;
///
/// let month = |text: &str| text.parse().unwrap();
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let today = date!(2026-03-10);
/// assert_eq!(MainIncome::months(today), (month("2025-12"), month("2026-02")));
/// let of = MainIncome::new(today, Some(month("2026-01")), reais(5_000) + reais(7_000));
/// assert!(of.is_main(reais(1_500)));
/// assert!(!of.is_main(reais(1_499)), "a quarter of the mean of two months, as there are no earlier ones");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MainIncome {
    /// The income of all the months.
    sum: Money,
    /// How many months they are. If there are none, every income is a main one.
    months: i128,
}

impl MainIncome {
    /// The first and the last of the months that tell it.
    pub fn months(today: Date) -> (Month, Month) {
        let this_month = Month::of(today);
        (this_month.minus(MONTHS), this_month.minus(1))
    }

    /// From the first month of all with income or expenses, and what was earned in [these months](Self::months).
    pub fn new(today: Date, first_month: Option<Month>, sum: Money) -> Self {
        let Some(first_month) = first_month else { return MainIncome::default() };
        let (first, last) = Self::months(today);
        MainIncome { sum, months: i128::from(last.since(first.max(first_month)) + 1).max(0) }
    }

    /// Whether an expected income of that amount is a main one.
    pub fn is_main(&self, amount: Money) -> bool {
        amount > Money::ZERO && amount.cents() * self.months * PARTS >= self.sum.cents()
    }
}
