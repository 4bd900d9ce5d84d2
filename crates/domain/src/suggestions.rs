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

use std::collections::HashMap;

use crate::error::Result;
use crate::ids::{AccountId, CategoryId, RuleId};
use crate::installments::Installment;
use crate::money::Money;
use crate::transactions::Kind;
use crate::words::words;

pub use history::{History, PAYEE_ROWS_MAX, PREFIX_LETTERS_MIN};
pub use merchants::{Dictionary, MerchantError, MerchantGroup, Merchants};
pub use payee::{PayeeError, PayeeLists, Payees};

words! {
    /// What a category is suggested by.
    pub enum SuggestionSource {
        /// A rule.
        Rule = "rule",
        /// The same description.
        History = "history",
        /// An earlier instalment of the purchase.
        Installment = "installment",
        /// The same payee, or one whose name begins alike.
        Payee = "payee",
        /// Words of the payee's name, as they were filed.
        Similar = "similar",
        /// Words of the payee's name, by the dictionary.
        Dictionary = "dictionary",
    }
}

/// A category for a row of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// The category.
    pub category_id: CategoryId,
    /// What it is by.
    pub source: SuggestionSource,
    /// The rule, where it is by one.
    pub rule_id: Option<RuleId>,
}

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

/// A filed transaction, as it is learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedRow {
    /// The description in its statement, [normalized](crate::text::normalized).
    pub description: String,
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: CategoryId,
}

/// An earlier instalment of a purchase, or a row of which one is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// The rest of the description, as it is compared.
    pub shop: String,
    /// Which instalment it is.
    pub installment: Installment,
    /// The amount, above zero.
    pub amount: Money,
}

impl PlanRow {
    /// Whether the other row may be an earlier instalment of the same purchase: banks put the cents of rounding on the first.
    pub fn may_follow(&self, earlier: &PlanRow) -> bool {
        let cents = i128::from(self.installment.count) - 1;
        self.shop == earlier.shop
            && self.installment.count == earlier.installment.count
            && earlier.installment.number < self.installment.number
            && (self.amount.cents() - earlier.amount.cents()).abs() <= cents
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instalment_follows_earlier_ones_of_its_shop_count_and_amount() {
        let row = |shop: &str, number, count, cents| PlanRow {
            shop: shop.into(),
            installment: Installment { number, count },
            amount: Money::from_cents(cents),
        };
        let third = row("loja", 3, 10, 1_000);
        for (earlier, expected) in [
            (row("loja", 2, 10, 1_000), true),
            (row("loja", 1, 10, 1_009), true),
            (row("loja", 1, 10, 1_010), false),
            (row("loja", 3, 10, 1_000), false),
            (row("loja", 4, 10, 1_000), false),
            (row("loja", 2, 11, 1_000), false),
            (row("outra", 2, 10, 1_000), false),
        ] {
            assert_eq!(third.may_follow(&earlier), expected, "{earlier:?}");
        }
    }
}
