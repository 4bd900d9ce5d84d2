//! Notices: what a member of a household is told in time, once.
//!
//! [`due`] says what is to be told on a day. A notice is a kind and a subject, and a member has each once. A notice whose cause is
//! gone, or that a nearer one follows, is settled: it stays in the list and is not sent any more.

mod address;
mod delivery;
mod facts;
mod hosts;
mod outbox;
mod preferences;
mod rule;
mod texts;
mod values;
mod when;

use time::Date;

use crate::error::Result;
use crate::ids::{MemberId, NoticeId};

pub use address::{Code, EmailAddress};
pub use delivery::{
    AUTH_BYTES, Action, CODE_DIGITS, CODE_GUESSES_MAX, CODE_MINUTES, CODES_A_DAY_MAX, DEVICES_MAX, Destination,
    EMAIL_CHARS_MAX, Message, NewPushDevice, NoticeSender, Outcome, P256DH_BYTES, PAYLOAD_BYTES_MAX, PushDevice,
    PushDeviceInput, PushTarget, SENT_A_DAY_MAX, TAG_CHARS, check_email, code_hash, tag, tag_of_delivery,
};
pub use facts::{
    BillFact, BudgetFact, EXPENSES_READ_MAX, ExpenseFact, ExpenseRow, Facts, ItemFact, StatementFact, WeekFact,
};
pub use hosts::{PushHosts, is_push_host};
pub use outbox::{
    Cargo, JUDGED_A_TURN_MAX, Judgement, NoticeOutboxRepo, Pending, SENT_A_TURN_MAX, Settled, TRIED_HOURS, judge,
    message, settled,
};
pub use preferences::{
    ClockTime, KindInput, KindPreferences, Limits, PERCENT_MAX, Preferences, PreferencesInput, THRESHOLDS_MAX,
};
pub use rule::{Due, NOTICES_DUE_MAX, due};
pub use texts::{KindTexts, LanguageTexts, Said, Texts};
pub use values::{Channel, Language, Notice, NoticeFilter, NoticeKind, NoticeParams};
pub use when::{at_hour, when, when_sent};

/// How many days a notice is listed.
pub const DAYS_LISTED: i64 = 90;
/// The most notices that a member's list has.
pub const NOTICES_LISTED_MAX: usize = 1_000;
/// The most days that a notice can be put off.
pub const SNOOZE_DAYS_MAX: i64 = 30;

/// The port of notices. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait NoticeRepo {
    /// What a member wants to be told, and how.
    fn notice_preferences(&mut self, member: MemberId) -> Result<Preferences>;
    /// Replaces what a member wants to be told.
    fn notice_preferences_put(&mut self, member: MemberId, new: &Preferences) -> Result<()>;
    /// The member's notices that are not settled, and those of `due` that are.
    fn notice_stored(&mut self, member: MemberId, due: &[Due]) -> Result<Vec<Notice>>;
    /// Stores what is due. What is stored is due again, with new parameters.
    fn notice_store(&mut self, member: MemberId, due: &[&Due]) -> Result<()>;
    /// Settles notices.
    fn notice_settle(&mut self, member: MemberId, ids: &[NoticeId]) -> Result<()>;
    /// Deletes settled notices that are older than [`DAYS_LISTED`] days or beyond the newest [`NOTICES_LISTED_MAX`].
    fn notices_forget(&mut self, member: MemberId) -> Result<()>;
    /// The member's notices of these kinds, newest first: of the newest [`NOTICES_LISTED_MAX`] of the last [`DAYS_LISTED`] days, those
    /// that pass the filter.
    fn notice_list(&mut self, member: MemberId, kinds: &[NoticeKind], filter: &NoticeFilter) -> Result<Vec<Notice>>;
    /// One notice of the member.
    fn notice_get(&mut self, member: MemberId, id: NoticeId) -> Result<Option<Notice>>;
    /// How many of the ids are notices of the member.
    fn notice_count(&mut self, member: MemberId, ids: &[NoticeId]) -> Result<usize>;
    /// Marks notices as read, or all without `ids`. Returns how many were unread.
    fn notice_read(&mut self, member: MemberId, ids: Option<&[NoticeId]>) -> Result<usize>;
    /// Puts a notice off until a day, or no longer.
    fn notice_snooze(&mut self, member: MemberId, id: NoticeId, until: Option<Date>) -> Result<()>;
    /// The expenses from `first` to `last`, by the day of the purchase, newest first. Transfers, instalments and opening balances are
    /// left out.
    fn notice_expenses(&mut self, first: Date, last: Date, limit: usize) -> Result<Vec<ExpenseRow>>;
    /// The accounts with rows of statements, each with the day of the newest.
    fn notice_statements(&mut self) -> Result<Vec<StatementFact>>;
}
