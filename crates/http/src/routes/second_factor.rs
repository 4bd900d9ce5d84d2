//! `/api/auth/second-factor`: authenticator codes in addition to the password.

use actix_web::web::{Data, Json};
use actix_web::{HttpResponse, delete, post};
use finance_domain::use_cases::second_factor;
use finance_domain::{FieldErrors, Repo};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::authenticator::{self, Enrolment};
use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::middleware::real_ip::ClientAddress;
use crate::passwords;
use crate::problem::Problem;
use crate::routes::auth::{AUDIT, log_failure};
use crate::service::Service;
use crate::views::no_content;

/// A code that the authenticator shows.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SecondFactorBody {
    /// Six digits.
    #[schema(value_type = String, example = "287082")]
    code: Field<String>,
}

/// Proves that the member is the one who turns the second factor off.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SecondFactorRemovalBody {
    /// The current password.
    #[schema(value_type = String, format = Password, example = "correct horse")]
    password: Field<String>,
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

/// The codes for a login without the authenticator, if it is lost.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveryCodes)]
pub(crate) struct RecoveryCodesView {
    /// Ten codes. A login takes each of them once, in place of the authenticator's code. They are shown only once.
    #[schema(example = json!(["k7m2-p4xq-aaez-vw3d"]))]
    recovery_codes: Vec<String>,
}

/// Draws a secret for the member's authenticator. It takes effect when a code confirms it. Until then, another call replaces it.
#[utoipa::path(tag = "auth",
    responses((status = 201, body = SecondFactorView), (status = 409, description = "`ErrSecondFactorActive`")))]
#[post("/api/auth/second-factor")]
pub(crate) async fn begin(service: Data<Service>, user: Authenticated) -> Result<HttpResponse, Problem> {
    let secret = authenticator::draw_secret()?;
    let member = service.write(user.caller, move |repo| second_factor::begin(repo, &secret)).await?;
    let told = authenticator::enrolment(&secret, &member.name)?;
    Ok(HttpResponse::Created().json(SecondFactorView::from(told)))
}

/// Turns the second factor on with one of its codes, and returns the recovery codes. From then on, a login takes a `code`.
/// Existing logins stay valid. Wrong codes count as failed logins.
#[utoipa::path(tag = "auth", request_body = SecondFactorBody,
    responses((status = 200, body = RecoveryCodesView),
        (status = 409, description = "`ErrSecondFactorMissing`, `ErrSecondFactorActive`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/auth/second-factor/confirm")]
pub(crate) async fn confirm(
    service: Data<Service>,
    user: Authenticated,
    address: ClientAddress,
    body: Body<SecondFactorBody>,
) -> Result<Json<RecoveryCodesView>, Problem> {
    let mut errors = FieldErrors::default();
    let code = body.value.code.take("code", &mut errors);
    let code = errors.require("code", code).unwrap_or_default();
    errors.into_result()?;
    let judge = authenticator::judge(code, service.clock.now());
    let (recovery_codes, hashes) = authenticator::draw_recovery_codes()?;
    let counted = address.counted();
    let confirm = move |repo: &mut dyn Repo| second_factor::confirm(repo, counted, judge, hashes);
    service.flow(user.caller, confirm).await?;
    let id = user.caller.profile_id;
    log::info!(target: AUDIT, "a member of profile {id} turned a second factor on, from {}", address.text());
    Ok(Json(RecoveryCodesView { recovery_codes }))
}

/// Turns the second factor off, and deletes its recovery codes. It requires the current password. A wrong one counts as a failed
/// login.
#[utoipa::path(tag = "auth", request_body = SecondFactorRemovalBody,
    responses((status = 204), (status = 409, description = "`ErrSecondFactorMissing`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[delete("/api/auth/second-factor")]
pub(crate) async fn remove(
    service: Data<Service>,
    user: Authenticated,
    address: ClientAddress,
    body: Body<SecondFactorRemovalBody>,
) -> Result<HttpResponse, Problem> {
    let mut errors = FieldErrors::default();
    let password = body.value.password.take("password", &mut errors);
    let password = errors.require("password", password).unwrap_or_default();
    errors.into_result()?;
    let (id, counted, from) = (user.caller.profile_id, address.counted(), address.text());
    let matches = move |hash: &str| {
        let matches = passwords::verify(&password, Some(hash))?;
        if !matches {
            log_failure(Some(id), address);
        }
        Ok(matches)
    };
    service.flow(user.caller, move |repo: &mut dyn Repo| second_factor::remove(repo, counted, matches)).await?;
    log::info!(target: AUDIT, "a member of profile {id} turned its second factor off, from {from}");
    Ok(no_content())
}
