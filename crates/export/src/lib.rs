//! Everything a profile owns as one document, and such a document back into an empty profile.
//!
//! Both directions go by one list, [`TABLES`]: what it names leaves with an export and comes back with a
//! restore, and a test over the database's schema keeps a table or column from being forgotten in it.
//! Whoever serves the document and whoever stores its rows both see this crate; it knows neither JSON nor SQL.

mod restore;
mod rules;
mod tables;

use finance_domain::export::{Row, Table};
use finance_domain::{Repo, Result};

pub use restore::{Document, ROWS_MAX, SoundDocument, restore};
pub use tables::{TABLES, table};

/// Version of the document. A change that an older release could not read counts it up.
pub const DOCUMENT_VERSION: u32 = 1;
/// Rows that are read at once; so many, and not a profile's, are held in memory.
pub const PAGE_ROWS: u32 = 1_000;

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
/// As [`Store::transact`](finance_domain::Store::transact), and what the sink returns.
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
