//! `/api/auth` and `/api/logout`: passwords in, tokens out.

use actix_web::web::{Data, Json};
use actix_web::{HttpResponse, get, post};
use finance_domain::profiles::{self, Credential, Profile};
use finance_domain::{Error, FieldErrors, ProfileId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::addresses::ClientAddress;
use crate::authentication::Authenticated;
use crate::body::{Body, Field};
use crate::passwords;
use crate::problems::Problem;
use crate::service::Service;
use crate::views::{InstantView, no_content};

/// Failed attempts for one name from one address before the next is not judged.
const FAILURES_MAX: u32 = 10;
/// The log's target for who came in, who did not, and what was done to a user as a whole.
pub const AUDIT: &str = "finance::audit";

/// Who logs in.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LoginBody {
    #[schema(value_type = String, example = "ana")]
    name: Field<String>,
    #[schema(value_type = String, format = Password, example = "correct horse")]
    password: Field<String>,
}

/// The present password and the one to come.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePasswordBody {
    #[schema(value_type = String, format = Password, example = "correct horse")]
    current_password: Field<String>,
    /// 8 characters to 72 bytes.
    #[schema(value_type = String, format = Password, min_length = 8, max_length = 72, example = "battery staple")]
    new_password: Field<String>,
}

/// A token and whose it is.
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    /// To send as `Authorization: Bearer …`.
    token: String,
    #[schema(example = "Bearer")]
    token_type: &'static str,
    expires_at: InstantView,
    profile: TokenProfileView,
}

/// Whose a token is.
#[derive(Serialize, ToSchema)]
#[schema(as = TokenProfile)]
struct TokenProfileView {
    id: i64,
    name: String,
}

/// A profile.
#[derive(Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct ProfileView {
    id: i64,
    #[schema(example = "ana")]
    name: String,
    created_at: InstantView,
}

impl From<Profile> for ProfileView {
    fn from(profile: Profile) -> Self {
        ProfileView { id: profile.id.0, name: profile.name, created_at: InstantView(profile.created_at) }
    }
}

/// Exchanges a name and a password for a token.
#[utoipa::path(tag = "auth", security(()), request_body = LoginBody,
    responses((status = 200, body = TokenView), (status = 401, description = "`ErrInvalidCredentials`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/login")]
pub(crate) async fn login(
    service: Data<Service>,
    address: ClientAddress,
    body: Body<LoginBody>,
) -> Result<Json<TokenView>, Problem> {
    let mut errors = FieldErrors::default();
    let name = body.0.name.take("name", &mut errors);
    let name = errors.require("name", name).unwrap_or_default();
    let password = body.0.password.take("password", &mut errors);
    let password = errors.require("password", password).unwrap_or_default();
    errors.into_result()?;
    refuse_after_failures(&service, &name, address).await?;
    let asked = name.clone();
    let credential = service.ask_store(move |store| store.credential_by_name(&asked)).await?;
    let hash = credential.as_ref().map(|credential| credential.password_hash.clone());
    let matches = service.with_password(move || passwords::verify(&password, hash.as_deref())).await?;
    match credential {
        Some(credential) if matches => {
            log::info!(target: AUDIT, "login of profile {} from {}", credential.profile.id, address.text());
            token(&service, credential)
        }
        known => Err(count_failure(&service, name, known.map(|known| known.profile.id), address).await),
    }
}

/// The caller's profile.
#[utoipa::path(tag = "auth", responses((status = 200, body = ProfileView)))]
#[get("/api/auth/me")]
pub(crate) async fn me(service: Data<Service>, caller: Authenticated) -> Result<Json<ProfileView>, Problem> {
    Ok(Json(service.read(caller.0, profiles::get).await?.into()))
}

/// Changes the password; every older token of the profile is refused from then on.
#[utoipa::path(tag = "auth", request_body = ChangePasswordBody,
    responses((status = 200, body = TokenView), (status = 401, description = "`ErrInvalidCredentials`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/change-password")]
pub(crate) async fn change_password(
    service: Data<Service>,
    caller: Authenticated,
    address: ClientAddress,
    body: Body<ChangePasswordBody>,
) -> Result<Json<TokenView>, Problem> {
    let mut errors = FieldErrors::default();
    let current = body.0.current_password.take("current_password", &mut errors);
    let current = errors.require("current_password", current).unwrap_or_default();
    let new = body.0.new_password.take("new_password", &mut errors);
    let new = errors.require("new_password", new).unwrap_or_default();
    errors.check("new_password", profiles::password(&new));
    errors.into_result()?;
    let credential = service.read(caller.0, |repo| repo.credential()).await?;
    let Profile { id, name, .. } = credential.profile;
    refuse_after_failures(&service, &name, address).await?;
    let known = credential.password_hash;
    if !service.with_password(move || passwords::verify(&current, Some(&known))).await? {
        return Err(count_failure(&service, name, Some(id), address).await);
    }
    let hash = service.with_password(move || passwords::hash(&new)).await?;
    let credential = service.write(caller.0, move |repo| repo.credential_replace(&hash)).await?;
    log::info!(target: AUDIT, "password change of profile {id} from {}", address.text());
    token(&service, credential)
}

/// Ends a session: the client discards its token.
#[utoipa::path(tag = "auth", responses((status = 204)))]
#[post("/api/logout")]
pub(crate) async fn logout(service: Data<Service>, caller: Authenticated) -> Result<HttpResponse, Problem> {
    service.read(caller.0, |_| Ok(())).await?;
    Ok(no_content())
}

fn token(service: &Service, credential: Credential) -> Result<Json<TokenView>, Problem> {
    let (token, expires_at) = service.tokens.issue(&credential, service.clock.now())?;
    let Profile { id, name, .. } = credential.profile;
    let profile = TokenProfileView { id: id.0, name };
    Ok(Json(TokenView { token, token_type: "Bearer", expires_at: InstantView(expires_at), profile }))
}

async fn refuse_after_failures(service: &Service, name: &str, address: ClientAddress) -> Result<(), Problem> {
    let (name, address) = (name.to_string(), address.counted());
    let failures = service.ask_store(move |store| store.login_failures(&name, &address)).await?;
    if failures.count >= FAILURES_MAX { Err(too_many(failures.window_seconds)) } else { Ok(()) }
}

/// Counts a failure. Attempts judged at the same moment are counted one by one, so that no more than
/// the limit ever learn that they were wrong.
async fn count_failure(service: &Service, name: String, known: Option<ProfileId>, address: ClientAddress) -> Problem {
    // The name is not logged: people type passwords there.
    let profile_id = known.map_or_else(|| "-".to_string(), |id| id.to_string());
    log::warn!(target: AUDIT, "failed login of profile {profile_id} from {}", address.text());
    let address = address.counted();
    match service.ask_store(move |store| store.login_failed(&name, &address)).await {
        Ok(failures) if failures.count > FAILURES_MAX => too_many(failures.window_seconds),
        Ok(_) => Error::InvalidCredentials.into(),
        Err(problem) => problem,
    }
}

fn too_many(window_seconds: u64) -> Problem {
    Error::TooManyAttempts { retry_after_seconds: window_seconds.max(1) }.into()
}
