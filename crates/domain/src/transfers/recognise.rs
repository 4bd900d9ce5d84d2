//! Recognises transfers between own accounts, by the texts of rows and by rows that are each other's only match.
//!
//! Two rows are candidates of each other if their amounts are equal, their types are opposite, their accounts differ, they are at
//! most [`NEAR_DAYS_MAX`](crate::transfers::NEAR_DAYS_MAX) days apart, and neither is paired yet. Four kinds of evidence are
//! checked, in this order:
//!
//! 1. **A card's payment**: the text of an income on a card says so, and the text of an expense on an account says so. As many of
//!    them as can be are paired, the nearest first; the card's side may come [later](crate::transfers::PAYMENT_DAYS) than other
//!    transfers. The income is a transfer even if nothing pairs with it.
//! 2. **A bill**: there is such an expense without such an income, and its amount is what was due on a closed bill that day. Without
//!    such a bill it pays the card that is kept here.
//! 3. **Pix on credit**: an account's income that a card lends, and the equal Pix of that day.
//! 4. **Own accounts**: both rows say that money moved, and one names a person of the household.
//!
//! Evidence is certain if each row is the only candidate of the other, and likely if there are more. It is also likely if only
//! one of two candidates says that money moved. A purchase on a card is never the source of a transfer.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use crate::credit_bills::UnpaidBill;
use crate::ids::AccountId;
use crate::money::Money;
use crate::transactions::Kind;
use crate::transfers::candidates::{BillBook, Book, Incomes, Pool, payment_days};
use crate::transfers::rows::{Confidence, Counterpart, PaidCard, Recognition, RejectedPairs, Row, TransferKind};

/// Recognises rows. The result is in the order of `rows`, and covers only what concerns a row with
/// [`is_asked`](Row::is_asked).
///
/// For each card it takes time linear in the number of rows and bills, whatever they contain.
pub fn recognise(rows: &[Row], bills: &[UnpaidBill], rejected: &RejectedPairs) -> Vec<Option<Recognition>> {
    let pool = Pool::new(rows, rejected);
    let mut found = vec![None; rows.len()];
    pay_cards(&pool, &mut found);
    pay_bills(&pool, bills, &mut found);
    pay_kept_cards(&pool, &mut found);
    pay_on_credit(&pool, &mut found);
    move_between_own(&pool, &mut found);
    suggest_nearest(&pool, &mut found);
    found
}

/// Pairs incomes of cards whose bills were paid with the expenses that paid them.
fn pay_cards(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let (from, to) = (pool.book(|_, row| row.pays_bill()), pool.book(|_, row| row.is_bill_paid()));
    for pair in pool.payments(&from, &to) {
        note_pair(pool, found, TransferKind::BillPayment, pair);
    }
    for at in 0..pool.rows.len() {
        if from.members.contains(&at) {
            note_likely(pool, &to, at, found);
        } else if to.members.contains(&at) && pool.rows[at].is_asked && found[at].is_none() {
            let (kind, confidence) = (TransferKind::BillPayment, Confidence::Certain);
            found[at] = Some(Recognition { kind, confidence, with: Counterpart::Elsewhere });
        }
    }
}

/// Finds expenses that pay a bill if the card's statement does not show the payment. They are taken by date, because each changes what
/// is due on the later bills of its card.
fn pay_bills(pool: &Pool<'_>, bills: &[UnpaidBill], found: &mut [Option<Recognition>]) {
    if bills.is_empty() {
        return;
    }
    let mut bills = BillBook::new(bills);
    let paid_cards = pool.book(|_, row| row.is_bill_paid());
    let pays = |at: &usize| pays_unseen(pool, &paid_cards, found, *at);
    let paying = by_date(pool.rows, (0..pool.rows.len()).filter(pays));
    let payers = Payers::new(pool.rows, &paying);
    for at in paying.into_iter().filter(|at| pool.rows[*at].is_asked) {
        let row = &pool.rows[at];
        let fitting = bills.fitting(row);
        if let Some(bill) = fitting.first() {
            let is_only = fitting.len() == 1 && payers.count(bill, row.amount) == 1;
            let confidence = if is_only { Confidence::Certain } else { Confidence::Likely };
            let (kind, with) = (TransferKind::BillPayment, Counterpart::Bill(bill.id));
            found[at] = Some(Recognition { kind, confidence, with });
        }
        let paid = fitting.first().filter(|_| found[at].is_some_and(|found| found.is_certain()));
        if let Some(card) = paid.map(|bill| bill.account_id).or(row.named_card()) {
            bills.pay(card, row.date, row.amount);
        }
    }
}

/// Whether a row pays a card, and no row of a card may be its other side.
pub(super) fn pays_unseen(pool: &Pool<'_>, paid_cards: &Book, found: &[Option<Recognition>], at: usize) -> bool {
    let is_seen = found[at].is_some_and(|found| matches!(found.with, Counterpart::Row(_)));
    !is_seen && pool.rows[at].pays_bill() && pool.count(paid_cards, at) == 0
}

/// Positions of rows, by date.
pub(super) fn by_date(rows: &[Row], positions: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut positions: Vec<usize> = positions.collect();
    positions.sort_by_key(|at| rows[*at].date);
    positions
}

/// The days of expenses that may pay bills, in order, by their amount and the card that they name.
struct Payers(HashMap<(Money, Option<AccountId>), Vec<Date>>);

impl Payers {
    /// Takes the positions by date.
    fn new(rows: &[Row], paying: &[usize]) -> Self {
        let mut days: HashMap<(Money, Option<AccountId>), Vec<Date>> = HashMap::new();
        for row in paying.iter().map(|at| &rows[*at]) {
            days.entry((row.amount, row.named_card())).or_default().push(row.date);
        }
        Payers(days)
    }

    /// How many of them may pay that amount of a bill.
    fn count(&self, bill: &UnpaidBill, amount: Money) -> usize {
        let days = payment_days(bill);
        let of = |named: Option<AccountId>| {
            let known = self.0.get(&(amount, named)).map_or(&[][..], Vec::as_slice);
            known.partition_point(|day| day <= days.end()) - known.partition_point(|day| day < days.start())
        };
        of(None) + of(Some(bill.account_id))
    }
}

/// What pays a card that is kept here is never spending: a payment in flight, or one that the card's statement does not show.
fn pay_kept_cards(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    for (row, found) in pool.rows.iter().zip(found) {
        let is_refused = |found: &Recognition| match found.with {
            Counterpart::Row(with) => pool.rows[with].is_refused,
            _ => false,
        };
        let is_open = row.is_asked
            && row.pays_bill()
            && !found.as_ref().is_some_and(|found| found.is_certain() || is_refused(found));
        let with = match row.pays_card.filter(|_| is_open) {
            Some(PaidCard::Kept(id)) => Counterpart::Card(id),
            Some(PaidCard::OneOf) => Counterpart::Elsewhere,
            None => continue,
        };
        let (kind, confidence) = (TransferKind::BillPayment, Confidence::Certain);
        *found = Some(Recognition { kind, confidence, with });
    }
}

/// What a card lends to an account for a Pix, and the equal Pix of that day, are transfers by themselves: the card has the purchase.
fn pay_on_credit(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let (kind, confidence, with) = (TransferKind::OwnAccount, Confidence::Certain, Counterpart::Elsewhere);
    let is_open = |at: usize| !found[at].is_some_and(|found| found.is_certain());
    for at in on_credit(pool.rows, is_open) {
        if pool.rows[at].is_asked {
            found[at] = Some(Recognition { kind, confidence, with });
        }
    }
}

/// The positions of what cards lend to accounts for a Pix, and of the equal Pix of those days. Of several equal ones the oldest match,
/// so that a row that comes later changes nothing.
pub(crate) fn on_credit(rows: &[Row], is_open: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut places: BTreeMap<(AccountId, Money, Date), [Vec<usize>; 2]> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_refused && !row.is_on_card()) {
        let side = match row.kind {
            Kind::Income if row.evidence.lent => 0,
            Kind::Expense if row.evidence.moved && is_open(at) => 1,
            _ => continue,
        };
        places.entry((row.account_id, row.amount, row.date)).or_default()[side].push(at);
    }
    let mut found = Vec::new();
    for mut sides in places.into_values() {
        let pairs = sides[0].len().min(sides[1].len());
        for side in &mut sides {
            side.sort_by_key(|at| (rows[*at].id.is_none(), rows[*at].id, *at));
            found.extend(side.iter().take(pairs));
        }
    }
    found
}

/// Pairs rows that both say that money moved, on accounts that are not cards, if one names a person of the household.
fn move_between_own(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let is_open = |found: &[Option<Recognition>], at: usize, row: &Row| {
        row.evidence.moved && !row.is_on_card() && !is_paired(&found[at])
    };
    let from = pool.book(|at, row| row.kind == Kind::Expense && is_open(found, at, row));
    let to = pool.book(|at, row| row.kind == Kind::Income && is_open(found, at, row));
    for (out, into) in pool.pairs(&from, &to) {
        if pool.rows[out].names_own || pool.rows[into].names_own {
            note_pair(pool, found, TransferKind::OwnAccount, (out, into));
        }
    }
}

/// Suggests near rows of which one says that money moved.
fn suggest_nearest(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let incomes = Incomes::new(pool, |at| !is_paired(&found[at]));
    let sources = pool.book(|at, row| row.is_source() && !is_paired(&found[at]));
    let moved_sources = pool.book(|at, row| row.is_source() && row.evidence.moved && !is_paired(&found[at]));
    for (at, row) in pool.rows.iter().enumerate() {
        if row.is_source() {
            note_likely(pool, incomes.of(row), at, found);
        } else if row.kind == Kind::Income {
            let book = if row.evidence.moved { &sources } else { &moved_sources };
            note_likely(pool, book, at, found);
        }
    }
}

/// Notes a pair: certain, unless a person refused one of its rows.
fn note_pair(pool: &Pool<'_>, found: &mut [Option<Recognition>], kind: TransferKind, (from, to): (usize, usize)) {
    let is_refused = pool.rows[from].is_refused || pool.rows[to].is_refused;
    let confidence = if is_refused { Confidence::Likely } else { Confidence::Certain };
    for (at, with) in [(from, to), (to, from)] {
        if !is_refused || pool.rows[at].is_asked {
            found[at] = Some(Recognition { kind, confidence, with: Counterpart::Row(with) });
        }
    }
}

/// Notes that a row that is asked about is likely to be a transfer with the nearest row of a book.
fn note_likely(pool: &Pool<'_>, book: &Book, at: usize, found: &mut [Option<Recognition>]) {
    if !pool.rows[at].is_asked || found[at].is_some() {
        return;
    }
    if let Some(with) = pool.candidates(book, at).next() {
        let arriving = if pool.rows[at].kind == Kind::Income { at } else { with };
        let kind = pool.rows[arriving].kind_into();
        found[at] = Some(Recognition { kind, confidence: Confidence::Likely, with: Counterpart::Row(with) });
    }
}

fn is_paired(found: &Option<Recognition>) -> bool {
    found.is_some_and(|found| found.is_paired())
}
