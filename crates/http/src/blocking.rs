//! Work that blocks, on threads of its own: so much at once, shared fairly between those who ask for it.
//!
//! Each requester has a queue. A thread that is done takes the oldest work of the next requester in turn, so the wait of one
//! does not grow with the requests of another. No requester has more than a share of the threads at work, and its
//! exclusive work is done one at a time: it waits here, where waiting costs neither a thread nor a connection.

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

/// Work that may wait for a thread at once. Beyond it only a requester with nothing waiting may queue.
const WAITING_MAX: usize = 1_024;
/// Work of one requester that may wait for a thread at once.
const WAITING_SHARE_MAX: usize = 128;
/// How long work waits for its turn.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);

/// Who work is done for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Requester {
    /// A profile.
    Profile(ProfileId),
    /// An address whose profile is not known, or not yet.
    Address(String),
}

/// Whether work of one requester may be done beside other work of the same requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Beside anything.
    Shared,
    /// Not beside other exclusive work of this requester, which would only make it wait.
    Exclusive,
}

/// Threads for one kind of blocking work.
pub(crate) struct BlockingPool {
    name: &'static str,
    size: usize,
    /// Of its pool of blocking threads only; there until the drop.
    threads: Option<Runtime>,
    queue: Arc<Mutex<Queue>>,
    waits: Histogram,
    /// How long work waits for its turn.
    wait_max: Duration,
}

impl BlockingPool {
    /// A pool of so many threads, of which one requester has at most a share at work. A thread that has been idle for
    /// ten seconds ends.
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
        lock(&self.queue).lanes.values().map(|lane| lane.at_work).sum()
    }

    /// Work that waits for its turn now.
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.queue).waiting
    }

    /// How long work waited for its turn, in seconds.
    pub(crate) fn waits(&self) -> &Histogram {
        &self.waits
    }

    /// Runs work once it is its turn. What has begun goes on when the client hangs up; what has not never begins.
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
            // Nobody waits for it any more where the client has hung up.
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
        // The last to hold the service may be an async worker, which must not wait for threads.
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

/// What a thread does: one work after another, until none may begin.
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

/// More waits than can be done in time.
pub(crate) fn overloaded() -> Error {
    Error::Unavailable("the queue is full".into())
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    Error::Internal(format!("a panic: {}", text.unwrap_or("of unknown cause")).into())
}

/// All waiting work, and how much of each requester is at work.
#[derive(Default)]
struct Queue {
    size: usize,
    share: usize,
    lanes: HashMap<Requester, Lane>,
    /// Those with waiting work, in the order of their turns.
    turns: VecDeque<Requester>,
    waiting: usize,
    /// Threads at work. While there are fewer than `size`, none of the waiting work may begin.
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
    /// Queues work under an id; none where too much waits already.
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

    /// Whether a thread is needed for what was just queued, which then counts as at work.
    fn wants_thread(&mut self, requester: &Requester) -> bool {
        let share = self.share;
        let may_begin = self.lanes.get(requester).is_some_and(|lane| lane.next(share).is_some());
        let is_needed = may_begin && self.threads < self.size;
        self.threads += usize::from(is_needed);
        is_needed
    }

    /// The work that is to begin now. Where there is none, the thread that asks is at work no more.
    fn take(&mut self) -> Option<(Requester, Job)> {
        // Whose turn it is not has work of its own on a thread, so this passes over no more of them than there are threads.
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

    /// Removes work that has not begun, and tells whether there was any.
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

    /// Which work may begin: the oldest, but exclusive work only once the one before it is done.
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

/// A place in the queue, given up when nobody waits for it any more.
struct Waiting {
    queue: Arc<Mutex<Queue>>,
    requester: Requester,
    turn: Turn,
    id: u64,
}

impl Waiting {
    /// Whether the work had not begun, and now never will.
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
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use futures_util::future::{join_all, poll_immediate};

    use super::*;

    const ANA: Requester = Requester::Profile(ProfileId(1));
    const BIA: Requester = Requester::Profile(ProfileId(2));

    fn pool(size: usize, share: usize) -> Arc<BlockingPool> {
        Arc::new(BlockingPool::new("tested", size, share).unwrap())
    }

    /// How many of these works were at work at once, at the most.
    async fn most_at_once(pool: &BlockingPool, works: impl IntoIterator<Item = (Requester, Turn)>) -> usize {
        let (at_work, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let works = works.into_iter().map(|(requester, turn)| {
            let (at_work, most) = (Arc::clone(&at_work), Arc::clone(&most));
            pool.run(requester, turn, move || {
                most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
                at_work.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        });
        assert!(join_all(works).await.iter().all(std::result::Result::is_ok));
        idle(pool).await;
        most.load(Ordering::SeqCst)
    }

    /// Returns once nothing is at work: a result arrives before its thread has taken note that it is done.
    async fn idle(pool: &BlockingPool) {
        while (pool.in_use(), pool.waiting()) != (0, 0) {
            tokio::task::yield_now().await;
        }
    }

    /// Occupies a thread until told; returns once it does.
    async fn occupy(
        pool: &Arc<BlockingPool>,
        requester: Requester,
        turn: Turn,
    ) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<()>>) {
        let (release, released) = mpsc::channel::<()>();
        let in_use = pool.in_use();
        let running = tokio::spawn({
            let pool = Arc::clone(pool);
            let wait = move || released.recv().map_err(|gone| Error::Internal(Box::new(gone)));
            async move { pool.run(requester, turn, wait).await }
        });
        while pool.in_use() == in_use {
            tokio::task::yield_now().await;
        }
        (release, running)
    }

    #[tokio::test]
    async fn no_more_is_done_at_once_than_there_are_threads() {
        let requesters = (1..=8).map(|id| (Requester::Profile(ProfileId(id)), Turn::Shared));
        assert_eq!(most_at_once(&pool(2, 2), requesters).await, 2);
    }

    #[tokio::test]
    async fn no_requester_has_more_than_its_share_at_work() {
        assert_eq!(most_at_once(&pool(8, 3), vec![(ANA, Turn::Shared); 20]).await, 3);
    }

    #[tokio::test]
    async fn exclusive_work_of_a_requester_is_done_one_at_a_time() {
        assert_eq!(most_at_once(&pool(8, 3), vec![(ANA, Turn::Exclusive); 8]).await, 1);
        let two = (0..8).map(|at| (if at % 2 == 0 { ANA } else { BIA }, Turn::Exclusive));
        assert_eq!(most_at_once(&pool(8, 3), two).await, 2);
    }

    #[tokio::test]
    async fn reads_pass_a_write_that_waits_for_another_write() {
        let pool = pool(2, 2);
        let (release, writing) = occupy(&pool, ANA, Turn::Exclusive).await;
        let mut second = Box::pin(pool.run(ANA, Turn::Exclusive, || Ok("written")));
        assert!(poll_immediate(second.as_mut()).await.is_none());
        assert_eq!(pool.run(ANA, Turn::Shared, || Ok("read")).await.unwrap(), "read");
        assert!(poll_immediate(second.as_mut()).await.is_none());
        release.send(()).unwrap();
        assert!(writing.await.unwrap().is_ok());
        assert_eq!(second.await.unwrap(), "written");
    }

    #[tokio::test]
    async fn turns_go_round_the_requesters_however_much_one_has_waiting() {
        let pool = pool(1, 1);
        let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let work = |requester: Requester, name: &'static str| {
            let order = Arc::clone(&order);
            pool.run(requester, Turn::Shared, move || {
                order.lock().unwrap().push(name);
                Ok(())
            })
        };
        let mut works = vec![work(ANA, "ana 1"), work(ANA, "ana 2"), work(ANA, "ana 3"), work(BIA, "bia 1")];
        works.push(work(Requester::Address("198.51.100.7".into()), "a stranger"));
        let mut all = Box::pin(join_all(works));
        assert!(poll_immediate(all.as_mut()).await.is_none());
        release.send(()).unwrap();
        assert!(all.await.iter().all(std::result::Result::is_ok));
        assert!(busy.await.unwrap().is_ok());
        assert_eq!(*order.lock().unwrap(), ["ana 1", "bia 1", "a stranger", "ana 2", "ana 3"]);
    }

    #[tokio::test]
    async fn one_requester_cannot_fill_the_queue() {
        let pool = pool(1, 1);
        let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
        let mut waiting: Vec<_> =
            (0..WAITING_SHARE_MAX).map(|_| Box::pin(pool.run(ANA, Turn::Shared, || Ok(())))).collect();
        for work in &mut waiting {
            assert!(poll_immediate(work.as_mut()).await.is_none());
        }
        assert!(pool.run(ANA, Turn::Shared, || Ok(())).await.is_err());
        let mut other = Box::pin(pool.run(BIA, Turn::Shared, || Ok(())));
        assert!(poll_immediate(other.as_mut()).await.is_none());
        release.send(()).unwrap();
        assert!(other.await.is_ok() && busy.await.unwrap().is_ok());
        drop(waiting);
        assert_eq!(pool.waiting(), 0);
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_any_more_never_begins() {
        let pool = pool(1, 1);
        let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
        let began = Arc::new(AtomicUsize::new(0));
        let mut given_up = Box::pin({
            let began = Arc::clone(&began);
            pool.run(BIA, Turn::Shared, move || Ok(began.fetch_add(1, Ordering::SeqCst)))
        });
        assert!(poll_immediate(given_up.as_mut()).await.is_none());
        assert_eq!(pool.waiting(), 1);
        drop(given_up);
        assert_eq!(pool.waiting(), 0);
        release.send(()).unwrap();
        assert!(busy.await.unwrap().is_ok());
        assert!(pool.run(ANA, Turn::Shared, || Ok(())).await.is_ok());
        assert_eq!(began.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn work_that_waits_too_long_is_given_up_and_work_that_has_begun_is_not() {
        let wait_max = Duration::from_millis(20);
        let mut pool = BlockingPool::new("tested", 1, 1).unwrap();
        pool.wait_max = wait_max;
        let pool = Arc::new(pool);
        let (release, busy) = occupy(&pool, ANA, Turn::Shared).await;
        let arrived = Instant::now();
        let refused = pool.run(ANA, Turn::Shared, || Ok(())).await;
        assert!(refused.is_err());
        assert!(arrived.elapsed() >= wait_max);
        // What has begun is waited for, however long it takes.
        release.send(()).unwrap();
        assert!(busy.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error_and_its_thread_goes_on() {
        let pool = pool(1, 1);
        assert!(pool.run(ANA, Turn::Exclusive, || -> Result<()> { panic!("on purpose") }).await.is_err());
        assert!(pool.run(ANA, Turn::Exclusive, || Ok(())).await.is_ok());
        idle(&pool).await;
    }
}
