//! Brings the bills of cards up to a day: missing bills are created, and payments are assigned to bills.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use crate::credit_bills::{Allotment, BillSlot, Card, allot, unallotted};
use crate::error::Result;
use crate::store::Repo;

/// Whether a [`refresh`] would change nothing. The cost does not depend on the length of the cards' history.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn is_settled(repo: &mut dyn Repo, today: Date) -> Result<bool> {
    Ok(repo.card_list()?.iter().all(|card| card.is_settled(today)))
}

/// Creates the missing bills of every card: the bill of the period that contains today, and bills of earlier periods that have
/// rows. Looks only at the bills that may have changed.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn refresh(repo: &mut dyn Repo, today: Date) -> Result<()> {
    let mut unsettled = repo.card_list()?;
    unsettled.retain(|card| !card.is_settled(today));
    let slots: Vec<BillSlot> = unsettled.iter().flat_map(|card| card.slots(today)).collect();
    if !slots.is_empty() {
        repo.bill_refresh(&slots)?;
    }
    for card in &unsettled {
        allot_payments(repo, card, today)?;
    }
    Ok(())
}

fn allot_payments(repo: &mut dyn Repo, card: &Card, today: Date) -> Result<()> {
    let payments = repo.card_payments(card.account_id)?;
    let before: BTreeSet<Allotment> = repo.allotments(card.account_id)?.into_iter().collect();
    let bills = if payments.is_empty() { Vec::new() } else { repo.payable_bills(card.account_id)? };
    let mut after = allot(&bills, &payments);
    // A payment counts on the bill that was open on its date, even if nothing was bought in that period.
    let mut open: Vec<Date> = unallotted(&payments, &after).into_iter().filter(|date| *date <= today).collect();
    open.retain(|date| bills.iter().all(|bill| bill.period_start != card.slot_on(*date).period.start));
    if !open.is_empty() {
        let slots: BTreeMap<Date, BillSlot> =
            open.into_iter().map(|date| card.slot_on(date)).map(|slot| (slot.period.start, slot)).collect();
        repo.bill_insert(&slots.into_values().collect::<Vec<_>>())?;
        after = allot(&repo.payable_bills(card.account_id)?, &payments);
    }
    let after: BTreeSet<Allotment> = after.into_iter().collect();
    let gone: Vec<Allotment> = before.difference(&after).copied().collect();
    let new: Vec<Allotment> = after.difference(&before).copied().collect();
    if card.payments_stale || !gone.is_empty() || !new.is_empty() {
        repo.allotments_replace(card.account_id, &gone, &new)?;
    }
    Ok(())
}
