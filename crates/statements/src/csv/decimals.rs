//! The amounts of a column, and their decimal separator.

use crate::amount::{self, AmountError, Decimal};

/// The decimal separator that the amounts of a column show.
#[derive(Debug, Default)]
pub(super) struct DecimalEvidence {
    comma: bool,
    dot: bool,
}

impl DecimalEvidence {
    /// Looks at one amount. `1.234` is ambiguous; `1.234,56`, `10,5`, `1234.567` and `0.123` are not.
    pub(super) fn observe(&mut self, text: &str) {
        if self.comma && self.dot {
            return;
        }
        let bytes = text.as_bytes();
        let Some(last) = bytes.iter().rposition(is_mark) else { return };
        let mark = bytes[last];
        let other = if mark == b',' { b'.' } else { b',' };
        let before = &bytes[..last];
        if before.contains(&mark) {
            // A separator that occurs more than once groups thousands.
            if !before.contains(&other) {
                self.note(other);
            }
            return;
        }
        let whole = before.iter().rev().take_while(|byte| byte.is_ascii_digit());
        let (mut whole_digits, mut first) = (0, b'0');
        for digit in whole {
            (whole_digits, first) = (whole_digits + 1, *digit);
        }
        let after = bytes[last + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let groups = after == 3 && (1..=3).contains(&whole_digits) && first != b'0' && !before.contains(&other);
        if after > 0 && !groups {
            self.note(mark);
        }
    }

    fn note(&mut self, mark: u8) {
        if mark == b',' { self.comma = true } else { self.dot = true }
    }

    /// The decimal separator of the column. If every amount is ambiguous, it is the comma, as in Brazil, unless the
    /// comma separates the columns.
    pub(super) fn decide(&self, separator: u8) -> Decimal {
        match (self.comma, self.dot) {
            (true, true) => Decimal::ByValue,
            (true, false) => Decimal::Comma,
            (false, true) => Decimal::Dot,
            (false, false) if separator == b',' => Decimal::Dot,
            (false, false) => Decimal::Comma,
        }
    }
}

/// Reads an amount of a column. An amount with both separators is decided separately.
pub(super) fn cents(text: &str, decimal: Decimal) -> Result<i64, AmountError> {
    if let Some(cents) = amount::plain(text, decimal) {
        return Ok(cents);
    }
    let both = text.contains(',') && text.contains('.');
    amount::cents(text, if both { Decimal::ByValue } else { decimal })
}

fn is_mark(byte: &u8) -> bool {
    matches!(byte, b'.' | b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(texts: &[&str], separator: u8) -> Decimal {
        let mut evidence = DecimalEvidence::default();
        texts.iter().for_each(|text| evidence.observe(text));
        evidence.decide(separator)
    }

    #[test]
    fn one_clear_amount_settles_the_column() {
        for clear in ["1.234,56", "10,5", "R$ 10,50", "-0,123", "1.234.567", "1234,567", "10,5000", "R$ 1.234,567"] {
            assert_eq!(decide(&["1.234", clear], b','), Decimal::Comma, "{clear}");
        }
        for clear in ["1,234.56", "10.5", "R$ 10.50", "0.123", "1,234,567", "1234.567", "(45.90)"] {
            assert_eq!(decide(&["1,234", clear], b';'), Decimal::Dot, "{clear}");
        }
        assert_eq!(decide(&["10.50", "10,50"], b';'), Decimal::ByValue);
    }

    #[test]
    fn unclear_amounts_follow_the_separator() {
        assert_eq!(decide(&["1.234", "10", "", "texto."], b';'), Decimal::Comma);
        assert_eq!(decide(&["1.234", "1,234"], b','), Decimal::Dot);
        assert_eq!(decide(&["1.234"], b'\t'), Decimal::Comma);
    }

    #[test]
    fn an_amount_with_both_marks_tells_for_itself() {
        assert_eq!(cents("1.234,56", Decimal::Dot), Ok(123_456));
        assert_eq!(cents("1,234.56", Decimal::Comma), Ok(123_456));
        assert_eq!(cents("1.234", Decimal::Comma), Ok(123_400));
        assert_eq!(cents("1.234", Decimal::Dot), Ok(123));
        assert!(cents("10.50", Decimal::Comma).is_err(), "never a thousand times too large");
    }
}
