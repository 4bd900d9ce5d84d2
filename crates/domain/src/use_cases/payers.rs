//! Stored payments of cards that are asked again when rows of a card come: from before the card was kept here, or of which it was not
//! known what they pay.

use std::collections::HashSet;

use time::Duration;

use crate::context::Context;
use crate::credit_bills::DUE_DAYS_MAX;
use crate::error::Result;
use crate::ids::{BillId, TransactionId, TransferId};
use crate::store::Repo;
use crate::transactions::Transaction;
use crate::transfers::{CONTEXT_DAYS, OVERDUE_DAYS_MAX, StoredSides};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::transfer_detection::link_certain;
use crate::use_cases::unpaired::{self, Unpaired};

/// A stored payment of a card that became a transfer.
pub(crate) struct AskedPayment {
    /// The row of the account.
    pub(crate) id: TransactionId,
    /// The transfer. None if its other side is not known.
    pub(crate) transfer_id: Option<TransferId>,
    /// The bill that it pays, if the card's leg was created here for it.
    pub(crate) bill_id: Option<BillId>,
}

/// Links what is certain of the stored payments around new rows of a card. The bills are up to date.
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
    let Some((first, last)) = days.fold(None, |days, day| match days {
        None => Some((day, day)),
        Some((first, last)) => Some((day.min(first), day.max(last))),
    }) else {
        return Ok(Vec::new());
    };
    // A purchase may be due, and paid late, after the next bill.
    let after = Duration::days(DUE_DAYS_MAX + OVERDUE_DAYS_MAX);
    let days = (Some(first.saturating_sub(CONTEXT_DAYS)), Some(last.saturating_add(after)));
    let (mut linked, mut written) = (Vec::new(), Written::default());
    // Payments of bills come after what pairs, as when transfers are detected.
    loop {
        let payers = unpaired::payers(repo, context, days)?;
        let asked: HashSet<TransactionId> = payers.iter().map(|payer| payer.id).collect();
        if asked.is_empty() {
            break;
        }
        let unpaired =
            Unpaired::with(repo, context, days, StoredSides::PairedOrOnCards, payers, |side| asked.contains(&side.id))?;
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
