//! Use cases that link transactions as transfers, and take links back.

use std::collections::{HashMap, HashSet};

use time::{Date, Duration};

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::credit_bills::{CreditBill, NewBillPayment, payment_description};
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{AccountId, BillId, TransactionId, TransferId};
use crate::step::Step;
use crate::store::Repo;
use crate::transactions::{Kind, Removed, Tie, Transaction};
use crate::transfers::{
    AmountWindow, CONTEXT_DAYS, Counterpart, DueBill, NewTransfer, OVERDUE_DAYS_MAX, REJECTED_MAX, RejectedPairs, Row,
    StoredSide, StoredSides, Suggestions, Transfer, TransferKind, recognise,
};
use crate::use_cases::credit_bills::{self, only};
use crate::use_cases::{recognition, transfers};
use crate::violations::Violation;

/// The days that the first look of [`suggestions`] reaches back; each look after it reaches several times as far.
const FIRST_LOOK_DAYS: i64 = 62;
/// How much farther each look reaches than the one before.
const LOOK_GROWTH: i64 = 4;
/// How often [`detect`] looks again at what is left. What is linked may free other rows, which ends soon.
const ROUNDS_MAX: usize = 16;
/// The most transfers that [`detect`] names.
pub const DETECTED_NAMED_MAX: usize = 100;

/// Two transactions, or a transaction and a bill, to link, as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct LinkInput {
    /// Required; an expense of the caller's.
    pub from_id: Option<TransactionId>,
    /// An income of the caller's, of the same amount on another account.
    pub to_id: Option<TransactionId>,
    /// One of the caller's bills, instead of an income.
    pub bill_id: Option<BillId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Two transactions that are no transfer, as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RejectInput {
    /// Required; an expense of the caller's.
    pub from_id: Option<TransactionId>,
    /// Required; an income of the caller's.
    pub to_id: Option<TransactionId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Where to look for transfers, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct DetectInput {
    /// The first date. None for the first there is.
    pub from: Option<Date>,
    /// The last date. None for the last there is.
    pub to: Option<Date>,
    /// Whether to name the transfers.
    pub is_named: bool,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// What became of transactions whose link was taken back. One that this service made is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlinked {
    /// The expense.
    pub from: Option<Transaction>,
    /// The income.
    pub to: Option<Transaction>,
}

/// A pair that may be a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedTransfer {
    /// The expense.
    pub from: Transaction,
    /// The income. None where the expense may pay a bill whose card has no row of it.
    pub to: Option<Transaction>,
    /// The bill, where `to` is none.
    pub bill_id: Option<BillId>,
    /// What it would be.
    pub kind: TransferKind,
    /// Its place in the list.
    pub place: SuggestionPlace,
}

/// A suggestion's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuggestionPlace {
    /// The date of the expense.
    pub date: Date,
    /// The expense.
    pub from_id: TransactionId,
    /// Which of its suggestions it is, from 0.
    pub number: usize,
}

/// What was found among stored transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detected {
    /// How many transfers are new: pairs, and rows whose other side is not kept here.
    pub linked: usize,
    /// How many pairs are suggested.
    pub suggested: usize,
    /// The newest of the new transfers, newest first: at most [`DETECTED_NAMED_MAX`]. None where they were not asked for.
    pub transfers: Option<Vec<DetectedTransfer>>,
}

/// A transfer that is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedTransfer {
    /// None where its other side is not kept here, and where nothing was changed.
    pub id: Option<TransferId>,
    /// The expense. None where it is not kept here.
    pub from: Option<Transaction>,
    /// The income. None where it is not kept here, or was made for the transfer.
    pub to: Option<Transaction>,
    /// The bill that is paid, where `to` was made for the transfer.
    pub bill_id: Option<BillId>,
}

/// A new transfer, by its ids.
#[derive(Debug, Clone, Copy)]
struct NewLink {
    date: Date,
    from: Option<TransactionId>,
    to: Option<TransactionId>,
    bill_id: Option<BillId>,
}

/// Deletes a transfer: the legs that this service made are gone, and what came another way is unlinked.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: TransferId) -> Result<()> {
    let transfer = transfers::get(repo, id)?;
    take_back(repo, context, &transfer)?;
    Ok(())
}

/// Takes a link back. Both transactions are what they would be alone, and recognition leaves them alone from then on.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such transfer, [`Refusal::TransferNotLinked`] where both legs of it are this
/// service's own.
pub fn unlink(repo: &mut dyn Repo, context: &Context, id: TransferId) -> Result<Unlinked> {
    let transfer = transfers::get(repo, id)?;
    if transfer.from.is_own_leg() && transfer.to.is_own_leg() {
        return Err(Refusal::TransferNotLinked.into());
    }
    take_back(repo, context, &transfer)?;
    let after = |repo: &mut dyn Repo, id| repo.transaction_get(id);
    Ok(Unlinked { from: after(repo, transfer.from.id)?, to: after(repo, transfer.to.id)? })
}

/// Deletes the legs that this service made, and leaves the others alone and unlinked for good.
fn take_back(repo: &mut dyn Repo, context: &Context, transfer: &Transfer) -> Result<()> {
    let (own, others): (Vec<&Transaction>, Vec<&Transaction>) =
        [&transfer.from, &transfer.to].into_iter().partition(|leg| leg.is_own_leg());
    if !own.is_empty() {
        repo.transaction_delete(&own.iter().map(|leg| leg.id).collect())?;
    }
    let alone = transfers_alone(repo, context, others.iter().copied())?;
    let ties: Vec<Tie> = others
        .iter()
        .map(|leg| Tie { id: leg.id, transfer_id: None, is_transfer: alone.contains(&leg.id), is_kept_unlinked: true })
        .collect();
    repo.transaction_tie(&ties)?;
    if own.is_empty() {
        repo.transfer_delete(&[transfer.id])?;
    }
    credit_bills::settle(repo, context.today)
}

/// Completes a deletion: what was the other side of a transfer is what it would be alone, and bills are paid by what is left.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub(crate) fn after_removal(repo: &mut dyn Repo, context: &Context, removed: &Removed) -> Result<()> {
    let open = removed.parted.iter().filter(|parted| !parted.is_kept_unlinked);
    let alone = transfers_alone(repo, context, open)?;
    let ties: Vec<Tie> = removed
        .parted
        .iter()
        .filter(|parted| alone.contains(&parted.id))
        .map(|parted| Tie { id: parted.id, transfer_id: None, is_transfer: true, is_kept_unlinked: false })
        .collect();
    repo.transaction_tie(&ties)?;
    credit_bills::settle(repo, context.today)
}

/// Those of the transactions that are transfers by themselves: payments that a card's statement tells of.
fn transfers_alone<'a>(
    repo: &mut dyn Repo,
    context: &Context,
    transactions: impl Iterator<Item = &'a Transaction>,
) -> Result<HashSet<TransactionId>> {
    let paid: Vec<&Transaction> = transactions
        .filter(|known| known.kind == Kind::Income && context.phrases.evidence(known.statement_description()).paid_in)
        .collect();
    if paid.is_empty() {
        return Ok(HashSet::new());
    }
    let cards: HashSet<AccountId> = repo
        .account_list()?
        .into_iter()
        .filter(|account| account.kind == AccountKind::Credit)
        .map(|account| account.id)
        .collect();
    let on_card = |known: &&&Transaction| known.account_id.is_some_and(|id| cards.contains(&id));
    Ok(paid.iter().filter(on_card).map(|known| known.id).collect())
}

/// Links two transactions as a transfer, or makes an expense the payment of a bill.
///
/// # Errors
///
/// [`Error::Invalid`], [`Refusal::TransferLeg`] where either is paired already, and as
/// [`credit_bills::pay`] for a bill.
pub fn link(repo: &mut dyn Repo, context: &Context, input: LinkInput) -> Result<Transfer> {
    let mut errors = input.errors;
    let from = errors.require("from_id", input.from_id);
    let from = find(repo, "from_id", from, &mut errors)?;
    match (input.to_id, input.bill_id) {
        (Some(_), Some(_)) => errors.push("bill_id", Violation::NotBoth),
        (None, None) if !errors.has("bill_id") => drop(errors.require::<TransactionId>("to_id", None)),
        _ => {}
    }
    let to = find(repo, "to_id", input.to_id, &mut errors)?;
    let bill = match input.bill_id {
        Some(id) => {
            let bill = repo.bill_get(id)?;
            if bill.is_none() {
                errors.push("bill_id", Violation::NoSuchBill);
            }
            bill
        }
        None => None,
    };
    if errors.is_empty() && [&from, &to].into_iter().flatten().any(|known| known.transfer_id.is_some()) {
        return Err(Refusal::TransferLeg.into());
    }
    if let Some(from) = &from {
        check_side(from, "from_id", &mut errors);
        let is_swapped = to.as_ref().is_none_or(|to| to.kind != from.kind);
        if from.kind != Kind::Expense && is_swapped {
            errors.push("from_id", Violation::NotAnExpense);
        }
    }
    if let (Some(from), Some(to)) = (&from, &to) {
        check_side(to, "to_id", &mut errors);
        if to.kind == from.kind {
            errors.push("to_id", Violation::SameType);
        }
        if to.account_id == from.account_id {
            errors.push("to_id", Violation::SameAccountAsFrom);
        }
        if to.amount != from.amount {
            errors.push("to_id", Violation::OtherAmount);
        }
    }
    if let (Some(from), Some(bill)) = (&from, &bill) {
        if from.account_id == Some(bill.account_id) {
            errors.push("bill_id", Violation::SameAccountAsFrom);
        } else if errors.is_empty() && from.amount > bill.payable()? {
            errors.push("bill_id", Violation::MoreThanDue);
        }
    }
    errors.into_result()?;
    let id = match (from, to, bill) {
        (Some(from), Some(to), _) => only(pair(repo, &[(from.id, to.id)])?)?,
        (Some(from), None, Some(bill)) => only(pay_bills(repo, &[(from, bill)])?)?,
        _ => return Err(Error::Internal("a link passed the check without two sides".into())),
    };
    credit_bills::settle(repo, context.today)?;
    transfers::get(repo, id)
}

fn find(
    repo: &mut dyn Repo,
    field: &str,
    id: Option<TransactionId>,
    errors: &mut FieldErrors,
) -> Result<Option<Transaction>> {
    let Some(id) = id else { return Ok(None) };
    let found = repo.transaction_get(id)?;
    if found.is_none() {
        errors.push(field, Violation::NoSuchTransaction);
    }
    Ok(found)
}

fn check_side(side: &Transaction, field: &str, errors: &mut FieldErrors) {
    if side.account_id.is_none() {
        errors.push(field, Violation::WithoutAccount);
    } else if side.belongs_to_its_account() {
        errors.push(field, Violation::NeverATransfer);
    }
}

/// Links pairs of an expense and an income.
fn pair(repo: &mut dyn Repo, pairs: &[(TransactionId, TransactionId)]) -> Result<Vec<TransferId>> {
    let ids = repo.transfer_insert(pairs.len())?;
    let tie = |id, transfer_id| Tie { id, transfer_id: Some(transfer_id), is_transfer: true, is_kept_unlinked: false };
    let ties: Vec<Tie> = pairs.iter().zip(&ids).flat_map(|((from, to), id)| [tie(*from, *id), tie(*to, *id)]).collect();
    repo.transaction_tie(&ties)?;
    Ok(ids)
}

/// Makes expenses the payments of bills: the legs on the cards are made here.
fn pay_bills(repo: &mut dyn Repo, payments: &[(Transaction, CreditBill)]) -> Result<Vec<TransferId>> {
    let ids = repo.transfer_insert(payments.len())?;
    let (mut ties, mut legs, mut noted) = (Vec::new(), Vec::new(), Vec::new());
    for ((from, bill), id) in payments.iter().zip(&ids) {
        let Some(from_account_id) = from.account_id else { continue };
        let (amount, date) = (from.amount, from.statement_date());
        let (to_account_id, description) = (bill.account_id, payment_description(bill.due_date));
        let [_, card_leg] = NewTransfer { from_account_id, to_account_id, amount, date, description }.legs(*id);
        legs.push(card_leg);
        ties.push(Tie { id: from.id, transfer_id: Some(*id), is_transfer: true, is_kept_unlinked: false });
        noted.push(NewBillPayment { bill_id: bill.id, amount, date, transfer_id: Some(*id) });
    }
    repo.transaction_tie(&ties)?;
    repo.transaction_insert(&legs)?;
    repo.bill_payment_insert(&noted)?;
    Ok(ids)
}

/// Remembers that two transactions are no transfer: they are neither linked by recognition nor suggested any more.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn reject(repo: &mut dyn Repo, input: RejectInput) -> Result<()> {
    let mut errors = input.errors;
    let from = errors.require("from_id", input.from_id);
    let to = errors.require("to_id", input.to_id);
    let from = find(repo, "from_id", from, &mut errors)?;
    let to = find(repo, "to_id", to, &mut errors)?;
    for (side, field, kind, violation) in [
        (&from, "from_id", Kind::Expense, Violation::NotAnExpense),
        (&to, "to_id", Kind::Income, Violation::NotAnIncome),
    ] {
        if side.as_ref().is_some_and(|side| side.kind != kind) {
            errors.push(field, violation);
        }
    }
    errors.into_result()?;
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Error::Internal("a pair passed the check without two sides".into()));
    };
    if !repo.rejected_pairs(&[from.id, to.id])?.is_empty() {
        return Ok(());
    }
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.rejected_pair_count()? >= REJECTED_MAX {
        return Err(Refusal::LimitReached { what: "rejected transfers", max: REJECTED_MAX }.into());
    }
    repo.rejected_pair_insert(from.id, to.id)
}

/// What recognition knows of stored transactions.
struct Stored {
    /// Newest first.
    sides: Vec<StoredSide>,
    rows: Vec<Row>,
    bills: Vec<CreditBill>,
    due: Vec<DueBill>,
    rejected: RejectedPairs,
}

impl Stored {
    /// Reads what is stored of the dates, of which those are asked about that are among them, and what is near. The sides must
    /// be [sought](seek).
    fn read(
        repo: &mut dyn Repo,
        context: &Context,
        (first, last): (Option<Date>, Option<Date>),
        which: StoredSides,
    ) -> Result<Self> {
        let (near_first, near_last) =
            (first.map(|first| first.saturating_sub(CONTEXT_DAYS)), last.map(|last| last.saturating_add(CONTEXT_DAYS)));
        let due_first = near_first.map(|first| first.saturating_sub(Duration::days(OVERDUE_DAYS_MAX)));
        let bills = repo.bill_list_due(due_first, near_last)?;
        let due: Vec<DueBill> = bills.iter().map(DueBill::of).collect();
        let sides = repo.stored_sides(near_first, near_last, &windows_of(&due), which)?;
        let names = recognition::own_names(repo)?;
        let rejected = recognition::rejected_pairs(repo, &sides)?;
        let is_asked = |side: &StoredSide| {
            first.is_none_or(|first| first <= side.date) && last.is_none_or(|last| side.date <= last)
        };
        let rows = sides.iter().map(|side| side.row(&context.phrases, &names, is_asked(side))).collect();
        Ok(Stored { sides, rows, bills, due, rejected })
    }
}

fn windows_of(due: &[DueBill]) -> Vec<AmountWindow> {
    due.iter().map(DueBill::window).collect()
}

/// Marks the stored sides that have another.
fn seek(repo: &mut dyn Repo) -> Result<()> {
    if repo.sides_are_sought()? { Ok(()) } else { repo.sides_seek() }
}

/// The pairs that may be transfers, newest first: at most `limit` after that place. Bills of new periods are created first.
/// Costs what has another side, however long the history is.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn suggestions(
    repo: &mut dyn Repo,
    context: &Context,
    after: Option<SuggestionPlace>,
    limit: usize,
) -> Result<Step<Vec<SuggestedTransfer>>> {
    if credit_bills::is_settled(repo, context.today)? && repo.sides_are_sought()? {
        return Ok(Step::Done(suggested(repo, context, after, limit)?));
    }
    let context = context.clone();
    Ok(Step::write(move |repo| {
        credit_bills::refresh(repo, context.today)?;
        seek(repo)?;
        suggested(repo, &context, after, limit)
    }))
}

fn suggested(
    repo: &mut dyn Repo,
    context: &Context,
    after: Option<SuggestionPlace>,
    limit: usize,
) -> Result<Vec<SuggestedTransfer>> {
    let due: Vec<DueBill> = repo.bill_list_due(None, None)?.iter().map(DueBill::of).collect();
    let Some(oldest) = repo.oldest_side(&windows_of(&due))? else { return Ok(Vec::new()) };
    let mut found: Vec<(SuggestionPlace, Counterpart, TransferKind)> = Vec::new();
    let mut others: HashMap<(SuggestionPlaceKey, usize), TransactionId> = HashMap::new();
    let mut last = after.map(|after| after.date);
    let mut days = FIRST_LOOK_DAYS;
    loop {
        let first = last.unwrap_or(context.today).saturating_sub(Duration::days(days));
        let stored = Stored::read(repo, context, (Some(first), last), StoredSides::Paired)?;
        let suggestions = Suggestions::new(&stored.rows, &stored.due, &stored.rejected);
        for (from, side) in stored.sides.iter().enumerate() {
            if found.len() >= limit {
                break;
            }
            let skipped = match after {
                Some(after) if (side.date, side.id) > (after.date, after.from_id) => continue,
                Some(after) if (side.date, side.id) == (after.date, after.from_id) => after.number + 1,
                _ => 0,
            };
            for (number, suggestion) in suggestions.of(from, skipped, limit - found.len()).into_iter().enumerate() {
                let place = SuggestionPlace { date: side.date, from_id: side.id, number: skipped + number };
                if let Counterpart::Row(to) = suggestion.to {
                    others.insert((place.key(), place.number), stored.sides[to].id);
                }
                found.push((place, suggestion.to, suggestion.kind));
            }
        }
        if found.len() >= limit || first <= oldest {
            break;
        }
        last = Some(first.saturating_sub(Duration::days(1)));
        days = days.saturating_mul(LOOK_GROWTH);
    }
    let ids: HashSet<TransactionId> =
        found.iter().map(|(place, ..)| place.from_id).chain(others.values().copied()).collect();
    let known = repo.transaction_list_of(&ids.into_iter().collect::<Vec<_>>())?;
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let whole = |(place, to, kind): (SuggestionPlace, Counterpart, TransferKind)| {
        let from = known.get(&place.from_id)?.clone();
        let to_id = others.get(&(place.key(), place.number));
        let bill_id = match to {
            Counterpart::Bill(id) => Some(id),
            Counterpart::Row(_) | Counterpart::Elsewhere => None,
        };
        Some(SuggestedTransfer { from, to: to_id.and_then(|id| known.get(id)).cloned(), bill_id, kind, place })
    };
    Ok(found.into_iter().filter_map(whole).collect())
}

/// What tells the expenses of suggestions apart.
type SuggestionPlaceKey = (Date, TransactionId);

impl SuggestionPlace {
    fn key(&self) -> SuggestionPlaceKey {
        (self.date, self.from_id)
    }
}

/// Links what is certain among the stored transactions of the dates. A second run links nothing.
///
/// # Errors
///
/// [`Error::Invalid`] where the last date is before the first.
pub fn detect(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<Detected> {
    let is_named = input.is_named;
    let (links, suggested) = link_all(repo, context, input)?;
    told(repo, links, suggested, is_named)
}

/// As [`detect`], and changes nothing.
///
/// # Errors
///
/// As [`detect`].
pub fn rehearse_detect(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<Detected> {
    let is_named = input.is_named;
    let (mut input, mut done) = (Some(input), (Vec::new(), 0));
    repo.rehearse(&mut |repo| {
        if let Some(input) = input.take() {
            done = link_all(repo, context, input)?;
        }
        Ok(())
    })?;
    let (links, suggested) = done;
    told(repo, links, suggested, is_named)
}

/// Links what is certain, and counts what is suggested then.
fn link_all(repo: &mut dyn Repo, context: &Context, input: DetectInput) -> Result<(Vec<NewLink>, usize)> {
    let DetectInput { from, to, mut errors, .. } = input;
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        errors.push("to", Violation::BeforeFrom);
    }
    errors.into_result()?;
    seek(repo)?;
    let mut links = Vec::new();
    for _ in 0..ROUNDS_MAX {
        credit_bills::refresh(repo, context.today)?;
        let stored = Stored::read(repo, context, (from, to), StoredSides::PairedOrOnCards)?;
        let new = link_certain(repo, &stored)?;
        if new.is_empty() {
            break;
        }
        links.extend(new);
    }
    credit_bills::settle(repo, context.today)?;
    let stored = Stored::read(repo, context, (from, to), StoredSides::PairedOrOnCards)?;
    let suggested = Suggestions::new(&stored.rows, &stored.due, &stored.rejected).count();
    Ok((links, suggested))
}

/// The answer: of the links the newest, with their transactions as they are stored now.
fn told(repo: &mut dyn Repo, mut links: Vec<NewLink>, suggested: usize, is_named: bool) -> Result<Detected> {
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

/// Links what is certain. Expenses that pay a bill come when nothing else is left, as other payments change what is due.
fn link_certain(repo: &mut dyn Repo, stored: &Stored) -> Result<Vec<NewLink>> {
    let recognised = recognise(&stored.rows, &stored.due, &stored.rejected);
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
                singles.push(Tie { id: side.id, transfer_id: None, is_transfer: true, is_kept_unlinked: false });
                links.push(NewLink { date, from: None, to: Some(side.id), bill_id: None });
            }
            Counterpart::Bill(id) => payers.push((side.id, id)),
            Counterpart::Row(_) | Counterpart::Elsewhere => {}
        }
    }
    if !links.is_empty() {
        pair(repo, &pairs)?;
        repo.transaction_tie(&singles)?;
        return Ok(links);
    }
    let known = repo.transaction_list_of(&payers.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let bills: HashMap<BillId, &CreditBill> = stored.bills.iter().map(|bill| (bill.id, bill)).collect();
    let payments: Vec<(Transaction, CreditBill)> = payers
        .iter()
        .filter_map(|(from, bill)| Some((known.get(from)?.clone(), (*bills.get(bill)?).clone())))
        .collect();
    pay_bills(repo, &payments)?;
    let link = |(from, bill): &(Transaction, CreditBill)| NewLink {
        date: from.statement_date(),
        from: Some(from.id),
        to: None,
        bill_id: Some(bill.id),
    };
    Ok(payments.iter().map(link).collect())
}
