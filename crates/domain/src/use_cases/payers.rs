//! Stored payments of cards that are asked again when rows come: from before the card was kept here, or of which it was not known what
//! they pay; and equal ones that were paired in the order in which files came.

use std::collections::{BTreeSet, HashSet};

use time::Duration;

use crate::context::Context;
use crate::error::Result;
use crate::ids::{BillId, TransactionId, TransferId};
use crate::money::Money;
use crate::store::Repo;
use crate::transactions::Transaction;
use crate::transfers::{CONTEXT_DAYS, Rematch, StoredSides, rematch};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::recognition;
use crate::use_cases::transfer_detection::link_certain;
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
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn ask<'a>(
    repo: &mut dyn Repo,
    context: &Context,
    new: impl IntoIterator<Item = &'a Transaction>,
) -> Result<Vec<AskedPayment>> {
    let days = new.into_iter().flat_map(|row| [row.date, row.statement_date()]);
    let Some(first) = days.min() else { return Ok(Vec::new()) };
    let first = Some(first.saturating_sub(CONTEXT_DAYS));
    let (mut linked, mut written) = (Vec::new(), Written::default());
    // Payments of bills come after what pairs, as when transfers are detected.
    loop {
        let payers = unpaired::payers(repo, context, (first, None))?;
        let ids: HashSet<TransactionId> = payers.iter().map(|payer| payer.id).collect();
        let Some(last) = payers.iter().map(|payer| payer.date).max() else { break };
        let days = (first, Some(last));
        let unpaired =
            Unpaired::with(repo, context, days, StoredSides::PairedOrOnCards, payers, |side| ids.contains(&side.id))?;
        let links = link_certain(repo, &mut written, &unpaired)?;
        if links.is_empty() {
            break;
        }
        let from: Vec<TransactionId> = links.iter().filter_map(|link| link.from).collect();
        let known = repo.transaction_list_of(&from)?;
        linked.extend(links.iter().filter_map(|link| {
            let from = known.iter().find(|known| Some(known.id) == link.from)?;
            Some(AskedPayment { id: from.id, transfer_id: from.transfer_id, bill_id: link.bill_id })
        }));
        ledger::finish(repo, context, std::mem::take(&mut written), &[])?;
    }
    Ok(linked)
}

/// Pairs payments of cards anew that crossed with the new rows: see [`rematch`]. Returns the new pairs: the account's side and the card's.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
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
    let Rematch { pairs, legs, ended } = rematch(&payments, &recognition::kept_cards(repo, context)?, pays_a_bill);
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
