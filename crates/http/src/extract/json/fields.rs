//! Fields of a body, and the types that they may have.

use std::borrow::Cow;

use finance_domain::transactions::Referring;
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Month, Percentage, Violation};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use time::Date;

/// A field of a body: absent (or null), readable, or wrong.
#[derive(Debug, Clone)]
pub(crate) enum Field<T> {
    Absent,
    Value(T),
    Wrong(Violation),
}

impl<T> Field<T> {
    /// The value, if there is one; a wrong one is noted under the field's name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<T> {
        match self {
            Field::Absent => None,
            Field::Value(value) => Some(value),
            Field::Wrong(violation) => {
                errors.push(name, violation);
                None
            }
        }
    }
}

/// The input of a use case, whose fields are taken from those of a body with the same names: `is_hidden from hidden` from another one.
/// `kind as "type"` is a field that clients know by another name. What follows the semicolon is written out.
macro_rules! take_fields {
    (@one $body:expr, $errors:expr, $field:ident) => { $body.$field.take(stringify!($field), $errors) };
    (@one $body:expr, $errors:expr, $field:ident as $name:literal) => { $body.$field.take($name, $errors) };
    (@one $body:expr, $errors:expr, $field:ident from $of:ident) => { $body.$of.take(stringify!($of), $errors) };
    ($body:expr, $errors:expr => $input:ident {
        $($field:ident $(as $name:literal)? $(from $of:ident)?),+ $(; $($written:tt)+)?
    }) => {
        $input {
            $($field: $crate::extract::json::take_fields!(@one $body, $errors, $field $(as $name)? $(from $of)?),)+
            $($($written)+)?
        }
    };
}
pub(crate) use take_fields;

impl<'de, T: FromJson> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as raw text, so that the digits of a number are kept. Read through an option, so that an absent field is not an
        // error of the whole body.
        let Some(raw) = Option::<Box<RawValue>>::deserialize(deserializer)? else { return Ok(Field::Absent) };
        let value = FieldValue::of(raw.get()).map_err(D::Error::custom)?;
        Ok(T::from_json(value).map_or_else(Field::Wrong, Field::Value))
    }
}

/// A change of a value: if absent, the value stays; if null, it is removed; otherwise it is replaced.
pub(crate) struct Change<T>(Option<Field<T>>);

impl<T> Default for Change<T> {
    fn default() -> Self {
        Change(None)
    }
}

impl<T> Change<T> {
    /// The change, if there is one; a wrong one is noted under the field's name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<Referring<T>> {
        match self.0? {
            Field::Absent => Some(Referring::Nothing),
            given => given.take(name, errors).map(Referring::To),
        }
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Field::deserialize(deserializer).map(|given| Change(Some(given)))
    }
}

/// The value of a field.
pub(crate) enum FieldValue<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A number, as it was written.
    Number(&'a str),
    /// True or false.
    Bool(bool),
    /// An array or an object, as it was written.
    Nested(&'a str),
}

impl<'a> FieldValue<'a> {
    fn of(raw: &'a str) -> serde_json::Result<Self> {
        Ok(match raw.as_bytes().first() {
            Some(b'"') => match serde_json::from_str(raw) {
                Ok(text) => FieldValue::Text(Cow::Borrowed(text)),
                // The string has escapes.
                Err(_) => FieldValue::Text(Cow::Owned(serde_json::from_str(raw)?)),
            },
            // The strings inside are not read yet: what a type makes of them is no error of the whole body.
            Some(b'[' | b'{') if has_lone_surrogate(raw) => {
                return Err(serde_json::Error::custom("lone surrogate in hex escape"));
            }
            Some(b'[' | b'{') => FieldValue::Nested(raw),
            Some(b't' | b'f') => FieldValue::Bool(raw == "true"),
            _ => FieldValue::Number(raw),
        })
    }
}

/// Whether a string in JSON has half of a character as an escape, which is no text.
fn has_lone_surrogate(json: &str) -> bool {
    let unit = |text: &str| u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        rest = &rest[at..];
        let length = match unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(unit(&rest[ESCAPE_BYTES..]), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE_BYTES,
            Some(0xD800..=0xDFFF) => return true,
            Some(_) => ESCAPE_BYTES,
            None => 2,
        };
        rest = &rest[length..];
    }
    false
}

/// The bytes of an escape like `\u00e9`.
const ESCAPE_BYTES: usize = 6;

/// A type that a field may have.
pub(crate) trait FromJson: Sized {
    /// The value, or the violation that says what it should have been.
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation>;
}

impl FromJson for String {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => Ok(text.into_owned()),
            _ => Err(Violation::NotAString),
        }
    }
}

/// An array. Each of its items is read, or wrong, by itself.
impl<T: FromJson> FromJson for Vec<Field<T>> {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Nested(raw) if raw.starts_with('[') => {
                serde_json::from_str(raw).map_err(|_| Violation::NotAnArray)
            }
            _ => Err(Violation::NotAnArray),
        }
    }
}

impl FromJson for bool {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Bool(value) => Ok(value),
            _ => Err(Violation::NotABoolean),
        }
    }
}

impl FromJson for i64 {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Number(digits) => digits.parse().map_err(|_| Violation::NotAWholeNumber),
            _ => Err(Violation::NotAWholeNumber),
        }
    }
}

impl FromJson for Money {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match &value {
            FieldValue::Text(text) => text.trim().parse(),
            FieldValue::Number(digits) => digits.parse(),
            _ => Err(Violation::NotANumber),
        }
    }
}

impl FromJson for Percentage {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Number(digits) => digits.parse(),
            _ => Err(Violation::NotANumber),
        }
    }
}

impl FromJson for Date {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => finance_domain::month::parse_date(&text),
            _ => Err(Violation::InvalidDate),
        }
    }
}

impl FromJson for Month {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Text(text) => text.parse(),
            _ => Err(Violation::InvalidMonth),
        }
    }
}

impl FromJson for CategoryId {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        i64::from_json(value).map(CategoryId)
    }
}

impl FromJson for AccountId {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        i64::from_json(value).map(AccountId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_character_is_found_in_every_string_and_only_there() {
        for (json, expected) in [
            (r#"["\ud800"]"#, true),
            (r#"["\udc00"]"#, true),
            (r#"["\uD83D", "\uDE00"]"#, true),
            (r#"["\ud83d\ud83d\ude00"]"#, true),
            (r#"{"a": [{"\ud800x": 1}]}"#, true),
            (r#"["\ud83d\ude00"]"#, false),
            (r#"["\\ud800"]"#, false),
            (r#"["\\\ud800"]"#, true),
            (r#"["\u00e9", "é\n\"", 1e999]"#, false),
            ("[]", false),
        ] {
            assert_eq!(has_lone_surrogate(json), expected, "{json}");
        }
    }
}
