//! Use cases of sessions.

use time::OffsetDateTime;

use crate::error::Result;
use crate::sessions::Session;
use crate::store::Repo;

/// The sessions of the member for whom the caller acts, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo, now: OffsetDateTime) -> Result<Vec<Session>> {
    repo.session_list(now)
}

/// Ends every login of the member for whom the caller acts, including the caller's, and removes the member's invitations.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn end_all(repo: &mut dyn Repo) -> Result<()> {
    repo.credential_renew().map(|_| ())
}
