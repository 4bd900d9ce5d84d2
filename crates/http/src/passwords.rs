//! Password hashes, by bcrypt.

use std::sync::LazyLock;

use finance_domain::{Error, Result};

/// The cost of bcrypt, a binary logarithm: OWASP's minimum, about 50 ms on a small machine.
const COST: u32 = 10;

/// The hash that passwords of unknown names are compared with, so that both take the same time.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| bcrypt::hash("no profile has this password", COST).unwrap_or_default());

/// Hashes a password. It takes tens of milliseconds, so never call it on an async worker.
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
/// [`Error::Internal`] if the system provides no random bytes.
pub fn hash(password: &str) -> Result<String> {
    bcrypt::hash(password, COST).map_err(|error| Error::Internal(Box::new(error)))
}

/// Whether the password matches the hash. Without a hash it returns false after the same time.
///
/// # Errors
///
/// [`Error::Internal`] if the hash is not a bcrypt hash.
pub fn verify(password: &str, hash: Option<&str>) -> Result<bool> {
    // bcrypt uses 72 bytes and stops at a NUL: a longer password would match its beginning.
    let readable = password.len() <= finance_domain::profiles::PASSWORD_BYTES_MAX && !password.contains('\0');
    let compared = if readable { password } else { "" };
    let matches =
        bcrypt::verify(compared, hash.unwrap_or(&DUMMY_HASH)).map_err(|error| Error::Internal(Box::new(error)))?;
    Ok(matches && readable && hash.is_some())
}

/// Computes the hash for unknown names in advance, so that the first login does not take longer.
pub(crate) fn warm_up() {
    LazyLock::force(&DUMMY_HASH);
}
