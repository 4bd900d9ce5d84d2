//! The open and later bills of each card: posted rows, instalments to come, and recurring expenses.

use std::collections::HashMap;

use time::Date;

use crate::credit_bills::{CreditBill, Period};
use crate::ids::AccountId;
use crate::installments::{Calendar, Plan};
use crate::money::Money;

/// The rows of a card on one day that are on one bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardDay {
    /// The card.
    pub account_id: AccountId,
    /// The date that the rows count on.
    pub date: Date,
    /// Whether that is a payment date. If so, the rows are on the bill that is paid on it.
    pub is_payment_date: bool,
    /// Expenses minus income.
    pub total: Money,
    /// The expenses among them that are instalments.
    pub installments: Money,
}

/// A bill that is open or follows the open one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillAhead {
    /// The card.
    pub account_id: AccountId,
    /// Its period.
    pub period: Period,
    /// What the bill before leaves to it; a credit is below zero.
    pub previous: Money,
    /// What is paid on it already.
    pub paid_amount: Money,
    /// The sum of the stored rows. On a bill after the open one, instalments are excluded.
    pub posted: Money,
    /// The instalments to come: projected ones and, on a bill after the open one, stored ones.
    pub installments: Money,
    /// The recurring expenses to come.
    pub recurring: Money,
}

impl BillAhead {
    /// What the bill is expected to ask for. Below zero it is a credit, which is passed on to the next bill.
    pub fn total(&self) -> Money {
        self.previous + self.posted + self.installments + self.recurring - self.paid_amount
    }
}

/// The open bill of each card and the bills after it: `count` bills of each card, sorted by due date, then card. `stored` has the open
/// bills, and those after them that are stored. `recurring` holds the recurring expenses to come on cards, each with its card, day and
/// amount.
pub fn bills_ahead(
    calendars: &HashMap<AccountId, Calendar>,
    count: usize,
    stored: &[CreditBill],
    days: &[CardDay],
    plans: &[Plan],
    recurring: &[(AccountId, Date, Money)],
) -> Vec<BillAhead> {
    let mut bills: Vec<BillAhead> = Vec::with_capacity(calendars.len() * count);
    let mut places: HashMap<(AccountId, Date), usize> = HashMap::new();
    for (account_id, calendar) in calendars {
        for period in calendar.ahead().take(count) {
            places.insert((*account_id, period.start), bills.len());
            let (account_id, zero) = (*account_id, Money::ZERO);
            bills.push(BillAhead {
                account_id,
                period,
                previous: zero,
                paid_amount: zero,
                posted: zero,
                installments: zero,
                recurring: zero,
            });
        }
    }
    let place = |account_id: AccountId, period: Period| places.get(&(account_id, period.start)).copied();
    for day in days {
        let Some(calendar) = calendars.get(&day.account_id) else { continue };
        let period = calendar.cycles.period_of(day.date, day.is_payment_date.then_some(day.date));
        let Some(at) = place(day.account_id, period) else { continue };
        let to_come = if period.start > calendar.open.start { day.installments } else { Money::ZERO };
        bills[at].posted += day.total - to_come;
        bills[at].installments += to_come;
    }
    for plan in plans {
        for projected in plan.projected() {
            if let Some(at) = place(plan.account_id(), projected.period) {
                bills[at].installments += projected.amount;
            }
        }
    }
    for (account_id, date, amount) in recurring {
        let period = calendars.get(account_id).map(|calendar| calendar.cycles.period_holding(*date));
        if let Some(at) = period.and_then(|period| place(*account_id, period)) {
            bills[at].recurring += *amount;
        }
    }
    for bill in stored {
        if let Some(at) = places.get(&(bill.account_id, bill.period_start)) {
            bills[*at].previous = bill.entry.previous;
            bills[*at].paid_amount = bill.entry.paid_amount;
        }
    }
    // The bills of a card are together, the oldest first.
    for at in 1..bills.len() {
        if bills[at].account_id == bills[at - 1].account_id {
            let credit = bills[at - 1].total().min(Money::ZERO);
            bills[at].previous += credit;
        }
    }
    bills.sort_by_key(|bill| (bill.period.due, bill.account_id));
    bills
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::credit_bills::{Cycle, Cycles};
    use crate::ids::TransactionId;
    use crate::installments::{InstallmentRow, plans, read};

    const CARD: AccountId = AccountId(1);

    fn money(cents: i128) -> Money {
        Money::from_cents(cents)
    }

    #[test]
    fn each_figure_is_on_the_bill_of_its_day() {
        let today = date!(2026 - 03 - 10);
        let calendar = |closing_day| Calendar::new(Cycles::new(Cycle { closing_day, due_day: 5 }, []), today);
        let calendars = HashMap::from([(CARD, calendar(25)), (AccountId(2), calendar(28))]);
        let day = |date, is_payment_date, total, installments| CardDay {
            account_id: CARD,
            date,
            is_payment_date,
            total: money(total),
            installments: money(installments),
        };
        let days = [
            day(date!(2026 - 02 - 25), false, 400, 100),
            // On the bill that closed on 25 February, so on none of the bills ahead.
            day(date!(2026 - 03 - 05), true, 7_000, 0),
            // Rows of later days: an instalment that was entered by hand, and a refund.
            day(date!(2026 - 03 - 25), false, 45, 50),
            day(date!(2026 - 05 - 05), true, 3, 3),
        ];
        let reading = read("Loja 3/6").unwrap();
        let row = InstallmentRow {
            id: Some(TransactionId(1)),
            account_id: CARD,
            category_id: None,
            date: date!(2026 - 03 - 01),
            original_date: None,
            installment: reading.installment,
            shop: reading.shop,
            description: "Loja 3/6".into(),
            amount: money(100),
            is_removable: false,
            is_ended: false,
        };
        let plans = plans(vec![row], &calendars, &str::to_string);
        let recurring = [
            (CARD, date!(2026 - 03 - 12), money(40)),
            (CARD, date!(2026 - 04 - 12), money(40)),
            (AccountId(2), date!(2026 - 03 - 12), money(9)),
            (AccountId(3), date!(2026 - 03 - 12), money(1)),
        ];
        let bills = bills_ahead(&calendars, 3, &[], &days, &plans, &recurring);
        let figures: Vec<_> = bills
            .iter()
            .map(|bill| {
                let BillAhead { account_id, period, posted, installments, recurring, .. } = bill;
                (
                    account_id.0,
                    period.due,
                    posted.cents(),
                    installments.cents(),
                    recurring.cents(),
                    bill.total().cents(),
                )
            })
            .collect();
        assert_eq!(
            figures,
            [
                (1, date!(2026 - 04 - 05), 400, 0, 40, 440),
                (2, date!(2026 - 04 - 05), 0, 0, 9, 9),
                (1, date!(2026 - 05 - 05), -5, 153, 40, 188),
                (2, date!(2026 - 05 - 05), 0, 0, 0, 0),
                (1, date!(2026 - 06 - 05), 0, 100, 0, 100),
                (2, date!(2026 - 06 - 05), 0, 0, 0, 0),
            ]
        );
    }
}
