//! The ports every use case stands on: who calls, where the data is, what day it is.

use std::sync::Arc;

use time::{Date, OffsetDateTime};

use crate::accounts::AccountRepo;
use crate::categories::CategoryRepo;
use crate::credit_bills::CreditBillRepo;
use crate::dashboard::DashboardRepo;
use crate::error::Result;
use crate::export::{ExportRepo, RestoreRepo};
use crate::gamification::{Catalog, GamificationRepo};
use crate::idempotency::IdempotencyRepo;
use crate::ids::{CredentialId, ProfileId};
use crate::imports::ImportRepo;
use crate::pending_bills::PendingBillRepo;
use crate::profiles::ProfileRepo;
use crate::profiles::{Credential, NewProfile, Profile};
use crate::recurring::RecurringRepo;
use crate::settings::SettingsRepo;
use crate::transactions::TransactionRepo;
use crate::transfers::TransferRepo;
use crate::yields::YieldRepo;

/// Who asks: a profile, and the credential that the token was issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The caller's profile; every row read or written belongs to it.
    pub profile_id: ProfileId,
    /// The credential; once the profile has another one, the caller is refused.
    pub credential_id: CredentialId,
}

/// What a transaction may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads one snapshot of the data, consistent however many queries it takes.
    Read,
    /// Reads and writes.
    Write,
}

/// Everything a use case may ask of one profile's data. It belongs to one profile and one
/// transaction, and there is no other way to the data.
pub trait Repo:
    ProfileRepo
    + CategoryRepo
    + AccountRepo
    + TransactionRepo
    + TransferRepo
    + ImportRepo
    + PendingBillRepo
    + CreditBillRepo
    + RecurringRepo
    + YieldRepo
    + DashboardRepo
    + SettingsRepo
    + GamificationRepo
    + IdempotencyRepo
    + ExportRepo
    + RestoreRepo
{
}

impl<T> Repo for T where
    T: ProfileRepo
        + CategoryRepo
        + AccountRepo
        + TransactionRepo
        + TransferRepo
        + ImportRepo
        + PendingBillRepo
        + CreditBillRepo
        + RecurringRepo
        + YieldRepo
        + DashboardRepo
        + SettingsRepo
        + GamificationRepo
        + IdempotencyRepo
        + ExportRepo
        + RestoreRepo
{
}

/// The work of one transaction; called once.
pub type Work<'a> = &'a mut dyn FnMut(&mut dyn Repo) -> Result<()>;

/// Where profiles and their data are kept.
pub trait Store: Send + Sync {
    /// Runs `work` in one transaction bound to the caller's profile: commits on `Ok`, rolls back on `Err`.
    ///
    /// # Errors
    ///
    /// [`Unauthenticated`](crate::Error::Unauthenticated) where the profile is gone or its credential
    /// has changed, [`Unavailable`](crate::Error::Unavailable) where no connection can be had, and what `work` returns.
    fn transact(&self, caller: &Caller, access: Access, work: Work<'_>) -> Result<()>;

    /// The credential of the profile with that name, if there is one that is not disabled: a login
    /// takes a disabled profile for an unknown one.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn credential_by_name(&self, name: &str) -> Result<Option<Credential>>;

    /// Creates a profile with its standard categories, or gives the one of that name a new password,
    /// which revokes its tokens. A disabled one stays disabled.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_upsert(&self, new: &NewProfile) -> Result<Profile>;

    /// Every profile, disabled ones too, in the order they were created.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_list(&self) -> Result<Vec<Profile>>;

    /// Gives the profile of that name a new password, which revokes its tokens.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where nobody has that name; else as [`Store::transact`].
    fn profile_set_password(&self, name: &str, password_hash: &str) -> Result<Profile>;

    /// Disables the profile of that name, or enables it again. Either revokes its tokens, so one that
    /// is enabled has to log in; a profile that is what it should be is left as it is.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where nobody has that name; else as [`Store::transact`].
    fn profile_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Profile>;

    /// Deletes a profile and everything it owns, for good; its tokens are refused from then on. Tells whether
    /// there was one.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_delete(&self, id: ProfileId) -> Result<bool>;

    /// How many attempts failed for that name from that address within the window, and when it ends.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn login_failures(&self, name: &str, address: &str) -> Result<LoginFailures>;

    /// Counts one more failed attempt and tells the new count.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn login_failed(&self, name: &str, address: &str) -> Result<LoginFailures>;

    /// What can be earned and worn, the same for every profile.
    fn catalog(&self) -> Arc<Catalog>;

    /// Whether the data can be reached and has the shape this program knows, or a newer one. Waits less
    /// than a second, whatever else is at work.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn ready(&self) -> Result<()>;
}

impl dyn Store + '_ {
    /// [`Store::transact`] for work that returns a value.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    pub fn run<T>(&self, caller: &Caller, access: Access, work: impl FnOnce(&mut dyn Repo) -> Result<T>) -> Result<T> {
        let mut work = Some(work);
        let mut answer = None;
        self.transact(caller, access, &mut |repo| {
            if let Some(work) = work.take() {
                answer = Some(work(repo)?);
            }
            Ok(())
        })?;
        answer.ok_or_else(|| crate::Error::Internal("the store did not run the work".into()))
    }
}

/// Failed attempts for one name from one address in the present window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoginFailures {
    /// How many failed.
    pub count: u32,
    /// Seconds until the window has passed.
    pub window_seconds: u64,
}

/// The one clock.
pub trait Clock: Send + Sync {
    /// The calendar date of the service's users.
    fn today(&self) -> Date;
    /// The instant, for tokens and time limits; a frozen day does not stop it.
    fn now(&self) -> OffsetDateTime;
}
