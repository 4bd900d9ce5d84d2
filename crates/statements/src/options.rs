//! What the caller knows about a file that the file may not say.

use std::convert::Infallible;
use std::str::FromStr;

use time::Date;

use crate::date::ymd;
use crate::{Error, Format};

/// What the caller knows about a file; nothing has to be known.
///
/// Everything but `format`, `skip_negative`, `all_expenses` and `rows_max` is for CSV, and ignored for OFX.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The kind of file; found from its bytes where none is given.
    pub format: Option<Format>,
    /// The character between two fields.
    pub separator: Option<char>,
    /// The decimal mark, `,` or `.`.
    pub decimal_separator: Option<char>,
    /// How dates are written.
    pub date_format: Option<DateFormat>,
    /// The column of the date.
    pub date_column: Option<Column>,
    /// The column of the description.
    pub description_column: Option<Column>,
    /// The column of the amount; its sign is taken as written, even in a card export.
    pub amount_column: Option<Column>,
    /// Leaves out the rows the file writes with a negative amount, and lists them as rejected.
    pub skip_negative: bool,
    /// Makes every row money that went out.
    pub all_expenses: bool,
    /// Transactions at the most, and rejected lines at the most.
    pub rows_max: Option<usize>,
}

/// A column of a file, by its place or its name.
///
/// ```
/// use finance_statements::Column;
///
/// assert_eq!("2".parse(), Ok(Column::Number(2)));
/// assert_eq!(" Valor ".parse(), Ok(Column::Name("Valor".to_string())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Its place, from 1.
    Number(usize),
    /// Its header; case, accents and blanks do not count.
    Name(String),
}

impl FromStr for Column {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        Ok(match text.parse() {
            Ok(number) if number > 0 => Column::Number(number),
            _ => Column::Name(text.to_string()),
        })
    }
}

/// How dates are written: `dd/mm/yyyy`, `yyyymmdd`, `dd-mm-yy`.
///
/// The letters are `dd`, `mm` and `yy` or `yyyy` (`aa` and `aaaa` too), each once; anything but letters and digits may stand between
/// them. Two-digit years are 2000 to 2069 and 1970 to 1999.
///
/// ```
/// use finance_statements::DateFormat;
///
/// assert!("dd/mm/yyyy".parse::<DateFormat>().is_ok());
/// assert!("dd/mm".parse::<DateFormat>().is_err());
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

/// Characters in a date format at the most.
const DATE_FORMAT_CHARS_MAX: usize = 32;

impl FromStr for DateFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let invalid = || Error::Option {
            name: "date_format",
            message: "O formato de data deve ter dia, mês e ano, como dd/mm/yyyy, dd/mm/yy ou yyyymmdd.".to_string(),
        };
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
            && count(|part| matches!(part, Part::YearOfFour | Part::YearOfTwo)) == 1;
        if complete { Ok(DateFormat { parts }) } else { Err(invalid()) }
    }
}

impl DateFormat {
    /// The date at the start of the text; a time may follow.
    pub(crate) fn read(&self, text: &str) -> Option<Date> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let mut rest = text.trim();
        for (at, part) in self.parts.iter().enumerate() {
            // A day or month of one digit can be told only where no digit may follow.
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
                Part::Day => day = number,
                Part::Month => month = number,
                Part::YearOfFour => year = number,
                Part::YearOfTwo => year = crate::date::full_year(number),
            }
        }
        if rest.starts_with(|next: char| next.is_ascii_digit()) { None } else { ymd(year, month, day) }
    }
}

/// The number the text starts with, of that many digits, and what follows.
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
        format.parse::<DateFormat>().unwrap().read(text)
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
        assert_eq!(read("ddmmyy", "010226"), day);
        assert_eq!(read("dd/mm/yyyy", "01/02/2026 13:45:10"), day);
        assert_eq!(read("yyyy-mm-dd", "2026-02-01T13:45:10-03:00"), day);
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
    fn a_format_without_day_month_or_year_is_refused() {
        for format in ["", "dd/mm", "dd/mm/yyy", "d/m/yyyy", "dd/mm/yyyy/dd", "ddmmyyyyx", "dd/mm/hh", "dd1mm1yyyy"] {
            assert!(format.parse::<DateFormat>().is_err(), "{format}");
        }
        assert!("-".repeat(40).parse::<DateFormat>().is_err());
    }
}
