//! Yield: what investments earn each day, and poupança each month, by published rates.
//!
//! An account stores the last day whose yield is settled. [`accrue`] splits the days after it, up to
//! yesterday, into periods and computes the yield of each by the account's [`Rule`]:
//!
//! - A period lies in one month and has one balance. It ends at the end of a month, on a day on which
//!   the balance changes, and on the last payable day. A day earns on the balance at the end of the
//!   previous day.
//! - A period pays balance × (compounded factor − 1) × percentage / 100, rounded once, half-even, to
//!   cents ([`yield_amount`]). Compounding is exact ([`compound`]). With business days, the percentage
//!   applies to the rate of each day ([`compound_share`]). A yearly rate counts on 252 business
//!   days ([`annual`]).
//! - A day without a published rate uses the last available rate, or earns nothing ([`DayCount`]).
//! - A weekday after the newest published rate waits, and so do all days after it
//!   ([`PublishedRates::payable_until`]).
//!
//! Poupança earns in lots ([`accrue_savings`]). [`taxes`] computes what taxes would leave of an account, and [`month_yields`]
//! what they would leave of a month's yield.
//!
//! Paying takes three steps, because no transaction waits for the network. One transaction reads what is due. Then the rates of
//! its [windows](AllDue::windows) are requested ([`RateSource::published`]). A second transaction reads again what is due and
//! pays it ([`post`](crate::use_cases::yields::post)).
//!
//! Example: 1000.00 at 100 % of the CDI rate earned 10.13 in January 2025 by business days. The 22
//! published rates of that month are 20 of 0.045513 % and two of 0.049037 %:
//!
//! ```
//! use finance_domain::yields::{DayCount, PublishedRates, Rates, Rule, Series, YieldDue, accrue};
//! use finance_domain::{AccountId, Money, Percentage};
//! use time::Weekday::{Saturday, Sunday};
//! use time::macros::date;
//!
//! let mut rates = PublishedRates::new(date!(2024-12-01), date!(2025-01-31));
//! let mut day = date!(2025-01-02);
//! while day <= date!(2025-01-31) {
//!     if !matches!(day.weekday(), Saturday | Sunday) {
//!         let percent = if day < date!(2025-01-30) { "0.045513" } else { "0.049037" };
//!         rates.publish(day, percent.parse()?);
//!     }
//!     day = day.next_day().unwrap();
//! }
//! let due = YieldDue {
//!     account_id: AccountId(1),
//!     last_yield_date: date!(2024-12-31),
//!     rule: Rule::Cdi(Percentage::whole(100)),
//!     day_count: None,
//!     balance_at_last: Money::from_cents(1000_00),
//!     changes: Default::default(),
//! };
//! let rates = Rates::from((Series::Cdi, rates));
//! let accrual = accrue(&due, &rates, DayCount::Business, date!(2025-02-01));
//! assert_eq!(accrual.postings[0].amount.to_string(), "10.13");
//! assert_eq!(accrual.postings[0].description(), "Rendimento CDI 01/01/2025 a 31/01/2025");
//! assert_eq!(accrual.done_until, date!(2025-01-31));
//! # Ok::<(), &'static str>(())
//! ```

mod accrual;
mod all_due;
mod compounding;
mod due;
mod flows;
mod monthly;
mod rates;
mod rules;
mod savings;
mod series;
mod statements;
mod taxes;

use std::collections::{BTreeMap, HashMap};

use time::Date;

use crate::error::Result;
use crate::ids::AccountId;
use crate::money::Money;

pub use accrual::{Accrual, YieldPosting, accrue};
pub use all_due::AllDue;
pub use compounding::{DayCount, compound, compound_share, day_factor};
pub use due::YieldDue;
pub use flows::Flow;
pub use monthly::{MonthYield, YIELD_MONTHS_MAX, month_yields};
pub use rates::{PublishedRates, Rate};
pub use rules::{Rule, YEAR_BUSINESS_DAYS, annual, yield_amount};
pub use savings::{LOTS_MAX, SavingsDue, accrue_savings};
pub use series::{LOOK_BACK_DAYS, RateWindow, Rates, SERIES_START, Series};
pub use statements::{tells_of_yield, tells_of_yield_normalized};
pub use taxes::{Bracket, IncomeTaxTable, IofTable, TaxTables, Taxes, YieldTax, taxes};

/// The port of published rates.
pub trait RateSource: Send + Sync {
    /// The rates of a series published for the dates from `first` to `last`.
    ///
    /// The answer says which dates it covers. If it covers fewer dates than requested, the yield of the
    /// other dates waits.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::Error::Unavailable) if they are not available now.
    fn published(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates>;
}

/// The port of yield. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait YieldRepo {
    /// For each account, how its balance changed on each date after the date given with it: the signed sum of that date's
    /// transactions.
    fn changes_after(&mut self, accounts: &[(AccountId, Date)]) -> Result<HashMap<AccountId, BTreeMap<Date, Money>>>;
    /// The flows of each account, by date, up to `until`.
    fn account_flows(&mut self, ids: &[AccountId], until: Date) -> Result<HashMap<AccountId, BTreeMap<Date, Flow>>>;
    /// The last day that a stored yield of the account pays for, whatever date it was given since. None if no yield is stored.
    fn yield_paid_until(&mut self, account_id: AccountId) -> Result<Option<Date>>;
    /// Stores an account's postings and sets its last settled day to `accrual.done_until`. Does
    /// nothing if that day is no longer `last_yield_date`, or if the profile has no room for the transactions: the days then
    /// remain due.
    fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()>;
}

#[cfg(test)]
mod published_series;
