//! `/api/notices/devices` and `/api/notices/email`: where the member of the request is told, apart from the page.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{delete, get, post};
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use finance_domain::notices::{CODE_DIGITS, EmailAddress, NewPushDevice, PushDevice, PushDeviceInput};
use finance_domain::sessions::NewSession;
use finance_domain::use_cases::notice_channels::{self, Moment};
use finance_domain::webhooks::Failure;
use finance_domain::{Error, FieldErrors, ProfileId, PushDeviceId, Refusal, Repo, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, answered, created};
use crate::extract::json::{Field, FieldValue, FromJson};
use crate::extract::user_agent::UserAgent;
use crate::problem::Reply;
use crate::routes::webhooks::FailureView;
use crate::service::{Service, Shared};
use crate::views::{InstantView, no_content};

/// Base64 as browsers write keys, with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The numbers below this one are drawn for a code: all of its digits.
const CODES: u32 = 10_u32.pow(CODE_DIGITS as u32);

/// The keys of a device.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PushKeysBody {
    /// A point of P-256, not compressed: 65 bytes in Base64 for URLs.
    #[schema(value_type = String)]
    p256dh: Field<String>,
    /// 16 bytes in Base64 for URLs.
    #[schema(value_type = String)]
    auth: Field<String>,
}

impl FromJson for PushKeysBody {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        match value {
            FieldValue::Nested(raw) if raw.starts_with('{') => {
                serde_json::from_str(raw).map_err(|_| Violation::NotAnObject)
            }
            _ => Err(Violation::NotAnObject),
        }
    }
}

/// The `PushSubscription` of a browser, as JSON. Other fields are ignored.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PushDeviceBody {
    /// An `https` address of a known push service.
    #[schema(value_type = String, max_length = 2000, example = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk")]
    endpoint: Field<String>,
    #[schema(value_type = PushKeysBody)]
    keys: Field<PushKeysBody>,
}

impl PushDeviceBody {
    fn into_input(self) -> PushDeviceInput {
        let mut errors = FieldErrors::default();
        let endpoint = self.endpoint.take("endpoint", &mut errors);
        let (mut p256dh, mut auth) = (None, None);
        match self.keys {
            Field::Wrong(violation) => errors.push("keys", violation),
            Field::Absent => {}
            Field::Value(keys) => {
                // What is no Base64 has the bytes of no key.
                let bytes = |text: String| BASE64.decode(text).unwrap_or_default();
                p256dh = keys.p256dh.take("keys.p256dh", &mut errors).map(bytes);
                auth = keys.auth.take("keys.auth", &mut errors).map(bytes);
            }
        }
        PushDeviceInput { endpoint, p256dh, auth, errors }
    }
}

/// A device that notices are pushed to.
#[derive(Serialize, ToSchema)]
#[schema(as = PushDevice)]
pub(crate) struct PushDeviceView {
    id: i64,
    /// The host of its push service.
    #[schema(example = "updates.push.services.mozilla.com")]
    host: String,
    /// The `User-Agent` of the browser that signed up; null if it sent none.
    client: Option<String>,
    created_at: InstantView,
    /// Why the last attempt to reach it failed; null if it did not.
    failure: Option<FailureView>,
}

impl From<PushDevice> for PushDeviceView {
    fn from(device: PushDevice) -> Self {
        PushDeviceView {
            id: device.id.0,
            host: device.host().to_string(),
            client: device.client,
            created_at: InstantView(device.created_at),
            failure: device.failure.map(|failure: Failure| failure.into()),
        }
    }
}

fn push_configured(service: &Service) -> Result<(), Error> {
    match service.notice_sender.push_key() {
        Some(_) => Ok(()),
        None => Err(Refusal::NotConfigured { setting: "FINANCE_PUSH_KEY" }.into()),
    }
}

fn mail_configured(service: &Service) -> Result<(), Error> {
    match service.notice_sender.has_mail() {
        true => Ok(()),
        false => Err(Refusal::NotConfigured { setting: "FINANCE_SMTP_URL" }.into()),
    }
}

/// The devices of the member, in the order in which they signed up.
#[utoipa::path(tag = "notices", responses((status = 200, body = [PushDeviceView])))]
#[get("/api/notices/devices")]
pub(crate) async fn devices(service: Shared, user: Authenticated) -> Reply<Json<Vec<PushDeviceView>>> {
    let listed = service.read(user.caller, notice_channels::devices).await?;
    Ok(Json(listed.into_iter().map(PushDeviceView::from).collect()))
}

/// Signs a device of the member up: notices of the kinds with the channel `push` are sent there from now on, encrypted. With an endpoint
/// that signed up before, its keys are replaced. A member has at most 10 devices. A device goes when the login that signed it up is ended,
/// or its push service says that it is gone.
#[utoipa::path(tag = "notices", request_body = PushDeviceBody,
    responses((status = 201, body = PushDeviceView), (status = 200, description = "It signed up before.", body = PushDeviceView),
        (status = 409, description = "`ErrNotConfigured` without `push_key`, `ErrLimitReached`")))]
#[post("/api/notices/devices")]
pub(crate) async fn sign_up(
    service: Shared,
    user: Authenticated,
    agent: UserAgent,
    Idempotent { post, body }: Idempotent<Body<PushDeviceBody>>,
) -> Reply {
    // Whoever may not write is told that first.
    let configured = push_configured(&service);
    let target = body.value.into_input().check(&service.push_hosts, service.notice_sender.as_ref());
    let client = NewSession::new(service.clock.now(), agent.0.as_deref()).client;
    let context = service.context();
    let work = move |repo: &mut dyn Repo| {
        configured?;
        let new = NewPushDevice { target: target?, client, session_id: user.session };
        notice_channels::sign_up(repo, &context, &new)
    };
    let answer = |(device, is_new): (PushDevice, bool)| {
        let view = PushDeviceView::from(device);
        match is_new {
            true => created(format!("/api/notices/devices/{}", view.id), view),
            false => answered(StatusCode::OK, view),
        }
    };
    post.write(&service, work, answer).await
}

/// Removes a device of the member. What was not sent there yet is not sent.
#[utoipa::path(tag = "notices", responses((status = 204)))]
#[delete("/api/notices/devices/{id}")]
pub(crate) async fn remove(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let id = PushDeviceId(*id);
    service.write(user.caller, move |repo| notice_channels::remove(repo, id)).await?;
    Ok(no_content())
}

/// Sends a test to a device of the member, at any hour. Whether it arrived is in the device's `failure`.
#[utoipa::path(tag = "notices",
    responses((status = 202, body = PushDeviceView), (status = 409, description = "`ErrNotConfigured`")))]
#[post("/api/notices/devices/{id}/test")]
pub(crate) async fn test(service: Shared, Idempotent { post, .. }: Idempotent, id: Path<i64>) -> Reply {
    let configured = push_configured(&service);
    let id = PushDeviceId(*id);
    let work = move |repo: &mut dyn Repo| configured.and_then(|()| notice_channels::test(repo, id));
    post.write(&service, work, |device| answered(StatusCode::ACCEPTED, PushDeviceView::from(device))).await
}

/// An e-mail address of the member.
#[derive(Serialize, ToSchema)]
#[schema(as = NoticeEmail)]
pub(crate) struct EmailView {
    #[schema(example = "ana@example.com")]
    address: String,
    /// Whether the member has entered the code that was sent there. Nothing else is sent there before.
    confirmed: bool,
}

impl EmailView {
    pub(crate) fn of(email: EmailAddress) -> Option<Self> {
        email.address.map(|address| EmailView { address, confirmed: email.is_confirmed })
    }
}

fn email_answer(status: StatusCode, email: EmailAddress) -> Result<finance_domain::idempotency::Answer, Error> {
    let view = EmailView::of(email).ok_or_else(|| Error::Internal("there is no address".into()))?;
    answered(status, view)
}

/// An address to be told at.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticeEmailBody {
    #[schema(value_type = String, max_length = 254, example = "ana@example.com")]
    address: Field<String>,
}

/// Sends a code of six digits to an address, which is the member's once the code is confirmed within 30 minutes. Nothing is sent to the
/// former address any more. At most three codes are sent a day.
#[utoipa::path(tag = "notices", request_body = NoticeEmailBody,
    responses((status = 202, body = EmailView), (status = 409, description = "`ErrNotConfigured`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/notices/email")]
pub(crate) async fn ask(service: Shared, Idempotent { post, body }: Idempotent<Body<NoticeEmailBody>>) -> Reply {
    let configured = mail_configured(&service);
    let mut errors = FieldErrors::default();
    let address = body.value.address.take("address", &mut errors);
    let (at, code) = (moment(&service, post.profile_id()), draw_code()?);
    let work = move |repo: &mut dyn Repo| {
        configured?;
        notice_channels::ask(repo, at, address, errors, &code)
    };
    post.write(&service, work, |email| email_answer(StatusCode::ACCEPTED, email)).await
}

/// The code that was sent to an address.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NoticeCodeBody {
    #[schema(value_type = String, example = "042137")]
    code: Field<String>,
}

/// Confirms the member's address by the code that was sent there: notices of the kinds with the channel `email` are sent there from now
/// on. A code can be guessed at five times.
#[utoipa::path(tag = "notices", request_body = NoticeCodeBody,
    responses((status = 200, body = EmailView), (status = 409, description = "`ErrNotConfigured`"),
        (status = 429, description = "`ErrTooManyAttempts`, with `Retry-After`")))]
#[post("/api/notices/email/confirm")]
pub(crate) async fn confirm(
    service: Shared,
    user: Authenticated,
    Idempotent { post, body }: Idempotent<Body<NoticeCodeBody>>,
) -> Reply {
    let configured = mail_configured(&service);
    let mut errors = FieldErrors::default();
    let code = body.value.code.take("code", &mut errors);
    let at = moment(&service, post.profile_id());
    if code.is_some() && configured.is_ok() {
        // In a transaction of its own: a wrong guess is counted, though the request is refused.
        service.write(user.caller, move |repo| notice_channels::count_guess(repo, at.now)).await?;
    }
    let context = service.context();
    let work = move |repo: &mut dyn Repo| {
        configured?;
        notice_channels::confirm(repo, &context, at, code, errors)
    };
    post.write(&service, work, |email| email_answer(StatusCode::OK, email)).await
}

/// Removes the member's address, if there is one.
#[utoipa::path(tag = "notices", responses((status = 204)))]
#[delete("/api/notices/email")]
pub(crate) async fn remove_email(service: Shared, user: Authenticated) -> Reply {
    service.write(user.caller, notice_channels::remove_email).await?;
    Ok(no_content())
}

fn moment(service: &Service, profile_id: ProfileId) -> Moment {
    Moment { profile_id, today: service.clock.today(), now: service.clock.now(), offset: service.utc_offset }
}

/// Draws a code. Every one is equally likely.
fn draw_code() -> Result<String, Error> {
    let most = u32::MAX - u32::MAX % CODES;
    loop {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(Box::new(error)))?;
        let drawn = u32::from_le_bytes(bytes);
        if drawn < most {
            return Ok(format!("{:06}", drawn % CODES));
        }
    }
}
