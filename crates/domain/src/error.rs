//! The errors of every use case and port.
//!
//! `Display` of an error shows only its own message, and `source()` has the cause. Logs use [`Chain`], the program `{:#}`.

use std::fmt;

use crate::credentials::Scope;
use crate::ids::ChangeId;
use crate::violations::Violation;

/// The result of every use case and port.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a use case failed. Its text does not include the cause, which is its
/// [`source`](std::error::Error::source). [`Chain`] displays both.
#[derive(Debug)]
pub enum Error {
    /// The profile has no such row. The text names the kind of row.
    NotFound(&'static str),
    /// The input breaks rules. All of them are listed.
    Invalid(FieldErrors),
    /// The input is valid, but a rule refuses it in the current state.
    Refused(Refusal),
    /// Later changes keep a change from being undone: the newest of them, the newest first.
    ChangedSince(Vec<ChangeId>),
    /// The caller's credential is gone, expired or disabled, or its password has changed since.
    Unauthenticated,
    /// The caller's role does not permit the request.
    NotAllowed,
    /// The scopes of the caller's token do not permit the request, or the role of its creator no longer does.
    InsufficientScope {
        /// The least scope that permits it. None if tokens never do.
        scope: Option<Scope>,
    },
    /// The invitation is unknown, used or expired.
    InvitationInvalid,
    /// The name, the password or the code is wrong.
    InvalidCredentials,
    /// The password is correct, but the login also requires a code of the second factor.
    SecondFactorRequired,
    /// Too many attempts failed.
    TooManyAttempts {
        /// Seconds until the next attempt is allowed.
        retry_after_seconds: u64,
    },
    /// A dependency of this service is unavailable. The same request may succeed later.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
    /// A bug in this service. The source is for the log only.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// An [`Error::Invalid`] about one field.
    ///
    /// ```
    /// use finance_domain::{Error, Violation};
    ///
    /// assert_eq!(Error::invalid("day", Violation::out_of_range(1, 31)).to_string(), "day: must be 1 to 31");
    /// ```
    pub fn invalid(field: impl Into<String>, violation: Violation) -> Self {
        let mut errors = FieldErrors::default();
        errors.push(field, violation);
        Error::Invalid(errors)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound(what) => write!(f, "no such {what}"),
            Error::Invalid(errors) => errors.fmt(f),
            Error::Refused(refusal) => refusal.fmt(f),
            Error::ChangedSince(_) => f.write_str("later changes are in the way"),
            Error::Unauthenticated => f.write_str("not authenticated"),
            Error::NotAllowed => f.write_str("the member's role does not allow it"),
            Error::InsufficientScope { .. } => f.write_str("the token's scopes do not allow it"),
            Error::InvitationInvalid => f.write_str("the invitation is unknown, used or expired"),
            Error::InvalidCredentials => f.write_str("wrong name, password or code"),
            Error::SecondFactorRequired => f.write_str("the login requires a code of the second factor"),
            Error::TooManyAttempts { retry_after_seconds } => {
                write!(f, "too many failed attempts; try again in {retry_after_seconds} s")
            }
            Error::Unavailable(_) => f.write_str("unavailable"),
            Error::Internal(_) => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Unavailable(source) | Error::Internal(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}

/// Displays an error with all its causes on one line, for logs.
///
/// ```
/// use finance_domain::Error;
/// use finance_domain::error::Chain;
///
/// let error = Error::Unavailable("connection refused".into());
/// assert_eq!(error.to_string(), "unavailable");
/// assert_eq!(Chain(&error).to_string(), "unavailable: connection refused");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Chain<'a>(pub &'a (dyn std::error::Error + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Error::Refused(refusal)
    }
}

/// A rule that refuses a valid request in the current state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A standard category cannot be deleted.
    StandardCategory,
    /// Other rows refer to the category.
    CategoryInUse,
    /// Another category of the profile has that name.
    CategoryNameTaken,
    /// Other rows refer to the account.
    AccountInUse,
    /// Another account of the profile has that name.
    AccountNameTaken,
    /// Another transaction of the account has that external id.
    DuplicateExternalId,
    /// The opening balance follows what the account held on a day.
    OpeningFollows,
    /// One leg of a transfer cannot be changed by itself.
    TransferLeg,
    /// This service created both legs of the transfer, so there is nothing to unlink.
    TransferNotLinked,
    /// The bill is paid.
    BillAlreadyPaid,
    /// The bill was never paid.
    BillNotPaid,
    /// Only rows of statements pay the bill.
    PaidByStatement,
    /// Nothing is due on the bill.
    NothingToPay,
    /// The pending statement was already confirmed.
    PendingBillSettled,
    /// The change was undone.
    AlreadyUndone,
    /// Every instalment of the plan is known from a statement.
    InstallmentImported,
    /// The recurring item is not pending, nor late if that is also allowed.
    RecurringNotPending,
    /// The recurring item is not late.
    RecurringNotLate,
    /// The recurring item is not ignored.
    RecurringNotIgnored,
    /// No transaction is linked to the recurring item.
    RecurringNotLinked,
    /// Only an income can be confirmed.
    RecurringNotIncome,
    /// The profile's level does not unlock the cosmetic yet.
    CosmeticLocked,
    /// A profile must keep an owner.
    LastOwner,
    /// There is no second factor to confirm or to turn off.
    SecondFactorMissing,
    /// A second factor is in effect already.
    SecondFactorActive,
    /// Another member, of any profile, has that name.
    NameTaken,
    /// A document can only be restored into an empty profile.
    NotEmpty {
        /// A table in which the profile has rows.
        table: &'static str,
    },
    /// The key was used for another request.
    IdempotencyKeyReused,
    /// The service is not configured to send that way.
    NotConfigured {
        /// The setting that is missing.
        setting: &'static str,
    },
    /// The profile has the maximum number of rows of one kind.
    LimitReached {
        /// The kind of row, in the plural.
        what: &'static str,
        /// The most rows of that kind.
        max: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NotConfigured { setting } => return write!(f, "the operator has not set {setting}"),
            Refusal::LimitReached { what, max } => return write!(f, "a profile holds at most {max} {what}"),
            Refusal::NotEmpty { table } => {
                return write!(
                    f,
                    "the profile is not empty, it has rows in {table}; a document is restored into a new profile only"
                );
            }
            Refusal::LastOwner => "a profile must have at least one owner",
            Refusal::SecondFactorMissing => "there is no second factor; start its set-up first",
            Refusal::SecondFactorActive => "a second factor is in effect; turn it off first",
            Refusal::NameTaken => "another user has this name",
            Refusal::StandardCategory => "a standard category can be edited, but not deleted",
            Refusal::CategoryInUse => "the category is in use",
            Refusal::CategoryNameTaken => "another category has this name",
            Refusal::AccountInUse => "the account is in use",
            Refusal::AccountNameTaken => "another account has this name",
            Refusal::DuplicateExternalId => "another transaction of the account has this external_id",
            Refusal::OpeningFollows => {
                "the opening balance follows what the account held on a day; change or delete that anchor"
            }
            Refusal::TransferLeg => {
                "a leg of a transfer cannot be changed by itself; delete the transfer and create another"
            }
            Refusal::TransferNotLinked => "the transfer was created as a whole and not linked; delete it instead",
            Refusal::BillAlreadyPaid => "the bill is paid already",
            Refusal::BillNotPaid => "the bill was not paid",
            Refusal::PaidByStatement => {
                "rows of statements or transfers pay the bill; unlink or delete them, or undo their import"
            }
            Refusal::NothingToPay => "nothing is due on the bill",
            Refusal::PendingBillSettled => "the pending bill was confirmed already",
            Refusal::AlreadyUndone => "the change was undone already",
            Refusal::InstallmentImported => "every instalment of the plan is known from a statement; undo its import",
            Refusal::RecurringNotPending => "the item is not pending in this month",
            Refusal::RecurringNotLate => "the item is not late in this month",
            Refusal::RecurringNotIgnored => "the item is not ignored in this month",
            Refusal::RecurringNotLinked => "no transaction is linked to the item",
            Refusal::RecurringNotIncome => "only an item of type income can be confirmed",
            Refusal::CosmeticLocked => "a higher level unlocks the cosmetic",
            Refusal::IdempotencyKeyReused => "the key was used for another request",
        })
    }
}

/// An invalid field of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field as the caller named it, with positions from 0: `rows[3].amount`.
    pub field: String,
    /// What is wrong.
    pub violation: Violation,
}

/// All errors of one input, so that they are reported together.
///
/// ```
/// use finance_domain::{FieldErrors, Violation};
///
/// let mut errors = FieldErrors::default();
/// assert_eq!(errors.require("name", Some("Casa")), Some("Casa"));
/// assert_eq!(errors.require::<i64>("day", None), None);
/// errors.push("day", Violation::NotAWholeNumber); // a second one about a field is dropped
/// assert_eq!(errors.to_string(), "day: is required");
/// assert!(errors.into_result().is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    /// The maximum number of errors kept. An input may have thousands of invalid rows.
    pub const COUNT_MAX: usize = 1_000;

    /// Adds an error, unless the field already has one.
    pub fn push(&mut self, field: impl Into<String>, violation: Violation) {
        let field = field.into();
        if self.0.len() < Self::COUNT_MAX && !self.has(&field) {
            self.0.push(FieldError { field, violation });
        }
    }

    /// The errors, with those of one field at another one.
    #[must_use]
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Self {
        self.0.iter_mut().filter(|error| error.field == from).for_each(|error| error.field = to.to_string());
        self
    }

    /// Whether the field already has an error.
    pub fn has(&self, field: &str) -> bool {
        self.0.iter().any(|error| error.field == field)
    }

    /// Returns the value. Adds an error if it is absent.
    pub fn require<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.push(field, Violation::Required);
        }
        value
    }

    /// Returns the value of an `Ok`. Adds the error of an `Err`.
    pub fn check<T>(&mut self, field: &str, value: Result<T, impl Into<Violation>>) -> Option<T> {
        value.map_err(|violation| self.push(field, violation.into())).ok()
    }

    /// Whether there is no error.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &FieldError> {
        self.0.iter()
    }

    /// Succeeds if there is no error.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all errors.
    pub fn into_result(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::Invalid(self)) }
    }

    /// The values of checked fields, if there is no error. So they come out together, or not at all.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all errors, or [`Error::Internal`] if a value is absent without an error.
    ///
    /// ```
    /// use finance_domain::FieldErrors;
    ///
    /// let mut errors = FieldErrors::default();
    /// let date = errors.require("date", Some("2026-03-10"));
    /// let amount = errors.require("amount", Some(12));
    /// assert_eq!(errors.all((date, amount)).unwrap(), ("2026-03-10", 12));
    ///
    /// let mut errors = FieldErrors::default();
    /// let amount = errors.require("amount", None::<i32>);
    /// assert_eq!(errors.all((amount,)).unwrap_err().to_string(), "amount: is required");
    /// ```
    pub fn all<F: CheckedFields>(self, fields: F) -> Result<F::Values> {
        self.into_result()?;
        fields.values().ok_or_else(|| Error::Internal("a field is absent without an error".into()))
    }
}

/// Fields of an input, each with its value if it has a valid one.
pub trait CheckedFields {
    /// The values of all fields.
    type Values;

    /// The values, if each field has one.
    fn values(self) -> Option<Self::Values>;
}

macro_rules! fields {
    ($($field:ident)+) => {
        impl<$($field),+> CheckedFields for ($(Option<$field>,)+) {
            type Values = ($($field,)+);

            #[allow(non_snake_case)]
            fn values(self) -> Option<Self::Values> {
                let ($($field,)+) = self;
                Some(($($field?,)+))
            }
        }
    };
}

fields!(A);
fields!(A B);
fields!(A B C);
fields!(A B C D);
fields!(A B C D E);

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, error) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            write!(f, "{separator}{}: {}", error.field, error.violation)?;
        }
        Ok(())
    }
}

/// What is wrong with a text that must be [normalized](crate::text::normalized).
pub(crate) const NOT_FOLDED: &str = "must be in lower case, without accents, leading blanks or trailing blanks";

/// An entry of a file of `config/` that cannot be meant. The program does not start with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The entry: its list, and perhaps its key.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

impl ConfigError {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        ConfigError { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for ConfigError {}
