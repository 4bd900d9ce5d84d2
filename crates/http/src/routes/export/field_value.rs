//! Values of columns as fields of the API.

use finance_domain::Percentage;
use finance_domain::export::Kind;
use serde_json::Value;

pub(crate) use super::values::field;
use super::values::instant;

/// A value as JSON, as in a document.
pub(crate) fn json(kind: Kind, text: Option<&str>) -> Value {
    let Some(text) = text else {
        return if kind == Kind::Tags { Value::Array(Vec::new()) } else { Value::Null };
    };
    match kind {
        Kind::Id | Kind::Reference(_) | Kind::Whole => text.parse::<i64>().map_or(Value::Null, Value::from),
        Kind::Percentage => {
            // Without the zeros of a stored number, as everywhere in the API.
            let short =
                text.parse::<Percentage>().map_or_else(|_| text.to_string(), |percentage| percentage.to_string());
            short.parse::<serde_json::Number>().map_or(Value::Null, Value::Number)
        }
        Kind::Flag => Value::Bool(text == "true"),
        Kind::Instant => instant(text).into(),
        Kind::Tags => text.split('\n').collect(),
        Kind::Name | Kind::Text | Kind::Note | Kind::Word | Kind::Money | Kind::Date | Kind::Month | Kind::Bytes => {
            text.into()
        }
    }
}
