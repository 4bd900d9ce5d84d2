//! Which incomes a household lives from.

use time::Date;

use crate::dashboard::MonthTotals;
use crate::money::Money;
use crate::month::Month;

/// How many complete months tell what a household earns.
pub const INCOME_MONTHS: i32 = 3;

/// An income is a main one if it is at least a quarter of the mean.
const PARTS: i128 = 4;

/// What a household earned in the last complete months. It tells a salary from an income on the side.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::dashboard::MonthTotals;
/// use finance_domain::forecast::MainIncome;
/// use time::macros::date;
///
/// let month = |text: &str| text.parse().unwrap();
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let earned = |of: &str, units| MonthTotals { income: reais(units), ..MonthTotals::empty(month(of)) };
/// let totals = [earned("2026-01", 5_000), earned("2026-02", 7_000)];
/// let of = MainIncome::new(date!(2026-03-10), Some(month("2026-01")), &totals);
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
    /// From the totals of the months before `today`, and the first month with income or expenses.
    pub fn new(today: Date, first_month: Option<Month>, totals: &[MonthTotals]) -> Self {
        let this_month = Month::of(today);
        let Some(first) = first_month else { return MainIncome::default() };
        let first = first.max(this_month.minus(INCOME_MONTHS));
        let counted = (1..=INCOME_MONTHS).filter(|back| this_month.minus(*back) >= first).count();
        let is_counted = |of: &&MonthTotals| of.month >= first && of.month < this_month;
        let sum = totals.iter().filter(is_counted).map(|of| of.income).sum();
        MainIncome { sum, months: counted as i128 }
    }

    /// Whether an expected income of that amount is a main one.
    pub fn is_main(&self, amount: Money) -> bool {
        amount > Money::ZERO && amount.cents() * self.months * PARTS >= self.sum.cents()
    }
}
