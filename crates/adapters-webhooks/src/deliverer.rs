//! The threads that take turns at the profiles' webhooks.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use finance_domain::error::Chain;
use finance_domain::store::Outbox;
use finance_domain::use_cases::webhooks::take_turn;
use finance_domain::webhooks::WebhookSender;
use finance_domain::{Clock, ProfileId};

/// Turns at once, each of another profile.
pub const DELIVERIES_AT_ONCE_MAX: usize = 4;
/// Profiles that are looked at, of which some may be at work or resting.
const PROFILES_LOOKED_AT_MAX: usize = 64;
/// How often it is looked whose turn it is.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Delivers until it is dropped. What is being sent then is waited for.
pub struct Deliverer {
    events: Sender<Event>,
    thread: Option<JoinHandle<()>>,
}

enum Event {
    /// The turn at a profile has ended, and something was sent or nothing was.
    Ended { profile_id: ProfileId, has_sent: bool },
    /// Nothing more is to be begun.
    Stop,
}

/// What a turn takes.
struct Parts {
    outbox: Arc<dyn Outbox>,
    sender: Arc<dyn WebhookSender>,
    clock: Arc<dyn Clock>,
}

impl Deliverer {
    /// Begins to deliver.
    ///
    /// # Errors
    ///
    /// Where the system cannot create a thread.
    pub fn start(outbox: Arc<dyn Outbox>, sender: Arc<dyn WebhookSender>, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let (events, received) = mpsc::channel();
        let parts = Arc::new(Parts { outbox, sender, clock });
        let own = events.clone();
        let thread = thread::Builder::new().name("webhooks".into()).spawn(move || run(&parts, &own, &received))?;
        Ok(Deliverer { events, thread: Some(thread) })
    }
}

impl Drop for Deliverer {
    fn drop(&mut self) {
        // The thread is gone where it has panicked.
        let _ = self.events.send(Event::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(parts: &Arc<Parts>, events: &Sender<Event>, received: &Receiver<Event>) {
    let mut busy: HashSet<ProfileId> = HashSet::new();
    // Nothing could be done for them now; they are left alone until the next look.
    let mut resting: HashSet<ProfileId> = HashSet::new();
    let mut rested_at = Instant::now();
    let mut told = String::new();
    let mut is_stopped = false;
    while !(is_stopped && busy.is_empty()) {
        if rested_at.elapsed() >= LOOK_INTERVAL {
            resting.clear();
            rested_at = Instant::now();
        }
        let free = DELIVERIES_AT_ONCE_MAX.saturating_sub(busy.len());
        if free > 0 && !is_stopped {
            match parts.outbox.profiles_due(parts.clock.now(), PROFILES_LOOKED_AT_MAX) {
                Ok(due) => {
                    told.clear();
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
                // Said once for each outage.
                Err(error) => {
                    let problem = Chain(&error).to_string();
                    if problem != told {
                        log::warn!("webhooks cannot be looked after: {problem}");
                    }
                    told = problem;
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

/// Takes a turn on a thread of its own. Returns false where there is none to be had.
fn begin(parts: &Arc<Parts>, events: &Sender<Event>, profile_id: ProfileId) -> bool {
    let (parts, ended) = (Arc::clone(parts), Ended { events: events.clone(), profile_id, has_sent: false });
    let spawned = thread::Builder::new().name("webhook".into()).spawn(move || {
        // Sent when it is dropped, whatever happens here.
        let mut ended = ended;
        let Parts { outbox, sender, clock } = parts.as_ref();
        let now = || clock.now();
        match take_turn(outbox.as_ref(), sender.as_ref(), profile_id, clock.today(), &now) {
            Ok(has_sent) => ended.has_sent = has_sent,
            Err(error) => {
                log::warn!("the webhooks of profile {profile_id} could not be looked after: {}", Chain(&error));
            }
        }
    });
    if let Err(error) = &spawned {
        log::warn!("no thread for a webhook: {error}");
    }
    spawned.is_ok()
}

/// Tells that a turn has ended, when it is dropped.
struct Ended {
    events: Sender<Event>,
    profile_id: ProfileId,
    has_sent: bool,
}

impl Drop for Ended {
    fn drop(&mut self) {
        // Nobody listens after the end.
        let _ = self.events.send(Event::Ended { profile_id: self.profile_id, has_sent: self.has_sent });
    }
}
