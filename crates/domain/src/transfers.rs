//! Transfers between own accounts: an expense on one account and an income on the other.

mod candidates;
mod legs;
mod phrases;
mod recognise;
mod rows;
mod suggestions;

use time::{Date, Duration};

use crate::accounts::AccountKind;
use crate::credit_bills::CreditBill;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::money::Money;
use crate::month::day_after;
use crate::transactions::{Kind, NewTransaction, Source, Transaction};

pub use candidates::OVERDUE_DAYS_MAX;
pub use legs::{LegKey, match_legs};
pub use phrases::{Evidence, OWN_NAME_LETTERS_MIN, OwnNames, PhraseError, PhraseLists, Phrases};
pub use recognise::recognise;
pub use rows::{Confidence, Counterpart, DueBill, NEAR_DAYS_MAX, Recognition, RejectedPairs, Row, TransferKind};
pub use suggestions::{Suggestion, Suggestions};

/// The most pairs of one profile that are remembered as no transfers.
pub const REJECTED_MAX: usize = 10_000;

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

impl NewTransfer {
    /// Its two legs, which this service makes.
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
    /// Whether this service made it as a leg of a transfer. It does not stay when the transfer ends.
    pub fn is_own_leg(&self) -> bool {
        self.source == Source::Transfer
    }

    /// The date that its statement gives it.
    pub fn statement_date(&self) -> Date {
        self.statement.date.or(self.original_date).unwrap_or(self.date)
    }

    /// What its statement calls it.
    pub fn statement_description(&self) -> &str {
        self.statement.description.as_deref().unwrap_or(&self.description)
    }
}

/// What a client says of a row of a statement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Choice {
    /// Nothing: what is certain is done.
    #[default]
    Unsaid,
    /// It is no transfer, and recognition leaves it alone.
    Ordinary,
    /// It is a transfer, with the certain other side if there is one.
    Transfer,
    /// It is a transfer with that transaction.
    With(TransactionId),
    /// It pays that bill.
    Bill(BillId),
}

/// A transfer that a row of a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowTransfer {
    /// Why.
    pub kind: TransferKind,
    /// Whether it is linked.
    pub confidence: Confidence,
    /// The other side. None where it is not kept here.
    pub with: Option<OtherSide>,
}

/// The other side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSide {
    /// A stored transaction.
    Transaction(TransactionId),
    /// A bill, whose card has no row of the payment yet.
    Bill(BillId),
}

impl RowTransfer {
    /// What a client confirms to have it done.
    pub fn choice(&self) -> Option<Choice> {
        match (self.confidence, self.with) {
            (Confidence::Likely, _) => None,
            (Confidence::Certain, None) => Some(Choice::Transfer),
            (Confidence::Certain, Some(OtherSide::Transaction(id))) => Some(Choice::With(id)),
            (Confidence::Certain, Some(OtherSide::Bill(id))) => Some(Choice::Bill(id)),
        }
    }
}

/// A stored transaction that may be the other side of a transfer: it has an account, no other side yet, and is not kept
/// unlinked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSide {
    /// Its id.
    pub id: TransactionId,
    /// Its account.
    pub account_id: AccountId,
    /// What kind of account that is.
    pub account_kind: AccountKind,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The date that its statement gives it.
    pub date: Date,
    /// What its statement says, [normalized](crate::text::normalized).
    pub description: String,
    /// Whether it is a transfer already, whose other side is not known.
    pub is_transfer: bool,
}

impl StoredSide {
    /// What recognition compares.
    pub fn row(&self, phrases: &Phrases, names: &OwnNames, is_asked: bool) -> Row {
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
        }
    }
}

/// The days around a row in which its candidates and their candidates are.
pub const CONTEXT_DAYS: Duration = Duration::days(2 * NEAR_DAYS_MAX);

/// Rows of one amount and kind in a statement, and when the stored ones are that recognition compares them with.
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

/// Which stored sides are read beside those that may pay what is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredSides {
    /// Those for which there is or was another side.
    Paired,
    /// And all incomes of cards: a payment is a transfer even if its other side is not kept here.
    PairedOrOnCards,
}

impl DueBill {
    /// When an expense may pay it, of which amount.
    pub fn window(&self) -> AmountWindow {
        let first = day_after(self.period_end);
        let last = self.due_date.saturating_add(Duration::days(OVERDUE_DAYS_MAX));
        AmountWindow { amount: self.amount_due, kind: Kind::Expense, first, last }
    }

    /// What recognition knows of a bill.
    pub fn of(bill: &CreditBill) -> Self {
        DueBill { id: bill.id, period_end: bill.period_end, due_date: bill.due_date, amount_due: bill.amount_due() }
    }
}

/// A leg that this service made, and no statement has told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredLeg {
    /// Its id.
    pub id: TransactionId,
    /// What a row must be to be this leg.
    pub key: LegKey,
}

/// The port of transfers. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait TransferRepo {
    /// Opens so many transfers, whose sides are stored or tied next, in the same transaction.
    fn transfer_insert(&mut self, count: usize) -> Result<Vec<TransferId>>;
    /// The transfer of that id, if the profile has one.
    fn transfer_get(&mut self, id: TransferId) -> Result<Option<Transfer>>;
    /// Deletes transfers whose sides are gone or untied, with the payments of bills that they were.
    fn transfer_delete(&mut self, ids: &[TransferId]) -> Result<()>;
    /// The stored sides in the windows, of amounts for which one of them is of the other kind and on another account than
    /// the one given; oldest id first.
    fn stored_sides_near(&mut self, account_id: AccountId, windows: &[AmountWindow]) -> Result<Vec<StoredSide>>;
    /// Whether the sides are marked that have another, as after [`sides_seek`](TransferRepo::sides_seek), and nothing was
    /// stored or edited since.
    fn sides_are_sought(&mut self) -> Result<bool>;
    /// Marks every stored row that has or had another of equal amount, other type and other account at most
    /// [`NEAR_DAYS_MAX`] away. Looks at the rows that are new or edited since the last time, and at those around them.
    fn sides_seek(&mut self) -> Result<()>;
    /// The stored sides from `first` to `last` that are marked, and the expenses of accounts that are no cards in the windows
    /// `due`. Newest first.
    fn stored_sides(
        &mut self,
        first: Option<Date>,
        last: Option<Date>,
        due: &[AmountWindow],
        which: StoredSides,
    ) -> Result<Vec<StoredSide>>;
    /// The date of the oldest of the stored sides, [`paired`](StoredSides::Paired) or due.
    fn oldest_side(&mut self, due: &[AmountWindow]) -> Result<Option<Date>>;
    /// The legs of the service's own on that account that no statement has told of, of those amounts, from `first` to `last`.
    fn untold_legs(
        &mut self,
        account_id: AccountId,
        amounts: &[Money],
        first: Date,
        last: Date,
    ) -> Result<Vec<StoredLeg>>;
    /// The pairs that were rejected of which both are among the ids.
    fn rejected_pairs(&mut self, ids: &[TransactionId]) -> Result<RejectedPairs>;
    /// How many pairs are remembered as rejected.
    fn rejected_pair_count(&mut self) -> Result<usize>;
    /// Remembers that a pair is no transfer.
    fn rejected_pair_insert(&mut self, from: TransactionId, to: TransactionId) -> Result<()>;
}

#[cfg(test)]
mod tests;
