//! Finds what repeats in a history: which payees are paid in a rhythm that still goes on.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use time::{Date, Duration};

use crate::business_days::Holidays;
use crate::ids::{AccountId, CategoryId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;

use super::matching::tenth;
use super::rhythm::Rhythm;
use super::templates::Draft;
use super::values::{Every, Schedule, Unit};

/// A row of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRow {
    /// Its id.
    pub id: TransactionId,
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// Its account.
    pub account_id: Option<AccountId>,
    /// Its day: that of the purchase.
    pub date: Date,
    /// The amount, above zero.
    pub amount: Money,
    /// The key of its payee.
    pub payee: Arc<str>,
    /// The item whose due it covers.
    pub covers: Option<RecurringId>,
}

/// An item that a profile has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownItem {
    /// Its id.
    pub id: RecurringId,
    /// Income or expense.
    pub kind: Kind,
    /// The key of its description, as that of a payee.
    pub payee: String,
    /// Its amount.
    pub amount: Money,
    /// The least and the most that it usually is.
    pub range: Option<(Money, Money)>,
    /// The item, as a draft.
    pub draft: Draft,
}

/// The price of an item that has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceChange {
    /// The amount of the item.
    pub from: Money,
    /// What it costs now.
    pub to: Money,
    /// The day of the first row of the new amount.
    pub since: Date,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Names it, the same each time that it is found.
    pub id: String,
    /// What names it together with the amount of its first row. Equal to `id` where only the amounts tell the series of a payee apart.
    pub id_by_amount: String,
    /// The item to be, without a description, or the item with its new price.
    pub draft: Draft,
    /// The day of the last row.
    pub last_on: Date,
    /// The next day on which it is expected.
    pub next_on: Option<Date>,
    /// Its rows, the oldest first.
    pub transaction_ids: Vec<TransactionId>,
    /// The item whose price has changed.
    pub price_changed: Option<(RecurringId, PriceChange)>,
}

/// The least rows of a series.
const ROWS_MIN: usize = 3;
/// The least rows of a monthly or weekly series that a payee has among others of other amounts.
const ROWS_AMONG_OTHERS_MIN: usize = 4;
/// How far a row may be from its due, in days.
pub(crate) const DAYS_OFF_MAX: i64 = 3;
/// The same of a weekly rhythm, in which three days would be any day.
const WEEKLY_DAYS_OFF_MAX: i64 = 1;
/// The most of a payee's rows beside its series, in percent.
const OTHERS_PERCENT_MAX: usize = 15;
/// How much larger the next amount is that belongs to something else, in percent, from coarse to fine.
const GAPS_PERCENT: [i128; 4] = [40, 15, 5, 0];
/// The most monthly series of one amount that a payee has: two halves of a salary, or three policies.
const EQUAL_SERIES_MAX: usize = 4;
/// The days of the shortest month.
const MONTH_DAYS_MIN: i64 = 28;
/// The most rows that a price change is told after.
const CHANGED_AFTER: usize = 3;

/// What repeats among the rows, and which items have another price. `rows` are in any order.
pub fn detect(rows: &[HistoryRow], items: &[KnownItem], holidays: &Holidays, today: Date) -> Vec<Detected> {
    let mut payees: HashMap<(Kind, &str), Vec<&HistoryRow>> = HashMap::new();
    for row in rows.iter().filter(|row| !row.payee.is_empty() && row.date <= today) {
        payees.entry((row.kind, &row.payee)).or_default().push(row);
    }
    let mut found = Vec::new();
    for of_payee in payees.values_mut() {
        of_payee.sort_by_key(|row| (row.date, row.id));
        let mut left: Vec<&HistoryRow> = of_payee.clone();
        let changed = prices(&mut left, items, holidays, today);
        found.extend(changed);
        left.retain(|row| row.covers.is_none());
        for series in series_of(left, today) {
            if !items.iter().any(|item| has(item, &series, of_payee)) {
                found.push(series.detected(holidays, today));
            }
        }
    }
    found.sort_by(|one, other| (one.next_on, &one.id).cmp(&(other.next_on, &other.id)));
    found
}

/// Whether an item is what the series would be. `of_payee` are all rows of the payee: an item that has rows of its own in the months of
/// the series is another one.
fn has(item: &KnownItem, series: &Series<'_>, of_payee: &[&HistoryRow]) -> bool {
    let first = series.rows[0];
    let (low, high) = item.range.unwrap_or((item.amount, item.amount));
    let is_within = |row: &&HistoryRow| low - tenth(low) <= row.amount && row.amount <= high + tenth(high);
    let is_alike = (item.kind, item.payee.as_str()) == (first.kind, &*first.payee)
        && item.draft.schedule.every == series.every
        && (!series.is_by_day || item.draft.day.is_none_or(|day| days_apart(day, series.day) <= DAYS_OFF_MAX))
        && series.rows.iter().any(is_within);
    if !is_alike {
        return false;
    }
    let covered: HashSet<Month> =
        of_payee.iter().filter(|row| row.covers == Some(item.id)).map(|row| Month::of(row.date)).collect();
    let beside = series.rows.iter().filter(|row| covered.contains(&Month::of(row.date))).count();
    beside * 2 <= series.rows.len()
}

/// How far two days of a month are apart, at least: the last day is next to the first. In the shortest month the days after its last
/// one fall on that one.
fn days_apart(one: u8, other: u8) -> i64 {
    let [one, other] = [one, other].map(|day| i64::from(day).min(MONTH_DAYS_MIN));
    let apart = (one - other).abs();
    apart.min(MONTH_DAYS_MIN - apart)
}

/// The items whose price has changed. Their rows are taken out.
fn prices(rows: &mut Vec<&HistoryRow>, items: &[KnownItem], holidays: &Holidays, today: Date) -> Vec<Detected> {
    let mut found = Vec::new();
    let mut named: HashMap<String, usize> = HashMap::new();
    for item in items {
        let is_of_item = |row: &&HistoryRow| {
            row.kind == item.kind && (row.covers == Some(item.id) || row.covers.is_none() && *row.payee == *item.payee)
        };
        let covering = rows.iter().filter(|row| row.covers == Some(item.id)).count();
        if covering == 0 && !rows.iter().any(is_of_item) {
            continue;
        }
        // Rows of this payee that are not of another item, in the rhythm of the item.
        let schedule = &item.draft.schedule;
        let Some(day) = item.draft.day else { continue };
        let rhythm = Rhythm { day, schedule, holidays };
        let is_due = |row: &&HistoryRow| {
            let days = if schedule.every.unit == Unit::Week { WEEKLY_DAYS_OFF_MAX } else { 2 * DAYS_OFF_MAX };
            let margin = Duration::days(days);
            rhythm.expected(row.date - margin, row.date + margin).next().is_some()
        };
        let own: Vec<&HistoryRow> = rows
            .iter()
            .copied()
            .filter(|row| row.kind == item.kind && (row.covers == Some(item.id) || row.covers.is_none() && is_due(row)))
            .collect();
        let since = own.iter().rposition(|row| row.amount == item.amount).map(|at| at + 1);
        let Some(since) = since.filter(|since| *since < own.len()) else { continue };
        let equal = own[..since].iter().rev().take_while(|row| row.amount == item.amount).count();
        let to = own[own.len() - 1].amount;
        let is_known = item.range.is_some_and(|(low, high)| (low..=high).contains(&to));
        if equal < CHANGED_AFTER || is_known || !is_like(item.amount, to) {
            continue;
        }
        let from = item.amount;
        let newest = own.iter().rev().take_while(|row| row.amount == to).count();
        let change = PriceChange { from, to, since: own[own.len() - newest].date };
        // What the item covers stays covered.
        let (low, high) = item.range.unwrap_or((from, from));
        let range = Some((low.min(to), high.max(to)));
        let draft = Draft { amount: Some(to), schedule: Schedule { range, ..schedule.clone() }, ..item.draft.clone() };
        let ids: HashSet<TransactionId> = own.iter().map(|row| row.id).collect();
        // By what the item says: a restored item has another id. Equal items are told apart by their order.
        let (day, [from, to]) = (day.to_string(), [from, to].map(|price| price.to_string()));
        let equal = hashed(&["price", item.kind.as_str(), &item.payee, &day, &from, &to]);
        let count = named.entry(equal.clone()).or_default();
        *count += 1;
        let id = if *count == 1 { equal } else { hashed(&[equal.as_str(), &count.to_string()]) };
        found.push(Detected {
            id_by_amount: id.clone(),
            id,
            draft,
            last_on: own[own.len() - 1].date,
            next_on: rhythm.next_on(today),
            transaction_ids: own.iter().map(|row| row.id).collect(),
            price_changed: Some((item.id, change)),
        });
        rows.retain(|row| !ids.contains(&row.id));
    }
    found
}

/// Whether an amount may be the new price of another: at most its double, at least its half.
fn is_like(from: Money, to: Money) -> bool {
    to.cents() <= from.cents() * 2 && from.cents() <= to.cents() * 2
}

/// Rows in a rhythm.
#[derive(Debug, Clone)]
struct Series<'a> {
    rows: Vec<&'a HistoryRow>,
    every: Every,
    /// A day of the rhythm.
    start: Date,
    /// The day of the month.
    day: u8,
    /// Whether only the day tells it apart from another series of its payee.
    is_by_day: bool,
    /// Whether it is the only series of its payee.
    is_of_payee: bool,
}

/// The series among the rows of a payee. The rows as a whole are tried first, then those of like amounts, which tell apart what one
/// payee charges for.
fn series_of(mut left: Vec<&HistoryRow>, today: Date) -> Vec<Series<'_>> {
    if let Some(series) = series(&left, today, ROWS_MIN) {
        return vec![Series { is_of_payee: true, ..series }];
    }
    let mut found = Vec::new();
    left.sort_by_key(|row| (row.amount, row.date));
    for gap in GAPS_PERCENT {
        let mut taken: HashSet<TransactionId> = HashSet::new();
        let is_apart = |one: &&HistoryRow, next: &&HistoryRow| {
            (next.amount - one.amount).cents() * 100 <= one.amount.cents() * gap
        };
        for alike in left.chunk_by(is_apart) {
            let mut alike = alike.to_vec();
            alike.sort_by_key(|row| (row.date, row.id));
            if let Some(series) = series(&alike, today, ROWS_AMONG_OTHERS_MIN) {
                taken.extend(series.rows.iter().map(|row| row.id));
                found.push(series);
            }
        }
        left.retain(|row| !taken.contains(&row.id));
    }
    for alike in left.chunk_by(|one, next| one.amount == next.amount) {
        found.extend(of_equal_amounts(alike, today));
    }
    found
}

/// The monthly series among rows of one amount, which only their days tell apart. None if there are too many other rows.
fn of_equal_amounts<'a>(rows: &[&'a HistoryRow], today: Date) -> Vec<Series<'a>> {
    let (mut left, mut found) = (rows.to_vec(), Vec::new());
    left.sort_by_key(|row| (row.date, row.id));
    let (Some(first), Some(last)) = (left.first(), left.last()) else { return found };
    // Most amounts end here: they were paid for the last time long ago, or too often or too seldom.
    let months = usize::try_from((last.date - first.date).whole_days() / MONTH_DAYS_MIN + 1).unwrap_or(usize::MAX);
    let is_often = rows.len() >= 2 * ROWS_AMONG_OTHERS_MIN && rows.len() > months;
    let is_seldom = rows.len() <= months.saturating_mul(EQUAL_SERIES_MAX + 1);
    if !is_often || !is_seldom || (today - last.date).whole_days() > missed_and_over(Unit::Month).1 {
        return found;
    }
    while found.len() < EQUAL_SERIES_MAX
        && let Some(series) = monthly(&left, today)
    {
        let taken: HashSet<TransactionId> = series.rows.iter().map(|row| row.id).collect();
        left.retain(|row| !taken.contains(&row.id));
        found.push(series);
    }
    if left.len() * 100 > rows.len() * OTHERS_PERCENT_MAX {
        return Vec::new();
    }
    found
}

/// The monthly series with the most rows, however many others there are.
fn monthly<'a>(rows: &[&'a HistoryRow], today: Date) -> Option<Series<'a>> {
    let every = Every { n: 1, unit: Unit::Month };
    if rows.is_empty() {
        return None;
    }
    let best = best_fitted(rows, every)?;
    is_whole(&best, every.unit, today, ROWS_AMONG_OTHERS_MIN).then(|| best.series(every, true))
}

/// The series that the rows are, but for a few others.
fn series<'a>(rows: &[&'a HistoryRow], today: Date, rows_min: usize) -> Option<Series<'a>> {
    if rows.len() < ROWS_MIN {
        return None;
    }
    [Unit::Week, Unit::Month, Unit::Year].into_iter().find_map(|unit| in_rhythm(rows, unit, today, rows_min))
}

fn in_rhythm<'a>(rows: &[&'a HistoryRow], unit: Unit, today: Date, rows_min: usize) -> Option<Series<'a>> {
    let every = Every { n: 1, unit };
    let rows_min = if unit == Unit::Year { ROWS_MIN } else { rows_min };
    let (_, days_over) = missed_and_over(unit);
    let (first, last) = (rows.first()?.date, rows.last()?.date);
    // Most payees end here: they were not paid for long, or have more rows than any rhythm between their first and last day.
    let days_at_least = every.months().map_or(every.days(), |months| i64::from(months) * MONTH_DAYS_MIN);
    let dues_at_most = ((last - first).whole_days() + 2 * DAYS_OFF_MAX) / days_at_least + 1;
    let others_at_least = rows.len().saturating_sub(usize::try_from(dues_at_most).unwrap_or(usize::MAX));
    if (today - last).whole_days() > days_over || others_at_least * 100 > rows.len() * OTHERS_PERCENT_MAX {
        return None;
    }
    let best = best_fitted(rows, every)?;
    let others = rows.len() - best.rows.len();
    let is_found = others * 100 <= rows.len() * OTHERS_PERCENT_MAX && is_whole(&best, unit, today, rows_min);
    is_found.then(|| best.series(every, false))
}

/// How many percent of the dues may be missed, and for how many days after the last row a rhythm goes on.
fn missed_and_over(unit: Unit) -> (usize, i64) {
    match unit {
        // A weekly visit is missed now and then.
        Unit::Week => (35, 21),
        Unit::Month | Unit::Day => (15, 38),
        Unit::Year => (0, 380),
    }
}

/// The rhythm with the most rows, then the fewest days off.
fn best_fitted<'a>(rows: &[&'a HistoryRow], every: Every) -> Option<Fitted<'a>> {
    let fitted = starts(rows, every.unit).into_iter().filter_map(|(start, day)| fitted(rows, every, start, day));
    fitted.max_by_key(|fitted| (fitted.rows.len(), std::cmp::Reverse(fitted.days_off)))
}

/// Whether the rows are a series that goes on.
fn is_whole(of_rhythm: &Fitted<'_>, unit: Unit, today: Date, rows_min: usize) -> bool {
    let (missed_percent, days_over) = missed_and_over(unit);
    let Fitted { rows, dues, .. } = of_rhythm;
    rows.len() >= rows_min
        && (dues - rows.len()) * 100 <= dues * missed_percent
        && rows.last().is_some_and(|last| (today - last.date).whole_days() <= days_over)
        && is_steady(rows, unit)
}

/// Whether the amounts are stable, or in a range as those of a bill that follows the seasons.
fn is_steady(rows: &[&HistoryRow], unit: Unit) -> bool {
    let mut amounts: Vec<i128> = rows.iter().map(|row| row.amount.cents()).collect();
    amounts.sort_unstable();
    let (low, high) = (amounts[amounts.len() / 10], amounts[amounts.len() - 1 - amounts.len() / 10]);
    match unit {
        // What is bought each week, such as food, is no bill.
        Unit::Week => high * 2 <= low * 3,
        _ => high <= low * 4,
    }
}

/// Days from which a rhythm may begin, each with the day of the month.
fn starts(rows: &[&HistoryRow], unit: Unit) -> Vec<(Date, u8)> {
    let (first, last) = (rows[0].date, rows[rows.len() - 1].date);
    match unit {
        Unit::Week => (0..7).map(|days| first - Duration::days(days)).map(|start| (start, start.day())).collect(),
        Unit::Month | Unit::Day => {
            let month = Month::of(first).minus(1);
            (1..=31).map(|day| (month.day_clamped(day), day)).collect()
        }
        Unit::Year => {
            let near = (-DAYS_OFF_MAX..=DAYS_OFF_MAX).map(|days| last + Duration::days(days));
            let years = last.year() - first.year() + 1;
            near.map(|day| (Month::of(day).minus(12 * years).day_clamped(day.day()), day.day())).collect()
        }
    }
}

struct Fitted<'a> {
    rows: Vec<&'a HistoryRow>,
    /// The dues from the first row to the last.
    dues: usize,
    days_off: i64,
    start: Date,
    day: u8,
}

impl<'a> Fitted<'a> {
    fn series(self, every: Every, is_by_day: bool) -> Series<'a> {
        let Fitted { rows, start, day, .. } = self;
        Series { rows, every, start, day, is_by_day, is_of_payee: false }
    }
}

/// The rows that are near a due of the rhythm, one of each.
fn fitted<'a>(rows: &[&'a HistoryRow], every: Every, start: Date, day: u8) -> Option<Fitted<'a>> {
    let schedule = Schedule { every, start_on: Some(start), ..Schedule::default() };
    let holidays = Holidays::default();
    let rhythm = Rhythm { day, schedule: &schedule, holidays: &holidays };
    let most = if every.unit == Unit::Week { WEEKLY_DAYS_OFF_MAX } else { DAYS_OFF_MAX };
    let margin = Duration::days(most);
    let (first, last) = (rows[0].date, rows[rows.len() - 1].date);
    let mut fitted = Fitted { rows: Vec::new(), dues: 0, days_off: 0, start, day };
    let (mut at, mut passed) = (0, 0);
    for due in rhythm.dues(first - margin, last + margin).map(|due| due.due) {
        while rows.get(at).is_some_and(|row| row.date < due - margin) {
            at += 1;
        }
        let end = at + rows[at..].iter().take_while(|row| row.date <= due + margin).count();
        passed += 1;
        let nearest = rows[at..end].iter().min_by_key(|row| (row.date - due).whole_days().abs());
        if let Some(row) = nearest {
            if fitted.rows.is_empty() {
                passed = 1;
            }
            fitted.dues = passed;
            fitted.days_off += (row.date - due).whole_days().abs();
            fitted.rows.push(row);
        }
        at = end;
    }
    (!fitted.rows.is_empty()).then_some(fitted)
}

impl Series<'_> {
    /// Names the series without and with the amount of its first row. The first row may change, once an older statement is stored.
    fn ids(&self, last: &HistoryRow, unit: &str) -> (String, String) {
        let (amount, day) = (self.rows[0].amount.to_string(), self.day.to_string());
        let parts = [last.kind.as_str(), &last.payee, unit, &amount, &day];
        let by_amount = hashed(if self.is_by_day { &parts } else { &parts[..4] });
        (if self.is_of_payee { hashed(&parts[..3]) } else { by_amount.clone() }, by_amount)
    }

    fn detected(&self, holidays: &Holidays, today: Date) -> Detected {
        let last = self.rows[self.rows.len() - 1];
        // The rhythm of the item begins with the last row's due, so that no earlier month opens.
        let schedule = Schedule { every: self.every, start_on: Some(self.start), ..Schedule::default() };
        let rhythm = Rhythm { day: self.day, schedule: &schedule, holidays };
        let margin = Duration::days(DAYS_OFF_MAX);
        let first = self.rows[0].date;
        let begins = rhythm.from(first - margin).next().map(|due| due.due);
        let recent: Vec<Money> = self.rows.iter().rev().take(RECENT_ROWS).map(|row| row.amount).collect();
        let (low, high) =
            recent.iter().fold((last.amount, last.amount), |(low, high), amount| (low.min(*amount), high.max(*amount)));
        let tenth = tenth(last.amount);
        let is_stable = last.amount - tenth <= low && high <= last.amount + tenth;
        let last_due = rhythm.from(last.date - margin).next().map(|due| due.due);
        let next_on = last_due
            .and_then(|due| rhythm.from(due + Duration::days(1)).map(|due| due.date).find(|date| *date >= today));
        let schedule =
            Schedule { start_on: begins.or(Some(first)), range: (!is_stable).then_some((low, high)), ..schedule };
        let (id, id_by_amount) = self.ids(last, self.every.unit.as_str());
        Detected {
            id,
            id_by_amount,
            draft: Draft {
                amount: Some(last.amount),
                category_id: most_frequent(self.rows.iter().filter_map(|row| row.category_id)),
                account_id: most_frequent(self.rows.iter().filter_map(|row| row.account_id)),
                day: Some(self.day),
                schedule,
                ..Draft::new(last.kind)
            },
            last_on: last.date,
            next_on,
            transaction_ids: self.rows.iter().map(|row| row.id).collect(),
            price_changed: None,
        }
    }
}

/// The rows whose amounts make the range of a series.
const RECENT_ROWS: usize = 12;

/// The value that occurs most often; of equals the one that came last.
fn most_frequent<T: Copy + Eq + std::hash::Hash>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (at, value) in values.enumerate() {
        let counted = counts.entry(value).or_default();
        *counted = (counted.0 + 1, at);
    }
    counts.into_iter().max_by_key(|(_, counted)| *counted).map(|(value, _)| value)
}

/// A name that tells nothing of what it is made of.
fn hashed(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\u{1f}"));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_apart_what_they_are_apart_in_the_months_in_which_they_are_nearest() {
        let months: Vec<Month> = (0..14).map(|after| "2026-01".parse::<Month>().unwrap().plus(after)).collect();
        let dates = |day: u8| -> Vec<Date> { months.iter().map(|month| month.day_clamped(day)).collect() };
        for one in 1..=31 {
            for other in 1..=31 {
                let others = dates(other);
                let apart = |date: Date| others.iter().map(move |other| (*other - date).whole_days().abs());
                let nearest = dates(one).into_iter().flat_map(apart).min();
                assert_eq!(Some(days_apart(one, other)), nearest, "{one} and {other}");
            }
        }
        assert_eq!((days_apart(31, 5), days_apart(31, 1), days_apart(29, 31)), (5, 1, 0));
    }
}
