//! The ledger of a card: what is due on each of its bills.
//!
//! Banks carry what is left of a bill to the next one: a debt when the next bill closes, a credit at once (Carta Circular
//! 3.816/2017, Res. CMN 4.549/2017, Res. BCB 365/2023). So at most two bills have an amount due: the last closed one and the open
//! one. The figures of a bill depend on all rows and payments of its card, and not on the order in which these were stored. They
//! are stored with the bill, and computed again for the whole card after a write that sets `accounts.payments_stale`, and when a
//! period begins. A purchase on the open bill sets nothing.

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use super::cycle::{Cycles, Period};
use crate::ids::BillId;
use crate::money::Money;
use crate::openings::StoredOpening;
use crate::pairing::{PAYMENT_DAYS, pair_dates};

/// The figures of a bill that depend on the bills before it and on payments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What held statements with a payment date of this bill ask for, 0 or more. It is owed, and no row yet.
    pub held: Money,
    /// What the bill before left to this one: above zero for a debt, below zero for a credit. The opening balance of the card is
    /// part of it on the bill with which it is due.
    pub previous: Money,
    /// The payments that count on this bill, less the money that transfers took out of the card while it was open.
    pub paid_amount: Money,
    /// The instant at which the last of these payments was stored.
    pub paid_at: Option<OffsetDateTime>,
    /// What this bill left to the next one: above zero for a debt, below zero for a credit.
    pub carried: Money,
    /// The total that the bank printed: what was due when the bill closed. None while it is open.
    pub statement: Option<Money>,
}

impl LedgerEntry {
    /// Whether nothing happened, so that the period needs no bill.
    pub fn is_empty(&self) -> bool {
        let is_paid = self.paid_amount != Money::ZERO || self.paid_at.is_some();
        self.previous == Money::ZERO && self.held == Money::ZERO && !is_paid
    }
}

/// A stored bill of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerBill {
    /// Its id.
    pub id: BillId,
    /// Its first day.
    pub period_start: Date,
    /// Expenses minus income of its rows.
    pub total: Money,
    /// Its figures as they are stored.
    pub entry: LedgerEntry,
    /// What a release without ledgers showed as due, until the card's ledger is computed for the first time.
    pub due_before: Option<Money>,
}

/// What an upgrade to a release with ledgers changed on the open bill of a card, or else on the one that closed before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedBill {
    /// When the bill is due.
    pub due_date: Date,
    /// What was due on it before.
    pub before: Money,
    /// What is due on it by the ledger, as it was first computed.
    pub after: Money,
}

/// A payment of a card: a row of its statement, a transfer to it, or a payment that was only recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardPayment {
    /// Its date in the statement.
    pub date: Date,
    /// The amount, above zero. Below zero for money that a transfer took out of the card: it is owed with the bill that is open then.
    pub amount: Money,
    /// When it was stored.
    pub stored_at: OffsetDateTime,
    /// Who said it.
    pub origin: PaymentOrigin,
}

impl CardPayment {
    /// Whether it was only recorded, for a bill of this period or an earlier one.
    fn names_a_bill_until(&self, period: &Period) -> bool {
        matches!(self.origin, PaymentOrigin::Recorded(start) if start <= period.start)
    }
}

/// Who said that a card was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentOrigin {
    /// A row of a statement, or a transfer that names no bill.
    Row,
    /// A person, for a bill, with a transfer from an account.
    Named,
    /// A person, for the bill that begins on this day, without a transfer. Rows take its place.
    Recorded(Date),
}

/// A held statement of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldDebt {
    /// Its payment date, as its rows will have it.
    pub payment_date: Date,
    /// What it asks for, 0 or more.
    pub owed: Money,
}

/// What happened on a card, for [`ledger`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardHistory {
    /// The payments.
    pub payments: Vec<CardPayment>,
    /// The opening balances: usually one or none.
    pub openings: Vec<StoredOpening>,
    /// The held statements.
    pub held: Vec<HeldDebt>,
    /// The first day of the first stored bill with rows.
    pub first_bill: Option<Date>,
    /// The date of the first row that is neither an opening balance nor a payment.
    pub first_row: Option<Date>,
}

/// The entries of a card's periods, which follow one another without a gap, each with the total of its rows.
///
/// - A held statement counts on the bill that its rows will be on.
/// - A payment counts on the last bill that closed on or before its date, up to what is due there, and the rest on the bill that
///   is open on that date.
/// - What is left of a bill when the next one closes is the next one's. A credit is so when its own bill closes.
/// - An opening debt is due with the last bill that closed by the day after its date, if that is due later than that date, else with
///   the bill after it.
///
/// - Of a payment that was only recorded and the later row of it, only the row counts. It pays a closed bill after the rows that do, and
///   never more than they leave due.
///
/// The part of a payment that falls before or after all periods counts nowhere.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::credit_bills::{CardHistory, CardPayment, Cycle, Cycles, PaymentOrigin, ledger};
/// use time::macros::{date, datetime};
///
/// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
/// let periods = [date!(2026-02-10), date!(2026-03-08), date!(2026-03-26)].map(|day| card.period_holding(day));
/// let totals = [100_000, 5_000, 0].map(Money::from_cents);
/// let bills: Vec<_> = periods.into_iter().zip(totals).collect();
/// let paid = CardPayment {
///     date: date!(2026-03-05), amount: Money::from_cents(40_000), stored_at: datetime!(2026-03-05 12:00 UTC),
///     origin: PaymentOrigin::Row,
/// };
/// let history = CardHistory { payments: vec![paid], ..CardHistory::default() };
/// let due = |today| -> Vec<i128> {
///     let entries = ledger(&card, &bills, &history, today);
///     let due = bills.iter().zip(entries).map(|((_, total), entry)| entry.previous + *total - entry.paid_amount - entry.carried);
///     due.map(Money::cents).collect()
/// };
/// assert_eq!(due(date!(2026-03-10)), [60_000, 5_000, 0], "the closed bill, of which a part is paid, and the open one");
/// assert_eq!(due(date!(2026-03-26)), [0, 65_000, 0], "the rest is due with the next bill when that closes");
/// ```
pub fn ledger(cycles: &Cycles, bills: &[(Period, Money)], history: &CardHistory, today: Date) -> Vec<LedgerEntry> {
    let mut entries = vec![LedgerEntry::default(); bills.len()];
    for statement in &history.held {
        let start = cycles.period_of_payment(statement.payment_date).start;
        let at = bills.partition_point(|(period, _)| period.start < start).min(bills.len().saturating_sub(1));
        if let Some(entry) = entries.get_mut(at) {
            entry.held += statement.owed;
        }
    }
    let mut opened = vec![Money::ZERO; bills.len()];
    for StoredOpening { opening, .. } in &history.openings {
        let closed = bills.partition_point(|(period, _)| period.end <= opening.date);
        let of_closed = closed.checked_sub(1).filter(|at| bills[*at].0.due > opening.date);
        let at = of_closed.unwrap_or(closed).min(bills.len().saturating_sub(1));
        if let Some(opened) = opened.get_mut(at) {
            *opened -= opening.balance;
        }
    }
    let mut payments = without_repeated(&history.payments);
    payments.sort_unstable_by_key(|payment| (payment.date, payment.stored_at));
    let mut payments = payments.into_iter().peekable();
    if let (Some((first, _)), Some(entry)) = (bills.first(), entries.first_mut()) {
        while let Some(payment) = payments.next_if(|payment| payment.date <= first.end) {
            if payment.date >= first.start {
                entry.count(&payment, payment.amount);
            }
        }
    }
    // What a bill leaves is certain once the next one closes: later payments count on that one.
    let mut left = Money::ZERO;
    for (at, (period, total)) in bills.iter().enumerate() {
        let following = bills.get(at + 1).map(|(period, _)| period);
        let is_closed = |period: &Period| period.end < today;
        let mut due = left + opened[at] + *total + entries[at].held - entries[at].paid_amount;
        entries[at].statement = is_closed(period).then_some(due);
        let until_next = |payment: &CardPayment| following.is_none_or(|next| payment.date <= next.end);
        let of_window = std::iter::from_fn(|| payments.next_if(until_next));
        let (recorded, rows): (Vec<CardPayment>, Vec<CardPayment>) =
            of_window.partition(|payment| payment.names_a_bill_until(period));
        for (payment, is_recorded) in rows.iter().map(|row| (row, false)).chain(recorded.iter().map(|one| (one, true)))
        {
            let of_closed = payment.amount.min(due).max(Money::ZERO);
            due -= of_closed;
            entries[at].count(payment, of_closed);
            if let Some(open) = entries.get_mut(at + 1).filter(|_| !is_recorded) {
                open.count(payment, payment.amount - of_closed);
            }
        }
        let is_carried = following.is_some_and(is_closed) || is_closed(period) && due < Money::ZERO;
        entries[at].carried = if is_carried { due } else { Money::ZERO };
        left = due;
    }
    // A debt that is not carried yet is not the next bill's.
    let mut carried = Money::ZERO;
    for (entry, opened) in entries.iter_mut().zip(opened) {
        entry.previous = carried + opened;
        carried = entry.carried;
    }
    entries
}

/// The payments without those that were only recorded and of which a row has come since: of the same amount, and as near as the two
/// sides of a payment are. As many as can be are matched, the nearest first.
fn without_repeated(payments: &[CardPayment]) -> Vec<CardPayment> {
    let of = |is_wanted: fn(PaymentOrigin) -> bool| {
        let mut found: Vec<usize> = (0..payments.len()).filter(|at| is_wanted(payments[*at].origin)).collect();
        found.sort_unstable_by_key(|at| (payments[*at].amount, payments[*at].date, *at));
        found
    };
    let recorded = of(|origin| matches!(origin, PaymentOrigin::Recorded(_)));
    let rows = of(|origin| origin == PaymentOrigin::Row);
    let mut repeated = HashSet::new();
    for recorded in recorded.chunk_by(|one, next| payments[*one].amount == payments[*next].amount) {
        let amount = payments[recorded[0]].amount;
        let rows: Vec<usize> = rows.iter().copied().filter(|at| payments[*at].amount == amount).collect();
        let dates = |of: &[usize]| of.iter().map(|at| payments[*at].date).collect::<Vec<Date>>();
        let is_later = |one: usize, other: usize| payments[recorded[one]].stored_at < payments[rows[other]].stored_at;
        let pairs = pair_dates(&dates(recorded), &dates(&rows), &PAYMENT_DAYS, is_later);
        repeated.extend(pairs.into_iter().map(|(one, _)| recorded[one]));
    }
    let kept = payments.iter().enumerate().filter(|(at, _)| !repeated.contains(at));
    kept.map(|(_, payment)| *payment).collect()
}

impl LedgerEntry {
    /// Counts a part of a payment.
    fn count(&mut self, payment: &CardPayment, part: Money) {
        self.paid_amount += part;
        if part > Money::ZERO {
            self.paid_at = self.paid_at.max(Some(payment.stored_at));
        }
    }
}

#[cfg(test)]
mod tests;
