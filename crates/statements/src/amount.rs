//! Amounts of statements, read as hundredths.

use crate::Reason;
use crate::text::quote;

/// The largest amount of one row, in hundredths.
pub(crate) const CENTS_MAX: i64 = 999_999_999_999;

/// Which character is the decimal separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decimal {
    /// `1.234,56`: a dot groups thousands.
    Comma,
    /// `1,234.56`: a comma groups thousands.
    Dot,
    /// Decided for each amount separately: the last separator is the decimal one, unless it occurs more than once.
    ByValue,
}

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AmountError {
    /// Not a number.
    Illegible,
    /// A number beyond [`CENTS_MAX`].
    TooLarge,
}

impl AmountError {
    /// The reason for rejecting a row with this amount.
    pub(crate) fn reason(self, text: &str) -> Reason {
        match self {
            AmountError::Illegible => Reason::IllegibleAmount { text: quote(text) },
            AmountError::TooLarge => Reason::AmountTooLarge { text: quote(text) },
        }
    }
}

/// Reads an amount as signed hundredths, rounded half-even. Zero is accepted.
///
/// An amount is negative with a minus sign before or after the number, which may be in parentheses, as a number in parentheses, or with
/// `D`, `DB` or `Débito` after it. `C`, `CR` and `Crédito` change nothing.
pub(crate) fn cents(text: &str, decimal: Decimal) -> Result<i64, AmountError> {
    if let Some(cents) = plain(text, decimal) {
        return Ok(cents);
    }
    let (negative, number) = unsigned(text)?;
    let cents = hundredths(number, decimal)?;
    Ok(if negative { -cents } else { cents })
}

/// The fast path for most amounts: an optional minus, digits, the decimal separator, and two digits. None if the text has
/// another shape.
pub(crate) fn plain(text: &str, decimal: Decimal) -> Option<i64> {
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let (whole, [mark, tenths, hundredths]) = digits.split_last_chunk()?;
    let is_mark = match decimal {
        Decimal::Comma => *mark == b',',
        Decimal::Dot => *mark == b'.',
        Decimal::ByValue => matches!(mark, b',' | b'.'),
    };
    if !is_mark || whole.is_empty() || whole.len() > PLAIN_DIGITS_MAX {
        return None;
    }
    let mut cents = 0;
    for digit in whole.iter().chain([tenths, hundredths]) {
        cents = cents * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    Some(if is_negative { -cents } else { cents })
}

/// The most digits before the decimal separator on the fast path: no such amount is beyond [`CENTS_MAX`].
const PLAIN_DIGITS_MAX: usize = 9;

/// Whether an amount is negative, and its number without sign, currency and parentheses.
fn unsigned(text: &str) -> Result<(bool, &str), AmountError> {
    let mut rest = text.trim();
    // The fast path: most amounts are digits and separators only.
    let plain = rest.strip_prefix('-').unwrap_or(rest);
    if plain.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
        return Ok((plain.len() < rest.len(), plain));
    }
    let (mut minus, mut sign, mut currency, mut letter, mut parentheses) = (false, false, false, false, false);
    if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (rest, parentheses) = (inner.trim(), true);
    }
    let once = |seen: &mut bool| if std::mem::replace(seen, true) { Err(AmountError::Illegible) } else { Ok(()) };
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Err(AmountError::Illegible) };
        if first.is_ascii_digit() || matches!(first, '.' | ',') {
            break;
        } else if let Some((after, is_minus)) = sign_in_parentheses(rest, |text, sign| text.strip_prefix(sign)) {
            // `(-) 12,34`
            once(&mut sign)?;
            (rest, minus) = (after, is_minus);
        } else if let Some(after) = rest.strip_prefix(MINUSES) {
            once(&mut sign)?;
            (rest, minus) = (after, true);
        } else if let Some(after) = rest.strip_prefix('+') {
            once(&mut sign)?;
            rest = after;
        } else if let Some(after) = CURRENCIES.iter().find_map(|mark| strip_prefix_ignoring_case(rest, mark)) {
            once(&mut currency)?;
            rest = after;
        } else if !parentheses && first == '(' {
            // `R$ (12,34)`
            rest = rest[1..].trim_end().strip_suffix(')').ok_or(AmountError::Illegible)?;
            parentheses = true;
        } else {
            return Err(AmountError::Illegible);
        }
    }
    loop {
        rest = rest.trim_end();
        let Some(last) = rest.chars().next_back() else { return Err(AmountError::Illegible) };
        if last.is_ascii_digit() || matches!(last, '.' | ',') {
            break;
        } else if let Some((before, is_minus)) = sign_in_parentheses(rest, |text, sign| text.strip_suffix(sign)) {
            // `12,34 (-)`, as Banco do Brasil writes.
            once(&mut sign)?;
            (rest, minus) = (before, is_minus);
        } else if let Some(before) = rest.strip_suffix(MINUSES) {
            once(&mut sign)?;
            (rest, minus) = (before, true);
        } else if let Some(before) = rest.strip_suffix('+') {
            once(&mut sign)?;
            rest = before;
        } else if let Some(before) = CURRENCIES.iter().find_map(|mark| strip_suffix_ignoring_case(rest, mark)) {
            // Before the letters: `USD` ends with one.
            once(&mut currency)?;
            rest = before;
        } else if let Some((before, is_debit)) = direction_suffix(rest) {
            once(&mut letter)?;
            // `-12,34 D` is one debit written twice, not a credit.
            minus |= is_debit;
            rest = before;
        } else {
            return Err(AmountError::Illegible);
        }
    }
    Ok((minus | parentheses, rest))
}

/// Whether a text is an amount.
pub(crate) fn is_amount(text: &str) -> bool {
    cents(text, Decimal::ByValue).is_ok()
}

/// Whether an amount says by a letter that it is a debit or a credit.
pub(crate) fn has_direction(text: &str) -> bool {
    let text = text.trim_end();
    !CURRENCIES.iter().any(|mark| strip_suffix_ignoring_case(text, mark).is_some()) && direction_suffix(text).is_some()
}

/// The rest of a text without a sign in parentheses at one of its ends, and whether that is a minus.
fn sign_in_parentheses<'a>(
    text: &'a str,
    strip: impl Fn(&'a str, &'static str) -> Option<&'a str>,
) -> Option<(&'a str, bool)> {
    [("(-)", true), ("(+)", false)].into_iter().find_map(|(sign, is_minus)| Some((strip(text, sign)?, is_minus)))
}

/// The text before `D`, `DB`, `C` or `CR`, in parentheses or not, or a whole word, and whether the amount is a debit.
fn direction_suffix(text: &str) -> Option<(&str, bool)> {
    const SUFFIXES: [(&str, bool); 12] = [
        ("DB", true),
        ("CR", false),
        ("(D)", true),
        ("(C)", false),
        ("debito", true),
        ("débito", true),
        ("DÉBITO", true),
        ("credito", false),
        ("crédito", false),
        ("CRÉDITO", false),
        ("D", true),
        ("C", false),
    ];
    SUFFIXES.into_iter().find_map(|(word, is_debit)| Some((strip_suffix_ignoring_case(text, word)?, is_debit)))
}

/// The signs that pages and programs write for a minus: the hyphen, the minus of mathematics, other hyphens and dashes, and wide forms.
pub(crate) const MINUSES: [char; 9] =
    ['-', '\u{2212}', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{FE63}', '\u{FF0D}'];
const CURRENCIES: [&str; 7] = ["R$", "US$", "BRL", "USD", "EUR", "€", "$"];

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn strip_suffix_ignoring_case<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix).then_some(rest)
}

/// Reads an unsigned number as hundredths, rounded half-even.
fn hundredths(number: &str, decimal: Decimal) -> Result<i64, AmountError> {
    let mark = match decimal {
        Decimal::Comma => number.rfind(','),
        Decimal::Dot => number.rfind('.'),
        Decimal::ByValue => last_mark(number),
    };
    let (whole, fraction) = match mark {
        Some(at) => (&number[..at], &number[at + 1..]),
        None => (number, ""),
    };
    let (units, any) = whole_part(whole)?;
    let mut cents = units.checked_mul(100).ok_or(AmountError::TooLarge)?;
    if !any && fraction.is_empty() {
        return Err(AmountError::Illegible);
    }
    let digits = fraction.as_bytes();
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(AmountError::Illegible);
    }
    let digit = |at: usize| digits.get(at).map_or(0, |digit| i64::from(digit - b'0'));
    cents += digit(0) * 10 + digit(1);
    let beyond = digits.get(3..).is_some_and(|rest| rest.iter().any(|digit| *digit != b'0'));
    // Half-even: up above a half, and at a half if the last digit kept is odd.
    if digit(2) > 5 || digit(2) == 5 && (beyond || cents % 2 == 1) {
        cents += 1;
    }
    if cents > CENTS_MAX { Err(AmountError::TooLarge) } else { Ok(cents) }
}

/// The position of the decimal separator, decided by this amount alone.
fn last_mark(number: &str) -> Option<usize> {
    let at = number.rfind(['.', ','])?;
    let mark = number.as_bytes()[at];
    let before = &number.as_bytes()[..at];
    if before.contains(&mark) { None } else { Some(at) }
}

/// The units, and whether there is any digit. Thousands may be grouped by one kind of separator.
fn whole_part(whole: &str) -> Result<(i64, bool), AmountError> {
    let mut units: i64 = 0;
    let (mut digits_in_group, mut grouping) = (0, None);
    let mut any = false;
    for character in whole.chars() {
        if let Some(digit) = character.to_digit(10) {
            units = units
                .checked_mul(10)
                .and_then(|units| units.checked_add(i64::from(digit)))
                .ok_or(AmountError::TooLarge)?;
            digits_in_group += 1;
            any = true;
        } else if is_group_mark(character) {
            let group_is_sound = match grouping {
                None => (1..=3).contains(&digits_in_group),
                Some(mark) => mark == character && digits_in_group == 3,
            };
            if !group_is_sound {
                return Err(AmountError::Illegible);
            }
            (grouping, digits_in_group) = (Some(character), 0);
        } else {
            return Err(AmountError::Illegible);
        }
    }
    if grouping.is_some() && digits_in_group != 3 { Err(AmountError::Illegible) } else { Ok((units, any)) }
}

fn is_group_mark(character: char) -> bool {
    matches!(character, '.' | ',' | '\'' | '\u{2019}') || character.is_whitespace()
}

#[cfg(test)]
#[allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_amount_is_read_with_currency_sign_and_marks_as_people_write_them() {
        for (text, expected) in [
            ("12,34", 12_34),
            ("R$ 1.234,56", 1234_56),
            ("-R$ 318,19", -318_19),
            ("R$ -19.213,62", -19_213_62),
            ("R$\u{a0}1,00", 1_00),
            ("r$1,00", 1_00),
            ("US$ 1,00", 1_00),
            ("1,00 BRL", 1_00),
            ("-1,00 USD", -1_00),
            ("$9", 9_00),
            ("(45,90)", -45_90),
            ("R$ (45,90)", -45_90),
            ("(R$ 45,90)", -45_90),
            ("45,90-", -45_90),
            ("45,90 D", -45_90),
            ("45,90D", -45_90),
            ("-45,90 D", -45_90),
            ("45,90 C", 45_90),
            ("45,90 c", 45_90),
            ("1.234,56 CR", 1234_56),
            ("1.234,56 DB", -1234_56),
            ("R$ 45,90db", -45_90),
            ("-45,90 DB", -45_90),
            ("+3250,00", 3250_00),
            ("- 2.944,60", -2944_60),
            ("\u{2212}1,50", -1_50),
            ("\u{2013} 1,50", -1_50),
            ("\u{2011}1,50", -1_50),
            ("R$ \u{2014}1,50", -1_50),
            ("\u{FF0D}R$ 1,50", -1_50),
            ("  7 ", 7_00),
            (",5", 50),
            ("5,", 5_00),
            ("1 234,56", 1234_56),
            ("1\u{a0}234,56", 1234_56),
            ("1.234.567,8", 1_234_567_80),
            ("0,00", 0),
            ("9.999.999.999,99", CENTS_MAX),
            ("00000000000000012,34", 12_34),
        ] {
            assert_eq!(cents(text, Decimal::Comma), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_decimal_mark_is_the_one_asked_for() {
        for (text, comma, dot) in [
            ("1.234", Some(1234_00), Some(1_23)),
            ("1,234", Some(1_23), Some(1234_00)),
            ("1.234,56", Some(1234_56), None),
            ("1,234.56", None, Some(1234_56)),
            ("1234.56", None, Some(1234_56)),
            ("12.34", None, Some(12_34)),
            ("1234", Some(1234_00), Some(1234_00)),
        ] {
            assert_eq!(cents(text, Decimal::Comma).ok(), comma, "{text} with a comma");
            assert_eq!(cents(text, Decimal::Dot).ok(), dot, "{text} with a dot");
        }
    }

    #[test]
    fn by_value_the_last_mark_is_decimal_unless_it_occurs_again() {
        for (text, expected) in [
            ("-530,86", -530_86),
            ("0.07", 7),
            ("-560,00", -560_00),
            ("-136.9", -136_90),
            ("-140", -140_00),
            ("-30.000", -30_00),
            ("-3.77000", -3_77),
            ("1.234,56", 1234_56),
            ("1,234.56", 1234_56),
            ("1.234.567", 1_234_567_00),
            ("1,234,567.8", 1_234_567_80),
            ("+23757.44", 23_757_44),
            ("                -11,76", -11_76),
            (".5", 50),
        ] {
            assert_eq!(cents(text, Decimal::ByValue), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_illegible() {
        for text in [
            "",
            " ",
            ".",
            ",",
            "            .  ",
            "-",
            "R$",
            "R$ ",
            "D",
            "abc",
            "1,2,3,4",
            "1.23.456,00",
            "12.34,56",
            "1,5.5,5",
            "--1",
            "-1-",
            "1 D C",
            "1 CR DB",
            "1 BD",
            "CR",
            "(1",
            "1)",
            "()",
            "R$ R$ 1",
            "1e5",
            "NaN",
            "inf",
            "0x10",
            "1,00 X",
            "١٢",
            "½",
            "1/2",
            "****",
        ] {
            assert_eq!(cents(text, Decimal::ByValue), Err(AmountError::Illegible), "{text}");
        }
        assert_eq!(AmountError::Illegible.reason(" x\u{0} ").to_string(), "valor ilegível: x");
    }

    #[test]
    fn what_is_beyond_the_bound_is_too_large() {
        for text in ["10000000000.00", "9999999999.995", "99999999999999999999999999", "-10000000000"] {
            assert_eq!(cents(text, Decimal::Dot), Err(AmountError::TooLarge), "{text}");
        }
    }

    #[test]
    fn more_than_two_decimals_round_half_even() {
        for (text, expected) in [
            ("0.125", 12),
            ("0.135", 14),
            ("-0.125", -12),
            ("0.1250001", 13),
            ("0.12500000", 12),
            ("0.126", 13),
            ("0.124999", 12),
            ("0.004", 0),
            ("0.995", 1_00),
            ("-1778.3952", -1778_40),
        ] {
            assert_eq!(cents(text, Decimal::Dot), Ok(expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[-+R$., 0-9DC()]{0,20}") {
            for decimal in [Decimal::Comma, Decimal::Dot, Decimal::ByValue] {
                if let Ok(cents) = cents(&text, decimal) {
                    prop_assert!(cents.abs() <= CENTS_MAX);
                }
            }
        }

        #[test]
        fn a_plain_amount_is_what_it_is_otherwise(text in "-?[0-9]{0,11}[.,]?[0-9]{0,3}|-?[0-9]{1,3}[.][0-9]{3},[0-9]{2}") {
            for decimal in [Decimal::Comma, Decimal::Dot, Decimal::ByValue] {
                if let Some(cents) = plain(&text, decimal) {
                    let (negative, number) = unsigned(&text).unwrap();
                    let otherwise = hundredths(number, decimal).map(|cents| if negative { -cents } else { cents });
                    prop_assert_eq!(otherwise, Ok(cents), "{} {:?}", text, decimal);
                }
            }
        }

        #[test]
        fn what_is_written_is_read(value in -CENTS_MAX..=CENTS_MAX) {
            let sign = if value < 0 { "-" } else { "" };
            let (units, rest) = (value.abs() / 100, value.abs() % 100);
            let mut grouped = String::new();
            for (at, digit) in units.to_string().chars().rev().enumerate() {
                if at > 0 && at % 3 == 0 {
                    grouped.insert(0, '.');
                }
                grouped.insert(0, digit);
            }
            prop_assert_eq!(cents(&format!("{sign}{units}.{rest:02}"), Decimal::Dot), Ok(value));
            prop_assert_eq!(cents(&format!("R$ {sign}{grouped},{rest:02}"), Decimal::Comma), Ok(value));
            prop_assert_eq!(cents(&format!("{sign}{grouped},{rest:02}"), Decimal::ByValue), Ok(value));
        }
    }
}
