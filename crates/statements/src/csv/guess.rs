//! The columns that the headers of a file name.

use super::ranks::{OTHER_MONEY, amount_rank};
use super::synonyms::{
    CURRENCY_WORDS, LISTS, NAMES, OTHER_BALANCE_WORDS, OTHER_CURRENCY_WORDS, STATUSES, TEXTS, has_word, is_balance,
    is_in_reais, is_net, is_net_amount, names_in,
};

/// The positions of the columns that the headers name, from 0.
#[derive(Debug, Default)]
pub(super) struct Guess {
    pub(super) date: Option<usize>,
    /// All columns of texts, in the order of the file.
    pub(super) texts: Vec<usize>,
    /// The title and the description, which were the texts until 2026-12.
    pub(super) former_texts: Vec<usize>,
    pub(super) amount: Option<usize>,
    pub(super) credit: Option<usize>,
    pub(super) debit: Option<usize>,
    pub(super) direction: Option<usize>,
    pub(super) maybe_direction: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) instalment: Option<usize>,
    pub(super) status: Option<usize>,
    pub(super) fee: Option<usize>,
    pub(super) currency: Option<usize>,
    pub(super) category: Option<usize>,
    pub(super) balance: Option<usize>,
}

impl Guess {
    /// The columns by their headers. Each header is looked up once, because a record may have hundreds of cells.
    pub(super) fn of(keys: &[String]) -> Guess {
        // For each list the most preferred name, preferably without a currency, and its first column.
        let mut found: [Option<(usize, bool, usize)>; LISTS.len()] = [None; LISTS.len()];
        let (mut texts, mut near_balance, mut near_status, mut near_currency, mut net) =
            (Vec::new(), None, None, None, None);
        for (at, key) in keys.iter().enumerate() {
            // The names contain no digit, and most cells of rows do.
            if key.is_empty() || key.bytes().any(|byte| byte.is_ascii_digit()) {
                continue;
            }
            if near_balance.is_none() && is_balance(key) && !has_word(key, OTHER_BALANCE_WORDS) {
                near_balance = Some(at);
            }
            if has_word(key, STATUSES) {
                near_status = near_status.or(Some(at));
            }
            if has_word(key, CURRENCY_WORDS) && !has_word(key, OTHER_CURRENCY_WORDS) {
                near_currency = near_currency.or(Some(at));
            }
            if is_net_amount(key) {
                net = net.or(Some(at));
            }
            for (name, has_currency) in names_in(key) {
                for (list, rank) in NAMES.get(name).into_iter().flatten() {
                    if TEXTS.contains(list) && texts.last() != Some(&at) {
                        texts.push(at);
                    }
                    let place = (*rank, has_currency, at);
                    if found[*list].is_none_or(|best| place < best) {
                        found[*list] = Some(place);
                    }
                }
            }
        }
        let [
            date,
            title,
            description,
            _,
            amount,
            credit,
            debit,
            direction,
            maybe_direction,
            id,
            instalment,
            status,
            fee,
            currency,
            category,
            balance,
            near_instalment,
            paired_credit,
            paired_debit,
            instalment_amount,
        ] = found.map(|place| place.map(|(.., at)| at));
        let fee = fee.or_else(|| fee_beside(keys));
        // What moved on the account, where no column is known to tell the rest.
        let net = net.filter(|_| fee.is_none() && amount.is_some_and(|at| !is_net(&keys[at])));
        let amount = instalment_amount.or(net).or(amount);
        let (currency, balance) = (currency.or(near_currency), balance.or(near_balance));
        let amount = amount.map(|at| in_reais(keys, at, currency, [balance, fee]).unwrap_or(at));
        let former_texts = title.into_iter().chain(description).collect();
        if let Some(holder) = holder(keys) {
            texts.retain(|text| *text != holder);
        }
        let (credit, debit) = match (credit.or(paired_credit), debit.or(paired_debit)) {
            (Some(paired_credit), Some(paired_debit)) if amount.is_none() => (Some(paired_credit), Some(paired_debit)),
            _ => (credit, debit),
        };
        Guess {
            date,
            texts,
            former_texts,
            amount,
            credit,
            debit,
            direction,
            maybe_direction,
            id,
            instalment: instalment.or(near_instalment),
            status: status.or(near_status),
            fee,
            currency,
            category,
            balance,
        }
    }

    /// The known columns, one of each kind.
    fn columns(&self) -> impl Iterator<Item = usize> {
        let columns = [
            self.date,
            self.texts.first().copied(),
            self.amount,
            self.credit,
            self.debit,
            self.direction.or(self.maybe_direction),
            self.id,
            self.instalment,
            self.status,
            self.fee,
            self.currency,
            self.category,
            self.balance,
        ];
        columns.into_iter().flatten()
    }

    /// How many kinds of columns are known.
    pub(super) fn count(&self) -> usize {
        self.columns().count()
    }

    /// Whether a column is known.
    pub(super) fn has(&self, at: usize) -> bool {
        self.columns().any(|column| column == at) || self.texts.contains(&at) || self.maybe_direction == Some(at)
    }
}

/// The only column of amounts in reais, beside one of currencies and an amount that does not say so itself.
fn in_reais(keys: &[String], amount: usize, currency: Option<usize>, others: [Option<usize>; 2]) -> Option<usize> {
    currency.filter(|_| !is_in_reais(&keys[amount]))?;
    let is_amount = |at: &usize| {
        is_in_reais(&keys[*at]) && amount_rank(&keys[*at], false) < OTHER_MONEY && !others.contains(&Some(*at))
    };
    let mut found = (0..keys.len()).filter(is_amount);
    found.next().filter(|_| found.next().is_none())
}

/// The column of the person who holds the card, in files of cards with additional ones (Sicredi).
fn holder(keys: &[String]) -> Option<usize> {
    let at = keys.iter().position(|key| key == "nome")?;
    keys.iter().any(|key| key == "adicional").then_some(at)
}

/// Headers beside which `Taxa` is a fee, not a percentage: those of Revolut in Portuguese, and those of PayPal.
const BESIDE_FEES: [[&str; 2]; 2] = [["produto", "data de conclusao"], ["bruto", "liquido"]];

/// The column of a fee whose header alone may be that of a percentage.
fn fee_beside(keys: &[String]) -> Option<usize> {
    let has = |name: &&str| keys.iter().any(|key| key == *name);
    BESIDE_FEES.iter().find(|names| names.iter().all(&has))?;
    keys.iter().position(|key| key == "taxa")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_counts_whole_and_without_an_amount() {
        let guess = |headers: &[&str]| Guess::of(&headers.iter().map(|header| header.to_string()).collect::<Vec<_>>());
        let sides = |headers: &[&str]| (guess(headers).debit, guess(headers).credit);
        assert_eq!(sides(&["saques", "depositos"]), (Some(0), Some(1)));
        assert_eq!(sides(&["saques", "entrada"]), (Some(0), Some(1)));
        assert_eq!(sides(&["saiu", "entrou"]), (Some(0), Some(1)));
        assert_eq!(sides(&["cargo", "nome"]), (None, None));
        assert_eq!(sides(&["saques", "depositos", "valor"]), (None, None));
        assert_eq!(sides(&["saida", "depositos", "valor"]), (Some(0), None));
    }

    #[test]
    fn the_most_preferred_name_is_the_column_and_a_currency_after_it_is_ignored() {
        let guess = |headers: &[&str]| Guess::of(&headers.iter().map(|header| header.to_string()).collect::<Vec<_>>());
        let found = guess(&["dia", "data", "data", "saldo r", "quantia em reais", "valor brl", "valor", "descricao 1"]);
        assert_eq!((found.date, found.amount, found.texts), (Some(1), Some(5), vec![]));
        let found = guess(&["valor", "moeda", "valor em brl"]);
        assert_eq!(found.amount, Some(2));
        let found = guess(&["valor em r", "valor", "entrada r", "entrada", "historico", "onde"]);
        assert_eq!((found.amount, found.credit, found.texts), (Some(0), Some(3), vec![4, 5]));
        assert_eq!(guess(&["amount rs", "amount em r", ""]).amount, Some(0), "the first of several");
        for (headers, amount) in [
            (["data", "moeda", "valor", "valor convertido r"], 3),
            (["data", "moeda", "valor", "total r"], 3),
            (["data", "moeda", "valor", "saldo r"], 2),
            (["data", "moeda", "valor", "taxa r"], 2),
            (["data", "moeda", "valor", "cotacao r"], 2),
            (["data", "moeda", "valor em brl", "total r"], 2),
            (["data", "loja", "valor", "valor convertido r"], 2),
        ] {
            assert_eq!(guess(&headers).amount, Some(amount), "{headers:?}");
        }
    }
}
