//! Accrual: splitting the due days into periods, and computing what each pays.

use bigdecimal::{BigDecimal, One};
use time::Date;

use super::compounding::{DayCount, compound};
use super::due::YieldDue;
use super::rates::PublishedRates;
use crate::ids::AccountId;
use crate::money::{Money, Percentage};
use crate::month::{Month, day_after, day_before};
use crate::transactions::{Kind, NewTransaction, Source};

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
/// Whether it is called daily or after two years, a day is in at most one period.
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

/// Whether these rates pay or settle any day of what is due, so that
/// [`post`](crate::use_cases::yields::post) has anything to do.
pub fn is_payable(due: &[YieldDue], rates: &PublishedRates, day_count: DayCount, today: Date) -> bool {
    due.iter().any(|due| accrue(due, rates, day_count, today).done_until > due.last_yield_date)
}

#[cfg(test)]
mod tests;
