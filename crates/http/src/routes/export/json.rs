//! The export as one JSON document, written while the rows are read.

use std::io::Write;

use finance_domain::export::{Kind, Row, Table};
use finance_domain::{Error, Percentage, Result};
use finance_export::{DOCUMENT_VERSION, ExportSink, TABLES};
use time::OffsetDateTime;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use super::values::{field, instant};
use crate::stream::client_gone;
use crate::views::InstantView;

/// The document's `format`.
pub(super) const FORMAT: &str = "finance-export";

/// Writes the document.
pub(super) struct DocumentWriter<W> {
    out: W,
    table: Option<&'static Table>,
    is_first_row: bool,
}

impl<W: Write> DocumentWriter<W> {
    /// Begins the document.
    pub(super) fn begin(mut out: W, profile: &str, now: OffsetDateTime) -> Result<Self> {
        let head = serde_json::json!({ "name": profile });
        let exported_at = serde_json::to_string(&InstantView(now)).map_err(|error| Error::Internal(error.into()))?;
        write!(
            out,
            "{{\"format\":\"{FORMAT}\",\"version\":{DOCUMENT_VERSION},\"exported_at\":{exported_at},\"profile\":{head}"
        )
        .map_err(client_gone)?;
        Ok(DocumentWriter { out, table: None, is_first_row: true })
    }

    /// Ends the document.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.end_table()?;
        self.out.write_all(b"}\n").map_err(client_gone)
    }

    fn end_table(&mut self) -> Result<()> {
        match self.table.take() {
            Some(_) => self.out.write_all(b"\n]").map_err(client_gone),
            None => Ok(()),
        }
    }

    fn row(&mut self, table: &Table, row: &Row) -> Result<()> {
        self.out.write_all(if self.is_first_row { b"\n{" } else { b",\n{" }).map_err(client_gone)?;
        self.is_first_row = false;
        for (at, (column, value)) in table.columns.iter().zip(row).enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(self.out, "{separator}\"{}\":", field(table, column)).map_err(client_gone)?;
            match value {
                None if column.kind == Kind::Tags => self.out.write_all(b"[]").map_err(client_gone)?,
                None => self.out.write_all(b"null").map_err(client_gone)?,
                Some(text) => self.value(column.kind, text)?,
            }
        }
        self.out.write_all(b"}").map_err(client_gone)
    }

    fn value(&mut self, kind: Kind, text: &str) -> Result<()> {
        match kind {
            Kind::Id | Kind::Reference(_) | Kind::Whole | Kind::Flag => self.out.write_all(text.as_bytes()),
            Kind::Percentage => {
                let percentage: Percentage = text.parse().map_err(|error| Error::Internal(Box::new(error)))?;
                write!(self.out, "{percentage}")
            }
            Kind::Instant => write!(self.out, "\"{}\"", instant(text)),
            Kind::Name
            | Kind::Text
            | Kind::Note
            | Kind::Word
            | Kind::Money
            | Kind::Date
            | Kind::Month
            | Kind::Bytes => serde_json::to_writer(&mut self.out, text).map_err(std::io::Error::from),
            Kind::Tags => {
                let tags: Vec<&str> = text.split('\n').collect();
                serde_json::to_writer(&mut self.out, &tags).map_err(std::io::Error::from)
            }
        }
        .map_err(client_gone)
    }
}

impl<W: Write> ExportSink for DocumentWriter<W> {
    fn table(&mut self, table: &'static Table) -> Result<()> {
        self.end_table()?;
        self.table = Some(table);
        self.is_first_row = true;
        write!(self.out, ",\n\"{}\":[", table.name).map_err(client_gone)
    }

    fn rows(&mut self, rows: &[Row]) -> Result<()> {
        let Some(table) = self.table else { return Err(Error::Internal("rows of no table".into())) };
        rows.iter().try_for_each(|row| self.row(table, row))
    }
}

/// The schema of the document in the OpenAPI document, from the same list of tables.
pub(super) struct DocumentSchema;

impl PartialSchema for DocumentSchema {
    fn schema() -> RefOr<Schema> {
        let text = |example: &str| plain(Type::String).examples([example]);
        let profile = ObjectBuilder::new().property("name", text("ana")).required("name");
        let mut document = ObjectBuilder::new()
            .description(Some("Everything a profile owns: one array per table, with ids and fields as in the API."))
            .property("format", text(FORMAT))
            .property("version", plain(Type::Integer).examples([DOCUMENT_VERSION]))
            .property("exported_at", plain(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))))
            .property("profile", profile);
        for name in ["format", "version", "exported_at", "profile"] {
            document = document.required(name);
        }
        for table in TABLES {
            let mut row = ObjectBuilder::new();
            for column in table.columns {
                let name = field(table, column);
                row = row.property(name, value_schema(column.kind, column.required)).required(name);
            }
            document = document.property(table.name, ArrayBuilder::new().items(row)).required(table.name);
        }
        document.into()
    }
}

impl ToSchema for DocumentSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "ExportDocument".into()
    }
}

fn plain(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(kind))
}

fn value_schema(kind: Kind, required: bool) -> Schema {
    let (json_type, format) = match kind {
        Kind::Id | Kind::Reference(_) | Kind::Whole => (Type::Integer, Some(KnownFormat::Int64)),
        Kind::Percentage => (Type::Number, None),
        Kind::Flag => (Type::Boolean, None),
        Kind::Date => (Type::String, Some(KnownFormat::Date)),
        Kind::Instant => (Type::String, Some(KnownFormat::DateTime)),
        Kind::Name | Kind::Text | Kind::Note | Kind::Word | Kind::Money | Kind::Month => (Type::String, None),
        Kind::Bytes => (Type::String, Some(KnownFormat::Byte)),
        Kind::Tags => (Type::Array, None),
    };
    let schema_type =
        if required { SchemaType::Type(json_type) } else { SchemaType::from_iter([json_type, Type::Null]) };
    match kind {
        // Without tags, the array is empty, not null.
        Kind::Tags => ArrayBuilder::new().items(plain(Type::String)).into(),
        _ => ObjectBuilder::new().schema_type(schema_type).format(format.map(SchemaFormat::KnownFormat)).into(),
    }
}
