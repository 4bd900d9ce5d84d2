//! The columns of a file of whose headers some are known: the others by the content of its rows.

use std::cmp::Reverse;

use super::dates::{is_value, may_be_date};
use super::guess::Guess;
use super::header::{self, Amount, Line, NamedColumns, Plan, RECORDS_MAX};
use super::headless::{amounts, column, dates, most_dates, sample, without_balances, wordiest};
use super::ranks;
use super::split::{Place, Record, Records};
use super::synonyms;
use crate::amount::is_amount;
use crate::{FoundBy, Options, currency};

/// The least number of headers that must be known, or have a word of a date or an amount, unless the caller names one.
const KNOWN_MIN: usize = 2;
/// The most lines of headers whose rows are examined.
const LINES_MAX: usize = 8;

/// A line that may have the headers.
#[derive(Debug)]
struct Candidate {
    line: Line,
    given: NamedColumns,
    guess: Guess,
    /// How many lines are above it.
    above: usize,
    score: usize,
}

/// The plan of the line with the most known headers under which there are rows.
pub(super) fn find(text: &str, separator: u8, options: &Options) -> Option<Plan> {
    let mut candidates = candidates(text, separator, options);
    candidates.sort_by_key(|candidate| Reverse(candidate.score));
    candidates.into_iter().take(LINES_MAX).find_map(|candidate| candidate.plan(text, options))
}

/// The lines that may have the headers, in the order of the file.
fn candidates(text: &str, separator: u8, options: &Options) -> Vec<Candidate> {
    let mut records = Records::new(text, separator, Place::START);
    let mut record = Record::default();
    let mut candidates = Vec::new();
    for above in 0..RECORDS_MAX {
        if !records.next_into(&mut record) {
            break;
        }
        if record.len() < 2 || record.cells().any(is_value) {
            continue;
        }
        let Some(given) = NamedColumns::of(options, &record) else { continue };
        let keys = header::keys(&record);
        let guess = Guess::of(&keys);
        let known = match guess.count() {
            0 => 0,
            known => known + hints(&guess, &keys),
        };
        if known < KNOWN_MIN && given.names == 0 {
            continue;
        }
        let line = Line { separator, start: records.place(), headers: record.shown(), keys };
        candidates.push(Candidate { line, given, guess, above, score: known + 2 * given.names });
    }
    candidates
}

/// How many of the date and the amount are not known, but have a header with a word of theirs.
fn hints(guess: &Guess, keys: &[String]) -> usize {
    let others = || keys.iter().enumerate().filter(|(at, _)| !guess.has(*at)).map(|(_, key)| key.as_str());
    let is_amount = |key: &str| !synonyms::is_balance(key) && ranks::is_amount(key);
    let has_amount = [guess.amount, guess.credit, guess.debit].iter().any(Option::is_some);
    usize::from(guess.date.is_none() && others().any(ranks::is_date))
        + usize::from(!has_amount && others().any(is_amount))
}

impl Candidate {
    /// The plan, if the rows below have a date and an amount.
    fn plan(self, file: &str, options: &Options) -> Option<Plan> {
        let Candidate { line, given, mut guess, above, score } = self;
        let dates = dates(options);
        let date = given.date.or(guess.date);
        // In a column that is known to have dates they may lack the year.
        let accept = |cell: &str| dates.accept(cell) || date.is_some() && dates.format.is_none() && may_be_date(cell);
        let is_date = |cells: &[String], at: usize| cells.get(at).is_some_and(|cell| accept(cell));
        let sample = sample(file, line.separator, line.start, |cells| match date {
            Some(date) => is_date(cells, date),
            None => cells.iter().any(|cell| dates.accept(cell)),
        });
        let is_named = |at: usize| [given.date, given.text, given.amount].contains(&Some(at));
        let date_rank = |at: usize| (!guess.has(at) && !is_named(at)).then(|| ranks::date_rank(line.key(at)));
        let date = date.or_else(|| most_dates(&sample, &dates, date_rank))?;
        let rows = sample.rows(|cells| is_date(cells, date));
        // "Movimentação" is the name of a text and of an amount.
        let is_text = |at: &usize| column(&rows, *at).next().is_none() || !column(&rows, *at).all(is_amount);
        guess.texts.retain(is_text);
        guess.former_texts.retain(is_text);
        let is_free = |at: usize| at != date && !guess.has(at) && !is_named(at);
        let describes = |at: usize| is_free(at) && !ranks::is_id(line.key(at));
        let text = given.text.or(guess.texts.first().copied());
        let text = text.or_else(|| wordiest(&rows, describes)).or_else(|| wordiest(&rows, is_free));
        let rows = without_balances(rows, text);
        let amount_rank = |at: usize| {
            let is_of_dates = || column(&rows, at).all(|cell| dates.accept(cell));
            if !is_free(at) || Some(at) == text || synonyms::is_balance(line.key(at)) || is_of_dates() {
                return None;
            }
            let is_foreign = line.headers.get(at).is_some_and(|header| currency::of_header(header).is_some());
            Some(ranks::amount_rank(line.key(at), is_foreign))
        };
        let has_amounts = |amount: &Amount| {
            amount.columns().any(|at| rows.iter().any(|cells| cells.get(at).is_some_and(|cell| is_amount(cell))))
        };
        let named = given.amount.map(Amount::One);
        let amount = match named.or_else(|| Amount::of(&guess).filter(has_amounts)) {
            Some(amount) => amount,
            None => amounts(&rows, amount_rank, text)?,
        };
        let is_row =
            |record: &Record<'_>| accept(record.cell(date)) && amount.columns().any(|at| is_amount(record.cell(at)));
        if !has_amounts(&amount) || has_rows(file, line.separator, above, is_row) {
            return None;
        }
        let columns = header::of_guess(guess, &line.keys, date, amount, options.on_card);
        Some(Plan { found_by: FoundBy::SomeHeaders, ..line.plan(columns, given, score) })
    }
}

/// Whether one of the first lines is a row. A line below it has no headers of the rows.
fn has_rows(file: &str, separator: u8, lines: usize, is_row: impl Fn(&Record<'_>) -> bool) -> bool {
    let mut records = Records::new(file, separator, Place::START);
    let mut record = Record::default();
    (0..lines).any(|_| records.next_into(&mut record) && is_row(&record))
}
