//! Use cases of imports: a preview that saves nothing (`preview.rs`), a confirm that saves all or nothing (`confirm.rs`), and
//! the log.

mod confirm;
mod decision;
mod groups;
mod preview;
mod rows;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::ImportId;
use crate::imports::Import;
use crate::store::Repo;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::transfer_links;

pub(crate) use confirm::insert;
pub use confirm::{Confirmed, Imported, LinkedRow, SkippedRow, confirm};
pub(crate) use preview::suggestion;
pub use preview::{Preview, PreviewInput, PreviewRow, preview};

/// The caller's import log, newest first.
pub fn list(repo: &mut dyn Repo, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>> {
    repo.import_list(after, limit)
}

/// Undoes an import: deletes its transactions, even edited ones, and the legs that this service created for them. What another
/// import in the log also brought stays. If the other side of a transfer came from elsewhere, it is treated as if it had never
/// been linked. What was entered here and found in the statement is again what it was before. Returns the number of deleted
/// transactions.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such import.
pub fn undo(repo: &mut dyn Repo, context: &Context, id: ImportId) -> Result<u64> {
    let mut written = Written::default();
    ledger::release_taken(repo, &mut written, id)?;
    let removed = ledger::remove_import(repo, &mut written, id)?.ok_or(Error::NotFound("import"))?;
    transfer_links::after_removal(repo, context, written, &removed)?;
    Ok(removed.count)
}
