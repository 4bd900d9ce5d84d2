//! Use cases of transactions.

use std::collections::HashSet;

use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::TransactionId;
use crate::month::Month;
use crate::store::Repo;
use crate::text;
use crate::transactions::{NewTransaction, Source, Transaction, TransactionFilter, TransactionInput};
use crate::use_cases::{accounts, categories, gamification};

/// The caller's transactions that pass the filter, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, filter: &TransactionFilter) -> Result<Vec<Transaction>> {
    repo.transaction_list(filter)
}

/// One transaction.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transaction.
pub fn get(repo: &mut dyn Repo, id: TransactionId) -> Result<Transaction> {
    repo.transaction_get(id)?.ok_or(Error::NotFound("transaction"))
}

/// Creates a manual transaction.
///
/// # Errors
///
/// [`Error::Invalid`], or [`Refusal::DuplicateExternalId`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: TransactionInput) -> Result<Transaction> {
    let new = check(repo, input, None)?;
    let mut stored = repo.transaction_insert(&[new])?;
    let transaction = stored.pop().ok_or_else(|| Error::Internal("an insert returned no row".into()))?;
    let Transaction { date, kind, amount, ref description, .. } = transaction;
    gamification::notify(repo, context, &[Event::TransactionCreated { date, kind, amount, description }])?;
    Ok(transaction)
}

/// Replaces the fields of a transaction.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::TransferLeg`], [`Error::Invalid`], or [`Refusal::DuplicateExternalId`].
pub fn update(repo: &mut dyn Repo, id: TransactionId, input: TransactionInput) -> Result<Transaction> {
    let before = get(repo, id)?;
    if before.transfer_id.is_some() {
        return Err(Refusal::TransferLeg.into());
    }
    let mut new = check(repo, input, Some(&before))?;
    if before.source != Source::Manual {
        // The bank's id is what tells a re-import; a client does not change it.
        new.external_id = before.external_id;
    }
    repo.transaction_update(id, &new)?.ok_or(Error::NotFound("transaction"))
}

/// Deletes a transaction. With one leg of a transfer the other is deleted.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transaction.
pub fn delete(repo: &mut dyn Repo, id: TransactionId) -> Result<()> {
    match repo.transaction_delete(&HashSet::from([id]))? {
        0 => Err(Error::NotFound("transaction")),
        _ => Ok(()),
    }
}

/// Deletes all the caller's transactions of a month. Returns how many.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn delete_month(repo: &mut dyn Repo, month: Month) -> Result<u64> {
    repo.transaction_delete_month(month)
}

/// Applies the rules, including those about the category and the account.
fn check(repo: &mut dyn Repo, input: TransactionInput, before: Option<&Transaction>) -> Result<NewTransaction> {
    let mut errors = input.errors;
    let kind = errors.require("type", input.kind);
    let date = errors.require("date", input.date);
    let description = errors
        .require("description", input.description)
        .and_then(|text| errors.check("description", text::description(&text)));
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let external_id = input.external_id.and_then(|id| errors.check("external_id", text::optional(&id))).flatten();
    categories::check_reference(repo, "category_id", input.category_id, &mut errors)?;
    accounts::check_reference(repo, "account_id", input.account_id, &mut errors)?;
    if let Some(before) = before.filter(|before| before.belongs_to_its_account())
        && input.account_id != before.account_id
    {
        errors.push("account_id", "cannot change on a yield or an opening balance");
    }
    errors.into_result()?;
    let (Some(kind), Some(date), Some(description), Some(amount)) = (kind, date, description, amount) else {
        return Err(Error::Internal("a required field passed the check without a value".into()));
    };
    Ok(NewTransaction {
        category_id: input.category_id,
        account_id: input.account_id,
        external_id,
        ..NewTransaction::new(kind, date, description, amount)
    })
}
