//! Accrual: cutting the days that are due into periods, and what each pays.

use bigdecimal::{BigDecimal, One};
use time::Date;

use super::{Accrual, DayCount, PublishedRates, YieldDue, YieldPosting, compound};
use crate::money::{Money, Percentage};
use crate::month::{Month, day_after, day_before};

/// What a balance earns over days that compound to `factor`:
/// balance × (factor − 1) × percentage / 100, rounded half-even to cents. Nothing on a balance that
/// is not above zero.
///
/// ```
/// use finance_domain::yields::yield_amount;
/// use finance_domain::{Money, Percentage};
///
/// let january = "1.010132013564149152".parse().unwrap();
/// let earns = |cents, percent| yield_amount(Money::from_cents(cents), &january, Percentage::whole(percent)).to_string();
/// assert_eq!(earns(1000_00, 100), "10.13");
/// assert_eq!(earns(1000_00, 110), "11.15");
/// assert_eq!(earns(-1000_00, 100), "0.00");
/// // Halves go to the even cent: 1 % of 0.50 is 0.005, and of 1.50 is 0.015.
/// let one_percent = "1.01".parse().unwrap();
/// let earns = |cents| yield_amount(Money::from_cents(cents), &one_percent, Percentage::whole(100)).to_string();
/// assert_eq!((earns(50), earns(150)), ("0.00".into(), "0.02".into()));
/// ```
pub fn yield_amount(balance: Money, factor: &BigDecimal, cdi_percentage: Percentage) -> Money {
    if balance <= Money::ZERO {
        return Money::ZERO;
    }
    let hundredth = BigDecimal::new(1.into(), 2);
    Money::round(&(balance.to_decimal() * (factor - BigDecimal::one()) * cdi_percentage.to_decimal() * hundredth))
}

/// What an account earned from the day after its last day done up to yesterday, as far as these rates
/// let it be paid ([`PublishedRates::payable_until`]).
///
/// Days are cut into periods of one balance in one month. A day earns on the balance at the end of
/// the day before, so the day on which the balance changes is the last of its period; changes of one
/// day that come to zero cut nothing. What a period pays is part of the balance from the next on.
///
/// A period that rounds to 0.00 is passed over, its days done. The last one is not: its days stay
/// due, so that the next call, which begins with the same day, finds it grown. On a balance that is
/// not above zero nothing can grow, and the days are done. Nothing is paid nor done where the rates
/// begin later than [`LOOK_BACK_DAYS`](super::LOOK_BACK_DAYS) before the last day done.
///
/// Two years at a time, or a day at a time: a day is in one period at the most, ever.
///
/// ```
/// use finance_domain::yields::{DayCount, PublishedRates, YieldDue, accrue};
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
///     cdi_percentage: Percentage::whole(100),
///     balance_at_last: Money::from_cents(1000_00),
///     changes: [(date!(2025-01-30), Money::from_cents(500_00))].into(),
/// };
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
pub fn accrue(due: &YieldDue, rates: &PublishedRates, day_count: DayCount, today: Date) -> Accrual {
    let mut accrual = Accrual { postings: Vec::new(), done_until: due.last_yield_date };
    let rates_from = due.rates_from();
    if rates.first() > rates_from {
        return accrual;
    }
    let Some(horizon) = rates.payable_until(rates_from, day_before(today)) else { return accrual };
    let mut balance = due.balance_at_last;
    while accrual.done_until < horizon {
        let first_day = day_after(accrual.done_until);
        let mut changes = due.changes.range(first_day..).filter(|(_, change)| **change != Money::ZERO);
        let change = changes.next().map(|(date, change)| (*date, *change));
        let month_end = Month::of(first_day).last_day();
        let last_day = change.map_or(horizon, |(date, _)| date).min(month_end).min(horizon);
        let amount = if balance > Money::ZERO {
            yield_amount(balance, &compound(rates, day_count, first_day, last_day), due.cdi_percentage)
        } else {
            Money::ZERO
        };
        if amount > Money::TRANSACTION_MAX {
            // No transaction holds it; the days stay due rather than be paid wrongly.
            break;
        }
        if amount > Money::ZERO {
            accrual.postings.push(YieldPosting { first_day, last_day, amount });
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
