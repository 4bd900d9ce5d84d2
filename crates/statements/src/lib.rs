//! Reads bank statements in OFX, CSV and spreadsheets, with the deviations from these formats that Brazilian banks make.
//!
//! [`read`] takes the bytes of a file and returns its transactions and its rejected lines. It does no I/O, reads no
//! clock, and does not panic on any input. Time and memory grow linearly with the file, and a spreadsheet that is small and
//! costs much is refused. A caller with a deadline uses [`read_while`].
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
//!
//! # CSV
//!
//! The separator, the columns, the date order and the decimal separator are detected. [`Options`] sets what a file
//! does not show, and what is set is not detected.
//!
//! ```
//! use finance_statements::{Format, Options, read};
//! use time::macros::date;
//!
//! let file = "Data;Histórico;Valor\n31/01/2026;PIX RECEBIDO ANA;1.234,56\n01/02/2026;SALDO DO DIA;9.999,99\n";
//! let statement = read(file.as_bytes(), &Options::default())?;
//! assert_eq!(statement.format, Format::Csv);
//! let row = &statement.rows[0];
//! assert_eq!((row.line, row.date, row.cents), (2, date!(2026 - 01 - 31), 123_456));
//! let rejected = &statement.rejected[0];
//! assert_eq!((rejected.line, rejected.reason.to_string().as_str()), (3, "linha de saldo"));
//!
//! // A card export that writes every purchase as a positive amount:
//! let purchases = "Data;Loja;Valor\n31/01/2026;Padaria;12,34\n";
//! let options = Options { all_expenses: true, ..Options::default() };
//! assert_eq!(read(purchases.as_bytes(), &options)?.rows[0].cents, -1234);
//! # Ok::<(), finance_statements::Error>(())
//! ```
//!
//! # Spreadsheets
//!
//! XLSX, ODS and XLS are read as CSV files are, sheet by sheet, and with the same options. All visible sheets that list
//! transactions are read. Lines are rows of their sheet, which [`Rejected::sheet`] names. An amount is the shortest decimal
//! that is the number of its cell: `0.1 + 0.2` is 0.30. Dates are numbers of days or texts.
//!
//! # Errors and rejected lines
//!
//! A line without a usable transaction is listed in [`Statement::rejected`], and the rest of the file is read. Only a
//! file from which nothing can be read fails, with an [`Error`]. Both give the reason in Portuguese, for the person who
//! imports the file.

mod amount;
mod carried;
mod csv;
mod date;
mod due_date;
mod error;
mod ofx;
mod options;
mod reason;
mod sheets;
mod text;
mod watch;

pub use error::Error;
pub use options::{Column, DateFormat, Options};
pub use reason::{OptionFault, Param, Reason};

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use csv::Source;
use sheets::Container;
use time::Date;
use watch::Watch;

/// The content of a statement file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The format of the file.
    pub format: Format,
    /// Its transactions, in the order of the file.
    pub rows: Vec<Row>,
    /// The lines without a usable transaction, in the order of the file.
    pub rejected: Vec<Rejected>,
    /// The recognized layout of a CSV file. None for OFX.
    pub layout: Option<CsvLayout>,
    /// The date on which the bill is due, if the file names one: `DTPMTDUE` of OFX, or the date beside "vencimento" above the
    /// headers of a CSV file.
    pub due_date: Option<Date>,
}

/// The format of a statement file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Open Financial Exchange, 1.x or 2.x.
    Ofx,
    /// Values separated by a character, usually `;` or `,`, and spreadsheets.
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
    /// The line of the file, or the row of its sheet, on which it starts, from 1.
    pub line: usize,
    /// The date as the file writes it. A time zone in the file does not change it.
    pub date: Date,
    /// The description: trimmed, whitespace collapsed, at most 255 characters.
    pub description: String,
    /// The amount in hundredths. Negative is an expense. Never zero.
    pub cents: i64,
    /// The bank's id. None if the file has none, or if it is blank or only zeros.
    pub id: Option<String>,
}

/// A line without a usable transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The sheet of a spreadsheet. None in other files.
    pub sheet: Option<Arc<str>>,
    /// The line of the file, or the row of the sheet, from 1.
    pub line: usize,
    /// The reason.
    pub reason: Reason,
}

/// The recognized layout of a CSV file, or of the first sheet with transactions. Every value except the lists may be given
/// as an option, to read the file the same way.
///
/// ```
/// use finance_statements::{Options, read};
///
/// let file = b"Data;Historico;Valor\n31/01/2026;PADARIA;-12,34\n";
/// let layout = read(file, &Options::default())?.layout.expect("a CSV file");
/// assert_eq!((layout.separator, layout.decimal_separator), (Some(';'), Some(',')));
/// assert_eq!(layout.date_format.as_deref(), Some("dd/mm/yyyy"));
/// assert_eq!(layout.amount_column, Some(3));
/// assert_eq!(layout.headers, ["Data", "Historico", "Valor"]);
/// assert_eq!(layout.sample, [["31/01/2026", "PADARIA", "-12,34"]]);
/// # Ok::<(), finance_statements::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The character between two fields. None in a spreadsheet.
    pub separator: Option<char>,
    /// The decimal separator. None if the amounts of the file use both.
    pub decimal_separator: Option<char>,
    /// The format of the first date, in the notation of [`DateFormat`]. None if the file has no date.
    pub date_format: Option<String>,
    /// The column of the date, from 1.
    pub date_column: usize,
    /// The column of the description, or the first of several, from 1. None if there is none.
    pub description_column: Option<usize>,
    /// The column of the amount, from 1. None if income and expenses have separate columns.
    pub amount_column: Option<usize>,
    /// The headers as the file writes them. Empty if the file has none.
    pub headers: Vec<String>,
    /// The fields of the first lines after the headers.
    pub sample: Vec<Vec<String>>,
}

/// An account named by a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its bank's number.
    pub bank: Option<String>,
    /// Its number.
    pub number: Option<String>,
    /// Whether it is a card.
    pub is_card: bool,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_card { "card" } else { "account" })?;
        if let Some(number) = &self.number {
            write!(f, " {number}")?;
        }
        if let Some(bank) = &self.bank {
            write!(f, " of bank {bank}")?;
        }
        Ok(())
    }
}

/// The accounts of the statements in a file, at most 16. CSV files and spreadsheets name none.
///
/// ```
/// let file = b"<OFX><CCSTMTRS><CCACCTFROM><ACCTID>4111-****</CCACCTFROM><BANKTRANLIST></BANKTRANLIST></CCSTMTRS></OFX>";
/// let accounts = finance_statements::accounts(file)?;
/// assert!(accounts[0].is_card);
/// assert_eq!(accounts[0].to_string(), "card 4111-****");
/// # Ok::<(), finance_statements::Error>(())
/// ```
///
/// # Errors
///
/// [`Error`] if the bytes are not text.
pub fn accounts(bytes: &[u8]) -> Result<Vec<Account>, Error> {
    if Container::of(bytes).is_some() {
        return Ok(Vec::new());
    }
    let text = text::decode(bytes)?;
    Ok(if ofx::is_ofx(&text) { ofx::accounts(&text) } else { Vec::new() })
}

/// Reads a statement.
///
/// The format is detected from the bytes, and so is everything else that the options do not set.
///
/// # Errors
///
/// - [`Error::Unsupported`] if the bytes are another kind of file, such as a PDF.
/// - [`Error::Unreadable`] if the file is empty, contains no statement, or has no recognizable columns.
/// - [`Error::Option`] if an option is invalid or does not fit the file.
/// - [`Error::TooLarge`] if a spreadsheet has more cells, texts or sheets than the reader accepts.
/// - [`Error::TooManyRows`] if there are more than [`Options::rows_max`] transactions, or more rejected lines than that.
pub fn read(bytes: &[u8], options: &Options) -> Result<Statement, Error> {
    read_while(bytes, options, &|| true)
}

/// Reads a statement as [`read`] does, as long as `go_on` says so. It is called every few milliseconds, so that a caller with a
/// deadline, or whose client is gone, need not wait for the end of a large file.
///
/// ```
/// use finance_statements::{Error, Options, read_while};
///
/// let file = format!("Data;Loja;Valor\n{}", "31/01/2026;PADARIA;-12,34\n".repeat(100_000));
/// let result = read_while(file.as_bytes(), &Options::default(), &|| false);
/// assert_eq!(result, Err(Error::Stopped));
/// ```
///
/// # Errors
///
/// [`Error::Stopped`] if `go_on` returns false, and the errors of [`read`].
pub fn read_while(bytes: &[u8], options: &Options, go_on: &dyn Fn() -> bool) -> Result<Statement, Error> {
    let watch = Watch::new(go_on);
    let container = Container::of(bytes);
    let text = match container {
        Some(_) => Cow::Borrowed(""),
        None => text::decode(bytes)?,
    };
    let found = if ofx::is_ofx(&text) { Format::Ofx } else { Format::Csv };
    let format = options.format.unwrap_or(found);
    if format != found {
        return Err(Error::Unreadable(match format {
            Format::Ofx => "O arquivo não é OFX; deixe o formato em automático ou escolha CSV.".to_string(),
            Format::Csv => "O arquivo é OFX, e não CSV; deixe o formato em automático ou escolha OFX.".to_string(),
        }));
    }
    let reading = match (container, format) {
        (Some(container), _) => sheets::read(bytes, container, options, &watch)?,
        (None, Format::Ofx) => ofx::read(&text, options, &watch)?,
        (None, Format::Csv) => csv::read(&Source::of_file(&text, &watch), options)?,
    };
    // Callers list the rejected lines too, so the same limit holds for them.
    if let Some(rows_max) = options.rows_max
        && reading.rejected.len() > rows_max
    {
        return Err(Error::TooManyRows { rows_max });
    }
    let Reading { rows, rejected, layout, due_date } = reading;
    Ok(Statement { format, rows, rejected, layout, due_date })
}

/// The result of a reader.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The transactions read so far.
    pub(crate) rows: Vec<Row>,
    /// The lines rejected so far.
    pub(crate) rejected: Vec<Rejected>,
    /// The recognized layout of a CSV file.
    pub(crate) layout: Option<CsvLayout>,
    /// The date on which the bill is due.
    pub(crate) due_date: Option<Date>,
}

impl Reading {
    /// Adds a rejected line.
    pub(crate) fn reject(&mut self, line: usize, reason: Reason) {
        self.rejected.push(Rejected { sheet: None, line, reason });
    }
}

/// Adds a transaction or rejects it. This is the only function that applies the options to a row.
///
/// `written_negative` is the sign that the file writes: a card export writes a purchase as a positive amount.
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
        reading.reject(row.line, Reason::ZeroAmount);
        return Ok(());
    }
    if options.skip_negative && written_negative {
        reading.reject(row.line, Reason::NegativeSkipped);
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
