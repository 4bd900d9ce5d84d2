//! What handlers share: the ports, and the threads for what blocks.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use finance_domain::yields::{DayCount, PublishedRates, RateSource};
use finance_domain::{Access, Caller, Cancellation, Clock, Error, Repo, Result, Store, TimeLimit, TransactionOptions};
use time::Date;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::blocking::{BlockingPool, WAIT_MAX};
use crate::metrics::Metrics;
use crate::problems::Problem;
use crate::stream::{self, ChunkWriter, Chunks};
use crate::tokens::Tokens;

/// Requests that may ask for rates at once; they wait outside any transaction.
const RATE_CALLERS_MAX: usize = 64;
/// Bodies beyond the ordinary limit that are in memory at once, at the most.
const LARGE_BODIES_MAX: usize = 16;
/// Answers that are streamed at once, each with a connection of its own.
const STREAMS_MAX: usize = 2;
/// Readiness checks at once; they have threads of their own, so that they are answered when the others are full.
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
    pub store_connections: usize,
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
    rate_callers: Arc<BlockingPool>,
    store_threads: Arc<BlockingPool>,
    password_threads: Arc<BlockingPool>,
    ready_checks: BlockingPool,
    streams: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
}

impl Service {
    /// The service made of its parts.
    ///
    /// # Errors
    ///
    /// Where the system has no room for its threads.
    pub fn new(parts: ServiceParts) -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let store_threads = Arc::new(BlockingPool::new("store", parts.store_connections)?);
        // Half the cores: a flood of logins leaves the other half to everybody else.
        let password_threads = Arc::new(BlockingPool::new("passwords", (cores / 2).max(1))?);
        let rate_callers = Arc::new(BlockingPool::new("rates", RATE_CALLERS_MAX)?);
        let pools = [&store_threads, &password_threads, &rate_callers].map(Arc::clone);
        Ok(Service {
            metrics: Arc::new(Metrics::new(pools.to_vec())),
            store: parts.store,
            clock: parts.clock,
            day_count: parts.day_count,
            tokens: parts.tokens,
            rates: parts.rates,
            upload_bytes_max: parts.upload_bytes_max,
            rate_callers,
            store_threads,
            password_threads,
            ready_checks: BlockingPool::new("readiness", READY_CHECKS_MAX)?,
            // Half the connections at the most: a slow client leaves the others to everybody else.
            streams: Arc::new(Semaphore::new(STREAMS_MAX.min((parts.store_connections / 2).max(1)))),
            large_bodies: Arc::new(Semaphore::new(LARGE_BODIES_MAX)),
        })
    }

    /// What is counted about the service, to be told by a [`MetricsListener`](crate::MetricsListener).
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Runs a use case that only reads, in one snapshot. It is cancelled when the client hangs up.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.transact(caller, Access::Read.into(), work).await
    }

    /// Runs a use case in one transaction. It is cancelled when the client hangs up before it has committed.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.write_within(TimeLimit::Ordinary, caller, work).await
    }

    /// As [`Service::write`], with that time limit.
    pub(crate) async fn write_within<T: Send + 'static>(
        &self,
        time_limit: TimeLimit,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let options = TransactionOptions { time_limit, ..Access::Write.into() };
        self.transact(caller, options, work).await
    }

    async fn transact<T: Send + 'static>(
        &self,
        caller: Caller,
        options: TransactionOptions,
        work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        let _waiting = CancelledOnDrop(options.cancellation.clone());
        self.store_threads.run(move || store.run(&caller, options, work)).await
    }

    /// Answers with what a use case writes while it reads one snapshot. It takes a connection for as long as the
    /// client takes for the answer, so there are few of them at once. It is cancelled when the client hangs up.
    pub(crate) async fn stream(
        &self,
        caller: Caller,
        work: impl FnOnce(&mut dyn Repo, &mut ChunkWriter) -> Result<()> + Send + 'static,
    ) -> Result<Chunks, Problem> {
        let place = place(&self.streams).await?;
        let (store, threads) = (Arc::clone(&self.store), Arc::clone(&self.store_threads));
        let (mut writer, chunks) = stream::channel();
        let options = TransactionOptions { time_limit: TimeLimit::Long, ..Access::Read.into() };
        let waiting = CancelledOnDrop(options.cancellation.clone());
        let work = move || {
            let result = store.run(&caller, options, |repo| work(repo, &mut writer));
            drop(place);
            result
        };
        let working = async move {
            let _waiting = waiting;
            threads.run(work).await
        };
        stream::body(chunks, Box::pin(working)).await
    }

    /// Asks the store something that needs no profile.
    pub(crate) async fn ask_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        self.store_threads.run(move || work(store.as_ref())).await
    }

    /// Whether the store is ready, told in less than a second.
    pub(crate) async fn ready(&self) -> Result<(), Problem> {
        let store = Arc::clone(&self.store);
        let checked = tokio::time::timeout(READY_MAX, self.ready_checks.run(move || store.ready())).await;
        checked.unwrap_or_else(|_| Err(Error::Unavailable("the store does not answer in time".into()).into()))
    }

    /// The published rates of a window, if they can be had: yield can wait for another day.
    pub(crate) async fn rates(&self, first: Date, last: Date) -> Option<PublishedRates> {
        let rates = Arc::clone(&self.rates);
        self.rate_callers.run(move || Ok(rates.published(first, last).ok())).await.ok().flatten()
    }

    /// A place among the large bodies, to be held until the body has become what it stands for.
    pub(crate) async fn large_body(&self) -> Result<OwnedSemaphorePermit, Problem> {
        place(&self.large_bodies).await
    }

    /// Hashes or compares a password, away from the async workers.
    pub(crate) async fn with_password<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        self.password_threads.run(work).await
    }
}

/// Cancels a transaction when nobody waits for its answer any more. One that has ended takes no notice.
struct CancelledOnDrop(Cancellation);

impl Drop for CancelledOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// One of so many places, once there is one.
async fn place(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    match tokio::time::timeout(WAIT_MAX, Arc::clone(places).acquire_owned()).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(Problem::overloaded()),
    }
}
