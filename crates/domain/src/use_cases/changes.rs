//! Use cases of changes: what was done, and undoing it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::accounts::ACCOUNTS_MAX;
use crate::anchors::ANCHORS_MAX;
use crate::categories::CATEGORIES_MAX;
use crate::changes::{Change, ChangeFilter, Entry, KeptSince, Later, NAMED_MAX, Noun, Undone, in_the_way};
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::ids::{AccountId, ChangeId, PendingBillId, TransactionId};
use crate::imports::{Candidate, Comparison, IMPORTS_MAX, Stored, judge};
use crate::month::Month;
use crate::pending_bills::{HELD_ROWS_MAX, PENDING_BILLS_MAX};
use crate::recurring::{OCCURRENCES_MAX, RECURRING_MAX, REJECTED_RECURRING_MAX, density};
use crate::rules::RULES_MAX;
use crate::settings::may_change;
use crate::store::Repo;
use crate::transfers::REJECTED_MAX;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{credit_bills, pending_bills};

/// The changes that pass the filter, the newest first.
pub fn list(repo: &mut dyn Repo, filter: &ChangeFilter, since: KeptSince) -> Result<Vec<Change>> {
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
    since: KeptSince,
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
pub fn get(repo: &mut dyn Repo, id: ChangeId, since: KeptSince, after: u32, limit: u32) -> Result<ChangeDetails> {
    let change = find(repo, id, since)?;
    let mut blocked_by = match change.undone_by {
        Some(_) => Vec::new(),
        None => blocked_by(repo, id)?,
    };
    blocked_by.truncate(NAMED_MAX);
    Ok(ChangeDetails { change, blocked_by, entries: repo.change_entries(id, after, limit)? })
}

fn find(repo: &mut dyn Repo, id: ChangeId, since: KeptSince) -> Result<Change> {
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

/// The later changes that imported or held a row of a statement again that comes back, by the rule of duplicates.
fn imported_again(repo: &mut dyn Repo, id: ChangeId) -> Result<HashSet<ChangeId>> {
    let mut by_account: BTreeMap<Option<AccountId>, Vec<Candidate>> = BTreeMap::new();
    for (account_id, row) in repo.change_imported_rows(id)? {
        by_account.entry(account_id).or_default().push(row);
    }
    let mut again: Vec<TransactionId> = Vec::new();
    let mut held_again: BTreeSet<PendingBillId> = BTreeSet::new();
    for (account_id, rows) in by_account {
        let comparison = Comparison::of(account_id, &rows);
        let mut stored = repo.stored_rows(&comparison)?;
        let ids: Vec<TransactionId> = stored.iter().filter_map(|stored| stored.id).collect();
        // What was stored before is another row that is equal.
        let new = repo.change_imported_since(id, &ids)?;
        stored.retain(|stored| stored.id.is_some_and(|id| new.contains(&id)));
        again.extend(judge(&rows, &stored).into_iter().filter_map(|judgement| judgement.duplicate_of));
        let mut held: BTreeMap<PendingBillId, Vec<Stored>> = BTreeMap::new();
        for (bill, row) in repo.change_held_since(id, &comparison)? {
            held.entry(bill).or_default().push(row);
        }
        let has_duplicate = |held: &[Stored]| judge(&rows, held).iter().any(|judgement| judgement.duplicate);
        held_again.extend(held.into_iter().filter(|(_, held)| has_duplicate(held)).map(|(bill, _)| bill));
    }
    let mut met = HashSet::new();
    if !again.is_empty() {
        met.extend(repo.changes_of_transactions(id, &again)?);
    }
    if !held_again.is_empty() {
        met.extend(repo.changes_of_pending_bills(id, &held_again.into_iter().collect::<Vec<_>>())?);
    }
    Ok(met)
}

/// What a profile holds of something that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    what: &'static str,
    count: usize,
    max: usize,
}

/// What the profile holds of what a change may have removed and that is limited. Transactions are counted where they are written.
fn limited(repo: &mut dyn Repo, change: &Change) -> Result<Vec<Held>> {
    let mut all = Vec::new();
    let mut add = |what, count, max| all.push(Held { what, count, max });
    for count in &change.counts {
        match count.noun {
            Noun::Categories => add("categories", repo.category_count()?, CATEGORIES_MAX),
            Noun::Accounts => {
                add("accounts", repo.account_count()?, ACCOUNTS_MAX);
                add("anchors of an account", repo.anchor_count_max()?, ANCHORS_MAX);
            }
            Noun::Transactions => add("rejected transfers", repo.rejected_pair_count()?, REJECTED_MAX),
            Noun::Recurring => {
                let (items, _) = repo.recurring_list(Month::FIRST, Month::FIRST)?;
                let dues: usize = items.iter().map(|noted| density(&noted.item.schedule)).sum();
                add("recurring items", items.len(), RECURRING_MAX);
                add("occurrences of recurring items in 31 days", dues, OCCURRENCES_MAX);
                add("rejected suggestions", repo.rejected_recurring_list()?.len(), REJECTED_RECURRING_MAX);
            }
            Noun::PendingBills => {
                add("pending bills", repo.pending_bill_count()?, PENDING_BILLS_MAX);
                add("rows of held statements", repo.pending_bill_row_count()?, HELD_ROWS_MAX);
            }
            Noun::Rules => add("rules", repo.rule_list()?.len(), RULES_MAX),
            Noun::Imports => add("imports", repo.import_count()?, IMPORTS_MAX),
            Noun::Settings | Noun::CreditBills => {}
        }
    }
    Ok(all)
}

/// Refuses what is beyond a limit now and has grown. What was beyond one may shrink.
fn keep_limits(before: &[Held], after: &[Held]) -> Result<()> {
    let mut grown = before.iter().zip(after).filter(|(before, after)| after.count > before.count.max(after.max));
    match grown.next() {
        Some((_, Held { what, max, .. })) => Err(Refusal::LimitReached { what, max: *max }.into()),
        None => Ok(()),
    }
}

/// Undoes a change: every row that it changed or removed is as it was, and every row that it created is gone. Sums, bills and
/// budgets follow as from any write. Gives no XP.
///
/// # Errors
///
/// [`Error::NotFound`] if there is no such change, or it is too old; [`Refusal::AlreadyUndone`]; [`Error::ChangedSince`] if later
/// changes are in the way; [`Refusal::LimitReached`]; [`Error::NotAllowed`] if it changes what only owners may.
pub fn undo(repo: &mut dyn Repo, context: &Context, id: ChangeId, since: KeptSince) -> Result<(ChangeId, Undone)> {
    let change = find(repo, id, since)?;
    if change.undone_by.is_some() {
        return Err(Refusal::AlreadyUndone.into());
    }
    let mut blocked_by = blocked_by(repo, id)?;
    if !blocked_by.is_empty() {
        blocked_by.truncate(NAMED_MAX);
        return Err(Error::ChangedSince(blocked_by));
    }
    repo.change_note_undo(id);
    let held = limited(repo, &change)?;
    let is_of_settings = change.counts.iter().any(|count| count.noun == Noun::Settings);
    let settings = is_of_settings.then(|| repo.settings_get()).transpose()?;
    if change.counts.iter().any(|count| count.noun == Noun::PendingBills && count.created > 0) {
        let going = repo.change_pending_bills(id)?;
        pending_bills::give_way(repo, &going)?;
    }
    let mut written = Written::default();
    let undone = ledger::revert(repo, context, &mut written, id)?;
    keep_limits(&held, &limited(repo, &change)?)?;
    if let Some(settings) = settings
        && !may_change(repo.credential()?.member.role, &settings, &repo.settings_get()?)
    {
        return Err(Error::NotAllowed);
    }
    credit_bills::align_undone(repo, context.today)?;
    ledger::finish(repo, context, written, &[])?;
    let change_id = repo.change_close()?;
    let change_id = change_id.ok_or_else(|| Error::Internal("an undo changed nothing".into()))?;
    Ok((change_id, undone))
}
