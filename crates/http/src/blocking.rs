//! Work that blocks, on threads of its own: so much at once, the rest waits its turn in order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use finance_domain::{Error, Result};
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::metrics;
use crate::problems::Problem;

/// Work that may wait for a thread at once; one more is told to come back.
const WAITING_MAX: usize = 1_024;
/// How long work waits for its turn.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);

/// Threads for one kind of blocking work. A thread that is done takes what has waited longest, so that under load
/// nobody has to be woken for it.
pub(crate) struct BlockingPool {
    name: &'static str,
    size: usize,
    /// Of its pool of blocking threads only; there until the drop.
    threads: Option<Runtime>,
    waiting: Arc<AtomicUsize>,
    at_work: Arc<AtomicUsize>,
    waits: Histogram,
}

impl BlockingPool {
    /// A pool of so many threads at the most; one that has been idle for ten seconds ends.
    pub(crate) fn new(name: &'static str, size: usize) -> io::Result<Self> {
        let threads = Builder::new_current_thread().thread_name(name).max_blocking_threads(size).build()?;
        Ok(BlockingPool {
            name,
            size,
            threads: Some(threads),
            waiting: Arc::default(),
            at_work: Arc::default(),
            waits: metrics::durations(),
        })
    }

    /// Its name, as a label.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Work at once, at the most.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Work at once now.
    pub(crate) fn in_use(&self) -> usize {
        self.at_work.load(Ordering::Relaxed)
    }

    /// Work that waits for its turn now.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How long work waited for its turn, in seconds.
    pub(crate) fn waits(&self) -> &Histogram {
        &self.waits
    }

    /// Runs work once it is its turn. What has begun goes on when the client hangs up; what has not never begins.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Counted::new(&self.waiting);
        if self.waiting() > WAITING_MAX {
            return Err(Problem::overloaded());
        }
        let Some(threads) = &self.threads else { return Err(Problem::overloaded()) };
        let claim = Claim::default();
        let (claimed, at_work, waits) = (claim.clone(), Arc::clone(&self.at_work), self.waits.clone());
        let arrived = Instant::now();
        let mut running = threads.spawn_blocking(move || {
            drop(place);
            waits.observe(arrived.elapsed().as_secs_f64());
            let _at_work = Counted::new(&at_work);
            if claimed.take() { work() } else { Err(Error::Unavailable("nobody waits for it any more".into())) }
        });
        let given_up = GivenUp(claim);
        let joined = match timeout(WAIT_MAX, &mut running).await {
            Ok(joined) => joined,
            Err(_) if given_up.0.take() => return Err(Problem::overloaded()),
            Err(_) => running.await,
        };
        joined.unwrap_or_else(|error| Err(Error::Internal(Box::new(error)))).map_err(Problem::from)
    }
}

impl Drop for BlockingPool {
    fn drop(&mut self) {
        // The last to hold the service may be an async worker, which must not wait for threads.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// One of those that are counted, for as long as it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Who says what becomes of waiting work: the thread that begins it, or the client that gives it up.
#[derive(Clone, Default)]
struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Whether nobody else was first.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// Gives work up that has not begun when nobody waits for it any more.
struct GivenUp(Claim);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.take();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    fn pool(size: usize) -> Arc<BlockingPool> {
        Arc::new(BlockingPool::new("tested", size).unwrap())
    }

    #[tokio::test]
    async fn no_more_is_done_at_once_than_there_are_threads() {
        let pool = pool(2);
        let (at_work, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let works = (0..8).map(|_| {
            let (at_work, most) = (Arc::clone(&at_work), Arc::clone(&most));
            pool.run(move || {
                most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
                at_work.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        });
        assert!(join_all(works).await.iter().all(std::result::Result::is_ok));
        assert_eq!(most.load(Ordering::SeqCst), 2);
        assert_eq!((pool.in_use(), pool.waiting()), (0, 0));
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_any_more_never_begins() {
        let pool = pool(1);
        let (release, released) = std::sync::mpsc::channel::<()>();
        let busy = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.run(move || Ok(released.recv().is_ok())).await }
        });
        while pool.in_use() == 0 {
            tokio::task::yield_now().await;
        }
        let begun = Arc::new(AtomicBool::new(false));
        let hung_up = pool.run({
            let begun = Arc::clone(&begun);
            move || {
                begun.store(true, Ordering::SeqCst);
                Ok(())
            }
        });
        assert!(timeout(Duration::from_millis(5), hung_up).await.is_err(), "it waits");
        assert_eq!(pool.waiting(), 1);
        release.send(()).unwrap();
        assert!(busy.await.unwrap().is_ok_and(|was_released| was_released));
        assert!(pool.run(|| Ok(())).await.is_ok());
        assert!(!begun.load(Ordering::SeqCst));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_too_long_is_told_to_come_back_and_nothing_is_done() {
        let pool = pool(1);
        let (release, released) = std::sync::mpsc::channel::<()>();
        let busy = {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(move || Ok(released.recv().is_ok())).await })
        };
        while pool.in_use() == 0 {
            tokio::task::yield_now().await;
        }
        let arrived = tokio::time::Instant::now();
        let refused = pool.run(|| Ok(())).await;
        assert!(refused.is_err());
        assert!(arrived.elapsed() >= WAIT_MAX);
        // What has begun is waited for, however long it takes.
        release.send(()).unwrap();
        assert!(busy.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_its_thread_goes_on() {
        let pool = pool(1);
        assert!(pool.run(|| -> Result<()> { panic!("on purpose") }).await.is_err());
        assert!(pool.run(|| Ok(())).await.is_ok());
        assert_eq!(pool.in_use(), 0);
    }
}
