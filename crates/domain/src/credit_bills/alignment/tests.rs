//! A card whose days and dates change in any order, while the clock moves in both directions: rows, bills and payments.

use std::collections::BTreeMap;

use proptest::prelude::*;
use time::Duration;
use time::macros::date;

use super::*;
use crate::credit_bills::{BillDates, BillSlot, Card, Cycle, Replaced};
use crate::ids::AccountId;
use crate::openings::OpeningState;

const FIRST: Date = date!(2024 - 01 - 01);

/// What happens to a card.
#[derive(Debug, Clone)]
enum Step {
    /// The clock is at that many days after [`FIRST`].
    Today(i64),
    /// The card gets other days.
    Days(Cycle),
    /// A stored bill gets dates: the bill of that number, and the place of the closing date in its range, in percent.
    Dates(usize, Option<i64>, Option<i64>),
    /// A purchase that many days before today, or after it, and whether it counts by the date of a payment.
    Row(i64, bool),
    /// A stored bill is paid.
    Pay(usize, i128),
}

/// A card with its stored bills, as the store has them.
struct Books {
    today: Date,
    present: Cycle,
    cycles: Cycles,
    bills: BTreeMap<BillId, StoredBill>,
    next_id: i64,
    rows: Vec<(Date, bool)>,
    payments: Vec<(BillId, i128)>,
    paid: i128,
}

impl Books {
    fn new(present: Cycle) -> Self {
        let cycles = Cycles::new(present, []);
        let (bills, rows, payments) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut books = Books { today: FIRST, present, cycles, bills, next_id: 1, rows, payments, paid: 0 };
        books.refresh();
        books
    }

    fn is_on(bill: &StoredBill, (date, is_by_payment): (Date, bool)) -> bool {
        match is_by_payment {
            true => {
                let PaymentDates { until, also, except } = bill.paid;
                bill.period.end < date && date <= until && except != Some(date) || also == Some(date)
            }
            false => (bill.period.start..=bill.period.end).contains(&date),
        }
    }

    fn card(&self) -> Card {
        let first_row = self.rows.iter().map(|(date, _)| *date).min();
        let (account_id, cycles) = (AccountId(1), self.cycles.clone());
        Card {
            account_id,
            cycles,
            complete_until: None,
            first_row,
            opening: OpeningState::default(),
            payments_stale: false,
        }
    }

    /// As `bill_refresh` of the store.
    fn refresh(&mut self) {
        for BillSlot { period, paid, is_current, .. } in self.card().slots(self.today) {
            let slot = StoredBill { id: BillId(self.next_id), period, paid };
            if let Some(known) = self.bills.values_mut().find(|bill| bill.period.start == period.start) {
                *known = StoredBill { id: known.id, ..slot };
            } else if is_current || self.rows.iter().any(|row| Self::is_on(&slot, *row)) {
                self.bills.insert(slot.id, slot);
                self.next_id += 1;
            }
        }
    }

    /// As `bill_align` of the store.
    fn align(&mut self) {
        let stored: Vec<StoredBill> = self.bills.values().copied().collect();
        let Alignment { kept, merged } = align(&self.cycles, &stored);
        for (gone, kept) in merged {
            self.bills.remove(&gone);
            self.payments.iter_mut().filter(|(bill, _)| *bill == gone).for_each(|(bill, _)| *bill = kept);
        }
        let card = self.card();
        for (id, period) in kept {
            let paid = card.cycles.payment_dates(&period);
            self.bills.insert(id, StoredBill { id, period, paid });
        }
        let (today, payments) = (self.today, &self.payments);
        self.bills.retain(|id, bill| bill.period.start <= today || payments.iter().any(|(paid, _)| paid == id));
        self.refresh();
    }

    fn nth(&self, at: usize) -> StoredBill {
        *self.bills.values().nth(at % self.bills.len()).expect("a card has a bill")
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Today(days) => self.today = FIRST + Duration::days(days),
            Step::Days(new) => {
                let before = self.cycles.clone();
                self.cycles = before.changed(self.today, new);
                self.present = new;
                let open = before.period_holding(self.today);
                assert_eq!(
                    self.cycles.period_holding(self.today).start,
                    open.start,
                    "the open bill keeps its first day"
                );
                let mut closed = before.period_before(&open);
                for _ in 0..4 {
                    assert_eq!(self.cycles.period_holding(closed.start), closed, "a closed bill keeps its dates");
                    closed = before.period_before(&closed);
                }
                self.align();
            }
            Step::Dates(at, closing, due) => {
                let bill = self.nth(at);
                let scheduled = self.cycles.scheduled_closing(&self.cycles.period_holding(bill.period.start));
                let range = self.cycles.closing_range(scheduled);
                let days = (*range.end() - *range.start()).whole_days();
                let closing = closing.map(|percent| *range.start() + Duration::days(days * percent / 100));
                let due = due.map(|days| closing.unwrap_or(scheduled) + Duration::days(days));
                let mut dates: Vec<(Date, BillDates)> = self.cycles.dates().collect();
                dates.retain(|(date, _)| *date != scheduled);
                dates.push((scheduled, BillDates { closing: closing.filter(|date| *date != scheduled), due }));
                self.cycles = Cycles::with_replaced(self.present, self.cycles.replaced()).with_dates(dates);
                self.align();
            }
            Step::Row(days, is_by_payment) => {
                self.rows.push((self.today + Duration::days(days), is_by_payment));
            }
            Step::Pay(at, cents) => {
                self.payments.push((self.nth(at).id, cents));
                self.paid += cents;
            }
        }
        self.refresh();
    }

    fn check(&self) {
        // Exactly what is stored gives the same cycles again.
        let stored: Vec<Replaced> = self.cycles.replaced();
        let read = Cycles::with_replaced(self.present, stored).with_dates(self.cycles.dates());
        assert_eq!(read, self.cycles);
        let mut bills: Vec<&StoredBill> = self.bills.values().collect();
        bills.sort_unstable_by_key(|bill| bill.period.start);
        for two in bills.windows(2) {
            assert!(two[0].period.end < two[1].period.start, "bills overlap: {two:?} {:?}", self.cycles);
        }
        for bill in &bills {
            assert_eq!(self.cycles.period_holding(bill.period.start), bill.period, "a bill is a period of its card");
        }
        let open = self.cycles.period_holding(self.today);
        assert!(bills.iter().any(|bill| bill.period == open), "the open bill is stored");
        for row in self.rows.iter().filter(|(date, _)| *date <= open.end) {
            let count = bills.iter().filter(|bill| Self::is_on(bill, *row)).count();
            assert_eq!(count, 1, "{row:?} is on {count} bills: {bills:?} {:?}", self.cycles);
        }
        let paid: i128 =
            self.payments.iter().filter(|(id, _)| self.bills.contains_key(id)).map(|(_, cents)| cents).sum();
        assert_eq!(paid, self.paid, "a payment is lost");
    }
}

fn step() -> impl Strategy<Value = Step> {
    let cycle = (1..=31_u8, 1..=31_u8).prop_map(|(closing_day, due_day)| Cycle { closing_day, due_day });
    let due = prop::option::of(1..=62_i64);
    prop_oneof![
        2 => (0..200_i64).prop_map(Step::Today),
        2 => cycle.prop_map(Step::Days),
        3 => (0..20_usize, prop::option::of(0..=100_i64), due).prop_map(|(at, closing, due)| Step::Dates(at, closing, due)),
        2 => (-90..40_i64, any::<bool>()).prop_map(|(days, is_by_payment)| Step::Row(days, is_by_payment)),
        1 => (0..20_usize, 1..100_000_i128).prop_map(|(at, cents)| Step::Pay(at, cents)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_sequence_of_days_and_dates_puts_a_purchase_on_two_bills_or_loses_a_payment(
        closing_day in 1..=31_u8, due_day in 1..=31_u8, steps in prop::collection::vec(step(), 1..25),
    ) {
        let mut books = Books::new(Cycle { closing_day, due_day });
        for step in &steps {
            books.take(step);
            books.check();
        }
    }
}

#[test]
fn the_same_bills_stay_where_they_are() {
    let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
    let bills: Vec<StoredBill> = (1..=3)
        .map(|id| {
            let period = cycles.period_holding(date!(2026 - 01 - 10) + Duration::days(31 * (id - 1)));
            StoredBill { id: BillId(id), period, paid: cycles.payment_dates(&period) }
        })
        .collect();
    let kept: Vec<(BillId, Period)> = bills.iter().map(|bill| (bill.id, bill.period)).collect();
    assert_eq!(align(&cycles, &bills), Alignment { kept, merged: vec![] });
}

#[test]
fn days_that_change_twice_on_one_day_around_a_moved_closing_keep_the_first_day_of_the_open_bill() {
    let mut books = Books::new(Cycle { closing_day: 29, due_day: 1 });
    let days = |closing_day, due_day| Step::Days(Cycle { closing_day, due_day });
    for step in [
        Step::Row(-4, false),
        Step::Today(135),
        Step::Row(0, true),
        days(8, 1),
        Step::Dates(3, Some(92), None),
        days(29, 1),
    ] {
        books.take(&step);
        books.check();
    }
}

#[test]
fn a_bill_that_became_longer_and_closed_early_keeps_its_due_date_after_a_change_of_days() {
    let mut books = Books::new(Cycle { closing_day: 27, due_day: 1 });
    let days = |closing_day, due_day| Step::Days(Cycle { closing_day, due_day });
    for step in [
        Step::Dates(0, Some(0), None),
        Step::Today(55),
        // The open bill has 73 days now. It is due on 21 April.
        days(25, 21),
        // Closed on 18 February, it would be due 63 days later.
        Step::Dates(1, Some(0), None),
        days(1, 1),
    ] {
        books.take(&step);
        books.check();
    }
    assert_eq!(books.cycles.period_holding(date!(2024 - 02 - 17)).due, date!(2024 - 02 - 21));
}
