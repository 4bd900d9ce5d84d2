//! Budgets by month: the budget of a month, what is carried into it, and what a fill sets.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;

use crate::categories::Carry;
use crate::error::{Error, FieldErrors, Result};
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::refunds::Sums;
use crate::violations::Violation;
use crate::words::words;

/// How many months ago a month may be whose budgets are read or set.
pub const MONTHS_BACK_MAX: i32 = 120;
/// How many months ahead a month may be whose budgets are read or set.
pub const MONTHS_AHEAD_MAX: i32 = 24;
/// The most budgets that one request sets, and the most categories that it fills.
pub const BUDGETS_MAX: usize = 500;

/// Checks that the budgets of a month can be read and set.
///
/// # Errors
///
/// [`Violation::OutOfRange`].
pub fn check_month(month: Month, this_month: Month) -> Result<Month, Violation> {
    let (first, last) = (this_month.minus(MONTHS_BACK_MAX), this_month.plus(MONTHS_AHEAD_MAX));
    match (first..=last).contains(&month) {
        true => Ok(month),
        false => Err(Violation::out_of_range(first.to_string(), last.to_string())),
    }
}

/// The budgets of a category in all months that were read.
///
/// ```
/// use finance_domain::budgets::Budgets;
/// use finance_domain::{Money, Month};
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let month = |text: &str| text.parse::<Month>().unwrap();
/// let mut budgets = Budgets::new(Some(reais(600)));
/// // The default was 500 until the end of 2025, and nothing until the end of 2024.
/// budgets.add_former(month("2025-12"), Some(reais(500)));
/// budgets.add_former(month("2024-12"), None);
/// budgets.add_own(month("2025-12"), reais(800));
/// assert_eq!(budgets.of(month("2026-01")), Some(reais(600)));
/// assert_eq!(budgets.of(month("2025-12")), Some(reais(800)));
/// assert_eq!(budgets.of(month("2025-01")), Some(reais(500)));
/// assert_eq!(budgets.of(month("2024-12")), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budgets {
    /// The default of this month and of those to come.
    default: Option<Money>,
    /// The defaults of earlier times, by the last month in which each held.
    former: BTreeMap<Month, Option<Money>>,
    /// The amounts of single months.
    own: BTreeMap<Month, Money>,
}

impl Budgets {
    /// With the present default.
    pub fn new(default: Option<Money>) -> Self {
        Budgets { default, ..Budgets::default() }
    }

    /// The same with another present default.
    #[must_use]
    pub fn with_default(self, default: Option<Money>) -> Self {
        Budgets { default, ..self }
    }

    /// Adds a default that held until the end of `last`.
    pub fn add_former(&mut self, last: Month, amount: Option<Money>) {
        self.former.insert(last, amount);
    }

    /// Adds the amount of a month.
    pub fn add_own(&mut self, month: Month, amount: Money) {
        self.own.insert(month, amount);
    }

    /// The month's own amount.
    pub fn own(&self, month: Month) -> Option<Money> {
        self.own.get(&month).copied()
    }

    /// The budget of a month: its own amount, or the default of its time.
    pub fn of(&self, month: Month) -> Option<Money> {
        let of_its_time = || self.former.range(month..).next().map_or(self.default, |(_, amount)| *amount);
        self.own(month).or_else(of_its_time)
    }

    /// What is kept when the default changes to `after`: the last month of the former default, with its amount. The first default
    /// holds for all months; a changed one holds from this month on.
    ///
    /// ```
    /// use finance_domain::Money;
    /// use finance_domain::budgets::Budgets;
    ///
    /// let some = |units: i128| Some(Money::from_cents(units * 100));
    /// let (may, april) = ("2026-05".parse().unwrap(), "2026-04".parse().unwrap());
    /// assert_eq!(Budgets::new(None).former_of(some(500), may), None, "the first one");
    /// assert_eq!(Budgets::new(some(500)).former_of(some(600), may), Some((april, some(500))));
    /// let mut ended = Budgets::new(None);
    /// ended.add_former(april, some(500));
    /// assert_eq!(ended.former_of(some(500), may), None, "April has its default already");
    /// ```
    pub fn former_of(&self, after: Option<Money>, this_month: Month) -> Option<(Month, Option<Money>)> {
        let last = this_month.minus(1);
        let is_first = self.default.is_none() && self.former.is_empty();
        let is_kept = is_first || self.default == after || self.former.contains_key(&last);
        (!is_kept).then_some((last, self.default))
    }
}

/// The sums of a category by month. A month without transactions has none.
pub type MonthlySums = BTreeMap<Month, Sums>;

/// What is carried into a month: nothing into the first month; into a later one what the month before it had left, which is what
/// was carried into that one and its budget, less what was spent. Without a deficit if only a surplus is carried.
///
/// ```
/// use finance_domain::budgets::{Budgets, MonthlySums, carried_into};
/// use finance_domain::categories::Carry;
/// use finance_domain::refunds::Sums;
/// use finance_domain::{Money, Month};
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let month = |text: &str| text.parse::<Month>().unwrap();
/// let budgets = Budgets::new(Some(reais(200)));
/// let spent = |units| Sums::of_category(Money::ZERO, reais(units), true);
/// let sums = MonthlySums::from([(month("2026-01"), spent(290)), (month("2026-02"), spent(150))]);
/// let into = |carry, text| carried_into(month(text), carry, Some(month("2026-01")), &budgets, &sums);
/// assert_eq!(into(Carry::Both, "2026-03"), reais(-40));
/// assert_eq!(into(Carry::Surplus, "2026-03"), reais(50));
/// assert_eq!(into(Carry::Both, "2026-01"), Money::ZERO);
/// assert_eq!(into(Carry::None, "2026-03"), Money::ZERO);
/// ```
pub fn carried_into(month: Month, carry: Carry, since: Option<Month>, budgets: &Budgets, sums: &MonthlySums) -> Money {
    let Some(since) = since.filter(|_| carry != Carry::None) else { return Money::ZERO };
    since.up_to(month.minus(1)).fold(Money::ZERO, |carried, before| {
        let spent = sums.get(&before).map(Sums::spent).unwrap_or_default();
        let left = carried + budgets.of(before).unwrap_or_default() - spent;
        if carry == Carry::Surplus { left.max(Money::ZERO) } else { left }
    })
}

/// What may still be spent. None if there is neither a budget nor something that is carried.
pub fn available(budget: Option<Money>, carried_in: Option<Money>, spent: Money) -> Option<Money> {
    let is_planned = budget.is_some() || carried_in.is_some();
    is_planned.then(|| carried_in.unwrap_or_default() + budget.unwrap_or_default() - spent)
}

/// The mean of what was spent in the last `count` months before `month` that are over, rounded half-even; fewer months if the
/// books begin later. None if they begin no earlier.
///
/// ```
/// use finance_domain::budgets::{MonthlySums, average};
/// use finance_domain::refunds::Sums;
/// use finance_domain::{Money, Month};
///
/// let month = |text: &str| text.parse::<Month>().unwrap();
/// let spent = |cents| Sums::of_category(Money::ZERO, Money::from_cents(cents), true);
/// let sums = MonthlySums::from([(month("2026-01"), spent(100)), (month("2026-02"), spent(105))]);
/// let (march, books) = (month("2026-03"), Some(month("2025-01")));
/// assert_eq!(average(3, march, march, books, &sums), Some(Money::from_cents(68)));
/// assert_eq!(average(3, month("2026-09"), march, books, &sums), Some(Money::from_cents(68)), "of months that are over");
/// assert_eq!(average(3, march, march, Some(month("2026-01")), &sums), Some(Money::from_cents(102)), "half to even");
/// assert_eq!(average(3, march, march, Some(march), &sums), None);
/// ```
pub fn average(
    count: i32,
    month: Month,
    this_month: Month,
    first_month: Option<Month>,
    sums: &MonthlySums,
) -> Option<Money> {
    let end = month.min(this_month);
    let first_month = first_month?;
    let months: Vec<Month> =
        (1..=count).map(|before| end.minus(before)).filter(|before| *before >= first_month).collect();
    let months_counted = u32::try_from(months.len()).ok().and_then(NonZeroU32::new)?;
    let total: Money = months.iter().filter_map(|month| sums.get(month)).map(Sums::spent).sum();
    Some(total.share(1, months_counted))
}

words! {
    /// What a fill sets budgets to.
    pub enum FillFrom {
        /// The budget of the month before.
        Previous = "previous",
        /// The mean of the three months before.
        Average3 = "average3",
        /// The mean of the twelve months before.
        Average12 = "average12",
        /// What was spent in the month a year before.
        LastYear = "last_year",
    }
}

/// A category in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryMonth {
    /// The category. None for rows without one.
    pub category_id: Option<CategoryId>,
    /// Its name.
    pub name: Option<String>,
    /// Its group.
    pub group: Option<String>,
    /// Whether it is no longer offered.
    pub is_hidden: bool,
    /// What is left of its budget in the next month.
    pub carry: Carry,
    /// The month's own amount.
    pub own: Option<Money>,
    /// The month's budget: its own amount, or the default of its time.
    pub budget: Option<Money>,
    /// The budget of the month before.
    pub budget_before: Option<Money>,
    /// What is carried into the month. None if nothing is carried in this month.
    pub carried_in: Option<Money>,
    /// What was spent and refunded.
    pub sums: Sums,
    /// The mean of the three months before.
    pub average3: Option<Money>,
    /// The mean of the twelve months before.
    pub average12: Option<Money>,
    /// What was spent in the month a year before. None before the books begin.
    pub last_year: Option<Money>,
}

impl CategoryMonth {
    /// What may still be spent.
    pub fn available(&self) -> Option<Money> {
        available(self.budget, self.carried_in, self.sums.spent())
    }

    /// What a fill sets as the month's own amount. None if it changes nothing.
    pub fn filled(&self, from: FillFrom) -> Option<Money> {
        let above_zero = |figure: Option<Money>| figure.filter(|figure| *figure > Money::ZERO);
        let amount = match from {
            FillFrom::Previous => self.budget_before,
            FillFrom::Average3 => above_zero(self.average3),
            FillFrom::Average12 => above_zero(self.average12),
            FillFrom::LastYear => above_zero(self.last_year),
        };
        // No budget is larger than a transaction.
        amount.filter(|amount| self.budget != Some(*amount) && *amount <= Money::TRANSACTION_MAX)
    }
}

/// The sums of several categories in a month. A category without a figure counts as 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetTotals {
    /// Their budgets.
    pub budget: Money,
    /// What is carried into the month.
    pub carried_in: Money,
    /// What was spent and refunded.
    pub sums: Sums,
    /// What may still be spent.
    pub available: Money,
}

impl BudgetTotals {
    /// The sums of categories.
    pub fn of<'c>(categories: impl IntoIterator<Item = &'c CategoryMonth>) -> Self {
        let mut totals = BudgetTotals::default();
        for category in categories {
            totals.budget += category.budget.unwrap_or_default();
            totals.carried_in += category.carried_in.unwrap_or_default();
            totals.sums += category.sums;
            totals.available += category.available().unwrap_or_default();
        }
        totals
    }
}

/// The budgets of a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthBudget {
    /// The month.
    pub month: Month,
    /// The income of the month, without refunds.
    pub income: Money,
    /// The same with the recurring incomes that are still expected.
    pub income_expected: Money,
    /// The sums of all categories.
    pub total: BudgetTotals,
    /// The sums of each group, in order.
    pub groups: Vec<(Option<String>, BudgetTotals)>,
    /// The categories, in order.
    pub categories: Vec<CategoryMonth>,
}

impl MonthBudget {
    /// The expected income that no category has as its budget.
    pub fn to_distribute(&self) -> Money {
        self.income_expected - self.total.budget
    }
}

/// A budget to set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetChange {
    /// The category.
    pub category_id: CategoryId,
    /// The month's own amount. None: the default holds again.
    pub amount: Option<Money>,
}

/// A budget to set, as a client sends it.
#[derive(Debug, Clone, Copy, Default)]
pub struct BudgetInput {
    /// Required.
    pub category_id: Option<CategoryId>,
    /// 0 to 9999999999.99. The default holds again if absent.
    pub amount: Option<Money>,
}

/// Checks the budgets that a client sends. An element is None if it could not be read; `errors` says so already.
///
/// # Errors
///
/// [`Error::Invalid`] with every broken rule.
pub fn check_changes(
    budgets: Option<Vec<Option<BudgetInput>>>,
    mut errors: FieldErrors,
    is_known: impl Fn(CategoryId) -> bool,
) -> Result<Vec<BudgetChange>> {
    let budgets = errors.require("budgets", budgets).unwrap_or_default();
    if budgets.is_empty() {
        errors.push("budgets", Violation::Empty);
    }
    if budgets.len() > BUDGETS_MAX {
        errors.push("budgets", Violation::TooMany { max: BUDGETS_MAX as i64 });
        return Err(Error::Invalid(errors));
    }
    let mut changes: Vec<BudgetChange> = Vec::with_capacity(budgets.len());
    for (at, budget) in budgets.into_iter().enumerate() {
        let Some(BudgetInput { category_id, amount }) = budget else { continue };
        let (category, of_amount) = (format!("budgets[{at}].category_id"), format!("budgets[{at}].amount"));
        if amount.is_some_and(|amount| amount < Money::ZERO || amount > Money::TRANSACTION_MAX) {
            errors.push(of_amount, Violation::out_of_range(0, Money::TRANSACTION_MAX));
        }
        let Some(category_id) = errors.require(&category, category_id) else { continue };
        if !is_known(category_id) {
            errors.push(category, Violation::NoSuchCategory);
        } else if changes.iter().any(|change| change.category_id == category_id) {
            errors.push(category, Violation::GivenTwice);
        } else {
            changes.push(BudgetChange { category_id, amount });
        }
    }
    errors.into_result()?;
    Ok(changes)
}

/// The port of budgets. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait BudgetRepo {
    /// The own amounts of the months from `first` to `last`, and the former defaults that held in one of them or later, of all
    /// categories or of these. Categories without any are left out; the present default is not set.
    fn budget_list(
        &mut self,
        categories: Option<&[CategoryId]>,
        first: Month,
        last: Month,
    ) -> Result<HashMap<CategoryId, Budgets>>;
    /// Sets own amounts of a month, or removes them.
    fn budget_set(&mut self, month: Month, changes: &[BudgetChange]) -> Result<()>;
    /// Keeps a default that held until the end of `last`.
    fn budget_default_keep(&mut self, id: CategoryId, last: Month, amount: Option<Money>) -> Result<()>;
    /// The income and the expenses of all categories, or of these, in each month from `first` to `last`, from kept sums. The key
    /// None has the rows without category.
    fn category_months(
        &mut self,
        categories: Option<&[CategoryId]>,
        first: Month,
        last: Month,
    ) -> Result<Vec<CategorySums>>;
    /// The first month with income or expenses.
    fn first_month(&mut self) -> Result<Option<Month>>;
}

/// The income and the expenses of a category in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategorySums {
    /// The category. None for rows without one.
    pub category_id: Option<CategoryId>,
    /// The month.
    pub month: Month,
    /// All income.
    pub income: Money,
    /// All expenses.
    pub expenses: Money,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    /// The carry of a surplus by another path: the largest of the sums of what was left over the last months, however many.
    fn surplus_by_sums(left: &[i128]) -> i128 {
        let sums = (0..=left.len()).map(|from| left[from..].iter().sum::<i128>());
        sums.max().unwrap_or(0).max(0)
    }

    proptest! {
        #[test]
        fn ten_years_carry_to_the_cent(
            months in proptest::collection::vec((0..60_000_i128, 0..90_000_i128, proptest::option::of(0..80_000_i128)), 1..121),
        ) {
            let first = month("2016-01");
            let (mut budgets, mut sums, mut left) = (Budgets::new(Some(Money::from_cents(40_000))), MonthlySums::new(), Vec::new());
            for (later, (income, expenses, own)) in (0..).zip(&months) {
                let at = first.plus(later);
                sums.insert(at, Sums::of_category(Money::from_cents(*income), Money::from_cents(*expenses), true));
                if let Some(own) = own {
                    budgets.add_own(at, Money::from_cents(*own));
                }
                left.push(own.unwrap_or(40_000) - (expenses - income));
            }
            let end = first.plus(i32::try_from(months.len()).unwrap());
            let into = |carry| carried_into(end, carry, Some(first), &budgets, &sums).cents();
            prop_assert_eq!(into(Carry::Both), left.iter().sum::<i128>());
            prop_assert_eq!(into(Carry::Surplus), surplus_by_sums(&left));
        }
    }

    #[test]
    fn a_fill_sets_what_differs() {
        let line = CategoryMonth {
            category_id: Some(CategoryId(1)),
            name: None,
            group: None,
            is_hidden: false,
            carry: Carry::None,
            own: None,
            budget: Some(Money::from_cents(500)),
            budget_before: Some(Money::from_cents(500)),
            carried_in: None,
            sums: Sums::default(),
            average3: Some(Money::from_cents(-100)),
            average12: Some(Money::from_cents(700)),
            last_year: None,
        };
        let filled = |from| line.filled(from).map(Money::cents);
        assert_eq!(filled(FillFrom::Previous), None, "it is the same");
        assert_eq!(filled(FillFrom::Average3), None, "it is not above 0");
        assert_eq!(filled(FillFrom::Average12), Some(700));
        assert_eq!(filled(FillFrom::LastYear), None);
        let other = CategoryMonth { budget: None, ..line };
        assert_eq!(other.filled(FillFrom::Previous).map(Money::cents), Some(500));
        assert_eq!(other.available(), None);
        assert_eq!(CategoryMonth { carried_in: Some(Money::ZERO), ..other }.available(), Some(Money::ZERO));
    }

    #[test]
    fn months_are_120_back_to_24_ahead() {
        let judged = |text| check_month(month(text), month("2026-03")).is_ok();
        assert!(judged("2016-03") && judged("2028-03") && !judged("2016-02") && !judged("2028-04"));
    }
}
