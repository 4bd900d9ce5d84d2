//! The input of the reader of lines.

use crate::date::Epoch;
use crate::watch::Watch;

/// The lines of a file, or of a sheet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'t> {
    /// The lines.
    pub(crate) text: &'t str,
    /// The character between two fields, if it is known. For a sheet it is known, and the options do not change it.
    pub(crate) separator: Option<u8>,
    /// The epoch of plain numbers in the column of dates. None if they are not dates.
    pub(crate) epoch: Option<Epoch>,
    /// Whether to go on.
    pub(crate) watch: &'t Watch<'t>,
}

impl<'t> Source<'t> {
    /// A file about which nothing is known yet.
    pub(crate) fn of_file(text: &'t str, watch: &'t Watch<'t>) -> Self {
        Source { text, separator: None, epoch: None, watch }
    }
}
