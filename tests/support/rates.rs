//! A rate provider that tests control.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use finance_domain::yields::{PublishedRates, RateSource};
use finance_domain::{Error, Result};
use time::{Date, Weekday};

use crate::node::Node;

/// A provider with the rates that a test has published. It fails until there are any.
#[derive(Default)]
pub struct FakeRates {
    published: Mutex<BTreeMap<Date, String>>,
    asked: AtomicUsize,
    nodes: Vec<Arc<Node>>,
}

impl FakeRates {
    /// Rates that the nodes' rates follow.
    pub(crate) fn followed_by(nodes: Vec<Arc<Node>>) -> Self {
        FakeRates { nodes, ..FakeRates::default() }
    }

    /// Publishes a rate, in percent per day, for one day.
    pub fn publish(&self, day: Date, percent: &str) {
        self.published.lock().unwrap().insert(day, percent.to_string());
        for node in &self.nodes {
            node.tell(&format!("publish {} {percent}", day.to_julian_day()));
        }
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

    /// The number of requests.
    pub fn asked(&self) -> usize {
        let elsewhere = self.nodes.iter().map(|node| node.tell("asked").parse::<usize>().expect("a count"));
        self.asked.load(Ordering::SeqCst) + elsewhere.sum::<usize>()
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
