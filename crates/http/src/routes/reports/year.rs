//! `/api/reports/year`.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::dashboard::MonthTotals;
use finance_domain::reports::flow::{FlowRow, Span};
use finance_domain::reports::year::{CategoryChange, YearReport};
use finance_domain::use_cases::reports;
use finance_domain::{FieldErrors, Violation};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::routes::reports::flow::{FigureView, KeySchema, KeyView};
use crate::service::Shared;
use crate::views::{DateView, MoneyView, PercentageView};

/// Which year.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct YearQuery {
    /// Not after this year; this year if absent.
    #[param(value_type = Option<i32>, minimum = 1900, example = 2025)]
    year: Param,
}

/// A year, until today if it is this year.
#[derive(Serialize, ToSchema)]
#[schema(as = YearReport)]
pub(crate) struct YearView {
    year: i32,
    from: DateView,
    to: DateView,
    months: Vec<MonthView>,
    /// All income and expenses; `net` is what is left.
    total: FigureView,
    /// The same days a year before.
    previous: FigureView,
    /// The ten payees at which most was spent.
    payees: Vec<PayeeView>,
    /// At most five categories in which more was spent than in the same days a year before, the largest change first.
    rises: Vec<ChangeView>,
    /// At most five categories in which less was spent.
    falls: Vec<ChangeView>,
    /// The days of the year since the first month of the books.
    days: i64,
    /// Those on which nothing was bought.
    days_without_spending: i64,
    /// The longest run of such days; null if there is none.
    longest_streak: Option<StreakView>,
}

/// A month of a year.
#[derive(Serialize, ToSchema)]
#[schema(as = YearMonth)]
struct MonthView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    expenses: MoneyView,
    refunds: MoneyView,
    savings_pct: Option<PercentageView>,
}

/// A payee.
#[derive(Serialize, ToSchema)]
#[schema(as = YearPayee)]
struct PayeeView {
    /// Null: rows that name no payee.
    #[schema(value_type = KeySchema)]
    key: Option<KeyView>,
    name: Option<String>,
    /// What was spent.
    net: MoneyView,
}

/// A category whose spending has changed.
#[derive(Serialize, ToSchema)]
#[schema(as = YearChange)]
struct ChangeView {
    /// Null: rows without category.
    category_id: Option<i64>,
    name: Option<String>,
    /// What was spent.
    net: MoneyView,
    /// What was spent a year before.
    previous: MoneyView,
    /// `net` − `previous`.
    change: MoneyView,
}

/// Consecutive days on which nothing was bought.
#[derive(Serialize, ToSchema)]
#[schema(as = YearStreak)]
struct StreakView {
    from: DateView,
    to: DateView,
    days: i64,
}

impl From<MonthTotals> for MonthView {
    fn from(totals: MonthTotals) -> Self {
        MonthView {
            month: totals.month.to_string(),
            income: MoneyView(totals.income),
            expenses: MoneyView(totals.expenses),
            refunds: MoneyView(totals.refunds),
            savings_pct: totals.savings_pct().map(PercentageView),
        }
    }
}

impl From<FlowRow> for PayeeView {
    fn from(row: FlowRow) -> Self {
        PayeeView { key: row.key.map(KeyView::from), name: row.name, net: MoneyView(row.sums.total.net) }
    }
}

impl From<CategoryChange> for ChangeView {
    fn from(change: CategoryChange) -> Self {
        ChangeView {
            change: MoneyView(change.change()),
            category_id: change.category_id.map(|id| id.0),
            name: change.name,
            net: MoneyView(change.net),
            previous: MoneyView(change.previous),
        }
    }
}

impl From<Span> for StreakView {
    fn from(span: Span) -> Self {
        StreakView { from: DateView(span.from), to: DateView(span.to), days: span.days() }
    }
}

impl From<YearReport> for YearView {
    fn from(report: YearReport) -> Self {
        YearView {
            year: report.year,
            from: DateView(report.span.from),
            to: DateView(report.span.to),
            months: report.months.into_iter().map(MonthView::from).collect(),
            total: report.total.into(),
            previous: report.previous.into(),
            payees: report.payees.into_iter().map(PayeeView::from).collect(),
            rises: report.rises.into_iter().map(ChangeView::from).collect(),
            falls: report.falls.into_iter().map(ChangeView::from).collect(),
            days: report.quiet.days,
            days_without_spending: report.quiet.without_spending,
            longest_streak: report.quiet.longest.map(StreakView::from),
        }
    }
}

/// A year of the household: its months, compared with the same days a year before, and the days without spending.
#[utoipa::path(tag = "reports", params(YearQuery), responses((status = 200, body = YearView)))]
#[get("/api/reports/year")]
pub(crate) async fn year(service: Shared, user: Authenticated, query: Params<YearQuery>) -> Reply<Json<YearView>> {
    let mut errors = FieldErrors::default();
    let year = query.value.year.read("year", &mut errors, |text| text.parse().map_err(|_| Violation::NotAWholeNumber));
    errors.into_result()?;
    let context = service.context();
    let report = service.read(user.caller, move |repo| reports::year(repo, &context, year)).await?;
    Ok(Json(report.into()))
}
