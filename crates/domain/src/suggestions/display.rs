//! How a row of a statement is shown: the clean name of its payee, and how it was paid.

use super::payee::Payees;
use super::shown::{Display, Method, MethodWords};
use crate::installments;
use crate::text::normalized;

/// A word of a text: letters and digits without anything between them.
struct Run {
    /// Its first byte in the text.
    start: usize,
    /// The byte after it.
    end: usize,
    /// In the form in which texts are compared.
    folded: String,
}

/// The first words of a text.
fn runs(text: &str, most: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = None;
    let letters = text.char_indices().map(|(at, letter)| (at, letter.is_alphanumeric())).chain([(text.len(), false)]);
    for (at, is_word) in letters {
        match (start, is_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                runs.push(Run { start: from, end: at, folded: normalized(&text[from..at]) });
                start = None;
                if runs.len() == most {
                    break;
                }
            }
            _ => {}
        }
    }
    runs
}

fn has_letter(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// The fewest digits of a document's number, such as a CPF with its middle shown only.
const DOCUMENT_DIGITS_MIN: usize = 5;

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}

/// Whether a part of a text is the payee's document or account, or hides one.
fn is_document(part: &str) -> bool {
    part.contains('•') || part.contains("**") || digits(part) >= DOCUMENT_DIGITS_MIN
}

impl Payees {
    /// The payee of a description as a person writes the name, and how it was paid. `statement` is the text of the statement, if
    /// the description was changed: then the description is the name already, and the statement tells the method.
    pub fn display(&self, description: &str, statement: Option<&str>) -> Display {
        let (name, method) = self.parts(description);
        let method = method.or_else(|| statement.and_then(|text| self.parts(text).1));
        Display { name, method }
    }

    fn parts(&self, description: &str) -> (String, Option<Method>) {
        let whole = description.trim();
        let read = installments::read(whole);
        let text = read.as_ref().map_or(whole, |reading| reading.rest.as_str());
        let words = runs(text, PHRASE_WORDS_MAX);
        let phrase = self.phrase_words(&words);
        let method = self.method(&words, phrase);
        let known = self.shown.names.get(&self.key(whole));
        let name = known.cloned().unwrap_or_else(|| {
            let behind = match phrase {
                0 => text,
                count => words.get(count).map_or("", |next| &text[next.start..]),
            };
            let name = self.cleaned(behind, phrase > 0);
            if has_letter(&name) { name } else { self.mended(if has_letter(text) { text } else { whole }) }
        });
        (name, method)
    }

    /// How many words the phrase has that the text begins with, the longest one.
    fn phrase_words(&self, words: &[Run]) -> usize {
        let begins = |phrase: &&String| {
            let mut of_text = words.iter();
            phrase.split(' ').all(|word| of_text.next().is_some_and(|run| run.folded == word))
        };
        let phrases = words.first().map_or(&[][..], |first| self.phrases_for(&first.folded));
        phrases.iter().find(begins).map_or(0, |phrase| phrase.split(' ').count())
    }

    fn method(&self, words: &[Run], phrase: usize) -> Option<Method> {
        let (in_phrase, first) = (words.get(..phrase).unwrap_or_default(), words.first());
        let tells = |of: &&MethodWords| {
            in_phrase.iter().any(|run| of.in_phrase.contains(&run.folded))
                || first.is_some_and(|run| of.first.contains(&run.folded))
        };
        self.shown.methods.iter().find(tells).map(|of| of.method)
    }

    /// The name in the rest of a text.
    fn cleaned(&self, rest: &str, is_behind_phrase: bool) -> String {
        let mut rest = rest;
        let mut was_cut = is_behind_phrase;
        let after = self.without_acquirer_of(rest);
        if after.len() < rest.len() {
            (rest, was_cut) = (after, true);
        }
        // Inter writes `Cp :18236120-` before the name.
        let first = runs(rest, 3);
        if let [code, number, next] = first.as_slice()
            && code.folded == "cp"
            && !has_letter(&rest[number.start..number.end])
        {
            rest = &rest[next.start..];
        }
        let mut parts = rest.split(" - ");
        let mut kept: Vec<&str> = parts.next().into_iter().collect();
        kept.extend(parts.take_while(|part| !is_document(part)));
        let joined = kept.join(" - ").replace('*', " ");
        let mut words: Vec<&str> = joined.split_whitespace().collect();
        let is_number = |word: &str| !has_letter(word);
        let leading = |word: &str| is_number(word) && (was_cut || digits(word) >= DOCUMENT_DIGITS_MIN);
        let skipped = words.iter().take_while(|word| leading(word)).count();
        words.drain(..skipped);
        while let [_, .., last] = words.as_slice() {
            let folded = normalized(last);
            let bare: String = folded.chars().filter(|letter| letter.is_alphanumeric()).collect();
            // A date is a part of the text if no phrase was before the name: `Rendimento CDI 01/01/2025 a 31/01/2025`.
            let is_date = last.contains('/') && !was_cut;
            if is_date || !is_number(last) && !self.shown.endings.contains(&bare) {
                break;
            }
            words.pop();
        }
        let last = words.pop().map(without_date);
        words.extend(last);
        self.mended(words.join(" ").trim_matches(|letter: char| " -–—:,;/".contains(letter)))
    }

    /// A text whose words are written as in a name, if the bank wrote all of it in capitals.
    fn mended(&self, text: &str) -> String {
        let is_loud = has_letter(text) && !text.contains(char::is_lowercase);
        let mut mended = String::with_capacity(text.len() + 4);
        let count = text.split_whitespace().count();
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 {
                mended.push(' ');
            }
            let mut end = 0;
            for run in runs(word, usize::MAX) {
                mended.push_str(&word[end..run.start]);
                // `LOJA A`: a particle is between two words.
                let is_inside = (at > 0 || run.start > 0) && at + 1 < count;
                self.push_word(&mut mended, &word[run.start..run.end], &run.folded, is_loud, is_inside);
                end = run.end;
            }
            mended.push_str(&word[end..]);
        }
        mended
    }

    fn push_word(&self, out: &mut String, word: &str, folded: &str, is_loud: bool, is_inside: bool) {
        let begins_large = word.starts_with(char::is_uppercase);
        if let Some(spelled) = self.shown.spellings.get(folded).filter(|_| begins_large && word.is_ascii()) {
            out.push_str(spelled);
        } else if !is_loud {
            out.push_str(word);
        } else if self.shown.particles.contains(folded) && is_inside {
            out.push_str(&word.to_lowercase());
        } else if !word.is_ascii()
            || folded.contains(VOWELS)
            || folded.len() == 1
            || folded.contains(|letter: char| letter.is_ascii_digit())
        {
            let mut letters = word.chars();
            out.extend(letters.next());
            out.push_str(&letters.as_str().to_lowercase());
        } else {
            // Initials.
            out.push_str(word);
        }
    }
}

/// A word without vowels is pronounced letter by letter.
const VOWELS: [char; 6] = ['a', 'e', 'i', 'o', 'u', 'y'];

/// The most words of a phrase.
const PHRASE_WORDS_MAX: usize = 10;

/// A word without the date that a bank wrote right behind it: `D05/03`.
fn without_date(word: &str) -> &str {
    let Some(at) = word.len().checked_sub("05/03".len()).filter(|at| word.is_char_boundary(*at)) else { return word };
    let is_date = word[at..].bytes().enumerate().all(|(place, byte)| match place {
        2 => byte == b'/',
        _ => byte.is_ascii_digit(),
    });
    if is_date && has_letter(&word[..at]) { &word[..at] } else { word }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::payee::PayeeLists;
    use super::super::shown::DisplayLists;
    use super::*;

    fn payees() -> Payees {
        let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let words = |method, in_phrase: &[&str], first: &[&str]| MethodWords {
            method,
            in_phrase: list(in_phrase),
            first: list(first),
        };
        Payees::new(PayeeLists {
            phrases: list(&["pix enviado", "pix", "compra no debito", "transferencia enviada pelo pix"]),
            acquirers: list(&["pag"]),
            shops: list(&["uber"]),
            company_words: list(&["ltda"]),
            stop_words: list(&["de"]),
            display: DisplayLists {
                spellings: list(&["São", "Esperança", "iFood"]),
                particles: list(&["e", "dos"]),
                endings: list(&["ltda"]),
                names: vec![("uber trip".into(), "Uber".into())],
                methods: vec![
                    words(Method::Pix, &["pix"], &[]),
                    words(Method::Debit, &["debito"], &[]),
                    words(Method::Cash, &[], &["saque"]),
                ],
            },
        })
        .unwrap()
    }

    #[test]
    fn names_are_clean_and_methods_are_told() {
        let payees = payees();
        for (text, name, method) in [
            ("PIX ENVIADO - MARIA APARECIDA DOS SANTOS", "Maria Aparecida dos Santos", Some(Method::Pix)),
            (
                "COMPRA NO DEBITO - PADARIA E CONFEITARIA NOVA ESPERANCA LTDA",
                "Padaria e Confeitaria Nova Esperança",
                Some(Method::Debit),
            ),
            (
                "Transferência enviada pelo Pix - ANA SOUZA - •••.123.456-•• - NU PAGAMENTOS",
                "Ana Souza",
                Some(Method::Pix),
            ),
            ("Pix enviado: Cp :18236120-JOAO LIMA", "Joao Lima", Some(Method::Pix)),
            ("PIX MARIA D05/03", "Maria D", Some(Method::Pix)),
            ("PAG*CASAMARIA 0034", "Casamaria", None),
            ("UBER *TRIP 123", "Uber", None),
            ("PADARIA SAO JORGE - PARCELA 3/10", "Padaria São Jorge", None),
            ("SAQUE 24H", "Saque 24h", Some(Method::Cash)),
            ("CPFL ENERGIA", "CPFL Energia", None),
            ("LOJA E", "Loja E", None),
            ("Padaria da Ana", "Padaria da Ana", None),
            ("PIX", "Pix", Some(Method::Pix)),
            ("123", "123", None),
        ] {
            assert_eq!(payees.display(text, None), Display { name: name.into(), method }, "{text}");
        }
    }

    #[test]
    fn a_changed_description_is_the_name_and_the_statement_tells_the_method() {
        let shown = payees().display("Faxina", Some("PIX ENVIADO - MARIA"));
        assert_eq!(shown, Display { name: "Faxina".into(), method: Some(Method::Pix) });
    }

    proptest! {
        #[test]
        fn a_text_always_has_a_name(text in ".{1,60}") {
            let name = payees().display(&text, None).name;
            prop_assert_eq!(name.trim().is_empty(), text.trim().is_empty());
            prop_assert_eq!(name.trim(), &name);
        }
    }
}
