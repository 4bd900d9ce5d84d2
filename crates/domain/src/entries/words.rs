//! The grammar's lists of words: `config/entries.toml`.

use std::collections::{BTreeMap, HashSet};

use crate::error::ConfigError;
use crate::text::normalized;

/// The sections of the file, and the lists of each, as they are read.
pub type GrammarLists = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The words by which a line is read. Read once, when the program starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grammar {
    pub(super) bill: BillWords,
    pub(super) kind: TypeWords,
    pub(super) transfer: TransferWords,
    pub(super) installments: InstallmentWords,
    pub(super) date: DateWords,
    pub(super) account: AccountWords,
    pub(super) amount: AmountWords,
    pub(super) connecting: Words,
}

/// A list whose order does not matter.
pub(super) type Words = HashSet<String>;
/// A list of phrases, each as its words, the longest first.
pub(super) type PhraseList = Vec<Vec<String>>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BillWords {
    pub(super) verbs: Words,
    pub(super) nouns: Words,
    pub(super) of: Words,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TypeWords {
    pub(super) subjects: Words,
    pub(super) expense: Words,
    pub(super) income: Words,
    pub(super) income_kept: Words,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TransferWords {
    pub(super) verbs: Words,
    pub(super) from: Words,
    pub(super) to: Words,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct InstallmentWords {
    pub(super) nouns: Words,
    pub(super) verbs: Words,
    pub(super) prepositions: Words,
    pub(super) of: Words,
    pub(super) taken: PhraseList,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DateWords {
    pub(super) today: Words,
    pub(super) yesterday: Words,
    pub(super) before_yesterday: PhraseList,
    pub(super) tomorrow: Words,
    pub(super) after_tomorrow: PhraseList,
    pub(super) weekdays: Vec<String>,
    pub(super) english_weekdays: Vec<String>,
    pub(super) not_a_day_before: Words,
    pub(super) last: Words,
    pub(super) next: Words,
    pub(super) coming: PhraseList,
    pub(super) vague: PhraseList,
    pub(super) months: Vec<String>,
    pub(super) english_months: Vec<String>,
    pub(super) prepositions: Words,
    pub(super) not_a_date_after: Words,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AccountWords {
    pub(super) prepositions: Words,
    pub(super) articles: Words,
    pub(super) card: Words,
    pub(super) current: Words,
    pub(super) of: Words,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AmountWords {
    pub(super) reais: Words,
    pub(super) one_real: Words,
    pub(super) centavos: Words,
    pub(super) prepositions: Words,
    pub(super) number_words: Words,
    pub(super) not_read: Words,
    pub(super) foreign: Words,
}

impl Grammar {
    /// Checks the lists.
    ///
    /// # Errors
    ///
    /// If a list is missing, empty or unknown, a text is not folded, a word is not one word, or a list of weekdays or months is not
    /// complete.
    pub fn new(lists: GrammarLists) -> Result<Self, ConfigError> {
        let mut lists = Lists(lists);
        let grammar = Grammar {
            bill: BillWords {
                verbs: lists.words("bill", "verbs")?,
                nouns: lists.words("bill", "nouns")?,
                of: lists.words("bill", "of")?,
            },
            kind: TypeWords {
                subjects: lists.words("type", "subjects")?,
                expense: lists.words("type", "expense")?,
                income: lists.words("type", "income")?,
                income_kept: lists.words("type", "income_kept")?,
            },
            transfer: TransferWords {
                verbs: lists.words("transfer", "verbs")?,
                from: lists.words("transfer", "from")?,
                to: lists.words("transfer", "to")?,
            },
            installments: InstallmentWords {
                nouns: lists.words("installments", "nouns")?,
                verbs: lists.words("installments", "verbs")?,
                prepositions: lists.words("installments", "prepositions")?,
                of: lists.words("installments", "of")?,
                taken: lists.phrases("installments", "taken")?,
            },
            date: DateWords {
                today: lists.words("date", "today")?,
                yesterday: lists.words("date", "yesterday")?,
                before_yesterday: lists.phrases("date", "before_yesterday")?,
                tomorrow: lists.words("date", "tomorrow")?,
                after_tomorrow: lists.phrases("date", "after_tomorrow")?,
                weekdays: lists.names("date", "weekdays", 7)?,
                english_weekdays: lists.names("date", "english_weekdays", 7)?,
                not_a_day_before: lists.words("date", "not_a_day_before")?,
                last: lists.words("date", "last")?,
                next: lists.words("date", "next")?,
                coming: lists.phrases("date", "coming")?,
                vague: lists.phrases("date", "vague")?,
                months: lists.names("date", "months", 12)?,
                english_months: lists.names("date", "english_months", 12)?,
                prepositions: lists.words("date", "prepositions")?,
                not_a_date_after: lists.words("date", "not_a_date_after")?,
            },
            account: AccountWords {
                prepositions: lists.words("account", "prepositions")?,
                articles: lists.words("account", "articles")?,
                card: lists.words("account", "card")?,
                current: lists.words("account", "current")?,
                of: lists.words("account", "of")?,
            },
            amount: AmountWords {
                reais: lists.words("amount", "reais")?,
                one_real: lists.words("amount", "one_real")?,
                centavos: lists.words("amount", "centavos")?,
                prepositions: lists.words("amount", "prepositions")?,
                number_words: lists.words("amount", "number_words")?,
                not_read: lists.words("amount", "not_read")?,
                foreign: lists.words("amount", "foreign")?,
            },
            connecting: lists.words("description", "connecting")?,
        };
        match lists.first_left() {
            Some(list) => Err(ConfigError::new(list, "is no list of the grammar")),
            None => Ok(grammar),
        }
    }
}

struct Lists(GrammarLists);

impl Lists {
    /// Takes a list out: its texts are folded, and there is at least one.
    fn take(&mut self, section: &str, list: &str) -> Result<Vec<String>, ConfigError> {
        let error = |message: String| ConfigError::new(format!("{section}.{list}"), message);
        let texts = self.0.get_mut(section).and_then(|lists| lists.remove(list)).unwrap_or_default();
        if texts.is_empty() {
            return Err(error("must not be empty".to_string()));
        }
        match texts.iter().find(|text| text.is_empty() || normalized(text) != **text) {
            Some(text) => Err(error(format!("{text:?} must be in lower case, without accents"))),
            None => Ok(texts),
        }
    }

    fn names(&mut self, section: &str, list: &str, count: usize) -> Result<Vec<String>, ConfigError> {
        let names = self.take(section, list)?;
        let error = |message: String| ConfigError::new(format!("{section}.{list}"), message);
        if names.len() != count {
            return Err(error(format!("must have {count} words")));
        }
        match names.iter().find(|name| name.contains(' ')) {
            Some(name) => Err(error(format!("{name:?} must be one word"))),
            None => Ok(names),
        }
    }

    fn words(&mut self, section: &str, list: &str) -> Result<Words, ConfigError> {
        let texts = self.take(section, list)?;
        match texts.iter().find(|text| text.contains(' ')) {
            Some(text) => Err(ConfigError::new(format!("{section}.{list}"), format!("{text:?} must be one word"))),
            None => Ok(texts.into_iter().collect()),
        }
    }

    fn phrases(&mut self, section: &str, list: &str) -> Result<PhraseList, ConfigError> {
        let texts = self.take(section, list)?;
        let mut phrases: PhraseList = texts.iter().map(|text| text.split(' ').map(str::to_string).collect()).collect();
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        Ok(phrases)
    }

    fn first_left(&self) -> Option<String> {
        let mut left =
            self.0.iter().flat_map(|(section, lists)| lists.keys().map(move |list| format!("{section}.{list}")));
        left.next()
    }
}
