//! The payee of a transaction.

use actix_web::get;
use actix_web::web::{Json, Path};
use finance_domain::TransactionId;
use finance_domain::use_cases::payees;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::problem::Reply;
use crate::service::Shared;

/// The payee of a transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = Payee)]
pub(crate) struct PayeeView {
    /// As the filter `payee` of the list takes it. Empty if the text names nobody.
    #[schema(example = "padaria nova esperanca")]
    key: String,
    /// As `display` of the transaction.
    #[schema(example = "Padaria Nova Esperança")]
    name: String,
    /// How many other transactions of the payee, of the same type, have another category: at most 1,000. Transfers and split
    /// transactions do not count.
    others: usize,
}

/// The payee of a transaction, and how many others of it have another category. `POST /api/transactions/update` with `payee_of`
/// changes them.
#[utoipa::path(tag = "transactions", operation_id = "get_payee", responses((status = 200, body = PayeeView)))]
#[get("/api/transactions/{id}/payee")]
pub(crate) async fn payee(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<PayeeView>> {
    let context = service.context();
    let found = service.read(user.caller, move |repo| payees::get(repo, &context, TransactionId(*id))).await?;
    Ok(Json(PayeeView { key: found.key, name: found.name, others: found.others }))
}
