//! Transactions: searching, creating, setting categories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::tool::{Effect, Tool, limited};
use crate::api::{Api, ApiRequest, Failure, ask, ask_page};
use crate::query::Query;

/// The most transactions in one call that sets a category.
const IDS_MAX: usize = 100;
/// The most characters of an idempotency key.
const KEY_CHARS_MAX: usize = 255;

/// Whether money came in or went out.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum TransactionType {
    Income,
    Expense,
}

impl std::fmt::Display for TransactionType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            TransactionType::Income => "income",
            TransactionType::Expense => "expense",
        })
    }
}

/// How a transaction is shown.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Display {
    /// The payee's name.
    name: String,
    /// pix, boleto, debit, credit, transfer or cash; null if the text does not say it.
    method: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Transaction {
    id: i64,
    #[serde(rename = "type")]
    kind: TransactionType,
    /// YYYY-MM-DD.
    date: String,
    description: String,
    display: Display,
    /// Reais, a decimal string above zero; its sign is its type.
    amount: String,
    account_id: Option<i64>,
    category_id: Option<i64>,
    /// A transfer between own accounts is neither income nor expense.
    is_transfer: bool,
}

pub(super) struct SearchTransactions;

/// A transaction has to pass all filters that are given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Filters {
    /// A part of the description, whatever its accents and case.
    #[serde(rename = "q")]
    text: Option<String>,
    /// YYYY-MM.
    month: Option<String>,
    /// The first day, YYYY-MM-DD.
    from: Option<String>,
    /// The last day, YYYY-MM-DD.
    to: Option<String>,
    #[serde(rename = "type")]
    kind: Option<TransactionType>,
    account_id: Option<i64>,
    category_id: Option<i64>,
    /// Only transactions without a category. False by default.
    #[serde(default)]
    without_category: bool,
    /// The most transactions in the answer: at most 100, 50 by default.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

impl Filters {
    fn query(&self, path: &str) -> Result<Query, Failure> {
        let category = match (self.category_id, self.without_category) {
            (Some(_), true) => return Err(Failure::new("category_id and without_category exclude each other.")),
            (id, false) => id.map(|id| id.to_string()),
            (None, true) => Some("none".to_string()),
        };
        Ok(Query::of(path)
            .with("q", self.text.as_deref())
            .with("month", self.month.as_deref())
            .with("from", self.from.as_deref())
            .with("to", self.to.as_deref())
            .with("type", self.kind)
            .with("account_id", self.account_id)
            .with("category_id", category))
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Found {
    /// Newest first.
    transactions: Vec<Transaction>,
    /// Whether more were found than are listed.
    has_more: bool,
    /// What all that were found come to.
    summary: FoundSummary,
}

/// Amounts are reais, without transfers and opening balances.
#[derive(Serialize, Deserialize, JsonSchema)]
struct FoundSummary {
    count: i64,
    income: String,
    expenses: String,
}

impl Tool for SearchTransactions {
    const NAME: &'static str = "search_transactions";
    const TITLE: &'static str = "Search transactions";
    const DESCRIPTION: &'static str = "Finds transactions by text, month or days, type, account and category, newest first, and adds up in reais all \
        that were found.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Filters;
    type Output = Found;

    async fn run(api: &impl Api, filters: Filters) -> Result<Found, Failure> {
        let limit = limited(filters.limit)?;
        let query = filters.query("/api/transactions")?.with("limit", Some(limit));
        let page = ask_page(api, ApiRequest::get(query.path())).await?;
        let summary = ask(api, ApiRequest::get(filters.query("/api/transactions/summary")?.path())).await?;
        Ok(Found { transactions: page.value, has_more: page.has_next, summary })
    }
}

pub(super) struct CreateTransaction;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewTransaction {
    #[serde(rename = "type")]
    kind: TransactionType,
    /// YYYY-MM-DD.
    date: String,
    /// 1 to 255 characters.
    description: String,
    /// Reais, a decimal string above zero with at most two decimals, such as "89.90".
    amount: String,
    /// The account. None by default.
    account_id: Option<i64>,
    /// The category. None by default.
    category_id: Option<i64>,
    /// A text of your choice, 1 to 255 visible ASCII characters. Within a day the same transaction with the same key is created
    /// once, so a call whose result was lost can be repeated. By default a new key is made.
    #[serde(skip_serializing)]
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Created {
    /// As it is stored.
    transaction: Transaction,
}

impl Tool for CreateTransaction {
    const NAME: &'static str = "create_transaction";
    const TITLE: &'static str = "Create a transaction";
    const DESCRIPTION: &'static str = "Stores a new income or expense, in reais. Ask the user first. Not for rows of bank statements, which are \
        imported, nor for transfers between own accounts.";
    const EFFECT: Effect = Effect::Adds;
    type Arguments = NewTransaction;
    type Output = Created;

    async fn run(api: &impl Api, mut new: NewTransaction) -> Result<Created, Failure> {
        let key = key_or_new(new.idempotency_key.take())?;
        let body = serde_json::to_value(&new).map_err(|error| Failure::new(error.to_string()))?;
        Ok(Created { transaction: ask(api, ApiRequest::post("/api/transactions", &body, key)).await? })
    }
}

pub(super) struct SetCategories;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Filing {
    /// Ids of transactions, 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    ids: Vec<i64>,
    /// The category that all of them get.
    category_id: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Updated {
    /// How many transactions were changed.
    updated: u64,
}

impl Tool for SetCategories {
    const NAME: &'static str = "set_categories";
    const TITLE: &'static str = "Set categories";
    const DESCRIPTION: &'static str = "Gives up to 100 transactions a category, all of them or none, in place of the one they have. Ask the user \
        first.";
    const EFFECT: Effect = Effect::Changes;
    type Arguments = Filing;
    type Output = Updated;

    async fn run(api: &impl Api, filing: Filing) -> Result<Updated, Failure> {
        if !(1..=IDS_MAX).contains(&filing.ids.len()) {
            return Err(Failure::new(format!("1 to {IDS_MAX} ids are set at once, not {}.", filing.ids.len())));
        }
        let body = json!({ "ids": filing.ids, "category_id": filing.category_id });
        ask(api, ApiRequest::post("/api/transactions/update", &body, new_key())).await
    }
}

/// The key of a call, or a new one.
pub(super) fn key_or_new(key: Option<String>) -> Result<String, Failure> {
    let key = key.unwrap_or_else(new_key);
    if !(1..=KEY_CHARS_MAX).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Failure::new(format!("idempotency_key must be 1 to {KEY_CHARS_MAX} visible ASCII characters.")));
    }
    Ok(key)
}

/// A new idempotency key for a call, so that the sender may repeat the request if its answer is lost.
fn new_key() -> String {
    format!("mcp-{}", Uuid::new_v4().simple())
}
