//! What handlers share: the ports, and the gates in front of what blocks.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use actix_web::web;
use finance_domain::yields::{DayCount, PublishedRates, RateSource};
use finance_domain::{Access, Caller, Clock, Error, Repo, Result, Store};
use prometheus_client::metrics::histogram::Histogram;
use time::Date;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::metrics::Metrics;
use crate::problems::Problem;
use crate::stream::{self, ChunkWriter, Chunks};
use crate::tokens::Tokens;

/// Requests that may wait for the store at once; one more is told to come back.
const WAITING_MAX: usize = 1_024;
/// Requests that may wait for rates at once; they wait outside any transaction.
const RATE_CALLERS_MAX: usize = 64;
/// Bodies beyond the ordinary limit that are in memory at once, at the most.
const LARGE_BODIES_MAX: usize = 16;
/// Answers that are streamed at once, each with a connection of its own.
const STREAMS_MAX: usize = 2;
/// How long a request waits for its turn.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Readiness checks at once; they have a gate of their own, so that they are answered when the others are full.
const READY_CHECKS_MAX: usize = 2;
/// How long a readiness check may take altogether.
const READY_MAX: Duration = Duration::from_millis(900);

/// What the service is made of; the program that wires it names the adapters.
pub struct ServiceParts {
    /// Where the data is.
    pub store: Arc<dyn Store>,
    /// What day it is.
    pub clock: Arc<dyn Clock>,
    /// Where CDI rates come from.
    pub rates: Arc<dyn RateSource>,
    /// How days without a published rate count.
    pub day_count: DayCount,
    /// Who signs the tokens.
    pub tokens: Tokens,
    /// Work the store does at once, at the most: its connections.
    pub store_permits: usize,
    /// Bytes in an uploaded statement, at the most.
    pub upload_bytes_max: usize,
}

/// What handlers share.
pub struct Service {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) day_count: DayCount,
    pub(crate) tokens: Tokens,
    pub(crate) upload_bytes_max: usize,
    rates: Arc<dyn RateSource>,
    pub(crate) metrics: Arc<Metrics>,
    rates_gate: Arc<Gate>,
    store_gate: Arc<Gate>,
    password_gate: Arc<Gate>,
    stream_gate: Gate,
    ready_gate: Gate,
    large_bodies: Semaphore,
}

impl Service {
    /// The service made of its parts.
    pub fn new(parts: ServiceParts) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let rates_gate = Arc::new(Gate::new(RATE_CALLERS_MAX));
        let store_gate = Arc::new(Gate::new(parts.store_permits));
        // Half the cores: a flood of logins leaves the other half to everybody else.
        let password_gate = Arc::new(Gate::new((cores / 2).max(1)));
        let gates = [("store", &store_gate), ("passwords", &password_gate), ("rates", &rates_gate)];
        Service {
            metrics: Arc::new(Metrics::new(gates.map(|(pool, gate)| (pool, Arc::clone(gate))).to_vec())),
            store: parts.store,
            clock: parts.clock,
            day_count: parts.day_count,
            tokens: parts.tokens,
            rates: parts.rates,
            upload_bytes_max: parts.upload_bytes_max,
            rates_gate,
            store_gate,
            password_gate,
            // Half the connections at the most: a slow client leaves the others to everybody else.
            stream_gate: Gate::new(STREAMS_MAX.min((parts.store_permits / 2).max(1))),
            ready_gate: Gate::new(READY_CHECKS_MAX),
            large_bodies: Semaphore::new(LARGE_BODIES_MAX),
        }
    }

    /// What is counted about the service, to be told by a [`MetricsListener`](crate::MetricsListener).
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Runs a use case that only reads, in one snapshot.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        self.store_gate.run(move || store.run(&caller, Access::Read, work)).await
    }

    /// Runs a use case in one transaction.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        self.store_gate.run(move || store.run(&caller, Access::Write, work)).await
    }

    /// Answers with what a use case writes while it reads one snapshot. It takes a connection for as long as the
    /// client takes for the answer, so there are few of them at once.
    pub(crate) async fn stream(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo, &mut ChunkWriter) -> Result<()> + Send + 'static,
    ) -> Result<Chunks, Problem> {
        let place = self.stream_gate.permit().await?;
        let connection = self.store_gate.permit().await?;
        let store = Arc::clone(&self.store);
        let (mut writer, chunks) = stream::channel();
        let working = in_background(move || {
            let result = store.run(&caller, Access::Read, |repo| work(repo, &mut writer));
            drop((connection, place));
            result
        });
        stream::body(chunks, Box::pin(working)).await
    }

    /// Asks the store something that needs no profile.
    pub(crate) async fn ask_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        self.store_gate.run(move || work(store.as_ref())).await
    }

    /// Whether the store is ready, told in less than a second.
    pub(crate) async fn ready(&self) -> Result<(), Problem> {
        let store = Arc::clone(&self.store);
        let checked = tokio::time::timeout(READY_MAX, self.ready_gate.run(move || store.ready())).await;
        checked.unwrap_or_else(|_| Err(Error::Unavailable("the store does not answer in time".into()).into()))
    }

    /// The published rates of a window, if they can be had: yield can wait for another day.
    pub(crate) async fn rates(&self, first: Date, last: Date) -> Option<PublishedRates> {
        let rates = Arc::clone(&self.rates);
        self.rates_gate.run(move || Ok(rates.published(first, last).ok())).await.ok().flatten()
    }

    /// A place among the large bodies, to be held until the body has become what it stands for.
    pub(crate) async fn large_body(&self) -> Result<SemaphorePermit<'_>, Problem> {
        match tokio::time::timeout(WAIT_MAX, self.large_bodies.acquire()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Problem::overloaded()),
        }
    }

    /// Hashes or compares a password, away from the async workers.
    pub(crate) async fn with_password<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.password_gate.run(work).await
    }
}

/// Runs blocking work on the blocking pool, so many at once; the rest waits its turn in order.
pub(crate) struct Gate {
    size: usize,
    permits: Arc<Semaphore>,
    waiting: Semaphore,
    waits: OnceLock<Histogram>,
}

impl Gate {
    fn new(permits: usize) -> Self {
        Gate {
            size: permits,
            permits: Arc::new(Semaphore::new(permits)),
            waiting: Semaphore::new(WAITING_MAX),
            waits: OnceLock::new(),
        }
    }

    /// Measures from now on how long work waits for its turn; the first histogram stays.
    pub(crate) fn measure_waits(&self, waits: Histogram) {
        self.waits.get_or_init(|| waits);
    }

    /// Work at once, at the most.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Work at once now.
    pub(crate) fn in_use(&self) -> usize {
        self.size.saturating_sub(self.permits.available_permits())
    }

    /// Work that waits for its turn now.
    pub(crate) fn waiting(&self) -> usize {
        WAITING_MAX.saturating_sub(self.waiting.available_permits())
    }

    /// Waits for its turn.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let _place = self.waiting.try_acquire().map_err(|_| Problem::overloaded())?;
        let arrived = Instant::now();
        let permit = tokio::time::timeout(WAIT_MAX, Arc::clone(&self.permits).acquire_owned()).await;
        if let Some(waits) = self.waits.get() {
            waits.observe(arrived.elapsed().as_secs_f64());
        }
        permit.ok().and_then(std::result::Result::ok).ok_or_else(Problem::overloaded)
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T, Problem> {
        let permit = self.permit().await?;
        // The permit goes with the work: a client that hangs up does not let another one in early.
        let running = in_background(move || {
            let result = work();
            drop(permit);
            result
        });
        running.await
    }
}

/// Runs work on the blocking pool, from now on.
fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T, Problem>> + 'static {
    let running = web::block(work);
    async {
        match running.await {
            Ok(result) => result.map_err(Problem::from),
            Err(error) => Err(Error::Internal(Box::new(error)).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_gate_lets_in_no_more_than_it_has_permits_for() {
        let gate = Arc::new(Gate::new(2));
        let (at_work, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        actix_web::rt::System::new().block_on(async {
            let works = (0..8).map(|_| {
                let (at_work, most) = (Arc::clone(&at_work), Arc::clone(&most));
                gate.run(move || {
                    most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                })
            });
            assert!(futures_util::future::join_all(works).await.iter().all(std::result::Result::is_ok));
        });
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
