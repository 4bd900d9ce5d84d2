//! The listener of the metrics, and the metrics of the rate provider, the backups and the process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use finance_adapters_bcb::{CachedRates, RateFigures};
use finance_adapters_delivery::{Channels, OUTCOMES};
use finance_adapters_postgres::{PgStore, ReplicaFigures};
use finance_domain::notices::Channel;
use finance_domain::yields::RateSource;
use finance_http::{MetricsListener, Observed, Service};

use crate::backups::Keeper;
use crate::configuration::Configuration;

/// Serves the metrics, if an address is configured.
pub(crate) fn start<S: RateSource + 'static>(
    configuration: &Configuration,
    service: &Service,
    rates: Arc<CachedRates<S>>,
    store: &Arc<PgStore>,
    backups: Option<&Keeper>,
    channels: &Arc<Channels>,
) -> Result<Option<MetricsListener>> {
    let Some(bind) = configuration.metrics_bind else { return Ok(None) };
    let metrics = service.metrics();
    let observe_rates = |name, help, kind, read: fn(RateFigures) -> f64| {
        let rates = Arc::clone(&rates);
        metrics.observe(name, help, kind, move || read(rates.figures()));
    };
    observe_rates("finance_rate_provider_calls", "Calls of the rate provider", Observed::Counter, |rates| {
        count(rates.calls)
    });
    observe_rates("finance_rate_provider_failures", "Calls that failed", Observed::Counter, |rates| {
        count(rates.failures)
    });
    observe_rates(
        "finance_rate_provider_blocked",
        "1 while it is not asked after a failure",
        Observed::Gauge,
        |rates| f64::from(u8::from(rates.is_blocked)),
    );
    if store.replica_figures().is_some() {
        let observe_reads = |name, help, read: fn(ReplicaFigures) -> u64| {
            let store = Arc::clone(store);
            let figure = move || store.replica_figures().map_or(0.0, |figures| count(read(figures)));
            metrics.observe(name, help, Observed::Counter, figure);
        };
        observe_reads("finance_replica_reads", "Reads that the replica answered", |figures| figures.answered);
        observe_reads("finance_replica_behind", "Reads that it was behind for; the primary answered", |figures| {
            figures.behind
        });
        observe_reads("finance_replica_away", "Reads that it could not be used for; the primary answered", |figures| {
            figures.away
        });
    }
    if let Some(keeper) = backups {
        let (last_good, failures) = (Arc::clone(keeper.last_good()), Arc::clone(keeper.failures()));
        let at = move || last_good.at().map_or(0.0, |at| at.unix_timestamp() as f64);
        let help = "When the last good backup was made; 0 where there is none";
        metrics.observe("finance_backup_last_good_timestamp_seconds", help, Observed::Gauge, at);
        let failed = move || count(failures.load(Ordering::Relaxed));
        metrics.observe("finance_backup_failures", "Backups that failed", Observed::Counter, failed);
    }
    let ends: Vec<(Channel, usize)> = [Channel::Push, Channel::Email]
        .into_iter()
        .flat_map(|channel| (0..OUTCOMES.len()).map(move |at| (channel, at)))
        .collect();
    let labels = ends.iter().map(|(channel, at)| [("channel", channel.as_str()), ("outcome", OUTCOMES[*at])]).collect();
    let channels = Arc::clone(channels);
    let help = "Attempts to send a notice, by channel and by how they ended";
    metrics.observe_each("finance_notice_attempts", help, labels, move |at| {
        ends.get(at).map_or(0.0, |(channel, outcome)| count(channels.attempts().of(*channel, *outcome)))
    });
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    metrics.observe("process_start_time_seconds", "When the process started", Observed::Gauge, move || started);
    metrics.observe("process_resident_memory_bytes", "Memory in use", Observed::Gauge, resident_bytes);
    MetricsListener::start(metrics, bind).map(Some).with_context(|| format!("FINANCE_METRICS_BIND {bind}"))
}

/// A count as a float, exact below 2⁵³.
fn count(number: u64) -> f64 {
    number as f64
}

/// The resident memory of the process, from Linux's `/proc`; 0 on other systems.
fn resident_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    count(kilobytes.unwrap_or(0).saturating_mul(1024))
}
