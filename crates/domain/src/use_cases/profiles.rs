//! Use cases of profiles.

use crate::error::Result;
use crate::profiles::Profile;
use crate::store::Repo;

/// The caller's profile.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn get(repo: &mut dyn Repo) -> Result<Profile> {
    Ok(repo.credential()?.profile)
}
