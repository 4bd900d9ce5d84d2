//! The profiles of the tokens that were presented. A request is bound to its profile in the same round trip that proves its
//! token, and is counted to its profile before that.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use finance_domain::ProfileId;
use finance_domain::credentials::SecretHash;
use time::Date;

/// The most tokens that are remembered. Beyond that all are forgotten, and looked up again.
const TOKENS_MAX: usize = 10_000;

/// The tokens that this process knows. A token keeps its profile, and only the profile is remembered: a revoked token is still
/// refused.
#[derive(Debug, Default)]
pub(crate) struct KnownTokens(Mutex<HashMap<SecretHash, Known>>);

#[derive(Debug, Clone, Copy)]
struct Known {
    profile_id: ProfileId,
    noted_on: Option<Date>,
}

impl KnownTokens {
    /// The profile of a token.
    pub(crate) fn profile_of(&self, hash: &SecretHash) -> Option<ProfileId> {
        self.lock().get(hash).map(|known| known.profile_id)
    }

    /// Remembers a token's profile.
    pub(crate) fn remember(&self, hash: SecretHash, profile_id: ProfileId) {
        let mut known = self.lock();
        if known.len() >= TOKENS_MAX {
            known.clear();
        }
        known.insert(hash, Known { profile_id, noted_on: None });
    }

    /// Forgets a token that was refused: after a restore it may belong to another profile.
    pub(crate) fn forget(&self, hash: &SecretHash) {
        self.lock().remove(hash);
    }

    /// Whether the use of a token on a date is still to be noted.
    pub(crate) fn is_unnoted(&self, hash: &SecretHash, today: Date) -> bool {
        self.lock().get(hash).is_some_and(|known| known.noted_on != Some(today))
    }

    /// Remembers that the use of a token on a date is noted.
    pub(crate) fn noted(&self, hash: &SecretHash, today: Date) {
        if let Some(known) = self.lock().get_mut(hash) {
            known.noted_on = Some(today);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SecretHash, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_use_is_noted_once_a_day() {
        let known = KnownTokens::default();
        let (hash, today) = (SecretHash([7; 32]), date!(2026 - 03 - 15));
        assert!(!known.is_unnoted(&hash, today), "an unknown token is noted by nobody");
        known.remember(hash, ProfileId(1));
        assert!(known.is_unnoted(&hash, today));
        known.noted(&hash, today);
        assert!(!known.is_unnoted(&hash, today));
        assert!(known.is_unnoted(&hash, date!(2026 - 03 - 16)));
        known.forget(&hash);
        assert_eq!(known.profile_of(&hash), None);
    }

    #[test]
    fn what_is_remembered_is_limited() {
        let known = KnownTokens::default();
        for number in 0..=TOKENS_MAX {
            let mut hash = [0; 32];
            hash[..8].copy_from_slice(&number.to_be_bytes());
            known.remember(SecretHash(hash), ProfileId(1));
        }
        assert_eq!(known.lock().len(), 1);
    }
}
