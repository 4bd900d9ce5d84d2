//! The thread that forgets old changes.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use finance_domain::Clock;
use finance_domain::changes::Forgetting;
use finance_domain::changes::KeptSince;
use finance_domain::error::Chain;

/// How long it rests when there is nothing more to forget.
const REST: Duration = Duration::from_secs(10 * 60);
/// How long it rests between two transactions, so that others get their turn.
const PAUSE: Duration = Duration::from_millis(200);

/// Forgets until it is dropped. Dropping it waits for the transaction in progress.
pub(crate) struct Forgetter {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Forgetter {
    /// Starts to forget what is older than so many days.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub(crate) fn start(store: Arc<dyn Forgetting>, clock: Arc<dyn Clock>, days: u16) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let work = move || {
            let mut wait = REST.min(PAUSE);
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = match store.changes_forget(KeptSince::of(clock.now(), clock.today(), days).at, clock.today()) {
                    Ok(true) => PAUSE,
                    Ok(false) => REST,
                    Err(error) => {
                        log::warn!("old changes cannot be forgotten: {}", Chain(&error));
                        REST
                    }
                };
            }
        };
        let thread = thread::Builder::new().name("forgetting".into()).spawn(work)?;
        Ok(Forgetter { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Forgetter {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
