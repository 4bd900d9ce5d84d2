//! `/api/auth/second-factor`: authenticator codes in addition to the password.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, delete, post};
use finance_domain::sessions::{NewSession, Remember};
use finance_domain::use_cases::second_factor;
use finance_domain::{FieldErrors, ProfileId, Repo, Result as DomainResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::authenticator::{self, Enrolment};
use crate::devices::Remembered;
use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::browser::Browser;
use crate::extract::json::Field;
use crate::extract::user_agent::UserAgent;
use crate::middleware::real_ip::ClientAddress;
use crate::passwords;
use crate::problem::Reply;
use crate::routes::auth::{AUDIT, RememberView, TokenView, answer, log_failure, remember, token};
use crate::service::Shared;

/// A code that the authenticator shows.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SecondFactorBody {
    /// Six digits.
    #[schema(value_type = String, example = "287082")]
    code: Field<String>,
    /// As in a login.
    #[schema(value_type = Option<RememberView>, example = json!(null))]
    remember: Field<Remember>,
}

/// Proves that the member is the one who turns the second factor on or off.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SecondFactorPasswordBody {
    /// The current password.
    #[schema(value_type = String, format = Password, example = "correct horse")]
    password: Field<String>,
    /// As in a login, when the second factor is turned off.
    #[schema(value_type = Option<RememberView>, example = json!(null))]
    remember: Field<Remember>,
}

/// Compares a password with a hash.
type Matches = Box<dyn FnOnce(Option<&str>) -> DomainResult<bool> + Send>;

impl SecondFactorPasswordBody {
    /// Compares the password with a hash, and how a device is kept. A wrong password is logged as a failed login.
    fn into_match(self, id: ProfileId, address: ClientAddress) -> DomainResult<(Matches, Option<Remember>)> {
        let mut errors = FieldErrors::default();
        let password = self.password.take("password", &mut errors);
        let password = errors.require("password", password).unwrap_or_default();
        let remember = self.remember.take("remember", &mut errors);
        errors.into_result()?;
        let matches: Matches = Box::new(move |hash| {
            let matches = passwords::verify(&password, hash)?;
            if !matches {
                log_failure(Some(id), address);
            }
            Ok(matches)
        });
        Ok((matches, remember))
    }
}

/// The secret for an authenticator. It is shown only once.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactor)]
pub(crate) struct SecondFactorView {
    /// In base32, for typing.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// The same secret as an address, for codes with SHA-1, six digits and 30 seconds.
    #[schema(example = "otpauth://totp/Finance:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Finance")]
    otpauth: String,
    /// The address as a QR code: an SVG document with two paths.
    qr_svg: String,
}

impl From<Enrolment> for SecondFactorView {
    fn from(enrolment: Enrolment) -> Self {
        let Enrolment { secret, otpauth, qr_svg } = enrolment;
        SecondFactorView { secret, otpauth, qr_svg }
    }
}

/// A new login, and the codes for a login without the authenticator, if it is lost.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveryCodes)]
pub(crate) struct RecoveryCodesView {
    /// Ten codes. A login takes each of them once, in place of the authenticator's code. They are shown only once.
    #[schema(example = json!(["k7m2-p4xq-aaez-vw3d"]))]
    recovery_codes: Vec<String>,
    #[serde(flatten)]
    login: TokenView,
}

/// Draws a secret for the member's authenticator. It requires the current password, and a wrong one counts as a failed login. The
/// secret takes effect when a code confirms it. Until then, another call replaces it.
#[utoipa::path(tag = "auth", request_body = SecondFactorPasswordBody,
    responses((status = 201, body = SecondFactorView), (status = 409, description = "`ErrSecondFactorActive`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/second-factor")]
pub(crate) async fn begin(
    service: Shared,
    user: Authenticated,
    address: ClientAddress,
    body: Body<SecondFactorPasswordBody>,
) -> Reply {
    let (matches, _) = body.value.into_match(user.caller.profile_id, address)?;
    let (secret, counted) = (authenticator::draw_secret()?, address.counted());
    let begin = move |repo: &mut dyn Repo| second_factor::begin(repo, counted, matches, secret);
    let member = service.flow(user.caller, begin).await?;
    let enrolment = authenticator::enrolment(&secret, &member.name)?;
    Ok(HttpResponse::Created().json(SecondFactorView::from(enrolment)))
}

/// Turns the second factor on with one of its codes, and returns the recovery codes. From then on, a login takes a `code`. Every
/// earlier login of the member is refused, and the answer has a new one. The invitations that the member made are withdrawn. Wrong
/// codes count as failed logins.
#[utoipa::path(tag = "auth", request_body = SecondFactorBody,
    responses((status = 200, body = RecoveryCodesView),
        (status = 409, description = "`ErrSecondFactorMissing`, `ErrSecondFactorActive`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/second-factor/confirm")]
pub(crate) async fn confirm(
    service: Shared,
    user: Authenticated,
    address: ClientAddress,
    agent: UserAgent,
    browser: Browser,
    body: Body<SecondFactorBody>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let code = body.value.code.take("code", &mut errors);
    let code = errors.require("code", code).unwrap_or_default();
    let how = body.value.remember.take("remember", &mut errors);
    errors.into_result()?;
    let now = service.clock.now();
    let (judge, mut session) = (authenticator::judge(code, now), NewSession::new(now, agent.0.as_deref()));
    let remembered = Remembered::begin(how, &mut session, now)?;
    let (recovery_codes, hashes) = authenticator::draw_recovery_codes()?;
    let counted = address.counted();
    let confirm = move |repo: &mut dyn Repo| second_factor::confirm(repo, counted, judge, hashes, session);
    let logged_in = service.flow(user.caller, confirm).await?;
    let id = user.caller.profile_id;
    log::info!(target: AUDIT, "a member of profile {id} turned a second factor on, from {}", address.text());
    let mut response = HttpResponse::Ok();
    let login = remember(&mut response, token(&service, logged_in)?, remembered, browser.is_https);
    Ok(response.json(RecoveryCodesView { recovery_codes, login }))
}

/// Turns the second factor off, and deletes its recovery codes. It requires the current password. A wrong one counts as a failed
/// login. Every earlier login of the member is refused, and the answer is a new one. The invitations that the member made are
/// withdrawn.
#[utoipa::path(tag = "auth", request_body = SecondFactorPasswordBody,
    responses((status = 200, body = TokenView), (status = 409, description = "`ErrSecondFactorMissing`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[delete("/api/auth/second-factor")]
pub(crate) async fn remove(
    service: Shared,
    user: Authenticated,
    address: ClientAddress,
    agent: UserAgent,
    browser: Browser,
    body: Body<SecondFactorPasswordBody>,
) -> Reply {
    let (id, counted, from) = (user.caller.profile_id, address.counted(), address.text());
    let (matches, how) = body.value.into_match(id, address)?;
    let now = service.clock.now();
    let mut session = NewSession::new(now, agent.0.as_deref());
    let remembered = Remembered::begin(how, &mut session, now)?;
    let remove = move |repo: &mut dyn Repo| second_factor::remove(repo, counted, matches, session);
    let logged_in = service.flow(user.caller, remove).await?;
    log::info!(target: AUDIT, "a member of profile {id} turned its second factor off, from {from}");
    answer(&service, StatusCode::OK, logged_in, remembered, browser.is_https)
}
