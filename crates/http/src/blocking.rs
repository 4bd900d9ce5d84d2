//! Thread pools for blocking work, shared fairly between requesters.
//!
//! Each requester has a queue. A free thread takes the oldest work of the next requester in turn, so the wait of one does not
//! grow with the requests of another. A requester uses at most a share of the threads, and its exclusive work runs one at a
//! time: it waits in the queue, where it occupies neither a thread nor a connection.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use finance_domain::{Error, ProfileId, Result};
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::durations;

/// The most waiting work. Beyond it only a requester without waiting work may queue.
const WAITING_MAX: usize = 1_024;
/// The most waiting work of one requester.
const WAITING_SHARE_MAX: usize = 128;
/// How long work may wait for its turn.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);

/// The owner of work, between whom the threads are shared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Requester {
    /// A profile.
    Profile(ProfileId),
    /// An address, for requests without a known profile.
    Address(String),
}

/// Whether work may run concurrently with other work of the same requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Concurrently with any work.
    Shared,
    /// Not concurrently with other exclusive work of the requester, for which it would only wait.
    Exclusive,
}

/// A thread pool for one kind of blocking work.
pub(crate) struct BlockingPool {
    name: &'static str,
    size: usize,
    /// Used for its pool of blocking threads only. Taken by the drop.
    threads: Option<Runtime>,
    queue: Arc<Mutex<Queue>>,
    waits: Histogram,
    /// How long work may wait for its turn.
    wait_max: Duration,
}

impl BlockingPool {
    /// A pool of `size` threads, of which one requester uses at most `share`. A thread that is idle for ten seconds ends.
    pub(crate) fn new(name: &'static str, size: usize, share: usize) -> io::Result<Self> {
        let threads = Builder::new_current_thread().thread_name(name).max_blocking_threads(size).build()?;
        let queue = Arc::new(Mutex::new(Queue { size, share, ..Queue::default() }));
        Ok(BlockingPool {
            name,
            size,
            threads: Some(threads),
            queue,
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
        lock(&self.queue).lanes.values().map(|lane| lane.at_work).sum()
    }

    /// The waiting work.
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.queue).waiting
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
        let (done, mut result) = oneshot::channel();
        let (waits, arrived) = (self.waits.clone(), Instant::now());
        let run = move || {
            waits.observe(arrived.elapsed().as_secs_f64());
            let worked = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
            // The receiver is gone if the client has hung up.
            let _ = done.send(worked);
        };
        let (waiting, is_thread_needed) = {
            let mut queue = lock(&self.queue);
            let id = queue.push(&requester, turn, Box::new(run)).ok_or_else(overloaded)?;
            let is_thread_needed = queue.wants_thread(&requester);
            (Waiting { queue: Arc::clone(&self.queue), requester, turn, id }, is_thread_needed)
        };
        if is_thread_needed {
            let queue = Arc::clone(&self.queue);
            threads.spawn_blocking(move || work_through(&queue));
        }
        let received = match timeout(self.wait_max, &mut result).await {
            Ok(received) => received,
            Err(_) if waiting.give_up() => return Err(overloaded()),
            Err(_) => result.await,
        };
        received.unwrap_or_else(|gone| Err(Error::Internal(Box::new(gone))))
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
fn work_through(queue: &Mutex<Queue>) {
    let mut next = lock(queue).take();
    while let Some((requester, job)) = next {
        (job.run)();
        let mut queue = lock(queue);
        queue.finished(&requester, job.turn);
        next = queue.take();
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a full queue.
pub(crate) fn overloaded() -> Error {
    Error::Unavailable("the queue is full".into())
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    Error::Internal(format!("a panic: {}", text.unwrap_or("of unknown cause")).into())
}

/// All waiting work, and the number of running works of each requester.
#[derive(Default)]
struct Queue {
    size: usize,
    share: usize,
    lanes: HashMap<Requester, Lane>,
    /// The requesters with waiting work, in the order of their turns.
    turns: VecDeque<Requester>,
    waiting: usize,
    /// The busy threads. While there are fewer than `size`, none of the waiting work may begin.
    threads: usize,
    last_id: u64,
}

/// The work of one requester.
#[derive(Default)]
struct Lane {
    shared: VecDeque<Job>,
    exclusive: VecDeque<Job>,
    at_work: usize,
    is_exclusive_at_work: bool,
}

struct Job {
    /// Grows with each arrival.
    id: u64,
    turn: Turn,
    run: Box<dyn FnOnce() + Send>,
}

impl Queue {
    /// Queues work and returns its id, or `None` if the queue is full.
    fn push(&mut self, requester: &Requester, turn: Turn, run: Box<dyn FnOnce() + Send>) -> Option<u64> {
        let waiting_of_requester = self.lanes.get(requester).map_or(0, Lane::waiting);
        if waiting_of_requester >= WAITING_SHARE_MAX || (self.waiting >= WAITING_MAX && waiting_of_requester > 0) {
            return None;
        }
        if waiting_of_requester == 0 {
            self.turns.push_back(requester.clone());
        }
        self.last_id += 1;
        self.waiting += 1;
        let job = Job { id: self.last_id, turn, run };
        self.lanes.entry(requester.clone()).or_default().jobs(turn).push_back(job);
        Some(self.last_id)
    }

    /// Whether the work that was just queued needs another thread, which then counts as busy.
    fn wants_thread(&mut self, requester: &Requester) -> bool {
        let share = self.share;
        let may_begin = self.lanes.get(requester).is_some_and(|lane| lane.next(share).is_some());
        let is_needed = may_begin && self.threads < self.size;
        self.threads += usize::from(is_needed);
        is_needed
    }

    /// Takes the next work. If there is none, the calling thread counts as idle.
    fn take(&mut self) -> Option<(Requester, Job)> {
        // A requester is skipped only if it has running work, so at most as many are skipped as there are threads.
        for _ in 0..self.turns.len() {
            let requester = self.turns.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&requester) else { continue };
            let job = lane.next(self.share).and_then(|turn| lane.jobs(turn).pop_front());
            if lane.waiting() > 0 {
                self.turns.push_back(requester.clone());
            }
            if let Some(job) = job {
                lane.at_work += 1;
                lane.is_exclusive_at_work |= job.turn == Turn::Exclusive;
                self.waiting -= 1;
                return Some((requester, job));
            }
        }
        self.threads -= 1;
        None
    }

    fn finished(&mut self, requester: &Requester, turn: Turn) {
        let Some(lane) = self.lanes.get_mut(requester) else { return };
        lane.at_work -= 1;
        lane.is_exclusive_at_work &= turn != Turn::Exclusive;
        self.forget_if_idle(requester);
    }

    /// Removes waiting work. Returns whether it was still waiting.
    fn remove(&mut self, requester: &Requester, turn: Turn, id: u64) -> bool {
        let Some(lane) = self.lanes.get_mut(requester) else { return false };
        let jobs = lane.jobs(turn);
        let Ok(at) = jobs.binary_search_by_key(&id, |job| job.id) else { return false };
        jobs.remove(at);
        self.waiting -= 1;
        if lane.waiting() == 0 {
            self.turns.retain(|waiting| waiting != requester);
        }
        self.forget_if_idle(requester);
        true
    }

    fn forget_if_idle(&mut self, requester: &Requester) {
        if self.lanes.get(requester).is_some_and(|lane| lane.at_work == 0 && lane.waiting() == 0) {
            self.lanes.remove(requester);
        }
    }
}

impl Lane {
    fn waiting(&self) -> usize {
        self.shared.len() + self.exclusive.len()
    }

    fn jobs(&mut self, turn: Turn) -> &mut VecDeque<Job> {
        match turn {
            Turn::Shared => &mut self.shared,
            Turn::Exclusive => &mut self.exclusive,
        }
    }

    /// Which work may begin: the oldest one, but exclusive work only when no other one runs.
    fn next(&self, share: usize) -> Option<Turn> {
        if self.at_work >= share {
            return None;
        }
        let exclusive = self.exclusive.front().filter(|_| !self.is_exclusive_at_work);
        match (self.shared.front(), exclusive) {
            (Some(shared), Some(exclusive)) if exclusive.id < shared.id => Some(Turn::Exclusive),
            (Some(_), _) => Some(Turn::Shared),
            (None, Some(_)) => Some(Turn::Exclusive),
            (None, None) => None,
        }
    }
}

/// A place in the queue. Dropping it removes waiting work.
struct Waiting {
    queue: Arc<Mutex<Queue>>,
    requester: Requester,
    turn: Turn,
    id: u64,
}

impl Waiting {
    /// Removes the work. Returns whether it was still waiting.
    fn give_up(&self) -> bool {
        lock(&self.queue).remove(&self.requester, self.turn, self.id)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.give_up();
    }
}

#[cfg(test)]
mod tests;
