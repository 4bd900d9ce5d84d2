//! Idempotent requests, which a client may send again. A key names a request, and its answer is kept for a day, as
//! long as the answers of the profile do not take too much space.
//!
//! The answer is stored in the transaction of the work, so after a crash either both exist or neither
//! does. Writers of one profile wait for each other. Of two requests with the same key, the second
//! therefore finds the answer of the first, and no request has to be marked as in progress.

use crate::error::Result;
use crate::ids::ChangeId;
use crate::violations::Violation;

/// How long an answer is kept, in hours.
pub const KEPT_HOURS: i32 = 24;
/// What the answers of a profile may take together, in bytes. Beyond it the oldest ones are forgotten earlier.
pub const ANSWERS_BYTES_MAX: i64 = 256 * 1024 * 1024;
/// What an answer takes beside its body, in bytes.
pub const ANSWER_BYTES: i64 = 1024;
/// The most characters of a key.
pub const KEY_CHARS_MAX: usize = 255;
/// The number of bytes of a fingerprint.
pub const FINGERPRINT_BYTES: usize = 32;

/// The key that a client gave to a request: 1 to 255 visible ASCII characters.
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
    /// [`Violation::InvalidKey`].
    pub fn new(text: &str) -> Result<Self, Violation> {
        let is_sound = (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_sound { Ok(Key(text.to_string())) } else { Err(Violation::InvalidKey) }
    }

    /// The key as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The key that the client gave to it.
    pub key: Key,
    /// A digest of its content. Different requests have different fingerprints.
    pub fingerprint: [u8; FINGERPRINT_BYTES],
}

/// A stored answer. It is returned unchanged; the caller defines its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status of the answer, as a code of the caller.
    pub code: u16,
    /// The location of the created resource, in the notation of the caller. None if nothing was created.
    pub location: Option<String>,
    /// The content.
    pub body: Vec<u8>,
    /// The change that the request made, if it was recorded.
    pub change_id: Option<ChangeId>,
}

/// An answer, with the fingerprint of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The fingerprint of the request.
    pub fingerprint: [u8; FINGERPRINT_BYTES],
    /// The answer to it.
    pub answer: Answer,
}

/// How a request with a key was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was executed now.
    Done(Answer),
    /// It was executed before, with this answer.
    Replayed(Answer),
}

/// The port of answers. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait IdempotencyRepo {
    /// Deletes the profile's answers that are older than `kept_hours`, then looks for the answer with the key.
    fn answer_find(&mut self, key: &Key, kept_hours: i32) -> Result<Option<KeptAnswer>>;
    /// Stores an answer for a key that has none, and deletes the oldest ones if all together take more than [`ANSWERS_BYTES_MAX`].
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
