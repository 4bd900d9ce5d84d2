//! Use cases of the second factor of the caller's login.

use crate::credentials::SecretHash;
use crate::error::{Error, Refusal, Result};
use crate::members::Member;
use crate::second_factor::{Evidence, FactorSecret, Judge};
use crate::sessions::{LoggedIn, NewSession};
use crate::step::Step;
use crate::store::Repo;
use crate::use_cases::login::{count_attempt, prove_password};
use crate::violations::Violation;

/// Stores a new secret. It takes effect once [`confirm`] has seen a code of it. A secret that was not confirmed is replaced. It
/// requires the password: someone with only an open session must not be able to lock the member out. Wrong passwords count as failed
/// logins.
///
/// # Errors
///
/// [`Refusal::SecondFactorActive`] if one is in effect, [`Error::TooManyAttempts`], the errors of `matches`, [`Error::Invalid`]
/// about `password`, and as [`Store::transact`](crate::Store::transact).
pub fn begin(
    repo: &mut dyn Repo,
    address: String,
    matches: impl FnOnce(Option<&str>) -> Result<bool> + Send + 'static,
    secret: FactorSecret,
) -> Result<Step<Member>> {
    let credential = repo.credential()?;
    if credential.factor_in_effect().is_some() {
        return Err(Refusal::SecondFactorActive.into());
    }
    Ok(Step::Password(Box::new(move |store| {
        prove_password(store, &credential.member, &address, "password", || {
            matches(credential.password_hash.as_deref())
        })?;
        Ok(Step::write(move |repo| match repo.factor_begin(&secret)? {
            true => Ok(credential.member),
            false => Err(Refusal::SecondFactorActive.into()),
        }))
    })))
}

/// Puts the second factor into effect if the code belongs to its secret, and stores the hashes of its recovery codes. Ends every
/// other login of the member, because they were made without a code; the caller gets a new session. Wrong codes count as failed
/// logins.
///
/// # Errors
///
/// [`Refusal::SecondFactorMissing`] if setup was not started, [`Refusal::SecondFactorActive`], [`Error::TooManyAttempts`],
/// [`Error::Invalid`] about `code`, and as [`Store::transact`](crate::Store::transact).
pub fn confirm(
    repo: &mut dyn Repo,
    address: String,
    judge: Judge,
    recovery: Vec<SecretHash>,
    session: NewSession,
) -> Result<Step<LoggedIn>> {
    let credential = repo.credential()?;
    let factor = credential.factor.ok_or(Refusal::SecondFactorMissing)?;
    if factor.is_confirmed {
        return Err(Refusal::SecondFactorActive.into());
    }
    let name = credential.member.name;
    Ok(Step::Password(Box::new(move |store| {
        count_attempt(store, &name, &address)?;
        let Some(Evidence::Step(step)) = judge(&factor.secret)? else {
            return Err(Error::invalid("code", Violation::WrongCode));
        };
        store.login_attempt_forgive(&name, &address)?;
        Ok(Step::write(move |repo| match repo.factor_confirm(&factor.secret, step, &recovery)? {
            true => start_over(repo, &session),
            // Setup was restarted meanwhile, or another request has confirmed the factor.
            false => Err(Error::invalid("code", Violation::WrongCode)),
        }))
    })))
}

/// Turns the second factor off. It requires the password: someone with only an open session must not be able to weaken the login,
/// but a member who has lost the authenticator must be able to turn it off. Ends every other login of the member; the caller gets a
/// new session.
///
/// # Errors
///
/// [`Refusal::SecondFactorMissing`] if there is none, [`Error::TooManyAttempts`], the errors of `matches`, [`Error::Invalid`]
/// about `password`, and as [`Store::transact`](crate::Store::transact).
pub fn remove(
    repo: &mut dyn Repo,
    address: String,
    matches: impl FnOnce(Option<&str>) -> Result<bool> + Send + 'static,
    session: NewSession,
) -> Result<Step<LoggedIn>> {
    let credential = repo.credential()?;
    credential.factor.ok_or(Refusal::SecondFactorMissing)?;
    Ok(Step::Password(Box::new(move |store| {
        prove_password(store, &credential.member, &address, "password", || {
            matches(credential.password_hash.as_deref())
        })?;
        Ok(Step::write(move |repo| match repo.factor_remove()? {
            true => start_over(repo, &session),
            false => Err(Refusal::SecondFactorMissing.into()),
        }))
    })))
}

/// Ends every login of the member, and begins a new session.
fn start_over(repo: &mut dyn Repo, session: &NewSession) -> Result<LoggedIn> {
    let credential = repo.credential_renew()?;
    let session = repo.session_insert(&credential, session)?;
    Ok(LoggedIn { credential, session })
}
