//! The words of `config/statements.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::fold;

/// The lists, [folded](fold).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    not_settled: Vec<String>,
    balance_words: HashSet<String>,
    card_balances: HashSet<String>,
    taking_types: HashSet<String>,
    giving_types: HashSet<String>,
}

#[allow(clippy::expect_used, reason = "the lists are compiled in, and a test reads them")]
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../config/statements.toml")).expect("config/statements.toml is valid")
});

impl Words {
    /// Whether the state of a row says that it moved no money.
    pub(crate) fn is_not_settled(&self, state: &str) -> bool {
        let folded = fold(state);
        let begins = |word: &String| {
            folded.strip_prefix(word.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        self.not_settled.iter().any(begins)
    }

    /// Whether a word may follow `saldo` in a row that is a balance of an account.
    pub(crate) fn continues_balance(&self, word: &str) -> bool {
        self.balance_words.contains(word.trim_matches([':', '.', '-']))
    }

    /// Whether a folded text is that of a row of a card that is a balance.
    pub(crate) fn is_card_balance(&self, folded: &str) -> bool {
        self.card_balances.contains(folded.trim_end_matches([':', '.', ' ']))
    }

    /// Whether a type of OFX transactions takes money (true) or gives it (false). None if its name says neither.
    pub(crate) fn takes(&self, transaction_type: &str) -> Option<bool> {
        let folded = fold(transaction_type);
        match (self.taking_types.contains(&folded), self.giving_types.contains(&folded)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_folded() {
        let Words { not_settled, balance_words, card_balances, taking_types, giving_types } = &*WORDS;
        let sets = [balance_words, card_balances, taking_types, giving_types];
        for word in sets.into_iter().flatten().chain(not_settled) {
            assert_eq!(fold(word), *word);
            assert!(!word.is_empty());
        }
    }

    #[test]
    fn a_state_is_read_by_its_first_words() {
        for state in
            ["Cancelado", "CANCELADA pelo cliente", "Não efetivado", "Pending", "Agendado p/ 10/03", "Em análise"]
        {
            assert!(WORDS.is_not_settled(state), "{state}");
        }
        for state in ["", "Efetivado", "Concluída", "Completed", "Pago", "Pendentes zero", "Aprovada"] {
            assert!(!WORDS.is_not_settled(state), "{state}");
        }
    }
}
