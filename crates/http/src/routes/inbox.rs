//! `/api/inbox`: files that wait to be imported.

use std::sync::Arc;

use actix_multipart::Multipart;
use actix_web::http::header::{
    Charset, ContentDisposition, ContentType, DispositionParam, DispositionType, ExtendedValue, LOCATION,
};
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, post, put};
use finance_domain::imports::{FileStatement, ROWS_MAX};
use finance_domain::inbox::{InboxItem, InboxState};
use finance_domain::use_cases::inbox::{self, ReceivedFile};
use finance_domain::{FieldErrors, InboxItemId, Violation};
use finance_statements::{Error as StatementError, Options};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deadline::Deadline;
use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::problem::Reply;
use crate::routes::imports::preview::form::Form;
use crate::routes::imports::preview::{file_statements, form_parts, unreadable};
use crate::service::{Proved, Shared};
use crate::views::{DateView, InstantView, no_content};
use crate::words::WordView;

type InboxStateView = WordView<InboxState>;

/// The states that a client may set.
const CHOICES: &[&str] = &[InboxState::New.as_str(), InboxState::Dismissed.as_str()];

/// A file to keep.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes the multipart form; its parts are read one by one")]
pub(crate) struct InboxForm {
    /// The statement: OFX, CSV, or a spreadsheet (XLSX, XLS, ODS).
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

/// A file that waits to be imported.
#[derive(Serialize, ToSchema)]
#[schema(as = InboxItem)]
pub(crate) struct InboxItemView {
    id: i64,
    /// The last part of the path with which it came. Null if it came without a name.
    #[schema(example = "extrato.ofx")]
    file_name: Option<String>,
    /// In bytes.
    size: u64,
    /// Of its bytes, in hexadecimal digits.
    sha256: String,
    received_at: InstantView,
    /// The last day on which it is kept.
    expires_on: DateView,
    /// `imported` while the import or the held statement that a confirm made of it is there, or if nothing was left to insert.
    state: InboxStateView,
    /// The account that is known for the file's one statement; null if there is none.
    account_id: Option<i64>,
}

impl From<InboxItem> for InboxItemView {
    fn from(item: InboxItem) -> Self {
        InboxItemView {
            id: item.id.0,
            file_name: item.file_name,
            size: item.size,
            sha256: item.sha256,
            received_at: InstantView(item.received_at),
            expires_on: DateView(item.expires_on),
            state: item.state.into(),
            account_id: item.account_id.map(|id| id.0),
        }
    }
}

/// What is to become of a file.
#[derive(Deserialize, ToSchema)]
#[schema(as = InboxItemBody)]
pub(crate) struct InboxItemBody {
    /// `new` or `dismissed`.
    #[schema(value_type = String, example = "dismissed")]
    state: Field<InboxState>,
}

/// Keeps a file until it is imported, at most 30 days. The same bytes are the same item. At most 20 files of together 20 MiB: the
/// oldest that is not new makes room. No file is imported by that.
#[utoipa::path(tag = "inbox", request_body(content = InboxForm, content_type = "multipart/form-data"),
    responses((status = 201, body = InboxItemView), (status = 200, body = InboxItemView, description = "The file is there already"),
        (status = 409, description = "`ErrLimitReached`: there is no room"),
        (status = 415, description = "`ErrUnsupportedMedia`: neither OFX nor CSV nor a spreadsheet; `banks` says where to get one")))]
#[post("/api/inbox")]
pub(crate) async fn receive(
    service: Shared,
    proved: Proved,
    request: HttpRequest,
    parts: Result<Multipart, actix_web::Error>,
) -> Reply {
    let parts = form_parts(&request, parts)?;
    let permit = Arc::new(service.large_body(&proved).await?);
    let (bytes, file_name) = Form::read(parts, service.upload_bytes_max).await?.into_file()?;
    let context = service.context();
    let bytes = Arc::new(bytes);
    let options = Options { rows_max: Some(ROWS_MAX), latest: Some(context.today), ..Options::default() };
    let (read, held) = (Arc::clone(&bytes), Arc::clone(&permit));
    let read = service.read_statement(&proved, move |deadline: &Deadline| {
        let _permit = held;
        Ok(finance_statements::read_while(&read, &options, &|| deadline.lasts()))
    });
    let account = match read.await? {
        Ok(statement) => match &mut file_statements(statement.accounts, statement.layout.as_ref())[..] {
            [FileStatement { account, .. }] => account.take(),
            _ => None,
        },
        Err(error @ (StatementError::Unsupported(_) | StatementError::TooLarge(_) | StatementError::Stopped)) => {
            return Err(unreadable(&error, &service.banks));
        }
        Err(error) if is_empty(&bytes) => return Err(unreadable(&error, &service.banks)),
        // A person may say how to read it.
        Err(_) => None,
    };
    let received = ReceivedFile { file_name, bytes: Arc::unwrap_or_clone(bytes), account };
    let now = service.clock.now();
    let kept = service.write(proved.caller(), move |repo| {
        let _permit = permit;
        inbox::receive(repo, &context, now, received)
    });
    let (item, is_new) = kept.await?;
    let location = format!("/api/inbox/{}", item.id);
    let mut answer = if is_new { HttpResponse::Created() } else { HttpResponse::Ok() };
    if is_new {
        answer.insert_header((LOCATION, location));
    }
    Ok(answer.json(InboxItemView::from(item)))
}

/// The files that wait, and those that were imported or dismissed, the newest first.
#[utoipa::path(tag = "inbox", responses((status = 200, body = [InboxItemView])))]
#[get("/api/inbox")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<InboxItemView>>> {
    let context = service.context();
    let items = service.read(user.caller, move |repo| inbox::list(repo, &context)).await?;
    Ok(Json(items.into_iter().map(InboxItemView::from).collect()))
}

/// One file, without its bytes.
#[utoipa::path(tag = "inbox", responses((status = 200, body = InboxItemView)))]
#[get("/api/inbox/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<InboxItemView>> {
    let context = service.context();
    let item = service.read(user.caller, move |repo| inbox::get(repo, &context, InboxItemId(*id))).await?;
    Ok(Json(item.into()))
}

/// The bytes of a file, as it came.
#[utoipa::path(tag = "inbox", responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>)))]
#[get("/api/inbox/{id}/file")]
pub(crate) async fn file(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let context = service.context();
    let file = service.read(user.caller, move |repo| inbox::file(repo, &context, InboxItemId(*id)));
    let (name, bytes) = file.await?;
    Ok(HttpResponse::Ok().content_type(ContentType::octet_stream()).insert_header(attachment(name)).body(bytes))
}

/// Whether a file has nothing to read: blanks, or the zeros of a file that was never written.
fn is_empty(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
}

/// A file to save under its name.
fn attachment(name: Option<String>) -> ContentDisposition {
    let name = name.map(|name| {
        DispositionParam::FilenameExt(ExtendedValue {
            charset: Charset::Ext("UTF-8".into()),
            language_tag: None,
            value: name.into_bytes(),
        })
    });
    ContentDisposition { disposition: DispositionType::Attachment, parameters: name.into_iter().collect() }
}

/// Dismisses a file, or takes that back. What was imported stays imported.
#[utoipa::path(tag = "inbox", request_body = InboxItemBody, responses((status = 200, body = InboxItemView)))]
#[put("/api/inbox/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<InboxItemBody>,
) -> Reply<Json<InboxItemView>> {
    let context = service.context();
    let mut errors = FieldErrors::default();
    let state = body.value.state.take("state", &mut errors);
    let is_dismissed = match errors.require("state", state) {
        Some(InboxState::Imported) => {
            errors.push("state", Violation::not_one_of(CHOICES));
            false
        }
        state => state == Some(InboxState::Dismissed),
    };
    let item = service.write(user.caller, move |repo| {
        inbox::get(repo, &context, InboxItemId(*id))?;
        errors.into_result()?;
        inbox::dismiss(repo, &context, InboxItemId(*id), is_dismissed)
    });
    Ok(Json(item.await?.into()))
}

/// Deletes a file. What was imported of it stays.
#[utoipa::path(tag = "inbox", responses((status = 204)))]
#[delete("/api/inbox/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let context = service.context();
    service.write(user.caller, move |repo| inbox::delete(repo, &context, InboxItemId(*id))).await?;
    Ok(no_content())
}
