//! `/api/budgets`.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{get, post, put};
use finance_domain::budgets::{BudgetInput, BudgetTotals, CategoryMonth, FillFrom, MonthBudget};
use finance_domain::use_cases::budgets;
use finance_domain::{CategoryId, Error, FieldErrors, Money, Month, Repo};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::{Field, Ids, Objects, take_fields};
use crate::problem::Reply;
use crate::routes::categories::CarryView;
use crate::service::Shared;
use crate::views::{MoneyInput, MoneyView, MonthInput};
use crate::words::WordView;

/// The month in the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct MonthPath {
    /// At most 120 months back and 24 ahead.
    #[param(value_type = MonthInput, inline)]
    month: String,
}

impl MonthPath {
    fn read(&self) -> finance_domain::Result<Month> {
        self.month.parse().map_err(|violation| Error::invalid("month", violation))
    }

    /// The month, or that of `today` if it is none, which is noted beside the errors of the body.
    fn month(&self, today: Date, errors: &mut FieldErrors) -> Month {
        errors.check("month", self.month.parse::<Month>()).unwrap_or(Month::of(today))
    }
}

/// The budgets of a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthBudget)]
pub(crate) struct MonthBudgetView {
    #[schema(example = "2026-02")]
    month: String,
    /// The income of the month, without refunds.
    income: MoneyView,
    /// `income` and, from this month on, the recurring incomes that are pending or late.
    income_expected: MoneyView,
    /// `income_expected` − `total.budget`.
    to_distribute: MoneyView,
    /// The sums of all categories; null counts as 0.
    total: TotalsView,
    /// The sums by group, in order.
    groups: Vec<GroupView>,
    /// In order: by group, place and name. Rows without category are last.
    categories: Vec<CategoryMonthView>,
}

/// Sums of categories.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetTotals)]
struct TotalsView {
    budget: MoneyView,
    carried_in: MoneyView,
    expenses: MoneyView,
    refunds: MoneyView,
    spent: MoneyView,
    available: MoneyView,
}

/// Sums of the categories of a group.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetGroup)]
struct GroupView {
    /// Null: the categories of no group.
    #[schema(example = "Casa")]
    group: Option<String>,
    budget: MoneyView,
    carried_in: MoneyView,
    expenses: MoneyView,
    refunds: MoneyView,
    spent: MoneyView,
    available: MoneyView,
}

/// A category in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = CategoryMonth)]
struct CategoryMonthView {
    /// Null: rows without category.
    category_id: Option<i64>,
    name: Option<String>,
    group: Option<String>,
    hidden: bool,
    carry: CarryView,
    /// The month's own amount; null if the default holds.
    own: Option<MoneyView>,
    /// `own`, or the default of its time; null without one.
    budget: Option<MoneyView>,
    /// What the months before have left.
    carried_in: MoneyView,
    expenses: MoneyView,
    refunds: MoneyView,
    /// `expenses` − `refunds`.
    spent: MoneyView,
    /// `carried_in` + `budget` − `spent`; null without budget and carry.
    available: Option<MoneyView>,
    /// The mean of `spent` in the last 3 months before it that are over; fewer since the first month of the books.
    average3: Option<MoneyView>,
    /// The same of 12 months.
    average12: Option<MoneyView>,
    /// What was spent in the month a year before; null before the first month of the books.
    last_year: Option<MoneyView>,
}

impl From<BudgetTotals> for TotalsView {
    fn from(totals: BudgetTotals) -> Self {
        let BudgetTotals { budget, carried_in, sums, available } = totals;
        TotalsView {
            budget: MoneyView(budget),
            carried_in: MoneyView(carried_in),
            expenses: MoneyView(sums.expenses),
            refunds: MoneyView(sums.refunds),
            spent: MoneyView(sums.spent()),
            available: MoneyView(available),
        }
    }
}

impl GroupView {
    fn of(group: Option<String>, totals: BudgetTotals) -> Self {
        let TotalsView { budget, carried_in, expenses, refunds, spent, available } = totals.into();
        GroupView { group, budget, carried_in, expenses, refunds, spent, available }
    }
}

impl From<CategoryMonth> for CategoryMonthView {
    fn from(line: CategoryMonth) -> Self {
        CategoryMonthView {
            available: line.available().map(MoneyView),
            category_id: line.category_id.map(|id| id.0),
            name: line.name,
            group: line.group,
            hidden: line.is_hidden,
            carry: line.carry.into(),
            own: line.own.map(MoneyView),
            budget: line.budget.map(MoneyView),
            carried_in: MoneyView(line.carried_in.unwrap_or_default()),
            expenses: MoneyView(line.sums.expenses),
            refunds: MoneyView(line.sums.refunds),
            spent: MoneyView(line.sums.spent()),
            average3: line.average3.map(MoneyView),
            average12: line.average12.map(MoneyView),
            last_year: line.last_year.map(MoneyView),
        }
    }
}

impl From<MonthBudget> for MonthBudgetView {
    fn from(budget: MonthBudget) -> Self {
        MonthBudgetView {
            to_distribute: MoneyView(budget.to_distribute()),
            month: budget.month.to_string(),
            income: MoneyView(budget.income),
            income_expected: MoneyView(budget.income_expected),
            total: budget.total.into(),
            groups: budget.groups.into_iter().map(|(group, totals)| GroupView::of(group, totals)).collect(),
            categories: budget.categories.into_iter().map(CategoryMonthView::from).collect(),
        }
    }
}

/// The budgets of a month, with what was spent and what is left.
#[utoipa::path(tag = "budgets", params(MonthPath), responses((status = 200, body = MonthBudgetView)))]
#[get("/api/budgets/{month}")]
pub(crate) async fn read(service: Shared, user: Authenticated, path: Path<MonthPath>) -> Reply<Json<MonthBudgetView>> {
    let (month, context) = (path.read()?, service.context());
    let budget = service.read(user.caller, move |repo| budgets::read(repo, &context, month)).await?;
    Ok(Json(budget.into()))
}

/// Budgets to set.
#[derive(Deserialize, ToSchema)]
pub(crate) struct BudgetsBody {
    /// Each category once.
    #[serde(default)]
    #[schema(value_type = Vec<BudgetBody>, min_items = 1, max_items = 500)]
    budgets: Objects<BudgetBody>,
}

/// The budget of a category.
#[derive(Deserialize, ToSchema)]
pub(crate) struct BudgetBody {
    #[schema(value_type = i64, minimum = 1)]
    category_id: Field<CategoryId>,
    /// 0 to 9999999999.99; null: the default holds again.
    #[schema(value_type = Option<MoneyInput>)]
    amount: Field<Money>,
}

impl BudgetBody {
    fn into_input(self, errors: &mut FieldErrors) -> BudgetInput {
        take_fields!(self, errors => BudgetInput { category_id, amount })
    }
}

/// Sets amounts of a month, all or none.
#[utoipa::path(tag = "budgets", params(MonthPath), request_body = BudgetsBody,
    responses((status = 200, body = MonthBudgetView)))]
#[put("/api/budgets/{month}")]
pub(crate) async fn set(
    service: Shared,
    user: Authenticated,
    path: Path<MonthPath>,
    body: Body<BudgetsBody>,
) -> Reply<Json<MonthBudgetView>> {
    let (context, mut errors) = (service.context(), FieldErrors::default());
    let month = path.month(context.today, &mut errors);
    let changes = body.value.budgets.take_objects("budgets", &mut errors, BudgetBody::into_input);
    let work = move |repo: &mut dyn Repo| budgets::set(repo, &context, month, changes, errors);
    Ok(Json(service.write(user.caller, work).await?.into()))
}

pub(crate) type FillFromView = WordView<FillFrom>;

/// How to fill a month.
#[derive(Deserialize, ToSchema)]
pub(crate) struct FillBody {
    #[schema(value_type = FillFromView)]
    from: Field<FillFrom>,
    /// Only these categories. Without them, all that are not hidden and have no own amount.
    #[serde(default)]
    #[schema(value_type = Option<Vec<i64>>, max_items = 500)]
    category_ids: Ids,
}

/// Sets amounts of a month from other months, where they differ. A mean, or what was spent a year before, is set if it is above 0.
#[utoipa::path(tag = "budgets", params(MonthPath), request_body = FillBody,
    responses((status = 200, body = MonthBudgetView)))]
#[post("/api/budgets/{month}/fill")]
pub(crate) async fn fill(
    service: Shared,
    path: Path<MonthPath>,
    Idempotent { post, body }: Idempotent<Body<FillBody>>,
) -> Reply {
    let (context, mut errors) = (service.context(), FieldErrors::default());
    let month = path.month(context.today, &mut errors);
    let from = body.value.from.take("from", &mut errors);
    let ids = body.value.category_ids.take_ids("category_ids", &mut errors, CategoryId);
    let work = move |repo: &mut dyn Repo| budgets::fill(repo, &context, month, from, ids, errors);
    post.write(&service, work, |budget| answered(StatusCode::OK, MonthBudgetView::from(budget))).await
}
