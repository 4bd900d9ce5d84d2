//! Errors as problems of RFC 9457, and the [code](ProblemCode) of each error of the domain.

mod code;

use std::fmt;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, ResponseError};
use code::ProblemCode;
use finance_domain::credentials::Scope;
use finance_domain::{Error, FieldError, Refusal, Word};
use finance_statements::OptionFault;
use serde::Serialize;
use utoipa::ToSchema;

use crate::banks::Bank;
use crate::codes::{FieldErrorCodeView, ParamsView};
use crate::request_id;

/// The media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";
/// Seconds after which a request may be repeated when the database cannot be reached.
const UNAVAILABLE_RETRY_SECONDS: u32 = 2;

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: ProblemCode,
    detail: Box<str>,
    errors: Box<[FieldView]>,
    banks: Arc<[Bank]>,
    changes: Box<[i64]>,
    retry_after_seconds: Option<u32>,
    /// An additional header: `Allow`, or `WWW-Authenticate` beyond the scheme.
    header: Option<Box<(HeaderName, String)>>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What a handler returns: its answer, or why the request failed.
pub(crate) type Reply<T = HttpResponse> = Result<T, Problem>;

/// An error response (RFC 9457).
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemView<'a> {
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
    code: ProblemCode,
    /// What went wrong this time.
    detail: String,
    /// Every field that is wrong; present on validation errors only.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<FieldView>)]
    errors: &'a [FieldView],
    /// Where banks give statements that can be read, where a file of another kind was sent; absent on all other problems.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<Bank>)]
    banks: &'a [Bank],
    /// The changes that are in the way of an undo, the newest first, at most 100; absent on all other problems.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<i64>)]
    changes: &'a [i64],
    /// The request's id, which the log carries too.
    request_id: String,
}

/// A field that is wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FieldError)]
struct FieldView {
    /// The field; positions count from 0.
    #[schema(example = "rows[0].amount")]
    field: String,
    code: FieldErrorCodeView,
    params: ParamsView,
    /// What is wrong with it, for a developer to read.
    #[schema(example = "must be greater than zero")]
    message: String,
}

impl From<&FieldError> for FieldView {
    fn from(FieldError { field, violation }: &FieldError) -> Self {
        FieldView {
            field: field.clone(),
            code: violation.code().into(),
            params: violation.params().into(),
            message: violation.to_string(),
        }
    }
}

impl Problem {
    fn new(code: ProblemCode, detail: impl Into<Box<str>>) -> Self {
        Problem {
            status: code.status(),
            code,
            detail: detail.into(),
            errors: Box::default(),
            banks: Arc::default(),
            changes: Box::default(),
            retry_after_seconds: None,
            header: None,
            cause: None,
        }
    }

    /// The status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The cause, for the log only.
    pub(crate) fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn std::error::Error + 'static))
    }

    /// A body that does not match its content type.
    pub(crate) fn malformed(detail: impl Into<Box<str>>) -> Self {
        Self::new(ProblemCode::MalformedRequest, detail)
    }

    /// No token, or an invalid one.
    pub(crate) fn unauthenticated() -> Self {
        Error::Unauthenticated.into()
    }

    /// The token's scopes are not sufficient (RFC 6750).
    fn insufficient_scope(scope: Option<Scope>) -> Self {
        let (detail, scope) = match scope.map(Word::as_str) {
            Some(scope) => (
                format!("The token needs the scope {scope}, and its creator a role that allows it."),
                format!(", scope=\"{scope}\""),
            ),
            None => ("No token allows this: log in.".to_string(), String::new()),
        };
        Problem {
            header: Some(Box::new((header::WWW_AUTHENTICATE, format!("Bearer error=\"insufficient_scope\"{scope}")))),
            ..Self::new(ProblemCode::InsufficientScope, detail)
        }
    }

    /// No such route, or no such row for this profile.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(ProblemCode::NotFound, format!("There is no such {what}."))
    }

    /// The route takes other methods.
    pub(crate) fn method_not_allowed(allow: String) -> Self {
        let detail = format!("This route accepts {allow}.");
        Problem { header: Some(Box::new((header::ALLOW, allow))), ..Self::new(ProblemCode::MethodNotAllowed, detail) }
    }

    /// The body did not arrive in time.
    pub(crate) fn too_slow() -> Self {
        Self::new(ProblemCode::RequestTimeout, "The body did not arrive in time.")
    }

    /// The body is over its limit.
    pub(crate) fn too_large(bytes_max: usize) -> Self {
        Self::new(ProblemCode::TooLarge, format!("The body is over the limit of {bytes_max} bytes."))
    }

    /// The route does not take such a body.
    pub(crate) fn unsupported_media(detail: impl Into<Box<str>>) -> Self {
        Self::new(ProblemCode::UnsupportedMedia, detail)
    }

    /// A file without a readable statement, and where to get one.
    pub(crate) fn no_statement(detail: impl Into<Box<str>>, banks: &Arc<[Bank]>) -> Self {
        Problem { banks: Arc::clone(banks), ..Self::unsupported_media(detail) }
    }

    /// A file with more content than the reader accepts.
    pub(crate) fn statement_too_large(detail: impl Into<Box<str>>) -> Self {
        Self::new(ProblemCode::TooLarge, detail)
    }

    /// Fields that are not valid.
    fn invalid(errors: Box<[FieldView]>) -> Self {
        Problem { errors, ..Self::new(ProblemCode::Validation, "One or more fields are not valid; see errors.") }
    }

    /// An option of a statement's reader that is not valid, or does not fit the file.
    pub(crate) fn option(name: &str, fault: &OptionFault) -> Self {
        Self::invalid(Box::new([FieldView {
            field: name.to_string(),
            code: fault.code().into(),
            params: fault.params().into(),
            message: fault.to_string(),
        }]))
    }

    /// The right kind of file, but nothing to read from it.
    pub(crate) fn statement_unreadable(detail: impl Into<Box<str>>) -> Self {
        Self::new(ProblemCode::StatementUnreadable, detail)
    }

    /// Too many requests are waiting.
    pub(crate) fn overloaded() -> Self {
        Error::Unavailable("the queue is full".into()).into()
    }

    /// The problem for an error response of the framework.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::not_found("route"),
            StatusCode::PAYLOAD_TOO_LARGE => Self::new(ProblemCode::TooLarge, "The body is too large."),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                Self::unsupported_media("The route does not accept this content type.")
            }
            status if status.is_client_error() => {
                Problem { status, ..Self::malformed("The request cannot be understood.") }
            }
            status => Problem { status, ..Error::Internal("the framework failed".into()).into() },
        }
    }

    /// The response.
    pub(crate) fn response(&self) -> HttpResponse {
        let view = ProblemView {
            kind: "about:blank",
            title: self.code.title(),
            status: self.status.as_u16(),
            code: self.code,
            detail: self.detail.to_string(),
            errors: &self.errors,
            banks: &self.banks,
            changes: &self.changes,
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
        if let Some(header) = &self.header {
            response.insert_header((header.0.clone(), header.1.as_str()));
        }
        if self.status == StatusCode::REQUEST_TIMEOUT {
            // The rest of the body must not be taken for another request.
            response.force_close();
        }
        response.body(serde_json::to_string(&view).unwrap_or_default())
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound(what) => Self::not_found(what),
            Error::Invalid(errors) => Self::invalid(errors.iter().map(FieldView::from).collect()),
            Error::Refused(refusal) => refused(refusal),
            Error::ChangedSince(changes) => Problem {
                changes: changes.into_iter().map(|id| id.0).collect(),
                ..Self::new(ProblemCode::ChangedSince, "Later changes are in the way; undo them first.")
            },
            Error::Unauthenticated => {
                Self::new(ProblemCode::Unauthenticated, "The token is missing, malformed, expired or revoked.")
            }
            Error::InvitationInvalid => {
                Self::new(ProblemCode::InvitationInvalid, "The invitation is unknown, used or expired.")
            }
            Error::NotAllowed => Self::new(ProblemCode::NotAllowed, "The role of the member does not allow it."),
            Error::InsufficientScope { scope } => Self::insufficient_scope(scope),
            Error::InvalidCredentials => {
                Self::new(ProblemCode::InvalidCredentials, "The name, the password or the code is wrong.")
            }
            Error::SecondFactorRequired => Self::new(
                ProblemCode::SecondFactorRequired,
                "The login requires a code of the authenticator, or a recovery code, in `code`.",
            ),
            Error::TooManyAttempts { retry_after_seconds } => Problem {
                retry_after_seconds: Some(u32::try_from(retry_after_seconds).unwrap_or(u32::MAX)),
                ..Self::new(ProblemCode::TooManyAttempts, "Too many failed attempts; try again later.")
            },
            Error::Unavailable(cause) => Problem {
                retry_after_seconds: Some(UNAVAILABLE_RETRY_SECONDS),
                cause: Some(cause),
                ..Self::new(ProblemCode::Unavailable, "The service cannot answer right now; try again shortly.")
            },
            Error::Internal(cause) => Problem {
                cause: Some(cause),
                ..Self::new(
                    ProblemCode::Internal,
                    "Something went wrong on our side; the request id finds it in the log.",
                )
            },
        }
    }
}

/// The problem of a refusal: its code has the same name.
fn refused(refusal: Refusal) -> Problem {
    macro_rules! codes {
        ($($name:ident,)+) => {
            match refusal {
                $(Refusal::$name { .. } => ProblemCode::$name,)+
            }
        };
    }
    let code = codes! {
        StandardCategory, CategoryInUse, CategoryNameTaken, AccountInUse, AccountNameTaken, DuplicateExternalId,
        OpeningFollows, TransferLeg, TransferNotLinked, PaidByStatement, BillAlreadyPaid, BillNotPaid, NothingToPay,
        PendingBillSettled, AlreadyUndone, InstallmentImported, RecurringNotPending, RecurringNotLate,
        RecurringNotIgnored, RecurringNotLinked, RecurringNotIncome, CosmeticLocked, LastOwner, SecondFactorMissing,
        SecondFactorActive, NameTaken, LimitReached, NotEmpty, NotConfigured, IdempotencyKeyReused,
    };
    Problem::new(code, format!("Refused: {refusal}."))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code.as_str(), self.detail)
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
