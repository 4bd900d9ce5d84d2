//! The sign of purchases in a card's file.

use super::header::{Amount, Plan};
use crate::amount::{Decimal, cents, has_direction};
use crate::{CardSign, Options};

/// What the amounts of a card's file show about the sign of purchases.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SignEvidence {
    positive: usize,
    negative: usize,
    positive_payments: usize,
    negative_payments: usize,
    /// How many amounts say by a letter that they are a debit.
    debits: usize,
    /// How many say that they are a credit.
    credits: usize,
}

impl SignEvidence {
    /// Nothing was looked at.
    pub(super) const NONE: Self =
        SignEvidence { positive: 0, negative: 0, positive_payments: 0, negative_payments: 0, debits: 0, credits: 0 };

    /// Looks at the amount of a row.
    pub(super) fn observe(&mut self, amount: &str, is_payment: impl Fn() -> bool) {
        let Some(cents) = cents(amount, Decimal::ByValue).ok().filter(|cents| *cents != 0) else { return };
        if has_direction(amount) {
            *if cents < 0 { &mut self.debits } else { &mut self.credits } += 1;
            return;
        }
        let is_payment = usize::from(is_payment());
        if cents > 0 {
            self.positive += 1;
            self.positive_payments += is_payment;
        } else {
            self.negative += 1;
            self.negative_payments += is_payment;
        }
    }

    /// Whether letters tell the sign of all amounts. Where only credits have one, the other amounts may be purchases.
    fn are_lettered(&self) -> bool {
        self.debits > 0 || self.credits > 0 && self.positive + self.negative == 0
    }

    /// The sign of purchases, where no letter tells it. None if the file is not a card's.
    ///
    /// Columns and letters that tell income from expenses count as written. Then the caller knows, or has chosen the column, whose
    /// sign counts as written; then a known layout; then payments of the bill, which have the other sign; then most rows.
    pub(super) fn decide(&self, plan: &Plan, options: &Options, has_direction: bool) -> Option<CardSign> {
        use CardSign::{PurchasesNegative, PurchasesPositive};
        if !(options.on_card || plan.is_card_layout) {
            return None;
        }
        if has_direction || self.are_lettered() || matches!(plan.columns.amount, Amount::Split { .. }) {
            return Some(PurchasesNegative);
        }
        if options.card_sign.is_some() {
            return options.card_sign;
        }
        if options.amount_column.is_some() {
            return Some(PurchasesNegative);
        }
        // An account's layout says nothing of a card's signs.
        if plan.is_card_layout {
            return Some(if plan.is_card { PurchasesPositive } else { PurchasesNegative });
        }
        Some(match (self.positive_payments, self.negative_payments) {
            (0, 1..) => PurchasesPositive,
            (1.., 0) => PurchasesNegative,
            _ if self.positive > self.negative => PurchasesPositive,
            _ => PurchasesNegative,
        })
    }
}
