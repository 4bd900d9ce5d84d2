//! Errors as RFC 9457 problems: one shape for everything, and one table that gives each error of the
//! domain its status and its stable code.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use finance_domain::{Error, FieldErrors, Refusal};
use serde::Serialize;
use utoipa::ToSchema;

use crate::request_id;

/// The media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";
/// Seconds after which a request that found the database away is worth repeating.
const UNAVAILABLE_RETRY_SECONDS: u32 = 2;

/// Why a request was not done.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    detail: Box<str>,
    errors: FieldErrors,
    retry_after_seconds: Option<u32>,
    allow: Option<Box<str>>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// An error response (RFC 9457).
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemView {
    /// Always `about:blank`: the code says what kind of problem it is.
    #[serde(rename = "type")]
    #[schema(example = "about:blank")]
    kind: &'static str,
    /// What went wrong, for a person to read.
    #[schema(example = "Validation failed")]
    title: &'static str,
    /// The HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// What went wrong, for a program to switch on.
    #[schema(example = "ErrValidation")]
    code: &'static str,
    /// What went wrong this time.
    detail: String,
    /// Every field that is wrong; present on validation errors only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldView>,
    /// The request's id, which the log carries too.
    request_id: String,
}

/// A field that is wrong.
#[derive(Serialize, ToSchema)]
#[schema(as = FieldError)]
struct FieldView {
    /// The field; positions count from 0.
    #[schema(example = "rows[0].amount")]
    field: String,
    /// What is wrong with it.
    #[schema(example = "must be greater than zero")]
    message: String,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, title: &'static str, detail: impl Into<Box<str>>) -> Self {
        Problem {
            status,
            code,
            title,
            detail: detail.into(),
            errors: FieldErrors::default(),
            retry_after_seconds: None,
            allow: None,
            cause: None,
        }
    }

    /// What only the log may know of it.
    pub(crate) fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn std::error::Error + 'static))
    }

    /// A body that is not what its content type says.
    pub(crate) fn malformed(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "ErrMalformedRequest", "Malformed request", detail)
    }

    /// No token, or one that does not hold.
    pub(crate) fn unauthenticated() -> Self {
        Error::Unauthenticated.into()
    }

    /// No such route, or no such row for this profile.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "ErrNotFound", "Not found", format!("There is no such {what}."))
    }

    /// The route takes other methods.
    pub(crate) fn method_not_allowed(allow: String) -> Self {
        let detail = format!("This route takes {allow}.");
        Problem {
            allow: Some(allow.into()),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "ErrMethodNotAllowed", "Method not allowed", detail)
        }
    }

    /// The body did not arrive in time.
    pub(crate) fn too_slow() -> Self {
        let detail = "The body did not arrive in time.";
        Self::new(StatusCode::REQUEST_TIMEOUT, "ErrRequestTimeout", "Request timeout", detail)
    }

    /// The body is over its limit.
    pub(crate) fn too_large(bytes_max: usize) -> Self {
        let detail = format!("The body is over the limit of {bytes_max} bytes.");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "ErrTooLarge", "Too large", detail)
    }

    /// The route does not take such a body.
    pub(crate) fn unsupported_media(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "ErrUnsupportedMedia", "Unsupported media", detail)
    }

    /// The right kind of file, but nothing to read from it.
    pub(crate) fn statement_unreadable(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "ErrStatementUnreadable", "Statement unreadable", detail)
    }

    /// More requests wait than can be answered in time.
    pub(crate) fn overloaded() -> Self {
        Error::Unavailable("the queue is full".into()).into()
    }

    /// What an error response that is not ours yet says in our shape.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::not_found("route"),
            StatusCode::PAYLOAD_TOO_LARGE => Self::new(status, "ErrTooLarge", "Too large", "The body is too large."),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::unsupported_media("The route does not take this content type."),
            status if status.is_client_error() => {
                Self::new(status, "ErrMalformedRequest", "Malformed request", "The request cannot be understood.")
            }
            status => Problem { status, ..Error::Internal("the framework failed".into()).into() },
        }
    }

    /// The request's answer.
    pub(crate) fn response(&self) -> HttpResponse {
        let view = ProblemView {
            kind: "about:blank",
            title: self.title,
            status: self.status.as_u16(),
            code: self.code,
            detail: self.detail.to_string(),
            errors: self
                .errors
                .iter()
                .map(|error| FieldView { field: error.field.clone(), message: error.message.clone() })
                .collect(),
            request_id: request_id::current(),
        };
        let mut response = HttpResponse::build(self.status);
        response.insert_header((header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON)));
        if self.status == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if let Some(seconds) = self.retry_after_seconds {
            response.insert_header((header::RETRY_AFTER, seconds));
        }
        if let Some(allow) = &self.allow {
            response.insert_header((header::ALLOW, allow.as_ref()));
        }
        if self.status == StatusCode::REQUEST_TIMEOUT {
            // What the client may still send belongs to no request any more.
            response.force_close();
        }
        response.body(serde_json::to_string(&view).unwrap_or_default())
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound(what) => Self::not_found(what),
            Error::Invalid(errors) => {
                let detail = "One or more fields are not valid; see errors.";
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Problem { errors, ..Self::new(status, "ErrValidation", "Validation failed", detail) }
            }
            Error::Refused(refusal) => refused(refusal),
            Error::Unauthenticated => Self::new(
                StatusCode::UNAUTHORIZED,
                "ErrUnauthenticated",
                "Not authenticated",
                "The token is missing, malformed, expired or revoked.",
            ),
            Error::InvalidCredentials => Self::new(
                StatusCode::UNAUTHORIZED,
                "ErrInvalidCredentials",
                "Invalid credentials",
                "The name or the password is wrong.",
            ),
            Error::TooManyAttempts { retry_after_seconds } => Problem {
                retry_after_seconds: Some(u32::try_from(retry_after_seconds).unwrap_or(u32::MAX)),
                ..Self::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "ErrTooManyAttempts",
                    "Too many attempts",
                    "Too many failed attempts; try again later.",
                )
            },
            Error::Unavailable(cause) => Problem {
                retry_after_seconds: Some(UNAVAILABLE_RETRY_SECONDS),
                cause: Some(cause),
                ..Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "ErrUnavailable",
                    "Unavailable",
                    "The service cannot answer right now; try again shortly.",
                )
            },
            Error::Internal(cause) => Problem {
                cause: Some(cause),
                ..Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "ErrInternal",
                    "Internal error",
                    "Something went wrong on our side; the request id finds it in the log.",
                )
            },
        }
    }
}

/// The status, code and title of each refusal.
fn refused(refusal: Refusal) -> Problem {
    let status = match refusal {
        Refusal::RecurringNotIncome | Refusal::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        _ => StatusCode::CONFLICT,
    };
    let (code, title) = match refusal {
        Refusal::StandardCategory => ("ErrStandardCategory", "Standard category"),
        Refusal::CategoryInUse => ("ErrCategoryInUse", "Category in use"),
        Refusal::CategoryNameTaken => ("ErrCategoryNameTaken", "Category name taken"),
        Refusal::AccountInUse => ("ErrAccountInUse", "Account in use"),
        Refusal::AccountNameTaken => ("ErrAccountNameTaken", "Account name taken"),
        Refusal::DuplicateExternalId => ("ErrDuplicateExternalId", "Duplicate external id"),
        Refusal::TransferLeg => ("ErrTransferLeg", "Leg of a transfer"),
        Refusal::BillAlreadyPaid => ("ErrBillAlreadyPaid", "Bill already paid"),
        Refusal::BillNotPaid => ("ErrBillNotPaid", "Bill not paid"),
        Refusal::NothingToPay => ("ErrNothingToPay", "Nothing to pay"),
        Refusal::PendingBillSettled => ("ErrPendingBillSettled", "Pending bill settled"),
        Refusal::RecurringNotPending => ("ErrRecurringNotPending", "Recurring item not pending"),
        Refusal::RecurringNotIgnored => ("ErrRecurringNotIgnored", "Recurring item not ignored"),
        Refusal::RecurringNotIncome => ("ErrRecurringNotIncome", "Recurring item is no income"),
        Refusal::CosmeticLocked => ("ErrCosmeticLocked", "Cosmetic locked"),
        Refusal::LimitReached { .. } => ("ErrLimitReached", "Limit reached"),
        Refusal::IdempotencyKeyReused => ("ErrIdempotencyKeyReused", "Idempotency key reused"),
    };
    Problem::new(status, code, title, format!("Refused: {refusal}."))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code, self.detail)
    }
}

impl std::error::Error for Problem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause()
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response()
    }
}
