//! Use cases of categories.

use std::collections::HashSet;

use crate::categories::{CATEGORIES_MAX, Category, CategoryInput, Planning};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::CategoryId;
use crate::month::Month;
use crate::store::Repo;
use crate::use_cases::gamification;
use crate::use_cases::ledger::{self, Written};
use crate::violations::Violation;

/// All categories of the caller, by name.
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Category>> {
    repo.category_list()
}

/// The categories that are no longer offered or suggested.
pub(crate) fn hidden(repo: &mut dyn Repo) -> Result<HashSet<CategoryId>> {
    let categories = repo.category_list()?.into_iter().filter(|category| category.planning.is_hidden);
    Ok(categories.map(|category| category.id).collect())
}

/// One category.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such category.
pub fn get(repo: &mut dyn Repo, id: CategoryId) -> Result<Category> {
    repo.category_get(id)?.ok_or(Error::NotFound("category"))
}

/// Creates a category.
///
/// # Errors
///
/// [`Error::Invalid`], [`Refusal::LimitReached`], or [`Refusal::CategoryNameTaken`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: CategoryInput) -> Result<Category> {
    let this_month = Month::of(context.today);
    let lexicon = &context.lexicon;
    let mut first = Planning::default();
    // Writers of one profile wait for each other, so what is counted and free holds until the insert.
    let count = if input.color.is_none() {
        let stored = repo.category_list()?;
        let taken = stored.iter().filter_map(|category| category.planning.color.as_deref());
        first.color = lexicon.colors.free(taken).map(str::to_string);
        stored.len()
    } else {
        repo.category_count()?
    };
    let new = input.check(&first, &lexicon.icons, &lexicon.colors, this_month)?;
    if count >= CATEGORIES_MAX {
        return Err(Refusal::LimitReached { what: "categories", max: CATEGORIES_MAX }.into());
    }
    let category = repo.category_insert(&new)?;
    let name = category.name.as_str();
    let mut events = vec![Event::CategoryCreated { name }];
    events.extend(category.monthly_budget.map(|_| Event::CategoryBudgeted { name }));
    gamification::notify(repo, context, &events)?;
    Ok(category)
}

/// Replaces the fields of a category. A standard category stays one.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], or [`Refusal::CategoryNameTaken`].
pub fn update(repo: &mut dyn Repo, context: &Context, id: CategoryId, input: CategoryInput) -> Result<Category> {
    let before = get(repo, id)?;
    let this_month = Month::of(context.today);
    let new = input.check(&before.planning, &context.lexicon.icons, &context.lexicon.colors, this_month)?;
    if new.monthly_budget != before.monthly_budget {
        let stored = repo.budget_list(Some(&[id]), Month::FIRST, this_month)?.remove(&id);
        let budgets = stored.unwrap_or_default().with_default(before.monthly_budget);
        if let Some((last, amount)) = budgets.former_of(new.monthly_budget, this_month) {
            repo.budget_default_keep(id, last, amount)?;
        }
    }
    let category = repo.category_update(id, &new)?.ok_or(Error::NotFound("category"))?;
    let mut written = Written::without_cards();
    written.note_budget(id, this_month);
    let is_budgeted = category.monthly_budget.is_some() && category.monthly_budget != before.monthly_budget;
    let events = is_budgeted.then_some(Event::CategoryBudgeted { name: &category.name });
    ledger::finish(repo, context, written, events.as_slice())?;
    Ok(category)
}

/// Deletes a category. With `move_to`, everything in it moves to that category.
///
/// # Errors
///
/// [`Error::NotFound`]; [`Refusal::StandardCategory`]; [`Refusal::CategoryInUse`] without `move_to`; or [`Error::Invalid`] if
/// `move_to` is not another category of the caller.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: CategoryId, move_to: Option<CategoryId>) -> Result<()> {
    if get(repo, id)?.is_standard {
        return Err(Refusal::StandardCategory.into());
    }
    let mut written = Written::without_cards();
    if let Some(to) = move_to {
        let mut errors = FieldErrors::default();
        // The category no longer exists after this.
        if to == id || repo.category_get(to)?.is_none() {
            errors.push("move_to", Violation::NoSuchCategory);
        }
        errors.into_result()?;
        ledger::move_category(repo, context, &mut written, id, to)?;
    }
    repo.category_delete(id)?;
    ledger::finish(repo, context, written, &[])
}
