//! The ports that every use case needs: who calls, and where the data is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use time::{Date, OffsetDateTime};

use crate::accounts::AccountRepo;
use crate::categories::CategoryRepo;
use crate::credentials::{Need, SecretHash};
use crate::credit_bills::{BillPaymentRepo, CardRepo, CreditBillRepo};
use crate::dashboard::DashboardRepo;
use crate::error::{Error, Result};
use crate::export::{ExportRepo, RestoreRepo};
use crate::forecast::ForecastRepo;
use crate::gamification::GamificationRepo;
use crate::idempotency::IdempotencyRepo;
use crate::ids::{CredentialId, ProfileId, SessionId};
use crate::imports::ImportRepo;
use crate::installments::InstallmentRepo;
use crate::irpf::IrpfRepo;
use crate::members::{Credential, Member, MemberRepo};
use crate::net_worth::NetWorthRepo;
use crate::pending_bills::PendingBillRepo;
use crate::profiles::NewProfile;
use crate::recurring::RecurringRepo;
use crate::references::ReferenceRepo;
use crate::rules::RuleRepo;
use crate::second_factor::{Evidence, SecondFactorRepo};
use crate::sessions::{LoggedIn, NewSession, SessionRepo};
use crate::settings::SettingsRepo;
use crate::suggestions::SuggestionRepo;
use crate::tags::TagRepo;
use crate::tokens::TokenRepo;
use crate::transactions::TransactionRepo;
use crate::transfers::TransferRepo;
use crate::webhooks::{Turn, WebhookRepo};
use crate::yields::YieldRepo;

/// Who calls: a profile, what proves that the caller may open it, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The profile of the caller. Every row that is read or written belongs to it.
    pub profile_id: ProfileId,
    /// The credential. Whether it opens the profile is checked whenever a transaction begins.
    pub proof: Proof,
    /// How far the credential has to reach, which is checked then too.
    pub need: Need,
}

impl Caller {
    /// The caller of a login, for what any login may do.
    pub fn of_login(profile_id: ProfileId, credential_id: CredentialId) -> Self {
        Caller { profile_id, proof: Proof::Login(credential_id), need: Need::Any }
    }
}

/// What a caller shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The login of a member. Once the member has another credential, it is refused.
    Login(CredentialId),
    /// A token.
    Token {
        /// The hash of its secret.
        hash: SecretHash,
        /// The date on which it is shown.
        today: Date,
    },
    /// An invitation to the profile, which opens it for nothing but accepting.
    Invitation {
        /// The hash of its secret.
        hash: SecretHash,
        /// The instant at which it is shown.
        now: OffsetDateTime,
    },
}

/// What a transaction may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads one consistent snapshot of the data.
    Read,
    /// Reads and writes.
    Write,
}

/// How long a transaction may take altogether. The store says how long that is, and cancels one that takes longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeLimit {
    /// For requests, which a client waits for.
    #[default]
    Ordinary,
    /// What moves as much as a profile may own or a statement may hold: an export, an import, a restore.
    Long,
}

/// Cancels a transaction that nobody waits for any more. Its clones cancel the same transaction.
///
/// ```
/// use finance_domain::Cancellation;
///
/// let cancellation = Cancellation::default();
/// let held_by_the_transaction = cancellation.clone();
/// assert!(!held_by_the_transaction.is_cancelled());
/// cancellation.cancel();
/// assert!(held_by_the_transaction.is_cancelled());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Cancels the transaction: it ends within a second, whatever it is at. One that has committed is not undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the transaction was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// How to run a transaction.
///
/// ```
/// use finance_domain::{Access, TimeLimit, TransactionOptions};
///
/// let options = TransactionOptions { time_limit: TimeLimit::Long, ..Access::Write.into() };
/// assert!(!options.cancellation.is_cancelled());
/// ```
#[derive(Debug, Clone)]
pub struct TransactionOptions {
    /// What it may do.
    pub access: Access,
    /// How long it may take.
    pub time_limit: TimeLimit,
    /// Who may cancel it.
    pub cancellation: Cancellation,
}

impl From<Access> for TransactionOptions {
    fn from(access: Access) -> Self {
        TransactionOptions { access, time_limit: TimeLimit::default(), cancellation: Cancellation::default() }
    }
}

/// A way to see what work would do.
pub trait Rehearsal {
    /// Runs `work`, and takes back what it has written.
    ///
    /// # Errors
    ///
    /// What `work` returns, and as [`Store::transact`].
    fn rehearse(&mut self, work: Work<'_>) -> Result<()>;
}

/// All ports of the data of one profile, joined. A repository belongs to one profile and one
/// transaction. There is no other access to the data.
pub trait Repo:
    MemberRepo
    + SecondFactorRepo
    + SessionRepo
    + TokenRepo
    + CategoryRepo
    + AccountRepo
    + ReferenceRepo
    + TransactionRepo
    + TagRepo
    + TransferRepo
    + ImportRepo
    + SuggestionRepo
    + RuleRepo
    + InstallmentRepo
    + PendingBillRepo
    + CardRepo
    + CreditBillRepo
    + BillPaymentRepo
    + RecurringRepo
    + YieldRepo
    + DashboardRepo
    + ForecastRepo
    + NetWorthRepo
    + IrpfRepo
    + SettingsRepo
    + GamificationRepo
    + WebhookRepo
    + IdempotencyRepo
    + ExportRepo
    + RestoreRepo
    + Rehearsal
{
}

impl<T> Repo for T where
    T: MemberRepo
        + SecondFactorRepo
        + SessionRepo
        + TokenRepo
        + CategoryRepo
        + AccountRepo
        + ReferenceRepo
        + TransactionRepo
        + TagRepo
        + TransferRepo
        + ImportRepo
        + SuggestionRepo
        + RuleRepo
        + InstallmentRepo
        + PendingBillRepo
        + CardRepo
        + CreditBillRepo
        + BillPaymentRepo
        + RecurringRepo
        + YieldRepo
        + DashboardRepo
        + ForecastRepo
        + NetWorthRepo
        + IrpfRepo
        + SettingsRepo
        + GamificationRepo
        + WebhookRepo
        + IdempotencyRepo
        + ExportRepo
        + RestoreRepo
        + Rehearsal
{
}

/// The work of one transaction; called once.
pub type Work<'a> = &'a mut dyn FnMut(&mut dyn Repo) -> Result<()>;

/// The database: hands out a [`Repo`] for each transaction, and manages profiles and who opens them.
pub trait Store: Send + Sync {
    /// Runs `work` in one transaction bound to the caller's profile: commits on `Ok`, rolls back on `Err`.
    ///
    /// # Errors
    ///
    /// [`Unauthenticated`](crate::Error::Unauthenticated) where what the caller shows does not open the profile, or not any
    /// more; [`NotAllowed`](crate::Error::NotAllowed) or [`InsufficientScope`](crate::Error::InsufficientScope) where it does
    /// not reach; [`Unavailable`](crate::Error::Unavailable) where no connection can be had, the transaction takes longer than
    /// its limit or is cancelled; and what `work` returns.
    fn transact(&self, caller: &Caller, options: &TransactionOptions, work: Work<'_>) -> Result<()>;

    /// The login of that name, if there is one that is not disabled: a login takes a disabled member for an unknown one.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn credential_by_name(&self, name: &str) -> Result<Option<Credential>>;

    /// The profile that a token or an invitation of that hash is of, be it expired or not. It stays that profile.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_by_secret(&self, hash: SecretHash) -> Result<Option<ProfileId>>;

    /// Notes that a token was used on a date, where that is not noted. Waits for no writer of the profile.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn token_note_use(&self, profile_id: ProfileId, hash: SecretHash, today: Date) -> Result<()>;

    /// Creates a profile with its standard categories and a member who owns it, or gives the member of that name, of
    /// whichever profile, a new password, which revokes its logins and tokens. A disabled one stays disabled.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profile_upsert(&self, new: &NewProfile) -> Result<Member>;

    /// Every member of every profile, disabled ones too: profiles in the order in which they were created, and the members
    /// of each as they joined.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn member_list(&self) -> Result<Vec<Member>>;

    /// Gives the member of that name a new password, which revokes its logins and tokens.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where no member has that name; else as [`Store::transact`].
    fn member_set_password(&self, name: &str, password_hash: &str) -> Result<Member>;

    /// Disables the member of that name, or enables it again. Either revokes its logins, so one that is enabled has to log
    /// in; its tokens are refused while it is disabled. A member that is what it should be is left as it is.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where no member has that name; else as [`Store::transact`].
    fn member_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Member>;

    /// Uses a code of a member's second factor up. Of two that show the same code, on whichever nodes, one gets it. Returns
    /// whether it was good.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn second_factor_use(&self, credential: &Credential, evidence: &Evidence) -> Result<bool>;

    /// Turns off the second factor of the member of that name. Returns the member, and whether it had one.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) where no member has that name; else as [`Store::transact`].
    fn second_factor_remove(&self, name: &str) -> Result<(Member, bool)>;

    /// Deletes a profile and everything it owns. What opened it is refused from then on. Returns whether there was
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

    /// Ends an attempt to log in that did not fail: removes it where it was counted, as [`Store::login_attempt_forgive`] does,
    /// and stores its session. None, and no session, where the member has another credential by now, is gone or is disabled.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn session_begin(&self, judged: &Credential, address: &str, new: &NewSession) -> Result<Option<LoggedIn>>;

    /// Removes a session, where there is one. The login is good until it expires. Waits for no writer of the profile.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn session_delete(&self, profile_id: ProfileId, id: SessionId) -> Result<()>;

    /// Checks that the database can be reached and has the schema of this program, or a newer one. Takes less
    /// than a second, even under load.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn ready(&self) -> Result<()>;
}

/// The webhooks of all profiles, for who delivers to them. It acts for the service, not for a caller.
pub trait Outbox: Send + Sync {
    /// Profiles whose turn it is and that nobody is at, those that wait longest first.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    fn profiles_due(&self, now: OffsetDateTime, limit: usize) -> Result<Vec<ProfileId>>;

    /// Takes the turn at a profile, and runs `work` in the same transaction. Returns false, and runs nothing, where another node
    /// is at it or a writer is.
    ///
    /// # Errors
    ///
    /// What `work` returns, and as [`Store::transact`].
    fn turn_begin(&self, turn: &Turn, now: OffsetDateTime, work: Work<'_>) -> Result<bool>;

    /// Runs `work`, and gives the turn back: says when it is the profile's turn again.
    ///
    /// # Errors
    ///
    /// What `work` returns, and as [`Store::transact`].
    fn turn_end(&self, turn: &Turn, now: OffsetDateTime, work: Work<'_>) -> Result<()>;
}

impl dyn Store + '_ {
    /// [`Store::transact`] for work that returns a value.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`].
    pub fn run<T>(
        &self,
        caller: &Caller,
        options: impl Into<TransactionOptions>,
        work: impl FnOnce(&mut dyn Repo) -> Result<T>,
    ) -> Result<T> {
        let mut work = Some(work);
        let mut answer = None;
        self.transact(caller, &options.into(), &mut |repo| {
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
