//! The forecast of the next months.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};
use crate::query::Query;

/// The most events in a result.
const EVENTS_MAX: usize = 100;
/// The default number of months.
const MONTHS_DEFAULT: u32 = 3;

pub(super) struct Forecast;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HowFar {
    /// The number of months, 1 to 24, including this month. 3 by default.
    #[schemars(range(min = 1, max = 24))]
    months: Option<u32>,
    /// Whether to include usual spending, the median of the last three months, in addition to what is known to come. False by
    /// default.
    #[serde(default)]
    with_usual_spending: bool,
}

/// Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Ahead {
    /// Today.
    as_of: String,
    /// What current and savings accounts hold today.
    opening: String,
    /// The lowest balance before the next income.
    free_to_spend: String,
    /// The first day that ends below zero; null if none does.
    first_negative_date: Option<String>,
    months: Vec<MonthAhead>,
    /// The first 100 events, in the order of their days.
    events: Vec<Event>,
    /// How many more there are. The sums have all of them.
    #[serde(default)]
    events_left_out: usize,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct MonthAhead {
    /// YYYY-MM.
    month: String,
    income: String,
    /// Without card bills and usual spending.
    expenses: String,
    card_bills: String,
    /// Usual spending.
    estimated: String,
    /// The balance at the end of the month.
    closing: String,
    lowest: Lowest,
}

/// The lowest balance at the end of a day of the month.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Lowest {
    date: String,
    balance: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Event {
    date: String,
    /// posted (a stored transaction), recurring, credit_bill or pending_bill.
    kind: String,
    description: String,
    /// Below zero if money goes out.
    amount: String,
    account_id: Option<i64>,
}

impl Tool for Forecast {
    const NAME: &'static str = "forecast";
    const TITLE: &'static str = "Forecast";
    const DESCRIPTION: &'static str = "The balance of current and savings accounts in the months ahead, in reais, by what is known to come: \
        recurring items, card bills, later transactions. Tells what is free to spend before the next income.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = HowFar;
    type Output = Ahead;

    async fn run(api: &impl Api, arguments: HowFar) -> Result<Ahead, Failure> {
        let query = Query::of("/api/forecast")
            .with("months", Some(arguments.months.unwrap_or(MONTHS_DEFAULT)))
            .with("baseline", arguments.with_usual_spending.then_some("median3"));
        let mut ahead: Ahead = ask(api, ApiRequest::get(query.path())).await?;
        ahead.events_left_out = ahead.events.len().saturating_sub(EVENTS_MAX);
        ahead.events.truncate(EVENTS_MAX);
        Ok(ahead)
    }
}
