//! Finds the rows of a statement that are stored already, for previews and confirms.

use std::collections::{HashMap, HashSet};

use crate::accounts::Account;
use crate::context::Context;
use crate::error::Result;
use crate::ids::TransactionId;
use crate::imports::{Candidate, Comparison, ImportTarget, Judgement, StatementRow, judge};
use crate::store::Repo;
use crate::transactions::{NewTransaction, Transaction};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{installments, recognition};

/// A transaction that was created here and that matches a row of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnRow {
    /// A leg of a transfer.
    Leg(TransactionId),
    /// An instalment.
    Installment(TransactionId),
    /// What a person entered.
    Entered(TransactionId),
}

impl OwnRow {
    pub(crate) fn id(self) -> TransactionId {
        match self {
            OwnRow::Leg(id) | OwnRow::Installment(id) | OwnRow::Entered(id) => id,
        }
    }
}

/// A row, and whether it is stored already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedRow {
    /// How it compares with what is stored. Transactions created here count as stored.
    pub(crate) judgement: Judgement,
    /// The transaction created here that it matches, if any.
    pub(crate) own_row: Option<OwnRow>,
}

/// Compares the rows of a statement with stored transactions: first with all of them, then with the legs of transfers and
/// the instalments that were entered here. The result is in the order of the rows.
pub(crate) fn compare(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: &[StatementRow],
    candidates: &[Candidate],
) -> Result<Vec<ComparedRow>> {
    let comparison =
        Comparison { entered_after: target.held_at, ..Comparison::of(account.map(|account| account.id), candidates) };
    let stored = repo.stored_rows(&comparison)?;
    let judged = judge(candidates, &stored).into_iter();
    let mut known: Vec<ComparedRow> = judged.map(|judgement| ComparedRow { judgement, own_row: None }).collect();
    let Some(account) = account else { return Ok(known) };
    let new = |known: &[ComparedRow]| (0..rows.len()).filter(|at| !known[*at].judgement.duplicate).collect::<Vec<_>>();

    let left = new(&known);
    let left_rows: Vec<&StatementRow> = left.iter().map(|at| &rows[*at]).collect();
    let legs = recognition::legs(repo, context, account, &left_rows)?;
    let legs = legs.into_iter().map(|leg| leg.map(|leg| leg.id)).collect();
    note(&mut known, &left, legs, OwnRow::Leg);

    // The transaction that a row duplicates may be an entered instalment that a statement now lists.
    let may_be_entered = |known: &ComparedRow| {
        let Judgement { duplicate, duplicate_of, .. } = known.judgement;
        known.own_row.is_none() && (!duplicate || duplicate_of.is_some())
    };
    let places: Vec<usize> = (0..rows.len()).filter(|at| may_be_entered(&known[*at])).collect();
    let open_rows: Vec<_> = places.iter().map(|at| (&rows[*at], known[*at].judgement.duplicate_of)).collect();
    let filled = installments::filled(repo, account, target, &open_rows)?;
    note(&mut known, &places, filled, OwnRow::Installment);

    let entered: HashSet<TransactionId> = stored.iter().filter(|one| one.is_entered).filter_map(|one| one.id).collect();
    for known in known.iter_mut().filter(|known| known.own_row.is_none()) {
        known.own_row = known.judgement.duplicate_of.filter(|id| entered.contains(id)).map(OwnRow::Entered);
    }
    Ok(known)
}

fn note(
    known: &mut [ComparedRow],
    places: &[usize],
    found: Vec<Option<TransactionId>>,
    own_row: impl Fn(TransactionId) -> OwnRow,
) {
    for (at, id) in places.iter().zip(found) {
        if let Some(id) = id {
            known[*at].own_row = Some(own_row(id));
            (known[*at].judgement.duplicate, known[*at].judgement.duplicate_of) = (true, Some(id));
        }
    }
}

/// A row as it would be stored if it were new and no transfer.
fn as_new(account: &Account, target: &ImportTarget, row: &StatementRow) -> NewTransaction {
    let moved_to = target.effective_date();
    NewTransaction {
        account_id: Some(account.id),
        external_id: row.external_id.clone(),
        original_date: moved_to.map(|_| row.date),
        ..NewTransaction::new(row.kind, moved_to.unwrap_or(row.date), row.statement_description(), row.amount)
    }
}

/// Records the statement's values for transactions created here. An instalment also takes the statement's date. The rows have the
/// ids to store.
pub(crate) fn update(
    repo: &mut dyn Repo,
    written: &mut Written,
    account: &Account,
    target: &ImportTarget,
    matched: &[(OwnRow, StatementRow)],
) -> Result<()> {
    if matched.is_empty() {
        return Ok(());
    }
    let rows: HashMap<TransactionId, &(OwnRow, StatementRow)> =
        matched.iter().map(|matched| (matched.0.id(), matched)).collect();
    let known = repo.transaction_list_of(&rows.keys().copied().collect::<Vec<_>>())?;
    let edit = |known: &Transaction| {
        let (own_row, row) = rows.get(&known.id)?;
        Some(match own_row {
            OwnRow::Leg(_) | OwnRow::Entered(_) => known.recognised(&as_new(account, &ImportTarget::default(), row)),
            OwnRow::Installment(_) => known.filled(&as_new(account, target, row)),
        })
    };
    ledger::edit(repo, written, &known.iter().filter_map(edit).collect::<Vec<_>>())?;
    Ok(())
}
