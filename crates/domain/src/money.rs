//! Money and percentages as exact decimals of two places.
//!
//! Both are stored as integers of hundredths: addition is exact, comparison is cheap, and no binary
//! float is involved. Rates with more places are [`BigDecimal`]s, which become money only through
//! [`Money::round`].

use std::fmt;
use std::iter::Sum;
use std::num::{NonZeroI128, NonZeroU32};
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive};

use crate::violations::{Param, Violation};

/// A signed amount of money in the profile's only currency, exact to the cent.
///
/// A sum of transaction amounts, however many, cannot overflow it.
///
/// ```
/// use finance_domain::Money;
///
/// let balance: Money = ["1200.00", "-45.9"].iter().map(|text| text.parse::<Money>().unwrap()).sum();
/// assert_eq!(balance.to_string(), "1154.10");
/// assert_eq!("-0".parse(), Ok(Money::ZERO));
/// assert!("NaN".parse::<Money>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i128);

impl Money {
    /// Zero.
    pub const ZERO: Money = Money(0);
    /// The largest amount of one transaction or budget: 9999999999.99, the largest value of `NUMERIC(12,2)`.
    pub const TRANSACTION_MAX: Money = Money(999_999_999_999);

    /// An amount of that many cents.
    pub const fn from_cents(cents: i128) -> Self {
        Money(cents)
    }

    /// The amount as cents.
    pub const fn cents(self) -> i128 {
        self.0
    }

    /// The amount as a decimal of two places, for arithmetic with rates.
    pub fn to_decimal(self) -> BigDecimal {
        BigDecimal::new(BigInt::from(self.0), 2)
    }

    /// `part` of `whole` equal parts of the amount, rounded half-even to cents; with a `part` of 1 the mean of a sum of `whole` amounts.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    ///
    /// use finance_domain::Money;
    ///
    /// let of = |cents, part, whole| Money::from_cents(cents).share(part, NonZeroU32::new(whole).unwrap()).cents();
    /// assert_eq!((of(100, 1, 3), of(100, 2, 3)), (33, 67));
    /// assert_eq!((of(5, 1, 2), of(7, 1, 2), of(-5, 1, 2)), (2, 4, -2));
    /// ```
    pub fn share(self, part: u32, whole: NonZeroU32) -> Self {
        // Amounts beyond i128 are saturated, as in `round`.
        Money(divided(self.0.saturating_mul(part.into()), whole.into()))
    }

    /// Rounds half-even to cents.
    ///
    /// ```
    /// use finance_domain::Money;
    ///
    /// let round = |text: &str| Money::round(&text.parse().unwrap()).to_string();
    /// assert_eq!(round("0.125"), "0.12");
    /// assert_eq!(round("0.135"), "0.14");
    /// assert_eq!(round("-0.125"), "-0.12");
    /// ```
    pub fn round(value: &BigDecimal) -> Self {
        let rounded = value.with_scale_round(2, RoundingMode::HalfEven);
        let (cents, _) = rounded.into_bigint_and_scale();
        // Amounts beyond i128 exceed 10^36 units of the currency. Saturating avoids a panic.
        Money(cents.to_i128().unwrap_or(if cents.sign() == bigdecimal::num_bigint::Sign::Minus {
            i128::MIN
        } else {
            i128::MAX
        }))
    }

    /// The absolute amount.
    pub const fn abs(self) -> Self {
        Money(self.0.abs())
    }

    /// Checks that this is a balance that a transaction can make: at most [`Money::TRANSACTION_MAX`] from zero.
    ///
    /// # Errors
    ///
    /// [`Violation::TooFarFromZero`].
    pub fn stated_balance(self) -> Result<Self, Violation> {
        if self.abs() > Money::TRANSACTION_MAX {
            return Err(Violation::TooFarFromZero { max: Money::TRANSACTION_MAX.into() });
        }
        Ok(self)
    }

    /// Checks that this is a valid transaction amount: above zero, and at most [`Money::TRANSACTION_MAX`].
    ///
    /// # Errors
    ///
    /// [`Violation::NotPositive`] or [`Violation::TooLarge`].
    pub fn transaction_amount(self) -> Result<Self, Violation> {
        if self <= Money::ZERO {
            Err(Violation::NotPositive)
        } else if self > Money::TRANSACTION_MAX {
            Err(Violation::TooLarge { max: Money::TRANSACTION_MAX.into() })
        } else {
            Ok(self)
        }
    }
}

impl From<Money> for Param {
    fn from(amount: Money) -> Self {
        Param::Text(amount.to_string())
    }
}

impl Add for Money {
    type Output = Money;
    fn add(self, other: Money) -> Money {
        Money(self.0 + other.0)
    }
}

impl Sub for Money {
    type Output = Money;
    fn sub(self, other: Money) -> Money {
        Money(self.0 - other.0)
    }
}

impl Neg for Money {
    type Output = Money;
    fn neg(self) -> Money {
        Money(-self.0)
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Money) {
        self.0 += other.0;
    }
}

impl SubAssign for Money {
    fn sub_assign(&mut self, other: Money) {
        self.0 -= other.0;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Money>>(amounts: I) -> Money {
        amounts.fold(Money::ZERO, Add::add)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

impl FromStr for Money {
    type Err = Violation;

    /// Reads a decimal number as JSON writes it: `12`, `12.5`, `-12.50`, `1.25e1`.
    ///
    /// # Errors
    ///
    /// [`Violation::NotANumber`], [`Violation::TooManyDecimals`] or [`Violation::NumberOutOfRange`].
    fn from_str(text: &str) -> Result<Self, Violation> {
        hundredths(text).map(Money)
    }
}

/// A percentage with at most two decimals: `110.5` is 110.5 %.
///
/// ```
/// use finance_domain::Percentage;
///
/// assert_eq!(Percentage::ratio(1, 3).map(|third| third.to_string()).as_deref(), Some("33.33"));
/// assert_eq!("100.00".parse::<Percentage>().unwrap().to_string(), "100", "as short as it can be");
/// assert_eq!(Percentage::ratio(1, 0), None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percentage(i128);

impl Percentage {
    /// That many whole percent.
    pub const fn whole(percent: i128) -> Self {
        Percentage(percent * 100)
    }

    /// That many hundredths of a percent.
    pub const fn from_hundredths(hundredths: i128) -> Self {
        Percentage(hundredths)
    }

    /// The percentage in hundredths of a percent.
    pub const fn hundredths(self) -> i128 {
        self.0
    }

    /// The percentage as a decimal of two places.
    pub fn to_decimal(self) -> BigDecimal {
        BigDecimal::new(BigInt::from(self.0), 2)
    }

    /// 100 × part / whole, rounded half-even to two decimals. None if `whole` is zero.
    pub fn ratio(part: i128, whole: i128) -> Option<Self> {
        Some(Percentage(divided(part.checked_mul(10_000)?, NonZeroI128::new(whole)?)))
    }
}

/// `part` / `whole`, rounded half-even.
fn divided(part: i128, whole: NonZeroI128) -> i128 {
    let whole = whole.get();
    let (quotient, remainder) = (part.div_euclid(whole), part.rem_euclid(whole).unsigned_abs());
    // rem_euclid is never negative. If `whole` is negative, div_euclid rounds up instead of down.
    let step = whole.signum();
    let away = match remainder.cmp(&(whole.unsigned_abs() - remainder)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Greater => step,
        std::cmp::Ordering::Equal => step * (quotient & 1),
    };
    quotient + away
}

impl fmt::Display for Percentage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        match rest {
            0 => write!(f, "{sign}{whole}"),
            rest if rest % 10 == 0 => write!(f, "{sign}{whole}.{}", rest / 10),
            rest => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

impl FromStr for Percentage {
    type Err = Violation;

    /// Reads a decimal number as JSON writes it.
    ///
    /// # Errors
    ///
    /// [`Violation::NotANumber`], [`Violation::TooManyDecimals`] or [`Violation::NumberOutOfRange`].
    fn from_str(text: &str) -> Result<Self, Violation> {
        hundredths(text).map(Percentage)
    }
}

/// The most significant digits of a number. It limits the work that an input can cause.
const DIGITS_MAX: usize = 30;

/// Reads a number such as `-12.345e-6` exactly, as hundredths. The work is bounded, even for an exponent of a billion.
fn hundredths(text: &str) -> Result<i128, Violation> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return Err(Violation::NotANumber),
        None => (mantissa, ""),
    };
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(Violation::NotANumber);
    }
    let digits = format!("{whole}{fraction}");
    let fraction_len = i64::try_from(fraction.len()).map_err(|_| Violation::NumberOutOfRange)?;
    let trimmed = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - trimmed.len()).map_err(|_| Violation::NumberOutOfRange)?;
    let significant = trimmed.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // value = significant × 10^shift hundredths
    let shift = exponent - fraction_len + zeros + 2;
    if shift < 0 {
        return Err(Violation::TooManyDecimals);
    }
    let shift = usize::try_from(shift).map_err(|_| Violation::NumberOutOfRange)?;
    if significant.len().saturating_add(shift) > DIGITS_MAX {
        return Err(Violation::NumberOutOfRange);
    }
    let mut value: i128 = significant.parse().map_err(|_| Violation::NumberOutOfRange)?;
    for _ in 0..shift {
        value *= 10;
    }
    Ok(if negative { -value } else { value })
}

/// The exponent, saturated so that the arithmetic above cannot overflow.
fn parse_exponent(text: &str) -> Result<i64, Violation> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Violation::NotANumber);
    }
    let value = digits.parse::<i64>().unwrap_or(i64::MAX).min(1_000_000_000);
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        let cases: &[(&str, Result<i128, Violation>)] = &[
            ("0", Ok(0)),
            ("-0.00", Ok(0)),
            ("12", Ok(1200)),
            ("12.3", Ok(1230)),
            ("12.34", Ok(1234)),
            ("12.3400", Ok(1234)),
            ("-12.34", Ok(-1234)),
            ("1e2", Ok(10_000)),
            ("1.25E+1", Ok(1250)),
            ("125e-1", Ok(1250)),
            ("1e-2", Ok(1)),
            ("0e999999999999", Ok(0)),
            ("1e-3", Err(Violation::TooManyDecimals)),
            ("12.345", Err(Violation::TooManyDecimals)),
            ("1e999999999999", Err(Violation::NumberOutOfRange)),
            ("1e-999999999999", Err(Violation::TooManyDecimals)),
            ("99999999999999999999999999999999999", Err(Violation::NumberOutOfRange)),
            ("", Err(Violation::NotANumber)),
            ("-", Err(Violation::NotANumber)),
            ("--1", Err(Violation::NotANumber)),
            (".5", Err(Violation::NotANumber)),
            ("5.", Err(Violation::NotANumber)),
            ("1,50", Err(Violation::NotANumber)),
            (" 1", Err(Violation::NotANumber)),
            ("1e", Err(Violation::NotANumber)),
            ("Infinity", Err(Violation::NotANumber)),
        ];
        for (text, expected) in cases {
            assert_eq!(hundredths(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_percentage_rounds_half_to_even_on_both_sides_of_zero() {
        for (part, whole, expected) in [
            (1, 8, "12.5"),
            (1, 80_000, "0"),
            (3, 80_000, "0"),
            (-3, 80_000, "0"),
            (2, 3, "66.67"),
            (-2, 3, "-66.67"),
            (2, -3, "-66.67"),
            (1, 20_000, "0"),
            (3, 20_000, "0.02"),
            (-3, 20_000, "-0.02"),
            (5, 20_000, "0.02"),
        ] {
            let ratio = Percentage::ratio(part, whole).map(|value| value.to_string());
            assert_eq!(ratio.as_deref(), Some(expected), "{part}/{whole}");
        }
    }

    proptest! {
        #[test]
        fn money_reads_back_what_it_writes(cents in -10_i128.pow(20)..10_i128.pow(20)) {
            let money = Money::from_cents(cents);
            prop_assert_eq!(money.to_string().parse(), Ok(money));
        }

        #[test]
        fn a_ratio_agrees_with_decimal_arithmetic(part in -10_i128.pow(14)..10_i128.pow(14), whole in 1..10_i128.pow(14)) {
            let exact = BigDecimal::from(part * 100) / BigDecimal::from(whole);
            let ratio = Percentage::ratio(part, whole).map(|value| value.0);
            prop_assert_eq!(ratio, Some(Money::round(&exact).cents()));
        }

        #[test]
        fn a_share_agrees_with_decimal_arithmetic(cents in -10_i128.pow(16)..10_i128.pow(16), part in 0..5_000_u32, whole in 1..5_000_u32) {
            let exact = Money(cents).to_decimal() * BigDecimal::from(part) / BigDecimal::from(whole);
            let whole = NonZeroU32::new(whole).unwrap();
            prop_assert_eq!(Money(cents).share(part, whole), Money::round(&exact));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "[-+0-9.eE]{0,40}") {
            let _ = hundredths(&text);
        }
    }
}
