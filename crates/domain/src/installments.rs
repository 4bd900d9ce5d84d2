//! Purchases by instalments: the rows of a card that are one purchase, and what is still to come of it.
//!
//! What a row says is stored with it ([`Installment`]); plans are derived from rows whenever they are asked for. So nothing is
//! kept that could contradict the rows, and what is projected is gone once it is posted.

mod filling;
mod held;
mod plans;
mod reading;
mod splitting;

use std::collections::HashSet;

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::money::Money;

pub use filling::{FILLING_BILLS_MAX, Mark, fill};
pub use held::{HeldInstallment, with_held};
pub use plans::{Calendar, InstallmentRow, Plan, PlanStatus, SILENT_BILLS_MAX, Upcoming, plans};
pub use reading::{COUNT_MAX, Installment, Reading, describe, read};
pub use splitting::{months_apart, split};

/// The most instalments that are read at once, the newest ones: more than as many cards as a profile may have come to with two
/// hundred purchases each.
pub const ROWS_READ_MAX: u32 = 50_000;

/// A purchase by instalments as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PlanInput {
    /// Required; one of the caller's cards.
    pub account_id: Option<AccountId>,
    /// Required; with what is added for each instalment 1 to 255 characters.
    pub description: Option<String>,
    /// Required: the date of the first instalment.
    pub date: Option<Date>,
    /// Required, 2 to [`COUNT_MAX`].
    pub count: Option<i64>,
    /// The amount of all instalments together. Either this or `amount` is required.
    pub total_amount: Option<Money>,
    /// The amount of each instalment.
    pub amount: Option<Money>,
    /// One of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Which instalments are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowsOf {
    /// All of the profile, or of a card.
    All(Option<AccountId>),
    /// All with the card, shop and count of a row that is dated on the card's day or later.
    Since(Vec<(AccountId, Date)>),
    /// All with the card, shop and count of the transaction.
    Like(TransactionId),
}

/// An instalment that was entered by hand and that no statement told of yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredRow {
    /// The transaction.
    pub id: TransactionId,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date, where it has one beside its date.
    pub original_date: Option<Date>,
    /// Which instalment it is.
    pub installment: Installment,
    /// Its [shop](Reading::shop).
    pub shop: String,
    /// The amount, above zero.
    pub amount: Money,
}

/// The port of instalments. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait InstallmentRepo {
    /// The instalments asked for: expenses on cards that are no transfers. At most [`ROWS_READ_MAX`], the newest by date,
    /// then id.
    fn installment_rows(&mut self, which: &RowsOf) -> Result<Vec<InstallmentRow>>;
    /// The expenses on cards of the statements that are held, without transfers, whose texts may be of instalments: those with
    /// a number before another. At most [`ROWS_READ_MAX`], the newest statements first.
    fn installments_held(&mut self) -> Result<Vec<HeldInstallment>>;
    /// The instalments of these shops on a card that were entered by hand and that no statement told of, oldest first.
    fn installments_entered(&mut self, account_id: AccountId, shops: &HashSet<&str>) -> Result<Vec<EnteredRow>>;
}
