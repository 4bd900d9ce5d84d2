//! Use cases of the keys by which accounts are known again in statements.

use crate::account_keys::AccountKey;
use crate::error::Result;
use crate::ids::AccountId;
use crate::store::Repo;
use crate::use_cases::references::require_account;

/// The keys of an account, the newest first.
///
/// # Errors
///
/// [`Error::NotFound`](crate::Error::NotFound) if the caller has no such account.
pub fn list(repo: &mut dyn Repo, id: AccountId) -> Result<Vec<AccountKey>> {
    require_account(repo, id)?;
    repo.account_keys(id)
}

/// Forgets the keys of an account.
///
/// # Errors
///
/// [`Error::NotFound`](crate::Error::NotFound) if the caller has no such account.
pub fn forget(repo: &mut dyn Repo, id: AccountId) -> Result<()> {
    require_account(repo, id)?;
    repo.account_keys_forget(id)
}
