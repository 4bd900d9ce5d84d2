//! What accounts held on some days, and where their rows differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool, limited};
use crate::api::{Api, ApiRequest, Failure, ask, ask_page};
use crate::query::Query;

pub(super) struct AccountAnchors;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichAnchors {
    /// The account.
    account_id: i64,
    /// Only the anchor of this day (YYYY-MM-DD), with the rows that may be the cause of its difference. All days by default.
    date: Option<String>,
    /// The most anchors in the answer: at most 100, 50 by default.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Anchors {
    /// Newest first.
    anchors: Vec<Anchor>,
    /// Rows that may be the cause of the difference of the day that was asked for.
    suspects: Vec<Suspect>,
    /// Whether there are older anchors.
    has_more: bool,
}

/// What the account held at the end of a day. Amounts are reais, decimal strings.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Anchor {
    date: String,
    /// Below zero if money was owed.
    amount: String,
    /// person, or file: a file that was imported states it.
    source: String,
    /// What the stored transactions up to that day come to.
    computed: String,
    /// amount minus computed.
    difference: String,
    /// Whether the opening balance of the account follows it; then it always agrees.
    is_followed: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Suspect {
    /// sign (wrong sign), extra (one too many), or left_out (an import left it out).
    kind: String,
    /// The transaction, if it is stored.
    transaction_id: Option<i64>,
    date: String,
    amount: String,
    /// income or expense.
    #[serde(rename = "type")]
    row_kind: String,
    description: String,
}

#[derive(Deserialize)]
struct Examined {
    #[serde(flatten)]
    anchor: Anchor,
    suspects: Vec<Suspect>,
}

impl Tool for AccountAnchors {
    const NAME: &'static str = "account_anchors";
    const TITLE: &'static str = "Balances of the bank";
    const DESCRIPTION: &'static str = "What an account held at the end of some days, as a person or a bank's file says, and the difference to its \
         transactions in reais, newest first. For one day also the rows that may be the cause of the difference.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = WhichAnchors;
    type Output = Anchors;

    async fn run(api: &impl Api, arguments: WhichAnchors) -> Result<Anchors, Failure> {
        let path = format!("/api/accounts/{}/anchors", arguments.account_id);
        if let Some(date) = arguments.date {
            if !date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
                return Err(Failure::new("date must be a date as YYYY-MM-DD.".to_string()));
            }
            let Examined { anchor, suspects } = ask(api, ApiRequest::get(format!("{path}/{date}"))).await?;
            return Ok(Anchors { anchors: vec![anchor], suspects, has_more: false });
        }
        let query = Query::of(&path).with("limit", Some(limited(arguments.limit)?));
        let page = ask_page(api, ApiRequest::get(query.path())).await?;
        Ok(Anchors { anchors: page.value, suspects: Vec::new(), has_more: page.has_next })
    }
}
