//! The words of `config/statements.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use memchr::memchr2_iter;

use crate::text::{fold, is_blank};

/// The lists, [folded](fold).
#[derive(Debug)]
pub(crate) struct Words {
    not_settled: Vec<&'static str>,
    balance_words: HashSet<&'static str>,
    balance_links: HashSet<&'static str>,
    pub(crate) total_links: Vec<&'static str>,
    card_balances: HashSet<&'static str>,
    english_balances: HashSet<&'static str>,
    pub(crate) whole_totals: Vec<&'static str>,
    pub(crate) totals: Vec<&'static str>,
    pub(crate) future_titles: Vec<&'static str>,
    pub(crate) next_bill_title: Vec<&'static str>,
    pub(crate) past_titles: Vec<&'static str>,
    pub(crate) remarks: Vec<&'static str>,
    taking_types: HashSet<&'static str>,
    giving_types: HashSet<&'static str>,
}

const FILE: &str = include_str!("../../../config/statements.toml");

pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    not_settled: list("not_settled").collect(),
    balance_words: list("balance_words").collect(),
    balance_links: list("balance_links").collect(),
    total_links: list("total_links").collect(),
    card_balances: list("card_balances").collect(),
    english_balances: list("english_balances").collect(),
    whole_totals: list("whole_totals").collect(),
    totals: list("totals").collect(),
    future_titles: list("future_titles").collect(),
    next_bill_title: list("next_bill_title").collect(),
    past_titles: list("past_titles").collect(),
    remarks: list("remarks").collect(),
    taking_types: list("taking_types").collect(),
    giving_types: list("giving_types").collect(),
});

/// The words of a list: the texts between quotes, outside comments. This crate needs no other part of TOML.
fn list(name: &str) -> impl Iterator<Item = &'static str> {
    let lines = FILE.lines().skip_while(move |line| line.split(" = ").next() != Some(name));
    let mut is_over = false;
    let own = lines.take_while(move |line| {
        let is_own = !is_over;
        is_over |= line.ends_with(']');
        is_own
    });
    own.filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Whether a row with this description is a balance, not a transaction. On an account it is `SALDO` or `S A L D O`, alone or before a
/// sign, a number, a date or a word that balances have: `SALDOS E OFERTAS` is a shop. `SDO` has such a word after it. A number or a sign
/// may stand before it. On a card it is one of a few whole texts. In English it is a whole text on both.
pub(crate) fn is_balance(description: &str, on_card: bool) -> bool {
    let is_mark = |mark: char| is_blank(mark) || mark.is_ascii_digit() || mark.is_ascii_punctuation();
    let start = description.trim_start_matches(is_mark).trim_end_matches(is_blank);
    if start.len() <= ENGLISH_BYTES_MAX && has_word_balance(start.as_bytes()) {
        return WORDS.is_english_balance(&fold(start));
    }
    if !start.starts_with(['s', 'S']) {
        return false;
    }
    let end = start.char_indices().nth(BALANCE_CHARS_MAX).map_or(start.len(), |(at, _)| at);
    let folded = fold(&start[..end]);
    if on_card {
        return end == start.len() && WORDS.is_card_balance(&folded);
    }
    if let Some(rest) = folded.strip_prefix("sdo").filter(|rest| rest.starts_with([' ', '.'])) {
        let rest = rest.trim_start_matches([' ', '.']);
        return !rest.is_empty() && WORDS.continues_balance(rest);
    }
    let after = ["saldos", "saldo", "s a l d o"].iter().find_map(|word| folded.strip_prefix(word));
    let Some(rest) = after.filter(|rest| !rest.starts_with(char::is_alphanumeric)) else { return false };
    !rest.starts_with(char::is_whitespace)
        || WORDS.continues_balance(rest)
        || folded.starts_with("s a") && rest.split_whitespace().next().is_some_and(|next| next.len() == 1)
}

fn has_word_balance(text: &[u8]) -> bool {
    const WORD: &[u8] = b"balance";
    let is_word = |at: usize| text.get(at..at + WORD.len()).is_some_and(|part| part.eq_ignore_ascii_case(WORD));
    memchr2_iter(b'b', b'B', text).any(is_word)
}

/// The most bytes of a balance's description in English.
const ENGLISH_BYTES_MAX: usize = 32;
/// The most characters of a balance's description that are looked at.
const BALANCE_CHARS_MAX: usize = 64;

impl Words {
    /// Whether the state of a row says that it moved no money.
    pub(crate) fn is_not_settled(&self, state: &str) -> bool {
        let folded = fold(state);
        let begins =
            |word: &&str| folded.strip_prefix(*word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        self.not_settled.iter().any(begins)
    }

    /// Whether a text may follow `saldo` in a row that is a balance of an account: nothing, a number, a sign, an amount or a word of
    /// balances, also after a short word. A word may be cut before a dot: `bloq.anterior`.
    pub(crate) fn continues_balance(&self, rest: &str) -> bool {
        let mut words = rest.split_whitespace().map(|word| word.trim_matches([':', '.', '-'])).peekable();
        if words.peek().is_some_and(|word| self.balance_links.contains(word)) {
            words.next();
        }
        words.next().is_none_or(|word| {
            let first = word.split('.').next().unwrap_or_default();
            !word.starts_with(char::is_alphabetic) || word.starts_with("r$") || self.balance_words.contains(first)
        })
    }

    /// Whether a folded text is that of a balance in English. Some reports write it with underscores.
    fn is_english_balance(&self, folded: &str) -> bool {
        let text = folded.trim_end_matches([':', '.', ' ']);
        self.english_balances.contains(text)
            || text.contains('_') && self.english_balances.contains(&*text.replace('_', " "))
    }

    /// Whether a folded text is that of a row of a card that is a balance.
    pub(crate) fn is_card_balance(&self, folded: &str) -> bool {
        self.card_balances.contains(folded.trim_end_matches([':', '.', ' ']))
    }

    /// Whether a type of OFX transactions takes money (true) or gives it (false). None if its name says neither.
    pub(crate) fn takes(&self, transaction_type: &str) -> Option<bool> {
        let folded = fold(transaction_type);
        match (self.taking_types.contains(folded.as_str()), self.giving_types.contains(folded.as_str())) {
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
        let sets = [
            &WORDS.balance_links,
            &WORDS.balance_words,
            &WORDS.card_balances,
            &WORDS.english_balances,
            &WORDS.taking_types,
            &WORDS.giving_types,
        ];
        let Words { not_settled, whole_totals, totals, future_titles, next_bill_title, past_titles, remarks, .. } =
            &*WORDS;
        let lists = [not_settled, whole_totals, totals, future_titles, next_bill_title, past_titles, remarks];
        assert!(lists.iter().all(|list| !list.is_empty()));
        for word in sets.into_iter().flatten().chain(lists.into_iter().flatten()) {
            assert_eq!(fold(word), **word);
            assert!(!word.is_empty());
        }
    }

    #[test]
    fn each_list_has_its_words() {
        let Words { not_settled, balance_words, card_balances, taking_types, giving_types, .. } = &*WORDS;
        assert_eq!((not_settled.first(), not_settled.last()), (Some(&"cancelado"), Some(&"a vencer")));
        assert!(
            balance_words.contains("anterior") && balance_words.contains("total") && !balance_words.contains("saldo")
        );
        assert!(card_balances.contains("saldo da fatura"));
        assert_eq!((taking_types.len(), giving_types.len()), (9, 5));
    }

    #[test]
    fn a_state_is_read_by_its_first_words() {
        for state in [
            "Agendamento",
            "Cancelado",
            "CANCELADA pelo cliente",
            "Não efetivado",
            "Pending",
            "Agendado p/ 10/03",
            "Em análise",
            "A receber",
            "Atrasado",
        ] {
            assert!(WORDS.is_not_settled(state), "{state}");
        }
        for state in ["", "Efetivado", "Concluída", "Completed", "Pago", "Pendentes zero", "Aprovada"] {
            assert!(!WORDS.is_not_settled(state), "{state}");
        }
    }

    #[test]
    fn a_balance_of_an_account_is_told_by_its_first_words() {
        for text in [
            "SALDO",
            "Saldo Anterior",
            "SALDO DO DIA",
            "SALDO TOTAL DISPONÍVEL DIA",
            "saldo:",
            "S A L D O",
            "  S  A L D O ",
            "Saldo do dia",
            "SALDO-DIA",
            "Saldos",
            "SALDO EM 31/01/2026",
            "SALDO 31/01",
            "Saldo R$ 10,00",
            "SALDO + LIMITE",
            "SDO CTA/APL AUTOMATICAS",
            "SDO APLIC AUT MAIS AP",
            "SDO ANTERIOR",
            "S A L D O  D O  D I A",
            "SALDO MES ANTERIOR",
            "SALDO MOVIMENTACAO CONTA",
            "(-) SALDO A LIBERAR",
            "SALDO TRANSPORTADO",
            "SALDO ANT",
            "SALDO CONTABIL",
            "SALDO DE ABERTURA",
            "SALDO EM CONTA",
            "SALDO DISPONIVEL EM CONTA",
            "SALDO BLOQ.ANTERIOR",
            "SALDO APLIC.AUTOM.",
            "Sdo. Anterior",
            "SALDO ATÉ 31/01/2026",
            "SALDO AO FINAL DO DIA",
            "SALDO NESTA DATA",
            "SALDO VINCULADO",
            "000000 SALDO DIA",
            "Opening balance",
            "Balance brought forward",
            "initial_available_balance",
        ] {
            assert!(is_balance(text, false), "{text}");
        }
        for text in [
            "SALDOBRAS LTDA",
            "SALDÃO DA CASA",
            "S A L D OS",
            "PIX SALDO",
            "",
            "S",
            "SAL",
            "RESGATE SALDO",
            "S A L E",
            "SALDOS E OFERTAS",
            "Saldo Moda Feminina",
            "SALDO A MODA",
            "SALDO DA MODA",
            "SALDO DO BEM",
            "SDOS",
            "SDO. MODAS",
            "SALDO S.A.",
            "SALDO ATÉ ACABAR",
            "New Balance",
            "BALANCE BEAUTY",
        ] {
            assert!(!is_balance(text, false), "{text}");
        }
    }

    #[test]
    fn a_balance_of_a_card_is_a_whole_text() {
        for text in ["SALDO ANTERIOR", "Saldo da fatura", " Saldo  anterior: ", "Previous balance"] {
            assert!(is_balance(text, true), "{text}");
        }
        for text in ["SALDO DO DIA DAS MAES", "SALDOS E OFERTAS", "Saldo em loja", "SALDO 1/3", ""] {
            assert!(!is_balance(text, true), "{text}");
        }
    }
}
