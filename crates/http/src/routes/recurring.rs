//! `/api/recurring`.

use actix_web::http::StatusCode;
use actix_web::web::{Data, Json, Path};
use actix_web::{HttpResponse, delete, get, post, put};
use finance_domain::recurring::{ConfirmInput, RecurringInput, RecurringState, Status};
use finance_domain::transactions::Kind;
use finance_domain::use_cases::recurring;
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Month, RecurringId, Repo};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered, created};
use crate::extract::json::Field;
use crate::extract::query::{MonthQuery, Params};
use crate::problem::Problem;
use crate::routes::transactions::{KindView, TransactionView, created_transaction};
use crate::service::Service;
use crate::views::{DateInput, MoneyInput, MoneyView, no_content};
use crate::words::WordView;

/// The fields of a recurring item to create or update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RecurringBody {
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = String, min_length = 1, max_length = 255, example = "Aluguel")]
    description: Field<String>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[schema(value_type = i64, minimum = 1)]
    category_id: Field<CategoryId>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    /// The day of the month on which it is expected. In a shorter month, it means the last day.
    #[schema(value_type = i64, minimum = 1, maximum = 31)]
    day: Field<i64>,
}

impl RecurringBody {
    fn into_input(self) -> RecurringInput {
        let mut errors = FieldErrors::default();
        RecurringInput {
            kind: self.kind.take("type", &mut errors),
            description: self.description.take("description", &mut errors),
            amount: self.amount.take("amount", &mut errors),
            category_id: self.category_id.take("category_id", &mut errors),
            account_id: self.account_id.take("account_id", &mut errors),
            day: self.day.take("day", &mut errors),
            errors,
        }
    }
}

/// A recurring item, with its status in the requested month.
#[derive(Serialize, ToSchema)]
#[schema(as = Recurring)]
pub(crate) struct RecurringView {
    id: i64,
    profile_id: i64,
    #[serde(rename = "type")]
    kind: KindView,
    #[schema(example = "Aluguel")]
    description: String,
    amount: MoneyView,
    category_id: i64,
    account_id: Option<i64>,
    day: u8,
    status: StatusView,
    /// The transaction that covers or confirms it.
    transaction_id: Option<i64>,
}

/// The status of a recurring item in a month.
pub(crate) type StatusView = WordView<Status>;

impl From<RecurringState> for RecurringView {
    fn from(state: RecurringState) -> Self {
        let RecurringState { item, status, transaction_id } = state;
        RecurringView {
            id: item.id.0,
            profile_id: item.profile_id.0,
            kind: item.kind.into(),
            description: item.description,
            amount: MoneyView(item.amount),
            category_id: item.category_id.0,
            account_id: item.account_id.map(|id| id.0),
            day: item.day,
            status: status.into(),
            transaction_id: transaction_id.map(|id| id.0),
        }
    }
}

/// All recurring items with their status in a month, ordered by day.
#[utoipa::path(tag = "recurring", params(MonthQuery), responses((status = 200, body = [RecurringView])))]
#[get("/api/recurring")]
pub(crate) async fn list(
    service: Data<Service>,
    user: Authenticated,
    query: Params<MonthQuery>,
) -> Result<Json<Vec<RecurringView>>, Problem> {
    let month = query.value.month_or(service.clock.today())?;
    let states = service.read(user.caller, move |repo| recurring::list(repo, month)).await?;
    Ok(Json(states.into_iter().map(RecurringView::from).collect()))
}

/// Creates an item.
#[utoipa::path(tag = "recurring", params(MonthQuery), request_body = RecurringBody,
    responses((status = 201, body = RecurringView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/recurring")]
pub(crate) async fn create(
    service: Data<Service>,
    query: Params<MonthQuery>,
    Idempotent { post, body }: Idempotent<Body<RecurringBody>>,
) -> Result<HttpResponse, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let month = query.value.month_or(context.today)?;
    let work = move |repo: &mut dyn Repo| recurring::create(repo, &context, input, month);
    post.write(&service, work, |state| created(format!("/api/recurring/{}", state.item.id), RecurringView::from(state)))
        .await
}

/// A recurring item with its status in a month.
#[utoipa::path(tag = "recurring", params(MonthQuery), responses((status = 200, body = RecurringView)))]
#[get("/api/recurring/{id}")]
pub(crate) async fn get(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    query: Params<MonthQuery>,
) -> Result<Json<RecurringView>, Problem> {
    let month = query.value.month_or(service.clock.today())?;
    let state = service.read(user.caller, move |repo| recurring::get(repo, RecurringId(*id), month)).await?;
    Ok(Json(state.into()))
}

/// Replaces an item's own fields. Its marks stay.
#[utoipa::path(tag = "recurring", params(MonthQuery), request_body = RecurringBody,
    responses((status = 200, body = RecurringView)))]
#[put("/api/recurring/{id}")]
pub(crate) async fn update(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    query: Params<MonthQuery>,
    body: Body<RecurringBody>,
) -> Result<Json<RecurringView>, Problem> {
    let (month, input) = (query.value.month_or(service.clock.today())?, body.value.into_input());
    let state = service.write(user.caller, move |repo| recurring::update(repo, RecurringId(*id), input, month)).await?;
    Ok(Json(state.into()))
}

/// Deletes an item; the transactions made for it stay.
#[utoipa::path(tag = "recurring", responses((status = 204)))]
#[delete("/api/recurring/{id}")]
pub(crate) async fn delete(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<HttpResponse, Problem> {
    service.write(user.caller, move |repo| recurring::delete(repo, RecurringId(*id))).await?;
    Ok(no_content())
}

/// How to confirm an expected income.
#[derive(Deserialize, ToSchema)]
#[schema(as = RecurringConfirmBody)]
pub(crate) struct ConfirmBody {
    /// The item's own if absent.
    #[schema(value_type = Option<MoneyInput>)]
    amount: Field<Money>,
    /// A date in the month. If absent: today if that is in the month, else the item's day.
    #[schema(value_type = Option<DateInput>)]
    date: Field<Date>,
    /// The item's own if absent.
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
}

/// Confirms an expected income: creates its transaction.
#[utoipa::path(tag = "recurring", params(MonthQuery), request_body = Option<ConfirmBody>,
    responses((status = 201, body = TransactionView),
        (status = 409, description = "`ErrRecurringNotPending`, `ErrLimitReached`"),
        (status = 422, description = "`ErrValidation`, `ErrRecurringNotIncome`")))]
#[post("/api/recurring/{id}/confirm")]
pub(crate) async fn confirm(
    service: Data<Service>,
    id: Path<i64>,
    query: Params<MonthQuery>,
    Idempotent { post, body }: Idempotent<OptionalBody<ConfirmBody>>,
) -> Result<HttpResponse, Problem> {
    let context = service.context();
    let month = query.value.month_or(context.today)?;
    let mut errors = FieldErrors::default();
    let input = ConfirmInput {
        amount: body.value.amount.take("amount", &mut errors),
        date: body.value.date.take("date", &mut errors),
        account_id: body.value.account_id.take("account_id", &mut errors),
        errors,
    };
    let work = move |repo: &mut dyn Repo| recurring::confirm(repo, &context, RecurringId(*id), month, input);
    post.write(&service, work, created_transaction).await
}

/// Marks a pending item as late for the month.
#[utoipa::path(tag = "recurring", params(MonthQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotPending`")))]
#[post("/api/recurring/{id}/late")]
pub(crate) async fn late(
    service: Data<Service>,
    id: Path<i64>,
    query: Params<MonthQuery>,
    idempotent: Idempotent,
) -> Result<HttpResponse, Problem> {
    mark(&service, idempotent, *id, query, recurring::late).await
}

/// Removes the late mark of an item.
#[utoipa::path(tag = "recurring", params(MonthQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotLate`")))]
#[post("/api/recurring/{id}/unlate")]
pub(crate) async fn unlate(
    service: Data<Service>,
    id: Path<i64>,
    query: Params<MonthQuery>,
    idempotent: Idempotent,
) -> Result<HttpResponse, Problem> {
    mark(&service, idempotent, *id, query, recurring::unlate).await
}

/// Marks a pending or late item as ignored for the month.
#[utoipa::path(tag = "recurring", params(MonthQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotPending`")))]
#[post("/api/recurring/{id}/ignore")]
pub(crate) async fn ignore(
    service: Data<Service>,
    id: Path<i64>,
    query: Params<MonthQuery>,
    idempotent: Idempotent,
) -> Result<HttpResponse, Problem> {
    mark(&service, idempotent, *id, query, recurring::ignore).await
}

/// Removes the ignored mark of an item.
#[utoipa::path(tag = "recurring", params(MonthQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotIgnored`")))]
#[post("/api/recurring/{id}/unignore")]
pub(crate) async fn unignore(
    service: Data<Service>,
    id: Path<i64>,
    query: Params<MonthQuery>,
    idempotent: Idempotent,
) -> Result<HttpResponse, Problem> {
    mark(&service, idempotent, *id, query, recurring::unignore).await
}

/// Runs one of the use cases that mark an item for a month.
async fn mark(
    service: &Service,
    idempotent: Idempotent,
    id: i64,
    query: Params<MonthQuery>,
    noted: impl FnOnce(&mut dyn Repo, RecurringId, Month) -> finance_domain::Result<RecurringState> + Send + 'static,
) -> Result<HttpResponse, Problem> {
    let month = query.value.month_or(service.clock.today())?;
    let work = move |repo: &mut dyn Repo| noted(repo, RecurringId(id), month);
    idempotent.post.write(service, work, |state| answered(StatusCode::OK, RecurringView::from(state))).await
}
