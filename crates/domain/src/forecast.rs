//! What is coming: the bills ahead of each card, and the balance of the months ahead. Every figure has a source: a stored
//! row, a recurring item, a bill or a held statement; only what is estimated has none, and it is told apart.

mod baseline;
mod bills;
mod days;

use time::Date;

use crate::error::Result;
use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::words::words;

pub use baseline::{BASELINE_MONTHS, Estimate, median};
pub use bills::{BillAhead, CardDay, bills_ahead};
pub use days::{EVENTS_MAX, Event, EventKind, EventsLeftOut, Forecast, Low, MonthForecast, forecast};

/// The most months that are looked ahead, this one included.
pub const MONTHS_MAX: u32 = 24;
/// The months that are looked ahead unless somebody says otherwise.
pub const MONTHS_DEFAULT: u32 = 12;

words! {
    /// What is spent beside what is known to come.
    #[derive(Default)]
    pub enum Baseline {
        /// Nothing.
        #[default]
        None = "none",
        /// The [median] of the last three complete months.
        Median3 = "median3",
    }
}

/// A stored row that is dated after today, of an account that is spent from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterRow {
    /// The transaction.
    pub id: TransactionId,
    /// Its account.
    pub account_id: AccountId,
    /// Its date.
    pub date: Date,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// Its description.
    pub description: String,
    /// Whether it is a side of a transfer.
    pub is_transfer: bool,
    /// Whether the other side of its transfer is on such an account too, on the same day.
    pub is_internal: bool,
}

/// The stored rows that are dated after today, of accounts that are spent from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaterRows {
    /// The first ones, by date, then id.
    pub first: Vec<LaterRow>,
    /// The sums of the others by day, signed, in the order of the days.
    pub others: Vec<EventsLeftOut>,
}

/// The port of what is coming. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait ForecastRepo {
    /// The rows of current and savings accounts that are dated after a day: at most `limit` of those until `last` by
    /// themselves.
    fn later_rows(&mut self, after: Date, last: Date, limit: usize) -> Result<LaterRows>;
    /// The sums by day of the rows on bills of each card from its day on.
    fn card_days(&mut self, cards: &[(AccountId, Date)]) -> Result<Vec<CardDay>>;
    /// What was spent in each month from `first` to `last` on neither taxes nor instalments nor by the transactions named. Of one
    /// that is split, only its lines of the category named with it are left out. Transfers do not count. A month without has no entry.
    fn ordinary_spending(
        &mut self,
        first: Month,
        last: Month,
        without: &[(TransactionId, CategoryId)],
    ) -> Result<Vec<(Month, Money)>>;
}
