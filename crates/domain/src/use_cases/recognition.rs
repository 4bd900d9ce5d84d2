//! Finds the rows of a statement that are transfers, given the stored transactions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::credit_bills::{CreditBill, UnpaidBill};
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, TransactionId};
use crate::imports::StatementRow;
use crate::money::Money;
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, Source, Transaction};
use crate::transfers::{
    AmountWindow, CONTEXT_DAYS, Choice, Counterpart, KeptCards, LegKey, NEAR_DAYS_MAX, OVERDUE_DAYS_MAX, OtherSide,
    OwnNames, PAYMENT_DAYS, Recognition, RejectedPairs, Row, RowTransfer, StoredLeg, StoredSide, TransferKind,
    match_legs, recognise,
};
use crate::use_cases::pix_on_credit;
use crate::violations::Violation;

/// The transfers of rows.
#[derive(Debug)]
pub(crate) struct Transfers {
    /// That of each row, in their order. None if it is none.
    pub(crate) of_rows: Vec<Option<RowTransfer>>,
    /// The bills that rows certainly pay, and perhaps others.
    pub(crate) bills: HashMap<BillId, CreditBill>,
}

/// The legs created by this service that match rows of a statement, in the order of the rows. A row that a person marked as
/// ordinary matches none, and on a card an income matches one only if it says that it is a payment.
pub(crate) fn legs(
    repo: &mut dyn Repo,
    context: &Context,
    account: &Account,
    rows: &[&StatementRow],
) -> Result<Vec<Option<StoredLeg>>> {
    let is_card = account.kind == AccountKind::Credit;
    // A refund of the same amount is no payment.
    let pays = |row: &StatementRow| {
        let is_refund = || !context.phrases.evidence(row.statement_description()).paid_in;
        !(is_card && row.kind == Kind::Income && is_refund())
    };
    let may_be_leg = |row: &StatementRow| !matches!(row.choice, Choice::Ordinary | Choice::Bill(_)) && pays(row);
    let keyed: Vec<(usize, LegKey)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| may_be_leg(row))
        .map(|(at, row)| (at, LegKey { account_id: account.id, kind: row.kind, amount: row.amount, date: row.date }))
        .collect();
    let mut found = vec![None; rows.len()];
    let dates = || keyed.iter().map(|(_, key)| key.date);
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Ok(found) };
    let mut amounts: Vec<Money> = keyed.iter().map(|(_, key)| key.amount).collect();
    amounts.sort_unstable();
    amounts.dedup();
    // How many days after the leg a row may be: a card books its payments later.
    let days = |kind: Kind| match kind {
        Kind::Income if is_card => PAYMENT_DAYS,
        Kind::Income | Kind::Expense => -NEAR_DAYS_MAX..=NEAR_DAYS_MAX,
    };
    let widest = days(Kind::Income);
    let (before, after) = (time::Duration::days(*widest.end()), time::Duration::days(-*widest.start()));
    let mut legs: Vec<StoredLeg> =
        repo.untold_legs(account.id, &amounts, first.saturating_sub(before), last.saturating_add(after))?;
    // A leg that a client names is reserved for that row, or one that was made since for the side that the client names.
    let mut left = Vec::with_capacity(keyed.len());
    for (at, key) in keyed {
        match rows[at].choice {
            Choice::With(id) => {
                let is_named = |leg: &StoredLeg| leg.id == id || leg.other == Some(id);
                let named = legs.iter().position(|leg| is_named(leg) && is_near(&key, &leg.key, &days(key.kind)));
                found[at] = named.map(|at| legs.remove(at));
            }
            _ => left.push((at, key)),
        }
    }
    let leg_keys: Vec<LegKey> = legs.iter().map(|leg| leg.key).collect();
    for kind in [Kind::Income, Kind::Expense] {
        let of_kind = left.iter().copied().filter(|(_, key)| key.kind == kind);
        let (places, keys): (Vec<usize>, Vec<LegKey>) = of_kind.unzip();
        for (at, leg) in places.into_iter().zip(match_legs(&keys, &leg_keys, &days(kind))) {
            found[at] = leg.map(|leg| legs[leg]);
        }
    }
    Ok(found)
}

fn is_near(row: &LegKey, leg: &LegKey, days: &RangeInclusive<i64>) -> bool {
    LegKey { date: leg.date, ..*row } == *leg && days.contains(&(row.date - leg.date).whole_days())
}

/// How much evidence a found transfer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Only what is certain.
    Certain,
    /// What is likely too.
    Likely,
}

/// Which of the rows look like transfers, in their order. Skips rows for which a person chose that they are ordinary or with what
/// they are linked, and the transactions in `taken`. What is found for a row that names its bill is for the caller to ignore.
fn search(
    repo: &mut dyn Repo,
    context: &Context,
    account: &Account,
    rows: &[&StatementRow],
    taken: &HashSet<TransactionId>,
    depth: Depth,
) -> Result<Vec<Option<RowTransfer>>> {
    let normalized: Vec<String> = rows.iter().map(|row| text::normalized(row.statement_description())).collect();
    let is_card = account.kind == AccountKind::Credit;
    let mut candidates: Vec<(usize, Row)> = Vec::new();
    for (at, (row, description)) in rows.iter().zip(&normalized).enumerate() {
        let evidence = context.phrases.evidence_of_normalized(description);
        // A transfer has no lines.
        let is_whole = !row.details.is_split();
        // What a row that names its bill pays is not due any more for the others.
        let is_open = is_whole
            && match row.choice {
                Choice::Unsaid | Choice::Transfer => true,
                Choice::Bill(_) => evidence.paid_out,
                Choice::Ordinary | Choice::With(_) => false,
            };
        // A move that a person refuses makes others like it less certain, as it does once it is stored.
        let is_move = evidence.moved && !evidence.paid_out && !is_card;
        let is_refused = is_whole && is_move && row.choice == Choice::Ordinary;
        if is_refused || is_open && (evidence.is_any() || depth == Depth::Likely) {
            let (account_id, account_kind) = (account.id, account.kind);
            let StatementRow { kind, amount, date, .. } = **row;
            let row = Row {
                id: None,
                is_asked: is_open,
                account_id,
                account_kind,
                kind,
                amount,
                date,
                evidence,
                names_own: false,
                is_refused,
                pays_card: None,
            };
            candidates.push((at, row));
        }
    }
    let mut found = vec![None; rows.len()];
    if !candidates.iter().any(|(_, row)| row.is_asked) {
        return Ok(found);
    }
    let new: Vec<Row> = candidates.iter().map(|(_, row)| *row).collect();
    let mut stored = repo.stored_sides_near(account.id, &windows(&new))?;
    stored.retain(|side| !taken.contains(&side.id));
    let (names, rejected) = match stored.is_empty() {
        true => Default::default(),
        false => (own_names(repo)?, rejected_pairs(repo, &stored)?),
    };
    for (at, row) in &mut candidates {
        row.names_own = names.are_in_normalized(&normalized[*at]);
    }
    let mut cards = KeptCards::default();
    if candidates.iter().any(|(_, row)| row.pays_bill() || row.is_bill_paid()) {
        cards = kept_cards(repo, context)?;
        for (at, row) in &mut candidates {
            row.pays_card = cards.paid_by(&normalized[*at]);
        }
    }
    let halves = pix_on_credit::other_halves(repo, &new)?;
    if !halves.is_empty() {
        let known: HashSet<TransactionId> = stored.iter().map(|side| side.id).collect();
        stored.extend(halves.into_iter().filter(|half| !known.contains(&half.id) && !taken.contains(&half.id)));
    }
    let bills = unpaid_bills(repo, &new)?;
    let all: Vec<Row> = candidates
        .iter()
        .map(|(_, row)| *row)
        .chain(stored.iter().map(|side| side.row(&context.phrases, &names, &cards, false)))
        .collect();
    for ((at, _), recognised) in candidates.iter().zip(recognise(&all, &bills, &rejected)) {
        found[*at] = recognised.and_then(|recognised| row_transfer(recognised, candidates.len(), &stored));
    }
    Ok(found)
}

/// The names of the household's people.
pub(crate) fn own_names(repo: &mut dyn Repo) -> Result<OwnNames> {
    let settings = repo.settings_get()?;
    Ok(OwnNames::new(settings.own_names.iter().map(String::as_str)))
}

/// The cards that are kept here.
pub(crate) fn kept_cards(repo: &mut dyn Repo, context: &Context) -> Result<KeptCards> {
    let accounts = repo.account_list(context.today)?;
    let cards = accounts.iter().filter(|account| account.kind == AccountKind::Credit);
    Ok(KeptCards::new(cards.map(|card| (card.id, card.name.as_str()))))
}

/// The rejected pairs of stored sides.
pub(crate) fn rejected_pairs(repo: &mut dyn Repo, stored: &[StoredSide]) -> Result<RejectedPairs> {
    let ids: Vec<TransactionId> = stored.iter().map(|side| side.id).collect();
    repo.rejected_pairs(&ids)
}

/// The bills that one of the rows may pay.
fn unpaid_bills(repo: &mut dyn Repo, rows: &[Row]) -> Result<Vec<UnpaidBill>> {
    let dates = || rows.iter().filter(|row| row.pays_bill()).map(|row| row.date);
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Ok(Vec::new()) };
    repo.bill_list_unpaid(Some(first.saturating_sub(time::Duration::days(OVERDUE_DAYS_MAX))), Some(last))
}

/// Whether one of the rows may pay a bill. If so, the bills must be up to date.
pub(crate) fn may_pay_bills<'a>(
    context: &Context,
    account: &Account,
    rows: impl IntoIterator<Item = &'a StatementRow>,
) -> bool {
    let mut expenses = rows.into_iter().filter(|row| row.kind == Kind::Expense);
    account.kind.is_spent_from() && expenses.any(|row| context.phrases.evidence(row.statement_description()).paid_out)
}

fn windows(rows: &[Row]) -> Vec<AmountWindow> {
    let mut windows: BTreeMap<(Money, Kind), AmountWindow> = BTreeMap::new();
    for Row { amount, kind, date, .. } in rows {
        let (first, last) = (date.saturating_sub(CONTEXT_DAYS), date.saturating_add(CONTEXT_DAYS));
        let new = AmountWindow { amount: *amount, kind: *kind, first, last };
        let window = windows.entry((*amount, *kind)).or_insert(new);
        (window.first, window.last) = (window.first.min(first), window.last.max(last));
    }
    windows.into_values().collect()
}

fn row_transfer(recognised: Recognition, new: usize, stored: &[StoredSide]) -> Option<RowTransfer> {
    let Recognition { kind, confidence, with } = recognised;
    let with = match with {
        // Rows of one statement are on one account and never pair with each other.
        Counterpart::Row(at) => Some(OtherSide::Transaction(stored.get(at.checked_sub(new)?)?.id)),
        Counterpart::Bill(id) => Some(OtherSide::Bill(id)),
        Counterpart::Card(id) => Some(OtherSide::Card(id)),
        Counterpart::Elsewhere => None,
    };
    Some(RowTransfer { kind, confidence, with })
}

/// Decides which rows of one account are transfers, given with their positions in the request: by the choices for them, then by what is
/// stored. Without an account none is.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) with every choice that cannot be followed.
pub(crate) fn transfers(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    rows: &[(usize, &StatementRow)],
    depth: Depth,
) -> Result<Transfers> {
    let mut errors = FieldErrors::default();
    let field = |at: usize| format!("rows[{}].transfer_with", rows[at].0);
    let mut of_rows: Vec<Option<RowTransfer>> = vec![None; rows.len()];
    let Some(account) = account else {
        let tied = |at: &usize| !matches!(rows[*at].1.choice, Choice::Unsaid | Choice::Ordinary);
        for at in (0..rows.len()).filter(tied) {
            errors.push(field(at), Violation::TransferWithoutAccount);
        }
        return errors.into_result().map(|()| Transfers { of_rows, bills: HashMap::new() });
    };
    let named: Vec<TransactionId> = rows
        .iter()
        .filter_map(|(_, row)| match row.choice {
            Choice::With(id) => Some(id),
            _ => None,
        })
        .collect();
    let known = if named.is_empty() { Vec::new() } else { repo.transaction_list_of(&named)? };
    let known: HashMap<TransactionId, Transaction> = known.into_iter().map(|known| (known.id, known)).collect();
    let mut taken: HashSet<TransactionId> = HashSet::new();
    let named = rows.iter().filter_map(|(_, row)| match row.choice {
        Choice::Bill(id) => Some(id),
        _ => None,
    });
    let mut bills = HashMap::new();
    read_bills(repo, &mut bills, named)?;
    let mut paying = Vec::new();
    // Rows that named a bill which is paid by now: perhaps the card's own row has come since the preview.
    let mut overtaken: HashMap<usize, StatementRow> = HashMap::new();
    for (at, (_, row)) in rows.iter().enumerate() {
        match row.choice {
            Choice::Unsaid | Choice::Ordinary | Choice::Transfer => {}
            Choice::With(id) => {
                let fits = known.get(&id).is_some_and(|other| may_pair(account, row, other));
                if fits && taken.insert(id) {
                    let with = Some(OtherSide::Transaction(id));
                    of_rows[at] = Some(RowTransfer::certain(TransferKind::OwnAccount, with));
                } else {
                    errors.push(field(at), Violation::NotACandidate);
                }
            }
            Choice::Bill(id) => match bills.get(&id) {
                Some(bill) => paying.push((bill.period_start, at, bill.clone())),
                None => errors.push(field(at), Violation::NotACandidate),
            },
        }
    }
    // What pays a bill takes from what it leaves to the later bills of its card.
    paying.sort_by_key(|(period_start, at, _)| (*period_start, *at));
    let mut paid: HashMap<AccountId, Money> = HashMap::new();
    for (_, at, bill) in paying {
        let ((_, row), paid) = (rows[at], paid.entry(bill.account_id).or_default());
        if may_pay(account, row, &bill, *paid) {
            *paid += row.amount;
            of_rows[at] = Some(RowTransfer::certain(TransferKind::BillPayment, Some(OtherSide::Bill(bill.id))));
        } else {
            overtaken.insert(at, StatementRow { choice: Choice::Transfer, ..row.clone() });
        }
    }
    let examined: Vec<&StatementRow> =
        rows.iter().enumerate().map(|(at, (_, row))| overtaken.get(&at).unwrap_or(row)).collect();
    let found = search(repo, context, account, &examined, &taken, depth)?;
    let bill_of = |found: &RowTransfer| match found.with {
        Some(OtherSide::Bill(id)) if found.is_certain() => Some(id),
        _ => None,
    };
    read_bills(repo, &mut bills, found.iter().flatten().filter_map(bill_of))?;
    for (at, ((_, row), mut found)) in rows.iter().zip(found).enumerate() {
        let certain = found.filter(RowTransfer::is_certain);
        if overtaken.contains_key(&at) {
            of_rows[at] = certain.filter(|certain| matches!(certain.with, Some(OtherSide::Transaction(_))));
            if of_rows[at].is_none() {
                errors.push(field(at), Violation::NotACandidate);
            }
            continue;
        }
        if !matches!(row.choice, Choice::Unsaid | Choice::Transfer) {
            continue;
        }
        if let Some(id) = certain.as_ref().and_then(bill_of)
            && !bills.get(&id).is_some_and(|bill| may_pay(account, row, bill, Money::ZERO))
        {
            // Another row has paid the bill.
            found = None;
        }
        of_rows[at] = match row.choice {
            // A person or a rule says that it is one.
            Choice::Transfer => {
                found.filter(RowTransfer::is_certain).or(Some(RowTransfer::certain(TransferKind::OwnAccount, None)))
            }
            _ => found.filter(|found| found.is_certain() || depth == Depth::Likely),
        };
    }
    errors.into_result()?;
    Ok(Transfers { of_rows, bills })
}

/// Adds the bills of these ids, those that exist, to the known ones.
fn read_bills(
    repo: &mut dyn Repo,
    known: &mut HashMap<BillId, CreditBill>,
    ids: impl Iterator<Item = BillId>,
) -> Result<()> {
    let ids: Vec<BillId> = ids.filter(|id| !known.contains_key(id)).collect();
    if !ids.is_empty() {
        known.extend(repo.bill_list_of(&ids)?.into_iter().map(|bill| (bill.id, bill)));
    }
    Ok(())
}

/// Whether a stored transaction may be the other side of a row.
fn may_pair(account: &Account, row: &StatementRow, other: &Transaction) -> bool {
    other.transfer_id.is_none()
        && !other.details.is_split()
        && !matches!(other.source, Source::Yield | Source::OpeningBalance)
        && other.account_id.is_some_and(|id| id != account.id)
        && other.kind != row.kind
        && other.amount == row.amount
}

/// Whether a row may pay a bill, of which other rows pay a part.
fn may_pay(account: &Account, row: &StatementRow, bill: &CreditBill, paid: Money) -> bool {
    row.kind == Kind::Expense && bill.account_id != account.id && row.amount <= bill.unpaid() - paid
}
