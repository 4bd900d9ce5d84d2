//! Use cases of sessions and their devices.

use time::{Duration, OffsetDateTime};

use crate::credentials::SecretHash;
use crate::error::{Error, Result};
use crate::ids::{ProfileId, SessionId};
use crate::second_factor::Judge;
use crate::sessions::{
    DeviceChange, DeviceLogin, DeviceSecret, LOGIN_HOURS, LoggedIn, Session, Shown, is_code_due, whole_second,
};
use crate::store::{Repo, Store};
use crate::use_cases::login::prove_factor;

/// The sessions of the member for whom the caller acts, newest first.
///
/// # Errors
///
/// As [`Store::transact`].
pub fn list(repo: &mut dyn Repo, now: OffsetDateTime) -> Result<Vec<Session>> {
    repo.session_list(now)
}

/// Ends every login of the member for whom the caller acts, including the caller's, and removes the member's invitations.
///
/// # Errors
///
/// As [`Store::transact`].
pub fn end_all(repo: &mut dyn Repo) -> Result<()> {
    repo.credential_renew().map(|_| ())
}

/// Ends one session of the member for whom the caller acts. Its tokens and its device are refused from then on.
///
/// # Errors
///
/// [`Error::NotFound`] if the member has no such session.
pub fn end(repo: &mut dyn Repo, id: SessionId, now: OffsetDateTime) -> Result<()> {
    if repo.session_end(id, now)? { Ok(()) } else { Err(Error::NotFound("session")) }
}

/// What a client shows to renew a login.
pub struct Presented {
    /// The hash of what names the device.
    pub selector: SecretHash,
    /// Its secret.
    pub secret: DeviceSecret,
    /// Judges the code of the second factor, if there is one.
    pub code: Option<Judge>,
    /// The address under which wrong codes are counted.
    pub address: String,
}

/// The result of an attempt to renew a login.
#[derive(Debug, Clone)]
pub enum Renewal {
    /// The login is valid again, and the device has this secret.
    Renewed(Box<LoggedIn>, DeviceSecret),
    /// The device is unknown, or has ended or expired.
    Refused,
    /// An old secret was shown. The session of this profile has ended.
    Reused(ProfileId),
}

/// Renews the login of a device: its session begins another 24 hours, and its secret changes as
/// [`Device::renew`](crate::sessions::Device::renew) says. Nothing changes if a code is needed and is absent or wrong.
///
/// # Errors
///
/// [`Error::SecondFactorRequired`], [`Error::InvalidCredentials`] if the code is wrong, [`Error::TooManyAttempts`], and as
/// [`Store::transact`].
pub fn renew(store: &dyn Store, presented: Presented, now: OffsetDateTime) -> Result<Renewal> {
    let Presented { selector, secret, code, address } = presented;
    let renew = |is_coded: bool| renew_once(store, selector, &secret, is_coded, now);
    match renew(false)? {
        Attempt::Done(renewal) => Ok(renewal),
        Attempt::CodeDue(known) => {
            prove_factor(store, &known.credential, &address, code)?;
            match renew(true)? {
                Attempt::Done(renewal) => Ok(renewal),
                Attempt::CodeDue(_) => Err(Error::SecondFactorRequired),
            }
        }
    }
}

/// One judgement of a device.
enum Attempt {
    Done(Renewal),
    /// The secret is good, but a code is due. Nothing has changed.
    CodeDue(Box<DeviceLogin>),
}

fn renew_once(
    store: &dyn Store,
    selector: SecretHash,
    secret: &DeviceSecret,
    is_coded: bool,
    now: OffsetDateTime,
) -> Result<Attempt> {
    let now = whole_second(now);
    let mut attempt = Attempt::Done(Renewal::Refused);
    store.device_judge(selector, now, &mut |known| {
        let (next, device) = match known.device.renew(secret, now) {
            Shown::Expired => return Ok(DeviceChange::None),
            Shown::Reused => {
                attempt = Attempt::Done(Renewal::Reused(known.credential.member.profile_id));
                return Ok(DeviceChange::Ended);
            }
            Shown::Renewed(next, device) => (next, device),
        };
        if !is_coded && is_code_due(known.code_days, known.coded_at, now) {
            attempt = Attempt::CodeDue(Box::new(known.clone()));
            return Ok(DeviceChange::None);
        }
        let expires_at = now + Duration::hours(LOGIN_HOURS);
        let session = Session {
            expires_at,
            device_expires_at: Some(device.expires_at),
            renewed_at: Some(device.changed_at),
            ..known.session.clone()
        };
        let logged_in = LoggedIn { credential: known.credential.clone(), session };
        attempt = Attempt::Done(Renewal::Renewed(Box::new(logged_in), next));
        Ok(DeviceChange::Renewed { device, expires_at, coded_at: if is_coded { now } else { known.coded_at } })
    })?;
    Ok(attempt)
}
