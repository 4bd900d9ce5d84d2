//! Use cases of pending card statements.

use std::collections::HashSet;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::{PendingBillId, TransactionId};
use crate::imports::{Candidate, ImportTarget, StatementRow, Stored, judge};
use crate::pending_bills::{HeldStatement, PendingBill, PendingBillStatus};
use crate::store::Repo;
use crate::use_cases::imports::{self, Imported};
use crate::use_cases::ledger::{self, Written};

/// The caller's pending statements, by payment date.
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

/// Deletes a pending statement. Its rows can be imported again. Those that a later one repeats are the later one's.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::PendingBillSettled`](crate::Refusal::PendingBillSettled).
pub fn discard(repo: &mut dyn Repo, context: &Context, id: PendingBillId) -> Result<()> {
    let bill = find(repo, id)?.unsettled()?;
    hand_over(repo, &bill)?;
    repo.pending_bill_delete(id)?;
    ledger::finish(repo, context, Written::default(), &[])
}

/// Hands the rows of statements that an undo takes away over, as [`discard`] does.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn give_way(repo: &mut dyn Repo, ids: &[PendingBillId]) -> Result<()> {
    for id in ids {
        let bill = repo.pending_bill_get(*id)?.filter(|bill| bill.status == PendingBillStatus::Pending);
        if let Some(bill) = bill {
            hand_over(repo, &bill)?;
        }
    }
    Ok(())
}

/// Hands the rows of a statement that goes over to the statements of the card that repeat them, the earliest first.
fn hand_over(repo: &mut dyn Repo, bill: &PendingBill) -> Result<()> {
    let mut others = repo.pending_bill_list()?;
    others.retain(|other| other.account_id == bill.account_id && other.id > bill.id);
    others.sort_by_key(|other| other.id);
    if others.is_empty() {
        return Ok(());
    }
    // Each row is known by its place.
    let place = |at: usize| TransactionId(i64::try_from(at).unwrap_or(i64::MAX));
    let own = repo.pending_bill_rows(bill.id, false)?;
    let mut left: Vec<Stored> = own.iter().enumerate().map(|(at, row)| row.candidate().held(Some(place(at)))).collect();
    for other in others {
        let repeated = repo.pending_bill_rows(other.id, true)?;
        let repeated: Vec<Candidate> = repeated.iter().map(StatementRow::candidate).collect();
        let mut taken = HashSet::new();
        let judgements = judge(&repeated, &left).into_iter().enumerate();
        let pairs: Vec<(usize, usize)> = judgements
            .filter_map(|(to, judgement)| Some((judgement.duplicate_of?, to)))
            .filter(|(id, _)| taken.insert(*id))
            .filter_map(|(id, to)| Some((usize::try_from(id.0).ok()?, to)))
            .collect();
        if !pairs.is_empty() {
            repo.pending_bill_hand_over(bill.id, other.id, &pairs)?;
            left.retain(|stored| stored.id.is_none_or(|id| !taken.contains(&id)));
        }
    }
    Ok(())
}

fn find(repo: &mut dyn Repo, id: PendingBillId) -> Result<PendingBill> {
    repo.pending_bill_get(id)?.ok_or(Error::NotFound("pending bill"))
}
