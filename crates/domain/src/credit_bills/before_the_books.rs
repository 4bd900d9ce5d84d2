//! What a card owed before its first row, where nobody said it.
//!
//! Payments of bills that are not stored would be a credit otherwise. Their sum is owed on the day before the first row, and follows
//! the rows, so an older statement that comes later takes its place.

use time::{Date, Duration};

use super::cycle::{Cycles, Period};
use super::ledger::{CardPayment, PaymentOrigin};
use crate::money::Money;
use crate::month::day_before;
use crate::openings::Opening;

/// How many days after its due date a bill that is not stored may be paid.
pub const LATE_DAYS_MAX: i64 = 10;

/// The opening balance of a card of which nobody said one, or none if no payment is of a bill that is not stored. `first_bill` is
/// the first one with rows or with a held statement, and `first_row` the date of the card's first row that is no payment.
///
/// A payment before the first bill, or on it up to [`LATE_DAYS_MAX`] days after the bill before it is due, pays what is not stored,
/// unless a person made it here for a bill.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::credit_bills::{CardPayment, Cycle, Cycles, PaymentOrigin, before_the_books};
/// use finance_domain::openings::Opening;
/// use time::macros::{date, datetime};
///
/// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
/// let first_bill = card.period_holding(date!(2026-03-02));
/// let paid = CardPayment {
///     date: date!(2026-03-05), amount: Money::from_cents(100_000), stored_at: datetime!(2026-03-10 12:00 UTC),
///     origin: PaymentOrigin::Row,
/// };
/// let opening = before_the_books(&card, Some(first_bill), Some(date!(2026-03-02)), &[paid]);
/// assert_eq!(opening, Some(Opening { date: date!(2026-03-01), balance: Money::from_cents(-100_000) }));
/// ```
pub fn before_the_books(
    cycles: &Cycles,
    first_bill: Option<Period>,
    first_row: Option<Date>,
    payments: &[CardPayment],
) -> Option<Opening> {
    let last_day = first_bill.map(|first| {
        let due = cycles.period_before(&first).due;
        (due + Duration::days(LATE_DAYS_MAX)).min(first.end)
    });
    let of_others = payments.iter().filter(|payment| {
        payment.origin == PaymentOrigin::Row
            && payment.amount > Money::ZERO
            && last_day.is_none_or(|last| payment.date <= last)
    });
    let paid: Money = of_others.map(|payment| payment.amount).sum();
    let first = first_row.into_iter().chain(payments.iter().map(|payment| payment.date)).min()?;
    (paid > Money::ZERO).then_some(Opening { date: day_before(first), balance: -paid })
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;
    use crate::credit_bills::Cycle;

    #[test]
    fn payments_of_bills_that_are_not_stored_are_owed_before_the_first_row() {
        let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
        let stored_at = datetime!(2026-03-10 12:00 UTC);
        let payment = |(date, cents)| CardPayment {
            date,
            amount: Money::from_cents(cents),
            stored_at,
            origin: PaymentOrigin::Row,
        };
        let derived = |first_bill: Option<Date>, payments: &[(Date, i128)]| {
            let payments: Vec<CardPayment> = payments.iter().copied().map(payment).collect();
            let first = first_bill.map(|day| card.period_holding(day));
            before_the_books(&card, first, first_bill, &payments).map(|opening| (opening.date, opening.balance.cents()))
        };
        let march = Some(date!(2026 - 03 - 10));
        // The bill before is due on 5 March; ten days later is the last day.
        assert_eq!(derived(march, &[(date!(2026 - 03 - 15), 5)]), Some((date!(2026 - 03 - 09), -5)));
        assert_eq!(derived(march, &[(date!(2026 - 03 - 16), 5)]), None);
        let older = [(date!(2026 - 02 - 05), 7), (date!(2026 - 03 - 05), 5), (date!(2026 - 04 - 05), 9)];
        assert_eq!(derived(march, &older), Some((date!(2026 - 02 - 04), -12)));
        assert_eq!(derived(None, &older), Some((date!(2026 - 02 - 04), -21)), "nothing was bought");
        // An older statement takes its place.
        assert_eq!(derived(Some(date!(2026 - 01 - 10)), &older), None);
        assert_eq!(derived(march, &[]), None);
    }
}
