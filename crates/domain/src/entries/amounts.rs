//! Amounts: numbers as people write them, in reais.

use super::line::Line;
use super::values::{Candidate, Field, Missing, Part};
use super::words::{AmountWords, Grammar};
use crate::money::Money;

/// An amount in a line, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) from: usize,
    pub(super) to: usize,
    /// None if it cannot be read.
    pub(super) value: Option<Money>,
}

/// All amounts of a line, in order. The places behind each are looked at once.
pub(super) fn find(line: &Line<'_>, grammar: &Grammar) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while at < line.len() {
        match at_place(line, grammar, at) {
            Some(next) => {
                at = next.to.max(at + 1);
                found.push(next);
            }
            None => at += 1,
        }
    }
    // `,50` alone may be half a real.
    if let [alone] = &mut found[..]
        && line.words[alone.from].begins_in_the_middle()
    {
        alone.value = None;
    }
    found
}

/// The amount of the line, if there is exactly one. Otherwise the field is missing with all of them.
pub(super) fn only(line: &mut Line<'_>, grammar: &Grammar, field: Field, missing: &mut Vec<Missing>) -> Option<Money> {
    let found = find(line, grammar);
    settle(line, grammar, &found, field, missing)
}

/// Like [`only`], with the amounts found.
pub(super) fn settle(
    line: &mut Line<'_>,
    grammar: &Grammar,
    found: &[Found],
    field: Field,
    missing: &mut Vec<Missing>,
) -> Option<Money> {
    match found {
        [Found { from, to, value: Some(value) }] => {
            take(line, grammar, *from, *to);
            return Some(*value);
        }
        _ => found.iter().for_each(|found| line.leave_out(found.from, found.to)),
    }
    missing.push(Missing { field, candidates: candidates(found.iter().map(|found| found.value)) });
    None
}

/// Each amount once, in order. None if one of them cannot be read.
pub(super) fn candidates(values: impl Iterator<Item = Option<Money>>) -> Vec<Candidate> {
    let mut each: Vec<Candidate> = Vec::new();
    for value in values {
        let Some(value) = value else { return Vec::new() };
        let candidate = Candidate::Amount(value);
        if value.transaction_amount().is_ok() && !each.contains(&candidate) {
            each.push(candidate);
        }
    }
    each
}

/// Takes an amount, with the preposition before it.
pub(super) fn take(line: &mut Line<'_>, grammar: &Grammar, from: usize, to: usize) {
    let from = line.before_in(from, &grammar.amount.prepositions).unwrap_or(from);
    line.take(from, to, Part::Amount);
}

/// The amount that begins at a place.
pub(super) fn at_place(line: &Line<'_>, grammar: &Grammar, at: usize) -> Option<Found> {
    let words = &grammar.amount;
    let word = line.open(at)?;
    let unread = |to: usize| Some(Found { from: at, to, value: None });
    if words.foreign.contains(summand(word)) {
        return unread(at + 1);
    }
    if words.not_read.contains(word) {
        return at_place_of_number(line, words, at + 1).map(|next| Found { from: at, to: next.to, value: None });
    }
    if words.number_words.contains(word) {
        return spelled(line, words, at).and_then(unread);
    }
    if let Some(to) = behind_number_in_parts(line, words, at) {
        return unread(to);
    }
    let mut found = match at_place_of_number(line, words, at) {
        Some(found) => found,
        None if words.reais.contains(word) || is_unread(line, grammar, at) => return unread(at + 1),
        None => return None,
    };
    let behind = line.open(found.to);
    if behind.is_some_and(|word| words.not_read.contains(summand(word)) || word == "%") {
        return unread(found.to + 1);
    }
    // "54 reais e noventa centavos", "2 e meio".
    if behind == Some("e") {
        let end = run(line, words, found.to + 1);
        let is_article = end == found.to + 2 && line.open(found.to + 1).is_some_and(|word| word.starts_with("um"));
        let is_cents = line.is_in(end, &words.centavos);
        if end > found.to + 1 && (!is_article || is_cents) {
            found = Found { to: end + usize::from(is_cents), value: None, ..found };
        }
    }
    // "vinte e 5 reais".
    let is_spelled_before = at >= 2 && line.open(at - 1) == Some("e") && line.is_in(at - 2, &words.number_words);
    if is_spelled_before {
        found.value = None;
    }
    Some(found)
}

/// Where a number that is written in parts ends, as `1 000`. Its first part alone would be another amount, and the others are text.
fn behind_number_in_parts(line: &Line<'_>, words: &AmountWords, at: usize) -> Option<usize> {
    let is_part = |at: usize| {
        line.open(at).is_some_and(|word| {
            let whole = word.split(['.', ',']).next().unwrap_or_default();
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
            is_number && whole.starts_with('0') && (2..=3).contains(&whole.len())
        })
    };
    let first = at_place_of_number(line, words, at)?.to;
    if !line.words[first - 1].folded.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let to = (first..line.len()).find(|at| !is_part(*at)).unwrap_or(line.len());
    (to > first).then_some(to)
}

/// The first summand of a word: `2 mil+500`.
fn summand(word: &str) -> &str {
    word.split_once('+').map_or(word, |(first, _)| first)
}

/// Where a run of number words, joined by "e", ends.
fn run(line: &Line<'_>, words: &AmountWords, from: usize) -> usize {
    let mut to = from;
    loop {
        if line.is_in(to, &words.number_words) {
            to += 1;
        } else if to > from && line.open(to) == Some("e") && line.is_in(to + 1, &words.number_words) {
            to += 2;
        } else {
            return to;
        }
    }
}

/// Whether a word makes the number before it reais: "mil", "reais" or "real".
fn makes_reais(words: &AmountWords, word: &str) -> bool {
    word == "mil" || words.reais.contains(word) || words.one_real.contains(word)
}

/// Where number words that stand before "mil", "reais" or "real" end, with what goes with them.
fn spelled(line: &Line<'_>, words: &AmountWords, at: usize) -> Option<usize> {
    let end = run(line, words, at);
    line.open(end).is_some_and(|word| makes_reais(words, summand(word))).then(|| with_spelled(line, words, end))
}

/// Where what belongs to "mil" or "reais" at a place ends: number words and numbers behind it.
fn with_spelled(line: &Line<'_>, words: &AmountWords, at: usize) -> usize {
    let is_number = |at: usize| line.open(at).is_some_and(|word| plain(word).is_some());
    let mut to = at;
    loop {
        let belongs = |at: usize| {
            line.open(at).map(summand).is_some_and(|word| {
                makes_reais(words, word) || words.number_words.contains(word) || words.centavos.contains(word)
            })
        };
        if belongs(to) {
            to += 1;
        } else if line.open(to) == Some("e") && (belongs(to + 1) || is_number(to + 1)) {
            to += 2;
        } else {
            return to;
        }
    }
}

/// A part of an amount. A word may consist of several: `R$12+8,50`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'l> {
    Currency,
    Number(&'l str),
    Plus,
    Thousand,
    Reais,
    Cents,
    And,
}

/// The pieces of the words from a place on, as long as all of a word are pieces.
struct Pieces<'l> {
    pieces: Vec<(usize, Piece<'l>)>,
}

/// The most pieces of one amount. What is longer is not read.
const PIECES_MAX: usize = 400;

impl<'l> Pieces<'l> {
    fn from(line: &'l Line<'_>, words: &AmountWords, at: usize) -> Self {
        let mut pieces = Vec::new();
        let mut place = at;
        while let Some(word) = line.open(place).filter(|_| pieces.len() < PIECES_MAX) {
            // `,50` is not read, and neither is what is before it.
            if (place > at && line.words[place].begins_in_the_middle()) || !decompose(word, words, place, &mut pieces) {
                break;
            }
            place += 1;
            // An amount goes on with a piece only where the word before or behind is not a number alone.
            let goes_on = match (pieces.last(), line.open(place)) {
                (Some((_, Piece::Number(_))), Some(next)) => !next.starts_with(|first: char| first.is_ascii_digit()),
                (_, Some(_)) => true,
                (_, None) => false,
            };
            if !goes_on {
                break;
            }
        }
        Pieces { pieces }
    }

    fn get(&self, at: usize) -> Option<Piece<'l>> {
        self.pieces.get(at).map(|(_, piece)| *piece)
    }
}

/// Adds the pieces of a word, if it consists of pieces.
fn decompose<'l>(word: &'l str, words: &AmountWords, place: usize, pieces: &mut Vec<(usize, Piece<'l>)>) -> bool {
    let known = pieces.len();
    let mut rest = word;
    while !rest.is_empty() {
        let (piece, length) = if let Some(behind) = rest.strip_prefix("r$") {
            (Some(Piece::Currency), rest.len() - behind.len())
        } else if rest.starts_with('+') {
            (Some(Piece::Plus), 1)
        } else if rest.starts_with(|first: char| first.is_ascii_digit()) {
            let end = rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.' || letter == ','));
            let end = end.unwrap_or(rest.len());
            (Some(Piece::Number(&rest[..end])), end)
        } else {
            let end = rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len());
            let is_alone = end == word.len();
            let behind = pieces[known..].last().map(|(_, piece)| *piece);
            // Of a sum without blanks: `2 mil+500`, `500+mil`.
            let is_summand = is_alone || rest[end..].starts_with('+') || behind == Some(Piece::Plus);
            let is_behind_a_number = matches!(behind, Some(Piece::Number(_) | Piece::Thousand));
            let piece = match &rest[..end] {
                "mil" => Some(Piece::Thousand),
                "e" if is_alone => Some(Piece::And),
                word if words.reais.contains(word) || words.one_real.contains(word) => Some(Piece::Reais),
                word if is_summand && words.centavos.contains(word) => Some(Piece::Cents),
                _ => None,
            };
            (piece.filter(|_| is_summand || is_behind_a_number), end)
        };
        let Some(piece) = piece else {
            pieces.truncate(known);
            return false;
        };
        pieces.push((place, piece));
        rest = &rest[length..];
    }
    pieces.len() > known
}

/// An amount that begins at a place with a number, with "R$" or with "mil".
fn at_place_of_number(line: &Line<'_>, words: &AmountWords, at: usize) -> Option<Found> {
    let first = line.open(at)?;
    if !(first.starts_with(|first: char| first.is_ascii_digit()) || first.starts_with("r$") || summand(first) == "mil")
    {
        return None;
    }
    let pieces = Pieces::from(line, words, at);
    let (mut next, mut sum) = term(&pieces, line, words, 0)?;
    loop {
        if pieces.get(next) != Some(Piece::Plus) {
            break;
        }
        match term(&pieces, line, words, next + 1) {
            Some((behind, value)) => {
                sum = sum.zip(value).map(|(sum, value)| sum + value);
                next = behind;
            }
            None => {
                // A plus in the word of a number, with nothing behind it.
                if pieces.pieces[next].0 == pieces.pieces[next - 1].0 {
                    sum = None;
                    next += 1;
                }
                break;
            }
        }
    }
    let last = pieces.pieces[next - 1].0;
    let is_whole = pieces.pieces.get(next).is_none_or(|(place, _)| *place != last);
    let mut to = last + 1;
    // Number words belong to the "mil" before them.
    let is_behind_mil = pieces.get(next - 1) == Some(Piece::Thousand);
    let joined = if line.open(to) == Some("e") { to + 1 } else { to };
    if is_behind_mil && line.is_in(joined, &words.number_words) {
        to = with_spelled(line, words, to);
        sum = None;
    }
    let sum = sum.filter(|sum| is_whole && sum.transaction_amount().is_ok());
    Some(Found { from: at, to, value: sum })
}

/// One summand: where it ends, and its value if it can be read. None if there is none, or it is text.
fn term(pieces: &Pieces<'_>, line: &Line<'_>, words: &AmountWords, from: usize) -> Option<(usize, Option<Money>)> {
    let mut at = from;
    let has_currency = pieces.get(at) == Some(Piece::Currency);
    at += usize::from(has_currency);
    let number = match pieces.get(at) {
        Some(Piece::Number(number)) => {
            at += 1;
            Some(number)
        }
        Some(Piece::Thousand) => None,
        // "R$" without a number.
        _ => return has_currency.then_some((at, None)),
    };
    let is_alone =
        !has_currency && !matches!(pieces.get(at), Some(Piece::Thousand | Piece::Reais | Piece::Cents | Piece::Plus));
    if from == 0 && is_alone && number.is_some_and(is_text) {
        return None;
    }
    let mut value = match number {
        Some(number) => plain(number).filter(|_| !is_text(number)),
        None => Some(Money::from_cents(100)),
    };
    if pieces.get(at) == Some(Piece::Cents) {
        let cents = number.and_then(whole).filter(|cents| (1..=99).contains(cents) && !has_currency);
        return Some((at + 1, cents.map(Money::from_cents)));
    }
    if pieces.get(at) == Some(Piece::Thousand) {
        at += 1;
        value = value.and_then(|value| value.cents().checked_mul(1_000)).map(Money::from_cents);
        if let (Some(Piece::And), Some(Piece::Number(more))) = (pieces.get(at), pieces.get(at + 1)) {
            let is_cents = pieces.get(at + 2) == Some(Piece::Cents);
            let is_more = pieces.get(at + 2) == Some(Piece::Thousand);
            let is_of_thousands = |value: &Money| value.cents() % 100_000 == 0;
            let more = whole(more).filter(|more| (1..=999).contains(more));
            value = match (value, more) {
                (Some(value), Some(more)) if is_cents => (more <= 99).then(|| value + Money::from_cents(more)),
                (Some(value), Some(more)) if !is_more && is_of_thousands(&value) => {
                    Some(value + Money::from_cents(more * 100))
                }
                _ => None,
            };
            at += 2 + usize::from(is_cents || is_more);
        }
    }
    if pieces.get(at) == Some(Piece::Reais) {
        at += 1;
        if let (Some(Piece::And), Some(Piece::Number(cents))) = (pieces.get(at), pieces.get(at + 1)) {
            let has_word = pieces.get(at + 2) == Some(Piece::Cents);
            let is_other = matches!(pieces.get(at + 2), Some(Piece::Reais | Piece::Thousand | Piece::Plus));
            let is_followed = pieces.pieces.get(at + 1).and_then(|(place, _)| line.open(place + 1));
            let is_beside = is_followed.is_some_and(|word| words.not_read.contains(word) || word == "%");
            let is_whole = value.is_none_or(|value| value.cents() % 100 == 0);
            let cents = whole(cents).filter(|cents| (1..=99).contains(cents) && !is_other && !is_beside);
            match cents {
                Some(cents) if is_whole => {
                    value = value.map(|value| value + Money::from_cents(cents));
                    at += 2 + usize::from(has_word);
                }
                // Not read together, and neither is one without the other.
                _ if has_word => {
                    value = None;
                    at += 3;
                }
                _ => {}
            }
        }
    }
    Some((at, value))
}

/// The value of a whole number of at most four digits.
fn whole(number: &str) -> Option<i128> {
    (number.len() <= 4 && number.bytes().all(|digit| digit.is_ascii_digit())).then(|| number.parse().ok())?
}

/// The value of a number without anything around it: `54,90`, `1.234,56`, `1.850`.
fn plain(number: &str) -> Option<Money> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let (units, cents) = match number.rfind(['.', ',']) {
        Some(at) if number.len() - at - 1 <= 2 => (&number[..at], &number[at + 1..]),
        _ => (number, ""),
    };
    let mark = number[units.len()..].chars().next();
    if mark.is_some() && !is_digits(cents) {
        return None;
    }
    let cents = match cents.len() {
        0 => 0,
        1 => cents.parse::<i128>().ok()? * 10,
        _ => cents.parse::<i128>().ok()?,
    };
    let digits = if is_digits(units) {
        units.to_string()
    } else {
        // The mark of thousands is the other one: without a fraction only the point is clear.
        let thousands = if mark == Some('.') { ',' } else { '.' };
        let mut groups = units.split(thousands);
        let first = groups.next()?;
        let is_first = is_digits(first) && first.len() <= 3 && !first.starts_with('0');
        let mut rest = groups.clone();
        if !is_first || !rest.all(|group| group.len() == 3 && is_digits(group)) {
            return None;
        }
        std::iter::once(first).chain(groups).collect()
    };
    // More is too much, whatever follows.
    if digits.trim_start_matches('0').len() > 15 {
        return None;
    }
    Some(Money::from_cents(digits.parse::<i128>().ok()? * 100 + cents))
}

/// Whether a number is text: eleven digits or more, or a whole number that begins with 0.
fn is_text(number: &str) -> bool {
    let is_whole = number.bytes().all(|digit| digit.is_ascii_digit());
    is_whole && (number.len() >= DIGITS_OF_TEXT_MIN || (number.len() > 1 && number.starts_with('0')))
}

/// A whole number with so many digits is no amount.
const DIGITS_OF_TEXT_MIN: usize = 11;

/// Whether a word looks like an amount and is none that can be read.
fn is_unread(line: &Line<'_>, grammar: &Grammar, at: usize) -> bool {
    let words = &grammar.amount;
    let Some(word) = line.open(at) else { return false };
    if word.starts_with("r$") && word.len() == 2 {
        return true;
    }
    let is_digit = |letter: char| letter.is_ascii_digit();
    let around: String = word.chars().filter(|letter| !(is_digit(*letter) || ".,+-/%".contains(*letter))).collect();
    if around.contains(['$', '€', '£']) {
        return matches!(around.as_str(), "r$" | "us$" | "u$" | "$" | "€" | "£")
            || words.foreign.contains(around.trim_matches(['$', '€', '£']));
    }
    if !around.is_empty() || !word.contains(is_digit) {
        return false;
    }
    let digits = word.chars().filter(|letter| is_digit(*letter)).count();
    let has_hyphens = word.split('-').all(|part| !part.is_empty() && part.chars().all(is_digit));
    let is_part = word.split_once('/').is_some_and(|(number, count)| {
        [number, count].iter().all(|part| !part.is_empty() && part.chars().all(is_digit))
    });
    let is_of_instalments = is_part && at > 0 && grammar.date.not_a_date_after.contains(&line.words[at - 1].folded);
    let is_document = digits >= DIGITS_OF_TEXT_MIN && has_marks_of_documents(word);
    !(is_text(word) || has_hyphens || is_of_instalments || is_document)
}

/// Whether a word of digits has marks as numbers of documents do, as `123.456.789-09` and `12.345.678/0001-90`.
fn has_marks_of_documents(word: &str) -> bool {
    word.contains('-') && !word.contains(['+', ',', '%'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_is_written_or_not_at_all() {
        for (text, cents) in [
            ("54,90", Some(5490)),
            ("54.90", Some(5490)),
            ("23,4", Some(2340)),
            ("1.234,56", Some(123_456)),
            ("1,234.56", Some(123_456)),
            ("1.850", Some(185_000)),
            ("1.234.567", Some(123_456_700)),
            ("1.234.567,8", Some(123_456_780)),
            ("0,50", Some(50)),
            ("50", Some(5000)),
            ("5,799", None),
            ("1,234,567", None),
            ("1.2.3", None),
            ("1.23.456", None),
            ("1234.567", None),
            ("0.500", None),
            ("1.234.56", None),
            ("1,234,56", None),
            ("54,", None),
            (",54", None),
        ] {
            assert_eq!(plain(text), cents.map(Money::from_cents), "{text:?}");
        }
    }
}
