//! What a person says of a due: that its income arrived, that it is late, or that it is ignored.

use time::Date;

use super::listed::get;
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::RecurringId;
use crate::month::Month;
use crate::recurring::{
    ConfirmInput, Due, Mark, NoteKey, Occurrence, Recurring, RecurringState, Status, days_around, near_days,
};
use crate::store::Repo;
use crate::transactions::{Kind, NewTransaction, Transaction};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::references;
use crate::violations::Violation;

/// Which due of an item moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first of a month that may.
    Month(Month),
    /// The one with this name.
    Due(Date),
}

impl Which {
    /// The month of the due.
    pub fn month(self) -> Month {
        match self {
            Which::Month(month) => month,
            Which::Due(due) => Month::of(due),
        }
    }
}

/// The due that moves, of those that `may`, with its item.
pub(super) fn moving(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    which: Which,
    (may, refusal): (impl Fn(&Occurrence) -> bool, Refusal),
) -> Result<(Recurring, Occurrence)> {
    let RecurringState { item, occurrences, .. } = get(repo, context, id, which.month())?;
    let moving = match which {
        Which::Due(due) => {
            let named = occurrences.into_iter().find(|one| one.due == due);
            Some(named.ok_or_else(|| Error::invalid("due", Violation::NoSuchDue))?).filter(&may)
        }
        Which::Month(_) => occurrences.into_iter().find(&may),
    };
    Ok((item, moving.ok_or(refusal)?))
}

pub(super) fn is_open(one: &Occurrence) -> bool {
    one.status.is_open()
}

/// Creates the transaction of an income that arrived, and marks the due as confirmed.
///
/// Writers of one profile run one after another ([`Access::Write`](crate::Access::Write)), so of two
/// concurrent confirms the second finds the due confirmed.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::RecurringNotIncome`], [`Refusal::RecurringNotPending`], or [`Error::Invalid`].
pub fn confirm(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    which: Which,
    input: ConfirmInput,
) -> Result<Transaction> {
    if get(repo, context, id, which.month())?.item.kind != Kind::Income {
        return Err(Refusal::RecurringNotIncome.into());
    }
    let (item, one) = moving(repo, context, id, which, (is_open, Refusal::RecurringNotPending))?;
    let new = check_confirm(repo, input, &item, &one, context.today)?;
    let mut written = Written::default();
    let transaction = ledger::insert_one(repo, &mut written, new)?;
    repo.recurring_mark_set(id, NoteKey::of(item.schedule.every, one.due), Mark::Confirmed(transaction.id))?;
    let events = [Event::RecurringConfirmed { description: &item.description, month: Month::of(one.due) }];
    ledger::finish(repo, context, written, &events)?;
    Ok(transaction)
}

/// Marks a due, and returns the item with the dues of its month.
fn mark(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    which: Which,
    mark: Option<Mark>,
    may: (impl Fn(&Occurrence) -> bool, Refusal),
) -> Result<RecurringState> {
    let (item, one) = moving(repo, context, id, which, may)?;
    let key = NoteKey::of(item.schedule.every, one.due);
    match mark {
        Some(mark) => repo.recurring_mark_set(id, key, mark)?,
        None => repo.recurring_mark_clear(id, key)?,
    }
    get(repo, context, id, which.month())
}

/// Marks a pending due as late.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotPending`].
pub fn late(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    let may = |one: &Occurrence| one.status == Status::Pending;
    mark(repo, context, id, which, Some(Mark::Late), (may, Refusal::RecurringNotPending))
}

/// Removes the mark of a late due, which makes it pending again. A due that a transaction covers is not late.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotLate`].
pub fn unlate(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    let may = |one: &Occurrence| one.status == Status::Late;
    mark(repo, context, id, which, None, (may, Refusal::RecurringNotLate))
}

/// Marks a pending or late due as ignored.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotPending`].
pub fn ignore(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    mark(repo, context, id, which, Some(Mark::Ignored), (is_open, Refusal::RecurringNotPending))
}

/// Removes the mark of an ignored due, which makes it pending again. A due that a transaction covers is not ignored.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotIgnored`].
pub fn unignore(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    let may = |one: &Occurrence| one.status == Status::Ignored;
    mark(repo, context, id, which, None, (may, Refusal::RecurringNotIgnored))
}

/// Applies the rules. Missing input is taken from the due and its item.
fn check_confirm(
    repo: &mut dyn Repo,
    input: ConfirmInput,
    item: &Recurring,
    one: &Occurrence,
    today: Date,
) -> Result<NewTransaction> {
    let mut errors = input.errors;
    let amount = input.amount.unwrap_or(one.amount);
    errors.check("amount", amount.transaction_amount());
    let month = Month::of(one.date);
    let due = Due { due: one.due, date: one.date };
    // Each of these has the day of the due, so together they are one range.
    let near = days_around(item, due).into_iter().chain([near_days(item, due)]);
    let (first, last) =
        near.fold((month.first_day(), month.last_day()), |(first, last), (from, to)| (first.min(from), last.max(to)));
    // The weekend may have moved the due out of its month.
    let is_now = month.contains(today) || Month::of(one.due).contains(today) && (first..=last).contains(&today);
    let date = input.date.unwrap_or(if is_now { today } else { one.date });
    if !(first..=last).contains(&date) {
        let (month, first, last) = (month.to_string(), first.to_string(), last.to_string());
        errors.push("date", Violation::OutsideMonth { month, first, last });
    }
    references::check_account(repo, "account_id", input.account_id, &mut errors)?;
    errors.into_result()?;
    Ok(NewTransaction {
        category_id: Some(item.category_id),
        account_id: input.account_id.or(item.account_id),
        ..NewTransaction::new(item.kind, date, item.description.as_str(), amount)
    })
}
