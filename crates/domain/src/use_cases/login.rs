//! Logging in: a name and a password against the credential, and a limit to guessing.

use crate::error::{Error, Result};
use crate::ids::ProfileId;
use crate::profiles::{Credential, Profile};
use crate::step::Step;
use crate::store::{LoginAttempt, Repo, Store};

/// Failed attempts for one name from one address within the window, of 15 minutes, before the next is not judged.
pub const FAILURES_MAX: u32 = 10;

/// How an attempt to log in ended.
#[derive(Debug, Clone)]
pub enum Login {
    /// The password is the one of this credential.
    Succeeded(Credential),
    /// It is not. Whose it would have been, if anybody's, is for the operator alone.
    Failed(Option<ProfileId>),
}

/// Judges a name and a password. `matches` compares the password with a hash; where there is none it must take as
/// long and be false.
///
/// The attempt is counted before it is judged, and taken back where it succeeds: however many come at once, no more than
/// [`FAILURES_MAX`] wrong ones are judged. The credential is read again at the end, because a password may be changed or
/// a profile disabled while the attempt is judged.
///
/// # Errors
///
/// [`Error::TooManyAttempts`], what `matches` returns, and as [`Store::transact`].
pub fn log_in(
    store: &dyn Store,
    name: &str,
    address: &str,
    matches: impl FnOnce(Option<&str>) -> Result<bool>,
) -> Result<Login> {
    count_attempt(store, name, address)?;
    let judged = store.credential_by_name(name)?;
    let known = judged.as_ref().map(|credential| credential.profile.id);
    if !matches(judged.as_ref().map(|credential| credential.password_hash.as_str()))? {
        return Ok(Login::Failed(known));
    }
    store.login_attempt_forgive(name, address)?;
    let now = store.credential_by_name(name)?;
    let id = judged.map(|credential| credential.id);
    Ok(now.filter(|now| Some(now.id) == id).map_or(Login::Failed(known), Login::Succeeded))
}

/// Judges the present password of a profile that wants another: guesses are counted as those at the login are.
///
/// # Errors
///
/// [`Error::TooManyAttempts`], what `matches` returns, [`Error::Invalid`] about `current_password` where it is wrong, and
/// as [`Store::transact`].
fn prove_password(
    store: &dyn Store,
    profile: &Profile,
    address: &str,
    matches: impl FnOnce() -> Result<bool>,
) -> Result<()> {
    count_attempt(store, &profile.name, address)?;
    if !matches()? {
        return Err(Error::invalid("current_password", "is not the present password"));
    }
    store.login_attempt_forgive(&profile.name, address)
}

/// Changes the caller's password. Guesses of the present one are counted as those at the login are, and every
/// token of before is refused.
///
/// `matches` compares the present password as given with a hash, and `hash` hashes the new one; both take long, so they run
/// outside any transaction.
///
/// # Errors
///
/// [`Error::TooManyAttempts`], what `matches` and `hash` return, [`Error::Invalid`] about `current_password` where it is
/// wrong, and as [`Store::transact`].
pub fn change_password(
    repo: &mut dyn Repo,
    address: String,
    matches: impl FnOnce(&str) -> Result<bool> + Send + 'static,
    hash: impl FnOnce() -> Result<String> + Send + 'static,
) -> Result<Step<Credential>> {
    let Credential { profile, password_hash, .. } = repo.credential()?;
    Ok(Step::Password(Box::new(move |store| {
        prove_password(store, &profile, &address, || matches(&password_hash))?;
        let hash = hash()?;
        Ok(Step::write(move |repo| repo.credential_replace(&hash)))
    })))
}

fn count_attempt(store: &dyn Store, name: &str, address: &str) -> Result<()> {
    match store.login_attempt(name, address, FAILURES_MAX)? {
        LoginAttempt::Counted => Ok(()),
        LoginAttempt::Refused { retry_after_seconds } => Err(Error::TooManyAttempts { retry_after_seconds }),
    }
}
