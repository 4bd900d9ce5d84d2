//! Logging in and changing the password, with a limit on failed attempts.

use crate::error::{Error, Result};
use crate::ids::ProfileId;
use crate::members::{Credential, Member};
use crate::second_factor::{Judge, SecondFactor};
use crate::sessions::{LoggedIn, NewSession};
use crate::step::Step;
use crate::store::{LoginAttempt, Repo, Store};
use crate::violations::Violation;

/// The most failed attempts for one name from one address within 15 minutes.
pub const FAILURES_MAX: u32 = 10;
/// The address under which wrong codes with the right password are counted too. An attacker who has the password gets no more
/// guesses by using many addresses.
const EVERY_ADDRESS: &str = "every address";

/// The result of an attempt to log in.
#[derive(Debug, Clone)]
pub enum Login {
    /// The password matches this credential, and a session has begun.
    Succeeded(Box<LoggedIn>),
    /// The password or the code is wrong. The profile that the name opens, if there is one, is for the log only.
    Failed(Option<ProfileId>),
}

/// Checks a name, a password, and a code if the member has a second factor. `matches` compares the password with a hash. Without
/// a hash it must take equally long and return false. `code` checks the code of the request, if it has one.
///
/// The attempt is counted as failed before the password is compared, and uncounted if it succeeds. So no more than
/// [`FAILURES_MAX`] wrong passwords are compared, however many attempts run concurrently. The credential is read again at the
/// end, when the session is stored, because the password may have been changed or the member disabled meanwhile.
///
/// # Errors
///
/// [`Error::TooManyAttempts`], [`Error::SecondFactorRequired`] if the password is right and there is no code, the errors of
/// `matches` and `code`, and as [`Store::transact`].
pub fn log_in(
    store: &dyn Store,
    name: &str,
    address: &str,
    matches: impl FnOnce(Option<&str>) -> Result<bool>,
    code: Option<Judge>,
    session: &NewSession,
) -> Result<Login> {
    count_attempt(store, name, address)?;
    let judged = store.credential_by_name(name)?;
    let known = judged.as_ref().map(|credential| credential.member.profile_id);
    let is_right = matches(judged.as_ref().and_then(|credential| credential.password_hash.as_deref()))?;
    let Some(credential) = judged.filter(|_| is_right) else { return Ok(Login::Failed(known)) };
    if let Some(factor) = credential.factor_in_effect() {
        let Some(judge) = code else {
            // A missing code is no guess. Only this attempt is uncounted; earlier failures stay.
            store.login_attempt_forgive(name, address)?;
            return Err(Error::SecondFactorRequired);
        };
        if !use_code(store, &credential, factor, judge)? {
            return Ok(Login::Failed(known));
        }
    }
    let begun = store.session_begin(&credential, address, session)?;
    Ok(begun.map_or(Login::Failed(known), |logged_in| Login::Succeeded(Box::new(logged_in))))
}

/// Checks a code of the second factor and uses it up. It is counted as a guess from every address until it is known to be good.
fn use_code(store: &dyn Store, credential: &Credential, factor: &SecondFactor, judge: Judge) -> Result<bool> {
    let name = &credential.member.name;
    count_attempt(store, name, EVERY_ADDRESS)?;
    let evidence = judge(&factor.secret)?;
    let is_good = evidence.map(|evidence| store.second_factor_use(credential, &evidence)).transpose()?;
    if is_good != Some(true) {
        return Ok(false);
    }
    store.login_attempt_forgive(name, EVERY_ADDRESS)?;
    Ok(true)
}

/// Checks the second factor of a member who has shown another secret than the password. Wrong codes count as in [`log_in`].
///
/// # Errors
///
/// [`Error::TooManyAttempts`], [`Error::SecondFactorRequired`] if there is no code, [`Error::InvalidCredentials`] if it is wrong,
/// the errors of `code`, and as [`Store::transact`].
pub(super) fn prove_factor(
    store: &dyn Store,
    credential: &Credential,
    address: &str,
    code: Option<Judge>,
) -> Result<()> {
    let Some(factor) = credential.factor_in_effect() else { return Ok(()) };
    let judge = code.ok_or(Error::SecondFactorRequired)?;
    let name = &credential.member.name;
    count_attempt(store, name, address)?;
    if !use_code(store, credential, factor, judge)? {
        return Err(Error::InvalidCredentials);
    }
    store.login_attempt_forgive(name, address)
}

/// Checks the present password of a member. Failed attempts are counted as in [`log_in`].
///
/// # Errors
///
/// [`Error::TooManyAttempts`], the errors of `matches`, [`Error::Invalid`] about `field` if the password is wrong, and as
/// [`Store::transact`].
pub(super) fn prove_password(
    store: &dyn Store,
    member: &Member,
    address: &str,
    field: &str,
    matches: impl FnOnce() -> Result<bool>,
) -> Result<()> {
    count_attempt(store, &member.name, address)?;
    if !matches()? {
        return Err(Error::invalid(field, Violation::WrongPassword));
    }
    store.login_attempt_forgive(&member.name, address)
}

/// Changes the caller's password and revokes its logins and the tokens that it created. The caller gets a new session. Failed
/// attempts are counted as in [`log_in`].
///
/// `matches` compares the present password with a hash, and `hash` hashes the new one. Both take long and run outside any
/// transaction.
///
/// # Errors
///
/// [`Error::TooManyAttempts`], the errors of `matches` and `hash`, [`Error::Invalid`] about `current_password` if it is wrong,
/// and as [`Store::transact`].
pub fn change_password(
    repo: &mut dyn Repo,
    address: String,
    matches: impl FnOnce(Option<&str>) -> Result<bool> + Send + 'static,
    hash: impl FnOnce() -> Result<String> + Send + 'static,
    session: NewSession,
) -> Result<Step<LoggedIn>> {
    let Credential { member, password_hash, .. } = repo.credential()?;
    Ok(Step::Password(Box::new(move |store| {
        prove_password(store, &member, &address, "current_password", || matches(password_hash.as_deref()))?;
        let hash = hash()?;
        Ok(Step::write(move |repo| {
            let credential = repo.credential_replace(&hash)?;
            let session = repo.session_insert(&credential, &session)?;
            Ok(LoggedIn { credential, session })
        }))
    })))
}

pub(super) fn count_attempt(store: &dyn Store, name: &str, address: &str) -> Result<()> {
    match store.login_attempt(name, address, FAILURES_MAX)? {
        LoginAttempt::Counted => Ok(()),
        LoginAttempt::Refused { retry_after_seconds } => Err(Error::TooManyAttempts { retry_after_seconds }),
    }
}
