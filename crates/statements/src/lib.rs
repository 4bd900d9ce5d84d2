//! Reads bank statements, OFX and CSV, as Brazilian banks really write them.
//!
//! Bytes in, rows and rejected lines out. No I/O, no clock, no panic on any input; time and memory
//! grow linearly with the file.
//!
//! ```
//! use finance_statements::{Options, read};
//!
//! let file = b"<OFX><BANKTRANLIST><STMTTRN><DTPOSTED>20260131120000[-3:BRT]<TRNAMT>-12,34\
//!     <FITID>A1<MEMO>PADARIA</STMTTRN></BANKTRANLIST></OFX>";
//! let statement = read(file, &Options::default())?;
//! assert_eq!(statement.rows[0].cents, -1234);
//! assert_eq!(statement.rows[0].description, "PADARIA");
//! # Ok::<(), finance_statements::Error>(())
//! ```

mod amount;
mod csv;
mod date;
mod error;
mod ofx;
mod options;
mod text;

pub use error::Error;
pub use options::{Column, DateFormat, Options};

use std::fmt;

use time::Date;

/// What could be read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The kind of file it was.
    pub format: Format,
    /// Its transactions, in the order of the file.
    pub rows: Vec<Row>,
    /// The lines that hold no usable transaction, in the order of the file.
    pub rejected: Vec<Rejected>,
}

/// The kind of file a statement came as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Open Financial Exchange, 1.x or 2.x.
    Ofx,
    /// Separated values.
    Csv,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Ofx => "ofx",
            Format::Csv => "csv",
        })
    }
}

/// A transaction of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line of the file it starts on, from 1.
    pub line: usize,
    /// Its date as the file writes it; no offset ever moves it.
    pub date: Date,
    /// What it says: trimmed, blanks collapsed, at most 255 characters.
    pub description: String,
    /// The amount in hundredths; below zero where money went out, never zero.
    pub cents: i64,
    /// The bank's id; none where absent, blank or nothing but zeros.
    pub id: Option<String>,
}

/// A line that holds no usable transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The line of the file, from 1.
    pub line: usize,
    /// Why, in Portuguese, for the person who imports the file.
    pub reason: String,
}

/// Reads a statement.
///
/// The kind of file is found from its bytes, and so is everything else the options leave open.
///
/// # Errors
///
/// [`Error`] where nothing can be read at all, an option does not fit the file, or there are more than
/// [`Options::rows_max`] transactions or rejected lines. A bad line is no error: it is in [`Statement::rejected`].
pub fn read(bytes: &[u8], options: &Options) -> Result<Statement, Error> {
    let text = text::decode(bytes)?;
    let found = if ofx::is_ofx(&text) { Format::Ofx } else { Format::Csv };
    let format = options.format.unwrap_or(found);
    if format != found {
        return Err(Error::Unreadable(match format {
            Format::Ofx => "O arquivo não é OFX; deixe o formato em automático ou escolha CSV.".to_string(),
            Format::Csv => "O arquivo é OFX, e não CSV; deixe o formato em automático ou escolha OFX.".to_string(),
        }));
    }
    let reading = match format {
        Format::Ofx => ofx::read(&text, options)?,
        Format::Csv => csv::read(&text, options)?,
    };
    // An answer lists these too, so they are as limited as rows are.
    if let Some(rows_max) = options.rows_max
        && reading.rejected.len() > rows_max
    {
        return Err(Error::TooManyRows { rows_max });
    }
    Ok(Statement { format, rows: reading.rows, rejected: reading.rejected })
}

/// What a reader has found so far.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The transactions.
    pub(crate) rows: Vec<Row>,
    /// The other lines.
    pub(crate) rejected: Vec<Rejected>,
}

impl Reading {
    /// Lists a line that holds no usable transaction.
    pub(crate) fn reject(&mut self, line: usize, reason: impl Into<String>) {
        self.rejected.push(Rejected { line, reason: reason.into() });
    }
}

/// Takes a transaction in, as the options say; the one place where they decide about a row.
///
/// `written_negative` is the sign the file writes, before a card export is turned round.
///
/// # Errors
///
/// [`Error::TooManyRows`].
pub(crate) fn accept(
    mut row: Row,
    written_negative: bool,
    options: &Options,
    reading: &mut Reading,
) -> Result<(), Error> {
    if row.cents == 0 {
        reading.reject(row.line, "valor zero");
        return Ok(());
    }
    if options.skip_negative && written_negative {
        reading.reject(row.line, "valor negativo ignorado");
        return Ok(());
    }
    if options.all_expenses {
        row.cents = -row.cents.abs();
    }
    if let Some(rows_max) = options.rows_max
        && reading.rows.len() >= rows_max
    {
        return Err(Error::TooManyRows { rows_max });
    }
    reading.rows.push(row);
    Ok(())
}
