use time::macros::date;

use super::super::rates::PublishedRates;
use super::*;
use crate::month::parse_date;

fn day(text: &str) -> Date {
    parse_date(text).unwrap()
}

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// Rates of periods by their first days.
fn published(rates: &[(&str, &str)]) -> Rates {
    let mut published = PublishedRates::new(Series::Savings.start(), date!(2036 - 12 - 31));
    for (first_day, percent) in rates {
        published.publish(day(first_day), percent.parse().unwrap());
    }
    Rates::from((Series::Savings, published))
}

/// 0.5 % for every period.
fn flat() -> Rates {
    let mut published = PublishedRates::new(Series::Savings.start(), date!(2036 - 12 - 31));
    let mut day = published.first();
    while day <= published.last() {
        published.publish(day, "0.5".parse().unwrap());
        day = day_after(day);
    }
    Rates::from((Series::Savings, published))
}

fn due(last_yield_date: &str, changes: &[(&str, &str)]) -> SavingsDue {
    let mut flows: BTreeMap<Date, Flow> = BTreeMap::new();
    for (date, change) in changes {
        let flow = flows.entry(day(date)).or_default();
        match money(change) {
            change if change < Money::ZERO => flow.expenses -= change,
            change => flow.income += change,
        }
    }
    SavingsDue { account_id: AccountId(1), last_yield_date: day(last_yield_date), flows }
}

/// Each posting as `first day..last day amount`, and the last day done.
#[track_caller]
fn assert_told(accrual: &Accrual, postings: &[&str], done_until: &str) {
    let lines: Vec<String> = accrual
        .postings
        .iter()
        .map(|posting| format!("{}..{} {}", posting.first_day, posting.last_day, posting.amount))
        .collect();
    assert_eq!(
        (lines, accrual.done_until.to_string()),
        (postings.iter().map(|text| text.to_string()).collect(), done_until.into())
    );
}

const RATES: [(&str, &str); 2] = [("2026-01-10", "0.6700"), ("2026-02-10", "0.6500")];

#[test]
fn a_lot_earns_its_lowest_balance_at_the_rate_of_the_first_day() {
    let today = date!(2026 - 03 - 15);
    let whole = due("2026-01-10", &[("2026-01-10", "1000.00")]);
    let expected = ["2026-01-10..2026-02-10 6.70", "2026-02-10..2026-03-10 6.54"];
    assert_told(&accrue_savings(&whole, &published(&RATES), today), &expected, "2026-03-15");
    for (taken_on, first, second) in [
        ("2026-02-09", "4.02", "3.93"), // 600.00, then 604.02
        ("2026-02-10", "6.70", "3.94"), // the day's yield is safe: 606.70
        ("2026-01-10", "4.02", "3.93"), // never there at a day's end
        ("2026-02-11", "6.70", "3.94"),
    ] {
        let cut = due("2026-01-10", &[("2026-01-10", "1000.00"), (taken_on, "-400.00")]);
        let expected = [format!("2026-01-10..2026-02-10 {first}"), format!("2026-02-10..2026-03-10 {second}")];
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_told(&accrue_savings(&cut, &published(&RATES), today), &expected, "2026-03-15");
    }
}

#[test]
fn a_day_is_paid_on_the_day_itself_and_not_before() {
    let deposit = due("2026-01-10", &[("2026-01-10", "1000.00")]);
    assert_told(&accrue_savings(&deposit, &published(&RATES), date!(2026 - 02 - 09)), &[], "2026-02-09");
    let paid = accrue_savings(&deposit, &published(&RATES), date!(2026 - 02 - 10));
    assert_told(&paid, &["2026-01-10..2026-02-10 6.70"], "2026-02-10");
    assert_eq!(paid.postings[0].description(), "Rendimento poupança 10/01/2026 a 10/02/2026");
}

#[test]
fn deposits_of_the_last_days_of_a_month_count_from_the_first_of_the_next() {
    for date in ["2026-01-29", "2026-01-30", "2026-01-31", "2026-02-01"] {
        let accrual = accrue_savings(&due("2026-01-01", &[(date, "1000.00")]), &flat(), date!(2026 - 03 - 31));
        assert_told(&accrual, &["2026-02-01..2026-03-01 5.00"], "2026-03-31");
    }
    let accrual = accrue_savings(&due("2026-01-01", &[("2026-01-28", "1000.00")]), &flat(), date!(2026 - 02 - 28));
    assert_told(&accrual, &["2026-01-28..2026-02-28 5.00"], "2026-02-28");
}

#[test]
fn what_goes_is_taken_from_the_lot_whose_day_passed_last() {
    let deposits = [("2026-01-05", "1000.00"), ("2026-01-15", "1000.00"), ("2026-01-25", "1000.00")];
    for (taken, amount, expected) in [
        // The 25th passed last on 3 February, then the 15th, then the 5th.
        ("2026-02-03", "-1000.00", ["2026-01-05..2026-02-05 5.00", "2026-01-15..2026-02-15 5.00"].as_slice()),
        ("2026-02-03", "-1500.00", &["2026-01-05..2026-02-05 5.00", "2026-01-15..2026-02-15 2.50"]),
        ("2026-02-03", "-3000.00", &[]),
        // The 5th passed last on 14 February.
        (
            "2026-02-14",
            "-400.00",
            &["2026-01-05..2026-02-05 5.00", "2026-01-15..2026-02-15 5.00", "2026-01-25..2026-02-25 5.00"],
        ),
        (
            "2026-02-14",
            "-1105.00",
            &["2026-01-05..2026-02-05 5.00", "2026-01-15..2026-02-15 5.00", "2026-01-25..2026-02-25 4.50"],
        ),
    ] {
        let changes: Vec<(&str, &str)> = deposits.iter().copied().chain([(taken, amount)]).collect();
        let accrual = accrue_savings(&due("2026-01-31", &changes), &flat(), date!(2026 - 02 - 28));
        assert_told(&accrual, expected, "2026-02-28");
    }
}

#[test]
fn yield_joins_its_lot_whether_it_was_posted_before_or_not() {
    let mut posted = due("2026-02-10", &[("2026-01-10", "1000.00")]);
    posted.flows.insert(date!(2026 - 02 - 10), Flow { earned: money("6.70"), ..Flow::default() });
    let accrual = accrue_savings(&posted, &published(&RATES), date!(2026 - 03 - 10));
    assert_told(&accrual, &["2026-02-10..2026-03-10 6.54"], "2026-03-10");
}

#[test]
fn a_missing_rate_waits_and_everything_after_it() {
    let both = due("2026-01-10", &[("2026-01-10", "1000.00"), ("2026-01-12", "1000.00")]);
    let today = date!(2026 - 02 - 20);
    assert_told(&accrue_savings(&both, &Rates::default(), today), &[], "2026-02-09");
    assert_eq!(first_rate_needed(&both, today), Some(date!(2026 - 01 - 10)));
    let later = published(&[("2026-01-12", "0.5")]);
    assert_told(&accrue_savings(&both, &later, today), &[], "2026-02-09");
    let first = published(&[("2026-01-10", "0.5")]);
    assert_told(&accrue_savings(&both, &first, today), &["2026-01-10..2026-02-10 5.00"], "2026-02-11");
    let untrusted = published(&[("2026-01-10", "0.5"), ("2026-01-10", "0.6")]);
    assert_told(&accrue_savings(&both, &untrusted, today), &[], "2026-02-09");
}

#[test]
fn no_rate_is_needed_where_nothing_is_earned() {
    let today = date!(2026 - 02 - 20);
    for (changes, done_until) in [
        (vec![], "2026-01-10"),
        (vec![("2026-02-12", "1000.00")], "2026-02-20"),
        (vec![("2026-01-12", "1000.00"), ("2026-01-20", "-1000.00")], "2026-02-20"),
        (vec![("2026-01-12", "-1000.00"), ("2026-01-12", "500.00")], "2026-02-20"),
    ] {
        let due = due("2026-01-10", &changes);
        assert_eq!(first_rate_needed(&due, today), None, "{changes:?}");
        assert_told(&accrue_savings(&due, &Rates::default(), today), &[], done_until);
    }
}

#[test]
fn periods_before_the_series_earn_nothing() {
    let old = due("2012-01-01", &[("2012-01-10", "1000.00")]);
    let accrual = accrue_savings(&old, &flat(), date!(2012 - 06 - 30));
    assert_told(&accrual, &["2012-05-10..2012-06-10 5.00"], "2012-06-30");
}

#[test]
fn what_was_owed_is_paid_before_a_lot_grows() {
    let owing = due("2026-01-01", &[("2026-01-05", "-300.00"), ("2026-01-10", "1000.00")]);
    let accrual = accrue_savings(&owing, &flat(), date!(2026 - 02 - 10));
    assert_told(&accrual, &["2026-01-10..2026-02-10 3.50"], "2026-02-10");
}

#[test]
fn ten_years_of_daily_deposits_are_28_lots() {
    let mut flows = BTreeMap::new();
    let mut date = date!(2016 - 01 - 01);
    while date < date!(2026 - 01 - 01) {
        flows.insert(date, Flow { income: money("10.00"), ..Flow::default() });
        date = day_after(date);
    }
    let due = SavingsDue { account_id: AccountId(1), last_yield_date: date!(2015 - 12 - 31), flows };
    let accrual = accrue_savings(&due, &flat(), date!(2025 - 12 - 31));
    // Lots 2 to 28 begin in January 2016 and are paid from February on; the first lot, begun on 1 January, too.
    assert_eq!(accrual.postings.len(), 28 * 119);
    assert_eq!(accrual.done_until, date!(2025 - 12 - 31));
    let last: Vec<_> = accrual.postings.iter().rev().take(28).collect();
    assert!(last.iter().all(|posting| Month::of(posting.last_day) == Month::of(date!(2025 - 12 - 01))));
    let days: std::collections::BTreeSet<u8> = last.iter().map(|posting| posting.first_day.day()).collect();
    assert_eq!(days, (1..=28).collect());
}
