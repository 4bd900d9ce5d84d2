//! Purchases by instalments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool, limited};
use crate::api::{Api, ApiRequest, Failure, ask_page};
use crate::query::Query;

pub(super) struct Installments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichPlans {
    /// Purchases on this card. On all cards by default.
    account_id: Option<i64>,
    /// Also purchases without instalments to come. False by default.
    #[serde(default)]
    with_finished: bool,
    /// The most purchases in the answer: at most 100, 50 by default.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Plans {
    /// Newest first.
    purchases: Vec<Plan>,
    /// Whether there are older ones.
    has_more: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Plan {
    /// Null while only a held statement has it.
    id: Option<i64>,
    /// The card.
    account_id: i64,
    description: String,
    category_id: Option<i64>,
    /// Of one instalment, reais.
    amount: String,
    /// How many instalments there are.
    count: u32,
    /// The last one that is known.
    number: u32,
    /// How many are to come.
    remaining: u32,
    /// What is to come, reais.
    remaining_amount: String,
    first_date: String,
    /// When the last one is due.
    last_due_date: String,
    /// active, finished or stale (not seen on the last bills).
    status: String,
}

impl Tool for Installments {
    const NAME: &'static str = "installments";
    const TITLE: &'static str = "Instalments";
    const DESCRIPTION: &'static str = "Purchases by instalments on credit cards: how many instalments are still to come, and what they add up to \
        in reais.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = WhichPlans;
    type Output = Plans;

    async fn run(api: &impl Api, arguments: WhichPlans) -> Result<Plans, Failure> {
        let query = Query::of("/api/installments")
            .with("account_id", arguments.account_id)
            .with("status", (!arguments.with_finished).then_some("active"))
            .with("limit", Some(limited(arguments.limit)?));
        let page = ask_page(api, ApiRequest::get(query.path())).await?;
        Ok(Plans { purchases: page.value, has_more: page.has_next })
    }
}
