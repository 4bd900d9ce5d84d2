//! Suggestions from the rows that a household filed: by the same payee, by a payee whose name begins the same way, and by votes
//! of words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Included, Unbounded};

use crate::ids::CategoryId;
use crate::suggestions::merchants::Dictionary;
use crate::suggestions::payee::Payees;
use crate::suggestions::values::{LearnedRow, SuggestionSource};
use crate::transactions::Kind;

/// The number of a payee's newest rows that are counted.
pub const PAYEE_ROWS_MAX: usize = 50;
/// Two keys match by prefix only if the shorter one has at least this many letters.
pub const PREFIX_LETTERS_MIN: usize = 6;
/// The weight that a word of the dictionary gives to its category, in the unit of [`weight`].
const DICTIONARY_WEIGHT: u64 = 1_000_000;

/// What is learned from filed rows, separately for incomes and expenses.
#[derive(Debug, Clone, Default)]
pub struct History {
    incomes: Learned,
    expenses: Learned,
}

/// What is learned from the rows of one type.
#[derive(Debug, Clone, Default)]
struct Learned {
    /// The newest rows of each payee, by the payee's key.
    payees: BTreeMap<String, Vec<Filed>>,
    words: HashMap<String, Votes>,
}

/// A filed row of a payee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Filed {
    /// How many newer rows there are.
    age: usize,
    category_id: CategoryId,
}

/// The counts of the rows that contain a word.
#[derive(Debug, Clone, Default)]
struct Votes {
    seen: u32,
    /// The number of these rows by category.
    filed: BTreeMap<CategoryId, u32>,
}

impl History {
    /// Learns from rows, the newest first.
    pub fn learn(payees: &Payees, rows: &[LearnedRow]) -> Self {
        let mut history = History::default();
        // Most descriptions repeat.
        let mut keys: HashMap<&str, String> = HashMap::new();
        for (age, LearnedRow { description, kind, category_id }) in rows.iter().enumerate() {
            let key = keys.entry(description).or_insert_with(|| payees.key(description));
            if !key.is_empty() {
                let learned = match kind {
                    Kind::Income => &mut history.incomes,
                    Kind::Expense => &mut history.expenses,
                };
                learned.learn(payees, key, Filed { age, category_id: *category_id });
            }
        }
        history
    }

    /// The suggested category for a payee's [key](Payees::key), and the source of the suggestion.
    pub fn suggest(
        &self,
        payees: &Payees,
        dictionary: &Dictionary<'_>,
        kind: Kind,
        key: &str,
    ) -> Option<(CategoryId, SuggestionSource)> {
        let learned = match kind {
            Kind::Income => &self.incomes,
            Kind::Expense => &self.expenses,
        };
        let same = learned.payees.get(key).and_then(|filed| most_frequent(filed));
        if let Some(category_id) = same.or_else(|| learned.by_beginning(key)) {
            return Some((category_id, SuggestionSource::Payee));
        }
        let words = payees.voting(key);
        let mut votes = learned.votes(&words);
        let own = winner(&votes);
        for category_id in words.iter().filter_map(|word| dictionary.category(word, kind)) {
            *votes.entry(category_id).or_default() += DICTIONARY_WEIGHT;
        }
        let source = if own.is_some() { SuggestionSource::Similar } else { SuggestionSource::Dictionary };
        winner(&votes).map(|category_id| (category_id, source))
    }
}

/// The parts of which each row contains one that may decide the suggestion for a key: the words that vote, and the beginning of
/// the key. A key of the same beginning has its first word, or as many letters of it as keys need to match by prefix.
pub(crate) fn parts_of_key(payees: &Payees, key: &str) -> Vec<String> {
    let mut parts: Vec<String> = payees.voting(key).into_iter().map(str::to_string).collect();
    let first = key.split(' ').next().unwrap_or_default();
    parts.push(first.chars().take(PREFIX_LETTERS_MIN).collect());
    parts
}

impl Learned {
    fn learn(&mut self, payees: &Payees, key: &str, row: Filed) {
        for word in payees.voting(key) {
            let votes = match self.words.get_mut(word) {
                Some(votes) => votes,
                None => self.words.entry(word.to_string()).or_default(),
            };
            votes.seen += 1;
            *votes.filed.entry(row.category_id).or_default() += 1;
        }
        match self.payees.get_mut(key) {
            Some(filed) if filed.len() >= PAYEE_ROWS_MAX => {}
            Some(filed) => filed.push(row),
            None => drop(self.payees.insert(key.to_string(), vec![row])),
        }
    }

    /// The category of the keys most similar to `key`: those that begin with it, or else the longest one that it begins with.
    fn by_beginning(&self, key: &str) -> Option<CategoryId> {
        let is_long = |key: &str| key.chars().nth(PREFIX_LETTERS_MIN - 1).is_some();
        if !is_long(key) {
            return None;
        }
        let longer = self.payees.range::<str, _>((Included(key), Unbounded));
        let longer = longer.take_while(|(known, _)| known.starts_with(key));
        let mut filed: Vec<Filed> = longer.flat_map(|(_, filed)| filed).copied().collect();
        if filed.is_empty() {
            let shorter = self.longest_beginning(key).filter(|(known, _)| is_long(known));
            return shorter.and_then(|(_, filed)| most_frequent(filed));
        }
        filed.sort_unstable();
        filed.truncate(PAYEE_ROWS_MAX);
        most_frequent(&filed)
    }

    /// The longest of the known keys that `key` begins with.
    fn longest_beginning(&self, key: &str) -> Option<(&str, &[Filed])> {
        let mut bound = key;
        loop {
            // Prefixes of the key sort at or below it. The nearest known key is one of them, or no known key is a prefix longer
            // than the part that the two share.
            let (known, filed) = self.payees.range::<str, _>((Unbounded, Included(bound))).next_back()?;
            let letters = key.char_indices().zip(known.chars());
            let shared = letters.take_while(|((_, own), of_known)| own == of_known).last();
            let shared = shared.map_or(0, |((at, letter), _)| at + letter.len_utf8());
            if shared == known.len() {
                return Some((known, filed));
            }
            bound = &key[..shared];
        }
    }

    /// The weight that the words give to each category.
    fn votes(&self, words: &[&str]) -> BTreeMap<CategoryId, u64> {
        let mut given: BTreeMap<CategoryId, u64> = BTreeMap::new();
        for votes in words.iter().filter_map(|word| self.words.get(*word)) {
            for (category_id, count) in &votes.filed {
                *given.entry(*category_id).or_default() += weight(*count, votes.seen);
            }
        }
        given
    }
}

/// The weight, in millionths, that a word gives to a category: the square of the category's share of the word's rows, times the
/// logarithm of the number of rows. `count` of the `seen` rows are in the category. The share is of one more row than was seen,
/// so that a word seen once proves nothing.
#[allow(clippy::float_arithmetic, reason = "a weight, no money; rounded, so that the order of a sum does not matter")]
fn weight(count: u32, seen: u32) -> u64 {
    let share = f64::from(count) / f64::from(seen.saturating_add(1));
    (share * share * f64::from(seen.saturating_add(2)).ln() * 1_000_000.0).round() as u64
}

/// The category with the most rows; on a tie, the one used last. `filed` begins with the newest row.
fn most_frequent(filed: &[Filed]) -> Option<CategoryId> {
    let mut counts: BTreeMap<CategoryId, (usize, Reverse<usize>)> = BTreeMap::new();
    for Filed { age, category_id } in filed {
        counts.entry(*category_id).or_insert((0, Reverse(*age))).0 += 1;
    }
    counts.into_iter().max_by_key(|(_, counted)| *counted).map(|(category_id, _)| category_id)
}

/// The category that holds at least half of the total weight.
fn winner(votes: &BTreeMap<CategoryId, u64>) -> Option<CategoryId> {
    let total: u64 = votes.values().sum();
    let (category_id, most) = votes.iter().max_by_key(|(id, given)| (**given, Reverse(**id)))?;
    (*most > 0 && most * 2 >= total).then_some(*category_id)
}

#[cfg(test)]
mod tests;
