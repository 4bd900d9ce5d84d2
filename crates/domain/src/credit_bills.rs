//! Credit card bills: the purchases of a period, their due date, and their payments.
//!
//! A bill's total is the sum of the rows that are on the bill, wherever it is read, and what was paid
//! is the sum of its payments; no use case changes either by itself.

mod allotment;
mod cards;
mod cycle;
mod payments;

use time::{Date, OffsetDateTime};

use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{AccountId, BillId, ProfileId};
use crate::money::Money;
use crate::month::day_after;
use crate::words::words;

pub use allotment::{Allotment, CardPayment, PayableBill, allot, unallotted};
pub use cards::{BillSlot, Card, CardRepo};
pub use cycle::{BillDates, Cycle, Cycles, DUE_DAYS_MAX, Period};
pub(crate) use payments::payment_description;
pub use payments::{BillPaymentRepo, NewBillPayment, PayInput};

/// A bill of a credit card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditBill {
    /// Its id.
    pub id: BillId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// The card.
    pub account_id: AccountId,
    /// Its first day: the date the bill before it closed.
    pub period_start: Date,
    /// Its last day: the day before it closes.
    pub period_end: Date,
    /// The day to pay.
    pub due_date: Date,
    /// Expenses minus income of its rows. Transfers and the opening balance do not count.
    pub total: Money,
    /// The sum of its payments, 0 or more.
    pub paid_amount: Money,
    /// The instant of its last payment. None where it has none.
    pub paid_at: Option<OffsetDateTime>,
}

words! {
    /// Whether a bill is paid.
    pub enum BillStatus {
        /// It was never paid, or more became due after the payment.
        Unpaid = "unpaid",
        /// It was paid, and nothing is due.
        Paid = "paid",
    }
}

impl CreditBill {
    /// The day it closes. A purchase on it is on the next bill, so it is the best day to buy.
    pub fn closing_date(&self) -> Date {
        day_after(self.period_end)
    }

    /// The total minus what was paid. Below zero where more was paid than was due.
    pub fn amount_due(&self) -> Money {
        self.total - self.paid_amount
    }

    /// Whether it is paid.
    pub fn status(&self) -> BillStatus {
        status(self.paid_at.is_some(), self.amount_due())
    }

    /// Whether its period holds the date.
    pub fn is_open(&self, date: Date) -> bool {
        (self.period_start..=self.period_end).contains(&date)
    }

    /// Whether it is unpaid, and something is due on it or its period holds the date.
    pub fn is_current(&self, date: Date) -> bool {
        self.status() == BillStatus::Unpaid && (self.is_open(date) || self.amount_due() > Money::ZERO)
    }

    /// The amount of a payment made now: all that is due.
    ///
    /// # Errors
    ///
    /// [`Refusal::BillAlreadyPaid`], or [`Refusal::NothingToPay`] on an unpaid bill on which nothing is due.
    pub(crate) fn payable(&self) -> Result<Money, Refusal> {
        match self.status() {
            BillStatus::Paid => Err(Refusal::BillAlreadyPaid),
            BillStatus::Unpaid if self.amount_due() <= Money::ZERO => Err(Refusal::NothingToPay),
            BillStatus::Unpaid => Ok(self.amount_due()),
        }
    }
}

/// A bill is paid once it was paid, and while nothing more is due.
///
/// ```
/// use finance_domain::credit_bills::{status, BillStatus};
/// use finance_domain::Money;
///
/// assert_eq!(status(true, Money::ZERO), BillStatus::Paid);
/// assert_eq!(status(true, Money::from_cents(1)), BillStatus::Unpaid, "a purchase came after the payment");
/// assert_eq!(status(false, Money::ZERO), BillStatus::Unpaid, "an empty bill is not a paid one");
/// ```
pub fn status(was_paid: bool, amount_due: Money) -> BillStatus {
    if was_paid && amount_due <= Money::ZERO { BillStatus::Paid } else { BillStatus::Unpaid }
}

/// Which bills to list.
#[derive(Debug, Clone, Default)]
pub struct BillFilter {
    /// Those of the card.
    pub account_id: Option<AccountId>,
    /// Those of the [status], by the totals of the moment.
    pub status: Option<BillStatus>,
    /// Those after this place in the list. None for the start.
    pub after: Option<BillPlace>,
    /// The most rows to return.
    pub limit: u32,
}

/// A bill's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillPlace {
    /// Its first day.
    pub period_start: Date,
    /// Its id.
    pub id: BillId,
}

/// The port of bills. Every method may fail as [`Store::transact`](crate::Store::transact) does.
///
/// A transaction is a **row of a bill** where it is on the bill's card, is neither a leg of a transfer
/// nor an opening balance, and
///
/// - has no `original_date`, and `period_start` ≤ `date` ≤ `period_end`; or
/// - has an `original_date`, and `period_end` < `date` ≤ `following_end`.
///
/// That is [`Cycles::period_of`] said in ranges. As periods tile the calendar, it puts a row on one bill only.
#[allow(clippy::missing_errors_doc)]
pub trait CreditBillRepo {
    /// In one statement: stores each slot that is current or has a row, unless a bill of that card and
    /// `period_start` is stored; a stored one gets the slot's `period_end`, `due_date` and `following_end`.
    /// Notes of the card of a current slot that its bills are complete until that slot's `period_end`.
    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()>;
    /// Gives stored bills of one card, named by the first days that they had, other days, and adds up their rows. Bills that
    /// begin after `today` and have no payment are deleted: they come with their period. Forgets until when the card's bills
    /// are complete, and which bills its payments pay.
    fn bill_move(&mut self, account_id: AccountId, moved: &[(Date, BillSlot)], today: Date) -> Result<()>;
    /// Stores each slot as a bill, even without rows, unless one of that card and `period_start` is stored.
    fn bill_insert(&mut self, slots: &[BillSlot]) -> Result<()>;
    /// The bills that pass the filter, newest first (`period_start`, then `id`).
    fn bill_list(&mut self, filter: &BillFilter) -> Result<Vec<CreditBill>>;
    /// The bills whose period contains the date: at most one for each card.
    fn bill_list_holding(&mut self, date: Date) -> Result<Vec<CreditBill>>;
    /// The bills on which something is due, and those whose period ends on the date or later, by due date, then id.
    fn bill_list_outstanding(&mut self, date: Date) -> Result<Vec<CreditBill>>;
    /// The bill of that id, if the profile has one.
    fn bill_get(&mut self, id: BillId) -> Result<Option<CreditBill>>;
    /// The bills that have something due, are due on or after `first` and were closed before `last`.
    fn bill_list_due(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<CreditBill>>;
}

/// When a bill closes and is due, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct DatesInput {
    /// The day it closes: up to half-way to the bills beside it. The card's closing day where absent.
    pub closing_date: Option<Date>,
    /// The day to pay, after it closes. By the card's due day where absent.
    pub due_date: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    fn bill(total: i128, payments: &[i128]) -> CreditBill {
        CreditBill {
            id: BillId(1),
            profile_id: ProfileId(1),
            account_id: AccountId(1),
            period_start: date!(2026 - 02 - 10),
            period_end: date!(2026 - 03 - 09),
            due_date: date!(2026 - 03 - 20),
            total: Money::from_cents(total),
            paid_amount: payments.iter().copied().map(Money::from_cents).sum(),
            paid_at: (!payments.is_empty()).then_some(datetime!(2026-03-15 12:00 UTC)),
        }
    }

    #[test]
    fn a_bill_can_be_paid_while_something_is_due() {
        for (bill, status, payable) in [
            (bill(0, &[]), BillStatus::Unpaid, Err(Refusal::NothingToPay)),
            (bill(-500, &[]), BillStatus::Unpaid, Err(Refusal::NothingToPay)),
            (bill(1000, &[]), BillStatus::Unpaid, Ok(1000)),
            (bill(1000, &[1000]), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
            (bill(900, &[1000]), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
            (bill(1250, &[1000]), BillStatus::Unpaid, Ok(250)),
            (bill(1250, &[1000, 250]), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
        ] {
            assert_eq!(bill.status(), status, "{bill:?}");
            assert_eq!(bill.payable(), payable.map(Money::from_cents), "{bill:?}");
        }
    }
}
