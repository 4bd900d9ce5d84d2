//! `/api/auth` and `/api/logout`: exchange passwords and invitations for tokens.

use actix_web::http::StatusCode;
use actix_web::http::header::SET_COOKIE;
use actix_web::web::Json;
use actix_web::{HttpResponse, HttpResponseBuilder, get, post};
use finance_domain::credentials::{Need, Role};
use finance_domain::members::Member;
use finance_domain::profiles::password;
use finance_domain::sessions::{LOGIN_HOURS, LoggedIn, NewSession, Remember};
use finance_domain::text;
use finance_domain::use_cases::login::Login;
use finance_domain::use_cases::members::Acceptance;
use finance_domain::use_cases::{self, members};
use finance_domain::{Caller, Error, FieldErrors, ProfileId, Proof, Repo, Store};
use serde::{Deserialize, Serialize};
use time::Duration;
use utoipa::ToSchema;

use crate::authenticator;
use crate::devices::{self, Remembered};
use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::browser::Browser;
use crate::extract::json::Field;
use crate::extract::user_agent::UserAgent;
use crate::middleware::real_ip::ClientAddress;
use crate::passwords;
use crate::problem::{Problem, Reply};
use crate::secrets::SecretKind;
use crate::service::{Service, Shared};
use crate::views::{DateView, InstantView, no_content};
use crate::words::WordView;

/// The log target for logins, failed logins, and operations on a user as a whole.
pub const AUDIT: &str = "finance::audit";

/// Login credentials.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LoginBody {
    #[schema(value_type = String, example = "ana")]
    name: Field<String>,
    #[schema(value_type = String, format = Password, example = "correct horse")]
    password: Field<String>,
    /// If the member has a second factor: six digits from the authenticator, or a recovery code. Each works once.
    #[schema(value_type = Option<String>, example = json!(null))]
    code: Field<String>,
    /// Asks for a device that renews the login for 90 days. If absent or null, the login lasts 24 hours.
    #[schema(value_type = Option<RememberView>, example = json!(null))]
    remember: Field<Remember>,
}

/// An invitation, and the login of the person who accepts it.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AcceptBody {
    /// The `invitation` that `POST /api/members/invitations` or `POST /api/members/{id}/password-link` returned, or that is in the
    /// link of a command.
    #[schema(value_type = String, example = "inv_q3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    invitation: Field<String>,
    /// 1 to 100 characters, unique among the users of the service regardless of case. Required of a new member; a link for a
    /// password ignores it.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100, example = "bia")]
    name: Field<String>,
    /// At least 8 characters, at most 72 bytes.
    #[schema(value_type = String, format = Password, min_length = 8, max_length = 72, example = "battery staple")]
    password: Field<String>,
    /// For a link for a password, if the member has a second factor: as in a login.
    #[schema(value_type = Option<String>, example = json!(null))]
    code: Field<String>,
    /// As in a login.
    #[schema(value_type = Option<RememberView>, example = json!(null))]
    remember: Field<Remember>,
}

/// The current and the new password.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordBody {
    #[schema(value_type = String, format = Password, example = "correct horse")]
    current_password: Field<String>,
    /// At least 8 characters, at most 72 bytes.
    #[schema(value_type = String, format = Password, min_length = 8, max_length = 72, example = "battery staple")]
    new_password: Field<String>,
    /// As in a login.
    #[schema(value_type = Option<RememberView>, example = json!(null))]
    remember: Field<Remember>,
}

/// An access token and its profile.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    /// Send it as `Authorization: Bearer …`.
    token: String,
    #[schema(example = "Bearer")]
    token_type: &'static str,
    expires_at: InstantView,
    profile: TokenProfileView,
    /// What `POST /api/auth/renew` takes next. It is shown only once, to clients that asked for a device with `remember: "token"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "fin_dev_2Yk0cT8m3a1W9xJqZ4vB7wq3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    device_token: Option<String>,
    /// The instant from which the device no longer renews the login. Only if the session has a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    device_expires_at: Option<InstantView>,
}

/// The profile of a token.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenProfile)]
struct TokenProfileView {
    id: i64,
    /// The name of the member who logged in.
    name: String,
}

pub(crate) type RoleView = WordView<Role>;
pub(crate) type RememberView = WordView<Remember>;

/// The caller's profile, the caller's member, and what a client must know about the service.
#[derive(Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct ProfileView {
    /// The profile's id.
    id: i64,
    /// The name of the member who logged in, or who made the token.
    #[schema(example = "ana")]
    name: String,
    /// Since when the member has access to the profile.
    created_at: InstantView,
    role: RoleView,
    member_id: i64,
    /// Whether the member's login takes a code in addition to the password.
    second_factor: bool,
    /// The service's present date, regardless of the client's time zone.
    today: DateView,
    /// The maximum size of an uploaded statement, in bytes.
    #[schema(example = 10_485_760)]
    upload_bytes_max: usize,
}

/// Exchanges a name and a password for a token, with a code if the member has a second factor. The answer to a correct password
/// without a code is `ErrSecondFactorRequired`. A wrong code is a failed login.
#[utoipa::path(tag = "auth", security(()), request_body = LoginBody,
    responses((status = 200, body = TokenView), (status = 401, description = "`ErrInvalidCredentials`, `ErrSecondFactorRequired`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/login")]
pub(crate) async fn login(
    service: Shared,
    address: ClientAddress,
    agent: UserAgent,
    browser: Browser,
    body: Body<LoginBody>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let name = body.value.name.take("name", &mut errors);
    let name = errors.require("name", name).unwrap_or_default();
    let password = body.value.password.take("password", &mut errors);
    let password = errors.require("password", password).unwrap_or_default();
    let code = body.value.code.take("code", &mut errors);
    let remember = body.value.remember.take("remember", &mut errors);
    errors.into_result()?;
    let now = service.clock.now();
    let code = code.map(|code| authenticator::judge(code, now));
    let matches = move |hash: Option<&str>| passwords::verify(&password, hash);
    let counted = address.counted();
    let mut session = NewSession::new(now, agent.0.as_deref());
    let remembered = Remembered::begin(remember, &mut session, now)?;
    let work = move |store: &dyn Store| use_cases::login::log_in(store, &name, &counted, matches, code, &session);
    match service.with_password(address.requester(), work).await? {
        Login::Succeeded(logged_in) => {
            let profile_id = logged_in.credential.member.profile_id;
            log::info!(target: AUDIT, "login of profile {profile_id} from {}", address.text());
            answer(&service, StatusCode::OK, *logged_in, remembered, browser.is_https)
        }
        Login::Failed(known) => {
            log_failure(known, address);
            Err(Error::InvalidCredentials.into())
        }
    }
}

/// The caller's profile, today's date, and the upload limit.
#[utoipa::path(tag = "auth", responses((status = 200, body = ProfileView)))]
#[get("/api/auth/me")]
pub(crate) async fn me(service: Shared, user: Authenticated) -> Reply<Json<ProfileView>> {
    let today = DateView(service.clock.today());
    let credential = service.read(user.caller, members::credential).await?;
    let second_factor = credential.factor_in_effect().is_some();
    let member = credential.member;
    Ok(Json(ProfileView {
        id: member.profile_id.0,
        name: member.name,
        created_at: InstantView(member.created_at),
        role: member.role.into(),
        member_id: member.id.0,
        second_factor,
        today,
        upload_bytes_max: service.upload_bytes_max,
    }))
}

/// Makes the holder of an invitation a member, and logs in. A link for a password sets the password of its member instead, and ends the
/// member's older logins, devices and tokens. Each can be accepted once. A refusal leaves it open.
#[utoipa::path(tag = "auth", security(()), request_body = AcceptBody,
    responses((status = 201, body = TokenView),
        (status = 401, description = "`ErrInvitationInvalid`; of a link also `ErrSecondFactorRequired`, `ErrInvalidCredentials` for a wrong code"),
        (status = 409, description = "`ErrNameTaken`, `ErrLimitReached`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/accept")]
pub(crate) async fn accept(
    service: Shared,
    address: ClientAddress,
    agent: UserAgent,
    browser: Browser,
    body: Body<AcceptBody>,
) -> Reply {
    let body = body.value;
    let mut errors = FieldErrors::default();
    let invitation = body.invitation.take("invitation", &mut errors);
    let has_invitation = invitation.is_some();
    let invitation = errors.require("invitation", invitation).unwrap_or_default();
    let new = body.password.take("password", &mut errors);
    let new = errors.require("password", new).unwrap_or_default();
    errors.check("password", password(&new));
    let code = body.code.take("code", &mut errors);
    let remember = body.remember.take("remember", &mut errors);
    // A link for a password takes no name.
    let link = errors.clone().into_result();
    let name = body.name.take("name", &mut errors);
    let name =
        errors.require("name", name).and_then(|name| errors.check("name", text::name(&name))).unwrap_or_default();
    let name = errors.into_result().map(|()| name);
    if !has_invitation {
        name?;
        return Err(Error::InvitationInvalid.into());
    }
    let hash = SecretKind::Invitation.hash_of(&invitation).ok_or(Error::InvitationInvalid)?;
    let profile_id = service.profile_of_secret(hash, address.requester()).await?.ok_or(Error::InvitationInvalid)?;
    let now = service.clock.now();
    let mut session = NewSession::new(now, agent.0.as_deref());
    let remembered = Remembered::begin(remember, &mut session, now)?;
    let caller = Caller { profile_id, proof: Proof::Invitation { hash, now }, need: Need::Any };
    let acceptance = Acceptance {
        hash,
        name,
        link,
        code: code.map(|code| authenticator::judge(code, now)),
        address: address.counted(),
        session,
        hash_password: move || passwords::hash(&new),
    };
    let accept = move |repo: &mut dyn Repo| members::accept(repo, acceptance);
    let accepted = service.flow(caller, accept).await.map_err(|error| match error {
        // The invitation no longer gives access.
        Error::Unauthenticated => Error::InvitationInvalid,
        error => error,
    });
    if matches!(accepted, Err(Error::InvalidCredentials)) {
        log_failure(Some(profile_id), address);
    }
    let logged_in = accepted?;
    log::info!(target: AUDIT, "an invitation to profile {profile_id} was accepted from {}", address.text());
    answer(&service, StatusCode::CREATED, logged_in, remembered, browser.is_https)
}

/// Changes the password. Every older login of the member, and every token and invitation that the member made, is refused from then
/// on. A wrong current password is a field error, and counts as a failed login.
#[utoipa::path(tag = "auth", request_body = ChangePasswordBody,
    responses((status = 200, body = TokenView),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/change-password")]
pub(crate) async fn change_password(
    service: Shared,
    user: Authenticated,
    address: ClientAddress,
    agent: UserAgent,
    browser: Browser,
    body: Body<ChangePasswordBody>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let current = body.value.current_password.take("current_password", &mut errors);
    let current = errors.require("current_password", current).unwrap_or_default();
    let new = body.value.new_password.take("new_password", &mut errors);
    let new = errors.require("new_password", new).unwrap_or_default();
    errors.check("new_password", password(&new));
    let remember = body.value.remember.take("remember", &mut errors);
    errors.into_result()?;
    let (id, counted) = (user.caller.profile_id, address.counted());
    let matches = move |hash: Option<&str>| {
        let matches = passwords::verify(&current, hash)?;
        if !matches {
            log_failure(Some(id), address);
        }
        Ok(matches)
    };
    let now = service.clock.now();
    let mut session = NewSession::new(now, agent.0.as_deref());
    let remembered = Remembered::begin(remember, &mut session, now)?;
    let begin = move |repo: &mut dyn Repo| {
        use_cases::login::change_password(repo, counted, matches, move || passwords::hash(&new), session)
    };
    let logged_in = service.flow(user.caller, begin).await?;
    log::info!(target: AUDIT, "password change of profile {id} from {}", address.text());
    answer(&service, StatusCode::OK, logged_in, remembered, browser.is_https)
}

/// Ends a session: it is no longer listed, and its device renews nothing. The client discards its token, which stays valid until it
/// expires; `DELETE /api/auth/sessions/{id}` refuses that too.
#[utoipa::path(tag = "auth", responses((status = 204)))]
#[post("/api/logout")]
pub(crate) async fn logout(service: Shared, user: Authenticated) -> Reply {
    service.read(user.caller, |_| Ok(())).await?;
    if let Some(session) = user.session
        && service.forget_session(user.caller, session).await?
    {
        return Ok(HttpResponse::NoContent().insert_header((SET_COOKIE, devices::no_cookie())).finish());
    }
    Ok(no_content())
}

/// The answer to a member who has logged in, or whose login was renewed. `is_https` says how the browser keeps the cookie.
pub(crate) fn answer(
    service: &Service,
    status: StatusCode,
    logged_in: LoggedIn,
    remembered: Option<Remembered>,
    is_https: bool,
) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::build(status);
    let view = remember(&mut response, token(service, logged_in)?, remembered, is_https);
    Ok(response.json(view))
}

/// Puts the device, if there is one, where the client keeps it: into the view, or into a cookie of the response.
pub(crate) fn remember(
    response: &mut HttpResponseBuilder,
    view: TokenView,
    remembered: Option<Remembered>,
    is_https: bool,
) -> TokenView {
    match remembered {
        Some(Remembered { how: Remember::Token, token }) => TokenView { device_token: Some(token.text()), ..view },
        Some(Remembered { how: Remember::Cookie, token }) => {
            response.insert_header((SET_COOKIE, devices::cookie(&token, is_https)));
            view
        }
        None => view,
    }
}

/// The token of a member who has logged in.
pub(crate) fn token(service: &Service, LoggedIn { credential, session }: LoggedIn) -> Result<TokenView, Problem> {
    let issued_at = session.expires_at - Duration::hours(LOGIN_HOURS);
    let (token, expires_at) = service.tokens.issue(&credential, Some(session.id), issued_at)?;
    let Member { profile_id, name, .. } = credential.member;
    Ok(TokenView {
        token,
        token_type: "Bearer",
        expires_at: InstantView(expires_at),
        profile: TokenProfileView { id: profile_id.0, name },
        device_token: None,
        device_expires_at: session.device_expires_at.map(InstantView),
    })
}

/// The name is not logged, because people type passwords in that field.
pub(crate) fn log_failure(known: Option<ProfileId>, address: ClientAddress) {
    let profile_id = known.map_or_else(|| "-".to_string(), |id| id.to_string());
    log::warn!(target: AUDIT, "failed login of profile {profile_id} from {}", address.text());
}
