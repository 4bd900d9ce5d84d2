//! Transactions: income and expenses, each on a calendar date.

mod edits;
mod filters;
mod kinds;
mod lines;
mod values;

use std::collections::HashSet;

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, TransactionId, TransferId};
use crate::money::Money;
use crate::month::Month;

pub use edits::{Edit, ReferenceChange};
pub use filters::{Referring, TransactionFilter, TransactionPlace, TransactionSummary};
pub use kinds::{Kind, Source, counts};
pub use lines::{Details, LINES_MAX, LINES_MIN, Line, LineInput};
pub(crate) use lines::{check as check_lines, check_note};
pub use values::{NewTransaction, StatementValues, Transaction};

/// The most transactions that one request changes or deletes by their ids.
pub const BULK_MAX: usize = 1_000;

/// The most transactions that are searched for descriptions, the newest ones: the search costs the same however long
/// the history is.
pub const DESCRIPTIONS_SEARCHED_MAX: i64 = 10_000;

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
    /// Whether it is a transfer whose other side is not kept here. Stays as it is where absent; not read on create.
    pub is_transfer: Option<bool>,
    /// What it is split into, in place of a category: 2 to 20 lines that sum to the amount. A line is none where `errors` says
    /// that it is no line at all.
    pub lines: Option<Vec<Option<LineInput>>>,
    /// Up to 10 of 1 to 30 characters, each once whatever the case. A tag is none where `errors` says that it is no text at all.
    pub tags: Option<Vec<Option<String>>>,
    /// 1 to 1,000 characters.
    pub note: Option<String>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Which transactions a client names, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct IdsInput {
    /// Required, 1 to [`BULK_MAX`]. An id is none where `errors` says that it is no id at all.
    pub ids: Option<Vec<Option<TransactionId>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// A description, and what it was used with last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedDescription {
    /// The description as it was written last.
    pub description: String,
    /// Income or expense.
    pub kind: Kind,
    /// The category, if there was one.
    pub category_id: Option<CategoryId>,
    /// The account, if there was one.
    pub account_id: Option<AccountId>,
}

/// What a deletion did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// How many transactions are gone.
    pub count: u64,
    /// The other sides of transfers that stay, as they are now: no transfers.
    pub parted: Vec<Transaction>,
}

/// Whether a transaction is a side of a transfer, and of which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// The transaction.
    pub id: TransactionId,
    /// The transfer, where the other side is stored too.
    pub transfer_id: Option<TransferId>,
    /// Whether it is a side of a transfer.
    pub is_transfer: bool,
    /// Whether recognition leaves it alone from now on.
    pub is_kept_unlinked: bool,
}

/// The port of transactions. Every method may fail as [`Store::transact`](crate::Store::transact) does.
///
/// Whoever stores a transaction stores with it what [`installments::read`](crate::installments::read) says of its description,
/// or else of its statement's, where its account is a card, and nothing elsewhere; a changed description or account is read anew.
#[allow(clippy::missing_errors_doc)]
pub trait TransactionRepo {
    /// At most `limit` of the transactions that pass the filter, newest first (`date`, then `id`), from after a place
    /// in that list on, or from its start.
    fn transaction_list(
        &mut self,
        filter: &TransactionFilter,
        after: Option<TransactionPlace>,
        limit: u32,
    ) -> Result<Vec<Transaction>>;
    /// What the transactions that pass the filter come to.
    fn transaction_summary(&mut self, filter: &TransactionFilter) -> Result<TransactionSummary>;
    /// The transaction of that id, if the profile has one.
    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>>;
    /// The descriptions among the newest [`DESCRIPTIONS_SEARCHED_MAX`] transactions that contain this normalized text, each
    /// once: as it was used last. Those that begin with it come first, then the newest.
    fn transaction_descriptions(&mut self, part: &str, limit: u32) -> Result<Vec<UsedDescription>>;
    /// Stores transactions in one statement and returns them in the order given;
    /// [`Refusal::DuplicateExternalId`](crate::Refusal::DuplicateExternalId) where an external id is taken.
    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>>;
    /// Changes transactions in one statement; source, import and transfer stay. Returns those that exist, in
    /// the order given; [`Refusal::DuplicateExternalId`](crate::Refusal::DuplicateExternalId) where an
    /// external id is taken.
    fn transaction_update(&mut self, edits: &[Edit]) -> Result<Vec<Transaction>>;
    /// Deletes transactions, and with them the legs that this service made of the same transfers. What a statement or a
    /// person brought as the other side stays, unlinked and no transfer any more.
    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<Removed>;
    /// Deletes all transactions of a month, as [`transaction_delete`](TransactionRepo::transaction_delete) does.
    fn transaction_delete_month(&mut self, month: Month) -> Result<Removed>;
    /// Writes of each transaction named whether and of which transfer it is a side.
    fn transaction_tie(&mut self, ties: &[Tie]) -> Result<()>;
    /// The transactions of those ids, in the order of their ids.
    fn transaction_list_of(&mut self, ids: &[TransactionId]) -> Result<Vec<Transaction>>;
}
