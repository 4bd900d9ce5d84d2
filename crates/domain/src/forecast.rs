//! The forecast: the next bills of each card, and the balance of the next months. Every figure has a source: a stored row, a
//! recurring item, a bill or a pending statement. Only estimates have no source; they are kept separate.

mod baseline;
mod bills;
mod days;
mod main_income;

use time::Date;

use crate::error::Result;
use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::words::words;

pub use baseline::{BASELINE_MONTHS, Estimate, median};
pub use bills::{BillAhead, CardDay, bills_ahead};
pub use days::{
    EVENTS_MAX, Event, EventKind, EventsLeftOut, Forecast, Low, MONTHS_DEFAULT, MonthForecast, Spendable, forecast,
};
pub use main_income::{KnownIncome, MainIncome};

/// The most months of a forecast, including the current one.
pub const MONTHS_MAX: u32 = 24;

words! {
    /// The estimate of spending in addition to the known future expenses.
    #[derive(Default)]
    pub enum Baseline {
        /// Nothing.
        #[default]
        None = "none",
        /// The [median] of the last three complete months.
        Median3 = "median3",
    }
}

/// A stored row that is dated after today, on an account that is foreseen or spendable.
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
    /// Whether the other side of its transfer is also on a current or savings account, on the same day.
    pub is_internal: bool,
    /// Whether its account is a current or savings account, whose balance is foreseen.
    pub is_foreseen: bool,
    /// Whether its account is spendable.
    pub is_spendable: bool,
}

/// The stored rows that are dated after today, on current and savings accounts and on others that are spendable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaterRows {
    /// The first rows, by date, then id.
    pub first: Vec<LaterRow>,
    /// The signed sums of the other rows by day, in the order of the days.
    pub others: Vec<EventsLeftOut>,
}

/// The port of the forecast. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ForecastRepo {
    /// What was earned in the months from `first` to `last`.
    fn known_income(&mut self, first: Month, last: Month) -> Result<KnownIncome>;
    /// The rows of current, savings and spendable accounts that are dated after the day `after`. At most `limit` rows, dated up to `last`,
    /// are returned individually.
    fn later_rows(&mut self, after: Date, last: Date, limit: usize) -> Result<LaterRows>;
    /// For each card, the sums by day of the rows on its bills, from the day given with it on.
    fn card_days(&mut self, cards: &[(AccountId, Date)]) -> Result<Vec<CardDay>>;
    /// The spending in each month from `first` to `last`, excluding taxes, instalments, transfers and the transactions in
    /// `without`. If such a transaction is split and a category is named with it, only its lines in that category are excluded. A month
    /// without spending has no entry.
    fn ordinary_spending(
        &mut self,
        first: Month,
        last: Month,
        without: &[(TransactionId, Option<CategoryId>)],
    ) -> Result<Vec<(Month, Money)>>;
}
