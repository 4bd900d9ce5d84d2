//! What the codes on a bill say: the lines of boletos and of collections, and Pix.
//!
//! Sources: FEBRABAN, "Layout padrão de arrecadação" (version 4) and "Fator de vencimento" (2012); Banco Central, "Manual do BR
//! Code". Lei 7.089 of 1983 moves a due on a holiday to the next business day.

use time::macros::date;
use time::{Date, Duration};

use crate::money::Money;
use crate::text::is_hidden;
use crate::transactions::Kind;
use crate::words::words;

use super::templates::Draft;
use super::values::{Schedule, Weekend};

words! {
    /// The kind of a code.
    pub enum CodeKind {
        /// The line of a boleto, 47 digits.
        Boleto = "boleto",
        /// The line of a collection of taxes or utilities, 48 digits.
        Collection = "collection",
        /// A Pix that is copied and pasted.
        Pix = "pix",
    }
}

/// What a code says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The kind of the code.
    pub kind: CodeKind,
    /// An expense that is due once.
    pub draft: Draft,
}

/// The digits of a boleto's line.
const BOLETO_DIGITS: usize = 47;
/// The digits of a collection's line.
const COLLECTION_DIGITS: usize = 48;

/// Day zero of the factors of due dates.
const FACTOR_EPOCH: Date = date!(1997 - 10 - 07);
/// The day on which the factors began again, with 1000.
const FACTOR_RESTART: Date = date!(2025 - 02 - 22);
const FACTOR_RESTARTED: i64 = 1_000;
/// A due lies at most this many days before today, or after it.
const DUE_DAYS_BEFORE: i64 = 3_000;
const DUE_DAYS_AFTER: i64 = 5_500;

/// Reads a code. Returns `None` if it is none, or a check digit is wrong.
///
/// ```
/// use finance_domain::recurring::{CodeKind, parse_code};
/// use time::macros::date;
///
/// let today = date!(2026 - 03 - 10);
/// let line = "00190.50095 40144.816069 06809.350314 3 37370000000100";
/// let code = parse_code(line, today).unwrap();
/// assert_eq!(code.kind, CodeKind::Boleto);
/// assert_eq!(code.draft.amount.unwrap().to_string(), "1.00");
/// assert!(parse_code("00190.50095 40144.816069 06809.350314 4 37370000000100", today).is_none());
/// ```
pub fn parse_code(text: &str, today: Date) -> Option<Code> {
    // A copy from a page or a message may add them.
    let text = text.replace(is_hidden, "");
    let text = text.trim();
    let is_separator =
        |letter: char| letter.is_whitespace() || matches!(letter, '.' | '-' | '\u{2010}'..='\u{2015}' | '−');
    if text.chars().all(|letter| letter.is_ascii_digit() || is_separator(letter)) {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        return match digits.len() {
            BOLETO_DIGITS => boleto(&digits, today),
            COLLECTION_DIGITS => collection(&digits),
            _ => None,
        };
    }
    pix(text)
}

fn once(
    kind: CodeKind,
    description: Option<String>,
    amount: Option<Money>,
    due: Option<Date>,
    weekend: Weekend,
) -> Code {
    let schedule = Schedule { start_on: due, count: Some(1), weekend, ..Schedule::default() };
    let draft = Draft { description, amount, day: due.map(Date::day), schedule, ..Draft::new(Kind::Expense) };
    Code { kind, draft }
}

fn boleto(line: &[u8], today: Date) -> Option<Code> {
    let fields = [&line[..10], &line[10..21], &line[21..32]];
    let are_right =
        fields.iter().all(|field| field.split_last().is_some_and(|(check, rest)| modulo_10(rest) == *check));
    let check = line[32];
    // As the bars have it, without the check digit: bank, currency, factor and amount, then the free field.
    let bars: Vec<u8> = [&line[..4], &line[33..], &line[4..9], &line[10..20], &line[21..31]].concat();
    let expected = match 11 - weighted(&bars) % 11 {
        0 | 10 | 11 => 1,
        digit => digit,
    };
    if !are_right || expected != u32::from(check) {
        return None;
    }
    let factor = i64::try_from(number(&line[33..37])).ok()?;
    Some(once(CodeKind::Boleto, None, amount(&line[37..]), due_of(factor, today), Weekend::After))
}

/// The due date of a factor: the one that lies around today. None without one.
fn due_of(factor: i64, today: Date) -> Option<Date> {
    let first = (factor > 0).then(|| FACTOR_EPOCH + Duration::days(factor));
    let second = (factor >= FACTOR_RESTARTED).then(|| FACTOR_RESTART + Duration::days(factor - FACTOR_RESTARTED));
    let is_near = |due: &Date| (-DUE_DAYS_BEFORE..=DUE_DAYS_AFTER).contains(&(*due - today).whole_days());
    [first, second].into_iter().flatten().find(is_near)
}

fn collection(line: &[u8]) -> Option<Code> {
    if line[0] != 8 {
        return None;
    }
    let (is_modulo_10, has_amount) = match line[2] {
        6 => (true, true),
        7 => (true, false),
        8 => (false, true),
        9 => (false, false),
        _ => return None,
    };
    let check = |digits: &[u8]| match is_modulo_10 {
        true => modulo_10(digits),
        false => modulo_11_of_collections(digits),
    };
    let are_right = line.chunks(12).all(|field| field.split_last().is_some_and(|(digit, rest)| check(rest) == *digit));
    let bars: Vec<u8> = line.chunks(12).flat_map(|field| &field[..11]).copied().collect();
    let others = [&bars[..3], &bars[4..]].concat();
    if !are_right || check(&others) != bars[3] {
        return None;
    }
    let amount = if has_amount { amount(&bars[4..15]) } else { None };
    // City halls, public bodies and traffic fines ask for taxes, which are due before a holiday.
    let weekend = if matches!(line[1], 1 | 5 | 7) { Weekend::Before } else { Weekend::After };
    Some(once(CodeKind::Collection, None, amount, None, weekend))
}

/// An amount of cents; none where it is zero.
fn amount(digits: &[u8]) -> Option<Money> {
    Some(number(digits)).filter(|cents| *cents > 0).map(Money::from_cents)
}

fn number(digits: &[u8]) -> i128 {
    digits.iter().fold(0, |number, digit| number * 10 + i128::from(*digit))
}

/// The check digit by weights 2 and 1 from the right, of whose products the digits are summed.
fn modulo_10(digits: &[u8]) -> u8 {
    let product = |(digit, weight): (&u8, u8)| {
        let product = digit * weight;
        product / 10 + product % 10
    };
    let sum: u32 = digits.iter().rev().zip([2, 1].into_iter().cycle()).map(product).map(u32::from).sum();
    // Below ten, so the cast keeps the value.
    ((10 - sum % 10) % 10) as u8
}

/// The sum by weights 2 to 9 from the right.
fn weighted(digits: &[u8]) -> u32 {
    digits.iter().rev().zip((2..=9).cycle()).map(|(digit, weight)| u32::from(*digit) * weight).sum()
}

fn modulo_11_of_collections(digits: &[u8]) -> u8 {
    match weighted(digits) % 11 {
        0 | 1 => 0,
        // Below ten, so the cast keeps the value.
        rest => (11 - rest) as u8,
    }
}

/// The name of Pix among the schemes of a BR Code.
const PIX: &str = "br.gov.bcb.pix";
/// The templates in which a BR Code names its schemes.
const SCHEMES: std::ops::RangeInclusive<u8> = 26..=51;

fn pix(text: &str) -> Option<Code> {
    let (payload, sum) = text.split_at_checked(text.len().checked_sub(4)?)?;
    let is_right = payload.ends_with("6304") && u16::from_str_radix(sum, 16).ok()? == crc_16(payload.as_bytes());
    if !is_right || !sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    // Lengths count characters; some banks count the bytes of UTF-8.
    of_fields(text, after_characters).or_else(|| of_fields(text, str::split_at_checked))
}

/// What the fields of a Pix say, by a count of lengths.
fn of_fields(text: &str, cut: Cut) -> Option<Code> {
    let fields = fields(text, cut)?;
    let is_pix = |(id, value): &(u8, &str)| {
        let names = SCHEMES.contains(id).then(|| self::fields(value, cut)).flatten().unwrap_or_default();
        names.iter().any(|(id, name)| *id == 0 && name.eq_ignore_ascii_case(PIX))
    };
    if fields.first() != Some(&(0, "01")) || !fields.iter().any(is_pix) {
        return None;
    }
    let value = |wanted: u8| fields.iter().find(|(id, _)| *id == wanted).map(|(_, value)| *value);
    let amount = match value(54) {
        Some(text) => {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            // A dot may end it where there are no cents.
            let amount: Money = text.strip_suffix('.').unwrap_or(text).parse().ok().filter(|_| is_plain)?;
            // A code that leaves the amount to the payer may say zero.
            if amount == Money::ZERO { None } else { Some(amount.transaction_amount().ok()?) }
        }
        None => None,
    };
    let name = value(59).and_then(|name| crate::text::description(name).ok());
    Some(once(CodeKind::Pix, name, amount, None, Weekend::Same))
}

/// Cuts a text after a length, if it is as long.
type Cut = fn(&str, usize) -> Option<(&str, &str)>;

fn after_characters(text: &str, count: usize) -> Option<(&str, &str)> {
    let end = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(count)?;
    text.split_at_checked(end)
}

/// The fields of a BR Code: an id and a length of two digits each, then the value.
fn fields(mut text: &str, cut: Cut) -> Option<Vec<(u8, &str)>> {
    let mut fields = Vec::new();
    while !text.is_empty() {
        let (head, after) =
            text.split_at_checked(4).filter(|(head, _)| head.bytes().all(|byte| byte.is_ascii_digit()))?;
        let (value, after) = cut(after, head[2..].parse().ok()?)?;
        fields.push((head[..2].parse().ok()?, value));
        text = after;
    }
    Some(fields)
}

/// CRC-16/CCITT-FALSE.
fn crc_16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |sum, byte| {
        (0..8).fold(
            sum ^ (u16::from(*byte) << 8),
            |sum, _| {
                if sum & 0x8000 != 0 { (sum << 1) ^ 0x1021 } else { sum << 1 }
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Date = date!(2026 - 03 - 10);

    /// The line of a boleto with these digits of the free field.
    fn line(factor: i64, cents: i64, free: &str) -> String {
        let bars = format!("0019{factor:04}{cents:010}{free}");
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
        let check = match 11 - weighted(&digits(&bars)) % 11 {
            0 | 10 | 11 => 1,
            digit => digit,
        };
        let field = |text: String| format!("{text}{}", modulo_10(&digits(&text)));
        let first = field(format!("0019{}", &free[..5]));
        format!("{first}{}{}{check}{factor:04}{cents:010}", field(free[5..15].into()), field(free[15..].into()))
    }

    const FREE: &str = "0500940144816060680935031";

    #[test]
    fn a_boleto_says_its_amount_and_due() {
        for (factor, due) in [
            (1388, Some(date!(2026 - 03 - 17))),
            (1000, Some(date!(2025 - 02 - 22))),
            (9999, Some(date!(2025 - 02 - 21))),
            (0, None),
            (999, None),
            (1, None),
            // Neither date lies around today.
            (6_900, None),
        ] {
            let code = parse_code(&line(factor, 18_000, FREE), TODAY).unwrap();
            assert_eq!(code.draft.schedule.start_on, due, "{factor}");
            assert_eq!(code.draft.day, due.map(Date::day));
            assert_eq!(code.draft.amount, Some(Money::from_cents(18_000)));
            assert_eq!((code.draft.schedule.count, code.draft.schedule.weekend), (Some(1), Weekend::After));
        }
        assert_eq!(parse_code(&line(1388, 0, FREE), TODAY).unwrap().draft.amount, None);
    }

    #[test]
    fn every_digit_of_a_line_is_checked() {
        let line = line(1388, 18_000, FREE);
        for at in 0..line.len() {
            let digit = (line.as_bytes()[at] - b'0' + 1) % 10;
            let wrong = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
            // A sum by modulo 11 that gives one of three digits is one for several lines.
            let is_unseen = parse_code(&wrong, TODAY).is_some();
            assert!(!is_unseen || at >= 32, "{wrong}");
        }
        assert!(parse_code(&line[1..], TODAY).is_none() && parse_code("", TODAY).is_none());
    }

    #[test]
    fn collections_are_checked_by_the_modulus_that_they_name() {
        let digits = |text: &str| text.bytes().map(|byte| byte - b'0').collect::<Vec<u8>>();
        let line = |segment: u8, value: u8, cents: i64| {
            let check = |digits: &[u8]| if value < 8 { modulo_10(digits) } else { modulo_11_of_collections(digits) };
            let head = format!("8{segment}{value}");
            let tail = format!("{cents:011}01620260314000001234567890");
            let tail = format!("{tail:0<40}");
            let bars = format!("{head}{}{tail}", check(&digits(&format!("{head}{tail}"))));
            bars.as_bytes()
                .chunks(11)
                .map(|field| {
                    let text = std::str::from_utf8(field).unwrap();
                    format!("{text}{}-", check(&digits(text)))
                })
                .collect::<String>()
        };
        for (segment, value, amount, weekend) in [
            (3, 6, Some(12_345), Weekend::After),
            (1, 7, None, Weekend::Before),
            (5, 8, Some(12_345), Weekend::Before),
            (2, 9, None, Weekend::After),
            (7, 6, Some(12_345), Weekend::Before),
        ] {
            let text = line(segment, value, 12_345);
            let code = parse_code(text.trim_end_matches('-'), TODAY).unwrap();
            assert_eq!(code.kind, CodeKind::Collection);
            assert_eq!(code.draft.amount, amount.map(Money::from_cents));
            assert_eq!(code.draft.schedule.weekend, weekend);
            assert_eq!((code.draft.schedule.start_on, code.draft.day), (None, None));
        }
        let text = line(3, 6, 12_345);
        assert!(parse_code(&text.replacen('1', "2", 1), TODAY).is_none());
        assert!(parse_code(&text.replacen('8', "9", 1), TODAY).is_none());
    }

    /// The example of the manual of the BR Code.
    const EXAMPLE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

    #[test]
    fn a_pix_says_whom_and_how_much() {
        let code = parse_code(EXAMPLE, TODAY).unwrap();
        assert_eq!(code.kind, CodeKind::Pix);
        assert_eq!((code.draft.description.as_deref(), code.draft.amount), (Some("Fulano de Tal"), None));
        let sealed = |payload: &str| format!("{payload}{:04x}", crc_16(payload.as_bytes()));
        let paid = EXAMPLE.replace("53039865802BR", "530398654061.2345802BR");
        assert!(parse_code(&sealed(&paid[..paid.len() - 4]), TODAY).is_none(), "not an amount");
        let paid =
            EXAMPLE.replace("53039865802BR", "53039865406123.455802BR").replace("Fulano de Tal", "José da Silva");
        let code = parse_code(&sealed(&paid[..paid.len() - 4]), TODAY).unwrap();
        assert_eq!(
            (code.draft.description.as_deref(), code.draft.amount),
            (Some("José da Silva"), Some(Money::from_cents(12_345)))
        );
        for (text, cents) in [("05123.4", 12_340), ("04123.", 12_300)] {
            let paid = EXAMPLE.replace("53039865802BR", &format!("530398654{text}5802BR"));
            let code = parse_code(&sealed(&paid[..paid.len() - 4]), TODAY).unwrap();
            assert_eq!(code.draft.amount, Some(Money::from_cents(cents)), "{text}");
        }
        assert!(parse_code(&EXAMPLE.replace("1D3D", "1D3E"), TODAY).is_none());
        let other = EXAMPLE.replace("br.gov.bcb.pix", "br.gov.bcb.pox");
        assert!(parse_code(&sealed(&other[..other.len() - 4]), TODAY).is_none(), "another scheme");
        assert!(parse_code("Aluguel de março", TODAY).is_none());
    }

    #[test]
    fn a_pix_whose_lengths_count_bytes_is_read() {
        let named = EXAMPLE.replace("5913Fulano de Tal6008BRASILIA", "5914José da Silva6010SÃO PAULO");
        let payload = &named[..named.len() - 4];
        let code = parse_code(&format!("{payload}{:04X}", crc_16(payload.as_bytes())), TODAY).unwrap();
        assert_eq!(code.draft.description.as_deref(), Some("José da Silva"));
    }

    #[test]
    fn what_a_copy_adds_does_not_count() {
        let (first, last) = EXAMPLE.split_at(60);
        assert!(parse_code(&format!("\u{200e}{first}\r\n{last}\u{feff}\n"), TODAY).is_some());
        let line = line(1388, 18_000, FREE);
        let (first, last) = line.split_at(10);
        for between in ["–", "\u{a0}", "\u{2011}", "\u{200b}", "\u{ad}", " - "] {
            assert!(parse_code(&format!("{first}{between}{last}"), TODAY).is_some(), "{between:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,80}", digits in "[0-9]{44,50}") {
            parse_code(&text, TODAY);
            parse_code(&digits, TODAY);
            parse_code(&format!("{text}6304{}", &digits[..4]), TODAY);
        }
    }
}
