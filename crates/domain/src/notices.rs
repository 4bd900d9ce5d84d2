//! Notices: what a member of a household is told in time, once.
//!
//! [`due`] says what is to be told on a day. A notice is a kind and a subject, and a member has each once. A notice whose cause is
//! gone, or that a nearer one follows, is settled: it stays in the list and is not sent any more.

mod facts;
mod preferences;
mod rule;
mod texts;
mod when;

use time::{Date, OffsetDateTime};

use crate::error::Result;
use crate::ids::{AccountId, BillId, CategoryId, MemberId, NoticeId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::words::words;

pub use facts::{
    BillFact, BudgetFact, EXPENSES_READ_MAX, ExpenseFact, ExpenseRow, Facts, ItemFact, StatementFact, WeekFact,
};
pub use preferences::{
    ClockTime, KindInput, KindPreferences, Limits, PERCENT_MAX, Preferences, PreferencesInput, THRESHOLDS_MAX,
};
pub use rule::{Due, NOTICES_DUE_MAX, due};
pub use texts::{KindTexts, LanguageTexts, Said, TextError, Texts};
pub use when::{at_hour, when};

/// How many days a notice is listed.
pub const DAYS_LISTED: i64 = 90;
/// The most notices that a member's list has.
pub const NOTICES_LISTED_MAX: usize = 1_000;
/// The most days that a notice can be put off.
pub const SNOOZE_DAYS_MAX: i64 = 30;

words! {
    /// What a notice is about.
    #[derive(PartialOrd, Ord)]
    pub enum NoticeKind {
        /// A closed bill has an amount due.
        BillDue = "bill_due",
        /// A bill has closed.
        BillClosed = "bill_closed",
        /// A recurring item is due soon.
        RecurringDue = "recurring_due",
        /// A recurring item has not come.
        RecurringLate = "recurring_late",
        /// A part of a budget is spent.
        Budget = "budget",
        /// The balance will be below zero.
        Balance = "balance",
        /// An account has had no statement for days.
        StatementMissing = "statement_missing",
        /// A payee asks for another amount than in the months before.
        PriceChanged = "price_changed",
        /// A payee was paid twice.
        RepeatedCharge = "repeated_charge",
        /// The week.
        Digest = "digest",
    }
}

impl NoticeKind {
    /// Whether it is sent as soon as its cause is known, not from the hour on that the member chose.
    pub fn is_prompt(self) -> bool {
        matches!(
            self,
            NoticeKind::Budget | NoticeKind::BillClosed | NoticeKind::PriceChanged | NoticeKind::RepeatedCharge
        )
    }
}

words! {
    /// Where a notice is told.
    pub enum Channel {
        /// In the list.
        Page = "page",
        /// On the member's devices.
        Push = "push",
        /// By e-mail.
        Email = "email",
    }
}

words! {
    /// The language of what is told.
    #[derive(Default)]
    pub enum Language {
        /// Portuguese, as spoken in Brazil.
        #[default]
        Portuguese = "pt-BR",
        /// English.
        English = "en",
    }
}

/// What a notice names: ids, and the values of its text. Each kind has some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeParams {
    /// The account, or the card of a bill.
    pub account_id: Option<AccountId>,
    /// The bill.
    pub bill_id: Option<BillId>,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The recurring item.
    pub recurring_id: Option<RecurringId>,
    /// The row, or the earlier one of two.
    pub transaction_id: Option<TransactionId>,
    /// The later one of two rows.
    pub repeated_id: Option<TransactionId>,
    /// The name of the account, item, category or payee.
    pub name: Option<String>,
    /// The day that it is about.
    pub date: Option<Date>,
    /// The month that it is about.
    pub month: Option<Month>,
    /// The amount that it is about.
    pub amount: Option<Money>,
    /// What the amount was before.
    pub before: Option<Money>,
    /// The percent of the budget that is reached.
    pub percent: Option<i16>,
    /// The days that are left.
    pub days: Option<i16>,
    /// How many rows the week had.
    pub rows: Option<i32>,
    /// How many bills and items are due in the week to come.
    pub due: Option<i32>,
}

/// A notice of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its id.
    pub id: NoticeId,
    /// What it is about.
    pub kind: NoticeKind,
    /// What it is about, exactly: ids, dates and thresholds, separated by `:`. A member has one notice of a kind and subject.
    pub subject: String,
    /// What it names.
    pub params: NoticeParams,
    /// When it became known.
    pub created_at: OffsetDateTime,
    /// When the member read it.
    pub read_at: Option<OffsetDateTime>,
    /// The day on which it is sent again.
    pub snoozed_until: Option<Date>,
    /// When its cause was gone, or a nearer notice followed.
    pub settled_at: Option<OffsetDateTime>,
}

impl Notice {
    /// The page that shows more of it.
    pub fn url(&self) -> &'static str {
        match self.kind {
            NoticeKind::BillDue | NoticeKind::BillClosed => "/cards",
            NoticeKind::RecurringDue | NoticeKind::RecurringLate => "/recurring",
            NoticeKind::Budget => "/budgets",
            NoticeKind::Balance => "/forecast",
            NoticeKind::StatementMissing => "/imports",
            NoticeKind::PriceChanged | NoticeKind::RepeatedCharge => "/transactions",
            NoticeKind::Digest => "/",
        }
    }
}

/// Which notices to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoticeFilter {
    /// Only those that were not read, or only those that were.
    pub is_unread: Option<bool>,
    /// Only notices after this one in the list.
    pub after: Option<NoticeId>,
    /// The most to return.
    pub limit: u32,
}

/// The port of notices. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
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
