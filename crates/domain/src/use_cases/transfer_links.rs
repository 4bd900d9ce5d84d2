//! Use cases that link two transactions as a transfer, remove a link, and remember that two transactions are no transfer.

use std::collections::HashSet;

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{BillId, TransactionId, TransferId};
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, Removed, Transaction, TransferState};
use crate::transfers::{PaidCard, REJECTED_MAX, Transfer};
use crate::use_cases::bill_refresh;
use crate::use_cases::held_rows;
use crate::use_cases::ledger::{self, Written, only};
use crate::use_cases::payers;
use crate::use_cases::pix_on_credit;
use crate::use_cases::recognition;
use crate::use_cases::transfer_pairs::{Payment, pair, pay_bills};
use crate::use_cases::transfers;
use crate::violations::Violation;

/// Two transactions, or a transaction and a bill, to link, as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct LinkInput {
    /// Required; an expense of the caller's.
    pub from_id: Option<TransactionId>,
    /// An income of the caller's, of the same amount on another account.
    pub to_id: Option<TransactionId>,
    /// One of the caller's bills, instead of an income.
    pub bill_id: Option<BillId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Two transactions that are no transfer, as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RejectInput {
    /// Required; an expense of the caller's.
    pub from_id: Option<TransactionId>,
    /// Required; an income of the caller's.
    pub to_id: Option<TransactionId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The transactions after their link was removed. None for one that this service created: it was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlinked {
    /// The expense.
    pub from: Option<Transaction>,
    /// The income.
    pub to: Option<Transaction>,
}

/// Deletes a transfer: the legs that this service created are deleted, and other transactions are unlinked.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transfer.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: TransferId) -> Result<()> {
    let transfer = transfers::get(repo, id)?;
    take_back(repo, context, &transfer)?;
    Ok(())
}

/// Removes a link. Both transactions are treated as if they had never been linked, and recognition skips them from then on.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transfer, [`Refusal::TransferNotLinked`] if this service created both legs.
pub fn unlink(repo: &mut dyn Repo, context: &Context, id: TransferId) -> Result<Unlinked> {
    let transfer = transfers::get(repo, id)?;
    if transfer.from.is_own_leg() && transfer.to.is_own_leg() {
        return Err(Refusal::TransferNotLinked.into());
    }
    take_back(repo, context, &transfer)?;
    let after = |repo: &mut dyn Repo, id| repo.transaction_get(id);
    Ok(Unlinked { from: after(repo, transfer.from.id)?, to: after(repo, transfer.to.id)? })
}

/// Deletes the legs that this service created, and unlinks the others for good.
fn take_back(repo: &mut dyn Repo, context: &Context, transfer: &Transfer) -> Result<()> {
    let (own, others): (Vec<&Transaction>, Vec<&Transaction>) =
        [&transfer.from, &transfer.to].into_iter().partition(|leg| leg.is_own_leg());
    let mut written = Written::default();
    if !own.is_empty() {
        ledger::remove(repo, &mut written, &own.iter().map(|leg| leg.id).collect())?;
    }
    let alone = transfers_alone(repo, context, others.iter().copied())?;
    let states: Vec<TransferState> = others
        .iter()
        .map(|leg| TransferState {
            id: leg.id,
            transfer_id: None,
            is_transfer: alone.contains(&leg.id),
            is_kept_unlinked: true,
        })
        .collect();
    ledger::set_transfers(repo, &mut written, &states)?;
    if own.is_empty() {
        ledger::remove_transfers(repo, &[transfer.id])?;
    }
    ledger::finish(repo, context, written, &[])
}

/// Completes a deletion: the other sides of deleted transfers are treated as if they had never been linked, and what follows from
/// the deletion happens.
pub(crate) fn after_removal(
    repo: &mut dyn Repo,
    context: &Context,
    mut written: Written,
    removed: &Removed,
) -> Result<()> {
    stand_alone(repo, context, &mut written, &removed.unlinked, LeftPayers::PayKeptCards)?;
    pix_on_credit::separate(repo, context, &mut written, &removed.single_transfers)?;
    if removed.count > 0 {
        held_rows::own_again(repo, context)?;
    }
    ledger::finish(repo, context, written, &[])
}

/// What becomes of the expenses that pay a card and that a deleted transfer left without their other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftPayers {
    /// They pay the card that is kept here.
    PayKeptCards,
    /// They are transfers whose other side is not kept here, because a person took the payment back.
    AreSingle,
}

/// Makes the sides that deleted transfers left what they are alone. What a person keeps unlinked pays no card by itself.
pub(crate) fn stand_alone(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    unlinked: &[Transaction],
    left: LeftPayers,
) -> Result<()> {
    let pays = |known: &&Transaction| context.phrases.evidence(known.statement_description()).paid_out;
    let paying: Vec<&Transaction> = unlinked.iter().filter(|known| !known.is_kept_unlinked).filter(pays).collect();
    pay_kept_cards(repo, context, written, &paying, left)?;
    let alone = transfers_alone(repo, context, unlinked.iter())?;
    let single = unlinked.iter().filter(|known| alone.contains(&known.id));
    let states: Vec<TransferState> = single
        .map(|known| TransferState { is_kept_unlinked: known.is_kept_unlinked, ..TransferState::side(known.id, None) })
        .collect();
    ledger::set_transfers(repo, written, &states)
}

/// Makes expenses of accounts that pay a card payments of the card that is kept here, or transfers alone.
fn pay_kept_cards(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    paying: &[&Transaction],
    left: LeftPayers,
) -> Result<()> {
    if paying.is_empty() {
        return Ok(());
    }
    let (cards, kinds) = (recognition::kept_cards(repo, context)?, repo.account_kinds()?);
    let (mut payments, mut singles) = (Vec::new(), Vec::new());
    for from in paying.iter().filter(|from| from.kind == Kind::Expense) {
        let kind = from.account_id.and_then(|id| kinds.get(&id));
        if !kind.is_some_and(|kind| kind.is_spent_from()) {
            continue;
        }
        match cards.paid_by(&text::normalized(from.statement_description())) {
            Some(PaidCard::Kept(card)) if left == LeftPayers::PayKeptCards => {
                payments.push(Payment::of_card((*from).clone(), card));
            }
            // What a person took back is not linked by itself again.
            Some(_) => {
                let is_kept_unlinked = left == LeftPayers::AreSingle;
                singles.push(TransferState { is_kept_unlinked, ..TransferState::side(from.id, None) });
            }
            None => {}
        }
    }
    pay_bills(repo, written, &payments)?;
    ledger::set_transfers(repo, written, &singles)
}

/// Those of the transactions that are transfers by themselves: payments that a card's statement reports.
fn transfers_alone<'a>(
    repo: &mut dyn Repo,
    context: &Context,
    transactions: impl Iterator<Item = &'a Transaction>,
) -> Result<HashSet<TransactionId>> {
    let paid: Vec<&Transaction> = transactions
        .filter(|known| known.kind == Kind::Income && context.phrases.evidence(known.statement_description()).paid_in)
        .collect();
    if paid.is_empty() {
        return Ok(HashSet::new());
    }
    let kinds = repo.account_kinds()?;
    let on_card =
        |known: &&&Transaction| known.account_id.is_some_and(|id| kinds.get(&id) == Some(&AccountKind::Credit));
    Ok(paid.iter().filter(on_card).map(|known| known.id).collect())
}

/// Links two transactions as a transfer, or makes an expense the payment of a bill.
///
/// # Errors
///
/// [`Error::Invalid`], [`Refusal::TransferLeg`] if either is paired already, and as [`credit_bills::pay`](super::credit_bills::pay) for a bill.
pub fn link(repo: &mut dyn Repo, context: &Context, input: LinkInput) -> Result<Transfer> {
    let mut errors = input.errors;
    let from = errors.require("from_id", input.from_id);
    let from = find(repo, "from_id", from, &mut errors)?;
    match (input.to_id, input.bill_id) {
        (Some(_), Some(_)) => errors.push("bill_id", Violation::NotBoth),
        (None, None) if !errors.has("bill_id") => drop(errors.require::<TransactionId>("to_id", None)),
        _ => {}
    }
    let to = find(repo, "to_id", input.to_id, &mut errors)?;
    let bill = match input.bill_id {
        Some(id) => {
            bill_refresh::refresh(repo, context.today)?;
            let bill = repo.bill_get(id)?;
            if bill.is_none() {
                errors.push("bill_id", Violation::NoSuchBill);
            }
            bill
        }
        None => None,
    };
    if errors.is_empty() && [&from, &to].into_iter().flatten().any(|known| known.transfer_id.is_some()) {
        return Err(Refusal::TransferLeg.into());
    }
    if let Some(from) = &from {
        check_side(from, "from_id", &mut errors);
        let is_swapped = to.as_ref().is_none_or(|to| to.kind != from.kind);
        if from.kind != Kind::Expense && is_swapped {
            errors.push("from_id", Violation::NotAnExpense);
        }
    }
    if let (Some(from), Some(to)) = (&from, &to) {
        check_side(to, "to_id", &mut errors);
        if to.kind == from.kind {
            errors.push("to_id", Violation::SameType);
        }
        if to.account_id == from.account_id {
            errors.push("to_id", Violation::SameAccountAsFrom);
        }
        if to.amount != from.amount {
            errors.push("to_id", Violation::OtherAmount);
        }
    }
    if let (Some(from), Some(bill)) = (&from, &bill) {
        if from.account_id == Some(bill.account_id) {
            errors.push("bill_id", Violation::SameAccountAsFrom);
        } else if errors.is_empty() && from.amount > bill.linkable(context.today)? {
            errors.push("bill_id", Violation::MoreThanDue);
        }
    }
    errors.into_result()?;
    let mut written = Written::default();
    let id = match (from, to, bill) {
        (Some(from), Some(to), _) => only(pair(repo, &mut written, &[(from.id, to.id)])?)?,
        (Some(from), None, Some(bill)) => {
            let payment = Payment::of_bill(from, bill.account_id, bill.id, bill.due_date);
            only(pay_bills(repo, &mut written, &[payment])?)?
        }
        _ => return Err(Error::Internal("a link passed the check without two sides".into())),
    };
    ledger::finish(repo, context, written, &[])?;
    let transfer = transfers::get(repo, id)?;
    payers::ask(repo, context, [&transfer.to])?;
    Ok(transfer)
}

fn find(
    repo: &mut dyn Repo,
    field: &str,
    id: Option<TransactionId>,
    errors: &mut FieldErrors,
) -> Result<Option<Transaction>> {
    let Some(id) = id else { return Ok(None) };
    let found = repo.transaction_get(id)?;
    if found.is_none() {
        errors.push(field, Violation::NoSuchTransaction);
    }
    Ok(found)
}

fn check_side(side: &Transaction, field: &str, errors: &mut FieldErrors) {
    if side.account_id.is_none() {
        errors.push(field, Violation::WithoutAccount);
    } else if side.belongs_to_its_account() {
        errors.push(field, Violation::NeverATransfer);
    } else if side.details.is_split() {
        errors.push(field, Violation::IsSplit);
    }
}

/// Remembers that two transactions are no transfer: they are no longer linked by recognition or suggested.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn reject(repo: &mut dyn Repo, input: RejectInput) -> Result<()> {
    let mut errors = input.errors;
    let from = errors.require("from_id", input.from_id);
    let to = errors.require("to_id", input.to_id);
    let from = find(repo, "from_id", from, &mut errors)?;
    let to = find(repo, "to_id", to, &mut errors)?;
    for (side, field, kind, violation) in [
        (&from, "from_id", Kind::Expense, Violation::NotAnExpense),
        (&to, "to_id", Kind::Income, Violation::NotAnIncome),
    ] {
        if side.as_ref().is_some_and(|side| side.kind != kind) {
            errors.push(field, violation);
        }
    }
    let (from, to) = errors.all((from, to))?;
    if !repo.rejected_pairs(&[from.id, to.id])?.is_empty() {
        return Ok(());
    }
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.rejected_pair_count()? >= REJECTED_MAX {
        return Err(Refusal::LimitReached { what: "rejected transfers", max: REJECTED_MAX }.into());
    }
    repo.rejected_pair_insert(from.id, to.id)
}
