//! The opening balances that the service keeps: those that follow anchors, and those of cards. Beside `ledger.rs`, which brings both
//! up to date after every write, this is the only writer of transactions: the bills depend on these.

use crate::anchors;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::openings::{Opening, StoredOpening};
use crate::store::Repo;
use crate::transactions::NewTransaction;

/// Makes the opening balances that follow anchors what the rows and the anchors require.
///
/// # Errors
///
/// [`Error::Invalid`] if one is larger than any transaction.
pub(crate) fn follow(repo: &mut dyn Repo) -> Result<()> {
    for followed in repo.anchor_followed()? {
        let wanted = anchors::opening(&followed);
        if let Some(opening) = wanted {
            opening.balance.stated_balance().map_err(|violation| Error::invalid("amount", violation))?;
        }
        keep(repo, followed.account_id, &followed.openings, wanted)?;
    }
    Ok(())
}

/// Makes the opening balance of an account what the service wants it to be, in the place of the stored ones. Returns what is stored
/// then. It counts in the balance only, so nothing else follows.
pub(crate) fn keep(
    repo: &mut dyn Repo,
    account_id: AccountId,
    stored: &[StoredOpening],
    wanted: Option<Opening>,
) -> Result<Vec<StoredOpening>> {
    let (kept, others) = match (stored, wanted) {
        ([first, others @ ..], Some(_)) => (Some(first), others),
        (all, _) => (None, all),
    };
    if !others.is_empty() {
        repo.transaction_delete(&others.iter().map(|other| other.id).collect())?;
    }
    let Some(opening) = wanted else { return Ok(Vec::new()) };
    if let Some(kept) = kept.filter(|kept| kept.opening == opening) {
        return Ok(vec![*kept]);
    }
    let missing = || Error::Internal("an opening balance is not there".into());
    let new = NewTransaction::opening(account_id, opening);
    let id = match kept {
        Some(kept) => {
            let before = repo.transaction_list_of(&[kept.id])?.pop().ok_or_else(missing)?;
            repo.transaction_update(&[before.edited(new)])?;
            kept.id
        }
        None => repo.transaction_insert(&[new])?.pop().ok_or_else(missing)?.id,
    };
    Ok(vec![StoredOpening { id, opening }])
}
