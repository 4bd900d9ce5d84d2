//! `/api/auth/sessions`: the logins of a member, and how a device renews its own.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{delete, get, post};
use finance_domain::sessions::{Remember, Session};
use finance_domain::use_cases::sessions::{self, Presented, Renewal};
use finance_domain::{Error, FieldErrors, SessionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::authenticator;
use crate::devices::{DeviceToken, Remembered};
use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::browser::Browser;
use crate::extract::json::Field;
use crate::middleware::real_ip::ClientAddress;
use crate::problem::{Problem, Reply};
use crate::routes::auth::{AUDIT, TokenView, answer, log_failure};
use crate::service::Shared;
use crate::views::{InstantView, no_content};

/// The device whose login is renewed.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RenewBody {
    /// The last `device_token` of the device. A browser sends the cookie instead.
    #[schema(value_type = Option<String>, example = "fin_dev_2Yk0cT8m3a1W9xJqZ4vB7wq3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    device_token: Field<String>,
    /// If the answer is `ErrSecondFactorRequired`: six digits from the authenticator, or a recovery code. Each works once.
    #[schema(value_type = Option<String>, example = json!(null))]
    code: Field<String>,
}

/// A login of the member that is still valid.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    id: i64,
    /// The instant of the login.
    created_at: InstantView,
    /// The instant from which it is refused.
    expires_at: InstantView,
    /// The `User-Agent` that the client sent at the login; null if it sent none.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")]
    client: Option<String>,
    /// Whether it is the session of this request.
    current: bool,
    /// The instant from which its device no longer renews the login; null if it has no device.
    device_expires_at: Option<InstantView>,
    /// The instant of the last renewal; null if there was none.
    renewed_at: Option<InstantView>,
}

/// Renews the login of a device: a fresh token of the same session for another 24 hours, and a new secret of the device in the place
/// where the old one was. It needs no token. If no answer arrives, the same secret may be sent again. Once a later secret was sent, an
/// older one ends the session, because then someone else has a copy of it.
#[utoipa::path(tag = "auth", security(()), request_body = RenewBody,
    responses((status = 200, body = TokenView),
        (status = 401, description = "`ErrUnauthenticated`, `ErrSecondFactorRequired`, `ErrInvalidCredentials` for a wrong code"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/renew")]
pub(crate) async fn renew(service: Shared, address: ClientAddress, browser: Browser, body: Body<RenewBody>) -> Reply {
    let mut errors = FieldErrors::default();
    let given = body.value.device_token.take("device_token", &mut errors);
    let code = body.value.code.take("code", &mut errors);
    errors.into_result()?;
    let is_https = browser.is_https;
    let (how, text) = match given {
        Some(text) => (Remember::Token, text),
        None => (Remember::Cookie, browser.device().ok_or_else(Problem::unauthenticated)?),
    };
    let token = DeviceToken::parse(&text).ok_or_else(Problem::unauthenticated)?;
    let now = service.clock.now();
    let presented = Presented {
        selector: token.selector(),
        secret: token.secret,
        code: code.map(|code| authenticator::judge(code, now)),
        address: address.counted(),
    };
    let renewal = service.with_store(address.requester(), move |store| sessions::renew(store, presented, now)).await;
    match renewal {
        Ok(Renewal::Renewed(logged_in, secret)) => {
            let token = token.with(secret);
            answer(&service, StatusCode::OK, *logged_in, Some(Remembered { how, token }), is_https)
        }
        Ok(Renewal::Refused) => Err(Problem::unauthenticated()),
        Ok(Renewal::Reused(profile_id)) => {
            let from = address.text();
            log::warn!(target: AUDIT, "device token reused: a session of profile {profile_id} was ended, from {from}");
            Err(Problem::unauthenticated())
        }
        Err(error) => {
            if matches!(error, Error::InvalidCredentials) {
                log_failure(None, address);
            }
            Err(error.into())
        }
    }
}

/// The logins of the member that are still valid or can be renewed, newest first: at most 50. A login from before the service stored sessions is
/// not listed.
#[utoipa::path(tag = "auth", responses((status = 200, body = [SessionView])))]
#[get("/api/auth/sessions")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<SessionView>>> {
    let now = service.clock.now();
    let listed = service.read(user.caller, move |repo| sessions::list(repo, now)).await?;
    let view = |session: Session| SessionView {
        id: session.id.0,
        created_at: InstantView(session.created_at),
        expires_at: InstantView(session.expires_at),
        client: session.client,
        current: Some(session.id) == user.session,
        device_expires_at: session.device_expires_at.map(InstantView),
        renewed_at: session.renewed_at.map(InstantView),
    };
    Ok(Json(listed.into_iter().map(view).collect()))
}

/// Ends one session of the member. From then on its tokens and its device are refused, on every node. Tokens that the member made
/// stay.
#[utoipa::path(tag = "auth", responses((status = 204)))]
#[delete("/api/auth/sessions/{id}")]
pub(crate) async fn end(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let (id, now) = (SessionId(*id), service.clock.now());
    service.write(user.caller, move |repo| sessions::end(repo, id, now)).await?;
    log::info!(target: AUDIT, "a session of a member of profile {} was ended", user.caller.profile_id);
    Ok(no_content())
}

/// Ends every session of the member, this one too. From then on, every earlier login is refused, on all devices. The invitations that
/// the member made are withdrawn. Tokens stay.
#[utoipa::path(tag = "auth", responses((status = 204)))]
#[delete("/api/auth/sessions")]
pub(crate) async fn end_all(service: Shared, user: Authenticated) -> Reply {
    service.write(user.caller, sessions::end_all).await?;
    log::info!(target: AUDIT, "all sessions of a member of profile {} were ended", user.caller.profile_id);
    Ok(no_content())
}
