//! Numbers of cells: their decimal form, and the date or time that their format shows.

use time::Date;

use crate::date::{Epoch, of_serial};

/// The kind of value that a format shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    /// A number.
    #[default]
    Number,
    /// A date, with or without a time.
    Date,
    /// A time of the day, or a duration.
    Time,
}

impl Kind {
    /// The kind of a built-in format, by its number.
    pub(super) fn of_number(number: usize) -> Self {
        match number {
            14..=17 | 22 | 27..=36 | 50..=58 => Kind::Date,
            18..=21 | 45..=47 => Kind::Time,
            _ => Kind::Number,
        }
    }

    /// The kind of a format by its code, such as `dd/mm/yyyy` or `"R$" #,##0.00`.
    pub(super) fn of_code(code: &str) -> Self {
        if ["general", "standard", "geral", "@"].contains(&code.trim().to_ascii_lowercase().as_str()) {
            return Kind::Number;
        }
        let (mut has_day, mut has_month, mut has_time, mut has_digits) = (false, false, false, false);
        let mut characters = code.chars();
        while let Some(character) = characters.next() {
            match character.to_ascii_lowercase() {
                '"' => drop(characters.by_ref().find(|next| *next == '"')),
                '[' => {
                    // A colour, a currency or a language, or hours of a duration, which may exceed a day.
                    let inner: String = characters.by_ref().take_while(|next| *next != ']').collect();
                    has_time |= !inner.is_empty() && inner.chars().all(|letter| matches!(letter, 'h' | 'm' | 's'));
                }
                '\\' | '_' | '*' => drop(characters.next()),
                // The format of positive numbers decides.
                ';' => break,
                'd' | 'y' => has_day = true,
                'm' => has_month = true,
                'h' | 's' => has_time = true,
                '#' | '?' => has_digits = true,
                '0' => has_digits |= !has_time,
                _ => {}
            }
        }
        match (has_digits, has_day, has_time, has_month) {
            (true, ..) | (_, false, false, false) => Kind::Number,
            (_, true, ..) | (_, _, false, true) => Kind::Date,
            _ => Kind::Time,
        }
    }
}

/// The shortest decimal that stands for this number and no other: the number that was typed, without the error of its
/// binary form.
pub(super) fn shortest(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// A hundredth of a decimal, by moving its separator.
pub(super) fn hundredth(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let padded = format!("{whole:0>3}");
    let (units, hundredths) = padded.split_at(padded.len() - 2);
    format!("{sign}{units}.{hundredths}{decimals}")
}

/// The date of a number of days. Its fraction is the time.
pub(super) fn date(value: f64, epoch: Epoch) -> Option<Date> {
    // Only the days before the separator are read.
    let text = shortest(value);
    of_serial(text.split('.').next()?.parse().ok()?, epoch)
}

/// A fraction of a day as hours and minutes.
pub(super) fn time(value: f64) -> String {
    if !(0.0..1.0).contains(&value) {
        return shortest(value);
    }
    let minutes = (value * 1440.0).round() as u32;
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn a_format_is_a_date_by_its_letters() {
        for (code, kind) in [
            ("dd/mm/yyyy", Kind::Date),
            ("yyyy\\-mm\\-dd", Kind::Date),
            ("[$-416]d\\ mmm\\ yy;@", Kind::Date),
            ("dd/mm/aaaa", Kind::Date),
            ("mmm", Kind::Date),
            ("dd/mm/yyyy hh:mm:ss.000", Kind::Date),
            ("hh:mm", Kind::Time),
            ("[h]:mm:ss", Kind::Time),
            ("mm:ss.0", Kind::Time),
            ("General", Kind::Number),
            ("GERAL", Kind::Number),
            ("Standard", Kind::Number),
            ("@", Kind::Number),
            ("0.00", Kind::Number),
            ("#,##0.00", Kind::Number),
            ("\"R$\"\\ #,##0.00;[Red]\\-\"R$\"\\ #,##0.00", Kind::Number),
            ("_-[$R$-416]\\ * #,##0.00_-", Kind::Number),
            ("[Red]0.00", Kind::Number),
            ("0.00E+00", Kind::Number),
            ("\"dd/mm\"0", Kind::Number),
            ("", Kind::Number),
            ("\"never closed", Kind::Number),
        ] {
            assert_eq!(Kind::of_code(code), kind, "{code}");
        }
    }

    #[test]
    fn a_number_is_the_shortest_decimal_and_a_hundredth_of_it_is_exact() {
        for (value, text) in [(12.34, "12.34"), (1.005, "1.005"), (-0.1, "-0.1"), (1e3, "1000"), (f64::NAN, "")] {
            assert_eq!(shortest(value), text);
        }
        for (text, expected) in [
            ("1234567", "12345.67"),
            ("5", "0.05"),
            ("-5", "-0.05"),
            ("12.5", "0.125"),
            ("0", "0.00"),
            ("-100", "-1.00"),
        ] {
            assert_eq!(hundredth(text), expected);
        }
    }

    #[test]
    fn days_are_counted_from_both_epochs() {
        for (value, epoch, expected) in [
            (46053.0, Epoch::Year1900, Some(date!(2026 - 01 - 31))),
            (46053.99999, Epoch::Year1900, Some(date!(2026 - 01 - 31))),
            (44591.0, Epoch::Year1904, Some(date!(2026 - 01 - 31))),
            (1.0, Epoch::Year1900, Some(date!(1900 - 01 - 01))),
            (59.0, Epoch::Year1900, Some(date!(1900 - 02 - 28))),
            (60.0, Epoch::Year1900, None),
            (61.0, Epoch::Year1900, Some(date!(1900 - 03 - 01))),
            (0.5, Epoch::Year1900, None),
            (-1.0, Epoch::Year1904, None),
            (1e9, Epoch::Year1900, None),
            (1e300, Epoch::Year1900, None),
            (f64::INFINITY, Epoch::Year1900, None),
        ] {
            assert_eq!(date(value, epoch), expected, "{value}");
        }
        assert_eq!((time(0.4375).as_str(), time(0.99999).as_str(), time(1.5).as_str()), ("10:30", "00:00", "1.5"));
    }
}
