//! The id of a request, which is in its answer and its log lines.

use actix_web::http::header::{HeaderMap, HeaderName};
use uuid::Uuid;

/// The header with the id of the request.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The most characters of a request id. A longer one is replaced.
const REQUEST_ID_CHARS_MAX: usize = 64;

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request of the current task. Empty outside a request.
pub(crate) fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Runs a task of the request with the id.
pub(crate) async fn scope<F: Future>(id: String, task: F) -> F::Output {
    CURRENT.scope(id, task).await
}

/// The id that the client sent if it is valid, else a random one.
pub(crate) fn of(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_CHARS_MAX
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    });
    given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_string)
}
