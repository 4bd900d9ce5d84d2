//! Statement imports: their rows, the stored rows that they are compared with, and the import log.

mod duplicates;
mod statements;

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, ImportId, InboxItemId, TransactionId};
use crate::money::Money;
use crate::transactions::{BeforeStatement, Details, Kind, LineInput, Removed, Source, check_lines, check_note};
use crate::transfers::Choice;
use crate::violations::{Violation, coded};
use crate::words::words;
use crate::{tags, text};

pub use duplicates::{Candidate, Content, Judgement, SIMILAR_DAYS_MAX, Stored, base_id, judge};
pub use statements::{BALANCES_MAX, DayBalance, FileStatement, PreviewedStatement, STATEMENTS_MAX, StatementInput};

/// The most later imports that are noted with a row which they brought again.
pub const REPEATS_MAX: i64 = 20;

/// The most imports in the log of one profile.
pub const IMPORTS_MAX: usize = 50_000;

/// The most rows of one import.
pub const ROWS_MAX: usize = 50_000;

/// The most rows that an import left out and that are kept with it.
pub const LEFT_OUT_MAX: usize = 200;

/// A balance that a file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileBalance {
    /// The account. Balances of cards are not kept.
    pub account_id: AccountId,
    /// The day at whose end the account held it.
    pub date: Date,
    /// The balance. Below zero if money was owed.
    pub amount: Money,
}

/// A row of a file that an import left out: it was rejected, or skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOutRow {
    /// The account of its statement. None if that is not known.
    pub account_id: Option<AccountId>,
    /// Its date.
    pub date: Date,
    /// Income or expense.
    pub kind: Kind,
    /// Its amount, above zero.
    pub amount: Money,
    /// Its description, 1 to 255 characters.
    pub description: String,
}

words! {
    /// The file format of a statement.
    pub enum StatementFormat {
        /// Open Financial Exchange.
        Ofx = "ofx",
        /// Delimiter-separated values.
        Csv = "csv",
    }
}

impl StatementFormat {
    pub(crate) fn source(self) -> Source {
        match self {
            StatementFormat::Ofx => Source::Ofx,
            StatementFormat::Csv => Source::Csv,
        }
    }
}

/// The account a statement belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportTarget {
    /// The account of the statement.
    pub account_id: Option<AccountId>,
    /// Whether it is a card statement. Its account must then be a card.
    pub is_credit_card: bool,
    /// The date on which the bill of the card is paid. Ignored without `is_credit_card`.
    pub payment_date: Option<Date>,
    /// When the statement was held, if it was. Its rows were compared then with what was stored, and so was every statement that
    /// came since with its rows: only what was entered otherwise since may be one of them.
    pub held_at: Option<OffsetDateTime>,
}

impl ImportTarget {
    /// The date that replaces the dates of all rows, if there is one.
    pub fn effective_date(&self) -> Option<Date> {
        self.payment_date.filter(|_| self.is_credit_card)
    }
}

/// A row of a statement, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementRow {
    /// The date in the statement.
    pub date: Date,
    /// Its description, 1 to 255 characters.
    pub description: String,
    /// The description in the statement, if it differs.
    pub statement_description: Option<String>,
    /// The amount, above zero.
    pub amount: Money,
    /// Income or expense.
    pub kind: Kind,
    /// The bank's id for the row.
    pub external_id: Option<String>,
    /// Its category, if it has one.
    pub category_id: Option<CategoryId>,
    /// The client's choice: whether it is a transfer.
    pub choice: Choice,
    /// Whether it is stored even if it would otherwise be skipped.
    pub is_kept: bool,
    /// Its lines, tags and note, with the tags that rules add.
    pub details: Details,
    /// What earlier versions of the reader made of it, if that differs.
    pub former: Option<FormerRow>,
    /// The currency of its amount, in capital letters. None if it is the real.
    pub currency: Option<String>,
    /// The name of its category in the statement, if it has one.
    pub category_name: Option<String>,
    /// The index of its statement in the file.
    pub statement: usize,
}

/// What earlier versions of the reader made of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerRow {
    /// The date, if it differs.
    pub date: Option<Date>,
    /// The description.
    pub description: String,
    /// The amount, above zero.
    pub amount: Money,
    /// Income or expense.
    pub kind: Kind,
}

impl StatementRow {
    /// A row of the first statement, in reais, about which nothing else is known.
    pub fn new(date: Date, description: impl Into<String>, amount: Money, kind: Kind) -> Self {
        StatementRow {
            date,
            description: description.into(),
            statement_description: None,
            amount,
            kind,
            external_id: None,
            category_id: None,
            choice: Choice::Unsaid,
            is_kept: false,
            details: Details::default(),
            former: None,
            currency: None,
            category_name: None,
            statement: 0,
        }
    }

    /// The description in its statement.
    pub fn statement_description(&self) -> &str {
        self.statement_description.as_deref().unwrap_or(&self.description)
    }

    /// The values that decide whether the row is already stored.
    pub fn candidate(&self) -> Candidate {
        Candidate {
            content: Content {
                date: self.date,
                kind: self.kind,
                amount: self.amount,
                description: text::normalized(self.statement_description()),
            },
            external_id: self.external_id.clone(),
            former: self.former.as_ref().map(|former| Content {
                date: former.date.unwrap_or(self.date),
                kind: former.kind,
                amount: former.amount,
                description: text::normalized(&former.description),
            }),
        }
    }
}

coded! {
    /// Why a row of a confirmed import is not inserted.
    pub enum SkipReason {
        /// It is already stored.
        Duplicate {
            /// The transaction that it duplicates.
            transaction_id: i64,
        } => "duplicate", "duplicate of transaction {transaction_id}";
        /// A rule skips it.
        SkippedByRule {
            /// The rule.
            rule_id: i64,
        } => "skipped_by_rule", "skipped by rule {rule_id}";
        /// A pending statement has the same row.
        DuplicateOfPending => "duplicate_of_pending", "duplicate of a row in a pending bill";
        /// It reports yield on an account whose yield type is not `none`.
        AutomaticYield => "automatic_yield", "automatic_yield";
        /// Its amount is in another currency.
        OtherCurrency {
            /// The currency.
            currency: String,
        } => "other_currency", "in {currency}, not in reais";
        /// Other statements of the file have an account, and its own has none.
        NotChosen => "not_chosen", "no account was chosen for its statement";
    }
}

/// An import to confirm, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ImportInput {
    /// The account of the statement.
    pub target: ImportTarget,
    /// The file's name, up to 255 characters.
    pub file_name: Option<String>,
    /// The file's format; OFX if absent.
    pub format: Option<StatementFormat>,
    /// The file in the inbox that the rows are from.
    pub inbox_id: Option<InboxItemId>,
    /// The due date of the card's bill in the statement. Used only for a card, in place of the card's own days.
    pub due_date: Option<Date>,
    /// The statements of the file. Empty if the client does not tell them apart.
    pub statements: Vec<StatementInput>,
    /// Required. A row is None if it could not be read; `errors` says so already.
    pub rows: Option<Vec<Option<RowInput>>>,
    /// The lines of the file that a preview rejected and of which date, type and amount are known.
    pub rejected: Vec<LeftOutRow>,
    /// Fields that could not be read. They are reported together with those that break a rule.
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
    /// The description in the statement, 1 to 255 characters. The same as `description` if absent.
    pub statement_description: Option<String>,
    /// One of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// Whether it is a transfer.
    pub choice: Choice,
    /// Whether it is stored even if it would otherwise be skipped.
    pub is_kept: bool,
    /// What earlier versions of the reader made of it, as a preview returned it. Few rows have it, and a file has many rows.
    pub former: Option<Box<FormerInput>>,
    /// The currency of its amount. None if it is the real.
    pub currency: Option<String>,
    /// The index of its statement.
    pub statement: Option<usize>,
    /// Its lines, tags and note.
    pub details: DetailsInput,
}

/// The lines, tags and note of a row, as a client sends them, not yet checked. They follow the rules of
/// [`TransactionInput`](crate::transactions::TransactionInput).
#[derive(Debug, Clone, Default)]
pub struct DetailsInput {
    /// The lines that it is split into. A line is None if it could not be read; `errors` says so already.
    pub lines: Option<Vec<Option<LineInput>>>,
    /// The tags. A tag is None if it could not be read; `errors` says so already.
    pub tags: Option<Vec<Option<String>>>,
    /// The note.
    pub note: Option<String>,
}

impl DetailsInput {
    fn is_empty(&self) -> bool {
        self.lines.is_none() && self.tags.is_none() && self.note.is_none()
    }
}

/// What earlier versions of the reader made of a row, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct FormerInput {
    /// The date, if it differs.
    pub date: Option<Date>,
    /// Required, 1 to 255 characters.
    pub description: Option<String>,
    /// Required, above 0.
    pub amount: Option<Money>,
    /// Required.
    pub kind: Option<Kind>,
}

/// The most characters of a currency.
const CURRENCY_CHARS_MAX: usize = 8;

impl RowInput {
    pub(crate) fn check(
        self,
        at: usize,
        categories: &HashSet<CategoryId>,
        errors: &mut FieldErrors,
    ) -> Option<StatementRow> {
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
        let statement_description = self
            .statement_description
            .and_then(|text| checked(errors, || field("statement_description"), text::description(&text)));
        if self.category_id.is_some_and(|id| !categories.contains(&id)) {
            errors.push(field("category_id"), Violation::NoSuchCategory);
        }
        let details = match self.details.is_empty() {
            true => Details::default(),
            false => {
                let mut own = FieldErrors::default();
                let DetailsInput { lines, tags, note } = self.details;
                let details = Details {
                    lines: lines.map(|lines| check_lines(lines, amount, categories, &mut own)).unwrap_or_default(),
                    tags: tags::check(tags, &mut own),
                    note: check_note(note, &mut own),
                };
                if details.is_split() && self.category_id.is_some() {
                    own.push("category_id", Violation::WithLines);
                }
                if details.is_split() && !matches!(self.choice, Choice::Unsaid | Choice::Ordinary) {
                    own.push("lines", Violation::LinesOfTransfer);
                }
                own.iter().for_each(|error| errors.push(field(&error.field), error.violation.clone()));
                details
            }
        };
        let former = self.former.and_then(|former| former.check(&field("former"), errors));
        let currency =
            self.currency.map(|currency| currency.trim().to_uppercase()).filter(|currency| currency != "BRL");
        if currency.as_ref().is_some_and(|currency| !(1..=CURRENCY_CHARS_MAX).contains(&currency.chars().count())) {
            errors.push(field("currency"), Violation::Blank { max: CURRENCY_CHARS_MAX as i64 });
        }
        Some(StatementRow {
            statement_description: statement_description.filter(|text| Some(text) != description.as_ref()),
            external_id,
            category_id: self.category_id,
            choice: self.choice,
            is_kept: self.is_kept,
            former,
            currency,
            statement: self.statement.unwrap_or_default(),
            details,
            ..StatementRow::new(date?, description?, amount?, kind?)
        })
    }
}

impl FormerInput {
    fn check(self, field: &str, errors: &mut FieldErrors) -> Option<FormerRow> {
        let field = |name: &str| format!("{field}.{name}");
        let description = required(errors, || field("description"), self.description)
            .and_then(|description| checked(errors, || field("description"), text::description(&description)));
        let amount = required(errors, || field("amount"), self.amount)
            .and_then(|amount| checked(errors, || field("amount"), amount.transaction_amount()));
        let kind = required(errors, || field("type"), self.kind);
        Some(FormerRow { date: self.date, description: description?, amount: amount?, kind: kind? })
    }
}

/// [`FieldErrors::require`] with a field name that is built only on an error: a file has many rows.
fn required<T>(errors: &mut FieldErrors, field: impl Fn() -> String, value: Option<T>) -> Option<T> {
    if value.is_none() {
        errors.push(field(), Violation::Required);
    }
    value
}

/// [`FieldErrors::check`] with a field name that is built only on an error.
fn checked<T>(errors: &mut FieldErrors, field: impl Fn() -> String, value: Result<T, Violation>) -> Option<T> {
    value.map_err(|violation| errors.push(field(), violation)).ok()
}

/// An entry to add to the import log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImport {
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// The account. None if the import named none, or several.
    pub account_id: Option<AccountId>,
    /// The number of rows inserted.
    pub inserted: usize,
    /// The number of rows skipped as duplicates.
    pub skipped: usize,
}

/// An entry of the import log: an import that inserted at least one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its id.
    pub id: ImportId,
    /// The file's name.
    pub file_name: Option<String>,
    /// The file's format.
    pub format: StatementFormat,
    /// The account. None if the import named none or several, or the account was deleted.
    pub account_id: Option<AccountId>,
    /// All its accounts, by id.
    pub account_ids: Vec<AccountId>,
    /// The number of rows inserted.
    pub inserted: usize,
    /// The number of rows skipped as duplicates.
    pub skipped: usize,
    /// The instant at which it was confirmed.
    pub created_at: OffsetDateTime,
}

/// The stored rows that a file must be compared with. Stored rows are selected by the values of their statements
/// ([`StatementValues`](crate::transactions::StatementValues)), and also by their current account: if a file was imported into
/// the wrong account, its rows must be found on the account to which they were moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Rows whose statement account or current account is this one, and rows without any account. None for every row of the
    /// profile.
    pub account_id: Option<AccountId>,
    /// Rows with one of these amounts, dated from `first` to `last`.
    pub amounts: Vec<Money>,
    /// The first purchase date.
    pub first: Option<Date>,
    /// The last purchase date.
    pub last: Option<Date>,
    /// Also rows with one of these ids, [without suffix](base_id), whatever their date.
    pub base_ids: Vec<String>,
    /// Of these only transactions that were stored after this instant and that no statement brought.
    pub entered_after: Option<OffsetDateTime>,
}

impl Comparison {
    /// The rows that may be duplicates of, or similar to, one of the given rows.
    pub(crate) fn of(account_id: Option<AccountId>, rows: &[Candidate]) -> Self {
        let contents = || rows.iter().flat_map(|row| std::iter::once(&row.content).chain(&row.former));
        let dates = || contents().map(|content| content.date);
        let days = time::Duration::days(SIMILAR_DAYS_MAX);
        let mut amounts: Vec<Money> = contents().map(|content| content.amount).collect();
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
            entered_after: None,
        }
    }
}

/// The port of imports. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ImportRepo {
    /// The stored rows of the comparison, oldest id first.
    fn stored_rows(&mut self, comparison: &Comparison) -> Result<Vec<Stored>>;
    /// Writes an import to the log.
    fn import_insert(&mut self, new: &NewImport) -> Result<ImportId>;
    /// Sets what an import did: how many rows it inserted and skipped, and on which accounts. Of several accounts none is that of the
    /// import.
    fn import_close(&mut self, id: ImportId, inserted: usize, skipped: usize, accounts: &[AccountId]) -> Result<()>;
    /// The log, newest first: at most `limit` entries that follow the entry `after`, or the first ones.
    fn import_list(&mut self, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>>;
    /// How many entries the log has.
    fn import_count(&mut self) -> Result<usize>;
    /// Notes that an import also brought stored transactions of earlier imports, for at most [`REPEATS_MAX`] imports of each.
    fn import_note_repeated(&mut self, ids: &[TransactionId], id: ImportId) -> Result<()>;
    /// The transactions made here that no import brought and that this one found in its statement, as they were before. The history
    /// tells that, as far as it reaches.
    fn import_taken(&mut self, id: ImportId) -> Result<Vec<BeforeStatement>>;
    /// Deletes an entry and its transactions, as [`transaction_delete`](crate::transactions::TransactionRepo::transaction_delete)
    /// does. What another import also brought stays, and is the last such import's. None if there is no such entry.
    fn import_delete(&mut self, id: ImportId) -> Result<Option<Removed>>;
}
