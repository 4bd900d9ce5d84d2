//! The channels by which notices leave the machine, and how the attempts ended.

use std::sync::atomic::{AtomicU64, Ordering};

use finance_domain::notices::{Channel, Destination, Message, NoticeSender, Outcome};
use finance_domain::webhooks::Failure;
use time::OffsetDateTime;

use crate::encryption::is_point;
use crate::mail::Mail;
use crate::push::Push;

/// How an attempt can end, as metrics call it.
pub const OUTCOMES: [&str; 5] = ["sent", "gone", "delayed", "refused", "unreachable"];

/// The channels that are configured.
#[derive(Debug, Default)]
pub struct Channels {
    push: Option<Push>,
    mail: Option<Mail>,
    attempts: Attempts,
}

impl Channels {
    /// Sends by these channels.
    pub fn new(push: Option<Push>, mail: Option<Mail>) -> Self {
        Channels { push, mail, attempts: Attempts::default() }
    }

    /// The attempts so far.
    pub fn attempts(&self) -> &Attempts {
        &self.attempts
    }
}

impl NoticeSender for Channels {
    fn push_key(&self) -> Option<&str> {
        self.push.as_ref().map(Push::public_key)
    }

    fn has_mail(&self) -> bool {
        self.mail.is_some()
    }

    fn is_public_key(&self, p256dh: &[u8]) -> bool {
        is_point(p256dh)
    }

    fn send(&self, destination: &Destination, message: &Message, now: OffsetDateTime) -> Outcome {
        let outcome = match (destination, &self.push, &self.mail) {
            (Destination::Push(target), Some(push), _) => push.send(target, message, now),
            (Destination::Email(address), _, Some(mail)) => mail.send(address, message, now),
            // The setting was removed after the address was stored.
            (Destination::Push(_), None, _) | (Destination::Email(_), _, None) => Outcome::Failed(Failure::Stopped),
        };
        self.attempts.count(destination.channel(), outcome);
        outcome
    }
}

/// How many attempts ended in which way, by channel.
#[derive(Debug, Default)]
pub struct Attempts {
    push: [AtomicU64; OUTCOMES.len()],
    email: [AtomicU64; OUTCOMES.len()],
}

impl Attempts {
    /// The number of attempts on a channel that ended as the outcome at this place of [`OUTCOMES`].
    pub fn of(&self, channel: Channel, outcome: usize) -> u64 {
        let counts = self.counts(channel);
        counts.and_then(|counts| counts.get(outcome)).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    fn count(&self, channel: Channel, outcome: Outcome) {
        let at = match outcome {
            Outcome::Done => 0,
            Outcome::Gone => 1,
            Outcome::RetryAfter(_) => 2,
            Outcome::Failed(Failure::Status | Failure::Redirect | Failure::Stopped) => 3,
            Outcome::Failed(Failure::Unresolved | Failure::Timeout | Failure::Connection) => 4,
        };
        if let Some(count) = self.counts(channel).and_then(|counts| counts.get(at)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Nothing is sent by the page.
    fn counts(&self, channel: Channel) -> Option<&[AtomicU64; OUTCOMES.len()]> {
        match channel {
            Channel::Push => Some(&self.push),
            Channel::Email => Some(&self.email),
            Channel::Page => None,
        }
    }
}
