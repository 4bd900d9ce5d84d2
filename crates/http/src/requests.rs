//! What every request gets: an id, one line in the log, safe headers, and errors in one shape.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage};
use finance_domain::Caller;
use finance_domain::error::Chain;
use log::Level;

use crate::problems::{PROBLEM_JSON, Problem};
use crate::service::Service;

/// The header that carries a request's id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters in a request id at the most; a longer one is replaced.
const REQUEST_ID_CHARS_MAX: usize = 64;

tokio::task_local! {
    static CURRENT_ID: String;
}

/// The id of the request this task works for; empty outside a request.
pub(crate) fn current_id() -> String {
    CURRENT_ID.try_with(Clone::clone).unwrap_or_default()
}

/// Wraps every request.
pub(crate) async fn wrap(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = request_id(request.headers());
    CURRENT_ID.scope(id.clone(), answer(request, next, id)).await
}

async fn answer(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    id: String,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let mut request = request;
    let method = request.method().clone();
    if method == Method::HEAD {
        // Answered as GET is; the server sends no body.
        request.head_mut().method = Method::GET;
    }
    let mut response = next.call(request).await?.map_into_boxed_body();
    log_cause(&response, &id);
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    if is_error && response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != PROBLEM_JSON) {
        let problem = Problem::of_status(response.status());
        response = response.into_response(problem.response());
    }
    let is_api = response.request().path().starts_with("/api");
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_api {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let request = response.request();
    let profile_id = request.extensions().get::<Caller>().map(|caller| caller.profile_id.0);
    let (method, route, status) = (method.as_str(), request.match_pattern(), response.status().as_u16());
    let taken = started.elapsed();
    if let Some(service) = request.app_data::<Data<Service>>() {
        service.metrics.request(method, route.as_deref(), status, taken);
    }
    let profile = profile_id.map_or("-".to_string(), |id| id.to_string());
    let (route, milliseconds) = (route.as_deref().unwrap_or("-"), taken.as_millis());
    log::info!(
        method,
        route,
        status,
        milliseconds = u64::try_from(milliseconds).unwrap_or(u64::MAX),
        request_id = id.as_str(),
        profile_id;
        "{method} {route} {status} {milliseconds} ms request {id} profile {profile}"
    );
    Ok(response)
}

/// Logs why a request failed, where that is not the client's doing: an error's causes are told here, once.
fn log_cause(response: &ServiceResponse<BoxBody>, id: &str) {
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    if let Some(cause) = problem.and_then(Problem::cause) {
        let level = if response.status() == StatusCode::SERVICE_UNAVAILABLE { Level::Warn } else { Level::Error };
        log::log!(level, "request {id}: {}", Chain(cause));
    }
}

/// The caller's request id if it is sane, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|id| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_CHARS_MAX
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    });
    given.map_or_else(new_id, str::to_string)
}

fn new_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    // Each RandomState is keyed anew: unique enough for an id that only has to be found in a log.
    let part = || RandomState::new().hash_one(Instant::now());
    format!("{:016x}{:016x}", part(), part())
}
