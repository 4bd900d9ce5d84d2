//! How slowly a client may read an answer.

use std::time::{Duration, Instant};

/// Bytes a second that a client must read once its grace period is over: less than the slowest mobile network carries.
const BYTES_PER_SECOND_MIN: u64 = 8 * 1024;

/// The time by which a client that reads at the lowest permitted rate has read what was sent so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadDeadline(Instant);

impl ReadDeadline {
    /// The deadline when nothing is sent yet.
    pub(crate) fn after(grace: Duration) -> Self {
        ReadDeadline(Instant::now() + grace)
    }

    /// Extends it by the time for reading bytes that are sent now.
    pub(crate) fn extend(&mut self, bytes: usize) {
        self.0 += Duration::from_millis(bytes as u64 * 1_000 / BYTES_PER_SECOND_MIN);
    }

    /// The time left; zero once it is over.
    pub(crate) fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether the time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.remaining().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_sent_allows_its_time_at_the_lowest_rate() {
        let before = ReadDeadline::after(Duration::ZERO);
        assert!(before.is_over());
        let mut deadline = before;
        deadline.extend(3_600 * BYTES_PER_SECOND_MIN as usize);
        assert_eq!(deadline.0 - before.0, Duration::from_secs(3_600));
        assert!(!deadline.is_over() && deadline.remaining() <= Duration::from_secs(3_600));
    }
}
