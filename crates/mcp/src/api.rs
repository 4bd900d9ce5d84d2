//! Requests to the API, and how their answers are read.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The most bytes of an answer of the API. An implementation of [`Api`] reads no more.
pub const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A connection to the API with a credential.
pub trait Api: Clone + Send + Sync + 'static {
    /// Sends a request.
    ///
    /// # Errors
    ///
    /// If there is no answer. An answer that refuses the request is not an error here.
    fn send(&self, request: ApiRequest) -> impl Future<Output = Result<ApiAnswer, Unreachable>> + Send;
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiMethod {
    /// Reads.
    Get,
    /// Writes.
    Post,
    /// Writes. To send it again changes nothing more.
    Put,
}

/// A request to the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// The method.
    pub method: ApiMethod,
    /// The path with its query.
    pub path: String,
    /// The JSON body of a POST or a PUT.
    pub body: Option<String>,
    /// The `Idempotency-Key`. A request with one may be sent again if its answer was lost.
    pub idempotency_key: Option<String>,
}

impl ApiRequest {
    /// A GET request of a path with its query.
    pub(crate) fn get(path: String) -> Self {
        ApiRequest { method: ApiMethod::Get, path, body: None, idempotency_key: None }
    }

    /// A PUT request.
    pub(crate) fn put(path: String, body: &Value) -> Self {
        ApiRequest { method: ApiMethod::Put, path, body: Some(body.to_string()), idempotency_key: None }
    }

    /// A POST request that saves nothing, so it takes no idempotency key.
    pub(crate) fn post_without_key(path: &str, body: &Value) -> Self {
        ApiRequest {
            method: ApiMethod::Post,
            path: path.to_string(),
            body: Some(body.to_string()),
            idempotency_key: None,
        }
    }

    /// A POST request with an idempotency key.
    pub(crate) fn post(path: &str, body: &Value, idempotency_key: String) -> Self {
        ApiRequest {
            method: ApiMethod::Post,
            path: path.to_string(),
            body: Some(body.to_string()),
            idempotency_key: Some(idempotency_key),
        }
    }
}

/// An answer of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Whether the answer has a link to a next page.
    pub has_next_page: bool,
    /// The body, as JSON.
    pub body: Vec<u8>,
}

/// Why there is no answer, as a text for the user of the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable(pub String);

/// Why a tool failed, as a text for the assistant and its user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Failure(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<Unreachable> for Failure {
    fn from(Unreachable(reason): Unreachable) -> Self {
        Failure(reason)
    }
}

/// The fields of a problem (RFC 9457) that are read.
#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    #[serde(default)]
    errors: Vec<FieldProblem>,
    request_id: String,
}

/// An invalid field.
#[derive(Deserialize)]
struct FieldProblem {
    field: String,
    message: String,
}

impl Problem {
    fn text(&self) -> String {
        let fields: Vec<String> =
            self.errors.iter().map(|error| format!("{} {}", error.field, error.message)).collect();
        let mut text = format!("{}: {}", self.code, self.detail);
        if !fields.is_empty() {
            text = format!("{text} {}.", fields.join("; "));
        }
        format!("{text} (request {})", self.request_id)
    }
}

/// One page of a list.
pub(crate) struct Page<T> {
    pub(crate) value: T,
    pub(crate) has_next: bool,
}

/// Sends a request and reads its answer. A problem becomes the failure of the tool, with the text of the problem.
pub(crate) async fn ask<T: DeserializeOwned>(api: &impl Api, request: ApiRequest) -> Result<T, Failure> {
    Ok(ask_page(api, request).await?.value)
}

/// Like [`ask`], for a list that may have a next page.
pub(crate) async fn ask_page<T: DeserializeOwned>(api: &impl Api, request: ApiRequest) -> Result<Page<T>, Failure> {
    let ApiAnswer { status, has_next_page, body } = api.send(request).await?;
    if !(200..300).contains(&status) {
        let text = match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => problem.text(),
            Err(_) => "The answer is not one of this service.".to_string(),
        };
        return Err(Failure(format!("{status} {text}")));
    }
    let value = serde_json::from_slice(&body)
        .map_err(|error| Failure(format!("The answer of the service is not understood: {error}.")))?;
    Ok(Page { value, has_next: has_next_page })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_with_its_code_fields_and_request() {
        let problem: Problem = serde_json::from_str(
            r#"{"type": "about:blank", "title": "Validation failed", "status": 422, "code": "ErrValidation",
                "detail": "One or more fields are not valid; see errors.", "request_id": "r1",
                "errors": [{"field": "amount", "code": "x", "params": {}, "message": "must be greater than zero"}]}"#,
        )
        .unwrap();
        assert_eq!(
            problem.text(),
            "ErrValidation: One or more fields are not valid; see errors. amount must be greater than zero. (request r1)"
        );
    }
}
