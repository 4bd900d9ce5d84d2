use std::collections::BTreeMap;

use proptest::prelude::*;
use time::macros::date;
use time::{Duration, Weekday};

use super::super::compounding::{compound, compound_share};
use super::super::published_series::published_series;
use super::super::rates::{PublishedRates, Rate};
use super::super::rules::{Rule, yield_amount};
use super::super::series::{LOOK_BACK_DAYS, SERIES_START, Series};
use super::*;
use crate::money::Percentage;
use crate::month::parse_date;

/// [`super::accrue`] with CDI rates alone.
fn accrue(due: &YieldDue, rates: &PublishedRates, day_count: DayCount, today: Date) -> Accrual {
    super::accrue(due, &Rates::from((Series::Cdi, rates.clone())), day_count, today)
}

/// What a balance earns in a period, by the formula.
fn formula(due: &YieldDue, rates: &PublishedRates, day_count: DayCount, balance: Money, days: (Date, Date)) -> Money {
    let Rule::Cdi(percentage) = due.rule else { panic!("{due:?}") };
    match day_count {
        DayCount::Calendar => yield_amount(balance, &compound(rates, day_count, days.0, days.1), percentage),
        DayCount::Business => {
            let factor = compound_share(rates, percentage, days.0, days.1);
            yield_amount(balance, &factor, Percentage::whole(100))
        }
    }
}

fn day(text: &str) -> Date {
    parse_date(text).unwrap()
}

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

fn weekday(date: Date) -> bool {
    !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
    std::iter::successors(Some(first), |day| day.next_day()).take_while(move |day| *day <= last)
}

/// Publishes one rate on the weekdays from January 2024 to `newest`, except on holidays.
fn published(percent: &str, newest: &str, holidays: &[&str]) -> PublishedRates {
    let (first, newest) = (date!(2024 - 01 - 01), day(newest));
    let mut rates = PublishedRates::new(first, date!(2026 - 12 - 31));
    let holidays: Vec<Date> = holidays.iter().map(|text| day(text)).collect();
    for date in days(first, newest).filter(|date| weekday(*date) && !holidays.contains(date)) {
        rates.publish(date, percent.parse().unwrap());
    }
    rates
}

/// As published: December 2024 and January 2025.
fn january_2025() -> PublishedRates {
    let mut rates = PublishedRates::new(date!(2024 - 12 - 01), date!(2025 - 01 - 31));
    let holidays = [date!(2024 - 12 - 25), date!(2025 - 01 - 01)];
    for date in
        days(date!(2024 - 12 - 01), date!(2025 - 01 - 31)).filter(|date| weekday(*date) && !holidays.contains(date))
    {
        let percent = match date {
            date if date < date!(2024 - 12 - 12) => "0.041957",
            date if date < date!(2025 - 01 - 30) => "0.045513",
            _ => "0.049037",
        };
        rates.publish(date, percent.parse().unwrap());
    }
    rates
}

fn due(last_yield_date: &str, balance: &str, changes: &[(&str, &str)]) -> YieldDue {
    YieldDue {
        account_id: AccountId(1),
        last_yield_date: day(last_yield_date),
        rule: Rule::Cdi(Percentage::whole(100)),
        day_count: None,
        balance_at_last: money(balance),
        changes: changes.iter().map(|(date, change)| (day(date), money(change))).collect(),
    }
}

/// Each posting as `first day..last day amount`, and the last day done.
fn describe(accrual: &Accrual) -> (Vec<String>, String) {
    let postings = accrual.postings.iter();
    let postings = postings.map(|posting| format!("{}..{} {}", posting.first_day, posting.last_day, posting.amount));
    (postings.collect(), accrual.done_until.to_string())
}

fn assert_told(accrual: &Accrual, postings: &[&str], done_until: &str) {
    assert_eq!(describe(accrual), (postings.iter().map(|text| text.to_string()).collect(), done_until.to_string()));
}

/// What is due after an accrual was posted.
fn after(due: &YieldDue, accrual: &Accrual) -> YieldDue {
    let mut changes = due.changes.clone();
    for posting in &accrual.postings {
        *changes.entry(posting.last_day).or_default() += posting.amount;
    }
    let later = changes.split_off(&day_after(accrual.done_until));
    let balance_at_last = due.balance_at_last + changes.into_values().sum();
    YieldDue { last_yield_date: accrual.done_until, balance_at_last, changes: later, ..due.clone() }
}

#[test]
fn january_2025_pays_what_the_market_paid() {
    let mut due = due("2024-12-31", "1000.00", &[]);
    let today = date!(2025 - 02 - 01);
    let business = accrue(&due, &january_2025(), DayCount::Business, today);
    assert_told(&business, &["2025-01-01..2025-01-31 10.13"], "2025-01-31");
    due.rule = Rule::Cdi(Percentage::whole(110));
    let business = accrue(&due, &january_2025(), DayCount::Business, today);
    assert_told(&business, &["2025-01-01..2025-01-31 11.15"], "2025-01-31");
}

#[test]
fn the_year_2024_pays_what_the_market_paid_at_any_percentage() {
    let Some(rates) = published_series() else { return };
    for (percent, day_count, total) in [
        (100, DayCount::Calendar, "1612.16"),
        (100, DayCount::Business, "1087.59"),
        (120, DayCount::Business, "1318.84"),
    ] {
        let due = YieldDue { rule: Rule::Cdi(Percentage::whole(percent)), ..due("2023-12-31", "10000.00", &[]) };
        let accrual = accrue(&due, &rates, day_count, date!(2025 - 01 - 01));
        let paid: Money = accrual.postings.iter().map(|posting| posting.amount).sum();
        assert_eq!(paid.to_string(), total, "{percent} % {day_count:?}");
        // What the account says takes precedence over the setting.
        let own = YieldDue { day_count: Some(day_count), ..due };
        for setting in [DayCount::Calendar, DayCount::Business] {
            assert_eq!(accrue(&own, &rates, setting, date!(2025 - 01 - 01)), accrual);
        }
    }
}

#[test]
fn by_calendar_days_the_last_available_rate_fills_the_gaps() {
    // New Year's Day at December's 0.045513 %, 28 days more of it, then two of 0.049037 %:
    // 1.00045513^29 × 1.00049037^2 = 1.01427…
    let calendar =
        accrue(&due("2024-12-31", "1000.00", &[]), &january_2025(), DayCount::Calendar, date!(2025 - 02 - 01));
    assert_told(&calendar, &["2025-01-01..2025-01-31 14.28"], "2025-01-31");
}

#[test]
fn a_weekend_is_paid_on_monday_at_fridays_rate() {
    // 2025-01-10 is a Friday.
    let rates = published("1", "2025-01-10", &[]);
    let due = due("2025-01-09", "1000.00", &[]);
    let monday = date!(2025 - 01 - 13);
    let calendar = accrue(&due, &rates, DayCount::Calendar, monday);
    assert_told(&calendar, &["2025-01-10..2025-01-12 30.30"], "2025-01-12");
    let business = accrue(&due, &rates, DayCount::Business, monday);
    assert_told(&business, &["2025-01-10..2025-01-12 10.00"], "2025-01-12");
}

#[test]
fn a_holiday_in_the_week_waits_until_a_newer_rate_is_known() {
    // Labour Day 2025 is a Thursday.
    let due = due("2025-04-29", "1000.00", &[]);
    let before = published("1", "2025-04-30", &[]);
    assert_told(
        &accrue(&due, &before, DayCount::Calendar, date!(2025 - 05 - 02)),
        &["2025-04-30..2025-04-30 10.00"],
        "2025-04-30",
    );
    let known = published("1", "2025-05-02", &["2025-05-01"]);
    assert_told(
        &accrue(&due, &known, DayCount::Calendar, date!(2025 - 05 - 03)),
        &["2025-04-30..2025-04-30 10.00", "2025-05-01..2025-05-02 20.30"],
        "2025-05-02",
    );
    assert_told(
        &accrue(&due, &known, DayCount::Business, date!(2025 - 05 - 03)),
        &["2025-04-30..2025-04-30 10.00", "2025-05-01..2025-05-02 10.10"],
        "2025-05-02",
    );
}

#[test]
fn carnival_waits_from_monday_on_and_is_then_paid_as_one_run() {
    // Monday 3 and Tuesday 4 March 2025 have no rate; Ash Wednesday has.
    let carnival = ["2025-03-03", "2025-03-04"];
    let due = due("2025-02-28", "1000.00", &[]);
    let friday = published("1", "2025-02-28", &[]);
    for today in [date!(2025 - 03 - 03), date!(2025 - 03 - 04), date!(2025 - 03 - 05), date!(2025 - 03 - 06)] {
        let accrual = accrue(&due, &friday, DayCount::Calendar, today);
        assert_told(&accrual, &["2025-03-01..2025-03-02 20.10"], "2025-03-02");
    }
    let wednesday = published("1", "2025-03-05", &carnival);
    let accrual = accrue(&due, &wednesday, DayCount::Calendar, date!(2025 - 03 - 06));
    assert_told(&accrual, &["2025-03-01..2025-03-05 51.01"], "2025-03-05");
    let accrual = accrue(&due, &wednesday, DayCount::Business, date!(2025 - 03 - 06));
    assert_told(&accrual, &["2025-03-01..2025-03-05 10.00"], "2025-03-05");
}

#[test]
fn a_weekday_not_yet_published_waits_and_the_weekend_behind_it_too() {
    // Published up to Thursday; yesterday is Saturday.
    let rates = published("1", "2025-01-09", &[]);
    let accrual = accrue(&due("2025-01-08", "1000.00", &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 12));
    assert_told(&accrual, &["2025-01-09..2025-01-09 10.00"], "2025-01-09");
    let accrual = accrue(&due("2025-01-09", "1000.00", &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 12));
    assert_told(&accrual, &[], "2025-01-09");
}

#[test]
fn today_is_not_paid_even_where_its_rate_is_known() {
    let rates = published("1", "2025-01-10", &[]);
    let due = due("2025-01-08", "1000.00", &[]);
    let accrual = accrue(&due, &rates, DayCount::Calendar, date!(2025 - 01 - 10));
    assert_told(&accrual, &["2025-01-09..2025-01-09 10.00"], "2025-01-09");
    let accrual = accrue(&due, &rates, DayCount::Calendar, date!(2025 - 01 - 09));
    assert_told(&accrual, &[], "2025-01-08");
}

#[test]
fn a_period_ends_with_its_month_and_its_yield_earns_from_the_next_day_on() {
    let rates = published("1", "2025-03-05", &[]);
    let accrual = accrue(&due("2025-01-30", "1000.00", &[]), &rates, DayCount::Calendar, date!(2025 - 03 - 02));
    // 1000.00 earns one day; 1010.00 earns 28, 1.01^28 = 1.3212909…; 1334.50 earns one.
    let expected = ["2025-01-31..2025-01-31 10.00", "2025-02-01..2025-02-28 324.50", "2025-03-01..2025-03-01 13.34"];
    assert_told(&accrual, &expected, "2025-03-01");
}

#[test]
fn a_day_earns_on_the_balance_at_the_end_of_the_day_before() {
    let rates = published("1", "2025-01-31", &[]);
    let cut = due("2025-01-12", "1000.00", &[("2025-01-14", "1000.00"), ("2025-01-16", "-3040.30")]);
    let accrual = accrue(&cut, &rates, DayCount::Calendar, date!(2025 - 01 - 18));
    // Two days on 1000.00; two on 2020.10, 40.60; nothing on the rest, 2060.70 − 3040.30.
    assert_told(&accrual, &["2025-01-13..2025-01-14 20.10", "2025-01-15..2025-01-16 40.60"], "2025-01-17");
}

#[test]
fn a_change_on_the_first_and_the_last_day_cuts_there_and_one_of_today_does_not() {
    let rates = published("1", "2025-01-31", &[]);
    let cut = due("2025-01-12", "1000.00", &[("2025-01-13", "100.00"), ("2025-01-15", "5.00"), ("2025-01-16", "7.00")]);
    let accrual = accrue(&cut, &rates, DayCount::Calendar, date!(2025 - 01 - 16));
    assert_told(&accrual, &["2025-01-13..2025-01-13 10.00", "2025-01-14..2025-01-15 22.31"], "2025-01-15");
}

#[test]
fn changes_of_one_day_that_come_to_nothing_cut_nothing() {
    let rates = published("1", "2025-01-31", &[]);
    let accrual = accrue(
        &due("2025-01-12", "1000.00", &[("2025-01-13", "0.00")]),
        &rates,
        DayCount::Calendar,
        date!(2025 - 01 - 15),
    );
    assert_told(&accrual, &["2025-01-13..2025-01-14 20.10"], "2025-01-14");
}

#[test]
fn a_balance_that_is_not_above_zero_earns_nothing_and_its_days_are_done() {
    let rates = published("1", "2025-01-31", &[]);
    for balance in ["0.00", "-1000.00"] {
        let accrual = accrue(&due("2025-01-12", balance, &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 15));
        assert_told(&accrual, &[], "2025-01-14");
    }
    let filled = due("2024-12-12", "0.00", &[("2025-01-12", "1000.00")]);
    let accrual = accrue(&filled, &rates, DayCount::Calendar, date!(2025 - 01 - 15));
    assert_told(&accrual, &["2025-01-13..2025-01-14 20.10"], "2025-01-14");
}

#[test]
fn a_last_period_too_small_for_a_cent_grows_until_it_pays() {
    // 0.05 % of 3.00 a day is 0.0015; the fourth day makes it 0.006.
    let rates = published("0.05", "2025-01-31", &[]);
    let mut due = due("2025-01-12", "3.00", &[]);
    for today in [date!(2025 - 01 - 14), date!(2025 - 01 - 15), date!(2025 - 01 - 16)] {
        let accrual = accrue(&due, &rates, DayCount::Calendar, today);
        assert_told(&accrual, &[], "2025-01-12");
        due = after(&due, &accrual);
    }
    let accrual = accrue(&due, &rates, DayCount::Calendar, date!(2025 - 01 - 17));
    assert_told(&accrual, &["2025-01-13..2025-01-16 0.01"], "2025-01-16");
    due = after(&due, &accrual);
    assert_eq!(due.balance_at_last, money("3.01"));
    assert_told(&accrue(&due, &rates, DayCount::Calendar, date!(2025 - 01 - 18)), &[], "2025-01-16");
}

#[test]
fn an_earlier_period_too_small_for_a_cent_is_passed_over() {
    let rates = published("0.05", "2025-02-28", &[]);
    let tiny = due("2025-01-30", "3.00", &[("2025-02-02", "1000.00")]);
    // 31 January is skipped because the month ends, 1 and 2 February because of the change.
    assert_told(&accrue(&tiny, &rates, DayCount::Calendar, date!(2025 - 02 - 01)), &[], "2025-01-30");
    assert_told(&accrue(&tiny, &rates, DayCount::Calendar, date!(2025 - 02 - 02)), &[], "2025-01-31");
    assert_told(&accrue(&tiny, &rates, DayCount::Calendar, date!(2025 - 02 - 03)), &[], "2025-01-31");
    let accrual = accrue(&tiny, &rates, DayCount::Calendar, date!(2025 - 02 - 04));
    assert_told(&accrual, &["2025-02-03..2025-02-03 0.50"], "2025-02-03");
}

#[test]
fn amounts_round_half_to_even() {
    let rates = published("1", "2025-01-31", &[]);
    // 1 % of 0.50 and 1.50 are half cents.
    let paid = |balance| accrue(&due("2025-01-13", balance, &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 15));
    assert_told(&paid("0.50"), &[], "2025-01-13");
    assert_told(&paid("0.51"), &["2025-01-14..2025-01-14 0.01"], "2025-01-14");
    assert_told(&paid("1.50"), &["2025-01-14..2025-01-14 0.02"], "2025-01-14");
    assert_told(&paid("2.50"), &["2025-01-14..2025-01-14 0.02"], "2025-01-14");
}

#[test]
fn days_before_the_first_rate_earn_nothing() {
    let mut rates = PublishedRates::new(SERIES_START, date!(1994 - 08 - 31));
    rates.publish(SERIES_START, "1".parse().unwrap());
    let accrual = accrue(&due("1994-05-15", "1000.00", &[]), &rates, DayCount::Calendar, date!(1994 - 07 - 06));
    // 5 July waits; July's period begins on the first, but earns on the fourth only.
    assert_told(&accrual, &["1994-07-01..1994-07-04 10.00"], "1994-07-04");
}

#[test]
fn nothing_is_paid_without_rates_or_with_rates_that_begin_too_late() {
    let due = due("2025-01-12", "1000.00", &[]);
    let today = date!(2025 - 01 - 15);
    let empty = PublishedRates::new(date!(2024 - 01 - 01), date!(2025 - 01 - 14));
    assert_told(&accrue(&due, &empty, DayCount::Calendar, today), &[], "2025-01-12");
    let all = published("1", "2025-01-14", &[]);
    let enough = due.last_yield_date.saturating_sub(Duration::days(LOOK_BACK_DAYS));
    let reaching = accrue(&due, &all.part(enough, today), DayCount::Calendar, today);
    assert_told(&reaching, &["2025-01-13..2025-01-14 20.10"], "2025-01-14");
    let late = accrue(&due, &all.part(day_after(enough), today), DayCount::Calendar, today);
    assert_told(&late, &[], "2025-01-12");
}

#[test]
fn payment_stops_before_a_value_that_cannot_be_believed() {
    let mut rates = published("1", "2025-01-31", &[]);
    rates.distrust(date!(2025 - 01 - 15));
    let accrual = accrue(&due("2025-01-12", "1000.00", &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 20));
    assert_told(&accrual, &["2025-01-13..2025-01-14 20.10"], "2025-01-14");
    // It also stops if that value would have to fill the first day's gap.
    rates.distrust(date!(2025 - 01 - 17));
    let accrual = accrue(&due("2025-01-17", "1000.00", &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 22));
    assert_told(&accrual, &[], "2025-01-17");
}

#[test]
fn an_amount_no_transaction_can_hold_is_left_due() {
    let rates = published("100", "2025-01-31", &[]);
    let accrual = accrue(&due("2025-01-12", "9999999999.99", &[]), &rates, DayCount::Calendar, date!(2025 - 01 - 15));
    assert_told(&accrual, &[], "2025-01-12");
}

#[test]
fn thirty_years_accrue_without_growing_slow() {
    let mut rates = PublishedRates::new(SERIES_START, date!(2025 - 12 - 31));
    for date in days(SERIES_START, date!(2025 - 12 - 31)).filter(|date| weekday(*date)) {
        rates.publish(date, "0.045513".parse().unwrap());
    }
    let accrual = accrue(&due("1994-07-31", "1000.00", &[]), &rates, DayCount::Business, date!(2026 - 01 - 01));
    assert_eq!(accrual.postings.len(), 31 * 12 + 5);
    assert_eq!(accrual.done_until, date!(2025 - 12 - 31));
}

/// Rates on some of the days from 2 December 2024 to 30 January 2025, some of them not trusted.
fn some_rates() -> impl Strategy<Value = PublishedRates> {
    let published = prop::option::weighted(0.7, 0..2_000_000_u32);
    (prop::collection::vec(published, 60), prop::option::weighted(0.1, 0..60_i64)).prop_map(|(days, untrusted)| {
        let nth = |day: i64| date!(2024 - 12 - 02).saturating_add(Duration::days(day));
        let mut rates = PublishedRates::new(date!(2024 - 10 - 01), date!(2025 - 01 - 31));
        for (day, millionths) in (0..).zip(days) {
            if let Some(millionths) = millionths {
                let rate: Rate = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000).parse().unwrap();
                rates.publish(nth(day), rate);
            }
        }
        if let Some(day) = untrusted {
            rates.distrust(nth(day));
        }
        rates
    })
}

fn some_due() -> impl Strategy<Value = YieldDue> {
    let changes = prop::collection::vec((0..60_i64, -20_000..40_000_i128), 0..8);
    (0..55_i64, -1_000..100_000_i128, 1..=1000_i128, changes).prop_map(|(last, balance, percent, changes)| {
        let nth = |day: i64| date!(2024 - 12 - 01).saturating_add(Duration::days(day));
        let mut by_date: BTreeMap<Date, Money> = BTreeMap::new();
        for (day, change) in changes {
            *by_date.entry(nth(last + 1 + day)).or_default() += Money::from_cents(change);
        }
        YieldDue {
            account_id: AccountId(1),
            last_yield_date: nth(last),
            rule: Rule::Cdi(Percentage::whole(percent)),
            day_count: None,
            balance_at_last: Money::from_cents(balance),
            changes: by_date,
        }
    })
}

fn some_day_count() -> impl Strategy<Value = DayCount> {
    prop_oneof![Just(DayCount::Calendar), Just(DayCount::Business)]
}

proptest! {
    /// Holds for any number of calls that the days are spread over, and for any rates known at each.
    #[test]
    fn no_day_counts_twice(
        start in some_due(), rates in some_rates(), day_count in some_day_count(),
        calls in prop::collection::vec((0..66_i64, 0..66_i64), 1..12),
    ) {
        let mut due = start.clone();
        let mut paid: Vec<YieldPosting> = Vec::new();
        for (today, known) in calls {
            let today = date!(2024-12-01).saturating_add(Duration::days(today));
            let known = rates.part(rates.first(), date!(2024-12-01).saturating_add(Duration::days(known)));
            let accrual = accrue(&due, &known, day_count, today);
            prop_assert!(accrual.done_until >= due.last_yield_date, "what is done stays done");
            prop_assert!(accrual.done_until == due.last_yield_date || accrual.done_until < today);
            due = after(&due, &accrual);
            paid.extend(&accrual.postings);
        }
        let mut before = start.last_yield_date;
        for posting in &paid {
            prop_assert!(before < posting.first_day && posting.first_day <= posting.last_day);
            before = posting.last_day;
        }
        prop_assert!(before <= due.last_yield_date);
    }

    #[test]
    fn a_period_has_one_balance_in_one_month_and_pays_the_formula(
        due in some_due(), rates in some_rates(), day_count in some_day_count(), today in 0..66_i64,
    ) {
        let today = date!(2024-12-01).saturating_add(Duration::days(today));
        let accrual = accrue(&due, &rates, day_count, today);
        let horizon = rates.payable_until(due.rates_from(), day_before(today));
        for (at, posting) in accrual.postings.iter().enumerate() {
            prop_assert!(Some(posting.last_day) <= horizon);
            prop_assert!(Month::of(posting.first_day).contains(posting.last_day));
            let changes = due.changes.range(posting.first_day..posting.last_day);
            prop_assert!(changes.into_iter().all(|(_, change)| *change == Money::ZERO));
            let earlier: Money = accrual.postings[..at].iter().map(|posting| posting.amount).sum();
            let changed: Money = due.changes.range(..posting.first_day).map(|(_, change)| *change).sum();
            let balance = due.balance_at_last + earlier + changed;
            let expected = formula(&due, &rates, day_count, balance, (posting.first_day, posting.last_day));
            prop_assert_eq!(posting.amount, expected);
            prop_assert!(posting.amount > Money::ZERO);
        }
    }

    /// Either every payable day is done, or the days left are one period that still rounds to nothing.
    #[test]
    fn no_payable_day_is_forgotten(
        due in some_due(), rates in some_rates(), day_count in some_day_count(), today in 0..66_i64,
    ) {
        let today = date!(2024-12-01).saturating_add(Duration::days(today));
        let left = after(&due, &accrue(&due, &rates, day_count, today));
        let horizon = rates.payable_until(due.rates_from(), day_before(today));
        if let Some(horizon) = horizon.filter(|horizon| *horizon > left.last_yield_date) {
            let period = (day_after(left.last_yield_date), horizon);
            prop_assert!(left.balance_at_last > Money::ZERO);
            prop_assert_eq!(formula(&left, &rates, day_count, left.balance_at_last, period), Money::ZERO);
        }
        prop_assert_eq!(accrue(&left, &rates, day_count, today).done_until, left.last_yield_date, "nothing more to do");
    }
}

#[test]
fn a_posting_is_an_income_of_the_account_on_the_last_day() {
    let (first_day, last_day) = (date!(2026 - 05 - 01), date!(2026 - 05 - 09));
    let posting = YieldPosting { label: "CDI", first_day, last_day, amount: Money::from_cents(123) };
    let stored = posting.transaction(AccountId(7));
    assert_eq!((stored.kind, stored.source, stored.date), (Kind::Income, Source::Yield, last_day));
    assert_eq!((stored.account_id, stored.amount), (Some(AccountId(7)), Money::from_cents(123)));
    assert_eq!(stored.description, "Rendimento CDI 01/05/2026 a 09/05/2026");
}
