//! Transactions: income and expenses, each on a calendar date.

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, ImportId, ProfileId, TransactionId, TransferId};
use crate::money::Money;
use crate::month::Month;
use crate::words::words;

words! {
    /// The sign of an amount. The API calls it `type`.
    #[derive(PartialOrd, Ord)]
    pub enum Kind {
        /// Money was received.
        Income = "income",
        /// Money was spent.
        Expense = "expense",
    }
}

impl Kind {
    /// The kind of a signed amount: an expense below zero, income otherwise.
    pub fn of(signed: Money) -> Self {
        if signed < Money::ZERO { Kind::Expense } else { Kind::Income }
    }

    /// The amount with this kind's sign.
    pub fn sign(self, amount: Money) -> Money {
        match self {
            Kind::Income => amount,
            Kind::Expense => -amount,
        }
    }
}

words! {
    /// What created a transaction.
    pub enum Source {
        /// A client created it.
        Manual = "manual",
        /// An OFX statement.
        Ofx = "ofx",
        /// A CSV statement.
        Csv = "csv",
        /// Yield accrued by this service.
        Yield = "yield",
        /// One leg of a transfer between own accounts.
        Transfer = "transfer",
        /// The balance of an account at its creation.
        OpeningBalance = "opening_balance",
    }
}

impl Source {
    /// Whether a transaction of the source counts as income or spending, on a bill or in a month: transfers move own
    /// money, and an opening balance was there before.
    pub fn counts(self) -> bool {
        !matches!(self, Source::Transfer | Source::OpeningBalance)
    }
}

/// A transaction of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Its id. A later one is higher.
    pub id: TransactionId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Income or expense.
    pub kind: Kind,
    /// Its category, if it has one.
    pub category_id: Option<CategoryId>,
    /// Its account, if it has one.
    pub account_id: Option<AccountId>,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date of a card row that counts on its bill's payment date.
    pub original_date: Option<Date>,
    /// The bank's or client's id, unique within profile and account.
    pub external_id: Option<String>,
    /// What created it.
    pub source: Source,
    /// Its description, 1 to 255 characters.
    pub description: String,
    /// The amount, above zero.
    pub amount: Money,
    /// The transfer it is a leg of.
    pub transfer_id: Option<TransferId>,
    /// The import that brought it.
    pub import_id: Option<ImportId>,
    /// The instant at which it was stored.
    pub created_at: OffsetDateTime,
}

/// A transaction to store, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransaction {
    /// Income or expense.
    pub kind: Kind,
    /// Its category, if it has one.
    pub category_id: Option<CategoryId>,
    /// Its account, if it has one.
    pub account_id: Option<AccountId>,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date of a card row that counts on its bill's payment date.
    pub original_date: Option<Date>,
    /// The bank's or client's id.
    pub external_id: Option<String>,
    /// What created it.
    pub source: Source,
    /// Its description, 1 to 255 characters.
    pub description: String,
    /// The amount, above zero.
    pub amount: Money,
    /// The transfer it is a leg of.
    pub transfer_id: Option<TransferId>,
    /// The import that brings it.
    pub import_id: Option<ImportId>,
}

impl NewTransaction {
    /// A manual transaction with the least it needs.
    pub fn new(kind: Kind, date: Date, description: impl Into<String>, amount: Money) -> Self {
        NewTransaction {
            kind,
            category_id: None,
            account_id: None,
            date,
            original_date: None,
            external_id: None,
            source: Source::Manual,
            description: description.into(),
            amount,
            transfer_id: None,
            import_id: None,
        }
    }
}

/// A transaction as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct TransactionInput {
    /// Required.
    pub kind: Option<Kind>,
    /// One of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// One of the caller's accounts.
    pub account_id: Option<AccountId>,
    /// Required.
    pub date: Option<Date>,
    /// Up to 255 characters; unique within the account.
    pub external_id: Option<String>,
    /// Required, 1 to 255 characters.
    pub description: Option<String>,
    /// Required, above 0, at most 9999999999.99.
    pub amount: Option<Money>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl Transaction {
    /// Yields and opening balances are facts about one account.
    pub(crate) fn belongs_to_its_account(&self) -> bool {
        matches!(self.source, Source::Yield | Source::OpeningBalance)
    }
}

/// Which transactions to list.
#[derive(Debug, Clone, Default)]
pub struct TransactionFilter {
    /// Those dated in the month.
    pub month: Option<Month>,
    /// Those of the account.
    pub account_id: Option<AccountId>,
    /// Those of the category.
    pub category_id: Option<CategoryId>,
    /// Those of the kind.
    pub kind: Option<Kind>,
    /// Those whose [normalized](crate::text::normalized) description contains this normalized text.
    pub description_part: Option<String>,
    /// Those after this place in the list. None for the start.
    pub after: Option<TransactionPlace>,
    /// The most rows to return.
    pub limit: u32,
}

/// A transaction's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionPlace {
    /// Its date.
    pub date: Date,
    /// Its id.
    pub id: TransactionId,
}

/// The port of transactions. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait TransactionRepo {
    /// The transactions that pass the filter, newest first (`date`, then `id`).
    fn transaction_list(&mut self, filter: &TransactionFilter) -> Result<Vec<Transaction>>;
    /// The transaction of that id, if the profile has one.
    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>>;
    /// Stores transactions in one statement and returns them in the order given;
    /// [`Refusal::DuplicateExternalId`](crate::Refusal::DuplicateExternalId) where an external id is taken.
    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>>;
    /// Replaces a transaction's own fields; its source, import and purchase date stay.
    fn transaction_update(&mut self, id: TransactionId, new: &NewTransaction) -> Result<Option<Transaction>>;
    /// Deletes transactions, and with a leg the whole transfer. Returns how many were deleted.
    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<u64>;
    /// Deletes all transactions of a month. Returns how many were deleted.
    fn transaction_delete_month(&mut self, month: Month) -> Result<u64>;
}
