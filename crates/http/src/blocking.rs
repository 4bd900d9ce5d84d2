//! Thread pools for blocking work, whose threads are shared fairly between requesters.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use finance_domain::{Error, Result};
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::durations;
use crate::fair_queue::{FairQueue, Requester, Turn, WAIT_MAX, overloaded};

type Work = Box<dyn FnOnce() + Send>;

/// A thread pool for one kind of blocking work.
pub(crate) struct BlockingPool {
    name: &'static str,
    size: usize,
    /// Used for its pool of blocking threads only. Taken by the drop.
    threads: Option<Runtime>,
    queue: FairQueue<Work>,
    waits: Histogram,
    /// How long work may wait for its turn.
    wait_max: Duration,
}

impl BlockingPool {
    /// A pool of `size` threads, of which one requester uses at most `share`. A thread that is idle for ten seconds ends.
    pub(crate) fn new(name: &'static str, size: usize, share: usize) -> io::Result<Self> {
        let threads = Builder::new_current_thread().thread_name(name).max_blocking_threads(size).build()?;
        Ok(BlockingPool {
            name,
            size,
            threads: Some(threads),
            queue: FairQueue::new(size, share),
            waits: durations::histogram(),
            wait_max: WAIT_MAX,
        })
    }

    /// Its name, the label of its metrics.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The most concurrent work.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The running work.
    pub(crate) fn in_use(&self) -> usize {
        self.queue.in_use()
    }

    /// The waiting work.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.waiting()
    }

    /// How long work waited for its turn, in seconds.
    pub(crate) fn waits(&self) -> &Histogram {
        &self.waits
    }

    /// Runs work when it is its turn. If the client hangs up, running work goes on, and waiting work is removed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        requester: Requester,
        turn: Turn,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Some(threads) = &self.threads else { return Err(overloaded()) };
        let (done, result) = oneshot::channel();
        let (waits, arrived) = (self.waits.clone(), Instant::now());
        let run = move || {
            waits.observe(arrived.elapsed().as_secs_f64());
            let worked = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
            // The receiver is gone if the client has hung up.
            let _ = done.send(worked);
        };
        let (waiting, is_thread_needed) = self.queue.push(requester, turn, Box::new(run))?;
        if is_thread_needed {
            let queue = self.queue.clone();
            threads.spawn_blocking(move || work_through(&queue));
        }
        waiting.receive(result, self.wait_max).await?
    }
}

impl Drop for BlockingPool {
    fn drop(&mut self) {
        // This may run on an async worker, which must not wait for threads.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// The loop of a thread: runs one work after another, until none may begin.
fn work_through(queue: &FairQueue<Work>) {
    let mut next = queue.take();
    while let Some((place, work)) = next {
        work();
        next = place.pass_on();
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    Error::Internal(format!("a panic: {}", text.unwrap_or("of unknown cause")).into())
}

#[cfg(test)]
mod tests;
