//! Use cases of transfers.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gamification::Event;
use crate::ids::TransferId;
use crate::store::Repo;
use crate::text;
use crate::transactions::Transaction;
use crate::transfers::{NewTransfer, Transfer, TransferInput};
use crate::use_cases::ledger::{self, Written, only};
use crate::use_cases::payers;
use crate::use_cases::references;
use crate::violations::Violation;

/// The description of a transfer that has none, in the users' language.
const DESCRIPTION: &str = "Transferência";

/// One transfer.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transfer.
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
    let mut written = Written::default();
    let transfer = insert(repo, &mut written, &new)?;
    let Transaction { date, amount, ref description, .. } = transfer.from;
    ledger::finish(repo, context, written, &[Event::TransferCreated { date, amount, description }])?;
    payers::ask(repo, context, [&transfer.to])?;
    Ok(transfer)
}

/// Stores a checked transfer.
pub(crate) fn insert(repo: &mut dyn Repo, written: &mut Written, new: &NewTransfer) -> Result<Transfer> {
    let id = only(ledger::new_transfers(repo, 1)?)?;
    let stored = ledger::insert(repo, written, &new.legs(id))?;
    let [from, to] =
        <[Transaction; 2]>::try_from(stored).map_err(|_| Error::Internal("two legs were not stored as two".into()))?;
    Ok(Transfer { id, from, to })
}

/// Applies the rules, including those about the accounts.
fn check(repo: &mut dyn Repo, input: TransferInput) -> Result<NewTransfer> {
    let mut errors = input.errors;
    let from_account_id = errors.require("from_account_id", input.from_account_id);
    references::check_account(repo, "from_account_id", from_account_id, &mut errors)?;
    let to_account_id = errors.require("to_account_id", input.to_account_id);
    references::check_account(repo, "to_account_id", to_account_id, &mut errors)?;
    if from_account_id.is_some() && from_account_id == to_account_id {
        errors.push("to_account_id", Violation::SameAccount);
    }
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let date = errors.require("date", input.date);
    let description = input.description.filter(|text| !text.trim().is_empty());
    let description = description.unwrap_or_else(|| DESCRIPTION.to_string());
    let description = errors.check("description", text::description(&description));
    let (from_account_id, to_account_id, amount, date, description) =
        errors.all((from_account_id, to_account_id, amount, date, description))?;
    Ok(NewTransfer { from_account_id, to_account_id, amount, date, description })
}
