//! What a line may say, and what it may lack.

use time::Date;

use crate::ids::{AccountId, BillId};
use crate::money::Money;
use crate::words::{Word, words};

words! {
    /// What a part of a line says.
    pub enum Part {
        /// Whether it is an income, an expense or a transfer.
        Kind = "type",
        /// The amount.
        Amount = "amount",
        /// The number of instalments.
        Installments = "installments",
        /// The date.
        Date = "date",
        /// An account.
        Account = "account",
        /// A card's bill.
        Bill = "bill",
        /// A tag.
        Tag = "tag",
        /// A boleto or a Pix code.
        Code = "code",
    }
}

words! {
    /// A field of a body that may be missing.
    pub enum Field {
        /// The type.
        Kind = "type",
        /// The amount.
        Amount = "amount",
        /// The number of instalments.
        Count = "count",
        /// The total of all instalments.
        TotalAmount = "total_amount",
        /// The date.
        Date = "date",
        /// The description.
        Description = "description",
        /// The account.
        AccountId = "account_id",
        /// The account that a transfer comes from.
        FromAccountId = "from_account_id",
        /// The account that a transfer goes to.
        ToAccountId = "to_account_id",
        /// The bill.
        BillId = "bill_id",
    }
}

impl Field {
    /// Its place among the fields of a body.
    pub(crate) fn place(self) -> usize {
        Field::ALL.iter().position(|field| *field == self).unwrap_or(Field::ALL.len())
    }
}

/// What a field that is missing may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidate {
    /// An amount.
    Amount(Money),
    /// A day.
    Date(Date),
    /// An account.
    Account(AccountId),
    /// A bill.
    Bill(BillId),
}

/// A field without a value, and the values that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The field.
    pub field: Field,
    /// What fits, in order. Empty if nothing is known.
    pub candidates: Vec<Candidate>,
}

/// A part of a line that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it begins, in characters.
    pub start: usize,
    /// Where it ends, in characters.
    pub end: usize,
    /// The part.
    pub text: String,
    /// What it says.
    pub part: Part,
}
