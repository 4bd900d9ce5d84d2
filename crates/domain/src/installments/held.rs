//! Plans with the instalments of held statements. An instalment of a held statement is not projected again.

use std::collections::{BTreeMap, HashMap};

use time::Date;

use super::filling::{Mark, fill};
use super::plans::{Calendar, InstallmentRow};
use super::reading::read;
use crate::ids::AccountId;
use crate::money::Money;

/// An expense of a held statement. It is not a transaction yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldInstallment {
    /// The card.
    pub account_id: AccountId,
    /// The date on which its bill is paid. The transaction will have this date.
    pub payment_date: Date,
    /// The purchase date.
    pub date: Date,
    /// Its description.
    pub description: String,
    /// The text of the statement, whatever the row was renamed to.
    pub statement_text: String,
    /// The amount, above zero.
    pub amount: Money,
}

impl HeldInstallment {
    /// The row that it will become. None if its statement's text has no instalment.
    fn row(&self) -> Option<InstallmentRow> {
        let reading = read(&self.statement_text)?;
        Some(InstallmentRow {
            id: None,
            account_id: self.account_id,
            category_id: None,
            date: self.payment_date,
            original_date: Some(self.date),
            installment: reading.installment,
            shop: reading.shop,
            description: self.description.clone(),
            amount: self.amount,
            is_removable: false,
            is_ended: false,
        })
    }
}

/// Adds the instalments of held statements to the stored rows of plans. A held instalment that was entered by hand adds nothing. Those
/// that statements have brought were told apart when the statement came: an equal one that it holds is of another purchase.
///
/// ```
/// use std::collections::HashMap;
/// use finance_domain::credit_bills::{Cycle, Cycles};
/// use finance_domain::installments::{Calendar, HeldInstallment, plans, with_held};
/// use finance_domain::{AccountId, Money};
/// use time::macros::date;
///
/// let (account_id, today) = (AccountId(1), date!(2026-03-20));
/// let calendar = Calendar::new(Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []), today);
/// let calendars = HashMap::from([(account_id, calendar)]);
/// let held = HeldInstallment {
///     account_id, payment_date: date!(2026-04-05), date: date!(2026-03-03), description: "Televisão".into(),
///     statement_text: "Loja - Parcela 1/3".into(), amount: Money::from_cents(10_000),
/// };
/// let plans = plans(with_held(Vec::new(), &[held], &calendars), &calendars, &|shop| shop.to_string());
/// let projected: Vec<_> = plans[0].projected().map(|upcoming| (upcoming.number, upcoming.period.due)).collect();
/// assert_eq!(projected, [(2, date!(2026-05-05)), (3, date!(2026-06-05))]);
/// ```
pub fn with_held(
    mut rows: Vec<InstallmentRow>,
    held: &[HeldInstallment],
    calendars: &HashMap<AccountId, Calendar>,
) -> Vec<InstallmentRow> {
    for (account_id, calendar) in calendars {
        let mark = |row: &InstallmentRow| Mark {
            installment: row.installment,
            shop: row.shop.clone(),
            amount: row.amount,
            bill: calendar.cycles.number_of(&calendar.cycles.period_of(row.date, row.original_date)),
            is_entered: row.is_removable,
        };
        let of_card: Vec<InstallmentRow> =
            held.iter().filter(|held| held.account_id == *account_id).filter_map(HeldInstallment::row).collect();
        if of_card.is_empty() {
            continue;
        }
        let is_entered = |row: &&InstallmentRow| row.account_id == *account_id && row.is_removable;
        let entered: Vec<Mark> = rows.iter().filter(is_entered).map(mark).collect();
        let marks: Vec<Mark> = of_card.iter().map(mark).collect();
        let is_stored = fill(&marks, &entered).into_iter().map(|place| place.is_some());
        rows.extend(of_card.into_iter().zip(is_stored).filter(|(_, is_stored)| !is_stored).map(|(row, _)| row));
    }
    rows
}

/// For each card with held instalments, the first day of the oldest bill that may have the last stored row of a plan that one of them
/// [follows](super::plans()): it may come after many bills of which no statement was brought.
pub fn followed_since(held: &[HeldInstallment], calendars: &HashMap<AccountId, Calendar>) -> HashMap<AccountId, Date> {
    let mut numbers: BTreeMap<(AccountId, Date), u8> = BTreeMap::new();
    for (held, reading) in held.iter().filter_map(|held| Some((held, read(&held.statement_text)?))) {
        let highest = numbers.entry((held.account_id, held.payment_date)).or_default();
        *highest = reading.installment.number.max(*highest);
    }
    let mut since = HashMap::new();
    for ((account_id, payment_date), number) in numbers {
        let Some(Calendar { cycles, .. }) = calendars.get(&account_id) else { continue };
        let own = cycles.period_of_payment(payment_date);
        let first = (0..number).fold(own, |period, _| cycles.period_before(&period)).start;
        since.entry(account_id).and_modify(|known: &mut Date| *known = first.min(*known)).or_insert(first);
    }
    since
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::date;

    use super::*;
    use crate::credit_bills::{Cycle, Cycles};
    use crate::ids::TransactionId;
    use crate::installments::describe;
    use crate::installments::plans::{Plan, plans};
    use crate::installments::reading::Installment;

    const CARD: AccountId = AccountId(1);
    const COUNT: u8 = 6;

    fn calendars(today: Date) -> HashMap<AccountId, Calendar> {
        HashMap::from([(CARD, Calendar::new(Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []), today))])
    }

    fn text(number: u8) -> String {
        describe("Loja", Installment { number, count: COUNT })
    }

    /// Instalment `number`, entered by hand, on the bill `bills` bills before the one that is open on 20 March 2026; 0 is the open one.
    fn stored(number: u8, bills: i32) -> InstallmentRow {
        let month = crate::month::Month::of(date!(2026 - 03 - 01)).minus(bills);
        let held = held(number, 0);
        InstallmentRow {
            id: Some(TransactionId(number.into())),
            date: month.first_day(),
            original_date: None,
            is_removable: true,
            ..held.row().unwrap()
        }
    }

    /// Instalment `number` in the statement that is paid `bills` months after 5 April 2026, the due date of the open bill.
    fn held(number: u8, bills: i32) -> HeldInstallment {
        let payment_date = crate::month::Month::of(date!(2026 - 04 - 01)).plus(bills).day_clamped(5);
        let (date, amount) = (date!(2026 - 01 - 03), Money::from_cents(10_000));
        let (description, statement_text) = ("Renamed".into(), text(number));
        HeldInstallment { account_id: CARD, payment_date, date, description, statement_text, amount }
    }

    /// The projected numbers, with the months of their bills' due dates.
    fn projected(plans: &[Plan]) -> Vec<(u8, u8)> {
        let all = plans.iter().flat_map(Plan::projected);
        all.map(|upcoming| (upcoming.number, u8::from(upcoming.period.due.month()))).collect()
    }

    #[test]
    fn what_a_held_statement_asks_for_is_not_projected_again() {
        let calendars = calendars(date!(2026 - 03 - 20));
        let with = |held: &[HeldInstallment]| {
            projected(&plans(with_held(vec![stored(3, 1)], held, &calendars), &calendars, &str::to_string))
        };
        for (held, expected) in [
            (vec![], vec![(4, 4), (5, 5), (6, 6)]),
            // The instalment of the open bill.
            (vec![held(4, 0)], vec![(5, 5), (6, 6)]),
            // The instalment of the closed bill, which comes late. The next ones are on the bills after it.
            (vec![HeldInstallment { payment_date: date!(2026 - 03 - 24), ..held(4, 0) }], vec![(5, 4), (6, 5)]),
            // Two statements, then instalments that were paid early.
            (vec![held(4, 0), held(5, 1)], vec![(6, 6)]),
            (vec![held(4, 0), held(5, 0), held(6, 0)], vec![]),
            // An instalment that is stored already, another shop's expense and another card's instalment add nothing to this
            // plan.
            (vec![held(3, 0)], vec![(4, 4), (5, 5), (6, 6)]),
            (vec![HeldInstallment { statement_text: "Mercado".into(), ..held(4, 0) }], vec![(4, 4), (5, 5), (6, 6)]),
            (vec![HeldInstallment { account_id: AccountId(2), ..held(4, 0) }], vec![(4, 4), (5, 5), (6, 6)]),
        ] {
            assert_eq!(with(&held), expected, "{held:?}");
        }
    }

    #[test]
    fn a_purchase_like_one_that_a_statement_has_brought_is_a_plan_of_its_own() {
        let calendars = calendars(date!(2026 - 03 - 20));
        let next: [(u8, u8); 5] = [(2, 5), (3, 6), (4, 7), (5, 8), (6, 9)];
        for (is_removable, expected) in [(false, [next, next].concat()), (true, next.to_vec())] {
            let known = InstallmentRow { is_removable, ..stored(1, 0) };
            let rows = with_held(vec![known], &[held(1, 0)], &calendars);
            assert_eq!(projected(&plans(rows, &calendars, &str::to_string)), expected);
        }
    }

    #[test]
    fn the_row_before_may_be_as_many_bills_back_as_the_number_of_the_instalment() {
        let calendars = calendars(date!(2026 - 03 - 20));
        assert_eq!(followed_since(&[], &calendars), HashMap::new());
        // The bill of 5 April began on 25 February.
        let since = followed_since(&[held(2, 0), held(5, 1)], &calendars);
        assert_eq!(since, HashMap::from([(CARD, date!(2025 - 10 - 25))]));
        for (bills, count) in [(2, 1), (3, 2)] {
            let rows = with_held(vec![stored(1, bills)], &[held(2, 0)], &calendars);
            assert_eq!(plans(rows, &calendars, &str::to_string).len(), count, "{bills}");
        }
    }

    proptest! {
        /// However many instalments are held, every number to come occurs once: held or projected.
        #[test]
        fn no_number_comes_twice(last in 1..COUNT, on_open in any::<bool>(), held_bills in 0..3_usize, skipped in 0..2_usize) {
            let calendars = calendars(date!(2026 - 03 - 20));
            let before = vec![stored(last, i32::from(!on_open))];
            // Statements follow each other, starting with the bill after the stored instalment.
            let next = if on_open { 1 } else { 0 };
            let numbers: Vec<u8> = (last + 1..=COUNT).collect();
            let held: Vec<HeldInstallment> = numbers.iter().zip(0..).skip(skipped).take(held_bills)
                .map(|(number, bill)| held(*number, next + bill)).collect();
            let after = plans(with_held(before, &held, &calendars), &calendars, &str::to_string);
            let mut all: Vec<u8> = projected(&after).into_iter().map(|(number, _)| number).collect();
            all.extend(held.iter().map(|held| read(&held.statement_text).unwrap().installment.number));
            all.sort_unstable();
            // Numbers before the first held statement are not projected: they have come, or will not come.
            let from = if held.is_empty() { 0 } else { skipped };
            prop_assert_eq!(all, &numbers[from.min(numbers.len())..]);
        }
    }
}
