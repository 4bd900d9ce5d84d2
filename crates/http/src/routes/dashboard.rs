//! `/api/dashboard`.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::dashboard::{MonthTotals, Pace};
use finance_domain::forecast::Forecast;
use finance_domain::use_cases::dashboard::{self, Dashboard, Expected, SpendingState};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{MonthQuery, Params};
use crate::problem::Reply;
use crate::routes::accounts::AccountView;
use crate::routes::credit_bills::CreditBillView;
use crate::routes::pending_bills::PendingBillView;
use crate::routes::recurring::RecurringView;
use crate::routes::transactions::TransactionView;
use crate::service::Shared;
use crate::views::{DateView, MoneyView, PercentageView};

/// A month at a glance.
#[derive(Serialize, ToSchema)]
#[schema(as = Dashboard)]
pub(crate) struct DashboardView {
    #[schema(example = "2026-01")]
    month: String,
    /// The first month with income or expenses; null if there is none yet.
    #[schema(example = "2024-03")]
    first_month: Option<String>,
    income: MoneyView,
    /// Taxes included.
    expenses: MoneyView,
    /// The part of `income` in categories with `nets_refunds`.
    refunds: MoneyView,
    taxes: MoneyView,
    /// 100 × (income − expenses) / (income − taxes); null if income − taxes is not above zero.
    savings_pct: Option<PercentageView>,
    savings_goal_pct: PercentageView,
    /// Largest first.
    spending_by_category: Vec<SpendingView>,
    /// Six months, oldest first, ending with `month`.
    evolution: Vec<EvolutionView>,
    /// The month's last ten, newest first.
    last_transactions: Vec<TransactionView>,
    /// The recurring items of the month that are pending or late.
    pending_recurrings: Vec<RecurringView>,
    /// The incomes in `pending_recurrings`.
    pending_income_recurrings: Vec<RecurringView>,
    /// True if `month` is this month, today is day 1 to 5, and an income is pending or late.
    income_confirmation_widget: bool,
    /// True if `month` is this month, today is after day 5, and a main income is pending or late: one of at least a quarter of the mean
    /// monthly income of the last three months.
    pending_salary_badge: bool,
    /// The unpaid bills of all cards: those with an amount due, and the current ones.
    current_bills: Vec<CreditBillView>,
    /// The card statements held until their payment date.
    pending_bill_imports: Vec<PendingBillView>,
    accounts: Vec<AccountView>,
    /// What all accounts are worth: today in the present month, at the end of an earlier month, and by the forecast at the end of a
    /// coming one, at most 24 months ahead.
    net_worth: MoneyView,
    /// `net_worth` minus the taxes on yield that would be due if the accounts were emptied today.
    net_worth_after_tax: MoneyView,
    /// The forecast in short, from `/api/forecast`; null if `month` is not the present month.
    forecast: Option<OutlookView>,
    /// What the month will come to; null for an earlier month.
    expected: Option<ExpectedView>,
    /// How the month goes so far; null if `month` is not the present month.
    pace: Option<PaceView>,
}

/// What a month will come to: its transactions, and the recurring items that are pending or late.
#[derive(Serialize, ToSchema)]
#[schema(as = DashboardExpected)]
struct ExpectedView {
    income: MoneyView,
    expenses: MoneyView,
    /// `income` − `expenses`.
    result: MoneyView,
}

impl From<Expected> for ExpectedView {
    fn from(Expected { income, expenses }: Expected) -> Self {
        ExpectedView { income: MoneyView(income), expenses: MoneyView(expenses), result: MoneyView(income - expenses) }
    }
}

/// What was spent until today, less refunds.
#[derive(Serialize, ToSchema)]
#[schema(as = DashboardPace)]
struct PaceView {
    /// In this month.
    spent: MoneyView,
    /// The sum of the month's budgets; null if no category has one.
    planned: Option<MoneyView>,
    /// In the month before, until the same day of it.
    previous: MoneyView,
    /// The mean of the three months before, each until the same day, of fewer since the first month; null with a plan or no month before.
    average3: Option<MoneyView>,
    /// The day until which `free_to_spend` must last: the day before the next main income, or the end of the month if none is known.
    free_until: DateView,
    /// The sum of the bills and held statements that exist and are due after `free_until`.
    bills_after: MoneyView,
}

impl PaceView {
    fn new(pace: Pace, forecast: &Forecast) -> Self {
        PaceView {
            spent: MoneyView(pace.spent),
            planned: pace.planned.map(MoneyView),
            previous: MoneyView(pace.previous),
            average3: pace.average.map(MoneyView),
            free_until: DateView(forecast.free_until),
            bills_after: MoneyView(forecast.bills_after),
        }
    }
}

/// The forecast in short.
#[derive(Serialize, ToSchema)]
#[schema(as = DashboardForecast)]
struct OutlookView {
    /// The balance at the end of the month.
    closing: MoneyView,
    /// The lowest balance of the spendable accounts until `free_until` of `pace`; not below zero.
    free_to_spend: MoneyView,
    /// What is set aside for items that are due less than once a month; `free_to_spend` is without it.
    reserved: MoneyView,
    /// The first day within twelve months that ends with a balance below zero.
    first_negative_date: Option<DateView>,
}

impl From<Forecast> for OutlookView {
    fn from(forecast: Forecast) -> Self {
        let closing = forecast.months.first().map_or(forecast.opening, |month| month.closing);
        OutlookView {
            closing: MoneyView(closing),
            free_to_spend: MoneyView(forecast.free_to_spend),
            reserved: MoneyView(forecast.reserved()),
            first_negative_date: forecast.first_negative_date.map(DateView),
        }
    }
}

/// Spending in a category.
#[derive(Serialize, ToSchema)]
#[schema(as = CategorySpending)]
struct SpendingView {
    /// Null for expenses without a category.
    category_id: Option<i64>,
    name: Option<String>,
    /// All expenses.
    total: MoneyView,
    /// The default budget of the category.
    monthly_budget: Option<MoneyView>,
    refunds: MoneyView,
    /// `total` − `refunds`.
    spent: MoneyView,
    /// The budget of the month; null without one.
    budget: Option<MoneyView>,
    /// What may still be spent, with what is carried into the month; null without budget and carry.
    available: Option<MoneyView>,
}

/// Totals of a month.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthEvolution)]
struct EvolutionView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    expenses: MoneyView,
    refunds: MoneyView,
    savings_pct: Option<PercentageView>,
}

impl From<SpendingState> for SpendingView {
    fn from(SpendingState { spending, available }: SpendingState) -> Self {
        SpendingView {
            category_id: spending.category_id.map(|id| id.0),
            name: spending.name,
            total: MoneyView(spending.sums.expenses),
            monthly_budget: spending.monthly_budget.map(MoneyView),
            refunds: MoneyView(spending.sums.refunds),
            spent: MoneyView(spending.sums.spent()),
            budget: spending.budget.map(MoneyView),
            available: available.map(MoneyView),
        }
    }
}

impl From<MonthTotals> for EvolutionView {
    fn from(totals: MonthTotals) -> Self {
        EvolutionView {
            month: totals.month.to_string(),
            income: MoneyView(totals.income),
            expenses: MoneyView(totals.expenses),
            refunds: MoneyView(totals.refunds),
            savings_pct: totals.savings_pct().map(PercentageView),
        }
    }
}

impl From<Dashboard> for DashboardView {
    fn from(dashboard: Dashboard) -> Self {
        let totals = dashboard.totals;
        let pending_income_recurrings = dashboard.pending_incomes().cloned().map(RecurringView::from).collect();
        DashboardView {
            month: totals.month.to_string(),
            first_month: dashboard.first_month.map(|month| month.to_string()),
            income: MoneyView(totals.income),
            expenses: MoneyView(totals.expenses),
            refunds: MoneyView(totals.refunds),
            taxes: MoneyView(totals.taxes),
            savings_pct: totals.savings_pct().map(PercentageView),
            savings_goal_pct: PercentageView(dashboard.savings_goal_pct),
            spending_by_category: dashboard.spending_by_category.into_iter().map(SpendingView::from).collect(),
            evolution: dashboard.evolution.into_iter().map(EvolutionView::from).collect(),
            last_transactions: dashboard.last_transactions.into_iter().map(TransactionView::from).collect(),
            pending_recurrings: dashboard.pending_recurrings.into_iter().map(RecurringView::from).collect(),
            pending_income_recurrings,
            income_confirmation_widget: dashboard.income_confirmation_widget,
            pending_salary_badge: dashboard.pending_salary_badge,
            current_bills: dashboard.current_bills.into_iter().map(CreditBillView::from).collect(),
            pending_bill_imports: dashboard.pending_bill_imports.into_iter().map(PendingBillView::from).collect(),
            accounts: dashboard.accounts.into_iter().map(AccountView::from).collect(),
            net_worth: MoneyView(dashboard.net_worth),
            net_worth_after_tax: MoneyView(dashboard.net_worth_after_tax),
            expected: dashboard.expected.map(ExpectedView::from),
            pace: dashboard.pace.zip(dashboard.forecast.as_ref()).map(|(pace, ahead)| PaceView::new(pace, ahead)),
            forecast: dashboard.forecast.map(OutlookView::from),
        }
    }
}

/// A month at a glance, read in one snapshot. A month that met the savings goal earns XP, once.
#[utoipa::path(tag = "dashboard", params(MonthQuery), responses((status = 200, body = DashboardView)))]
#[get("/api/dashboard")]
pub(crate) async fn read(
    service: Shared,
    user: Authenticated,
    query: Params<MonthQuery>,
) -> Reply<Json<DashboardView>> {
    let context = service.context();
    let month = query.value.month_or(context.today)?;
    let dashboard = service.flow_today(user.caller, move |repo| dashboard::read(repo, &context, month)).await?;
    Ok(Json(dashboard.into()))
}
