//! What categories may spend in a month: their budgets, what is carried, and what was spent. Budgets, the dashboard and webhooks
//! share it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::budgets::{Budgets, MonthlySums, available, carried_into};
use crate::categories::Category;
use crate::error::Result;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::refunds::Sums;
use crate::store::Repo;
use crate::webhooks::Event;

/// Whether a category that carries since a month carries in another one. Nothing is carried before.
pub(crate) fn carries_into(since: Option<Month>, month: Month) -> bool {
    since.is_some_and(|since| month >= since)
}

/// The first month from which a category carries, or `month` if none begins earlier.
pub(crate) fn earliest(categories: &[Category], month: Month) -> Month {
    categories.iter().filter_map(|category| category.planning.carry_since).fold(month, Month::min)
}

/// The budgets of categories in the months from `first` to `last`, and in the month before `last`.
pub(crate) fn plans(
    repo: &mut dyn Repo,
    categories: &[Category],
    first: Month,
    last: Month,
) -> Result<HashMap<CategoryId, Budgets>> {
    let ids: Vec<CategoryId> = categories.iter().map(|category| category.id).collect();
    let mut stored = repo.budget_list(Some(&ids), first.min(last.minus(1)), last)?;
    Ok(categories
        .iter()
        .map(|category| {
            let budgets = stored.remove(&category.id).unwrap_or_default();
            (category.id, budgets.with_default(category.monthly_budget))
        })
        .collect())
}

/// The monthly sums by category.
pub(crate) type SumsByCategory = BTreeMap<Option<CategoryId>, MonthlySums>;

pub(crate) fn sums_by_category(
    repo: &mut dyn Repo,
    categories: &[Category],
    ids: Option<&[CategoryId]>,
    first: Month,
    last: Month,
) -> Result<SumsByCategory> {
    let nets: HashMap<CategoryId, bool> =
        categories.iter().map(|category| (category.id, category.planning.nets_refunds)).collect();
    let mut sums = SumsByCategory::new();
    for row in repo.category_months(ids, first, last)? {
        let nets_refunds = row.category_id.is_some_and(|id| nets.get(&id).copied().unwrap_or(false));
        let of_month = Sums::of_category(row.income, row.expenses, nets_refunds);
        sums.entry(row.category_id).or_default().insert(row.month, of_month);
    }
    Ok(sums)
}

/// Adds the sums of the months before `first` for the categories that carry something from them into `month`.
pub(crate) fn add_carried(
    repo: &mut dyn Repo,
    categories: &[Category],
    sums: &mut SumsByCategory,
    first: Month,
    month: Month,
) -> Result<()> {
    let begins_earlier = |category: &&Category| {
        category.planning.carry_since.is_some_and(|since| since < first && carries_into(Some(since), month))
    };
    let ids: Vec<CategoryId> = categories.iter().filter(begins_earlier).map(|category| category.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let since = earliest(categories, first);
    for (id, months) in sums_by_category(repo, categories, Some(&ids), since, first.minus(1))? {
        sums.entry(id).or_default().extend(months);
    }
    Ok(())
}

/// What a category may spend in a month: its budget, what is carried into it, and what was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// The budget with what is carried. None if there is neither.
    pub(crate) allowed: Option<Money>,
    /// What was spent, less refunds.
    pub(crate) spent: Money,
}

impl Allowance {
    /// What may still be spent.
    pub(crate) fn available(&self) -> Option<Money> {
        self.allowed.map(|allowed| allowed - self.spent)
    }
}

/// The allowances of some categories in a month.
pub(crate) fn allowances(
    repo: &mut dyn Repo,
    categories: &[Category],
    month: Month,
) -> Result<HashMap<CategoryId, Allowance>> {
    let ids: Vec<CategoryId> = categories.iter().map(|category| category.id).collect();
    let mut sums = sums_by_category(repo, categories, Some(&ids), month, month)?;
    add_carried(repo, categories, &mut sums, month, month)?;
    let plans = plans(repo, categories, earliest(categories, month), month)?;
    let (none, no_plan) = (MonthlySums::new(), Budgets::default());
    let allowance = |category: &Category| {
        let months = sums.get(&Some(category.id)).unwrap_or(&none);
        let budgets = plans.get(&category.id).unwrap_or(&no_plan);
        let since = category.planning.carry_since;
        let carried =
            carries_into(since, month).then(|| carried_into(month, category.planning.carry, since, budgets, months));
        let spent = months.get(&month).map(Sums::spent).unwrap_or_default();
        let left = available(budgets.of(month), carried, spent);
        (category.id, Allowance { allowed: left.map(|left| left + spent), spent })
    };
    Ok(categories.iter().map(allowance).collect())
}

/// The events of the categories whose allowance of this month is exceeded, after something was written in these months. An
/// earlier month matters only to a category that carries.
pub(crate) fn exceeded(
    repo: &mut dyn Repo,
    this_month: Month,
    written: &BTreeSet<(CategoryId, Month)>,
) -> Result<Vec<Event>> {
    let mut categories = repo.category_list()?;
    categories.retain(|category| {
        let from = category.planning.carry_since.filter(|since| *since <= this_month).unwrap_or(this_month);
        written.range((category.id, from)..=(category.id, this_month)).next().is_some()
    });
    if categories.is_empty() {
        return Ok(Vec::new());
    }
    let allowances = allowances(repo, &categories, this_month)?;
    let event = |category: &Category| {
        let Allowance { allowed, spent } = *allowances.get(&category.id)?;
        let budget = allowed.filter(|allowed| *allowed < spent)?;
        Some(Event::BudgetExceeded { category_id: category.id, month: this_month, budget, spent })
    };
    Ok(categories.iter().filter_map(event).collect())
}
