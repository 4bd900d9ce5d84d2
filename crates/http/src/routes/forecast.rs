//! `/api/forecast`.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::FieldErrors;
use finance_domain::forecast::{Baseline, Event, EventKind, Forecast, MONTHS_DEFAULT, MONTHS_MAX, MonthForecast};
use finance_domain::recurring::Reserve;
use finance_domain::use_cases::forecast;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::{DateView, MoneyView};
use crate::words::WordView;

/// Which forecast to make.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForecastQuery {
    /// How many months, this one included, 1 to 24; 12 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 24)]
    months: Param,
    /// The estimated spending in addition to the events; `none` if absent.
    #[param(value_type = Option<BaselineView>, inline)]
    baseline: Param,
}

pub(crate) type BaselineView = WordView<Baseline>;
pub(crate) type EventKindView = WordView<EventKind>;

/// The balance of current and savings accounts in the coming months, with its components.
#[derive(Serialize, ToSchema)]
#[schema(as = Forecast)]
pub(crate) struct ForecastView {
    /// Today.
    as_of: DateView,
    /// The balance of current and savings accounts, without transactions dated after today.
    opening: MoneyView,
    /// This month first.
    months: Vec<MonthView>,
    /// In date order; at most 2,000.
    events: Vec<EventView>,
    /// The first day that ends with a balance below zero.
    first_negative_date: Option<DateView>,
    /// The lowest balance of the spendable accounts until `free_until`, less what is set aside; not below zero.
    free_to_spend: MoneyView,
    /// The day before the next main income, or the end of this month if none is known. A main income is at least a quarter of the mean
    /// monthly income of the last three months.
    free_until: DateView,
    /// The sum of the bills and held statements that exist and are due after `free_until`.
    bills_after: MoneyView,
    /// The sum of `reserves`.
    reserved: MoneyView,
    /// What is set aside today for items with `reserve`.
    reserves: Vec<ReserveView>,
}

/// What is set aside today for an item that is due less than once a month: as many parts of its amount as months before its due are
/// over.
#[derive(Serialize, ToSchema)]
#[schema(as = ForecastReserve)]
struct ReserveView {
    recurring_id: i64,
    #[schema(example = "IPVA")]
    description: String,
    /// Its next open due.
    due: DateView,
    /// The amount that is expected then.
    amount: MoneyView,
    reserved: MoneyView,
}

impl From<Reserve> for ReserveView {
    fn from(reserve: Reserve) -> Self {
        ReserveView {
            recurring_id: reserve.recurring_id.0,
            description: reserve.description,
            due: DateView(reserve.due),
            amount: MoneyView(reserve.amount),
            reserved: MoneyView(reserve.reserved),
        }
    }
}

/// The totals of a month. For this month, from today on.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthForecast)]
struct MonthView {
    #[schema(example = "2026-01")]
    month: String,
    income: MoneyView,
    /// Without `card_bills` and `estimated`.
    expenses: MoneyView,
    card_bills: MoneyView,
    /// The estimated spending in addition to the events.
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

/// A known future inflow or outflow of money.
#[derive(Serialize, ToSchema)]
#[schema(as = ForecastEvent)]
struct EventView {
    date: DateView,
    kind: EventKindView,
    #[schema(example = "Fatura Nubank")]
    description: String,
    /// Below zero if money goes out.
    amount: MoneyView,
    /// The account; for a bill, the card.
    account_id: Option<i64>,
    /// The id of its source, according to `kind`; null for a bill that does not exist yet.
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
        let reserved = MoneyView(forecast.reserved());
        ForecastView {
            as_of: DateView(forecast.as_of),
            opening: MoneyView(forecast.opening),
            months: forecast.months.into_iter().map(MonthView::from).collect(),
            events: forecast.events.into_iter().map(EventView::from).collect(),
            first_negative_date: forecast.first_negative_date.map(DateView),
            free_to_spend: MoneyView(forecast.free_to_spend),
            reserved,
            reserves: forecast.reserves.into_iter().map(ReserveView::from).collect(),
            free_until: DateView(forecast.free_until),
            bills_after: MoneyView(forecast.bills_after),
        }
    }
}

/// The balance of current and savings accounts in the coming months, with its components. Bills of new periods are created first.
#[utoipa::path(tag = "forecast", params(ForecastQuery),
    responses((status = 200, body = ForecastView)))]
#[get("/api/forecast")]
pub(crate) async fn read(
    service: Shared,
    user: Authenticated,
    query: Params<ForecastQuery>,
) -> Reply<Json<ForecastView>> {
    let mut errors = FieldErrors::default();
    let months = query.value.months.count("months", &mut errors, MONTHS_MAX).unwrap_or(MONTHS_DEFAULT);
    let baseline = query.value.baseline.read("baseline", &mut errors, str::parse).unwrap_or_default();
    errors.into_result()?;
    let context = service.context();
    let forecast =
        service.read_today(user.caller, move |repo| forecast::read(repo, &context, months, baseline)).await?;
    Ok(Json(forecast.into()))
}
