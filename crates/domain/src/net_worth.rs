//! Net worth over time: the balances of the accounts of each kind at the end of each month.

use std::collections::BTreeMap;

use time::Date;

use crate::accounts::AccountKind;
use crate::error::Result;
use crate::money::Money;
use crate::month::Month;
use crate::violations::Violation;

/// The most months of one result: twenty years.
pub const NET_WORTH_MONTHS_MAX: u32 = 240;

/// How the balances of all accounts of a kind changed in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindChange {
    /// The month.
    pub month: Month,
    /// The kind of the accounts.
    pub kind: AccountKind,
    /// Income minus expenses.
    pub change: Money,
}

/// The balances of all accounts at the end of a month, or today in the current month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthWorth {
    /// The month.
    pub month: Month,
    /// The balances of current accounts.
    pub current: Money,
    /// The balances of savings accounts.
    pub savings: Money,
    /// The balances of investments.
    pub investment: Money,
    /// The balances of cards. Below zero if money is owed.
    pub credit: Money,
}

impl MonthWorth {
    /// The sum of all balances.
    pub fn total(&self) -> Money {
        self.current + self.savings + self.investment + self.credit
    }
}

/// Checks the requested months.
///
/// # Errors
///
/// [`Violation::AfterToday`], [`Violation::BeforeFrom`] or [`Violation::TooManyMonths`]. Each is about the last month.
pub fn check_span(first: Month, last: Month, today: Date) -> Result<(), Violation> {
    if last > Month::of(today) {
        Err(Violation::AfterToday)
    } else if last < first {
        Err(Violation::BeforeFrom)
    } else if first.plus(NET_WORTH_MONTHS_MAX as i32 - 1) < last {
        Err(Violation::TooManyMonths { max: NET_WORTH_MONTHS_MAX.into() })
    } else {
        Ok(())
    }
}

/// The net worth at the end of each month from `first` to `last`. `changes` has the changes of all months up to `last`, in any
/// order. `later` is taken from the month `present`, by kind: the sums of its transactions dated after today, and what is owed
/// without a transaction.
///
/// ```
/// use finance_domain::accounts::AccountKind::{Credit, Current};
/// use finance_domain::net_worth::{KindChange, by_month};
/// use finance_domain::{Money, Month};
///
/// let month = |text: &str| text.parse::<Month>().unwrap();
/// let change = |text, kind, cents| KindChange { month: month(text), kind, change: Money::from_cents(cents) };
/// let changes = [
///     change("2025-11", Current, 100_00),
///     change("2026-01", Current, -30_00),
///     change("2026-01", Credit, -5_00),
/// ];
/// let later = [(Current, Money::from_cents(-20_00))];
/// let worth = by_month(&changes, &later, month("2025-12"), month("2026-01"), month("2026-01"));
/// let told: Vec<String> = worth.iter().map(|at| format!("{} {} {}", at.month, at.current, at.total())).collect();
/// assert_eq!(told, ["2025-12 100.00 100.00", "2026-01 90.00 85.00"]);
/// ```
pub fn by_month(
    changes: &[KindChange],
    later: &[(AccountKind, Money)],
    first: Month,
    last: Month,
    present: Month,
) -> Vec<MonthWorth> {
    let mut by_month: BTreeMap<Month, MonthWorth> = BTreeMap::new();
    let nothing = |month| MonthWorth {
        month,
        current: Money::ZERO,
        savings: Money::ZERO,
        investment: Money::ZERO,
        credit: Money::ZERO,
    };
    for KindChange { month, kind, change } in changes {
        let month = (*month).max(first);
        *held(by_month.entry(month).or_insert_with(|| nothing(month)), *kind) += *change;
    }
    for (kind, change) in later {
        *held(by_month.entry(present).or_insert_with(|| nothing(present)), *kind) -= *change;
    }
    let mut worth = nothing(first);
    let mut found = Vec::new();
    let mut month = first;
    while month <= last {
        worth.month = month;
        if let Some(change) = by_month.get(&month) {
            worth.current += change.current;
            worth.savings += change.savings;
            worth.investment += change.investment;
            worth.credit += change.credit;
        }
        found.push(worth);
        month = month.plus(1);
    }
    found
}

fn held(worth: &mut MonthWorth, kind: AccountKind) -> &mut Money {
    match kind {
        AccountKind::Current => &mut worth.current,
        AccountKind::Savings => &mut worth.savings,
        AccountKind::Investment => &mut worth.investment,
        AccountKind::Credit => &mut worth.credit,
    }
}

/// The port of net worth. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait NetWorthRepo {
    /// The stored changes of all months up to the given one.
    fn kind_changes(&mut self, last: Month) -> Result<Vec<KindChange>>;
    /// How the balances of all accounts of each kind change after `today`, until the end of the same month.
    fn kind_changes_to_come(&mut self, today: Date) -> Result<Vec<(AccountKind, Money)>>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_span_ends_this_month_begins_before_it_ends_and_is_not_too_long() {
        let today = date!(2026 - 03 - 15);
        let span = |first: &str, last: &str| check_span(first.parse().unwrap(), last.parse().unwrap(), today);
        assert_eq!(span("2026-03", "2026-03"), Ok(()));
        assert_eq!(span("2006-04", "2026-03"), Ok(()));
        assert_eq!(span("2006-03", "2026-03"), Err(Violation::TooManyMonths { max: 240 }));
        assert_eq!(span("2026-03", "2026-02"), Err(Violation::BeforeFrom));
        assert_eq!(span("2026-03", "2026-04"), Err(Violation::AfterToday));
    }
}
