//! The threads that deliver the webhooks and notices of the profiles, one turn of one profile at a time on each thread.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use finance_domain::error::Chain;
use finance_domain::store::Outbox;
use finance_domain::use_cases::turns::{Senders, take_turn};
use finance_domain::{Clock, Context, ProfileId};

/// The most concurrent turns. Each is for a different profile. A turn mostly waits for the receiver: where a thousand households are told
/// at one hour and receivers take a third of a second, sixteen need twenty seconds.
pub const DELIVERIES_AT_ONCE_MAX: usize = 16;
/// The most profiles that one query reads. Some of them may be busy or resting.
const PROFILES_LOOKED_AT_MAX: usize = 64;
/// How often the deliverer looks for profiles with due deliveries.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Delivers until it is dropped. Dropping it waits for the deliveries that are being sent.
pub struct Deliverer {
    events: Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

enum Event {
    /// The turn of a profile has ended. `has_sent` is false if nothing was sent.
    Ended { profile_id: ProfileId, has_sent: bool },
    /// No new turn may begin.
    Stop,
}

/// What a turn needs.
struct Parts {
    outbox: Arc<dyn Outbox>,
    senders: Senders,
    clock: Arc<dyn Clock>,
    context: Box<dyn Fn() -> Context + Send + Sync>,
}

impl Deliverer {
    /// Starts to deliver. `context` is what use cases need on the present day.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub fn start(
        outbox: Arc<dyn Outbox>,
        senders: Senders,
        clock: Arc<dyn Clock>,
        context: impl Fn() -> Context + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (events, received) = mpsc::channel();
        let parts = Arc::new(Parts { outbox, senders, clock, context: Box::new(context) });
        let own = events.clone();
        let thread = thread::Builder::new().name("webhooks".into()).spawn(move || run(&parts, &own, &received))?;
        Ok(Deliverer { events, thread: Some(thread) })
    }
}

impl Drop for Deliverer {
    fn drop(&mut self) {
        // The send fails if the thread has panicked. Then there is nothing to stop.
        let _ = self.events.send(Event::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(parts: &Arc<Parts>, events: &Sender<Event>, received: &Receiver<Event>) {
    let mut busy: HashSet<ProfileId> = HashSet::new();
    // Profiles whose last turn sent nothing. They get no turn until the set is cleared, every `LOOK_INTERVAL`.
    let mut resting: HashSet<ProfileId> = HashSet::new();
    let mut rested_at = Instant::now();
    let mut logged = String::new();
    let mut is_stopped = false;
    while !(is_stopped && busy.is_empty()) {
        if rested_at.elapsed() >= LOOK_INTERVAL {
            resting.clear();
            rested_at = Instant::now();
        }
        let free = DELIVERIES_AT_ONCE_MAX.saturating_sub(busy.len());
        if free > 0 && !is_stopped {
            match parts.outbox.profiles_due(parts.clock.now(), parts.clock.today(), PROFILES_LOOKED_AT_MAX) {
                Ok(due) => {
                    logged.clear();
                    for profile_id in due
                        .into_iter()
                        .filter(|id| !busy.contains(id) && !resting.contains(id))
                        .take(free)
                        .collect::<Vec<_>>()
                    {
                        if begin(parts, events, profile_id) {
                            busy.insert(profile_id);
                        }
                    }
                }
                // The same problem is logged once per outage.
                Err(error) => {
                    let problem = Chain(&error).to_string();
                    if problem != logged {
                        log::warn!("webhooks and notices cannot be looked after: {problem}");
                    }
                    logged = problem;
                }
            }
        }
        match received.recv_timeout(LOOK_INTERVAL) {
            Ok(Event::Ended { profile_id, has_sent }) => {
                busy.remove(&profile_id);
                if !has_sent {
                    resting.insert(profile_id);
                }
            }
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => is_stopped = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Takes a turn on a new thread. Returns false if the system cannot create one.
fn begin(parts: &Arc<Parts>, events: &Sender<Event>, profile_id: ProfileId) -> bool {
    let (parts, ended) = (Arc::clone(parts), Ended { events: events.clone(), profile_id, has_sent: false });
    let spawned = thread::Builder::new().name("webhook".into()).spawn(move || {
        // The thread owns it, so its event is sent when the thread ends, even after a panic.
        let mut ended = ended;
        let Parts { outbox, senders, clock, context } = parts.as_ref();
        let now = || clock.now();
        match take_turn(outbox.as_ref(), senders, profile_id, &context(), &now) {
            Ok(has_sent) => ended.has_sent = has_sent,
            Err(error) => {
                log::warn!(
                    "the webhooks and notices of profile {profile_id} could not be looked after: {}",
                    Chain(&error)
                );
            }
        }
    });
    if let Err(error) = &spawned {
        log::warn!("no thread for a webhook: {error}");
    }
    spawned.is_ok()
}

/// Sends the event that a turn has ended when it is dropped.
struct Ended {
    events: Sender<Event>,
    profile_id: ProfileId,
    has_sent: bool,
}

impl Drop for Ended {
    fn drop(&mut self) {
        // The receiver may be gone at the end.
        let _ = self.events.send(Event::Ended { profile_id: self.profile_id, has_sent: self.has_sent });
    }
}
