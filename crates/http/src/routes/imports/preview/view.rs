//! The answer to a preview: the checked rows, the rejected lines, and how the file was read.

use std::collections::HashSet;

use finance_domain::Money;
use finance_domain::imports::{DayBalance, FormerRow, PreviewedStatement, StatementFormat, StatementRow};
use finance_domain::transactions::Kind;
use finance_domain::transfers::{Choice, OtherSide, RowTransfer};
use finance_domain::use_cases::imports::{Preview, PreviewRow};
use finance_statements::{CsvLayout, Format, Reason, Rejected};
use serde::Serialize;
use time::Date;
use utoipa::ToSchema;

use super::form::{CardSignView, CardSignWord};
use crate::codes::{ParamsView, RejectedCodeView};
use crate::display::DisplayView;
use crate::routes::accounts::KindView as AccountKindView;
use crate::routes::imports::FormatView;
use crate::routes::imports::suggestion::CategorySuggestionView;
use crate::routes::transactions::KindView;
use crate::routes::transfers::{ConfidenceView, TransferKindView};
use crate::views::{DateView, MoneyView};

/// A parsed statement, and which of its rows are stored already.
#[derive(Serialize, ToSchema)]
#[schema(as = Preview)]
pub(crate) struct PreviewView {
    format: FormatView,
    rows: Vec<PreviewRowView>,
    rejected: Vec<RejectedView>,
    summary: SummaryView,
    /// The detected layout of a CSV file or a spreadsheet; null for OFX.
    detected: Option<DetectedView>,
    /// The headers of a CSV file, or of the first sheet with transactions, as written; empty if there are none, null for OFX.
    headers: Option<Vec<String>>,
    /// The fields of the first five lines after these headers; null for OFX.
    sample: Option<Vec<Vec<String>>>,
    /// The bill's due date, if it is in a card's statement; else null. A confirm takes it.
    due_date: Option<DateView>,
    /// The statements of accounts that the file consists of.
    statements: Vec<StatementView>,
}

/// A file as it was read, beside its rows.
pub(super) struct ReadFile {
    pub(super) format: Format,
    /// The line of each row.
    pub(super) lines: Vec<usize>,
    pub(super) rejected: Vec<Rejected>,
    pub(super) layout: Option<CsvLayout>,
    pub(super) due_date: Option<Date>,
    /// The rows in other currencies, with their positions.
    pub(super) currencies: Vec<(usize, StatementRow)>,
}

impl PreviewView {
    pub(super) fn new(preview: Preview, file: ReadFile) -> Self {
        let Preview { rows, foreign, statements } = preview;
        let ReadFile { format, lines, rejected, layout, due_date, currencies } = file;
        let total = |kind| rows.iter().filter(|row| row.row.kind == kind).map(|row| row.row.amount).sum();
        let duplicates = rows.iter().filter(|row| row.is_duplicate()).count();
        let (detected, headers, sample) = match layout {
            Some(layout) => {
                let detected = DetectedView {
                    separator: layout.separator,
                    decimal_separator: layout.decimal_separator,
                    date_format: layout.date_format,
                    date_column: layout.date_column,
                    description_column: layout.description_column,
                    amount_column: layout.amount_column,
                    sign: layout.sign.map(|sign| CardSignWord::from(sign).into()),
                };
                (Some(detected), Some(layout.headers), Some(layout.sample))
            }
            None => (None, None, None),
        };
        let foreign: HashSet<usize> = foreign.into_iter().collect();
        let mut rejected: Vec<RejectedView> = rejected.into_iter().map(RejectedView::from).collect();
        let foreign_rows = currencies.into_iter().filter(|(at, _)| foreign.contains(at));
        rejected.extend(foreign_rows.map(|(at, row)| RejectedView::foreign(lines[at], row)));
        if statements.len() < 2 {
            rejected.iter_mut().for_each(|rejected| rejected.statement = None);
        }
        if !foreign.is_empty() {
            rejected.sort_by(|one, other| (&one.sheet, one.line).cmp(&(&other.sheet, other.line)));
        }
        let kept = lines.iter().enumerate().filter(|(at, _)| !foreign.contains(at)).map(|(_, line)| *line);
        PreviewView {
            format: match format {
                Format::Ofx => StatementFormat::Ofx,
                Format::Csv => StatementFormat::Csv,
            }
            .into(),
            summary: SummaryView {
                rows: rows.len(),
                new: rows.len() - duplicates,
                duplicates,
                rejected: rejected.len(),
                income: MoneyView(total(Kind::Income)),
                expenses: MoneyView(total(Kind::Expense)),
            },
            rows: rows
                .into_iter()
                .zip(kept)
                .enumerate()
                .map(|(at, (row, line))| PreviewRowView::new(at, row, line))
                .collect(),
            rejected,
            detected,
            headers,
            sample,
            due_date: due_date.map(DateView),
            statements: statements.into_iter().enumerate().map(|(at, one)| StatementView::new(at, one)).collect(),
        }
    }
}

/// One of the statements of accounts that a file consists of.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewStatement)]
struct StatementView {
    /// The position by which rows name it, from 0.
    index: usize,
    /// By which its account is known again: a keyed hash of the numbers in the file. Null if the file does not name the account.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The last characters of the account's number.
    hint: Option<String>,
    /// The kind of the account, if the file says it.
    kind: Option<AccountKindView>,
    /// Null for the real.
    currency: Option<String>,
    /// The number of its rows.
    rows: usize,
    /// The last balance that it states.
    balance: Option<BalanceView>,
    /// Every balance that it states, oldest first.
    balances: Vec<BalanceView>,
    /// What the account would hold after a confirm at the end of the day of `balance`; null without an account or a balance.
    balance_after: Option<MoneyView>,
    /// Whether the account would hold `balance`; null if that is not known.
    agrees: Option<bool>,
    /// The account that its rows are compared with: the given one, or the one that learned the reference.
    account_id: Option<i64>,
}

/// What an account held at the end of a day.
#[derive(Serialize, ToSchema)]
#[schema(as = StatementBalance)]
struct BalanceView {
    amount: MoneyView,
    date: DateView,
}

impl From<DayBalance> for BalanceView {
    fn from(DayBalance { date, amount }: DayBalance) -> Self {
        BalanceView { amount: MoneyView(amount), date: DateView(date) }
    }
}

impl StatementView {
    fn new(index: usize, statement: PreviewedStatement) -> Self {
        let (balance, agrees) = (statement.balance(), statement.agrees());
        let (reference, hint) = statement.key.map(|key| (key.reference, key.hint)).unzip();
        StatementView {
            index,
            reference,
            hint,
            kind: statement.kind.map(AccountKindView::from),
            currency: statement.currency,
            rows: statement.rows,
            balance: balance.map(BalanceView::from),
            balances: statement.balances.into_iter().map(BalanceView::from).collect(),
            balance_after: statement.balance_after.map(MoneyView),
            agrees,
            account_id: statement.account_id.map(|id| id.0),
        }
    }
}

/// A row of a statement.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewRow)]
struct PreviewRowView {
    /// Its position among the rows, from 0.
    row: usize,
    /// Its line in the file, or its row in its sheet, from 1.
    line: usize,
    date: DateView,
    /// The statement's description, or the new one if a rule renames it.
    description: String,
    display: DisplayView,
    /// The description in the statement, if a rule renamed the row, or a person did and the file is our own export; else null. Send
    /// it back with the confirm.
    statement_description: Option<String>,
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
    /// The id it would be stored under.
    external_id: Option<String>,
    /// The suggested category.
    category_id: Option<i64>,
    /// The source of the suggestion; null if there is none.
    suggestion: Option<CategorySuggestionView>,
    /// The tags from rules; a confirm adds them. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    tags: Vec<String>,
    /// Whether a rule leaves it out. If so, a confirm skips it unless it is sent with `keep`.
    skipped_by_rule: bool,
    /// Whether it is stored already.
    duplicate: bool,
    /// The stored transaction; null if a pending import holds the row.
    duplicate_of: Option<i64>,
    /// Whether it is yield on an account with automatic yield. If so, a confirm skips it unless it is sent with `keep`.
    automatic_yield: bool,
    /// A hint: a transaction of the same amount and type within three days, with another description.
    similar_to: Option<i64>,
    /// The transfer that it is, or may be; read only.
    transfer: Option<RowTransferView>,
    /// What a confirm does with it, if it is certainly a transfer. Send `null` instead to make it an ordinary row.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_with: Option<TransferWithView>,
    /// What earlier versions made of the row; absent if it was the same. Send it back with the confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    former: Option<FormerView>,
    /// The currency of the amount; null for the real.
    currency: Option<String>,
    /// The index of its statement.
    statement: usize,
}

/// What earlier versions made of a row.
#[derive(Serialize, ToSchema)]
#[schema(as = FormerRow)]
struct FormerView {
    /// Absent if it is the row's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    date: Option<DateView>,
    description: String,
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
}

impl From<FormerRow> for FormerView {
    fn from(FormerRow { date, description, amount, kind }: FormerRow) -> Self {
        FormerView { date: date.map(DateView), description, amount: MoneyView(amount), kind: kind.into() }
    }
}

impl PreviewRowView {
    fn new(at: usize, judged: PreviewRow, line: usize) -> Self {
        let (duplicate, duplicate_of) = (judged.is_duplicate(), judged.duplicate_of().map(|id| id.0));
        let (skipped_by_rule, automatic_yield) = (judged.is_skipped_by_rule(), judged.is_automatic_yield());
        let row = judged.row;
        PreviewRowView {
            row: at,
            line,
            skipped_by_rule,
            duplicate,
            duplicate_of,
            automatic_yield,
            date: DateView(row.date),
            display: DisplayView::of(&row.description, row.statement_description.as_deref()),
            description: row.description,
            statement_description: row.statement_description,
            amount: MoneyView(row.amount),
            kind: row.kind.into(),
            external_id: row.external_id,
            category_id: row.category_id.map(|id| id.0),
            suggestion: judged.suggestion.map(CategorySuggestionView::from),
            tags: row.details.tags,
            similar_to: judged.similar_to.map(|id| id.0),
            transfer: judged.transfer.map(RowTransferView::from),
            transfer_with: judged.transfer.and_then(|transfer| transfer.choice()).and_then(TransferWithView::of),
            former: row.former.map(FormerView::from),
            currency: row.currency,
            statement: row.statement,
        }
    }
}

/// The transfer that a row of a statement belongs to.
#[derive(Serialize, ToSchema)]
#[schema(as = RowTransfer)]
struct RowTransferView {
    kind: TransferKindView,
    confidence: ConfidenceView,
    /// The other side; null if it is not kept here.
    with: Option<OtherSideView>,
}

impl From<RowTransfer> for RowTransferView {
    fn from(transfer: RowTransfer) -> Self {
        RowTransferView {
            kind: transfer.kind.into(),
            confidence: transfer.confidence.into(),
            with: transfer.with.and_then(|with| match with {
                OtherSide::Transaction(id) => Some(OtherSideView::TransactionId(id.0)),
                OtherSide::Bill(id) => Some(OtherSideView::BillId(id.0)),
                OtherSide::Row(at) => Some(OtherSideView::Row(at)),
                OtherSide::Card(_) => None,
            }),
        }
    }
}

/// The other side of a transfer: a transaction, a bill whose card has no row of the payment, or another row of the file.
#[derive(Serialize, ToSchema)]
#[schema(as = OtherSide)]
#[serde(rename_all = "snake_case")]
enum OtherSideView {
    TransactionId(i64),
    BillId(i64),
    /// Another row of the same file.
    Row(usize),
}

/// The other side of a transfer to confirm: a transaction or a bill. Empty for the certain other side, if there is one.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferWith)]
struct TransferWithView {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transaction_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bill_id: Option<i64>,
}

impl TransferWithView {
    fn of(choice: Choice) -> Option<Self> {
        let (transaction_id, bill_id) = match choice {
            Choice::Unsaid | Choice::Ordinary => return None,
            Choice::Transfer => (None, None),
            Choice::With(id) => (Some(id.0), None),
            Choice::Bill(id) => (None, Some(id.0)),
        };
        Some(TransferWithView { transaction_id, bill_id })
    }
}

/// A line of a file without a usable transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = RejectedLine)]
struct RejectedView {
    /// The sheet of a spreadsheet; absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Extrato")]
    sheet: Option<String>,
    /// The line of the file, or the row of the sheet, from 1.
    line: usize,
    code: RejectedCodeView,
    params: ParamsView,
    /// Why, in Portuguese.
    #[schema(example = "linha de saldo")]
    reason: String,
    /// Its date; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    date: Option<DateView>,
    /// Its amount, or the balance of a line of a balance; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    amount: Option<MoneyView>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    kind: Option<KindView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// The index of its statement; absent if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    statement: Option<usize>,
}

impl RejectedView {
    /// A row in another currency.
    fn foreign(line: usize, row: StatementRow) -> Self {
        let reason = Reason::OtherCurrency { currency: row.currency.unwrap_or_default() };
        RejectedView {
            sheet: None,
            line,
            code: reason.code().into(),
            params: reason.params().into(),
            reason: reason.to_string(),
            date: Some(DateView(row.date)),
            amount: Some(MoneyView(row.amount)),
            kind: Some(row.kind.into()),
            description: Some(row.description),
            statement: Some(row.statement),
        }
    }
}

impl From<Rejected> for RejectedView {
    fn from(rejected: Rejected) -> Self {
        let Rejected { sheet, line, reason, date, cents, description, statement } = rejected;
        let amount = cents.map(|cents| Money::from_cents(cents.into()));
        RejectedView {
            sheet: sheet.map(|name| name.to_string()),
            line,
            code: reason.code().into(),
            params: reason.params().into(),
            reason: reason.to_string(),
            date: date.map(DateView),
            amount: amount.map(|amount| MoneyView(amount.abs())),
            kind: amount.map(|amount| Kind::of(amount).into()),
            description,
            statement: Some(statement),
        }
    }
}

/// The detected layout of a CSV file or a spreadsheet, in the notation of the preview's form.
#[derive(Serialize, ToSchema)]
#[schema(as = DetectedLayout)]
struct DetectedView {
    /// Null for a spreadsheet.
    #[schema(value_type = Option<String>, example = ";")]
    separator: Option<char>,
    /// Null if amounts of the file use both.
    #[schema(value_type = Option<String>, example = ",")]
    decimal_separator: Option<char>,
    /// The format of the first date; null if the file has none.
    #[schema(example = "dd/mm/yyyy")]
    date_format: Option<String>,
    /// The column's number, from 1.
    date_column: usize,
    /// The number of the column, or of the first of several; null if there is no description column.
    description_column: Option<usize>,
    /// The column's number; null if income and expenses have separate columns.
    amount_column: Option<usize>,
    /// The sign of purchases; null if the file is not a card's.
    sign: Option<CardSignView>,
}

/// Counts and sums of a preview.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewSummary)]
struct SummaryView {
    rows: usize,
    new: usize,
    duplicates: usize,
    rejected: usize,
    /// Over all rows, duplicates included.
    income: MoneyView,
    /// Over all rows, duplicates included.
    expenses: MoneyView,
}
