//! A rate provider that tests control.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use finance_domain::yields::{PublishedRates, RateSource, Series};
use finance_domain::{Error, Result};
use time::{Date, Weekday};

use crate::node::Node;

/// A provider with the rates that a test has published. It fails for a series without published rates.
#[derive(Default)]
pub struct FakeRates {
    published: Mutex<BTreeMap<(Series, Date), String>>,
    requests: AtomicUsize,
    nodes: Vec<Arc<Node>>,
}

impl FakeRates {
    /// Rates that the rates of the nodes follow.
    pub(crate) fn followed_by(nodes: Vec<Arc<Node>>) -> Self {
        FakeRates { nodes, ..FakeRates::default() }
    }

    /// Publishes a CDI rate, in percent per day, for one day.
    pub fn publish(&self, day: Date, percent: &str) {
        self.publish_of(Series::Cdi, day, percent);
    }

    /// Publishes a rate of a series.
    pub fn publish_of(&self, series: Series, day: Date, percent: &str) {
        self.published.lock().unwrap().insert((series, day), percent.to_string());
        for node in &self.nodes {
            node.tell(&format!("publish {} {} {percent}", series.code(), day.to_julian_day()));
        }
    }

    /// Publishes one CDI rate for every weekday from one date to another.
    pub fn publish_weekdays(&self, first: Date, last: Date, percent: &str) {
        self.publish_weekdays_of(Series::Cdi, first, last, percent);
    }

    /// Publishes one rate of a series for every weekday from one date to another.
    pub fn publish_weekdays_of(&self, series: Series, first: Date, last: Date, percent: &str) {
        let mut day = first;
        while day <= last {
            if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
                self.publish_of(series, day, percent);
            }
            day = day.next_day().unwrap();
        }
    }

    /// The number of requests.
    pub fn requests(&self) -> usize {
        let elsewhere = self.nodes.iter().map(|node| node.tell("asked").parse::<usize>().expect("a count"));
        self.requests.load(Ordering::SeqCst) + elsewhere.sum::<usize>()
    }
}

impl RateSource for FakeRates {
    fn published(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let known = self.published.lock().unwrap();
        if !known.keys().any(|(of, _)| *of == series) {
            return Err(Error::Unavailable("no rates were published".into()));
        }
        let mut rates = PublishedRates::new(first, last);
        for ((_, day), percent) in known.range((series, first)..=(series, last)) {
            rates.publish(*day, series.rate(percent).expect("a rate"));
        }
        Ok(rates)
    }
}
