//! Whether the database lacks disk space: the last write failed for lack of it, a moment ago.
//!
//! A check of its own would not notice: a write that is rolled back reaches no disk, and one that is committed would fill it. So
//! the store remembers what requests found. It forgets it after some seconds, because no request may come that finds it otherwise
//! while this node is not ready.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use finance_domain::{Access, Error, Result};

use crate::constraints::OutOfResources;

/// How long a node is not ready after a write that failed for lack of disk space.
const REMEMBERED: Duration = Duration::from_secs(10);

/// When a write last failed for lack of disk space. None after a later write that was committed.
#[derive(Debug, Default)]
pub(crate) struct Shortage(Mutex<Option<Instant>>);

impl Shortage {
    /// Takes note of the result of a transaction.
    pub(crate) fn note<T>(&self, access: Access, worked: &Result<T>) {
        match worked {
            Ok(_) if matches!(access, Access::Write) => self.set(None),
            Err(Error::Unavailable(cause)) if is_of_disk(cause.as_ref()) => self.set(Some(Instant::now())),
            _ => {}
        }
    }

    /// Fails if the last write failed for lack of disk space, a moment ago.
    pub(crate) fn check(&self) -> Result<()> {
        let since = *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match since.is_some_and(|since| since.elapsed() < REMEMBERED) {
            true => Err(Error::Unavailable("the disk of the database is full: the last write failed".into())),
            false => Ok(()),
        }
    }

    fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = since;
    }
}

fn is_of_disk(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<OutOfResources>().is_some_and(OutOfResources::is_of_disk)
}
