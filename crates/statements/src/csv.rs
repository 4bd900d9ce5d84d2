//! CSV files of banks, shops and spreadsheets.
//!
//! A [`Plan`] maps the columns of a file: by the exact headers of a known bank, else by common names of headers, else by
//! those of some columns and the content of the rows, else, in a file without headers, by the content of the rows. The
//! caller's options take precedence. The rows are then parsed with the date order and the decimal separator that the first
//! rows show, and parsed again if a later row shows others.

mod account_number;
mod dates;
mod decimals;
mod description;
mod detected;
mod direction_words;
mod directions;
mod evidence;
mod formulas;
mod guess;
mod header;
mod headless;
mod layouts;
mod partial;
mod ranks;
mod rows;
mod sign;
mod source;
mod split;
mod synonyms;
mod titles;

use std::sync::Arc;

pub(crate) use dates::may_be_date;
pub use formulas::defused;
use header::{Columns, Plan};
pub(crate) use source::Source;
use split::{Place, Record, Records};

use crate::{Account, AccountKind, AccountStatement, Column, Error, OptionFault, Options, Reading, balances, currency};

/// The separators that are tried, the most likely first.
const SEPARATORS: [u8; 4] = *b";\t|,";

/// Reads the transactions of a file or a sheet.
///
/// # Errors
///
/// [`Error::Unreadable`] without recognizable columns, [`Error::Option`] if an option does not fit the file,
/// [`Error::TooManyRows`], or [`Error::Stopped`].
pub(crate) fn read(source: &Source<'_>, options: &Options) -> Result<Reading, Error> {
    let unquoted = if source.separator.is_none() { without_quotes_around_lines(source.text) } else { None };
    let source = &Source { text: unquoted.as_deref().unwrap_or(source.text), ..*source };
    let reading = read_records(source, options);
    // Otherwise a reader that was stopped has read the records until then only.
    source.watch.check()?;
    reading
}

/// The lines without the quotation marks around them, if a program took each line for one field. It leaves alone lines in which nothing
/// needs them. None if the lines are as usual.
fn without_quotes_around_lines(text: &str) -> Option<String> {
    text.find('"')?;
    let (mut unquoted, mut quoted, mut plain) = (String::with_capacity(text.len()), 0, 0);
    for line in text.lines().map(str::trim_end) {
        if line.contains('"') {
            let inner = line.strip_prefix('"')?.strip_suffix('"')?;
            let is_one_field = !inner.replace("\"\"", "").contains('"');
            if !is_one_field || !inner.bytes().any(|byte| SEPARATORS.contains(&byte)) {
                return None;
            }
            unquoted.push_str(&inner.replace("\"\"", "\""));
            quoted += 1;
        } else {
            unquoted.push_str(line);
            plain += usize::from(!line.is_empty());
        }
        unquoted.push('\n');
    }
    (quoted > 0 && (plain <= 1 || plain < quoted)).then_some(unquoted)
}

fn read_records(source: &Source<'_>, options: &Options) -> Result<Reading, Error> {
    check(options)?;
    let mut plan = match plan(source, options)? {
        Some(plan) => plan,
        None => return Err(unplanned(source, options)?),
    };
    directions::find(source, &mut plan, options);
    if options.description_column.is_none() {
        // Another column may tell more than those of the other party.
        let is_party = |at: &usize| plan.keys.get(*at).is_some_and(|key| synonyms::is_party(key));
        if plan.columns.texts.iter().all(is_party) {
            let without_words = headless::without_words(source, &plan, &plan.columns.texts);
            plan.columns.texts.retain(|text| !without_words.contains(text));
        }
    }
    if plan.columns.texts.is_empty() || plan.columns.former_texts.is_empty() {
        let (text, former) = headless::text_columns(source, &plan);
        if plan.columns.texts.is_empty() {
            plan.columns.texts.extend(text);
        }
        if plan.columns.former_texts.is_empty() {
            plan.columns.former_texts.extend(former);
        }
    }
    // Rows that were stored until 2026-12 are recognised by what was read then, without the headers.
    if !plan.headers.is_empty() && !plan.was_known(options) {
        let former = best(source, options, headless::find)?.map(|plan| plan.columns);
        if let Some(Columns { date, former_texts, .. }) = former {
            plan.columns.former_date = Some(date).filter(|date| *date != plan.columns.date);
            (plan.columns.former_texts, plan.columns.former_instalment) = (former_texts, None);
        }
    }
    // A row without a remark is what an unknown column says.
    let is_remark = |at: &usize| plan.keys.get(*at).is_some_and(|key| synonyms::is_remark(key));
    if plan.columns.spare.is_none() && options.description_column.is_none() && plan.columns.texts.iter().all(is_remark)
    {
        plan.columns.spare = headless::text_beside(source, &plan);
    }
    let is_in_reais =
        plan.columns.amount.columns().any(|at| plan.keys.get(at).is_some_and(|key| synonyms::is_in_reais(key)));
    if plan.currency.is_none() && plan.columns.currency.is_none() && !is_in_reais {
        plan.currency = currency::of_preamble(plan.preamble(source.text)).map(Arc::from);
    }
    check_numbers(source.text, &plan, options)?;
    let mut reading = rows::read(source, &plan, options)?;
    reading.found_by = plan.found_by;
    let preamble = plan.preamble(source.text);
    reading.due_date = crate::due_date::of_preamble(preamble);
    let is_card = options.on_card || plan.is_card_layout;
    let account = Account {
        number: account_number::of_preamble(preamble),
        kind: is_card.then_some(AccountKind::Card),
        ..Account::default()
    };
    let currency = plan.currency.clone().filter(|_| plan.columns.currency.is_none());
    reading.accounts.push(AccountStatement { account, currency, ..AccountStatement::default() });
    let found = std::mem::take(&mut reading.balances);
    balances::assign(&mut reading, found);
    Ok(reading)
}

type Finder = fn(&str, u8, &Options) -> Option<Plan>;

/// How to parse the file. None if its columns are not recognized.
fn plan(source: &Source<'_>, options: &Options) -> Result<Option<Plan>, Error> {
    for find in [header::find, partial::find, headless::find as Finder] {
        let found = best(source, options, find)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The plan with the highest score among the separators.
fn best(source: &Source<'_>, options: &Options, find: Finder) -> Result<Option<Plan>, Error> {
    let mut found: Option<Plan> = None;
    for separator in separators(source.separator, options)? {
        if let Some(plan) = find(source.text, separator, options)
            && found.as_ref().is_none_or(|best| best.score < plan.score)
        {
            found = Some(plan);
        }
        if found.as_ref().is_some_and(|best| best.is_known) {
            break;
        }
    }
    Ok(found)
}

/// The reason why no plan was found: an option that does not fit, or the file itself.
///
/// # Errors
///
/// The same reason, if one of the checks finds it.
fn unplanned(source: &Source<'_>, options: &Options) -> Result<Error, Error> {
    for (name, column) in columns(options) {
        if let Some(Column::Name(header)) = column
            && !has_header(source, header, options)?
        {
            let header = crate::text::quote(header);
            return Ok(refused(name, OptionFault::NoSuchHeader { header }));
        }
        if let Some(Column::Number(number)) = column {
            let separators = separators(source.separator, options)?;
            let width = separators.iter().map(|separator| width(source.text, *separator, Place::START)).max();
            check_number(name, *number, width.unwrap_or(0))?;
        }
    }
    // If the file can be read without an option, that option is the reason.
    for Suspect { name, fault, take } in SUSPECTS {
        let mut fewer = options.clone();
        if take(&mut fewer) && plan(source, &fewer)?.is_some() {
            return Ok(refused(name, fault.clone()));
        }
    }
    Ok(Error::Unreadable(
        "As colunas do arquivo não foram reconhecidas; informe quais são as da data, da descrição e do valor.".into(),
    ))
}

/// An option that may not fit the file.
struct Suspect {
    name: &'static str,
    fault: OptionFault,
    /// Removes the option. False if it was not set.
    take: fn(&mut Options) -> bool,
}

static SUSPECTS: &[Suspect] = &[
    Suspect {
        name: "date_column",
        fault: OptionFault::UnfitDateColumn,
        take: |options| options.date_column.take().is_some(),
    },
    Suspect {
        name: "description_column",
        fault: OptionFault::UnfitDescriptionColumn,
        take: |options| options.description_column.take().is_some(),
    },
    Suspect {
        name: "amount_column",
        fault: OptionFault::UnfitAmountColumn,
        take: |options| options.amount_column.take().is_some(),
    },
    Suspect {
        name: "date_format",
        fault: OptionFault::UnfitDateFormat,
        take: |options| options.date_format.take().is_some(),
    },
    Suspect {
        name: "separator",
        fault: OptionFault::UnfitSeparator,
        take: |options| options.separator.take().is_some(),
    },
];

fn refused(name: &'static str, fault: OptionFault) -> Error {
    Error::Option { name, fault }
}

fn columns(options: &Options) -> [(&'static str, Option<&Column>); 3] {
    [
        ("date_column", options.date_column.as_ref()),
        ("description_column", options.description_column.as_ref()),
        ("amount_column", options.amount_column.as_ref()),
    ]
}

/// Refuses options that are invalid for any file.
fn check(options: &Options) -> Result<(), Error> {
    if options.decimal_separator.is_some_and(|mark| !matches!(mark, ',' | '.')) {
        return Err(refused("decimal_separator", OptionFault::InvalidDecimalSeparator));
    }
    for (name, column) in columns(options) {
        match column {
            Some(Column::Number(0)) => {
                return Err(refused(name, OptionFault::ColumnZero));
            }
            Some(Column::Name(header)) if header.trim().is_empty() => {
                return Err(refused(name, OptionFault::BlankColumn));
            }
            _ => {}
        }
    }
    separators(None, options).map(|_| ())
}

/// The separators to try.
fn separators(known: Option<u8>, options: &Options) -> Result<Vec<u8>, Error> {
    if let Some(separator) = known {
        return Ok(vec![separator]);
    }
    let Some(separator) = options.separator else { return Ok(SEPARATORS.to_vec()) };
    match u8::try_from(separator) {
        Ok(byte) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\r' | b'\n') => {
            Ok(vec![byte])
        }
        _ => Err(refused("separator", OptionFault::InvalidSeparator)),
    }
}

/// Refuses column numbers that the file does not have.
fn check_numbers(text: &str, plan: &Plan, options: &Options) -> Result<(), Error> {
    if columns(options).iter().all(|(_, column)| !matches!(column, Some(Column::Number(_)))) {
        return Ok(());
    }
    let width = width(text, plan.separator, plan.start).max(plan.keys.len());
    for (name, column) in columns(options) {
        if let Some(Column::Number(number)) = column {
            check_number(name, *number, width)?;
        }
    }
    Ok(())
}

fn check_number(name: &'static str, number: usize, width: usize) -> Result<(), Error> {
    if number <= width {
        return Ok(());
    }
    Err(refused(
        name,
        match width {
            1 => OptionFault::OnlyOneColumn { column: number },
            columns => OptionFault::NoSuchColumn { column: number, columns },
        },
    ))
}

/// The most fields of the first records from `start` on.
fn width(text: &str, separator: u8, start: Place) -> usize {
    let mut records = Records::new(text, separator, start);
    let mut record = Record::default();
    let mut width = 0;
    for _ in 0..header::RECORDS_MAX {
        if !records.next_into(&mut record) {
            break;
        }
        width = width.max(record.len());
    }
    width
}

/// Whether one of the first records has this header.
fn has_header(source: &Source<'_>, header: &str, options: &Options) -> Result<bool, Error> {
    for separator in separators(source.separator, options)? {
        let mut records = Records::new(source.text, separator, Place::START);
        let mut record = Record::default();
        for _ in 0..header::RECORDS_MAX {
            if !records.next_into(&mut record) {
                break;
            }
            if header::position(header, &record).is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
