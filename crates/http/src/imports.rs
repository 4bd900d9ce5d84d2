//! `/api/import`: statements in, transactions out.

use std::str::FromStr;
use std::sync::Arc;

use actix_multipart::{Multipart, MultipartError};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Data, Json, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, post};
use finance_domain::imports::{
    self, Confirmed, Import, ImportInput, ImportTarget, Imported, PreviewRow, ROWS_MAX, RowInput, StatementFormat,
    StatementRow,
};
use finance_domain::month::parse_date;
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Error, FieldErrors, ImportId, Money, Repo};
use finance_statements::{Column, DateFormat, Format, Options, Rejected, Row, Statement};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::Date;
use utoipa::ToSchema;

use crate::authentication::Authenticated;
use crate::body::{Body, Field, FromJson, broke_off, collect};
use crate::idempotency::{Once, answered};
use crate::pending_bills::PendingBillView;
use crate::problems::Problem;
use crate::query::{Page, PageQuery, Params};
use crate::service::Service;
use crate::transactions::{DeletedView, KindView, TransactionView};
use crate::views::{DateInput, DateView, InstantView, MoneyInput, MoneyView};

/// Bytes in a confirm's body at the most.
const CONFIRM_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes in a text part of a preview at the most.
const PART_BYTES_MAX: usize = 4 * 1024;
/// Parts of a preview at the most.
const PARTS_MAX: usize = 32;

/// The format that a text names.
fn format(text: &str) -> Result<StatementFormat, &'static str> {
    match text {
        "ofx" => Ok(StatementFormat::Ofx),
        "csv" => Ok(StatementFormat::Csv),
        _ => Err("must be ofx or csv"),
    }
}

impl FromJson for StatementFormat {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        String::from_json(value).and_then(|text| format(&text))
    }
}

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
    /// What separates the columns; found out where absent.
    #[schema(min_length = 1, max_length = 1, pattern = "^[!-/:-@\\[-`{-~]$", example = ";", nullable = false)]
    separator: Option<String>,
    /// `,` or `.`; found out where absent.
    #[schema(min_length = 1, max_length = 1, pattern = "^[,.]$", example = ",", nullable = false)]
    decimal_separator: Option<String>,
    /// Letters `dd mm yy yyyy`; found out where absent.
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

/// How a file is to be read.
#[derive(ToSchema)]
#[schema(as = FormatOption, rename_all = "snake_case")]
#[allow(dead_code, reason = "describes a part of the multipart form")]
enum FormatOptionView {
    Auto,
    Ofx,
    Csv,
}

/// The kind of file a statement came as.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StatementFormat)]
pub(crate) enum FormatView {
    Ofx,
    Csv,
}

/// What a statement holds and what is known about it.
#[derive(Serialize, ToSchema)]
#[schema(as = Preview)]
pub(crate) struct PreviewView {
    format: FormatView,
    rows: Vec<PreviewRowView>,
    rejected: Vec<RejectedView>,
    summary: SummaryView,
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
    description: String,
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
    /// The id it would be stored under.
    external_id: Option<String>,
    /// The category last used with this description.
    category_id: Option<i64>,
    /// Whether it is stored already.
    duplicate: bool,
    /// The transaction it is; null where a pending import holds it.
    duplicate_of: Option<i64>,
    /// A hint: a transaction of the same amount and type within three days, with another text.
    similar_to: Option<i64>,
}

/// A line of a file that holds no usable transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = RejectedLine)]
struct RejectedView {
    line: usize,
    reason: String,
}

/// A statement in numbers.
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
    caller: Authenticated,
    request: HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Result<Json<PreviewView>, Problem> {
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_form.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")) {
        return Err(Problem::unsupported_media("This route takes multipart/form-data."));
    }
    let parts = parts.map_err(|error| Problem::malformed(format!("The form cannot be read: {error}.")))?;
    let _place = service.large_body().await?;
    let form = Form::read(parts, service.upload_bytes_max).await?;
    let (file, target, options) = form.into_request()?;
    let statement = actix_web::web::block(move || finance_statements::read(&file, &options)).await;
    let Statement { format, rows, rejected } =
        statement.map_err(|error| Problem::from(Error::Internal(Box::new(error))))?.map_err(unreadable)?;
    let lines: Vec<usize> = rows.iter().map(|row| row.line).collect();
    let rows: Vec<StatementRow> = rows.into_iter().map(statement_row).collect();
    let rows = service.read(caller.0, move |repo| imports::preview(repo, &target, rows)).await?;
    Ok(Json(preview_view(format, rows, &lines, rejected)))
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
        read: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        self.text(name).and_then(|text| read(text).map_err(|message| errors.push(name, message)).ok())
    }

    fn flag(&self, name: &str, errors: &mut FieldErrors) -> bool {
        let read = |text: &str| match text.trim() {
            "true" | "1" | "on" => Ok(true),
            "false" | "0" | "off" => Ok(false),
            _ => Err("must be true or false"),
        };
        self.option(name, errors, read).unwrap_or(false)
    }

    fn into_request(mut self) -> Result<(Vec<u8>, ImportTarget, Options), Problem> {
        let mut errors = FieldErrors::default();
        let file = self.file.take();
        let file = errors.require("file", file);
        let column =
            |text: &str| Column::from_str(text.trim()).map_err(|_| "must be a header's name or a number from 1");
        let target = ImportTarget {
            account_id: self.option("account_id", &mut errors, |text| {
                text.trim().parse().map(AccountId).map_err(|_| "must be a whole number")
            }),
            is_credit_card: self.flag("is_credit_card", &mut errors),
            payment_date: self.option("payment_date", &mut errors, |text| parse_date(text.trim())),
        };
        let options = Options {
            format: self
                .option("format", &mut errors, |text| match text.trim() {
                    "auto" => Ok(None),
                    "ofx" => Ok(Some(Format::Ofx)),
                    "csv" => Ok(Some(Format::Csv)),
                    _ => Err("must be auto, ofx or csv"),
                })
                .flatten(),
            // A tab is blank, and a separator all the same.
            separator: self.texts.iter().rev().find(|(name, text)| name == "separator" && !text.is_empty()).and_then(
                |(_, text)| match text.as_bytes() {
                    [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() => Some(char::from(*byte)),
                    b"\\t" => Some('\t'),
                    _ => {
                        errors.push("separator", "must be one character");
                        None
                    }
                },
            ),
            decimal_separator: self.option("decimal_separator", &mut errors, |text| match text.trim() {
                "," => Ok(','),
                "." => Ok('.'),
                _ => Err("must be a comma or a dot"),
            }),
            date_format: self.option("date_format", &mut errors, |text| {
                DateFormat::from_str(text.trim())
                    .map_err(|_| "must be made of dd, mm and yyyy or yy, such as dd/mm/yyyy")
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
        finance_statements::Error::Option { name, message } => Error::invalid(*name, message.clone()).into(),
        finance_statements::Error::TooManyRows { .. } => Error::invalid("file", error.to_string()).into(),
        _ => Problem::statement_unreadable(error.to_string()),
    }
}

fn statement_row(row: Row) -> StatementRow {
    let amount = Money::from_cents(row.cents.into());
    StatementRow {
        date: row.date,
        description: row.description,
        amount: amount.abs(),
        kind: Kind::of(amount),
        external_id: row.id,
        category_id: None,
    }
}

fn preview_view(format: Format, rows: Vec<PreviewRow>, lines: &[usize], rejected: Vec<Rejected>) -> PreviewView {
    let total = |kind| rows.iter().filter(|row| row.row.kind == kind).map(|row| row.row.amount).sum();
    let duplicates = rows.iter().filter(|row| row.duplicate).count();
    PreviewView {
        format: match format {
            Format::Ofx => FormatView::Ofx,
            Format::Csv => FormatView::Csv,
        },
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
        rejected: rejected.into_iter().map(|line| RejectedView { line: line.line, reason: line.reason }).collect(),
    }
}

fn preview_row_view(at: usize, judged: PreviewRow, line: usize) -> PreviewRowView {
    let row = judged.row;
    PreviewRowView {
        row: at,
        line,
        date: DateView(row.date),
        description: row.description,
        amount: MoneyView(row.amount),
        kind: row.kind.into(),
        external_id: row.external_id,
        category_id: row.category_id.map(|id| id.0),
        duplicate: judged.duplicate,
        duplicate_of: judged.duplicate_of.map(|id| id.0),
        similar_to: judged.similar_to.map(|id| id.0),
    }
}

/// The rows of a preview to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportConfirmBody)]
pub(crate) struct ConfirmBody {
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    #[schema(value_type = Option<String>, max_length = 255, example = "extrato.ofx")]
    file_name: Field<String>,
    /// `ofx` where absent.
    #[schema(value_type = Option<FormatView>)]
    format: Field<StatementFormat>,
    #[schema(value_type = Option<bool>)]
    is_credit_card: Field<bool>,
    /// Counts only with `is_credit_card`: the day the rows count on.
    #[schema(value_type = Option<DateInput>)]
    payment_date: Field<Date>,
    #[schema(value_type = Vec<RowBody>, max_items = 50_000)]
    rows: Field<Vec<Value>>,
}

/// A row to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportRowBody)]
struct RowBody {
    /// The statement's own date.
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    description: Field<String>,
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: Field<String>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
}

impl ConfirmBody {
    fn into_input(self) -> ImportInput {
        let mut errors = FieldErrors::default();
        let rows = self.rows.take("rows", &mut errors);
        // Beyond the limit the rows need not be read to be refused.
        let rows = rows.map(|rows| match rows.len() {
            0..=ROWS_MAX => rows.into_iter().enumerate().map(|(at, row)| row_input(at, row, &mut errors)).collect(),
            beyond => vec![None; beyond],
        });
        ImportInput {
            target: ImportTarget {
                account_id: self.account_id.take("account_id", &mut errors),
                is_credit_card: self.is_credit_card.take("is_credit_card", &mut errors).unwrap_or(false),
                payment_date: self.payment_date.take("payment_date", &mut errors),
            },
            file_name: self.file_name.take("file_name", &mut errors),
            format: self.format.take("format", &mut errors),
            rows,
            errors,
        }
    }
}

fn row_input(at: usize, row: Value, errors: &mut FieldErrors) -> Option<RowInput> {
    let Some(body) = row.is_object().then(|| serde_json::from_value::<RowBody>(row).ok()).flatten() else {
        errors.push(format!("rows[{at}]"), "must be an object");
        return None;
    };
    let mut own = FieldErrors::default();
    let input = RowInput {
        date: body.date.take("date", &mut own),
        description: body.description.take("description", &mut own),
        amount: body.amount.take("amount", &mut own),
        kind: body.kind.take("type", &mut own),
        external_id: body.external_id.take("external_id", &mut own),
        category_id: body.category_id.take("category_id", &mut own),
    };
    for error in own.iter() {
        errors.push(format!("rows[{at}].{}", error.field), error.message.clone());
    }
    Some(input)
}

/// What a confirm did.
#[derive(Serialize, ToSchema)]
#[schema(as = Imported)]
pub(crate) struct ImportedView {
    #[schema(example = "imported")]
    status: &'static str,
    /// The entry in the log; null where nothing was inserted.
    import_id: Option<i64>,
    inserted: usize,
    skipped: Vec<SkippedView>,
    transactions: Vec<TransactionView>,
}

/// A row that was not inserted.
#[derive(Serialize, ToSchema)]
#[schema(as = SkippedRow)]
struct SkippedView {
    /// Its position in the request, from 0.
    row: usize,
    #[schema(example = "duplicate of transaction 7")]
    reason: String,
}

impl From<Imported> for ImportedView {
    fn from(imported: Imported) -> Self {
        ImportedView {
            status: "imported",
            import_id: imported.import_id.map(|id| id.0),
            inserted: imported.transactions.len(),
            skipped: imported
                .skipped
                .into_iter()
                .map(|skipped| SkippedView {
                    row: skipped.row,
                    reason: match skipped.duplicate_of {
                        Some(id) => format!("duplicate of transaction {id}"),
                        None => "duplicate of a row in a pending bill".to_string(),
                    },
                })
                .collect(),
            transactions: imported.transactions.into_iter().map(TransactionView::from).collect(),
        }
    }
}

/// That a card statement is held until its payment date.
#[derive(Serialize, ToSchema)]
#[schema(as = Held)]
pub(crate) struct HeldView {
    #[schema(example = "pending")]
    status: &'static str,
    pending_bill: PendingBillView,
}

/// Inserts the rows that are not stored yet, all or nothing; lists the others. A card statement whose
/// payment date is after today is held until then.
#[utoipa::path(tag = "imports", request_body = ConfirmBody,
    responses((status = 201, body = ImportedView), (status = 202, body = HeldView)))]
#[post("/api/import/confirm")]
pub(crate) async fn confirm(
    service: Data<Service>,
    Once(post, body): Once<Body<ConfirmBody, CONFIRM_BYTES_MAX>>,
) -> Result<HttpResponse, Problem> {
    let (input, today) = (body.0.into_input(), service.clock.today());
    let work = move |repo: &mut dyn Repo| imports::confirm(repo, input, today);
    let metrics = Arc::clone(&service.metrics);
    let answer = move |confirmed| match confirmed {
        Confirmed::Imported(imported) => {
            metrics.imported(&imported);
            answered(StatusCode::CREATED, ImportedView::from(imported))
        }
        Confirmed::Held(bill) => {
            metrics.held();
            answered(StatusCode::ACCEPTED, HeldView { status: "pending", pending_bill: bill.into() })
        }
    };
    post.write(&service, work, answer).await
}

/// An entry of the import log.
#[derive(Serialize, ToSchema)]
#[schema(as = Import)]
pub(crate) struct ImportView {
    id: i64,
    #[schema(example = "extrato.ofx")]
    file_name: Option<String>,
    format: FormatView,
    account_id: Option<i64>,
    inserted: usize,
    skipped: usize,
    created_at: InstantView,
}

impl From<Import> for ImportView {
    fn from(import: Import) -> Self {
        ImportView {
            id: import.id.0,
            file_name: import.file_name,
            format: import.format.into(),
            account_id: import.account_id.map(|id| id.0),
            inserted: import.inserted,
            skipped: import.skipped,
            created_at: InstantView(import.created_at),
        }
    }
}

impl From<StatementFormat> for FormatView {
    fn from(format: StatementFormat) -> Self {
        match format {
            StatementFormat::Ofx => FormatView::Ofx,
            StatementFormat::Csv => FormatView::Csv,
        }
    }
}

/// The imports that inserted something, newest first.
#[utoipa::path(tag = "imports", params(PageQuery), responses((status = 200, body = [ImportView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/imports")]
pub(crate) async fn list(
    service: Data<Service>,
    caller: Authenticated,
    request: HttpRequest,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (after, limit) = query.0.after_id()?;
    let after = after.map(ImportId);
    let page = service.read(caller.0, move |repo| {
        Page::new::<ImportView, _>(imports::list(repo, after, limit + 1)?, limit, |last| last.id.to_string())
    });
    Ok(page.await?.response(&request))
}

/// Undoes an import: the transactions it brought are gone, edited ones included.
#[utoipa::path(tag = "imports", responses((status = 200, body = DeletedView)))]
#[delete("/api/imports/{id}")]
pub(crate) async fn undo(
    service: Data<Service>,
    caller: Authenticated,
    id: Path<i64>,
) -> Result<Json<DeletedView>, Problem> {
    let deleted = service.write(caller.0, move |repo| imports::undo(repo, ImportId(*id))).await?;
    Ok(Json(DeletedView { deleted }))
}
