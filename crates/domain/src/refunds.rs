//! Refunds: the one rule for the dashboard, budgets, reports, awards and webhooks.
//!
//! An income in a category that [nets refunds](crate::categories::Planning::nets_refunds) gives back what was spent in it.
//! Income and expenses themselves are never netted.

use std::ops::AddAssign;

use crate::money::Money;

/// Sums of transactions that [count](crate::transactions::counts). The lines of a split transaction count instead of it.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::refunds::Sums;
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let clothes = Sums::of_category(reais(50), reais(110), true);
/// let salary = Sums::of_category(reais(5_000), Money::ZERO, false);
/// assert_eq!((clothes.spent(), salary.spent()), (reais(60), Money::ZERO));
/// let mut month = clothes;
/// month += salary;
/// assert_eq!((month.income, month.refunds), (reais(5_050), reais(50)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// All income, refunds included.
    pub income: Money,
    /// All expenses.
    pub expenses: Money,
    /// The part of the income that is refunds.
    pub refunds: Money,
}

impl Sums {
    /// The sums of one category.
    pub fn of_category(income: Money, expenses: Money, nets_refunds: bool) -> Self {
        Sums { income, expenses, refunds: if nets_refunds { income } else { Money::ZERO } }
    }

    /// Expenses less refunds.
    pub fn spent(&self) -> Money {
        self.expenses - self.refunds
    }

    /// Whether no transaction is counted. Amounts of transactions are above zero.
    pub fn is_empty(&self) -> bool {
        *self == Sums::default()
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.income += other.income;
        self.expenses += other.expenses;
        self.refunds += other.refunds;
    }
}

impl std::iter::Sum for Sums {
    fn sum<I: Iterator<Item = Sums>>(all: I) -> Sums {
        all.fold(Sums::default(), |mut sum, sums| {
            sum += sums;
            sum
        })
    }
}
