//! The outermost middleware: the request's id and date, one line in the log, security headers, and the format of errors.

use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage};
use finance_domain::Caller;
use finance_domain::error::Chain;
use log::Level;

use crate::problem::{PROBLEM_JSON, Problem};
use crate::request_clock;
use crate::request_id::{self, REQUEST_ID};
use crate::routes::mcp;
use crate::service::Service;

/// Wraps every request.
pub(crate) async fn wrap(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let id = request_id::of(request.headers());
    request_id::scope(id.clone(), request_clock::scope(answer(request, next, id))).await
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
        // Handled as GET; the server sends no body.
        request.head_mut().method = Method::GET;
    }
    let mut response = next.call(request).await?.map_into_boxed_body();
    log_cause(&response, &id);
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let kind = response.headers().get(CONTENT_TYPE);
    // An error of the protocol of assistants is itself a message of that protocol.
    let is_message = response.request().path() == mcp::PATH && kind.is_some_and(|kind| kind == "application/json");
    if is_error && !is_message && kind.is_none_or(|kind| kind != PROBLEM_JSON) {
        let problem = Problem::of_status(response.status());
        response = response.into_response(problem.response());
    }
    let path = response.request().path();
    let is_api = path.starts_with("/api") || path == mcp::PATH;
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

/// Logs the cause of a failed request, unless it is the client's error. Causes are logged here only.
fn log_cause(response: &ServiceResponse<BoxBody>, id: &str) {
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    if let Some(cause) = problem.and_then(Problem::cause) {
        let level = if response.status() == StatusCode::SERVICE_UNAVAILABLE { Level::Warn } else { Level::Error };
        log::log!(level, "request {id}: {}", Chain(cause));
    }
}
