//! Cards: which bills they have.

use time::Date;

use super::cycle::{BillDates, Cycles, PaymentDates, Period, Replaced};
use crate::error::Result;
use crate::ids::AccountId;
use crate::month::day_after;
use crate::openings::OpeningState;

/// A card and what its bills depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The account.
    pub account_id: AccountId,
    /// When its bills close and are due.
    pub cycles: Cycles,
    /// Every [row](super::CreditBillRepo) until this date is on a stored bill. None if no such date is known.
    pub complete_until: Option<Date>,
    /// The date of its first row on a bill. None if [`complete_until`](Card::complete_until) is known, or if the card has no row.
    pub first_row: Option<Date>,
    /// What is known of its opening balance.
    pub opening: OpeningState,
    /// Whether rows changed since its [`ledger`](super::ledger) was last computed.
    pub payments_stale: bool,
}

/// A bill that a card has or may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillSlot {
    /// The card.
    pub account_id: AccountId,
    /// Its period.
    pub period: Period,
    /// The payment dates of its rows.
    pub paid: PaymentDates,
    /// Whether it is the current bill. A card always has one, even if it is empty.
    pub is_current: bool,
}

impl Card {
    /// Whether every bill that the card has today is stored and up to date.
    pub fn is_up_to_date(&self, today: Date) -> bool {
        !self.payments_stale && self.complete_until == Some(self.cycles.period_holding(today).end)
    }

    /// The bill of a period that does not begin after today.
    pub(crate) fn slot(&self, period: Period) -> BillSlot {
        BillSlot { account_id: self.account_id, period, paid: self.cycles.payment_dates(&period), is_current: false }
    }

    /// The bills until today that may be missing in the store or out of date there, oldest first. The last one is the current
    /// bill.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Card, Cycle, Cycles};
    /// use finance_domain::AccountId;
    /// use finance_domain::openings::OpeningState;
    /// use time::macros::date;
    ///
    /// let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
    /// let first_row = Some(date!(2026-02-11));
    /// let opening = OpeningState::default();
    /// let card = Card { account_id: AccountId(1), cycles, complete_until: None, first_row, opening, payments_stale: false };
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
        let closed = self.cycles.period_paid_on(first);
        // A row may be due with the bill before the last closed one.
        let before = self.cycles.period_before(&closed);
        let mut period = if self.cycles.due_after_next(&before, &closed).is_some() { before } else { closed };
        let mut slots = Vec::new();
        loop {
            let is_current = period.end >= today;
            slots.push(BillSlot { is_current, ..self.slot(period) });
            if is_current {
                return slots;
            }
            period = self.cycles.period_following(&period);
        }
    }
}

/// The port of cards. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait CardRepo {
    /// Every card of the profile. A new row whose bill is not stored moves [`complete_until`](Card::complete_until) back to a day
    /// before the row.
    fn card_list(&mut self) -> Result<Vec<Card>>;
    /// Stores the former days of a card and the dates of its single bills, in the place of those that are stored, and clears
    /// [`complete_until`](Card::complete_until).
    fn card_days_put(
        &mut self,
        account_id: AccountId,
        replaced: &[Replaced],
        dates: &[(Date, BillDates)],
    ) -> Result<()>;
    /// If the card has neither a transaction nor a payment nor a held statement, deletes its bills and the stored days and dates of
    /// the card. Returns whether that was the case.
    fn card_bills_forget_unused(&mut self, account_id: AccountId) -> Result<bool>;
    /// Stores the dates of the card's bill that closes on `scheduled` by the card's days. Empty dates are deleted.
    fn bill_dates_put(&mut self, account_id: AccountId, scheduled: Date, dates: &BillDates) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::credit_bills::Cycle;

    #[test]
    fn slots_reach_from_the_first_row_to_the_current_bill() {
        let cycles = Cycles::new(
            Cycle { closing_day: 25, due_day: 5 },
            [(date!(2026 - 03 - 12), Cycle { closing_day: 10, due_day: 20 })],
        );
        let slots = |first_row, today| {
            let (account_id, cycles) = (AccountId(1), cycles.clone());
            let card = Card {
                account_id,
                cycles,
                complete_until: None,
                first_row,
                opening: OpeningState::default(),
                payments_stale: false,
            };
            card.slots(today).iter().map(|slot| (slot.period.end, slot.paid.until)).collect::<Vec<_>>()
        };
        let [january, february, march, april] =
            [date!(2026 - 02 - 09), date!(2026 - 03 - 09), date!(2026 - 03 - 24), date!(2026 - 04 - 24)];
        // The bill before the current one is always there: its payment dates move with the days.
        let two = vec![(february, march), (march, april)];
        assert_eq!(slots(None, date!(2026 - 03 - 12)), two);
        assert_eq!(slots(Some(date!(2027 - 01 - 01)), date!(2026 - 03 - 12)), two);
        let three = vec![(january, february), (february, march), (march, april)];
        assert_eq!(slots(Some(date!(2026 - 03 - 09)), date!(2026 - 03 - 24)), three);
    }

    #[test]
    fn a_card_is_up_to_date_for_the_period_it_was_refreshed_in() {
        let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
        let complete_until = Some(date!(2026 - 04 - 09));
        let card = Card {
            account_id: AccountId(1),
            cycles,
            complete_until,
            first_row: None,
            opening: OpeningState::default(),
            payments_stale: false,
        };
        assert!(card.is_up_to_date(date!(2026 - 03 - 10)) && card.is_up_to_date(date!(2026 - 04 - 09)));
        // The next period begins, or the clock goes back.
        assert!(!card.is_up_to_date(date!(2026 - 04 - 10)) && !card.is_up_to_date(date!(2026 - 03 - 09)));
        let starts = |card: &Card, today| card.slots(today).iter().map(|slot| slot.period.start).collect::<Vec<_>>();
        assert_eq!(starts(&card, date!(2026 - 04 - 10)), [date!(2026 - 03 - 10), date!(2026 - 04 - 10)]);
        assert_eq!(starts(&card, date!(2026 - 03 - 09)), [date!(2026 - 01 - 10), date!(2026 - 02 - 10)]);
        // A row of 12 January found no bill; it may be on that of its date or, by its payment, on the one before.
        let card = Card { complete_until: Some(date!(2026 - 01 - 11)), ..card };
        assert!(!card.is_up_to_date(date!(2026 - 03 - 10)));
        let four = [date!(2025 - 12 - 10), date!(2026 - 01 - 10), date!(2026 - 02 - 10), date!(2026 - 03 - 10)];
        assert_eq!(starts(&card, date!(2026 - 03 - 10)), four);
    }
}
