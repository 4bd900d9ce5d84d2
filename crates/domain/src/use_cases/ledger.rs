//! The only writer of transactions, of transfers, of payments of bills and of imports, and what follows from a write.
//!
//! A use case writes through these functions, which collect in [`Written`] what follows, and ends with [`finish`]. Whoever adds an
//! effect of a write adds it here. A test of the layers checks that nothing else calls these methods of the ports.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::budgets::BudgetChange;
use crate::changes::Undone;
use crate::context::Context;
use crate::credit_bills::NewBillPayment;
use crate::error::{Error, Result};
use crate::gamification::Event;
use crate::ids::{AccountId, BillId, CategoryId, ChangeId, ImportId, TransactionId, TransferId};
use crate::imports::NewImport;
use crate::month::Month;
use crate::store::Repo;
use crate::transactions::{BeforeStatement, Edit, Kind, NewTransaction, Removed, Transaction, TransferState};
use crate::use_cases::{allowances, bill_refresh, gamification, openings};
use crate::webhooks::{self, EventType};
use crate::yields::{Accrual, YieldRepo};

/// What follows from the writes of a use case, until [`finish`] does it.
#[derive(Debug, Default)]
#[must_use = "what follows from the writes happens in `finish`"]
pub(crate) struct Written {
    /// The categories and months in which more may be spent than before, less be refunded, or the budget be lower.
    spent: BTreeSet<(CategoryId, Month)>,
    /// Events of webhooks.
    webhook_events: Vec<webhooks::Event>,
    /// Whether no row of a card was written, so that no bill has changed.
    is_without_cards: bool,
}

impl Written {
    /// Nothing is written on a card: the bills need no look.
    pub(crate) fn without_cards() -> Self {
        Written { is_without_cards: true, ..Written::default() }
    }

    /// Adds an event of webhooks.
    pub(crate) fn tell(&mut self, event: webhooks::Event) {
        self.webhook_events.push(event);
    }

    /// The budget of a category, or what counts in it, has changed.
    pub(crate) fn note_budget(&mut self, id: CategoryId, month: Month) {
        self.spent.insert((id, month));
    }

    /// Notes the expenses among rows in their new state. A split row counts in the categories of its lines.
    fn note<'a>(&mut self, rows: impl IntoIterator<Item = &'a Transaction>) {
        for row in rows.into_iter().filter(|row| row.kind == Kind::Expense && !row.is_transfer) {
            let month = Month::of(row.date);
            let lines = row.details.lines.iter().map(|line| line.category_id);
            self.spent.extend(row.category_id.into_iter().chain(lines).map(|id| (id, month)));
        }
    }

    /// Notes what deleted rows change: legs that are no transfers now, and refunds that are gone.
    fn note_removed(&mut self, removed: &Removed) {
        self.note(&removed.unlinked);
        self.spent.extend(removed.refunded.iter().copied());
    }
}

/// Stores new transactions, and returns them in the order given.
pub(crate) fn insert(repo: &mut dyn Repo, written: &mut Written, new: &[NewTransaction]) -> Result<Vec<Transaction>> {
    let stored = repo.transaction_insert(new)?;
    written.note(&stored);
    Ok(stored)
}

/// Stores one new transaction.
pub(crate) fn insert_one(repo: &mut dyn Repo, written: &mut Written, new: NewTransaction) -> Result<Transaction> {
    only(insert(repo, written, &[new])?)
}

/// Writes the new values of transactions, and returns those that exist.
pub(crate) fn edit(repo: &mut dyn Repo, written: &mut Written, edits: &[Edit]) -> Result<Vec<Transaction>> {
    let updated = repo.transaction_update(edits)?;
    written.note(&updated);
    // A refund may be less now, or be elsewhere.
    written.spent.extend(edits.iter().flat_map(Edit::refunded));
    Ok(updated)
}

/// Deletes transactions, and the legs of the same transfers that this service created.
pub(crate) fn remove(repo: &mut dyn Repo, written: &mut Written, ids: &HashSet<TransactionId>) -> Result<Removed> {
    let removed = repo.transaction_delete(ids)?;
    written.note_removed(&removed);
    Ok(removed)
}

/// Deletes all transactions of a month, as [`remove`] does.
pub(crate) fn remove_month(repo: &mut dyn Repo, written: &mut Written, month: Month) -> Result<Removed> {
    let removed = repo.transaction_delete_month(month)?;
    written.note_removed(&removed);
    Ok(removed)
}

/// Makes transactions sides of transfers, or ordinary again.
pub(crate) fn set_transfers(repo: &mut dyn Repo, written: &mut Written, states: &[TransferState]) -> Result<()> {
    if states.is_empty() {
        return Ok(());
    }
    repo.transaction_set_transfer(states)?;
    let (sides, ordinary): (Vec<&TransferState>, Vec<&TransferState>) =
        states.iter().partition(|state| state.is_transfer);
    let ids = |states: &[&TransferState]| states.iter().map(|state| state.id).collect::<Vec<TransactionId>>();
    if !ordinary.is_empty() {
        written.note(&repo.transaction_list_of(&ids(&ordinary))?);
    }
    // What was taken as a refund is none.
    if !sides.is_empty() && repo.is_told(EventType::BudgetExceeded)? {
        let sides = repo.transaction_list_of(&ids(&sides))?;
        written.spent.extend(sides.iter().flat_map(Transaction::refunded));
    }
    Ok(())
}

/// Creates transfers without sides.
pub(crate) fn new_transfers(repo: &mut dyn Repo, count: usize) -> Result<Vec<TransferId>> {
    repo.transfer_insert(count)
}

/// Deletes transfers that have no sides any more.
pub(crate) fn remove_transfers(repo: &mut dyn Repo, ids: &[TransferId]) -> Result<()> {
    repo.transfer_delete(ids)
}

/// Stores payments of bills.
pub(crate) fn pay(repo: &mut dyn Repo, payments: &[NewBillPayment]) -> Result<()> {
    repo.bill_payment_insert(payments)
}

/// Deletes the payments of a bill that no row of a statement made, with the legs that this service created for them. Returns how
/// many payments were deleted, and the rows that are no longer linked.
pub(crate) fn take_payments_back(
    repo: &mut dyn Repo,
    written: &mut Written,
    id: BillId,
) -> Result<(u64, Vec<Transaction>)> {
    let (count, unlinked) = repo.bill_payments_delete(id)?;
    let unlinked = if unlinked.is_empty() { Vec::new() } else { repo.transaction_list_of(&unlinked)? };
    written.note(&unlinked);
    Ok((count, unlinked))
}

/// Stores the entry of an import.
pub(crate) fn new_import(repo: &mut dyn Repo, new: &NewImport) -> Result<ImportId> {
    repo.import_insert(new)
}

/// Sets what an import did, once all its rows are stored.
pub(crate) fn close_import(
    repo: &mut dyn Repo,
    id: ImportId,
    inserted: usize,
    skipped: usize,
    accounts: &BTreeSet<AccountId>,
) -> Result<()> {
    repo.import_close(id, inserted, skipped, &accounts.iter().copied().collect::<Vec<_>>())
}

/// Brings opening balances and bills up to date in the middle of a use case that goes on with what they are then.
pub(crate) fn catch_up(repo: &mut dyn Repo, context: &Context, written: &Written) -> Result<()> {
    // First, because the bills of a card depend on its opening balance.
    openings::follow(repo)?;
    if !written.is_without_cards && repo.bills_are_stale(context.today)? {
        bill_refresh::refresh(repo, context.today)?;
    }
    Ok(())
}

/// Notes that an import brought the legs that this service had made for rows of it.
pub(crate) fn note_import(repo: &mut dyn Repo, legs: &[TransactionId], id: ImportId) -> Result<()> {
    if legs.is_empty() { Ok(()) } else { repo.transaction_note_import(legs, id) }
}

/// Notes that an import also brought transactions that are stored: they stay until all their imports are undone.
pub(crate) fn note_repeated(repo: &mut dyn Repo, ids: &[TransactionId], id: ImportId) -> Result<()> {
    if ids.is_empty() { Ok(()) } else { repo.import_note_repeated(ids, id) }
}

/// Makes what was entered here, and found in the statement of an import, what it was before.
pub(crate) fn release_taken(repo: &mut dyn Repo, written: &mut Written, id: ImportId) -> Result<()> {
    let taken: HashMap<TransactionId, BeforeStatement> =
        repo.import_taken(id)?.into_iter().map(|before| (before.id, before)).collect();
    if taken.is_empty() {
        return Ok(());
    }
    let known = repo.transaction_list_of(&taken.keys().copied().collect::<Vec<_>>())?;
    let edits: Vec<Edit> = known.iter().filter_map(|known| Some(known.released(taken.get(&known.id)?))).collect();
    edit(repo, written, &edits)?;
    Ok(())
}

/// Deletes an import with the transactions that only it brought. None if there is no such import.
pub(crate) fn remove_import(repo: &mut dyn Repo, written: &mut Written, id: ImportId) -> Result<Option<Removed>> {
    let removed = repo.import_delete(id)?;
    removed.iter().for_each(|removed| written.note_removed(removed));
    Ok(removed)
}

/// Moves everything in a category to another one.
pub(crate) fn move_category(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    from: CategoryId,
    to: CategoryId,
) -> Result<()> {
    repo.category_empty(from, to)?;
    written.note_budget(to, Month::of(context.today));
    Ok(())
}

/// Sets own amounts of the budgets of a month, or removes them.
pub(crate) fn set_budgets(
    repo: &mut dyn Repo,
    written: &mut Written,
    month: Month,
    changes: &[BudgetChange],
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    repo.budget_set(month, changes)?;
    written.spent.extend(changes.iter().map(|change| (change.category_id, month)));
    Ok(())
}

/// Pays the yield of an account. Yield is an income on an account that is no card, so nothing follows.
pub(crate) fn post_yield(repo: &mut dyn YieldRepo, id: AccountId, last: time::Date, accrual: &Accrual) -> Result<()> {
    repo.yield_post(id, last, accrual)
}

/// Puts every row of a change back.
pub(crate) fn revert(repo: &mut dyn Repo, context: &Context, written: &mut Written, id: ChangeId) -> Result<Undone> {
    let undone = repo.change_revert(id)?;
    let ids = repo.change_transactions(id)?;
    written.note(&repo.transaction_list_of(&ids)?);
    // A budget may be lower, a refund gone, or a category carry less.
    let this_month = Month::of(context.today);
    for category in repo.category_list()? {
        written.note_budget(category.id, this_month);
    }
    Ok(undone)
}

/// Does what follows from the writes of a use case: opening balances follow their anchors, payments are assigned to bills anew where
/// rows of cards changed, webhooks are told, budgets too, and what the use case did is awarded.
pub(crate) fn finish(repo: &mut dyn Repo, context: &Context, written: Written, events: &[Event<'_>]) -> Result<()> {
    catch_up(repo, context, &written)?;
    let Written { spent, webhook_events, .. } = written;
    for event in webhook_events {
        repo.webhook_event(event);
    }
    let this_month = Month::of(context.today);
    if spent.iter().any(|(_, month)| *month <= this_month) && repo.is_told(EventType::BudgetExceeded)? {
        for event in allowances::exceeded(repo, this_month, &spent)? {
            repo.webhook_event(event);
        }
    }
    if events.is_empty() { Ok(()) } else { gamification::notify(repo, context, events) }
}

/// The one requested value.
pub(crate) fn only<T>(mut values: Vec<T>) -> Result<T> {
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(Error::Internal("one value was requested, but a different number came".into())),
    }
}
