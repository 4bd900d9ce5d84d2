//! Purchases by instalments: the rows of a card that belong to one purchase, and the instalments still to come.
//!
//! The instalment that a row describes is stored with the row ([`Installment`]). Plans are derived from the rows on each request.
//! So nothing is stored that could contradict the rows, and a projected instalment disappears once it is posted.

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
pub use held::{HeldInstallment, followed_since, with_held};
pub use plans::{Calendar, InstallmentRow, Plan, PlanStatus, SILENT_BILLS_MAX, Upcoming, months_back, plans};
pub use reading::{COUNT_MAX, Installment, Reading, describe, read};
pub use splitting::{months_apart, split};

/// The most instalments that are read at once, newest first. This is more than the rows of the maximum number of cards of a
/// profile with two hundred purchases each.
pub const ROWS_READ_MAX: u32 = 50_000;

/// A purchase by instalments as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PlanInput {
    /// Required; one of the caller's cards.
    pub account_id: Option<AccountId>,
    /// Required. 1 to 255 characters, including the text that is added for each instalment.
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
    /// The tags of each transaction. A tag that could not be read is None.
    pub tags: Option<Vec<Option<String>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Whether nothing more comes of a plan, as a client says it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct EndInput {
    /// Required.
    pub is_ended: Option<bool>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The instalments to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowsOf {
    /// All instalments of the profile, or of one card.
    All(Option<AccountId>),
    /// The instalments with the same card and count as a row that is dated on or after the day given with its card, as far back as they
    /// matter for active plans ([`months_back`]).
    Since(Vec<(AccountId, Date)>),
    /// All instalments with the same card and count as the transaction.
    Like(TransactionId),
}

/// An instalment that was entered by hand and that no statement has contained yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredRow {
    /// The transaction.
    pub id: TransactionId,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date, if it has one in addition to its date.
    pub original_date: Option<Date>,
    /// Which instalment it is.
    pub installment: Installment,
    /// Its [shop](Reading::shop).
    pub shop: String,
    /// The amount, above zero.
    pub amount: Money,
}

/// The port of instalments. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait InstallmentRepo {
    /// The requested instalments: expenses on cards that are not transfers. At most [`ROWS_READ_MAX`], the newest by date,
    /// then id.
    fn installment_rows(&mut self, which: &RowsOf) -> Result<Vec<InstallmentRow>>;
    /// The rows of pending statements that may be instalments: expenses on cards that are not transfers, and whose text has
    /// one number followed by another. At most [`ROWS_READ_MAX`], the newest statements first.
    fn installments_held(&mut self) -> Result<Vec<HeldInstallment>>;
    /// The instalments on a card of plans of so many that were entered by hand and that no statement has contained yet, oldest first.
    fn installments_entered(&mut self, account_id: AccountId, counts: &HashSet<u8>) -> Result<Vec<EnteredRow>>;
    /// Notes with instalments that nothing more comes of their plan, or that more comes again.
    fn plan_end(&mut self, ids: &[TransactionId], is_ended: bool) -> Result<()>;
}
