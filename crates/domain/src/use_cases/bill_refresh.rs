//! Brings the bills of cards up to a day: missing bills are created, and what is due on each is computed anew.

use std::collections::BTreeMap;

use time::Date;

use crate::credit_bills::{self, BillSlot, Card, CardHistory, ChangedBill, LedgerBill, LedgerEntry, Period};
use crate::error::{Error, Result};
use crate::ids::BillId;
use crate::money::Money;
use crate::month::day_after;
use crate::openings::OpeningState;
use crate::store::Repo;
use crate::use_cases::openings;

/// Creates the missing bills of every card: the bill of the period that contains today, and bills of earlier periods that have
/// rows, payments, or an amount that an earlier bill left. Looks only at the cards that may have changed.
pub fn refresh(repo: &mut dyn Repo, today: Date) -> Result<()> {
    let mut outdated = repo.card_list()?;
    outdated.retain(|card| !card.is_up_to_date(today));
    let slots: Vec<BillSlot> = outdated.iter().flat_map(|card| card.slots(today)).collect();
    if !slots.is_empty() {
        repo.bill_refresh(&slots)?;
    }
    for card in &outdated {
        keep_ledger(repo, card, today)?;
    }
    Ok(())
}

/// Computes the ledger of a card and stores what has changed. The cost is proportional to the bills and payments of the card.
fn keep_ledger(repo: &mut dyn Repo, card: &Card, today: Date) -> Result<()> {
    let mut history = repo.card_history(card.account_id)?;
    // What a later payment pays depends on the rows of the bills that are closed by then.
    let paid: Vec<BillSlot> = paid_ahead(card, &history, today).map(|period| card.slot(period)).collect();
    if !paid.is_empty() {
        repo.bill_refresh(&paid)?;
    }
    let mut bills = by_start(repo.ledger_bills(card.account_id)?);
    let mut opening = keep_opening(repo, card, &bills, &mut history)?;
    let periods = periods(card, &bills, &history, today);
    let total = |period: &Period| bills.get(&period.start).map_or(Money::ZERO, |bill| bill.total);
    let entries = credit_bills::ledger(
        &card.cycles,
        &periods.iter().map(|period| (*period, total(period))).collect::<Vec<_>>(),
        &history,
        today,
    );
    let missing: Vec<BillSlot> = periods
        .iter()
        .zip(&entries)
        .filter(|(period, entry)| !entry.is_empty() && !bills.contains_key(&period.start))
        .map(|(period, _)| card.slot(*period))
        .collect();
    if !missing.is_empty() {
        repo.bill_insert(&missing)?;
        bills = by_start(repo.ledger_bills(card.account_id)?);
    }
    if bills.values().any(|bill| bill.due_before.is_some()) {
        // The open bill, or else the one that closed before it.
        let begun = periods.iter().zip(&entries).rev().filter(|(period, _)| period.start <= today).take(2);
        let changed = begun.filter_map(|(period, entry)| changed_bill(period, bills.get(&period.start)?, entry)).next();
        repo.changed_bill_put(card.account_id, changed)?;
    }
    let changed: Vec<(BillId, LedgerEntry)> = periods
        .iter()
        .zip(entries)
        .filter_map(|(period, entry)| {
            let bill = bills.get(&period.start)?;
            (bill.entry != entry).then_some((bill.id, entry))
        })
        .collect();
    if card.payments_stale || !changed.is_empty() || opening.is_derived {
        repo.ledger_put(card.account_id, &changed)?;
    }
    // A payment that is dated after the last bill pays of it what is due by then, so every row of it matters.
    let last = bills.keys().next_back().map(|start| card.cycles.period_holding(*start).end);
    opening.follows |= history.payments.iter().any(|payment| last.is_some_and(|last| payment.date > last));
    if opening != card.opening {
        repo.opening_note(card.account_id, &opening)?;
    }
    Ok(())
}

/// What the first ledger of a card changes on one of its bills. None if it changes nothing. A bill that began since the last use of the
/// earlier release had no payments there.
fn changed_bill(period: &Period, bill: &LedgerBill, entry: &LedgerEntry) -> Option<ChangedBill> {
    let before = bill.due_before.unwrap_or(bill.total);
    let after = entry.previous + bill.total + entry.held - entry.paid_amount - entry.carried;
    (before != after).then_some(ChangedBill { due_date: period.due, before, after })
}

/// Sets the opening balance of a card of which nobody said one.
fn keep_opening(
    repo: &mut dyn Repo,
    card: &Card,
    bills: &BTreeMap<Date, LedgerBill>,
    history: &mut CardHistory,
) -> Result<OpeningState> {
    if card.opening.is_said.unwrap_or(!history.openings.is_empty()) {
        return Ok(OpeningState { is_said: Some(true), ..OpeningState::default() });
    }
    let held = history.held.iter().map(|held| card.cycles.period_of_payment(held.payment_date).start);
    let first = held.chain(history.first_bill).min();
    let first_bill = first.map(|start| card.cycles.period_holding(start));
    let wanted = credit_bills::before_the_books(&card.cycles, first_bill, history.first_row, &history.payments);
    if let Some(opening) = &wanted {
        opening.balance.stated_balance().map_err(|violation| Error::invalid("amount", violation))?;
    }
    history.openings = openings::keep(repo, card.account_id, &history.openings, wanted)?;
    // A later row on the last bill changes the first row or the payments before it only while this is the first bill.
    let follows = first.is_none_or(|first| bills.keys().next_back().is_none_or(|last| first >= *last));
    Ok(OpeningState { is_said: Some(false), is_derived: !history.openings.is_empty(), follows })
}

fn by_start(bills: Vec<LedgerBill>) -> BTreeMap<Date, LedgerBill> {
    bills.into_iter().map(|bill| (bill.period_start, bill)).collect()
}

/// The coming periods that are closed on the day of the last payment of a card.
fn paid_ahead(card: &Card, history: &CardHistory, today: Date) -> impl Iterator<Item = Period> {
    let last = history.payments.iter().map(|payment| payment.date).max();
    let current = card.cycles.period_holding(today);
    let following = move |period: &Period| Some(card.cycles.period_following(period));
    std::iter::successors(following(&current), following)
        .take_while(move |period| last.is_some_and(|last| period.end < last))
}

/// The periods of a card without a gap, from the first one with a bill, a payment, an opening balance or a held statement to the
/// last one with one of them, which is the current one or a later one.
fn periods(card: &Card, bills: &BTreeMap<Date, LedgerBill>, history: &CardHistory, today: Date) -> Vec<Period> {
    let CardHistory { payments, openings, held, .. } = history;
    let held_for = || held.iter().map(|held| card.cycles.period_of_payment(held.payment_date).start);
    // What was paid or owed on a day may be due with the bill that closed before.
    let days = payments.iter().map(|payment| payment.date).chain(openings.iter().map(|stored| stored.opening.date));
    let of_days = days.min().map(|date| card.cycles.period_paid_on(date.min(today)).start);
    let first = bills.keys().next().copied().into_iter().chain(of_days).chain(held_for()).min().unwrap_or(today);
    let paid_on = payments.iter().map(|payment| payment.date).max();
    let last = bills.keys().next_back().copied().into_iter().chain(held_for()).chain(paid_on).fold(today, Date::max);
    let mut period = card.cycles.period_holding(first);
    let mut periods = vec![period];
    while period.end < last {
        period = card.cycles.period_holding(day_after(period.end));
        periods.push(period);
    }
    periods
}
