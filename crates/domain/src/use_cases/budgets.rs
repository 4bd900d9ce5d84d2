//! Use cases of budgets.

use crate::budgets::{
    BUDGETS_MAX, BudgetChange, BudgetInput, BudgetTotals, Budgets, CategoryMonth, FillFrom, MonthBudget, MonthlySums,
    average, carried_into, check_changes, check_month,
};
use crate::categories::{Carry, Category, group_key, in_order};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::gamification::Event;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::store::Repo;
use crate::transactions::Kind;
use crate::use_cases::allowances::{add_carried, carries_into, earliest, plans, sums_by_category};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::recurring;
use crate::violations::Violation;

/// The budgets of a month, with what was spent and what is left.
///
/// # Errors
///
/// [`Error::Invalid`] at `month` if it is too long ago or too far ahead.
pub fn read(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<MonthBudget> {
    let today = context.today;
    let this_month = Month::of(today);
    check_month(month, this_month).map_err(|violation| Error::invalid("month", violation))?;
    let categories = repo.category_list()?;
    let lines = lines(repo, &categories, this_month, month)?;
    let total = BudgetTotals::of(&lines);
    let income = total.sums.income - total.sums.refunds;
    let mut expected = Money::ZERO;
    if month >= this_month {
        let states = recurring::states(repo, context, (month, month))?;
        let open = recurring::open_in(&states, month, today);
        expected = open.filter(|(item, _)| item.kind == Kind::Income).map(|(_, one)| one.amount).sum();
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

/// Tells webhooks which budgets of this month are exceeded in a profile that was restored.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn tell_restored(repo: &mut dyn Repo, context: &Context) -> Result<()> {
    let mut written = Written::without_cards();
    for category in repo.category_list()? {
        written.note_budget(category.id, Month::of(context.today));
    }
    ledger::finish(repo, context, written, &[])
}

/// The categories in a month, in order, the rows without category last.
fn lines(repo: &mut dyn Repo, categories: &[Category], this_month: Month, month: Month) -> Result<Vec<CategoryMonth>> {
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
    read(repo, context, month)
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
    if ids.as_ref().is_some_and(|ids| ids.len() > BUDGETS_MAX) {
        errors.push("category_ids", Violation::TooMany { max: BUDGETS_MAX as i64 });
        return Err(Error::Invalid(errors));
    }
    for (at, id) in ids.iter().flatten().enumerate() {
        if id.is_some_and(|id| !categories.iter().any(|category| category.id == id)) {
            errors.push(format!("category_ids[{at}]"), Violation::NoSuchCategory);
        }
    }
    let (from,) = errors.all((from,))?;
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
    read(repo, context, month)
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
