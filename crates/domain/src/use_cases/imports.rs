//! Use cases of imports: a preview that saves nothing, and a confirm that saves all or nothing.

use std::collections::HashSet;

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::gamification::{self as rules, Event};
use crate::ids::{AccountId, CategoryId, ImportId, TransactionId};
use crate::imports::{
    Candidate, Comparison, Import, ImportInput, ImportTarget, NewImport, PreviewRow, ROWS_MAX, StatementFormat,
    StatementRow, judge,
};
use crate::pending_bills::{NewPendingBill, PendingBill};
use crate::store::Repo;
use crate::text;
use crate::transactions::{NewTransaction, Transaction};
use crate::use_cases::{accounts, gamification, pending_bills};

/// A row of a confirmed import that was not inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Its position in the request, from 0.
    pub row: usize,
    /// The transaction that it duplicates. None where that is a row of a pending statement.
    pub duplicate_of: Option<TransactionId>,
}

/// The result of a confirmed import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The entry in the log. None where nothing was inserted.
    pub import_id: Option<ImportId>,
    /// The inserted transactions, in the order of the rows.
    pub transactions: Vec<Transaction>,
    /// The rows that were skipped as duplicates.
    pub skipped: Vec<SkippedRow>,
}

/// What a confirm did with the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// They were inserted.
    Imported(Imported),
    /// They are kept as a pending statement, because the card is paid later.
    Held(PendingBill),
}

/// The caller's import log, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>> {
    repo.import_list(after, limit)
}

/// Undoes an import: deletes its transactions, even edited ones. Returns how many.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such import.
pub fn undo(repo: &mut dyn Repo, id: ImportId) -> Result<u64> {
    repo.import_delete(id)?.ok_or(Error::NotFound("import"))
}

/// Finds the rows of a statement that are stored already, and suggests categories. Saves nothing.
///
/// # Errors
///
/// [`Error::Invalid`] where the target is not valid.
pub fn preview(repo: &mut dyn Repo, target: &ImportTarget, rows: Vec<StatementRow>) -> Result<Vec<PreviewRow>> {
    let mut errors = FieldErrors::default();
    check_target(repo, target, &mut errors)?;
    errors.into_result()?;
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let stored = repo.stored_rows(&Comparison::of(target.account_id, &candidates))?;
    let judgements = judge(&candidates, &stored);
    let new = candidates.iter().zip(&judgements).filter(|(_, judgement)| !judgement.duplicate);
    let mut descriptions: Vec<String> = new.map(|(candidate, _)| candidate.content.description.clone()).collect();
    descriptions.sort_unstable();
    descriptions.dedup();
    let suggestions = repo.category_suggestions(&descriptions)?;
    let rows = rows.into_iter().zip(candidates).zip(judgements);
    Ok(rows
        .map(|((mut row, candidate), judgement)| {
            row.external_id = judgement.external_id;
            row.category_id = suggestions.get(&candidate.content.description).copied().filter(|_| !judgement.duplicate);
            PreviewRow {
                row,
                duplicate: judgement.duplicate,
                duplicate_of: judgement.duplicate_of,
                similar_to: judgement.similar_to,
            }
        })
        .collect())
}

/// Inserts the rows that are not stored yet, and lists the others. A card statement whose payment date
/// is after today is kept as pending instead, and nothing is inserted.
///
/// Duplicates are found as in [`preview`]. Writers of one profile run one after another
/// ([`Access::Write`](crate::Access::Write)), so of two concurrent confirms one inserts a row.
///
/// # Errors
///
/// [`Error::Invalid`] with every invalid row, or [`Refusal::LimitReached`](crate::Refusal::LimitReached)
/// where the statement would be kept as pending. Nothing is saved then.
pub fn confirm(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Confirmed> {
    let target = input.target;
    let format = input.format.unwrap_or(StatementFormat::Ofx);
    let (file_name, rows) = check(repo, input)?;
    let judged = judge_rows(repo, target.account_id, rows)?;
    match target.effective_date().filter(|date| *date > context.today && !judged.new.is_empty()) {
        Some(payment_date) => {
            // Duplicates are never saved: held ones would count twice for the next file.
            let ImportTarget { account_id, .. } = target;
            let new = NewPendingBill { account_id, payment_date, file_name, format, rows: judged.new };
            Ok(Confirmed::Held(pending_bills::hold(repo, &new)?))
        }
        None => Ok(Confirmed::Imported(save(repo, context, &target, format, file_name, judged)?)),
    }
}

fn check(repo: &mut dyn Repo, input: ImportInput) -> Result<(Option<String>, Vec<StatementRow>)> {
    let mut errors = input.errors;
    check_target(repo, &input.target, &mut errors)?;
    let file_name = input.file_name.and_then(|name| errors.check("file_name", text::optional(&name))).flatten();
    let rows = errors.require("rows", input.rows).unwrap_or_default();
    if rows.len() > ROWS_MAX {
        errors.push("rows", format!("must be at most {ROWS_MAX} rows"));
        errors.into_result()?;
        return Err(Error::Internal("too many rows passed the check".into()));
    }
    let categories: HashSet<CategoryId> = repo.category_list()?.into_iter().map(|category| category.id).collect();
    let rows: Vec<_> =
        rows.into_iter().enumerate().filter_map(|(at, row)| row?.check(at, &categories, &mut errors)).collect();
    errors.into_result()?;
    Ok((file_name, rows))
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
    let judged = judge_rows(repo, target.account_id, rows)?;
    save(repo, context, target, format, file_name, judged)
}

/// The rows of an import: new ones and duplicates.
struct JudgedRows {
    /// Rows that are not stored yet, with the external ids to store.
    new: Vec<StatementRow>,
    skipped: Vec<SkippedRow>,
    /// The subject of the award for all rows together.
    statement: String,
}

fn judge_rows(repo: &mut dyn Repo, account_id: Option<AccountId>, rows: Vec<StatementRow>) -> Result<JudgedRows> {
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let stored = repo.stored_rows(&Comparison::of(account_id, &candidates))?;
    let statement = rules::statement(&candidates);
    let mut judged = JudgedRows { new: Vec::new(), skipped: Vec::new(), statement };
    for (at, (row, judgement)) in rows.into_iter().zip(judge(&candidates, &stored)).enumerate() {
        if judgement.duplicate {
            judged.skipped.push(SkippedRow { row: at, duplicate_of: judgement.duplicate_of });
        } else {
            judged.new.push(StatementRow { external_id: judgement.external_id, ..row });
        }
    }
    Ok(judged)
}

fn save(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    format: StatementFormat,
    file_name: Option<String>,
    JudgedRows { new, skipped, statement }: JudgedRows,
) -> Result<Imported> {
    if new.is_empty() {
        return Ok(Imported { import_id: None, transactions: Vec::new(), skipped });
    }
    let account_id = target.account_id;
    let (inserted, skipped_count) = (new.len(), skipped.len());
    let import = NewImport { file_name, format, account_id, inserted, skipped: skipped_count };
    let import_id = repo.import_insert(&import)?;
    let new: Vec<_> = new
        .into_iter()
        .map(|row| NewTransaction {
            category_id: row.category_id,
            account_id,
            original_date: target.effective_date().map(|_| row.date),
            external_id: row.external_id,
            source: format.source(),
            import_id: Some(import_id),
            ..NewTransaction::new(row.kind, target.effective_date().unwrap_or(row.date), row.description, row.amount)
        })
        .collect();
    let transactions = repo.transaction_insert(&new)?;
    gamification::notify(repo, context, &[Event::ImportConfirmed { statement: &statement }])?;
    Ok(Imported { import_id: Some(import_id), transactions, skipped })
}

fn check_target(repo: &mut dyn Repo, target: &ImportTarget, errors: &mut FieldErrors) -> Result<()> {
    let account = accounts::check_reference(repo, "account_id", target.account_id, errors)?;
    if target.is_credit_card && account.is_some_and(|account| account.kind != AccountKind::Credit) {
        errors.push("account_id", "must be a credit account for a card statement");
    }
    Ok(())
}
