//! Finds the rows of a statement that are instalments entered by hand.

use std::collections::HashMap;

use super::reading::Installment;
use crate::money::Money;

/// The data that identifies an instalment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Which instalment it is.
    pub installment: Installment,
    /// Its [shop](super::Reading::shop).
    pub shop: String,
    /// The amount, above zero.
    pub amount: Money,
    /// The [number](crate::credit_bills::Cycles::number_of) of its bill.
    pub bill: i32,
    /// Whether a person entered it and no statement has told of it, so that it may have another name.
    pub is_entered: bool,
}

impl Mark {
    /// Whether both may be one instalment: the same shop, number and count, amounts that differ by at most one cent for each
    /// other instalment, and bills exactly `bills` apart.
    fn fits(&self, other: &Mark, bills: i32) -> bool {
        let most = Money::from_cents(i128::from(self.installment.count) - 1);
        (self.bill - other.bill).abs() == bills && (self.amount - other.amount).abs() <= most
    }
}

/// The most bills between a row of a statement and the instalment entered for it.
pub const FILLING_BILLS_MAX: i32 = 1;

/// For each row of one card's statement, returns the index in `entered` of the instalment that the row is. An instalment on the
/// same bill goes before one on the bill before or after it. Each instalment is taken once, the first ones first. Of what is left, a
/// row is the entered instalment of another shop on the same bill with the same amount if each is the only one that fits the other: a
/// person names a purchase as they like.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::installments::{Installment, Mark, fill};
///
/// let mark = |number, bill| Mark {
///     installment: Installment { number, count: 3 }, shop: "loja".into(), amount: Money::from_cents(3_333), bill,
///     is_entered: true,
/// };
/// let entered = [mark(1, 10), mark(2, 11)];
/// assert_eq!(fill(&[mark(2, 12), mark(3, 12), mark(1, 10)], &entered), [Some(1), None, Some(0)]);
/// ```
pub fn fill(rows: &[Mark], entered: &[Mark]) -> Vec<Option<usize>> {
    let mut left: HashMap<(Installment, &str), Vec<usize>> = HashMap::new();
    for (at, mark) in entered.iter().enumerate() {
        left.entry((mark.installment, &mark.shop)).or_default().push(at);
    }
    let mut found = vec![None; rows.len()];
    for bills in 0..=FILLING_BILLS_MAX {
        for (row, found) in rows.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let Some(left) = left.get_mut(&(row.installment, row.shop.as_str())) else { continue };
            if let Some(place) = left.iter().position(|at| row.fits(&entered[*at], bills)) {
                *found = Some(left.remove(place));
            }
        }
    }
    fill_other_shops(rows, entered, left.into_values().flatten(), &mut found);
    found
}

fn fill_other_shops(rows: &[Mark], entered: &[Mark], left: impl Iterator<Item = usize>, found: &mut [Option<usize>]) {
    let place = |mark: &Mark| (mark.installment, mark.amount, mark.bill);
    let mut entered_at: HashMap<(Installment, Money, i32), Vec<usize>> = HashMap::new();
    for at in left.filter(|at| entered[*at].is_entered) {
        entered_at.entry(place(&entered[at])).or_default().push(at);
    }
    let mut rows_at: HashMap<(Installment, Money, i32), Vec<usize>> = HashMap::new();
    for at in (0..rows.len()).filter(|at| found[*at].is_none()) {
        rows_at.entry(place(&rows[at])).or_default().push(at);
    }
    for (place, rows) in rows_at {
        if let ([row], Some([only])) = (&rows[..], entered_at.get(&place).map(Vec::as_slice)) {
            found[*row] = Some(*only);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(number: u8, shop: &str, cents: i128, bill: i32) -> Mark {
        Mark {
            installment: Installment { number, count: 3 },
            shop: shop.into(),
            amount: Money::from_cents(cents),
            bill,
            is_entered: true,
        }
    }

    #[test]
    fn a_row_is_the_instalment_of_its_shop_number_amount_and_bill() {
        let entered = [mark(2, "loja", 3_333, 10)];
        for (row, is_it) in [
            (mark(2, "loja", 3_333, 10), true),
            (mark(2, "loja", 3_335, 10), true),
            (mark(2, "loja", 3_336, 10), false),
            (mark(2, "loja", 3_331, 11), true),
            (mark(2, "loja", 3_333, 9), true),
            (mark(2, "loja", 3_333, 12), false),
            (mark(2, "loja", 3_333, 8), false),
            (mark(1, "loja", 3_333, 10), false),
            (mark(2, "outra", 3_333, 10), true),
            (mark(2, "outra", 3_334, 10), false),
            (mark(2, "outra", 3_333, 11), false),
        ] {
            assert_eq!(fill(std::slice::from_ref(&row), &entered), [is_it.then_some(0)], "{row:?}");
        }
        let of_another_count = Mark { installment: Installment { number: 2, count: 4 }, ..entered[0].clone() };
        assert_eq!(fill(&[of_another_count], &entered), [None]);
    }

    #[test]
    fn each_is_taken_once_and_the_one_on_the_same_bill_first() {
        let row = |bill| mark(2, "loja", 3_333, bill);
        assert_eq!(fill(&[row(10), row(10)], &[row(10)]), [Some(0), None]);
        assert_eq!(fill(&[row(10), row(11)], &[row(11), row(10)]), [Some(1), Some(0)]);
        assert_eq!(fill(&[row(10), row(11)], &[row(11)]), [None, Some(0)]);
        let other = |bill| mark(2, "outra", 3_333, bill);
        assert_eq!(fill(&[other(10)], &[row(10), row(10)]), [None], "two fit");
        assert_eq!(fill(&[other(10), other(10)], &[row(10)]), [None, None], "two fit");
        assert_eq!(fill(&[other(10), row(10)], &[row(10)]), [None, Some(0)], "its own shop goes first");
    }
}
