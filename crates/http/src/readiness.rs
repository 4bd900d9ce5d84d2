//! The readiness check, shared by all who ask for it.
//!
//! Anyone may ask, without a credential and on many connections at once. So one check runs at a time, on a thread of its own. All
//! who ask while it runs get its answer, as do those who ask shortly after it: however many ask, nobody has to queue, and the
//! database sees no more than some checks a second.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use finance_domain::{Error, Result};
use tokio::sync::watch;
use tokio::time::timeout;

/// How long an answer is given to others.
const KEPT: Duration = Duration::from_millis(100);
/// How long a request waits for an answer.
const WAIT_MAX: Duration = Duration::from_millis(900);

/// A check that runs once for all who ask.
pub(crate) struct SharedCheck {
    /// Wakes the thread. It ends when this is dropped.
    begin: mpsc::Sender<()>,
    state: Arc<State>,
}

struct State {
    is_running: Mutex<bool>,
    /// The last answer; `None` before the first one.
    answers: watch::Sender<Option<Answer>>,
}

#[derive(Clone)]
struct Answer {
    given_at: Instant,
    result: Result<(), Arc<Error>>,
}

impl SharedCheck {
    /// Starts the thread of the check.
    pub(crate) fn start(check: impl Fn() -> Result<()> + Send + 'static) -> io::Result<Self> {
        let state = Arc::new(State { is_running: Mutex::new(false), answers: watch::Sender::new(None) });
        let (begin, begun) = mpsc::channel();
        let of_thread = Arc::clone(&state);
        thread::Builder::new().name("readiness".into()).spawn(move || {
            for () in begun {
                let checked = catch_unwind(AssertUnwindSafe(&check));
                let result = checked.unwrap_or_else(|_| Err(Error::Internal("the check panicked".into())));
                of_thread.ended(result.map_err(Arc::new));
            }
        })?;
        Ok(SharedCheck { begin, state })
    }

    /// The answer of the check that runs, of one that ended just now, or else of a new one.
    pub(crate) async fn ask(&self) -> Result<()> {
        let mut answers = {
            let mut is_running = self.state.is_running.lock().unwrap_or_else(PoisonError::into_inner);
            let answers = self.state.answers.subscribe();
            let last = answers.borrow().clone();
            if let Some(answer) = last.filter(|answer| answer.given_at.elapsed() < KEPT) {
                return answer.result.map_err(|error| shared(&error));
            }
            if !*is_running {
                self.begin.send(()).map_err(|gone| Error::Internal(Box::new(gone)))?;
                *is_running = true;
            }
            answers
        };
        let in_time = timeout(WAIT_MAX, answers.changed()).await;
        let Ok(Ok(())) = in_time else {
            return Err(Error::Unavailable("the store does not answer in time".into()));
        };
        let answer = answers.borrow().clone();
        answer.map_or(Ok(()), |answer| answer.result).map_err(|error| shared(&error))
    }
}

impl State {
    fn ended(&self, result: Result<(), Arc<Error>>) {
        // Under the lock, so that whoever found the check running is subscribed already.
        let mut is_running = self.is_running.lock().unwrap_or_else(PoisonError::into_inner);
        *is_running = false;
        self.answers.send_replace(Some(Answer { given_at: Instant::now(), result }));
    }
}

/// One of several copies of an error. All but bugs mean that the service is not ready.
fn shared(error: &Arc<Error>) -> Error {
    let copy = Box::new(Shared(Arc::clone(error)));
    match error.as_ref() {
        Error::Internal(_) => Error::Internal(copy),
        _ => Error::Unavailable(copy),
    }
}

/// The cause of a shared error.
#[derive(Debug)]
struct Shared(Arc<Error>);

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::error::Error::source(self.0.as_ref()) {
            Some(cause) => write!(f, "{cause}"),
            None => write!(f, "{}", self.0),
        }
    }
}

impl std::error::Error for Shared {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.0.as_ref()).and_then(std::error::Error::source)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use finance_domain::error::Chain;
    use futures_util::future::{join_all, poll_immediate};

    use super::*;

    /// A check that waits for a word of the test, and how often it was made.
    fn held(result: fn() -> Result<()>) -> (SharedCheck, mpsc::Sender<()>, Arc<AtomicUsize>) {
        let (release, released) = mpsc::channel();
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let check = SharedCheck::start(move || {
            count.fetch_add(1, Ordering::SeqCst);
            released.recv().expect("the test");
            result()
        });
        (check.unwrap(), release, made)
    }

    #[tokio::test]
    async fn however_many_ask_there_is_one_check_and_all_get_its_answer() {
        let (check, release, made) = held(|| Ok(()));
        let mut pending = Box::pin(join_all((0..1_000).map(|_| check.ask())));
        assert!(poll_immediate(&mut pending).await.is_none(), "all of them wait");
        release.send(()).unwrap();
        let answers = pending.await;
        assert!(answers.len() == 1_000 && answers.iter().all(Result::is_ok));
        // The answer is kept for those who come next.
        check.ask().await.unwrap();
        assert_eq!(made.load(Ordering::SeqCst), 1);
        tokio::time::sleep(KEPT).await;
        release.send(()).unwrap();
        check.ask().await.unwrap();
        assert_eq!(made.load(Ordering::SeqCst), 2, "not forever");
    }

    #[tokio::test]
    async fn whoever_hangs_up_neither_ends_the_check_nor_begins_another() {
        let (check, release, made) = held(|| Ok(()));
        for _ in 0..100 {
            assert!(poll_immediate(Box::pin(check.ask())).await.is_none());
        }
        let mut pending = Box::pin(check.ask());
        assert!(poll_immediate(&mut pending).await.is_none());
        release.send(()).unwrap();
        pending.await.unwrap();
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn all_are_told_why_the_store_is_not_ready_and_whether_it_is_a_bug() {
        let (check, release, _) = held(|| Err(Error::Unavailable("no route to host".into())));
        let pending = join_all([check.ask(), check.ask()]);
        release.send(()).unwrap();
        for answer in pending.await {
            assert_eq!(Chain(&answer.unwrap_err()).to_string(), "unavailable: no route to host");
        }
        let (check, release, _) = held(|| panic!("of this test"));
        release.send(()).unwrap();
        assert!(matches!(check.ask().await, Err(Error::Internal(_))));
        release.send(()).unwrap();
        tokio::time::sleep(KEPT).await;
        assert!(check.ask().await.is_err(), "the thread lives on");
    }

    #[tokio::test]
    async fn a_check_that_does_not_end_is_given_up_by_each_who_asks() {
        let (check, release, made) = held(|| Ok(()));
        let late = check.ask().await;
        assert!(matches!(late, Err(Error::Unavailable(_))));
        assert!(check.ask().await.is_err());
        assert_eq!(made.load(Ordering::SeqCst), 1, "no second one waits behind it");
        release.send(()).unwrap();
    }
}
