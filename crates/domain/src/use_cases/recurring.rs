//! Use cases of recurring items.

use std::collections::{HashMap, HashSet};

use bigdecimal::BigDecimal;
use time::{Date, Duration};

use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::{CategoryId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::{Month, day_of_month};
use crate::recurring::{
    COUNT_MAX, Code, ConfirmInput, Coverage, Detected, Draft, EVERY_MAX, Every, Expects, KnownItem, LINKS_MAX, Mark,
    NEAR_DAYS_AFTER, NewRecurring, NoteKey, NotedItem, OCCURRENCES_MAX, Occurrence, PART_ROWS_MAX, RECURRING_MAX,
    REJECTED_RECURRING_MAX, Recurring, RecurringInput, RecurringState, SUGGESTION_MONTHS, SUGGESTION_ROWS_MAX,
    SUGGESTIONS_MAX, Schedule, Status, Template, density, detect, near_days, parse_code,
};
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, NewTransaction, Referring, Transaction};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{gamification, references};
use crate::violations::Violation;

/// The caller's items and their dues of a month, by day, then id.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<Vec<RecurringState>> {
    Ok(of_month(&states(repo, context, month, month)?, month))
}

/// The dues of a month among those of several months, by the month of `due`.
pub(crate) fn of_month(states: &[RecurringState], month: Month) -> Vec<RecurringState> {
    let of_month = |state: &RecurringState| RecurringState {
        occurrences: state.occurrences.iter().filter(|one| month.contains(one.due)).cloned().collect(),
        item: state.item.clone(),
        next_on: state.next_on,
    };
    states.iter().map(of_month).collect()
}

/// The items with something pending or late in a month. In the present month, what is overdue of rare items counts too.
pub(crate) fn pending(states: &[RecurringState], month: Month, today: Date) -> Vec<RecurringState> {
    let pending = |state: &RecurringState| {
        let shows = |one: &&Occurrence| {
            month.contains(one.due)
                || month.contains(today) && one.due < month.first_day() && is_overdue(state, one, today)
        };
        let occurrences = state.occurrences.iter().filter(shows).cloned().collect();
        RecurringState { occurrences, item: state.item.clone(), next_on: state.next_on }
    };
    states.iter().map(pending).filter(RecurringState::is_open).collect()
}

/// Whether a due of a rare item is open and past its day, but not for too long.
fn is_overdue(state: &RecurringState, one: &Occurrence, today: Date) -> bool {
    let last = one.date.saturating_add(Duration::days(NEAR_DAYS_AFTER));
    state.item.is_rare() && one.status.is_open() && one.date < today && today <= last
}

/// What is still expected from today on: the open dues of this month and those after it, and what is overdue of rare items.
pub(crate) fn expected(states: &[RecurringState], today: Date) -> impl Iterator<Item = (&Recurring, &Occurrence)> {
    let month = Month::of(today).first_day();
    let is_ahead = move |state: &RecurringState, one: &Occurrence| {
        one.status.is_open() && (one.date.max(one.due) >= month || is_overdue(state, one, today))
    };
    states.iter().flat_map(move |state| {
        let ahead = state.occurrences.iter().filter(move |one| is_ahead(state, one));
        ahead.map(move |one| (&state.item, one))
    })
}

/// How many months around those that are asked for are looked at: their rows may cover dues of these months.
const MONTHS_AROUND: i32 = 1;
/// The same before and after, where items are due once or rarely: their rows may come 60 days later.
const MONTHS_BEFORE_RARE: i32 = 2;
const MONTHS_AFTER_RARE: i32 = 3;
/// How far a due is from the month of its date, in months.
const MONTHS_MOVED: i32 = 1;

/// The caller's items, by day, then id, each with its dues of the months from `first` to `last` and of some around them.
///
/// All items are read, because the transaction that covers an item depends on the other items.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn states(repo: &mut dyn Repo, context: &Context, first: Month, last: Month) -> Result<Vec<RecurringState>> {
    let notes_from = first.minus(MONTHS_BEFORE_RARE + MONTHS_MOVED);
    let items = repo.recurring_list(notes_from, last.plus(MONTHS_AFTER_RARE + MONTHS_MOVED))?;
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let (before, after) = match items.iter().any(|noted| noted.item.is_rare()) {
        true => (MONTHS_BEFORE_RARE, MONTHS_AFTER_RARE),
        false => (MONTHS_AROUND, MONTHS_AROUND),
    };
    let mut all = covered(repo, context, &items, first.minus(before), last.plus(after))?;
    expect(repo, context, &items, &mut all)?;
    let state = |(NotedItem { item, .. }, occurrences): (NotedItem, Vec<Occurrence>)| {
        let next_on = item.rhythm(&context.schedules.holidays).next_on(context.today);
        RecurringState { item, next_on, occurrences }
    };
    Ok(items.into_iter().zip(all).map(state).collect())
}

/// How the dues of items stand.
fn covered(
    repo: &mut dyn Repo,
    context: &Context,
    items: &[NotedItem],
    first: Month,
    last: Month,
) -> Result<Vec<Vec<Occurrence>>> {
    let mut coverage = Coverage::new(items, &context.schedules.holidays, first, last);
    let bands = coverage.bands();
    if !bands.is_empty() {
        coverage.by_rows(&repo.recurring_transactions(first, last, &bands)?);
        let windows = coverage.part_windows(context.today);
        if !windows.is_empty() {
            let rows = repo.recurring_parts(&windows, PART_ROWS_MAX)?;
            coverage.by_parts(rows, |description| context.lexicon.payees.key(description));
        }
    }
    Ok(coverage.occurrences())
}

/// How many dues before one say what is expected of it.
const DUES_BEFORE: usize = 6;
/// How many of them make a mean.
const MEAN_OF: usize = 3;

/// Sets the amounts that are expected of open dues, for items that expect what came before.
fn expect(repo: &mut dyn Repo, context: &Context, items: &[NotedItem], all: &mut [Vec<Occurrence>]) -> Result<()> {
    let holidays = &context.schedules.holidays;
    let tomorrow = context.today.saturating_add(Duration::days(1));
    let before = |item: &Recurring, due: Date| -> Vec<Date> {
        item.rhythm(holidays).before(due.min(tomorrow)).take(DUES_BEFORE).map(|due| due.date).collect()
    };
    let mut groups: HashSet<(CategoryId, Kind)> = HashSet::new();
    let (mut first, mut last) = (None::<Date>, None::<Date>);
    for (NotedItem { item, .. }, occurrences) in items.iter().zip(all.iter()) {
        if item.schedule.expects == Expects::Amount {
            continue;
        }
        for open in occurrences.iter().filter(|one| !one.is_settled()) {
            let dates = before(item, open.due);
            groups.extend(dates.first().map(|_| (item.category_id, item.kind)));
            first = dates.iter().copied().chain(first).min();
            last = dates.iter().copied().chain(last).max();
        }
    }
    let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
    let (first, last) = (Month::of(first).minus(MONTHS_AROUND), Month::of(last).plus(MONTHS_AROUND));
    let mut earlier = repo.recurring_list(first.minus(MONTHS_MOVED), last.plus(MONTHS_MOVED))?;
    // Items of another category or type do not matter for these.
    earlier.retain(|noted| groups.contains(&(noted.item.category_id, noted.item.kind)));
    let came = covered(repo, context, &earlier, first, last)?;
    let came: HashMap<RecurringId, Vec<Occurrence>> =
        earlier.into_iter().map(|noted| noted.item.id).zip(came).collect();
    for (NotedItem { item, .. }, occurrences) in items.iter().zip(all.iter_mut()) {
        let Some(came) = came.get(&item.id).filter(|_| item.schedule.expects != Expects::Amount) else { continue };
        for open in occurrences.iter_mut().filter(|one| !one.is_settled()) {
            let earlier = came.iter().filter(|one| one.due < open.due && one.due <= context.today).rev();
            let settled = earlier.take(DUES_BEFORE).filter(|one| one.is_settled()).map(|one| one.amount);
            let newest: Vec<Money> =
                settled.take(if item.schedule.expects == Expects::Last { 1 } else { MEAN_OF }).collect();
            if let Some(amount) = mean(&newest) {
                open.amount = amount;
            }
        }
    }
    Ok(())
}

fn mean(amounts: &[Money]) -> Option<Money> {
    let count = u64::try_from(amounts.len()).ok().filter(|count| *count > 0)?;
    Some(Money::round(&(amounts.iter().copied().sum::<Money>().to_decimal() / BigDecimal::from(count))))
}

/// One item and its dues of a month.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn get(repo: &mut dyn Repo, context: &Context, id: RecurringId, month: Month) -> Result<RecurringState> {
    list(repo, context, month)?.into_iter().find(|state| state.item.id == id).ok_or(Error::NotFound("recurring item"))
}

/// The most days of a list of dues.
pub const OCCURRENCE_DAYS_MAX: i64 = 366;

/// A due of an item in a list of dues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedOccurrence {
    /// The item.
    pub item: Recurring,
    /// The due.
    pub occurrence: Occurrence,
}

impl ListedOccurrence {
    /// Its place in the list.
    pub fn place(&self) -> (Date, RecurringId, Date) {
        (self.occurrence.date, self.item.id, self.occurrence.due)
    }
}

/// The dues that are expected from one day to another, by date, then item: those after a place, at most `limit`.
///
/// # Errors
///
/// [`Error::Invalid`] at `to` if it is before `from` or too long after it.
pub fn occurrences(
    repo: &mut dyn Repo,
    context: &Context,
    (from, to): (Date, Date),
    after: Option<(Date, RecurringId, Date)>,
    limit: usize,
) -> Result<Vec<ListedOccurrence>> {
    if to < from {
        return Err(Error::invalid("to", Violation::BeforeFrom));
    }
    if (to - from).whole_days() >= OCCURRENCE_DAYS_MAX {
        let max = from.saturating_add(Duration::days(OCCURRENCE_DAYS_MAX - 1)).to_string();
        return Err(Error::invalid("to", Violation::TooLarge { max: max.into() }));
    }
    let mut found: Vec<ListedOccurrence> = Vec::new();
    for state in states(repo, context, Month::of(from), Month::of(to))? {
        let within = state.occurrences.into_iter().filter(|one| (from..=to).contains(&one.date));
        found.extend(within.map(|occurrence| ListedOccurrence { item: state.item.clone(), occurrence }));
    }
    found.sort_by_key(ListedOccurrence::place);
    found.retain(|one| after.is_none_or(|after| one.place() > after));
    found.truncate(limit);
    Ok(found)
}

/// Creates an item, and returns it with its dues of a month.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: RecurringInput, month: Month) -> Result<RecurringState> {
    let new = check(repo, input, None)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    check_limits(repo, &new, None)?;
    let id = repo.recurring_insert(&new)?;
    let NewRecurring { kind, ref description, .. } = new;
    gamification::notify(repo, context, &[Event::RecurringCreated { kind, description }])?;
    get(repo, context, id, month)
}

/// A profile has so many items, and so many dues within 31 days.
fn check_limits(repo: &mut dyn Repo, new: &NewRecurring, replaced: Option<RecurringId>) -> Result<()> {
    let month = Month::FIRST;
    let mut others = repo.recurring_list(month, month)?;
    others.retain(|noted| Some(noted.item.id) != replaced);
    if others.len() >= RECURRING_MAX {
        return Err(Refusal::LimitReached { what: "recurring items", max: RECURRING_MAX }.into());
    }
    let dues: usize = others.iter().map(|noted| density(&noted.item.schedule)).sum();
    if dues + density(&new.schedule) > OCCURRENCES_MAX {
        let what = "occurrences of recurring items in 31 days";
        return Err(Refusal::LimitReached { what, max: OCCURRENCES_MAX }.into());
    }
    Ok(())
}

/// Replaces the fields of an item, and returns it with its dues of a month. Its marks stay.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn update(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    input: RecurringInput,
    month: Month,
) -> Result<RecurringState> {
    let stored = get(repo, context, id, month)?.item;
    let new = check(repo, input, Some(&stored))?;
    check_limits(repo, &new, Some(id))?;
    repo.recurring_update(id, &new)?;
    get(repo, context, id, month)
}

/// Deletes an item. The transactions created for it stay.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn delete(repo: &mut dyn Repo, id: RecurringId) -> Result<()> {
    if repo.recurring_delete(id)? { Ok(()) } else { Err(Error::NotFound("recurring item")) }
}

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
fn moving(
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

fn is_open(one: &Occurrence) -> bool {
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

/// The rows to link as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct LinkInput {
    /// Required, 1 to [`LINKS_MAX`].
    pub transaction_ids: Option<Vec<Option<TransactionId>>>,
    /// Fields that could not be read.
    pub errors: FieldErrors,
}

/// Says that transactions cover a due, whatever they are. They replace those that were named before.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::RecurringNotPending`] if the due is confirmed, or [`Error::Invalid`].
pub fn link(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    which: Which,
    input: LinkInput,
) -> Result<RecurringState> {
    let LinkInput { transaction_ids, mut errors } = input;
    let state = get(repo, context, id, which.month())?;
    let ids = errors.require("transaction_ids", transaction_ids).unwrap_or_default();
    errors.into_result()?;
    let ids: Vec<TransactionId> = ids.into_iter().flatten().collect();
    let mut errors = FieldErrors::default();
    if ids.is_empty() {
        errors.push("transaction_ids", Violation::Empty);
    }
    if ids.len() > LINKS_MAX {
        errors
            .push("transaction_ids", Violation::TooManyElements { max: i64::try_from(LINKS_MAX).unwrap_or(i64::MAX) });
    }
    errors.into_result()?;
    // Without a name it is the due that has the first row already, the first open one, or the first that may be covered.
    let rows: HashMap<TransactionId, _> = repo.recurring_linkable(&ids)?.into_iter().map(|row| (row.id, row)).collect();
    let every = state.item.schedule.every;
    let has_first = |one: &Occurrence| {
        let of = ids.first().and_then(|first| rows.get(first)).and_then(|row| row.of);
        of == Some((id, NoteKey::of(every, one.due))) && one.status != Status::Confirmed
    };
    let which = match which {
        Which::Due(due) => Which::Due(due),
        Which::Month(month) => {
            let one = state.occurrences.iter().find(|one| has_first(one));
            let one = one.or_else(|| state.occurrences.iter().find(|one| is_open(one)));
            one.map_or(Which::Month(month), |one| Which::Due(one.due))
        }
    };
    let may = |one: &Occurrence| one.status != Status::Confirmed;
    let (item, one) = moving(repo, context, id, which, (may, Refusal::RecurringNotPending))?;
    let key = NoteKey::of(every, one.due);
    let mut errors = FieldErrors::default();
    for (at, row) in ids.iter().enumerate() {
        let field = format!("transaction_ids[{at}]");
        match rows.get(row) {
            None => errors.push(field, Violation::NoSuchTransaction),
            Some(_) if ids[..at].contains(row) => errors.push(field, Violation::GivenTwice),
            Some(row) if row.is_apart => errors.push(field, Violation::CoversNothing),
            Some(row) if row.kind != item.kind => errors.push(field, Violation::OtherType),
            Some(row) if row.of.is_some_and(|of| of != (id, key)) => errors.push(field, Violation::CoversAnother),
            Some(_) => {}
        }
    }
    errors.into_result()?;
    repo.recurring_links_set(id, key, &ids)?;
    get(repo, context, id, which.month())
}

/// Removes the links of a due.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::RecurringNotLinked`].
pub fn unlink(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    let may = |one: &Occurrence| one.is_linked;
    let (item, one) = moving(repo, context, id, which, (may, Refusal::RecurringNotLinked))?;
    repo.recurring_links_set(id, NoteKey::of(item.schedule.every, one.due), &[])?;
    get(repo, context, id, which.month())
}

/// What a code says. Nothing is stored.
///
/// # Errors
///
/// [`Error::Invalid`] at `text`.
pub fn parse(context: &Context, text: Option<String>, mut errors: FieldErrors) -> Result<Code> {
    let text = errors.require("text", text);
    if text.as_ref().is_some_and(|text| text.chars().count() > CODE_LETTERS_MAX) {
        errors.push("text", Violation::TooLong { max: i64::try_from(CODE_LETTERS_MAX).unwrap_or(i64::MAX) });
    }
    errors.into_result()?;
    let code = text.and_then(|text| parse_code(&text, context.today));
    code.ok_or_else(|| Error::invalid("text", Violation::NotACode))
}

/// The most letters of a code.
const CODE_LETTERS_MAX: usize = 1_000;

/// A template, and its items as they would begin today.
pub fn templates(context: &Context) -> Vec<(&Template, Vec<Draft>)> {
    context.schedules.templates.iter().map(|template| (template, template.drafts(context.today))).collect()
}

/// What repeats in the history and is no item yet, and the items whose price has changed: at most
/// [`SUGGESTIONS_MAX`], those that are expected first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn suggestions(repo: &mut dyn Repo, context: &Context) -> Result<Vec<Detected>> {
    let mut found = found(repo, context)?;
    found.truncate(SUGGESTIONS_MAX);
    Ok(found)
}

fn found(repo: &mut dyn Repo, context: &Context) -> Result<Vec<Detected>> {
    let this_month = Month::of(context.today);
    let first = this_month.minus(SUGGESTION_MONTHS);
    let payees = &context.lexicon.payees;
    let mut rows = repo.recurring_history(first.day_clamped(context.today.day()), SUGGESTION_ROWS_MAX)?;
    rows.retain(|row| crate::installments::read(&row.description).is_none());
    let mut keys: HashMap<String, String> = HashMap::new();
    for row in &mut rows {
        let text = std::mem::take(&mut row.payee);
        row.payee = keys.entry(text).or_insert_with_key(|text| payees.key(text)).clone();
    }
    let items = repo.recurring_list(first.minus(MONTHS_MOVED), this_month.plus(MONTHS_MOVED))?;
    let mut covers: HashMap<TransactionId, RecurringId> = HashMap::new();
    for (noted, occurrences) in items.iter().zip(covered(repo, context, &items, first, this_month)?) {
        let ids = occurrences.into_iter().flat_map(|one| one.transaction_ids);
        covers.extend(ids.map(|id| (id, noted.item.id)));
    }
    for row in &mut rows {
        row.covers = covers.get(&row.id).copied();
    }
    let known: Vec<KnownItem> = items.into_iter().map(|noted| known(noted.item, payees)).collect();
    let mut found = detect(&rows, &known, &context.schedules.holidays, context.today);
    if !found.is_empty() {
        let rejected: HashSet<String> = repo.rejected_recurring_list()?.into_iter().collect();
        found.retain(|one| !rejected.contains(&one.id));
    }
    Ok(found)
}

fn known(item: Recurring, payees: &crate::suggestions::Payees) -> KnownItem {
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
    let Detected { draft, price_changed, .. } = found.ok_or(Error::NotFound("suggestion"))?;
    let input = filled(input, draft);
    let month = Month::of(context.today);
    if let Some((id, _)) = price_changed {
        return Ok(Accepted::Updated(update(repo, context, id, input, month)?));
    }
    let state = create(repo, context, input, month)?;
    repo.rejected_recurring_insert(suggestion, Some(state.item.id))?;
    Ok(Accepted::Created(state))
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
    if !found(repo, context)?.iter().any(|one| one.id == suggestion) {
        return Err(Error::NotFound("suggestion"));
    }
    if rejected.len() >= REJECTED_RECURRING_MAX {
        return Err(Refusal::LimitReached { what: "rejected suggestions", max: REJECTED_RECURRING_MAX }.into());
    }
    repo.rejected_recurring_insert(suggestion, None)
}

/// The input with the fields of a draft where it has none.
fn filled(input: RecurringInput, draft: Draft) -> RecurringInput {
    let Draft { kind, description, amount, category_id, account_id, day, schedule } = draft;
    let Schedule { every, start_on, until, count, day_count, weekend, range, expects, reserve } = schedule;
    let every = crate::recurring::EveryInput { n: Some(i64::from(every.n)), unit: Some(every.unit) };
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

/// Applies the rules, including those about the category and the account. `stored` is what is replaced.
fn check(repo: &mut dyn Repo, input: RecurringInput, stored: Option<&Recurring>) -> Result<NewRecurring> {
    let mut errors = input.errors.clone();
    let kind = errors.require("type", input.kind);
    let description = errors
        .require("description", input.description.clone())
        .and_then(|text| errors.check("description", text::description(&text)));
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let category_id = errors.require("category_id", input.category_id);
    references::check(repo, category_id, input.account_id, &mut errors)?;
    let account_id = input.account_id;
    let given_start = matches!(input.start_on, Some(Referring::To(_)));
    let day = input.day;
    let schedule = check_schedule(input, stored, kind, amount, &mut errors);
    let day = match day {
        Some(Referring::To(day)) => errors.check("day", day_of_month(day)),
        Some(Referring::Nothing) => schedule.start_on.map(Date::day),
        None if errors.iter().any(|error| error.field == "day") => None,
        None => {
            let kept = stored.filter(|_| schedule.start_on.is_some() && !given_start).map(|stored| stored.day);
            kept.or(schedule.start_on.map(Date::day))
        }
    };
    if !errors.iter().any(|error| error.field == "day") {
        errors.require("day", day);
    }
    errors.into_result()?;
    let (Some(kind), Some(description), Some(amount), Some(category_id), Some(day)) =
        (kind, description, amount, category_id, day)
    else {
        return Err(Error::Internal("a required field passed the check without a value".into()));
    };
    Ok(NewRecurring { kind, description, amount, category_id, account_id, day, schedule })
}

/// The value of a field: the given one, the stored one where it is absent, or the default where it is null.
fn changed<T>(given: Option<Referring<T>>, stored: Option<T>) -> Option<T> {
    match given {
        Some(Referring::To(value)) => Some(value),
        Some(Referring::Nothing) => None,
        None => stored,
    }
}

/// Applies the rules of the schedule.
fn check_schedule(
    input: RecurringInput,
    stored: Option<&Recurring>,
    kind: Option<Kind>,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Schedule {
    let before = stored.map(|stored| stored.schedule.clone()).unwrap_or_default();
    let whole = |field: &str, number: i64, max: u16, errors: &mut FieldErrors| {
        let read = u16::try_from(number).ok().filter(|number| (1..=max).contains(number));
        errors.check(field, read.ok_or_else(|| Violation::out_of_range(1, i64::from(max))))
    };
    let every = match input.every {
        Some(Referring::To(every)) => {
            let is_known = |field: &str, errors: &FieldErrors| errors.iter().any(|error| error.field == field);
            let n = match every.n {
                Some(n) => whole("every.n", n, EVERY_MAX, errors),
                None if is_known("every.n", errors) => None,
                None => errors.require("every.n", None),
            };
            let unit = match every.unit {
                None if !is_known("every.unit", errors) => errors.require("every.unit", None),
                unit => unit,
            };
            n.zip(unit).map(|(n, unit)| Every { n, unit }).unwrap_or_default()
        }
        Some(Referring::Nothing) => Every::default(),
        None => before.every,
    };
    let has_error = |field: &str, errors: &FieldErrors| errors.iter().any(|error| error.field.starts_with(field));
    let start_on = changed(input.start_on, before.start_on);
    let until = changed(input.until, before.until);
    let count = match input.count {
        Some(Referring::To(count)) => whole("count", count, COUNT_MAX, errors),
        Some(Referring::Nothing) => None,
        None => before.count,
    };
    let needs_start = every != Every::default() || count.is_some();
    if needs_start && start_on.is_none() && !has_error("start_on", errors) {
        errors.require::<Date>("start_on", None);
    }
    if until.is_some() && count.is_some() {
        errors.push("count", Violation::WithUntil);
    }
    if let (Some(start), Some(until)) = (start_on, until)
        && until < start
    {
        errors.push("until", Violation::TooSmall { min: start.to_string().into() });
    }
    let (min, max) = (before.range.map(|(min, _)| min), before.range.map(|(_, max)| max));
    let (min, max) = (changed(input.amount_min, min), changed(input.amount_max, max));
    let range = check_range(min, max, amount, errors);
    let reserve = changed(input.reserve, Some(before.reserve)).unwrap_or_default();
    let is_rarer = every.months().is_some_and(|months| months > 1);
    if reserve && !(is_rarer && kind != Some(Kind::Income)) && !has_error("every", errors) {
        errors.push("reserve", Violation::OnlyOnRareExpense);
    }
    Schedule {
        every,
        start_on,
        until,
        count,
        day_count: changed(input.day_count, Some(before.day_count)).unwrap_or_default(),
        weekend: changed(input.weekend, Some(before.weekend)).unwrap_or_default(),
        range,
        expects: changed(input.expects, Some(before.expects)).unwrap_or_default(),
        reserve,
    }
}

/// Both ends of a range or none, with the amount between them.
fn check_range(
    min: Option<Money>,
    max: Option<Money>,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Option<(Money, Money)> {
    let is_known = |field: &str, errors: &FieldErrors| errors.iter().any(|error| error.field == field);
    let has_errors = is_known("amount_min", errors) || is_known("amount_max", errors);
    let checked = |field: &str, end: Option<Money>, errors: &mut FieldErrors| {
        end.and_then(|end| errors.check(field, end.transaction_amount()))
    };
    let (low, high) = (checked("amount_min", min, errors), checked("amount_max", max, errors));
    if has_errors {
        return None;
    }
    match (min, max) {
        (None, Some(_)) => drop(errors.require::<Money>("amount_min", None)),
        (Some(_), None) => drop(errors.require::<Money>("amount_max", None)),
        _ => {}
    }
    let (low, high) = low.zip(high)?;
    let Some(amount) = amount else { return Some((low, high)) };
    if low > amount {
        errors.push("amount_min", Violation::TooLarge { max: amount.to_string().into() });
    }
    if high < amount {
        errors.push("amount_max", Violation::TooSmall { min: amount.to_string().into() });
    }
    Some((low, high))
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
    let date = input.date.unwrap_or(if month.contains(today) { today } else { one.date });
    let (first, last) = near_days(item, crate::recurring::Due { due: one.due, date: one.date });
    if !month.contains(date) && !(first..=last).contains(&date) {
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
