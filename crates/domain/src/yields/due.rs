//! Due yield: the days of an account that are not paid or settled.

use std::collections::BTreeMap;

use time::{Date, Duration};

use super::compounding::DayCount;
use super::rules::Rule;
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::Month;

/// An account that earns on its balance of each day, with days whose yield is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YieldDue {
    /// The account.
    pub account_id: AccountId,
    /// The last day whose yield is paid or settled.
    pub last_yield_date: Date,
    /// What the account earns.
    pub rule: Rule,
    /// How days without a CDI rate count. None if the setting decides.
    pub day_count: Option<DayCount>,
    /// The balance at the end of that last day.
    pub balance_at_last: Money,
    /// How the balance changed after that day: the signed sum of each date's transactions.
    pub changes: BTreeMap<Date, Money>,
}

impl YieldDue {
    /// The first date whose daily rate may matter to this account.
    pub(super) fn rates_from(&self) -> Date {
        let series = self.rule.daily_series();
        let from = self.last_yield_date.saturating_sub(Duration::days(series.look_back_days())).max(series.start());
        match self.rule {
            // The number of business days in the whole month affects each of its periods.
            Rule::Ipca(_) => from.min(Month::of(self.last_yield_date).first_day().max(series.start())),
            Rule::Cdi(_) | Rule::Fixed(_) | Rule::Selic(_) => from,
        }
    }
}
