//! What the caller knows about a file.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use time::Date;

use crate::date::{latest_until, without_ordinal, ymd};
use crate::{Error, Format, OptionFault};

/// What the caller knows about a file. A value that is not set is detected.
///
/// OFX uses `format`, `on_card`, `skip_negative`, `all_expenses` and `rows_max` only.
///
/// ```
/// use finance_statements::{Column, Options, read};
///
/// let file = b"2026-01-31|12.34|Bakery|A1\n2026-02-01|-20.00|Market|A2\n";
/// let options = Options {
///     separator: Some('|'),
///     amount_column: Some(Column::Number(2)),
///     skip_negative: true,
///     ..Options::default()
/// };
/// let statement = read(file, &options)?;
/// assert_eq!((statement.rows.len(), statement.rejected.len()), (1, 1));
/// # Ok::<(), finance_statements::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format of the file. A file of the other format is refused. Spreadsheets are CSV.
    pub format: Option<Format>,
    /// The character between two fields: one ASCII character that is not a letter, digit, quote or line end. Spreadsheets have
    /// none.
    pub separator: Option<char>,
    /// The decimal separator, `,` or `.`.
    pub decimal_separator: Option<char>,
    /// How the file writes dates.
    pub date_format: Option<DateFormat>,
    /// The column of the date.
    pub date_column: Option<Column>,
    /// The column of the description.
    pub description_column: Option<Column>,
    /// The column of the amount. Without `card_sign` its sign is read as the file writes it, also in the export of a card.
    pub amount_column: Option<Column>,
    /// Whether the account is a card. An OFX file and a known layout of a CSV file may say so by themselves.
    pub on_card: bool,
    /// The sign of purchases in a card's file.
    pub card_sign: Option<CardSign>,
    /// Whether a row of a card with this text is a payment of its bill. The sign of such rows tells that of purchases.
    pub is_payment: Option<TextTest>,
    /// The latest date that a date without a year may be. A date above the headers of a CSV file comes before it.
    pub latest: Option<Date>,
    /// Whether rows that the file writes with a negative amount are rejected.
    pub skip_negative: bool,
    /// Whether every row is an expense, whatever its sign.
    pub all_expenses: bool,
    /// The most transactions, and the most rejected lines. Without it there is no limit.
    pub rows_max: Option<usize>,
}

/// The sign of purchases in a card's CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CardSign {
    /// Purchases are positive, payments and refunds negative.
    PurchasesPositive,
    /// Purchases are negative, payments and refunds positive.
    PurchasesNegative,
}

/// A question about a text that the caller answers.
#[derive(Clone)]
pub struct TextTest(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl TextTest {
    /// The question that `test` answers.
    pub fn new(test: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        TextTest(Arc::new(test))
    }

    pub(crate) fn of(&self, text: &str) -> bool {
        (self.0)(text)
    }
}

impl fmt::Debug for TextTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextTest")
    }
}

/// A column of a CSV file, by its number or its header.
///
/// ```
/// use finance_statements::Column;
///
/// assert_eq!("2".parse(), Ok(Column::Number(2)));
/// assert_eq!(" Valor ".parse(), Ok(Column::Name("Valor".to_string())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Its number, from 1. Zero is refused when a file is read.
    Number(usize),
    /// Its header. Case, accents and surrounding whitespace are ignored.
    Name(String),
}

impl FromStr for Column {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        Ok(match text.parse() {
            Ok(number) => Column::Number(number),
            _ => Column::Name(text.to_string()),
        })
    }
}

/// How a file writes dates, such as `dd/mm/yyyy`, `yyyymmdd` or `dd-mm-yy`.
///
/// It consists of `dd`, `mm`, and perhaps `yy` or `yyyy` (or `aa`, `aaaa`), each once, with any characters except letters and
/// digits between them. Two-digit years are 1970 to 2069. A date without a year is the latest such day up to
/// [`Options::latest`]. It is parsed from text.
///
/// ```
/// use finance_statements::DateFormat;
///
/// assert!("dd/mm/yyyy".parse::<DateFormat>().is_ok());
/// assert!("dd/mm".parse::<DateFormat>().is_ok());
/// assert!("mm/yyyy".parse::<DateFormat>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Day,
    Month,
    YearOfFour,
    YearOfTwo,
    Mark(char),
}

/// The most characters of a date format.
const DATE_FORMAT_CHARS_MAX: usize = 32;

impl FromStr for DateFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid = || Error::Option { name: "date_format", fault: OptionFault::InvalidDateFormat };
        let text = text.trim();
        if text.chars().nth(DATE_FORMAT_CHARS_MAX).is_some() {
            return Err(invalid());
        }
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let letter = first.to_ascii_lowercase();
            let run = rest.chars().take_while(|next| next.to_ascii_lowercase() == letter).count();
            let (part, length) = match (letter, run) {
                ('d', 2) => (Part::Day, 2),
                ('m', 2) => (Part::Month, 2),
                ('y' | 'a', 4) => (Part::YearOfFour, 4),
                ('y' | 'a', 2) => (Part::YearOfTwo, 2),
                (mark, _) if !mark.is_alphanumeric() => (Part::Mark(first), first.len_utf8()),
                _ => return Err(invalid()),
            };
            parts.push(part);
            rest = &rest[length..];
        }
        let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count();
        let complete = count(|part| *part == Part::Day) == 1
            && count(|part| *part == Part::Month) == 1
            && count(|part| matches!(part, Part::YearOfFour | Part::YearOfTwo)) <= 1;
        if complete { Ok(DateFormat { parts }) } else { Err(invalid()) }
    }
}

impl fmt::Display for DateFormat {
    /// The letters that the format is read from, in lower case and with `y` for the year.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Day => f.write_str("dd"),
            Part::Month => f.write_str("mm"),
            Part::YearOfFour => f.write_str("yyyy"),
            Part::YearOfTwo => f.write_str("yy"),
            Part::Mark(mark) => write!(f, "{mark}"),
        })
    }
}

impl DateFormat {
    /// A date in this format.
    pub(crate) fn write(&self, date: Date) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Day => format!("{:02}", date.day()),
            Part::Month => format!("{:02}", u8::from(date.month())),
            Part::YearOfFour => format!("{:04}", date.year()),
            Part::YearOfTwo => format!("{:02}", date.year() % 100),
            Part::Mark(mark) => mark.to_string(),
        });
        parts.collect()
    }

    /// Whether its dates have a year.
    pub(crate) fn has_year(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::YearOfFour | Part::YearOfTwo))
    }

    /// The date at the start of the text, in the latest year up to `latest` if the format has none. A time may follow it.
    pub(crate) fn read(&self, text: &str, latest: Option<Date>) -> Option<Date> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text.trim();
        for (at, part) in self.parts.iter().enumerate() {
            // A day or month may have a single digit only if the next part is not a digit.
            let digits_min = if matches!(self.parts.get(at + 1), None | Some(Part::Mark(_))) { 1 } else { 2 };
            let number;
            (number, rest) = match part {
                Part::Mark(mark) => (0, rest.strip_prefix(*mark)?),
                Part::YearOfFour => digits(rest, 4, 4)?,
                Part::YearOfTwo => digits(rest, 2, 2)?,
                Part::Day | Part::Month => digits(rest, digits_min, 2)?,
            };
            match part {
                Part::Mark(_) => {}
                Part::Day => (day, rest) = (number, without_ordinal(number, rest)),
                Part::Month => month = number,
                Part::YearOfFour => year = number,
                Part::YearOfTwo => year = crate::date::full_year(number),
            }
        }
        match rest.starts_with(|next: char| next.is_ascii_digit()) {
            true => None,
            false if self.has_year() => ymd(year, month, day),
            false => latest_until(month, day, latest?),
        }
    }
}

/// The number at the start of the text, of `min` to `max` digits, and the rest of the text.
fn digits(text: &str, min: usize, max: usize) -> Option<(u32, &str)> {
    let length = text.bytes().take(max).take_while(u8::is_ascii_digit).count();
    if length < min {
        return None;
    }
    Some((text[..length].parse().ok()?, &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    fn read(format: &str, text: &str) -> Option<Date> {
        format.parse::<DateFormat>().unwrap().read(text, Some(date!(2026 - 02 - 10)))
    }

    #[test]
    fn a_date_is_read_as_the_format_says() {
        let day = Some(date!(2026 - 02 - 01));
        assert_eq!(read("dd/mm/yyyy", "01/02/2026"), day);
        assert_eq!(read("mm/dd/yyyy", "02/01/2026"), day);
        assert_eq!(read("yyyymmdd", "20260201"), day);
        assert_eq!(read("dd-mm-yy", "01-02-26"), day);
        assert_eq!(read("DD.MM.AAAA", "01.02.2026"), day);
        assert_eq!(read("dd/mm/yyyy", " 1/2/2026 "), day);
        assert_eq!(read("dd/mm/yyyy", "1º/02/2026"), day);
        assert_eq!(read("ddmmyy", "010226"), day);
        assert_eq!(read("dd/mm/yyyy", "01/02/2026 13:45:10"), day);
        assert_eq!(read("yyyy-mm-dd", "2026-02-01T13:45:10-03:00"), day);
        assert_eq!(read("dd/mm", "01/02"), day);
        assert_eq!(read("dd/mm", "11/02"), Some(date!(2025 - 02 - 11)), "not after the latest date");
        assert_eq!(read("dd/mm", "29/02"), Some(date!(2024 - 02 - 29)));
    }

    #[test]
    fn a_text_that_does_not_fit_the_format_is_no_date() {
        assert_eq!(read("dd/mm/yyyy", "2026-02-01"), None);
        assert_eq!(read("dd/mm/yy", "01/02/2026"), None, "the year would be 20");
        assert_eq!(read("dd/mm/yyyy", "31/02/2026"), None);
        assert_eq!(read("dd/mm/yyyy", "00/00/0000"), None);
        assert_eq!(read("dd/mm/yyyy", ""), None);
        assert_eq!(read("dd/mm/yyyy", "á1/02/2026"), None);
    }

    #[test]
    fn a_format_without_day_or_month_is_refused() {
        for format in
            ["", "dd", "mm/yyyy", "dd/mm/yyy", "d/m/yyyy", "dd/mm/yyyy/dd", "ddmmyyyyx", "dd/mm/hh", "dd1mm1yyyy"]
        {
            assert!(format.parse::<DateFormat>().is_err(), "{format}");
        }
        assert!("-".repeat(40).parse::<DateFormat>().is_err());
    }
}
