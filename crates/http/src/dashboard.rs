//! `/api/dashboard`.

use actix_web::get;
use actix_web::web::{Data, Json};
use finance_domain::dashboard::{self, CategorySpending, Dashboard, MonthTotals};
use finance_domain::{FieldErrors, Month};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::authentication::Authenticated;
use crate::problems::Problem;
use crate::query::{Param, Params};
use crate::service::Service;
use crate::transactions::TransactionView;
use crate::views::{MoneyView, PercentageView};

/// Which month to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DashboardQuery {
    /// The month; this month where absent.
    #[param(value_type = Option<String>, example = "2026-01")]
    month: Param,
}

/// A month at a glance.
#[derive(Serialize, ToSchema)]
#[schema(as = Dashboard)]
pub(crate) struct DashboardView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    /// Taxes included.
    expenses: MoneyView,
    taxes: MoneyView,
    /// 100 × (income − expenses) / (income − taxes); null where income − taxes is not above zero.
    savings_pct: Option<PercentageView>,
    savings_goal_pct: PercentageView,
    /// Most first.
    spending_by_category: Vec<SpendingView>,
    /// Six months, oldest first, ending with `month`.
    evolution: Vec<EvolutionView>,
    /// The month's last ten, newest first.
    last_transactions: Vec<TransactionView>,
}

/// What was spent on what.
#[derive(Serialize, ToSchema)]
#[schema(as = CategorySpending)]
struct SpendingView {
    /// Null for expenses without a category.
    category_id: Option<i64>,
    name: Option<String>,
    total: MoneyView,
    monthly_budget: Option<MoneyView>,
}

/// What came and went in a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthEvolution)]
struct EvolutionView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    expenses: MoneyView,
    savings_pct: Option<PercentageView>,
}

impl From<CategorySpending> for SpendingView {
    fn from(spending: CategorySpending) -> Self {
        SpendingView {
            category_id: spending.category_id.map(|id| id.0),
            name: spending.name,
            total: MoneyView(spending.total),
            monthly_budget: spending.monthly_budget.map(MoneyView),
        }
    }
}

impl From<MonthTotals> for EvolutionView {
    fn from(totals: MonthTotals) -> Self {
        EvolutionView {
            month: totals.month.to_string(),
            income: MoneyView(totals.income),
            expenses: MoneyView(totals.expenses),
            savings_pct: totals.savings_pct().map(PercentageView),
        }
    }
}

impl From<Dashboard> for DashboardView {
    fn from(dashboard: Dashboard) -> Self {
        let totals = dashboard.totals;
        DashboardView {
            month: totals.month.to_string(),
            income: MoneyView(totals.income),
            expenses: MoneyView(totals.expenses),
            taxes: MoneyView(totals.taxes),
            savings_pct: totals.savings_pct().map(PercentageView),
            savings_goal_pct: PercentageView(dashboard.settings.savings_goal_pct),
            spending_by_category: dashboard.spending_by_category.into_iter().map(SpendingView::from).collect(),
            evolution: dashboard.evolution.into_iter().map(EvolutionView::from).collect(),
            last_transactions: dashboard.last_transactions.into_iter().map(TransactionView::from).collect(),
        }
    }
}

/// A month at a glance, read in one snapshot.
#[utoipa::path(tag = "dashboard", params(DashboardQuery), responses((status = 200, body = DashboardView)))]
#[get("/api/dashboard")]
pub(crate) async fn read(
    service: Data<Service>,
    caller: Authenticated,
    query: Params<DashboardQuery>,
) -> Result<Json<DashboardView>, Problem> {
    let mut errors = FieldErrors::default();
    let month = query.0.month.month("month", &mut errors);
    errors.into_result()?;
    let month = month.unwrap_or(Month::of(service.clock.today()));
    Ok(Json(service.read(caller.0, move |repo| dashboard::read(repo, month)).await?.into()))
}
