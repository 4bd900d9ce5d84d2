//! The published CDI rates of all years, for tests.

use std::path::Path;

use time::macros::date;

use super::rates::PublishedRates;
use super::series::SERIES_START;
use crate::month::parse_date;

#[path = "../../../../tests/support/skipped.rs"]
#[allow(dead_code, unreachable_pub, reason = "what needs the corpus is skipped in CI, too")]
mod skipped;

/// The published series until 2025. None, with a notice, if the corpus is not beside the repository.
pub(super) fn published_series() -> Option<PublishedRates> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.exists() {
        skipped::notice("../shared/corpus is not here; the published series is not tested");
        return None;
    }
    let text = std::fs::read_to_string(corpus.join("bcb/series12.csv")).unwrap();
    let mut rates = PublishedRates::new(SERIES_START, date!(2025 - 12 - 31));
    for line in text.lines().skip(1) {
        let (date, rate) = line.split_once(',').unwrap();
        rates.publish(parse_date(date).unwrap(), rate.parse().unwrap());
    }
    assert!(rates.len() > 7_800, "{} rates", rates.len());
    Some(rates)
}
