//! Importing statements: a preview that saves nothing, and a confirm that saves all or nothing.

mod duplicates;

use std::collections::{HashMap, HashSet};

use time::{Date, OffsetDateTime};

use crate::accounts::{self, AccountKind};
use crate::error::{Error, FieldErrors, Result};
use crate::gamification::{self, Happened};
use crate::ids::{AccountId, CategoryId, ImportId, TransactionId};
use crate::money::Money;
use crate::pending_bills::{self, NewPendingBill, PendingBill};
use crate::store::Repo;
use crate::text;
use crate::transactions::{Kind, NewTransaction, Source, Transaction};
use crate::words::words;

pub use duplicates::{Candidate, Content, Judgement, SIMILAR_DAYS_MAX, Stored, base_id, judge};

/// Rows in one import at the most.
pub const ROWS_MAX: usize = 50_000;

words! {
    /// The kind of file a statement came as.
    pub enum StatementFormat {
        /// Open Financial Exchange.
        Ofx = "ofx",
        /// Separated values.
        Csv = "csv",
    }
}

impl StatementFormat {
    fn source(self) -> Source {
        match self {
            StatementFormat::Ofx => Source::Ofx,
            StatementFormat::Csv => Source::Csv,
        }
    }
}

/// Where a statement belongs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportTarget {
    /// The account it is a statement of.
    pub account_id: Option<AccountId>,
    /// Whether it is a card's; its account must then be a card.
    pub is_credit_card: bool,
    /// When the card's bill is paid; counts only with `is_credit_card`.
    pub payment_date: Option<Date>,
}

impl ImportTarget {
    /// The day the rows count on, where it is not their own.
    pub fn effective_date(&self) -> Option<Date> {
        self.payment_date.filter(|_| self.is_credit_card)
    }

    fn check(&self, repo: &mut dyn Repo, errors: &mut FieldErrors) -> Result<()> {
        let account = accounts::check_reference(repo, "account_id", self.account_id, errors)?;
        if self.is_credit_card && account.is_some_and(|account| account.kind != AccountKind::Credit) {
            errors.push("account_id", "must be a credit account for a card statement");
        }
        Ok(())
    }
}

/// A row of a statement, sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow {
    /// The statement's own date.
    pub date: Date,
    /// What it says.
    pub description: String,
    /// How much; above zero.
    pub amount: Money,
    /// Whether money came or went.
    pub kind: Kind,
    /// The bank's id.
    pub external_id: Option<String>,
    /// What it was for.
    pub category_id: Option<CategoryId>,
}

impl StatementRow {
    /// What decides whether the row is stored already.
    pub fn candidate(&self) -> Candidate {
        Candidate {
            content: Content {
                date: self.date,
                kind: self.kind,
                amount: self.amount,
                description: text::normalized(&self.description),
            },
            external_id: self.external_id.clone(),
        }
    }
}

/// A row of a preview: what it says and what was found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewRow {
    /// The row, with the id it would be stored under and the category suggested for it.
    pub row: StatementRow,
    /// Whether it is stored already.
    pub duplicate: bool,
    /// The transaction it is.
    pub duplicate_of: Option<TransactionId>,
    /// A transaction it may be.
    pub similar_to: Option<TransactionId>,
}

/// An import to confirm, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ImportInput {
    /// Where the statement belongs.
    pub target: ImportTarget,
    /// The file's name, up to 255 characters.
    pub file_name: Option<String>,
    /// The file's format; OFX where absent.
    pub format: Option<StatementFormat>,
    /// Required; its rows, none for one that is told in `errors` to be no row at all.
    pub rows: Option<Vec<Option<RowInput>>>,
    /// What could not even be read; told together with what the rules find.
    pub errors: FieldErrors,
}

/// A row to import, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RowInput {
    /// Required.
    pub date: Option<Date>,
    /// Required, 1 to 255 characters.
    pub description: Option<String>,
    /// Required, above 0.
    pub amount: Option<Money>,
    /// Required.
    pub kind: Option<Kind>,
    /// Up to 255 characters.
    pub external_id: Option<String>,
    /// One of the caller's categories.
    pub category_id: Option<CategoryId>,
}

impl RowInput {
    fn check(self, at: usize, categories: &HashSet<CategoryId>, errors: &mut FieldErrors) -> Option<StatementRow> {
        let field = |name: &str| format!("rows[{at}].{name}");
        let date = required(errors, || field("date"), self.date);
        let kind = required(errors, || field("type"), self.kind);
        let description = required(errors, || field("description"), self.description)
            .and_then(|description| checked(errors, || field("description"), text::description(&description)));
        let amount = required(errors, || field("amount"), self.amount)
            .and_then(|amount| checked(errors, || field("amount"), amount.transaction_amount()));
        let external_id = match self.external_id {
            Some(id) => checked(errors, || field("external_id"), text::optional(&id)).flatten(),
            None => None,
        };
        if self.category_id.is_some_and(|id| !categories.contains(&id)) {
            errors.push(field("category_id"), "no such category");
        }
        Some(StatementRow {
            date: date?,
            description: description?,
            amount: amount?,
            kind: kind?,
            external_id,
            category_id: self.category_id,
        })
    }
}

/// [`FieldErrors::require`] with a name made only when it is needed: a file has many rows.
fn required<T>(errors: &mut FieldErrors, field: impl Fn() -> String, value: Option<T>) -> Option<T> {
    if value.is_none() {
        errors.push(field(), "is required");
    }
    value
}

/// [`FieldErrors::check`] with a name made only when it is needed.
fn checked<T>(errors: &mut FieldErrors, field: impl Fn() -> String, value: Result<T, &'static str>) -> Option<T> {
    value.map_err(|message| errors.push(field(), message)).ok()
}

/// An import for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImport {
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// The account.
    pub account_id: Option<AccountId>,
    /// Rows inserted.
    pub inserted: usize,
    /// Rows skipped as duplicates.
    pub skipped: usize,
}

/// An entry of the import log: an import that inserted something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its id.
    pub id: ImportId,
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// The account; none where the import named none, or the account is gone.
    pub account_id: Option<AccountId>,
    /// Rows it inserted.
    pub inserted: usize,
    /// Rows it skipped as duplicates.
    pub skipped: usize,
    /// When it was confirmed.
    pub created_at: OffsetDateTime,
}

/// Why a row of a confirmed import was not inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Its position in the request, from 0.
    pub row: usize,
    /// The transaction it duplicates; none where that is held in a pending import.
    pub duplicate_of: Option<TransactionId>,
}

/// What a confirm did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The entry in the log; none where nothing was inserted.
    pub import_id: Option<ImportId>,
    /// What was inserted, in the order of the rows.
    pub transactions: Vec<Transaction>,
    /// The rows that were stored already.
    pub skipped: Vec<SkippedRow>,
}

/// What became of a confirmed import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmed {
    /// It was inserted.
    Imported(Imported),
    /// It is a card's, to be paid later: it is held until then.
    Held(PendingBill),
}

/// Which stored rows a file must be compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The account, with the rows of no account; every row of the profile where none is named.
    pub account_id: Option<AccountId>,
    /// Rows of these amounts …
    pub amounts: Vec<Money>,
    /// … from this purchase date …
    pub first: Option<Date>,
    /// … to this one;
    pub last: Option<Date>,
    /// and rows of these ids, [without suffix](base_id), whatever their date.
    pub base_ids: Vec<String>,
}

impl Comparison {
    /// What could be a duplicate of, or similar to, one of the rows.
    fn of(account_id: Option<AccountId>, rows: &[Candidate]) -> Self {
        let dates = || rows.iter().map(|row| row.content.date);
        let days = time::Duration::days(SIMILAR_DAYS_MAX);
        let mut amounts: Vec<Money> = rows.iter().map(|row| row.content.amount).collect();
        amounts.sort_unstable();
        amounts.dedup();
        let mut base_ids: Vec<String> =
            rows.iter().filter_map(|row| row.external_id.as_deref().map(base_id).map(str::to_string)).collect();
        base_ids.sort_unstable();
        base_ids.dedup();
        Comparison {
            account_id,
            amounts,
            first: dates().min().map(|date| date.saturating_sub(days)),
            last: dates().max().map(|date| date.saturating_add(days)),
            base_ids,
        }
    }
}

/// Where imports are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait ImportRepo {
    /// The stored rows of the comparison, oldest id first.
    fn stored_rows(&mut self, comparison: &Comparison) -> Result<Vec<Stored>>;
    /// For each normalized description of the history the category used with it last (by date, then id).
    fn category_suggestions(&mut self, descriptions: &[String]) -> Result<HashMap<String, CategoryId>>;
    /// Writes an import to the log.
    fn import_insert(&mut self, new: &NewImport) -> Result<ImportId>;
    /// The log, newest first, after the entry of that id, at most that many entries.
    fn import_list(&mut self, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>>;
    /// Deletes an entry and the transactions it brought; tells how many, none where there is no such entry.
    fn import_delete(&mut self, id: ImportId) -> Result<Option<u64>>;
}

/// The caller's import log, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>> {
    repo.import_list(after, limit)
}

/// Undoes an import: what it brought is gone, rows edited since included. Tells how many.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such import.
pub fn undo(repo: &mut dyn Repo, id: ImportId) -> Result<u64> {
    repo.import_delete(id)?.ok_or(Error::NotFound("import"))
}

/// Judges the rows of a statement and suggests categories; saves nothing.
///
/// # Errors
///
/// [`Error::Invalid`] where the target is not sound.
pub fn preview(repo: &mut dyn Repo, target: &ImportTarget, rows: Vec<StatementRow>) -> Result<Vec<PreviewRow>> {
    let mut errors = FieldErrors::default();
    target.check(repo, &mut errors)?;
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

/// Inserts the rows that are not stored yet, in one statement; lists the others. A card statement
/// whose payment date is after today is held instead, and nothing is inserted.
///
/// Judges as [`preview`] does. Writers of one profile wait for each other
/// ([`Access::Write`](crate::Access::Write)), so a row confirmed twice at once is inserted once.
///
/// # Errors
///
/// [`Error::Invalid`] naming every unsound row, or [`Refusal::LimitReached`](crate::Refusal::LimitReached)
/// where the statement would be held; nothing is saved then.
pub fn confirm(repo: &mut dyn Repo, input: ImportInput, today: Date) -> Result<Confirmed> {
    let target = input.target;
    let format = input.format.unwrap_or(StatementFormat::Ofx);
    let (file_name, rows) = check(repo, input)?;
    let judged = judge_rows(repo, target.account_id, rows)?;
    match target.effective_date().filter(|date| *date > today && !judged.new.is_empty()) {
        Some(payment_date) => {
            // Duplicates are never saved: held ones would count twice for the next file.
            let ImportTarget { account_id, .. } = target;
            let new = NewPendingBill { account_id, payment_date, file_name, format, rows: judged.new };
            Ok(Confirmed::Held(pending_bills::hold(repo, &new)?))
        }
        None => Ok(Confirmed::Imported(save(repo, &target, format, file_name, judged)?)),
    }
}

fn check(repo: &mut dyn Repo, input: ImportInput) -> Result<(Option<String>, Vec<StatementRow>)> {
    let mut errors = input.errors;
    input.target.check(repo, &mut errors)?;
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

/// Inserts sound rows that are not stored yet, whatever the day.
pub(crate) fn insert(
    repo: &mut dyn Repo,
    target: &ImportTarget,
    format: StatementFormat,
    file_name: Option<String>,
    rows: Vec<StatementRow>,
) -> Result<Imported> {
    let judged = judge_rows(repo, target.account_id, rows)?;
    save(repo, target, format, file_name, judged)
}

/// The rows of an import, told apart.
struct JudgedRows {
    /// Those not stored yet, under the ids to store them with.
    new: Vec<StatementRow>,
    skipped: Vec<SkippedRow>,
    /// The whole of them as a subject of awards.
    statement: String,
}

fn judge_rows(repo: &mut dyn Repo, account_id: Option<AccountId>, rows: Vec<StatementRow>) -> Result<JudgedRows> {
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let stored = repo.stored_rows(&Comparison::of(account_id, &candidates))?;
    let statement = gamification::statement(&candidates);
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
    gamification::notify(repo, &[Happened::ImportConfirmed { statement: &statement }])?;
    Ok(Imported { import_id: Some(import_id), transactions, skipped })
}
