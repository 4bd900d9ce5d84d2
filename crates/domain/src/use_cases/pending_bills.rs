//! Use cases of pending card statements.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::PendingBillId;
use crate::imports::ImportTarget;
use crate::pending_bills::{HeldStatement, PendingBill};
use crate::store::Repo;
use crate::use_cases::imports::{self, Imported};
use crate::use_cases::ledger::{self, Written};

/// The caller's pending statements, by payment date.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<PendingBill>> {
    repo.pending_bill_list()
}

/// One statement, pending or confirmed, with its rows.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such statement.
pub fn get(repo: &mut dyn Repo, id: PendingBillId) -> Result<HeldStatement> {
    let bill = find(repo, id)?;
    Ok(HeldStatement { bill, rows: repo.pending_bill_rows(id, false)? })
}

/// Inserts the rows of a pending statement like [`imports::confirm`], at any date and only once.
///
/// Rows that were entered in another way meanwhile are duplicates and are skipped. Those that other imports brought before are theirs too
/// from then on.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::PendingBillSettled`](crate::Refusal::PendingBillSettled).
pub fn confirm(repo: &mut dyn Repo, context: &Context, id: PendingBillId) -> Result<Imported> {
    let bill = find(repo, id)?.unsettled()?;
    let (rows, repeated) = (repo.pending_bill_rows(id, false)?, repo.pending_bill_rows(id, true)?);
    // The statement is settled first: its own rows must not count as stored.
    repo.pending_bill_settle(id)?;
    let (payment_date, held_at) = (Some(bill.payment_date), Some(bill.created_at));
    let target = ImportTarget { account_id: bill.account_id, is_credit_card: true, payment_date, held_at };
    let imported = imports::insert(repo, context, &target, (bill.format, bill.file_name), rows, repeated)?;
    if let Some(import_id) = imported.import_id {
        repo.inbox_follow(id, import_id)?;
    }
    Ok(imported)
}

/// Deletes a pending statement. Its rows can be imported again.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::PendingBillSettled`](crate::Refusal::PendingBillSettled).
pub fn discard(repo: &mut dyn Repo, context: &Context, id: PendingBillId) -> Result<()> {
    find(repo, id)?.unsettled()?;
    repo.pending_bill_delete(id)?;
    ledger::finish(repo, context, Written::default(), &[])
}

fn find(repo: &mut dyn Repo, id: PendingBillId) -> Result<PendingBill> {
    repo.pending_bill_get(id)?.ok_or(Error::NotFound("pending bill"))
}
