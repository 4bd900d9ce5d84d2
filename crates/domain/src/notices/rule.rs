//! What is to be told on a day.

use std::collections::{HashMap, HashSet};

use time::{Date, Duration, Weekday};

use super::facts::{BillFact, BudgetFact, ExpenseFact, Facts, ItemFact};
use super::preferences::Preferences;
use super::values::{NoticeKind, NoticeParams};
use crate::ids::AccountId;
use crate::money::Money;
use crate::month::Month;

/// The most notices that are due at once for one member. The first by kind are kept.
pub const NOTICES_DUE_MAX: usize = 1_000;
/// How many days a bill that closed, a charge that was repeated, or an item that is late is told of.
const DAYS_TOLD: i64 = 7;
/// The most days between two charges of which the later one repeats the earlier one.
const REPEATED_DAYS_MAX: i64 = 3;
/// The days of the week to come that the digest looks at.
const WEEK_DAYS: i64 = 7;

/// A notice that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// What it is about.
    pub kind: NoticeKind,
    /// What it is about, exactly.
    pub subject: String,
    /// What it names.
    pub params: NoticeParams,
}

/// The notices that are due on a day, by kind: those of the kinds that the preferences tell on any channel. Of several days or
/// percents that are reached, only the nearest is due.
///
/// ```
/// use finance_domain::notices::{BudgetFact, Facts, NoticeKind, Preferences, due};
/// use finance_domain::{CategoryId, Money};
/// use time::macros::date;
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let spent = |units| Facts {
///     budgets: vec![BudgetFact {
///         category_id: CategoryId(7),
///         name: "Mercado".into(),
///         budget: reais(500),
///         spent: reais(units),
///     }],
///     ..Facts::default()
/// };
/// let told = |units| due(&spent(units), &Preferences::default(), date!(2026-03-10));
/// assert_eq!(told(399), []);
/// assert_eq!((told(410)[0].kind, told(410)[0].params.percent), (NoticeKind::Budget, Some(80)));
/// assert_eq!((told(500).len(), told(500)[0].subject.as_str()), (1, "7:2026-03:100"));
/// ```
pub fn due(facts: &Facts, preferences: &Preferences, today: Date) -> Vec<Due> {
    let mut found = Vec::new();
    let wants = |kind: NoticeKind| preferences.kind(kind).is_told();
    let limits = |kind: NoticeKind| preferences.kind(kind).limits.as_slice();
    let only = |kind: NoticeKind| limits(kind).first().copied().map_or(0, i64::from);
    if wants(NoticeKind::BillDue) {
        let days = limits(NoticeKind::BillDue);
        found.extend(facts.bills.iter().filter_map(|bill| bill_due(bill, days, today)));
    }
    if wants(NoticeKind::BillClosed) {
        found.extend(facts.bills.iter().filter_map(|bill| bill_closed(bill, today)));
    }
    if wants(NoticeKind::RecurringDue) {
        let days = limits(NoticeKind::RecurringDue);
        found.extend(facts.items.iter().filter_map(|item| recurring_due(item, days, today)));
    }
    if wants(NoticeKind::RecurringLate) {
        let days = only(NoticeKind::RecurringLate);
        found.extend(facts.items.iter().filter_map(|item| recurring_late(item, days, today)));
    }
    if wants(NoticeKind::Budget) {
        let percents = limits(NoticeKind::Budget);
        found.extend(facts.budgets.iter().filter_map(|budget| spent(budget, percents, Month::of(today))));
    }
    if wants(NoticeKind::Balance)
        && let Some((date, lowest)) = facts.negative
        && days_left(date, today) <= only(NoticeKind::Balance)
    {
        let params = NoticeParams { amount: Some(lowest), ..on(date, today) };
        found.push(Due { kind: NoticeKind::Balance, subject: Month::of(date).to_string(), params });
    }
    if wants(NoticeKind::StatementMissing) {
        let days = only(NoticeKind::StatementMissing);
        for statement in facts.statements.iter().filter(|statement| (today - statement.date).whole_days() > days) {
            let params = NoticeParams {
                account_id: Some(statement.account_id),
                name: Some(statement.name.clone()),
                date: Some(statement.date),
                ..NoticeParams::default()
            };
            let subject = format!("{}:{}", statement.account_id, statement.date);
            found.push(Due { kind: NoticeKind::StatementMissing, subject, params });
        }
    }
    if wants(NoticeKind::PriceChanged) {
        found.extend(changed_prices(&facts.expenses, Month::of(today)));
    }
    if wants(NoticeKind::RepeatedCharge) {
        found.extend(repeated_charges(&facts.expenses, today));
    }
    if wants(NoticeKind::Digest) && today.weekday() == Weekday::Monday {
        found.extend(digest(facts, today));
    }
    // Several dues of an item may be moved to one day.
    let mut seen = HashSet::new();
    found.retain(|due| seen.insert((due.kind, due.subject.clone())));
    found.truncate(NOTICES_DUE_MAX);
    found
}

/// The days until a date. Negative after it.
fn days_left(date: Date, today: Date) -> i64 {
    (date - today).whole_days()
}

/// The parameters of a day that comes.
fn on(date: Date, today: Date) -> NoticeParams {
    let days = i16::try_from(days_left(date, today)).ok();
    NoticeParams { date: Some(date), days, ..NoticeParams::default() }
}

/// The nearest of the days within which a date comes.
fn nearest(days: &[i16], date: Date, today: Date) -> Option<i16> {
    let left = days_left(date, today);
    days.iter().copied().filter(|within| (0..=i64::from(*within)).contains(&left)).min()
}

fn of_bill(bill: &BillFact, params: NoticeParams) -> NoticeParams {
    let (account_id, bill_id) = (Some(bill.account_id), Some(bill.id));
    NoticeParams { account_id, bill_id, name: Some(bill.name.clone()), ..params }
}

fn bill_due(bill: &BillFact, days: &[i16], today: Date) -> Option<Due> {
    if bill.amount_due <= Money::ZERO || bill.closing_date > today {
        return None;
    }
    let within = nearest(days, bill.due_date, today)?;
    let params = of_bill(bill, NoticeParams { amount: Some(bill.amount_due), ..on(bill.due_date, today) });
    Some(Due { kind: NoticeKind::BillDue, subject: format!("{}:{within}", bill.id), params })
}

fn bill_closed(bill: &BillFact, today: Date) -> Option<Due> {
    let since = days_left(today, bill.closing_date);
    if bill.total <= Money::ZERO || !(0..=DAYS_TOLD).contains(&since) {
        return None;
    }
    let amount = bill.statement.unwrap_or(bill.total).max(Money::ZERO);
    let params = NoticeParams { date: Some(bill.closing_date), amount: Some(amount), ..NoticeParams::default() };
    Some(Due { kind: NoticeKind::BillClosed, subject: bill.id.to_string(), params: of_bill(bill, params) })
}

fn of_item(item: &ItemFact, params: NoticeParams) -> NoticeParams {
    let (recurring_id, name) = (Some(item.id), Some(item.name.clone()));
    NoticeParams { recurring_id, name, amount: Some(item.amount), ..params }
}

fn recurring_due(item: &ItemFact, days: &[i16], today: Date) -> Option<Due> {
    if item.is_late {
        return None;
    }
    let within = nearest(days, item.date, today)?;
    let subject = format!("{}:{}:{within}", item.id, item.date);
    Some(Due { kind: NoticeKind::RecurringDue, subject, params: of_item(item, on(item.date, today)) })
}

fn recurring_late(item: &ItemFact, days: i64, today: Date) -> Option<Due> {
    let since = days_left(today, item.date);
    if !(days..=days + DAYS_TOLD).contains(&since) {
        return None;
    }
    let params = of_item(item, NoticeParams { date: Some(item.date), ..NoticeParams::default() });
    Some(Due { kind: NoticeKind::RecurringLate, subject: format!("{}:{}", item.id, item.date), params })
}

fn spent(fact: &BudgetFact, percents: &[i16], month: Month) -> Option<Due> {
    let is_reached = |percent: &i16| fact.spent.cents() * 100 >= fact.budget.cents() * i128::from(*percent);
    if fact.budget <= Money::ZERO {
        return None;
    }
    let percent = percents.iter().copied().filter(is_reached).max()?;
    let params = NoticeParams {
        category_id: Some(fact.category_id),
        name: Some(fact.name.clone()),
        month: Some(month),
        amount: Some(fact.spent),
        percent: Some(percent),
        ..NoticeParams::default()
    };
    Some(Due { kind: NoticeKind::Budget, subject: format!("{}:{month}:{percent}", fact.category_id), params })
}

/// The rows of payees that have one expense in each of three months, of which the first two are equal and the last is not.
fn changed_prices(expenses: &[ExpenseFact], this_month: Month) -> Vec<Due> {
    let mut payees: HashMap<&str, [Vec<&ExpenseFact>; 3]> = HashMap::new();
    for expense in expenses.iter().filter(|expense| !expense.payee.is_empty()) {
        let ago = this_month.since(Month::of(expense.date));
        if let Some(months) = usize::try_from(ago).ok().filter(|ago| *ago < 3) {
            payees.entry(&expense.payee).or_default()[months].push(expense);
        }
    }
    let mut found: Vec<(&ExpenseFact, Money)> = payees
        .values()
        .filter_map(|months| match months.each_ref().map(Vec::as_slice) {
            [[now], [last], [first]] if last.amount == first.amount && now.amount != last.amount => {
                Some((*now, last.amount))
            }
            _ => None,
        })
        .collect();
    found.sort_unstable_by_key(|(row, _)| (row.date, row.id));
    let to_due = |(row, before): (&ExpenseFact, Money)| {
        let params = NoticeParams {
            account_id: row.account_id,
            transaction_id: Some(row.id),
            name: Some(row.name.clone()),
            amount: Some(row.amount),
            before: Some(before),
            ..NoticeParams::default()
        };
        Due { kind: NoticeKind::PriceChanged, subject: row.id.to_string(), params }
    };
    found.into_iter().map(to_due).collect()
}

/// Two expenses after each other, of one account, payee and amount.
fn repeated_charges(expenses: &[ExpenseFact], today: Date) -> Vec<Due> {
    let mut last: HashMap<(AccountId, &str, Money), &ExpenseFact> = HashMap::new();
    let mut found = Vec::new();
    for expense in expenses.iter().filter(|expense| !expense.payee.is_empty() && expense.date <= today) {
        let Some(account_id) = expense.account_id else { continue };
        let Some(before) = last.insert((account_id, expense.payee.as_str(), expense.amount), expense) else { continue };
        let is_near = days_left(expense.date, before.date) <= REPEATED_DAYS_MAX;
        if is_near && days_left(today, expense.date) <= DAYS_TOLD {
            let params = NoticeParams {
                account_id: Some(account_id),
                transaction_id: Some(before.id),
                repeated_id: Some(expense.id),
                name: Some(expense.name.clone()),
                amount: Some(expense.amount),
                ..NoticeParams::default()
            };
            let subject = format!("{}:{}", before.id.min(expense.id), before.id.max(expense.id));
            found.push(Due { kind: NoticeKind::RepeatedCharge, subject, params });
        }
    }
    found
}

/// The week before, and what is due in the week to come.
fn digest(facts: &Facts, today: Date) -> Option<Due> {
    let week = facts.week?;
    let ahead = today..today + Duration::days(WEEK_DAYS);
    let bills = facts.bills.iter().filter(|bill| bill.amount_due > Money::ZERO && ahead.contains(&bill.due_date));
    let items = facts.items.iter().filter(|item| !item.is_late && ahead.contains(&item.date));
    let params = NoticeParams {
        date: Some(today),
        amount: Some(week.expenses),
        rows: i32::try_from(week.rows).ok(),
        due: i32::try_from(bills.count() + items.count()).ok(),
        ..NoticeParams::default()
    };
    let (year, number, _) = today.to_iso_week_date();
    Some(Due { kind: NoticeKind::Digest, subject: format!("{year}-W{number:02}"), params })
}

#[cfg(test)]
mod tests;
