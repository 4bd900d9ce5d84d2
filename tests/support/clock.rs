//! A clock that tests set.

use std::sync::{Arc, Mutex};

use finance_domain::Clock;
use time::macros::date;
use time::{Date, Duration, OffsetDateTime};

use crate::node::Node;

/// A clock. A test sets its day. Its instants are the instants of the system with an offset.
pub struct FakeClock {
    today: Mutex<Date>,
    ahead: Mutex<Duration>,
    nodes: Vec<Arc<Node>>,
}

impl FakeClock {
    pub(crate) fn new() -> Self {
        FakeClock::followed_by(Vec::new())
    }

    /// A clock that the clocks of the nodes follow.
    pub(crate) fn followed_by(nodes: Vec<Arc<Node>>) -> Self {
        FakeClock { today: Mutex::new(date!(2026 - 03 - 15)), ahead: Mutex::new(Duration::ZERO), nodes }
    }

    /// A clock with the given day.
    pub fn at(today: Date) -> Self {
        let clock = FakeClock::new();
        clock.set_today(today);
        clock
    }

    /// Sets the day.
    pub fn set_today(&self, today: Date) {
        *self.today.lock().unwrap() = today;
        for node in &self.nodes {
            node.tell(&format!("today {}", today.to_julian_day()));
        }
    }

    /// Moves the instant forward. The day stays the same.
    pub fn advance(&self, by: Duration) {
        *self.ahead.lock().unwrap() += by;
        for node in &self.nodes {
            node.tell(&format!("advance {}", by.as_seconds_f64()));
        }
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
