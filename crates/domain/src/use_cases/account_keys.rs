//! Use cases of the keys by which accounts are known again in statements.

use crate::account_keys::AccountKey;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::store::Repo;

/// The keys of an account, the newest first.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn list(repo: &mut dyn Repo, id: AccountId) -> Result<Vec<AccountKey>> {
    find(repo, id)?;
    repo.account_keys(id)
}

/// Forgets the keys of an account.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn forget(repo: &mut dyn Repo, id: AccountId) -> Result<()> {
    find(repo, id)?;
    repo.account_keys_forget(id)
}

fn find(repo: &mut dyn Repo, id: AccountId) -> Result<()> {
    match repo.references_get(None, Some(id))?.account_kind {
        Some(_) => Ok(()),
        None => Err(Error::NotFound("account")),
    }
}
