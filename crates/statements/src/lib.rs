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
mod balances;
mod carried;
mod csv;
mod currency;
mod date;
mod due_date;
mod error;
mod ofx;
mod options;
mod reason;
mod sheets;
mod text;
mod watch;
mod words;

pub use csv::defused;
pub use error::Error;
pub use options::{CardSign, Column, DateFormat, Options, TextTest};
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
    /// The statements of accounts that the file consists of, at most [`STATEMENTS_MAX`], in the order of the file. A CSV file and a
    /// spreadsheet are one. An account that an OFX file names more than once has one.
    pub accounts: Vec<AccountStatement>,
}

/// The most statements of accounts that a file may have.
pub const STATEMENTS_MAX: usize = 50;

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
    /// The description in the bank's statement, if a file of our own tells another one.
    pub statement_description: Option<String>,
    /// The amount in hundredths. Negative is an expense. Never zero.
    pub cents: i64,
    /// The bank's id. None if the file has none, or if it is blank or only zeros.
    pub id: Option<String>,
    /// What earlier versions of this reader made of the row, if that differs.
    pub former: Option<Box<Former>>,
    /// The currency of the amount, in capital letters. None if it is the real.
    pub currency: Option<Arc<str>>,
    /// The name of its category, if the file has one.
    pub category: Option<String>,
    /// The position of its statement among [`Statement::accounts`].
    pub statement: usize,
}

impl Row {
    /// A row without a bank's id, in reais, of the first statement.
    pub fn new(line: usize, date: Date, description: impl Into<String>, cents: i64) -> Self {
        let description = description.into();
        Row {
            line,
            date,
            description,
            statement_description: None,
            cents,
            id: None,
            former: None,
            currency: None,
            category: None,
            statement: 0,
        }
    }
}

/// What versions of this reader before 2026-12 made of a row. Rows that they stored are recognised by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    /// The date, if it differs.
    pub date: Option<Date>,
    /// The description.
    pub description: String,
    /// The amount in hundredths. Negative is an expense.
    pub cents: i64,
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
    /// Its date, if it can be read.
    pub date: Option<Date>,
    /// Its amount in hundredths, if it can be read. Of a balance it is the balance.
    pub cents: Option<i64>,
    /// Its description, if it has one.
    pub description: Option<String>,
    /// The position of its statement among [`Statement::accounts`].
    pub statement: usize,
}

impl Rejected {
    fn new(line: usize, reason: Reason) -> Self {
        Rejected { sheet: None, line, reason, date: None, cents: None, description: None, statement: 0 }
    }

    fn of_row(row: &Row, reason: Reason) -> Self {
        Rejected {
            date: Some(row.date),
            cents: Some(row.cents),
            description: Some(row.description.clone()),
            statement: row.statement,
            ..Rejected::new(row.line, reason)
        }
    }
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
    /// The sign of purchases. None if the file is not a card's.
    pub sign: Option<CardSign>,
    /// The headers as the file writes them. Empty if the file has none.
    pub headers: Vec<String>,
    /// The fields of the first lines after the headers.
    pub sample: Vec<Vec<String>>,
}

/// The statement of one account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountStatement {
    /// The account, as far as the file names it.
    pub account: Account,
    /// The currency that the statement is in. None if it is the real, or if the file does not say.
    pub currency: Option<Arc<str>>,
    /// What the account held at the end of some days, in hundredths, as the file says: the oldest day first, each day once. Empty for
    /// a card.
    pub balances: Vec<(Date, i64)>,
}

/// An account, as far as a file names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// Its bank's number.
    pub bank: Option<String>,
    /// The number of its branch.
    pub branch: Option<String>,
    /// Its number. Of a CSV file the last four digits of the number beside "Conta" or "Cartão" above its headers.
    pub number: Option<String>,
    /// What kind of account it is. None if the file does not say.
    pub kind: Option<AccountKind>,
}

/// The kinds of accounts that a file may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountKind {
    /// A current account.
    Checking,
    /// A savings account.
    Savings,
    /// A credit card.
    Card,
    /// An investment.
    Investment,
}

impl Account {
    /// Whether it is a card.
    pub fn is_card(&self) -> bool {
        self.kind == Some(AccountKind::Card)
    }

    /// Whether two parts of a file name the same account. One of them may leave the branch out.
    pub(crate) fn is(&self, other: &Account) -> bool {
        let is_branch = self.branch == other.branch || self.branch.is_none() || other.branch.is_none();
        (&self.bank, &self.number, self.is_card()) == (&other.bank, &other.number, other.is_card()) && is_branch
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_card() { "card" } else { "account" })?;
        if let Some(number) = &self.number {
            write!(f, " {number}")?;
        }
        if let Some(bank) = &self.bank {
            write!(f, " of bank {bank}")?;
        }
        Ok(())
    }
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
    let Reading { rows, rejected, layout, due_date, accounts, .. } = reading;
    Ok(Statement { format, rows, rejected, layout, due_date, accounts })
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
    /// The statements of accounts so far.
    pub(crate) accounts: Vec<AccountStatement>,
    /// The balances beside the rows of a CSV file.
    pub(crate) balances: Vec<balances::Found>,
    /// What shows the columns of a CSV file.
    pub(crate) found_by: FoundBy,
}

/// What shows the columns of a CSV file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FoundBy {
    /// The headers.
    #[default]
    Headers,
    /// The headers of some columns, and the rows.
    SomeHeaders,
    /// The rows.
    Rows,
}

impl Reading {
    /// Adds a rejected line.
    pub(crate) fn reject(&mut self, line: usize, reason: Reason) {
        self.rejected.push(Rejected::new(line, reason));
    }
}

/// Adds a transaction or rejects it. This is the only function that applies the options to a row. Returns whether it was added.
///
/// `written_negative` is the sign that the file writes: a card export writes a purchase as a positive amount. `former` is what the
/// reader made of the row before the options were applied, until 2026-12; it is kept if it differs.
///
/// # Errors
///
/// [`Error::TooManyRows`].
pub(crate) fn accept(
    mut row: Row,
    former: Former,
    written_negative: bool,
    options: &Options,
    reading: &mut Reading,
) -> Result<bool, Error> {
    if row.cents == 0 {
        reading.rejected.push(Rejected::of_row(&row, Reason::ZeroAmount));
        return Ok(false);
    }
    if options.skip_negative && written_negative {
        reading.rejected.push(Rejected::of_row(&row, Reason::NegativeSkipped));
        return Ok(false);
    }
    let cents = |cents: i64| if options.all_expenses { -cents.abs() } else { cents };
    row.cents = cents(row.cents);
    let former = Former { cents: cents(former.cents), ..former };
    // Rows are compared by the description of the statement.
    let description = row.statement_description.as_ref().unwrap_or(&row.description);
    let differs = former.cents != row.cents || former.description != *description || former.date.is_some();
    row.former = differs.then(|| Box::new(former));
    if let Some(rows_max) = options.rows_max
        && reading.rows.len() >= rows_max
    {
        return Err(Error::TooManyRows { rows_max });
    }
    reading.rows.push(row);
    Ok(true)
}
