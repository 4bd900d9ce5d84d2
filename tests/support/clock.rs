//! A clock that stands where a test puts it.

use std::sync::Mutex;

use finance_domain::Clock;
use time::macros::date;
use time::{Date, Duration, OffsetDateTime};

/// A clock whose day a test sets; its instants are the system's, moved as far as the test says.
pub struct FakeClock {
    today: Mutex<Date>,
    ahead: Mutex<Duration>,
}

impl FakeClock {
    pub(crate) fn new() -> Self {
        FakeClock { today: Mutex::new(date!(2026 - 03 - 15)), ahead: Mutex::new(Duration::ZERO) }
    }

    /// A clock on that day.
    pub fn at(today: Date) -> Self {
        let clock = FakeClock::new();
        clock.set_today(today);
        clock
    }

    /// Makes it that day.
    pub fn set_today(&self, today: Date) {
        *self.today.lock().unwrap() = today;
    }

    /// Makes it that much later; the day stays.
    pub fn advance(&self, by: Duration) {
        *self.ahead.lock().unwrap() += by;
    }
}

impl Clock for FakeClock {
    fn today(&self) -> Date {
        *self.today.lock().unwrap()
    }

    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc() + *self.ahead.lock().unwrap()
    }
}
