//! Recurring items, which are expected every month, and the status of each in a given month.

mod matching;

use std::collections::{HashMap, HashSet};

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, ProfileId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::words::words;

pub use matching::{AmountBand, CoveredBy, MatchItem, MatchTransaction, amount_bands, match_recurring};

/// A recurring item of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurring {
    /// Its id.
    pub id: RecurringId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Income or expense.
    pub kind: Kind,
    /// Its description, 1 to 255 characters.
    pub description: String,
    /// The expected amount, above zero.
    pub amount: Money,
    /// Its category.
    pub category_id: CategoryId,
    /// The expected account, if one is known.
    pub account_id: Option<AccountId>,
    /// The day of the month on which it is expected, 1 to 31. A day past the end of a month means its last day.
    pub day: u8,
}

/// The fields of a recurring item that a client sets, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecurring {
    /// Income or expense.
    pub kind: Kind,
    /// Its description, 1 to 255 characters.
    pub description: String,
    /// The expected amount, above zero.
    pub amount: Money,
    /// Its category.
    pub category_id: CategoryId,
    /// The expected account, if one is known.
    pub account_id: Option<AccountId>,
    /// The day of the month on which it is expected, 1 to 31.
    pub day: u8,
}

/// A recurring item as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RecurringInput {
    /// Required.
    pub kind: Option<Kind>,
    /// Required, 1 to 255 characters.
    pub description: Option<String>,
    /// Required, above 0, at most 9999999999.99.
    pub amount: Option<Money>,
    /// Required; one of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// One of the caller's accounts.
    pub account_id: Option<AccountId>,
    /// Required, 1 to 31.
    pub day: Option<i64>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The mark that a client gave an item for one month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MonthMark {
    /// It did not arrive when it was expected.
    Late,
    /// It is not expected in this month.
    Ignored,
    /// It arrived, and this transaction was created for it. The mark is deleted with the transaction.
    Confirmed(TransactionId),
}

impl MonthMark {
    /// The status of an item with this mark, if no transaction covers it.
    pub fn status(self) -> Status {
        match self {
            MonthMark::Late => Status::Late,
            MonthMark::Ignored => Status::Ignored,
            MonthMark::Confirmed(_) => Status::Confirmed,
        }
    }

    /// The transaction that was created for the item.
    fn confirmed_by(self) -> Option<TransactionId> {
        match self {
            MonthMark::Confirmed(transaction_id) => Some(transaction_id),
            MonthMark::Late | MonthMark::Ignored => None,
        }
    }
}

words! {
    /// The status of an item in one month.
    pub enum Status {
        /// Not marked, and no transaction covers it.
        Pending = "pending",
        /// A transaction of the month matches it.
        Covered = "covered",
        /// A transaction was created for it.
        Confirmed = "confirmed",
        /// It is marked as late.
        Late = "late",
        /// It is marked as not expected.
        Ignored = "ignored",
    }
}

impl Status {
    /// Whether the item is still expected: pending or late.
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Late)
    }
}

/// An item and its status in one month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringState {
    /// The item.
    pub item: Recurring,
    /// Its status.
    pub status: Status,
    /// The transaction that covers or confirms it. None also if a row of a held statement covers it.
    pub transaction_id: Option<TransactionId>,
}

/// The status of each item in a month, in the order of `items`.
///
/// - A confirmed item stays confirmed, even if its transaction was changed since. That transaction
///   covers no other item.
/// - Every other item takes part in [`match_recurring`], including late and ignored items: a mark does
///   not hide a transaction that arrives.
/// - Any other item has the status of its mark, or is pending.
///
/// ```
/// use finance_domain::recurring::{CoveredBy, MatchTransaction, MonthMark, Recurring, Status, states};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{CategoryId, Money, ProfileId, RecurringId, TransactionId};
///
/// let (kind, category_id, amount) = (Kind::Income, CategoryId(3), Money::from_cents(500_000));
/// let salary = Recurring {
///     id: RecurringId(1), profile_id: ProfileId(1), kind, description: "Salário".into(), amount, category_id,
///     account_id: None, day: 5,
/// };
/// let late = [(salary.id, MonthMark::Late)].into();
///
/// let state = &states(&[salary.clone()], &late, &[])[0];
/// assert_eq!((state.status, state.transaction_id), (Status::Late, None));
///
/// let id = CoveredBy::Transaction(TransactionId(9));
/// let arrived = MatchTransaction { id, kind, category_id, amount, account_id: None };
/// let state = &states(&[salary], &late, &[arrived])[0];
/// assert_eq!((state.status, state.transaction_id), (Status::Covered, Some(TransactionId(9))));
/// ```
pub fn states(
    items: &[Recurring],
    marks: &HashMap<RecurringId, MonthMark>,
    transactions: &[MatchTransaction],
) -> Vec<RecurringState> {
    let taken: HashSet<CoveredBy> =
        marks.values().filter_map(|mark| mark.confirmed_by()).map(CoveredBy::Transaction).collect();
    let free: Vec<_> = transactions.iter().filter(|transaction| !taken.contains(&transaction.id)).copied().collect();
    let covered = match_recurring(&to_match(items, marks), &free);
    items
        .iter()
        .map(|item| {
            let covered_by = covered.get(&item.id).copied();
            let (status, transaction_id) = match (marks.get(&item.id), covered_by) {
                (Some(MonthMark::Confirmed(transaction_id)), _) => (Status::Confirmed, Some(*transaction_id)),
                (_, Some(covered_by)) => (Status::Covered, covered_by.transaction_id()),
                (Some(MonthMark::Late), None) => (Status::Late, None),
                (Some(MonthMark::Ignored), None) => (Status::Ignored, None),
                (None, None) => (Status::Pending, None),
            };
            RecurringState { item: item.clone(), status, transaction_id }
        })
        .collect()
}

/// The items that a transaction may cover: all that are not confirmed.
fn to_match(items: &[Recurring], marks: &HashMap<RecurringId, MonthMark>) -> Vec<MatchItem> {
    let is_confirmed = |item: &&Recurring| marks.get(&item.id).is_some_and(|mark| mark.confirmed_by().is_some());
    let open = items.iter().filter(|item| !is_confirmed(item));
    let to_match = |item: &Recurring| {
        let Recurring { id, kind, category_id, amount, account_id, .. } = *item;
        MatchItem { id, kind, category_id, amount, account_id }
    };
    open.map(to_match).collect()
}

/// The [bands](amount_bands) of all items. They are valid for every month: if some items are confirmed, the bands count more
/// items than [`match_recurring`] needs.
pub(crate) fn bands(items: &[Recurring]) -> Vec<AmountBand> {
    amount_bands(&to_match(items, &HashMap::new()))
}

/// The confirmation of an item as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ConfirmInput {
    /// The item's amount if absent.
    pub amount: Option<Money>,
    /// A date in the month. If absent, today if it is in the month, otherwise the item's day.
    pub date: Option<Date>,
    /// One of the caller's accounts; the item's account if absent.
    pub account_id: Option<AccountId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The date of an item that is confirmed without a date: today if it is in the month, otherwise the item's day.
pub(crate) fn confirmed_date(day: u8, month: Month, today: Date) -> Date {
    if month.contains(today) { today } else { month.day_clamped(day) }
}

/// The most recurring items of one profile.
pub const RECURRING_MAX: usize = 500;

/// The port of recurring items. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait RecurringRepo {
    /// All items, by day, then id, each with its marks of the months from `first` to `last`. A mark that names a transaction is
    /// deleted with the transaction.
    fn recurring_list(&mut self, first: Month, last: Month) -> Result<Vec<(Recurring, HashMap<Month, MonthMark>)>>;
    /// How many items there are.
    fn recurring_count(&mut self) -> Result<usize>;
    /// Stores a new item.
    fn recurring_insert(&mut self, new: &NewRecurring) -> Result<RecurringId>;
    /// Replaces the fields of an item. Its marks stay. Returns whether there is such an item.
    fn recurring_update(&mut self, id: RecurringId, new: &NewRecurring) -> Result<bool>;
    /// Deletes an item and its marks, but no transaction. Returns whether there was such an item.
    fn recurring_delete(&mut self, id: RecurringId) -> Result<bool>;
    /// Marks an item for a month. Replaces an earlier mark.
    fn recurring_mark_set(&mut self, id: RecurringId, month: Month, mark: MonthMark) -> Result<()>;
    /// Removes the mark of an item for a month, if there is one.
    fn recurring_mark_clear(&mut self, id: RecurringId, month: Month) -> Result<()>;
    /// The transactions and rows of held statements of each month from `first` to `last` that may cover an item. A row with a
    /// payment date is in the month of its purchase. For each band, these are the first
    /// transactions of the month by amount, then id, as many as the band has items. `bands` has the order of [`amount_bands`].
    /// Legs of transfers, opening balances and transactions that confirm an item of any month are left out. The work grows
    /// with the number of transactions in the categories, not with that number times the number of bands.
    fn recurring_transactions(
        &mut self,
        first: Month,
        last: Month,
        bands: &[AmountBand],
    ) -> Result<Vec<(Month, MatchTransaction)>>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    fn item(id: i64, cents: i128) -> Recurring {
        Recurring {
            id: RecurringId(id),
            profile_id: ProfileId(1),
            kind: Kind::Income,
            description: "Salário".into(),
            amount: Money::from_cents(cents),
            category_id: CategoryId(3),
            account_id: None,
            day: 31,
        }
    }

    fn arrived(id: i64, cents: i128) -> MatchTransaction {
        let (kind, category_id) = (Kind::Income, CategoryId(3));
        let id = CoveredBy::Transaction(TransactionId(id));
        MatchTransaction { id, kind, category_id, amount: Money::from_cents(cents), account_id: None }
    }

    fn stand(
        items: &[Recurring],
        marks: &[(i64, MonthMark)],
        transactions: &[MatchTransaction],
    ) -> Vec<(Status, Option<TransactionId>)> {
        let marks = marks.iter().map(|(id, mark)| (RecurringId(*id), *mark)).collect();
        let states = states(items, &marks, transactions);
        states.into_iter().map(|state| (state.status, state.transaction_id)).collect()
    }

    #[test]
    fn a_mark_shows_until_a_matching_transaction_arrives() {
        for (marks, status) in [
            (vec![], Status::Pending),
            (vec![(1, MonthMark::Late)], Status::Late),
            (vec![(1, MonthMark::Ignored)], Status::Ignored),
        ] {
            assert_eq!(stand(&[item(1, 1000)], &marks, &[arrived(9, 1101)]), [(status, None)]);
            let covered = (Status::Covered, Some(TransactionId(9)));
            assert_eq!(stand(&[item(1, 1000)], &marks, &[arrived(9, 1100)]), [covered]);
        }
    }

    #[test]
    fn the_transaction_of_a_confirmed_item_covers_no_other() {
        let marks = [(1, MonthMark::Confirmed(TransactionId(9)))];
        let confirmed = (Status::Confirmed, Some(TransactionId(9)));
        let items = [item(1, 1000), item(2, 1000)];
        assert_eq!(stand(&items, &marks, &[arrived(9, 1000)]), [confirmed, (Status::Pending, None)]);
        let covered = (Status::Covered, Some(TransactionId(10)));
        assert_eq!(stand(&items, &marks, &[arrived(10, 1000), arrived(9, 1000)]), [confirmed, covered]);
    }

    #[test]
    fn a_confirmed_item_stays_so_however_far_its_transaction_is() {
        let marks = [(1, MonthMark::Confirmed(TransactionId(9)))];
        let confirmed = (Status::Confirmed, Some(TransactionId(9)));
        assert_eq!(stand(&[item(1, 1000)], &marks, &[arrived(9, 5)]), [confirmed]);
        assert_eq!(stand(&[item(1, 1000)], &marks, &[arrived(10, 1000)]), [confirmed]);
    }

    #[test]
    fn an_item_without_a_date_came_today_or_on_its_day_of_another_month() {
        let today = date!(2026 - 02 - 10);
        let expected = |month: &str| confirmed_date(31, month.parse().unwrap(), today);
        assert_eq!(expected("2026-02"), today);
        assert_eq!(expected("2026-01"), date!(2026 - 01 - 31));
        assert_eq!(expected("2024-02"), date!(2024 - 02 - 29));
        assert_eq!(expected("2026-04"), date!(2026 - 04 - 30));
    }
}
