//! When the last good backup of the private database was made.

use std::sync::{Mutex, PoisonError};

use time::OffsetDateTime;

/// When the last good backup was made, shared between the code that makes backups and the code that reports them.
#[derive(Debug, Default)]
pub struct LastBackup(Mutex<Option<OffsetDateTime>>);

impl LastBackup {
    /// When it was made, if there is one.
    pub fn at(&self) -> Option<OffsetDateTime> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets when a newer one was made.
    pub fn set(&self, at: OffsetDateTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
    }
}
