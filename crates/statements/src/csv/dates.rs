//! The dates of a column, and whether the day or the month comes first.

use time::Date;

use crate::amount::is_amount;
use crate::date::{self, Epoch, YEARS, full_year, latest_until, of_serial, without_ordinal, ymd};
use crate::text::fold;
use crate::{DateFormat, Options};

/// The most bytes of a time after a date.
const TIME_BYTES_MAX: usize = 40;

/// The plain numbers that are read as dates: days from 1954 to 2119, in either epoch. Other numbers are document numbers.
const SERIALS: std::ops::Range<i64> = 20_000..80_000;

/// The numbers that may be a month or a day.
const MONTHS: std::ops::RangeInclusive<u32> = 1..=12;

/// The numbers of a date, by the position of the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Year, month, day.
    YearFirst(u32, u32, u32),
    /// Day and month, in either order, and the year.
    YearLast(u32, u32, u32),
}

/// How the dates of one column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dates<'o> {
    /// The format that the caller sets.
    pub(super) format: Option<&'o DateFormat>,
    /// `mm/dd/yyyy` instead of `dd/mm/yyyy`.
    pub(super) month_first: bool,
    /// The epoch of plain numbers. None if they are not dates.
    pub(super) epoch: Option<Epoch>,
    /// The latest date that a date without a year may be. None if such a text is no date.
    pub(super) latest: Option<Date>,
}

impl Dates<'_> {
    pub(super) fn read(&self, text: &str) -> Option<Date> {
        self.read_written(text).or_else(|| self.read_serial(text))
    }

    /// A number that a spreadsheet does not mark as a date.
    fn read_serial(&self, text: &str) -> Option<Date> {
        let epoch = self.epoch?;
        let (days, time) = text.trim().split_once([',', '.']).unwrap_or((text.trim(), ""));
        let is_number = days.len() == 5 && days.bytes().chain(time.bytes()).all(|digit| digit.is_ascii_digit());
        let days = days.parse().ok().filter(|days| is_number && SERIALS.contains(days))?;
        of_serial(days, epoch)
    }

    fn read_written(&self, text: &str) -> Option<Date> {
        if let Some(format) = self.format {
            // A date of a spreadsheet has its year, whatever its texts have.
            let of_cell = if self.epoch.is_some() && !format.has_year() { date::iso(text) } else { None };
            return of_cell.or_else(|| format.read(text, self.latest));
        }
        match shape(text) {
            Some(Shape::YearFirst(year, month, day)) => ymd(year, month, day),
            Some(Shape::YearLast(month, day, year)) if self.month_first => ymd(year, month, day),
            Some(Shape::YearLast(day, month, year)) => ymd(year, month, day),
            None => {
                let (day, month) = without_year(text)?;
                latest_until(month, day, self.latest?)
            }
        }
    }

    /// The format of a date, in the notation of [`DateFormat`]. None if the text is not a date.
    pub(super) fn written(&self, text: &str) -> Option<String> {
        self.read(text)?;
        if let Some(format) = self.format {
            return Some(format.to_string());
        }
        if self.read_written(text).is_none() {
            // A number in a spreadsheet is a date, whatever the format is.
            return Some("yyyy-mm-dd".to_string());
        }
        if shape(text).is_none() {
            // A name of a month has no notation.
            let (_, _, rest) = day_number(text.trim())?;
            if rest.contains(char::is_alphabetic) {
                return None;
            }
            let mark = rest.chars().next()?;
            return Some(format!("dd{mark}mm"));
        }
        let (_, digits, rest) = day_number(text.trim())?;
        let Some(mark) = rest.chars().next().filter(|_| digits <= 4) else { return Some("yyyymmdd".to_string()) };
        // A name of a month has no notation.
        let (_, _, rest) = number(&rest[mark.len_utf8()..])?;
        let (_, last_digits, _) = number(rest.strip_prefix(mark)?)?;
        let year = if last_digits == 2 { "yy" } else { "yyyy" };
        Some(match (digits, self.month_first) {
            (4, _) => format!("yyyy{mark}mm{mark}dd"),
            (_, true) => format!("mm{mark}dd{mark}{year}"),
            (_, false) => format!("dd{mark}mm{mark}{year}"),
        })
    }

    /// Whether the text is a date in either order.
    pub(super) fn accept(&self, text: &str) -> bool {
        if self.format.is_some() { self.read(text).is_some() } else { is_date(text) }
    }
}

/// Whether the text is a date in either order.
pub(super) fn is_date(text: &str) -> bool {
    match shape(text) {
        Some(Shape::YearFirst(year, month, day)) => ymd(year, month, day).is_some(),
        Some(Shape::YearLast(one, other, year)) => ymd(year, other, one).is_some() || ymd(year, one, other).is_some(),
        None => false,
    }
}

/// Whether the text is a date, with or without a year.
pub(crate) fn may_be_date(text: &str) -> bool {
    is_date(text) || without_year(text).is_some()
}

/// Whether the text in the column of the date may be that of a transaction: a date with or without a year, one in the format of the caller,
/// or a number that a spreadsheet does not mark as a date.
pub(super) fn may_be_read(text: &str, options: &Options, epoch: Option<Epoch>) -> bool {
    let Options { date_format, latest, .. } = options;
    let dates = Dates { format: date_format.as_ref(), month_first: false, epoch, latest: *latest };
    may_be_date(text) || dates.read(text).is_some()
}

/// Whether a cell has a date or an amount, so that its line has no headers.
pub(super) fn is_value(cell: &str) -> bool {
    may_be_date(cell) || is_amount(cell)
}

/// The order of day and month that the dates of a column show.
///
/// The month comes first only if some date is invalid with the day first and every date is valid with the month first.
/// A guess could exchange days and months unnoticed.
#[derive(Debug, Default)]
pub(super) struct OrderEvidence {
    against_day_first: bool,
    against_month_first: bool,
}

impl OrderEvidence {
    pub(super) fn observe(&mut self, text: &str) {
        if let Some(Shape::YearLast(one, other, year)) = shape(text)
            && (one, other) != (0, 0)
            // The date is valid in either order.
            && !(YEARS.contains(&year) && MONTHS.contains(&one) && MONTHS.contains(&other))
        {
            self.against_day_first |= ymd(year, other, one).is_none();
            self.against_month_first |= ymd(year, one, other).is_none();
        }
    }

    pub(super) fn month_first(&self) -> bool {
        self.against_day_first && !self.against_month_first
    }
}

fn shape(text: &str) -> Option<Shape> {
    in_digits(text).or_else(|| with_name(text)).or_else(|| beside_weekday(text))
}

fn in_digits(text: &str) -> Option<Shape> {
    plain(text.as_bytes()).or_else(|| any_shape(text))
}

/// The most characters of a date with the name of its month or of its day.
const NAMED_CHARS_MAX: usize = 56;

/// The names of the days of the week in Portuguese, English and Spanish.
const WEEKDAYS: [&str; 19] = [
    "domingo",
    "segunda",
    "terca",
    "quarta",
    "quinta",
    "sexta",
    "sabado",
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
];

/// Whether a text is the name of a day of the week, or its first three letters.
fn is_weekday(text: &str) -> bool {
    let folded = fold(text);
    let name = folded.trim_end_matches('.').trim_end_matches("-feira");
    WEEKDAYS.iter().any(|day| *day == name || name.len() == 3 && day.starts_with(name))
}

/// A date after the name of its day, or before it in parentheses: `seg, 05/01/2026`, `Segunda-feira, 05 de janeiro de 2026`,
/// `05/01/2026 (seg)`.
fn beside_weekday(text: &str) -> Option<Shape> {
    let text = text.trim();
    if let Some((date, name)) = text.strip_suffix(')').and_then(|text| text.split_once(" (")) {
        return if is_weekday(name) { in_digits(date) } else { None };
    }
    if text.len() > NAMED_CHARS_MAX || !text.starts_with(char::is_alphabetic) {
        return None;
    }
    let (name, date) = text.split_once([',', ' '])?;
    let date = date.trim_start_matches([',', ' ']);
    if is_weekday(name) { in_digits(date).or_else(|| with_name(date)) } else { None }
}

/// A date with the name of its month: `05/JAN/2026`, `5 jan. 2026`, `5 de janeiro de 2026`, `Jan 5, 2026`, and a time after it.
fn with_name(text: &str) -> Option<Shape> {
    if text.len() > NAMED_CHARS_MAX
        || !text.chars().any(char::is_alphabetic)
        || !text.bytes().any(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let folded = fold(text);
    let is_mark = |mark: char| mark.is_whitespace() || matches!(mark, '/' | '-' | '.' | ',');
    // `5 de janeiro de 2026 às 10h30`
    let is_link = |part: &str| part.is_empty() || matches!(part, "de" | "of" | "as" | "at");
    let mut parts = folded.split(is_mark).filter(|part| !is_link(part));
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_name_first = first.starts_with(char::is_alphabetic);
    let (day, name) = if is_name_first { (second, first) } else { (first, second) };
    let rest: Vec<&str> = parts.collect();
    let is_number =
        |text: &str, digits: &[usize]| digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_clock = |text: &&str| {
        text.contains(':') || text.starts_with(|first: char| first.is_ascii_digit()) && text.contains('h')
    };
    let (day, day_digits, behind_day) = day_number(day)?;
    if !(1..=2).contains(&day_digits)
        || !behind_day.is_empty()
        || !is_number(year, &[2, 4])
        || !rest.first().is_none_or(is_clock)
    {
        return None;
    }
    let written = year.parse().ok()?;
    let year = if year.len() == 2 { full_year(written) } else { written };
    Some(Shape::YearFirst(year, month_named(name)?, day))
}

/// The number of a month by its folded name.
pub(super) fn month_named(name: &str) -> Option<u32> {
    let month = MONTHS_BY_NAME.iter().position(|names| names.iter().any(|known| is_month(name, known)))? + 1;
    u32::try_from(month).ok()
}

/// The names of months in Portuguese, English, Spanish and German.
const MONTHS_BY_NAME: [&[&str]; 12] = [
    &["janeiro", "january", "enero", "januar"],
    &["fevereiro", "february", "febrero", "februar"],
    &["marco", "march", "marzo", "marz"],
    &["abril", "april"],
    &["maio", "may", "mayo", "mai"],
    &["junho", "june", "junio", "juni"],
    &["julho", "july", "julio", "juli"],
    &["agosto", "august"],
    &["setembro", "september", "septiembre"],
    &["outubro", "october", "octubre", "oktober"],
    &["novembro", "november", "noviembre"],
    &["dezembro", "december", "diciembre"],
];

/// Whether a text is the name of a month or its first letters, at least three.
fn is_month(text: &str, name: &str) -> bool {
    text.len() >= 3 && name.starts_with(text)
}

/// The most bytes of a day with the name of its month.
const NAMED_DAY_BYTES_MAX: usize = 16;

/// The day and the month of a date without a year: `28/12`, `28 DEZ`.
fn without_year(text: &str) -> Option<(u32, u32)> {
    let (day, day_digits, rest) = day_number(text.trim())?;
    if rest.len() <= NAMED_DAY_BYTES_MAX && rest.ends_with(|last: char| last.is_alphabetic() || last == '.') {
        let rest = rest.strip_prefix(['/', '-', ' '])?.trim_end_matches('.');
        return (day_digits <= 2).then_some((day, month_named(&fold(rest))?));
    }
    let (month, month_digits, rest) = number(rest.strip_prefix(['/', '-', '.'])?)?;
    let is_date = (1..=2).contains(&day_digits) && (1..=2).contains(&month_digits) && rest.is_empty();
    is_date.then_some((day, month))
}

/// The latest date in a text: the dates above the headers of a list.
pub(super) fn latest_in(text: &str) -> Option<Date> {
    let is_part = |part: char| part.is_ascii_digit() || matches!(part, '/' | '-' | '.');
    let words = text.split(|letter: char| !is_part(letter));
    let dates = words.filter_map(|word| {
        let word = word.trim_matches(['/', '-', '.']);
        // A plain number is that of a document.
        match shape(word).filter(|_| !word.bytes().all(|byte| byte.is_ascii_digit()))? {
            Shape::YearFirst(year, month, day) | Shape::YearLast(day, month, year) => ymd(year, month, day),
        }
    });
    dates.max()
}

/// The fast path for most dates: `31/01/2026` or `2026-01-31`. None if the text has another shape.
fn plain(text: &[u8]) -> Option<Shape> {
    let of = |digits: &[u8]| {
        digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
    };
    match *text {
        [d1, d2, b'/', m1, m2, b'/', y1, y2, y3, y4] => {
            Some(Shape::YearLast(of(&[d1, d2])?, of(&[m1, m2])?, of(&[y1, y2, y3, y4])?))
        }
        [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] => {
            Some(Shape::YearFirst(of(&[y1, y2, y3, y4])?, of(&[m1, m2])?, of(&[d1, d2])?))
        }
        _ => None,
    }
}

fn any_shape(text: &str) -> Option<Shape> {
    let text = text.trim();
    let (first, digits, rest) = day_number(text)?;
    if digits == 8 || digits == 14 {
        // `20250131`, and `20250131174500`
        let date = text.get(..8)?.parse::<u32>().ok()?;
        return is_time(rest).then_some(Shape::YearFirst(date / 10_000, date / 100 % 100, date % 100));
    }
    let mark = rest.chars().next().filter(|mark| matches!(mark, '/' | '-' | '.'))?;
    let (second, second_digits, rest) = number(&rest[1..])?;
    let (third, third_digits, rest) = number(rest.strip_prefix(mark)?)?;
    if !(1..=2).contains(&second_digits) || !is_time(rest) {
        return None;
    }
    match (digits, third_digits) {
        (4, 1 | 2) => Some(Shape::YearFirst(first, second, third)),
        (1 | 2, 4) => Some(Shape::YearLast(first, second, third)),
        (1 | 2, 2) => Some(Shape::YearLast(first, second, full_year(third))),
        _ => None,
    }
}

/// The number at the start of a text, how many digits it has, and the rest. A number that is too long is 0.
fn number(text: &str) -> Option<(u32, usize, &str)> {
    let digits = text.bytes().take(15).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    if digits == 0 { None } else { Some((number.parse().unwrap_or(0), digits, rest)) }
}

/// The same as [`number`], without the mark of the first of a month behind it: `1º`.
fn day_number(text: &str) -> Option<(u32, usize, &str)> {
    let (day, digits, rest) = number(text)?;
    Some((day, digits, if digits <= 2 { without_ordinal(day, rest) } else { rest }))
}

/// Whether the text after a date is empty or a time: ` 17:00`, `T10:00:00Z`, ` às 09:15`.
fn is_time(rest: &str) -> bool {
    if rest.is_empty() {
        return true;
    }
    if rest.len() > TIME_BYTES_MAX
        || !rest.starts_with(|first: char| first == 'T' || first == ',' || first.is_whitespace())
    {
        return false;
    }
    let time = rest
        .trim_start_matches(|blank: char| matches!(blank, 'T' | ',' | '-' | 'à' | 'a' | 's') || blank.is_whitespace());
    // A period is no date: `01/02/2025 a 28/02/2025`. Nor is a line of which another separator parts the cells.
    let link = rest.strip_suffix(time).unwrap_or_default().trim();
    let is_period = !link.is_empty() && plain(time.as_bytes()).is_some();
    !is_period
        && !rest.contains(['\t', ';', '|'])
        && (time.is_empty() || time.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    const DAY_FIRST: Dates<'_> = Dates { format: None, month_first: false, epoch: None, latest: None };

    #[test]
    fn the_usual_shapes_are_dates() {
        let day = Some(date!(2025 - 02 - 01));
        for text in [
            "01/02/2025",
            "1/2/2025",
            "01/02/25",
            "01-02-2025",
            "01.02.2025",
            "2025-02-01",
            "2025/02/01",
            "20250201",
            "01/02/2025 17:00",
            "2025-02-01T10:00:00-03:00",
            "20250201174500",
            "01/02/2025 às 09:15",
            " 01/02/2025 ",
            "01/FEV/2025",
            "1 fev. 2025",
            "01-Feb-25",
            "1 de fevereiro de 2025",
            "01 FEB 2025 10:00",
            "Feb 1, 2025",
            "February 1 2025",
            "sáb, 01/02/2025",
            "Sábado, 1 de fevereiro de 2025",
            "Sat 2025-02-01",
            "01/02/2025 (sáb)",
            "1 de febrero de 2025",
            "1. Februar 2025",
            "1 de fevereiro de 2025 às 10:30",
            "01 fev 2025 às 10h30",
            "February 1, 2025 at 10:00 AM",
            "Sábado, 1 de fevereiro de 2025 às 10:30:15",
            "quinta-feira, 01 de fevereiro de 2025 às 10:30:15",
            "1º de fevereiro de 2025",
            "1o de fevereiro de 2025",
            "1° de fevereiro de 2025",
            "Sábado, 1º de fevereiro de 2025 às 10:30",
            "1º fev. 2025",
            "1º/FEV/2025",
            "1º/02/2025",
            "01º/02/2025 17:00",
        ] {
            assert_eq!(DAY_FIRST.read(text), day, "{text}");
        }
        for text in [
            "",
            "00/00/0000",
            "31/02/2025",
            "01/02",
            "01/02-2025",
            "2025",
            "1º",
            "1o",
            "2º/02/2025",
            "1ºA/02/2025",
            "1234567",
            "01/02/2025 PADARIA",
            "01/02/2025 a 28/02/2025",
            "2025-02-01 - 2025-02-28",
            "01/02/2025 09:31\tUBER\tR$ 30",
            "01/02/2025\t10",
            "01/02/202",
            "37470956085638",
            "Total",
            "32/01/2025",
            "01/FOO/2025",
            "01/FE/2025",
            "1 fev",
            "5 jan. 2026 PADARIA",
            "MAR 5 2026 BAR",
            "MAR 5 2026 AS BAR",
            "SEXTOU 5",
            "seg",
            "Seguro 01/02/2025",
            "01/02/20255",
            "á1/02/2025",
            "123456789012345678901234567890",
        ] {
            assert_eq!(DAY_FIRST.read(text), None, "{text}");
        }
        assert_eq!(DAY_FIRST.read("31/12/69"), Some(date!(2069 - 12 - 31)));
        assert_eq!(DAY_FIRST.read("01/01/70"), Some(date!(1970 - 01 - 01)));
    }

    #[test]
    fn a_date_without_a_year_is_the_latest_one_so_far() {
        let dates =
            Dates { latest: latest_in("Data: 13/01/2026 10:51:02, conta 20990101, de 01/12/2025"), ..DAY_FIRST };
        assert_eq!(dates.latest, Some(date!(2026 - 01 - 13)));
        for (text, day) in [
            ("28/12", Some(date!(2025 - 12 - 28))),
            ("13/01", Some(date!(2026 - 01 - 13))),
            ("14/1", Some(date!(2025 - 01 - 14))),
            ("1º/01", Some(date!(2026 - 01 - 01))),
            ("1º jan", Some(date!(2026 - 01 - 01))),
            ("29/02", Some(date!(2024 - 02 - 29))),
            ("31/02", None),
            ("13/01 PADARIA", None),
            ("1301", None),
        ] {
            assert_eq!(dates.read(text), day, "{text}");
        }
        assert_eq!(dates.written("28/12").as_deref(), Some("dd/mm"));
        assert_eq!(dates.written("1º/12").as_deref(), Some("dd/mm"));
        assert_eq!(dates.written("1º/12/2025").as_deref(), Some("dd/mm/yyyy"));
        assert_eq!(dates.written("5 jan. 2026"), None);
        assert_eq!(DAY_FIRST.read("28/12"), None);
        assert_eq!(latest_in("conta 12.345.678/0001-90, R$ 1.234,56"), None);
    }

    proptest! {
        #[test]
        fn a_plain_date_is_what_it_is_otherwise(text in "[0-9]{2}[/.-][0-9]{2}[/.-][0-9]{4}|[0-9]{4}[/.-][0-9]{2}[/.-][0-9]{2}|.{10}") {
            if let Some(shape) = plain(text.as_bytes()) {
                prop_assert_eq!(any_shape(&text), Some(shape));
            }
        }
    }

    #[test]
    fn a_plain_number_is_a_date_in_a_spreadsheet_only() {
        let dates = |epoch| Dates { epoch, ..DAY_FIRST };
        let sheet = dates(Some(Epoch::Year1900));
        for (text, day) in [
            ("46053", Some(date!(2026 - 01 - 31))),
            ("46053,75", Some(date!(2026 - 01 - 31))),
            ("46053.75", Some(date!(2026 - 01 - 31))),
            ("31/01/2026", Some(date!(2026 - 01 - 31))),
            ("4605", None),
            ("99999", None),
            ("460530", None),
            ("46053 7", None),
            ("-46053", None),
        ] {
            assert_eq!(sheet.read(text), day, "{text}");
        }
        assert_eq!(dates(Some(Epoch::Year1904)).read("44591"), Some(date!(2026 - 01 - 31)));
        assert_eq!(dates(None).read("46053"), None);
        assert_eq!(sheet.written("46053").as_deref(), Some("yyyy-mm-dd"));
        let format = "dd/mm/yyyy".parse().unwrap();
        assert_eq!(Dates { format: Some(&format), ..sheet }.read("46053"), Some(date!(2026 - 01 - 31)));
    }

    #[test]
    fn the_month_comes_first_only_where_nothing_else_can_be() {
        let month_first = |texts: &[&str]| {
            let mut evidence = OrderEvidence::default();
            texts.iter().for_each(|text| evidence.observe(text));
            evidence.month_first()
        };
        assert!(!month_first(&["01/02/2025", "03/04/2025"]));
        assert!(month_first(&["01/02/2025", "01/31/2025"]));
        assert!(!month_first(&["01/31/2025", "31/01/2025"]), "no order works for both");
        assert!(!month_first(&["31/02/2025"]), "no order works");
        assert!(month_first(&["00/00/0000", "12/31/2025", "Total"]), "no dates at all");
        assert!(!month_first(&["2025-01-31", "20250131"]));
    }
}
