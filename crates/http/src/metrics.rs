//! Metrics for Prometheus, on a separate listener. Labels are route templates and constants, never ids, so their number does
//! not grow with users or rows.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{self, Data};
use actix_web::{App, HttpResponse, HttpServer};
use finance_domain::use_cases::imports::Imported;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::blocking::BlockingPool;
use crate::durations;

/// The media type of [`Metrics::text`].
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The route whose answers are counted as logins.
const LOGIN_ROUTE: &str = "/api/auth/login";
/// The label of requests without a route.
const NO_ROUTE: &str = "none";
/// The time limit of a scraper's request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The metrics: what is counted, and values that are read at each scrape.
pub struct Metrics {
    registry: Mutex<Registry>,
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    logins: Family<OutcomeLabel, Counter>,
    imports: Family<OutcomeLabel, Counter>,
    import_rows: Family<OutcomeLabel, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

/// The counts of a confirmed statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportCounts {
    /// It is pending until its payment date.
    Held,
    /// The numbers of inserted and skipped rows.
    Imported { inserted: u64, duplicates: u64 },
}

impl ImportCounts {
    pub(crate) fn of(imported: &Imported) -> Self {
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        ImportCounts::Imported {
            inserted: count(imported.transactions.len()),
            duplicates: count(imported.skipped.len()),
        }
    }
}

/// The counts of an import, which are noted inside its transaction and counted after the commit.
#[derive(Clone, Default)]
pub(crate) struct ImportNote(Arc<OnceLock<ImportCounts>>);

impl ImportNote {
    /// Notes the counts.
    pub(crate) fn note(&self, counts: ImportCounts) {
        self.0.get_or_init(|| counts);
    }

    /// Adds the noted counts, if there are any: a replayed answer has none.
    pub(crate) fn count(&self, metrics: &Metrics) {
        if let Some(counts) = self.0.get() {
            metrics.import(counts);
        }
    }
}

/// The type of a metric of [`Metrics::observe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
}

impl Metrics {
    pub(crate) fn new(pools: Vec<Arc<BlockingPool>>) -> Self {
        let mut registry = Registry::default();
        let requests: Family<_, _, fn() -> Histogram> = Family::new_with_constructor(durations::histogram);
        registry.register(
            "finance_http_request_duration_seconds",
            "Time from a request's head to its answer",
            requests.clone(),
        );
        let logins = Family::default();
        registry.register("finance_logins", "Logins by how they ended", logins.clone());
        let imports = Family::default();
        registry.register("finance_imports", "Statements confirmed, and whether they were held", imports.clone());
        let import_rows = Family::default();
        registry.register("finance_import_rows", "Rows of confirmed statements", import_rows.clone());
        registry.register_collector(Box::new(Pools(pools)));
        Metrics { registry: Mutex::new(registry), requests, logins, imports, import_rows }
    }

    /// Adds a metric whose value is read at each scrape. The name of a counter is given without `_total`.
    pub fn observe(
        &self,
        name: &'static str,
        help: &'static str,
        kind: Observed,
        read: impl Fn() -> f64 + Send + Sync + 'static,
    ) {
        self.registry().register_collector(Box::new(Reading { name, help, kind, read }));
    }

    /// Adds a counter with labels, whose values are read at each scrape: `read` gets the place of its labels in the list. The name is
    /// given without `_total`.
    pub fn observe_each<const N: usize>(
        &self,
        name: &'static str,
        help: &'static str,
        labels: Vec<[(&'static str, &'static str); N]>,
        read: impl Fn(usize) -> f64 + Send + Sync + 'static,
    ) {
        self.registry().register_collector(Box::new(Readings { name, help, labels, read }));
    }

    /// All metrics as OpenMetrics text.
    ///
    /// # Errors
    ///
    /// A metric cannot be written.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry())?;
        Ok(text)
    }

    /// Counts an answered request. The route is its template, none if no route matched.
    pub(crate) fn request(&self, method: &str, route: Option<&str>, status: u16, taken: Duration) {
        let method = known_method(method);
        let route = route.unwrap_or(NO_ROUTE);
        if route == LOGIN_ROUTE && method == "POST" {
            let outcome = match status {
                200 => Some("succeeded"),
                401 => Some("failed"),
                429 => Some("limited"),
                _ => None,
            };
            if let Some(outcome) = outcome {
                self.logins.get_or_create(&OutcomeLabel { outcome }).inc();
            }
        }
        let labels = RequestLabels { method, route: route.to_string(), status };
        self.requests.get_or_create(&labels).observe(taken.as_secs_f64());
    }

    /// Counts a confirmed statement, after the commit.
    fn import(&self, counts: &ImportCounts) {
        let outcome = |outcome| OutcomeLabel { outcome };
        match *counts {
            ImportCounts::Held => {
                self.imports.get_or_create(&outcome("held")).inc();
            }
            ImportCounts::Imported { inserted, duplicates } => {
                self.imports.get_or_create(&outcome("imported")).inc();
                self.import_rows.get_or_create(&outcome("inserted")).inc_by(inserted);
                self.import_rows.get_or_create(&outcome("duplicate")).inc_by(duplicates);
            }
        }
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The label of a method. Unknown ones have one label, because clients can invent any number.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PoolLabel {
    pool: &'static str,
}

/// The metrics of the thread pools.
struct Pools(Vec<Arc<BlockingPool>>);

impl fmt::Debug for Pools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|pool| pool.name())).finish()
    }
}

impl Collector for Pools {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut tell = |name, help, read: fn(&BlockingPool) -> usize| {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            self.0.iter().try_for_each(|pool| {
                let gauge = ConstGauge::new(i64::try_from(read(pool)).unwrap_or(i64::MAX));
                gauge.encode(family.encode_family(&PoolLabel { pool: pool.name() })?)
            })
        };
        tell("finance_pool_in_use", "Work at once now", BlockingPool::in_use)?;
        tell("finance_pool_waiting", "Work that waits for its turn now", BlockingPool::waiting)?;
        tell("finance_pool_size", "Work at once, at the most", BlockingPool::size)?;
        let help = "Time that work waited for its turn";
        let mut family = encoder.encode_descriptor("finance_pool_wait_seconds", help, None, MetricType::Histogram)?;
        self.0.iter().try_for_each(|pool| pool.waits().encode(family.encode_family(&PoolLabel { pool: pool.name() })?))
    }
}

/// A metric whose value is read at each scrape.
struct Reading<R> {
    name: &'static str,
    help: &'static str,
    kind: Observed,
    read: R,
}

impl<R> fmt::Debug for Reading<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<R: Fn() -> f64 + Send + Sync + 'static> Collector for Reading<R> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let value = (self.read)();
        match self.kind {
            Observed::Counter => ConstCounter::new(value).encode(encoder.encode_descriptor(
                self.name,
                self.help,
                None,
                MetricType::Counter,
            )?),
            Observed::Gauge => ConstGauge::new(value).encode(encoder.encode_descriptor(
                self.name,
                self.help,
                None,
                MetricType::Gauge,
            )?),
        }
    }
}

/// A counter with labels whose values are read at each scrape.
struct Readings<const N: usize, R> {
    name: &'static str,
    help: &'static str,
    labels: Vec<[(&'static str, &'static str); N]>,
    read: R,
}

impl<const N: usize, R> fmt::Debug for Readings<N, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<const N: usize, R: Fn(usize) -> f64 + Send + Sync + 'static> Collector for Readings<N, R> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut family = encoder.encode_descriptor(self.name, self.help, None, MetricType::Counter)?;
        self.labels
            .iter()
            .enumerate()
            .try_for_each(|(at, labels)| ConstCounter::new((self.read)(at)).encode(family.encode_family(labels)?))
    }
}

/// The listener of the metrics. It stops when this is dropped.
pub struct MetricsListener {
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl MetricsListener {
    /// Serves the metrics at `/metrics` of an address, on a separate thread, so that they are available when all workers of
    /// the service are busy.
    ///
    /// # Errors
    ///
    /// It cannot listen on the address.
    pub fn start(metrics: Arc<Metrics>, bind: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(bind)?;
        let address = listener.local_addr()?;
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(move || {
            let served = actix_web::rt::System::new().block_on(async {
                let metrics = Data::from(metrics);
                let server = HttpServer::new(move || {
                    App::new().app_data(metrics.clone()).route("/metrics", web::get().to(scrape))
                })
                .workers(1)
                .client_request_timeout(HEAD_TIMEOUT)
                .disable_signals()
                .listen(listener)?
                .run();
                // The starting thread waits for the handle.
                let _ = sender.send(server.handle());
                server.await
            });
            if let Err(error) = served {
                log::error!("the metrics listener stopped: {error}");
            }
        })?;
        let handle = receiver.recv().map_err(io::Error::other)?;
        log::info!("metrics on http://{address}/metrics");
        Ok(MetricsListener { handle, thread: Some(thread) })
    }
}

impl Drop for MetricsListener {
    fn drop(&mut self) {
        // The command is sent at once. The end of the thread shows that it was executed.
        drop(self.handle.stop(false));
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            log::error!("the metrics thread panicked");
        }
    }
}

async fn scrape(metrics: Data<Metrics>) -> HttpResponse {
    match metrics.text() {
        Ok(text) => HttpResponse::Ok().insert_header((CONTENT_TYPE, OPENMETRICS)).body(text),
        Err(error) => {
            log::error!("the metrics cannot be written: {error}");
            HttpResponse::InternalServerError().finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_by_template_and_invented_methods_by_one_label() {
        let metrics = Metrics::new(Vec::new());
        let taken = Duration::from_millis(3);
        metrics.request("GET", Some("/api/accounts/{id}"), 200, taken);
        metrics.request("GET", Some("/api/accounts/{id}"), 200, taken);
        for at in 0..100 {
            metrics.request(&format!("BREW{at}"), None, 404, taken);
        }
        metrics.observe("finance_rate_calls", "Calls", Observed::Counter, || 7.0);
        metrics.observe("finance_up", "Up", Observed::Gauge, || 1.5);
        let text = metrics.text().unwrap();
        for line in [
            "finance_http_request_duration_seconds_count{method=\"GET\",route=\"/api/accounts/{id}\",status=\"200\"} 2",
            "finance_http_request_duration_seconds_count{method=\"other\",route=\"none\",status=\"404\"} 100",
            "finance_rate_calls_total 7.0",
            "finance_up 1.5",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert!(!text.contains("BREW"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }

    #[test]
    fn logins_are_counted_by_how_they_ended() {
        let metrics = Metrics::new(Vec::new());
        for status in [200, 401, 401, 429, 422, 503] {
            metrics.request("POST", Some(LOGIN_ROUTE), status, Duration::ZERO);
        }
        let text = metrics.text().unwrap();
        for (outcome, count) in [("succeeded", 1), ("failed", 2), ("limited", 1)] {
            assert!(text.contains(&format!("finance_logins_total{{outcome=\"{outcome}\"}} {count}\n")), "{text}");
        }
    }
}
