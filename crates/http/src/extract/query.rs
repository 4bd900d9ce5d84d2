//! Reading query parameters one by one, so that all unusable ones are reported together.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::web::Query;
use actix_web::{FromRequest, HttpRequest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::transactions::Referring;
use finance_domain::use_cases::recurring::Which;
use finance_domain::{AccountId, Error, FieldErrors, Month, Result, Violation};
use serde::{Deserialize, Deserializer};
use time::Date;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::problem::Problem;
use crate::views::{DateInput, MonthInput};

/// The rows of a page if the request names no limit.
const LIMIT_DEFAULT: u32 = 100;
/// The maximum number of rows of a page.
const LIMIT_MAX: u32 = 1_000;

/// The value of a filter for the rows without a reference.
const NO_REFERENCE: &str = "none";

/// A reference to filter by. Only the OpenAPI document needs this type.
pub(crate) struct ReferenceInput;

impl PartialSchema for ReferenceInput {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Integer, Type::String]))
            .description(Some("An id, or `none`."))
            .pattern(Some(format!("^{NO_REFERENCE}$")))
            .examples([serde_json::json!(7), serde_json::json!(NO_REFERENCE)])
            .into()
    }
}
impl ToSchema for ReferenceInput {}

/// The query parameters of a request.
pub(crate) struct Params<T> {
    /// What was read.
    pub(crate) value: T,
}

impl<T: serde::de::DeserializeOwned> FromRequest for Params<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            Query::<T>::from_query(request.query_string()).map(|query| Params { value: query.into_inner() }).map_err(
                |error| Error::invalid("query", Violation::UnreadableQuery { detail: error.to_string() }).into(),
            ),
        )
    }
}

/// A query parameter: its text, if it was given.
#[derive(Debug, Clone)]
pub(crate) struct Param(Option<String>);

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<String>::deserialize(deserializer).map(Param)
    }
}

impl Param {
    /// The value, if it was given; an unusable one is noted under the parameter's name.
    pub(crate) fn read<V>(
        self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl FnOnce(&str) -> Result<V, Violation>,
    ) -> Option<V> {
        self.0.and_then(|text| read(&text).map_err(|violation| errors.push(name, violation)).ok())
    }

    /// The text.
    pub(crate) fn text(self) -> Option<String> {
        self.0
    }

    /// A month.
    pub(crate) fn month(self, name: &str, errors: &mut FieldErrors) -> Option<Month> {
        self.read(name, errors, Month::from_str)
    }

    /// An account's id.
    pub(crate) fn account_id(self, name: &str, errors: &mut FieldErrors) -> Option<AccountId> {
        self.id(name, errors).map(AccountId)
    }

    /// An id.
    pub(crate) fn id(self, name: &str, errors: &mut FieldErrors) -> Option<i64> {
        self.read(name, errors, whole_number)
    }

    /// An id, or [`NO_REFERENCE`].
    pub(crate) fn reference(self, name: &str, errors: &mut FieldErrors) -> Option<Referring<i64>> {
        self.read(name, errors, |text| match text {
            NO_REFERENCE => Ok(Referring::Nothing),
            id => whole_number(id).map(Referring::To),
        })
    }

    /// `true` or `false`.
    pub(crate) fn flag(self, name: &str, errors: &mut FieldErrors) -> Option<bool> {
        self.read(name, errors, |text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Violation::NotABoolean),
        })
    }

    /// The number of rows of a page.
    pub(crate) fn limit(self, errors: &mut FieldErrors) -> u32 {
        self.count("limit", errors, LIMIT_MAX).unwrap_or(LIMIT_DEFAULT)
    }

    /// A number from 1 on.
    pub(crate) fn count(self, name: &str, errors: &mut FieldErrors, max: u32) -> Option<u32> {
        self.read(name, errors, |text| {
            let count = text.parse().ok().filter(|count| (1..=max).contains(count));
            count.ok_or_else(|| Violation::out_of_range(1, i64::from(max)))
        })
    }

    /// The position that a cursor made by [`page`] encodes.
    pub(crate) fn cursor<V>(self, errors: &mut FieldErrors, read: impl FnOnce(&str) -> Option<V>) -> Option<V> {
        self.read("cursor", errors, |text| {
            let decoded = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            decoded.as_deref().and_then(read).ok_or(Violation::InvalidCursor)
        })
    }
}

fn whole_number(text: &str) -> Result<i64, Violation> {
    text.parse().map_err(|_| Violation::NotAWholeNumber)
}

/// Which month a route is about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MonthQuery {
    /// The month; this month where absent.
    #[param(value_type = Option<MonthInput>, inline)]
    month: Param,
}

impl MonthQuery {
    /// The requested month, or the month of `today`.
    pub(crate) fn month_or(self, today: Date) -> Result<Month> {
        let mut errors = FieldErrors::default();
        let month = self.month(today, &mut errors);
        errors.into_result()?;
        Ok(month)
    }

    /// As [`MonthQuery::month_or`], for a route with a body: an unusable one is noted beside the errors of the body.
    pub(crate) fn month(self, today: Date, errors: &mut FieldErrors) -> Month {
        self.month.month("month", errors).unwrap_or(Month::of(today))
    }
}

/// Which due of a recurring item a route is about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DueQuery {
    /// The due; it takes the place of `month`.
    #[param(value_type = Option<DateInput>, inline)]
    due: Param,
    /// The month, whose first due counts that may move; this month where absent.
    #[param(value_type = Option<MonthInput>, inline)]
    month: Param,
}

impl DueQuery {
    /// The requested due.
    pub(crate) fn read(self, today: Date) -> Result<Which> {
        let mut errors = FieldErrors::default();
        let which = self.which(today, &mut errors);
        errors.into_result()?;
        Ok(which)
    }

    /// As [`DueQuery::read`], for a route with a body: what is unusable is noted beside the errors of the body.
    pub(crate) fn which(self, today: Date, errors: &mut FieldErrors) -> Which {
        let due = self.due.read("due", errors, finance_domain::month::parse_date);
        let month = self.month.month("month", errors);
        due.map_or(Which::Month(month.unwrap_or(Month::of(today))), Which::Due)
    }
}

/// Which part of a plain list to show.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Rows of a page, 1 to 1000; 100 where absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Param,
    /// Where the page begins, from the `Link` of the one before.
    #[param(value_type = Option<String>)]
    cursor: Param,
}

impl PageQuery {
    /// The position after which the page begins, and its number of rows.
    pub(crate) fn after<V>(self, errors: &mut FieldErrors, read: impl FnOnce(&str) -> Option<V>) -> (Option<V>, u32) {
        let limit = self.limit.limit(errors);
        (self.cursor.cursor(errors, read), limit)
    }

    /// As [`PageQuery::after`], for a list without other parameters.
    pub(crate) fn after_place<V>(self, read: impl FnOnce(&str) -> Option<V>) -> Result<(Option<V>, u32)> {
        let mut errors = FieldErrors::default();
        let (after, limit) = self.after(&mut errors, read);
        errors.into_result()?;
        Ok((after, limit))
    }

    /// The id after which the page begins, and its number of rows, for a list whose cursors are ids.
    pub(crate) fn after_id(self) -> Result<(Option<i64>, u32)> {
        self.after_place(|place| place.parse().ok())
    }
}
