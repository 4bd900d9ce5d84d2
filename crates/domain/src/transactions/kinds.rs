//! The enumerations of a transaction: its kind and its source.

use crate::money::Money;
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

impl Source {
    /// Whether a member caused it, not the service by itself.
    pub fn is_by_a_member(self) -> bool {
        self != Source::Yield
    }
}

/// Whether a transaction counts as income or spending, on a bill or in a month. A transfer only moves own money, and an opening
/// balance existed before.
pub fn counts(source: Source, is_transfer: bool) -> bool {
    !is_transfer && source != Source::OpeningBalance
}
