//! How balances earn day by day, and what a period earns.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, One, RoundingMode};
use time::Date;

use super::compounding::{DayCount, compound, compound_share};
use super::rates::PublishedRates;
use super::series::{Rates, Series};
use crate::money::{Money, Percentage};
use crate::month::Month;

/// Business days of a year, for annual rates.
pub const YEAR_BUSINESS_DAYS: u32 = 252;

/// Decimals to which a root is computed: many more than could affect a cent of the largest amount.
const ROOT_DECIMALS: i64 = 40;
/// The most steps to find a root. Ten are enough for any rate.
const ROOT_STEPS_MAX: u32 = 200;

/// How an account earns on its balance of each day.
///
/// The business days for an annual rate are the days on which a CDI rate was published; for [`Rule::Selic`], a Selic rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A percentage of the CDI rate.
    Cdi(Percentage),
    /// An annual rate.
    Fixed(Percentage),
    /// The price index IPCA, plus an annual rate on top.
    Ipca(Percentage),
    /// The Selic rate, plus an annual rate on top.
    Selic(Percentage),
}

impl Rule {
    /// The series whose dates decide which days are paid and which wait.
    pub fn daily_series(self) -> Series {
        match self {
            Rule::Cdi(_) | Rule::Fixed(_) | Rule::Ipca(_) => Series::Cdi,
            Rule::Selic(_) => Series::Selic,
        }
    }

    /// The name of the rule in descriptions.
    pub fn label(self) -> &'static str {
        match self {
            Rule::Cdi(_) => "CDI",
            Rule::Fixed(_) => "prefixado",
            Rule::Ipca(_) => "IPCA",
            Rule::Selic(_) => "Selic",
        }
    }
}

/// What a balance earns over days that compound to `factor`: balance × (factor − 1) × percentage / 100, rounded half-even to
/// cents. A balance that is not above zero earns nothing.
///
/// ```
/// use finance_domain::yields::yield_amount;
/// use finance_domain::{Money, Percentage};
///
/// let january = "1.010132013564149152".parse().unwrap();
/// let earns = |cents, percent| yield_amount(Money::from_cents(cents), &january, Percentage::whole(percent)).to_string();
/// assert_eq!(earns(1000_00, 100), "10.13");
/// assert_eq!(earns(1000_00, 110), "11.15");
/// assert_eq!(earns(-1000_00, 100), "0.00");
/// // Halves go to the even cent: 1 % of 0.50 is 0.005, and of 1.50 is 0.015.
/// let one_percent = "1.01".parse().unwrap();
/// let earns = |cents| yield_amount(Money::from_cents(cents), &one_percent, Percentage::whole(100)).to_string();
/// assert_eq!((earns(50), earns(150)), ("0.00".into(), "0.02".into()));
/// ```
pub fn yield_amount(balance: Money, factor: &BigDecimal, percentage: Percentage) -> Money {
    if balance <= Money::ZERO {
        return Money::ZERO;
    }
    let hundredth = BigDecimal::new(1.into(), 2);
    Money::round(&(balance.to_decimal() * (factor - BigDecimal::one()) * percentage.to_decimal() * hundredth))
}

/// What a balance above zero earns by a rule in a period, which lies in one month. None if it has to wait for a rate.
/// `payable_until` is the last day that rates allow to be paid.
pub(super) fn period_amount(
    rule: Rule,
    rates: &Rates,
    day_count: DayCount,
    balance: Money,
    (first, last): (Date, Date),
    payable_until: Date,
) -> Option<Money> {
    let all = Percentage::whole(100);
    let daily = rates.of(rule.daily_series())?;
    Some(match rule {
        Rule::Cdi(percentage) if day_count == DayCount::Business && percentage != all => {
            yield_amount(balance, &compound_share(daily, percentage, first, last), all)
        }
        Rule::Cdi(percentage) => yield_amount(balance, &compound(daily, day_count, first, last), percentage),
        Rule::Fixed(rate) => yield_amount(balance, &annual(rate, daily.count(first, last)), all),
        Rule::Selic(rate) => {
            let factor = compound(daily, DayCount::Business, first, last) * annual(rate, daily.count(first, last));
            yield_amount(balance, &factor, all)
        }
        Rule::Ipca(rate) => {
            let month = Month::of(first);
            if payable_until < month.last_day() && !is_before_index(month) {
                return None;
            }
            let (days, month_days) = (daily.count(first, last), daily.count(month.first_day(), month.last_day()));
            let index = match is_before_index(month) {
                true => BigDecimal::one(),
                false => power(&rates.of(Series::Ipca)?.on(month.first_day())?.factor(), days, month_days),
            };
            yield_amount(balance, &(index * annual(rate, days)), all)
        }
    })
}

/// Whether a month is before the first one of the price index in today's currency.
fn is_before_index(month: Month) -> bool {
    month.first_day() < Series::Ipca.start()
}

/// The factor by which an annual rate multiplies a balance in a number of business days.
///
/// ```
/// use finance_domain::Percentage;
/// use finance_domain::yields::annual;
///
/// let factor = |days| annual(Percentage::whole(12), days).round(8).to_string();
/// assert_eq!((factor(252), factor(126), factor(0)), ("1.12000000".into(), "1.05830052".into(), "1.00000000".into()));
/// ```
pub fn annual(rate: Percentage, business_days: u32) -> BigDecimal {
    let year = BigDecimal::one() + rate.to_decimal() * BigDecimal::new(1.into(), 2);
    power(&year, business_days, YEAR_BUSINESS_DAYS)
}

/// `base` to the power `numerator / denominator`, to [`ROOT_DECIMALS`]. `base` is above zero. The result is 1 if either number is
/// zero.
fn power(base: &BigDecimal, numerator: u32, denominator: u32) -> BigDecimal {
    if numerator == 0 || denominator == 0 {
        return BigDecimal::one();
    }
    if numerator == denominator {
        return base.clone();
    }
    whole_power(&root(base, denominator), numerator)
}

/// The root by Newton's method. It starts above the root, so every step comes closer.
fn root(base: &BigDecimal, degree: u32) -> BigDecimal {
    let count = BigDecimal::from(degree);
    // At least the root, by Bernoulli's inequality.
    let mut guess = rounded(BigDecimal::one() + (base - BigDecimal::one()) / &count);
    for _ in 0..ROOT_STEPS_MAX {
        let below = whole_power(&guess, degree - 1);
        let step = rounded((&below * &guess - base) / (&count * below));
        if step <= BigDecimal::new(BigInt::one(), ROOT_DECIMALS - 2) {
            break;
        }
        guess = rounded(guess - step);
    }
    guess
}

fn whole_power(base: &BigDecimal, exponent: u32) -> BigDecimal {
    let (mut left, mut square, mut product) = (exponent, base.clone(), BigDecimal::one());
    while left > 0 {
        if left & 1 == 1 {
            product = rounded(product * &square);
        }
        left >>= 1;
        if left > 0 {
            square = rounded(&square * &square);
        }
    }
    product
}

fn rounded(value: BigDecimal) -> BigDecimal {
    value.with_scale_round(ROOT_DECIMALS, RoundingMode::HalfEven)
}

impl PublishedRates {
    /// How many of the days from `first` to `last` have a rate.
    fn count(&self, first: Date, last: Date) -> u32 {
        self.part(first, last).len().try_into().unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests;
