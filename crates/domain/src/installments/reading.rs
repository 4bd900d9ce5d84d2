//! What a description says about instalments.
//!
//! A renamed instalment stays an instalment of its plan: the statement's description is read, if it names one. The
//! statements that write transactions store what was read (`installment_number`, `installment_count`, and `installment_shop`,
//! the rest of the description), so this holds for every writer; export documents leave the columns out.

use std::ops::Range;

use crate::text::normalized;

/// The most instalments of one purchase.
pub const COUNT_MAX: u8 = 99;

/// The place of a row in a purchase by instalments: number 3 of 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Installment {
    /// Its number, from 1 to `count`.
    pub number: u8,
    /// How many there are, from 2 to [`COUNT_MAX`].
    pub count: u8,
}

/// A description of an instalment, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The instalment.
    pub installment: Installment,
    /// The rest of the description as it is written: `Loja`. Empty if there is nothing else.
    pub rest: String,
    /// The rest, [`normalized`] for comparison. The rows of one purchase have the same shop.
    pub shop: String,
}

/// Reads the instalment in the description of a row on a card. On other accounts such texts are dates, so only the
/// descriptions of [cards](crate::accounts::AccountKind::Credit) are read.
///
/// Accents, case and repeated blanks do not matter. The last of `parcela k/n`, `parcela k de n`, `parc k/n` and `parc. k/n`
/// anywhere in the text is taken. If there is none, the text must end with `k/n`, `k de n` or `(k/n)`. k must be 1 to n, and n
/// must be 2 to [`COUNT_MAX`]. Anything else is not an instalment.
///
/// ```
/// use finance_domain::installments::{Installment, read};
///
/// let read = |text| read(text).map(|reading| (reading.installment.number, reading.installment.count, reading.shop));
/// assert_eq!(read("Loja São João - Parcela 3/10"), Some((3, 10, "loja sao joao".into())));
/// assert_eq!(read("LOJA PARC 02/12 SOROCABA BR"), Some((2, 12, "loja sorocaba br".into())));
/// assert_eq!(read("Empiricus 3/12"), Some((3, 12, "empiricus".into())));
/// assert_eq!(read("Parcela 1/1"), None, "all of it at once");
/// ```
pub fn read(description: &str) -> Option<Reading> {
    if is_certainly_none(description) {
        return None;
    }
    let folded = Folded::new(description);
    let (installment, place) = marked(&folded.text).or_else(|| at_the_end(&folded.text))?;
    let (before, after) = (&description[..folded.place(place.start)], &description[folded.place(place.end)..]);
    let parts = [before, after].map(trimmed);
    let rest = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let shop = normalized(&rest);
    Some(Reading { installment, rest, shop })
}

/// Whether a text certainly has no instalment. This avoids folding most texts.
fn is_certainly_none(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_sign = || bytes.contains(&b'/') || bytes.windows(2).any(|pair| pair.eq_ignore_ascii_case(b"de"));
    text.is_ascii() && !(bytes.iter().any(u8::is_ascii_digit) && has_sign())
}

/// The description of an instalment that is entered by hand: `Loja - Parcela 3/10`.
pub fn describe(what: &str, installment: Installment) -> String {
    let Installment { number, count } = installment;
    format!("{what} - Parcela {number}/{count}")
}

/// Removes the separators between an instalment and the rest of its text.
fn trimmed(part: &str) -> &str {
    part.trim_matches(|letter: char| letter.is_whitespace() || "-–—()[],;:|".contains(letter))
}

/// A [`normalized`] text, and the origin of each of its bytes.
struct Folded {
    text: String,
    /// The position in the original of each byte of the text, and of its end.
    places: Vec<usize>,
}

impl Folded {
    fn new(original: &str) -> Self {
        let (mut text, mut places) = (String::with_capacity(original.len()), Vec::with_capacity(original.len() + 1));
        let mut is_apart = false;
        for (at, letter) in original.char_indices() {
            if letter.is_whitespace() {
                is_apart = true;
                continue;
            }
            let folded = normalized(letter.encode_utf8(&mut [0; 4]));
            if is_apart && !text.is_empty() && !folded.is_empty() {
                text.push(' ');
                places.push(at);
            }
            is_apart = is_apart && folded.is_empty();
            places.resize(places.len() + folded.len(), at);
            text.push_str(&folded);
        }
        places.push(original.len());
        Folded { text, places }
    }

    /// The position in the original for a position in the text.
    fn place(&self, at: usize) -> usize {
        self.places[at]
    }
}

/// Whether a word may begin there.
fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(char::is_alphanumeric)
}

/// The last instalment after a word (`parcela` or `parc`), and its range with the word.
fn marked(text: &str) -> Option<(Installment, Range<usize>)> {
    let starts = text.rmatch_indices("parc").map(|(at, _)| at).filter(|at| begins_word(text, *at));
    starts.into_iter().find_map(|start| {
        let word = &text[start + "parc".len()..];
        let (is_whole, word) = match word.strip_prefix("ela") {
            Some(rest) => (true, rest),
            None => (false, word.strip_prefix('.').unwrap_or(word)),
        };
        let word = word.strip_prefix(' ')?;
        let (installment, rest) = fraction(word, is_whole)?;
        // `3/10/2026` is a date.
        (!rest.starts_with('/')).then_some((installment, start..text.len() - rest.len()))
    })
}

/// The instalment at the end of a text, and its range.
fn at_the_end(text: &str) -> Option<(Installment, Range<usize>)> {
    let (bare, is_closed) = match text.strip_suffix(')') {
        Some(bare) => (bare, true),
        None => (text, false),
    };
    let digits = |text: &str| text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let between = &bare[..digits(bare)];
    let before = match between.strip_suffix('/') {
        Some(before) => before,
        None if !is_closed => between.strip_suffix(" de ")?,
        None => return None,
    };
    let start = digits(before);
    let (installment, rest) = fraction(&bare[start..], true)?;
    let (is_whole_text, lead) = (rest.is_empty(), &text[..start]);
    // `1/12/10` is a date, `1.2/10` and `1,2/10` are not whole numbers.
    let is_part =
        lead.ends_with('/') || lead.trim_end_matches(['.', ',']).ends_with(|digit: char| digit.is_ascii_digit());
    let opening = if is_closed { lead.strip_suffix('(')? } else { lead };
    (is_whole_text && !is_part && begins_word(text, start)).then_some((installment, opening.len()..text.len()))
}

/// Reads `k/n` or, if `with_de` is true, `k de n` at the start of a text. Also returns the rest of the text.
fn fraction(text: &str, with_de: bool) -> Option<(Installment, &str)> {
    let (number, rest) = whole(text)?;
    let rest = match rest.strip_prefix('/') {
        Some(rest) => rest,
        None if with_de => rest.strip_prefix(" de ")?,
        None => return None,
    };
    let (count, rest) = whole(rest)?;
    let is_one = (2..=COUNT_MAX).contains(&count) && (1..=count).contains(&number);
    is_one.then_some((Installment { number, count }, rest))
}

/// Reads all digits at the start of a text.
fn whole(text: &str) -> Option<(u8, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(digits);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Number, count and shop.
    type Said = Option<(u8, u8, &'static str)>;

    /// Descriptions as banks write them, and what they say.
    #[rustfmt::skip]
    const DESCRIPTIONS: &[(&str, Said)] = &[
        // Nubank, in several years.
        ("Saraiva Com 1/11", Some((1, 11, "saraiva com"))),
        ("Empiricus 3/12", Some((3, 12, "empiricus"))),
        ("Paypal*Globalcode 6/6", Some((6, 6, "paypal*globalcode"))),
        ("Azul Linhas Aereas*Fef 4/4", Some((4, 4, "azul linhas aereas*fef"))),
        ("Amazon.Com.Br Amazon & Cloud 3/3", Some((3, 3, "amazon.com.br amazon & cloud"))),
        ("Mercadolivre*Mercadol - Parcela 2/10", Some((2, 10, "mercadolivre*mercadol"))),
        // Banco do Brasil, in the middle of the text.
        ("NETSHOES PARC 03/12 SOROCABA    BR", Some((3, 12, "netshoes sorocaba br"))),
        ("HOTEL PARC 10/10 SAO PAULO   BR", Some((10, 10, "hotel sao paulo br"))),
        ("KALUNGA PARC 03/12 BR", Some((3, 12, "kalunga br"))),
        // The column of instalments of a CSV, which is added to the description.
        ("LOJA EXEMPLO 2/7", Some((2, 7, "loja exemplo"))),
        ("RESTAURANTE 3 de 10", Some((3, 10, "restaurante"))),
        ("MAGAZINE Parcela 1/2", Some((1, 2, "magazine"))),
        // Other ways to write it.
        ("PARCELA 03/10", Some((3, 10, ""))),
        ("Curso parcela 4 de 12", Some((4, 12, "curso"))),
        ("Curso PARC. 4/12", Some((4, 12, "curso"))),
        ("Ótica   Visão  (2/3)", Some((2, 3, "otica visao"))),
        ("OTICA (PARCELA 2/3) CENTRO", Some((2, 3, "otica centro"))),
        ("Loja-parcela 2/3", Some((2, 3, "loja"))),
        ("12/12", Some((12, 12, ""))),
        ("Seguro 01/99", Some((1, 99, "seguro"))),
        ("Seguro 001/012", Some((1, 12, "seguro"))),
        // The last valid one counts.
        ("PARC 2/5 LOJA PARC 3/6", Some((3, 6, "parc 2/5 loja"))),
        ("PARC 2/5 LOJA PARC 1/1", Some((2, 5, "loja parc 1/1"))),
        ("Parcela 2/5 do pedido 3/9", Some((2, 5, "do pedido 3/9"))),
        ("Loja 2/3 - Parcela 1/3", Some((1, 3, "loja 2/3"))),
        ("Parcela 7/3 Loja 2/3", Some((2, 3, "parcela 7/3 loja"))),
        // None of these is an instalment.
        ("Parcela 1/1", None),
        ("Única", None),
        ("Loja 0/3", None),
        ("Loja 4/3", None),
        ("Loja 1/100", None),
        ("Parcela 1/123", None),
        ("Loja 12/03/10", None),
        ("Parcela 3/10/2026", None),
        ("Loja 1,2/10", None),
        ("LOJA3/10", None),
        ("Loja 3/10 SP", None),
        ("Loja (3 de 10)", None),
        ("PARC 3 de 10 BR", None),
        ("Parcelamento 3/10 de fatura", None),
        ("ESPARC 3/10 BR", None),
        ("parcela", None),
        ("Loja 3/", None),
        ("Loja /3", None),
        ("Loja 3/10)", None),
        ("Loja 99999999999999999999/99999999999999999999", None),
        ("", None),
    ];

    #[test]
    fn descriptions_of_banks_are_read() {
        for (text, expected) in DESCRIPTIONS {
            let found = read(text).map(|reading| (reading.installment.number, reading.installment.count, reading.shop));
            let expected = expected.map(|(number, count, shop)| (number, count, shop.to_string()));
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn the_rest_is_as_it_is_written() {
        for (text, rest) in [
            ("Ótica  Visão (2/3)", "Ótica  Visão"),
            ("OTICA (PARCELA 2/3) CENTRO", "OTICA CENTRO"),
            ("Loja - Parcela 1/3", "Loja"),
            ("Parcela 1/3", ""),
        ] {
            assert_eq!(read(text).map(|reading| reading.rest).as_deref(), Some(rest), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_with_places_is_folding(text in "[ \\ta-zA-ZçÃİẞé\u{301}\u{212a}0-9/().-]{0,40}") {
            let folded = Folded::new(&text);
            prop_assert_eq!(&folded.text, &normalized(&text));
            prop_assert_eq!(folded.places.len(), folded.text.len() + 1);
            prop_assert!(folded.places.iter().all(|at| text.is_char_boundary(*at)));
        }

        #[test]
        fn any_text_is_read_or_not(text in ".{0,60}") {
            if let Some(Reading { installment: Installment { number, count }, shop, rest }) = read(&text) {
                prop_assert!((2..=COUNT_MAX).contains(&count) && (1..=count).contains(&number));
                prop_assert_eq!(shop, normalized(&rest));
            }
        }

        #[test]
        fn what_is_entered_by_hand_is_read_as_it_was_meant(
            what in "[A-Za-zÀ-ú0-9 /*.]{0,30}[A-Za-zÀ-ú0-9*.]", number in 1u8..=99, count in 2u8..=99,
        ) {
            prop_assume!(number <= count);
            let installment = Installment { number, count };
            let reading = read(&describe(&what, installment)).unwrap();
            prop_assert_eq!(reading.installment, installment);
            prop_assert_eq!(reading.shop, normalized(&what));
        }
    }
}
