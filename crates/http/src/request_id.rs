//! The id of a request, which its answer and its log lines carry.

use actix_web::http::header::{HeaderMap, HeaderName};
use uuid::Uuid;

/// The header that carries a request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters in a request id at the most; a longer one is replaced.
const REQUEST_ID_CHARS_MAX: usize = 64;

tokio::task_local! {
    static CURRENT: String;
}

/// The id of the request that this task works for; empty outside a request.
pub(crate) fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Runs a task for the request of that id.
pub(crate) async fn scope<F: Future>(id: String, task: F) -> F::Output {
    CURRENT.scope(id, task).await
}

/// The id that the caller gave the request if it is sane, else a random one.
pub(crate) fn of(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_CHARS_MAX
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    });
    given.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_string)
}
