//! The codes of problems, for clients to switch on.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the codes, each with its word.
macro_rules! codes {
    ($($variant:ident = $word:literal,)+) => {
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
        }
    };
}

codes! {
    MalformedRequest = "ErrMalformedRequest",
    Unauthenticated = "ErrUnauthenticated",
    InvalidCredentials = "ErrInvalidCredentials",
    SecondFactorRequired = "ErrSecondFactorRequired",
    InvitationInvalid = "ErrInvitationInvalid",
    InsufficientScope = "ErrInsufficientScope",
    NotAllowed = "ErrNotAllowed",
    NotFound = "ErrNotFound",
    MethodNotAllowed = "ErrMethodNotAllowed",
    RequestTimeout = "ErrRequestTimeout",
    StandardCategory = "ErrStandardCategory",
    CategoryInUse = "ErrCategoryInUse",
    CategoryNameTaken = "ErrCategoryNameTaken",
    AccountInUse = "ErrAccountInUse",
    AccountNameTaken = "ErrAccountNameTaken",
    DuplicateExternalId = "ErrDuplicateExternalId",
    OpeningFollows = "ErrOpeningFollows",
    TransferLeg = "ErrTransferLeg",
    TransferNotLinked = "ErrTransferNotLinked",
    PaidByStatement = "ErrPaidByStatement",
    BillAlreadyPaid = "ErrBillAlreadyPaid",
    BillNotPaid = "ErrBillNotPaid",
    NothingToPay = "ErrNothingToPay",
    PendingBillSettled = "ErrPendingBillSettled",
    InstallmentImported = "ErrInstallmentImported",
    AlreadyUndone = "ErrAlreadyUndone",
    ChangedSince = "ErrChangedSince",
    RecurringNotPending = "ErrRecurringNotPending",
    RecurringNotLate = "ErrRecurringNotLate",
    RecurringNotIgnored = "ErrRecurringNotIgnored",
    RecurringNotLinked = "ErrRecurringNotLinked",
    CosmeticLocked = "ErrCosmeticLocked",
    LastOwner = "ErrLastOwner",
    SecondFactorMissing = "ErrSecondFactorMissing",
    SecondFactorActive = "ErrSecondFactorActive",
    NameTaken = "ErrNameTaken",
    LimitReached = "ErrLimitReached",
    NotEmpty = "ErrNotEmpty",
    NotConfigured = "ErrNotConfigured",
    TooLarge = "ErrTooLarge",
    UnsupportedMedia = "ErrUnsupportedMedia",
    Validation = "ErrValidation",
    RecurringNotIncome = "ErrRecurringNotIncome",
    StatementUnreadable = "ErrStatementUnreadable",
    IdempotencyKeyReused = "ErrIdempotencyKeyReused",
    TooManyAttempts = "ErrTooManyAttempts",
    Unavailable = "ErrUnavailable",
    Internal = "ErrInternal",
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
