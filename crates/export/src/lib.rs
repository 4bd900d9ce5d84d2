//! The export of everything that a profile owns as one document, and its restore into an empty profile.
//!
//! Export and restore both use one list of tables and columns, [`TABLES`]. A test compares it with the schema of the
//! database, so that no table or column is forgotten. The crate knows neither JSON nor SQL: the callers serve the document
//! and store its rows.

mod restore;
mod rules;

use finance_domain::export::{Row, Table};
use finance_domain::{Repo, Result};

pub use finance_domain::tables::{ADDED_TABLES, TABLES, table};
pub use restore::{Document, ROWS_MAX, SoundDocument, restore};

/// The version of the document. It is incremented by a change that an older release could not read.
pub const DOCUMENT_VERSION: u32 = 1;
/// The rows of one page. Memory does not grow with the profile.
pub const PAGE_ROWS: u32 = 1_000;

/// Receives an export while it is read.
pub trait ExportSink {
    /// Begins a table. The rows of the table before it are complete.
    ///
    /// # Errors
    ///
    /// If the receiver is gone.
    fn table(&mut self, table: &'static Table) -> Result<()>;

    /// Receives some rows of the table.
    ///
    /// # Errors
    ///
    /// If the receiver is gone.
    fn rows(&mut self, rows: &[Row]) -> Result<()>;
}

/// Writes everything that the profile owns to the sink, a page at a time. Returns the number of rows.
///
/// # Errors
///
/// The errors of [`Store::transact`](finance_domain::Store::transact), and those of the sink.
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
