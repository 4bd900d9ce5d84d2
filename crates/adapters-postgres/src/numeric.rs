//! Money and percentages as NUMERIC, converted exactly, without text or floats.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::data_types::PgNumeric;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Numeric;
use finance_domain::{Error, Money, Percentage, Result};

/// A number as a BIGINT.
///
/// # Errors
///
/// [`Error::Internal`] if it is too large.
pub(crate) fn bigint<T>(number: T) -> Result<i64>
where
    i64: TryFrom<T, Error: std::error::Error + Send + Sync + 'static>,
{
    i64::try_from(number).map_err(|error| Error::Internal(Box::new(error)))
}

/// A number of each row as a BIGINT, to be bound as an array.
///
/// # Errors
///
/// As [`bigint`].
pub(crate) fn bigints<'a, R, T>(rows: &'a [R], number: impl Fn(&'a R) -> T) -> Result<Vec<i64>>
where
    i64: TryFrom<T, Error: std::error::Error + Send + Sync + 'static>,
{
    rows.iter().map(|row| bigint(number(row))).collect()
}

/// A NUMERIC of two decimals, as hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Numeric)]
pub(crate) struct Hundredths(i128);

impl From<Money> for Hundredths {
    fn from(money: Money) -> Self {
        Hundredths(money.cents())
    }
}

impl From<Hundredths> for Money {
    fn from(value: Hundredths) -> Self {
        Money::from_cents(value.0)
    }
}

impl From<Percentage> for Hundredths {
    fn from(percentage: Percentage) -> Self {
        Hundredths(percentage.hundredths())
    }
}

impl From<Hundredths> for Percentage {
    fn from(value: Hundredths) -> Self {
        Percentage::from_hundredths(value.0)
    }
}

impl ToSql<Numeric, Pg> for Hundredths {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        // PostgreSQL's digits have base 10,000. The last one holds the decimals.
        let mut rest = self.0.unsigned_abs() * 100;
        let mut digits = Vec::with_capacity(6);
        while rest > 0 {
            digits.push((rest % 10_000) as i16);
            rest /= 10_000;
        }
        digits.reverse();
        let weight = i16::try_from(digits.len())? - 2;
        let numeric = if self.0 < 0 {
            PgNumeric::Negative { weight, scale: 2, digits }
        } else {
            PgNumeric::Positive { weight, scale: 2, digits }
        };
        ToSql::<Numeric, Pg>::to_sql(&numeric, &mut out.reborrow())
    }
}

impl FromSql<Numeric, Pg> for Hundredths {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let (sign, weight, digits) = match PgNumeric::from_sql(value)? {
            PgNumeric::Positive { weight, digits, .. } => (1, weight, digits),
            PgNumeric::Negative { weight, digits, .. } => (-1, weight, digits),
            other => return Err(format!("not a number of two decimals: {other:?}").into()),
        };
        let mut ten_thousandths: i128 = 0;
        for place in (-1..=weight.max(-1)).rev() {
            let digit = usize::try_from(weight - place).ok().and_then(|at| digits.get(at)).copied().unwrap_or(0);
            ten_thousandths = ten_thousandths
                .checked_mul(10_000)
                .and_then(|value| value.checked_add(i128::from(digit)))
                .ok_or("a number beyond any amount of money")?;
        }
        let places = usize::try_from(weight + 2).unwrap_or(0);
        if ten_thousandths % 100 != 0 || digits.iter().skip(places).any(|digit| *digit != 0) {
            return Err("a number of more than two decimals".into());
        }
        Ok(Hundredths(sign * ten_thousandths / 100))
    }
}
