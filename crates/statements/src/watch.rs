//! The caller's deadline, which readers ask for while they work.

use std::cell::Cell;
use std::fmt;

use crate::Error;

/// The work between two questions: bytes of text, or other work that takes as long. It takes a few milliseconds.
const WORK_BETWEEN: usize = 256 * 1024;

/// Asks the caller from time to time whether to go on.
pub(crate) struct Watch<'w> {
    go_on: &'w dyn Fn() -> bool,
    /// The work since the last question.
    work: Cell<usize>,
    is_stopped: Cell<bool>,
}

impl<'w> Watch<'w> {
    pub(crate) fn new(go_on: &'w dyn Fn() -> bool) -> Self {
        Watch { go_on, work: Cell::new(0), is_stopped: Cell::new(false) }
    }

    /// Counts work, and asks if it is time to.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] if the caller does not want the result any more.
    pub(crate) fn work(&self, amount: usize) -> Result<(), Error> {
        let work = self.work.get().saturating_add(amount);
        self.work.set(work);
        if work >= WORK_BETWEEN {
            self.work.set(0);
            self.is_stopped.set(self.is_stopped.get() || !(self.go_on)());
        }
        self.check()
    }

    /// Whether the caller has stopped the reader.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_stopped.get() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("work", &self.work).field("is_stopped", &self.is_stopped).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_asks_after_some_work_and_stays_stopped() {
        let calls = Cell::new(0);
        let go_on = || calls.replace(calls.get() + 1) != 1;
        let watch = Watch::new(&go_on);
        for _ in 1..WORK_BETWEEN {
            watch.work(1).unwrap();
        }
        assert_eq!(calls.get(), 0);
        watch.work(1).unwrap();
        assert_eq!(calls.get(), 1);
        assert_eq!(watch.work(usize::MAX), Err(Error::Stopped));
        assert_eq!((watch.work(usize::MAX), watch.check(), calls.get()), (Err(Error::Stopped), Err(Error::Stopped), 2));
    }
}
