//! Passwords: bcrypt, at a cost that a small machine bears.

use std::sync::LazyLock;

use finance_domain::{Error, Result};

/// The binary logarithm of bcrypt's rounds: OWASP's minimum, some 50 ms on a small machine.
const COST: u32 = 10;

/// What an unknown name's password is compared with, so that it takes as long as a known one's.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| bcrypt::hash("no profile has this password", COST).unwrap_or_default());

/// Hashes a password. Takes tens of milliseconds on purpose: never call it on an async worker.
///
/// ```
/// use finance_http::passwords;
///
/// let hash = passwords::hash("correct horse")?;
/// assert!(passwords::verify("correct horse", Some(&hash))?);
/// assert!(!passwords::verify("correct horse", None)?, "no profile, no match, same time");
/// # Ok::<(), finance_domain::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Internal`] where the system has no randomness.
pub fn hash(password: &str) -> Result<String> {
    bcrypt::hash(password, COST).map_err(|error| Error::Internal(Box::new(error)))
}

/// Whether the password is the one behind the hash; without a hash it is not, after the same time.
///
/// # Errors
///
/// [`Error::Internal`] where the hash is not bcrypt's.
pub fn verify(password: &str, hash: Option<&str>) -> Result<bool> {
    // bcrypt reads 72 bytes; more would match what it is cut to, and a NUL ends it.
    let readable = password.len() <= finance_domain::profiles::PASSWORD_BYTES_MAX && !password.contains('\0');
    let compared = if readable { password } else { "" };
    let matches =
        bcrypt::verify(compared, hash.unwrap_or(&DUMMY_HASH)).map_err(|error| Error::Internal(Box::new(error)))?;
    Ok(matches && readable && hash.is_some())
}

/// Computes what unknown names are compared with, so that the first login of all takes no longer.
pub(crate) fn warm_up() {
    LazyLock::force(&DUMMY_HASH);
}
