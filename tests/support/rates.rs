//! Rates that a test sets.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use finance_domain::yields::{PublishedRates, RateSource};
use finance_domain::{Error, Result};
use time::{Date, Weekday};

/// A provider that knows the rates a test has published; away until it has published any.
#[derive(Default)]
pub struct FakeRates {
    published: Mutex<BTreeMap<Date, String>>,
    asked: AtomicUsize,
}

impl FakeRates {
    /// Publishes a rate, in percent per day, for one day.
    pub fn publish(&self, day: Date, percent: &str) {
        self.published.lock().unwrap().insert(day, percent.to_string());
    }

    /// Publishes one rate for every weekday from one date to another.
    pub fn publish_weekdays(&self, first: Date, last: Date, percent: &str) {
        let mut day = first;
        while day <= last {
            if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
                self.publish(day, percent);
            }
            day = day.next_day().unwrap();
        }
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl RateSource for FakeRates {
    fn published(&self, first: Date, last: Date) -> Result<PublishedRates> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let known = self.published.lock().unwrap();
        if known.is_empty() {
            return Err(Error::Unavailable("no rates were published".into()));
        }
        let mut rates = PublishedRates::new(first, last);
        for (day, percent) in known.range(first..=last) {
            rates.publish(*day, percent.parse().expect("a rate"));
        }
        Ok(rates)
    }
}
