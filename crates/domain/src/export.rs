//! Everything a profile owns as one document, and such a document back into an empty profile.
//!
//! Both directions go by one list, [`TABLES`]: what it names leaves with an export and comes back with a
//! restore, and a test over the database's schema keeps a table or column from being forgotten in it.

mod restore;
mod rules;
mod tables;

pub use restore::{Document, ROWS_MAX, RestoreRepo, SoundDocument, restore};
pub use tables::{Column, Derived, Key, Kind, TABLES, Table};

use crate::error::Result;
use crate::store::Repo;

/// Version of the document. A change that an older release could not read counts it up.
pub const DOCUMENT_VERSION: u32 = 1;
/// Rows that are read at once; so many, and not a profile's, are held in memory.
pub const PAGE_ROWS: u32 = 1_000;

/// A row: one value a column of its [`Table`], in their order, as text in the one form of its [`Kind`].
pub type Row = Vec<Option<String>>;

/// Where an export reads from.
pub trait ExportRepo {
    /// The rows of a table after the one given, in the order of its key; less than `limit` where there
    /// are no more.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`](crate::Store::transact).
    fn export_page(&mut self, table: &'static Table, after: Option<&Row>, limit: u32) -> Result<Vec<Row>>;
}

/// Takes an export as it is read.
pub trait ExportSink {
    /// Begins with the rows of a table; those of the one before are complete.
    ///
    /// # Errors
    ///
    /// Where whoever takes the export is gone.
    fn table(&mut self, table: &'static Table) -> Result<()>;

    /// Takes some rows of the table.
    ///
    /// # Errors
    ///
    /// Where whoever takes the export is gone.
    fn rows(&mut self, rows: &[Row]) -> Result<()>;
}

/// Hands everything the profile owns to the sink, a page at a time; tells how many rows that were.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact), and what the sink returns.
pub fn write(repo: &mut dyn Repo, sink: &mut dyn ExportSink) -> Result<u64> {
    let mut count = 0;
    for table in TABLES {
        sink.table(table)?;
        let mut last: Option<Row> = None;
        loop {
            let mut rows = repo.export_page(table, last.as_ref(), PAGE_ROWS)?;
            sink.rows(&rows)?;
            count += rows.len() as u64;
            if rows.len() < PAGE_ROWS as usize {
                break;
            }
            last = rows.pop();
        }
    }
    Ok(count)
}
