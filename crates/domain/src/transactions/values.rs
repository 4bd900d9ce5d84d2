//! A transaction as it is stored, and one to store.

use time::{Date, OffsetDateTime};

use crate::ids::{AccountId, CategoryId, ImportId, MemberId, ProfileId, TransactionId, TransferId};
use crate::installments::Installment;
use crate::money::Money;
use crate::transactions::kinds::{Kind, Source};
use crate::transactions::lines::Details;

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
    /// The values of its statement that were edited since.
    pub statement: StatementValues,
    /// Which instalment it is, by its description. None on an account that is not a card.
    pub installment: Option<Installment>,
    /// Whether it was entered here, and a row of a statement was recognised as it.
    pub is_recognised: bool,
    /// Whether it is a side of a transfer between own accounts. Its other side is that of the same `transfer_id`; where
    /// there is none, it is not kept here.
    pub is_transfer: bool,
    /// Whether recognition leaves it alone: it was said to be no transfer, or its link was taken back.
    pub is_kept_unlinked: bool,
    /// Its lines, tags and note.
    pub details: Details,
    /// The member who entered or imported it, who may be gone by now. None for what the service made, and where it is not
    /// known.
    pub created_by: Option<MemberId>,
    /// The instant at which it was stored.
    pub created_at: OffsetDateTime,
}

impl Transaction {
    /// Yields and opening balances are facts about one account.
    pub(crate) fn belongs_to_its_account(&self) -> bool {
        matches!(self.source, Source::Yield | Source::OpeningBalance)
    }
}

/// The values that a statement gave a transaction, where an edit has changed them since. None where the transaction has the
/// statement's value still.
///
/// The rows of a file are compared with these, so an edited transaction is recognised when its statement is imported again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementValues {
    /// The description.
    pub description: Option<String>,
    /// The date; on a card that of the purchase. Also none where [`Transaction::original_date`] holds it.
    pub date: Option<Date>,
    /// The amount.
    pub amount: Option<Money>,
    /// Income or expense.
    pub kind: Option<Kind>,
    /// The account. Also none where the import named none: the account that the transaction was given since is then the
    /// only one known.
    pub account_id: Option<AccountId>,
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
    /// What its statement calls it, where that is something else. Not read on an update.
    pub statement_description: Option<String>,
    /// The amount, above zero.
    pub amount: Money,
    /// The transfer it is a leg of.
    pub transfer_id: Option<TransferId>,
    /// The import that brings it.
    pub import_id: Option<ImportId>,
    /// Whether it is a side of a transfer.
    pub is_transfer: bool,
    /// Whether recognition leaves it alone.
    pub is_kept_unlinked: bool,
    /// Its lines, tags and note.
    pub details: Details,
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
            statement_description: None,
            amount,
            transfer_id: None,
            import_id: None,
            is_transfer: false,
            is_kept_unlinked: false,
            details: Details::default(),
        }
    }
}
