//! Yield: what investments earn of the published CDI rate, day by day.
//!
//! An account knows the last day whose yield is done. From the day after it up to yesterday,
//! [`accrue`] cuts periods and says what each pays; nothing else decides what is paid:
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
mod rates;

use std::collections::BTreeMap;

use time::macros::date;
use time::{Date, Duration};

use crate::error::Result;
use crate::ids::AccountId;
use crate::money::{Money, Percentage};
use crate::month::day_before;
use crate::transactions::{Kind, NewTransaction, Source};
use crate::words::words;

pub use accrual::{accrue, yield_amount};
pub use compounding::{compound, day_factor};
pub use rates::{CdiRate, PublishedRates};

/// Days before the last day done from which rates are asked, so that the rate before the first day
/// to pay is known: the longest gap in the whole series is five days.
pub const LOOK_BACK_DAYS: i64 = 30;

/// The first rate in today's currency. Nothing is asked before it, and days before it earn nothing.
pub const SERIES_START: Date = date!(1994 - 07 - 04);

words! {
    /// What a day without a published rate, a weekend day or a holiday, earns.
    ///
    /// ```
    /// use finance_domain::yields::DayCount;
    ///
    /// assert_eq!("business".parse(), Ok(DayCount::Business));
    /// assert_eq!(DayCount::default(), DayCount::Calendar);
    /// assert!("252".parse::<DayCount>().is_err());
    /// ```
    #[derive(Default)]
    pub enum DayCount {
        /// The last available rate.
        #[default]
        Calendar = "calendar",
        /// Nothing, which is how the market counts.
        Business = "business",
    }
}

/// An account with days whose yield is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YieldDue {
    /// The account.
    pub account_id: AccountId,
    /// The last day whose yield is paid or settled.
    pub last_yield_date: Date,
    /// How much of the CDI rate the account yields.
    pub cdi_percentage: Percentage,
    /// The balance at the end of that last day.
    pub balance_at_last: Money,
    /// How the balance changed after that day: the signed sum of each date's transactions.
    pub changes: BTreeMap<Date, Money>,
}

impl YieldDue {
    /// The first date whose rate may matter to this account.
    fn rates_from(&self) -> Date {
        self.last_yield_date.saturating_sub(Duration::days(LOOK_BACK_DAYS)).max(SERIES_START)
    }
}

/// What a period pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YieldPosting {
    /// The period's first day. No two postings of an account share one, which the store holds a
    /// second time.
    pub first_day: Date,
    /// The period's last day, the date of the income.
    pub last_day: Date,
    /// The amount, above zero.
    pub amount: Money,
}

impl YieldPosting {
    /// The description of the income.
    ///
    /// ```
    /// use finance_domain::{Money, yields::YieldPosting};
    /// use time::macros::date;
    ///
    /// let (first_day, last_day) = (date!(2026-05-01), date!(2026-05-31));
    /// let posting = YieldPosting { first_day, last_day, amount: Money::from_cents(1) };
    /// assert_eq!(posting.description(), "Rendimento CDI 01/05/2026 a 31/05/2026");
    /// ```
    pub fn description(&self) -> String {
        format!("Rendimento CDI {} a {}", day_month_year(self.first_day), day_month_year(self.last_day))
    }

    /// The income to store on the account.
    pub fn transaction(&self, account_id: AccountId) -> NewTransaction {
        NewTransaction {
            account_id: Some(account_id),
            source: Source::Yield,
            ..NewTransaction::new(Kind::Income, self.last_day, self.description(), self.amount)
        }
    }
}

/// A date as Brazilians write it: `31/05/2026`.
fn day_month_year(date: Date) -> String {
    format!("{:02}/{:02}/{:04}", date.day(), u8::from(date.month()), date.year())
}

/// What an account earned, and up to when that is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accrual {
    /// What to pay, oldest first; no day is in two of them.
    pub postings: Vec<YieldPosting>,
    /// The last day whose yield is done now, paid or not; never before the last day done before.
    pub done_until: Date,
}

/// The first and the last date whose rates are needed to pay what is due: one window for all the
/// accounts. None where nothing is due.
///
/// ```
/// use finance_domain::yields::{YieldDue, window};
/// use finance_domain::{AccountId, Money, Percentage};
/// use time::macros::date;
///
/// let due = YieldDue {
///     account_id: AccountId(1),
///     last_yield_date: date!(2025-01-31),
///     cdi_percentage: Percentage::whole(100),
///     balance_at_last: Money::from_cents(1000_00),
///     changes: Default::default(),
/// };
/// assert_eq!(window(&[due.clone()], date!(2025-02-11)), Some((date!(2025-01-01), date!(2025-02-10))));
/// assert_eq!(window(&[due], date!(2025-02-01)), None, "today itself is not due");
/// assert_eq!(window(&[], date!(2025-02-11)), None);
/// ```
pub fn window(due: &[YieldDue], today: Date) -> Option<(Date, Date)> {
    let last = day_before(today);
    let first = due.iter().filter(|due| due.last_yield_date < last).map(YieldDue::rates_from).min()?;
    (first <= last).then_some((first, last))
}

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

/// The caller's accounts with days whose yield is not done.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn due(repo: &mut dyn YieldRepo, today: Date) -> Result<Vec<YieldDue>> {
    repo.yield_due(today)
}

/// Whether these rates pay or settle any day of what is due: whether [`post`](crate::use_cases::yields::post) has anything to do.
pub fn is_payable(due: &[YieldDue], rates: &PublishedRates, day_count: DayCount, today: Date) -> bool {
    due.iter().any(|due| accrue(due, rates, day_count, today).done_until > due.last_yield_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: i64, last_yield_date: Date) -> YieldDue {
        YieldDue {
            account_id: AccountId(id),
            last_yield_date,
            cdi_percentage: Percentage::whole(100),
            balance_at_last: Money::from_cents(100_000),
            changes: BTreeMap::new(),
        }
    }

    #[test]
    fn one_window_serves_all_accounts_and_begins_no_earlier_than_the_series() {
        let today = date!(2025 - 03 - 10);
        let (old, new) = (account(1, date!(2025 - 01 - 31)), account(2, date!(2025 - 03 - 01)));
        assert_eq!(window(&[new, old], today), Some((date!(2025 - 01 - 01), date!(2025 - 03 - 09))));
        assert_eq!(window(&[account(1, date!(1950 - 01 - 01))], today), Some((SERIES_START, date!(2025 - 03 - 09))));
        assert_eq!(window(&[account(1, date!(1950 - 01 - 01))], date!(1960 - 01 - 01)), None, "nothing to ask for");
        for settled in [date!(2025 - 03 - 09), date!(2025 - 03 - 10), date!(2025 - 03 - 11)] {
            assert_eq!(window(&[account(1, settled)], today), None, "{settled}");
        }
        assert!(window(&[account(1, date!(2025 - 03 - 08))], today).is_some());
    }

    #[test]
    fn a_posting_is_an_income_of_the_account_on_the_last_day() {
        let (first_day, last_day) = (date!(2026 - 05 - 01), date!(2026 - 05 - 09));
        let posting = YieldPosting { first_day, last_day, amount: Money::from_cents(123) };
        let stored = posting.transaction(AccountId(7));
        assert_eq!((stored.kind, stored.source, stored.date), (Kind::Income, Source::Yield, last_day));
        assert_eq!((stored.account_id, stored.amount), (Some(AccountId(7)), Money::from_cents(123)));
        assert_eq!(stored.description, "Rendimento CDI 01/05/2026 a 09/05/2026");
    }
}
