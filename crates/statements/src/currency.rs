//! Currencies, and rates between them.

use std::sync::Arc;

use crate::amount::CENTS_MAX;
use crate::text::fold;

/// The most characters of a currency.
const CODE_CHARS_MAX: usize = 8;
/// The most digits of a rate.
const RATE_DIGITS_MAX: usize = 15;

/// Whether a text may name a currency. A dash or another sign alone stands for nothing, and so does `N/A`.
pub(crate) fn is_named(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '$' | '€' | '£' | '¥');
    text.contains(is_part) && !text.eq_ignore_ascii_case("n/a")
}

/// The currency that a text names, in capital letters. None if it is the real.
pub(crate) fn code(text: &str) -> Option<Arc<str>> {
    if !is_named(text) {
        return None;
    }
    let folded = fold(text);
    let code = match folded.as_str() {
        "r$" | "brl" | "986" | "real" | "reais" | "real brasileiro" => return None,
        "us$" | "u$" | "u$s" | "$" | "dolar" | "dolares" | "dolar americano" => "USD",
        "€" | "euro" | "euros" => "EUR",
        "£" | "libra" | "libras" => "GBP",
        other if other.starts_with("brl") || is_real(other) => return None,
        // No name has a digit, and a number has three.
        other if other.len() != 3 && other.bytes().any(|byte| byte.is_ascii_digit()) => return None,
        other => return Some(other.to_uppercase().chars().take(CODE_CHARS_MAX).collect::<String>().trim().into()),
    };
    Some(code.into())
}

/// The words and signs of the real.
const REAL: [&str; 4] = ["r$", "brl", "real", "reais"];

/// The words and signs of other currencies in headers.
const FOREIGN: [(&str, &str); 26] = [
    ("us$", "USD"),
    ("u$", "USD"),
    ("u$s", "USD"),
    ("usd", "USD"),
    ("dolar", "USD"),
    ("dolares", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("€", "EUR"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("£", "GBP"),
    ("gbp", "GBP"),
    ("libra", "GBP"),
    ("libras", "GBP"),
    ("jpy", "JPY"),
    ("chf", "CHF"),
    ("cad", "CAD"),
    ("aud", "AUD"),
    ("ars", "ARS"),
    ("clp", "CLP"),
    ("uyu", "UYU"),
    ("pyg", "PYG"),
    ("mxn", "MXN"),
    ("cny", "CNY"),
];

/// The words of a folded text, with the signs of currencies.
fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '$' | '€' | '£'))
}

/// Whether a folded text has a word of the real, and none of another currency.
fn is_real(folded: &str) -> bool {
    let is_foreign = |word: &str| FOREIGN.iter().any(|(name, _)| *name == word);
    words(folded).any(|word| REAL.contains(&word)) && !words(folded).any(is_foreign)
}

/// The currency that the header of an amount names. None if it names none, or the real.
pub(crate) fn of_header(header: &str) -> Option<&'static str> {
    let folded = fold(header);
    if words(&folded).any(|word| REAL.contains(&word)) {
        return None;
    }
    words(&folded).find_map(|word| FOREIGN.iter().find(|(name, _)| *name == word)).map(|(_, code)| *code)
}

/// The currency that a line above the headers names: `Moeda: USD`. None if none does, or the real.
pub(crate) fn of_preamble(text: &str) -> Option<&'static str> {
    text.lines().find_map(|line| {
        let folded = fold(line);
        let names = words(&folded).any(|word| matches!(word, "moeda" | "currency"));
        of_header(&folded).filter(|_| names && folded.len() <= LINE_BYTES_MAX)
    })
}

/// The most bytes of a line that names a currency.
const LINE_BYTES_MAX: usize = 64;

/// The currency that an amount is written with, if it is not the real. A dollar sign alone is that of no country.
pub(crate) fn of_amount(text: &str) -> Option<&'static str> {
    let is_written =
        |mark: &str| text.as_bytes().windows(mark.len()).any(|part| part.eq_ignore_ascii_case(mark.as_bytes()));
    if text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-')) {
        None
    } else if is_written("US$") || is_written("USD") {
        Some("USD")
    } else if is_written("€") || is_written("EUR") {
        Some("EUR")
    } else {
        None
    }
}

/// An exchange rate: an exact decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    digits: i128,
    /// What the digits are divided by.
    scale: i128,
}

impl Rate {
    /// A rate above zero, with a dot or a comma.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_number || !(1..=RATE_DIGITS_MAX).contains(&digits.len()) {
            return None;
        }
        let rate = Rate { digits: digits.parse().ok()?, scale: 10_i128.pow(u32::try_from(fraction.len()).ok()?) };
        (rate.digits > 0).then_some(rate)
    }

    /// An amount times the rate, in hundredths, rounded half-even. None if it is too large.
    pub(crate) fn of(self, cents: i64) -> Option<i64> {
        let product = i128::from(cents) * self.digits;
        let (quotient, rest) = (product.div_euclid(self.scale), product.rem_euclid(self.scale));
        let is_up = rest * 2 > self.scale || rest * 2 == self.scale && quotient % 2 != 0;
        let rounded = quotient + i128::from(is_up);
        i64::try_from(rounded).ok().filter(|cents| cents.abs() <= CENTS_MAX)
    }
}

#[cfg(test)]
#[allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_converted_half_even() {
        let of = |rate: &str, cents| Rate::parse(rate).and_then(|rate| rate.of(cents));
        assert_eq!(of("5.40", -50_00), Some(-270_00));
        assert_eq!(of("5,4", -50_00), Some(-270_00));
        assert_eq!((of("0.5", 1), of("0.5", 3), of("0.5", -1), of("0.5", -3)), (Some(0), Some(2), Some(0), Some(-2)));
        assert_eq!(of("1", CENTS_MAX), Some(CENTS_MAX));
        assert_eq!(of("1.01", CENTS_MAX), None);
        for rate in ["", "0", "0.0", "-1", "1.2.3", "abc", "1234567890123456"] {
            assert_eq!(Rate::parse(rate), None, "{rate}");
        }
    }

    #[test]
    fn a_currency_is_told_by_its_code_its_sign_or_its_name() {
        for real in ["", "-", "—", "BRL", "R$", " brl ", "Real", "BRL - Real brasileiro", "Reais (R$)", "R$ (reais)"]
        {
            assert_eq!(code(real), None, "{real}");
        }
        for (text, expected) in
            [("usd", "USD"), ("US$", "USD"), ("€", "EUR"), ("Dólar", "USD"), ("ARS", "ARS"), ("USD/BRL", "USD/BRL")]
        {
            assert_eq!(code(text).as_deref(), Some(expected));
        }
        for (header, expected) in [
            ("Valor (US$)", Some("USD")),
            ("Amount in USD", Some("USD")),
            ("Valor em EUR", Some("EUR")),
            ("Valor (€)", Some("EUR")),
            ("Valor em dólares", Some("USD")),
            ("Valor (R$)", None),
            ("Valor em US$ convertido em R$", None),
            ("Valor", None),
            ("Valor ($)", None),
        ] {
            assert_eq!(of_header(header), expected, "{header}");
        }
        assert_eq!(of_amount("US$ 12,00"), Some("USD"));
        assert_eq!(of_amount("-12,00 €"), Some("EUR"));
        assert_eq!((of_amount("R$ 12,00"), of_amount("-12,00"), of_amount("$9")), (None, None, None));
    }
}
