//! Changing and deleting several transactions.

use actix_web::http::StatusCode;
use actix_web::post;
use finance_domain::transactions::{IdsInput, ReferenceChange};
use finance_domain::use_cases::{payees, transactions};
use finance_domain::{AccountId, CategoryId, FieldErrors, Repo, TransactionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::{Change, Field, Ids, take_fields};
use crate::problem::Reply;
use crate::routes::transactions::view::DeletedView;
use crate::service::Shared;

/// Which transactions to change, and how.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateManyBody {
    /// The transactions' ids. Required without `payee_of`.
    #[serde(default)]
    #[schema(value_type = Option<Vec<i64>>, min_items = 1, max_items = 1_000)]
    ids: Ids,
    /// Instead of `ids`: a transaction. It and the others of its payee and type that have another category get the category, the newest
    /// 1,000. Transfers and split transactions stay. `account_id` is ignored.
    #[schema(value_type = Option<i64>, minimum = 1)]
    payee_of: Field<i64>,
    /// Their new category; null removes it. If absent, it stays.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Change<CategoryId>,
    /// Their new account; null removes it. If absent, it stays.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Change<AccountId>,
}

/// How many transactions were changed.
#[derive(Serialize, ToSchema)]
#[schema(as = Updated)]
pub(crate) struct UpdatedView {
    updated: usize,
}

/// Changes the category, the account or both of several transactions, all of them or none. A transaction that is split into lines
/// takes no category: the answer is 422 with the code `is_split` at its place in `ids`. With `payee_of` one request changes all
/// transactions of a payee.
#[utoipa::path(tag = "transactions", request_body = UpdateManyBody, responses((status = 200, body = UpdatedView),
    (status = 409, description = "`ErrTransferLeg`, `ErrOpeningFollows`, `ErrDuplicateExternalId`")))]
#[post("/api/transactions/update")]
pub(crate) async fn update_many(service: Shared, Idempotent { post, body }: Idempotent<Body<UpdateManyBody>>) -> Reply {
    let (body, mut errors) = (body.value, FieldErrors::default());
    let is_of_payee = !matches!(body.payee_of, Field::Absent);
    let payee_of = body.payee_of.take("payee_of", &mut errors).map(TransactionId);
    let ids = body.ids.take_ids("ids", &mut errors, TransactionId);
    let change = take_fields!(body, &mut errors => ReferenceChange {
        category from category_id, account from account_id
    });
    let (input, context) = (IdsInput { ids, errors }, service.context());
    let work = move |repo: &mut dyn Repo| match is_of_payee {
        true => payees::file(repo, &context, payee_of, change.category, input.errors),
        false => transactions::update_many(repo, &context, input, &change),
    };
    post.write(&service, work, |updated| answered(StatusCode::OK, UpdatedView { updated })).await
}

/// Which transactions to delete.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DeleteManyBody {
    /// The transactions' ids.
    #[serde(default)]
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 1_000)]
    ids: Ids,
}

/// Deletes several transactions, all of them or none. The other leg of a transfer is deleted too if this service made it,
/// and is counted.
#[utoipa::path(tag = "transactions", request_body = DeleteManyBody,
    responses((status = 200, body = DeletedView), (status = 409, description = "`ErrOpeningFollows`")))]
#[post("/api/transactions/delete")]
pub(crate) async fn delete_many(service: Shared, Idempotent { post, body }: Idempotent<Body<DeleteManyBody>>) -> Reply {
    let mut errors = FieldErrors::default();
    let ids = body.value.ids.take_ids("ids", &mut errors, TransactionId);
    let (input, context) = (IdsInput { ids, errors }, service.context());
    let work = move |repo: &mut dyn Repo| transactions::delete_many(repo, &context, input);
    post.write(&service, work, |deleted| answered(StatusCode::OK, DeletedView { deleted })).await
}
