//! `/api/pending-bills`.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{Data, Json, Path};
use actix_web::{HttpResponse, delete, get, post};
use finance_domain::imports::StatementRow;
use finance_domain::pending_bills::{self, HeldStatement, PendingBill, PendingBillStatus};
use finance_domain::{PendingBillId, Repo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::authentication::Authenticated;
use crate::idempotency::{Once, answered};
use crate::imports::confirm::ImportedView;
use crate::problems::Problem;
use crate::service::Service;
use crate::transactions::KindView;
use crate::views::{DateView, InstantView, MoneyView, no_content};

/// A card statement held until its payment date.
#[derive(Serialize, ToSchema)]
#[schema(as = PendingBill)]
pub(crate) struct PendingBillView {
    id: i64,
    profile_id: i64,
    account_id: Option<i64>,
    payment_date: DateView,
    /// Expenses minus incomes of its rows.
    total: MoneyView,
    row_count: usize,
    status: PendingBillStatusView,
    created_at: InstantView,
}

/// Whether a held statement was confirmed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PendingBillStatus)]
pub(crate) enum PendingBillStatusView {
    Pending,
    Confirmed,
}

impl From<PendingBill> for PendingBillView {
    fn from(bill: PendingBill) -> Self {
        PendingBillView {
            id: bill.id.0,
            profile_id: bill.profile_id.0,
            account_id: bill.account_id.map(|id| id.0),
            payment_date: DateView(bill.payment_date),
            total: MoneyView(bill.total),
            row_count: bill.row_count,
            status: match bill.status {
                PendingBillStatus::Pending => PendingBillStatusView::Pending,
                PendingBillStatus::Confirmed => PendingBillStatusView::Confirmed,
            },
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
    amount: MoneyView,
    #[serde(rename = "type")]
    kind: KindView,
    external_id: Option<String>,
    category_id: Option<i64>,
}

impl From<StatementRow> for HeldRowView {
    fn from(row: StatementRow) -> Self {
        HeldRowView {
            date: DateView(row.date),
            description: row.description,
            amount: MoneyView(row.amount),
            kind: row.kind.into(),
            external_id: row.external_id,
            category_id: row.category_id.map(|id| id.0),
        }
    }
}

impl From<HeldStatement> for HeldStatementView {
    fn from(statement: HeldStatement) -> Self {
        HeldStatementView {
            bill: statement.bill.into(),
            rows: statement.rows.into_iter().map(HeldRowView::from).collect(),
        }
    }
}

/// The statements that are pending, by payment date.
#[utoipa::path(tag = "pending bills", responses((status = 200, body = [PendingBillView])))]
#[get("/api/pending-bills")]
pub(crate) async fn list(service: Data<Service>, caller: Authenticated) -> Result<Json<Vec<PendingBillView>>, Problem> {
    let bills = service.read(caller.0, pending_bills::list).await?;
    Ok(Json(bills.into_iter().map(PendingBillView::from).collect()))
}

/// One statement, pending or confirmed, with its rows.
#[utoipa::path(tag = "pending bills", responses((status = 200, body = HeldStatementView)))]
#[get("/api/pending-bills/{id}")]
pub(crate) async fn get(
    service: Data<Service>,
    caller: Authenticated,
    id: Path<i64>,
) -> Result<Json<HeldStatementView>, Problem> {
    let statement = service.read(caller.0, move |repo| pending_bills::get(repo, PendingBillId(*id))).await?;
    Ok(Json(statement.into()))
}

/// Inserts the rows of a pending statement, once.
#[utoipa::path(tag = "pending bills",
    responses((status = 201, body = ImportedView), (status = 409, description = "`ErrPendingBillSettled`")))]
#[post("/api/pending-bills/{id}/confirm")]
pub(crate) async fn confirm(service: Data<Service>, id: Path<i64>, once: Once) -> Result<HttpResponse, Problem> {
    let work = move |repo: &mut dyn Repo| pending_bills::confirm(repo, PendingBillId(*id));
    let metrics = Arc::clone(&service.metrics);
    let answer = move |imported| {
        metrics.imported(&imported);
        answered(StatusCode::CREATED, ImportedView::from(imported))
    };
    once.0.long().write(&service, work, answer).await
}

/// Discards a pending statement: its rows can be imported again.
#[utoipa::path(tag = "pending bills",
    responses((status = 204), (status = 409, description = "`ErrPendingBillSettled`")))]
#[delete("/api/pending-bills/{id}")]
pub(crate) async fn discard(
    service: Data<Service>,
    caller: Authenticated,
    id: Path<i64>,
) -> Result<HttpResponse, Problem> {
    service.write(caller.0, move |repo| pending_bills::discard(repo, PendingBillId(*id))).await?;
    Ok(no_content())
}
