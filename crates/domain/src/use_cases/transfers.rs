//! Use cases of transfers.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gamification::Event;
use crate::ids::TransferId;
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, NewTransaction, Source, Transaction};
use crate::transfers::{NewTransfer, Transfer, TransferInput};
use crate::use_cases::{accounts, gamification};

/// The description of a transfer that was given none, in the users' language.
const DESCRIPTION: &str = "Transferência";

/// One transfer.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer.
pub fn get(repo: &mut dyn Repo, id: TransferId) -> Result<Transfer> {
    repo.transfer_get(id)?.ok_or(Error::NotFound("transfer"))
}

/// Creates a transfer.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: TransferInput) -> Result<Transfer> {
    let new = check(repo, input)?;
    let transfer = insert(repo, new)?;
    let Transaction { date, amount, ref description, .. } = transfer.from;
    gamification::notify(repo, context, &[Event::TransferCreated { date, amount, description }])?;
    Ok(transfer)
}

/// Deletes a transfer with both legs.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer.
pub fn delete(repo: &mut dyn Repo, id: TransferId) -> Result<()> {
    if repo.transfer_delete(id)? { Ok(()) } else { Err(Error::NotFound("transfer")) }
}

/// Stores a checked transfer.
pub(crate) fn insert(repo: &mut dyn Repo, new: NewTransfer) -> Result<Transfer> {
    let id = repo.transfer_insert()?;
    let leg = |kind, account_id| NewTransaction {
        account_id: Some(account_id),
        source: Source::Transfer,
        transfer_id: Some(id),
        ..NewTransaction::new(kind, new.date, new.description.as_str(), new.amount)
    };
    let legs = [leg(Kind::Expense, new.from_account_id), leg(Kind::Income, new.to_account_id)];
    let stored = repo.transaction_insert(&legs)?;
    let [from, to] =
        <[Transaction; 2]>::try_from(stored).map_err(|_| Error::Internal("two legs were not stored as two".into()))?;
    Ok(Transfer { id, from, to })
}

/// Applies the rules, including those about the accounts.
fn check(repo: &mut dyn Repo, input: TransferInput) -> Result<NewTransfer> {
    let mut errors = input.errors;
    let from_account_id = errors.require("from_account_id", input.from_account_id);
    accounts::check_reference(repo, "from_account_id", from_account_id, &mut errors)?;
    let to_account_id = errors.require("to_account_id", input.to_account_id);
    accounts::check_reference(repo, "to_account_id", to_account_id, &mut errors)?;
    if from_account_id.is_some() && from_account_id == to_account_id {
        errors.push("to_account_id", "must be another account than from_account_id");
    }
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let date = errors.require("date", input.date);
    let description = input.description.filter(|text| !text.trim().is_empty());
    let description = description.unwrap_or_else(|| DESCRIPTION.to_string());
    let description = errors.check("description", text::description(&description));
    errors.into_result()?;
    let (Some(from_account_id), Some(to_account_id), Some(amount), Some(date), Some(description)) =
        (from_account_id, to_account_id, amount, date, description)
    else {
        return Err(Error::Internal("a required field passed the check without a value".into()));
    };
    Ok(NewTransfer { from_account_id, to_account_id, amount, date, description })
}
