//! Items with their dues of a month, and dues in the order of their dates.

use time::{Date, Duration};

use super::dues::states;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::RecurringId;
use crate::month::Month;
use crate::recurring::{NEAR_DAYS_AFTER, Occurrence, Recurring, RecurringState};
use crate::store::Repo;
use crate::violations::Violation;

/// The caller's items and their dues of a month, by day, then id.
pub fn list(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<Vec<RecurringState>> {
    Ok(of_month(&states(repo, context, (month, month))?, month))
}

/// The dues of a month among those of several months, by the month of `due`.
fn of_month(states: &[RecurringState], month: Month) -> Vec<RecurringState> {
    let of_month = |state: &RecurringState| RecurringState {
        occurrences: state.occurrences.iter().filter(|one| month.contains(one.due)).cloned().collect(),
        item: state.item.clone(),
        next_on: state.next_on,
    };
    states.iter().map(of_month).collect()
}

/// The items with something pending or late in a month. In the present month, what is open on one of its days though its due is in
/// another month, and what stays open of rare items, counts too.
pub(crate) fn pending(states: &[RecurringState], month: Month, today: Date) -> Vec<RecurringState> {
    let pending = |state: &RecurringState| {
        let is_open_here = |one: &Occurrence| {
            let is_moved = one.status.is_open() && month.contains(one.date);
            is_moved || one.due < month.first_day() && stays(state, one, today)
        };
        let shows = |one: &&Occurrence| month.contains(one.due) || month.contains(today) && is_open_here(one);
        let occurrences: Vec<Occurrence> = state.occurrences.iter().filter(shows).cloned().collect();
        let is_pending = occurrences.iter().any(|one| one.status.is_open());
        is_pending.then(|| RecurringState { occurrences, item: state.item.clone(), next_on: state.next_on })
    };
    states.iter().filter_map(pending).collect()
}

/// The items with their dues from the month `first` on that are before this month, and those that are due or expected from then on from
/// `since`, which has all items. Which early rows the months before can do without depends on how many of them are looked at. So whatever
/// shows this month looks at as many as the others do, also where it shows earlier months.
pub(crate) fn with_earlier(
    repo: &mut dyn Repo,
    context: &Context,
    first: Month,
    since: &[RecurringState],
) -> Result<Vec<RecurringState>> {
    let this_month = Month::of(context.today);
    let before = states(repo, context, (first, this_month.minus(1)))?;
    let first = this_month.first_day();
    let is_before = |one: &Occurrence| one.date.max(one.due) < first;
    let join = |(mut state, since): (RecurringState, &RecurringState)| {
        state.occurrences.retain(is_before);
        state.occurrences.extend(since.occurrences.iter().filter(|one| !is_before(one)).cloned());
        state
    };
    Ok(before.into_iter().zip(since).map(join).collect())
}

/// Whether a due of a rare item is open, and not past its day for too long. Its day may be later than its month.
fn stays(state: &RecurringState, one: &Occurrence, today: Date) -> bool {
    let last = one.date.saturating_add(Duration::days(NEAR_DAYS_AFTER));
    state.item.is_rare() && one.status.is_open() && today <= last
}

/// The open dues that count in the present month or a coming one, by their dates as in the forecast. In the present month, what was
/// due on its days before, and what stays open of rare items, counts too.
pub(crate) fn open_in(
    states: &[RecurringState],
    month: Month,
    today: Date,
) -> impl Iterator<Item = (&Recurring, &Occurrence)> {
    let counts = move |state: &RecurringState, one: &Occurrence| {
        let is_overdue = || month.contains(one.due) || stays(state, one, today);
        one.status.is_open()
            && (month.contains(one.date) || month.contains(today) && one.date < month.first_day() && is_overdue())
    };
    dues(states, counts)
}

/// What is still expected from today on: the open dues of this month and those after it, and what stays open of rare items.
pub(crate) fn expected(states: &[RecurringState], today: Date) -> impl Iterator<Item = (&Recurring, &Occurrence)> {
    let month = Month::of(today).first_day();
    let is_ahead = move |state: &RecurringState, one: &Occurrence| {
        one.status.is_open() && (one.date.max(one.due) >= month || stays(state, one, today))
    };
    dues(states, is_ahead)
}

/// The dues that count, each with its item.
fn dues(
    states: &[RecurringState],
    counts: impl Fn(&RecurringState, &Occurrence) -> bool + Copy,
) -> impl Iterator<Item = (&Recurring, &Occurrence)> {
    states.iter().flat_map(move |state| {
        let counted = state.occurrences.iter().filter(move |one| counts(state, one));
        counted.map(move |one| (&state.item, one))
    })
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
    for state in states(repo, context, (Month::of(from), Month::of(to)))? {
        let within = state.occurrences.into_iter().filter(|one| (from..=to).contains(&one.date));
        found.extend(within.map(|occurrence| ListedOccurrence { item: state.item.clone(), occurrence }));
    }
    found.sort_by_key(ListedOccurrence::place);
    found.retain(|one| after.is_none_or(|after| one.place() > after));
    found.truncate(limit);
    Ok(found)
}
