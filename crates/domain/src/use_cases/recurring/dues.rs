//! How the dues of items stand, and what is expected of those that are open.

use std::collections::{HashMap, HashSet};

use bigdecimal::BigDecimal;
use time::{Date, Duration};

use crate::context::Context;
use crate::error::Result;
use crate::ids::{CategoryId, RecurringId};
use crate::money::Money;
use crate::month::Month;
use crate::recurring::{Coverage, Expects, NotedItem, Occurrence, PART_ROWS_MAX, Recurring, RecurringState};
use crate::store::Repo;
use crate::transactions::Kind;

/// How many months around those that are asked for are looked at: their rows may cover dues of these months.
const MONTHS_AROUND: i32 = 1;
/// The same before and after, where items are due once or rarely: their rows may come 60 days later.
const MONTHS_BEFORE_RARE: i32 = 2;
const MONTHS_AFTER_RARE: i32 = 3;
/// How far a due is from the month of its date, in months.
pub(super) const MONTHS_MOVED: i32 = 1;

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
pub(super) fn covered(
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
