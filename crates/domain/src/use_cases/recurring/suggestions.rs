//! What repeats in the history, and the items that a person makes of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::dues::{MONTHS_MOVED, covered};
use super::items::{create, update};
use super::listed::get;
use super::moves::is_open;
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::ids::{RecurringId, TransactionId};
use crate::installments;
use crate::month::Month;
use crate::recurring::{
    Coverage, DAYS_OFF_MAX, Detected, Draft, EveryInput, KnownItem, NoteKey, REJECTED_RECURRING_MAX, Recurring,
    RecurringInput, RecurringState, SUGGESTION_MONTHS, SUGGESTION_ROWS_MAX, SUGGESTIONS_MAX, Schedule, detect,
};
use crate::store::Repo;
use crate::suggestions::Payees;
use crate::transactions::{Referring, Transaction};
use crate::use_cases::categories;

/// What repeats in the history and is no item yet, and the items whose price has changed: at most
/// [`SUGGESTIONS_MAX`], those that are expected first.
pub fn suggestions(repo: &mut dyn Repo, context: &Context) -> Result<Vec<Detected>> {
    let mut found = found(repo, context)?;
    found.truncate(SUGGESTIONS_MAX);
    describe(repo, &mut found)?;
    Ok(found)
}

/// Gives items to be the description of their last row.
fn describe(repo: &mut dyn Repo, found: &mut [Detected]) -> Result<()> {
    let last = |one: &Detected| one.transaction_ids.last().copied().filter(|_| one.draft.description.is_none());
    let ids: Vec<TransactionId> = found.iter().filter_map(last).collect();
    let rows = repo.transaction_list_of(&ids)?;
    let mut texts: HashMap<TransactionId, String> = rows.into_iter().map(|row| (row.id, row.description)).collect();
    for one in found {
        if let Some(text) = last(one).and_then(|id| texts.remove(&id)) {
            one.draft.description = Some(text);
        }
    }
    Ok(())
}

fn found(repo: &mut dyn Repo, context: &Context) -> Result<Vec<Detected>> {
    let this_month = Month::of(context.today);
    let first = this_month.minus(SUGGESTION_MONTHS);
    let payees = &context.lexicon.payees;
    let mut rows = repo.recurring_history(first.day_clamped(context.today.day()), SUGGESTION_ROWS_MAX)?;
    // By the text of a row. None of an instalment.
    let mut keys: HashMap<Arc<str>, Option<Arc<str>>> = HashMap::new();
    rows.retain_mut(|row| {
        let key = keys
            .entry(row.payee.clone())
            .or_insert_with_key(|text| installments::read(text).is_none().then(|| payees.key(text).into()));
        let Some(key) = key else { return false };
        row.payee = key.clone();
        true
    });
    let (items, known_rows) = repo.recurring_list(first.minus(MONTHS_MOVED), this_month.plus(MONTHS_MOVED))?;
    let mut covers: HashMap<TransactionId, RecurringId> = HashMap::new();
    let coverage = Coverage::new(&items, &context.schedules.holidays, first, this_month);
    for (noted, occurrences) in items.iter().zip(covered(repo, context, coverage, known_rows, |_, _| true)?) {
        let ids = occurrences.into_iter().flat_map(|one| one.transaction_ids);
        covers.extend(ids.map(|id| (id, noted.item.id)));
    }
    let hidden = categories::hidden(repo)?;
    for row in &mut rows {
        row.covers = covers.get(&row.id).copied();
        row.category_id = row.category_id.filter(|id| !hidden.contains(id));
    }
    let known: Vec<KnownItem> = items.into_iter().map(|noted| known(noted.item, payees)).collect();
    let mut found = detect(&rows, &known, &context.schedules.holidays, context.today);
    if !found.is_empty() {
        let rejected: HashSet<String> = repo.rejected_recurring_list()?.into_iter().collect();
        found.retain(|one| !rejected.contains(&one.id) && !rejected.contains(&one.id_by_amount));
    }
    Ok(found)
}

fn known(item: Recurring, payees: &Payees) -> KnownItem {
    let Recurring { id, kind, description, amount, category_id, account_id, day, schedule, .. } = item;
    KnownItem {
        id,
        kind,
        payee: payees.key(&description),
        amount,
        range: schedule.range,
        draft: Draft {
            kind,
            description: Some(description),
            amount: Some(amount),
            category_id: Some(category_id),
            account_id,
            day: Some(day),
            schedule,
        },
    }
}

/// What became of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// A new item.
    Created(RecurringState),
    /// An item with its new price.
    Updated(RecurringState),
}

/// Makes an item of a suggestion, or gives an item its new price. Fields of the input take the place of those suggested.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn accept(repo: &mut dyn Repo, context: &Context, suggestion: &str, input: RecurringInput) -> Result<Accepted> {
    let found = found(repo, context)?.into_iter().find(|one| one.id == suggestion);
    let mut found = found.ok_or(Error::NotFound("suggestion"))?;
    describe(repo, std::slice::from_mut(&mut found))?;
    let Detected { id_by_amount, draft, price_changed, transaction_ids, .. } = found;
    let input = filled(input, draft);
    let month = Month::of(context.today);
    if let Some((id, _)) = price_changed {
        return Ok(Accepted::Updated(update(repo, context, id, input, month)?));
    }
    let state = create(repo, context, input, month)?;
    let id = state.item.id;
    // By its amount: what else the payee charges for later is another series.
    repo.rejected_recurring_insert(&id_by_amount, Some(id))?;
    if !cover(repo, context, id, &transaction_ids)? {
        return Ok(Accepted::Created(state));
    }
    get(repo, context, id, month).map(Accepted::Created)
}

/// Links the rows of a suggestion with the dues that they do not cover by themselves, because they have another category or none. Returns
/// whether it linked any.
fn cover(repo: &mut dyn Repo, context: &Context, id: RecurringId, rows: &[TransactionId]) -> Result<bool> {
    let mut rows = repo.transaction_list_of(rows)?;
    let day = |row: &Transaction| row.original_date.unwrap_or(row.date);
    let Some(first) = rows.iter().map(day).min() else { return Ok(false) };
    let (first, last) = (Month::of(first), Month::of(context.today));
    // With the other items, of which one may cover a row that is near an amount of both.
    let (items, known_rows) = repo.recurring_list(first.minus(MONTHS_MOVED), last.plus(MONTHS_MOVED))?;
    let Some(at) = items.iter().position(|noted| noted.item.id == id) else { return Ok(false) };
    let coverage = Coverage::new(&items, &context.schedules.holidays, first, last);
    let occurrences = covered(repo, context, coverage, known_rows, |_, _| true)?.swap_remove(at);
    let every = items[at].item.schedule.every;
    rows.retain(|row| !occurrences.iter().any(|one| one.transaction_ids.contains(&row.id)));
    let mut has_linked = false;
    for one in occurrences.iter().filter(|one| is_open(one)) {
        let days_off = |row: &Transaction| (day(row) - one.due).whole_days().abs();
        let near = rows.iter().enumerate().filter(|(_, row)| days_off(row) <= DAYS_OFF_MAX);
        if let Some(at) = near.min_by_key(|(_, row)| days_off(row)).map(|(at, _)| at) {
            repo.recurring_links_set(id, NoteKey::of(every, one.due), &[rows.swap_remove(at).id])?;
            has_linked = true;
        }
    }
    Ok(has_linked)
}

/// Remembers that a suggestion is none. Another time changes nothing.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::LimitReached`].
pub fn reject(repo: &mut dyn Repo, context: &Context, suggestion: &str) -> Result<()> {
    let rejected = repo.rejected_recurring_list()?;
    if rejected.iter().any(|known| known == suggestion) {
        return Ok(());
    }
    let found = found(repo, context)?.into_iter().find(|one| one.id == suggestion);
    let Detected { id, id_by_amount, .. } = found.ok_or(Error::NotFound("suggestion"))?;
    // By its amount too, by which it is named once its payee is paid for something else.
    let mut ids = vec![id, id_by_amount];
    ids.dedup();
    if rejected.len() + ids.len() > REJECTED_RECURRING_MAX {
        return Err(Refusal::LimitReached { what: "rejected suggestions", max: REJECTED_RECURRING_MAX }.into());
    }
    ids.iter().try_for_each(|id| repo.rejected_recurring_insert(id, None))
}

/// The input with the fields of a draft where it has none.
fn filled(input: RecurringInput, draft: Draft) -> RecurringInput {
    let Draft { kind, description, amount, category_id, account_id, day, schedule } = draft;
    let Schedule { every, start_on, until, count, day_count, weekend, range, expects, reserve } = schedule;
    let every = EveryInput { n: Some(i64::from(every.n)), unit: Some(every.unit) };
    let to = Referring::To;
    RecurringInput {
        kind: input.kind.or(Some(kind)),
        description: input.description.or(description),
        amount: input.amount.or(amount),
        category_id: input.category_id.or(category_id),
        account_id: input.account_id.or(account_id),
        day: input.day.or(day.map(|day| Referring::To(i64::from(day)))),
        every: input.every.or(Some(Referring::To(every))),
        start_on: input.start_on.or(start_on.map(Referring::To)),
        until: input.until.or(until.map(Referring::To)),
        count: input.count.or(count.map(|count| Referring::To(i64::from(count)))),
        day_count: input.day_count.or(Some(Referring::To(day_count))),
        weekend: input.weekend.or(Some(Referring::To(weekend))),
        amount_min: input.amount_min.or(range.map(|(low, _)| to(low))),
        amount_max: input.amount_max.or(range.map(|(_, high)| to(high))),
        expects: input.expects.or(Some(Referring::To(expects))),
        reserve: input.reserve.or(Some(Referring::To(reserve))),
        errors: input.errors,
    }
}
