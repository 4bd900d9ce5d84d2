//! Transfers between own accounts: an expense on one account and an income on the other.

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, TransferId};
use crate::money::Money;
use crate::transactions::Transaction;

/// A transfer with its two transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Its id.
    pub id: TransferId,
    /// The expense.
    pub from: Transaction,
    /// The income.
    pub to: Transaction,
}

/// A transfer to store, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransfer {
    /// The account the money leaves.
    pub from_account_id: AccountId,
    /// The account it arrives on, another one.
    pub to_account_id: AccountId,
    /// The amount, above zero.
    pub amount: Money,
    /// The date of both transactions.
    pub date: Date,
    /// The description of both transactions.
    pub description: String,
}

/// A transfer as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct TransferInput {
    /// Required; one of the caller's accounts.
    pub from_account_id: Option<AccountId>,
    /// Required; another of the caller's accounts.
    pub to_account_id: Option<AccountId>,
    /// Required, above 0, at most 9999999999.99.
    pub amount: Option<Money>,
    /// Required.
    pub date: Option<Date>,
    /// Up to 255 characters; `Transferência` where absent or blank.
    pub description: Option<String>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The port of transfers. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait TransferRepo {
    /// Opens a transfer, whose legs are stored next, in the same transaction.
    fn transfer_insert(&mut self) -> Result<TransferId>;
    /// The transfer of that id, if the profile has one.
    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>>;
    /// Deletes a transfer with both legs. Returns whether there was one.
    fn transfer_delete(&mut self, id: TransferId) -> Result<bool>;
}
