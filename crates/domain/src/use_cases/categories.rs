//! Use cases of categories.

use crate::categories::{CATEGORIES_MAX, Category, CategoryInput};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::CategoryId;
use crate::store::Repo;
use crate::use_cases::gamification;

/// All categories of the caller, by name.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Category>> {
    repo.category_list()
}

/// One category.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such category.
pub fn get(repo: &mut dyn Repo, id: CategoryId) -> Result<Category> {
    repo.category_get(id)?.ok_or(Error::NotFound("category"))
}

/// Creates a category.
///
/// # Errors
///
/// [`Error::Invalid`], [`Refusal::LimitReached`], or [`Refusal::CategoryNameTaken`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: CategoryInput) -> Result<Category> {
    let new = input.check()?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.category_count()? >= CATEGORIES_MAX {
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
    let category = repo.category_update(id, &input.check()?)?.ok_or(Error::NotFound("category"))?;
    if category.monthly_budget.is_some() && category.monthly_budget != before.monthly_budget {
        gamification::notify(repo, context, &[Event::CategoryBudgeted { name: &category.name }])?;
    }
    Ok(category)
}

/// Deletes a category.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::StandardCategory`] or [`Refusal::CategoryInUse`].
pub fn delete(repo: &mut dyn Repo, id: CategoryId) -> Result<()> {
    if get(repo, id)?.is_standard {
        return Err(Refusal::StandardCategory.into());
    }
    repo.category_delete(id)
}

/// Adds an error to the field where the caller has no such category.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn check_reference(
    repo: &mut dyn Repo,
    field: &str,
    id: Option<CategoryId>,
    errors: &mut FieldErrors,
) -> Result<()> {
    if let Some(id) = id
        && repo.category_get(id)?.is_none()
    {
        errors.push(field, "no such category");
    }
    Ok(())
}
