//! The second factor of a login: codes of an authenticator (TOTP, RFC 6238), and recovery codes for when it is lost.

use std::fmt;

use crate::credentials::SecretHash;
use crate::error::Result;

/// How many recovery codes come with a second factor.
pub const RECOVERY_CODES: usize = 10;

/// What a member's authenticator and the service share. Codes are made of it, so the service has to know it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FactorSecret(pub [u8; 20]);

impl fmt::Debug for FactorSecret {
    /// Says nothing of the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FactorSecret(..)")
    }
}

/// The second factor of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondFactor {
    /// What codes are made of.
    pub secret: FactorSecret,
    /// Whether a code has confirmed it. Logins ask for none before.
    pub is_confirmed: bool,
}

/// What a code is, and by what it is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The authenticator's code of that time step: neither it nor an older one is accepted again.
    Step(i64),
    /// It has the form of a recovery code, and this hash.
    Recovery(SecretHash),
}

/// Judges the code of a request: what it is, where it is one for the secret at this time.
pub type Judge = Box<dyn FnOnce(&FactorSecret) -> Result<Option<Evidence>> + Send>;

/// The port of the second factor of the member for whom the transaction runs. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait SecondFactorRepo {
    /// Keeps a secret that is not confirmed yet, instead of an earlier one that was not. Returns false where one is in effect.
    fn factor_begin(&mut self, secret: &FactorSecret) -> Result<bool>;
    /// Puts the secret into effect with the hashes of its recovery codes. The code of the step is used by that. Returns false
    /// where the member has another secret by now, or one that is in effect.
    fn factor_confirm(&mut self, secret: &FactorSecret, step: i64, recovery: &[SecretHash]) -> Result<bool>;
    /// Removes the second factor and its recovery codes. Returns whether there was one.
    fn factor_remove(&mut self) -> Result<bool>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_log_of_a_second_factor_has_its_secret() {
        let factor = SecondFactor { secret: FactorSecret([0xab; 20]), is_confirmed: true };
        let told = format!("{factor:?}");
        assert_eq!(told, "SecondFactor { secret: FactorSecret(..), is_confirmed: true }");
    }
}
