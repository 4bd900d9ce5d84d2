//! Transfers between own accounts: an expense on one account and an income on the other.
//!
//! A transfer is a flag, not a source: a transaction with `is_transfer` is neither income nor expense. It is paired
//! (`transfer_id`), or single if the other side is not stored. Linking does not change the source, text or external id of a
//! row, so its statement is recognised again. A transaction with source `transfer` was created by the service and is deleted
//! with its transfer; any other side stays, as it would be alone. `is_kept_unlinked` marks a row that a person unlinked:
//! recognition ignores it.

mod candidates;
mod crossed;
mod kept_cards;
mod legs;
mod phrases;
mod recognise;
mod rows;
mod suggestions;

use time::{Date, Duration};

use crate::accounts::AccountKind;
use crate::credit_bills::UnpaidBill;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::money::Money;
use crate::transactions::{DayKey, Kind, NewTransaction, Source, Transaction};

pub use candidates::OVERDUE_DAYS_MAX;
use candidates::payment_days;
pub use crossed::{CardPayment, Payer, Rematch, rematch};
pub use kept_cards::KeptCards;
pub use legs::{LegKey, match_legs};
pub use phrases::{Evidence, OwnNames, PhraseLists, Phrases, may_pay_a_card};
pub(crate) use recognise::on_credit;
pub use recognise::recognise;
pub use rows::{
    Confidence, Counterpart, NEAR_DAYS_MAX, PAYMENT_DAYS, PaidCard, Recognition, RejectedPairs, Row, TransferKind,
};
pub use suggestions::{Suggestion, Suggestions};

/// The maximum number of rejected pairs, which are known not to be transfers, of one profile.
pub const REJECTED_MAX: usize = 10_000;

/// The most stored payments of cards that are asked again at once.
pub const PAYERS_MAX: i64 = 10_000;

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
    /// The account that the money reaches. It differs from `from_account_id`.
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
    /// Up to 255 characters; `Transferência` if absent or blank.
    pub description: Option<String>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl NewTransfer {
    /// Its two legs, which this service creates.
    pub(crate) fn legs(&self, id: TransferId) -> [NewTransaction; 2] {
        let leg = |kind, account_id| NewTransaction {
            account_id: Some(account_id),
            source: Source::Transfer,
            transfer_id: Some(id),
            is_transfer: true,
            ..NewTransaction::new(kind, self.date, self.description.as_str(), self.amount)
        };
        [leg(Kind::Expense, self.from_account_id), leg(Kind::Income, self.to_account_id)]
    }
}

impl Transaction {
    /// Whether this service created it as a leg of a transfer, and no statement has it. Such a leg is deleted when the transfer ends.
    pub fn is_own_leg(&self) -> bool {
        self.source == Source::Transfer && !self.is_recognised
    }

    /// The date in its statement.
    pub fn statement_date(&self) -> Date {
        self.statement.date.or(self.original_date).unwrap_or(self.date)
    }

    /// The description in its statement.
    pub fn statement_description(&self) -> &str {
        self.statement.description.as_deref().unwrap_or(&self.description)
    }
}

/// What a client chose for a statement row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// No choice: the row is linked if recognition is certain.
    #[default]
    Unsaid,
    /// It is not a transfer, and recognition ignores it.
    Ordinary,
    /// It is a transfer. It is linked to its other side if recognition is certain of one.
    Transfer,
    /// It is a transfer, and that transaction is its other side.
    With(TransactionId),
    /// It pays that bill.
    Bill(BillId),
}

/// The transfer to which a statement row belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowTransfer {
    /// Why it is a transfer.
    pub kind: TransferKind,
    /// Whether it is linked.
    pub confidence: Confidence,
    /// The other side. None if it is not stored.
    pub with: Option<OtherSide>,
}

/// The other side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSide {
    /// A stored transaction.
    Transaction(TransactionId),
    /// A bill. Its card does not have the row of the payment yet.
    Bill(BillId),
    /// A card that does not have the row of the payment yet, whatever is due on it.
    Card(AccountId),
    /// Another row of the same file, by its position.
    Row(usize),
}

impl RowTransfer {
    pub(crate) fn certain(kind: TransferKind, with: Option<OtherSide>) -> Self {
        RowTransfer { kind, confidence: Confidence::Certain, with }
    }

    /// Whether the row is linked.
    pub fn is_certain(&self) -> bool {
        self.confidence == Confidence::Certain
    }

    /// The choice with which a client confirms it. None if it is only likely.
    pub fn choice(&self) -> Option<Choice> {
        match (self.confidence, self.with) {
            (Confidence::Likely, _) => None,
            (Confidence::Certain, None | Some(OtherSide::Card(_) | OtherSide::Row(_))) => Some(Choice::Transfer),
            (Confidence::Certain, Some(OtherSide::Transaction(id))) => Some(Choice::With(id)),
            (Confidence::Certain, Some(OtherSide::Bill(id))) => Some(Choice::Bill(id)),
        }
    }
}

/// A stored transaction that may be the other side of a transfer: it has an account and no other side yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSide {
    /// Its id.
    pub id: TransactionId,
    /// Its account.
    pub account_id: AccountId,
    /// The kind of the account.
    pub account_kind: AccountKind,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The date in its statement.
    pub date: Date,
    /// The description in its statement, [normalized](crate::text::normalized).
    pub description: String,
    /// Whether it is already a transfer, whose other side is not known.
    pub is_transfer: bool,
    /// Whether a person said that it is no transfer.
    pub is_refused: bool,
}

impl StoredSide {
    /// The row that recognition compares.
    pub fn row(&self, phrases: &Phrases, names: &OwnNames, cards: &KeptCards, is_asked: bool) -> Row {
        Row {
            id: Some(self.id),
            is_asked,
            account_id: self.account_id,
            account_kind: self.account_kind,
            kind: self.kind,
            amount: self.amount,
            date: self.date,
            evidence: phrases.evidence_of_normalized(&self.description),
            names_own: names.are_in_normalized(&self.description),
            is_refused: self.is_refused,
            pays_card: cards.paid_by(&self.description),
        }
    }
}

/// The number of days around a row within which its candidates, and their candidates, are dated.
pub const CONTEXT_DAYS: Duration = Duration::days(2 * *PAYMENT_DAYS.end());

/// The amount and kind of statement rows, and the dates of the stored rows that recognition compares with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmountWindow {
    /// The amount.
    pub amount: Money,
    /// Income or expense.
    pub kind: Kind,
    /// The first date of a stored row.
    pub first: Date,
    /// The last date of a stored row.
    pub last: Date,
}

/// Which stored sides are read in addition to those that may pay a due bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredSides {
    /// Those for which another side exists or existed.
    Paired,
    /// These and all incomes of cards: a payment is a transfer even if its other side is not stored.
    PairedOrOnCards,
}

impl AmountWindow {
    /// The dates and the amount of an expense that may pay a bill.
    pub fn of_payment(bill: &UnpaidBill) -> Self {
        let (first, last) = payment_days(bill).into_inner();
        AmountWindow { amount: bill.unpaid, kind: Kind::Expense, first, last }
    }
}

/// A leg that this service created, and that no statement has contained yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredLeg {
    /// Its id.
    pub id: TransactionId,
    /// The other side of its transfer.
    pub other: Option<TransactionId>,
    /// The values that a row must have to be this leg.
    pub key: LegKey,
}

/// The port of transfers. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait TransferRepo {
    /// Creates `count` transfers. Their sides are stored or linked afterwards, in the same transaction.
    fn transfer_insert(&mut self, count: usize) -> Result<Vec<TransferId>>;
    /// The transfer of that id, if the profile has one.
    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>>;
    /// Deletes transfers whose sides are deleted or unlinked, and the bill payments that they were.
    fn transfer_delete(&mut self, ids: &[TransferId]) -> Result<()>;
    /// The stored sides in the windows, also those that a person refused, in the order of their ids. An amount is left out unless one
    /// of its stored sides is on another account than `account_id` and of the opposite kind of a window of that amount.
    fn stored_sides_near(&mut self, account_id: AccountId, windows: &[AmountWindow]) -> Result<Vec<StoredSide>>;
    /// Whether the marks of [`transfer_marks_update`](TransferRepo::transfer_marks_update) are up to date: nothing was stored or
    /// edited since.
    fn transfer_marks_are_current(&mut self) -> Result<bool>;
    /// Marks every stored row for which another row exists or existed with the same amount, the opposite type and another
    /// account, at most [`NEAR_DAYS_MAX`] days away. Examines the rows stored or edited since the last call, and the rows near
    /// them.
    fn transfer_marks_update(&mut self) -> Result<()>;
    /// The marked stored sides from `first` to `last`, and the expenses in the windows `due` on accounts that are not cards.
    /// `which` may add the incomes of cards. Newest first.
    fn stored_sides(
        &mut self,
        first: Option<Date>,
        last: Option<Date>,
        due: &[AmountWindow],
        which: StoredSides,
    ) -> Result<Vec<StoredSide>>;
    /// The expenses of current and savings accounts whose statements' descriptions contain one of the texts and are dated from `first`
    /// to `last`, without another side and not refused: at most [`PAYERS_MAX`], the newest.
    fn stored_payers(&mut self, first: Option<Date>, last: Option<Date>, texts: &[&str]) -> Result<Vec<StoredSide>>;
    /// The incomes of accounts that are no cards whose statements' descriptions contain one of the texts and are dated from `first` to
    /// `last`, without another side and not refused: at most [`PAYERS_MAX`], the newest.
    fn stored_loans(&mut self, first: Option<Date>, last: Option<Date>, texts: &[&str]) -> Result<Vec<StoredSide>>;
    /// The rows of these accounts, types, amounts and days without another side that nobody refused.
    fn sides_of_days(&mut self, keys: &[DayKey]) -> Result<Vec<StoredSide>>;
    /// The date of the oldest stored side that is [`paired`](StoredSides::Paired) or in one of the windows `due`.
    fn oldest_side(&mut self, due: &[AmountWindow]) -> Result<Option<Date>>;
    /// The legs on the account that this service created and no statement has contained yet, with one of the amounts, from
    /// `first` to `last`.
    fn untold_legs(
        &mut self,
        account_id: AccountId,
        amounts: &[Money],
        first: Date,
        last: Date,
    ) -> Result<Vec<StoredLeg>>;
    /// The sides on cards of payments with one of the amounts, with statement dates from `first` to `last`.
    fn card_payments(&mut self, amounts: &[Money], first: Date, last: Date) -> Result<Vec<CardPayment>>;
    /// The rejected pairs whose two transactions are both among the ids.
    fn rejected_pairs(&mut self, ids: &[TransactionId]) -> Result<RejectedPairs>;
    /// The number of rejected pairs.
    fn rejected_pair_count(&mut self) -> Result<usize>;
    /// Stores that a pair is not a transfer.
    fn rejected_pair_insert(&mut self, from: TransactionId, to: TransactionId) -> Result<()>;
}

#[cfg(test)]
mod tests;
