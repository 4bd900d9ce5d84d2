//! Items are created, replaced and deleted.

use time::Date;

use super::listed::get;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::RecurringId;
use crate::money::Money;
use crate::month::{Month, day_of_month};
use crate::recurring::{
    COUNT_MAX, EVERY_MAX, Every, NewRecurring, OCCURRENCES_MAX, RECURRING_MAX, Recurring, RecurringInput,
    RecurringState, Rhythm, Schedule, density,
};
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, Referring};
use crate::use_cases::{gamification, references};
use crate::violations::Violation;

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
    let (mut others, _) = repo.recurring_list(month, month)?;
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

/// Replaces the fields of an item, and returns it with its dues of a month. What was said of a due stays while there is that due.
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
    // So that the transactions of dues that are gone may cover others.
    let rhythm = Rhythm { day: new.day, schedule: &new.schedule, holidays: &context.schedules.holidays };
    let mut lost = repo.recurring_note_keys(id)?;
    lost.retain(|key| rhythm.has_lost(*key));
    if !lost.is_empty() {
        repo.recurring_notes_delete(id, &lost)?;
    }
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
            // A day that is the one of `start_on` follows it.
            let is_own =
                |stored: &&Recurring| !given_start || stored.schedule.start_on.is_none_or(|on| on.day() != stored.day);
            let kept = stored.filter(is_own).filter(|_| schedule.start_on.is_some()).map(|stored| stored.day);
            kept.or(schedule.start_on.map(Date::day))
        }
    };
    // Days and weeks are counted from `start_on`, which they require.
    if !schedule.every.is_by_days() && !errors.iter().any(|error| error.field == "day") {
        errors.require("day", day);
    }
    let (kind, description, amount, category_id, day) = errors.all((kind, description, amount, category_id, day))?;
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
