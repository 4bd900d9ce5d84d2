//! The answer to a preview: the checked rows, the rejected lines, and how the file was read.

use finance_domain::imports::{PreviewRow, StatementFormat};
use finance_domain::transactions::Kind;
use finance_domain::transfers::{Choice, OtherSide, RowTransfer};
use finance_statements::{CsvLayout, Format, Rejected};
use serde::Serialize;
use time::Date;
use utoipa::ToSchema;

use crate::coded::{ParamsView, RejectedCodeView};
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
}

impl PreviewView {
    pub(super) fn new(
        format: Format,
        rows: Vec<PreviewRow>,
        lines: &[usize],
        rejected: Vec<Rejected>,
        layout: Option<CsvLayout>,
        due_date: Option<Date>,
    ) -> Self {
        let total = |kind| rows.iter().filter(|row| row.row.kind == kind).map(|row| row.row.amount).sum();
        let duplicates = rows.iter().filter(|row| row.duplicate).count();
        let (detected, headers, sample) = match layout {
            Some(CsvLayout {
                separator,
                decimal_separator,
                date_format,
                date_column,
                description_column,
                amount_column,
                headers,
                sample,
            }) => {
                let detected = DetectedView {
                    separator,
                    decimal_separator,
                    date_format,
                    date_column,
                    description_column,
                    amount_column,
                };
                (Some(detected), Some(headers), Some(sample))
            }
            None => (None, None, None),
        };
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
                .zip(lines)
                .enumerate()
                .map(|(at, (row, line))| PreviewRowView::new(at, row, *line))
                .collect(),
            rejected: rejected.into_iter().map(RejectedView::from).collect(),
            detected,
            headers,
            sample,
            due_date: due_date.map(DateView),
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
    /// The description in the statement, if a rule renamed it; else null. Send it back with the confirm.
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
}

impl PreviewRowView {
    fn new(at: usize, judged: PreviewRow, line: usize) -> Self {
        let row = judged.row;
        PreviewRowView {
            row: at,
            line,
            date: DateView(row.date),
            description: row.description,
            statement_description: row.statement_description,
            amount: MoneyView(row.amount),
            kind: row.kind.into(),
            external_id: row.external_id,
            category_id: row.category_id.map(|id| id.0),
            suggestion: judged.suggestion.map(CategorySuggestionView::from),
            tags: row.tags,
            skipped_by_rule: judged.skipped_by.is_some(),
            duplicate: judged.duplicate,
            duplicate_of: judged.duplicate_of.map(|id| id.0),
            automatic_yield: judged.automatic_yield,
            similar_to: judged.similar_to.map(|id| id.0),
            transfer: judged.transfer.map(RowTransferView::from),
            transfer_with: judged.transfer.and_then(|transfer| transfer.choice()).and_then(TransferWithView::of),
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
                OtherSide::Card(_) => None,
            }),
        }
    }
}

/// The other side of a transfer: a transaction, or a bill whose card has no row of the payment.
#[derive(Serialize, ToSchema)]
#[schema(as = OtherSide)]
#[serde(rename_all = "snake_case")]
enum OtherSideView {
    TransactionId(i64),
    BillId(i64),
}

/// The other side of a transfer to confirm: a transaction or a bill. Empty for the certain other side, if there is one.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferWith)]
struct TransferWithView {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
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
}

impl From<Rejected> for RejectedView {
    fn from(Rejected { sheet, line, reason }: Rejected) -> Self {
        RejectedView {
            sheet: sheet.map(|name| name.to_string()),
            line,
            code: reason.code().into(),
            params: reason.params().into(),
            reason: reason.to_string(),
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
