//! How values are written in JSON: money as a string with two decimals, dates and instants as text, percentages as numbers.

use std::borrow::Cow;

use actix_web::HttpResponse;
use finance_domain::{Money, Percentage};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// Money, as `"1234.50"`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoneyView(pub(crate) Money);

impl Serialize for MoneyView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A calendar date, as `"2026-01-31"`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DateView(pub(crate) Date);

impl Serialize for DateView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// An instant in UTC, in the format of RFC 3339.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstantView(pub(crate) OffsetDateTime);

impl Serialize for InstantView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let utc = self.0.to_offset(time::UtcOffset::UTC);
        serializer.collect_str(&utc.format(&Rfc3339).map_err(serde::ser::Error::custom)?)
    }
}

/// A percentage, as a number of at most two decimals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PercentageView(pub(crate) Percentage);

impl Serialize for PercentageView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

fn text(format: Option<KnownFormat>, pattern: Option<&str>, example: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .format(format.map(SchemaFormat::KnownFormat))
        .pattern(pattern)
        .examples([example])
        .into()
}

impl PartialSchema for MoneyView {
    fn schema() -> RefOr<Schema> {
        text(None, Some(r"^-?\d+\.\d{2}$"), "1234.50")
    }
}
impl ToSchema for MoneyView {
    fn name() -> Cow<'static, str> {
        "Money".into()
    }
}

/// The schema of money in requests. [`Money`] itself parses it.
pub(crate) struct MoneyInput;

impl PartialSchema for MoneyInput {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Number]))
            .description(Some(
                "An amount of at most two decimals: a decimal string, or a number, whose digits are kept.",
            ))
            .pattern(Some(r"^-?\d+(\.\d{1,2})?$"))
            .examples([serde_json::json!("1234.50"), serde_json::json!(1234.5)])
            .into()
    }
}
impl ToSchema for MoneyInput {}

/// The schema of a month in requests.
pub(crate) struct MonthInput;

impl PartialSchema for MonthInput {
    fn schema() -> RefOr<Schema> {
        text(None, Some("^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])$"), "2026-01")
    }
}
impl ToSchema for MonthInput {}

/// The schema of a date in requests.
pub(crate) struct DateInput;

impl PartialSchema for DateInput {
    fn schema() -> RefOr<Schema> {
        let pattern = "^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";
        text(Some(KnownFormat::Date), Some(pattern), "2026-01-31")
    }
}
impl ToSchema for DateInput {}

impl PartialSchema for DateView {
    fn schema() -> RefOr<Schema> {
        text(Some(KnownFormat::Date), None, "2026-01-31")
    }
}
impl ToSchema for DateView {
    fn name() -> Cow<'static, str> {
        "Date".into()
    }
}

impl PartialSchema for InstantView {
    fn schema() -> RefOr<Schema> {
        text(Some(KnownFormat::DateTime), None, "2026-01-31T12:00:00Z")
    }
}
impl ToSchema for InstantView {
    fn name() -> Cow<'static, str> {
        "Instant".into()
    }
}

impl PartialSchema for PercentageView {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::Type(Type::Number)).examples([33.33]).into()
    }
}
impl ToSchema for PercentageView {
    fn name() -> Cow<'static, str> {
        "Percentage".into()
    }
}

/// The answer 204.
pub(crate) fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}
