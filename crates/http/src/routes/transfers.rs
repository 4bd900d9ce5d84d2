//! `/api/transfers`.

use actix_web::web::{Data, Json, Path};
use actix_web::{HttpResponse, delete, get, post};
use finance_domain::transfers::{Transfer, TransferInput};
use finance_domain::use_cases::transfers;
use finance_domain::{AccountId, FieldErrors, Money, Repo, TransferId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::Field;
use crate::problem::Problem;
use crate::routes::transactions::TransactionView;
use crate::service::Service;
use crate::views::{DateInput, MoneyInput, no_content};

/// A transfer to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TransferBody {
    #[schema(value_type = i64, minimum = 1)]
    from_account_id: Field<AccountId>,
    /// Another account than `from_account_id`.
    #[schema(value_type = i64, minimum = 1)]
    to_account_id: Field<AccountId>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    /// `Transferência` where absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    description: Field<String>,
}

impl TransferBody {
    fn into_input(self) -> TransferInput {
        let mut errors = FieldErrors::default();
        TransferInput {
            from_account_id: self.from_account_id.take("from_account_id", &mut errors),
            to_account_id: self.to_account_id.take("to_account_id", &mut errors),
            amount: self.amount.take("amount", &mut errors),
            date: self.date.take("date", &mut errors),
            description: self.description.take("description", &mut errors),
            errors,
        }
    }
}

/// A transfer between own accounts: counted in balances, never as income or expense.
#[derive(Serialize, ToSchema)]
#[schema(as = Transfer)]
pub(crate) struct TransferView {
    id: i64,
    /// The expense on the source account.
    from: TransactionView,
    /// The income on the target account.
    to: TransactionView,
}

impl From<Transfer> for TransferView {
    fn from(transfer: Transfer) -> Self {
        TransferView { id: transfer.id.0, from: transfer.from.into(), to: transfer.to.into() }
    }
}

/// Creates a transfer: two transactions with the same `transfer_id`.
#[utoipa::path(tag = "transfers", request_body = TransferBody, responses((status = 201, body = TransferView)))]
#[post("/api/transfers")]
pub(crate) async fn create(
    service: Data<Service>,
    Idempotent { post, body }: Idempotent<Body<TransferBody>>,
) -> Result<HttpResponse, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| transfers::create(repo, &context, input);
    post.write(&service, work, |transfer| {
        created(format!("/api/transfers/{}", transfer.id), TransferView::from(transfer))
    })
    .await
}

/// A transfer.
#[utoipa::path(tag = "transfers", responses((status = 200, body = TransferView)))]
#[get("/api/transfers/{id}")]
pub(crate) async fn get(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<Json<TransferView>, Problem> {
    let transfer = service.read(user.caller, move |repo| transfers::get(repo, TransferId(*id))).await?;
    Ok(Json(transfer.into()))
}

/// Deletes a transfer with both its transactions.
#[utoipa::path(tag = "transfers", responses((status = 204)))]
#[delete("/api/transfers/{id}")]
pub(crate) async fn delete(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<HttpResponse, Problem> {
    service.write(user.caller, move |repo| transfers::delete(repo, TransferId(*id))).await?;
    Ok(no_content())
}
