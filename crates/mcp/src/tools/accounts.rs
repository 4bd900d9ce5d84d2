//! Accounts and their balances.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Effect, Tool};
use crate::api::{Api, ApiRequest, Failure, ask};

pub(super) struct ListAccounts;

/// No arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct Accounts {
    /// All accounts, by name; at most 200.
    accounts: Vec<Account>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Account {
    id: i64,
    name: String,
    /// current, savings, investment, or credit (a card).
    kind: String,
    /// Whether its money is free to spend.
    spendable: bool,
    /// The balance of today. Reais, a decimal string. Below zero if money is owed.
    balance: String,
    /// The sum of the transactions after today. Reais.
    ahead: String,
    /// Cards: what statements that wait for their payment date ask for, zero or less. It is owed beside the balance. Reais.
    held: String,
    /// The day until which the balances that a person or a file stated agree with the rows, if there is one.
    agrees_until: Option<String>,
    /// Investments whose yield is taxed: what would be left after taxes if it were emptied today. Reais.
    net_balance: Option<String>,
    /// Cards: the limit, if it is known. Reais.
    credit_limit: Option<String>,
    /// Cards: what is left of the limit. Reais.
    available_limit: Option<String>,
    /// Cards: the day of the month on which a bill closes.
    closing_day: Option<u8>,
    /// Cards: the day of the month on which a bill is due.
    due_day: Option<u8>,
}

impl Tool for ListAccounts {
    const NAME: &'static str = "list_accounts";
    const TITLE: &'static str = "Accounts";
    const DESCRIPTION: &'static str =
        "Lists all accounts (current, savings, investments, credit cards) with their ids and balances in reais.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = NoArguments;
    type Output = Accounts;

    async fn run(api: &impl Api, _: NoArguments) -> Result<Accounts, Failure> {
        Ok(Accounts { accounts: ask(api, ApiRequest::get("/api/accounts".to_string())).await? })
    }
}
