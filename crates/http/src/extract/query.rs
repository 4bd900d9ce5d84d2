//! Reading query parameters one by one, so that every unusable one can be told at once.

use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::web::Query;
use actix_web::{FromRequest, HttpRequest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::{AccountId, CategoryId, Error, FieldErrors, Month, Result};
use serde::{Deserialize, Deserializer};
use time::Date;
use utoipa::IntoParams;

use crate::problem::Problem;
use crate::views::MonthInput;

/// Rows of a page where the request names no limit.
const LIMIT_DEFAULT: u32 = 100;
/// Rows of a page at the most.
const LIMIT_MAX: u32 = 1_000;

/// The query parameters of a request.
pub(crate) struct Params<T> {
    /// What was read.
    pub(crate) value: T,
}

impl<T: serde::de::DeserializeOwned> FromRequest for Params<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Query::<T>::from_query(request.query_string()).map(|query| Params { value: query.into_inner() }).map_err(
            |error| {
                let message = format!("cannot be read: {error}");
                Error::invalid("query", message).into()
            },
        ))
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
        read: impl FnOnce(&str) -> Result<V, &'static str>,
    ) -> Option<V> {
        self.0.and_then(|text| read(&text).map_err(|message| errors.push(name, message)).ok())
    }

    /// A month.
    pub(crate) fn month(self, name: &str, errors: &mut FieldErrors) -> Option<Month> {
        self.read(name, errors, Month::from_str)
    }

    /// An account's id.
    pub(crate) fn account_id(self, name: &str, errors: &mut FieldErrors) -> Option<AccountId> {
        self.read(name, errors, whole_number).map(AccountId)
    }

    /// A category's id.
    pub(crate) fn category_id(self, name: &str, errors: &mut FieldErrors) -> Option<CategoryId> {
        self.read(name, errors, whole_number).map(CategoryId)
    }

    /// How many rows a page has.
    pub(crate) fn limit(self, errors: &mut FieldErrors) -> u32 {
        let limit = self.read("limit", errors, |text| {
            text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).ok_or("must be 1 to 1000")
        });
        limit.unwrap_or(LIMIT_DEFAULT)
    }

    /// The place a cursor made by [`page`] stands for.
    pub(crate) fn cursor<V>(self, errors: &mut FieldErrors, read: impl FnOnce(&str) -> Option<V>) -> Option<V> {
        self.read("cursor", errors, |text| {
            let decoded = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            decoded.as_deref().and_then(read).ok_or("is not a cursor of this list")
        })
    }
}

fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
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
    /// The month asked for, or the one that holds today.
    pub(crate) fn month_or(self, today: Date) -> Result<Month> {
        let mut errors = FieldErrors::default();
        let month = self.month.month("month", &mut errors);
        errors.into_result()?;
        Ok(month.unwrap_or(Month::of(today)))
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
    /// The id after which the page begins, and how many rows it has, of a list whose cursors are ids.
    pub(crate) fn after_id(self) -> Result<(Option<i64>, u32)> {
        let mut errors = FieldErrors::default();
        let limit = self.limit.limit(&mut errors);
        let after = self.cursor.cursor(&mut errors, |place| place.parse().ok());
        errors.into_result()?;
        Ok((after, limit))
    }
}
