//! The summary of a month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::bills::Bill;
use super::tool::{Effect, Tool};
use super::transactions::Transaction;
use crate::api::{Api, ApiRequest, Failure, ask};
use crate::query::Query;

pub(super) struct MonthSummary;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfMonth {
    /// YYYY-MM. By default this month.
    month: Option<String>,
}

impl OfMonth {
    pub(super) fn request(&self, path: &str) -> ApiRequest {
        ApiRequest::get(Query::of(path).with("month", self.month.as_deref()).path())
    }
}

/// Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Summary {
    /// YYYY-MM.
    month: String,
    /// Without transfers between own accounts.
    income: String,
    /// Without transfers between own accounts; taxes included.
    expenses: String,
    taxes: String,
    /// The part of the income after taxes that was not spent, in percent; null without income.
    #[schemars(with = "Option<f64>")]
    savings_pct: Option<Number>,
    #[schemars(with = "f64")]
    savings_goal_pct: Number,
    /// What all accounts hold today.
    net_worth: String,
    /// The same less the taxes that would be due on investments.
    net_worth_after_tax: String,
    /// Six months that end with this one.
    evolution: Vec<Evolution>,
    /// The month's last ten transactions.
    last_transactions: Vec<Transaction>,
    /// Unpaid bills of all cards.
    current_bills: Vec<Bill>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Evolution {
    /// YYYY-MM.
    month: String,
    income: String,
    expenses: String,
    #[schemars(with = "Option<f64>")]
    savings_pct: Option<Number>,
}

impl Tool for MonthSummary {
    const NAME: &'static str = "month_summary";
    const TITLE: &'static str = "A month";
    const DESCRIPTION: &'static str = "Income, expenses, taxes, savings and net worth of a month in reais, the six months up to it, its last \
        transactions and the unpaid card bills.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = OfMonth;
    type Output = Summary;

    async fn run(api: &impl Api, arguments: OfMonth) -> Result<Summary, Failure> {
        ask(api, arguments.request("/api/dashboard")).await
    }
}

pub(super) struct SpendingByCategory;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Spending {
    /// YYYY-MM.
    month: String,
    /// All expenses of the month, reais.
    expenses: String,
    /// Those categories in which something was spent, the most first.
    spending_by_category: Vec<CategorySpending>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct CategorySpending {
    /// Null: expenses without a category.
    category_id: Option<i64>,
    name: Option<String>,
    /// Reais.
    total: String,
    /// What may be spent in a month by default, reais; null without a budget.
    monthly_budget: Option<String>,
    /// What came back, reais.
    refunds: String,
    /// The total less refunds, reais.
    spent: String,
    /// What may be spent in this month, reais; null without a budget.
    budget: Option<String>,
    /// What is left of it, with what earlier months left, reais.
    available: Option<String>,
}

impl Tool for SpendingByCategory {
    const NAME: &'static str = "spending_by_category";
    const TITLE: &'static str = "Spending by category";
    const DESCRIPTION: &'static str =
        "What was spent in each category in a month, in reais, with the category's monthly budget.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = OfMonth;
    type Output = Spending;

    async fn run(api: &impl Api, arguments: OfMonth) -> Result<Spending, Failure> {
        ask(api, arguments.request("/api/dashboard")).await
    }
}
