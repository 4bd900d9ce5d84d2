//! Poupança: deposits are grouped in lots by the day of the month. Each lot earns its yield on that day of every month.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use time::Date;

use super::accrual::{Accrual, YieldPosting};
use super::flows::Flow;
use super::series::{Rates, Series};
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::{Month, day_after};

/// The most lots of an account: the days that every month has. A deposit on a later day is in the lot of the first.
pub const LOTS_MAX: usize = 28;

/// The name of the yield in descriptions.
const LABEL: &str = "poupança";

/// A poupança account with days that are not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavingsDue {
    /// The account.
    pub account_id: AccountId,
    /// The last day whose yield is paid or settled. Unlike a CDI day, a poupança day is paid on the day itself.
    pub last_yield_date: Date,
    /// What came in and went out on each date up to today, from the account's first transaction on.
    pub flows: BTreeMap<Date, Flow>,
}

/// The lots of an account. The index is the lot's day less one.
#[derive(Debug, Clone, Default)]
struct Lots {
    balances: [Money; LOTS_MAX],
    /// The lowest balance at the end of a day since the lot's day last passed.
    lowest: [Money; LOTS_MAX],
    /// What went out beyond all lots. The next income pays it first.
    owed: Money,
}

/// The index of the lot of a day of the month.
fn lot_of(day: u8) -> usize {
    match usize::from(day) {
        day @ 1..=LOTS_MAX => day - 1,
        _ => 0,
    }
}

impl Lots {
    fn put(&mut self, lot: usize, amount: Money) {
        let paid = amount.min(self.owed);
        self.owed -= paid;
        self.balances[lot] += amount - paid;
    }

    /// Takes from the lot whose day passed last, then from the one before it, and so on.
    fn take(&mut self, day: u8, amount: Money) {
        let mut left = amount;
        let newest = usize::from(day).min(LOTS_MAX);
        for lot in (0..newest).rev().chain((newest..LOTS_MAX).rev()) {
            let part = left.min(self.balances[lot]);
            self.balances[lot] -= part;
            left -= part;
        }
        self.owed += left;
    }

    /// Ends a day. A new period of a lot may begin on it.
    fn end_day(&mut self, day: u8) {
        for (lowest, balance) in self.lowest.iter_mut().zip(&self.balances) {
            *lowest = (*lowest).min(*balance);
        }
        if usize::from(day) <= LOTS_MAX {
            self.lowest[lot_of(day)] = self.balances[lot_of(day)];
        }
    }
}

/// What a poupança account earned after its last day done up to today, as far as these rates let it be paid.
///
/// An income is in the lot of its date's day. An income of a 29th, 30th or 31st is in the lot of the first, and counts from the
/// first of the next month on. On its day of every month, a lot earns on its lowest balance since that day of the month before,
/// at the rate published for that day, rounded half-even to cents. What it earns is added to it. Money that goes out is taken
/// from the lot whose day passed last.
///
/// A day whose rate is missing waits, and so do all later days. Nothing is done before the first income. A period that begins
/// before the series earns nothing.
///
/// ```
/// use finance_domain::yields::{Flow, PublishedRates, Rates, SavingsDue, Series, accrue_savings};
/// use finance_domain::{AccountId, Money};
/// use time::macros::date;
///
/// let mut rates = PublishedRates::new(date!(2026-01-01), date!(2026-03-09));
/// rates.publish(date!(2026-01-10), "0.6700".parse()?);
/// rates.publish(date!(2026-02-10), "0.6500".parse()?);
/// let deposit = Flow { income: Money::from_cents(1000_00), ..Flow::default() };
/// let due = SavingsDue {
///     account_id: AccountId(1),
///     last_yield_date: date!(2026-01-10),
///     flows: [(date!(2026-01-10), deposit)].into(),
/// };
/// let accrual = accrue_savings(&due, &Rates::from((Series::Savings, rates)), date!(2026-03-10));
/// let paid: Vec<_> = accrual.postings.iter().map(|posting| (posting.description(), posting.amount.to_string())).collect();
/// assert_eq!(paid, [
///     ("Rendimento poupança 10/01/2026 a 10/02/2026".into(), "6.70".into()),
///     ("Rendimento poupança 10/02/2026 a 10/03/2026".into(), "6.54".into()),
/// ]);
/// # Ok::<(), &'static str>(())
/// ```
pub fn accrue_savings(due: &SavingsDue, rates: &Rates, today: Date) -> Accrual {
    walk(due, rates, today).0
}

/// The first date whose rate is needed to pay what is due. None if nothing has to be paid.
pub(super) fn first_rate_needed(due: &SavingsDue, today: Date) -> Option<Date> {
    walk(due, &Rates::default(), today).1
}

/// What is earned, and the date of the first missing rate, if one is missing.
fn walk(due: &SavingsDue, rates: &Rates, today: Date) -> (Accrual, Option<Date>) {
    let mut accrual = Accrual { postings: Vec::new(), done_until: due.last_yield_date };
    let published = rates.of(Series::Savings);
    let mut lots = Lots::default();
    let Some(mut date) = due.flows.keys().next().copied() else { return (accrual, None) };
    while date <= today {
        let day = date.day();
        let lowest = if usize::from(day) <= LOTS_MAX { lots.lowest[lot_of(day)] } else { Money::ZERO };
        // The same day of the month before; all months have it.
        let first_day = Month::of(date).minus(1).day_clamped(day);
        if date > due.last_yield_date && lowest > Money::ZERO && first_day >= Series::Savings.start() {
            let Some(rate) = published.and_then(|published| published.on(first_day)) else {
                return (accrual, Some(first_day));
            };
            let hundredth = BigDecimal::new(1.into(), 2);
            let amount = Money::round(&(lowest.to_decimal() * rate.percent() * hundredth));
            if amount > Money::TRANSACTION_MAX {
                // No transaction can hold it. The day stays due rather than be paid wrongly.
                return (accrual, None);
            }
            if amount > Money::ZERO {
                accrual.postings.push(YieldPosting { label: LABEL, first_day, last_day: date, amount });
                lots.put(lot_of(day), amount);
            }
        }
        if let Some(flow) = due.flows.get(&date) {
            lots.put(lot_of(day), flow.income + flow.earned);
            lots.take(day, flow.expenses);
        }
        lots.end_day(day);
        accrual.done_until = accrual.done_until.max(date);
        date = day_after(date);
    }
    (accrual, None)
}

#[cfg(test)]
mod tests;
