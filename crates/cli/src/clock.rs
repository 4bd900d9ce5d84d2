//! The clock of a running service.

use finance_domain::Clock;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::configuration::Configuration;

/// The system's clock. The day is the current day in the configured UTC offset, or a fixed day.
pub(crate) struct SystemClock {
    offset: UtcOffset,
    frozen_today: Option<Date>,
}

impl SystemClock {
    /// The clock for the configuration.
    pub(crate) fn new(configuration: &Configuration) -> Self {
        SystemClock { offset: configuration.utc_offset, frozen_today: configuration.today }
    }
}

impl Clock for SystemClock {
    fn today(&self) -> Date {
        self.frozen_today.unwrap_or_else(|| OffsetDateTime::now_utc().to_offset(self.offset).date())
    }

    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }
}
