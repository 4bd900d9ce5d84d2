//! Which rows are transfers between own accounts, by what their texts say and by being the only ones that fit.
//!
//! Two rows are candidates of each other where their amounts are equal, their types opposite, their accounts different,
//! they are at most [`NEAR_DAYS_MAX`] apart and neither is paired yet. Three kinds of evidence are looked at, one after
//! the other:
//!
//! 1. **A card's payment**: an income on a card that says so, and an expense on an account that says so. The income is a
//!    transfer even where nothing pairs with it.
//! 2. **A bill**: such an expense without such an income, that is what is due on a closed bill.
//! 3. **Own accounts**: both rows say that money moved, and one names a person of the household.
//!
//! Evidence is certain where each row is the only candidate of the other, and likely where there are more. It is also
//! likely where only one of two candidates says that money moved. A purchase on a card is never where money came from.

use std::collections::{BTreeMap, HashMap, HashSet};

use time::{Date, Duration};

use crate::accounts::AccountKind;
use crate::credit_bills::DUE_DAYS_MAX;
use crate::ids::{AccountId, BillId, TransactionId};
use crate::money::Money;
use crate::transactions::Kind;
use crate::transfers::phrases::Evidence;
use crate::words::words;

/// The most days between the two sides of a transfer.
pub const NEAR_DAYS_MAX: i64 = 4;
/// The most days that a bill is paid after it was due, where the statement of its account alone tells of it.
pub const OVERDUE_DAYS_MAX: i64 = 10;

words! {
    /// Why a row is a transfer.
    pub enum TransferKind {
        /// It is a leg that this service made before the statement came.
        Leg = "leg",
        /// It pays a card's bill.
        BillPayment = "bill_payment",
        /// It moves money between own accounts.
        OwnAccount = "own_account",
    }
}

words! {
    /// What becomes of a row that was recognised.
    pub enum Confidence {
        /// It is linked.
        Certain = "certain",
        /// It is only suggested.
        Likely = "likely",
    }
}

/// A row that is not paired yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its id, where it is stored.
    pub id: Option<TransactionId>,
    /// Whether it may be linked. A row that may not only makes others less certain.
    pub is_asked: bool,
    /// Its account.
    pub account_id: AccountId,
    /// What kind of account that is.
    pub account_kind: AccountKind,
    /// Income or expense.
    pub kind: Kind,
    /// The amount, above zero.
    pub amount: Money,
    /// The date in the statement.
    pub date: Date,
    /// What its text says.
    pub evidence: Evidence,
    /// Whether its text names a person of the household.
    pub names_own: bool,
}

impl Row {
    fn is_on_card(&self) -> bool {
        self.account_kind == AccountKind::Credit
    }

    /// An expense of an account that may be a bill's payment.
    pub(crate) fn pays_bill(&self) -> bool {
        self.kind == Kind::Expense
            && self.evidence.paid_out
            && matches!(self.account_kind, AccountKind::Current | AccountKind::Savings)
    }

    /// The income of a card whose bill was paid.
    pub fn is_bill_paid(&self) -> bool {
        self.kind == Kind::Income && self.evidence.paid_in && self.is_on_card()
    }
}

/// A bill on which something is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueBill {
    /// Its id.
    pub id: BillId,
    /// Its last day.
    pub period_end: Date,
    /// The day to pay.
    pub due_date: Date,
    /// What is due.
    pub amount_due: Money,
}

/// The other side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counterpart {
    /// The row at that position.
    Row(usize),
    /// The card's side is not stored: the row pays this bill.
    Bill(BillId),
    /// It is not kept here.
    Elsewhere,
}

/// What a row was recognised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognition {
    /// Why.
    pub kind: TransferKind,
    /// Whether it is linked.
    pub confidence: Confidence,
    /// The other side; where it is only likely, the nearest one of several.
    pub with: Counterpart,
}

impl Recognition {
    /// Whether the row is linked.
    pub fn is_certain(&self) -> bool {
        self.confidence == Confidence::Certain
    }
}

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

/// Pairs that are no transfers: the ids of the expense and the income.
pub type RejectedPairs = HashSet<(TransactionId, TransactionId)>;

/// The legs that new rows are, as positions in `legs`, in the order of `rows`. A leg of the same account, type and amount at
/// most [`NEAR_DAYS_MAX`] days away is the row. Of N equal rows against M legs, min(N, M) match; the nearest first.
///
/// ```
/// use finance_domain::transfers::{LegKey, match_legs};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{AccountId, Money};
/// use time::macros::date;
///
/// let leg = LegKey { account_id: AccountId(1), kind: Kind::Expense, amount: Money::from_cents(5), date: date!(2026-03-05) };
/// let row = LegKey { date: date!(2026-03-07), ..leg };
/// assert_eq!(match_legs(&[row, row], &[leg]), [Some(0), None]);
/// ```
pub fn match_legs(rows: &[LegKey], legs: &[LegKey]) -> Vec<Option<usize>> {
    let mut free: HashMap<LegKey, Vec<usize>> = HashMap::new();
    for (at, leg) in legs.iter().enumerate().rev() {
        free.entry(*leg).or_default().push(at);
    }
    let mut matched = vec![None; rows.len()];
    if free.is_empty() {
        return matched;
    }
    for days in near_days() {
        for (row, found) in rows.iter().zip(&mut matched).filter(|(_, found)| found.is_none()) {
            let Some(date) = row.date.checked_add(Duration::days(days)) else { continue };
            *found = free.get_mut(&LegKey { date, ..*row }).and_then(Vec::pop);
        }
    }
    matched
}

/// What decides whether a row is a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LegKey {
    /// Its account.
    pub account_id: AccountId,
    /// Income or expense.
    pub kind: Kind,
    /// The amount.
    pub amount: Money,
    /// The leg's own date, and the row's in its statement.
    pub date: Date,
}

/// Days away that are near, nearest first.
fn near_days() -> impl Iterator<Item = i64> + Clone {
    std::iter::once(0).chain((1..=NEAR_DAYS_MAX).flat_map(|days| [days, -days]))
}

/// What each row is, in the order of `rows`. Only what concerns a row that is asked about is told.
///
/// Takes time linear in the rows and bills, whatever they hold.
pub fn recognise(rows: &[Row], bills: &[DueBill], rejected: &RejectedPairs) -> Vec<Option<Recognition>> {
    let pool = Pool::new(rows, rejected);
    let mut found = vec![None; rows.len()];
    pay_cards(&pool, &mut found);
    pay_bills(&pool, bills, &mut found);
    move_between_own(&pool, &mut found);
    suggest_nearest(&pool, &mut found);
    found
}

/// Pairs of rows that may be transfers and are not known to be, by expenses that are asked about, in the order of `rows`.
#[derive(Debug)]
pub struct Suggestions<'a> {
    pool: Pool<'a>,
    found: Vec<Option<Recognition>>,
    bills: BillBook<'a>,
    paid_cards: Book,
    incomes: Incomes,
}

impl<'a> Suggestions<'a> {
    /// Those of the rows.
    pub fn new(rows: &'a [Row], bills: &'a [DueBill], rejected: &RejectedPairs) -> Self {
        let found = recognise(rows, bills, rejected);
        let pool = Pool::new(rows, rejected);
        let is_open = |at: usize| !is_paired(&found[at]);
        let paid_cards = pool.book(|_, row| row.is_bill_paid());
        let incomes = Incomes::new(&pool, is_open);
        Suggestions { pool, found, bills: BillBook::new(bills), paid_cards, incomes }
    }

    /// Those of the expense at that position, the nearest first, without the first `skipped`: at most `limit`.
    pub fn of(&self, from: usize, skipped: usize, limit: usize) -> Vec<Suggestion> {
        let row = &self.pool.rows[from];
        if !is_source(row) || !row.is_asked {
            return Vec::new();
        }
        if let Some(Recognition { kind, with, .. }) = self.found[from].filter(|found| is_paired(&Some(*found))) {
            return [Suggestion { from, to: with, kind }].into_iter().skip(skipped).take(limit).collect();
        }
        let bills = self.bills_of(from).map(|bill| (Counterpart::Bill(bill.id), TransferKind::BillPayment));
        let rows = self.pool.candidates(self.incomes.of(row), from).map(|to| (Counterpart::Row(to), self.kind(to)));
        let all = bills.chain(rows).map(|(to, kind)| Suggestion { from, to, kind });
        all.skip(skipped).take(limit).collect()
    }

    /// How many there are altogether. Does not look at each.
    pub fn count(&self) -> usize {
        let of = |from: usize| {
            let row = &self.pool.rows[from];
            match is_source(row) && row.is_asked {
                false => 0,
                true if is_paired(&self.found[from]) => 1,
                true => self.bills_of(from).count() + self.pool.count(self.incomes.of(row), from),
            }
        };
        (0..self.pool.rows.len()).map(of).sum()
    }

    fn bills_of(&self, from: usize) -> impl Iterator<Item = &'a DueBill> + '_ {
        let row = &self.pool.rows[from];
        let pays = row.pays_bill() && self.pool.count(&self.paid_cards, from) == 0;
        self.bills.fitting(row).filter(move |_| pays)
    }

    fn kind(&self, to: usize) -> TransferKind {
        kind_into(&self.pool.rows[to])
    }
}

/// A card's payment, or money that arrives on another account.
fn kind_into(to: &Row) -> TransferKind {
    if to.is_on_card() { TransferKind::BillPayment } else { TransferKind::OwnAccount }
}

/// Whether money may have come from the row: what was bought with a card is no transfer.
fn is_source(row: &Row) -> bool {
    row.kind == Kind::Expense && !row.is_on_card()
}

fn is_paired(found: &Option<Recognition>) -> bool {
    found.is_some_and(|found| found.is_certain() && found.with != Counterpart::Elsewhere)
}

/// The rows, and which pairs of them were rejected.
#[derive(Debug)]
struct Pool<'a> {
    rows: &'a [Row],
    /// The positions that a row was rejected with.
    rejected: HashMap<usize, HashSet<usize>>,
}

/// Some of the rows, by amount and date.
#[derive(Debug, Default)]
struct Book {
    days: HashMap<(Money, Date), Day>,
    members: HashSet<usize>,
}

#[derive(Debug, Default)]
struct Day {
    count: usize,
    by_account: BTreeMap<AccountId, Vec<usize>>,
}

impl<'a> Pool<'a> {
    fn new(rows: &'a [Row], pairs: &RejectedPairs) -> Self {
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

    fn book(&self, is_member: impl Fn(usize, &Row) -> bool) -> Book {
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

    /// How many rows of a book are candidates of a row.
    fn count(&self, book: &Book, at: usize) -> usize {
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
    fn candidates<'b>(&'b self, book: &'b Book, at: usize) -> impl Iterator<Item = usize> + use<'b, 'a> {
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

    /// The pairs of two books in which each is the only candidate of the other, and one is asked about.
    fn pairs<'b>(&'b self, from: &'b Book, to: &'b Book) -> impl Iterator<Item = (usize, usize)> + use<'b, 'a> {
        let pair = move |out: usize| {
            let to = self.only(to, out)?;
            let is_mutual = self.count(from, to) == 1;
            (is_mutual && (self.rows[out].is_asked || self.rows[to].is_asked)).then_some((out, to))
        };
        (0..self.rows.len()).filter(|out| from.members.contains(out)).filter_map(pair)
    }

    /// Notes that a row that is asked about is likely to be a transfer with the nearest one of a book.
    fn note_likely(&self, book: &Book, at: usize, found: &mut [Option<Recognition>]) {
        if !self.rows[at].is_asked || found[at].is_some() {
            return;
        }
        if let Some(with) = self.candidates(book, at).next() {
            let arriving = if self.rows[at].kind == Kind::Income { at } else { with };
            let kind = kind_into(&self.rows[arriving]);
            found[at] = Some(Recognition { kind, confidence: Confidence::Likely, with: Counterpart::Row(with) });
        }
    }
}

fn note_certain(found: &mut [Option<Recognition>], kind: TransferKind, (from, to): (usize, usize)) {
    let certain = |with| Some(Recognition { kind, confidence: Confidence::Certain, with: Counterpart::Row(with) });
    (found[from], found[to]) = (certain(to), certain(from));
}

/// Incomes of cards whose bills were paid, with the expenses that paid them.
fn pay_cards(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let (from, to) = (pool.book(|_, row| row.pays_bill()), pool.book(|_, row| row.is_bill_paid()));
    for pair in pool.pairs(&from, &to) {
        note_certain(found, TransferKind::BillPayment, pair);
    }
    for at in 0..pool.rows.len() {
        if from.members.contains(&at) {
            pool.note_likely(&to, at, found);
        } else if to.members.contains(&at) && pool.rows[at].is_asked && found[at].is_none() {
            let (kind, confidence) = (TransferKind::BillPayment, Confidence::Certain);
            found[at] = Some(Recognition { kind, confidence, with: Counterpart::Elsewhere });
        }
    }
}

/// Expenses that pay a bill whose card's statement does not tell of the payment.
fn pay_bills(pool: &Pool<'_>, bills: &[DueBill], found: &mut [Option<Recognition>]) {
    if bills.is_empty() {
        return;
    }
    let bills = BillBook::new(bills);
    let paid_cards = pool.book(|_, row| row.is_bill_paid());
    let pays = |at: &usize| pool.rows[*at].pays_bill() && pool.count(&paid_cards, *at) == 0;
    let paying: Vec<usize> = (0..pool.rows.len()).filter(pays).collect();
    let mut payers: HashMap<BillId, usize> = HashMap::new();
    for at in &paying {
        for bill in bills.fitting(&pool.rows[*at]) {
            *payers.entry(bill.id).or_default() += 1;
        }
    }
    for at in paying.into_iter().filter(|at| pool.rows[*at].is_asked) {
        let mut fitting = bills.fitting(&pool.rows[at]);
        let Some(bill) = fitting.next() else { continue };
        let is_only = fitting.next().is_none() && payers.get(&bill.id) == Some(&1);
        let confidence = if is_only { Confidence::Certain } else { Confidence::Likely };
        let (kind, with) = (TransferKind::BillPayment, Counterpart::Bill(bill.id));
        found[at] = Some(Recognition { kind, confidence, with });
    }
}

/// Bills by what is due on them and when.
#[derive(Debug)]
struct BillBook<'a>(HashMap<Money, BTreeMap<(Date, BillId), &'a DueBill>>);

impl<'a> BillBook<'a> {
    fn new(bills: &'a [DueBill]) -> Self {
        let mut book: HashMap<Money, BTreeMap<(Date, BillId), &DueBill>> = HashMap::new();
        for bill in bills {
            book.entry(bill.amount_due).or_default().insert((bill.due_date, bill.id), bill);
        }
        BillBook(book)
    }

    /// The bills that an expense may pay. A card has two or three bills in the days that are looked at.
    fn fitting(&self, row: &Row) -> impl Iterator<Item = &'a DueBill> + use<'a, '_> {
        let date = row.date;
        let first = date.saturating_sub(Duration::days(OVERDUE_DAYS_MAX));
        let last = date.saturating_add(Duration::days(DUE_DAYS_MAX));
        let of_amount = self.0.get(&row.amount).into_iter();
        let range = (first, BillId(i64::MIN))..=(last, BillId(i64::MAX));
        of_amount
            .flat_map(move |bills| bills.range(range.clone()))
            .map(|(_, bill)| *bill)
            .filter(move |bill| bill.period_end < date)
    }
}

/// Both rows say that money moved, between accounts that are no cards, and one names a person of the household.
fn move_between_own(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let is_open = |found: &[Option<Recognition>], at: usize, row: &Row| {
        row.evidence.moved && !row.is_on_card() && !is_paired(&found[at])
    };
    let from = pool.book(|at, row| row.kind == Kind::Expense && is_open(found, at, row));
    let to = pool.book(|at, row| row.kind == Kind::Income && is_open(found, at, row));
    for (out, into) in pool.pairs(&from, &to) {
        if pool.rows[out].names_own || pool.rows[into].names_own {
            note_certain(found, TransferKind::OwnAccount, (out, into));
        }
    }
}

/// One of two near rows says that money moved.
fn suggest_nearest(pool: &Pool<'_>, found: &mut [Option<Recognition>]) {
    let incomes = Incomes::new(pool, |at| !is_paired(&found[at]));
    let sources = pool.book(|at, row| is_source(row) && !is_paired(&found[at]));
    let moved_sources = pool.book(|at, row| is_source(row) && row.evidence.moved && !is_paired(&found[at]));
    for (at, row) in pool.rows.iter().enumerate() {
        if is_source(row) {
            pool.note_likely(incomes.of(row), at, found);
        } else if row.kind == Kind::Income {
            let book = if row.evidence.moved { &sources } else { &moved_sources };
            pool.note_likely(book, at, found);
        }
    }
}

/// Incomes that are not paired, by what they say.
#[derive(Debug)]
struct Incomes {
    all: Book,
    moved: Book,
    /// Those, and those of cards whose bill was paid.
    moved_or_paid: Book,
}

impl Incomes {
    fn new(pool: &Pool<'_>, is_open: impl Fn(usize) -> bool) -> Self {
        let book = |says: fn(&Row) -> bool| pool.book(|at, row| row.kind == Kind::Income && says(row) && is_open(at));
        Incomes {
            all: book(|_| true),
            moved: book(|row| row.evidence.moved),
            moved_or_paid: book(|row| row.evidence.moved || row.is_bill_paid()),
        }
    }

    /// Those that an expense may be a transfer with.
    fn of(&self, row: &Row) -> &Book {
        match row {
            row if row.evidence.moved => &self.all,
            row if row.pays_bill() => &self.moved_or_paid,
            _ => &self.moved,
        }
    }
}

#[cfg(test)]
mod tests;
