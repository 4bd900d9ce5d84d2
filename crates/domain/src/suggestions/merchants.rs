//! Categories for shops where a household has bought nothing yet: a dictionary of words in payees' names.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Included, Unbounded};

use crate::categories::Category;
use crate::error::ConfigError;
use crate::ids::CategoryId;
use crate::text::{name_key, normalized};
use crate::transactions::Kind;

/// A dictionary of words, each with the name of a category. Read once, when the program starts.
///
/// ```
/// use finance_domain::suggestions::{MerchantGroup, Merchants};
/// use finance_domain::transactions::Kind;
///
/// let words = vec!["posto".into(), "estacionam*".into()];
/// let group = MerchantGroup { category: "Transporte".into(), kind: Kind::Expense, words };
/// let merchants = Merchants::new(vec![group])?;
/// assert_eq!(merchants.category("estacionamento", Kind::Expense), Some("Transporte"));
/// assert_eq!(merchants.category("postos", Kind::Expense), None);
/// assert_eq!(merchants.category("posto", Kind::Income), None);
/// # Ok::<(), finance_domain::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merchants {
    /// The names of categories.
    categories: Vec<String>,
    words: HashMap<String, Entry>,
    /// Prefixes of words. None is a prefix of another.
    beginnings: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    category: usize,
    kind: Kind,
}

/// The words for one category, as read from their file, not yet checked.
#[derive(Debug, Clone)]
pub struct MerchantGroup {
    /// The name of the category.
    pub category: String,
    /// Income or expense. The words apply to this kind only, because the two are filed differently.
    pub kind: Kind,
    /// The words. One that ends in `*` is a prefix of words.
    pub words: Vec<String>,
}

impl Merchants {
    /// Checks the groups.
    ///
    /// # Errors
    ///
    /// If a word is not one word in lower case without accents, or stands for two categories.
    pub fn new(groups: Vec<MerchantGroup>) -> Result<Self, ConfigError> {
        let mut merchants = Merchants::default();
        for MerchantGroup { category, kind, words } in groups {
            let error = |word: &str, message: &str| ConfigError::new(category.clone(), format!("{word:?} {message}"));
            if words.is_empty() {
                return Err(error("", "must not be empty"));
            }
            let known = merchants.categories.iter().position(|known| *known == category);
            let at = known.unwrap_or_else(|| {
                merchants.categories.push(category.clone());
                merchants.categories.len() - 1
            });
            for word in &words {
                let (text, is_beginning) = match word.strip_suffix('*') {
                    Some(text) => (text, true),
                    None => (word.as_str(), false),
                };
                if text.is_empty() || normalized(text) != text || !text.chars().all(char::is_alphanumeric) {
                    return Err(error(word, "must be one word, in lower case and without accents"));
                }
                let overlaps = |known: &str| known.starts_with(text) || text.starts_with(known);
                let is_known = merchants.entry(text).is_some()
                    || is_beginning && merchants.beginnings.keys().any(|known| overlaps(known))
                    || is_beginning && merchants.words.keys().any(|known| known.starts_with(text));
                if is_known {
                    return Err(error(word, "is listed twice"));
                }
                let entry = Entry { category: at, kind };
                match is_beginning {
                    true => merchants.beginnings.insert(text.to_string(), entry),
                    false => merchants.words.insert(text.to_string(), entry),
                };
            }
        }
        Ok(merchants)
    }

    /// The names of all categories that have words.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.categories.iter().map(String::as_str)
    }

    /// The name of the category that a word stands for.
    pub fn category(&self, word: &str, kind: Kind) -> Option<&str> {
        let entry = self.entry(word).filter(|entry| entry.kind == kind)?;
        self.categories.get(entry.category).map(String::as_str)
    }

    fn entry(&self, word: &str) -> Option<Entry> {
        let begins = || {
            // Only the last prefix at or before the word can be a prefix of it.
            let (beginning, entry) = self.beginnings.range::<str, _>((Unbounded, Included(word))).next_back()?;
            word.starts_with(beginning.as_str()).then_some(*entry)
        };
        self.words.get(word).copied().or_else(begins)
    }

    /// The dictionary for a profile. Only the categories that the profile has count.
    pub fn of<'m>(&'m self, categories: &[Category]) -> Dictionary<'m> {
        let keys: HashMap<String, CategoryId> =
            categories.iter().map(|category| (name_key(&category.name), category.id)).collect();
        let ids = self.categories.iter().map(|name| keys.get(&name_key(name)).copied()).collect();
        Dictionary { merchants: self, ids }
    }
}

/// The dictionary for the categories of a profile.
#[derive(Debug, Clone)]
pub struct Dictionary<'m> {
    merchants: &'m Merchants,
    /// For each category of the dictionary, the profile's category of that name.
    ids: Vec<Option<CategoryId>>,
}

impl Dictionary<'_> {
    /// The category that a word stands for.
    pub fn category(&self, word: &str, kind: Kind) -> Option<CategoryId> {
        let entry = self.merchants.entry(word).filter(|entry| entry.kind == kind)?;
        self.ids.get(entry.category).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(category: &str, kind: Kind, words: &[&str]) -> MerchantGroup {
        MerchantGroup { category: category.into(), kind, words: words.iter().map(|word| word.to_string()).collect() }
    }

    #[test]
    fn a_word_is_found_whole_and_a_beginning_in_every_word_that_begins_so() {
        let groups = vec![
            group("Mercado", Kind::Expense, &["supermerc*", "super", "a*", "acai"]),
            group("Salário", Kind::Income, &["salario"]),
        ];
        // `acai` begins with `a`.
        assert_eq!(Merchants::new(groups.clone()).unwrap_err().message, "\"acai\" is listed twice");
        let mut groups = groups;
        groups[0].words.truncate(2);
        let merchants = Merchants::new(groups).unwrap();
        for (word, kind, expected) in [
            ("supermercado", Kind::Expense, Some("Mercado")),
            ("supermerc", Kind::Expense, Some("Mercado")),
            ("supermer", Kind::Expense, None),
            ("super", Kind::Expense, Some("Mercado")),
            ("superb", Kind::Expense, None),
            ("supermercado", Kind::Income, None),
            ("salario", Kind::Income, Some("Salário")),
            ("salario", Kind::Expense, None),
            ("", Kind::Expense, None),
        ] {
            assert_eq!(merchants.category(word, kind), expected, "{word}");
        }
    }

    #[test]
    fn words_that_cannot_be_meant_are_refused() {
        for words in [
            &[][..],
            &["Posto"],
            &["ótica"],
            &["burger king"],
            &["*"],
            &["posto", "posto"],
            &["posto*", "postos"],
            &["postos", "posto*"],
            &["post*", "posto*"],
        ] {
            assert!(Merchants::new(vec![group("Transporte", Kind::Expense, words)]).is_err(), "{words:?}");
        }
    }
}
