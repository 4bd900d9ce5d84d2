//! Transactions: money that came or went on a calendar date.

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::{self, Happened};
use crate::ids::{AccountId, CategoryId, ImportId, ProfileId, TransactionId, TransferId};
use crate::money::Money;
use crate::month::Month;
use crate::store::Repo;
use crate::text;

/// Whether money came or went: the sign of an amount. `type` in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Money came.
    Income,
    /// Money went.
    Expense,
}

impl Kind {
    /// What a signed amount is: an expense below zero, an income otherwise.
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

/// Where a transaction came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A client created it.
    Manual,
    /// An OFX statement.
    Ofx,
    /// A CSV statement.
    Csv,
    /// Yield accrued by this service.
    Yield,
    /// One leg of a transfer between own accounts.
    Transfer,
    /// What an account held when it was created.
    OpeningBalance,
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
    /// Its id; a later one is higher.
    pub id: TransactionId,
    /// Whose it is.
    pub profile_id: ProfileId,
    /// Whether money came or went.
    pub kind: Kind,
    /// What it was for.
    pub category_id: Option<CategoryId>,
    /// Where the money is or was.
    pub account_id: Option<AccountId>,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date of a card row that counts on its bill's payment date.
    pub original_date: Option<Date>,
    /// The bank's or client's id, unique within profile and account.
    pub external_id: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// What it says.
    pub description: String,
    /// How much; above zero.
    pub amount: Money,
    /// The transfer it is a leg of.
    pub transfer_id: Option<TransferId>,
    /// The import that brought it.
    pub import_id: Option<ImportId>,
    /// When it was stored.
    pub created_at: OffsetDateTime,
}

/// A transaction to store, sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTransaction {
    /// Whether money came or went.
    pub kind: Kind,
    /// What it was for.
    pub category_id: Option<CategoryId>,
    /// Where the money is or was.
    pub account_id: Option<AccountId>,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date of a card row that counts on its bill's payment date.
    pub original_date: Option<Date>,
    /// The bank's or client's id.
    pub external_id: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// What it says.
    pub description: String,
    /// How much; above zero.
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
    /// What could not even be read; told together with what the rules find.
    pub errors: FieldErrors,
}

impl TransactionInput {
    /// Applies the rules, those about references to categories and accounts included.
    fn check(self, repo: &mut dyn Repo, before: Option<&Transaction>) -> Result<NewTransaction> {
        let mut errors = self.errors;
        let kind = errors.require("type", self.kind);
        let date = errors.require("date", self.date);
        let description = errors
            .require("description", self.description)
            .and_then(|text| errors.check("description", text::description(&text)));
        let amount = errors
            .require("amount", self.amount)
            .and_then(|amount| errors.check("amount", amount.transaction_amount()));
        let external_id = self.external_id.and_then(|id| errors.check("external_id", text::optional(&id))).flatten();
        crate::categories::check_reference(repo, "category_id", self.category_id, &mut errors)?;
        crate::accounts::check_reference(repo, "account_id", self.account_id, &mut errors)?;
        if let Some(before) = before.filter(|before| before.belongs_to_its_account())
            && self.account_id != before.account_id
        {
            errors.push("account_id", "cannot change on a yield or an opening balance");
        }
        errors.into_result()?;
        let (Some(kind), Some(date), Some(description), Some(amount)) = (kind, date, description, amount) else {
            return Err(Error::Internal("a required field passed the check without a value".into()));
        };
        Ok(NewTransaction {
            category_id: self.category_id,
            account_id: self.account_id,
            external_id,
            ..NewTransaction::new(kind, date, description, amount)
        })
    }
}

impl Transaction {
    /// Yields and opening balances are facts about one account.
    fn belongs_to_its_account(&self) -> bool {
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
    /// Those whose normalized description holds this normalized text.
    pub description_part: Option<String>,
    /// Those that come after this place in the order of the list.
    pub after: Option<TransactionPlace>,
    /// At most that many.
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

/// Where transactions are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait TransactionRepo {
    /// The transactions that pass the filter, newest first (`date`, then `id`).
    fn transaction_list(&mut self, filter: &TransactionFilter) -> Result<Vec<Transaction>>;
    /// The transaction of that id, if the profile has one.
    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>>;
    /// Stores transactions in one statement and returns them in the order given;
    /// [`Refusal::DuplicateExternalId`] where an external id is taken.
    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>>;
    /// Replaces a transaction's own fields; its source, import and purchase date stay.
    fn transaction_update(&mut self, id: TransactionId, new: &NewTransaction) -> Result<Option<Transaction>>;
    /// Deletes transactions, and with a leg the whole transfer; tells how many are gone.
    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<u64>;
    /// Deletes all transactions of a month; tells how many are gone.
    fn transaction_delete_month(&mut self, month: Month) -> Result<u64>;
}

/// The caller's transactions that pass the filter, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, filter: &TransactionFilter) -> Result<Vec<Transaction>> {
    repo.transaction_list(filter)
}

/// One transaction.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transaction.
pub fn get(repo: &mut dyn Repo, id: TransactionId) -> Result<Transaction> {
    repo.transaction_get(id)?.ok_or(Error::NotFound("transaction"))
}

/// Creates a manual transaction.
///
/// # Errors
///
/// [`Error::Invalid`], or [`Refusal::DuplicateExternalId`].
pub fn create(repo: &mut dyn Repo, input: TransactionInput) -> Result<Transaction> {
    let new = input.check(repo, None)?;
    let mut stored = repo.transaction_insert(&[new])?;
    let transaction = stored.pop().ok_or_else(|| Error::Internal("an insert returned no row".into()))?;
    let Transaction { date, kind, amount, ref description, .. } = transaction;
    gamification::notify(repo, &[Happened::TransactionCreated { date, kind, amount, description }])?;
    Ok(transaction)
}

/// Replaces a transaction's own fields.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::TransferLeg`], [`Error::Invalid`], or [`Refusal::DuplicateExternalId`].
pub fn update(repo: &mut dyn Repo, id: TransactionId, input: TransactionInput) -> Result<Transaction> {
    let before = get(repo, id)?;
    if before.transfer_id.is_some() {
        return Err(Refusal::TransferLeg.into());
    }
    let mut new = input.check(repo, Some(&before))?;
    if before.source != Source::Manual {
        // The bank's id is what tells a re-import; a client does not change it.
        new.external_id = before.external_id;
    }
    repo.transaction_update(id, &new)?.ok_or(Error::NotFound("transaction"))
}

/// Deletes a transaction; with one leg of a transfer goes the other.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transaction.
pub fn delete(repo: &mut dyn Repo, id: TransactionId) -> Result<()> {
    match repo.transaction_delete(&HashSet::from([id]))? {
        0 => Err(Error::NotFound("transaction")),
        _ => Ok(()),
    }
}

/// Deletes all the caller's transactions of a month; tells how many.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn delete_month(repo: &mut dyn Repo, month: Month) -> Result<u64> {
    repo.transaction_delete_month(month)
}
