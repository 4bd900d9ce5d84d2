//! The texts that cells refer to by number.

use super::table::cut;
use crate::Error;

/// The most texts of a workbook.
const STRINGS_MAX: usize = 500_000;
/// The most bytes of all texts together.
const STRINGS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The shared texts of a workbook, in one string.
#[derive(Debug, Default)]
pub(super) struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a text, trimmed and cut to the length of a cell: many cells may refer to it.
    pub(super) fn push(&mut self, text: &str) -> Result<(), Error> {
        let text = cut(text.trim());
        if self.ends.len() == STRINGS_MAX || self.text.len() + text.len() > STRINGS_BYTES_MAX {
            return Err(Error::TooLarge(format!(
                "A planilha tem mais de {STRINGS_MAX} textos, ou textos de mais de {} MB",
                STRINGS_BYTES_MAX / 1024 / 1024
            )));
        }
        self.text.push_str(text);
        self.ends.push(self.text.len());
        Ok(())
    }

    /// The text with this number, from 0.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end)
    }
}
