//! Finds the payee in the text of a statement.

use std::collections::{BTreeMap, BTreeSet};

use super::shown::{DisplayLists, MethodWords};
use crate::error::{ConfigError, NOT_FOLDED};
use crate::installments;
use crate::text::normalized;

/// The texts that statements add around the name of a payee, and how names are written. Read once, when the program starts. Its
/// `Debug` is the same in every process.
///
/// ```
/// use finance_domain::suggestions::{PayeeLists, Payees};
///
/// let lists = PayeeLists {
///     phrases: vec!["compra no debito".into()],
///     acquirers: vec!["pag".into()],
///     shops: vec!["uber".into()],
///     company_words: vec!["ltda".into()],
///     stop_words: vec!["da".into()],
///     ..PayeeLists::default()
/// };
/// let payees = Payees::new(lists)?;
/// assert_eq!(payees.key("Compra no débito - PAG*CasaMaria Ltda"), "casamaria");
/// assert_eq!(payees.key("Padaria da Ana 3/10"), "padaria da ana");
/// assert_eq!(payees.key("UBER *TRIP 123"), "uber trip");
/// # Ok::<(), finance_domain::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payees {
    /// By their [first letters](first_letters), because a text begins with at most a few of them; the longest first.
    phrases: BTreeMap<String, Vec<String>>,
    acquirers: BTreeSet<String>,
    company_words: BTreeSet<String>,
    stop_words: BTreeSet<String>,
    pub(super) shown: Shown,
}

/// How names are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// By the folded word.
    pub(super) spellings: BTreeMap<String, String>,
    pub(super) particles: BTreeSet<String>,
    pub(super) endings: BTreeSet<String>,
    /// By the payee's key.
    pub(super) names: BTreeMap<String, String>,
    pub(super) methods: Vec<MethodWords>,
}

/// The lists as read from their file, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PayeeLists {
    /// Phrases that come before the name.
    pub phrases: Vec<String>,
    /// The companies that are named before a `*`, with the shop after it.
    pub acquirers: Vec<String>,
    /// The shops that are named before a `*` themselves. None of them is an acquirer.
    pub shops: Vec<String>,
    /// Words that companies add to their names.
    pub company_words: Vec<String>,
    /// Words that do not vote.
    pub stop_words: Vec<String>,
    /// How names are written. Its lists may be empty.
    pub display: DisplayLists,
}

impl Payees {
    /// Checks the lists.
    ///
    /// # Errors
    ///
    /// If a list is empty, a text is not normalized, a word is not one word, or a shop is an acquirer.
    pub fn new(lists: PayeeLists) -> Result<Self, ConfigError> {
        let PayeeLists { phrases, acquirers, shops, company_words, stop_words, display } = lists;
        let mut phrases = folded("phrases", phrases)?;
        // A longer phrase may begin with a shorter one.
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        let mut by_first_letters: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for phrase in phrases {
            by_first_letters.entry(first_letters(&phrase).to_string()).or_default().push(phrase);
        }
        let (acquirers, shops) = (folded("acquirers", acquirers)?, folded("shops", shops)?);
        if let Some(shop) = shops.iter().find(|shop| acquirers.contains(shop)) {
            return Err(ConfigError::new("acquirers", format!("{shop:?} is one of the shops")));
        }
        Ok(Payees {
            phrases: by_first_letters,
            acquirers: acquirers.into_iter().collect(),
            company_words: single_words("company_words", company_words)?,
            stop_words: single_words("stop_words", stop_words)?,
            shown: Shown::new(display)?,
        })
    }

    /// The key of a payee: the part of a description that stays the same from one purchase to the next. Empty if the text names
    /// nobody.
    pub fn key(&self, description: &str) -> String {
        let text = match installments::read(description) {
            Some(reading) => reading.shop,
            None => normalized(description),
        };
        let text = self.without_acquirer(self.without_phrase(&text));
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| self.names(word));
        let mut key = String::with_capacity(text.len());
        for word in words {
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(word);
        }
        key
    }

    /// The phrases that a normalized text may begin with, the longest first.
    pub(super) fn phrases_for(&self, text: &str) -> &[String] {
        self.phrases.get(first_letters(text)).map_or(&[], Vec::as_slice)
    }

    /// The words of a key that vote, each once.
    pub fn voting<'k>(&self, key: &'k str) -> Vec<&'k str> {
        let mut words: Vec<&str> = Vec::new();
        for word in key.split(' ') {
            let may_vote = word.chars().nth(WORD_LETTERS_MIN - 1).is_some() && !self.stop_words.contains(word);
            if may_vote && !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// Whether a word may be a part of a name.
    fn names(&self, word: &str) -> bool {
        !word.chars().all(char::is_numeric) && !self.company_words.contains(word)
    }

    /// The text after the phrase that it begins with.
    fn without_phrase<'t>(&self, text: &'t str) -> &'t str {
        let behind = |phrase: &String| {
            let rest = text.strip_prefix(phrase.as_str())?;
            let is_whole = !rest.starts_with(char::is_alphanumeric);
            is_whole.then(|| rest.trim_start_matches(|letter: char| !letter.is_alphanumeric()))
        };
        self.phrases_for(text).iter().find_map(behind).unwrap_or(text)
    }

    /// The text as it is written after the acquirer that it begins with.
    pub(super) fn without_acquirer_of<'t>(&self, text: &'t str) -> &'t str {
        match text.split_once('*') {
            Some((before, shop)) if self.acquirers.contains(normalized(before).as_str()) => shop,
            _ => text,
        }
    }

    /// The text after the acquirer that it begins with.
    fn without_acquirer<'t>(&self, text: &'t str) -> &'t str {
        match text.split_once('*') {
            Some((before, shop)) if self.acquirers.contains(before.trim()) => shop,
            _ => text,
        }
    }
}

impl Shown {
    fn new(lists: DisplayLists) -> Result<Self, ConfigError> {
        let DisplayLists { spellings, particles, endings, names, methods } = lists;
        let mut by_word = BTreeMap::new();
        for text in spellings {
            if !text.chars().all(char::is_alphanumeric) || text.is_empty() {
                return Err(ConfigError::new("spellings", format!("{text:?} must be one word")));
            }
            if let Some(text) = by_word.insert(normalized(&text), text) {
                return Err(ConfigError::new("spellings", format!("{text:?} is listed twice")));
            }
        }
        let is_key = |key: &String| !key.is_empty() && normalized(key) == *key;
        if let Some((text, _)) = names.iter().find(|(key, name)| !is_key(key) || name.trim().is_empty()) {
            return Err(ConfigError::new("names", format!("{text:?} must be a payee's key with a name")));
        }
        let words =
            |texts: &Vec<String>| texts.iter().find(|text| normalized(text) != **text || text.contains(' ')).cloned();
        let odd = methods.iter().find_map(|of| words(&of.in_phrase).or_else(|| words(&of.first)));
        if let Some(text) = odd.or_else(|| words(&particles)).or_else(|| words(&endings)) {
            let message = format!("{text:?} must be one word in lower case, without accents");
            return Err(ConfigError::new("display", message));
        }
        Ok(Shown {
            spellings: by_word,
            particles: particles.into_iter().collect(),
            endings: endings.into_iter().collect(),
            names: names.into_iter().collect(),
            methods,
        })
    }
}

/// The letters and digits that a text begins with. A text that begins with a phrase, and goes on with no letter, begins with the same.
fn first_letters(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
    &text[..end]
}

/// The minimum number of letters of a word that votes.
const WORD_LETTERS_MIN: usize = 2;

/// The texts of a list, all of them normalized.
fn folded(list: &'static str, texts: Vec<String>) -> Result<Vec<String>, ConfigError> {
    if texts.is_empty() {
        return Err(ConfigError::new(list, "must not be empty"));
    }
    match texts.iter().find(|text| text.is_empty() || normalized(text) != **text) {
        Some(text) => Err(ConfigError::new(list, format!("{text:?} {NOT_FOLDED}"))),
        None => Ok(texts),
    }
}

/// The texts of a list, each of them one word.
fn single_words(list: &'static str, texts: Vec<String>) -> Result<BTreeSet<String>, ConfigError> {
    let texts = folded(list, texts)?;
    match texts.iter().find(|text| !text.chars().all(char::is_alphanumeric)) {
        Some(text) => Err(ConfigError::new(list, format!("{text:?} must be one word"))),
        None => Ok(texts.into_iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lists() -> PayeeLists {
        let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        PayeeLists {
            phrases: list(&["pix", "pix enviado", "deb. autom"]),
            acquirers: list(&["pag", "mercado pago"]),
            shops: list(&["uber"]),
            company_words: list(&["ltda", "com"]),
            stop_words: list(&["de"]),
            ..PayeeLists::default()
        }
    }

    #[test]
    fn the_longest_phrase_and_the_acquirer_are_dropped_once() {
        let payees = Payees::new(lists()).unwrap();
        for (text, key) in [
            ("Pix enviado - Ana", "ana"),
            ("PIXEL STORE", "pixel store"),
            ("Pix", ""),
            ("Pix-Ana", "ana"),
            ("Deb. Autom: Ana", "ana"),
            ("Deb Autom Ana", "deb autom ana"),
            ("Pix enviado Mercado Pago *Ana", "ana"),
            ("PAG*PAG*Ana", "pag ana"),
            ("Ana Pix enviado", "ana pix enviado"),
            ("Outra*Ana", "outra ana"),
            ("*Ana", "ana"),
            ("123 45 Ltda", ""),
            ("", ""),
        ] {
            assert_eq!(payees.key(text), key, "{text:?}");
        }
    }

    #[test]
    fn each_word_votes_once_and_short_and_stop_words_do_not() {
        let payees = Payees::new(lists()).unwrap();
        assert_eq!(payees.voting("casa de pao e casa"), ["casa", "pao"]);
        assert_eq!(payees.voting(""), [""; 0]);
    }

    #[test]
    fn lists_that_cannot_be_meant_are_refused() {
        assert!(Payees::new(lists()).is_ok());
        let list = |spoil: fn(&mut PayeeLists)| {
            let mut lists = lists();
            spoil(&mut lists);
            Payees::new(lists).unwrap_err().place
        };
        assert_eq!(list(|lists| lists.phrases.clear()), "phrases");
        assert_eq!(list(|lists| lists.acquirers.push("uber".into())), "acquirers");
        assert_eq!(list(|lists| lists.acquirers.push("PAG".into())), "acquirers");
        assert_eq!(list(|lists| lists.shops.push("ção".into())), "shops");
        assert_eq!(list(|lists| lists.company_words.push("s a".into())), "company_words");
        assert_eq!(list(|lists| lists.stop_words.push(String::new())), "stop_words");
    }

    proptest! {
        #[test]
        fn a_key_has_single_blanks_and_is_compared_as_it_is(text in ".{0,60}") {
            let key = Payees::new(lists()).unwrap().key(&text);
            prop_assert_eq!(&normalized(&key), &key);
            prop_assert!(key.split(' ').all(|word| word.chars().all(char::is_alphanumeric)));
        }
    }
}
