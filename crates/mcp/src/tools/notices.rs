//! What the member is told in time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};
use crate::query::Query;

/// The most notices of one call.
const LIMIT_MAX: u32 = 100;

pub(super) struct Notices;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoticesArguments {
    /// true: only notices that the member has not read; false: only those that it has.
    unread: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct NoticesAnswer {
    /// The newest first, at most 100.
    notices: Vec<Notice>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Notice {
    id: i64,
    /// bill_due, bill_closed, recurring_due, recurring_late, budget, balance, statement_missing, price_changed, repeated_charge or digest.
    kind: String,
    title: String,
    body: String,
    /// What it names: ids, dates, amounts in reais.
    params: Map<String, Value>,
    created_at: String,
    read_at: Option<String>,
    snoozed_until: Option<String>,
    /// When its cause was gone; null while it holds.
    settled_at: Option<String>,
}

impl Tool for Notices {
    const NAME: &'static str = "notices";
    const TITLE: &'static str = "Notices";
    const DESCRIPTION: &'static str = "What the member is told in time: bills and recurring items that are due or late, budgets that are nearly spent, a balance \
        below zero ahead, missing statements, changed prices and repeated charges.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = NoticesArguments;
    type Output = NoticesAnswer;

    async fn run(api: &impl Api, arguments: NoticesArguments) -> Result<NoticesAnswer, Failure> {
        let query = Query::of("/api/notices").with("unread", arguments.unread).with("limit", Some(LIMIT_MAX));
        Ok(NoticesAnswer { notices: ask(api, ApiRequest::get(query.path())).await? })
    }
}
