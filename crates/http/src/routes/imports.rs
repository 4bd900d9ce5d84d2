//! `/api/import` and `/api/imports`: the import of statements as transactions, and the import log.

pub(crate) mod confirm;
pub(crate) mod imported;
pub(crate) mod preview;
pub(crate) mod suggestion;

use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get};
use finance_domain::ImportId;
use finance_domain::imports::{Import, StatementFormat};
use finance_domain::use_cases::imports;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{PageQuery, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::transactions::DeletedView;
use crate::service::Shared;
use crate::views::InstantView;
use crate::words::WordView;

pub(crate) type FormatView = WordView<StatementFormat>;

/// An entry of the import log.
#[derive(Serialize, ToSchema)]
#[schema(as = Import)]
pub(crate) struct ImportView {
    id: i64,
    #[schema(example = "extrato.ofx")]
    file_name: Option<String>,
    format: FormatView,
    /// Null if the import has no account, or several.
    account_id: Option<i64>,
    /// All its accounts.
    account_ids: Vec<i64>,
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
            account_ids: import.account_ids.into_iter().map(|id| id.0).collect(),
            inserted: import.inserted,
            skipped: import.skipped,
            created_at: InstantView(import.created_at),
        }
    }
}

/// The imports that inserted something, newest first.
#[utoipa::path(tag = "imports", params(PageQuery), responses((status = 200, body = [ImportView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/imports")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<PageQuery>,
) -> Reply {
    let (after, limit) = query.value.after_id()?;
    let after = after.map(ImportId);
    let page = service.read(user.caller, move |repo| {
        Page::new::<ImportView, _>(imports::list(repo, after, limit + 1)?, limit, |last| last.id.to_string())
    });
    Ok(page.await?.response(&request))
}

/// Undoes an import: deletes its transactions, edited ones included. Legs of its transfers that are not from this import stay and
/// are unlinked.
#[utoipa::path(tag = "imports", responses((status = 200, body = DeletedView)))]
#[delete("/api/imports/{id}")]
pub(crate) async fn undo(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<DeletedView>> {
    let context = service.context();
    let deleted = service.write(user.caller, move |repo| imports::undo(repo, &context, ImportId(*id))).await?;
    Ok(Json(DeletedView { deleted }))
}
