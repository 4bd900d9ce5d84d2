//! Profiles: one for each user, with a name and a password. A profile owns all other data.

use time::OffsetDateTime;

use crate::error::{FieldErrors, Result};
use crate::ids::{CredentialId, ProfileId};
use crate::text;
use crate::violations::Violation;

/// A user of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The profile's id, the `sub` of its tokens.
    pub id: ProfileId,
    /// The name the user logs in with; unique, whatever the case.
    pub name: String,
    /// The instant at which it was created.
    pub created_at: OffsetDateTime,
    /// Whether an operator has disabled it. It cannot log in, and its tokens are refused.
    pub is_disabled: bool,
}

/// The password of a profile, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The profile that owns it.
    pub profile: Profile,
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// The credential in a token.
    pub id: CredentialId,
}

/// A profile to create, or one whose password to set.
#[derive(Debug, Clone)]
pub struct NewProfile {
    /// The name, as [`text::name`] allows it.
    pub name: String,
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// The categories a new profile starts with.
    pub standard_categories: Vec<StandardCategory>,
}

/// A category that every new profile gets. It can be edited, but not deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardCategory {
    /// Its name, in the users' language.
    pub name: String,
    /// Whether its expenses count as taxes.
    pub is_tax: bool,
}

/// The profile a repository belongs to.
pub trait ProfileRepo {
    /// The profile's id; no query.
    fn profile_id(&self) -> ProfileId;

    /// The profile's credential.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`](crate::Store::transact).
    fn credential(&mut self) -> Result<Credential>;

    /// Replaces the password's hash and counts the version up, which refuses every older token.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`](crate::Store::transact).
    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential>;
}

/// The fewest characters of a password.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// The most bytes of a password. bcrypt ignores what follows, so a longer one is refused.
pub const PASSWORD_BYTES_MAX: usize = 72;

/// Whether a text may be a password: 8 characters to 72 bytes, and no NUL.
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

/// Checks the name and password of a profile to create; returns the name as it is stored.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
pub fn check_new(name: &str, new_password: &str) -> Result<String> {
    let mut errors = FieldErrors::default();
    let name = errors.check("name", text::name(name));
    errors.check("password", password(new_password));
    errors.into_result()?;
    Ok(name.unwrap_or_default())
}
