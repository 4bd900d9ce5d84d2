//! Use cases of changes: what was done, and undoing it.

use std::collections::{BTreeMap, HashSet};

use time::{Duration, OffsetDateTime};

use crate::changes::{Change, ChangeFilter, Entry, Later, NAMED_MAX, Undone, in_the_way};
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::ids::{AccountId, ChangeId, TransactionId};
use crate::imports::{Candidate, Comparison, judge};
use crate::store::Repo;
use crate::use_cases::credit_bills;
use crate::use_cases::ledger::{self, Written};

/// The instant before which changes are forgotten.
pub fn kept_since(now: OffsetDateTime, days: u16) -> OffsetDateTime {
    now - Duration::days(days.into())
}

/// The changes that pass the filter, the newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, filter: &ChangeFilter, since: OffsetDateTime) -> Result<Vec<Change>> {
    repo.change_list(filter, since)
}

/// The changes of a transaction, each with what it did to it. The transaction may be gone.
///
/// # Errors
///
/// [`Error::NotFound`] if there is neither such a transaction nor a change of one.
pub fn of_transaction(
    repo: &mut dyn Repo,
    id: TransactionId,
    filter: ChangeFilter,
    since: OffsetDateTime,
) -> Result<Vec<(Change, Option<Entry>)>> {
    let filter = ChangeFilter { transaction_id: Some(id), ..filter };
    let changes = repo.change_list(&filter, since)?;
    if changes.is_empty() && filter.before.is_none() && repo.transaction_get(id)?.is_none() {
        return Err(Error::NotFound("transaction"));
    }
    changes
        .into_iter()
        .map(|change| {
            let entry = repo.change_entry_of(change.id, id)?;
            Ok((change, entry))
        })
        .collect()
}

/// A change with the changes in the way of its undo, and some of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeDetails {
    /// The change.
    pub change: Change,
    /// The later changes that keep it from being undone, the newest first.
    pub blocked_by: Vec<ChangeId>,
    /// What it did, by row.
    pub entries: Vec<Entry>,
}

/// One change.
///
/// # Errors
///
/// [`Error::NotFound`] if there is no such change, or it is too old.
pub fn get(repo: &mut dyn Repo, id: ChangeId, since: OffsetDateTime, after: u32, limit: u32) -> Result<ChangeDetails> {
    let change = find(repo, id, since)?;
    let mut blocked_by = match change.undone_by {
        Some(_) => Vec::new(),
        None => blocked_by(repo, id)?,
    };
    blocked_by.truncate(NAMED_MAX);
    Ok(ChangeDetails { change, blocked_by, entries: repo.change_entries(id, after, limit)? })
}

fn find(repo: &mut dyn Repo, id: ChangeId, since: OffsetDateTime) -> Result<Change> {
    repo.change_get(id, since)?.ok_or(Error::NotFound("change"))
}

/// The later changes that keep a change from being undone, the newest first.
fn blocked_by(repo: &mut dyn Repo, id: ChangeId) -> Result<Vec<ChangeId>> {
    let mut met = repo.changes_met(id)?;
    met.extend(imported_again(repo, id)?);
    if met.is_empty() {
        return Ok(Vec::new());
    }
    let mut later = repo.changes_since(id)?;
    let known: Vec<ChangeId> = later.iter().map(|change| change.id).collect();
    later.extend(met.iter().filter(|id| !known.contains(id)).map(|id| Later { id: *id, undone_by: None }));
    Ok(in_the_way(&later, &met))
}

/// The later changes that imported a row again that comes back, by the rule of duplicates.
fn imported_again(repo: &mut dyn Repo, id: ChangeId) -> Result<HashSet<ChangeId>> {
    let mut by_account: BTreeMap<Option<AccountId>, Vec<Candidate>> = BTreeMap::new();
    for (account_id, row) in repo.change_imported_rows(id)? {
        by_account.entry(account_id).or_default().push(row);
    }
    let mut again: Vec<TransactionId> = Vec::new();
    for (account_id, rows) in by_account {
        let mut stored = repo.stored_rows(&Comparison::of(account_id, &rows))?;
        let ids: Vec<TransactionId> = stored.iter().filter_map(|stored| stored.id).collect();
        // What was stored before is another row that is equal.
        let new = repo.change_imported_since(id, &ids)?;
        stored.retain(|stored| stored.id.is_some_and(|id| new.contains(&id)));
        again.extend(judge(&rows, &stored).into_iter().filter_map(|judgement| judgement.duplicate_of));
    }
    match again.is_empty() {
        true => Ok(HashSet::new()),
        false => repo.changes_of_transactions(id, &again),
    }
}

/// Undoes a change: every row that it changed or removed is as it was, and every row that it created is gone. Sums, bills and
/// budgets follow as from any write. Gives no XP.
///
/// # Errors
///
/// [`Error::NotFound`] if there is no such change, or it is too old; [`Refusal::AlreadyUndone`]; [`Error::ChangedSince`] if later
/// changes are in the way; [`Refusal::LimitReached`].
pub fn undo(repo: &mut dyn Repo, context: &Context, id: ChangeId, since: OffsetDateTime) -> Result<(ChangeId, Undone)> {
    if find(repo, id, since)?.undone_by.is_some() {
        return Err(Refusal::AlreadyUndone.into());
    }
    let mut blocked_by = blocked_by(repo, id)?;
    if !blocked_by.is_empty() {
        blocked_by.truncate(NAMED_MAX);
        return Err(Error::ChangedSince(blocked_by));
    }
    repo.change_note_undo(id);
    let mut written = Written::default();
    let undone = ledger::revert(repo, context, &mut written, id)?;
    credit_bills::align_undone(repo, context.today)?;
    ledger::finish(repo, context, written, &[])?;
    let change_id = repo.change_close()?;
    let change_id = change_id.ok_or_else(|| Error::Internal("an undo changed nothing".into()))?;
    Ok((change_id, undone))
}
