//! Use cases of what leaves the machine: a member's devices and e-mail address.

use time::{Date, Duration, OffsetDateTime, Time, UtcOffset};

use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{MemberId, ProfileId, PushDeviceId};
use crate::notices::{DEVICES_MAX, EmailAddress, NewPushDevice, PushDevice, check_email, code_hash};
use crate::store::Repo;
use crate::use_cases::notices::{catch_up, own};

/// The caller's devices, in the order in which they signed up.
pub fn devices(repo: &mut dyn Repo) -> Result<Vec<PushDevice>> {
    let member = own(repo)?;
    repo.push_device_list(member)
}

/// Signs a device of the caller up. Returns it, and whether it is a new one. What is known when the member's first device or address comes
/// is stored before it, so that it is not sent.
///
/// # Errors
///
/// [`Refusal::LimitReached`].
pub fn sign_up(repo: &mut dyn Repo, context: &Context, new: &NewPushDevice) -> Result<(PushDevice, bool)> {
    let member = own(repo)?;
    let devices = repo.push_device_list(member)?;
    let is_new = !devices.iter().any(|device| device.endpoint == new.target.endpoint);
    // Writers of one profile wait for each other, so the count holds until the insert.
    if is_new && devices.len() >= DEVICES_MAX {
        return Err(Refusal::LimitReached { what: "devices", max: DEVICES_MAX }.into());
    }
    if devices.is_empty() && repo.email_address(member)?.confirmed().is_none() {
        begin(repo, context, member)?;
    }
    Ok((repo.push_device_put(member, new)?, is_new))
}

fn begin(repo: &mut dyn Repo, context: &Context, member: MemberId) -> Result<()> {
    catch_up(repo, context, member)?;
    repo.notices_begin()
}

/// Removes a device of the caller.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn remove(repo: &mut dyn Repo, id: PushDeviceId) -> Result<()> {
    let member = own(repo)?;
    if repo.push_device_delete(member, id)? { Ok(()) } else { Err(Error::NotFound("device")) }
}

/// Sends a test to a device of the caller, as soon as a worker reaches it.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn test(repo: &mut dyn Repo, id: PushDeviceId) -> Result<PushDevice> {
    let member = own(repo)?;
    let device = repo.push_device_list(member)?.into_iter().find(|device| device.id == id);
    let device = device.ok_or(Error::NotFound("device"))?;
    repo.push_device_test(member, id)?;
    Ok(device)
}

/// The caller's e-mail address.
pub fn email(repo: &mut dyn Repo) -> Result<EmailAddress> {
    let member = own(repo)?;
    repo.email_address(member)
}

/// Sends a code to an address, which is the caller's once the caller has entered it. Nothing is sent to the former one any more.
///
/// # Errors
///
/// [`Error::Invalid`] at `address`, or [`Error::TooManyAttempts`] after too many codes on one day.
pub fn ask(
    repo: &mut dyn Repo,
    at: Moment,
    address: Option<String>,
    errors: FieldErrors,
    code: &str,
) -> Result<EmailAddress> {
    let mut errors = errors;
    let member = own(repo)?;
    let address = errors.require("address", address).and_then(|text| errors.check("address", check_email(&text)));
    let (address,) = errors.all((address,))?;
    let hash = code_hash(at.profile_id, member, code);
    let before = repo.email_address(member)?;
    let new = before.ask(address, hash, at.today, at.now, at.until_midnight())?;
    repo.email_address_put(member, &new)?;
    repo.email_code_send(member, Some(code))?;
    Ok(new)
}

/// Where and when a code is asked for or entered.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The caller's profile.
    pub profile_id: ProfileId,
    /// The day.
    pub today: Date,
    /// The instant.
    pub now: OffsetDateTime,
    /// The offset of the time of day.
    pub offset: UtcOffset,
}

impl Moment {
    /// The time until the next day.
    fn until_midnight(self) -> Duration {
        Duration::DAY - (self.now.to_offset(self.offset).time() - Time::MIDNIGHT)
    }
}

/// Counts a guess at the code that was sent to the caller, before it is compared, so that guesses at the same time are counted one by one.
///
/// # Errors
///
/// [`Error::TooManyAttempts`] after too many guesses.
pub fn count_guess(repo: &mut dyn Repo, now: OffsetDateTime) -> Result<()> {
    let member = own(repo)?;
    match repo.email_address(member)?.guessed(now)? {
        Some(counted) => repo.email_address_put(member, &counted),
        None => Ok(()),
    }
}

/// Confirms the caller's address by the code that was sent there.
///
/// # Errors
///
/// [`Error::Invalid`] at `code`.
pub fn confirm(
    repo: &mut dyn Repo,
    context: &Context,
    at: Moment,
    code: Option<String>,
    errors: FieldErrors,
) -> Result<EmailAddress> {
    let mut errors = errors;
    let member = own(repo)?;
    let code = errors.require("code", code).unwrap_or_default();
    errors.into_result()?;
    let hash = code_hash(at.profile_id, member, code.trim());
    let confirmed = repo.email_address(member)?.confirm(&hash, at.now)?;
    if repo.push_device_list(member)?.is_empty() {
        begin(repo, context, member)?;
    }
    repo.email_address_put(member, &confirmed)?;
    repo.email_code_send(member, None)?;
    Ok(confirmed)
}

/// Removes the caller's address, if there is one.
pub fn remove_email(repo: &mut dyn Repo) -> Result<()> {
    let member = own(repo)?;
    let address = repo.email_address(member)?;
    if address.address.is_none() {
        return Ok(());
    }
    repo.email_address_put(member, &address.removed())?;
    repo.email_code_send(member, None)
}
