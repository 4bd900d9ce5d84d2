//! Separated values, as banks, shops and spreadsheets write them.
//!
//! A plan says which column holds what: by the exact headers of a known export, by headers of the usual words,
//! or, where there are none, by what the rows look like; the caller's options stand above all of them. Then the
//! rows are gone through twice: once for what the whole file shows of its dates and amounts, once to read them.

mod dates;
mod decimals;
mod header;
mod headless;
mod layouts;
mod rows;
mod split;
mod synonyms;

use header::Plan;
use split::{Place, Record, Records};

use crate::{Column, Error, Options, Reading};

/// The separators looked for, the likeliest first.
const SEPARATORS: [u8; 4] = *b";\t|,";

/// Reads the transactions of a file.
///
/// # Errors
///
/// [`Error::Unreadable`] without recognisable columns, [`Error::Option`] where an option does not fit the file,
/// [`Error::TooManyRows`].
pub(crate) fn read(text: &str, options: &Options) -> Result<Reading, Error> {
    check(options)?;
    let mut plan = match plan(text, options)? {
        Some(plan) => plan,
        None => return Err(unplanned(text, options)?),
    };
    if plan.columns.texts.is_empty() {
        plan.columns.texts.extend(headless::text_column(text, &plan));
    }
    check_numbers(text, &plan, options)?;
    rows::read(text, &plan, options)
}

type Finder = fn(&str, u8, &Options) -> Option<Plan>;

/// How the file is to be read; none where its columns cannot be told.
fn plan(text: &str, options: &Options) -> Result<Option<Plan>, Error> {
    let separators = separators(options)?;
    for find in [header::find, headless::find as Finder] {
        let mut found: Option<Plan> = None;
        for separator in &separators {
            if let Some(plan) = find(text, *separator, options)
                && found.as_ref().is_none_or(|best| best.score < plan.score)
            {
                found = Some(plan);
            }
        }
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Why no plan could be made: an option that is in the way, or the file.
///
/// # Errors
///
/// The same, where it is found while looking.
fn unplanned(text: &str, options: &Options) -> Result<Error, Error> {
    for (name, column) in columns(options) {
        if let Some(Column::Name(header)) = column
            && !has_header(text, header, options)?
        {
            let header = crate::text::quote(header);
            return Ok(refused(name, format!("O arquivo não tem a coluna \"{header}\".")));
        }
        if let Some(Column::Number(number)) = column {
            let width = separators(options)?.iter().map(|separator| width(text, *separator, Place::START)).max();
            check_number(name, *number, width.unwrap_or(0))?;
        }
    }
    // The option without which the file could be read is the one in the way.
    for Suspect { name, message, take } in SUSPECTS {
        let mut fewer = options.clone();
        if take(&mut fewer) && plan(text, &fewer)?.is_some() {
            return Ok(refused(name, (*message).to_string()));
        }
    }
    Ok(Error::Unreadable(
        "As colunas do arquivo não foram reconhecidas; informe quais são as da data, da descrição e do valor.".into(),
    ))
}

/// An option that may be in the way.
struct Suspect {
    name: &'static str,
    message: &'static str,
    /// Takes the option away; false where it was not there.
    take: fn(&mut Options) -> bool,
}

static SUSPECTS: &[Suspect] = &[
    Suspect {
        name: "date_column",
        message: "A coluna informada para a data não serve para este arquivo.",
        take: |options| options.date_column.take().is_some(),
    },
    Suspect {
        name: "description_column",
        message: "A coluna informada para a descrição não serve para este arquivo.",
        take: |options| options.description_column.take().is_some(),
    },
    Suspect {
        name: "amount_column",
        message: "A coluna informada para o valor não serve para este arquivo.",
        take: |options| options.amount_column.take().is_some(),
    },
    Suspect {
        name: "date_format",
        message: "Nenhuma data do arquivo está no formato informado.",
        take: |options| options.date_format.take().is_some(),
    },
    Suspect {
        name: "separator",
        message: "O separador informado não separa as colunas deste arquivo.",
        take: |options| options.separator.take().is_some(),
    },
];

fn refused(name: &'static str, message: String) -> Error {
    Error::Option { name, message }
}

fn columns(options: &Options) -> [(&'static str, Option<&Column>); 3] {
    [
        ("date_column", options.date_column.as_ref()),
        ("description_column", options.description_column.as_ref()),
        ("amount_column", options.amount_column.as_ref()),
    ]
}

/// Refuses options that fit no file.
fn check(options: &Options) -> Result<(), Error> {
    if options.decimal_separator.is_some_and(|mark| !matches!(mark, ',' | '.')) {
        return Err(refused("decimal_separator", "O separador decimal deve ser vírgula ou ponto.".to_string()));
    }
    for (name, column) in columns(options) {
        match column {
            Some(Column::Number(0)) => {
                return Err(refused(name, "As colunas são numeradas a partir de 1.".to_string()));
            }
            Some(Column::Name(header)) if header.trim().is_empty() => {
                return Err(refused(name, "O nome da coluna está em branco.".to_string()));
            }
            _ => {}
        }
    }
    separators(options).map(|_| ())
}

/// The separators to try.
fn separators(options: &Options) -> Result<Vec<u8>, Error> {
    let Some(separator) = options.separator else { return Ok(SEPARATORS.to_vec()) };
    match u8::try_from(separator) {
        Ok(byte) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\r' | b'\n') => {
            Ok(vec![byte])
        }
        _ => Err(refused("separator", "O separador deve ser um sinal, como ; ou , ou tabulação.".to_string())),
    }
}

/// Refuses numbers of columns the file does not have.
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
    let columns = if width == 1 { "coluna" } else { "colunas" };
    Err(refused(name, format!("A coluna {number} não existe: o arquivo tem {width} {columns}.")))
}

/// The fields of the widest of the first records from a place on.
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

/// Whether one of the first lines has a field of this header.
fn has_header(text: &str, header: &str, options: &Options) -> Result<bool, Error> {
    for separator in separators(options)? {
        let mut records = Records::new(text, separator, Place::START);
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
