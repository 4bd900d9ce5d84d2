//! Recurring items.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::month::OfMonth;
use super::tool::{Effect, Tool};
use crate::api::{Api, Failure, ask};

pub(super) struct RecurringItems;

#[derive(Serialize, JsonSchema)]
pub(super) struct Items {
    /// At most 500.
    items: Vec<Item>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Item {
    id: i64,
    /// income or expense.
    #[serde(rename = "type")]
    kind: String,
    description: String,
    /// Reais.
    amount: String,
    category_id: i64,
    account_id: Option<i64>,
    /// The day of the month.
    day: u8,
    /// In the month: pending, late, covered (a transaction fits), confirmed or ignored.
    status: String,
    /// What covers or confirms it.
    transaction_id: Option<i64>,
}

impl Tool for RecurringItems {
    const NAME: &'static str = "recurring_items";
    const TITLE: &'static str = "Recurring items";
    const DESCRIPTION: &'static str = "Income and expenses that are expected every month, in reais, and how each stands in a month: pending, late, \
        covered, confirmed or ignored.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = OfMonth;
    type Output = Items;

    async fn run(api: &impl Api, arguments: OfMonth) -> Result<Items, Failure> {
        Ok(Items { items: ask(api, arguments.request("/api/recurring")).await? })
    }
}
