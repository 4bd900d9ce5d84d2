//! Suggestions, and the rows that they are learned from.

use crate::ids::{CategoryId, RuleId};
use crate::installments::Installment;
use crate::money::Money;
use crate::transactions::Kind;
use crate::words::words;

words! {
    /// The source of a suggested category.
    pub enum SuggestionSource {
        /// A rule.
        Rule = "rule",
        /// The statement names it.
        File = "file",
        /// The same description.
        History = "history",
        /// An earlier instalment of the purchase.
        Installment = "installment",
        /// The same payee, or one whose name begins the same way.
        Payee = "payee",
        /// Words of the payee's name, from filed rows.
        Similar = "similar",
        /// Words of the payee's name, from the dictionary.
        Dictionary = "dictionary",
    }
}

/// A category for a row of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// The category.
    pub category_id: CategoryId,
    /// The source of the suggestion.
    pub source: SuggestionSource,
    /// The rule, if the source is one.
    pub rule_id: Option<RuleId>,
}

/// A filed transaction to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedRow {
    /// The description in its statement, [normalized](crate::text::normalized).
    pub description: String,
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: CategoryId,
}

/// An earlier instalment of a purchase, or a row for which one is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// The rest of the description, in the form used for comparison.
    pub shop: String,
    /// Which instalment it is.
    pub installment: Installment,
    /// The amount, above zero.
    pub amount: Money,
}

impl PlanRow {
    /// Whether the other row may be an earlier instalment of the same purchase. The amounts may differ by cents, because banks
    /// add the cents of rounding to the first instalment.
    pub fn may_follow(&self, earlier: &PlanRow) -> bool {
        let cents = i128::from(self.installment.count) - 1;
        self.shop == earlier.shop
            && self.installment.count == earlier.installment.count
            && earlier.installment.number < self.installment.number
            && (self.amount.cents() - earlier.amount.cents()).abs() <= cents
    }
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
