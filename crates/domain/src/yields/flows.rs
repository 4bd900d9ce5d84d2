//! What came and went on an account, by date.

use crate::money::Money;

/// What came and went on an account on one date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// What came, yield left out.
    pub income: Money,
    /// The yield that was paid. Below zero where more was lost than earned.
    pub earned: Money,
    /// What went.
    pub expenses: Money,
}
