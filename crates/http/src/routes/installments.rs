//! `/api/installments`: purchases by instalments.

use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use finance_domain::installments::{EndInput, Plan, PlanInput, PlanStatus, Upcoming};
use finance_domain::month::parse_date;
use finance_domain::use_cases::installments::{self, PlanFilter, PlanPlace};
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Repo, TransactionId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::{Field, take_fields};
use crate::extract::query::{Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::transactions::{DeletedView, take_tags};
use crate::service::Shared;
use crate::views::{DateInput, DateView, MoneyInput, MoneyView};
use crate::words::WordView;

/// The maximum and default number of plans per page. Few households have as many.
const LIMIT_MAX: u32 = 1_000;

/// The fields of a purchase by instalments.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InstallmentPlanBody {
    /// A card.
    #[schema(value_type = i64, minimum = 1)]
    account_id: Field<AccountId>,
    /// What was bought. Each transaction is described as `Geladeira - Parcela 1/10`, which must have at most 255 characters.
    #[schema(value_type = String, min_length = 1, max_length = 241, example = "Geladeira")]
    description: Field<String>,
    /// The date of the first instalment. The others are a month apart.
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    #[schema(value_type = i64, minimum = 2, maximum = 99, example = 10)]
    count: Field<i64>,
    /// The amount of all instalments together. The first one gets the remainder of the division. Either this or `amount`.
    #[schema(value_type = Option<MoneyInput>)]
    total_amount: Field<Money>,
    /// The amount of each instalment.
    #[schema(value_type = Option<MoneyInput>)]
    amount: Field<Money>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
    /// Of each of its transactions. Each 1 to 30 characters, unique regardless of case.
    #[schema(value_type = Option<Vec<String>>, max_items = 10)]
    tags: Field<Vec<Field<String>>>,
}

impl InstallmentPlanBody {
    fn into_input(self) -> PlanInput {
        let mut errors = FieldErrors::default();
        take_fields!(self, &mut errors => PlanInput {
            account_id, description, date, count, total_amount, amount, category_id;
            tags: take_tags(self.tags, &mut errors), errors
        })
    }
}

pub(crate) type PlanStatusView = WordView<PlanStatus>;

/// A purchase by instalments, as derived from the rows of its card.
#[derive(Serialize, ToSchema)]
#[schema(as = InstallmentPlan)]
pub(crate) struct PlanView {
    /// The id of its first transaction. Null for a plan that only held statements have.
    id: Option<i64>,
    account_id: i64,
    /// The description of its first transaction, without the instalment.
    #[schema(example = "Geladeira")]
    description: String,
    category_id: Option<i64>,
    /// The latest amount of an instalment.
    amount: MoneyView,
    /// How many instalments it has.
    count: u8,
    /// The number of the last posted instalment, on the open bill or before; 0 if none is posted.
    number: u8,
    /// `count` minus `number`. Of an ended plan: the transactions on later bills.
    remaining: u8,
    remaining_amount: MoneyView,
    /// Whether only the first instalment is known. Its amount may differ by a few cents from the others'.
    estimated: bool,
    status: PlanStatusView,
    /// Whether somebody said that nothing more comes. The status is then `finished`.
    ended: bool,
    /// The date of the first transaction; on a card, the purchase date.
    first_date: DateView,
    /// The due date of the last known or projected instalment.
    last_due_date: DateView,
    /// The ids of its transactions, including those on later bills, ordered by bill, then number.
    transactions: Vec<i64>,
    /// The coming instalments: transactions on later bills, then projected ones.
    upcoming: Vec<UpcomingView>,
}

/// A coming instalment.
#[derive(Serialize, ToSchema)]
#[schema(as = UpcomingInstallment)]
struct UpcomingView {
    number: u8,
    /// When its bill is due.
    due_date: DateView,
    amount: MoneyView,
}

impl From<Upcoming> for UpcomingView {
    fn from(Upcoming { number, period, amount, .. }: Upcoming) -> Self {
        UpcomingView { number, due_date: DateView(period.due), amount: MoneyView(amount) }
    }
}

impl From<Plan> for PlanView {
    fn from(plan: Plan) -> Self {
        PlanView {
            id: plan.id().map(|id| id.0),
            account_id: plan.account_id().0,
            description: plan.description(),
            category_id: plan.category_id().map(|id| id.0),
            amount: MoneyView(plan.amount()),
            count: plan.count,
            number: plan.number,
            remaining: plan.remaining(),
            remaining_amount: MoneyView(plan.remaining_amount()),
            estimated: plan.is_estimated(),
            status: plan.status.into(),
            ended: plan.is_ended,
            first_date: DateView(plan.first_date()),
            last_due_date: DateView(plan.last_due_date),
            transactions: plan.rows.iter().filter_map(|row| Some(row.id?.0)).collect(),
            upcoming: plan.upcoming.into_iter().map(UpcomingView::from).collect(),
        }
    }
}

/// Which plans to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlansQuery {
    /// Plans of this card.
    #[param(value_type = Option<i64>)]
    account_id: Param,
    /// Plans with this status.
    #[param(value_type = Option<PlanStatusView>)]
    status: Param,
    /// Plans per page, 1 to 1000; 1000 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Param,
    /// Where the page begins, from the `Link` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Param,
}

fn place(text: &str) -> Option<PlanPlace> {
    let (date, id) = text.split_once('/')?;
    Some(PlanPlace { first_date: parse_date(date).ok()?, id: TransactionId(id.parse().ok()?) })
}

/// The purchases by instalments, newest first. They are derived from the newest 50,000 transactions that are instalments.
#[utoipa::path(tag = "installments", params(PlansQuery), responses((status = 200, body = [PlanView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/installments")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<PlansQuery>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let limit = query.value.limit.count("limit", &mut errors, LIMIT_MAX).unwrap_or(LIMIT_MAX);
    let filter = PlanFilter {
        account_id: query.value.account_id.account_id("account_id", &mut errors),
        status: query.value.status.read("status", &mut errors, str::parse),
        after: query.value.cursor.cursor(&mut errors, place),
        limit: limit + 1,
    };
    errors.into_result()?;
    let context = service.context();
    let page = service.read(user.caller, move |repo| {
        let plans = installments::list(repo, &context, &filter)?;
        Page::new::<PlanView, _>(plans, limit, |last| {
            let (first_date, id) = last.place();
            format!("{first_date}/{id}")
        })
    });
    Ok(page.await?.response(&request))
}

/// Enters a purchase by instalments: one transaction for each, a month apart. Later statement rows for these instalments count as
/// duplicates of the transactions.
#[utoipa::path(tag = "installments", request_body = InstallmentPlanBody,
    responses((status = 201, body = PlanView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/installments")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<InstallmentPlanBody>>) -> Reply {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| installments::create(repo, &context, input);
    post.write(&service, work, |plan| created(format!("/api/installments/{}", plan.place().1), PlanView::from(plan)))
        .await
}

/// A purchase by instalments.
#[utoipa::path(tag = "installments", responses((status = 200, body = PlanView)))]
#[get("/api/installments/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<PlanView>> {
    let context = service.context();
    let plan = service.read(user.caller, move |repo| installments::get(repo, &context, TransactionId(*id))).await?;
    Ok(Json(plan.into()))
}

/// Whether more comes of a purchase by instalments.
#[derive(Deserialize, ToSchema)]
pub(crate) struct InstallmentPlanEndBody {
    /// True if nothing more comes, for example because the purchase was refunded; false if more comes again.
    #[schema(value_type = bool)]
    ended: Field<bool>,
}

/// Says that nothing more comes of a plan, or that more comes again. Its transactions stay.
#[utoipa::path(tag = "installments", request_body = InstallmentPlanEndBody,
    responses((status = 200, body = PlanView)))]
#[put("/api/installments/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<InstallmentPlanEndBody>,
) -> Reply<Json<PlanView>> {
    let mut errors = FieldErrors::default();
    let input = EndInput { is_ended: body.value.ended.take("ended", &mut errors), errors };
    let context = service.context();
    let work = move |repo: &mut dyn Repo| installments::end(repo, &context, TransactionId(*id), input);
    Ok(Json(service.write(user.caller, work).await?.into()))
}

/// Deletes the transactions of a plan that were entered by hand and that no statement has contained since.
#[utoipa::path(tag = "installments",
    responses((status = 200, body = DeletedView), (status = 409, description = "`ErrInstallmentImported`")))]
#[delete("/api/installments/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<DeletedView>> {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| installments::delete(repo, &context, TransactionId(*id));
    Ok(Json(DeletedView { deleted: service.write(user.caller, work).await? }))
}
