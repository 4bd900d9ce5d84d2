//! Credit card bills: the purchases of a period, their due date, and their payments.
//!
//! A bill's total is the sum of the rows that are on the bill, wherever it is read, and what was paid
//! is the sum of its payments; no use case changes either by itself.

mod allotment;
mod cycle;

use time::{Date, OffsetDateTime};

use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{AccountId, BillId, ProfileId, TransferId};
use crate::money::Money;
use crate::month::day_after;
use crate::words::words;

pub use allotment::{Allotment, CardPayment, PayableBill, allot, unallotted};
pub use cycle::{Cycle, Cycles, Period};

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
    /// The total minus what was paid. Below zero where more was paid than was due.
    pub fn amount_due(&self) -> Money {
        self.total - self.paid_amount
    }

    /// Whether it is paid.
    pub fn status(&self) -> BillStatus {
        status(self.paid_at.is_some(), self.amount_due())
    }

    /// Whether it is unpaid, and something is due on it or its period holds the date.
    pub fn is_current(&self, date: Date) -> bool {
        let is_open = (self.period_start..=self.period_end).contains(&date);
        self.status() == BillStatus::Unpaid && (is_open || self.amount_due() > Money::ZERO)
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

/// A card and what its bills depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The account.
    pub account_id: AccountId,
    /// When its bills close and are due.
    pub cycles: Cycles,
    /// The date until which every [row](CreditBillRepo) is on a stored bill. None where that is not known.
    pub complete_until: Option<Date>,
    /// The date of its first row on a bill, where [`complete_until`](Card::complete_until) is not known. None where it
    /// has no row.
    pub first_row: Option<Date>,
    /// Whether rows changed since it was made out which bills its [payments](CardPayment) pay.
    pub payments_stale: bool,
}

/// A bill that a card has or may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillSlot {
    /// The card.
    pub account_id: AccountId,
    /// Its period.
    pub period: Period,
    /// The last day of the period after: until then a payment pays this bill.
    pub following_end: Date,
    /// Whether it is the current bill, which a card has even where it is empty.
    pub is_current: bool,
}

impl Card {
    /// Whether every bill that the card has today is stored as it is.
    pub fn is_settled(&self, today: Date) -> bool {
        !self.payments_stale && self.complete_until == Some(self.cycles.period_holding(today).end)
    }

    /// The bill that is open on a date which is not after today.
    pub(crate) fn slot_on(&self, date: Date) -> BillSlot {
        let period = self.cycles.period_holding(date);
        let following_end = self.cycles.period_following(&period).end;
        BillSlot { account_id: self.account_id, period, following_end, is_current: false }
    }

    /// Every bill that the card may have until today and that may not be stored as it is, oldest first; the
    /// last is the current one.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Card, Cycle, Cycles};
    /// use finance_domain::AccountId;
    /// use time::macros::date;
    ///
    /// let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
    /// let first_row = Some(date!(2026-02-11));
    /// let card = Card { account_id: AccountId(1), cycles, complete_until: None, first_row, payments_stale: false };
    /// let slots = card.slots(date!(2026-03-15));
    /// let starts: Vec<_> = slots.iter().map(|slot| slot.period.start).collect();
    /// // The first may be that of a row which counts on its payment date, 11 February.
    /// assert_eq!(starts, [date!(2026-01-10), date!(2026-02-10), date!(2026-03-10)]);
    /// assert!(slots[2].is_current && !slots[1].is_current);
    ///
    /// let refreshed = Card { complete_until: Some(date!(2026-03-09)), ..card };
    /// assert_eq!(refreshed.slots(date!(2026-03-15)), slots[1..]);
    /// ```
    pub fn slots(&self, today: Date) -> Vec<BillSlot> {
        let first = self.complete_until.map(day_after).or(self.first_row).map_or(today, |date| date.min(today));
        let mut period = self.cycles.period_paid_on(first);
        let mut slots = Vec::new();
        loop {
            let following = self.cycles.period_following(&period);
            let (account_id, is_current) = (self.account_id, period.end >= today);
            slots.push(BillSlot { account_id, period, following_end: following.end, is_current });
            if is_current {
                return slots;
            }
            period = following;
        }
    }
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

/// A payment of a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBillPayment {
    /// The bill.
    pub bill_id: BillId,
    /// The amount, above zero.
    pub amount: Money,
    /// The date of the payment.
    pub date: Date,
    /// The transfer it was made by; the payment is deleted with it. None where it was only noted.
    pub transfer_id: Option<TransferId>,
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
    /// Every card of the profile. A row that comes for a bill that is not stored ends
    /// [`complete_until`](Card::complete_until) before its date.
    fn card_list(&mut self) -> Result<Vec<Card>>;
    /// Remembers the days a card had until `replaced_on`, before they are replaced, and forgets until when
    /// its bills are complete. Where days that were replaced on that date are remembered already, those
    /// stay: they are the day's first.
    fn card_cycle_keep(&mut self, account_id: AccountId, cycle: Cycle, replaced_on: Date) -> Result<()>;
    /// Where the card's bills have neither a row nor a payment, deletes them and what is remembered of it;
    /// tells whether that was so. A card without bills has none that does.
    fn card_bills_forget_unused(&mut self, account_id: AccountId) -> Result<bool>;
    /// In one statement: stores each slot that is current or has a row, unless a bill of that card and
    /// `period_start` is stored; a stored one gets the slot's `period_end`, `due_date` and `following_end`.
    /// Notes of the card of a current slot that its bills are complete until that slot's `period_end`.
    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()>;
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
    /// Stores payments.
    fn bill_payment_insert(&mut self, new: &[NewBillPayment]) -> Result<()>;
    /// Deletes a bill's payments but for those by rows of statements, and the legs of the transfers they were made by
    /// that this service made; tells how many payments are gone.
    fn bill_payments_delete(&mut self, id: BillId) -> Result<u64>;
    /// Whether rows of any card changed since it was made out which bills its payments pay.
    fn payments_are_stale(&mut self) -> Result<bool>;
    /// The rows of a card that pay its bills without naming one: those of statements, and transfers to the card.
    fn card_payments(&mut self, account_id: AccountId) -> Result<Vec<CardPayment>>;
    /// The bills of a card.
    fn payable_bills(&mut self, account_id: AccountId) -> Result<Vec<PayableBill>>;
    /// Which bills the rows of a card pay.
    fn allotments(&mut self, account_id: AccountId) -> Result<Vec<Allotment>>;
    /// Deletes allotments and stores others. From then on the payments of the card are not stale.
    fn allotments_replace(&mut self, account_id: AccountId, gone: &[Allotment], new: &[Allotment]) -> Result<()>;
}

/// How to pay a bill, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PayInput {
    /// One of the caller's accounts other than the card, from which the payment is a transfer to the
    /// card; where absent the payment is only noted.
    pub account_id: Option<AccountId>,
    /// Today where absent.
    pub date: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// What both legs of a payment say.
pub(crate) fn payment_description(due: Date) -> String {
    format!("Pagamento de fatura {:02}/{:02}/{:04}", due.day(), u8::from(due.month()), due.year())
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

    #[test]
    fn slots_reach_from_the_first_row_to_the_current_bill() {
        let cycles = Cycles::new(
            Cycle { closing_day: 25, due_day: 5 },
            [(date!(2026 - 03 - 12), Cycle { closing_day: 10, due_day: 20 })],
        );
        let slots = |first_row, today| {
            let (account_id, cycles) = (AccountId(1), cycles.clone());
            let card = Card { account_id, cycles, complete_until: None, first_row, payments_stale: false };
            card.slots(today).iter().map(|slot| (slot.period.end, slot.following_end)).collect::<Vec<_>>()
        };
        let [january, february, march, april] =
            [date!(2026 - 02 - 09), date!(2026 - 03 - 09), date!(2026 - 03 - 24), date!(2026 - 04 - 24)];
        // The bill before the current one is always there: its `following_end` moves with the days.
        let two = vec![(february, march), (march, april)];
        assert_eq!(slots(None, date!(2026 - 03 - 12)), two);
        assert_eq!(slots(Some(date!(2027 - 01 - 01)), date!(2026 - 03 - 12)), two);
        let three = vec![(january, february), (february, march), (march, april)];
        assert_eq!(slots(Some(date!(2026 - 03 - 09)), date!(2026 - 03 - 24)), three);
    }

    #[test]
    fn a_card_is_settled_for_the_period_it_was_refreshed_in() {
        let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
        let complete_until = Some(date!(2026 - 04 - 09));
        let card = Card { account_id: AccountId(1), cycles, complete_until, first_row: None, payments_stale: false };
        assert!(card.is_settled(date!(2026 - 03 - 10)) && card.is_settled(date!(2026 - 04 - 09)));
        // The next period begins, or the clock goes back.
        assert!(!card.is_settled(date!(2026 - 04 - 10)) && !card.is_settled(date!(2026 - 03 - 09)));
        let starts = |card: &Card, today| card.slots(today).iter().map(|slot| slot.period.start).collect::<Vec<_>>();
        assert_eq!(starts(&card, date!(2026 - 04 - 10)), [date!(2026 - 03 - 10), date!(2026 - 04 - 10)]);
        assert_eq!(starts(&card, date!(2026 - 03 - 09)), [date!(2026 - 01 - 10), date!(2026 - 02 - 10)]);
        // A row of 12 January found no bill; it may be on that of its date or, by its payment, on the one before.
        let card = Card { complete_until: Some(date!(2026 - 01 - 11)), ..card };
        assert!(!card.is_settled(date!(2026 - 03 - 10)));
        let four = [date!(2025 - 12 - 10), date!(2026 - 01 - 10), date!(2026 - 02 - 10), date!(2026 - 03 - 10)];
        assert_eq!(starts(&card, date!(2026 - 03 - 10)), four);
    }

    #[test]
    fn a_payment_names_the_bill_by_its_due_date() {
        assert_eq!(payment_description(date!(2026 - 03 - 05)), "Pagamento de fatura 05/03/2026");
    }
}
