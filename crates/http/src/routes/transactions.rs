//! `/api/transactions`.

pub(crate) mod bulk;
pub(crate) mod descriptions;
pub(crate) mod filters;
pub(crate) mod lines;
pub(crate) mod payee;
mod view;

use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use filters::FilterQuery;
use finance_domain::idempotency::Answer;
use finance_domain::month::{COMPUTED_YEARS, parse_date_within};
use finance_domain::transactions::{Kind, Transaction, TransactionInput, TransactionPlace, TransactionSummary};
use finance_domain::use_cases::transactions;
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Repo, TransactionId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::{Field, Objects, take_fields};
use crate::extract::query::{PageQuery, Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::{DateInput, MoneyInput, MoneyView, MonthInput, no_content};

use lines::LineBody;

pub(crate) use lines::take_tags;

pub(crate) use view::{DeletedView, KindView, TransactionView};

/// The fields of a transaction to create or update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TransactionBody {
    /// The sign of the amount.
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    /// Unique within the account.
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: Field<String>,
    #[schema(value_type = String, min_length = 1, max_length = 255, example = "Padaria")]
    description: Field<String>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    /// On an update: whether it is a transfer whose other side is not kept here. If absent, it stays as it is.
    #[schema(value_type = Option<bool>)]
    is_transfer: Field<bool>,
    /// Instead of a category: parts that each have a category, and that sum to the amount.
    #[serde(default)]
    #[schema(value_type = Option<Vec<LineBody>>, min_items = 2, max_items = 20)]
    lines: Objects<LineBody>,
    /// Each 1 to 30 characters, unique regardless of case. If absent, the transaction has none.
    #[schema(value_type = Option<Vec<String>>, max_items = 10)]
    tags: Field<Vec<Field<String>>>,
    #[schema(value_type = Option<String>, min_length = 1, max_length = 1000)]
    note: Field<String>,
}

impl TransactionBody {
    fn into_input(self) -> TransactionInput {
        let mut errors = FieldErrors::default();
        take_fields!(self, &mut errors => TransactionInput {
            kind as "type", category_id, account_id, date, external_id, description, amount, is_transfer, note;
            lines: self.lines.take_objects("lines", &mut errors, LineBody::into_input),
            tags: take_tags(self.tags, &mut errors),
            errors,
        })
    }
}

/// The transactions that match the filters, newest first.
#[utoipa::path(tag = "transactions", params(FilterQuery, PageQuery), responses((status = 200, body = [TransactionView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/transactions")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<FilterQuery>,
    page: Params<PageQuery>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let filter = query.value.into_filter(&mut errors);
    let (after, limit) = page.value.after(&mut errors, place);
    errors.into_result()?;
    let context = service.context();
    let page = service.read(user.caller, move |repo| {
        // One row more than the page holds shows whether there is another page.
        let listed = transactions::list(repo, &context, filter.clone(), after, limit + 1)?;
        Page::new::<TransactionView, _>(listed, limit, |last| format!("{}/{}", last.date, last.id))
    });
    Ok(page.await?.response(&request))
}

/// A place in the list, as its cursor holds it.
fn place(text: &str) -> Option<TransactionPlace> {
    let (date, id) = text.split_once('/')?;
    let date = parse_date_within(date, &COMPUTED_YEARS).ok()?;
    Some(TransactionPlace { date, id: TransactionId(id.parse().ok()?) })
}

/// The totals of a list of transactions.
#[derive(Serialize, ToSchema)]
#[schema(as = TransactionSummary)]
pub(crate) struct SummaryView {
    /// The number of rows in the list, of any kind.
    count: u64,
    /// Without transfers and opening balances. With a filter by category, group or kind, only the lines that pass count in a split
    /// transaction.
    income: MoneyView,
    /// Counted like `income`.
    expenses: MoneyView,
}

/// The number of transactions that match the filters, and their sums.
#[utoipa::path(tag = "transactions", params(FilterQuery), responses((status = 200, body = SummaryView)))]
#[get("/api/transactions/summary")]
pub(crate) async fn summary(
    service: Shared,
    user: Authenticated,
    query: Params<FilterQuery>,
) -> Reply<Json<SummaryView>> {
    let mut errors = FieldErrors::default();
    let filter = query.value.into_filter(&mut errors);
    errors.into_result()?;
    let context = service.context();
    let summary = service.read(user.caller, move |repo| transactions::summary(repo, &context, filter.clone())).await?;
    let TransactionSummary { count, income, expenses } = summary;
    Ok(Json(SummaryView { count, income: MoneyView(income), expenses: MoneyView(expenses) }))
}

/// Creates a manual transaction.
#[utoipa::path(tag = "transactions", request_body = TransactionBody,
    responses((status = 201, body = TransactionView),
        (status = 409, description = "`ErrDuplicateExternalId`, `ErrLimitReached`")))]
#[post("/api/transactions")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<TransactionBody>>) -> Reply {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| transactions::create(repo, &context, input);
    post.write(&service, work, created_transaction).await
}

/// 201 with a transaction and its location.
pub(crate) fn created_transaction(transaction: Transaction) -> finance_domain::Result<Answer> {
    created(format!("/api/transactions/{}", transaction.id), TransactionView::from(transaction))
}

/// A transaction.
#[utoipa::path(tag = "transactions", responses((status = 200, body = TransactionView)))]
#[get("/api/transactions/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<TransactionView>> {
    let transaction = service.read(user.caller, move |repo| transactions::get(repo, TransactionId(*id))).await?;
    Ok(Json(transaction.into()))
}

/// Replaces a transaction's own fields, also lines, tags and note. Source, import, purchase date and statement columns stay.
#[utoipa::path(tag = "transactions", request_body = TransactionBody, responses((status = 200, body = TransactionView),
    (status = 409, description = "`ErrTransferLeg`, `ErrOpeningFollows`, `ErrDuplicateExternalId`")))]
#[put("/api/transactions/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<TransactionBody>,
) -> Reply<Json<TransactionView>> {
    let (input, context) = (body.value.into_input(), service.context());
    let update = move |repo: &mut dyn Repo| transactions::update(repo, &context, TransactionId(*id), input);
    Ok(Json(service.write(user.caller, update).await?.into()))
}

/// Deletes a transaction. The other leg of a transfer is deleted too if this service made it.
#[utoipa::path(tag = "transactions",
    responses((status = 204), (status = 409, description = "`ErrOpeningFollows`")))]
#[delete("/api/transactions/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let context = service.context();
    service.write(user.caller, move |repo| transactions::delete(repo, &context, TransactionId(*id))).await?;
    Ok(no_content())
}

/// Which month to delete.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// The month.
    #[param(value_type = MonthInput, inline)]
    month: Param,
}

/// Deletes all transactions of a month.
#[utoipa::path(tag = "transactions", params(DeleteQuery), responses((status = 200, body = DeletedView)))]
#[delete("/api/transactions")]
pub(crate) async fn delete_month(
    service: Shared,
    user: Authenticated,
    query: Params<DeleteQuery>,
) -> Reply<Json<DeletedView>> {
    let mut errors = FieldErrors::default();
    let month = query.value.month.month("month", &mut errors);
    let month = errors.require("month", month);
    errors.into_result()?;
    let Some(month) = month else { return Ok(Json(DeletedView { deleted: 0 })) };
    let context = service.context();
    let deleted = service.write(user.caller, move |repo| transactions::delete_month(repo, &context, month)).await?;
    Ok(Json(DeletedView { deleted }))
}
