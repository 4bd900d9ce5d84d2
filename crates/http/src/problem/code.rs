//! The table of problems: the code of each, for clients to switch on, its status and its title.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the codes, each with its word, its status and its title.
macro_rules! codes {
    ($($variant:ident = $word:literal, $status:ident, $title:literal;)+) => {
        /// What went wrong, for a program to switch on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ProblemCode {
            $($variant,)+
        }

        impl ProblemCode {
            /// Every code, in the order of the declaration.
            const WORDS: &'static [&'static str] = &[$($word,)+];

            /// The code as it is sent.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(ProblemCode::$variant => $word,)+
                }
            }

            /// The status of the answer.
            pub(crate) fn status(self) -> StatusCode {
                match self {
                    $(ProblemCode::$variant => StatusCode::$status,)+
                }
            }

            /// What went wrong, for a person to read.
            pub(crate) fn title(self) -> &'static str {
                match self {
                    $(ProblemCode::$variant => $title,)+
                }
            }
        }
    };
}

codes! {
    MalformedRequest = "ErrMalformedRequest", BAD_REQUEST, "Malformed request";
    Unauthenticated = "ErrUnauthenticated", UNAUTHORIZED, "Not authenticated";
    InvalidCredentials = "ErrInvalidCredentials", UNAUTHORIZED, "Invalid credentials";
    SecondFactorRequired = "ErrSecondFactorRequired", UNAUTHORIZED, "Second factor required";
    InvitationInvalid = "ErrInvitationInvalid", UNAUTHORIZED, "Invitation invalid";
    InsufficientScope = "ErrInsufficientScope", FORBIDDEN, "Insufficient scope";
    NotAllowed = "ErrNotAllowed", FORBIDDEN, "Not allowed";
    NotFound = "ErrNotFound", NOT_FOUND, "Not found";
    MethodNotAllowed = "ErrMethodNotAllowed", METHOD_NOT_ALLOWED, "Method not allowed";
    RequestTimeout = "ErrRequestTimeout", REQUEST_TIMEOUT, "Request timeout";
    StandardCategory = "ErrStandardCategory", CONFLICT, "Standard category";
    CategoryInUse = "ErrCategoryInUse", CONFLICT, "Category in use";
    CategoryNameTaken = "ErrCategoryNameTaken", CONFLICT, "Category name taken";
    AccountInUse = "ErrAccountInUse", CONFLICT, "Account in use";
    AccountNameTaken = "ErrAccountNameTaken", CONFLICT, "Account name taken";
    DuplicateExternalId = "ErrDuplicateExternalId", CONFLICT, "Duplicate external id";
    OpeningFollows = "ErrOpeningFollows", CONFLICT, "Opening balance follows";
    TransferLeg = "ErrTransferLeg", CONFLICT, "Leg of a transfer";
    TransferNotLinked = "ErrTransferNotLinked", CONFLICT, "Transfer not linked";
    PaidByStatement = "ErrPaidByStatement", CONFLICT, "Bill paid by statement";
    BillAlreadyPaid = "ErrBillAlreadyPaid", CONFLICT, "Bill already paid";
    BillNotPaid = "ErrBillNotPaid", CONFLICT, "Bill not paid";
    NothingToPay = "ErrNothingToPay", CONFLICT, "Nothing to pay";
    PendingBillSettled = "ErrPendingBillSettled", CONFLICT, "Pending bill settled";
    InstallmentImported = "ErrInstallmentImported", CONFLICT, "Instalments imported";
    AlreadyUndone = "ErrAlreadyUndone", CONFLICT, "Already undone";
    ChangedSince = "ErrChangedSince", CONFLICT, "Changed since";
    RecurringNotPending = "ErrRecurringNotPending", CONFLICT, "Recurring item not pending";
    RecurringNotLate = "ErrRecurringNotLate", CONFLICT, "Recurring item not late";
    RecurringNotIgnored = "ErrRecurringNotIgnored", CONFLICT, "Recurring item not ignored";
    RecurringNotLinked = "ErrRecurringNotLinked", CONFLICT, "Recurring item not linked";
    CosmeticLocked = "ErrCosmeticLocked", CONFLICT, "Cosmetic locked";
    LastOwner = "ErrLastOwner", CONFLICT, "Last owner";
    SecondFactorMissing = "ErrSecondFactorMissing", CONFLICT, "Second factor missing";
    SecondFactorActive = "ErrSecondFactorActive", CONFLICT, "Second factor active";
    NameTaken = "ErrNameTaken", CONFLICT, "Name taken";
    LimitReached = "ErrLimitReached", CONFLICT, "Limit reached";
    NotEmpty = "ErrNotEmpty", CONFLICT, "Profile not empty";
    NotConfigured = "ErrNotConfigured", CONFLICT, "Not configured";
    TooLarge = "ErrTooLarge", PAYLOAD_TOO_LARGE, "Too large";
    UnsupportedMedia = "ErrUnsupportedMedia", UNSUPPORTED_MEDIA_TYPE, "Unsupported media";
    Validation = "ErrValidation", UNPROCESSABLE_ENTITY, "Validation failed";
    RecurringNotIncome = "ErrRecurringNotIncome", UNPROCESSABLE_ENTITY, "Recurring item is no income";
    StatementUnreadable = "ErrStatementUnreadable", UNPROCESSABLE_ENTITY, "Statement unreadable";
    IdempotencyKeyReused = "ErrIdempotencyKeyReused", UNPROCESSABLE_ENTITY, "Idempotency key reused";
    TooManyAttempts = "ErrTooManyAttempts", TOO_MANY_REQUESTS, "Too many attempts";
    Unavailable = "ErrUnavailable", SERVICE_UNAVAILABLE, "Unavailable";
    Internal = "ErrInternal", INTERNAL_SERVER_ERROR, "Internal error";
}

impl Serialize for ProblemCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some("What went wrong, for a program to switch on."))
            .enum_values(Some(ProblemCode::WORDS.iter().copied()))
            .into()
    }
}

impl ToSchema for ProblemCode {
    fn name() -> Cow<'static, str> {
        "ProblemCode".into()
    }
}
