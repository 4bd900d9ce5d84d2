//! The metrics of a service.

use finance_tests::Client;

/// All metrics, from the client of [`Program::metrics`](finance_tests::Program::metrics).
pub(crate) fn scrape(metrics: &Client) -> String {
    let reply = metrics.get("/metrics");
    assert!(reply.header("Content-Type").unwrap().starts_with("application/openmetrics-text"), "{reply:?}");
    assert_eq!(reply.status, 200);
    String::from_utf8(reply.bytes).unwrap()
}

/// The value of a metric with these labels.
#[track_caller]
pub(crate) fn metric(text: &str, name_and_labels: &str) -> f64 {
    let found = text.lines().find_map(|line| line.strip_prefix(name_and_labels)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("{name_and_labels} in {text}")).parse().unwrap()
}
