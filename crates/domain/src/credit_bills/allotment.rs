//! Which bills the payments on a card's statement pay.
//!
//! A payment in a card's statement has rows of `credit_bill_payments` with its `transaction_id`; a payment that names its
//! bill (`pay`, a link to a bill) has none. The former are recomputed for the whole card after a write that sets
//! `accounts.payments_stale`. So they depend on the stored rows, and not on the order in which these came. The cost is
//! proportional to the bills and payments of one card; a purchase after the last payment sets nothing.

use std::collections::HashMap;

use time::Date;

use crate::ids::{BillId, TransactionId};
use crate::money::Money;

/// A bill, and the amount paid by payments that name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayableBill {
    /// Its id.
    pub id: BillId,
    /// Its first day.
    pub period_start: Date,
    /// Its last day.
    pub period_end: Date,
    /// Expenses minus income of its rows.
    pub total: Money,
    /// The amount paid by payments that name it.
    pub paid: Money,
    /// Whether it has rows.
    pub has_rows: bool,
}

/// A row of a card's statement that pays its bills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardPayment {
    /// The transaction.
    pub id: TransactionId,
    /// Its date in the statement.
    pub date: Date,
    /// The amount, above zero.
    pub amount: Money,
}

/// The part of a payment that counts on a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Allotment {
    /// The transaction that pays.
    pub transaction_id: TransactionId,
    /// The bill.
    pub bill_id: BillId,
    /// The date of the payment.
    pub date: Date,
    /// The amount, above zero.
    pub amount: Money,
}

/// Allots the payments of a card to its bills, in the order of their dates, then ids.
///
/// A payment pays the last bill with rows that closed before its date. The part that exceeds the amount due counts on the bill
/// that is open on the date. If no such closed bill exists, the whole payment counts on the open bill. A part without a bill is
/// not allotted; [`unallotted`] returns the dates of such payments.
///
/// ```
/// use finance_domain::credit_bills::{CardPayment, PayableBill, allot};
/// use finance_domain::{BillId, Money, TransactionId};
/// use time::macros::date;
///
/// let bill = |id, period_start, period_end, cents| PayableBill {
///     id: BillId(id), period_start, period_end, total: Money::from_cents(cents), paid: Money::ZERO, has_rows: true,
/// };
/// let february = bill(1, date!(2026-01-25), date!(2026-02-24), 100_000);
/// let march = bill(2, date!(2026-02-25), date!(2026-03-24), 12_000);
/// let paid = CardPayment { id: TransactionId(7), date: date!(2026-03-05), amount: Money::from_cents(105_000) };
/// let allotted = allot(&[february, march], &[paid]);
/// let parts: Vec<_> = allotted.iter().map(|part| (part.bill_id, part.amount.cents())).collect();
/// assert_eq!(parts, [(BillId(1), 100_000), (BillId(2), 5_000)]);
/// ```
pub fn allot(bills: &[PayableBill], payments: &[CardPayment]) -> Vec<Allotment> {
    let mut bills: Vec<PayableBill> = bills.to_vec();
    bills.sort_unstable_by_key(|bill| bill.period_start);
    let mut payments: Vec<CardPayment> = payments.to_vec();
    payments.sort_unstable_by_key(|payment| (payment.date, payment.id));
    let mut allotted = Vec::with_capacity(payments.len());
    // Payments are in the order of their dates, so both indexes only move forward.
    let (mut closed, mut closed_with_rows) = (0, None);
    for CardPayment { id: transaction_id, date, amount } in payments {
        while bills.get(closed).is_some_and(|bill| bill.period_end < date) {
            if bills[closed].has_rows {
                closed_with_rows = Some(closed);
            }
            closed += 1;
        }
        let open = bills.get(closed).filter(|bill| bill.period_start <= date).map(|_| closed);
        let of_closed = closed_with_rows.map_or(Money::ZERO, |at| {
            let due: Money = bills[at].total - bills[at].paid;
            amount.min(due).max(Money::ZERO)
        });
        for (at, part) in [(closed_with_rows, of_closed), (open, amount - of_closed)] {
            if let Some(bill) = at.and_then(|at| bills.get_mut(at)).filter(|_| part > Money::ZERO) {
                bill.paid += part;
                allotted.push(Allotment { transaction_id, bill_id: bill.id, date, amount: part });
            }
        }
    }
    allotted
}

/// The dates of the payments that have a part without a bill.
pub fn unallotted(payments: &[CardPayment], allotted: &[Allotment]) -> Vec<Date> {
    let mut found: HashMap<TransactionId, Money> = HashMap::new();
    for part in allotted {
        *found.entry(part.transaction_id).or_default() += part.amount;
    }
    let is_left = |payment: &&CardPayment| found.get(&payment.id).copied().unwrap_or_default() < payment.amount;
    payments.iter().filter(is_left).map(|payment| payment.date).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    use super::*;

    /// The bills of a card with periods of 30 days: one bill for each total.
    fn bills(totals: &[i128]) -> Vec<PayableBill> {
        (0_i64..)
            .zip(totals)
            .map(|(at, total)| PayableBill {
                id: BillId(at),
                period_start: date!(2026 - 01 - 01) + Duration::days(30 * at),
                period_end: date!(2026 - 01 - 30) + Duration::days(30 * at),
                total: Money::from_cents(*total),
                paid: Money::ZERO,
                has_rows: *total != 0,
            })
            .collect()
    }

    fn payment(id: i64, day: i64, cents: i128) -> CardPayment {
        let date = date!(2026 - 01 - 01) + Duration::days(day);
        CardPayment { id: TransactionId(id), date, amount: Money::from_cents(cents) }
    }

    fn parts(allotted: &[Allotment]) -> Vec<(i64, i64, i128)> {
        allotted.iter().map(|part| (part.transaction_id.0, part.bill_id.0, part.amount.cents())).collect()
    }

    #[test]
    fn a_payment_pays_the_last_closed_bill_with_rows_and_then_the_open_one() {
        for (what, totals, payments, expected) in [
            ("all of a bill", vec![100, 50], vec![payment(1, 35, 100)], vec![(1, 0, 100)]),
            ("a part of it", vec![100, 50], vec![payment(1, 35, 40)], vec![(1, 0, 40)]),
            ("more than it", vec![100, 50], vec![payment(1, 35, 130)], vec![(1, 0, 100), (1, 1, 30)]),
            ("on its last day it is open", vec![100, 50], vec![payment(1, 29, 100)], vec![(1, 0, 100)]),
            ("no bill has closed", vec![100], vec![payment(1, 5, 30)], vec![(1, 0, 30)]),
            ("a bill without rows is passed over", vec![100, 0, 50], vec![payment(1, 65, 100)], vec![(1, 0, 100)]),
            ("a refund is due to the holder", vec![-20, 50], vec![payment(1, 35, 10)], vec![(1, 1, 10)]),
            ("before all bills", vec![100], vec![payment(1, -5, 10)], vec![]),
            ("after all bills", vec![100], vec![payment(1, 35, 110)], vec![(1, 0, 100)]),
            (
                "one after the other by date",
                vec![100, 50],
                vec![payment(1, 40, 80), payment(2, 35, 80)],
                vec![(2, 0, 80), (1, 0, 20), (1, 1, 60)],
            ),
        ] {
            assert_eq!(parts(&allot(&bills(&totals), &payments)), expected, "{what}");
        }
    }

    #[test]
    fn what_names_its_bill_pays_first() {
        let mut bills = bills(&[100, 50]);
        bills[0].paid = Money::from_cents(70);
        assert_eq!(parts(&allot(&bills, &[payment(1, 35, 100)])), [(1, 0, 30), (1, 1, 70)]);
    }

    #[test]
    fn what_finds_no_bill_is_told() {
        let (bills, payments) = (bills(&[100]), [payment(1, 35, 110), payment(2, 5, 1), payment(3, -5, 1)]);
        let dates = [date!(2026 - 02 - 05), date!(2025 - 12 - 27)];
        assert_eq!(unallotted(&payments, &allot(&bills, &payments)), dates);
    }

    proptest! {
        #[test]
        fn no_order_of_payments_matters_and_no_cent_is_made_up(
            totals in prop::collection::vec(-50_i128..200, 1..6),
            days in prop::collection::vec((-20_i64..200, 1_i128..300), 0..12),
        ) {
            let bills = bills(&totals);
            let mut payments: Vec<CardPayment> =
                (0_i64..).zip(&days).map(|(id, (day, cents))| payment(id, *day, *cents)).collect();
            let allotted = allot(&bills, &payments);
            for payment in &payments {
                let parts = allotted.iter().filter(|part| part.transaction_id == payment.id);
                prop_assert!(parts.map(|part| part.amount).sum::<Money>() <= payment.amount);
            }
            prop_assert!(allotted.iter().all(|part| part.amount > Money::ZERO));
            payments.reverse();
            prop_assert_eq!(allot(&bills, &payments), allotted);
        }
    }
}
