//! The deadline of work that a request waits for, for work that asks for it.

use std::time::{Duration, Instant};

use finance_domain::Cancellation;

/// When work ends: at a time, or when the request that waits for it is dropped because its client hung up.
pub(crate) struct Deadline {
    until: Instant,
    cancellation: Cancellation,
}

impl Deadline {
    /// A deadline from now on, and what the request keeps as long as it waits.
    pub(crate) fn after(time_max: Duration) -> (Self, CancelledOnDrop) {
        let cancellation = Cancellation::default();
        let waiting = CancelledOnDrop(cancellation.clone());
        (Deadline { until: Instant::now() + time_max, cancellation }, waiting)
    }

    /// Whether somebody waits for the work, and its time is not up.
    pub(crate) fn lasts(&self) -> bool {
        !self.cancellation.is_cancelled() && Instant::now() < self.until
    }
}

/// Cancels a transaction, or work with a deadline, when it is dropped. A transaction that has ended is not affected.
pub(crate) struct CancelledOnDrop(pub(crate) Cancellation);

impl Drop for CancelledOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use finance_statements::{Error, Options, read_while};

    use super::*;

    /// The reading of a statement of a few megabytes.
    fn read(deadline: &Deadline) -> Result<usize, Error> {
        let file = format!("Data;Loja;Valor\n{}", "31/01/2026;PADARIA;-12,34\n".repeat(100_000));
        read_while(file.as_bytes(), &Options::default(), &|| deadline.lasts()).map(|statement| statement.rows.len())
    }

    #[test]
    fn a_statement_is_read_until_the_deadline_or_until_its_client_is_gone() {
        let (deadline, waiting) = Deadline::after(Duration::from_secs(3_600));
        assert_eq!(read(&deadline), Ok(100_000));
        drop(waiting);
        assert_eq!(read(&deadline), Err(Error::Stopped));
        let (deadline, _waiting) = Deadline::after(Duration::ZERO);
        assert_eq!(read(&deadline), Err(Error::Stopped));
    }
}
