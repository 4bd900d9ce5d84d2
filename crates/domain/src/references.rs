//! References: the category and the account that an input names.

use crate::accounts::AccountKind;
use crate::error::Result;
use crate::ids::{AccountId, CategoryId};

/// What the profile has of a category and an account that were named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct References {
    /// Whether it has the category. False where none was named.
    pub has_category: bool,
    /// The kind of the account. None where it has no such account, or none was named.
    pub account_kind: Option<AccountKind>,
}

/// The port of references. It may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait ReferenceRepo {
    /// Looks a category and an account up, in one query.
    fn references_get(&mut self, category_id: Option<CategoryId>, account_id: Option<AccountId>) -> Result<References>;
}
