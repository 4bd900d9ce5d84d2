//! `/api/pending-bills`.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{delete, get, post};
use finance_domain::imports::StatementRow;
use finance_domain::pending_bills::{HeldStatement, PendingBill, PendingBillStatus};
use finance_domain::use_cases::pending_bills;
use finance_domain::{FieldErrors, PendingBillId, Repo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::query::Params;
use crate::metrics::{ImportCounts, ImportNote};
use crate::problem::Reply;
use crate::routes::imports::imported::{AnswerQuery, ImportedView};
use crate::routes::transactions::KindView;
use crate::routes::transactions::lines::LineView;
use crate::service::Shared;
use crate::views::{DateView, InstantView, MoneyView, no_content};
use crate::words::WordView;

/// A card statement held until its payment date.
#[derive(Serialize, ToSchema)]
#[schema(as = PendingBill)]
pub(crate) struct PendingBillView {
    id: i64,
    profile_id: i64,
    account_id: Option<i64>,
    payment_date: DateView,
    /// Expenses minus incomes of its rows, without those that will be transfers.
    total: MoneyView,
    row_count: usize,
    status: PendingBillStatusView,
    created_at: InstantView,
}

pub(crate) type PendingBillStatusView = WordView<PendingBillStatus>;

impl From<PendingBill> for PendingBillView {
    fn from(bill: PendingBill) -> Self {
        PendingBillView {
            id: bill.id.0,
            profile_id: bill.profile_id.0,
            account_id: bill.account_id.map(|id| id.0),
            payment_date: DateView(bill.payment_date),
            total: MoneyView(bill.total),
            row_count: bill.row_count,
            status: bill.status.into(),
            created_at: InstantView(bill.created_at),
        }
    }
}

/// A held statement with its rows.
#[derive(Serialize, ToSchema)]
#[schema(as = PendingBillWithRows)]
pub(crate) struct HeldStatementView {
    #[serde(flatten)]
    bill: PendingBillView,
    rows: Vec<HeldRowView>,
}

/// A row of a held statement.
#[derive(Serialize, ToSchema)]
#[schema(as = PendingBillRow)]
struct HeldRowView {
    /// The purchase date.
    date: DateView,
    description: String,
    /// The description in the statement, if a rule or a person renamed the row.
    statement_description: Option<String>,
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
    external_id: Option<String>,
    category_id: Option<i64>,
    /// The parts that it is split into; null if it is not.
    lines: Option<Vec<LineView>>,
    tags: Vec<String>,
    note: Option<String>,
}

impl From<StatementRow> for HeldRowView {
    fn from(row: StatementRow) -> Self {
        HeldRowView {
            date: DateView(row.date),
            description: row.description,
            statement_description: row.statement_description,
            amount: MoneyView(row.amount),
            kind: row.kind.into(),
            external_id: row.external_id,
            category_id: row.category_id.map(|id| id.0),
            lines: LineView::of(row.details.lines),
            tags: row.details.tags,
            note: row.details.note,
        }
    }
}

impl From<HeldStatement> for HeldStatementView {
    fn from(HeldStatement { bill, rows }: HeldStatement) -> Self {
        HeldStatementView { bill: bill.into(), rows: rows.into_iter().map(HeldRowView::from).collect() }
    }
}

/// The pending statements, by payment date.
#[utoipa::path(tag = "pending bills", responses((status = 200, body = [PendingBillView])))]
#[get("/api/pending-bills")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<PendingBillView>>> {
    let bills = service.read(user.caller, pending_bills::list).await?;
    Ok(Json(bills.into_iter().map(PendingBillView::from).collect()))
}

/// One statement, pending or confirmed, with its rows.
#[utoipa::path(tag = "pending bills", responses((status = 200, body = HeldStatementView)))]
#[get("/api/pending-bills/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<HeldStatementView>> {
    let statement = service.read(user.caller, move |repo| pending_bills::get(repo, PendingBillId(*id))).await?;
    Ok(Json(statement.into()))
}

/// Inserts the rows of a pending statement, once.
#[utoipa::path(tag = "pending bills", params(AnswerQuery),
    responses((status = 201, body = ImportedView), (status = 409, description = "`ErrPendingBillSettled`, `ErrLimitReached`")))]
#[post("/api/pending-bills/{id}/confirm")]
pub(crate) async fn confirm(
    service: Shared,
    id: Path<i64>,
    query: Params<AnswerQuery>,
    idempotent: Idempotent,
) -> Reply {
    let mut errors = FieldErrors::default();
    let lists_transactions = query.value.lists_transactions(&mut errors);
    errors.into_result()?;
    let context = service.context();
    let work = move |repo: &mut dyn Repo| pending_bills::confirm(repo, &context, PendingBillId(*id));
    let note = ImportNote::default();
    let noted = note.clone();
    let answer = move |imported| {
        noted.note(ImportCounts::of(&imported));
        answered(StatusCode::CREATED, ImportedView::new(imported, lists_transactions))
    };
    let response = idempotent.post.long().write(&service, work, answer).await?;
    note.count(&service.metrics);
    Ok(response)
}

/// Discards a pending statement: its rows can be imported again.
#[utoipa::path(tag = "pending bills",
    responses((status = 204), (status = 409, description = "`ErrPendingBillSettled`")))]
#[delete("/api/pending-bills/{id}")]
pub(crate) async fn discard(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let context = service.context();
    service.write(user.caller, move |repo| pending_bills::discard(repo, &context, PendingBillId(*id))).await?;
    Ok(no_content())
}
