//! Due yield: the days of an account that are not paid or settled, and the rates that they need.

use std::collections::BTreeMap;

use time::macros::date;
use time::{Date, Duration};

use crate::ids::AccountId;
use crate::money::{Money, Percentage};
use crate::month::day_before;

/// Days before the last day done from which rates are asked, so that the rate before the first day
/// to pay is known: the longest gap in the whole series is five days.
pub const LOOK_BACK_DAYS: i64 = 30;

/// The first rate in today's currency. Nothing is asked before it, and days before it earn nothing.
pub const SERIES_START: Date = date!(1994 - 07 - 04);

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
    pub(super) fn rates_from(&self) -> Date {
        self.last_yield_date.saturating_sub(Duration::days(LOOK_BACK_DAYS)).max(SERIES_START)
    }
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
}
