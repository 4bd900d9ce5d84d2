//! Candidates: the rows and bills with which a row may form a transfer. They are found by amount and date, without comparing each
//! row with every other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use time::{Date, Duration};

use crate::credit_bills::UnpaidBill;
use crate::ids::{AccountId, TransactionId};
use crate::money::Money;
use crate::month::day_after;
use crate::pairing::pair_dates;
use crate::transactions::Kind;
use crate::transfers::rows::{NEAR_DAYS_MAX, PAYMENT_DAYS, RejectedPairs, Row, near_days};

/// The most days between a bill's due date and a later payment, if only the statement of the paying account shows the payment.
pub const OVERDUE_DAYS_MAX: i64 = 10;

/// The rows, and the rejected pairs among them.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    pub(super) rows: &'a [Row],
    /// For the position of a row, the positions of the rows with which it was rejected.
    rejected: HashMap<usize, HashSet<usize>>,
}

/// Some of the rows, by amount and date.
#[derive(Debug, Default)]
pub(super) struct Book {
    days: HashMap<(Money, Date), Day>,
    pub(super) members: HashSet<usize>,
}

#[derive(Debug, Default)]
struct Day {
    count: usize,
    by_account: BTreeMap<AccountId, Vec<usize>>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(rows: &'a [Row], pairs: &RejectedPairs) -> Self {
        let mut rejected: HashMap<usize, HashSet<usize>> = HashMap::new();
        if !pairs.is_empty() {
            let positions: HashMap<TransactionId, usize> =
                rows.iter().enumerate().filter_map(|(at, row)| Some((row.id?, at))).collect();
            for (from, to) in pairs {
                if let (Some(from), Some(to)) = (positions.get(from), positions.get(to)) {
                    rejected.entry(*from).or_default().insert(*to);
                    rejected.entry(*to).or_default().insert(*from);
                }
            }
        }
        Pool { rows, rejected }
    }

    pub(super) fn book(&self, is_member: impl Fn(usize, &Row) -> bool) -> Book {
        let mut book = Book::default();
        for (at, row) in self.rows.iter().enumerate().filter(|(at, row)| is_member(*at, row)) {
            let day = book.days.entry((row.amount, row.date)).or_default();
            day.count += 1;
            day.by_account.entry(row.account_id).or_default().push(at);
            book.members.insert(at);
        }
        book
    }

    fn rejected_with(&self, at: usize) -> Option<&HashSet<usize>> {
        self.rejected.get(&at)
    }

    /// The days of a book that are near a row, nearest first.
    fn near<'b>(&self, book: &'b Book, at: usize) -> impl Iterator<Item = &'b Day> + use<'b> {
        let Row { amount, date, .. } = self.rows[at];
        near_days().filter_map(move |days| book.days.get(&(amount, date.checked_add(Duration::days(days))?)))
    }

    /// The pairs of payments of cards: as many as can be, the nearest ones, of which one is asked about. A row whose text names a card
    /// pairs with rows of that card only, and before rows that name none.
    pub(super) fn payments(&self, from: &Book, to: &Book) -> Vec<(usize, usize)> {
        let named = |at: usize| self.rows[at].named_card();
        let by_amount = |book: &Book| {
            let mut amounts: BTreeMap<Money, Vec<usize>> = BTreeMap::new();
            let mut members: Vec<usize> = book.members.iter().copied().collect();
            members.sort_unstable_by_key(|at| (self.rows[*at].date, *at));
            for at in members {
                amounts.entry(self.rows[at].amount).or_default().push(at);
            }
            amounts
        };
        let mut paid = by_amount(to);
        let mut pairs = Vec::new();
        for (amount, out) in by_amount(from) {
            let into = paid.remove(&amount).unwrap_or_default();
            let mut taken: HashSet<usize> = HashSet::new();
            let cards: BTreeSet<AccountId> = out.iter().filter_map(|at| named(*at)).collect();
            for card in cards.into_iter().map(Some).chain([None]) {
                let of_card: Vec<usize> = out.iter().copied().filter(|at| named(*at) == card).collect();
                let is_fitting =
                    |at: &usize| !taken.contains(at) && card.is_none_or(|card| self.rows[*at].account_id == card);
                let fitting: Vec<usize> = into.iter().copied().filter(is_fitting).collect();
                let dates = |rows: &[usize]| rows.iter().map(|at| self.rows[*at].date).collect::<Vec<_>>();
                let may_pair = |one: usize, other: usize| {
                    self.rejected_with(of_card[one]).is_none_or(|rejected| !rejected.contains(&fitting[other]))
                };
                let found = pair_dates(&dates(&of_card), &dates(&fitting), &PAYMENT_DAYS, may_pair);
                taken.extend(found.iter().map(|(_, other)| fitting[*other]));
                pairs.extend(found.into_iter().map(|(one, other)| (of_card[one], fitting[other])));
            }
        }
        pairs.retain(|(out, into)| self.rows[*out].is_asked || self.rows[*into].is_asked);
        pairs
    }

    /// How many rows of a book are candidates of a row.
    pub(super) fn count(&self, book: &Book, at: usize) -> usize {
        let row = &self.rows[at];
        let others = |day: &Day| day.count - day.by_account.get(&row.account_id).map_or(0, Vec::len);
        let rejected = self.rejected_with(at).into_iter().flatten().filter(|other| {
            let other_row = &self.rows[**other];
            book.members.contains(other)
                && other_row.amount == row.amount
                && other_row.account_id != row.account_id
                && (other_row.date - row.date).abs() <= Duration::days(NEAR_DAYS_MAX)
        });
        self.near(book, at).map(others).sum::<usize>() - rejected.count()
    }

    /// The rows of a book that are candidates of a row, nearest first.
    pub(super) fn candidates<'b>(&'b self, book: &'b Book, at: usize) -> impl Iterator<Item = usize> + use<'b, 'a> {
        let own_account = self.rows[at].account_id;
        let rejected = self.rejected_with(at);
        let of_day = move |day: &'b Day| {
            let others = day.by_account.iter().filter(move |(account, _)| **account != own_account);
            others.flat_map(|(_, positions)| positions.iter().copied())
        };
        self.near(book, at)
            .flat_map(of_day)
            .filter(move |other| rejected.is_none_or(|rejected| !rejected.contains(other)))
    }

    /// The only candidate of a row in a book.
    fn only(&self, book: &Book, at: usize) -> Option<usize> {
        if self.count(book, at) == 1 { self.candidates(book, at).next() } else { None }
    }

    /// The pairs of two books in which each row is the only candidate of the other, and one of them is asked about.
    pub(super) fn pairs<'b>(
        &'b self,
        from: &'b Book,
        to: &'b Book,
    ) -> impl Iterator<Item = (usize, usize)> + use<'b, 'a> {
        let pair = move |out: usize| {
            let to = self.only(to, out)?;
            let is_mutual = self.count(from, to) == 1;
            (is_mutual && (self.rows[out].is_asked || self.rows[to].is_asked)).then_some((out, to))
        };
        (0..self.rows.len()).filter(|out| from.members.contains(out)).filter_map(pair)
    }
}

/// Unpaired incomes, by what their texts say.
#[derive(Debug)]
pub(super) struct Incomes {
    all: Book,
    moved: Book,
    /// Those of `moved`, and incomes of cards whose bill was paid.
    moved_or_paid: Book,
}

impl Incomes {
    pub(super) fn new(pool: &Pool<'_>, is_open: impl Fn(usize) -> bool) -> Self {
        let book = |says: fn(&Row) -> bool| pool.book(|at, row| row.kind == Kind::Income && says(row) && is_open(at));
        Incomes {
            all: book(|_| true),
            moved: book(|row| row.evidence.moved),
            moved_or_paid: book(|row| row.evidence.moved || row.is_bill_paid()),
        }
    }

    /// The incomes with which an expense may form a transfer.
    pub(super) fn of(&self, row: &Row) -> &Book {
        match row {
            row if row.evidence.moved => &self.all,
            row if row.pays_bill() => &self.moved_or_paid,
            _ => &self.moved,
        }
    }
}

/// The days on which an expense may pay a bill.
pub(super) fn payment_days(bill: &UnpaidBill) -> RangeInclusive<Date> {
    let last = bill.due_date.saturating_add(Duration::days(OVERDUE_DAYS_MAX));
    day_after(bill.period_end)..=bill.last_day.map_or(last, |day| day.min(last))
}

/// What is due on cards, day by day. A payment that is found takes its amount from its bill and the later ones of that card, which
/// hold what that bill left.
#[derive(Debug)]
pub(super) struct BillBook<'a>(BTreeMap<AccountId, CardBills<'a>>);

#[derive(Debug, Default)]
struct CardBills<'a> {
    /// By their days.
    bills: Vec<&'a UnpaidBill>,
    /// The payments found, by date, each with the sum of those until it.
    paid: Vec<(Date, Money)>,
}

impl<'a> BillBook<'a> {
    pub(super) fn new(bills: &'a [UnpaidBill]) -> Self {
        let mut cards: BTreeMap<AccountId, CardBills<'a>> = BTreeMap::new();
        for bill in bills {
            cards.entry(bill.account_id).or_default().bills.push(bill);
        }
        for card in cards.values_mut() {
            card.bills.sort_by_key(|bill| (bill.period_end, bill.id));
        }
        BillBook(cards)
    }

    /// Adds a payment of a card. Payments are added by date.
    pub(super) fn pay(&mut self, card: AccountId, date: Date, amount: Money) {
        if let Some(card) = self.0.get_mut(&card) {
            let before = card.paid.last().map_or(Money::ZERO, |(_, sum)| *sum);
            card.paid.push((date, before + amount));
        }
    }

    /// The bills that an expense pays exactly, on its day: at most one of each card, by due date.
    pub(super) fn fitting(&self, row: &Row) -> Vec<&'a UnpaidBill> {
        self.due_on(row, |due| due == row.amount)
    }

    /// The bills that an expense pays in part, on its day: at most one of each card, by due date.
    pub(super) fn larger(&self, row: &Row) -> Vec<&'a UnpaidBill> {
        self.due_on(row, |due| due > row.amount)
    }

    fn due_on(&self, row: &Row, is_wanted: impl Fn(Money) -> bool) -> Vec<&'a UnpaidBill> {
        let may_pay = |card: &AccountId| row.named_card().is_none_or(|named| named == *card);
        let cards = self.0.iter().filter(|(card, _)| may_pay(card));
        let mut found: Vec<&UnpaidBill> = cards
            .filter_map(|(_, card)| card.due_on(row.date))
            .filter(|(_, due)| is_wanted(*due))
            .map(|(bill, _)| bill)
            .collect();
        found.sort_by_key(|bill| (bill.due_date, bill.id));
        found
    }
}

impl<'a> CardBills<'a> {
    /// The bill that a payment on that day pays, and what is due on it then.
    fn due_on(&self, date: Date) -> Option<(&'a UnpaidBill, Money)> {
        let closed = self.bills.partition_point(|bill| bill.period_end < date);
        let bill = *self.bills[..closed].last().filter(|bill| payment_days(bill).contains(&date))?;
        let paid = self.paid.partition_point(|(day, _)| *day <= date);
        let sum = self.paid[..paid].last().map_or(Money::ZERO, |(_, sum)| *sum);
        Some((bill, bill.unpaid - sum))
    }
}
