//! Stored rows that are asked again when others come: payments from before the card was kept here, or of which it was not known what
//! they pay; what a person entered and a file has too; equal payments that were paired in the order in which files came; and legs on
//! cards that were made here, which give way to what a person enters or refuses.

use std::collections::{BTreeSet, HashMap, HashSet};

use time::Duration;

use crate::accounts::Account;
use crate::context::Context;
use crate::error::Result;
use crate::ids::{BillId, TransactionId, TransferId};
use crate::imports::StatementRow;
use crate::money::Money;
use crate::store::Repo;
use crate::transactions::{Kind, Transaction, TransferState};
use crate::transfers::{CONTEXT_DAYS, Choice, PAYMENT_DAYS, Rematch, StoredSides, rematch};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::recognition;
use crate::use_cases::transfer_detection::{NewLink, link_certain};
use crate::use_cases::transfer_pairs::pair;
use crate::use_cases::unpaired::{self, Unpaired};

/// How many days around new rows the payments are that may have crossed with them: two payments, each as far from its row as may be.
const CROSSED_DAYS: Duration = Duration::days(28);

/// A stored payment of a card that became a transfer.
pub(crate) struct AskedPayment {
    /// The row of the account.
    pub(crate) id: TransactionId,
    /// The transfer. None if its other side is not known.
    pub(crate) transfer_id: Option<TransferId>,
    /// The bill that it pays, if the card's leg was created here for it.
    pub(crate) bill_id: Option<BillId>,
}

/// Links what is certain of the stored payments around new rows of a card or new payments of one, and of the later ones: what was due
/// on their days depends on what was bought and paid before. The bills are up to date.
pub(crate) fn ask<'a>(
    repo: &mut dyn Repo,
    context: &Context,
    new: impl IntoIterator<Item = &'a Transaction>,
) -> Result<Vec<AskedPayment>> {
    let days = new.into_iter().flat_map(|row| [row.date, row.statement_date()]);
    let Some(first) = days.min() else { return Ok(Vec::new()) };
    let first = Some(first.saturating_sub(CONTEXT_DAYS));
    link_all(
        repo,
        context,
        |link| link.from,
        |repo| {
            let payers = unpaired::payers(repo, context, (first, None))?;
            let ids: HashSet<TransactionId> = payers.iter().map(|payer| payer.id).collect();
            let Some(last) = payers.iter().map(|payer| payer.date).max() else { return Ok(None) };
            let (days, which) = ((first, Some(last)), StoredSides::PairedOrOnCards);
            Unpaired::with(repo, context, days, which, payers, |side| ids.contains(&side.id)).map(Some)
        },
    )
}

/// Links what is certain of stored transactions that a person entered and that a statement is found to have: the statement would have
/// been asked if it had come alone.
pub(crate) fn ask_entered(repo: &mut dyn Repo, context: &Context, ids: &[TransactionId]) -> Result<Vec<AskedPayment>> {
    let mut entered = if ids.is_empty() { Vec::new() } else { repo.transaction_list_of(ids)? };
    entered.retain(|row| {
        !row.is_transfer && !row.is_kept_unlinked && context.phrases.evidence(row.statement_description()).is_any()
    });
    let days = || entered.iter().map(Transaction::statement_date);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Ok(Vec::new()) };
    let ids: HashSet<TransactionId> = entered.iter().map(|row| row.id).collect();
    unpaired::mark_sides(repo)?;
    link_all(
        repo,
        context,
        |link| link.sides().find(|id| ids.contains(id)),
        |repo| {
            let (days, which) = ((Some(first), Some(last)), StoredSides::PairedOrOnCards);
            Unpaired::with(repo, context, days, which, Vec::new(), |side| ids.contains(&side.id)).map(Some)
        },
    )
}

/// Links what is certain, round by round, until that is nothing: payments of bills come after what pairs, as when transfers are
/// detected. `side` is the row by which a link is told, and `read` reads what is asked.
fn link_all(
    repo: &mut dyn Repo,
    context: &Context,
    side: impl Fn(&NewLink) -> Option<TransactionId>,
    read: impl Fn(&mut dyn Repo) -> Result<Option<Unpaired>>,
) -> Result<Vec<AskedPayment>> {
    let mut linked = Vec::new();
    while let Some(unpaired) = read(repo)? {
        let mut written = Written::default();
        let links = link_certain(repo, &mut written, &unpaired)?;
        if links.is_empty() {
            break;
        }
        let told: Vec<(TransactionId, Option<BillId>)> =
            links.iter().filter_map(|link| Some((side(link)?, link.bill_id))).collect();
        let known = repo.transaction_list_of(&told.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
        linked.extend(told.into_iter().filter_map(|(id, bill_id)| {
            let known = known.iter().find(|known| known.id == id)?;
            Some(AskedPayment { id, transfer_id: known.transfer_id, bill_id })
        }));
        ledger::finish(repo, context, written, &[])?;
    }
    Ok(linked)
}

/// Links a payment that a person enters on a card with the account's row whose leg on the card was made here: both say one payment.
/// Returns whether there is one.
pub(crate) fn take_leg(repo: &mut dyn Repo, context: &Context, entered: &Transaction) -> Result<bool> {
    let Some(card) = entered.account_id.filter(|_| entered.kind == Kind::Income && !entered.is_transfer) else {
        return Ok(false);
    };
    // A transfer has no lines.
    let may_be_payment = !entered.is_kept_unlinked && !entered.details.is_split();
    if !may_be_payment || !context.phrases.evidence(&entered.description).paid_in {
        return Ok(false);
    }
    let (date, days) = (entered.date, |days: &i64| Duration::days(*days));
    let (first, last) = (date - days(PAYMENT_DAYS.end()), date - days(PAYMENT_DAYS.start()));
    let mut legs = repo.untold_legs(card, &[entered.amount], first, last)?;
    legs.retain(|leg| leg.key.kind == Kind::Income);
    legs.sort_by_key(|leg| (date - leg.key.date).whole_days().abs());
    for leg in legs {
        let Some(payer) = leg.other.map(|id| repo.transaction_get(id)).transpose()?.flatten() else { continue };
        // A transfer that a person entered is another payment.
        if payer.is_own_leg() {
            continue;
        }
        let mut written = Written::default();
        pair(repo, &mut written, &[(payer.id, entered.id)])?;
        ledger::remove(repo, &mut written, &HashSet::from([leg.id]))?;
        ledger::remove_transfers(repo, &payer.transfer_id.into_iter().collect::<Vec<_>>())?;
        ledger::finish(repo, context, written, &[])?;
        return Ok(true);
    }
    Ok(false)
}

/// Takes back the legs on a card that were made here for rows that a person says are ordinary: the account's rows are ordinary too.
pub(crate) fn release_refused(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    card: &Account,
    rows: &[&StatementRow],
) -> Result<()> {
    let refused = rows.iter().filter(|row| row.choice == Choice::Ordinary && row.kind == Kind::Income);
    let asked: Vec<StatementRow> =
        refused.map(|row| StatementRow { choice: Choice::Unsaid, ..(*row).clone() }).collect();
    let legs = recognition::legs(repo, context, card, &asked.iter().collect::<Vec<_>>())?;
    let legs: HashMap<TransactionId, TransactionId> =
        legs.into_iter().flatten().filter_map(|leg| Some((leg.other?, leg.id))).collect();
    let mut payers =
        if legs.is_empty() { Vec::new() } else { repo.transaction_list_of(&legs.keys().copied().collect::<Vec<_>>())? };
    // A transfer that a person entered stays.
    payers.retain(|payer| !payer.is_own_leg());
    if payers.is_empty() {
        return Ok(());
    }
    ledger::remove(repo, written, &payers.iter().filter_map(|payer| legs.get(&payer.id)).copied().collect())?;
    let ordinary: Vec<TransferState> = payers.iter().map(|payer| TransferState::ordinary(payer.id)).collect();
    ledger::set_transfers(repo, written, &ordinary)?;
    Ok(())
}

/// Pairs payments of cards anew that crossed with the new rows: see [`rematch`]. Returns the new pairs: the account's side and the card's.
pub(crate) fn uncross<'a>(
    repo: &mut dyn Repo,
    context: &Context,
    new: impl IntoIterator<Item = &'a Transaction>,
) -> Result<Vec<(TransactionId, TransactionId)>> {
    let (mut amounts, mut days) = (BTreeSet::new(), Vec::new());
    for row in new.into_iter().filter(|row| row.is_transfer) {
        amounts.insert(row.amount);
        days.push(row.statement_date());
    }
    let (Some(first), Some(last)) = (days.iter().min(), days.iter().max()) else { return Ok(Vec::new()) };
    let amounts: Vec<Money> = amounts.into_iter().collect();
    let (first, last) = (first.saturating_sub(CROSSED_DAYS), last.saturating_add(CROSSED_DAYS));
    let payments = repo.card_payments(&amounts, first, last)?;
    let pays_a_bill = |text: &str| context.phrases.evidence_of_normalized(text).paid_out;
    let payers = payments.iter().filter_map(|side| side.payer.as_ref().map(|(_, payer)| payer.id));
    let refused = repo.rejected_pairs(&payments.iter().map(|side| side.id).chain(payers).collect::<Vec<_>>())?;
    let cards = recognition::kept_cards(repo, context)?;
    let Rematch { pairs, legs, ended } = rematch(&payments, &cards, &refused, pays_a_bill);
    if pairs.is_empty() {
        return Ok(pairs);
    }
    let mut written = Written::default();
    pair(repo, &mut written, &pairs)?;
    ledger::remove(repo, &mut written, &legs.into_iter().collect())?;
    ledger::remove_transfers(repo, &ended)?;
    ledger::finish(repo, context, written, &[])?;
    Ok(pairs)
}
