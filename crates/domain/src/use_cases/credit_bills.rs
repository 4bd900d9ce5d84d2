//! Use cases of credit card bills.

use time::Date;

use crate::accounts::{Account, NewAccount};
use crate::context::Context;
use crate::credit_bills::{BillFilter, BillSlot, CreditBill, Cycle, NewBillPayment, PayInput, payment_description};
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::BillId;
use crate::money::Money;
use crate::step::Step;
use crate::store::Repo;
use crate::transfers::NewTransfer;
use crate::use_cases::{accounts, gamification, transfers};

/// Whether a [`refresh`] would change nothing. Costs the same however long the cards' history is.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn is_settled(repo: &mut dyn Repo, today: Date) -> Result<bool> {
    Ok(repo.card_list()?.iter().all(|card| card.is_settled(today)))
}

/// Creates the bills that are missing: for every card that of the period that contains today, and those
/// of earlier periods with rows. Looks only at the bills that may have changed.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn refresh(repo: &mut dyn Repo, today: Date) -> Result<()> {
    let cards = repo.card_list()?;
    let unsettled = cards.iter().filter(|card| !card.is_settled(today));
    let slots: Vec<BillSlot> = unsettled.flat_map(|card| card.slots(today)).collect();
    if slots.is_empty() { Ok(()) } else { repo.bill_refresh(&slots) }
}

/// The caller's bills that pass the filter, newest first. Bills of new periods are created first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, context: &Context, filter: BillFilter) -> Result<Step<Vec<CreditBill>>> {
    let today = context.today;
    if is_settled(repo, today)? {
        return Ok(Step::Done(repo.bill_list(&filter)?));
    }
    Ok(Step::write(move |repo| {
        refresh(repo, today)?;
        repo.bill_list(&filter)
    }))
}

/// One bill.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such bill.
pub fn get(repo: &mut dyn Repo, id: BillId) -> Result<CreditBill> {
    repo.bill_get(id)?.ok_or(Error::NotFound("credit bill"))
}

/// Pays what is due on a bill.
///
/// Writers of one profile run one after another ([`Access::Write`](crate::Access::Write)), so of two
/// concurrent payments the second finds the bill paid.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::BillAlreadyPaid`], [`Refusal::NothingToPay`], or [`Error::Invalid`].
pub fn pay(repo: &mut dyn Repo, context: &Context, id: BillId, input: PayInput) -> Result<CreditBill> {
    let bill = get(repo, id)?;
    let amount = bill.payable()?;
    let mut errors = input.errors;
    accounts::check_reference(repo, "account_id", input.account_id, &mut errors)?;
    if input.account_id == Some(bill.account_id) {
        errors.push("account_id", "must be another account than the card itself");
    } else if input.account_id.is_some() && amount > Money::TRANSACTION_MAX {
        errors.push("account_id", "more is due than one transfer can hold; pay without an account");
    }
    errors.into_result()?;
    let date = input.date.unwrap_or(context.today);
    let transfer_id = match input.account_id {
        None => None,
        Some(from_account_id) => {
            let description = payment_description(bill.due_date);
            let to_account_id = bill.account_id;
            let new = NewTransfer { from_account_id, to_account_id, amount, date, description };
            Some(transfers::insert(repo, new)?.id)
        }
    };
    repo.bill_payment_insert(&NewBillPayment { bill_id: id, amount, date, transfer_id })?;
    let card = repo.account_get(bill.account_id)?.ok_or(Error::NotFound("account"))?;
    gamification::notify(repo, context, &[Event::BillPaid { card: &card.name, due_date: bill.due_date }])?;
    get(repo, id)
}

/// Deletes the payments of a bill, with the transfers they were made by.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Refusal::BillNotPaid`] on a bill without payments.
pub fn unpay(repo: &mut dyn Repo, id: BillId) -> Result<CreditBill> {
    get(repo, id)?;
    if repo.bill_payments_delete(id)? == 0 {
        return Err(Refusal::BillNotPaid.into());
    }
    get(repo, id)
}

/// Prepares a change of the days of a card: closed bills keep the days they had. On a card whose bills were
/// never used, the new days apply to all of them.
///
/// Call it before the account changes, and [`refresh`] after.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn keep_days(repo: &mut dyn Repo, before: &Account, after: &NewAccount, today: Date) -> Result<()> {
    let (Some(closing_day), Some(due_day)) = (before.closing_day, before.due_day) else { return Ok(()) };
    let is_same = (before.closing_day, before.due_day) == (after.closing_day, after.due_day);
    if is_same || repo.card_bills_forget_unused(before.id)? {
        return Ok(());
    }
    repo.card_cycle_keep(before.id, Cycle { closing_day, due_day }, today)
}
