//! Dates, counted from the day on which a line was written.

use time::{Date, Duration, Month};

use super::line::Line;
use super::values::{Candidate, Field, Missing, Part};
use super::words::Grammar;
use crate::month::YEARS;

/// How many days after the day of writing a day without a year may be.
const AHEAD_DAYS_MAX: i64 = 30;
/// The years that are looked back for a day: two leap years are at most eight apart.
const YEARS_BACK_MAX: i32 = 8;

/// What a date in a line may be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    to: usize,
    /// The day, or the days that it may be.
    days: Vec<Date>,
    is_told: bool,
}

impl Found {
    fn day(to: usize, day: Option<Date>) -> Self {
        Found { to, is_told: day.is_none(), days: day.into_iter().collect() }
    }

    fn days(to: usize, days: Vec<Date>) -> Self {
        Found { to, days, is_told: true }
    }
}

/// Takes the dates of a line. The day of writing if there is none; none if they do not say one day.
pub(super) fn read(line: &mut Line<'_>, grammar: &Grammar, on: Date, missing: &mut Vec<Missing>) -> Option<Date> {
    let mut days: Vec<Date> = Vec::new();
    let (mut count, mut is_told) = (0, false);
    let mut at = 0;
    while at < line.len() {
        let Some((from, found)) = begins(line, grammar, on, at) else {
            at += 1;
            continue;
        };
        let from = line.before_in(from, &grammar.date.prepositions).unwrap_or(from);
        line.take(from, found.to, Part::Date);
        at = found.to;
        count += 1;
        is_told |= found.is_told;
        for day in found.days {
            if !days.contains(&day) {
                days.push(day);
            }
        }
    }
    match days[..] {
        _ if count == 0 => Some(on),
        [day] if !is_told => Some(day),
        _ => {
            missing.push(Missing { field: Field::Date, candidates: days.into_iter().map(Candidate::Date).collect() });
            None
        }
    }
}

/// The date that begins at a place, with the words that are taken before it.
fn begins(line: &Line<'_>, grammar: &Grammar, on: Date, at: usize) -> Option<(usize, Found)> {
    let words = &grammar.date;
    let word = line.open(at)?;
    if let Some(to) = line.phrase(at, &words.vague) {
        return Some((at, Found::days(to, Vec::new())));
    }
    let from_on =
        |to: usize, days: i64| Some((at, Found::day(to, on.checked_add(Duration::days(days)).filter(is_served))));
    for (phrases, days) in [(&words.before_yesterday, -2), (&words.after_tomorrow, 2)] {
        if let Some(to) = line.phrase(at, phrases) {
            return from_on(to, days);
        }
    }
    for (list, days) in [(&words.today, 0), (&words.yesterday, -1), (&words.tomorrow, 1)] {
        if list.contains(word) {
            return from_on(at + 1, days);
        }
    }
    if let Some(found) = weekday(line, grammar, on, at) {
        return Some(found);
    }
    let has_day = is_day_word(word);
    let first = if has_day { at + 1 } else { at };
    let is_of_instalments = first > 0 && words.not_a_date_after.contains(&line.words[first - 1].folded);
    if is_of_instalments {
        return None;
    }
    if let Some(found) = numeric(line, on, first)
        .or_else(|| joined_month(line, grammar, on, first))
        .or_else(|| with_month(line, grammar, on, first))
    {
        return Some((at, found));
    }
    if has_day { day_of_month(line, grammar, on, at + 1).map(|found| (at, found)) } else { None }
}

/// "dia", the word before a day of the month.
fn is_day_word(word: &str) -> bool {
    word == "dia"
}

fn is_served(date: &Date) -> bool {
    YEARS.contains(&date.year())
}

fn weekday(line: &Line<'_>, grammar: &Grammar, on: Date, at: usize) -> Option<(usize, Found)> {
    let words = &grammar.date;
    let word = line.open(at)?;
    let (name, is_whole) = match word.strip_suffix("-feira") {
        Some(name) => (name, true),
        None => (word, false),
    };
    let position = |names: &[String], name: &str| names.iter().position(|known| known == name);
    let portuguese = position(&words.weekdays, name);
    let day = portuguese.or_else(|| position(&words.english_weekdays, word))?;
    let is_followed = !is_whole && portuguese.is_some() && line.open(at + 1) == Some("feira");
    let mut to = at + 1 + usize::from(is_followed);
    if !(is_whole || is_followed) && line.is_in(to, &words.not_a_day_before) {
        return None;
    }
    let back = i64::from(on.weekday().number_days_from_monday()) - i64::try_from(day).ok()?;
    let back = if back <= 0 { back + 7 } else { back };
    let before = |weeks: i64| on.checked_sub(Duration::days(back + 7 * weeks)).filter(is_served);
    if let Some(from) = line.before_in(at, &words.next) {
        return Some((from, Found::days(to, Vec::new())));
    }
    if let Some(behind) = line.phrase(to, &words.coming) {
        return Some((at, Found::days(behind, Vec::new())));
    }
    let mut from = at;
    let mut is_last = false;
    if let Some(last) = line.before_in(at, &words.last) {
        (from, is_last) = (last, true);
    }
    if line.is_in(to, &words.last) {
        (to, is_last) = (to + 1, true);
    }
    let is_on = back == 7;
    if is_on && !is_last {
        return Some((from, Found::days(to, std::iter::once(on).chain(before(0)).collect())));
    }
    Some((from, Found::day(to, before(0))))
}

/// `12/3`, `12/3/25`, `12/3/2025`, `12-03-2025`, `2025-03-12`.
fn numeric(line: &Line<'_>, on: Date, at: usize) -> Option<Found> {
    let word = line.open(at)?;
    let mut parts: Vec<&str> = word.split(['/', '-']).collect();
    parts[0] = without_ordinal(parts[0]);
    if !parts.iter().all(|part| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit())) {
        return None;
    }
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let number = |at: usize| parts[at].parse::<i32>().ok();
    let to = at + 1;
    let (is_slashed, is_hyphened) = (!word.contains('-'), !word.contains('/'));
    match lengths[..] {
        [1..=2, 1..=2] if is_slashed => Some(Found::day(to, latest(on, number(0)?, number(1)?))),
        [1..=2, 1..=2, 2] if is_slashed => Some(Found::day(to, date(2000 + number(2)?, number(1)?, number(0)?))),
        [1..=2, 1..=2, 4] if is_slashed || is_hyphened => {
            Some(Found::day(to, date(number(2)?, number(1)?, number(0)?)))
        }
        [4, 2, 2] if is_hyphened => Some(Found::day(to, date(number(0)?, number(1)?, number(2)?))),
        _ => None,
    }
}

/// `5/mar`, `5/mar/26`, `5-mar-2026`: the name of the month or its first three letters.
fn joined_month(line: &Line<'_>, grammar: &Grammar, on: Date, at: usize) -> Option<Found> {
    let word = line.open(at)?;
    let mark = word.chars().find(|letter| matches!(letter, '/' | '-'))?;
    let mut parts = word.split(mark);
    let (day, name) = (number_of_day(parts.next()?)?, parts.next()?);
    let is_month = |month: &String| month == name || name.len() == MONTH_LETTERS && month.starts_with(name);
    let words = &grammar.date;
    let month = [&words.months, &words.english_months].into_iter().find_map(|names| names.iter().position(is_month))?;
    let month = i32::try_from(month + 1).ok()?;
    let to = at + 1;
    let year = match parts.next() {
        None => return Some(Found::day(to, latest(on, day, month))),
        Some(year) if parts.next().is_none() && year.bytes().all(|digit| digit.is_ascii_digit()) => year,
        Some(_) => return None,
    };
    match (year.len(), year.parse::<i32>()) {
        (2, Ok(year)) => Some(Found::day(to, date(2000 + year, month, day))),
        (4, Ok(year)) => Some(Found::day(to, date(year, month, day))),
        _ => None,
    }
}

/// The letters of a month that is cut short.
const MONTH_LETTERS: usize = 3;

/// `5 de março`, `5 de março de 2025`, `march 5`.
fn with_month(line: &Line<'_>, grammar: &Grammar, on: Date, at: usize) -> Option<Found> {
    let words = &grammar.date;
    let month_of = |names: &[String], at: usize| {
        let word = line.open(at)?;
        names.iter().position(|name| name == word).and_then(|month| i32::try_from(month + 1).ok())
    };
    if let Some(month) = month_of(&words.english_months, at) {
        return Some(Found::day(at + 2, latest(on, short_number(line, at + 1)?, month)));
    }
    let day = short_number(line, at)?;
    if line.open(at + 1) != Some(OF) {
        return None;
    }
    let month = month_of(&words.months, at + 2)?;
    let year = line.open(at + 4).filter(|word| word.len() == 4 && line.open(at + 3) == Some(OF));
    match year.filter(|year| year.bytes().all(|digit| digit.is_ascii_digit())).and_then(|year| year.parse().ok()) {
        Some(year) => Some(Found::day(at + 5, date(year, month, day))),
        None => Some(Found::day(at + 3, latest(on, day, month))),
    }
}

/// The word between a day and its month.
const OF: &str = "de";

/// The day of this month or the one before, behind "dia".
fn day_of_month(line: &Line<'_>, grammar: &Grammar, on: Date, at: usize) -> Option<Found> {
    let day = short_number(line, at)?;
    // "dia 5 reais" is an amount.
    if line.is_in(at + 1, &grammar.amount.reais) || line.is_in(at + 1, &grammar.amount.one_real) {
        return None;
    }
    let this = date(on.year(), number_of(on.month()), day);
    if let Some(this) = this.filter(|this| *this <= on) {
        return Some(Found::day(at + 1, Some(this)));
    }
    let (year, month) = match on.month() {
        Month::January => (on.year() - 1, Month::December),
        month => (on.year(), month.previous()),
    };
    let before = date(year, number_of(month), day);
    Some(Found::days(at + 1, this.into_iter().chain(before).collect()))
}

fn number_of(month: Month) -> i32 {
    i32::from(u8::from(month))
}

/// The number of a day at a place.
fn short_number(line: &Line<'_>, at: usize) -> Option<i32> {
    number_of_day(line.open(at)?)
}

/// A number of one or two digits, or `1º`.
fn number_of_day(word: &str) -> Option<i32> {
    let digits = without_ordinal(word);
    let is_short = (1..=2).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    if is_short { digits.parse().ok() } else { None }
}

/// The number of the first of a month without its mark: `1º`, also as `1o` or with the sign of degrees.
fn without_ordinal(word: &str) -> &str {
    match word.strip_suffix(['º', '°', 'o']) {
        Some(first @ ("1" | "01")) => first,
        _ => word,
    }
}

fn date(year: i32, month: i32, day: i32) -> Option<Date> {
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok().filter(is_served)
}

/// The latest such day up to the last one that a day without a year may be.
fn latest(on: Date, day: i32, month: i32) -> Option<Date> {
    let last = on.saturating_add(Duration::days(AHEAD_DAYS_MAX));
    let years = (last.year() - YEARS_BACK_MAX..=last.year()).rev();
    years.filter_map(|year| date(year, month, day)).find(|found| *found <= last)
}
