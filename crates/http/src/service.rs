//! What handlers share: the ports, and the gates in front of what blocks.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web;
use finance_domain::yields::{DayCount, PublishedRates, RateSource};
use finance_domain::{Access, Caller, Clock, Error, Repo, Result, Store};
use time::Date;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problems::Problem;
use crate::stream::{self, ChunkWriter, Chunks};
use crate::tokens::Tokens;

/// Requests that may wait for the store at once; one more is told to come back.
const WAITING_MAX: usize = 1_024;
/// Requests that may wait for rates at once; they wait outside any transaction.
const RATE_CALLERS_MAX: usize = 64;
/// Answers that are streamed at once, each with a connection of its own.
const STREAMS_MAX: usize = 2;
/// How long a request waits for its turn.
const WAIT_MAX: Duration = Duration::from_secs(10);

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
    rates_gate: Gate,
    store_gate: Gate,
    password_gate: Gate,
    stream_gate: Gate,
}

impl Service {
    /// The service made of its parts.
    pub fn new(parts: ServiceParts) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Service {
            store: parts.store,
            clock: parts.clock,
            day_count: parts.day_count,
            tokens: parts.tokens,
            rates: parts.rates,
            rates_gate: Gate::new(RATE_CALLERS_MAX),
            upload_bytes_max: parts.upload_bytes_max,
            store_gate: Gate::new(parts.store_permits),
            // Half the connections at the most: a slow client leaves the others to everybody else.
            stream_gate: Gate::new(STREAMS_MAX.min((parts.store_permits / 2).max(1))),
            // Half the cores: a flood of logins leaves the other half to everybody else.
            password_gate: Gate::new((cores / 2).max(1)),
        }
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

    /// The published rates of a window, if they can be had: yield can wait for another day.
    pub(crate) async fn rates(&self, first: Date, last: Date) -> Option<PublishedRates> {
        let rates = Arc::clone(&self.rates);
        self.rates_gate.run(move || Ok(rates.published(first, last).ok())).await.ok().flatten()
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
struct Gate {
    permits: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Gate {
    fn new(permits: usize) -> Self {
        Gate { permits: Arc::new(Semaphore::new(permits)), waiting: Semaphore::new(WAITING_MAX) }
    }

    /// Waits for its turn.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let _place = self.waiting.try_acquire().map_err(|_| Problem::overloaded())?;
        let permit = tokio::time::timeout(WAIT_MAX, Arc::clone(&self.permits).acquire_owned()).await;
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
