//! Which of the cards that are kept here a payment pays, by its text.

use std::collections::{BTreeSet, HashMap};

use crate::ids::AccountId;
use crate::transfers::rows::PaidCard;

/// The cards of a profile, by the words of their names that no other card has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptCards {
    cards: Vec<(AccountId, Vec<String>)>,
}

impl KeptCards {
    /// Takes the cards with their names.
    pub fn new<'a>(cards: impl IntoIterator<Item = (AccountId, &'a str)>) -> Self {
        let mut cards: Vec<(AccountId, Vec<String>)> =
            cards.into_iter().map(|(id, name)| (id, naming_words(name))).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in cards.iter().flat_map(|(_, words)| words) {
            *counts.entry(word.clone()).or_default() += 1;
        }
        for (_, words) in &mut cards {
            words.retain(|word| counts.get(word) == Some(&1));
        }
        KeptCards { cards }
    }

    /// The card that a [normalized](crate::text::normalized) text pays, if it pays one: the only card, or the only one of which
    /// the text has a word of the name, or its digits. None without a card.
    ///
    /// ```
    /// use finance_domain::AccountId;
    /// use finance_domain::transfers::{KeptCards, PaidCard};
    ///
    /// let cards = KeptCards::new([(AccountId(1), "Cartão Nubank"), (AccountId(2), "Cartão Visa 4321")]);
    /// assert_eq!(cards.paid_by("pagamento fatura cartao nubank"), Some(PaidCard::Kept(AccountId(1))));
    /// assert_eq!(cards.paid_by("pagto fatura final 4321"), Some(PaidCard::Kept(AccountId(2))));
    /// assert_eq!(cards.paid_by("pagto fatura xxxx4321"), Some(PaidCard::Kept(AccountId(2))));
    /// assert_eq!(cards.paid_by("pagamento fatura cartao"), Some(PaidCard::OneOf));
    /// assert_eq!(KeptCards::default().paid_by("pagamento fatura"), None);
    /// ```
    pub fn paid_by(&self, text: &str) -> Option<PaidCard> {
        if let [(only, _)] = self.cards[..] {
            return Some(PaidCard::Kept(only));
        }
        let has = |word: &String| words_of(text).any(|known| known == word || ends_in_number(known, word));
        let mut named = self.cards.iter().filter(|(_, words)| words.iter().any(has)).map(|(id, _)| *id);
        match (named.next(), named.next()) {
            (Some(id), None) => Some(PaidCard::Kept(id)),
            _ => (!self.cards.is_empty()).then_some(PaidCard::OneOf),
        }
    }
}

/// Words of card names that texts of payments have whatever card they pay.
const COMMON_WORDS: [&str; 24] = [
    "aut",
    "autom",
    "automatico",
    "banco",
    "boleto",
    "card",
    "cartao",
    "cc",
    "conta",
    "credito",
    "da",
    "de",
    "deb",
    "debito",
    "do",
    "fat",
    "fatura",
    "final",
    "pag",
    "pagamento",
    "pagto",
    "pgto",
    "pix",
    "titulo",
];

/// The fewest digits of a number by which a text names a card. A shorter one may be a day or a month.
const CARD_DIGITS_MIN: usize = 4;

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word ends in that number behind letters: `xxxx4321`, `5162xxxxxxxx4321`, `final4321`.
fn ends_in_number(word: &str, number: &str) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit())
        && word.strip_suffix(number).is_some_and(|before| before.ends_with(|letter: char| letter.is_alphabetic()))
}

/// The words of a card's name by which a text names it, each once.
fn naming_words(name: &str) -> Vec<String> {
    let normalized = crate::text::normalized(name);
    let names = |word: &&str| {
        let letters = word.chars().count();
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        letters >= if is_number { CARD_DIGITS_MIN } else { 2 } && !COMMON_WORDS.contains(word)
    };
    let words: BTreeSet<&str> = words_of(&normalized).filter(names).collect();
    words.into_iter().map(str::to_string).collect()
}
