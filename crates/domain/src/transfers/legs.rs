//! Finds the rows of a statement that are legs which this service created before the statement was imported.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use time::Date;

use crate::ids::AccountId;
use crate::money::Money;
use crate::pairing::pair_dates;
use crate::transactions::Kind;

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
/// account, type and amount if it is `days` after the leg. As many rows as can be match, the nearest ones.
///
/// ```
/// use finance_domain::transfers::{LegKey, match_legs};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{AccountId, Money};
/// use time::macros::date;
///
/// let leg = LegKey { account_id: AccountId(1), kind: Kind::Expense, amount: Money::from_cents(5), date: date!(2026-03-05) };
/// let row = LegKey { date: date!(2026-03-07), ..leg };
/// assert_eq!(match_legs(&[row, row], &[leg], &(-4..=4)), [Some(0), None]);
/// ```
pub fn match_legs(rows: &[LegKey], legs: &[LegKey], days: &RangeInclusive<i64>) -> Vec<Option<usize>> {
    let grouped = |keys: &[LegKey]| {
        let mut groups: HashMap<(AccountId, Kind, Money), Vec<usize>> = HashMap::new();
        for (at, key) in keys.iter().enumerate() {
            groups.entry((key.account_id, key.kind, key.amount)).or_default().push(at);
        }
        groups.values_mut().for_each(|group| group.sort_by_key(|at| keys[*at].date));
        groups
    };
    let mut matched = vec![None; rows.len()];
    let of_legs = grouped(legs);
    for (group, rows_of_group) in grouped(rows) {
        let Some(legs_of_group) = of_legs.get(&group) else { continue };
        let dates = |keys: &[LegKey], of: &[usize]| of.iter().map(|at| keys[*at].date).collect::<Vec<_>>();
        let (from, to) = (dates(legs, legs_of_group), dates(rows, &rows_of_group));
        for (leg, row) in pair_dates(&from, &to, days, |_, _| true) {
            matched[rows_of_group[row]] = Some(legs_of_group[leg]);
        }
    }
    matched
}
