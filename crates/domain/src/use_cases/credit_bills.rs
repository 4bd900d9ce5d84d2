//! Use cases of credit card bills.

use std::ops::RangeInclusive;

use time::Date;

use crate::accounts::{Account, NewAccount};
use crate::context::Context;
use crate::credit_bills::{
    Alignment, BillDates, BillFilter, BillSlot, Card, CreditBill, Cycle, Cycles, DatesInput, NewBillPayment, PayInput,
    StoredBill, align, payment_description,
};
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::{AccountId, BillId};
use crate::money::Money;
use crate::store::Repo;
use crate::transfers::NewTransfer;
use crate::use_cases::bill_refresh::refresh;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::transfer_links::{self, LeftPayers};
use crate::use_cases::{payers, references, transfers};
use crate::violations::Violation;

/// The caller's bills that pass the filter, newest first.
pub fn list(repo: &mut dyn Repo, filter: &BillFilter) -> Result<Vec<CreditBill>> {
    repo.bill_list(filter)
}

/// One bill.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such bill.
pub fn get(repo: &mut dyn Repo, id: BillId) -> Result<CreditBill> {
    repo.bill_get(id)?.ok_or(Error::NotFound("credit bill"))
}

/// Sets the days on which a bill closes and is due, and assigns the card's rows to its bills accordingly.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Error::Invalid`] if the bill would overlap another one, or be due before it closes.
pub fn set_dates(repo: &mut dyn Repo, context: &Context, id: BillId, input: DatesInput) -> Result<CreditBill> {
    let today = context.today;
    // Refreshed first, so that the bill's period is one of the card's.
    refresh(repo, today)?;
    let bill = get(repo, id)?;
    let DatesInput { closing_date, due_date, mut errors } = input;
    let card = card_of(repo, bill.account_id)?;
    let before = card.cycles.period_holding(bill.period_start);
    let scheduled = card.cycles.scheduled_closing(&before);
    let within = |range: RangeInclusive<Date>, date: Option<Date>| match date {
        Some(date) if !range.contains(&date) => {
            Err(Violation::out_of_range(range.start().to_string(), range.end().to_string()))
        }
        _ => Ok(()),
    };
    let is_near = errors.check("closing_date", within(card.cycles.closing_range(scheduled), closing_date)).is_some();
    if is_near && !errors.has("closing_date") {
        errors.check("due_date", within(Cycles::due_range(closing_date.unwrap_or(scheduled)), due_date));
    }
    errors.into_result()?;
    // A bill that is sent back as it was read.
    if (closing_date, due_date) == (Some(bill.closing_date()), Some(bill.due_date)) {
        return Ok(bill);
    }
    put_dates(repo, &card, scheduled, BillDates { closing: closing_date, due: due_date }, today)?;
    get(repo, id)
}

/// The card of that id.
fn card_of(repo: &mut dyn Repo, account_id: AccountId) -> Result<Card> {
    let card = repo.card_list()?.into_iter().find(|card| card.account_id == account_id);
    card.ok_or_else(|| Error::Internal("a bill belongs to no card".into()))
}

/// Whether every stored bill is a period of its card.
fn are_in_order(card: &Card, bills: &[StoredBill]) -> bool {
    bills.iter().all(|bill| {
        let BillSlot { period, paid, .. } = card.slot(card.cycles.period_holding(bill.period.start));
        (period, paid) == (bill.period, bill.paid)
    })
}

/// Makes every stored bill a period of its card again, after an undo: bills that came back may overlap later ones. Writes nothing
/// if all bills are in order.
pub(crate) fn align_undone(repo: &mut dyn Repo, today: Date) -> Result<()> {
    for card in repo.card_list()? {
        if !are_in_order(&card, &repo.bill_stored(card.account_id)?) {
            align_bills(repo, &card, Some(today))?;
        }
    }
    Ok(())
}

/// Gives other dates to the bill that closes on `scheduled` by the card's days. This changes the bill, the start of the next one,
/// and the date until which the previous one is paid. A closing date equal to `scheduled` is not stored as the bill's own.
fn put_dates(repo: &mut dyn Repo, card: &Card, scheduled: Date, dates: BillDates, today: Date) -> Result<()> {
    let dates = BillDates { closing: dates.closing.filter(|date| *date != scheduled), ..dates };
    repo.bill_dates_put(card.account_id, scheduled, &dates)?;
    let card = card_of(repo, card.account_id)?;
    align_bills(repo, &card, Some(today))?;
    refresh(repo, today)
}

/// Makes every stored bill of a card a period of it, after the days of the card or the dates of a bill changed. Payments stay with
/// their bill, or go to the bill that it becomes a part of.
fn align_bills(repo: &mut dyn Repo, card: &Card, today: Option<Date>) -> Result<()> {
    let Alignment { kept, merged } = align(&card.cycles, &repo.bill_stored(card.account_id)?);
    let kept: Vec<(BillId, BillSlot)> = kept.into_iter().map(|(id, period)| (id, card.slot(period))).collect();
    repo.bill_align(card.account_id, &kept, &merged, today)
}

/// Makes every stored bill of a restored profile a period of its card: documents of earlier releases may have bills that overlap.
/// The first read then brings them up to its day.
pub fn align_restored(repo: &mut dyn Repo) -> Result<()> {
    repo.bill_payments_forget_found()?;
    for card in repo.card_list()? {
        if !are_in_order(&card, &repo.bill_stored(card.account_id)?) {
            let dates: Vec<(Date, BillDates)> = card.cycles.dates().collect();
            repo.card_days_put(card.account_id, &card.cycles.replaced(), &dates)?;
            align_bills(repo, &card, None)?;
        }
    }
    repo.upkeep_note(None)
}

/// Takes the due date that a card's statement names [for its bill](Cycles::period_named_due).
pub(crate) fn take_due_date(repo: &mut dyn Repo, account_id: AccountId, due: Date, today: Date) -> Result<()> {
    let card = card_of(repo, account_id)?;
    let period = card.cycles.period_named_due(due);
    let closing = card.cycles.period_following(&period).start;
    if period.due == due || !Cycles::due_range(closing).contains(&due) {
        return Ok(());
    }
    let scheduled = card.cycles.scheduled_closing(&period);
    put_dates(repo, &card, scheduled, BillDates { closing: Some(closing), due: Some(due) }, today)
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
    refresh(repo, context.today)?;
    let bill = get(repo, id)?;
    let amount = bill.payable(context.today)?;
    let mut errors = input.errors;
    references::check_account(repo, "account_id", input.account_id, &mut errors)?;
    if input.account_id == Some(bill.account_id) {
        errors.push("account_id", Violation::CardItself);
    } else if input.account_id.is_some() && amount > Money::TRANSACTION_MAX {
        errors.push("account_id", Violation::MoreThanOneTransfer);
    }
    errors.into_result()?;
    let date = input.date.unwrap_or(context.today);
    let mut written = Written::default();
    let transfer = match input.account_id {
        None => None,
        Some(from_account_id) => {
            let description = payment_description(bill.due_date);
            let to_account_id = bill.account_id;
            let new = NewTransfer { from_account_id, to_account_id, amount, date, description };
            Some(transfers::insert(repo, &mut written, &new)?)
        }
    };
    let transfer_id = transfer.as_ref().map(|transfer| transfer.id);
    ledger::pay(repo, &[NewBillPayment { bill_id: id, amount, date, transfer_id }])?;
    let card = repo.account_get(bill.account_id, context.today)?.ok_or(Error::NotFound("account"))?;
    ledger::finish(repo, context, written, &[Event::BillPaid { card: &card.name, due_date: bill.due_date }])?;
    if let Some(transfer) = transfer {
        payers::ask(repo, context, [&transfer.to])?;
    }
    get(repo, id)
}

/// Removes the payments of a bill, with the legs that this service created for them. Rows from statements stay: the card's
/// statement decides which payments it has, and a row of another account is treated as if it had never been linked.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::PaidByStatement`] if only rows of statements pay the bill, or
/// [`Refusal::BillNotPaid`] on a bill without payments.
pub fn unpay(repo: &mut dyn Repo, context: &Context, id: BillId) -> Result<CreditBill> {
    let bill = get(repo, id)?;
    let mut written = Written::default();
    let (count, unlinked) = ledger::take_payments_back(repo, &mut written, id)?;
    if count == 0 {
        return Err(if bill.entry.paid_at.is_some() { Refusal::PaidByStatement } else { Refusal::BillNotPaid }.into());
    }
    transfer_links::stand_alone(repo, context, &mut written, &unlinked, LeftPayers::AreSingle)?;
    ledger::finish(repo, context, written, &[])?;
    get(repo, id)
}

/// Prepares a change of the days of a card: closed bills keep the days and dates that they had. On a card that has nothing
/// yet, the new days apply to all of its bills.
///
/// Call it before the account changes, and call [`refresh`] afterwards.
pub(crate) fn keep_days(repo: &mut dyn Repo, before: &Account, after: &NewAccount, today: Date) -> Result<()> {
    let (Some(closing_day), Some(due_day)) = (after.closing_day, after.due_day) else { return Ok(()) };
    let new = Cycle { closing_day, due_day };
    if before.days() == Some(new) || repo.card_bills_forget_unused(before.id)? {
        return Ok(());
    }
    let mut card = card_of(repo, before.id)?;
    card.cycles = card.cycles.changed(today, new);
    let dates: Vec<(Date, BillDates)> = card.cycles.dates().collect();
    repo.card_days_put(card.account_id, &card.cycles.replaced(), &dates)?;
    align_bills(repo, &card, Some(today))
}
