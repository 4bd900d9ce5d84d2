//! Totals of a month, and spending by category.

use time::Date;

use crate::error::Result;
use crate::ids::CategoryId;
use crate::money::{Money, Percentage};
use crate::month::Month;
use crate::refunds::Sums;

/// Income and expenses of a month. Transfers and opening balances do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthTotals {
    /// The month.
    pub month: Month,
    /// All income.
    pub income: Money,
    /// All expenses, taxes included.
    pub expenses: Money,
    /// The expenses in categories that are taxes.
    pub taxes: Money,
    /// The part of the income that is refunds. Income and expenses include it, so that they are what the accounts saw.
    pub refunds: Money,
}

impl MonthTotals {
    /// A month without transactions.
    pub fn empty(month: Month) -> Self {
        let zero = Money::ZERO;
        MonthTotals { month, income: zero, expenses: zero, taxes: zero, refunds: zero }
    }

    /// What was spent: the expenses, less the refunds.
    pub fn spent(&self) -> Money {
        self.expenses - self.refunds
    }

    /// The month's savings, as [`savings_pct`] defines them.
    pub fn savings_pct(&self) -> Option<Percentage> {
        savings_pct(self.income, self.expenses, self.taxes)
    }
}

/// The expenses of one category in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategorySpending {
    /// The category. None for expenses without one.
    pub category_id: Option<CategoryId>,
    /// The name of the category. None for expenses without one.
    pub name: Option<String>,
    /// The month's sums. A category is listed if it has expenses.
    pub sums: Sums,
    /// The default budget of the category, if it has one.
    pub monthly_budget: Option<Money>,
    /// The budget of the month, if it has one.
    pub budget: Option<Money>,
    /// The first month from which something is carried.
    pub carry_since: Option<Month>,
}

/// 100 × (income − expenses) / (income − taxes): the share of the income after taxes
/// that was not spent. None if income − taxes is not above zero.
///
/// ```
/// use finance_domain::dashboard::savings_pct;
/// use finance_domain::Money;
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let pct = savings_pct(reais(5_000), reais(3_500), reais(500)).unwrap();
/// assert_eq!(pct.to_string(), "33.33");
/// assert_eq!(savings_pct(reais(500), reais(100), reais(500)), None);
/// ```
pub fn savings_pct(income: Money, expenses: Money, taxes: Money) -> Option<Percentage> {
    let disposable = (income - taxes).cents();
    if disposable <= 0 {
        return None;
    }
    Percentage::ratio((income - expenses).cents(), disposable)
}

/// The sums of the months up to the month that is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonthFigures {
    /// The totals of those with any income or expense, oldest first.
    pub totals: Vec<MonthTotals>,
    /// The first month of all with any income or expense. None if the profile has no transactions that count.
    pub first: Option<Month>,
    /// Whether the profile has pending card statements. Few have, so most callers need no read of them.
    pub has_pending_bills: bool,
    /// The spending by category in the last month, largest first.
    pub spending: Vec<CategorySpending>,
    /// The sum of the last month's budgets. None if no category has one.
    pub planned: Option<Money>,
    /// Whether any month has a budget.
    pub has_budgets: bool,
    /// The goal of savings in the profile's settings. None if they were never stored.
    pub savings_goal_pct: Option<Percentage>,
}

/// What was spent until today, as far as sums by month do not tell it. Refunds are taken off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// In this month, until today.
    pub spent: Money,
    /// The sum of the month's budgets. None if no category has one.
    pub planned: Option<Money>,
    /// In the month before, until the same day of it.
    pub previous: Money,
    /// The mean of the three months before, each until the same day, of fewer if the profile has fewer. None if there is a plan, or no
    /// month before.
    pub average: Option<Money>,
}

/// The months before this one whose mean is compared with.
pub const PACE_MONTHS: i32 = 3;

/// The port of the dashboard's sums. It may fail as [`Store::transact`](crate::Store::transact) does.
pub trait DashboardRepo {
    /// The sums of the months from `first` to `last`, in one query.
    fn month_figures(&mut self, first: Month, last: Month) -> Result<MonthFigures>;
    /// What was spent in each of the periods, refunds taken off. The rows of the periods are added up.
    fn spent_in(&mut self, periods: &[(Date, Date)]) -> Result<Vec<Money>>;
}
