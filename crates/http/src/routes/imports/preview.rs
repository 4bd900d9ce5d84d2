//! The preview of a statement: a form in, judged rows out, nothing saved.

use std::str::FromStr;
use std::sync::Arc;

use actix_multipart::{Multipart, MultipartError};
use actix_web::http::header::{CONTENT_TYPE, ContentType};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, post};
use finance_domain::imports::{ImportTarget, PreviewRow, ROWS_MAX, StatementFormat, StatementRow};
use finance_domain::month::parse_date;
use finance_domain::transactions::Kind;
use finance_domain::transfers::{Choice, OtherSide, RowTransfer};
use finance_domain::use_cases::imports;
use finance_domain::{AccountId, Error, FieldErrors, Money, Violation};
use finance_statements::{Column, CsvLayout, DateFormat, Format, Options, Rejected, Row, Statement};
use futures_util::StreamExt;
use serde::Serialize;
use utoipa::ToSchema;

use super::FormatView;
use super::suggestion::CategorySuggestionView;
use crate::coded::{ParamsView, RejectedCodeView};
use crate::extract::authenticated::Authenticated;
use crate::extract::body::{broke_off, collect};
use crate::problem::Problem;
use crate::routes::transactions::KindView;
use crate::routes::transfers::{ConfidenceView, TransferKindView};
use crate::service::Service;
use crate::views::{DateInput, DateView, MoneyView};
use crate::words::{WordSchema, WordView};

/// Bytes in a text part of a preview at the most.
const PART_BYTES_MAX: usize = 4 * 1024;
/// Parts of a preview at the most.
const PARTS_MAX: usize = 32;

/// A statement and how to read it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes the multipart form; its parts are read one by one")]
pub(crate) struct PreviewForm {
    /// The statement, OFX or CSV.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// The account it belongs to.
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    account_id: Option<String>,
    /// `auto` where absent.
    #[schema(value_type = Option<FormatOptionView>, nullable = false)]
    format: Option<String>,
    /// What separates the columns; detected if absent.
    #[schema(min_length = 1, max_length = 1, pattern = "^[!-/:-@\\[-`{-~]$", example = ";", nullable = false)]
    separator: Option<String>,
    /// `,` or `.`; detected if absent.
    #[schema(min_length = 1, max_length = 1, pattern = "^[,.]$", example = ",", nullable = false)]
    decimal_separator: Option<String>,
    /// Letters `dd mm yy yyyy`; detected if absent.
    #[schema(
        pattern = "^(dd[-/.]?mm[-/.]?yy(yy)?|mm[-/.]?dd[-/.]?yy(yy)?|yyyy[-/.]?mm[-/.]?dd)$",
        example = "dd/mm/yyyy",
        nullable = false
    )]
    date_format: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Data", nullable = false)]
    date_column: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Descrição", nullable = false)]
    description_column: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Valor", nullable = false)]
    amount_column: Option<String>,
    /// Skips the rows that the file writes with a minus.
    #[schema(nullable = false)]
    skip_negative: Option<bool>,
    /// Makes every row an expense.
    #[schema(nullable = false)]
    all_expenses: Option<bool>,
    /// Whether it is a card's statement.
    #[schema(nullable = false)]
    is_credit_card: Option<bool>,
    /// When the card's bill is paid.
    #[schema(value_type = Option<DateInput>, nullable = false)]
    payment_date: Option<String>,
}

finance_domain::words! {
    /// How to parse a file.
    enum FormatOption {
        /// As its bytes say.
        Auto = "auto",
        /// As OFX.
        Ofx = "ofx",
        /// As CSV.
        Csv = "csv",
    }
}

impl WordSchema for FormatOption {
    const NAME: &'static str = "FormatOption";
    const DESCRIPTION: &'static str = "How to parse a file.";
}

type FormatOptionView = WordView<FormatOption>;

impl FormatOption {
    fn format(self) -> Option<Format> {
        match self {
            FormatOption::Auto => None,
            FormatOption::Ofx => Some(Format::Ofx),
            FormatOption::Csv => Some(Format::Csv),
        }
    }
}

/// A parsed statement and what is already stored of it.
#[derive(Serialize, ToSchema)]
#[schema(as = Preview)]
pub(crate) struct PreviewView {
    format: FormatView,
    rows: Vec<PreviewRowView>,
    rejected: Vec<RejectedView>,
    summary: SummaryView,
    /// What was recognized of a CSV file; null for OFX.
    detected: Option<DetectedView>,
    /// The headers of a CSV file as they are written, none where it has none; null for OFX.
    headers: Option<Vec<String>>,
    /// The fields of the first five lines of a CSV file after its headers; null for OFX.
    sample: Option<Vec<Vec<String>>>,
}

/// What was recognized of a CSV file, in the notation of the preview's form.
#[derive(Serialize, ToSchema)]
#[schema(as = DetectedLayout)]
struct DetectedView {
    #[schema(value_type = String, example = ";")]
    separator: char,
    /// Null where amounts of the file use both.
    #[schema(value_type = Option<String>, example = ",")]
    decimal_separator: Option<char>,
    /// How the first date is written; null where the file has none.
    #[schema(example = "dd/mm/yyyy")]
    date_format: Option<String>,
    /// The column's number, from 1.
    date_column: usize,
    /// The number of the column, or of the first of several; null where no column describes.
    description_column: Option<usize>,
    /// The column's number; null where income and expenses have a column each.
    amount_column: Option<usize>,
}

/// A row of a statement.
#[derive(Serialize, ToSchema)]
#[schema(as = PreviewRow)]
struct PreviewRowView {
    /// Its position among the rows, from 0.
    row: usize,
    /// Its line in the file, from 1.
    line: usize,
    date: DateView,
    /// As a rule names it, where one does.
    description: String,
    /// What the statement calls it, where a rule has renamed it. A confirm takes it back.
    statement_description: Option<String>,
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
    /// The id it would be stored under.
    external_id: Option<String>,
    /// The category that is suggested.
    category_id: Option<i64>,
    /// Why; null where none is suggested.
    suggestion: Option<CategorySuggestionView>,
    /// Whether a rule leaves it out: a confirm skips it unless it is sent with `keep`.
    skipped_by_rule: bool,
    /// Whether it is stored already.
    duplicate: bool,
    /// The transaction it is; null where a pending import holds it.
    duplicate_of: Option<i64>,
    /// A hint: a transaction of the same amount and type within three days, with another text.
    similar_to: Option<i64>,
    /// The transfer that it is, or may be; read only.
    transfer: Option<RowTransferView>,
    /// What a confirm does with it, where it is certain to be a transfer. Send `null` instead to have it as an ordinary row.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_with: Option<TransferWithView>,
}

/// A transfer that a row of a statement is.
#[derive(Serialize, ToSchema)]
#[schema(as = RowTransfer)]
struct RowTransferView {
    kind: TransferKindView,
    confidence: ConfidenceView,
    /// The other side; null where it is not kept here.
    with: Option<OtherSideView>,
}

/// The other side of a transfer: a transaction, or a bill whose card has no row of the payment.
#[derive(Serialize, ToSchema)]
#[schema(as = OtherSide)]
#[serde(rename_all = "snake_case")]
enum OtherSideView {
    TransactionId(i64),
    BillId(i64),
}

/// The other side of a transfer to confirm: a transaction, a bill, or whichever there is.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferWith)]
struct TransferWithView {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bill_id: Option<i64>,
}

impl From<RowTransfer> for RowTransferView {
    fn from(transfer: RowTransfer) -> Self {
        RowTransferView {
            kind: transfer.kind.into(),
            confidence: transfer.confidence.into(),
            with: transfer.with.map(|with| match with {
                OtherSide::Transaction(id) => OtherSideView::TransactionId(id.0),
                OtherSide::Bill(id) => OtherSideView::BillId(id.0),
            }),
        }
    }
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

/// A line of a file that holds no usable transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = RejectedLine)]
struct RejectedView {
    line: usize,
    code: RejectedCodeView,
    params: ParamsView,
    /// Why, in Portuguese.
    #[schema(example = "linha de saldo")]
    reason: String,
}

impl From<Rejected> for RejectedView {
    fn from(Rejected { line, reason }: Rejected) -> Self {
        RejectedView { line, code: reason.code().into(), params: reason.params().into(), reason: reason.to_string() }
    }
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

/// Reads a statement and tells which of its rows are stored already; saves nothing.
#[utoipa::path(tag = "imports", request_body(content = PreviewForm, content_type = "multipart/form-data"),
    responses((status = 200, body = PreviewView),
        (status = 415, description = "`ErrUnsupportedMedia`: neither OFX nor CSV"),
        (status = 422, description = "`ErrValidation`, `ErrStatementUnreadable`")))]
#[post("/api/import/preview")]
pub(crate) async fn preview(
    service: Data<Service>,
    user: Authenticated,
    request: HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_form.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")) {
        return Err(Problem::unsupported_media("This route takes multipart/form-data."));
    }
    let parts = parts.map_err(|error| Problem::malformed(format!("The form cannot be read: {error}.")))?;
    let permit = Arc::new(service.large_bodies.acquire(user.requester()).await?);
    let form = Form::read(parts, service.upload_bytes_max).await?;
    let (file, target, options) = form.into_request()?;
    let held = Arc::clone(&permit);
    let read = move || {
        let _permit = held;
        Ok(finance_statements::read(&file, &options))
    };
    let statement = service.read_body(user.requester(), read).await?;
    let Statement { format, rows, rejected, layout } = statement.map_err(unreadable)?;
    let lines: Vec<usize> = rows.iter().map(|row| row.line).collect();
    let rows: Vec<StatementRow> = rows.into_iter().map(statement_row).collect();
    let held = Arc::clone(&permit);
    let context = service.context();
    let body = service.flow(user.caller, move |repo| {
        let previewed = imports::preview(repo, &context, &target, rows)?;
        previewed.map(move |rows| {
            let _permit = held;
            let view = preview_view(format, rows, &lines, rejected, layout);
            serde_json::to_vec(&view).map_err(|error| Error::Internal(Box::new(error)))
        })
    });
    let mut response = HttpResponse::Ok().content_type(ContentType::json()).body(body.await?);
    response.extensions_mut().insert(permit);
    Ok(response)
}

/// The parts of a preview's form, as they came.
#[derive(Default)]
struct Form {
    file: Option<Vec<u8>>,
    texts: Vec<(String, String)>,
}

impl Form {
    async fn read(mut parts: Multipart, upload_bytes_max: usize) -> Result<Self, Problem> {
        let mut form = Form::default();
        let mut count = 0;
        while let Some(part) = parts.next().await {
            let part = part.map_err(malformed_form)?;
            count += 1;
            if count > PARTS_MAX {
                return Err(Problem::malformed(format!("The form has more than {PARTS_MAX} parts.")));
            }
            let name = part.name().unwrap_or_default().to_string();
            let bytes_max = if name == "file" { upload_bytes_max } else { PART_BYTES_MAX };
            let bytes = collect(part.map(|chunk| chunk.map_err(malformed_form)), bytes_max).await?.to_vec();
            if name == "file" {
                form.file = Some(bytes);
            } else {
                let text =
                    String::from_utf8(bytes).map_err(|_| Problem::malformed("A part of the form is not UTF-8."))?;
                form.texts.push((name, text));
            }
        }
        Ok(form)
    }

    /// The last part of that name, if it is not blank.
    fn text(&self, name: &str) -> Option<&str> {
        let found = self.texts.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str()).filter(|text| !text.trim().is_empty())
    }

    fn option<T>(
        &self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(&str) -> Result<T, Violation>,
    ) -> Option<T> {
        self.text(name).and_then(|text| read(text).map_err(|violation| errors.push(name, violation)).ok())
    }

    fn flag(&self, name: &str, errors: &mut FieldErrors) -> bool {
        let read = |text: &str| match text.trim() {
            "true" | "1" | "on" => Ok(true),
            "false" | "0" | "off" => Ok(false),
            _ => Err(Violation::NotABoolean),
        };
        self.option(name, errors, read).unwrap_or(false)
    }

    fn into_request(mut self) -> Result<(Vec<u8>, ImportTarget, Options), Problem> {
        let mut errors = FieldErrors::default();
        let file = self.file.take();
        let file = errors.require("file", file);
        let column = |text: &str| Column::from_str(text.trim()).map_err(|never| match never {});
        let target = ImportTarget {
            account_id: self.option("account_id", &mut errors, |text| {
                text.trim().parse().map(AccountId).map_err(|_| Violation::NotAWholeNumber)
            }),
            is_credit_card: self.flag("is_credit_card", &mut errors),
            payment_date: self.option("payment_date", &mut errors, |text| parse_date(text.trim())),
        };
        let options = Options {
            format: self.option("format", &mut errors, |text| text.trim().parse()).and_then(FormatOption::format),
            // A tab is blank, and a separator all the same.
            separator: self.texts.iter().rev().find(|(name, text)| name == "separator" && !text.is_empty()).and_then(
                |(_, text)| match text.as_bytes() {
                    [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() => Some(char::from(*byte)),
                    b"\\t" => Some('\t'),
                    _ => {
                        errors.push("separator", Violation::InvalidSeparator);
                        None
                    }
                },
            ),
            decimal_separator: self.option("decimal_separator", &mut errors, |text| match text.trim() {
                "," => Ok(','),
                "." => Ok('.'),
                _ => Err(Violation::InvalidDecimalSeparator),
            }),
            date_format: self.option("date_format", &mut errors, |text| {
                DateFormat::from_str(text.trim()).map_err(|_| Violation::InvalidDateFormat)
            }),
            date_column: self.option("date_column", &mut errors, column),
            description_column: self.option("description_column", &mut errors, column),
            amount_column: self.option("amount_column", &mut errors, column),
            skip_negative: self.flag("skip_negative", &mut errors),
            all_expenses: self.flag("all_expenses", &mut errors),
            rows_max: Some(ROWS_MAX),
        };
        errors.into_result()?;
        Ok((file.unwrap_or_default(), target, options))
    }
}

fn malformed_form(error: MultipartError) -> Problem {
    match error {
        MultipartError::Payload(error) => broke_off(&error),
        error => Problem::malformed(format!("The form cannot be read: {error}.")),
    }
}

fn unreadable(error: finance_statements::Error) -> Problem {
    match &error {
        finance_statements::Error::Unsupported(_) => Problem::unsupported_media(error.to_string()),
        finance_statements::Error::Option { name, fault } => Problem::option(name, fault),
        finance_statements::Error::TooManyRows { rows_max } => {
            Error::invalid("file", Violation::TooMany { max: *rows_max as i64 }).into()
        }
        _ => Problem::statement_unreadable(error.to_string()),
    }
}

/// A row of a statement, as use cases take it.
pub fn statement_row(row: Row) -> StatementRow {
    let amount = Money::from_cents(row.cents.into());
    StatementRow {
        date: row.date,
        description: row.description,
        statement_description: None,
        amount: amount.abs(),
        kind: Kind::of(amount),
        external_id: row.id,
        category_id: None,
        choice: Choice::Unsaid,
        is_kept: false,
    }
}

fn preview_view(
    format: Format,
    rows: Vec<PreviewRow>,
    lines: &[usize],
    rejected: Vec<Rejected>,
    layout: Option<CsvLayout>,
) -> PreviewView {
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
            .map(|(at, (row, line))| preview_row_view(at, row, *line))
            .collect(),
        rejected: rejected.into_iter().map(RejectedView::from).collect(),
        detected,
        headers,
        sample,
    }
}

fn preview_row_view(at: usize, judged: PreviewRow, line: usize) -> PreviewRowView {
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
        skipped_by_rule: judged.skipped_by.is_some(),
        duplicate: judged.duplicate,
        duplicate_of: judged.duplicate_of.map(|id| id.0),
        similar_to: judged.similar_to.map(|id| id.0),
        transfer: judged.transfer.map(RowTransferView::from),
        transfer_with: judged.transfer.and_then(|transfer| transfer.choice()).and_then(TransferWithView::of),
    }
}
