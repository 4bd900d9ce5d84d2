//! References: the category and the account that an input names.

use crate::accounts::AccountKind;
use crate::error::Result;
use crate::ids::{AccountId, CategoryId};

/// Whether the named category and the named account exist in the profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct References {
    /// Whether the category exists. False if none was named.
    pub has_category: bool,
    /// The kind of the account. None if the profile has no such account, or none was named.
    pub account_kind: Option<AccountKind>,
}

/// The port of references. It may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ReferenceRepo {
    /// Looks up a category and an account in one query.
    fn references_get(&mut self, category_id: Option<CategoryId>, account_id: Option<AccountId>) -> Result<References>;
}
