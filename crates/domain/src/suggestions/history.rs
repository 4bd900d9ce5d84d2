//! What a household's own filing says of a payee: the same payee, one whose name begins alike, and the votes of words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::ids::CategoryId;
use crate::suggestions::merchants::Dictionary;
use crate::suggestions::payee::Payees;
use crate::suggestions::{LearnedRow, SuggestionSource};
use crate::transactions::Kind;

/// The rows of a payee that are counted, the newest ones.
pub const PAYEE_ROWS_MAX: usize = 50;
/// Letters of the shorter of two keys of which one begins the other.
pub const PREFIX_LETTERS_MIN: usize = 6;
/// What a word of the dictionary gives to its category, in the unit of [`weight`].
const DICTIONARY_WEIGHT: u64 = 1_000_000;

/// What was learned from filed rows. Incomes and expenses are learned apart.
#[derive(Debug, Clone, Default)]
pub struct History {
    payees: BTreeMap<(Kind, String), Vec<Filed>>,
    words: HashMap<(Kind, String), Votes>,
}

/// A filed row of a payee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Filed {
    /// How many newer rows there are.
    age: usize,
    category_id: CategoryId,
}

/// The rows that have a word.
#[derive(Debug, Clone, Default)]
struct Votes {
    seen: u32,
    /// By category.
    filed: BTreeMap<CategoryId, u32>,
}

impl History {
    /// Learns from rows, the newest first.
    pub fn learn(payees: &Payees, rows: &[LearnedRow]) -> Self {
        let mut history = History::default();
        // Most descriptions come again.
        let mut keys: HashMap<&str, String> = HashMap::new();
        for (age, row) in rows.iter().enumerate() {
            let key = keys.entry(&row.description).or_insert_with(|| payees.key(&row.description)).clone();
            if key.is_empty() {
                continue;
            }
            for word in payees.voting(&key) {
                let votes = history.words.entry((row.kind, word.to_string())).or_default();
                votes.seen += 1;
                *votes.filed.entry(row.category_id).or_default() += 1;
            }
            let filed = history.payees.entry((row.kind, key)).or_default();
            if filed.len() < PAYEE_ROWS_MAX {
                filed.push(Filed { age, category_id: row.category_id });
            }
        }
        history
    }

    /// The category of a payee by its [key](Payees::key), and what it is by.
    pub fn suggest(
        &self,
        payees: &Payees,
        dictionary: &Dictionary<'_>,
        kind: Kind,
        key: &str,
    ) -> Option<(CategoryId, SuggestionSource)> {
        if key.is_empty() {
            return None;
        }
        let same = self.payees.get(&(kind, key.to_string())).and_then(|filed| most_frequent(filed));
        if let Some(category_id) = same.or_else(|| self.by_beginning(kind, key)) {
            return Some((category_id, SuggestionSource::Payee));
        }
        let words = payees.voting(key);
        let mut votes = self.votes(kind, &words);
        let own = winner(&votes);
        for category_id in words.iter().filter_map(|word| dictionary.category(word, kind)) {
            *votes.entry(category_id).or_default() += DICTIONARY_WEIGHT;
        }
        let source = if own.is_some() { SuggestionSource::Similar } else { SuggestionSource::Dictionary };
        winner(&votes).map(|category_id| (category_id, source))
    }

    /// The category of the keys that share most with the key: those that begin with it, or the longest that begins it.
    fn by_beginning(&self, kind: Kind, key: &str) -> Option<CategoryId> {
        let letters = || key.char_indices().map(|(at, _)| at).skip(PREFIX_LETTERS_MIN);
        if key.chars().nth(PREFIX_LETTERS_MIN - 1).is_some() {
            let longer = self.payees.range((kind, key.to_string())..);
            let longer = longer.take_while(|((of, known), _)| *of == kind && known.starts_with(key));
            let mut filed: Vec<Filed> = longer.flat_map(|(_, filed)| filed).copied().collect();
            filed.sort_unstable();
            filed.truncate(PAYEE_ROWS_MAX);
            if let Some(category_id) = most_frequent(&filed) {
                return Some(category_id);
            }
        }
        let shorter = letters().map(|end| &key[..end]).collect::<Vec<_>>().into_iter().rev();
        let mut known = shorter.filter_map(|part| self.payees.get(&(kind, part.to_string())));
        known.next().and_then(|filed| most_frequent(filed))
    }

    /// What the words give to each category.
    fn votes(&self, kind: Kind, words: &[&str]) -> BTreeMap<CategoryId, u64> {
        let mut given: BTreeMap<CategoryId, u64> = BTreeMap::new();
        for votes in words.iter().filter_map(|word| self.words.get(&(kind, word.to_string()))) {
            for (category_id, count) in &votes.filed {
                *given.entry(*category_id).or_default() += weight(*count, votes.seen);
            }
        }
        given
    }
}

/// What a word that was seen so many times gives to a category that it was filed under so many times, in millionths: the square
/// of its share, times the logarithm of how often it was seen. The share counts one more than was seen, so that a word seen
/// once is no proof.
#[allow(clippy::float_arithmetic, reason = "a weight, no money; rounded, so that the order of a sum does not matter")]
fn weight(count: u32, seen: u32) -> u64 {
    let share = f64::from(count) / f64::from(seen.saturating_add(1));
    (share * share * f64::from(seen.saturating_add(2)).ln() * 1_000_000.0).round() as u64
}

/// The category with the most rows, the latest one of several. The rows begin with the newest.
fn most_frequent(filed: &[Filed]) -> Option<CategoryId> {
    let mut counts: BTreeMap<CategoryId, (usize, Reverse<usize>)> = BTreeMap::new();
    for Filed { age, category_id } in filed {
        counts.entry(*category_id).or_insert((0, Reverse(*age))).0 += 1;
    }
    counts.into_iter().max_by_key(|(_, counted)| *counted).map(|(category_id, _)| category_id)
}

/// The category that holds half of all that was given.
fn winner(votes: &BTreeMap<CategoryId, u64>) -> Option<CategoryId> {
    let total: u64 = votes.values().sum();
    let (category_id, most) = votes.iter().max_by_key(|(id, given)| (**given, Reverse(**id)))?;
    (*most > 0 && most * 2 >= total).then_some(*category_id)
}

#[cfg(test)]
mod tests;
