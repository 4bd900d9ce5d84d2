//! Authentication: every route under `/api` requires a token, except the login and the OpenAPI document.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage};
use finance_domain::Caller;

use crate::problem::Problem;
use crate::service::Service;

/// The routes under `/api` without a token.
pub(crate) const PUBLIC: [&str; 2] = ["/api/auth/login", "/api/openapi.json"];

/// Refuses requests without a valid token, whether the route exists or not.
pub(crate) async fn require_token(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let path = request.path();
    let is_api = path == "/api" || path.starts_with("/api/");
    if is_api && !PUBLIC.contains(&path) {
        let Some(caller) = caller(&request) else {
            return Ok(request.into_response(Problem::unauthenticated().response()));
        };
        request.extensions_mut().insert(caller);
    }
    Ok(next.call(request).await?.map_into_boxed_body())
}

fn caller(request: &ServiceRequest) -> Option<Caller> {
    let service = request.app_data::<Data<Service>>()?;
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    service.tokens.caller(token.trim(), service.clock.now())
}
