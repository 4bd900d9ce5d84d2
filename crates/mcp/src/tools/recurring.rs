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
    /// Every so many units. Of days and weeks, `day` means nothing.
    every: Every,
    /// The first date from today on; null if nothing more is due.
    next_on: Option<String>,
    /// In the month: pending, late, covered (a transaction fits), confirmed or ignored; null if nothing is due in it.
    status: Option<String>,
    /// What covers or confirms it.
    transaction_id: Option<i64>,
    /// Its dues in the month.
    occurrences: Vec<Occurrence>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Every {
    n: u16,
    /// day, week, month or year.
    unit: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Occurrence {
    /// The day of the rhythm, which names it.
    due: String,
    /// The day on which it is expected.
    date: String,
    /// Reais: what came, otherwise what is expected.
    amount: String,
    status: String,
    /// Whether a person said what covers it.
    linked: bool,
    transaction_ids: Vec<i64>,
}

impl Tool for RecurringItems {
    const NAME: &'static str = "recurring_items";
    const TITLE: &'static str = "Recurring items";
    const DESCRIPTION: &'static str = "Income and expenses that are expected in a rhythm, in reais, and how their dues of a month stand: pending, \
        late, covered, confirmed or ignored.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = OfMonth;
    type Output = Items;

    async fn run(api: &impl Api, arguments: OfMonth) -> Result<Items, Failure> {
        Ok(Items { items: ask(api, arguments.request("/api/recurring")).await? })
    }
}
