//! A confirm, which saves all or nothing.

use std::collections::HashSet;

use crate::accounts::Account;
use crate::context::Context;
use crate::credit_bills::{NewBillPayment, payment_description};
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::{self as rules, Event};
use crate::ids::{BillId, CategoryId, ImportId, TransactionId, TransferId};
use crate::imports::{
    Candidate, FileBalance, ImportInput, ImportTarget, LEFT_OUT_MAX, LeftOutRow, NewImport, ROWS_MAX, SkipReason,
    StatementFormat, StatementRow,
};
use crate::pending_bills::{NewHeldRow, NewPendingBill, PENDING_BILLS_MAX, PendingBill};
use crate::rules::Rules;
use crate::store::Repo;
use crate::text;
use crate::transactions::{Details, Kind, NewTransaction, Tie, Transaction};
use crate::transfers::{Choice, NewTransfer};
use crate::use_cases::known_rows::{self, KnownRow, MadeHere};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::recognition::{self, Fate};
use crate::use_cases::{anchors, bill_refresh, credit_bills};
use crate::violations::Violation;
use crate::webhooks::Notice;

use super::rows::{check_target, decide, is_automatic_yield};

/// What a confirm does with the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// The rows were inserted.
    Imported(Imported),
    /// The rows are kept as a pending statement, because the card is paid later.
    Held(PendingBill),
}

/// The result of a confirmed import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The entry in the log. None if nothing was inserted.
    pub import_id: Option<ImportId>,
    /// The inserted transactions, in the order of the rows.
    pub transactions: Vec<Transaction>,
    /// The rows that were skipped: duplicates, rows that a rule skips, and yield on an account that yields by itself.
    pub skipped: Vec<SkippedRow>,
    /// The rows that are transfers.
    pub linked: Vec<LinkedRow>,
}

/// A row of a confirmed import that was not inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Its position in the request, from 0.
    pub row: usize,
    /// Why it was not inserted.
    pub reason: SkipReason,
}

/// A row of a confirmed import that is a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkedRow {
    /// Its position in the request, from 0.
    pub row: usize,
    /// The other side. None if it is not kept here.
    pub transaction_id: Option<TransactionId>,
    /// The transfer. None if the other side is not kept here.
    pub transfer_id: Option<TransferId>,
    /// The bill that it pays, if the card's leg was created here.
    pub bill_id: Option<BillId>,
}

/// Inserts the rows that are not stored yet, and links those that are transfers. It skips, and lists, the other rows: duplicates,
/// rows that a rule skips, and yield on an account that yields by itself. A card statement whose payment date is after today is
/// kept as pending instead, and nothing is inserted.
///
/// Duplicates and transfers are found as in [`preview`](super::preview). Writers of one profile run one after another
/// ([`Access::Write`](crate::Access::Write)), so of two concurrent confirms one inserts a row, and a transaction is
/// linked once.
///
/// # Errors
///
/// [`Error::Invalid`] with every invalid row, or [`Refusal::LimitReached`] if the statement would be kept as pending. Nothing is
/// saved then.
pub fn confirm(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Confirmed> {
    let target = input.target;
    let format = input.format.unwrap_or(StatementFormat::Ofx);
    let due_date = input.due_date;
    let Checked { account, file_name, rows, balances, rejected } = check(repo, context, input)?;
    if let (Some(card), Some(due_date)) = (account.as_ref().filter(|_| target.is_credit_card), due_date) {
        credit_bills::take_due_date(repo, card.id, due_date, context.today)?;
    }
    let mut written = Written::default();
    let mut judged = judge_rows(repo, context, &mut written, account.as_ref(), &target, rows)?;
    match target.effective_date().filter(|date| *date > context.today && !judged.new.is_empty()) {
        Some(payment_date) => {
            // Duplicates are never saved: duplicates in held rows would count twice for the next file.
            let ImportTarget { account_id, .. } = target;
            let is_payment = |fate: &Fate| !matches!(fate, Fate::Ordinary { .. });
            let held = |new: NewRow| NewHeldRow { is_transfer: is_payment(&new.fate), row: new.row };
            let rows = judged.new.into_iter().map(held).collect();
            let new = NewPendingBill { account_id, payment_date, file_name, format, rows };
            let held = hold(repo, &new)?;
            ledger::finish(repo, context, written, &[])?;
            Ok(Confirmed::Held(held))
        }
        None => {
            let mut left_out = rejected;
            left_out.append(&mut judged.left_out);
            let imported = save(repo, context, written, &target, format, file_name, judged)?;
            if let Some(import_id) = imported.import_id {
                anchors::keep_of_import(repo, context, import_id, &balances, left_out)?;
            }
            Ok(Confirmed::Imported(imported))
        }
    }
}

/// An import that was checked.
struct Checked {
    account: Option<Account>,
    file_name: Option<String>,
    rows: Vec<StatementRow>,
    balances: Vec<FileBalance>,
    rejected: Vec<LeftOutRow>,
}

fn check(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Checked> {
    let mut errors = input.errors;
    let account = check_target(repo, context, &input.target, &mut errors)?;
    let file_name = input.file_name.and_then(|name| errors.check("file_name", text::optional(&name))).flatten();
    let rows = errors.require("rows", input.rows).unwrap_or_default();
    if rows.len() > ROWS_MAX {
        errors.push("rows", Violation::TooMany { max: ROWS_MAX as i64 });
        errors.into_result()?;
        return Err(Error::Internal("too many rows passed the check".into()));
    }
    let categories: HashSet<CategoryId> = repo.category_list()?.into_iter().map(|category| category.id).collect();
    let rows: Vec<_> =
        rows.into_iter().enumerate().filter_map(|(at, row)| row?.check(at, &categories, &mut errors)).collect();
    if !input.balances.is_empty() {
        let kinds = repo.account_kinds()?;
        if input.balances.iter().any(|balance| !kinds.contains_key(&balance.account_id)) && !errors.has("account_id") {
            errors.push("statements", Violation::NoSuchAccount);
        }
    }
    errors.into_result()?;
    Ok(Checked { account, file_name, rows, balances: input.balances, rejected: input.rejected })
}

/// Inserts checked rows that are not stored yet, even before the payment date.
pub(crate) fn insert(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    format: StatementFormat,
    file_name: Option<String>,
    rows: Vec<StatementRow>,
) -> Result<Imported> {
    let account = target.account_id.map_or(Ok(None), |id| repo.account_get(id, context.today))?;
    let mut written = Written::default();
    let mut judged = judge_rows(repo, context, &mut written, account.as_ref(), target, rows)?;
    let left_out = std::mem::take(&mut judged.left_out);
    let imported = save(repo, context, written, target, format, file_name, judged)?;
    if let Some(import_id) = imported.import_id {
        anchors::keep_of_import(repo, context, import_id, &[], left_out)?;
    }
    Ok(imported)
}

/// The rows of an import: new and skipped ones.
struct JudgedRows {
    new: Vec<NewRow>,
    skipped: Vec<SkippedRow>,
    /// The first of the skipped rows, those that are stored already last.
    left_out: Vec<LeftOutRow>,
    /// The legs made here that rows are.
    legs: Vec<TransactionId>,
    /// The subject of the award for all rows together.
    statement: String,
}

/// A row that is not stored yet, with the external id to store.
struct NewRow {
    /// Its position in the request, from 0.
    position: usize,
    row: StatementRow,
    fate: Fate,
}

/// Judges the rows, and records the statement's values for rows that were created here.
fn judge_rows(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: Vec<StatementRow>,
) -> Result<JudgedRows> {
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let known = known_rows::compare(repo, context, account, target, &rows, &candidates)?;
    let statement = rules::statement(&candidates);
    let rules = Rules::new(repo.rule_list()?);
    let mut judged =
        JudgedRows { new: Vec::new(), skipped: Vec::new(), left_out: Vec::new(), legs: Vec::new(), statement };
    let mut duplicates: Vec<LeftOutRow> = Vec::new();
    let mut left: Vec<(usize, StatementRow)> = Vec::new();
    let mut told: Vec<(MadeHere, StatementRow)> = Vec::new();
    let compared = rows.into_iter().zip(&candidates).zip(known);
    for (at, ((row, candidate), KnownRow { judgement, made_here })) in compared.enumerate() {
        let mut row = StatementRow { external_id: judgement.external_id, ..row };
        let left_out = |row: &StatementRow| LeftOutRow {
            account_id: target.account_id,
            date: row.date,
            kind: row.kind,
            amount: row.amount,
            description: row.statement_description().to_string(),
        };
        let reason = if judgement.duplicate {
            keep_left_out(&mut duplicates, || left_out(&row));
            if let Some(MadeHere::Leg(id)) = made_here {
                judged.legs.push(id);
            }
            told.extend(made_here.map(|made_here| (made_here, row)));
            match judgement.duplicate_of {
                Some(id) => SkipReason::Duplicate { transaction_id: id.0 },
                None => SkipReason::DuplicateOfPending,
            }
        } else if !row.is_kept && is_automatic_yield(account, candidate) {
            keep_left_out(&mut judged.left_out, || left_out(&row));
            SkipReason::AutomaticYield
        } else {
            let outcome = decide(&rules, target.account_id, &row, candidate);
            match outcome.skip.filter(|_| !row.is_kept).and_then(|decided| decided.rule_id) {
                Some(id) => {
                    keep_left_out(&mut judged.left_out, || left_out(&row));
                    SkipReason::SkippedByRule { rule_id: id.0 }
                }
                None => {
                    if outcome.transfer.is_some() && row.choice == Choice::Unsaid {
                        row.choice = Choice::Transfer;
                    }
                    row.tags = outcome.tags_to_add();
                    left.push((at, row));
                    continue;
                }
            }
        };
        judged.skipped.push(SkippedRow { row: at, reason });
    }
    judged.left_out.append(&mut duplicates);
    if let Some(account) = account {
        known_rows::tell(repo, written, account, target, &told)?;
        if recognition::may_pay_bills(context, account, left.iter().map(|(_, row)| row)) {
            bill_refresh::refresh(repo, context.today)?;
        }
    }
    let (positions, rows): (Vec<usize>, Vec<StatementRow>) = left.into_iter().unzip();
    let of_rows: Vec<&StatementRow> = rows.iter().collect();
    let mut errors = FieldErrors::default();
    let fates = recognition::fates(repo, context, account, &of_rows, &positions, &mut errors)?;
    errors.into_result()?;
    let new = positions.into_iter().zip(rows).zip(fates);
    judged.new = new.map(|((position, row), fate)| NewRow { position, row, fate }).collect();
    Ok(judged)
}

/// Adds a row that is left out, while there is room.
fn keep_left_out(rows: &mut Vec<LeftOutRow>, row: impl FnOnce() -> LeftOutRow) {
    if rows.len() < LEFT_OUT_MAX {
        rows.push(row());
    }
}

/// Keeps a statement as pending.
fn hold(repo: &mut dyn Repo, new: &NewPendingBill) -> Result<PendingBill> {
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.pending_bill_count()? >= PENDING_BILLS_MAX {
        return Err(Refusal::LimitReached { what: "pending bills", max: PENDING_BILLS_MAX }.into());
    }
    repo.pending_bill_insert(new)
}

fn save(
    repo: &mut dyn Repo,
    context: &Context,
    mut written: Written,
    target: &ImportTarget,
    format: StatementFormat,
    file_name: Option<String>,
    JudgedRows { new, skipped, legs, statement, .. }: JudgedRows,
) -> Result<Imported> {
    if new.is_empty() {
        ledger::finish(repo, context, written, &[])?;
        return Ok(Imported { import_id: None, transactions: Vec::new(), skipped, linked: Vec::new() });
    }
    let account_id = target.account_id;
    let (inserted, skipped_count) = (new.len(), skipped.len());
    let import = NewImport { file_name, format, account_id, inserted, skipped: skipped_count };
    let import_id = ledger::new_import(repo, &import)?;
    ledger::note_import(repo, &legs, import_id)?;
    let is_paired = |new: &&NewRow| matches!(new.fate, Fate::Paired(_) | Fate::PaysBill(_) | Fate::PaysCard(_));
    let mut transfer_ids = ledger::new_transfers(repo, new.iter().filter(is_paired).count())?.into_iter();
    let mut rows = Vec::with_capacity(new.len());
    let mut paying = Vec::new();
    let mut linked = Vec::new();
    let mut ties = Vec::new();
    for NewRow { position, row, fate } in new {
        let transfer_id = match fate {
            Fate::Paired(_) | Fate::PaysBill(_) | Fate::PaysCard(_) => transfer_ids.next(),
            Fate::Ordinary { .. } | Fate::Single => None,
        };
        let is_transfer = !matches!(fate, Fate::Ordinary { .. });
        // A payment counts on the day on which it was made, even if the bill of its statement is paid on another day.
        let moved_to = target.effective_date().filter(|_| !(is_transfer && row.kind == Kind::Income));
        let mut link = LinkedRow { row: position, transaction_id: None, transfer_id, bill_id: None };
        match fate {
            Fate::Ordinary { .. } | Fate::Single | Fate::PaysCard(_) => {}
            Fate::Paired(id) => {
                link.transaction_id = Some(id);
                ties.push(Tie { id, transfer_id, is_transfer: true, is_kept_unlinked: false });
            }
            Fate::PaysBill(ref bill) => link.bill_id = Some(bill.id),
        }
        let paid = match &fate {
            Fate::PaysBill(bill) => Some((bill.account_id, payment_description(bill.due_date))),
            Fate::PaysCard(card) => Some((*card, row.description.clone())),
            Fate::Ordinary { .. } | Fate::Single | Fate::Paired(_) => None,
        };
        if let (Some((to_account_id, description)), Some(id), Some(from_account_id)) = (paid, transfer_id, account_id) {
            let (amount, date) = (row.amount, moved_to.unwrap_or(row.date));
            let transfer = NewTransfer { from_account_id, to_account_id, amount, date, description };
            paying.push((linked.len(), id, transfer, link.bill_id));
        }
        if is_transfer {
            linked.push(link);
        }
        rows.push(NewTransaction {
            category_id: row.category_id,
            account_id,
            original_date: moved_to.map(|_| row.date),
            external_id: row.external_id,
            statement_description: row.statement_description,
            source: format.source(),
            import_id: Some(import_id),
            transfer_id,
            is_transfer,
            is_kept_unlinked: fate == Fate::Ordinary { is_kept_unlinked: true },
            details: Details { tags: row.tags, ..Details::default() },
            ..NewTransaction::new(row.kind, moved_to.unwrap_or(row.date), row.description, row.amount)
        });
    }
    rows.extend(paying.iter().map(|(_, id, transfer, _)| {
        let [_, card_leg] = transfer.legs(*id);
        card_leg
    }));
    let mut transactions = ledger::insert(repo, &mut written, &rows)?;
    ledger::tie(repo, &mut written, &ties)?;
    let card_legs = transactions.split_off(inserted);
    let mut payments = Vec::with_capacity(paying.len());
    for ((at, transfer_id, transfer, bill_id), leg) in paying.into_iter().zip(card_legs) {
        linked[at].transaction_id = Some(leg.id);
        let NewTransfer { amount, date, .. } = transfer;
        let payment = |bill_id| NewBillPayment { bill_id, amount, date, transfer_id: Some(transfer_id) };
        payments.extend(bill_id.map(payment));
    }
    ledger::pay(repo, &payments)?;
    written.tell(Notice::ImportConfirmed { import_id, account_id, inserted, skipped: skipped_count });
    ledger::finish(repo, context, written, &[Event::ImportConfirmed { statement: &statement }])?;
    Ok(Imported { import_id: Some(import_id), transactions, skipped, linked })
}
