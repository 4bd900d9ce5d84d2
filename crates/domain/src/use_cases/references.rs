//! Checks of the accounts and categories that an input refers to.

use crate::accounts::AccountKind;
use crate::error::{Error, FieldErrors, Result};
use crate::ids::{AccountId, CategoryId};
use crate::references::References;
use crate::store::Repo;
use crate::violations::Violation;

/// Fails with [`Error::NotFound`] if the caller has no such account.
pub(crate) fn require_account(repo: &mut dyn Repo, id: AccountId) -> Result<()> {
    match repo.references_get(None, Some(id))?.account_kind {
        Some(_) => Ok(()),
        None => Err(Error::NotFound("account")),
    }
}

/// Adds an error to the field if the caller has no such account.
pub(crate) fn check_account(
    repo: &mut dyn Repo,
    field: &str,
    id: Option<AccountId>,
    errors: &mut FieldErrors,
) -> Result<()> {
    if id.is_some() && repo.references_get(None, id)?.account_kind.is_none() {
        errors.push(field, Violation::NoSuchAccount);
    }
    Ok(())
}

/// Adds an error to `category_id` or `account_id` if the caller has no such category or account. Returns the kind of the account.
pub(crate) fn check(
    repo: &mut dyn Repo,
    category_id: Option<CategoryId>,
    account_id: Option<AccountId>,
    errors: &mut FieldErrors,
) -> Result<Option<AccountKind>> {
    if category_id.is_none() && account_id.is_none() {
        return Ok(None);
    }
    let References { has_category, account_kind } = repo.references_get(category_id, account_id)?;
    if category_id.is_some() && !has_category {
        errors.push("category_id", Violation::NoSuchCategory);
    }
    if account_id.is_some() && account_kind.is_none() {
        errors.push("account_id", Violation::NoSuchAccount);
    }
    Ok(account_kind)
}
