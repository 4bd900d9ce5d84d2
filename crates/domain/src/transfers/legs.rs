//! Finds the rows of a statement that are legs which this service created before the statement was imported.

use std::collections::HashMap;

use time::{Date, Duration};

use crate::ids::AccountId;
use crate::money::Money;
use crate::transactions::Kind;
use crate::transfers::rows::near_days;

/// The values that decide whether a row is a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LegKey {
    /// Its account.
    pub account_id: AccountId,
    /// Income or expense.
    pub kind: Kind,
    /// The amount.
    pub amount: Money,
    /// The leg's own date, or the row's date in its statement.
    pub date: Date,
}

/// Matches new rows with legs. The result holds positions in `legs`, in the order of `rows`. A row matches a leg of the same
/// account, type and amount that is at most [`NEAR_DAYS_MAX`](crate::transfers::NEAR_DAYS_MAX) days away. Of N equal rows and M
/// such legs, min(N, M) match, the nearest first.
///
/// ```
/// use finance_domain::transfers::{LegKey, match_legs};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{AccountId, Money};
/// use time::macros::date;
///
/// let leg = LegKey { account_id: AccountId(1), kind: Kind::Expense, amount: Money::from_cents(5), date: date!(2026-03-05) };
/// let row = LegKey { date: date!(2026-03-07), ..leg };
/// assert_eq!(match_legs(&[row, row], &[leg]), [Some(0), None]);
/// ```
pub fn match_legs(rows: &[LegKey], legs: &[LegKey]) -> Vec<Option<usize>> {
    let mut free: HashMap<LegKey, Vec<usize>> = HashMap::new();
    for (at, leg) in legs.iter().enumerate().rev() {
        free.entry(*leg).or_default().push(at);
    }
    let mut matched = vec![None; rows.len()];
    if free.is_empty() {
        return matched;
    }
    for days in near_days() {
        for (row, found) in rows.iter().zip(&mut matched).filter(|(_, found)| found.is_none()) {
            let Some(date) = row.date.checked_add(Duration::days(days)) else { continue };
            *found = free.get_mut(&LegKey { date, ..*row }).and_then(Vec::pop);
        }
    }
    matched
}
