//! Reports: where money came from and went.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool::{Effect, Tool, limited};
use crate::api::{Api, ApiRequest, Failure, ask};
use crate::query::Query;

pub(super) struct Report;

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum By {
    Category,
    Group,
    Payee,
    Tag,
    Account,
    Member,
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Interval {
    Month,
    Quarter,
    Year,
    None,
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Expense,
    Income,
    Both,
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Compare {
    None,
    Previous,
    Year,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    /// What the rows are; category by default.
    by: Option<By>,
    /// The first day, YYYY-MM-DD. By default that of twelve months that end with this one.
    from: Option<String>,
    /// The last day, YYYY-MM-DD, at most 120 months later.
    to: Option<String>,
    /// The intervals of the series; none by default.
    interval: Option<Interval>,
    /// Expenses less refunds, income without refunds, or both; expense by default.
    kind: Option<Kind>,
    /// The period to compare with: the one before, or the same days a year before; none by default.
    compare: Option<Compare>,
    /// Only this category.
    category_id: Option<i64>,
    /// Only this account.
    account_id: Option<i64>,
    /// Only transactions with this text.
    q: Option<String>,
    /// Rows, 1 to 100; 50 by default.
    limit: Option<u32>,
}

/// Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Flow {
    /// YYYY-MM-DD.
    from: String,
    /// YYYY-MM-DD.
    to: String,
    intervals: Vec<Span>,
    /// The largest first.
    rows: Vec<FlowRow>,
    /// What is in no listed row; null if there is nothing.
    other: Option<Sums>,
    total: Sums,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Span {
    from: String,
    to: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlowRow {
    /// An id, or a text; null: without.
    #[schemars(with = "KeyOfRow")]
    key: Value,
    name: Option<String>,
    total: Figure,
    /// One for each interval.
    series: Vec<Figure>,
    /// The period that is compared.
    previous: Option<Figure>,
}

/// An id, a text, or null.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum KeyOfRow {
    Id(i64),
    Text(Option<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sums {
    total: Figure,
    series: Vec<Figure>,
    previous: Option<Figure>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Figure {
    income: String,
    expenses: String,
    refunds: String,
    /// What was spent, what came in, or what was left, by the kind of the report.
    net: String,
}

/// The word of a choice, as the API has it.
fn word(choice: Option<impl Serialize>) -> Option<String> {
    let value = serde_json::to_value(choice?).ok()?;
    value.as_str().map(str::to_string)
}

impl Tool for Report {
    const NAME: &'static str = "report";
    const TITLE: &'static str = "Where the money went";
    const DESCRIPTION: &'static str = "Sums of income or expenses in reais by category, group, payee, tag, account or member in a period, by month, \
        quarter or year, and compared with another period. Transfers between own accounts do not count.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Question;
    type Output = Flow;

    async fn run(api: &impl Api, question: Question) -> Result<Flow, Failure> {
        let query = Query::of("/api/reports/flow")
            .with("by", word(question.by))
            .with("from", question.from)
            .with("to", question.to)
            .with("interval", word(question.interval.or(Some(Interval::None))))
            .with("kind", word(question.kind))
            .with("compare", word(question.compare))
            .with("category_id", question.category_id)
            .with("account_id", question.account_id)
            .with("q", question.q)
            .with("limit", Some(limited(question.limit)?));
        ask(api, ApiRequest::get(query.path())).await
    }
}
