//! Reads the JSON document of an export. Reading is strict, because data that is not understood would be lost.

use std::fmt;

use finance_domain::export::{Kind, Row, Table};
use finance_domain::{Error, Violation};
use finance_export::{ADDED_TABLES, DOCUMENT_VERSION, Document, TABLES, table};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::json::FORMAT;
use super::values::field;

/// Reads the document of an export. [`Document::check`] validates the values.
///
/// ```
/// use finance_http::export::read_document;
///
/// let refused = read_document(br#"{"format":"finance-export","version":99}"#).unwrap_err().to_string();
/// assert!(refused.starts_with("document: has version 99, and this release reads version 1"), "{refused}");
/// ```
///
/// # Errors
///
/// [`Error::Invalid`] if the text is not such a document, has another version, or is incomplete.
pub fn read(text: &[u8]) -> Result<Document, Error> {
    parse(text).map_err(|error| not_understood(&error))
}

/// Parses a document.
pub(super) fn parse(text: &[u8]) -> serde_json::Result<Document> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let document = json.deserialize_map(DocumentVisitor)?;
    json.end().map(|()| document)
}

/// The error for a text that is not such a document.
pub(super) fn not_understood(error: &serde_json::Error) -> Error {
    Error::invalid("document", Violation::document(error.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    #[serde(rename = "name")]
    _name: String,
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the document of an export")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut document = Document::default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format_args!("has {key} twice")));
            }
            match key.as_str() {
                "format" => {
                    let format: String = map.next_value()?;
                    if format != FORMAT {
                        return Err(A::Error::custom(format_args!("must be of format {FORMAT}")));
                    }
                }
                "version" => {
                    let version: u64 = map.next_value()?;
                    if version != u64::from(DOCUMENT_VERSION) {
                        let known =
                            format_args!("has version {version}, and this release reads version {DOCUMENT_VERSION}");
                        return Err(A::Error::custom(known));
                    }
                }
                "exported_at" => {
                    map.next_value::<String>()?;
                }
                "profile" => {
                    map.next_value::<Profile>()?;
                }
                name => match table(name) {
                    Some(table) => map.next_value_seed(Rows { table, document: &mut document })?,
                    None => return Err(A::Error::custom(format_args!("has an unknown part {}", shown(name)))),
                },
            }
            seen.push(key);
        }
        let parts = ["format", "version", "exported_at", "profile"].into_iter();
        for part in parts.chain(TABLES.iter().map(|table| table.name)) {
            if !seen.iter().any(|seen| seen == part) && !ADDED_TABLES.contains(&part) {
                return Err(A::Error::custom(format_args!("has no {part}")));
            }
        }
        Ok(document)
    }
}

/// A name from the document, shortened to fit on one line.
fn shown(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}

/// Reads the rows of a table.
struct Rows<'a> {
    table: &'static Table,
    document: &'a mut Document,
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rows of {}", self.table.name)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        let mut at = 0;
        while let Some(row) = rows.next_element_seed(RowSeed { table: self.table, at })? {
            self.document.push(self.table, row).map_err(A::Error::custom)?;
            at += 1;
        }
        Ok(())
    }
}

/// Reads one row.
struct RowSeed {
    table: &'static Table,
    at: usize,
}

impl<'de> DeserializeSeed<'de> for RowSeed {
    type Value = Row;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Row, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed {
    type Value = Row;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] as an object", self.table.name, self.at)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let RowSeed { table, at } = self;
        let mut values: Vec<Option<Option<String>>> = vec![None; table.columns.len()];
        while let Some(key) = map.next_key::<String>()? {
            let position = table.columns.iter().position(|column| field(table, column) == key);
            let known = position.and_then(|position| values.get_mut(position).zip(table.columns.get(position)));
            let Some((value, column)) = known else {
                return Err(A::Error::custom(format_args!(
                    "{}[{at}] has an unknown field {}",
                    table.name,
                    shown(&key)
                )));
            };
            let read = map.next_value_seed(Value(column.kind));
            let read = read.map_err(|error| A::Error::custom(format_args!("{}[{at}].{key}: {error}", table.name)))?;
            if value.replace(read).is_some() {
                return Err(A::Error::custom(format_args!("{}[{at}] has {key} twice", table.name)));
            }
        }
        let mut row = Row::with_capacity(values.len());
        for (value, column) in values.into_iter().zip(table.columns) {
            match value {
                Some(value) => row.push(value),
                None if column.added => row.push(None),
                None => {
                    let missing = format_args!("{}[{at}] has no {}", table.name, field(table, column));
                    return Err(A::Error::custom(missing));
                }
            }
        }
        Ok(row)
    }
}

/// Reads a value in the JSON type of its kind.
struct Value(Kind);

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        match self.0 {
            Kind::Id | Kind::Reference(_) | Kind::Whole | Kind::Percentage => {
                Ok(Option::<serde_json::Number>::deserialize(deserializer)?.map(|number| number.to_string()))
            }
            Kind::Flag => Ok(Option::<bool>::deserialize(deserializer)?.map(|flag| flag.to_string())),
            Kind::Tags => {
                let tags = Option::<Vec<String>>::deserialize(deserializer)?.filter(|tags| !tags.is_empty());
                Ok(tags.map(|tags| tags.join("\n")))
            }
            Kind::Name
            | Kind::Text
            | Kind::Note
            | Kind::Word
            | Kind::Money
            | Kind::Date
            | Kind::Month
            | Kind::Instant
            | Kind::Bytes => Option::<String>::deserialize(deserializer),
        }
    }
}
