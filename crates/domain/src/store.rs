//! The ports that every use case needs: who calls, and where the data is.

use crate::accounts::AccountRepo;
use crate::categories::CategoryRepo;
use crate::credit_bills::CreditBillRepo;
use crate::dashboard::DashboardRepo;
use crate::error::{Error, Result};
use crate::export::{ExportRepo, RestoreRepo};
use crate::gamification::GamificationRepo;
use crate::idempotency::IdempotencyRepo;
use crate::ids::ProfileId;
use crate::imports::ImportRepo;
use crate::pending_bills::PendingBillRepo;
use crate::profiles::ProfileRepo;
use crate::profiles::{Credential, NewProfile, Profile};
use crate::recurring::RecurringRepo;
use crate::settings::SettingsRepo;
use crate::transactions::TransactionRepo;
use crate::transfers::TransferRepo;
use crate::yields::YieldRepo;

/// Who calls: a profile, and the credential that its token was issued for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The profile of the caller. Every row that is read or written belongs to it.
    pub profile_id: ProfileId,
    /// Counts the profile's password changes; a token of an older version is refused.
    pub credential_version: i32,
}

/// What a transaction may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads one consistent snapshot of the data.
    Read,
    /// Reads and writes.
    Write,
}

/// All ports of the data of one profile, joined. A repository belongs to one profile and one
/// transaction. There is no other access to the data.
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

/// The database: hands out a [`Repo`] for each transaction, and manages profiles.
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
    /// [`NotFound`](crate::Error::NotFound) where no profile has that name; else as [`Store::transact`].
    fn profile_set_password(&self, name: &str, password_hash: &str) -> Result<Profile>;

    /// Disables the profile of that name, or enables it again. Either revokes its tokens, so one that
    /// is enabled has to log in; a profile that is what it should be is left as it is.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where no profile has that name; else as [`Store::transact`].
    fn profile_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Profile>;

    /// Deletes a profile and everything it owns. Its tokens are refused from then on. Returns whether there was
    /// one.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_delete(&self, id: ProfileId) -> Result<bool>;

    /// Counts an attempt to log in as failed, before the password is compared, so that concurrent attempts are counted one by
    /// one. Where `failures_max` have failed for that name from that address within the window, it counts nothing and
    /// refuses.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn login_attempt(&self, name: &str, address: &str, failures_max: u32) -> Result<LoginAttempt>;

    /// Removes one counted attempt, which did not fail.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn login_attempt_forgive(&self, name: &str, address: &str) -> Result<()>;

    /// Checks that the database can be reached and has the schema of this program, or a newer one. Takes less
    /// than a second, even under load.
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
        answer.ok_or_else(|| Error::Internal("the store did not run the work".into()))
    }
}

/// Whether the password of an attempt to log in may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginAttempt {
    /// It may, and is counted.
    Counted,
    /// Too many have failed within the window.
    Refused {
        /// Seconds until the window has passed.
        retry_after_seconds: u64,
    },
}
