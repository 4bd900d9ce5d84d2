//! Use cases of budgets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use time::Date;

use crate::budgets::{
    BudgetChange, BudgetInput, BudgetTotals, Budgets, CategoryMonth, FillFrom, MonthBudget, MonthlySums, average,
    carried_into, check_changes, check_month,
};
use crate::categories::{Carry, Category, group_key, in_order};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::gamification::Event;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::refunds::Sums;
use crate::store::Repo;
use crate::transactions::Kind;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::recurring;
use crate::violations::Violation;
use crate::webhooks::Notice;

/// The budgets of a month, with what was spent and what is left.
///
/// # Errors
///
/// [`Error::Invalid`] at `month` if it is too long ago or too far ahead.
pub fn read(repo: &mut dyn Repo, today: Date, month: Month) -> Result<MonthBudget> {
    let this_month = Month::of(today);
    check_month(month, this_month).map_err(|violation| Error::invalid("month", violation))?;
    let categories = repo.category_list()?;
    let lines = lines(repo, &categories, this_month, month)?;
    let total = BudgetTotals::of(&lines);
    let income = total.sums.income - total.sums.refunds;
    let mut expected = Money::ZERO;
    if month >= this_month {
        let items = recurring::list(repo, month)?;
        let open = items.iter().filter(|state| state.item.kind == Kind::Income && state.status.is_open());
        expected = open.map(|state| state.item.amount).sum();
    }
    let mut groups: Vec<(Option<String>, Vec<&CategoryMonth>)> = Vec::new();
    for line in &lines {
        let key = line.group.as_deref().map(group_key);
        match groups.iter_mut().find(|(group, _)| group.as_deref().map(group_key) == key) {
            Some((_, of_group)) => of_group.push(line),
            None => groups.push((line.group.clone(), vec![line])),
        }
    }
    let groups = groups.into_iter().map(|(group, of_group)| (group, BudgetTotals::of(of_group))).collect();
    Ok(MonthBudget { month, income, income_expected: income + expected, total, groups, categories: lines })
}

/// The categories in a month, in order, the rows without category last.
fn lines(
    repo: &mut dyn Repo,
    categories: &[Category],
    this_month: Month,
    month: Month,
) -> Result<Vec<CategoryMonth>> {
    let first_month = repo.first_month()?;
    // The averages reach back from this month if the month is later.
    let first = month.min(this_month).minus(12).min(month.minus(12));
    let mut sums = sums_by_category(repo, categories, None, first, month)?;
    add_carried(repo, categories, &mut sums, first, month)?;
    let plans = plans(repo, categories, first.min(earliest(categories, first)), month)?;
    let none = MonthlySums::new();
    let line = |category: Option<&Category>, budgets: &Budgets| {
        let months = sums.get(&category.map(|category| category.id)).unwrap_or(&none);
        let planning = category.map(|category| &category.planning);
        let (carry, since) = planning.map_or((Carry::None, None), |planning| (planning.carry, planning.carry_since));
        let year_before = month.minus(12);
        let of = |month| months.get(&month).copied().unwrap_or_default();
        CategoryMonth {
            category_id: category.map(|category| category.id),
            name: category.map(|category| category.name.clone()),
            group: planning.and_then(|planning| planning.group.clone()),
            is_hidden: planning.is_some_and(|planning| planning.is_hidden),
            carry,
            own: budgets.own(month),
            budget: budgets.of(month),
            budget_before: budgets.of(month.minus(1)),
            carried_in: carries_into(since, month).then(|| carried_into(month, carry, since, budgets, months)),
            sums: of(month),
            average3: average(3, month, this_month, first_month, months),
            average12: average(12, month, this_month, first_month, months),
            last_year: first_month.filter(|first| year_before >= *first).map(|_| of(year_before).spent()),
        }
    };
    let order = in_order(categories, |category| {
        (category.planning.position, category.name.clone(), category.planning.group.clone())
    });
    let (no_plan, mut lines) = (Budgets::default(), Vec::with_capacity(categories.len() + 1));
    lines.extend(order.into_iter().map(|at| {
        let category = &categories[at];
        line(Some(category), plans.get(&category.id).unwrap_or(&no_plan))
    }));
    if sums.contains_key(&None) {
        lines.push(line(None, &no_plan));
    }
    Ok(lines)
}

/// Whether a category that carries since a month carries in another one. Nothing is carried before.
fn carries_into(since: Option<Month>, month: Month) -> bool {
    since.is_some_and(|since| month >= since)
}

/// The first month from which a category carries, or `month` if none begins earlier.
fn earliest(categories: &[Category], month: Month) -> Month {
    categories.iter().filter_map(|category| category.planning.carry_since).fold(month, Month::min)
}

/// The budgets of categories in the months from `first` to `last`, and in the month before `last`.
fn plans(
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
type SumsByCategory = BTreeMap<Option<CategoryId>, MonthlySums>;

fn sums_by_category(
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
fn add_carried(
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
        let carried = carries_into(since, month)
            .then(|| carried_into(month, category.planning.carry, since, budgets, months));
        let spent = months.get(&month).map(Sums::spent).unwrap_or_default();
        let left = crate::budgets::available(budgets.of(month), carried, spent);
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
) -> Result<Vec<Notice>> {
    let mut categories = repo.category_list()?;
    categories.retain(|category| {
        let from = category.planning.carry_since.filter(|since| *since <= this_month).unwrap_or(this_month);
        written.range((category.id, from)..=(category.id, this_month)).next().is_some()
    });
    if categories.is_empty() {
        return Ok(Vec::new());
    }
    let allowances = allowances(repo, &categories, this_month)?;
    let notice = |category: &Category| {
        let Allowance { allowed, spent } = *allowances.get(&category.id)?;
        let budget = allowed.filter(|allowed| *allowed < spent)?;
        Some(Notice::BudgetExceeded { category_id: category.id, month: this_month, budget, spent })
    };
    Ok(categories.iter().filter_map(notice).collect())
}

/// Sets the own amounts of a month, all or none, and returns the month.
///
/// # Errors
///
/// [`Error::Invalid`] at `month` or at the fields of `budgets`.
pub fn set(
    repo: &mut dyn Repo,
    context: &Context,
    month: Month,
    budgets: Option<Vec<Option<BudgetInput>>>,
    mut errors: FieldErrors,
) -> Result<MonthBudget> {
    errors.check("month", check_month(month, Month::of(context.today)));
    let categories = repo.category_list()?;
    let changes = check_changes(budgets, errors, |id| categories.iter().any(|category| category.id == id))?;
    store(repo, context, &categories, month, &changes)?;
    read(repo, context.today, month)
}

/// Sets the own amounts of a month from other months, and returns the month. Without `ids`, hidden categories and own amounts are
/// left as they are.
///
/// # Errors
///
/// [`Error::Invalid`] at `month`, `from` or `category_ids`.
pub fn fill(
    repo: &mut dyn Repo,
    context: &Context,
    month: Month,
    from: Option<FillFrom>,
    ids: Option<Vec<Option<CategoryId>>>,
    mut errors: FieldErrors,
) -> Result<MonthBudget> {
    let this_month = Month::of(context.today);
    errors.check("month", check_month(month, this_month));
    let from = errors.require("from", from);
    let categories = repo.category_list()?;
    if ids.as_ref().is_some_and(|ids| ids.len() > crate::budgets::BUDGETS_MAX) {
        errors.push("category_ids", Violation::TooMany { max: crate::budgets::BUDGETS_MAX as i64 });
        return Err(Error::Invalid(errors));
    }
    for (at, id) in ids.iter().flatten().enumerate() {
        if id.is_some_and(|id| !categories.iter().any(|category| category.id == id)) {
            errors.push(format!("category_ids[{at}]"), Violation::NoSuchCategory);
        }
    }
    errors.into_result()?;
    let Some(from) = from else { return Err(Error::Internal("a required field passed the check".into())) };
    let is_meant = |line: &CategoryMonth| match &ids {
        Some(ids) => ids.contains(&line.category_id),
        None => !line.is_hidden && line.own.is_none(),
    };
    let lines = lines(repo, &categories, this_month, month)?;
    let changes: Vec<BudgetChange> = lines
        .iter()
        .filter(|line| is_meant(line))
        .filter_map(|line| {
            let (category_id, amount) = line.category_id.zip(line.filled(from))?;
            Some(BudgetChange { category_id, amount: Some(amount) })
        })
        .collect();
    store(repo, context, &categories, month, &changes)?;
    read(repo, context.today, month)
}

fn store(
    repo: &mut dyn Repo,
    context: &Context,
    categories: &[Category],
    month: Month,
    changes: &[BudgetChange],
) -> Result<()> {
    let mut written = Written::without_cards();
    ledger::set_budgets(repo, &mut written, month, changes)?;
    let is_set = |category: &&Category| {
        changes.iter().any(|change| change.category_id == category.id && change.amount.is_some())
    };
    let events: Vec<Event<'_>> =
        categories.iter().filter(is_set).map(|category| Event::CategoryBudgeted { name: &category.name }).collect();
    ledger::finish(repo, context, written, &events)
}
