//! Bills of credit cards.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool, limited};
use crate::api::{Api, ApiRequest, Failure, ask_page};
use crate::query::Query;

pub(super) struct CreditBills;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichBills {
    /// Bills of this card. Of all cards by default.
    account_id: Option<i64>,
    /// Bills of this status. All by default.
    status: Option<BillStatus>,
    /// The most bills in the answer: at most 100, 50 by default.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum BillStatus {
    Unpaid,
    Paid,
}

impl std::fmt::Display for BillStatus {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            BillStatus::Unpaid => "unpaid",
            BillStatus::Paid => "paid",
        })
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Bills {
    /// Newest first.
    bills: Vec<Bill>,
    /// Whether there are older ones.
    has_more: bool,
}

/// Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Bill {
    id: i64,
    /// The card.
    account_id: i64,
    period_start: String,
    /// The last day of purchases on it.
    period_end: String,
    due_date: String,
    /// What the bill before left to this one; below zero for a credit.
    previous: String,
    /// What was bought, held statements included.
    total: String,
    /// The part of `total` that held statements ask for.
    held: String,
    /// The total that the bank printed; null while the bill is open.
    statement: Option<String>,
    paid_amount: String,
    /// What it left to the next bill; below zero for a credit.
    carried: String,
    /// `previous` plus `total`, minus `paid_amount` and `carried`.
    amount_due: String,
    status: BillStatus,
}

impl Tool for CreditBills {
    const NAME: &'static str = "credit_bills";
    const TITLE: &'static str = "Card bills";
    const DESCRIPTION: &'static str =
        "Bills of credit cards, newest first: period, due date, total and what is still due, in reais.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = WhichBills;
    type Output = Bills;

    async fn run(api: &impl Api, arguments: WhichBills) -> Result<Bills, Failure> {
        let query = Query::of("/api/credit-bills")
            .with("account_id", arguments.account_id)
            .with("status", arguments.status)
            .with("limit", Some(limited(arguments.limit)?));
        let page = ask_page(api, ApiRequest::get(query.path())).await?;
        Ok(Bills { bills: page.value, has_more: page.has_next })
    }
}
