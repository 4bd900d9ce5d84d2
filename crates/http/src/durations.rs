//! Histograms of durations.

use prometheus_client::metrics::histogram::Histogram;

/// The upper bounds of the buckets in seconds, from a cached read to the longest wait.
const BOUNDS_SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// A histogram of durations, in seconds.
pub(crate) fn histogram() -> Histogram {
    Histogram::new(BOUNDS_SECONDS)
}
