//! Credit card bills: the purchases of a period, their due date, and their payments.
//!
//! A bill's total is the sum of the rows on the bill, and of statements that are held for it. Its other figures are entries of the
//! card's [`ledger`]. No use case changes any of them directly.

mod alignment;
mod before_the_books;
mod cards;
mod cycle;
mod ledger;
mod payments;

use time::Date;

use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{AccountId, BillId, ProfileId};
use crate::money::Money;
use crate::month::day_after;
use crate::words::words;

pub use alignment::{Alignment, StoredBill, align};
pub use before_the_books::{LATE_DAYS_MAX, before_the_books};
pub use cards::{BillSlot, Card, CardRepo};
pub use cycle::{BillDates, Cycle, Cycles, DUE_DAYS_MAX, PaymentDates, Period, Replaced};
pub use ledger::{CardHistory, CardPayment, ChangedBill, HeldDebt, LedgerBill, LedgerEntry, PaymentOrigin, ledger};
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
    /// Its first day: the closing date of the previous bill.
    pub period_start: Date,
    /// Its last day: the day before its closing date.
    pub period_end: Date,
    /// The day on which it is due.
    pub due_date: Date,
    /// Expenses minus income of its rows. Transfers and the opening balance do not count.
    pub rows_total: Money,
    /// Its figures that depend on the bills before it and on payments.
    pub entry: LedgerEntry,
}

words! {
    /// Whether a bill is paid.
    pub enum BillStatus {
        /// Something is due on it, or it is open and nothing has happened on it.
        Unpaid = "unpaid",
        /// Nothing is due on it any more: it was paid, is in credit, or what was left is on the next bill.
        Paid = "paid",
    }
}

impl CreditBill {
    /// The day it closes. A purchase on that day is on the next bill, so it is the best day to buy.
    pub fn closing_date(&self) -> Date {
        day_after(self.period_end)
    }

    /// What was bought: the total of its rows, and of held statements whose rows will be on it.
    pub fn total(&self) -> Money {
        self.rows_total + self.entry.held
    }

    /// What was left by the bill before, and the total, minus what was paid and what was left to the next bill. Below zero on an
    /// open bill that is in credit.
    pub fn amount_due(&self) -> Money {
        let LedgerEntry { previous, paid_amount, carried, .. } = self.entry;
        previous + self.total() - paid_amount - carried
    }

    /// What its payments leave of it: what is due, and what went to the next bill. Zero or less if it is paid.
    pub fn unpaid(&self) -> Money {
        let LedgerEntry { previous, paid_amount, .. } = self.entry;
        previous + self.total() - paid_amount
    }

    /// The part of the amount due that no held statement asks for.
    pub fn due_beside_held(&self) -> Money {
        let due = self.amount_due();
        due - self.entry.held.min(due).max(Money::ZERO)
    }

    /// Whether it is paid.
    pub fn status(&self) -> BillStatus {
        let LedgerEntry { previous, paid_at, statement, .. } = self.entry;
        let is_untouched =
            statement.is_none() && paid_at.is_none() && (previous, self.total()) == (Money::ZERO, Money::ZERO);
        if is_untouched || self.amount_due() > Money::ZERO { BillStatus::Unpaid } else { BillStatus::Paid }
    }

    /// Whether its period contains the date.
    pub fn is_open(&self, date: Date) -> bool {
        (self.period_start..=self.period_end).contains(&date)
    }

    /// Whether its period has begun. Before, it may have rows and held statements, but is not due.
    pub fn has_begun(&self, date: Date) -> bool {
        self.period_start <= date
    }

    /// Whether its period contains the date, or is over and leaves an amount due.
    pub fn is_current(&self, date: Date) -> bool {
        self.is_open(date) || self.has_begun(date) && self.amount_due() > Money::ZERO
    }

    /// The amount of a payment made now: the whole amount due.
    ///
    /// # Errors
    ///
    /// If nothing is due: [`Refusal::BillAlreadyPaid`] on a bill that has payments and left no debt to the next one, else
    /// [`Refusal::NothingToPay`], also before its period: what is paid then counts on the bill that is open.
    pub(crate) fn payable(&self, today: Date) -> Result<Money, Refusal> {
        let LedgerEntry { paid_at, carried, .. } = self.entry;
        match self.amount_due() {
            _ if !self.has_begun(today) => Err(Refusal::NothingToPay),
            due if due > Money::ZERO => Ok(due),
            _ if paid_at.is_some() && carried <= Money::ZERO => Err(Refusal::BillAlreadyPaid),
            _ => Err(Refusal::NothingToPay),
        }
    }

    /// The most that a stored expense which is linked may pay: what its payments leave, also where that went to the next bill.
    ///
    /// # Errors
    ///
    /// As [`CreditBill::payable`], if they leave nothing.
    pub(crate) fn linkable(&self, today: Date) -> Result<Money, Refusal> {
        if self.unpaid() > Money::ZERO { Ok(self.unpaid()) } else { self.payable(today) }
    }
}

/// A bill of which its payments leave something. A payment that is not stored yet may have been its payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnpaidBill {
    /// Its id.
    pub id: BillId,
    /// The card.
    pub account_id: AccountId,
    /// Its last day.
    pub period_end: Date,
    /// The day on which it is due.
    pub due_date: Date,
    /// The last day on which what is left was due on it: the last of the next period. None if it is still due on it.
    pub last_day: Option<Date>,
    /// What its payments leave of it, above zero: [`CreditBill::unpaid`].
    pub unpaid: Money,
}

/// Which bills to list.
#[derive(Debug, Clone, Default)]
pub struct BillFilter {
    /// Only bills of this card.
    pub account_id: Option<AccountId>,
    /// Only bills with this [status](CreditBill::status), by their current totals.
    pub status: Option<BillStatus>,
    /// Only bills after this place in the list. None for the start.
    pub after: Option<BillPlace>,
    /// The maximum number of bills to return.
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
/// A transaction is a **row of a bill** if it is on the bill's card, is neither a leg of a transfer
/// nor an opening balance, and
///
/// - has no `original_date`, and `period_start` ≤ `date` ≤ `period_end`; or
/// - has an `original_date`, and `date` is among the bill's [payment dates](PaymentDates).
///
/// This is [`Cycles::period_of`] expressed for one bill. Periods do not overlap and leave no gaps, so a row is on exactly one bill.
pub trait CreditBillRepo {
    /// In one statement, stores each slot that is current or has a row, unless a bill of that card and
    /// `period_start` exists. An existing bill gets the slot's last day, due date and payment dates.
    /// For each current slot, records that the bills of its card are complete until the slot's `period_end`.
    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()>;
    /// The stored bills of a card.
    fn bill_stored(&mut self, account_id: AccountId) -> Result<Vec<StoredBill>>;
    /// Moves stored bills of one card to other days, and computes their totals again. Before that, each bill of `merged` is deleted,
    /// and the payments that name it are given to the other bill of the pair. If `today` is given, bills that begin after it and
    /// have neither a payment nor a held statement are deleted: they are created again when their period begins. Resets until when the
    /// card's bills are complete, and which bills its payments pay.
    fn bill_align(
        &mut self,
        account_id: AccountId,
        kept: &[(BillId, BillSlot)],
        merged: &[(BillId, BillId)],
        today: Option<Date>,
    ) -> Result<()>;
    /// Stores each slot as a bill, even without rows, unless a bill of that card and `period_start` exists.
    fn bill_insert(&mut self, slots: &[BillSlot]) -> Result<()>;
    /// The bills that pass the filter, newest first (`period_start`, then `id`).
    fn bill_list(&mut self, filter: &BillFilter) -> Result<Vec<CreditBill>>;
    /// The bills whose period contains the date: at most one for each card.
    fn bill_list_holding(&mut self, date: Date) -> Result<Vec<CreditBill>>;
    /// The bills with an amount due, and those whose period ends on or after the date, by due date, then id.
    fn bill_list_outstanding(&mut self, date: Date) -> Result<Vec<CreditBill>>;
    /// The bill of that id, if the profile has one.
    fn bill_get(&mut self, id: BillId) -> Result<Option<CreditBill>>;
    /// The bills of these ids that the profile has, in any order.
    fn bill_list_of(&mut self, ids: &[BillId]) -> Result<Vec<CreditBill>>;
    /// The bills that have an amount due, are due on or after `first` and closed before `last`.
    fn bill_list_due(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<CreditBill>>;
    /// The bills of which their payments leave something, also where it went to the next bill, that are due on or after `first` and
    /// closed before `last`, by due date, then id.
    fn bill_list_unpaid(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<UnpaidBill>>;
}

/// The closing and due dates of a bill as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct DatesInput {
    /// The day it closes, at most half-way to the previous or next bill. The card's closing day if absent.
    pub closing_date: Option<Date>,
    /// The day on which it is due, after it closes. By the card's due day if absent.
    pub due_date: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    /// A bill with a total, what the bill before left, its payments, and what it left to the next one.
    fn bill(total: i128, previous: i128, payments: &[i128], carried: i128) -> CreditBill {
        CreditBill {
            id: BillId(1),
            profile_id: ProfileId(1),
            account_id: AccountId(1),
            period_start: date!(2026 - 02 - 10),
            period_end: date!(2026 - 03 - 09),
            due_date: date!(2026 - 03 - 20),
            rows_total: Money::from_cents(total),
            entry: LedgerEntry {
                previous: Money::from_cents(previous),
                paid_amount: payments.iter().copied().map(Money::from_cents).sum(),
                paid_at: (!payments.is_empty()).then_some(datetime!(2026-03-15 12:00 UTC)),
                carried: Money::from_cents(carried),
                ..LedgerEntry::default()
            },
        }
    }

    #[test]
    fn a_bill_can_be_paid_while_something_is_due() {
        for (bill, status, payable) in [
            (bill(0, 0, &[], 0), BillStatus::Unpaid, Err(Refusal::NothingToPay)),
            (bill(-500, 0, &[], 0), BillStatus::Paid, Err(Refusal::NothingToPay)),
            (bill(1000, 0, &[], 0), BillStatus::Unpaid, Ok(1000)),
            (bill(1000, 0, &[1000], 0), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
            (bill(900, 0, &[1000], 0), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
            (bill(1250, 0, &[1000], 0), BillStatus::Unpaid, Ok(250)),
            (bill(1250, 0, &[1000, 250], 0), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
            (bill(1250, 300, &[1000], 0), BillStatus::Unpaid, Ok(550)),
            (bill(1250, -1250, &[], 0), BillStatus::Paid, Err(Refusal::NothingToPay)),
            (bill(1250, 0, &[1000], 250), BillStatus::Paid, Err(Refusal::NothingToPay)),
            (bill(1250, 0, &[1500], -250), BillStatus::Paid, Err(Refusal::BillAlreadyPaid)),
        ] {
            assert_eq!(bill.status(), status, "{bill:?}");
            assert_eq!(bill.payable(bill.period_end), payable.map(Money::from_cents), "{bill:?}");
        }
        let ahead = bill(1000, 0, &[], 0);
        let before = ahead.period_start - time::Duration::days(1);
        assert_eq!((ahead.payable(before), ahead.is_current(before)), (Err(Refusal::NothingToPay), false));
        let closed = CreditBill {
            entry: LedgerEntry { statement: Some(Money::ZERO), ..LedgerEntry::default() },
            ..bill(0, 0, &[], 0)
        };
        assert_eq!(closed.status(), BillStatus::Paid, "nothing was bought in that period");
    }
}
