//! Transfers between own accounts: one expense where the money leaves, one income where it arrives.

use time::Date;

use crate::accounts;
use crate::error::{Error, FieldErrors, Result};
use crate::gamification::{self, Happened};
use crate::ids::{AccountId, TransferId};
use crate::money::Money;
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, NewTransaction, Source, Transaction};

/// What a transfer says where its maker said nothing.
const DESCRIPTION: &str = "Transferência";

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

impl TransferInput {
    /// Applies the rules, those about references to accounts included.
    fn check(self, repo: &mut dyn Repo) -> Result<NewTransfer> {
        let mut errors = self.errors;
        let from_account_id = errors.require("from_account_id", self.from_account_id);
        accounts::check_reference(repo, "from_account_id", from_account_id, &mut errors)?;
        let to_account_id = errors.require("to_account_id", self.to_account_id);
        accounts::check_reference(repo, "to_account_id", to_account_id, &mut errors)?;
        if from_account_id.is_some() && from_account_id == to_account_id {
            errors.push("to_account_id", "must be another account than from_account_id");
        }
        let amount = errors
            .require("amount", self.amount)
            .and_then(|amount| errors.check("amount", amount.transaction_amount()));
        let date = errors.require("date", self.date);
        let description = self.description.filter(|text| !text.trim().is_empty());
        let description = description.unwrap_or_else(|| DESCRIPTION.to_string());
        let description = errors.check("description", text::description(&description));
        errors.into_result()?;
        let (Some(from_account_id), Some(to_account_id), Some(amount), Some(date), Some(description)) =
            (from_account_id, to_account_id, amount, date, description)
        else {
            return Err(Error::Internal("a required field passed the check without a value".into()));
        };
        Ok(NewTransfer { from_account_id, to_account_id, amount, date, description })
    }
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

/// One transfer.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer.
pub fn get(repo: &mut dyn Repo, id: TransferId) -> Result<Transfer> {
    repo.transfer_get(id)?.ok_or(Error::NotFound("transfer"))
}

/// Creates a transfer.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn create(repo: &mut dyn Repo, input: TransferInput) -> Result<Transfer> {
    let new = input.check(repo)?;
    let transfer = insert(repo, new)?;
    let Transaction { date, amount, ref description, .. } = transfer.from;
    gamification::notify(repo, &[Happened::TransferCreated { date, amount, description }])?;
    Ok(transfer)
}

/// Deletes a transfer with both legs.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer.
pub fn delete(repo: &mut dyn Repo, id: TransferId) -> Result<()> {
    if repo.transfer_delete(id)? { Ok(()) } else { Err(Error::NotFound("transfer")) }
}

/// Stores a transfer that is known to be sound.
pub(crate) fn insert(repo: &mut dyn Repo, new: NewTransfer) -> Result<Transfer> {
    let id = repo.transfer_insert()?;
    let leg = |kind, account_id| NewTransaction {
        account_id: Some(account_id),
        source: Source::Transfer,
        transfer_id: Some(id),
        ..NewTransaction::new(kind, new.date, new.description.as_str(), new.amount)
    };
    let legs = [leg(Kind::Expense, new.from_account_id), leg(Kind::Income, new.to_account_id)];
    let stored = repo.transaction_insert(&legs)?;
    let [from, to] =
        <[Transaction; 2]>::try_from(stored).map_err(|_| Error::Internal("two legs were not stored as two".into()))?;
    Ok(Transfer { id, from, to })
}
