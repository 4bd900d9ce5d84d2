//! Spreadsheets of banks: XLSX, ODS and XLS. Each visible sheet becomes lines of text for the reader of CSV files, which
//! finds its columns.
//!
//! The reader does not trust sizes and counts that a file declares. They reserve no memory, and the decompressed bytes, the
//! nodes, the cells, the blank cells and lines, the texts and the sheets of an archive are counted while they are read, over all
//! sheets together: a part may be the sheet of many names, and a text that of many cells. What is read more often than once is
//! prepared once.

mod archive;
mod cfb;
mod formats;
mod ods;
mod strings;
mod table;
mod xls;
mod xlsx;
mod xml;

use std::collections::BTreeMap;
use std::sync::Arc;

use archive::Archive;
use table::{SEPARATOR, Table};

use crate::csv::{self, Source};
use crate::watch::Watch;
use crate::{AccountStatement, Error, FoundBy, Options, Reading};

/// The containers of spreadsheets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// XLSX and ODS: a ZIP archive.
    Zip,
    /// XLS: a Compound File.
    Compound,
}

impl Container {
    /// The container, by the first bytes of a file. None if the file is not a container.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"PK\x03\x04") {
            Some(Container::Zip)
        } else if bytes.starts_with(&cfb::MAGIC) {
            Some(Container::Compound)
        } else {
            None
        }
    }
}

/// Reads the transactions of all visible sheets that list some.
///
/// # Errors
///
/// [`Error::Unsupported`] if the container has other content, [`Error::Unreadable`] if it is damaged, has a password or lists
/// no transactions, [`Error::TooLarge`], [`Error::Stopped`], or an error of the reader of CSV files.
pub(crate) fn read(bytes: &[u8], container: Container, options: &Options, watch: &Watch<'_>) -> Result<Reading, Error> {
    let mut found = Found::default();
    let mut table = Table::new(options);
    let take = &mut |name: &str, table: &mut Table<'_>| found.take(name, table, options, watch);
    match container {
        Container::Zip => {
            let mut archive = Archive::open(bytes, watch)?;
            if archive.has(ods::CONTENT) {
                ods::read(&mut archive, &mut table, take)?;
            } else {
                xlsx::read(&mut archive, &mut table, take)?;
            }
        }
        Container::Compound => xls::read(bytes, watch, &mut table, take)?,
    }
    found.finish()
}

/// The rows of all sheets.
#[derive(Debug, Default)]
struct Found {
    /// The rows of sheets with headers.
    listed: Option<Reading>,
    /// The rows of sheets of whose headers some are known. They count only if no sheet has whole headers: a summary may look like a
    /// list.
    partial: Option<Reading>,
    /// The rows of sheets without headers. They count only if no sheet has headers.
    guessed: Option<Reading>,
    /// Why the first sheet without a list could not be read.
    refused: Option<Error>,
}

impl Found {
    fn take(&mut self, name: &str, table: &mut Table<'_>, options: &Options, watch: &Watch<'_>) -> Result<(), Error> {
        if table.is_empty() {
            return Ok(());
        }
        let text = table.render()?;
        let taken =
            [&self.listed, &self.partial, &self.guessed].into_iter().flatten().map(|reading| reading.rows.len()).max();
        let left = options.rows_max.map(|rows_max| rows_max.saturating_sub(taken.unwrap_or(0)));
        let source = Source { text: &text, separator: Some(SEPARATOR), epoch: Some(table.epoch), watch };
        let reading = match csv::read(&source, &Options { rows_max: left, ..options.clone() }) {
            Ok(reading) => reading,
            Err(Error::TooManyRows { .. }) => return Err(too_many_rows(options)),
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(error) => {
                self.refused.get_or_insert(error);
                return Ok(());
            }
        };
        let readings = match reading.found_by {
            FoundBy::Headers => &mut self.listed,
            FoundBy::SomeHeaders => &mut self.partial,
            FoundBy::Rows => &mut self.guessed,
        };
        let all = readings.get_or_insert_default();
        let name: Arc<str> = name.into();
        all.rows.extend(reading.rows);
        all.rejected.extend(reading.rejected.into_iter().map(|mut rejected| {
            rejected.sheet = Some(Arc::clone(&name));
            rejected
        }));
        all.layout = all.layout.take().or(reading.layout);
        all.due_date = all.due_date.or(reading.due_date);
        merge(&mut all.accounts, reading.accounts);
        if options.rows_max.is_some_and(|rows_max| all.rejected.len() > rows_max) {
            return Err(too_many_rows(options));
        }
        Ok(())
    }

    fn finish(self) -> Result<Reading, Error> {
        let refused = self.refused.unwrap_or_else(|| {
            Error::Unreadable("A planilha está vazia; exporte o extrato de novo e envie o arquivo baixado.".into())
        });
        self.listed.or(self.partial).or(self.guessed).ok_or(refused)
    }
}

/// All sheets are one statement: the account of the first that names one, and the balances of all.
fn merge(all: &mut Vec<AccountStatement>, more: Vec<AccountStatement>) {
    for one in more {
        let Some(known) = all.first_mut() else {
            all.push(one);
            continue;
        };
        known.account.number = known.account.number.take().or(one.account.number);
        known.account.kind = known.account.kind.or(one.account.kind);
        let days: BTreeMap<_, _> = known.balances.drain(..).chain(one.balances).collect();
        known.balances.extend(days);
    }
}

fn too_many_rows(options: &Options) -> Error {
    Error::TooManyRows { rows_max: options.rows_max.unwrap_or(usize::MAX) }
}
