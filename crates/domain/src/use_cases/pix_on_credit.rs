//! Pix on credit: what a card lends to an account and the equal Pix of that day, of which one was stored before the other.

use std::collections::{BTreeMap, HashSet};

use time::Date;

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::error::Result;
use crate::ids::TransactionId;
use crate::store::Repo;
use crate::transactions::{Kind, Tie, Transaction};
use crate::transfers::{DayKey, Evidence, KeptCards, OwnNames, Row, StoredSide, on_credit};
use crate::use_cases::ledger::{self, Written};

/// The stored rows that may be the other half of new rows, which are on accounts that are no cards.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn other_halves(repo: &mut dyn Repo, rows: &[Row]) -> Result<Vec<StoredSide>> {
    let keys: HashSet<DayKey> = rows
        .iter()
        .filter(|row| row.account_kind != AccountKind::Credit)
        .filter_map(|row| other_kind(row.kind, row.evidence).map(|other| (row, other)))
        .flat_map(|(row, other)| {
            let Row { account_id, amount, date, .. } = *row;
            // Rows like it, too: they may have taken the other half already.
            [row.kind, other].map(|kind| DayKey { account_id, kind, amount, date })
        })
        .collect();
    if keys.is_empty() { Ok(Vec::new()) } else { repo.sides_of_days(&keys.into_iter().collect::<Vec<_>>()) }
}

fn other_kind(kind: Kind, evidence: Evidence) -> Option<Kind> {
    match kind {
        Kind::Income if evidence.lent => Some(Kind::Expense),
        Kind::Expense if evidence.moved => Some(Kind::Income),
        _ => None,
    }
}

/// Makes the stored halves of new transfers transfers too. Returns their ids, with their types and dates.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn complete(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    new: &[Transaction],
) -> Result<Vec<StoredSide>> {
    let evidence = |row: &Transaction| context.phrases.evidence(row.statement_description());
    let halves = new.iter().filter(|row| row.is_transfer && row.transfer_id.is_none()).filter_map(|row| {
        let kind = other_kind(row.kind, evidence(row))?;
        Some((row.account_id?, row.kind, kind, row.amount, row.statement_date()))
    });
    let keys: HashSet<DayKey> = halves
        .flat_map(|(account_id, own, other, amount, date)| {
            [own, other].map(|kind| DayKey { account_id, kind, amount, date })
        })
        .collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sides = repo.sides_of_days(&keys.into_iter().collect::<Vec<_>>())?;
    tie(repo, context, written, sides)
}

/// Makes what is stored of the dates transfers: what cards lent to accounts, and the equal Pix of those days.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn detect(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    (first, last): (Option<Date>, Option<Date>),
) -> Result<Vec<StoredSide>> {
    let mut sides = repo.stored_loans(first, last, &context.phrases.lent())?;
    let keys = sides.iter().map(|side| {
        let StoredSide { account_id, amount, date, .. } = *side;
        DayKey { account_id, kind: Kind::Expense, amount, date }
    });
    let keys: HashSet<DayKey> = keys.collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    sides.extend(repo.sides_of_days(&keys.into_iter().collect::<Vec<_>>())?);
    tie(repo, context, written, sides)
}

/// Makes the halves among the sides transfers that are none yet.
fn tie(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    sides: Vec<StoredSide>,
) -> Result<Vec<StoredSide>> {
    let (names, cards) = (OwnNames::default(), KeptCards::default());
    let rows: Vec<Row> = sides.iter().map(|side| side.row(&context.phrases, &names, &cards, true)).collect();
    let halves: BTreeMap<TransactionId, &StoredSide> = on_credit(&rows, |_| true)
        .into_iter()
        .map(|at| (sides[at].id, &sides[at]))
        .filter(|(_, side)| !side.is_transfer)
        .collect();
    let ties: Vec<Tie> = halves
        .keys()
        .map(|id| Tie { id: *id, transfer_id: None, is_transfer: true, is_kept_unlinked: false })
        .collect();
    ledger::tie(repo, written, &ties)?;
    Ok(halves.into_values().cloned().collect())
}
