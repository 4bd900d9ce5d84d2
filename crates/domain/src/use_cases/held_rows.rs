//! Rows that a held statement repeats: they count where another import or held statement brought them, while they are there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::context::Context;
use crate::error::Result;
use crate::ids::PendingBillId;
use crate::imports::{Candidate, Comparison, StatementRow, Stored, judge};
use crate::pending_bills::PendingBill;
use crate::store::Repo;
use crate::transfers::Choice;
use crate::use_cases::recognition::{self, Depth};

/// Makes the rows that held statements repeat, and that are stored nowhere else any more, rows of their own: the statements ask for them.
/// They are those that a confirm would insert.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn own_again(repo: &mut dyn Repo, context: &Context) -> Result<()> {
    let repeating = repo.pending_bill_repeating()?;
    if repeating.is_empty() {
        return Ok(());
    }
    let held = repo.pending_bill_list()?;
    let mut own_rows = OwnRows::new();
    for id in repeating {
        let Some(bill) = held.iter().find(|bill| bill.id == id) else { continue };
        let rows = repo.pending_bill_rows(id, true)?;
        let left = nowhere_else(repo, bill, &held, &rows, &mut own_rows)?;
        if left.is_empty() {
            continue;
        }
        let left_rows: Vec<(usize, &StatementRow)> = left.iter().map(|at| (*at, &rows[*at])).collect();
        let are_transfers = are_transfers(repo, context, bill, &left_rows)?;
        let own: Vec<(usize, bool)> = left.into_iter().zip(are_transfers).collect();
        repo.pending_bill_own(id, &own)?;
        own_rows.remove(&id);
    }
    Ok(())
}

/// The rows of their own of the held statements that were read so far, so that each is read once for all that are compared with it.
type OwnRows = HashMap<PendingBillId, Vec<Stored>>;

/// The places of the repeated rows of a statement that are neither stored nor in another held statement.
fn nowhere_else(
    repo: &mut dyn Repo,
    bill: &PendingBill,
    held: &[PendingBill],
    rows: &[StatementRow],
    own_rows: &mut OwnRows,
) -> Result<Vec<usize>> {
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let mut stored = repo.stored_rows(&Comparison::of(bill.account_id, &candidates))?;
    // Held rows have no id. Those of the statement itself are others than these.
    stored.retain(|stored| stored.id.is_some());
    let left = |stored: &[Stored]| -> Vec<usize> {
        let judgements = judge(&candidates, stored).into_iter().enumerate();
        judgements.filter(|(_, judgement)| !judgement.duplicate).map(|(at, _)| at).collect()
    };
    let unstored = left(&stored);
    if unstored.is_empty() {
        return Ok(unstored);
    }
    let is_compared = |other: &&PendingBill| {
        let is_of_card = bill.account_id.is_none() || other.account_id.is_none() || other.account_id == bill.account_id;
        other.id != bill.id && is_of_card
    };
    for other in held.iter().filter(is_compared) {
        let own = match own_rows.entry(other.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unread) => {
                let rows = repo.pending_bill_rows(other.id, false)?;
                unread.insert(rows.iter().map(|row| row.candidate().held(None)).collect())
            }
        };
        stored.extend_from_slice(own);
    }
    Ok(left(&stored))
}

/// Whether the rows, given with their places, will be transfers, such as the payment of the previous bill.
fn are_transfers(
    repo: &mut dyn Repo,
    context: &Context,
    bill: &PendingBill,
    rows: &[(usize, &StatementRow)],
) -> Result<Vec<bool>> {
    let account = match bill.account_id {
        Some(id) => repo.account_get(id, context.today)?,
        None => None,
    };
    if account.is_none() {
        return Ok(rows.iter().map(|(_, row)| row.choice == Choice::Transfer).collect());
    }
    let found = recognition::transfers(repo, context, account.as_ref(), rows, Depth::Certain)?;
    Ok(found.of_rows.iter().map(Option::is_some).collect())
}
