//! Profiles: the data of one household. The members of a profile log in to it. The first member is created with it.

use crate::categories::Planning;
use crate::error::{FieldErrors, Result};
use crate::members::NewLink;
use crate::text;
use crate::violations::Violation;

/// A profile to create with its owner, or an existing member whose password is set.
#[derive(Debug, Clone)]
pub struct NewProfile {
    /// The member's name, as [`text::name`] allows it.
    pub name: String,
    /// How the member gets its password.
    pub access: NewAccess,
    /// The categories a new profile starts with.
    pub standard_categories: Vec<StandardCategory>,
}

/// How a member gets a password from an operator.
#[derive(Debug, Clone)]
pub enum NewAccess {
    /// The bcrypt hash of the password, which is set now.
    Password(String),
    /// A link with which the member sets it. Until then, everything stays as it is.
    Link(NewLink),
}

/// A category that every new profile gets. It can be edited, but not deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardCategory {
    /// Its name, in the users' language.
    pub name: String,
    /// Whether its expenses count as taxes.
    pub is_tax: bool,
    /// How it is shown at first.
    pub planning: Planning,
}

/// The fewest characters of a password.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// The most bytes of a password. bcrypt ignores any bytes after them, so a longer password is refused.
pub const PASSWORD_BYTES_MAX: usize = 72;

/// Checks a password: at least 8 characters, at most 72 bytes, no NUL.
///
/// ```
/// use finance_domain::profiles::password;
///
/// assert!(password("correct horse").is_ok());
/// assert!(password("short").is_err());
/// assert!(password(&"ç".repeat(40)).is_err(), "80 bytes are beyond what bcrypt reads");
/// ```
///
/// # Errors
///
/// [`Violation::TooShort`], [`Violation::TooManyBytes`] or [`Violation::NulCharacter`].
pub fn password(text: &str) -> Result<&str, Violation> {
    if text.chars().count() < PASSWORD_CHARS_MIN {
        Err(Violation::TooShort { min: PASSWORD_CHARS_MIN as i64 })
    } else if text.len() > PASSWORD_BYTES_MAX {
        Err(Violation::TooManyBytes { max: PASSWORD_BYTES_MAX as i64 })
    } else if text.contains('\0') {
        Err(Violation::NulCharacter)
    } else {
        Ok(text)
    }
}

/// Checks the name of a new member who sets its password by a link. Returns the name as it is stored.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid).
pub fn check_new_name(name: &str) -> Result<String> {
    let mut errors = FieldErrors::default();
    let name = errors.check("name", text::name(name));
    errors.all((name,)).map(|(name,)| name)
}

/// Checks the name and password of a new member. Returns the name as it is stored.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
pub fn check_new(name: &str, new_password: &str) -> Result<String> {
    let mut errors = FieldErrors::default();
    let name = errors.check("name", text::name(name));
    errors.check("password", password(new_password));
    errors.all((name,)).map(|(name,)| name)
}
