//! `/api/net-worth`.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::net_worth::MonthWorth;
use finance_domain::use_cases::net_worth;
use finance_domain::{FieldErrors, Month};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::{MoneyView, MonthInput};

/// The number of months in an answer, if the request gives no first month.
const MONTHS_DEFAULT: i32 = 12;

/// Which months to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct NetWorthQuery {
    /// The first month; if absent, 11 months before the last one, so the answer has 12 months.
    #[param(value_type = Option<MonthInput>, inline)]
    from: Param,
    /// The last month, not after this month; this month if absent. The answer has at most 240 months.
    #[param(value_type = Option<MonthInput>, inline)]
    to: Param,
}

/// The balances of accounts at the end of a month; for this month, today.
#[derive(Serialize, ToSchema)]
#[schema(as = MonthNetWorth)]
pub(crate) struct MonthWorthView {
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$", example = "2026-03")]
    month: String,
    /// The balances of current accounts.
    current: MoneyView,
    /// The balances of savings.
    savings: MoneyView,
    /// The balances of investments.
    investment: MoneyView,
    /// The balances of cards; below zero if money is owed.
    credit: MoneyView,
    /// The sum of all kinds.
    total: MoneyView,
}

impl From<MonthWorth> for MonthWorthView {
    fn from(worth: MonthWorth) -> Self {
        MonthWorthView {
            month: worth.month.to_string(),
            current: MoneyView(worth.current),
            savings: MoneyView(worth.savings),
            investment: MoneyView(worth.investment),
            credit: MoneyView(worth.credit),
            total: MoneyView(worth.total()),
        }
    }
}

/// The balances of accounts at the end of each month, by kind. They exclude yield that is due but not posted yet.
#[utoipa::path(tag = "net worth", params(NetWorthQuery), responses((status = 200, body = [MonthWorthView])))]
#[get("/api/net-worth")]
pub(crate) async fn read(
    service: Shared,
    user: Authenticated,
    query: Params<NetWorthQuery>,
) -> Reply<Json<Vec<MonthWorthView>>> {
    let mut errors = FieldErrors::default();
    let (from, to) = (query.value.from.month("from", &mut errors), query.value.to.month("to", &mut errors));
    errors.into_result()?;
    let today = service.clock.today();
    let last = to.unwrap_or(Month::of(today));
    let first = from.unwrap_or(last.minus(MONTHS_DEFAULT - 1));
    let found = service.read(user.caller, move |repo| net_worth::read(repo, first, last, today)).await?;
    Ok(Json(found.into_iter().map(MonthWorthView::from).collect()))
}
