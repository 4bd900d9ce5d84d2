//! Suggested categories: what a row of a statement is likely to be filed under, and why.
//!
//! The sources have an order, and the first that knows the row is told:
//!
//! 1. a rule that the household made,
//! 2. the same description, as it was filed last,
//! 3. the earlier instalment of the same purchase,
//! 4. the same payee: the most frequent category of its last rows,
//! 5. a payee whose name begins with this one, or begins it,
//! 6. the votes of the words of its name, each by how it was filed and by a dictionary of trades and chains.
//!
//! Nothing is learned from transfers, and nothing is suggested for one.

mod history;
mod merchants;
mod payee;
mod values;

use std::collections::HashMap;

use crate::error::Result;
use crate::ids::{AccountId, CategoryId};
use crate::transactions::Kind;

pub use history::{History, PAYEE_ROWS_MAX, PREFIX_LETTERS_MIN};
pub use merchants::{Dictionary, MerchantError, MerchantGroup, Merchants};
pub use payee::{PayeeError, PayeeLists, Payees};
pub use values::{LearnedRow, PlanRow, Suggestion, SuggestionSource};

/// What is known of payees and of what is bought at shops, the same for every profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lexicon {
    /// How the name of a payee is found.
    pub payees: Payees,
    /// The dictionary.
    pub merchants: Merchants,
}

/// The most rows that are learned from, the newest ones that are filed: years of a household, and a preview costs the same
/// however long the history is. The same description is looked for in all of it.
pub const LEARNED_ROWS_MAX: u32 = 10_000;

/// The port of suggestions: what was filed. Transfers are left out everywhere. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait SuggestionRepo {
    /// For each type and normalized description of a statement the category that was used with it last (by date, then id).
    fn categories_of_descriptions(&mut self, wanted: &[(Kind, String)]) -> Result<HashMap<(Kind, String), CategoryId>>;
    /// The filed instalments of an account that have one of the shops, the newest first: at most
    /// [`ROWS_READ_MAX`](crate::installments::ROWS_READ_MAX).
    fn filed_installments(&mut self, account_id: AccountId, shops: &[String]) -> Result<Vec<(PlanRow, CategoryId)>>;
    /// The newest filed transactions, the newest first.
    fn learned_rows(&mut self, limit: u32) -> Result<Vec<LearnedRow>>;
}
