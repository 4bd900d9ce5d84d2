//! `/calendar.ics`: due items, for the calendar of a phone.

mod icalendar;

use actix_web::http::header::{CACHE_CONTROL, ETAG, EntityTag, Header, IF_NONE_MATCH, IfNoneMatch};
use actix_web::{HttpMessage, HttpRequest, HttpResponse, get};
use finance_domain::credentials::Need;
use finance_domain::use_cases::calendar;
use finance_domain::{Caller, FieldErrors, Violation};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

use crate::extract::query::{Param, Params};
use crate::middleware::real_ip::ClientAddress;
use crate::problem::{Problem, Reply};
use crate::service::{Service, Shared};

/// Which calendar to return, and whether with amounts.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CalendarQuery {
    /// A token with the scope `calendar`. Calendar programs send no headers, so it is in the address, which is never logged.
    #[param(value_type = String)]
    token: Param,
    /// `1` to include amounts; otherwise they are left out.
    #[param(value_type = Option<String>, pattern = "^[01]$", example = "1")]
    amounts: Param,
}

/// The items that are due from a month ago to twelve months ahead, as all-day events (RFC 5545): unpaid card bills with an amount
/// due, held statements on their payment dates, and recurring items that are pending or late. A client that sends the `ETag` as
/// `If-None-Match` gets 304 if nothing has changed.
#[utoipa::path(tag = "calendar", params(CalendarQuery), responses(
    (status = 200, body = String, content_type = "text/calendar")))]
#[get("/calendar.ics")]
pub(crate) async fn read(
    service: Shared,
    request: HttpRequest,
    address: ClientAddress,
    query: Params<CalendarQuery>,
) -> Reply {
    let CalendarQuery { token, amounts } = query.value;
    let token = token.text().ok_or_else(Problem::unauthenticated)?;
    let caller = service.caller_by_token(&token, Need::Calendar, address.requester()).await?;
    request.extensions_mut().insert(caller);
    let answered = answer(&service, caller, &request, amounts).await;
    let status = answered.as_ref().map_or_else(Problem::status, HttpResponse::status);
    service.note_use(&caller, status).await;
    answered
}

async fn answer(service: &Service, caller: Caller, request: &HttpRequest, amounts: Param) -> Reply {
    let context = service.context();
    let today = context.today;
    let entries = service.read_today(caller, move |repo| calendar::read(repo, &context)).await?;
    let mut errors = FieldErrors::default();
    let amounts = amounts.read("amounts", &mut errors, |text| match text {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(Violation::not_one_of(&["0", "1"])),
    });
    errors.into_result()?;
    let body = icalendar::write(caller.profile_id, today, &entries, amounts.unwrap_or(false));
    let tag = EntityTag::new_strong(hexadecimal(&Sha256::digest(&body)));
    let mut response = if is_known(request, &tag) { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((ETAG, tag.to_string())).insert_header((CACHE_CONTROL, "private, no-cache"));
    if is_known(request, &tag) {
        return Ok(response.finish());
    }
    Ok(response.content_type("text/calendar; charset=utf-8").body(body))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the client already has the response with this tag.
fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    if !request.headers().contains_key(IF_NONE_MATCH) {
        return false;
    }
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}
