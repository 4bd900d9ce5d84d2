//! The balance of each coming day, and the totals of the months.

use std::collections::BTreeMap;

use time::Date;

use super::baseline::{Estimate, part_of_day};
use super::main_income::MainIncome;
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::{Month, day_after, day_before};
use crate::recurring::Reserve;
use crate::words::words;

/// The most events in an answer. The first ones are kept.
pub const EVENTS_MAX: usize = 2_000;
/// The default number of months of a forecast, and those in which the next income is looked for.
pub const MONTHS_DEFAULT: u32 = 12;

words! {
    /// What an event comes from. Events of one day are in this order.
    #[derive(PartialOrd, Ord)]
    pub enum EventKind {
        /// A stored transaction that is dated after today.
        Posted = "posted",
        /// A recurring item.
        Recurring = "recurring",
        /// A bill of a card.
        CreditBill = "credit_bill",
        /// A held statement.
        PendingBill = "pending_bill",
    }
}

impl EventKind {
    /// Whether it pays a card.
    fn is_card_bill(self) -> bool {
        matches!(self, EventKind::CreditBill | EventKind::PendingBill)
    }
}

/// A known movement of money, in or out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The day, today or later.
    pub date: Date,
    /// What it comes from.
    pub kind: EventKind,
    /// Its description.
    pub description: String,
    /// The amount. Below zero for outgoing money.
    pub amount: Money,
    /// The account; for a bill, the card. None if it is not known.
    pub account_id: Option<AccountId>,
    /// The id of its source. None for a bill that does not exist yet.
    pub source_id: Option<i64>,
    /// Whether it is a side of a transfer. A transfer is not income.
    pub is_transfer: bool,
    /// Whether it moves money between accounts that are spent from. The other side is an event of the same day.
    pub is_internal: bool,
    /// Whether it moves money of a spendable account.
    pub is_spendable: bool,
}

/// The sum of stored rows that are not listed individually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsLeftOut {
    /// Their day.
    pub date: Date,
    /// Their sum, signed. Incomes and expenses have separate sums.
    pub amount: Money,
    /// The part of it on spendable accounts.
    pub spendable: Money,
}

/// The money that is free to spend: that of the accounts which the household spends from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spendable {
    /// The balance of these accounts today.
    pub opening: Money,
    /// Amounts that move only this money, by day, signed. No event of the forecast has them.
    pub others: Vec<(Date, Money)>,
    /// Which incomes end the time for which the money must last.
    pub income: MainIncome,
    /// What is set aside for items that are due less than once a month.
    pub reserves: Vec<Reserve>,
}

/// The lowest balance at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Low {
    /// The first day of that balance.
    pub date: Date,
    /// The balance.
    pub balance: Money,
}

/// The totals of a month, from today on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthForecast {
    /// The month.
    pub month: Month,
    /// The sum of the events above zero.
    pub income: Money,
    /// The sum of the events below zero, without card bills, as an amount above zero.
    pub expenses: Money,
    /// The sum of the card bills, as an amount above zero.
    pub card_bills: Money,
    /// The estimated spending in addition to the events.
    pub estimated: Money,
    /// The balance at the end of its last day.
    pub closing: Money,
    /// The lowest balance at the end of one of its days.
    pub lowest: Low,
}

/// The balances and events to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Today.
    pub as_of: Date,
    /// The balance of the accounts that are spent from, without rows dated after today.
    pub opening: Money,
    /// The months, this one first.
    pub months: Vec<MonthForecast>,
    /// The events of those months, in the order of their days: the first [`EVENTS_MAX`].
    pub events: Vec<Event>,
    /// The first day in those months that ends with a balance below zero.
    pub first_negative_date: Option<Date>,
    /// The lowest balance of the spendable accounts from today to [`free_until`](Forecast::free_until), less what is set aside. Not
    /// below zero.
    pub free_to_spend: Money,
    /// The day before the next main income, or the end of this month if none is known.
    pub free_until: Date,
    /// The sum of the bills and held statements that exist and are due after that day, as an amount above zero.
    pub bills_after: Money,
    /// What is set aside for items that are due less than once a month.
    pub reserves: Vec<Reserve>,
}

impl Forecast {
    /// All that is set aside.
    pub fn reserved(&self) -> Money {
        self.reserves.iter().map(|reserve| reserve.reserved).sum()
    }
}

/// The totals of a day.
#[derive(Debug, Clone, Copy, Default)]
struct Day {
    income: Money,
    expenses: Money,
    card_bills: Money,
    estimated: Money,
}

impl Day {
    fn net(&self) -> Money {
        self.income - self.expenses - self.card_bills - self.estimated
    }
}

/// Makes the forecast from today to the end of the last of `months` months. Later events only determine when the next income
/// comes.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::forecast::{Event, EventKind, Spendable, forecast};
/// use time::macros::date;
///
/// let rent = Event {
///     date: date!(2026-03-15), kind: EventKind::Recurring, description: "Aluguel".into(),
///     amount: Money::from_cents(-180_000), account_id: None, source_id: Some(7), is_transfer: false, is_internal: false,
///     is_spendable: true,
/// };
/// let spendable = Spendable { opening: Money::from_cents(200_000), ..Spendable::default() };
/// let ahead = forecast(date!(2026-03-10), 1, Money::from_cents(200_000), vec![rent], &[], None, &spendable);
/// assert_eq!(ahead.months[0].closing.to_string(), "200.00");
/// assert_eq!(ahead.free_to_spend.to_string(), "200.00");
/// assert_eq!(ahead.first_negative_date, None);
/// ```
pub fn forecast(
    today: Date,
    months: u32,
    opening: Money,
    mut events: Vec<Event>,
    left_out: &[EventsLeftOut],
    estimate: Option<Estimate>,
    spendable: &Spendable,
) -> Forecast {
    events.sort_by_key(|event| (event.date, event.kind, event.source_id));
    let this_month = Month::of(today);
    let is_income = |event: &&Event| !event.is_transfer && event.date > today && spendable.income.is_main(event.amount);
    // What is free today does not depend on the months that a request asks for.
    let is_known = |event: &&Event| Month::of(event.date) < this_month.plus(MONTHS_DEFAULT as i32);
    let next_income = events.iter().take_while(is_known).find(is_income).map(|event| event.date);
    let free_until = next_income.unwrap_or_else(|| day_after(this_month.last_day()));
    let requested = (0..).map(|later| this_month.plus(later)).take(months.max(1) as usize);
    let requested: Vec<Month> = requested.collect();
    let requested_end = requested.last().map_or(today, |month| month.last_day());
    let days = days(today, &events, left_out);
    let moved = moved(today, &events, left_out, spendable);

    let (mut balance, mut left, mut first_negative_date) = (opening, spendable.opening, None);
    let mut free: Option<Money> = None;
    let mut of_months = Vec::with_capacity(requested.len());
    let mut month = this_month;
    while month.first_day() <= requested_end || month.first_day() < free_until {
        let first = month.first_day().max(today);
        let last = month.last_day();
        let count = usize::from(last.day() - first.day()) + 1;
        let estimated = match estimate {
            Some(estimate) if month == this_month => estimate.left(),
            Some(estimate) => estimate.monthly,
            None => Money::ZERO,
        };
        let mut of_month = Day::default();
        let mut lowest: Option<Low> = None;
        for (at, date) in std::iter::successors(Some(first), |date| date.next_day()).take(count).enumerate() {
            let mut day = days.get(&date).copied().unwrap_or_default();
            day.estimated = part_of_day(estimated, at, count);
            balance += day.net();
            of_month.income += day.income;
            of_month.expenses += day.expenses;
            of_month.card_bills += day.card_bills;
            if lowest.is_none_or(|lowest| balance < lowest.balance) {
                lowest = Some(Low { date, balance });
            }
            if date < free_until {
                left += moved.get(&date).copied().unwrap_or_default() - day.estimated;
                let reserved = spendable.reserves.iter().filter(|reserve| reserve.ends_on > date);
                let unreserved = left - reserved.map(|reserve| reserve.reserved).sum();
                free = Some(free.map_or(unreserved, |free| free.min(unreserved)));
            }
            if balance < Money::ZERO && date <= requested_end {
                first_negative_date = first_negative_date.or(Some(date));
            }
        }
        if last <= requested_end {
            let Day { income, expenses, card_bills, .. } = of_month;
            let lowest = lowest.unwrap_or(Low { date: last, balance });
            of_months.push(MonthForecast { month, income, expenses, card_bills, estimated, closing: balance, lowest });
        }
        month = month.plus(1);
    }
    let is_bill_after =
        |event: &&Event| event.kind.is_card_bill() && event.source_id.is_some() && event.date >= free_until;
    let bills_after: Money = events.iter().filter(is_bill_after).map(|event| -event.amount).sum();
    events.retain(|event| event.date <= requested_end);
    events.truncate(EVENTS_MAX);
    let free_to_spend = free.unwrap_or(spendable.opening).max(Money::ZERO);
    Forecast {
        as_of: today,
        opening,
        months: of_months,
        events,
        first_negative_date,
        free_to_spend,
        free_until: day_before(free_until),
        bills_after,
        reserves: spendable.reserves.clone(),
    }
}

/// What each day moves on spendable accounts. A transfer between two of them moves nothing in sum.
fn moved(today: Date, events: &[Event], left_out: &[EventsLeftOut], spendable: &Spendable) -> BTreeMap<Date, Money> {
    let of_events = events.iter().filter(|event| event.is_spendable).map(|event| (event.date, event.amount));
    let of_rows = left_out.iter().map(|rows| (rows.date, rows.spendable));
    let mut moved: BTreeMap<Date, Money> = BTreeMap::new();
    for (date, amount) in of_events.chain(of_rows).chain(spendable.others.iter().copied()) {
        *moved.entry(date.max(today)).or_default() += amount;
    }
    moved
}

/// The totals of each day. A transfer between accounts that are spent from is neither income nor expense.
fn days(today: Date, events: &[Event], left_out: &[EventsLeftOut]) -> BTreeMap<Date, Day> {
    let mut days: BTreeMap<Date, Day> = BTreeMap::new();
    let mut add = |date: Date, amount: Money, is_card_bill: bool| {
        let day = days.entry(date.max(today)).or_default();
        match () {
            () if is_card_bill => day.card_bills -= amount,
            () if amount > Money::ZERO => day.income += amount,
            () => day.expenses -= amount,
        }
    };
    for event in events.iter().filter(|event| !event.is_internal) {
        add(event.date, event.amount, event.kind.is_card_bill());
    }
    for rows in left_out {
        add(rows.date, rows.amount, false);
    }
    days
}

#[cfg(test)]
mod tests;
