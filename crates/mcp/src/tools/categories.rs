//! Categories and their budgets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::accounts::NoArguments;
use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};

pub(super) struct ListCategories;

#[derive(Serialize, JsonSchema)]
pub(super) struct Categories {
    /// All categories, by name; at most 500.
    categories: Vec<Category>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Category {
    id: i64,
    name: String,
    /// What may be spent in a month, reais; null without a budget.
    monthly_budget: Option<String>,
    /// Whether its expenses are taxes.
    is_tax: bool,
}

impl Tool for ListCategories {
    const NAME: &'static str = "list_categories";
    const TITLE: &'static str = "Categories";
    const DESCRIPTION: &'static str = "Lists all categories with their ids and monthly budgets in reais.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = NoArguments;
    type Output = Categories;

    async fn run(api: &impl Api, _: NoArguments) -> Result<Categories, Failure> {
        Ok(Categories { categories: ask(api, ApiRequest::get("/api/categories".to_string())).await? })
    }
}
