//! Use cases of tags.

use crate::error::Result;
use crate::store::Repo;
use crate::tags::{TAGS_LISTED_MAX, UsedTag};

/// The tags that the caller's transactions have, those used most first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<UsedTag>> {
    repo.tag_list(TAGS_LISTED_MAX)
}
