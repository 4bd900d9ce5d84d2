//! Yield: what investments earn of the published CDI rate, day by day.
//!
//! An account knows the last day whose yield is done. From the day after it up to yesterday,
//! [`accrue`] splits the days into periods and computes what each pays:
//!
//! - a period lies in one month and has one balance: it ends at a month's end, on a day the balance
//!   changes, and at the last payable day; a day earns on the balance at the end of the day before;
//! - a period pays balance × (compounded factor − 1) × percentage / 100, rounded half-even to cents,
//!   once ([`yield_amount`]); compounding itself is exact ([`compound`]);
//! - a day without a published rate uses the last available one, or earns nothing ([`DayCount`]);
//! - a weekday newer than the newest published rate waits, and all after it
//!   ([`PublishedRates::payable_until`]).
//!
//! Paying takes three steps, because no transaction waits for the network: what is due is read in one
//! transaction, the rates of the [`window`] are asked for ([`RateSource::published`]), and a second
//! transaction reads what is due again and pays it ([`post`](crate::use_cases::yields::post)).
//!
//! 1000.00 at 100 % of the CDI rate earned 10.13 in January 2025 by business days, whose 22
//! published rates are 20 of 0.045513 % and two of 0.049037 %:
//!
//! ```
//! use finance_domain::yields::{DayCount, PublishedRates, YieldDue, accrue};
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
//!     cdi_percentage: Percentage::whole(100),
//!     balance_at_last: Money::from_cents(1000_00),
//!     changes: Default::default(),
//! };
//! let accrual = accrue(&due, &rates, DayCount::Business, date!(2025-02-01));
//! assert_eq!(accrual.postings[0].amount.to_string(), "10.13");
//! assert_eq!(accrual.postings[0].description(), "Rendimento CDI 01/01/2025 a 31/01/2025");
//! assert_eq!(accrual.done_until, date!(2025-01-31));
//! # Ok::<(), &'static str>(())
//! ```

mod accrual;
mod compounding;
mod due;
mod rates;

use time::Date;

use crate::error::Result;
use crate::ids::AccountId;

pub use accrual::{Accrual, YieldPosting, accrue, is_payable, yield_amount};
pub use compounding::{DayCount, compound, day_factor};
pub use due::{LOOK_BACK_DAYS, SERIES_START, YieldDue, window};
pub use rates::{CdiRate, PublishedRates};

/// The port of published rates.
pub trait RateSource: Send + Sync {
    /// The rates published for the dates from `first` to `last`.
    ///
    /// The answer says which dates it speaks for; where it speaks for fewer than it was asked for,
    /// the others' yield waits.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](crate::Error::Unavailable) where they cannot be had now.
    fn published(&self, first: Date, last: Date) -> Result<PublishedRates>;
}

/// The port of yield. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait YieldRepo {
    /// The investment accounts that yield a percentage of the CDI rate and whose last day done is
    /// before yesterday, each with its balance at the end of that day and how it changed since.
    fn yield_due(&mut self, today: Date) -> Result<Vec<YieldDue>>;
    /// Stores an account's postings and moves its last day done on to `accrual.done_until`; does
    /// nothing where that day is no longer `last_yield_date`.
    fn yield_post(&mut self, account_id: AccountId, last_yield_date: Date, accrual: &Accrual) -> Result<()>;
}
