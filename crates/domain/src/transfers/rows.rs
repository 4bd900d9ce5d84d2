//! The input and output of recognition: rows that are not paired yet, bills, and the other sides of transfers.

use std::collections::HashSet;

use time::Date;

use crate::accounts::AccountKind;
use crate::ids::{AccountId, BillId, TransactionId};
use crate::money::Money;
use crate::transactions::Kind;
use crate::transfers::phrases::Evidence;
use crate::words::words;

pub use crate::pairing::{NEAR_DAYS_MAX, PAYMENT_DAYS};

/// Offsets in days that count as near, nearest first.
pub(super) fn near_days() -> impl Iterator<Item = i64> + Clone {
    std::iter::once(0).chain((1..=NEAR_DAYS_MAX).flat_map(|days| [days, -days]))
}

words! {
    /// Why a row is a transfer.
    pub enum TransferKind {
        /// It is a leg that this service created before the statement was imported.
        Leg = "leg",
        /// It pays a card's bill.
        BillPayment = "bill_payment",
        /// It moves money between own accounts.
        OwnAccount = "own_account",
    }
}

words! {
    /// What happens to a row that was recognised.
    pub enum Confidence {
        /// It is linked.
        Certain = "certain",
        /// It is only suggested.
        Likely = "likely",
    }
}

/// A row that is not paired yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its id, if it is stored.
    pub id: Option<TransactionId>,
    /// Whether it may be linked. A row that may not be linked can only make other rows less certain.
    pub is_asked: bool,
    /// Its account.
    pub account_id: AccountId,
    /// The kind of the account.
    pub account_kind: AccountKind,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The date in the statement.
    pub date: Date,
    /// What its text says.
    pub evidence: Evidence,
    /// Whether its text names a person of the household.
    pub names_own: bool,
    /// Whether a person said that it is no transfer. It is the other side that exists, so its counterpart is likely at most.
    pub is_refused: bool,
    /// The card that it pays if it pays one and the card's side is not stored. None if several cards are kept and none alone fits,
    /// or if no card is kept.
    pub pays_card: Option<PaidCard>,
}

/// The card that a row pays, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidCard {
    /// This one: the only card, or the only one that the text names.
    Kept(AccountId),
    /// One of several.
    OneOf,
}

impl Row {
    pub(super) fn is_on_card(&self) -> bool {
        self.account_kind == AccountKind::Credit
    }

    /// Whether the money of a transfer may come from the row. A purchase with a card is no transfer.
    pub(super) fn is_source(&self) -> bool {
        self.kind == Kind::Expense && !self.is_on_card()
    }

    /// The kind of a transfer into the row: a card's payment, or money that arrives on another account.
    pub(super) fn kind_into(&self) -> TransferKind {
        if self.is_on_card() { TransferKind::BillPayment } else { TransferKind::OwnAccount }
    }

    /// The card that it pays, if its text names one or only one is kept.
    pub(super) fn named_card(&self) -> Option<AccountId> {
        match self.pays_card {
            Some(PaidCard::Kept(card)) => Some(card),
            Some(PaidCard::OneOf) | None => None,
        }
    }

    /// Whether it is an expense of an account that may be a bill's payment.
    pub(crate) fn pays_bill(&self) -> bool {
        self.kind == Kind::Expense && self.evidence.paid_out && self.account_kind.is_spent_from()
    }

    /// Whether it is the income of a card whose bill was paid.
    pub fn is_bill_paid(&self) -> bool {
        self.kind == Kind::Income && self.evidence.paid_in && self.is_on_card()
    }
}

/// The other side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counterpart {
    /// The row at that position.
    Row(usize),
    /// The card's side is not stored. The row pays this bill.
    Bill(BillId),
    /// The card's side is not stored. The row pays this card, whatever is due on it.
    Card(AccountId),
    /// The other side is not kept here.
    Elsewhere,
}

/// What a row was recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognition {
    /// Why it is a transfer.
    pub kind: TransferKind,
    /// Whether it is linked.
    pub confidence: Confidence,
    /// The other side. If it is only likely, the nearest of several.
    pub with: Counterpart,
}

impl Recognition {
    /// Whether the row is linked.
    pub fn is_certain(&self) -> bool {
        self.confidence == Confidence::Certain
    }

    /// Whether the row is linked with another row or a bill.
    pub(super) fn is_paired(&self) -> bool {
        self.is_certain() && !matches!(self.with, Counterpart::Elsewhere | Counterpart::Card(_))
    }
}

/// Pairs that a person said are no transfers: the ids of the expense and the income.
pub type RejectedPairs = HashSet<(TransactionId, TransactionId)>;
