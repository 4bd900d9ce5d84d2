//! Money that came in and went out of an account, by date.

use crate::money::Money;

/// Money that came in and went out of an account on one date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flow {
    /// What came in, without yield.
    pub income: Money,
    /// The yield that was paid. Below zero if more was lost than earned.
    pub earned: Money,
    /// What went out.
    pub expenses: Money,
}
