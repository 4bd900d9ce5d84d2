//! The second factor of a login: codes of an authenticator (TOTP, RFC 6238), and recovery codes in case it is lost.

use std::fmt;

use crate::credentials::SecretHash;
use crate::error::Result;

/// How many recovery codes come with a second factor.
pub const RECOVERY_CODES: usize = 10;

/// The secret that a member's authenticator and the service share. Codes are computed from it, so the service must know it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FactorSecret(pub [u8; 20]);

impl fmt::Debug for FactorSecret {
    /// Does not show the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FactorSecret(..)")
    }
}

/// The second factor of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret from which codes are computed.
    pub secret: FactorSecret,
    /// Whether a code has confirmed it. Logins require no code before that.
    pub is_confirmed: bool,
}

/// The kind of a code, and the value that marks it as used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The authenticator's code of that time step. Once used, neither it nor an older code is accepted.
    Step(i64),
    /// A text in the form of a recovery code, with this hash.
    Recovery(SecretHash),
}

/// Judges the code of a request. Returns None if it is not a valid code for the secret at this time.
pub type Judge = Box<dyn FnOnce(&FactorSecret) -> Result<Option<Evidence>> + Send>;

/// The port of the second factor of the member for whom the transaction runs. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
pub trait SecondFactorRepo {
    /// Stores an unconfirmed secret. It replaces an earlier unconfirmed one. Returns false if a second factor is in effect.
    fn factor_begin(&mut self, secret: &FactorSecret) -> Result<bool>;
    /// Puts the secret into effect with the hashes of its recovery codes. This uses up the code of the step. Returns false if
    /// the member now has another secret, or one that is in effect.
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
        let text = format!("{factor:?}");
        assert_eq!(text, "SecondFactor { secret: FactorSecret(..), is_confirmed: true }");
    }
}
