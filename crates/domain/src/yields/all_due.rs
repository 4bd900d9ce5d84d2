//! What is due on all accounts of a profile, and the rates that it needs.

use std::collections::BTreeMap;

use time::Date;

use super::accrual::accrue;
use super::compounding::DayCount;
use super::due::YieldDue;
use super::rules::Rule;
use super::savings::{SavingsDue, accrue_savings, first_rate_needed};
use super::series::{RateWindow, Rates, Series};
use crate::month::{Month, day_before};

/// What is due on all accounts of a profile.
///
/// ```
/// use finance_domain::yields::{AllDue, RateWindow, Rule, Series, YieldDue};
/// use finance_domain::{AccountId, Money, Percentage};
/// use time::macros::date;
///
/// let due = YieldDue {
///     account_id: AccountId(1),
///     last_yield_date: date!(2025-01-31),
///     rule: Rule::Cdi(Percentage::whole(100)),
///     day_count: None,
///     balance_at_last: Money::from_cents(1000_00),
///     changes: Default::default(),
/// };
/// let all = AllDue { daily: vec![due], savings: vec![] };
/// let window = RateWindow { series: Series::Cdi, first: date!(2025-01-01), last: date!(2025-02-10) };
/// assert_eq!(all.windows(date!(2025-02-11)), [window]);
/// assert_eq!(all.windows(date!(2025-02-01)), [], "today itself is not due");
/// assert_eq!(AllDue::default().windows(date!(2025-02-11)), []);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllDue {
    /// The accounts that earn by the balance of each day.
    pub daily: Vec<YieldDue>,
    /// The accounts of poupança.
    pub savings: Vec<SavingsDue>,
}

impl AllDue {
    /// The rates that are needed to pay what is due: for each series, one window for all the accounts.
    pub fn windows(&self, today: Date) -> Vec<RateWindow> {
        let last = day_before(today);
        let mut firsts: BTreeMap<Series, Date> = BTreeMap::new();
        let mut need = |series: Series, first: Date| {
            let known = firsts.entry(series).or_insert(first);
            *known = first.min(*known);
        };
        for due in self.daily.iter().filter(|due| due.last_yield_date < last) {
            need(due.rule.daily_series(), due.rates_from());
            if let Rule::Ipca(_) = due.rule {
                let first_month = Month::of(due.last_yield_date).first_day();
                need(Series::Ipca, first_month.max(Series::Ipca.start()));
            }
        }
        for due in &self.savings {
            if let Some(first) = first_rate_needed(due, today) {
                need(Series::Savings, first);
            }
        }
        let windows = firsts.into_iter().map(|(series, first)| RateWindow { series, first, last });
        windows.filter(|window| window.first <= window.last).collect()
    }

    /// Whether these rates pay or settle any day of what is due. If not, [`post`](crate::use_cases::yields::post) has nothing to
    /// do.
    pub fn is_payable(&self, rates: &Rates, day_count: DayCount, today: Date) -> bool {
        let mut daily = self.daily.iter();
        let mut savings = self.savings.iter();
        daily.any(|due| accrue(due, rates, day_count, today).done_until > due.last_yield_date)
            || savings.any(|due| accrue_savings(due, rates, today).done_until > due.last_yield_date)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::super::series::SERIES_START;
    use super::*;
    use crate::ids::AccountId;
    use crate::money::{Money, Percentage};

    fn account(id: i64, last_yield_date: Date) -> YieldDue {
        YieldDue {
            account_id: AccountId(id),
            last_yield_date,
            rule: Rule::Cdi(Percentage::whole(100)),
            day_count: None,
            balance_at_last: Money::from_cents(100_000),
            changes: BTreeMap::new(),
        }
    }

    fn windows(daily: &[YieldDue], today: Date) -> Vec<(Series, Date, Date)> {
        let all = AllDue { daily: daily.to_vec(), savings: vec![] };
        all.windows(today).into_iter().map(|window| (window.series, window.first, window.last)).collect()
    }

    #[test]
    fn one_window_serves_all_accounts_and_begins_no_earlier_than_the_series() {
        let today = date!(2025 - 03 - 10);
        let yesterday = date!(2025 - 03 - 09);
        let (old, new) = (account(1, date!(2025 - 01 - 31)), account(2, date!(2025 - 03 - 01)));
        assert_eq!(windows(&[new, old], today), [(Series::Cdi, date!(2025 - 01 - 01), yesterday)]);
        let ancient = account(1, date!(1950 - 01 - 01));
        assert_eq!(windows(std::slice::from_ref(&ancient), today), [(Series::Cdi, SERIES_START, yesterday)]);
        assert_eq!(windows(&[ancient], date!(1960 - 01 - 01)), [], "nothing to ask for");
        for settled in [date!(2025 - 03 - 09), date!(2025 - 03 - 10), date!(2025 - 03 - 11)] {
            assert_eq!(windows(&[account(1, settled)], today), [], "{settled}");
        }
        assert_eq!(windows(&[account(1, date!(2025 - 03 - 08))], today).len(), 1);
    }

    #[test]
    fn each_rule_asks_for_its_own_series() {
        let today = date!(2025 - 03 - 10);
        let yesterday = date!(2025 - 03 - 09);
        let of = |rule| YieldDue { rule, ..account(1, date!(2025 - 02 - 20)) };
        let rate = Percentage::whole(6);
        assert_eq!(windows(&[of(Rule::Selic(rate))], today), [(Series::Selic, date!(2025 - 01 - 21), yesterday)]);
        assert_eq!(windows(&[of(Rule::Fixed(rate))], today), [(Series::Cdi, date!(2025 - 01 - 21), yesterday)]);
        let ipca = [(Series::Cdi, date!(2025 - 01 - 21), yesterday), (Series::Ipca, date!(2025 - 02 - 01), yesterday)];
        assert_eq!(windows(&[of(Rule::Ipca(rate))], today), ipca);
    }
}
