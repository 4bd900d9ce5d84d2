//! Detection of transfers among stored transactions. What is certain is linked.

use std::collections::HashMap;

use time::Date;

use crate::context::Context;
use crate::credit_bills::UnpaidBill;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::store::Repo;
use crate::transactions::{Kind, Transaction, TransferState};
use crate::transfers::{Counterpart, StoredSide, Suggestions, recognise};
use crate::use_cases::bill_refresh;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::pix_on_credit;
use crate::use_cases::transfer_pairs::{Payment, pair, pay_bills};
use crate::use_cases::unpaired::{Unpaired, mark_sides};
use crate::violations::Violation;

/// The most rounds of [`detect`]. A new link may make other rows certain, so it looks again; that ends soon.
const ROUNDS_MAX: usize = 16;
/// The most transfers that [`detect`] lists.
pub const DETECTED_NAMED_MAX: usize = 100;

/// The dates in which to detect transfers, as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct DetectInput {
    /// The first date. None for no lower bound.
    pub from: Option<Date>,
    /// The last date. None for no upper bound.
    pub to: Option<Date>,
    /// Whether to list the transfers.
    pub is_named: bool,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The result of a detection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detected {
    /// The number of new transfers: pairs, and rows whose other side is not kept here.
    pub linked: usize,
    /// The number of suggested pairs.
    pub suggested: usize,
    /// The newest of the new transfers, newest first: at most [`DETECTED_NAMED_MAX`]. None if they were not requested.
    pub transfers: Option<Vec<DetectedTransfer>>,
}

/// A new transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedTransfer {
    /// None if its other side is not kept here, or if nothing was changed.
    pub id: Option<TransferId>,
    /// The expense. None if it is not kept here.
    pub from: Option<Transaction>,
    /// The income. None if it is not kept here, or was created for the transfer.
    pub to: Option<Transaction>,
    /// The bill that is paid, if `to` was created for the transfer.
    pub bill_id: Option<BillId>,
}

/// A new transfer, by its ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewLink {
    date: Date,
    /// The expense. None if it is not kept here.
    pub(crate) from: Option<TransactionId>,
    to: Option<TransactionId>,
    /// The bill that is paid.
    pub(crate) bill_id: Option<BillId>,
}

impl NewLink {
    /// The sides that are kept here.
    pub(crate) fn sides(&self) -> impl Iterator<Item = TransactionId> {
        [self.from, self.to].into_iter().flatten()
    }

    /// A transfer whose other side is not kept here.
    fn single(side: &StoredSide) -> Self {
        let (from, to) = if side.kind == Kind::Expense { (Some(side.id), None) } else { (None, Some(side.id)) };
        NewLink { date: side.date, from, to, bill_id: None }
    }
}

/// Links what is certain among the stored transactions of the dates. A second run links nothing.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) if the last date is before the first.
pub fn detect(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<Detected> {
    let is_named = input.is_named;
    let (links, suggested) = link_all(repo, context, input)?;
    detected(repo, links, suggested, is_named)
}

/// Like [`detect`], but changes nothing.
///
/// # Errors
///
/// As [`detect`].
pub fn rehearse_detect(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<Detected> {
    let is_named = input.is_named;
    let (mut input, mut done) = (Some(input), (Vec::new(), 0));
    // The marks are kept, so that a later rehearsal does not search for them again.
    mark_sides(repo)?;
    repo.rehearse(&mut |repo| {
        if let Some(input) = input.take() {
            done = link_all(repo, context, input)?;
        }
        Ok(())
    })?;
    let (links, suggested) = done;
    detected(repo, links, suggested, is_named)
}

/// Links what is certain, and counts the suggestions that remain.
fn link_all(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<(Vec<NewLink>, usize)> {
    let DetectInput { from, to, mut errors, .. } = input;
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        errors.push("to", Violation::BeforeFrom);
    }
    errors.into_result()?;
    mark_sides(repo)?;
    let (mut links, mut written) = (Vec::new(), Written::default());
    let halves = pix_on_credit::detect(repo, context, &mut written, (from, to))?;
    links.extend(halves.iter().map(NewLink::single));
    for _ in 0..ROUNDS_MAX {
        bill_refresh::refresh(repo, context.today)?;
        let stored = Unpaired::read(repo, context, (from, to))?;
        let new = link_certain(repo, &mut written, &stored)?;
        if new.is_empty() {
            break;
        }
        links.extend(new);
    }
    ledger::finish(repo, context, written, &[])?;
    let stored = Unpaired::read(repo, context, (from, to))?;
    let suggested = Suggestions::new(&stored.rows, &stored.bills, &stored.rejected).count();
    Ok((links, suggested))
}

/// The response: the newest links, with their transactions as they are stored now.
fn detected(repo: &mut dyn Repo, mut links: Vec<NewLink>, suggested: usize, is_named: bool) -> Result<Detected> {
    let linked = links.len();
    if !is_named {
        return Ok(Detected { linked, suggested, transfers: None });
    }
    links.sort_by_key(|link| std::cmp::Reverse((link.date, link.from.or(link.to))));
    links.truncate(DETECTED_NAMED_MAX);
    let ids: Vec<TransactionId> = links.iter().flat_map(|link| [link.from, link.to]).flatten().collect();
    let known = repo.transaction_list_of(&ids)?;
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let whole = |link: NewLink| {
        let [from, to] = [link.from, link.to].map(|id| id.and_then(|id| known.get(&id)).cloned());
        let id = [&from, &to].into_iter().flatten().find_map(|side| side.transfer_id);
        DetectedTransfer { id, from, to, bill_id: link.bill_id }
    };
    Ok(Detected { linked, suggested, transfers: Some(links.into_iter().map(whole).collect()) })
}

/// What an expense pays.
enum Paid {
    Bill(BillId),
    Card(AccountId),
}

/// Links what is certain. Expenses that pay a bill come last, when nothing else is left to link, because other payments change
/// what is due.
pub(crate) fn link_certain(repo: &mut dyn Repo, written: &mut Written, stored: &Unpaired) -> Result<Vec<NewLink>> {
    let recognised = recognise(&stored.rows, &stored.bills, &stored.rejected);
    let (mut pairs, mut singles, mut payers, mut links) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (side, found) in stored.sides.iter().zip(recognised) {
        let Some(found) = found.filter(|found| found.is_certain()) else { continue };
        let date = side.date;
        match found.with {
            Counterpart::Row(to) if side.kind == Kind::Expense => {
                let to = stored.sides[to].id;
                pairs.push((side.id, to));
                links.push(NewLink { date, from: Some(side.id), to: Some(to), bill_id: None });
            }
            Counterpart::Elsewhere if !side.is_transfer => {
                singles.push(TransferState::side(side.id, None));
                links.push(NewLink::single(side));
            }
            Counterpart::Bill(id) => payers.push((side.id, Paid::Bill(id))),
            Counterpart::Card(id) => payers.push((side.id, Paid::Card(id))),
            Counterpart::Row(_) | Counterpart::Elsewhere => {}
        }
    }
    if !links.is_empty() {
        pair(repo, written, &pairs)?;
        ledger::set_transfers(repo, written, &singles)?;
        return Ok(links);
    }
    let known = repo.transaction_list_of(&payers.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let bills: HashMap<BillId, &UnpaidBill> = stored.bills.iter().map(|bill| (bill.id, bill)).collect();
    let payment = |(from, paid): &(TransactionId, Paid)| {
        let from = known.get(from)?.clone();
        match paid {
            Paid::Bill(id) => bills.get(id).map(|bill| Payment::of_bill(from, bill.account_id, bill.id, bill.due_date)),
            Paid::Card(id) => Some(Payment::of_card(from, *id)),
        }
    };
    let payments: Vec<Payment> = payers.iter().filter_map(payment).collect();
    pay_bills(repo, written, &payments)?;
    let link = |payment: &Payment| NewLink {
        date: payment.from.statement_date(),
        from: Some(payment.from.id),
        to: None,
        bill_id: payment.bill_id,
    };
    Ok(payments.iter().map(link).collect())
}
