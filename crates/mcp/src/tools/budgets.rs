//! The budgets of a month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};

/// The most budgets that one call sets.
const BUDGETS_MAX: usize = 100;

pub(super) struct MonthBudget;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfMonth {
    /// YYYY-MM, at most 120 months back and 24 ahead.
    month: String,
}

/// The path of a month's budgets.
fn path(month: &str) -> Result<String, Failure> {
    let is_month = month.len() == 7
        && month.bytes().enumerate().all(|(at, byte)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() });
    match is_month {
        true => Ok(format!("/api/budgets/{month}")),
        false => Err(Failure::new(format!("month must be YYYY-MM, not {month:?}."))),
    }
}

/// Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Budget {
    /// YYYY-MM.
    month: String,
    /// The income of the month without refunds.
    income: String,
    /// The same with the recurring incomes that are still expected.
    income_expected: String,
    /// The expected income that is no category's budget.
    to_distribute: String,
    /// All categories together.
    total: Totals,
    categories: Vec<CategoryBudget>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Totals {
    budget: String,
    carried_in: String,
    spent: String,
    available: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct CategoryBudget {
    /// Null: rows without a category.
    category_id: Option<i64>,
    name: Option<String>,
    group: Option<String>,
    /// The amount of this month alone; null if the default holds.
    own: Option<String>,
    /// Null without a budget.
    budget: Option<String>,
    /// What the months before have left.
    carried_in: String,
    /// Expenses less refunds.
    spent: String,
    /// carried_in + budget - spent; null without a budget and without something carried.
    available: Option<String>,
    /// The mean of the three months before.
    average3: Option<String>,
    /// The mean of the twelve months before.
    average12: Option<String>,
    /// What was spent in the month a year before.
    last_year: Option<String>,
}

impl Tool for MonthBudget {
    const NAME: &'static str = "month_budget";
    const TITLE: &'static str = "The budgets of a month";
    const DESCRIPTION: &'static str = "The budget of each category in a month in reais, what the months before have left to it, what was spent, \
        what is left, and what was spent on average and a year before.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = OfMonth;
    type Output = Budget;

    async fn run(api: &impl Api, arguments: OfMonth) -> Result<Budget, Failure> {
        ask(api, ApiRequest::get(path(&arguments.month)?)).await
    }
}

pub(super) struct SetBudgets;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    /// YYYY-MM, at most 120 months back and 24 ahead.
    month: String,
    /// 1 to 100, each category once.
    #[schemars(length(min = 1, max = 100))]
    budgets: Vec<CategoryAmount>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CategoryAmount {
    category_id: i64,
    /// Reais, a decimal string such as 500.00; null: the category's default holds again.
    amount: Option<String>,
}

impl Tool for SetBudgets {
    const NAME: &'static str = "set_budgets";
    const TITLE: &'static str = "Set budgets";
    const DESCRIPTION: &'static str = "Sets the budgets of up to 100 categories in one month, all of them or none. Other months keep theirs. Ask \
        the user first.";
    const EFFECT: Effect = Effect::Changes;
    type Arguments = Setting;
    type Output = Budget;

    async fn run(api: &impl Api, setting: Setting) -> Result<Budget, Failure> {
        if !(1..=BUDGETS_MAX).contains(&setting.budgets.len()) {
            let count = setting.budgets.len();
            return Err(Failure::new(format!("1 to {BUDGETS_MAX} budgets are set at once, not {count}.")));
        }
        let body = json!({ "budgets": setting.budgets });
        ask(api, ApiRequest::put(path(&setting.month)?, &body)).await
    }
}
