//! The ports that every use case needs: the caller and the store of the data.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use time::{Date, OffsetDateTime};

use crate::account_keys::AccountKeyRepo;
use crate::accounts::AccountRepo;
use crate::anchors::AnchorRepo;
use crate::budgets::BudgetRepo;
use crate::categories::CategoryRepo;
use crate::changes::{ChangeRepo, Recording};
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
use crate::inbox::InboxRepo;
use crate::installments::InstallmentRepo;
use crate::irpf::IrpfRepo;
use crate::members::{Credential, Member, MemberRepo, NewLink};
use crate::net_worth::NetWorthRepo;
use crate::notices::{NoticeOutboxRepo, NoticeRepo};
use crate::openings::OpeningRepo;
use crate::pending_bills::PendingBillRepo;
use crate::profiles::NewProfile;
use crate::recurring::RecurringRepo;
use crate::references::ReferenceRepo;
use crate::reports::ReportRepo;
use crate::rules::RuleRepo;
use crate::second_factor::{Evidence, SecondFactorRepo};
use crate::sessions::{DeviceChange, DeviceLogin, LoggedIn, NewSession, SessionRepo};
use crate::settings::SettingsRepo;
use crate::suggestions::SuggestionRepo;
use crate::tags::TagRepo;
use crate::tokens::TokenRepo;
use crate::transactions::TransactionRepo;
use crate::transfers::TransferRepo;
use crate::webhooks::{Turn, WebhookRepo};
use crate::yields::YieldRepo;

/// The caller: a profile, the proof that the caller may access it, and the permission that the request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The profile. Every row that is read or written belongs to it.
    pub profile_id: ProfileId,
    /// The credential. Every transaction checks at its start whether it gives access to the profile.
    pub proof: Proof,
    /// The permission that the credential must have. It is checked at the same time.
    pub need: Need,
}

impl Caller {
    /// The caller of a login, for requests that any credential may make.
    pub fn of_login(profile_id: ProfileId, credential_id: CredentialId) -> Self {
        Caller { profile_id, proof: Proof::Login { credential_id, session_id: None }, need: Need::Any }
    }

    /// The same caller, whose login is of that session. It is refused once the session was ended.
    #[must_use]
    pub fn in_session(self, session_id: Option<SessionId>) -> Self {
        match self.proof {
            Proof::Login { credential_id, .. } => Caller { proof: Proof::Login { credential_id, session_id }, ..self },
            Proof::Token { .. } | Proof::Invitation { .. } => self,
        }
    }
}

/// The credential that a caller presents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The login of a member. It is refused once the member has a new credential, or its session was ended.
    Login {
        /// The id of the member's credential.
        credential_id: CredentialId,
        /// The session of the login. None in tokens of releases that stored no sessions.
        session_id: Option<SessionId>,
    },
    /// A token.
    Token {
        /// The hash of its secret.
        hash: SecretHash,
        /// The date on which it is presented.
        today: Date,
    },
    /// An invitation to the profile. It can only be accepted; it gives no other access.
    Invitation {
        /// The hash of its secret.
        hash: SecretHash,
        /// The instant at which it is presented.
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

/// How long a whole transaction may take. The store defines the durations, and cancels a transaction that takes longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeLimit {
    /// For ordinary requests, for which a client waits.
    #[default]
    Ordinary,
    /// For work on a whole profile or a whole statement: an export, an import, a restore.
    Long,
}

/// Cancels a transaction whose result is no longer needed. Clones cancel the same transaction.
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
    /// Cancels the transaction. It ends within a second, whatever it is doing. A committed transaction is not undone.
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
    /// Cancels it.
    pub cancellation: Cancellation,
    /// How what it changes is recorded. None: it is not.
    pub recording: Option<Recording>,
}

impl From<Access> for TransactionOptions {
    fn from(access: Access) -> Self {
        TransactionOptions {
            access,
            time_limit: TimeLimit::default(),
            cancellation: Cancellation::default(),
            recording: None,
        }
    }
}

/// A dry run of work.
pub trait Rehearsal {
    /// Runs `work`, then undoes its writes.
    ///
    /// # Errors
    ///
    /// The errors of `work`, and those of [`Store::transact`].
    fn rehearse(&mut self, work: Work<'_>) -> Result<()>;
}

/// Declares the combination of ports.
macro_rules! combine {
    ($(#[$attribute:meta])* pub trait $name:ident: $($port:ident,)+) => {
        $(#[$attribute])*
        pub trait $name: $($port +)+ {}

        impl<T: $($port +)+> $name for T {}
    };
}

combine! {
    /// All ports of the data of one profile, combined. A repository belongs to one profile and one
    /// transaction. There is no other access to the data.
    pub trait Repo:
        MemberRepo, SecondFactorRepo, SessionRepo, TokenRepo, CategoryRepo, ChangeRepo, AccountRepo,
        AnchorRepo, ReferenceRepo, TransactionRepo, TagRepo, TransferRepo, ImportRepo,
        AccountKeyRepo, InboxRepo, SuggestionRepo, RuleRepo, InstallmentRepo, PendingBillRepo,
        CardRepo, CreditBillRepo, BillPaymentRepo, RecurringRepo, YieldRepo, DashboardRepo,
        ForecastRepo, NetWorthRepo, OpeningRepo, IrpfRepo, BudgetRepo, ReportRepo, SettingsRepo,
        GamificationRepo, NoticeRepo, NoticeOutboxRepo, WebhookRepo, IdempotencyRepo, ExportRepo,
        RestoreRepo, Rehearsal, LastWriteRepo,
}

/// The last write of a profile, and who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWrite {
    /// Its id. Every transaction of [`Access::Write`] draws another one at random, so while it is the same, so is the data that
    /// only such transactions write.
    pub id: String,
    /// The member whose credential was proved. None for an invitation.
    pub member_id: Option<i64>,
}

/// The port of the profile's last write, and of the day to which it was brought up. Every method may fail as [`Store::transact`] does.
pub trait LastWriteRepo {
    /// The profile's last write that the transaction sees: the transaction itself, if it writes.
    fn last_write(&mut self) -> Result<LastWrite>;

    /// The day to which the profile was brought up. None if it was not yet.
    fn upkept_on(&mut self) -> Result<Option<Date>>;

    /// Notes to which day the profile was brought up. None: the next read has to bring it up.
    fn upkeep_note(&mut self, on: Option<Date>) -> Result<()>;
}

/// The work of one transaction. It is called once.
pub type Work<'a> = &'a mut dyn FnMut(&mut dyn Repo) -> Result<()>;

/// The database: provides a [`Repo`] for each transaction, and manages profiles and their members. Every method may fail as
/// [`Store::transact`] does.
pub trait Store: Send + Sync {
    /// Runs `work` in one transaction bound to the caller's profile: commits on `Ok`, rolls back on `Err`.
    ///
    /// # Errors
    ///
    /// - [`Unauthenticated`](crate::Error::Unauthenticated) if the caller's credential does not give access to the profile, or
    ///   no longer does;
    /// - [`NotAllowed`](crate::Error::NotAllowed) or [`InsufficientScope`](crate::Error::InsufficientScope) if the credential
    ///   does not have the needed permission;
    /// - [`Unavailable`](crate::Error::Unavailable) if no connection is available, or the transaction exceeds its time limit or
    ///   is cancelled;
    /// - the errors of `work`.
    fn transact(&self, caller: &Caller, options: &TransactionOptions, work: Work<'_>) -> Result<()>;

    /// Proves the caller, as [`Store::transact`] does for a read, and returns the last write of its profile. Takes one round trip,
    /// except on a database that is distributed over several nodes.
    fn last_write(&self, caller: &Caller, options: &TransactionOptions) -> Result<LastWrite>;

    /// The login of the member of that name. None if there is no such member or it is disabled: for a login, a disabled member
    /// does not exist.
    fn credential_by_name(&self, name: &str) -> Result<Option<Credential>>;

    /// The profile of the token or invitation with that hash, expired or not. A hash never changes its profile.
    fn profile_by_secret(&self, hash: SecretHash) -> Result<Option<ProfileId>>;

    /// Records that a token was used on a date, if that is not yet recorded. Does not wait for writers of the profile.
    fn token_note_use(&self, profile_id: ProfileId, hash: SecretHash, today: Date) -> Result<()>;

    /// Creates a profile with its standard categories and an owner. If a member of that name exists in any profile, sets its
    /// password instead, which revokes its logins and tokens, or stores a link for it; a disabled member stays disabled.
    fn profile_upsert(&self, new: &NewProfile) -> Result<Member>;

    /// Whether there is a member in any profile.
    fn has_members(&self) -> Result<bool>;

    /// Every member of every profile, including disabled ones. Profiles are in the order of their creation, the members of
    /// each in the order in which they joined.
    fn member_list(&self) -> Result<Vec<Member>>;

    /// Sets the password of the member of that name, which revokes its logins and tokens.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) if no member has that name; otherwise as [`Store::transact`].
    fn member_set_password(&self, name: &str, password_hash: &str) -> Result<Member>;

    /// Stores a link with which the member of that name sets its password. Until then, nothing changes. It replaces an older link.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) if no member has that name,
    /// [`LimitReached`](crate::Refusal::LimitReached) if too many invitations are open; otherwise as [`Store::transact`].
    fn member_link(&self, name: &str, link: &NewLink) -> Result<Member>;

    /// Disables the member of that name, or enables it again. Both revoke its logins, so an enabled member must log in again.
    /// Its tokens are refused while it is disabled. Nothing changes if the member is already in the requested state.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) if no member has that name; otherwise as [`Store::transact`].
    fn member_set_disabled(&self, name: &str, is_disabled: bool) -> Result<Member>;

    /// Uses up a code of a member's second factor. If two requests present the same code, even on different nodes, only one
    /// succeeds. Returns whether the code was valid.
    fn second_factor_use(&self, credential: &Credential, evidence: &Evidence) -> Result<bool>;

    /// Turns off the second factor of the member of that name. Returns the member, and whether it had one.
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::Error::NotFound) if no member has that name; otherwise as [`Store::transact`].
    fn second_factor_remove(&self, name: &str) -> Result<(Member, bool)>;

    /// Deletes a profile and everything it owns. Its logins, tokens and invitations are refused from then on. Returns whether it
    /// existed.
    fn profile_delete(&self, id: ProfileId) -> Result<bool>;

    /// Counts a login attempt as failed before the password is compared, so that concurrent attempts are counted one by one.
    /// If `failures_max` attempts have failed for that name from that address within the window, refuses and counts nothing.
    fn login_attempt(&self, name: &str, address: &str, failures_max: u32) -> Result<LoginAttempt>;

    /// Removes one counted attempt that did not fail.
    fn login_attempt_forgive(&self, name: &str, address: &str) -> Result<()>;

    /// Ends a login attempt that did not fail: removes it if it was counted, as [`Store::login_attempt_forgive`] does,
    /// and stores its session. Returns None and stores no session if the member now has another credential, is deleted
    /// or is disabled.
    fn session_begin(&self, judged: &Credential, address: &str, new: &NewSession) -> Result<Option<LoggedIn>>;

    /// Removes a session if it exists and was not ended. The login stays valid until it expires; its device is gone. Does not wait
    /// for writers of the profile. Returns whether it had a device.
    fn session_delete(&self, profile_id: ProfileId, id: SessionId) -> Result<bool>;

    /// Reads the device with that selector, and stores what `judge` says has become of it. Judgements of one device run one after
    /// another. Does not wait for writers of the profile. Returns false and calls nothing if there is no such device, or its
    /// member is disabled or has another credential by now.
    ///
    /// # Errors
    ///
    /// The errors of `judge`, and those of [`Store::transact`].
    fn device_judge(
        &self,
        selector: SecretHash,
        now: OffsetDateTime,
        judge: &mut dyn FnMut(&DeviceLogin) -> Result<DeviceChange>,
    ) -> Result<bool>;

    /// Checks that the database is reachable and has the schema of this program or a newer one. Takes less
    /// than a second, even under load.
    fn ready(&self) -> Result<()>;
}

/// The webhooks and notices of all profiles, for a deliverer. It acts for the service, not for a caller. Every method may fail as
/// [`Store::transact`] does.
pub trait Outbox: Send + Sync {
    /// Profiles that are due and whose turn no node has, those that have waited longest first. A profile is due when a delivery is, and
    /// where somebody has a device or address for notices, after a write and on a new day.
    fn profiles_due(&self, now: OffsetDateTime, today: Date, limit: usize) -> Result<Vec<ProfileId>>;

    /// Takes the turn at a profile, and runs `work` in the same transaction. Returns false and runs nothing if another node has
    /// the turn, or a transaction is writing to the profile.
    ///
    /// # Errors
    ///
    /// The errors of `work`, and those of [`Store::transact`].
    fn turn_begin(&self, turn: &Turn, now: OffsetDateTime, work: Work<'_>) -> Result<bool>;

    /// Runs `work`, gives the turn back and stores when the profile is due again.
    ///
    /// # Errors
    ///
    /// The errors of `work`, and those of [`Store::transact`].
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

/// Whether the password of a login attempt may be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginAttempt {
    /// It may. The attempt is counted.
    Counted,
    /// Too many attempts have failed within the window.
    Refused {
        /// Seconds until the window has passed.
        retry_after_seconds: u64,
    },
}
