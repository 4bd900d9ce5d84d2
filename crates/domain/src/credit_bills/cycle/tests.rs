//! Tests of when bills open, close and are due.

use proptest::prelude::*;
use time::Duration;
use time::macros::date;

use super::*;

fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
    std::iter::successors(Some(first), |date| date.next_day()).take_while(move |date| *date <= last)
}

/// Asserts that every date is in its period, and that each period begins where another ended.
fn assert_tiles(cycles: &Cycles, first: Date, last: Date) {
    let mut period = cycles.period_holding(first);
    for date in days(first, last) {
        if date > period.end {
            let before = std::mem::replace(&mut period, cycles.period_holding(date));
            assert_eq!(period.start, day_after(before.end), "{cycles:?}");
            assert_eq!(cycles.period_following(&before), period, "{cycles:?}");
            assert_eq!(cycles.number_of(&period), cycles.number_of(&before) + 1, "{cycles:?}");
            assert_eq!(cycles.period_paid_on(date), before, "{cycles:?}");
        }
        assert_eq!(cycles.period_holding(date), period, "{date} {cycles:?}");
        assert!(period.start <= date && date <= period.end, "{date} {period:?} {cycles:?}");
        assert!(period.due > day_after(period.end), "due after the close: {period:?} {cycles:?}");
    }
}

#[test]
fn periods_tile_the_calendar_whatever_the_days() {
    for closing_day in 1..=31 {
        for due_day in 1..=31 {
            let cycle = Cycle { closing_day, due_day };
            let cycles = Cycles::new(cycle, []);
            // A common year, then a leap year.
            assert_tiles(&cycles, date!(2023 - 01 - 01), date!(2024 - 12 - 31));
            for later in 0..24 {
                let month = Month::of(date!(2023 - 01 - 01)).plus(later);
                let closing = month.day_clamped(closing_day);
                let period = cycles.period_holding(day_before(closing));
                assert_eq!(period.end, day_before(closing));
                assert_eq!(period.start, month.minus(1).day_clamped(closing_day));
                let due =
                    days(day_after(closing), date!(2025 - 03 - 31)).find(|date| month_day(*date, due_day) == *date);
                assert_eq!(Some(period.due), due, "the first due day after {closing}: {cycle:?}");
            }
        }
    }
}

fn month_day(date: Date, day: u8) -> Date {
    Month::of(date).day_clamped(day)
}

#[test]
fn a_row_is_on_one_bill_by_its_date_or_by_its_payment_date() {
    let cycles = Cycles::new(Cycle { closing_day: 10, due_day: 20 }, []);
    for (date, original_date, start) in [
        (date!(2026 - 03 - 09), None, date!(2026 - 02 - 10)),
        (date!(2026 - 03 - 10), None, date!(2026 - 03 - 10)),
        (date!(2026 - 03 - 20), Some(date!(2026 - 02 - 15)), date!(2026 - 02 - 10)),
        (date!(2026 - 03 - 10), Some(date!(2026 - 02 - 15)), date!(2026 - 02 - 10)),
        (date!(2026 - 03 - 09), Some(date!(2025 - 06 - 01)), date!(2026 - 01 - 10)),
    ] {
        assert_eq!(cycles.period_of(date, original_date).start, start, "{date} {original_date:?}");
    }
}

#[test]
fn of_two_bills_that_are_due_on_one_date_the_later_one_has_its_rows() {
    let cycles = Cycles::new(Cycle { closing_day: 30, due_day: 31 }, []);
    let [november, december] =
        [date!(2025 - 11 - 30), date!(2025 - 12 - 30)].map(|closed| cycles.period_paid_on(closed));
    assert_eq!((november.due, december.due), (date!(2025 - 12 - 31), date!(2025 - 12 - 31)));
    assert_eq!(cycles.period_of_payment(december.due), december);
    assert_eq!(cycles.payment_dates(&november).also, None);
    assert_eq!(cycles.payment_dates(&december).except, None);
}

#[test]
fn the_current_bill_ends_by_the_new_days_and_the_closed_ones_stay() {
    let (old, changed_on) = (Cycle { closing_day: 10, due_day: 20 }, date!(2026 - 03 - 20));
    for (new, end, due) in [
        (Cycle { closing_day: 25, due_day: 5 }, date!(2026 - 03 - 24), date!(2026 - 04 - 05)),
        (Cycle { closing_day: 5, due_day: 12 }, date!(2026 - 04 - 04), date!(2026 - 04 - 12)),
        (Cycle { closing_day: 20, due_day: 12 }, date!(2026 - 04 - 19), date!(2026 - 05 - 12)),
        (Cycle { closing_day: 21, due_day: 21 }, date!(2026 - 03 - 20), date!(2026 - 04 - 21)),
        (Cycle { closing_day: 10, due_day: 28 }, date!(2026 - 04 - 09), date!(2026 - 04 - 28)),
    ] {
        let cycles = Cycles::new(new, [(changed_on, old)]);
        let current = cycles.period_holding(changed_on);
        assert_eq!(current, Period { start: date!(2026 - 03 - 10), end, due }, "{new:?}");
        let closed = Period { start: date!(2026 - 02 - 10), end: date!(2026 - 03 - 09), due: date!(2026 - 03 - 20) };
        assert_eq!(cycles.period_paid_on(changed_on), closed, "{new:?}");
    }
}

#[test]
fn a_change_within_the_same_bill_takes_the_place_of_the_one_before() {
    let [first, second, third] = [10, 25, 28].map(|closing_day| Cycle { closing_day, due_day: 5 });
    let twice = Cycles::new(third, [(date!(2026 - 03 - 12), first), (date!(2026 - 03 - 20), second)]);
    assert_eq!(twice, Cycles::new(third, [(date!(2026 - 03 - 20), first)]));
    assert_eq!(twice.period_holding(date!(2026 - 03 - 20)).end, date!(2026 - 03 - 27));
}

fn cycle() -> impl Strategy<Value = Cycle> {
    (1..=31_u8, 1..=31_u8).prop_map(|(closing_day, due_day)| Cycle { closing_day, due_day })
}

fn replaced() -> impl Strategy<Value = Vec<(Date, Cycle)>> {
    let day = (0..700_i64).prop_map(|day| date!(2023 - 02 - 01) + Duration::days(day));
    prop::collection::vec((day, cycle()), 0..6)
}

/// Dates of single bills: a day in the bill's scheduled period, then the offsets of its closing and due dates, in days from the
/// scheduled closing date.
fn moved() -> impl Strategy<Value = Vec<(i64, Option<i64>, Option<i64>)>> {
    let days = (0..800_i64, prop::option::of(-40..40_i64), prop::option::of(-20..80_i64));
    prop::collection::vec(days, 0..8)
}

fn with_moved(cycles: Cycles, moved: &[(i64, Option<i64>, Option<i64>)]) -> Cycles {
    let dates: Vec<(Date, BillDates)> = moved
        .iter()
        .map(|(day, closing, due)| {
            let (_, scheduled) = cycles.scheduled(date!(2023 - 01 - 01) + Duration::days(*day));
            let later = |days: &i64| day_after(scheduled.end) + Duration::days(*days);
            (day_after(scheduled.end), BillDates { closing: closing.as_ref().map(later), due: due.as_ref().map(later) })
        })
        .collect();
    cycles.with_dates(dates)
}

#[test]
fn a_bill_that_closes_on_another_day_moves_the_start_of_the_next_one() {
    let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
    let scheduled = date!(2026 - 03 - 25);
    let period = |start, end, due| Period { start, end, due };
    let [february, march, april] =
        [date!(2026 - 02 - 24), date!(2026 - 03 - 24), date!(2026 - 04 - 24)].map(|date| card.period_holding(date));
    for (closing, due, expected_march, expected_april) in [
        (None, None, march, april),
        // A day later: a purchase on the scheduled day is still on the bill.
        (
            Some(date!(2026 - 03 - 26)),
            None,
            period(march.start, date!(2026 - 03 - 25), march.due),
            period(date!(2026 - 03 - 26), april.end, april.due),
        ),
        (
            Some(date!(2026 - 03 - 12)),
            None,
            period(march.start, date!(2026 - 03 - 11), march.due),
            period(date!(2026 - 03 - 12), april.end, april.due),
        ),
        // It closes on the day on which it would have been due, so it is due a month later.
        (
            Some(date!(2026 - 04 - 05)),
            None,
            period(march.start, date!(2026 - 04 - 04), date!(2026 - 05 - 05)),
            period(date!(2026 - 04 - 05), april.end, april.due),
        ),
        (None, Some(date!(2026 - 04 - 07)), period(march.start, march.end, date!(2026 - 04 - 07)), april),
        // Dates that a bill cannot have are ignored: more than half-way to the next one, or due on the day it closes.
        (Some(date!(2026 - 04 - 10)), None, march, april),
        (Some(date!(2026 - 03 - 11)), None, march, april),
        (None, Some(scheduled), march, april),
        (None, Some(date!(2026 - 05 - 27)), march, april),
    ] {
        let moved = card.clone().with_dates([(scheduled, BillDates { closing, due })]);
        let all = [february.end, expected_march.end, expected_april.end].map(|date| moved.period_holding(date));
        assert_eq!(all, [february, expected_march, expected_april], "{closing:?} {due:?}");
        for period in all {
            let scheduled = card.scheduled(moved.scheduled_closing(&period)).1;
            assert_eq!(card.number_of(&scheduled), moved.number_of(&period) + 1, "{period:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn periods_tile_the_calendar_whatever_bills_close_on_other_days(
        present in cycle(), replaced in replaced(), moved in moved(),
    ) {
        let cycles = with_moved(Cycles::new(present, replaced), &moved);
        assert_tiles(&cycles, date!(2023 - 01 - 01), date!(2025 - 06 - 30));
    }

    #[test]
    fn a_bill_closes_on_every_day_that_it_may(present in cycle(), replaced in replaced(), day in 0..800_i64) {
        let cycles = Cycles::new(present, replaced);
        let (_, scheduled) = cycles.scheduled(date!(2023 - 01 - 01) + Duration::days(day));
        let closing = day_after(scheduled.end);
        let range = cycles.closing_range(closing);
        prop_assert!(range.contains(&closing));
        for date in days(*range.start(), *range.end()) {
            let dates = BillDates { closing: Some(date), due: None };
            let moved = cycles.clone().with_dates([(closing, dates)]);
            let period = moved.period_holding(day_before(date));
            prop_assert_eq!(day_after(period.end), date);
            prop_assert_eq!(moved.scheduled_closing(&period), closing);
        }
    }

    #[test]
    fn periods_tile_the_calendar_however_often_the_days_change(present in cycle(), replaced in replaced()) {
        assert_tiles(&Cycles::new(present, replaced), date!(2023 - 01 - 01), date!(2025 - 06 - 30));
    }

    #[test]
    fn a_change_moves_no_bill_that_closed(present in cycle(), new in cycle(), replaced in replaced(), later in 0..90_i64) {
        let today = date!(2025 - 01 - 01) + Duration::days(later);
        let before = Cycles::new(present, replaced.clone());
        let after = Cycles::new(new, replaced.into_iter().chain([(today, present)]));
        let current = before.period_holding(today);
        prop_assert_eq!(after.period_holding(today).start, current.start);
        for date in days(date!(2023 - 01 - 01), day_before(current.start)) {
            prop_assert_eq!(after.period_holding(date), before.period_holding(date));
        }
        let closing = day_after(after.period_holding(today).end);
        prop_assert_eq!(closing, month_day(closing, new.closing_day), "it closes on the new day");
        prop_assert!(closing > today);
    }
}
