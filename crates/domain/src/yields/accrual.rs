//! Accrual: splits the due days into periods and computes what each period pays.

use time::Date;

use super::compounding::DayCount;
use super::due::YieldDue;
use super::rules::period_amount;
use super::series::Rates;
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::{Month, day_after, day_before};
use crate::transactions::{Kind, NewTransaction, Source};

/// What a period pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YieldPosting {
    /// The name of what yields, as in the description.
    pub label: &'static str,
    /// The period's first day. No two postings of an account share one; the store enforces this too.
    pub first_day: Date,
    /// The period's last day, the date of the income.
    pub last_day: Date,
    /// The amount. Below zero if prices fell by more than the account earns on top of them; it is then an expense.
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
    /// let posting = YieldPosting { label: "CDI", first_day, last_day, amount: Money::from_cents(1) };
    /// assert_eq!(posting.description(), "Rendimento CDI 01/05/2026 a 31/05/2026");
    /// ```
    pub fn description(&self) -> String {
        let (first_day, last_day) = (day_month_year(self.first_day), day_month_year(self.last_day));
        format!("Rendimento {} {first_day} a {last_day}", self.label)
    }

    /// The income, or the expense, to store on the account.
    pub fn transaction(&self, account_id: AccountId) -> NewTransaction {
        NewTransaction {
            account_id: Some(account_id),
            source: Source::Yield,
            ..NewTransaction::new(Kind::of(self.amount), self.last_day, self.description(), self.amount.abs())
        }
    }
}

/// A date as Brazilians write it: `31/05/2026`.
fn day_month_year(date: Date) -> String {
    format!("{:02}/{:02}/{:04}", date.day(), u8::from(date.month()), date.year())
}

/// What an account earned, and up to which day its yield is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accrual {
    /// What to pay, oldest first. No day is in two postings.
    pub postings: Vec<YieldPosting>,
    /// The last day whose yield is now done, paid or not. Never before the last day that was done already.
    pub done_until: Date,
}

/// What an account earned from the day after its last day done up to yesterday, as far as these rates let it be paid
/// ([`PublishedRates::payable_until`](super::PublishedRates::payable_until)). `day_count` applies to an account that names none.
///
/// Days are split into periods of one balance in one month. A day earns on the balance at the end of the day before, so the day
/// on which the balance changes is the last of its period. Changes of one day that sum to zero do not split a period. What a
/// period pays is part of the balance from the next period on.
///
/// A period of an account on IPCA also waits until the index of its month is known.
///
/// A period that rounds to 0.00 is skipped, and its days are done. The last period is an exception: its days stay due, so that
/// the next call starts with the same day and finds a larger amount. On a balance that is not above zero nothing can grow, and
/// the days are done. Nothing is paid or done if the rates begin later than [`LOOK_BACK_DAYS`](super::LOOK_BACK_DAYS) before the
/// last day done.
///
/// A day is in at most one period, whether this is called daily or after two years.
///
/// ```
/// use finance_domain::yields::{DayCount, PublishedRates, Rates, Rule, Series, YieldDue, accrue};
/// use finance_domain::{AccountId, Money, Percentage};
/// use time::macros::date;
///
/// // Published at 1 % a day up to Friday 31 January; the balance grows by 500.00 on the thirtieth.
/// let mut rates = PublishedRates::new(date!(2024-12-29), date!(2025-02-02));
/// for day in [28, 29, 30, 31] {
///     rates.publish(date!(2025-01-01).replace_day(day).unwrap(), "1".parse()?);
/// }
/// let due = YieldDue {
///     account_id: AccountId(1),
///     last_yield_date: date!(2025-01-28),
///     rule: Rule::Cdi(Percentage::whole(100)),
///     day_count: None,
///     balance_at_last: Money::from_cents(1000_00),
///     changes: [(date!(2025-01-30), Money::from_cents(500_00))].into(),
/// };
/// let rates = Rates::from((Series::Cdi, rates));
/// let accrual = accrue(&due, &rates, DayCount::Calendar, date!(2025-02-04));
/// let paid: Vec<_> = accrual.postings.iter().map(|posting| (posting.last_day, posting.amount.cents())).collect();
/// assert_eq!(paid, [
///     (date!(2025-01-30), 20_10), // two days on 1000.00
///     (date!(2025-01-31), 15_20), // one day on 1520.10, then the month ends
///     (date!(2025-02-02), 30_86), // Saturday and Sunday on 1535.30
/// ]);
/// assert_eq!(accrual.done_until, date!(2025-02-02), "Monday waits for its rate");
/// # Ok::<(), &'static str>(())
/// ```
pub fn accrue(due: &YieldDue, rates: &Rates, day_count: DayCount, today: Date) -> Accrual {
    let mut accrual = Accrual { postings: Vec::new(), done_until: due.last_yield_date };
    let day_count = due.day_count.unwrap_or(day_count);
    let rates_from = due.rates_from();
    let daily = rates.of(due.rule.daily_series()).filter(|daily| daily.first() <= rates_from);
    let Some(horizon) = daily.and_then(|daily| daily.payable_until(rates_from, day_before(today))) else {
        return accrual;
    };
    let mut balance = due.balance_at_last;
    while accrual.done_until < horizon {
        let first_day = day_after(accrual.done_until);
        let mut changes = due.changes.range(first_day..).filter(|(_, change)| **change != Money::ZERO);
        let change = changes.next().map(|(date, change)| (*date, *change));
        let month_end = Month::of(first_day).last_day();
        let last_day = change.map_or(horizon, |(date, _)| date).min(month_end).min(horizon);
        let period = (first_day, last_day);
        let amount = match balance > Money::ZERO {
            true => period_amount(due.rule, rates, day_count, balance, period, horizon),
            false => Some(Money::ZERO),
        };
        let Some(amount) = amount else { break };
        if amount > Money::TRANSACTION_MAX {
            // No transaction can hold it. The days stay due rather than be paid wrongly.
            break;
        }
        if amount != Money::ZERO {
            accrual.postings.push(YieldPosting { label: due.rule.label(), first_day, last_day, amount });
        } else if balance > Money::ZERO && last_day == horizon {
            break;
        }
        accrual.done_until = last_day;
        balance += amount;
        balance += change.filter(|(date, _)| *date == last_day).map_or(Money::ZERO, |(_, change)| change);
    }
    accrual
}

#[cfg(test)]
mod tests;
