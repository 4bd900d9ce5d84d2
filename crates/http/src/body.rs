//! Reading a JSON body field by field, so that every wrong field can be told at once.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use finance_domain::{AccountId, CategoryId, Error, FieldErrors, Money, Percentage};
use futures_util::{Stream, StreamExt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use time::Date;

use crate::problems::Problem;
use crate::punctual;
use crate::service::Service;

/// Bytes in an ordinary body at the most.
pub(crate) const BODY_BYTES_MAX: usize = 64 * 1024;

/// A JSON object as a request's body, of at most `BYTES_MAX` bytes.
pub(crate) struct Body<T, const BYTES_MAX: usize = BODY_BYTES_MAX>(pub(crate) T);

impl<T: DeserializeOwned + 'static, const BYTES_MAX: usize> FromRequest for Body<T, BYTES_MAX> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, payload) = (is_json(request), payload.take());
        let service = request.app_data::<Data<Service>>().cloned();
        Box::pin(async move {
            if !is_json {
                return Err(not_json());
            }
            let _place = match &service {
                Some(service) if BYTES_MAX > BODY_BYTES_MAX => Some(service.large_body().await?),
                _ => None,
            };
            parse(&read(payload, BYTES_MAX).await?).map(Body)
        })
    }
}

/// A JSON object that may be left out altogether or be null, which says nothing more than `{}`.
pub(crate) struct OptionalBody<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for OptionalBody<T> {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, payload) = (is_json(request), payload.take());
        Box::pin(async move {
            let bytes = read(payload, BODY_BYTES_MAX).await?;
            match (bytes.is_empty(), is_json) {
                (true, _) => parse(b"{}").map(OptionalBody),
                (false, true) if bytes.trim_ascii() == b"null" => parse(b"{}").map(OptionalBody),
                (false, true) => parse(&bytes).map(OptionalBody),
                (false, false) => Err(not_json()),
            }
        })
    }
}

fn is_json(request: &HttpRequest) -> bool {
    request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).is_some_and(|kind| {
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    })
}

fn not_json() -> Problem {
    Problem::unsupported_media("This route takes application/json.")
}

/// Reads a payload up to its limit.
pub(crate) async fn read(payload: Payload, bytes_max: usize) -> Result<BytesMut, Problem> {
    collect(payload.map(|chunk| chunk.map_err(|error| broke_off(&error))), bytes_max).await
}

/// A body that did not come to its end.
pub(crate) fn broke_off(error: &PayloadError) -> Problem {
    if punctual::is_timeout(error) {
        Problem::too_slow()
    } else {
        Problem::malformed(format!("The body broke off: {error}."))
    }
}

/// Bytes of a body over its limit that are read and thrown away, so that the client, who is still
/// sending, gets to read the answer; beyond them the connection breaks.
const DRAINED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Collects chunks up to a limit.
pub(crate) async fn collect(
    mut chunks: impl Stream<Item = Result<Bytes, Problem>> + Unpin,
    bytes_max: usize,
) -> Result<BytesMut, Problem> {
    let mut bytes = BytesMut::new();
    let mut total = 0;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        total += chunk.len();
        if total <= bytes_max {
            bytes.extend_from_slice(&chunk);
        } else if total > DRAINED_BYTES_MAX {
            break;
        }
    }
    if total > bytes_max { Err(Problem::too_large(bytes_max)) } else { Ok(bytes) }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Problem::malformed(format!("The body is not JSON: {error}.")))?;
    if !value.is_object() {
        return Err(Error::invalid("body", "must be a JSON object").into());
    }
    // The fields themselves never fail: each keeps what is wrong with it.
    serde_json::from_value(value).map_err(|error| Problem::malformed(format!("The body cannot be read: {error}.")))
}

/// A field of a body: absent (or null), readable, or wrong.
#[derive(Debug, Clone)]
pub(crate) enum Field<T> {
    Absent,
    Value(T),
    Wrong(&'static str),
}

impl<T> Field<T> {
    /// The value, if there is one; a wrong one is noted under the field's name.
    pub(crate) fn take(self, name: &str, errors: &mut FieldErrors) -> Option<T> {
        match self {
            Field::Absent => None,
            Field::Value(value) => Some(value),
            Field::Wrong(message) => {
                errors.push(name, message);
                None
            }
        }
    }
}

impl<'de, T: FromJson> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Through an option, so that an absent field is not an error of the whole body.
        Ok(match Option::<Value>::deserialize(deserializer)? {
            None => Field::Absent,
            Some(value) => T::from_json(value).map_or_else(Field::Wrong, Field::Value),
        })
    }
}

/// What a field may hold.
pub(crate) trait FromJson: Sized {
    /// The value, or what it should have been.
    fn from_json(value: Value) -> Result<Self, &'static str>;
}

impl FromJson for String {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err("must be a string"),
        }
    }
}

impl FromJson for bool {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        value.as_bool().ok_or("must be true or false")
    }
}

impl FromJson for i64 {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        value.as_i64().ok_or("must be a whole number")
    }
}

impl FromJson for Money {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        let parsed = match &value {
            Value::String(text) => text.trim().parse(),
            Value::Number(number) => number.as_str().parse(),
            _ => return Err("must be a decimal number"),
        };
        parsed.map_err(finance_domain::money::ParseError::message)
    }
}

impl FromJson for Percentage {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        match &value {
            Value::Number(number) => number.as_str().parse().map_err(finance_domain::money::ParseError::message),
            _ => Err("must be a number"),
        }
    }
}

impl FromJson for Date {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        value.as_str().ok_or("must be a date as YYYY-MM-DD").and_then(finance_domain::month::parse_date)
    }
}

impl FromJson for Vec<Value> {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        match value {
            Value::Array(values) => Ok(values),
            _ => Err("must be an array"),
        }
    }
}

impl FromJson for CategoryId {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        i64::from_json(value).map(CategoryId)
    }
}

impl FromJson for AccountId {
    fn from_json(value: Value) -> Result<Self, &'static str> {
        i64::from_json(value).map(AccountId)
    }
}
