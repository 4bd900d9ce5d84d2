//! What the reader of lines reads.

use crate::date::Epoch;

/// The lines of a file, or of a sheet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'t> {
    /// The lines.
    pub(crate) text: &'t str,
    /// The character between two fields, if it is known. It is that of a sheet, whatever the options say.
    pub(crate) separator: Option<u8>,
    /// What plain numbers in the column of dates count from. None where they are no dates.
    pub(crate) epoch: Option<Epoch>,
}

impl<'t> Source<'t> {
    /// A file of which nothing is known.
    pub(crate) fn of_file(text: &'t str) -> Self {
        Source { text, separator: None, epoch: None }
    }
}
