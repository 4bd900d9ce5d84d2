//! Authentication: `/mcp` and every route under `/api` require a credential, except the routes that issue one and the OpenAPI
//! document.
//!
//! Whether a credential is valid for its profile and sufficient is checked when the transaction of the request begins. A
//! request that fails before that, such as one with an unreadable body, is checked here, so that it is refused before any other
//! error is reported.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpResponse};
use finance_domain::credentials::Need;
use finance_domain::{Caller, SessionId};

use crate::changes;
use crate::devices;
use crate::entity_tags::{self, Answer};
use crate::middleware::real_ip;
use crate::openapi;
use crate::problem::Problem;
use crate::routes::mcp;
use crate::secrets::SecretKind;
use crate::service::Service;

/// The routes under `/api` without a credential.
pub(crate) const PUBLIC: [&str; 4] = ["/api/auth/login", "/api/auth/accept", devices::RENEW_PATH, "/api/openapi.json"];

/// Refuses requests without a credential, whether the route exists or not, and determines what the route requires of it.
pub(crate) async fn require_credential(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // The path without escapes, as the router matches it.
    let path = request.match_info().as_str();
    let is_protected = path == "/api" || path.starts_with("/api/") || path == mcp::PATH;
    if !is_protected || PUBLIC.contains(&path) {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    let Some(service) = request.app_data::<Data<Service>>().cloned() else {
        return Ok(request.into_response(Problem::unauthenticated().response()));
    };
    let need = openapi::need(request.method(), path);
    let (caller, session) = match caller(&request, &service, need).await {
        Ok(shown) => shown,
        Err(problem) => return Ok(request.into_response(problem.response())),
    };
    request.extensions_mut().insert(caller);
    if let Some(session) = session {
        request.extensions_mut().insert(session);
    }
    let recorded = changes::Recorded::of(&request);
    if request.method() == Method::GET && request.match_pattern().is_some_and(|route| entity_tags::is_tagged(&route)) {
        let response = answer_tagged(request, next, &service, caller);
        let (response, change) = changes::scope(recorded, response).await;
        let mut response = response?;
        changes::add(response.headers_mut(), change);
        service.note_use(&caller, response.status()).await;
        return Ok(response);
    }
    let (response, change) = changes::scope(recorded, next.call(request)).await;
    let mut response = response?.map_into_boxed_body();
    changes::add(response.headers_mut(), change);
    response = checked(response, &service, caller).await;
    service.note_use(&caller, response.status()).await;
    Ok(response)
}

/// Answers a GET with a tag, or with 304 if the client has sent the current tag. The round trip for a tag that was sent proves the
/// caller.
async fn answer_tagged(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    service: &Service,
    caller: Caller,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut target = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    if request.match_pattern().is_some_and(|route| entity_tags::shows_changes(&route)) {
        match service.history_mark(caller).await {
            Ok(mark) => target = format!("{target} {mark}"),
            Err(error) => return Ok(request.into_response(Problem::from(error).response())),
        }
    }
    let mut known = Answer::Unknown;
    if entity_tags::is_asked(request.headers()) {
        let last = match service.last_write(caller).await {
            Ok(last) => last,
            Err(error) => return Ok(request.into_response(Problem::from(error).response())),
        };
        let tag = service.tag(&caller, &last, &target);
        if entity_tags::is_known(request.headers(), &tag) {
            let mut unchanged = request.into_response(HttpResponse::NotModified().finish());
            entity_tags::add(unchanged.headers_mut(), &tag);
            return Ok(unchanged);
        }
        known = Answer::After(last);
    }
    let is_proved = known != Answer::Unknown;
    let is_any_known = entity_tags::is_any_known(request.headers());
    let (response, answer) = entity_tags::scope(known, next.call(request)).await;
    let mut response = response?.map_into_boxed_body();
    if response.status() == StatusCode::OK {
        let tag = match answer {
            Answer::After(last) => service.tag(&caller, &last, &target),
            Answer::Unknown | Answer::Passing => entity_tags::passing(),
        };
        if is_any_known {
            response = response.into_response(HttpResponse::NotModified().finish());
        }
        entity_tags::add(response.headers_mut(), &tag);
    } else if !is_proved {
        response = checked(response, service, caller).await;
    }
    Ok(response)
}

/// The answer, or the refusal of a caller that was not proved before the request failed.
async fn checked(response: ServiceResponse<BoxBody>, service: &Service, caller: Caller) -> ServiceResponse<BoxBody> {
    if may_precede_the_check(response.status())
        && let Err(refusal) = service.check(caller).await
    {
        return response.into_response(Problem::from(refusal).response());
    }
    response
}

/// Whether a request that fails with the status may not have begun a transaction.
fn may_precede_the_check(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY
    )
}

/// The caller and, if the credential belongs to one, the session of the login.
async fn caller(
    request: &ServiceRequest,
    service: &Service,
    need: Need,
) -> Result<(Caller, Option<SessionId>), Problem> {
    let text = bearer(request).ok_or_else(Problem::unauthenticated)?;
    if SecretKind::Token.hash_of(text).is_some() {
        let caller = service.caller_by_token(text, need, real_ip::client(request.request()).requester()).await?;
        return Ok((caller, None));
    }
    let (login, session) = service.tokens.caller(text, service.clock.now()).ok_or_else(Problem::unauthenticated)?;
    Ok((Caller { need, ..login }.in_session(session), session))
}

fn bearer(request: &ServiceRequest) -> Option<&str> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
