//! The payment of a card's bill.

use time::Date;

use super::accounts::{self, Named, Names, Search, Which};
use super::line::Line;
use super::values::{Candidate, Field, Missing, Part};
use super::words::Grammar;
use super::{amounts, dates};
use crate::ids::{AccountId, BillId};
use crate::money::Money;

/// A closed bill on which something is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueBill {
    /// Its id.
    pub id: BillId,
    /// Its card.
    pub account_id: AccountId,
    /// What is due.
    pub amount: Money,
}

/// A line that pays a bill. Which one depends on what is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillEntry {
    /// The cards that are meant.
    pub cards: Vec<AccountId>,
    /// The account that pays, if one is named.
    pub account_id: Option<AccountId>,
    /// The day of the payment. None if it is missing.
    pub date: Option<Date>,
    amount: Amount,
    account: Vec<Missing>,
    told_date: Vec<Missing>,
}

/// What a line says of the amount.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Amount {
    None,
    Said(Money),
    Missing(Missing),
}

/// What pays the bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payment {
    /// The payment of what is due. No bill: it is missing.
    Bill {
        /// The bill.
        id: Option<BillId>,
        /// What is missing.
        missing: Vec<Missing>,
    },
    /// A transfer to the card.
    Transfer {
        /// The card.
        to_account_id: Option<AccountId>,
        /// The amount.
        amount: Option<Money>,
        /// What is missing.
        missing: Vec<Missing>,
    },
}

impl BillEntry {
    /// The payment, given the bills of all cards on which something is due.
    pub fn payment(&self, due: &[DueBill]) -> Payment {
        let of_cards: Vec<DueBill> = due.iter().filter(|bill| self.cards.contains(&bill.account_id)).copied().collect();
        let mut missing = self.told_date.clone();
        let (bills, amount) = match &self.amount {
            Amount::None => (of_cards, None),
            Amount::Said(amount) => {
                let exact: Vec<DueBill> = of_cards.into_iter().filter(|bill| bill.amount == *amount).collect();
                (exact, Some(*amount))
            }
            Amount::Missing(_) => (Vec::new(), None),
        };
        if matches!(self.amount, Amount::None) || (amount.is_some() && !bills.is_empty()) {
            missing.extend(self.account.iter().cloned());
            if let [bill] = bills[..] {
                return Payment::Bill { id: Some(bill.id), missing };
            }
            let candidates = bills.iter().map(|bill| Candidate::Bill(bill.id)).collect();
            missing.push(Missing { field: Field::BillId, candidates });
            return Payment::Bill { id: None, missing };
        }
        if self.account_id.is_none() {
            let candidates = self.account.iter().flat_map(|missing| missing.candidates.clone()).collect();
            missing.push(Missing { field: Field::FromAccountId, candidates });
        }
        let to_account_id = match self.cards[..] {
            [card] => Some(card),
            _ => {
                let candidates = accounts::candidates(&self.cards);
                missing.push(Missing { field: Field::ToAccountId, candidates });
                None
            }
        };
        if let Amount::Missing(question) = &self.amount {
            missing.push(question.clone());
        }
        missing.sort_by_key(|missing| missing.field.place());
        Payment::Transfer { to_account_id, amount, missing }
    }
}

/// The bill payment of a line. None if it is none; then nothing is taken.
pub(super) fn read(line: &mut Line<'_>, grammar: &Grammar, names: &Names, on: Date) -> Option<BillEntry> {
    let words = &grammar.bill;
    let verb = (0..line.len()).find(|at| line.is_in(*at, &words.verbs))?;
    let noun = (0..line.len()).find(|at| line.is_in(*at, &words.nouns))?;
    let search = Search { grammar, names, which: Which::Cards, minds_categories: false };
    let card = (noun + 1..line.len())
        .filter(|at| line.is_in(*at, &words.of))
        .find_map(|at| Some((at, search.behind(line, at + 1)?)))
        .or_else(|| Some((noun + 1, search.behind(line, noun + 1)?)))
        .or_else(|| {
            let begins = noun.saturating_sub(4)..noun;
            begins.filter_map(|at| Some((at, search.at(line, at)?))).find(|(_, fit)| fit.to == noun)
        });
    let cards = match card {
        Some((from, fit)) => {
            line.take(verb, verb + 1, Part::Kind);
            if from == noun + 1 {
                line.take(noun, fit.to, Part::Bill);
            } else if fit.to == noun {
                line.take(from, noun + 1, Part::Bill);
            } else {
                line.take(noun, noun + 1, Part::Bill);
                line.take(from, fit.to, Part::Bill);
            }
            // `do Nubank e do Visa`: two cards.
            let next_card = |line: &Line<'_>, to: usize| {
                let of = if line.open(to) == Some("e") { to + 1 } else { to };
                line.is_in(of, &words.of).then(|| search.behind(line, of + 1)).flatten()
            };
            let (mut to, mut ids) = (fit.to, fit.ids);
            while let Some(next) = next_card(line, to) {
                line.take(to, next.to, Part::Bill);
                to = next.to;
                ids.extend(next.ids);
            }
            names.in_order(&ids)
        }
        None if line.is_in(noun + 1, &words.of) => return None,
        None => {
            line.take(verb, verb + 1, Part::Kind);
            line.take(noun, noun + 1, Part::Bill);
            names.cards()
        }
    };
    let mut told_date = Vec::new();
    let date = dates::read(line, grammar, on, &mut told_date);
    let search = Search { which: Which::NoCards, ..search };
    let named: Named = accounts::named(line, &search, None, &[&words.of, &grammar.transfer.from]);
    let mut account = Vec::new();
    let account_id = accounts::one(&named, Field::AccountId, &mut account);
    let mut questions = Vec::new();
    let found = amounts::find(line, grammar);
    let amount = match found[..] {
        [] => Amount::None,
        _ => match amounts::settle(line, grammar, &found, Field::Amount, &mut questions) {
            Some(amount) => Amount::Said(amount),
            None => questions.pop().map_or(Amount::None, Amount::Missing),
        },
    };
    Some(BillEntry { cards, account_id, date, amount, account, told_date })
}
