//! Opening balances: what an account held before its first row.
//!
//! A person says it when the account is created. Where a person said what the account held on a day instead, the service keeps it,
//! from [`anchors::opening`](crate::anchors::opening). On a card of which nobody said either, the service keeps it, from
//! [`before_the_books`](crate::credit_bills::before_the_books).

use time::Date;

use crate::error::Result;
use crate::ids::{AccountId, TransactionId};
use crate::money::Money;

/// An opening balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Its date.
    pub date: Date,
    /// What the account held at the end of that day. Below zero if money was owed.
    pub balance: Money,
}

/// A stored opening balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredOpening {
    /// The transaction.
    pub id: TransactionId,
    /// Its values.
    pub opening: Opening,
}

/// What a person and the service know of the opening balance of a card.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpeningState {
    /// Whether a person said it, also that it is zero. The service then keeps none. None if that is not known: it is said if one is
    /// stored.
    pub is_said: Option<bool>,
    /// Whether the stored one is kept by the service.
    pub is_derived: bool,
    /// Whether it, or a payment that is dated after the last bill, depends on the rows of that bill: then every write of a row may change
    /// the ledger.
    pub follows: bool,
}

/// The port of opening balances. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait OpeningRepo {
    /// Notes that a person said the opening balance of an account.
    fn opening_say(&mut self, account_id: AccountId) -> Result<()>;
    /// Notes what the service knows of the opening balance of a card.
    fn opening_note(&mut self, account_id: AccountId, state: &OpeningState) -> Result<()>;
}
