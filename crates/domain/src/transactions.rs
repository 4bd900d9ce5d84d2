//! Transactions: income and expenses, each on a calendar date.

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, CategoryId, ImportId, ProfileId, TransactionId, TransferId};
use crate::installments::Installment;
use crate::money::Money;
use crate::month::Month;
use crate::violations::Violation;
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
        /// A purchase by instalments that a client entered.
        Installment = "installment",
    }
}

/// Whether a transaction counts as income or spending, on a bill or in a month: transfers move own money, and an opening
/// balance was there before.
pub fn counts(source: Source, is_transfer: bool) -> bool {
    !is_transfer && source != Source::OpeningBalance
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
    /// The instant at which it was stored.
    pub created_at: OffsetDateTime,
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
        }
    }
}

/// The most transactions that one request changes or deletes by their ids.
pub const BULK_MAX: usize = 1_000;

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
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl Transaction {
    /// Yields and opening balances are facts about one account.
    pub(crate) fn belongs_to_its_account(&self) -> bool {
        matches!(self.source, Source::Yield | Source::OpeningBalance)
    }

    /// Whether it was imported, or [recognised](Transaction::recognised) in a statement.
    pub(crate) fn is_from_statement(&self) -> bool {
        self.import_id.is_some()
            || matches!(self.source, Source::Ofx | Source::Csv)
            || self.is_recognised
            || self.statement != StatementValues::default()
    }

    /// Replaces the transaction's own values. One that came from a statement keeps the statement's values, and one that is not
    /// [manual](Source::Manual) keeps its external id.
    ///
    /// ```
    /// # use finance_domain::transactions::{Kind, NewTransaction, Source, StatementValues, Transaction};
    /// # use finance_domain::{Money, ProfileId, TransactionId};
    /// # use time::macros::{date, datetime};
    /// # let imported = Transaction {
    /// #     id: TransactionId(1), profile_id: ProfileId(1), kind: Kind::Expense, category_id: None, account_id: None,
    /// #     date: date!(2026-01-31), original_date: None, external_id: None, source: Source::Csv,
    /// #     description: "PADARIA PAO QUENTE".into(), amount: Money::from_cents(550), transfer_id: None, import_id: None,
    /// #     is_transfer: false, is_kept_unlinked: false, installment: None, is_recognised: false,
    /// #     statement: StatementValues::default(), created_at: datetime!(2026-02-01 12:00 UTC),
    /// # };
    /// let renamed = NewTransaction::new(imported.kind, imported.date, "Pão", imported.amount);
    /// let edit = imported.edited(renamed);
    /// assert_eq!(edit.statement().description.as_deref(), Some("PADARIA PAO QUENTE"));
    /// assert_eq!(edit.statement().date, None, "it is the transaction's own");
    /// ```
    pub fn edited(&self, new: NewTransaction) -> Edit {
        // The bank's id is what tells a re-import; a client does not change it.
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
            false => StatementValues::default(),
        };
        Edit { id: self.id, new, statement, is_recognised: self.is_recognised }
    }

    /// Marks the transaction as a row of a statement: it keeps its own values, takes the row's external id, and records the
    /// row's values. `row` is what would be stored if the row were new.
    pub fn recognised(&self, row: &NewTransaction) -> Edit {
        self.recognised_on(row, self.date, self.original_date)
    }

    /// As [`recognised`](Transaction::recognised), and takes the row's date too.
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
        };
        Edit { id: self.id, new, statement, is_recognised: true }
    }
}

impl Transaction {
    /// The transaction with other references; none means that one stays.
    pub(crate) fn moved(&self, change: &ReferenceChange) -> Edit {
        self.edited(NewTransaction {
            category_id: change.category.map_or(self.category_id, Referring::id),
            account_id: change.account.map_or(self.account_id, Referring::id),
            external_id: self.external_id.clone(),
            is_transfer: self.is_transfer,
            is_kept_unlinked: self.is_kept_unlinked,
            ..NewTransaction::new(self.kind, self.date, self.description.as_str(), self.amount)
        })
    }
}

/// Other references for transactions. None means that one stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReferenceChange {
    /// The category, or that there is none.
    pub category: Option<Referring<CategoryId>>,
    /// The account, or that there is none.
    pub account: Option<Referring<AccountId>>,
}

/// Which transactions a client names, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct IdsInput {
    /// Required, 1 to [`BULK_MAX`]. An id is none where `errors` says that it is no id at all.
    pub ids: Option<Vec<Option<TransactionId>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The statement's value, which is `before` while none is recorded; none where it equals the value `now`.
fn differing<T: Clone + PartialEq>(recorded: Option<&T>, before: &T, now: &T) -> Option<T> {
    Some(recorded.unwrap_or(before)).filter(|value| *value != now).cloned()
}

/// A change of a stored transaction. Only [`Transaction::edited`], [`Transaction::recognised`] and [`Transaction::filled`] make
/// one, so that no write loses the values of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    id: TransactionId,
    new: NewTransaction,
    statement: StatementValues,
    is_recognised: bool,
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

    /// Whether a row of a statement is recognised as it.
    pub fn is_recognised(&self) -> bool {
        self.is_recognised
    }
}

/// What rows refer to, or that they refer to nothing: looked for by a filter, or set by a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referring<T> {
    /// They refer to it.
    To(T),
    /// They refer to nothing.
    Nothing,
}

impl<T> Referring<T> {
    /// What is referred to, if anything is.
    pub fn id(self) -> Option<T> {
        match self {
            Referring::To(id) => Some(id),
            Referring::Nothing => None,
        }
    }

    /// The same with another type of what is referred to.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Referring<U> {
        match self {
            Referring::To(id) => Referring::To(map(id)),
            Referring::Nothing => Referring::Nothing,
        }
    }
}

/// Which transactions are asked for: those that pass every condition that is given.
#[derive(Debug, Clone, Default)]
pub struct TransactionFilter {
    /// Those dated in the month.
    pub month: Option<Month>,
    /// Those dated on the day or later.
    pub from: Option<Date>,
    /// Those dated on the day or before. Not before `from`.
    pub to: Option<Date>,
    /// Those of the account, or of none.
    pub account: Option<Referring<AccountId>>,
    /// Those of the category, or of none.
    pub category: Option<Referring<CategoryId>>,
    /// Those of the kind.
    pub kind: Option<Kind>,
    /// Those that it created.
    pub source: Option<Source>,
    /// Those that the import brought.
    pub import_id: Option<ImportId>,
    /// The rows of the bill: what its total is the sum of.
    pub bill_id: Option<BillId>,
    /// Those whose [normalized](crate::text::normalized) description, or the one of their statement, contains this
    /// normalized text.
    pub description_part: Option<String>,
}

impl TransactionFilter {
    /// Adds an error where the dates exclude each other.
    pub fn check(&self, errors: &mut FieldErrors) {
        if self.from.zip(self.to).is_some_and(|(from, to)| from > to) {
            errors.push("to", Violation::BeforeFrom);
        }
    }

    /// The first and the last day that pass, where there are such: those of the month and of the range.
    ///
    /// ```
    /// use finance_domain::transactions::TransactionFilter;
    /// use time::macros::date;
    ///
    /// let from = Some(date!(2026-03-10));
    /// let filter = TransactionFilter { month: "2026-03".parse().ok(), from, ..Default::default() };
    /// assert_eq!(filter.days(), (from, Some(date!(2026-03-31))));
    /// ```
    pub fn days(&self) -> (Option<Date>, Option<Date>) {
        let month = self.month;
        let first = self.from.into_iter().chain(month.map(Month::first_day)).max();
        let last = self.to.into_iter().chain(month.map(Month::last_day)).min();
        (first, last)
    }
}

/// What a list of transactions comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionSummary {
    /// How many there are, whatever they are.
    pub count: u64,
    /// The income among those that [count](counts).
    pub income: Money,
    /// The expenses among those that [count](counts).
    pub expenses: Money,
}

/// The most transactions that are searched for descriptions, the newest ones: the search costs the same however long
/// the history is.
pub const DESCRIPTIONS_SEARCHED_MAX: i64 = 10_000;

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

/// A transaction's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionPlace {
    /// Its date.
    pub date: Date,
    /// Its id.
    pub id: TransactionId,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    use super::*;

    fn imported() -> Transaction {
        Transaction {
            id: TransactionId(7),
            profile_id: ProfileId(1),
            kind: Kind::Expense,
            category_id: None,
            account_id: Some(AccountId(1)),
            date: date!(2026 - 01 - 31),
            original_date: None,
            external_id: Some("A1".into()),
            source: Source::Ofx,
            description: "PADARIA PAO QUENTE".into(),
            amount: Money::from_cents(550),
            transfer_id: None,
            import_id: Some(ImportId(3)),
            is_transfer: false,
            is_kept_unlinked: false,
            statement: StatementValues::default(),
            installment: None,
            is_recognised: false,
            created_at: datetime!(2026-02-01 12:00 UTC),
        }
    }

    /// The transaction as the store would hold it after an edit.
    fn stored(before: &Transaction, edit: Edit) -> Transaction {
        assert_eq!(edit.id, before.id);
        Transaction {
            kind: edit.new.kind,
            category_id: edit.new.category_id,
            account_id: edit.new.account_id,
            date: edit.new.date,
            original_date: edit.new.original_date,
            external_id: edit.new.external_id,
            description: edit.new.description,
            amount: edit.new.amount,
            is_transfer: edit.new.is_transfer,
            is_kept_unlinked: edit.new.is_kept_unlinked,
            statement: edit.statement,
            is_recognised: edit.is_recognised,
            ..before.clone()
        }
    }

    /// The values that rows of a statement are compared with.
    fn stated(of: &Transaction) -> (String, Date, Money, Kind, Option<AccountId>) {
        let statement = of.statement.clone();
        (
            statement.description.unwrap_or_else(|| of.description.clone()),
            statement.date.or(of.original_date).unwrap_or(of.date),
            statement.amount.unwrap_or(of.amount),
            statement.kind.unwrap_or(of.kind),
            statement.account_id.or(of.account_id),
        )
    }

    fn edits() -> impl Strategy<Value = NewTransaction> {
        let account = prop_oneof![Just(None), (1i64..4).prop_map(|id| Some(AccountId(id)))];
        (any::<bool>(), 0i64..3, 0usize..3, 549i128..552, account).prop_map(
            |(income, days, text, cents, account_id)| {
                let kind = if income { Kind::Income } else { Kind::Expense };
                let description = ["PADARIA PAO QUENTE", "Pão", "Padaria"][text];
                let date = date!(2026 - 01 - 31) + time::Duration::days(days);
                NewTransaction { account_id, ..NewTransaction::new(kind, date, description, Money::from_cents(cents)) }
            },
        )
    }

    proptest! {
        #[test]
        fn edits_keep_the_values_of_the_statement(
            edits in prop::collection::vec(edits(), 1..6), has_purchase_date in any::<bool>()
        ) {
            let first = imported();
            let first = Transaction { original_date: has_purchase_date.then_some(date!(2026-01-20)), ..first };
            let mut now = first.clone();
            for new in edits {
                let edit = now.edited(new.clone());
                prop_assert_eq!(&edit.new_values().description, &new.description);
                now = stored(&now, edit);
                prop_assert_eq!(stated(&now), stated(&first));
                let StatementValues { description, date, amount, kind, account_id } = &now.statement;
                prop_assert_ne!(description.as_ref(), Some(&now.description), "null while it is the row's own");
                prop_assert_ne!(*date, Some(now.date));
                prop_assert_ne!(*amount, Some(now.amount));
                prop_assert_ne!(*kind, Some(now.kind));
                prop_assert!(account_id.is_none() || *account_id != now.account_id);
            }
            let back = NewTransaction {
                account_id: first.account_id,
                ..NewTransaction::new(first.kind, first.date, first.description.as_str(), first.amount)
            };
            prop_assert_eq!(stored(&now, now.edited(back)), first);
        }
    }

    #[test]
    fn what_was_entered_by_hand_has_no_statement() {
        let by_hand = Transaction { source: Source::Manual, import_id: None, ..imported() };
        let edit =
            by_hand.edited(NewTransaction::new(Kind::Income, date!(2026 - 02 - 01), "Pão", Money::from_cents(1)));
        assert_eq!(*edit.statement(), StatementValues::default());
        assert_eq!(edit.new_values().external_id, None, "a client changes the id that a client gave");
    }

    #[test]
    fn an_account_given_to_what_had_none_is_its_account() {
        let nowhere = Transaction { account_id: None, ..imported() };
        let new = NewTransaction::new(nowhere.kind, nowhere.date, nowhere.description.as_str(), nowhere.amount);
        let given = stored(&nowhere, nowhere.edited(NewTransaction { account_id: Some(AccountId(2)), ..new.clone() }));
        assert_eq!(given.statement.account_id, None);
        let moved = given.edited(NewTransaction { account_id: Some(AccountId(3)), ..new });
        assert_eq!(moved.statement().account_id, Some(AccountId(2)));
    }

    #[test]
    fn a_recognised_transaction_keeps_its_values_and_records_those_of_the_row() {
        let leg = Transaction {
            source: Source::Transfer,
            transfer_id: Some(TransferId(5)),
            import_id: None,
            external_id: None,
            description: "Pagamento de fatura".into(),
            ..imported()
        };
        let row = NewTransaction {
            account_id: leg.account_id,
            original_date: Some(date!(2026 - 02 - 02)),
            external_id: Some("F9".into()),
            ..NewTransaction::new(leg.kind, date!(2026 - 02 - 10), "PAGTO FATURA", leg.amount)
        };
        let edit = leg.recognised(&row);
        let expected = StatementValues {
            description: Some("PAGTO FATURA".into()),
            date: Some(date!(2026 - 02 - 02)),
            ..StatementValues::default()
        };
        assert_eq!(*edit.statement(), expected);
        let known = stored(&leg, edit);
        let unchanged = Transaction { external_id: Some("F9".into()), statement: expected, is_recognised: true, ..leg };
        assert_eq!(known, unchanged);
    }

    #[test]
    fn a_filled_transaction_takes_the_date_and_id_of_the_row_too() {
        let entered = Transaction {
            source: Source::Installment,
            import_id: None,
            external_id: None,
            description: "Loja - Parcela 1/3".into(),
            ..imported()
        };
        let row = NewTransaction {
            account_id: entered.account_id,
            original_date: Some(date!(2026 - 02 - 02)),
            external_id: Some("F9".into()),
            ..NewTransaction::new(entered.kind, date!(2026 - 02 - 10), "LOJA 1/3", Money::from_cents(551))
        };
        let known = stored(&entered, entered.filled(&row));
        let statement = StatementValues {
            description: Some("LOJA 1/3".into()),
            amount: Some(Money::from_cents(551)),
            ..StatementValues::default()
        };
        let (date, original_date) = (date!(2026 - 02 - 10), row.original_date);
        let expected = Transaction {
            date,
            original_date,
            external_id: Some("F9".into()),
            statement,
            is_recognised: true,
            ..entered
        };
        assert_eq!(known, expected);
        // An edit keeps both.
        let renamed = NewTransaction::new(known.kind, known.date, "Geladeira", known.amount);
        let edited = stored(&known, known.edited(renamed));
        assert_eq!((edited.original_date, edited.is_recognised), (original_date, true));
        assert_eq!(edited.statement.description.as_deref(), Some("LOJA 1/3"));
    }
}
