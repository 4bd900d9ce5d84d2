//! Changes of a stored transaction. They keep the values of its statement.

use time::Date;

use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::month::Month;
use crate::transactions::filters::Referring;
use crate::transactions::kinds::{Kind, Source};
use crate::transactions::values::{NewTransaction, StatementValues, Transaction};

/// A change of a stored transaction. Only [`Transaction::edited`], [`Transaction::recognised`], [`Transaction::filled`] and
/// [`Transaction::released`] make one, so that no write loses the values of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    id: TransactionId,
    new: NewTransaction,
    statement: StatementValues,
    is_recognised: bool,
    refunded: Vec<(CategoryId, Month)>,
}

impl Edit {
    /// The transaction to change.
    pub fn id(&self) -> TransactionId {
        self.id
    }

    /// Its new values. The source, import and transfer are not written.
    pub fn new_values(&self) -> &NewTransaction {
        &self.new
    }

    /// The values of its statement that differ from its new ones.
    pub fn statement(&self) -> &StatementValues {
        &self.statement
    }

    /// The categories in which it was income before the change, with the month: a refund, where a category nets them.
    pub(crate) fn refunded(&self) -> &[(CategoryId, Month)] {
        &self.refunded
    }

    /// Whether the transaction is recognised as a row of a statement.
    pub fn is_recognised(&self) -> bool {
        self.is_recognised
    }
}

/// What a transaction had that was made here, before a statement was found to have it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeStatement {
    /// The transaction.
    pub id: TransactionId,
    /// The date.
    pub date: Date,
    /// The date of the purchase, if it differed.
    pub original_date: Option<Date>,
    /// The external id, if it had one.
    pub external_id: Option<String>,
}

/// New references for transactions. None leaves a reference unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReferenceChange {
    /// The category, or no category.
    pub category: Option<Referring<CategoryId>>,
    /// The account, or no account.
    pub account: Option<Referring<AccountId>>,
}

impl Transaction {
    /// The categories in which it is income, with its month. A split transaction counts in the categories of its lines.
    pub(crate) fn refunded(&self) -> Vec<(CategoryId, Month)> {
        if self.kind != Kind::Income {
            return Vec::new();
        }
        let lines = self.details.lines.iter().map(|line| line.category_id);
        self.category_id.into_iter().chain(lines).map(|id| (id, Month::of(self.date))).collect()
    }

    /// Whether it was imported, or [recognised](Transaction::recognised) in a statement.
    pub(crate) fn is_from_statement(&self) -> bool {
        self.import_id.is_some()
            || matches!(self.source, Source::Ofx | Source::Csv)
            || self.is_recognised
            || self.source != Source::Yield && self.statement != StatementValues::default()
    }

    /// Replaces the transaction's own values. A transaction that came from a statement keeps the statement's values, and a yield the
    /// last day that it pays for. One that is not [manual](Source::Manual) keeps its external id.
    ///
    /// ```
    /// # use finance_domain::transactions::{Kind, NewTransaction, Source, StatementValues, Transaction};
    /// # use finance_domain::{Money, ProfileId, TransactionId};
    /// # use time::macros::{date, datetime};
    /// # let imported = Transaction {
    /// #     id: TransactionId(1), profile_id: ProfileId(1), kind: Kind::Expense, category_id: None, account_id: None,
    /// #     date: date!(2026-01-31), original_date: None, external_id: None, source: Source::Csv,
    /// #     description: "PADARIA PAO QUENTE".into(), amount: Money::from_cents(550), transfer_id: None, import_id: None,
    /// #     is_transfer: false, is_kept_unlinked: false, installment: None, is_recognised: false, created_by: None,
    /// #     details: Default::default(), statement: StatementValues::default(), created_at: datetime!(2026-02-01 12:00 UTC),
    /// # };
    /// let renamed = NewTransaction::new(imported.kind, imported.date, "Pão", imported.amount);
    /// let edit = imported.edited(renamed);
    /// assert_eq!(edit.statement().description.as_deref(), Some("PADARIA PAO QUENTE"));
    /// assert_eq!(edit.statement().date, None, "it is the transaction's own");
    /// ```
    pub fn edited(&self, new: NewTransaction) -> Edit {
        // The bank's id identifies the row in a re-import; a client does not change it.
        let external_id = if self.source == Source::Manual { new.external_id } else { self.external_id.clone() };
        let new = NewTransaction { external_id, original_date: self.original_date, ..new };
        let statement = match self.is_from_statement() {
            true => StatementValues {
                description: differing(self.statement.description.as_ref(), &self.description, &new.description),
                date: match self.original_date {
                    Some(_) => self.statement.date,
                    None => differing(self.statement.date.as_ref(), &self.date, &new.date),
                },
                amount: differing(self.statement.amount.as_ref(), &self.amount, &new.amount),
                kind: differing(self.statement.kind.as_ref(), &self.kind, &new.kind),
                account_id: self.statement.account_id.or(self.account_id).filter(|id| Some(*id) != new.account_id),
            },
            // The last day that it pays for, which is not paid again.
            false if self.source == Source::Yield => StatementValues {
                date: differing(self.statement.date.as_ref(), &self.date, &new.date),
                ..StatementValues::default()
            },
            false => StatementValues::default(),
        };
        Edit { id: self.id, new, statement, is_recognised: self.is_recognised, refunded: self.refunded() }
    }

    /// Marks the transaction as a row of a statement: it keeps its own values, takes the row's external id, and records the
    /// row's values. `row` is what would be stored if the row were new.
    pub fn recognised(&self, row: &NewTransaction) -> Edit {
        self.recognised_on(row, self.date, self.original_date)
    }

    /// Like [`recognised`](Transaction::recognised), but also takes the row's date.
    pub fn filled(&self, row: &NewTransaction) -> Edit {
        self.recognised_on(row, row.date, row.original_date)
    }

    fn recognised_on(&self, row: &NewTransaction, date: Date, original_date: Option<Date>) -> Edit {
        let row_date = row.original_date.unwrap_or(row.date);
        let own_date = original_date.unwrap_or(date);
        let statement = StatementValues {
            description: differing(None, &row.description, &self.description),
            date: differing(None, &row_date, &own_date),
            amount: differing(None, &row.amount, &self.amount),
            kind: differing(None, &row.kind, &self.kind),
            account_id: row.account_id.filter(|id| Some(*id) != self.account_id),
        };
        let new = NewTransaction {
            kind: self.kind,
            category_id: self.category_id,
            account_id: self.account_id,
            date,
            original_date,
            external_id: row.external_id.clone().or_else(|| self.external_id.clone()),
            source: self.source,
            description: self.description.clone(),
            statement_description: None,
            amount: self.amount,
            transfer_id: self.transfer_id,
            import_id: self.import_id,
            is_transfer: self.is_transfer,
            is_kept_unlinked: self.is_kept_unlinked,
            details: self.details.clone(),
        };
        Edit { id: self.id, new, statement, is_recognised: true, refunded: self.refunded() }
    }

    /// Takes away what a statement said, and the dates that it gave. What a person changed stays.
    pub fn released(&self, before: &BeforeStatement) -> Edit {
        let new = NewTransaction {
            category_id: self.category_id,
            account_id: self.account_id,
            original_date: before.original_date,
            external_id: before.external_id.clone(),
            source: self.source,
            transfer_id: self.transfer_id,
            is_transfer: self.is_transfer,
            is_kept_unlinked: self.is_kept_unlinked,
            details: self.details.clone(),
            ..NewTransaction::new(self.kind, before.date, self.description.as_str(), self.amount)
        };
        let statement = StatementValues::default();
        Edit { id: self.id, new, statement, is_recognised: false, refunded: self.refunded() }
    }

    /// The transaction with changed references. None leaves a reference unchanged.
    pub(crate) fn moved(&self, change: &ReferenceChange) -> Edit {
        self.edited(NewTransaction {
            category_id: change.category.map_or(self.category_id, Referring::id),
            account_id: change.account.map_or(self.account_id, Referring::id),
            external_id: self.external_id.clone(),
            is_transfer: self.is_transfer,
            is_kept_unlinked: self.is_kept_unlinked,
            details: self.details.clone(),
            ..NewTransaction::new(self.kind, self.date, self.description.as_str(), self.amount)
        })
    }
}

/// The statement's value: `recorded`, or `before` if none is recorded. None if it equals the value `now`.
fn differing<T: Clone + PartialEq>(recorded: Option<&T>, before: &T, now: &T) -> Option<T> {
    Some(recorded.unwrap_or(before)).filter(|value| *value != now).cloned()
}

#[cfg(test)]
mod tests;
