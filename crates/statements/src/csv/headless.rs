//! The columns of a file without headers, by the content of its rows.

use std::cmp::Reverse;
use std::sync::Arc;

use super::dates::{self, Dates};
use super::directions::are_directions;
use super::guess::Guess;
use super::header::{Amount, Columns, Direction, Plan, RECORDS_MAX, key};
use super::ranks::{self, OTHER_MONEY};
use super::source::Source;
use super::split::{Place, Record, Records};
use super::synonyms;
use crate::amount::{Decimal, cents, is_amount};
use crate::words::is_balance;
use crate::{Column, FoundBy, Options, currency};

/// The most rows that are examined.
const ROWS_MAX: usize = 50;
/// The most columns that are examined.
const COLUMNS_MAX: usize = 64;
/// The most columns of money of which one may be the difference of two others.
const DIFFERENCE_COLUMNS_MAX: usize = 6;

/// The lines that are examined.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// The cells of the last line above the rows that has several, if it has no date and no amount.
    above: Vec<String>,
    /// The rows, each with its position.
    rows: Vec<(Place, Vec<String>)>,
}

impl Sample {
    /// The cells of the rows that fit.
    pub(super) fn rows(&self, fits: impl Fn(&[String]) -> bool) -> Vec<&[String]> {
        self.rows.iter().map(|(_, cells)| cells.as_slice()).filter(|cells| fits(cells)).collect()
    }
}

/// The dates that tell a row from other lines.
pub(super) fn dates(options: &Options) -> Dates<'_> {
    let format = options.date_format.as_ref();
    Dates { format, month_first: false, epoch: None, latest: options.latest.filter(|_| format.is_some()) }
}

/// The plan of a file without headers: a date and an amount in the same columns of most rows.
pub(super) fn find(text: &str, separator: u8, options: &Options) -> Option<Plan> {
    let dates = dates(options);
    let [date, description, amount] =
        [&options.date_column, &options.description_column, &options.amount_column].map(|column| match column {
            Some(Column::Number(number)) => Ok(number.checked_sub(1)),
            Some(Column::Name(_)) => Err(()),
            None => Ok(None),
        });
    let (date, description, amount) = (date.ok()?, description.ok()?, amount.ok()?);
    let sample = sample(text, separator, Place::START, |cells| match date {
        Some(date) => cells.get(date).is_some_and(|cell| dates.accept(cell)),
        None => cells.iter().any(|cell| dates.accept(cell)),
    });
    let date = date.or_else(|| most_dates(&sample, &dates, |_| Some(0)))?;
    let is_row = |cells: &[String]| cells.get(date).is_some_and(|cell| dates.accept(cell));
    let rows = sample.rows(is_row);
    let free = |at: &usize| *at != date && Some(*at) != description;
    let currency_above = |at: usize| sample.above.get(at).and_then(|header| currency::of_header(header));
    let keys: Vec<String> = sample.above.iter().map(|header| key(header)).collect();
    let rank = |at: usize| {
        let key = keys.get(at).map_or("", String::as_str);
        (!synonyms::is_balance(key)).then(|| ranks::amount_rank(key, currency_above(at).is_some()))
    };
    let is_text = |at: usize| free(&at) && Some(at) != amount;
    // Until 2026-12 `Débito` was the text where it is longer than the descriptions.
    let former = description.or_else(|| wordiest(&rows, is_text));
    let text =
        description.or_else(|| wordiest(&rows, |at| is_text(at) && !are_directions(column(&rows, at)))).or(former);
    let rows = without_balances(rows, text);
    let amount = match amount {
        Some(amount) => Amount::One(amount),
        None => amounts(&rows, |at| if free(&at) && Some(at) != text { rank(at) } else { None }, text)?,
    };
    let of_money: Vec<usize> = amount.columns().collect();
    let has_amount = |cells: &[String]| of_money.iter().any(|at| cells.get(*at).is_some_and(|cell| is_amount(cell)));
    let (start, _) = sample.rows.iter().find(|(_, cells)| is_row(cells))?;
    let usable = rows.iter().filter(|cells| has_amount(cells)).count();
    if usable == 0 || usable * 2 < rows.len() {
        return None;
    }
    let is_other = |at: usize| at != date && !of_money.contains(&at) && Some(at) != text;
    let (direction, width) = match amount {
        Amount::One(at) => {
            // A line without an amount, such as a period or a balance, has no sign to tell.
            let told: Vec<&[String]> = rows.iter().copied().filter(|cells| has_amount(cells)).collect();
            (rows_direction(&told, is_other), split_amounts(&rows, at, separator).then_some(at + 1))
        }
        Amount::Split { .. } => (None, None),
    };
    Some(Plan {
        separator,
        start: *start,
        columns: Columns {
            date,
            texts: text.into_iter().collect(),
            former_texts: former.into_iter().collect(),
            amount,
            direction: direction.map(|at| Direction { at, maybe: true, is_new: false }),
            balance: Guess::of(&keys).balance.filter(|at| !of_money.contains(at)),
            ..Columns::default()
        },
        width,
        keys: Vec::new(),
        headers: Vec::new(),
        currency: of_money.iter().find_map(|at| currency_above(*at)).map(Arc::from),
        is_card: false,
        was_card: false,
        is_card_layout: false,
        continues: false,
        is_known: false,
        found_by: FoundBy::Rows,
        score: usable,
    })
}

/// The first rows below the headers.
fn first_rows(source: &Source<'_>, plan: &Plan) -> Vec<Vec<String>> {
    let mut records = Records::watched(source, plan.separator, plan.start);
    let mut record = Record::default();
    let mut rows = Vec::new();
    while rows.len() < ROWS_MAX && records.next_into(&mut record) {
        if !record.is_blank() {
            rows.push(owned(&record));
        }
    }
    rows
}

/// Those of the columns of which less than half of the cells are words, and not numbers or codes.
pub(super) fn without_words(source: &Source<'_>, plan: &Plan, columns: &[usize]) -> Vec<usize> {
    if columns.is_empty() {
        return Vec::new();
    }
    let is_words = |cell: &&str| {
        let count = |fits: fn(char) -> bool| cell.chars().take(100).filter(|letter| fits(*letter)).count();
        count(char::is_alphabetic) > 2 * count(char::is_numeric)
    };
    let rows = first_rows(source, plan);
    let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let has_none = |at: &usize| {
        let (cells, words) = (column(&rows, *at).count(), column(&rows, *at).filter(is_words).count());
        words == 0 || words * 2 < cells
    };
    columns.iter().copied().filter(has_none).collect()
}

/// The column with the longest texts, for files whose headers name no description, preferably one whose header begins as that of a
/// description, and at last that of the holder of the card; and the one that was taken until 2026-12, when headers were not looked at and
/// columns of a state, a fee, a currency, a balance, a category or an id were not known.
pub(super) fn text_columns(source: &Source<'_>, plan: &Plan) -> (Option<usize>, Option<usize>) {
    let rows = first_rows(source, plan);
    let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let former = wordiest(&rows, |at| !is_taken(plan, at));
    let has = |at: usize, fits: fn(&str) -> bool| plan.keys.get(at).is_some_and(|key| fits(key));
    let text = wordiest(&rows, |at| may_describe(plan, at) && has(at, ranks::is_text))
        .or_else(|| wordiest(&rows, |at| may_describe(plan, at) && !has(at, ranks::is_holder)))
        .or_else(|| wordiest(&rows, |at| may_describe(plan, at)));
    (text.or(former), former)
}

/// The column with the longest texts beside those that are known.
pub(super) fn text_beside(source: &Source<'_>, plan: &Plan) -> Option<usize> {
    let rows = first_rows(source, plan);
    let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let is_other = |at: usize| {
        let is_means = plan.keys.get(at).is_some_and(|key| synonyms::is_means(key));
        is_means || plan.columns.texts.contains(&at) || plan.columns.direction.is_some_and(|tells| tells.at == at)
    };
    wordiest(&rows, |at| may_describe(plan, at) && !is_other(at))
}

/// Whether a column was known until 2026-12, so that its cells described nothing.
fn is_taken(plan: &Plan, at: usize) -> bool {
    let columns = &plan.columns;
    let is_amount = columns.amount.columns().any(|amount| at == amount);
    is_amount || at == columns.date || Some(at) == columns.id || Some(at) == columns.former_instalment
}

/// Whether the cells of a column may describe rows: it is not known to have another meaning.
fn may_describe(plan: &Plan, at: usize) -> bool {
    let columns = &plan.columns;
    let others = [columns.status, columns.fee, columns.currency, columns.balance, columns.category, columns.instalment];
    let is_id = plan.headers.get(at).is_some_and(|header| ranks::is_id(&key(header)));
    !is_taken(plan, at) && !others.contains(&Some(at)) && !is_id
}

/// Up to [`ROWS_MAX`] records, from the first one after `start` that looks like a row. Lines with dates and no amounts above a line without
/// either are a preamble: the period of a statement, the day on which it was made.
pub(super) fn sample(text: &str, separator: u8, start: Place, looks_like_row: impl Fn(&[String]) -> bool) -> Sample {
    let mut records = Records::new(text, separator, start);
    let mut record = Record::default();
    let (mut sample, mut has_amount) = (Sample::default(), false);
    for _ in 0..RECORDS_MAX + ROWS_MAX {
        let place = records.place();
        if sample.rows.len() == ROWS_MAX || !records.next_into(&mut record) {
            break;
        }
        if record.len() < 2 || record.is_blank() {
            continue;
        }
        let cells = owned(&record);
        let has_several = cells.iter().filter(|cell| !cell.is_empty()).count() > 1;
        let is_headers = has_several && !cells.iter().any(|cell| dates::is_value(cell));
        has_amount |= cells.iter().any(|cell| !dates::may_be_date(cell) && is_amount(cell));
        if is_headers && !has_amount {
            sample.rows.clear();
        }
        if !sample.rows.is_empty() || looks_like_row(&cells) {
            sample.rows.push((place, cells));
        } else if has_several {
            sample.above = if is_headers { cells } else { Vec::new() };
        }
    }
    sample
}

fn owned(record: &Record<'_>) -> Vec<String> {
    record.cells().take(COLUMNS_MAX).map(str::to_string).collect()
}

fn width(rows: &[&[String]]) -> usize {
    rows.iter().map(|cells| cells.len()).max().unwrap_or(0)
}

/// The non-empty cells of a column.
pub(super) fn column<'a>(rows: &'a [&[String]], at: usize) -> impl Iterator<Item = &'a str> {
    rows.iter().filter_map(move |cells| cells.get(at)).map(String::as_str).filter(|cell| !cell.is_empty())
}

/// The column of dates of the lowest rank, and of several that with the most dates. A column without a rank is none.
pub(super) fn most_dates(sample: &Sample, dates: &Dates<'_>, rank: impl Fn(usize) -> Option<usize>) -> Option<usize> {
    let rows = sample.rows(|_| true);
    let count = |at: usize| column(&rows, at).filter(|cell| dates.accept(cell)).count();
    (0..width(&rows))
        .filter_map(|at| Some((rank(at)?, count(at), at)))
        .filter(|(_, count, _)| *count > 0)
        .min_by_key(|(rank, count, at)| (*rank, Reverse(*count), *at))
        .map(|(.., at)| at)
}

/// The column with the most letters.
pub(super) fn wordiest(rows: &[&[String]], is_free: impl Fn(usize) -> bool) -> Option<usize> {
    let letters = |at: usize| -> usize {
        let cells = column(rows, at).filter(|cell| cents(cell, Decimal::ByValue).is_err());
        cells.map(|cell| cell.chars().take(100).filter(|letter| letter.is_alphabetic()).count()).sum()
    };
    (0..width(rows))
        .rev()
        .filter(|at| is_free(*at))
        .map(|at| (letters(at), at))
        .filter(|(letters, _)| *letters > 0)
        .max_by_key(|(letters, _)| *letters)
        .map(|(_, at)| at)
}

/// The rows that are not balances, because a balance may have its amount in another column. All rows if all are balances.
pub(super) fn without_balances(rows: Vec<&[String]>, text: Option<usize>) -> Vec<&[String]> {
    let tells_balance =
        |cells: &[String]| text.and_then(|at| cells.get(at)).is_some_and(|cell| is_balance(cell, false));
    if rows.iter().all(|cells| tells_balance(cells)) {
        return rows;
    }
    rows.into_iter().filter(|cells| !tells_balance(cells)).collect()
}

/// The first column of amounts of the lowest rank. A column without a rank is none. A column of plain integers is taken only if
/// there is no other, because they may be document numbers. A column that is the difference of two others of the same rank is that of the
/// amounts: the account held these before and after the row.
///
/// Where each row fills one of two columns, the one with a minus in every cell is that of expenses. None if nothing shows which it is.
pub(super) fn amounts(
    rows: &[&[String]],
    rank: impl Fn(usize) -> Option<usize>,
    text: Option<usize>,
) -> Option<Amount> {
    let read = |at: usize| column(rows, at).filter(|cell| is_amount(cell)).count();
    let is_money = |at: &usize| column(rows, *at).any(|cell| cell.contains([',', '.', '-', '$']));
    let mut columns: Vec<(usize, usize, usize)> =
        (0..width(rows)).filter_map(|at| Some((rank(at)?, at, read(at)))).filter(|(.., read)| *read > 0).collect();
    if columns.iter().any(|(rank, ..)| *rank < OTHER_MONEY) {
        columns.retain(|(rank, ..)| *rank < OTHER_MONEY);
    }
    let money: Vec<usize> = columns.iter().map(|(_, at, _)| *at).filter(is_money).collect();
    let turns = |pair: &&[usize]| matches!(pair, [one, other] if take_turns(rows, *one, *other));
    if let Some([one, other]) = money.windows(2).find(turns) {
        let is_taken = |at: usize| filled(rows, at).all(|cents| cents < 0);
        let is_given = |at: usize| filled(rows, at).all(|cents| cents > 0);
        let sides = |credit: usize, debit: usize| Amount::Split { credit: Some(credit), debit: Some(debit) };
        return match (is_given(*one) && is_taken(*other), is_taken(*one) && is_given(*other)) {
            (true, _) => Some(sides(*one, *other)),
            (_, true) => Some(sides(*other, *one)),
            _ => None,
        };
    }
    columns.retain(|(.., read)| *read * 2 >= rows.len());
    let lowest = columns.iter().map(|(rank, ..)| *rank).min()?;
    let candidates: Vec<usize> = columns.iter().filter(|(rank, ..)| *rank == lowest).map(|(_, at, _)| *at).collect();
    if let Some(at) = difference(rows, &candidates) {
        return Some(Amount::One(at));
    }
    let after_text = |at: &&usize| text.is_none_or(|text| **at > text);
    let found = candidates.iter().find(|at| is_money(at)).or_else(|| candidates.iter().find(after_text));
    found.or(candidates.first()).copied().map(Amount::One)
}

/// The amounts of a column that are not zero, in hundredths.
fn filled<'r>(rows: &'r [&[String]], at: usize) -> impl Iterator<Item = i64> + 'r {
    column(rows, at).filter_map(|cell| cents(cell, Decimal::ByValue).ok()).filter(|cents| *cents != 0)
}

/// The column that is in every row the difference of two others, of the one further right less the other.
fn difference(rows: &[&[String]], columns: &[usize]) -> Option<usize> {
    let of = |cells: &[String], at: usize| cells.get(at).and_then(|cell| cents(cell, Decimal::ByValue).ok());
    let is_difference = |before: usize, after: usize, at: usize| {
        rows.iter().all(|cells| match (of(cells, before), of(cells, after), of(cells, at)) {
            (Some(before), Some(after), Some(cents)) => cents != 0 && after - before == cents,
            _ => false,
        })
    };
    let columns = &columns[..columns.len().min(DIFFERENCE_COLUMNS_MAX)];
    let pairs =
        columns.iter().enumerate().flat_map(|(at, one)| columns[at + 1..].iter().map(move |other| (*one, *other)));
    pairs
        .flat_map(|(before, after)| columns.iter().map(move |at| (before, after, *at)))
        .find(|(before, after, at)| at != before && at != after && is_difference(*before, *after, *at))
        .map(|(.., at)| at)
}

/// Whether each row has an amount in one of two columns, and each column has one. A dash and a zero are none.
fn take_turns(rows: &[&[String]], one: usize, other: usize) -> bool {
    let is_filled = |cells: &[String], at: usize| {
        cells.get(at).is_some_and(|cell| !matches!(cell.as_str(), "" | "-") && cents(cell, Decimal::ByValue) != Ok(0))
    };
    rows.iter().all(|cells| is_filled(cells, one) != is_filled(cells, other))
        && [one, other].iter().all(|at| rows.iter().any(|cells| is_filled(cells, *at)))
}

fn rows_direction(rows: &[&[String]], is_free: impl Fn(usize) -> bool) -> Option<usize> {
    (0..width(rows)).find(|at| is_free(*at) && are_directions(column(rows, *at)))
}

/// Whether every amount is split into two fields because the separator is also its decimal separator: `…,10,50`.
fn split_amounts(rows: &[&[String]], amount: usize, separator: u8) -> bool {
    let is_split = |cells: &&[String]| {
        cells.len() == amount + 2 && is_hundredths(&cells[amount + 1]) && !cells[amount].contains(',')
    };
    separator == b',' && !rows.is_empty() && rows.iter().all(is_split)
}

/// Whether a field is the two digits after a decimal separator.
pub(super) fn is_hundredths(cell: &str) -> bool {
    cell.len() == 2 && cell.bytes().all(|byte| byte.is_ascii_digit())
}
