//! Lines of text, read and saved as entries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tool::{Effect, Tool};
use super::transactions::key_or_new;
use crate::api::{Api, ApiRequest, Failure, ask};

/// The routes that save an entry.
const PATHS: [&str; 3] = ["/api/transactions", "/api/installments", "/api/transfers"];

pub(super) struct ParseEntry;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryLine {
    /// One line in Portuguese or English, 1 to 1,000 characters, such as "mercado 54,90 ontem no nubank #casa".
    text: String,
    /// The day on which it was written, YYYY-MM-DD. Today by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct ReadEntry {
    /// Where add_entry sends the body. Null for a boleto or a Pix code, and while a bill is missing.
    path: Option<String>,
    /// The body, ready if nothing is missing. What is not known is null.
    body: Option<Map<String, Value>>,
    /// What was understood of the line.
    understood: Vec<Understood>,
    /// What to ask the user.
    missing: Vec<MissingField>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Understood {
    text: String,
    /// type, amount, installments, date, account, bill, tag or code.
    #[serde(rename = "as")]
    part: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct MissingField {
    /// A field of the body, or bill_id.
    field: String,
    /// The values that fit.
    candidates: Vec<Fits>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Fits {
    /// As it is in the body: an id, an amount or a day.
    value: Value,
    text: String,
}

impl Tool for ParseEntry {
    const NAME: &'static str = "parse_entry";
    const TITLE: &'static str = "Read a line as an entry";
    const DESCRIPTION: &'static str = "Reads one line as a transaction, a purchase by instalments, a transfer or the payment of a bill, and saves \
        nothing. Where two readings fit, the field is missing, with its candidates: ask the user. Then add_entry saves it.";
    const EFFECT: Effect = Effect::Reads;
    type Arguments = EntryLine;
    type Output = ReadEntry;

    async fn run(api: &impl Api, line: EntryLine) -> Result<ReadEntry, Failure> {
        let body = serde_json::to_value(&line).map_err(|error| Failure::new(error.to_string()))?;
        ask(api, ApiRequest::post_without_key("/api/entries/parse", &body)).await
    }
}

pub(super) struct AddEntry;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryToAdd {
    /// /api/transactions, /api/installments or /api/transfers, as parse_entry says.
    path: String,
    /// The body of parse_entry, with what was missing filled in.
    body: Map<String, Value>,
    /// A text of your choice, 1 to 255 visible ASCII characters. Within a day the same entry with the same key is saved once, so a
    /// call whose result was lost can be repeated. By default a new key is made.
    idempotency_key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Added {
    /// As it is stored.
    entry: Map<String, Value>,
}

impl Tool for AddEntry {
    const NAME: &'static str = "add_entry";
    const TITLE: &'static str = "Save an entry";
    const DESCRIPTION: &'static str = "Saves what parse_entry has read: a transaction, a purchase by instalments or a transfer. Ask the user \
        first. It pays no bill.";
    const EFFECT: Effect = Effect::Adds;
    type Arguments = EntryToAdd;
    type Output = Added;

    async fn run(api: &impl Api, EntryToAdd { path, body, idempotency_key }: EntryToAdd) -> Result<Added, Failure> {
        let key = key_or_new(idempotency_key)?;
        let Some(path) = PATHS.iter().find(|known| **known == path) else {
            return Err(Failure::new(format!("path must be {} or {}.", PATHS[..2].join(", "), PATHS[2])));
        };
        Ok(Added { entry: ask(api, ApiRequest::post(path, &Value::Object(body), key)).await? })
    }
}
