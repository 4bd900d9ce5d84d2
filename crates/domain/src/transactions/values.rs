//! Stored transactions, and transactions to store.

use time::{Date, OffsetDateTime};

use crate::ids::{AccountId, CategoryId, ImportId, MemberId, ProfileId, TransactionId, TransferId};
use crate::installments::Installment;
use crate::money::Money;
use crate::openings::Opening;
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
    /// The values of its statement that an edit has changed since.
    pub statement: StatementValues,
    /// Which instalment it is, according to its description. None on an account that is not a card.
    pub installment: Option<Installment>,
    /// Whether it was entered here and then recognised as a row of a statement.
    pub is_recognised: bool,
    /// Whether it is a side of a transfer between own accounts. The other side has the same `transfer_id`. If no transaction has
    /// it, the other side is not kept here.
    pub is_transfer: bool,
    /// Whether recognition skips it, because a person said that it is no transfer, or took its link back.
    pub is_kept_unlinked: bool,
    /// Its lines, tags and note.
    pub details: Details,
    /// The member who entered or imported it. That member may have been removed since. None if the service created it, or if the
    /// member is not known.
    pub created_by: Option<MemberId>,
    /// The time at which it was stored.
    pub created_at: OffsetDateTime,
}

impl Transaction {
    /// Yields and opening balances are facts about one account.
    pub(crate) fn belongs_to_its_account(&self) -> bool {
        matches!(self.source, Source::Yield | Source::OpeningBalance)
    }
}

/// The values that a statement gave a transaction and that an edit has changed since. A value is None if the transaction still
/// has the statement's value.
///
/// The rows of a file are compared with these, so an edited transaction is recognised when its statement is imported again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementValues {
    /// The description.
    pub description: Option<String>,
    /// The date; on a card, the date of the purchase. Also None if [`Transaction::original_date`] holds it. Of a yield, which has no
    /// statement, the last day that it pays for.
    pub date: Option<Date>,
    /// The amount.
    pub amount: Option<Money>,
    /// Income or expense.
    pub kind: Option<Kind>,
    /// The account. Also None if the import named none: then the account that the transaction was given later is the only one
    /// known.
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
    /// Its description in the statement, if that differs. Not read on an update.
    pub statement_description: Option<String>,
    /// The amount, above zero.
    pub amount: Money,
    /// The transfer it is a leg of.
    pub transfer_id: Option<TransferId>,
    /// The import that brings it.
    pub import_id: Option<ImportId>,
    /// Whether it is a side of a transfer.
    pub is_transfer: bool,
    /// Whether recognition skips it.
    pub is_kept_unlinked: bool,
    /// Its lines, tags and note.
    pub details: Details,
}

impl NewTransaction {
    /// The opening balance of an account, which is not zero.
    pub(crate) fn opening(account_id: AccountId, opening: Opening) -> Self {
        let Opening { date, balance } = opening;
        NewTransaction {
            account_id: Some(account_id),
            source: Source::OpeningBalance,
            ..NewTransaction::new(Kind::of(balance), date, "Saldo inicial", balance.abs())
        }
    }

    /// A manual transaction with only the required values.
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
