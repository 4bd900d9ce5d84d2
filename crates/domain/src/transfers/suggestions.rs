//! Pairs that may be transfers but are not known to be, for a person to decide.

use std::collections::HashMap;

use crate::credit_bills::UnpaidBill;
use crate::ids::{AccountId, BillId};
use crate::transfers::candidates::{BillBook, Book, Incomes, Pool};
use crate::transfers::recognise::{by_date, pays_unseen, recognise};
use crate::transfers::rows::{Counterpart, PaidCard, Recognition, RejectedPairs, Row, TransferKind};

/// A pair that may be a transfer: the positions of the expense and the income, or the bill that the expense pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// The position of the expense.
    pub from: usize,
    /// The other side.
    pub to: Counterpart,
    /// What it would be.
    pub kind: TransferKind,
}

/// Pairs of rows that may be transfers but are not known to be, by the expenses with [`is_asked`](Row::is_asked), in the order
/// of `rows`.
#[derive(Debug)]
pub struct Suggestions<'a> {
    pool: Pool<'a>,
    found: Vec<Option<Recognition>>,
    bills: BillBook<'a>,
    paid_cards: Book,
    incomes: Incomes,
}

impl<'a> Suggestions<'a> {
    /// Finds the suggestions for the rows.
    pub fn new(rows: &'a [Row], bills: &'a [UnpaidBill], rejected: &RejectedPairs) -> Self {
        let found = recognise(rows, bills, rejected);
        let pool = Pool::new(rows, rejected);
        let is_open = |at: usize| !rows[at].is_refused && found[at].is_none_or(|found| !found.is_paired());
        let paid_cards = pool.book(|_, row| row.is_bill_paid());
        let incomes = Incomes::new(&pool, is_open);
        let book = book_after(rows, bills, &found);
        Suggestions { pool, found, bills: book, paid_cards, incomes }
    }

    /// The suggestions for the expense at position `from`, nearest first: at most `limit`, without the first `skipped`.
    pub fn of(&self, from: usize, skipped: usize, limit: usize) -> Vec<Suggestion> {
        let row = &self.pool.rows[from];
        if !row.is_source() || !row.is_asked {
            return Vec::new();
        }
        if let Some(found @ Recognition { kind, with, .. }) = self.found[from].filter(Recognition::is_paired) {
            let one = (!self.is_refused(&found)).then_some(Suggestion { from, to: with, kind });
            return one.into_iter().skip(skipped).take(limit).collect();
        }
        let bills = self.bills_of(from).into_iter().map(|bill| (Counterpart::Bill(bill.id), TransferKind::BillPayment));
        let into = |to: usize| (Counterpart::Row(to), self.pool.rows[to].kind_into());
        let rows = self.pool.candidates(self.incomes.of(row), from).map(into);
        let all = bills.chain(rows).map(|(to, kind)| Suggestion { from, to, kind });
        all.skip(skipped).take(limit).collect()
    }

    /// The number of all suggestions. Does not look at each one.
    pub fn count(&self) -> usize {
        let of = |from: usize| {
            let row = &self.pool.rows[from];
            match self.found[from].filter(Recognition::is_paired) {
                _ if !row.is_source() || !row.is_asked => 0,
                Some(found) => usize::from(!self.is_refused(&found)),
                None => self.bills_of(from).len() + self.pool.count(self.incomes.of(row), from),
            }
        };
        (0..self.pool.rows.len()).map(of).sum()
    }

    /// Whether a person refused the other side, which is not suggested then.
    fn is_refused(&self, found: &Recognition) -> bool {
        matches!(found.with, Counterpart::Row(to) if self.pool.rows[to].is_refused)
    }

    /// The bills that the expense may pay: those of its amount. If there is none and several cards may be meant, those of which it may be
    /// a part.
    fn bills_of(&self, from: usize) -> Vec<&'a UnpaidBill> {
        let row = &self.pool.rows[from];
        if !pays_unseen(&self.pool, &self.paid_cards, &self.found, from) {
            return Vec::new();
        }
        let fitting = self.bills.fitting(row);
        let is_of_several = row.pays_card == Some(PaidCard::OneOf);
        if fitting.is_empty() && is_of_several { self.bills.larger(row) } else { fitting }
    }
}

/// The bills, less what certain payments take from them.
fn book_after<'a>(rows: &[Row], bills: &'a [UnpaidBill], found: &[Option<Recognition>]) -> BillBook<'a> {
    let mut book = BillBook::new(bills);
    let cards: HashMap<BillId, AccountId> = bills.iter().map(|bill| (bill.id, bill.account_id)).collect();
    for at in by_date(rows, 0..rows.len()) {
        let card = match found[at].filter(Recognition::is_certain).map(|found| found.with) {
            Some(Counterpart::Bill(id)) => cards.get(&id).copied(),
            Some(Counterpart::Card(card)) => Some(card),
            Some(Counterpart::Row(_) | Counterpart::Elsewhere) | None => None,
        };
        if let Some(card) = card {
            book.pay(card, rows[at].date, rows[at].amount);
        }
    }
    book
}
