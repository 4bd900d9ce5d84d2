//! How the dues of items stand, and what is expected of those that are open.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use time::{Date, Duration};

use crate::context::Context;
use crate::error::Result;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::Month;
use crate::recurring::{
    Coverage, Due, Expects, KnownRows, NotedItem, Occurrence, PartWindow, Recurring, RecurringState, near_days,
};
use crate::store::Repo;
use crate::transactions::Kind;

/// How many months around those that are asked for are looked at: their rows may cover dues of these months.
const MONTHS_AROUND: i32 = 1;
/// The same before and after, where an item of the category and type is due once or rarely: its row may come 60 days later, from 31
/// December on 1 March.
const MONTHS_AROUND_RARE: i32 = 3;
/// One more before, where a row may come in the month before its due: which rows that month can do without depends on the dues of that
/// month.
const MONTHS_BEFORE_EARLY: i32 = 1;
/// How far a due is from the month of its date, in months.
pub(super) const MONTHS_MOVED: i32 = 1;

/// How many months around those that are asked for are looked at, with or without rare items among those that a row may cover.
fn months_around(has_rare: bool) -> i32 {
    if has_rare { MONTHS_AROUND_RARE } else { MONTHS_AROUND }
}

/// The caller's items, by day, then id, each with its dues of the months from `first` to `last` and of some around them, of which
/// those of items that are not rare may be pending here though they were paid in parts.
///
/// All items are read, because the transaction that covers an item depends on the other items.
pub(crate) fn states(
    repo: &mut dyn Repo,
    context: &Context,
    (first, last): (Month, Month),
) -> Result<Vec<RecurringState>> {
    let notes_from = first.minus(MONTHS_AROUND_RARE + MONTHS_BEFORE_EARLY + MONTHS_MOVED);
    let notes_to = last.plus(MONTHS_AROUND_RARE + MONTHS_MOVED);
    let (mut items, known_rows) = repo.recurring_list(notes_from, notes_to)?;
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let around = months_around(items.iter().any(|noted| noted.item.is_rare()));
    let asked = first.first_day()..=last.last_day();
    // What came before also says what is expected of a later due.
    let matters = |item: &Recurring, due: Due| {
        asked.contains(&due.due)
            || asked.contains(&due.date)
            || item.is_rare()
            || item.schedule.expects != Expects::Amount
    };
    let firsts = firsts(context, &items, first, last.plus(around));
    let (first, last) = (first.minus(around), last.plus(around));
    // What was said of the dues before counts too.
    let earliest = firsts.iter().copied().min().map(|earliest| earliest.minus(MONTHS_MOVED));
    if let Some(earliest) = earliest.filter(|earliest| *earliest < notes_from) {
        (items, _) = repo.recurring_list(earliest, notes_to)?;
    }
    let holidays = &context.schedules.holidays;
    // Between what came until today and the months that are asked for, no due says anything.
    let known_until = Month::of(context.today).plus(around);
    let has_gap = known_until < first.minus(1) && firsts.iter().any(|earliest| *earliest <= known_until);
    let mut all = match has_gap {
        true => {
            let known = Coverage::since(&items, holidays, &firsts, known_until);
            let mut all = covered(repo, context, known, known_rows, matters)?;
            let asked = covered(repo, context, Coverage::new(&items, holidays, first, last), known_rows, matters)?;
            all.iter_mut().zip(asked).for_each(|(known, asked)| known.extend(asked));
            all
        }
        false => covered(repo, context, Coverage::since(&items, holidays, &firsts, last), known_rows, matters)?,
    };
    for (NotedItem { item, .. }, occurrences) in items.iter().zip(&mut all) {
        expect(item, context.today, occurrences);
        occurrences.retain(|one| (first.first_day()..=last.last_day()).contains(&one.date));
    }
    let state = |(NotedItem { item, .. }, occurrences): (NotedItem, Vec<Occurrence>)| {
        let next_on = item.rhythm(&context.schedules.holidays).next_on(context.today);
        RecurringState { item, next_on, occurrences }
    };
    Ok(items.into_iter().zip(all).map(state).collect())
}

/// How the dues of items stand: reads what may cover them. Parts are looked for only of dues that matter.
pub(super) fn covered(
    repo: &mut dyn Repo,
    context: &Context,
    mut coverage: Coverage<'_>,
    known_rows: KnownRows,
    matters: impl Fn(&Recurring, Due) -> bool + Copy,
) -> Result<Vec<Vec<Occurrence>>> {
    let bands = coverage.bands();
    if !bands.is_empty() {
        let months = (Month::of(context.today), coverage.last());
        coverage.by_rows(&repo.recurring_transactions(months, &bands, known_rows.has_held)?);
        let read = |windows: &[PartWindow], limit| repo.recurring_parts(windows, limit);
        let payee = |description: &str| context.lexicon.payees.key(description);
        coverage.by_parts((context.today, known_rows.last_day), matters, read, payee)?;
    }
    Ok(coverage.occurrences())
}

/// How many dues before one say what is expected of it.
const DUES_BEFORE: usize = 6;
/// How many of them make a mean.
const MEAN_OF: usize = 3;

/// The first month of each item whose dues matter, where the months from `asked` on are asked for: the months around these, and earlier
/// ones where a row may come early, or where what came before says what is expected. It depends on the items of the category and type.
fn firsts(context: &Context, items: &[NotedItem], asked: Month, last: Month) -> Vec<Month> {
    let holidays = &context.schedules.holidays;
    let tomorrow = context.today.saturating_add(Duration::days(1));
    let rare: HashSet<(CategoryId, Kind)> =
        items.iter().filter(|noted| noted.item.is_rare()).map(|noted| noted.item.group()).collect();
    let around = |item: &Recurring| asked.minus(months_around(rare.contains(&item.group())));
    let mut groups: HashMap<(CategoryId, Kind), Month> = HashMap::new();
    for NotedItem { item, .. } in items {
        let first = around(item);
        let since = groups.entry(item.group()).or_insert(first);
        let mut dues = item.rhythm(holidays).expected(first.first_day(), last.last_day()).peekable();
        let Some(due) = dues.peek().copied() else { continue };
        if dues.any(|due| Month::of(near_days(item, due).0) < Month::of(due.date)) {
            *since = (*since).min(first.minus(MONTHS_BEFORE_EARLY));
        }
        if item.schedule.expects == Expects::Amount {
            continue;
        }
        let before = item.rhythm(holidays).before(due.due.min(tomorrow));
        if let Some(earliest) = before.take(DUES_BEFORE).map(|due| due.date).min() {
            *since = (*since).min(Month::of(earliest).minus(MONTHS_AROUND));
        }
    }
    items.iter().map(|noted| groups.get(&noted.item.group()).copied().unwrap_or(around(&noted.item))).collect()
}

/// Sets the amounts that are expected of the open dues of an item that expects what came before.
fn expect(item: &Recurring, today: Date, occurrences: &mut [Occurrence]) {
    let newest = match item.schedule.expects {
        Expects::Amount => return,
        Expects::Last => 1,
        Expects::Mean3 => MEAN_OF,
    };
    for at in 0..occurrences.len() {
        let (known, others) = occurrences.split_at_mut(at);
        let Some(open) = others.first_mut().filter(|one| !one.is_settled()) else { continue };
        let until_today = known.partition_point(|one| one.due <= today);
        let earlier = known[..until_today].iter().rev().take(DUES_BEFORE);
        let settled = earlier.filter(|one| one.is_settled()).map(|one| one.amount);
        if let Some(amount) = mean(&settled.take(newest).collect::<Vec<_>>()) {
            open.amount = amount;
        }
    }
}

fn mean(amounts: &[Money]) -> Option<Money> {
    let count = u32::try_from(amounts.len()).ok().and_then(NonZeroU32::new)?;
    Some(amounts.iter().copied().sum::<Money>().share(1, count))
}
