//! Transfers between own accounts: one expense where the money leaves, one income where it arrives.

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, TransferId};
use crate::money::Money;
use crate::transactions::Transaction;

/// A transfer and its legs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Its id.
    pub id: TransferId,
    /// The expense.
    pub from: Transaction,
    /// The income.
    pub to: Transaction,
}

/// A transfer to store, sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransfer {
    /// Where the money leaves.
    pub from_account_id: AccountId,
    /// Where it arrives; another account.
    pub to_account_id: AccountId,
    /// How much; above zero.
    pub amount: Money,
    /// The date both legs count on.
    pub date: Date,
    /// What both legs say.
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
    /// What could not even be read; told together with what the rules find.
    pub errors: FieldErrors,
}

/// Where transfers are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait TransferRepo {
    /// Opens a transfer, whose legs are stored next, in the same transaction.
    fn transfer_insert(&mut self) -> Result<TransferId>;
    /// The transfer of that id, if the profile has one.
    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>>;
    /// Deletes a transfer with both legs; tells whether there was one.
    fn transfer_delete(&mut self, id: TransferId) -> Result<bool>;
}
