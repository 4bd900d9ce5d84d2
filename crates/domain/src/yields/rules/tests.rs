use time::Weekday;
use time::macros::date;

use super::super::rates::Rate;
use super::*;
use crate::month::{Month, day_after, parse_date};

fn percent(text: &str) -> Percentage {
    text.parse().unwrap()
}

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// The daily rates of January 2025, as CDI and as Selic, and the index of that month, if one is given.
fn january(index: Option<&str>) -> Rates {
    let mut daily = PublishedRates::new(date!(2024 - 12 - 01), date!(2025 - 02 - 28));
    let mut day = date!(2025 - 01 - 02);
    while day <= date!(2025 - 01 - 31) {
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            let rate = if day < date!(2025 - 01 - 30) { "0.045513" } else { "0.049037" };
            daily.publish(day, rate.parse().unwrap());
        }
        day = day_after(day);
    }
    let mut ipca = PublishedRates::new(date!(2024 - 12 - 01), date!(2025 - 02 - 28));
    if let Some(index) = index {
        ipca.publish(date!(2025 - 01 - 01), Rate::signed(index).unwrap());
    }
    Rates::from_iter([(Series::Cdi, daily.clone()), (Series::Selic, daily), (Series::Ipca, ipca)])
}

/// What 1000.00 earns in a period of January 2025, once the month is over.
fn earns(rule: Rule, rates: &Rates, first: &str, last: &str) -> Option<String> {
    let period = (parse_date(first).unwrap(), parse_date(last).unwrap());
    let amount = period_amount(rule, rates, DayCount::Calendar, money("1000.00"), period, date!(2025 - 01 - 31));
    amount.map(|amount| amount.to_string())
}

/// "Metodologia de cálculo dos títulos públicos ofertados no Tesouro Direto": an LTN of 1000.00 at 27.33 % a year, 134
/// business days before it is due, costs 879.43, truncated.
#[test]
fn a_rate_a_year_is_what_the_treasury_computes() {
    let price = money("1000.00").to_decimal() / annual(percent("27.33"), 134);
    assert_eq!(price.with_scale_round(2, RoundingMode::Down).to_string(), "879.43");
}

/// The Treasury's LFT of 5 March 2024: its value of 14,541.33 at a daily factor of 1.00041957 is 14,547.43 a day later.
#[test]
fn selic_is_what_the_treasury_adds_to_the_value_of_an_lft() {
    let day = date!(2024 - 03 - 05);
    let mut daily = PublishedRates::new(day, day);
    daily.publish(day, "0.041957".parse().unwrap());
    let rates = Rates::from((Series::Selic, daily));
    let rule = Rule::Selic(Percentage::default());
    let earned = period_amount(rule, &rates, DayCount::Calendar, money("14541.33"), (day, day), day);
    assert_eq!(earned.map(|earned| (money("14541.33") + earned).to_string()), Some("14547.43".into()));
}

/// IBGE's IPCA of the months of 2024 (series 433), published as 4.83 % for the year. The rate on top of it is that of the LTN
/// above.
#[test]
fn ipca_alone_is_the_index_of_the_year() {
    let (first, last) = (date!(2024 - 01 - 01), date!(2024 - 12 - 31));
    let (mut daily, mut ipca) = (PublishedRates::new(first, last), PublishedRates::new(first, last));
    let mut day = first;
    while day <= last {
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            daily.publish(day, "0.04".parse().unwrap());
        }
        day = day_after(day);
    }
    let indexes = ["0.42", "0.83", "0.16", "0.38", "0.46", "0.21", "0.38", "-0.02", "0.44", "0.56", "0.39", "0.52"];
    let months: Vec<Month> = (1..=12).map(|month| format!("2024-{month:02}").parse().unwrap()).collect();
    for (month, index) in months.iter().zip(indexes) {
        ipca.publish(month.first_day(), Rate::signed(index).unwrap());
    }
    let rates = Rates::from_iter([(Series::Cdi, daily.clone()), (Series::Selic, daily), (Series::Ipca, ipca)]);
    let mut balance = money("1000.00");
    for month in months {
        let period = (month.first_day(), month.last_day());
        let rule = Rule::Ipca(Percentage::default());
        balance = balance + period_amount(rule, &rates, DayCount::Calendar, balance, period, last).unwrap();
    }
    assert_eq!(balance.to_string(), "1048.30");
}

#[test]
fn each_rule_earns_by_the_business_days_of_a_period() {
    let rates = january(Some("0.16"));
    let of = |rule, first, last| earns(rule, &rates, first, last).unwrap();
    for (rule, whole, first_half) in [
        (Rule::Fixed(percent("12")), "9.94", "4.51"),
        (Rule::Selic(percent("0")), "10.13", "4.56"),
        (Rule::Selic(percent("0.1")), "10.22", "4.60"),
        (Rule::Ipca(percent("6")), "6.71", "3.04"),
        (Rule::Ipca(percent("0")), "1.60", "0.73"),
    ] {
        assert_eq!(of(rule, "2025-01-01", "2025-01-31"), whole, "{rule:?}");
        // Ten business days: 2, 3, 6 to 10 and 13 to 15 January.
        assert_eq!(of(rule, "2025-01-01", "2025-01-15"), first_half, "{rule:?}");
    }
}

#[test]
fn ipca_waits_for_its_index_and_for_the_end_of_the_month() {
    let rule = Rule::Ipca(percent("6"));
    assert_eq!(earns(rule, &january(None), "2025-01-01", "2025-01-31"), None);
    let period = (date!(2025 - 01 - 01), date!(2025 - 01 - 15));
    let early = period_amount(
        rule,
        &january(Some("0.16")),
        DayCount::Calendar,
        money("1000.00"),
        period,
        date!(2025 - 01 - 30),
    );
    assert_eq!(early, None, "the month's business days are not known");
}

#[test]
fn prices_that_fall_more_than_the_rate_earns_are_a_loss() {
    assert_eq!(earns(Rule::Ipca(percent("6")), &january(Some("-0.68")), "2025-01-01", "2025-01-31").unwrap(), "-1.73");
}

#[test]
fn roots_are_exact_far_below_a_cent() {
    for (rate, days) in [("0.01", 1), ("1000", 1), ("13.75", 251), ("6.15", 5_000)] {
        let once = annual(percent(rate), days);
        let product = (0..YEAR_BUSINESS_DAYS).fold(BigDecimal::one(), |product, _| rounded(product * &once));
        let expected =
            whole_power(&(BigDecimal::one() + percent(rate).to_decimal() * BigDecimal::new(1.into(), 2)), days);
        let off = (&product / &expected - BigDecimal::one()).abs();
        assert!(off < BigDecimal::new(1.into(), 30), "{rate} over {days} days is off by {off}");
    }
}
