//! The columns of a file without headers, by the content of its rows.

use super::dates::Dates;
use super::header::{Amount, Columns, Direction, Plan, RECORDS_MAX};
use super::source::Source;
use super::split::{Place, Record, Records};
use super::synonyms;
use crate::amount::{Decimal, cents};
use crate::words::is_balance;
use crate::{Column, Options};

/// The most rows that are examined.
const ROWS_MAX: usize = 50;
/// The most columns that are examined.
const COLUMNS_MAX: usize = 64;

/// The rows that are examined, each with its position.
type Sample = Vec<(Place, Vec<String>)>;

/// The plan of a file without headers: a date and an amount in the same columns of most rows.
pub(super) fn find(text: &str, separator: u8, options: &Options) -> Option<Plan> {
    let format = options.date_format.as_ref();
    let dates = Dates { format, month_first: false, epoch: None, latest: options.latest.filter(|_| format.is_some()) };
    let [date, description, amount] =
        [&options.date_column, &options.description_column, &options.amount_column].map(|column| match column {
            Some(Column::Number(number)) => Ok(number.checked_sub(1)),
            Some(Column::Name(_)) => Err(()),
            None => Ok(None),
        });
    let (date, description, amount) = (date.ok()?, description.ok()?, amount.ok()?);
    let sample = sample(text, separator, |cells| match date {
        Some(date) => cells.get(date).is_some_and(|cell| dates.accept(cell)),
        None => cells.iter().any(|cell| dates.accept(cell)),
    });
    let date = date.or_else(|| most_dates(&sample, &dates))?;
    let is_row = |cells: &[String]| cells.get(date).is_some_and(|cell| dates.accept(cell));
    let rows: Vec<&[String]> = sample.iter().map(|(_, cells)| cells.as_slice()).filter(|cells| is_row(cells)).collect();
    let free = |at: &usize| *at != date && Some(*at) != description;
    let text = description.or_else(|| wordiest(&rows, |at| free(&at) && Some(at) != amount));
    let rows = without_balances(rows, text);
    let amount = match amount {
        Some(amount) => amount,
        None => amounts(&rows, |at| free(&at) && Some(at) != text, text)?,
    };
    let is_amount = |cells: &[String]| cells.get(amount).is_some_and(|cell| cents(cell, Decimal::ByValue).is_ok());
    let first = sample.iter().position(|(_, cells)| is_row(cells))?;
    let usable = rows.iter().filter(|cells| is_amount(cells)).count();
    if usable == 0 || usable * 2 < rows.len() {
        return None;
    }
    let direction = rows_direction(&rows, |at| at != date && at != amount && Some(at) != text);
    let width = split_amounts(&rows, amount, separator).then_some(amount + 1);
    Some(Plan {
        separator,
        start: sample.get(first)?.0,
        columns: Columns {
            date,
            texts: text.into_iter().collect(),
            former_texts: text.into_iter().collect(),
            amount: Amount::One(amount),
            direction: direction.map(|at| Direction { at, maybe: true }),
            ..Columns::default()
        },
        width,
        keys: Vec::new(),
        headers: Vec::new(),
        is_card: false,
        was_card: false,
        is_card_layout: false,
        continues: false,
        is_known: false,
        score: usable,
    })
}

/// The column with the longest texts, for files whose headers name no description, and the one that was taken until 2026-12, when
/// columns of a state, a fee, a currency, a balance or a category were not known.
pub(super) fn text_columns(source: &Source<'_>, plan: &Plan) -> (Option<usize>, Option<usize>) {
    let mut records = Records::watched(source, plan.separator, plan.start);
    let mut record = Record::default();
    let mut rows = Vec::new();
    while rows.len() < ROWS_MAX && records.next_into(&mut record) {
        if !record.is_blank() {
            rows.push(owned(&record));
        }
    }
    let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
    let columns = &plan.columns;
    let taken = |at: usize| {
        let is_amount = match columns.amount {
            Amount::One(amount) => at == amount,
            Amount::Split { credit, debit } => Some(at) == credit || Some(at) == debit,
        };
        is_amount || at == columns.date || Some(at) == columns.id || Some(at) == columns.instalment
    };
    let others = [columns.status, columns.fee, columns.currency, columns.balance, columns.category];
    let former = wordiest(&rows, |at| !taken(at));
    (wordiest(&rows, |at| !taken(at) && !others.contains(&Some(at))).or(former), former)
}

/// Up to [`ROWS_MAX`] records, from the first one that looks like a row.
fn sample(text: &str, separator: u8, looks_like_row: impl Fn(&[String]) -> bool) -> Sample {
    let mut records = Records::new(text, separator, Place::START);
    let mut record = Record::default();
    let mut sample: Sample = Vec::new();
    for _ in 0..RECORDS_MAX + ROWS_MAX {
        let place = records.place();
        if sample.len() == ROWS_MAX || !records.next_into(&mut record) {
            break;
        }
        if record.len() < 2 || record.is_blank() {
            continue;
        }
        let cells = owned(&record);
        if !sample.is_empty() || looks_like_row(&cells) {
            sample.push((place, cells));
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
fn column<'a>(rows: &'a [&[String]], at: usize) -> impl Iterator<Item = &'a str> {
    rows.iter().filter_map(move |cells| cells.get(at)).map(String::as_str).filter(|cell| !cell.is_empty())
}

fn most_dates(sample: &Sample, dates: &Dates<'_>) -> Option<usize> {
    let rows: Vec<&[String]> = sample.iter().map(|(_, cells)| cells.as_slice()).collect();
    let count = |at: usize| column(&rows, at).filter(|cell| dates.accept(cell)).count();
    (0..width(&rows))
        .rev()
        .map(|at| (count(at), at))
        .filter(|(count, _)| *count > 0)
        .max_by_key(|(count, _)| *count)
        .map(|(_, at)| at)
}

/// The column with the most letters.
fn wordiest(rows: &[&[String]], is_free: impl Fn(usize) -> bool) -> Option<usize> {
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
fn without_balances(rows: Vec<&[String]>, text: Option<usize>) -> Vec<&[String]> {
    let tells_balance =
        |cells: &[String]| text.and_then(|at| cells.get(at)).is_some_and(|cell| is_balance(cell, false));
    if rows.iter().all(|cells| tells_balance(cells)) {
        return rows;
    }
    rows.into_iter().filter(|cells| !tells_balance(cells)).collect()
}

/// The first column of amounts. A column of plain integers is taken only if there is no other, because they may be document
/// numbers.
///
/// None if each row fills one of two columns: nothing shows which of them is income.
fn amounts(rows: &[&[String]], is_free: impl Fn(usize) -> bool, text: Option<usize>) -> Option<usize> {
    let read = |at: usize| column(rows, at).filter(|cell| cents(cell, Decimal::ByValue).is_ok()).count();
    let is_money = |at: &usize| column(rows, *at).any(|cell| cell.contains([',', '.', '-', '$']));
    let columns: Vec<(usize, usize)> =
        (0..width(rows)).filter(|at| is_free(*at)).map(|at| (at, read(at))).filter(|(_, read)| *read > 0).collect();
    let blank = |cells: &[String], at: usize| cells.get(at).is_none_or(String::is_empty);
    let take_turns = |one, other| rows.iter().all(|cells| blank(cells, one) != blank(cells, other));
    let money: Vec<usize> = columns.iter().map(|(at, _)| *at).filter(is_money).collect();
    if money.windows(2).any(|pair| matches!(pair, [one, other] if take_turns(*one, *other))) {
        return None;
    }
    let candidates: Vec<usize> =
        columns.iter().filter(|(_, read)| *read * 2 >= rows.len()).map(|(at, _)| *at).collect();
    let after_text = |at: &&usize| text.is_none_or(|text| **at > text);
    let found = candidates.iter().find(|at| is_money(at)).or_else(|| candidates.iter().find(after_text));
    found.or(candidates.first()).copied()
}

fn rows_direction(rows: &[&[String]], is_free: impl Fn(usize) -> bool) -> Option<usize> {
    let tells = |at: usize| {
        column(rows, at).next().is_some() && column(rows, at).all(|cell| synonyms::direction(cell).is_some())
    };
    (0..width(rows)).find(|at| is_free(*at) && tells(*at))
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
