//! Pix on credit: what a card lends to an account and the equal Pix of that day, of which one was stored before the other.

use std::collections::{BTreeMap, HashSet};

use time::Date;

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::error::Result;
use crate::ids::TransactionId;
use crate::store::Repo;
use crate::transactions::{DayKey, Kind, Transaction, TransferState};
use crate::transfers::{Evidence, KeptCards, OwnNames, Row, StoredSide, on_credit};
use crate::use_cases::ledger::{self, Written};

/// The stored rows that may be the other half of new rows, which are on accounts that are no cards.
pub(crate) fn other_halves(repo: &mut dyn Repo, rows: &[Row]) -> Result<Vec<StoredSide>> {
    let rows = rows.iter().filter(|row| row.account_kind != AccountKind::Credit);
    let keys = rows.flat_map(|row| {
        let Row { account_id, kind, amount, date, .. } = *row;
        both_halves(DayKey { account_id, kind, amount, date }, row.evidence)
    });
    sides_of_days(repo, keys.collect())
}

/// Where a half and its other half are, if its text says that it is one. Rows like it are asked for too: they may have taken the other
/// half already.
fn both_halves(own: DayKey, evidence: Evidence) -> Vec<DayKey> {
    match own.kind {
        Kind::Income if evidence.lent => vec![own, DayKey { kind: Kind::Expense, ..own }],
        Kind::Expense if evidence.moved => vec![own, DayKey { kind: Kind::Income, ..own }],
        _ => Vec::new(),
    }
}

fn sides_of_days(repo: &mut dyn Repo, keys: HashSet<DayKey>) -> Result<Vec<StoredSide>> {
    if keys.is_empty() { Ok(Vec::new()) } else { repo.sides_of_days(&keys.into_iter().collect::<Vec<_>>()) }
}

/// Makes the stored halves of new transfers transfers too, and returns them.
pub(crate) fn complete(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    new: &[Transaction],
) -> Result<Vec<StoredSide>> {
    let singles = new.iter().filter(|row| row.is_transfer && row.transfer_id.is_none());
    let keys = singles.filter_map(|row| {
        let own =
            DayKey { account_id: row.account_id?, kind: row.kind, amount: row.amount, date: row.statement_date() };
        Some(both_halves(own, context.phrases.evidence(row.statement_description())))
    });
    let sides = sides_of_days(repo, keys.flatten().collect())?;
    make_transfers(repo, context, written, sides)
}

/// Makes what is stored of the dates transfers: what cards lent to accounts, and the equal Pix of those days.
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
    let payments = sides_of_days(repo, keys.collect())?;
    sides.extend(payments);
    make_transfers(repo, context, written, sides)
}

/// Makes the other halves of deleted transfers what they are alone. `deleted` has those whose other side was not kept here.
pub(crate) fn separate(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    deleted: &[DayKey],
) -> Result<()> {
    let both = |key: &DayKey| [Kind::Income, Kind::Expense].map(|kind| DayKey { kind, ..*key });
    let sides = sides_of_days(repo, deleted.iter().flat_map(both).collect())?;
    let rows = rows_of(context, &sides);
    let halves: HashSet<usize> = on_credit(&rows, |_| true).into_iter().collect();
    let is_half = |row: &Row| match row.kind {
        Kind::Income => row.evidence.lent,
        Kind::Expense => row.evidence.moved,
    };
    let alone = sides.iter().enumerate().filter(|(at, side)| {
        side.is_transfer && side.account_kind != AccountKind::Credit && is_half(&rows[*at]) && !halves.contains(at)
    });
    let states: Vec<TransferState> =
        alone.map(|(_, side)| TransferState { is_transfer: false, ..TransferState::side(side.id, None) }).collect();
    ledger::set_transfers(repo, written, &states)
}

fn rows_of(context: &Context, sides: &[StoredSide]) -> Vec<Row> {
    let (names, cards) = (OwnNames::default(), KeptCards::default());
    sides.iter().map(|side| side.row(&context.phrases, &names, &cards, true)).collect()
}

/// Makes the halves among the sides transfers that are none yet.
fn make_transfers(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    sides: Vec<StoredSide>,
) -> Result<Vec<StoredSide>> {
    let rows = rows_of(context, &sides);
    let halves: BTreeMap<TransactionId, &StoredSide> = on_credit(&rows, |_| true)
        .into_iter()
        .map(|at| (sides[at].id, &sides[at]))
        .filter(|(_, side)| !side.is_transfer)
        .collect();
    let states: Vec<TransferState> = halves.keys().map(|id| TransferState::side(*id, None)).collect();
    ledger::set_transfers(repo, written, &states)?;
    Ok(halves.into_values().cloned().collect())
}
