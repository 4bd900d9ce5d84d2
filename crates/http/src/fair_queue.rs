//! A queue that shares a limited number of places fairly between requesters: threads ([`BlockingPool`](crate::blocking)), and
//! permits for memory and connections ([`Permits`](crate::permits)).
//!
//! Each requester has a lane. A free place goes to the oldest job of the next requester in turn, so the wait of one does not grow
//! with the requests of another. A requester has at most a share of the places, and its exclusive jobs have one at a time: they
//! wait in the queue, where they occupy neither a thread nor a connection.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use finance_domain::{Error, ProfileId, Result};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The most waiting jobs. Beyond it only a requester without waiting jobs may queue.
const WAITING_MAX: usize = 1_024;
/// The most waiting jobs of one requester.
pub(crate) const WAITING_SHARE_MAX: usize = 128;
/// How long a job may wait for its turn.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(10);

/// The owner of jobs, between whom the places are shared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Requester {
    /// A profile.
    Profile(ProfileId),
    /// An address, for requests without a known profile.
    Address(String),
}

/// Whether a job may run concurrently with other jobs of the same requester.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Concurrently with any job.
    Shared,
    /// Not concurrently with other exclusive jobs of the requester, for which it would only wait.
    Exclusive,
}

/// The error of a full queue, and of a job that has waited too long.
pub(crate) fn overloaded() -> Error {
    Error::Unavailable("the queue is full".into())
}

/// The queue, shared by those who wait and those who have a place.
pub(crate) struct FairQueue<J>(Arc<Mutex<Queue<J>>>);

impl<J> Clone for FairQueue<J> {
    fn clone(&self) -> Self {
        FairQueue(Arc::clone(&self.0))
    }
}

impl<J> FairQueue<J> {
    /// A queue for `size` places, of which one requester has at most `share`.
    pub(crate) fn new(size: usize, share: usize) -> Self {
        FairQueue(Arc::new(Mutex::new(Queue {
            size,
            share,
            lanes: HashMap::new(),
            turns: VecDeque::new(),
            waiting: 0,
            places: 0,
            last_id: 0,
        })))
    }

    /// The running jobs.
    pub(crate) fn in_use(&self) -> usize {
        self.lock().lanes.values().map(|lane| lane.at_work).sum()
    }

    /// The waiting jobs.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting
    }

    /// Queues a job. Returns its place in the queue, and whether another job may begin now: then the caller has to see that one is
    /// taken.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the queue is full.
    pub(crate) fn push(&self, requester: Requester, turn: Turn, job: J) -> Result<(Waiting<J>, bool)> {
        let mut queue = self.lock();
        let id = queue.push(&requester, turn, job).ok_or_else(overloaded)?;
        let may_begin = queue.occupy(&requester);
        Ok((Waiting { queue: self.clone(), requester, turn, id }, may_begin))
    }

    /// Takes the next job for a free place. If there is none, the place is given back.
    pub(crate) fn take(&self) -> Option<(Place<J>, J)> {
        self.lock().take().map(|next| self.begun(next))
    }

    fn begun(&self, (requester, entry): (Requester, Entry<J>)) -> (Place<J>, J) {
        (Place { queue: self.clone(), requester, turn: entry.turn }, entry.job)
    }

    fn lock(&self) -> MutexGuard<'_, Queue<J>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a running job occupies. It has to be passed on when the job has ended.
#[must_use]
pub(crate) struct Place<J> {
    queue: FairQueue<J>,
    requester: Requester,
    turn: Turn,
}

impl<J> Place<J> {
    /// Records the end of the job and takes the next one.
    pub(crate) fn pass_on(self) -> Option<(Place<J>, J)> {
        let mut queue = self.queue.lock();
        queue.finished(&self.requester, self.turn);
        let next = queue.take();
        drop(queue);
        next.map(|next| self.queue.begun(next))
    }
}

/// A job's place in the queue. Dropping it removes a waiting job.
pub(crate) struct Waiting<J> {
    queue: FairQueue<J>,
    requester: Requester,
    turn: Turn,
    id: u64,
}

impl<J> Waiting<J> {
    /// Waits for what the job sends, but no longer than `wait_max` for its turn.
    pub(crate) async fn receive<T>(self, mut result: oneshot::Receiver<T>, wait_max: Duration) -> Result<T> {
        let received = match timeout(wait_max, &mut result).await {
            Ok(received) => received,
            Err(_) if self.give_up() => return Err(overloaded()),
            Err(_) => result.await,
        };
        received.map_err(|gone| Error::Internal(Box::new(gone)))
    }

    /// Removes the job. Returns whether it was still waiting.
    fn give_up(&self) -> bool {
        self.queue.lock().remove(&self.requester, self.turn, self.id)
    }
}

impl<J> Drop for Waiting<J> {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// All waiting jobs, and the number of running jobs of each requester.
struct Queue<J> {
    size: usize,
    share: usize,
    lanes: HashMap<Requester, Lane<J>>,
    /// The requesters with waiting jobs, in the order of their turns.
    turns: VecDeque<Requester>,
    waiting: usize,
    /// The occupied places. While there are fewer than `size`, none of the waiting jobs may begin.
    places: usize,
    last_id: u64,
}

/// The jobs of one requester.
struct Lane<J> {
    shared: VecDeque<Entry<J>>,
    exclusive: VecDeque<Entry<J>>,
    at_work: usize,
    is_exclusive_at_work: bool,
}

struct Entry<J> {
    /// Grows with each arrival.
    id: u64,
    turn: Turn,
    job: J,
}

impl<J> Queue<J> {
    /// Queues a job and returns its id, or `None` if the queue is full.
    fn push(&mut self, requester: &Requester, turn: Turn, job: J) -> Option<u64> {
        let waiting_of_requester = self.lanes.get(requester).map_or(0, Lane::waiting);
        if waiting_of_requester >= WAITING_SHARE_MAX || (self.waiting >= WAITING_MAX && waiting_of_requester > 0) {
            return None;
        }
        if waiting_of_requester == 0 {
            self.turns.push_back(requester.clone());
        }
        self.last_id += 1;
        self.waiting += 1;
        let entry = Entry { id: self.last_id, turn, job };
        self.lanes.entry(requester.clone()).or_default().entries(turn).push_back(entry);
        Some(self.last_id)
    }

    /// Whether the job that was just queued may have a free place, which is then occupied.
    fn occupy(&mut self, requester: &Requester) -> bool {
        let share = self.share;
        let may_begin = self.lanes.get(requester).is_some_and(|lane| lane.next(share).is_some());
        let is_free = may_begin && self.places < self.size;
        self.places += usize::from(is_free);
        is_free
    }

    /// Takes the next job. If there is none, the place of the caller is free again.
    fn take(&mut self) -> Option<(Requester, Entry<J>)> {
        // A requester is skipped only if it has running jobs, so at most as many are skipped as there are places.
        for _ in 0..self.turns.len() {
            let requester = self.turns.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&requester) else { continue };
            let entry = lane.next(self.share).and_then(|turn| lane.entries(turn).pop_front());
            if lane.waiting() > 0 {
                self.turns.push_back(requester.clone());
            }
            if let Some(entry) = entry {
                lane.at_work += 1;
                lane.is_exclusive_at_work |= entry.turn == Turn::Exclusive;
                self.waiting -= 1;
                return Some((requester, entry));
            }
        }
        self.places -= 1;
        None
    }

    fn finished(&mut self, requester: &Requester, turn: Turn) {
        let Some(lane) = self.lanes.get_mut(requester) else { return };
        lane.at_work -= 1;
        lane.is_exclusive_at_work &= turn != Turn::Exclusive;
        self.forget_if_idle(requester);
    }

    /// Removes a waiting job. Returns whether it was still waiting.
    fn remove(&mut self, requester: &Requester, turn: Turn, id: u64) -> bool {
        let Some(lane) = self.lanes.get_mut(requester) else { return false };
        let entries = lane.entries(turn);
        let Ok(at) = entries.binary_search_by_key(&id, |entry| entry.id) else { return false };
        entries.remove(at);
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

impl<J> Default for Lane<J> {
    fn default() -> Self {
        Lane { shared: VecDeque::new(), exclusive: VecDeque::new(), at_work: 0, is_exclusive_at_work: false }
    }
}

impl<J> Lane<J> {
    fn waiting(&self) -> usize {
        self.shared.len() + self.exclusive.len()
    }

    fn entries(&mut self, turn: Turn) -> &mut VecDeque<Entry<J>> {
        match turn {
            Turn::Shared => &mut self.shared,
            Turn::Exclusive => &mut self.exclusive,
        }
    }

    /// Which job may begin: the oldest one, but an exclusive one only when no other one runs.
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
