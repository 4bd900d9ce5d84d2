//! `/api/forecast`.

use actix_web::get;
use actix_web::web::{Data, Json};
use finance_domain::FieldErrors;
use finance_domain::forecast::{Baseline, Event, EventKind, Forecast, MONTHS_DEFAULT, MONTHS_MAX, MonthForecast};
use finance_domain::use_cases::forecast;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Problem;
use crate::service::Service;
use crate::views::{DateView, MoneyView};
use crate::words::WordView;

/// How to look ahead.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForecastQuery {
    /// How many months, this one included, 1 to 24; 12 where absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 24)]
    months: Param,
    /// What is spent beside what is known to come; nothing where absent.
    #[param(value_type = Option<BaselineView>, inline)]
    baseline: Param,
}

/// What is spent beside what is known to come: nothing, or the median of the last three complete months.
pub(crate) type BaselineView = WordView<Baseline>;

/// What an event comes from: a stored transaction of a later date, a recurring item, a bill of a card, or a held statement.
pub(crate) type EventKindView = WordView<EventKind>;

/// The balance of current and savings accounts in the months ahead, and what it is made of.
#[derive(Serialize, ToSchema)]
#[schema(as = Forecast)]
pub(crate) struct ForecastView {
    /// Today.
    as_of: DateView,
    /// The balance of current and savings accounts by what is dated until today.
    opening: MoneyView,
    /// This month first.
    months: Vec<MonthView>,
    /// In the order of their days; at most 2,000.
    events: Vec<EventView>,
    /// The first day at whose end the balance is below zero.
    first_negative_date: Option<DateView>,
    /// The lowest balance before the next income, or until the end of this month where none is known; not below zero.
    free_to_spend: MoneyView,
}

/// A month ahead. Of this month what is dated from today on.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthForecast)]
struct MonthView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    /// Without `card_bills` and `estimated`.
    expenses: MoneyView,
    card_bills: MoneyView,
    /// What is spent beside what is known to come.
    estimated: MoneyView,
    /// The balance at the end of its last day.
    closing: MoneyView,
    lowest: LowView,
}

/// The lowest balance at the end of a day.
#[derive(Serialize, ToSchema)]
#[schema(as = LowestBalance)]
struct LowView {
    /// The first such day.
    date: DateView,
    balance: MoneyView,
}

/// Money that is known to come or to go.
#[derive(Serialize, ToSchema)]
#[schema(as = ForecastEvent)]
struct EventView {
    date: DateView,
    kind: EventKindView,
    #[schema(example = "Fatura Nubank")]
    description: String,
    /// Below zero where money goes.
    amount: MoneyView,
    /// The account; of a bill the card.
    account_id: Option<i64>,
    /// The id of what it comes from, by `kind`; null for a bill that does not exist yet.
    source_id: Option<i64>,
}

impl From<MonthForecast> for MonthView {
    fn from(month: MonthForecast) -> Self {
        MonthView {
            month: month.month.to_string(),
            income: MoneyView(month.income),
            expenses: MoneyView(month.expenses),
            card_bills: MoneyView(month.card_bills),
            estimated: MoneyView(month.estimated),
            closing: MoneyView(month.closing),
            lowest: LowView { date: DateView(month.lowest.date), balance: MoneyView(month.lowest.balance) },
        }
    }
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        EventView {
            date: DateView(event.date),
            kind: event.kind.into(),
            description: event.description,
            amount: MoneyView(event.amount),
            account_id: event.account_id.map(|id| id.0),
            source_id: event.source_id,
        }
    }
}

impl From<Forecast> for ForecastView {
    fn from(forecast: Forecast) -> Self {
        ForecastView {
            as_of: DateView(forecast.as_of),
            opening: MoneyView(forecast.opening),
            months: forecast.months.into_iter().map(MonthView::from).collect(),
            events: forecast.events.into_iter().map(EventView::from).collect(),
            first_negative_date: forecast.first_negative_date.map(DateView),
            free_to_spend: MoneyView(forecast.free_to_spend),
        }
    }
}

/// The balance of current and savings accounts in the months ahead, and what it is made of. Bills of new periods are created
/// first.
#[utoipa::path(tag = "forecast", params(ForecastQuery),
    responses((status = 200, body = ForecastView)))]
#[get("/api/forecast")]
pub(crate) async fn read(
    service: Data<Service>,
    user: Authenticated,
    query: Params<ForecastQuery>,
) -> Result<Json<ForecastView>, Problem> {
    let mut errors = FieldErrors::default();
    let months = query.value.months.count("months", &mut errors, MONTHS_MAX).unwrap_or(MONTHS_DEFAULT);
    let baseline = query.value.baseline.read("baseline", &mut errors, str::parse).unwrap_or_default();
    errors.into_result()?;
    let context = service.context();
    let forecast = service.flow(user.caller, move |repo| forecast::read(repo, &context, months, baseline)).await?;
    Ok(Json(forecast.into()))
}
