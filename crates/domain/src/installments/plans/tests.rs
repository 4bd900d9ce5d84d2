use std::collections::HashSet;

use proptest::prelude::*;
use time::Duration;
use time::macros::date;

use super::super::reading::read;
use super::super::splitting::{months_apart, split};
use super::*;
use crate::credit_bills::Cycle;

const CARD: AccountId = AccountId(1);

fn calendars(today: Date) -> HashMap<AccountId, Calendar> {
    let cycles = Cycles::new(Cycle { closing_day: 17, due_day: 25 }, []);
    [(CARD, Calendar::new(cycles, today))].into()
}

/// A row whose instalment and shop are read from its description.
fn row(id: i64, date: Date, text: &str, cents: i128) -> InstallmentRow {
    let reading = read(text).unwrap_or_else(|| panic!("{text} is no instalment"));
    InstallmentRow {
        id: Some(TransactionId(id)),
        account_id: CARD,
        category_id: None,
        date,
        original_date: None,
        installment: reading.installment,
        shop: reading.shop,
        description: text.into(),
        amount: Money::from_cents(cents),
        is_removable: false,
        is_ended: false,
    }
}

fn rows(given: &[(Date, &str, i128)]) -> Vec<InstallmentRow> {
    (1..).zip(given).map(|(id, (date, text, cents))| row(id, *date, text, *cents)).collect()
}

/// The ids of the rows of each plan, the oldest plan first.
fn members(rows: Vec<InstallmentRow>, today: Date) -> Vec<Vec<i64>> {
    let mut members: Vec<Vec<i64>> = plans(rows, &calendars(today), &str::to_string)
        .iter()
        .map(|plan| plan.rows.iter().filter_map(|row| Some(row.id?.0)).collect())
        .collect();
    members.sort_unstable();
    members
}

/// Number, due date and whether it is stored.
fn upcoming(plan: &Plan) -> Vec<(u8, Date, bool)> {
    plan.upcoming.iter().map(|upcoming| (upcoming.number, upcoming.period.due, upcoming.is_stored)).collect()
}

#[test]
fn rows_of_one_shop_and_count_are_one_plan() {
    let today = date!(2026 - 06 - 26);
    let (march, april) = (date!(2026 - 03 - 20), date!(2026 - 04 - 20));
    for (what, given, expected) in [
        ("month after month", vec![(march, "A 1/3", 1_000), (april, "A 2/3", 1_000)], vec![vec![1, 2]]),
        ("another shop", vec![(march, "A 1/3", 1_000), (april, "B 2/3", 1_000)], vec![vec![1], vec![2]]),
        ("another count", vec![(march, "A 1/3", 1_000), (april, "A 2/4", 1_000)], vec![vec![1], vec![2]]),
        ("the cents of the first", vec![(march, "A 1/11", 700), (april, "A 2/11", 690)], vec![vec![1, 2]]),
        ("more than cents", vec![(march, "A 1/11", 701), (april, "A 2/11", 690)], vec![vec![1], vec![2]]),
        ("several on one bill", vec![(march, "A 2/3", 1_000), (march, "A 1/3", 1_000)], vec![vec![2, 1]]),
        ("one is missing", vec![(march, "A 1/3", 1_000), (april, "A 3/3", 1_000)], vec![vec![1, 2]]),
        ("a bill late", vec![(march, "A 1/3", 1_000), (date!(2026 - 05 - 20), "A 2/3", 1_000)], vec![vec![1, 2]]),
        (
            "two bills late",
            vec![(march, "A 1/3", 1_000), (date!(2026 - 06 - 20), "A 2/3", 1_000)],
            vec![vec![1], vec![2]],
        ),
        ("numbers do not go back", vec![(march, "A 2/3", 1_000), (april, "A 2/3", 1_000)], vec![vec![1], vec![2]]),
        (
            "two of one shop at once",
            vec![(march, "A 1/3", 1_000), (march, "A 1/3", 1_000), (april, "A 2/3", 1_000), (april, "A 2/3", 1_000)],
            vec![vec![1, 3], vec![2, 4]],
        ),
        (
            "two of one shop with other amounts",
            vec![(march, "A 1/3", 1_000), (march, "A 1/3", 2_000), (april, "A 2/3", 2_000), (april, "A 2/3", 1_000)],
            vec![vec![1, 4], vec![2, 3]],
        ),
        (
            "the nearest before the older",
            vec![(march, "A 1/3", 1_000), (april, "A 1/3", 1_000), (april, "A 2/3", 1_000)],
            vec![vec![1], vec![2, 3]],
        ),
    ] {
        assert_eq!(members(rows(&given), today), expected, "{what}");
    }
}

#[test]
fn a_plan_whose_shop_is_cut_awaits_numbers_that_no_file_has_told_yet() {
    let today = date!(2026 - 06 - 26);
    let [march, april, june] = [date!(2026 - 03 - 20), date!(2026 - 04 - 20), date!(2026 - 06 - 20)];
    for (what, given, expected) in [
        ("the next one", vec![(march, "LOJA 1/6", 500), (april, "LOJAS 2/6", 500)], vec![vec![1, 2]]),
        ("two are missing", vec![(march, "LOJA 1/6", 500), (june, "LOJAS 4/6", 500)], vec![vec![1, 2]]),
        ("not on its bill", vec![(march, "LOJA 1/6", 500), (june, "LOJAS 5/6", 500)], vec![vec![1], vec![2]]),
        (
            "what is missing comes",
            vec![(march, "LOJA 1/6", 500), (june, "LOJAS 4/6", 500), (april, "LOJA 2/6", 500)],
            vec![vec![1, 3, 2]],
        ),
        (
            "the other one continues",
            vec![
                (march, "LOJA A 1/6", 500),
                (march, "LOJA B 1/6", 500),
                (april.previous_day().unwrap(), "LOJA BB 2/6", 500),
                (april, "LOJA A 2/6", 500),
            ],
            vec![vec![1, 4], vec![2, 3]],
        ),
        (
            "either of two",
            vec![(march, "LOJA A 1/6", 500), (march, "LOJA B 1/6", 500), (june, "LOJAS 4/6", 500)],
            vec![vec![1], vec![2], vec![3]],
        ),
    ] {
        assert_eq!(members(rows(&given), today), expected, "{what}");
    }
}

#[test]
fn an_import_with_a_payment_date_is_on_the_bill_that_it_pays() {
    let on_payment = |row: InstallmentRow, date| InstallmentRow { original_date: Some(row.date), date, ..row };
    let first = on_payment(row(1, date!(2026 - 02 - 18), "A 1/2", 500), date!(2026 - 03 - 25));
    let second = on_payment(row(2, date!(2026 - 02 - 19), "A 2/2", 500), date!(2026 - 04 - 25));
    let plan = &plans(vec![first, second], &calendars(date!(2026 - 04 - 26)), &str::to_string)[0];
    assert_eq!((plan.status, plan.first_date()), (PlanStatus::Finished, date!(2026 - 02 - 18)));
    assert_eq!(plan.last_due_date, date!(2026 - 04 - 25));
}

#[test]
fn what_is_to_come_is_on_the_bills_after_the_last_row() {
    let plan = |given: &[(Date, &str, i128)], today| plans(rows(given), &calendars(today), &str::to_string).remove(0);
    let first = (date!(2026 - 03 - 20), "A 1/4", 1_003);
    let (may, june, july) = (date!(2026 - 05 - 25), date!(2026 - 06 - 25), date!(2026 - 07 - 25));

    let open = plan(&[first], date!(2026 - 03 - 26));
    assert_eq!((open.number, open.remaining(), open.is_estimated()), (1, 3, true));
    assert_eq!(upcoming(&open), [(2, may, false), (3, june, false), (4, july, false)]);
    assert_eq!((open.remaining_amount().cents(), open.last_due_date), (3_009, july));

    let closed = plan(&[first], date!(2026 - 04 - 17));
    assert_eq!(upcoming(&closed), [(2, may, false), (3, june, false), (4, july, false)], "2 may come on the open bill");

    let late = plan(&[first], date!(2026 - 05 - 17));
    assert_eq!(upcoming(&late), [(3, june, false), (4, july, false)], "2 did not come on its bill");
    assert_eq!((late.status, late.remaining(), late.remaining_amount().cents()), (PlanStatus::Active, 3, 3_009));

    let later = plan(&[first], date!(2026 - 07 - 16));
    assert_eq!((later.status, upcoming(&later)), (PlanStatus::Active, vec![(4, july, false)]));
    let stale = plan(&[first], date!(2026 - 07 - 17));
    assert_eq!((stale.status, upcoming(&stale), stale.remaining()), (PlanStatus::Stale, vec![], 3));

    let second = plan(&[first, (date!(2026 - 04 - 20), "A 2/4", 1_000)], date!(2026 - 04 - 26));
    assert_eq!((second.amount().cents(), second.is_estimated()), (1_000, false));
    assert_eq!((second.number, upcoming(&second)), (2, vec![(3, june, false), (4, july, false)]));
}

#[test]
fn rows_on_later_bills_are_to_come_and_not_posted() {
    let today = date!(2026 - 03 - 20);
    let texts = ["A - Parcela 1/3", "A - Parcela 2/3", "A - Parcela 3/3"];
    let given: Vec<_> = months_apart(today).zip(texts).zip([3_334, 3_333, 3_333]).collect();
    let given: Vec<_> = given.into_iter().map(|((date, text), cents)| (date, text, cents)).collect();
    let plan = plans(rows(&given), &calendars(today), &str::to_string).remove(0);
    assert_eq!((plan.number, plan.remaining(), plan.remaining_amount().cents()), (1, 2, 6_666));
    assert_eq!(upcoming(&plan), [(2, date!(2026 - 05 - 25), true), (3, date!(2026 - 06 - 25), true)]);
    assert_eq!((plan.amount().cents(), plan.is_estimated(), plan.projected().count()), (3_333, false, 0));

    let before = plans(rows(&given), &calendars(date!(2026 - 01 - 20)), &str::to_string).remove(0);
    assert_eq!((before.number, before.status, before.remaining_amount().cents()), (0, PlanStatus::Active, 10_000));

    let without_the_last = plans(rows(&given[..2]), &calendars(today), &str::to_string).remove(0);
    let (may, june) = (date!(2026 - 05 - 25), date!(2026 - 06 - 25));
    assert_eq!(upcoming(&without_the_last), [(2, may, true), (3, june, false)]);
}

#[test]
fn plans_are_listed_newest_first() {
    let given = rows(&[
        (date!(2026 - 01 - 20), "A 1/3", 1),
        (date!(2026 - 03 - 20), "B 1/3", 1),
        (date!(2026 - 03 - 20), "C 1/3", 1),
    ]);
    let ids: Vec<i64> = plans(given, &calendars(date!(2026 - 03 - 26)), &str::to_string)
        .iter()
        .filter_map(|plan| Some(plan.id()?.0))
        .collect();
    assert_eq!(ids, [3, 2, 1]);
}

#[test]
fn a_row_of_an_unknown_card_makes_no_plan() {
    let stray = InstallmentRow { account_id: AccountId(9), ..row(1, date!(2026 - 03 - 20), "A 1/3", 1) };
    assert_eq!(plans(vec![stray], &calendars(date!(2026 - 03 - 26)), &str::to_string), []);
}

/// Purchases: the shop, the day, how many instalments, and the total amount in cents.
fn purchases() -> impl Strategy<Value = Vec<(u8, i64, u8, i128)>> {
    prop::collection::vec((0u8..3, 0i64..400, 2u8..=12, 1_200i128..100_000), 1..6)
}

/// The rows of a purchase as a bank posts them: one on each bill.
fn posted(id: i64, (shop, day, count, cents): (u8, i64, u8, i128)) -> Vec<InstallmentRow> {
    let cycles = Cycles::new(Cycle { closing_day: 17, due_day: 25 }, []);
    let mut period = cycles.period_holding(date!(2024 - 01 - 01) + Duration::days(day));
    let mut rows = Vec::new();
    for (number, amount) in (1..).zip(split(Money::from_cents(cents), count)) {
        let text = format!("Loja {shop} {number}/{count}");
        rows.push(row(id * 100 + i64::from(number), period.start, &text, amount.cents()));
        period = cycles.period_following(&period);
    }
    rows
}

proptest! {
    #[test]
    fn every_row_is_in_one_plan_whose_numbers_rise(purchases in purchases(), today in 0i64..900) {
        let all: Vec<InstallmentRow> = (1..).zip(&purchases).flat_map(|(id, bought)| posted(id, *bought)).collect();
        let made = plans(all.clone(), &calendars(date!(2024 - 01 - 01) + Duration::days(today)), &str::to_string);
        let mut ids: Vec<TransactionId> = made.iter().flat_map(|plan| plan.rows.iter().filter_map(|row| row.id)).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, all.iter().filter_map(|row| row.id).collect::<Vec<_>>());
        for plan in &made {
            let numbers: Vec<u8> = plan.rows.iter().map(|row| row.installment.number).collect();
            prop_assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
            prop_assert!(plan.remaining_amount() >= Money::ZERO);
        }
        let mut reversed = all;
        reversed.reverse();
        prop_assert_eq!(plans(reversed, &calendars(date!(2024 - 01 - 01) + Duration::days(today)), &str::to_string), made);
    }

    /// Shops that are spelled alike, with the same amounts, over five years. Rows come a bill late, or in a file that nobody imported.
    #[test]
    fn active_plans_need_no_rows_before_those_that_are_read(
        bought in prop::collection::vec(((0u8..4, 0i64..1_800, 6u8..=8), prop::collection::vec(0u8..4, 8)), 1..40),
        today in 1_000i64..1_900,
    ) {
        let cycles = Cycles::new(Cycle { closing_day: 17, due_day: 25 }, []);
        let mut all = Vec::new();
        for ((shop, day, count), happens) in &bought {
            let mut period = cycles.period_holding(date!(2024 - 01 - 01) + Duration::days(*day));
            for (number, happens) in (1..=*count).zip(happens) {
                if *happens < 3 {
                    period = cycles.period_following(&period);
                }
                if *happens > 0 {
                    let id = all.len() as i64 + 1;
                    all.push(row(id, period.start, &format!("Loja {shop} {number}/{count}"), 1_000));
                }
                period = cycles.period_following(&period);
            }
        }
        let today = date!(2024 - 01 - 01) + Duration::days(today);
        all.retain(|row| row.date <= today);
        let calendars = calendars(today);
        let since = calendars[&CARD].active_since();
        let longest = all.iter().filter(|row| row.date >= since).map(|row| row.installment.count).max();
        let first = longest.map_or(since, |longest| Month::of(since).minus(months_back(longest)).day_clamped(since.day()));
        let read = all.iter().filter(|row| row.date >= first).cloned().collect();
        let active = |rows: Vec<InstallmentRow>| {
            let mut plans = plans(rows, &calendars, &str::to_string);
            plans.retain(|plan| plan.status == PlanStatus::Active);
            plans
        };
        prop_assert_eq!(active(read), active(all));
    }

    /// However many instalments have come, posted and projected ones have each number once and are on different bills, and the
    /// projected ones are those that come.
    #[test]
    fn a_projection_never_doubles_what_is_posted(
        (day, count, cents) in (0i64..400, 2u8..=12, 1_200i128..100_000), known in 1usize..=12, later in 0i64..120,
    ) {
        let all = posted(1, (0, day, count, cents));
        let known = known.min(all.len());
        let today = all[known - 1].date + Duration::days(later);
        let calendars = calendars(today);
        let plan = plans(all[..known].to_vec(), &calendars, &str::to_string).remove(0);
        let cycles = &calendars[&CARD].cycles;
        let numbers = plan.rows.iter().map(|row| row.installment.number);
        let numbers: Vec<u8> = numbers.chain(plan.upcoming.iter().map(|upcoming| upcoming.number)).collect();
        prop_assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len(), "{:?}", numbers);
        let bills = plan.rows.iter().map(|row| cycles.period_holding(row.date));
        let bills: Vec<Period> = bills.chain(plan.upcoming.iter().map(|upcoming| upcoming.period)).collect();
        prop_assert_eq!(bills.iter().collect::<HashSet<_>>().len(), bills.len(), "{:?}", bills);
        for projected in plan.projected() {
            let comes = &all[usize::from(projected.number) - 1];
            prop_assert_eq!(cycles.period_holding(comes.date), projected.period);
            prop_assert!(projected.period.end >= today, "a closed bill gets nothing more");
            prop_assert!((comes.amount - projected.amount).abs().cents() < i128::from(count));
        }
        if plan.status == PlanStatus::Active && known > 1 && numbers.len() == usize::from(count) {
            let posted: Money = plan.rows.iter().map(|row| row.amount).sum();
            prop_assert_eq!(posted + plan.remaining_amount(), Money::from_cents(cents));
        }
    }
}
