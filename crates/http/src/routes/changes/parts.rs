//! The fields of a row in the history: its own columns, and its parts, as the API names them.

use finance_domain::changes::{Noun, Recorded, Values};
use finance_domain::export::{Column, Kind, Row};
use finance_domain::rules::{Field, Op};
use serde_json::{Map, Value, json};

use crate::routes::export::field_value;

/// The fields of a row, by name.
pub(super) type Fields = Map<String, Value>;

/// The name of a column where it differs from that in an export.
fn field(noun: Noun, column: &Column, recorded: &Recorded) -> &'static str {
    match (noun, column.name) {
        (Noun::Rules, "is_enabled") => "enabled",
        (Noun::Rules, "matching") => "match",
        (Noun::Recurring, "until_on") => "until",
        (Noun::Recurring, "due_count") => "count",
        (Noun::Recurring, "reserves") => "reserve",
        _ => field_value::field(recorded.exported(), column),
    }
}

/// The values of a row's own columns. The rhythm of a recurring item is one field of two columns.
pub(super) fn own(noun: Noun, values: Values) -> Fields {
    let recorded = Recorded::of(noun.as_str());
    let mut fields = Fields::new();
    for (name, kind, value) in values {
        let column = recorded.and_then(|recorded| recorded.columns().find(|column| column.name == name));
        let value = field_value::json(kind, value.as_deref());
        match (noun, name) {
            // Only the service knows it.
            (Noun::Accounts, "opening_is_said") => {}
            (Noun::Recurring, "every_n" | "every_unit") => {
                let every = fields.entry("every").or_insert_with(|| json!({}));
                every[name.trim_start_matches("every_")] = value;
            }
            _ => {
                let name = recorded.zip(column).map_or(name, |(recorded, column)| field(noun, column, recorded));
                fields.insert(name.to_string(), value);
            }
        }
    }
    fields
}

/// The field that shows the rows of a table.
fn name(table: &'static str) -> &'static str {
    match table {
        "transaction_lines" => "lines",
        "rule_conditions" => "conditions",
        "rule_actions" => "actions",
        "recurring_marks" | "recurring_due_marks" => "marks",
        "recurring_links" => "links",
        "credit_bill_payments" => "payments",
        table => table,
    }
}

/// Adds the parts of a row to its fields. Marks by month and by day are one list.
pub(super) fn add(fields: &mut Fields, table: &'static str, rows: &[Row]) {
    let Some(recorded) = Recorded::of(table) else { return };
    let parts: Vec<Value> = rows.iter().map(|row| part(recorded, row)).collect();
    match fields.get_mut(name(table)) {
        Some(Value::Array(known)) => known.extend(parts),
        // As in the API, a transaction without lines has none.
        _ if table == "transaction_lines" && parts.is_empty() => {
            drop(fields.insert(name(table).to_string(), Value::Null))
        }
        _ => drop(fields.insert(name(table).to_string(), Value::Array(parts))),
    }
}

fn part(recorded: &Recorded, row: &Row) -> Value {
    let text = |name: &str| recorded.position(name).and_then(|at| row.get(at)?.as_deref());
    match recorded.table {
        "own_names" => text("name").into(),
        "rule_conditions" => condition(&text),
        table => {
            let is_left_out = |column: &Column, value: Option<&str>| {
                column.kind == Kind::Id
                    || Some(column.name) == recorded.owner
                    || ["position", "import_id", "created_at"].contains(&column.name)
                    || table == "rule_actions" && value.is_none()
            };
            let cells = recorded.exported().columns.iter().zip(row);
            let kept = cells.filter(|(column, value)| !is_left_out(column, value.as_deref()));
            let fields = kept.map(|(column, value)| {
                let name = field_value::field(recorded.exported(), column);
                (name.to_string(), field_value::json(column.kind, value.as_deref()))
            });
            Value::Object(fields.collect())
        }
    }
}

/// A condition of a rule, with its value as the API has it.
fn condition<'r>(text: &impl Fn(&str) -> Option<&'r str>) -> Value {
    let number = |name: &str| text(name).and_then(|text| text.parse::<i64>().ok());
    let (field, op) = (text("field"), text("op"));
    let value = match field.and_then(|field| field.parse::<Field>().ok()) {
        Some(Field::Description) | None => json!(text("text")),
        Some(Field::Amount) if op == Some(Op::Between.as_str()) => json!([text("amount_min"), text("amount_max")]),
        Some(Field::Amount) => json!(text("amount_min").or(text("amount_max"))),
        Some(Field::Kind) => json!(text("kind")),
        Some(Field::Account) => json!(number("account_id")),
        Some(Field::Day) => json!([number("day_first"), number("day_last")]),
    };
    json!({ "field": field, "op": op, "value": value })
}
