//! Suggested categories: the likely category of a statement row, and why it is suggested.
//!
//! The sources are tried in this order, and the first that has a category for the row is used:
//!
//! 1. a rule that the household created,
//! 2. the statement, if it names one of the household's categories,
//! 3. the same description: the category that was last used with it,
//! 4. the earlier instalment of the same purchase,
//! 5. the same payee: the most frequent category of its last rows,
//! 6. a payee whose name is a prefix of this payee's name, or has it as a prefix,
//! 7. the votes of the words of the payee's name, by earlier rows and by a dictionary of trades and chains.
//!
//! Transfers are not learned from, and no category is suggested for a transfer.

mod display;
mod history;
mod merchants;
mod payee;
mod shown;
mod values;

use std::collections::HashMap;

use crate::categories::Allowed;
use crate::entries::Grammar;
use crate::error::Result;
use crate::ids::{AccountId, CategoryId};
use crate::transactions::Kind;

pub(crate) use history::parts_of_key;
pub use history::{History, PAYEE_ROWS_MAX, PREFIX_LETTERS_MIN};
pub use merchants::{Dictionary, MerchantGroup, Merchants};
pub use payee::{PayeeLists, Payees};
pub use shown::{Display, DisplayLists, Method, MethodWords};
pub use values::{LearnedRow, PlanRow, Suggestion, SuggestionSource};

/// The words of the catalogs: what is known about payees and about what shops sell, and the names of icons and colors.
/// The same for every profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lexicon {
    /// The lists that find the name of a payee.
    pub payees: Payees,
    /// The dictionary.
    pub merchants: Merchants,
    /// The icons that a category may have.
    pub icons: Allowed,
    /// The words by which a line is read as an entry.
    pub grammar: Grammar,
    /// The colors that a category may have.
    pub colors: Allowed,
}

/// The most rows that are learned from: the newest rows with a category. They cover years of a household, and keep the cost of a
/// preview independent of the length of the history. The same description is searched for in the whole history.
pub const LEARNED_ROWS_MAX: u32 = 10_000;

/// The port of suggestions: earlier rows and their categories. Transfers are always left out. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
pub trait SuggestionRepo {
    /// For each type and normalized description of a statement, the category that was last used with it (by date, then id).
    fn categories_of_descriptions(&mut self, wanted: &[(Kind, String)]) -> Result<HashMap<(Kind, String), CategoryId>>;
    /// The instalments of an account that have a category and one of the shops, newest first: at most
    /// [`ROWS_READ_MAX`](crate::installments::ROWS_READ_MAX).
    fn filed_installments(&mut self, account_id: AccountId, shops: &[String]) -> Result<Vec<(PlanRow, CategoryId)>>;
    /// The newest transactions that have a category, newest first.
    fn learned_rows(&mut self, limit: u32) -> Result<Vec<LearnedRow>>;
    /// Of the same rows, those that contain one of the parts. A part consists of letters and digits.
    fn learned_rows_with(&mut self, limit: u32, parts: &[String]) -> Result<Vec<LearnedRow>>;
}
