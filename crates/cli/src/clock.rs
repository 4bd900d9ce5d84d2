//! The clock of a running service.

use finance_domain::Clock;
use time::{Date, OffsetDateTime, UtcOffset};

/// The system's clock, its calendar day seen from the users' offset, or frozen.
pub(crate) struct SystemClock {
    pub(crate) offset: UtcOffset,
    pub(crate) frozen_today: Option<Date>,
}

impl Clock for SystemClock {
    fn today(&self) -> Date {
        self.frozen_today.unwrap_or_else(|| OffsetDateTime::now_utc().to_offset(self.offset).date())
    }

    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}
