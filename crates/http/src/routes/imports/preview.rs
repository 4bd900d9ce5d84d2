//! The preview of a statement: reads a form and returns its checked rows, without saving anything.

mod form;
mod view;

use std::sync::Arc;

use actix_multipart::Multipart;
use actix_web::http::header::{CONTENT_TYPE, ContentType};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, post};
use finance_domain::imports::StatementRow;
use finance_domain::transactions::Kind;
use finance_domain::transfers::Choice;
use finance_domain::use_cases::imports;
use finance_domain::{Error, Money, Violation};
use finance_statements::{Row, Statement};
use form::{Form, PreviewForm};
use view::PreviewView;

use crate::banks::Bank;
use crate::deadline::Deadline;
use crate::problem::Problem;
use crate::service::{Proved, Service};

/// Reads a statement and returns which of its rows are stored already. Saves nothing.
#[utoipa::path(tag = "imports", request_body(content = PreviewForm, content_type = "multipart/form-data"),
    responses((status = 200, body = PreviewView),
        (status = 415, description = "`ErrUnsupportedMedia`: neither OFX nor CSV nor a spreadsheet; `banks` says where to get one"),
        (status = 422, description = "`ErrValidation`, `ErrStatementUnreadable`")))]
#[post("/api/import/preview")]
pub(crate) async fn preview(
    service: Data<Service>,
    proved: Proved,
    request: HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_form.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("multipart/form-data")) {
        return Err(Problem::unsupported_media("This route accepts multipart/form-data."));
    }
    let parts = parts.map_err(|error| Problem::malformed(format!("The form cannot be read: {error}.")))?;
    let permit = Arc::new(service.large_body(&proved).await?);
    let form = Form::read(parts, service.upload_bytes_max).await?;
    let (file, target, options) = form.into_request()?;
    let held = Arc::clone(&permit);
    let read = move |deadline: &Deadline| {
        let _permit = held;
        Ok(finance_statements::read_while(&file, &options, &|| deadline.lasts()))
    };
    let statement = service.read_statement(&proved, read).await?;
    let Statement { format, rows, rejected, layout, due_date } =
        statement.map_err(|error| unreadable(&error, &service.banks))?;
    let lines: Vec<usize> = rows.iter().map(|row| row.line).collect();
    let rows: Vec<StatementRow> = rows.into_iter().map(statement_row).collect();
    let held = Arc::clone(&permit);
    let context = service.context();
    let body = service.flow(proved.caller(), move |repo| {
        let previewed = imports::preview(repo, &context, &target, rows)?;
        previewed.map(move |rows| {
            let _permit = held;
            let view = PreviewView::new(format, rows, &lines, rejected, layout, due_date);
            serde_json::to_vec(&view).map_err(|error| Error::Internal(Box::new(error)))
        })
    });
    let mut response = HttpResponse::Ok().content_type(ContentType::json()).body(body.await?);
    response.extensions_mut().insert(permit);
    Ok(response)
}

fn unreadable(error: &finance_statements::Error, banks: &Arc<[Bank]>) -> Problem {
    match error {
        finance_statements::Error::Unsupported(_) => Problem::no_statement(error.to_string(), banks),
        finance_statements::Error::TooLarge(_) => Problem::statement_too_large(error.to_string()),
        finance_statements::Error::Stopped => Error::Unavailable("a statement could not be read in time".into()).into(),
        finance_statements::Error::Option { name, fault } => Problem::option(name, fault),
        finance_statements::Error::TooManyRows { rows_max } => {
            Error::invalid("file", Violation::TooMany { max: *rows_max as i64 }).into()
        }
        _ => Problem::statement_unreadable(error.to_string()),
    }
}

/// Converts a row of a statement to the input of the use cases.
pub fn statement_row(row: Row) -> StatementRow {
    let amount = Money::from_cents(row.cents.into());
    StatementRow {
        tags: Vec::new(),
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
