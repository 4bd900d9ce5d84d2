//! Transactions: income and expenses, each on a calendar date.
//!
//! A row that came from a statement is recognised by the values of the statement, whatever was edited since. The port takes
//! an [`Edit`], which only [`Transaction::edited`], [`Transaction::recognised`] and [`Transaction::filled`] make, so every
//! write of a stored row keeps the statement's values in its `statement_…` columns, null while they are the row's own. A row
//! that the service created and that is in a statement too (a leg of a transfer, an instalment) is marked `is_recognised`.

mod edits;
mod filters;
mod kinds;
mod lines;
mod values;

use std::collections::HashSet;

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, ImportId, TransactionId, TransferId};
use crate::money::Money;
use crate::month::Month;

pub use edits::{BeforeStatement, Edit, ReferenceChange};
pub use filters::{
    DateBasis, FlowKind, Referring, TransactionFilter, TransactionPlace, TransactionSummary, searched_amount,
};
pub use kinds::{Kind, Source, counts};
pub use lines::{Details, LINES_MAX, LINES_MIN, Line, LineInput};
pub(crate) use lines::{check as check_lines, check_note};
pub use values::{NewTransaction, StatementValues, Transaction};

/// The most transactions that one request changes or deletes by their ids.
pub const BULK_MAX: usize = 1_000;

/// The most transactions that are searched for descriptions, newest first. The limit keeps the cost of a search independent of
/// the length of the history.
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
    /// Whether it is a transfer whose other side is not kept here. Unchanged if absent; ignored on creation.
    pub is_transfer: Option<bool>,
    /// The lines that it is split into, in place of a category: 2 to 20 lines that sum to the amount. A line is None if it could
    /// not be read; `errors` says so already.
    pub lines: Option<Vec<Option<LineInput>>>,
    /// Up to 10 tags of 1 to 30 characters, each once, ignoring case. A tag is None if it could not be read; `errors` says so
    /// already.
    pub tags: Option<Vec<Option<String>>>,
    /// 1 to 1,000 characters.
    pub note: Option<String>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The transactions that a client names, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct IdsInput {
    /// Required, 1 to [`BULK_MAX`]. An id is None if it could not be read; `errors` says so already.
    pub ids: Option<Vec<Option<TransactionId>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// A description, with the values of the last transaction that used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedDescription {
    /// The description as the last transaction writes it.
    pub description: String,
    /// Income or expense.
    pub kind: Kind,
    /// The category, if there was one.
    pub category_id: Option<CategoryId>,
    /// The account, if there was one.
    pub account_id: Option<AccountId>,
}

/// The result of a deletion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of deleted transactions.
    pub count: u64,
    /// The other sides of deleted transfers that are kept, in their new state: they are no longer transfers.
    pub unlinked: Vec<Transaction>,
    /// The accounts whose opening balance was deleted.
    pub unopened: Vec<AccountId>,
    /// The categories and months of deleted income: refunds, where a category nets them.
    pub refunded: Vec<(CategoryId, Month)>,
    /// The accounts, days and amounts of deleted transfers whose other side was not kept here.
    pub single_transfers: Vec<DayKey>,
}

/// The rows of an account, type, amount and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DayKey {
    /// The account.
    pub account_id: AccountId,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The date.
    pub date: Date,
}

/// Whether a transaction is a side of a transfer, and of which transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferState {
    /// The transaction.
    pub id: TransactionId,
    /// The transfer, if the other side is stored too.
    pub transfer_id: Option<TransferId>,
    /// Whether it is a side of a transfer.
    pub is_transfer: bool,
    /// Whether recognition skips it from now on.
    pub is_kept_unlinked: bool,
}

impl TransferState {
    /// A side of a transfer. Without the id of the transfer, its other side is not stored.
    pub(crate) fn side(id: TransactionId, transfer_id: Option<TransferId>) -> Self {
        TransferState { id, transfer_id, is_transfer: true, is_kept_unlinked: false }
    }

    /// No side of a transfer. Recognition may ask again.
    pub(crate) fn ordinary(id: TransactionId) -> Self {
        TransferState { id, transfer_id: None, is_transfer: false, is_kept_unlinked: false }
    }
}

/// The most transactions of a profile, unless the operator sets another limit.
pub const TRANSACTIONS_MAX: usize = 1_000_000;

/// The port of transactions. Every method may fail as [`Store::transact`](crate::Store::transact) does.
///
/// If the account of a transaction is a card, an implementation also stores the result of
/// [`installments::read`](crate::installments::read) for its description, or else for its statement's description. For other
/// transactions it stores no instalment. If the description or the account changes, it reads the instalment again.
pub trait TransactionRepo {
    /// At most `limit` of the transactions that pass the filter, newest first (`date`, then `id`). They follow the place
    /// `after` in that list, or start at its beginning.
    fn transaction_list(
        &mut self,
        filter: &TransactionFilter,
        after: Option<TransactionPlace>,
        limit: u32,
    ) -> Result<Vec<Transaction>>;
    /// The sums of the transactions that pass the filter.
    fn transaction_summary(&mut self, filter: &TransactionFilter) -> Result<TransactionSummary>;
    /// Visits each different text of the transactions that pass the filter: the statement's, or else the description.
    fn transaction_texts(&mut self, filter: &TransactionFilter, visit: &mut dyn FnMut(&str)) -> Result<()>;
    /// The transaction of that id, if the profile has one.
    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>>;
    /// The descriptions of the newest [`DESCRIPTIONS_SEARCHED_MAX`] transactions that contain this normalized text, each once,
    /// with its last use. Those that begin with the text come first, then the newest.
    fn transaction_descriptions(&mut self, part: &str, limit: u32) -> Result<Vec<UsedDescription>>;
    /// Stores transactions in one statement and returns them in the given order;
    /// [`Refusal::DuplicateExternalId`](crate::Refusal::DuplicateExternalId) if an external id is taken.
    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>>;
    /// Changes transactions in one statement. Source, import and transfer do not change. Returns those that exist, in
    /// the given order; [`Refusal::DuplicateExternalId`](crate::Refusal::DuplicateExternalId) if an
    /// external id is taken.
    fn transaction_update(&mut self, edits: &[Edit]) -> Result<Vec<Transaction>>;
    /// Deletes transactions, and the legs of the same transfers that this service created. If the other side comes from a
    /// statement or a person, it is kept, unlinked, and is no longer a transfer.
    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<Removed>;
    /// Deletes all transactions of a month, as [`transaction_delete`](TransactionRepo::transaction_delete) does.
    fn transaction_delete_month(&mut self, month: Month) -> Result<Removed>;
    /// Stores for each named transaction whether it is a side of a transfer, and of which transfer.
    fn transaction_set_transfer(&mut self, states: &[TransferState]) -> Result<()>;
    /// Notes that an import brought legs that this service made for rows of other accounts: they are deleted with it.
    fn transaction_note_import(&mut self, ids: &[TransactionId], import_id: ImportId) -> Result<()>;
    /// The transactions with these ids, in the order of their ids.
    fn transaction_list_of(&mut self, ids: &[TransactionId]) -> Result<Vec<Transaction>>;
}
