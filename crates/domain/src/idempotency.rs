//! Requests that may be sent again: a key names one, and what was answered to it is kept for a day.
//!
//! The answer is kept in the very transaction of the work, so both are there or neither is, whatever
//! crashes. Writers of one profile queue, so of two requests with one key the second finds the
//! answer of the first; nothing has to be marked as in progress.

use crate::error::Result;

/// Hours an answer is kept.
pub const KEPT_HOURS: i32 = 24;
/// Characters in a key at the most.
pub const KEY_CHARS_MAX: usize = 255;
/// Bytes in a fingerprint.
pub const FINGERPRINT_BYTES: usize = 32;

/// The name a client gave to a request: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The key, or what is wrong with it.
    ///
    /// ```
    /// use finance_domain::idempotency::Key;
    ///
    /// assert!(Key::new("0b6f3c1e-4f0a").is_ok());
    /// assert!(Key::new("").is_err());
    /// assert!(Key::new("two words").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// What a key must be.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let is_sound = (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_sound { Ok(Key(text.to_string())) } else { Err("must be 1 to 255 visible ASCII characters") }
    }

    /// The key as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What the client calls it.
    pub key: Key,
    /// What it asks for, digested: requests that differ have other fingerprints.
    pub fingerprint: [u8; FINGERPRINT_BYTES],
}

/// What was answered. The rules pass it on as it is; it speaks the language of whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// How it went.
    pub status: u16,
    /// Where the thing made is, if one was made that has a place.
    pub location: Option<String>,
    /// The content.
    pub body: Vec<u8>,
}

/// An answer with the fingerprint of the request it was given to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The request's.
    pub fingerprint: [u8; FINGERPRINT_BYTES],
    /// Its answer.
    pub answer: Answer,
}

/// How a request with a key was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// By doing it.
    Done(Answer),
    /// It was done before; this is what was answered then.
    Replayed(Answer),
}

/// Where answers are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait IdempotencyRepo {
    /// Forgets the profile's answers that are older than that, then looks for the one under the key.
    fn answer_find(&mut self, key: &Key, kept_hours: i32) -> Result<Option<KeptAnswer>>;
    /// Keeps an answer under a key that has none.
    fn answer_keep(&mut self, request: &Request, answer: &Answer) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_1_to_255_visible_ascii_characters() {
        for sound in ["a", "!", "~", &"k".repeat(255)] {
            assert_eq!(Key::new(sound).map(|key| key.as_str().to_string()).as_deref(), Ok(sound));
        }
        for odd in ["", " ", "a b", "a\t", "a\n", "\u{7f}", "ação", &"k".repeat(256)] {
            assert!(Key::new(odd).is_err(), "{odd:?}");
        }
    }
}
