//! The balances of the accounts at the end of each month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};
use crate::query::Query;

pub(super) struct NetWorth;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Span {
    /// The first month, YYYY-MM. By default eleven months before the last.
    from: Option<String>,
    /// The last month, YYYY-MM. By default this month. At most 240 months.
    to: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Months {
    months: Vec<MonthEnd>,
}

/// Amounts are reais at the end of the month; of this month, today.
#[derive(Serialize, Deserialize, JsonSchema)]
struct MonthEnd {
    /// YYYY-MM.
    month: String,
    total: String,
    /// In current accounts.
    current: String,
    savings: String,
    investment: String,
    /// On cards. Below zero if money is owed.
    credit: String,
}

impl Tool for NetWorth {
    const NAME: &'static str = "net_worth";
    const TITLE: &'static str = "Net worth";
    const DESCRIPTION: &'static str =
        "What all accounts held at the end of each month, in reais, in total and by kind of account.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Span;
    type Output = Months;

    async fn run(api: &impl Api, arguments: Span) -> Result<Months, Failure> {
        let query = Query::of("/api/net-worth").with("from", arguments.from).with("to", arguments.to);
        Ok(Months { months: ask(api, ApiRequest::get(query.path())).await? })
    }
}
