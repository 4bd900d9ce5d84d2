//! The recognized layout of a file, for a caller that shows it and may correct it.

use super::dates::Dates;
use super::header::{Amount, Plan};
use super::source::Source;
use super::split::{Record, Records};
use crate::amount::Decimal;
use crate::{CardSign, CsvLayout};

/// The number of lines shown.
const SAMPLE_LINES: usize = 5;

/// The layout of a file that was read with this plan.
pub(super) fn layout(
    source: &Source<'_>,
    plan: &Plan,
    dates: &Dates<'_>,
    decimal: Decimal,
    sign: Option<CardSign>,
) -> CsvLayout {
    let mut records = Records::watched(source, plan.separator, plan.start);
    let mut record = Record::default();
    let (mut sample, mut date_format) = (Vec::new(), None);
    while (sample.len() < SAMPLE_LINES || date_format.is_none()) && records.next_into(&mut record) {
        if record.is_blank() {
            continue;
        }
        if sample.len() < SAMPLE_LINES {
            sample.push(record.shown());
        }
        date_format = date_format.or_else(|| dates.written(record.cell(plan.columns.date)));
    }
    let number = |at: usize| at + 1;
    CsvLayout {
        separator: source.separator.is_none().then(|| char::from(plan.separator)),
        decimal_separator: match decimal {
            Decimal::Comma => Some(','),
            Decimal::Dot => Some('.'),
            Decimal::ByValue => None,
        },
        date_format,
        date_column: number(plan.columns.date),
        description_column: plan.columns.texts.first().copied().map(number),
        amount_column: match plan.columns.amount {
            Amount::One(at) => Some(number(at)),
            Amount::Split { .. } => None,
        },
        sign,
        headers: plan.headers.clone(),
        sample,
    }
}
