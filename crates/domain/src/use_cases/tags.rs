//! Use cases of tags.

use crate::error::Result;
use crate::store::Repo;
use crate::tags::{TAGS_LISTED_MAX, UsedTag};

/// The tags of the caller's transactions, the most used first.
pub fn list(repo: &mut dyn Repo) -> Result<Vec<UsedTag>> {
    repo.tag_list(TAGS_LISTED_MAX)
}
