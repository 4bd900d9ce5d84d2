//! Use cases of recurring items.

use std::collections::HashMap;

use time::Date;

use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::gamification::Event;
use crate::ids::RecurringId;
use crate::month::{Month, day_of_month};
use crate::recurring::{
    ConfirmInput, MatchTransaction, MonthMark, NewRecurring, RECURRING_MAX, Recurring, RecurringInput, RecurringState,
    Status, bands, confirmed_date, states,
};
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, NewTransaction, Transaction};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{gamification, references};
use crate::violations::Violation;

/// The caller's items and their status in a month, by day, then id.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, month: Month) -> Result<Vec<RecurringState>> {
    Ok(list_months(repo, month, month)?.pop().map(|(_, states)| states).unwrap_or_default())
}

/// The caller's items and their status in each month from `first` to `last`, as in [`list`].
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list_months(repo: &mut dyn Repo, first: Month, last: Month) -> Result<Vec<(Month, Vec<RecurringState>)>> {
    let months = std::iter::successors(Some(first), |month| Some(month.plus(1))).take_while(|month| *month <= last);
    let (items, marked): (Vec<Recurring>, Vec<HashMap<Month, MonthMark>>) =
        repo.recurring_list(first, last)?.into_iter().unzip();
    if items.is_empty() {
        return Ok(months.map(|month| (month, Vec::new())).collect());
    }
    let mut marks: HashMap<Month, HashMap<RecurringId, MonthMark>> = HashMap::new();
    for (item, marked) in items.iter().zip(marked) {
        for (month, mark) in marked {
            marks.entry(month).or_default().insert(item.id, mark);
        }
    }
    let mut transactions: HashMap<Month, Vec<MatchTransaction>> = HashMap::new();
    for (month, transaction) in repo.recurring_transactions(first, last, &bands(&items))? {
        transactions.entry(month).or_default().push(transaction);
    }
    let of_month = |month| {
        let marks = marks.remove(&month).unwrap_or_default();
        (month, states(&items, &marks, &transactions.remove(&month).unwrap_or_default()))
    };
    Ok(months.map(of_month).collect())
}

/// One item and its status in a month.
///
/// All items are read, because the transaction that covers an item depends on the other items.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn get(repo: &mut dyn Repo, id: RecurringId, month: Month) -> Result<RecurringState> {
    list(repo, month)?.into_iter().find(|state| state.item.id == id).ok_or(Error::NotFound("recurring item"))
}

/// Creates an item, and returns it with its status in a month.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: RecurringInput, month: Month) -> Result<RecurringState> {
    let new = check(repo, input)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.recurring_count()? >= RECURRING_MAX {
        return Err(Refusal::LimitReached { what: "recurring items", max: RECURRING_MAX }.into());
    }
    let id = repo.recurring_insert(&new)?;
    let NewRecurring { kind, ref description, .. } = new;
    gamification::notify(repo, context, &[Event::RecurringCreated { kind, description }])?;
    get(repo, id, month)
}

/// Replaces the fields of an item, and returns it with its status in a month. Its marks stay.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Error::Invalid`].
pub fn update(repo: &mut dyn Repo, id: RecurringId, input: RecurringInput, month: Month) -> Result<RecurringState> {
    get(repo, id, month)?;
    let new = check(repo, input)?;
    repo.recurring_update(id, &new)?;
    get(repo, id, month)
}

/// Deletes an item. The transactions created for it stay.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn delete(repo: &mut dyn Repo, id: RecurringId) -> Result<()> {
    if repo.recurring_delete(id)? { Ok(()) } else { Err(Error::NotFound("recurring item")) }
}

/// Creates the transaction of an income that arrived, and marks the item as confirmed.
///
/// Writers of one profile run one after another ([`Access::Write`](crate::Access::Write)), so of two
/// concurrent confirms the second finds the item confirmed.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::RecurringNotIncome`], [`Refusal::RecurringNotPending`], or [`Error::Invalid`].
pub fn confirm(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    month: Month,
    input: ConfirmInput,
) -> Result<Transaction> {
    let state = get(repo, id, month)?;
    if state.item.kind != Kind::Income {
        return Err(Refusal::RecurringNotIncome.into());
    }
    if !state.status.is_open() {
        return Err(Refusal::RecurringNotPending.into());
    }
    let new = check_confirm(repo, input, &state.item, month, context.today)?;
    let mut written = Written::default();
    let transaction = ledger::insert_one(repo, &mut written, new)?;
    repo.recurring_mark_set(id, month, MonthMark::Confirmed(transaction.id))?;
    let events = [Event::RecurringConfirmed { description: &state.item.description, month }];
    ledger::finish(repo, context, written, &events)?;
    Ok(transaction)
}

/// Marks a pending item as late.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotPending`].
pub fn late(repo: &mut dyn Repo, id: RecurringId, month: Month) -> Result<RecurringState> {
    let state = get(repo, id, month)?;
    if state.status != Status::Pending {
        return Err(Refusal::RecurringNotPending.into());
    }
    repo.recurring_mark_set(id, month, MonthMark::Late)?;
    Ok(RecurringState { status: Status::Late, ..state })
}

/// Removes the mark of a late item, which makes it pending again. An item that a transaction covers is not late.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotLate`].
pub fn unlate(repo: &mut dyn Repo, id: RecurringId, month: Month) -> Result<RecurringState> {
    let state = get(repo, id, month)?;
    if state.status != Status::Late {
        return Err(Refusal::RecurringNotLate.into());
    }
    repo.recurring_mark_clear(id, month)?;
    Ok(RecurringState { status: Status::Pending, ..state })
}

/// Marks a pending or late item as ignored in this month.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotPending`].
pub fn ignore(repo: &mut dyn Repo, id: RecurringId, month: Month) -> Result<RecurringState> {
    let state = get(repo, id, month)?;
    if !state.status.is_open() {
        return Err(Refusal::RecurringNotPending.into());
    }
    repo.recurring_mark_set(id, month, MonthMark::Ignored)?;
    Ok(RecurringState { status: Status::Ignored, ..state })
}

/// Removes the mark of an ignored item, which makes it pending again. An item that a transaction covers is not ignored.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotIgnored`].
pub fn unignore(repo: &mut dyn Repo, id: RecurringId, month: Month) -> Result<RecurringState> {
    let state = get(repo, id, month)?;
    if state.status != Status::Ignored {
        return Err(Refusal::RecurringNotIgnored.into());
    }
    repo.recurring_mark_clear(id, month)?;
    Ok(RecurringState { status: Status::Pending, ..state })
}

/// Applies the rules, including those about the category and the account.
fn check(repo: &mut dyn Repo, input: RecurringInput) -> Result<NewRecurring> {
    let mut errors = input.errors;
    let kind = errors.require("type", input.kind);
    let description = errors
        .require("description", input.description)
        .and_then(|text| errors.check("description", text::description(&text)));
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let category_id = errors.require("category_id", input.category_id);
    references::check(repo, category_id, input.account_id, &mut errors)?;
    let day = errors.require("day", input.day).and_then(|day| errors.check("day", day_of_month(day)));
    errors.into_result()?;
    let (Some(kind), Some(description), Some(amount), Some(category_id), Some(day)) =
        (kind, description, amount, category_id, day)
    else {
        return Err(Error::Internal("a required field passed the check without a value".into()));
    };
    Ok(NewRecurring { kind, description, amount, category_id, account_id: input.account_id, day })
}

/// Applies the rules. Missing input is taken from the item.
fn check_confirm(
    repo: &mut dyn Repo,
    input: ConfirmInput,
    item: &Recurring,
    month: Month,
    today: Date,
) -> Result<NewTransaction> {
    let mut errors = input.errors;
    let amount = input.amount.unwrap_or(item.amount);
    errors.check("amount", amount.transaction_amount());
    let date = input.date.unwrap_or(confirmed_date(item.day, month, today));
    if !month.contains(date) {
        errors.push("date", Violation::OutsideMonth { month: month.to_string() });
    }
    references::check_account(repo, "account_id", input.account_id, &mut errors)?;
    errors.into_result()?;
    Ok(NewTransaction {
        category_id: Some(item.category_id),
        account_id: input.account_id.or(item.account_id),
        ..NewTransaction::new(item.kind, date, item.description.as_str(), amount)
    })
}
