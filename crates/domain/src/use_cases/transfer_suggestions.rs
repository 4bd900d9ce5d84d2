//! Pairs of stored transactions that may be transfers, for a person to decide.

use std::collections::{HashMap, HashSet};

use time::{Date, Duration};

use crate::context::Context;
use crate::error::Result;
use crate::ids::{BillId, TransactionId};
use crate::step::Step;
use crate::store::Repo;
use crate::transactions::Transaction;
use crate::transfers::{AmountWindow, Counterpart, StoredSide, StoredSides, Suggestions, TransferKind};
use crate::use_cases::unpaired::{Unpaired, mark_sides, payers, windows_of};

/// The number of days in the first search of [`suggestions`]. Each later search covers several times as many.
const FIRST_LOOK_DAYS: i64 = 62;
/// The factor by which each search covers more days than the one before.
const LOOK_GROWTH: i64 = 4;

/// A pair that may be a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedTransfer {
    /// The expense.
    pub from: Transaction,
    /// The income. None if the expense may pay a bill whose card has no row for it.
    pub to: Option<Transaction>,
    /// The bill, if `to` is None.
    pub bill_id: Option<BillId>,
    /// What it would be.
    pub kind: TransferKind,
    /// Its place in the list.
    pub place: SuggestionPlace,
}

/// A suggestion's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuggestionPlace {
    /// The date of the expense.
    pub date: Date,
    /// The expense.
    pub from_id: TransactionId,
    /// The number of this suggestion among those of the expense, from 0.
    pub number: usize,
}

/// Identifies the expense of a suggestion.
type SuggestionPlaceKey = (Date, TransactionId);

impl SuggestionPlace {
    fn key(&self) -> SuggestionPlaceKey {
        (self.date, self.from_id)
    }
}

/// The pairs that may be transfers, newest first: at most `limit` after that place. Rows that were written since are marked first. The
/// cost depends on the transactions that have a possible other side, not on the length of the history.
pub fn suggestions(
    repo: &mut dyn Repo,
    context: &Context,
    after: Option<SuggestionPlace>,
    limit: usize,
) -> Result<Step<Vec<SuggestedTransfer>>> {
    if repo.transfer_marks_are_current()? {
        return Ok(Step::Done(suggested(repo, context, after, limit)?));
    }
    let context = context.clone();
    Ok(Step::write(move |repo| {
        mark_sides(repo)?;
        suggested(repo, &context, after, limit)
    }))
}

fn suggested(
    repo: &mut dyn Repo,
    context: &Context,
    after: Option<SuggestionPlace>,
    limit: usize,
) -> Result<Vec<SuggestedTransfer>> {
    let bills = repo.bill_list_unpaid(None, None)?;
    let windows = windows_of(&bills);
    // Those that may pay a part of a bill: their amounts are no bill's.
    let due_days = (windows.iter().map(|window| window.first).min(), windows.iter().map(|window| window.last).max());
    let mut payers = if windows.is_empty() { Vec::new() } else { payers(repo, context, due_days)? };
    payers.retain(|payer| {
        let is_due = |window: &AmountWindow| (window.first..=window.last).contains(&payer.date);
        payer.is_transfer && windows.iter().any(is_due)
    });
    let oldest_payer = payers.iter().map(|payer| payer.date).min();
    let Some(oldest) = repo.oldest_side(&windows)?.into_iter().chain(oldest_payer).min() else {
        return Ok(Vec::new());
    };
    let mut found: Vec<(SuggestionPlace, Counterpart, TransferKind)> = Vec::new();
    let mut others: HashMap<(SuggestionPlaceKey, usize), TransactionId> = HashMap::new();
    let mut last = after.map(|after| after.date);
    let mut days = FIRST_LOOK_DAYS;
    loop {
        let first = last.unwrap_or(context.today).saturating_sub(Duration::days(days));
        let is_asked = |side: &StoredSide| first <= side.date && last.is_none_or(|last| side.date <= last);
        let of_days = payers.iter().filter(|payer| is_asked(payer)).cloned().collect();
        let stored = Unpaired::with(repo, context, (Some(first), last), StoredSides::Paired, of_days, is_asked)?;
        let suggestions = Suggestions::new(&stored.rows, &stored.bills, &stored.rejected);
        for (from, side) in stored.sides.iter().enumerate() {
            if found.len() >= limit {
                break;
            }
            let skipped = match after {
                Some(after) if (side.date, side.id) > (after.date, after.from_id) => continue,
                Some(after) if (side.date, side.id) == (after.date, after.from_id) => after.number + 1,
                _ => 0,
            };
            for (number, suggestion) in suggestions.of(from, skipped, limit - found.len()).into_iter().enumerate() {
                let place = SuggestionPlace { date: side.date, from_id: side.id, number: skipped + number };
                if let Counterpart::Row(to) = suggestion.to {
                    others.insert((place.key(), place.number), stored.sides[to].id);
                }
                found.push((place, suggestion.to, suggestion.kind));
            }
        }
        if found.len() >= limit || first <= oldest {
            break;
        }
        last = Some(first.saturating_sub(Duration::days(1)));
        days = days.saturating_mul(LOOK_GROWTH);
    }
    let ids: HashSet<TransactionId> =
        found.iter().map(|(place, ..)| place.from_id).chain(others.values().copied()).collect();
    let known = repo.transaction_list_of(&ids.into_iter().collect::<Vec<_>>())?;
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let whole = |(place, to, kind): (SuggestionPlace, Counterpart, TransferKind)| {
        let from = known.get(&place.from_id)?.clone();
        let to_id = others.get(&(place.key(), place.number));
        let bill_id = match to {
            Counterpart::Bill(id) => Some(id),
            Counterpart::Card(_) => None,
            Counterpart::Row(_) | Counterpart::Elsewhere => None,
        };
        Some(SuggestedTransfer { from, to: to_id.and_then(|id| known.get(id)).cloned(), bill_id, kind, place })
    };
    Ok(found.into_iter().filter_map(whole).collect())
}
