//! What a notice is.

use time::{Date, OffsetDateTime};

use crate::ids::{AccountId, BillId, CategoryId, NoticeId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::words::words;

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
