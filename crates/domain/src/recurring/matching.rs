//! Which transaction covers which recurring item.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use time::Date;

use crate::ids::{AccountId, CategoryId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;

/// A recurring item, reduced to what matching needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchItem {
    /// Its id.
    pub id: RecurringId,
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: CategoryId,
    /// The expected amount, above zero.
    pub amount: Money,
    /// Its account, if it has one.
    pub account_id: Option<AccountId>,
}

impl MatchItem {
    fn group(&self) -> Group {
        (self.category_id, self.kind)
    }
}

/// What covers an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoveredBy {
    /// A transaction.
    Transaction(TransactionId),
    /// A row of a held statement, by its place among them. It has no id yet.
    Held(i64),
}

impl CoveredBy {
    /// The transaction, if it is one.
    pub fn transaction_id(self) -> Option<TransactionId> {
        match self {
            CoveredBy::Transaction(id) => Some(id),
            CoveredBy::Held(_) => None,
        }
    }
}

/// A transaction, or a row of a held statement, that may cover an item: neither a leg of a transfer nor an opening balance, and
/// with a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchTransaction {
    /// What it is.
    pub id: CoveredBy,
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: CategoryId,
    /// The amount, above zero.
    pub amount: Money,
    /// Its account, if it has one.
    pub account_id: Option<AccountId>,
}

impl MatchTransaction {
    pub(super) fn group(&self) -> Group {
        (self.category_id, self.kind)
    }
}

/// A range of amounts that the same items accept, of which each expects either at most the lowest of them or more than the highest. It
/// ends where the next band of the category and type begins.
///
/// An item prefers the amounts of a band at one end or at the other, so [`match_recurring`] needs no more than the first
/// [`items`](AmountBand::items) transactions of a band by amount, and as many by amount from the highest on; of equal amounts those with
/// the lowest ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AmountBand {
    /// Income or expense.
    pub kind: Kind,
    /// Its category.
    pub category_id: CategoryId,
    /// The lowest amount of the band.
    pub amount_min: Money,
    /// How many items accept its amounts; zero between and above the items.
    pub items: usize,
    /// The first month whose rows may matter.
    pub since: Month,
}

/// The bands of the items, by category, type and amount: at most three for each item.
///
/// ```
/// use finance_domain::recurring::{amount_bands, MatchItem};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{CategoryId, Money, RecurringId};
///
/// let (kind, category_id) = (Kind::Expense, CategoryId(1));
/// let account_id = None;
/// let item = |id, cents| MatchItem { id: RecurringId(id), kind, category_id, amount: Money::from_cents(cents), account_id };
/// let bands = amount_bands(&[item(1, 100), item(2, 110)]);
/// let bands: Vec<_> = bands.iter().map(|band| (band.amount_min.cents(), band.items)).collect();
/// assert_eq!(bands, [(90, 1), (99, 2), (100, 2), (110, 2), (111, 1), (122, 0)]);
/// ```
pub fn amount_bands(items: &[MatchItem]) -> Vec<AmountBand> {
    let interval = |item: &MatchItem| Interval::new(item, None);
    bands_of(&items.iter().map(interval).collect::<Vec<_>>())
}

/// The bands of intervals of amounts. See [`amount_bands`].
pub(super) fn bands_of(intervals: &[Interval]) -> Vec<AmountBand> {
    let cent = Money::from_cents(1);
    // Where one item ends and another begins, the count stays the same, but a new band begins.
    let mut begins_and_ends: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for interval in intervals {
        begins_and_ends.entry((interval.group, interval.low)).or_default().0 += 1;
        begins_and_ends.entry((interval.group, interval.amount.clamp(interval.low, interval.high))).or_default();
        begins_and_ends.entry((interval.group, interval.high + cent)).or_default().1 += 1;
    }
    let mut items = 0;
    let band = |(((category_id, kind), amount_min), (begin, end))| {
        // Every item ends within its category and type, so the next category and type counts from zero.
        items = items + begin - end;
        AmountBand { kind, category_id, amount_min, items, since: Month::FIRST }
    };
    begins_and_ends.into_iter().map(band).collect()
}

/// The category and the type: only rows of the same ones may cover an item.
pub(super) type Group = (CategoryId, Kind);

/// An item as an interval of amounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) id: RecurringId,
    pub(super) group: Group,
    /// The lowest amount that covers it.
    pub(super) low: Money,
    /// The highest amount that covers it.
    pub(super) high: Money,
    pub(super) amount: Money,
    pub(super) account_id: Option<AccountId>,
    /// The day on which it is expected, if that matters.
    pub(super) date: Option<Date>,
}

impl Interval {
    pub(super) fn new(item: &MatchItem, range: Option<(Money, Money)>) -> Self {
        let (from, to) = range.unwrap_or((item.amount, item.amount));
        Interval {
            id: item.id,
            group: item.group(),
            low: from - tenth(from),
            high: to + tenth(to),
            amount: item.amount,
            account_id: item.account_id,
            date: None,
        }
    }

    pub(super) fn is_covered_by(&self, point: &Point) -> bool {
        self.group == point.group && (self.low..=self.high).contains(&point.amount)
    }
}

/// A row as a point among the amounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) id: CoveredBy,
    pub(super) group: Group,
    pub(super) amount: Money,
    pub(super) account_id: Option<AccountId>,
    /// Its day, if that matters.
    pub(super) date: Option<Date>,
}

impl Point {
    pub(super) fn new(row: &MatchTransaction, date: Option<Date>) -> Self {
        Point { id: row.id, group: row.group(), amount: row.amount, account_id: row.account_id, date }
    }
}

/// A tenth, in whole cents: for integers, |t − a| × 10 ≤ a is equivalent to |t − a| ≤ ⌊a / 10⌋.
pub(super) fn tenth(amount: Money) -> Money {
    Money::from_cents(amount.cents() / 10)
}

/// The transaction that covers each item: of the same category and type, and of an amount within ±10 %, bounds included. A transaction
/// covers at most one item, and as many items as possible are covered.
///
/// Within one category and type, an item is an interval of amounts and a transaction is a point. Both ends of the interval grow
/// with the item's amount. So one merge of both lists, sorted by amount, finds the largest assignment: each transaction goes to
/// the smallest item that is still open. The interval of that item ends first, so a later transaction that fits it also fits
/// every other open item that the current transaction fits. If even that interval begins above the transaction, so does that of
/// every other open item.
///
/// Equal amounts are ordered by id, so the result does not depend on the order of either list. Where two items could change their
/// transactions, or only one of them gets one, the item of the transaction's account has it, or else the one of the nearer amount; and
/// where several transactions are left for an item, it has that of its account, or else of the nearest amount. The cost is that of
/// sorting, and of comparing items and transactions whose amounts overlap.
///
/// ```
/// use finance_domain::recurring::{CoveredBy, MatchItem, MatchTransaction, match_recurring};
/// use finance_domain::transactions::Kind;
/// use finance_domain::{CategoryId, Money, RecurringId, TransactionId};
///
/// let (kind, category_id) = (Kind::Expense, CategoryId(1));
/// let account_id = None;
/// let item = |id, cents| MatchItem { id: RecurringId(id), kind, category_id, amount: Money::from_cents(cents), account_id };
/// let transaction = |id| CoveredBy::Transaction(TransactionId(id));
/// let paid = |id, cents| MatchTransaction {
///     id: transaction(id), kind, category_id, amount: Money::from_cents(cents), account_id,
/// };
///
/// // 105 could cover either item, 95 only the first: both are covered.
/// let covered = match_recurring(&[item(1, 100), item(2, 110)], &[paid(7, 105), paid(8, 95)]);
/// assert_eq!(covered[&RecurringId(1)], transaction(8));
/// assert_eq!(covered[&RecurringId(2)], transaction(7));
///
/// assert!(match_recurring(&[item(1, 100)], &[paid(7, 111)]).is_empty());
/// ```
pub fn match_recurring(items: &[MatchItem], transactions: &[MatchTransaction]) -> BTreeMap<RecurringId, CoveredBy> {
    let intervals: Vec<Interval> = items.iter().map(|item| Interval::new(item, None)).collect();
    let points: Vec<Point> = transactions.iter().map(|row| Point::new(row, None)).collect();
    let assigned = assign(&intervals, &points).into_iter();
    assigned.map(|(interval, point)| (intervals[interval].id, points[point].id)).collect()
}

/// An interval that has begun: its group, its highest amount, its amount, its item and its position.
type Open = (Group, Money, Money, RecurringId, usize);

/// The assignment of [`match_recurring`], as positions in both lists. An interval may be wider than a tenth each way, so among the
/// open ones that hold a point, the one that ends first takes it.
pub(super) fn assign(intervals: &[Interval], points: &[Point]) -> Vec<(usize, usize)> {
    let mut begins: Vec<usize> = (0..intervals.len()).collect();
    begins.sort_unstable_by_key(|at| (intervals[*at].group, intervals[*at].low));
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_unstable_by_key(|at| (points[*at].group, points[*at].amount, points[*at].id));

    let mut begins = begins.into_iter().peekable();
    let mut open: BinaryHeap<Reverse<Open>> = BinaryHeap::new();
    let mut covered: Vec<(usize, usize)> = Vec::new();
    for point in order {
        let (group, amount) = (points[point].group, points[point].amount);
        let has_begun = |at: &usize| (intervals[*at].group, intervals[*at].low) <= (group, amount);
        while let Some(at) = begins.next_if(has_begun) {
            let interval = &intervals[at];
            open.push(Reverse((interval.group, interval.high, interval.amount, interval.id, at)));
        }
        while open.peek().is_some_and(|Reverse((of, high, ..))| (*of, *high) < (group, amount)) {
            open.pop();
        }
        // Those of later groups have not begun.
        if let Some(Reverse((.., at))) = open.pop() {
            covered.push((at, point));
        }
    }
    sort_by_begin(intervals, &mut covered);
    // Each makes the sum of the distances smaller, so this ends.
    while exchange(intervals, points, &mut covered)
        || pass_on(intervals, points, &mut covered)
        || take_nearer(intervals, points, &mut covered)
    {}
    covered
}

/// How well a row fits an item; the lowest fits best: the account, the amount, then the day.
fn fit(interval: &Interval, point: &Point) -> (usize, Money, i64) {
    (account_distance(interval, point), (interval.amount - point.amount).abs(), days_apart(interval, point))
}

/// How far the item's account is from the row's: an item without an account comes between those of the row's and of another one.
pub(super) fn account_distance(interval: &Interval, point: &Point) -> usize {
    match interval.account_id {
        of_item if of_item == point.account_id => 0,
        None => 1,
        Some(_) => 2,
    }
}

fn days_apart(interval: &Interval, point: &Point) -> i64 {
    match (interval.date, point.date) {
        (Some(date), Some(day)) => (day - date).whole_days().abs(),
        _ => 0,
    }
}

/// Exchanges the rows of items where that fits better. Returns whether it did. `covered` is in the order in which the intervals
/// begin.
fn exchange(intervals: &[Interval], points: &[Point], covered: &mut [(usize, usize)]) -> bool {
    let mut has_exchanged = false;
    for one in 0..covered.len() {
        for other in one + 1..covered.len() {
            let (item, later) = (&intervals[covered[one].0], &intervals[covered[other].0]);
            let (paid, later_paid) = (&points[covered[one].1], &points[covered[other].1]);
            if item.group != later.group || item.high < later.low {
                break;
            }
            let both = |one: (usize, Money, i64), other: (usize, Money, i64)| {
                (one.0 + other.0, one.1 + other.1, one.2 + other.2)
            };
            let exchanged = both(fit(item, later_paid), fit(later, paid));
            if item.is_covered_by(later_paid)
                && later.is_covered_by(paid)
                && exchanged < both(fit(item, paid), fit(later, later_paid))
            {
                let row = covered[one].1;
                covered[one].1 = covered[other].1;
                covered[other].1 = row;
                has_exchanged = true;
            }
        }
    }
    has_exchanged
}

/// Gives the rows of items to others that have none, where that fits better. Returns whether it did. As many items stay covered.
fn pass_on(intervals: &[Interval], points: &[Point], covered: &mut [(usize, usize)]) -> bool {
    let taken: HashSet<usize> = covered.iter().map(|(interval, _)| *interval).collect();
    let mut left: HashMap<Group, Vec<usize>> = HashMap::new();
    for at in (0..intervals.len()).filter(|at| !taken.contains(at)) {
        left.entry(intervals[at].group).or_default().push(at);
    }
    let mut has_passed_on = false;
    for (interval, point) in covered.iter_mut() {
        let point = &points[*point];
        let Some(others) = left.get_mut(&point.group) else { continue };
        let rank = |at: usize| (fit(&intervals[at], point), intervals[at].id, at);
        let fitting = (0..others.len()).filter(|at| intervals[others[*at]].is_covered_by(point));
        let best = fitting.min_by_key(|at| rank(others[*at]));
        if let Some(at) = best.filter(|at| fit(&intervals[others[*at]], point) < fit(&intervals[*interval], point)) {
            std::mem::swap(interval, &mut others[at]);
            has_passed_on = true;
        }
    }
    if has_passed_on {
        sort_by_begin(intervals, covered);
    }
    has_passed_on
}

/// Sorts by the order in which the intervals begin.
fn sort_by_begin(intervals: &[Interval], covered: &mut [(usize, usize)]) {
    covered.sort_unstable_by_key(|(at, _)| {
        let interval = &intervals[*at];
        (interval.group, interval.low, interval.amount, interval.id, *at)
    });
}

/// Gives each item the row that fits it best among its own and those that no other item has. Returns whether it changed one.
fn take_nearer(intervals: &[Interval], points: &[Point], covered: &mut [(usize, usize)]) -> bool {
    let taken: HashSet<usize> = covered.iter().map(|(_, point)| *point).collect();
    let mut free: Vec<usize> = (0..points.len()).filter(|at| !taken.contains(at)).collect();
    let place = |at: usize| (points[at].group, points[at].amount);
    free.sort_unstable_by_key(|at| place(*at));
    let mut has_taken = false;
    for (interval, point) in covered {
        let interval = &intervals[*interval];
        let first = free.partition_point(|at| place(*at) < (interval.group, interval.low));
        let within = (first..free.len()).take_while(|of| place(free[*of]) <= (interval.group, interval.high));
        let rank = |at: usize| (fit(interval, &points[at]), points[at].id);
        let nearest = within.min_by_key(|of| rank(free[*of]));
        let Some(of) = nearest.filter(|of| fit(interval, &points[free[*of]]) < fit(interval, &points[*point])) else {
            continue;
        };
        let left = std::mem::replace(point, free.remove(of));
        free.insert(free.partition_point(|at| place(*at) < place(left)), left);
        has_taken = true;
    }
    has_taken
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn item(id: i64, group: usize, cents: i128) -> MatchItem {
        let (category_id, kind) = GROUPS[group];
        MatchItem { id: RecurringId(id), kind, category_id, amount: Money::from_cents(cents), account_id: None }
    }

    fn paid(id: i64, group: usize, cents: i128) -> MatchTransaction {
        let (category_id, kind) = GROUPS[group];
        let id = CoveredBy::Transaction(TransactionId(id));
        MatchTransaction { id, kind, category_id, amount: Money::from_cents(cents), account_id: None }
    }

    fn is_covered_by(item: &MatchItem, transaction: &MatchTransaction) -> bool {
        Interval::new(item, None).is_covered_by(&Point::new(transaction, None))
    }

    const GROUPS: [(CategoryId, Kind); 3] =
        [(CategoryId(1), Kind::Income), (CategoryId(1), Kind::Expense), (CategoryId(2), Kind::Expense)];

    /// The size of the largest assignment, by trying them all.
    fn largest(items: &[Interval], free: &mut Vec<Point>) -> usize {
        let Some((item, rest)) = items.split_first() else { return 0 };
        let mut best = largest(rest, free);
        for at in 0..free.len() {
            if item.is_covered_by(&free[at]) {
                let taken = free.remove(at);
                best = best.max(1 + largest(rest, free));
                free.insert(at, taken);
            }
        }
        best
    }

    fn numbered<T>(make: fn(i64, usize, i128) -> T, of: Vec<(usize, i128)>) -> Vec<T> {
        (1..).zip(of).map(|(id, (group, cents))| make(id, group, cents)).collect()
    }

    /// Amounts close enough for most pairs to be in doubt, and a few too small to have a tolerance.
    fn amounts() -> impl Strategy<Value = (usize, i128)> {
        (0..GROUPS.len(), prop_oneof![8 => 80_i128..140, 1 => 1_i128..12])
    }

    fn small_case() -> impl Strategy<Value = (Vec<MatchItem>, Vec<MatchTransaction>)> {
        let items = prop::collection::vec(amounts(), 0..7).prop_map(|of| numbered(item, of));
        let transactions = prop::collection::vec(amounts(), 0..8).prop_map(|of| numbered(paid, of));
        (items, transactions)
    }

    /// A few items, and more transactions of each amount than they can take.
    fn crowded_case() -> impl Strategy<Value = (Vec<MatchItem>, Vec<MatchTransaction>)> {
        let items = prop::collection::vec(amounts(), 0..6).prop_map(|of| numbered(item, of));
        let transactions = prop::collection::vec(amounts(), 0..60).prop_map(|of| numbered(paid, of));
        (items, transactions)
    }

    /// The first and the last transactions of each band, as many as it has items.
    fn within_bands(bands: &[AmountBand], transactions: &[MatchTransaction]) -> Vec<MatchTransaction> {
        let mut sorted = transactions.to_vec();
        sorted.sort_unstable_by_key(|transaction| (transaction.group(), transaction.amount, transaction.id));
        let band_of = |transaction: &MatchTransaction| {
            let is_begun = |band: &AmountBand| {
                (band.category_id, band.kind) == transaction.group() && band.amount_min <= transaction.amount
            };
            bands.iter().rposition(is_begun)
        };
        let of_bands: Vec<&[MatchTransaction]> = sorted.chunk_by(|one, next| band_of(one) == band_of(next)).collect();
        let ends = |rows: &&[MatchTransaction]| {
            let items = band_of(&rows[0]).map_or(0, |at| bands[at].items);
            let mut from_highest = rows.to_vec();
            from_highest.sort_unstable_by_key(|row| (std::cmp::Reverse(row.amount), row.id));
            let is_kept = |(place, row): &(usize, &MatchTransaction)| {
                *place < items || from_highest.iter().take(items).any(|kept| kept.id == row.id)
            };
            rows.iter().enumerate().filter(is_kept).map(|(_, row)| *row).collect::<Vec<_>>()
        };
        of_bands.iter().flat_map(ends).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_bounds_are_exactly_ten_percent(amount in 1_i128..100_000, other in 1_i128..120_000) {
            let within = (other - amount).abs() * 10 <= amount;
            prop_assert_eq!(is_covered_by(&item(1, 0, amount), &paid(1, 0, other)), within);
        }

        #[test]
        fn as_many_items_are_covered_as_can_be((items, transactions) in small_case()) {
            let covered = match_recurring(&items, &transactions);
            let intervals: Vec<Interval> = items.iter().map(|item| Interval::new(item, None)).collect();
            let mut free = transactions.iter().map(|row| Point::new(row, None)).collect();
            prop_assert_eq!(covered.len(), largest(&intervals, &mut free));
        }

        #[test]
        fn as_many_ranges_are_covered_as_can_be(
            ranges in prop::collection::vec((0..GROUPS.len(), 80_i128..120, 0_i128..40), 0..7),
            transactions in prop::collection::vec(amounts(), 0..8).prop_map(|of| numbered(paid, of)),
        ) {
            let ranged = |(id, (group, from, width)): (i64, (usize, i128, i128))| {
                let range = (Money::from_cents(from), Money::from_cents(from + width));
                Interval::new(&item(id, group, from + width / 2), Some(range))
            };
            let intervals: Vec<Interval> = (1..).zip(ranges).map(ranged).collect();
            let points: Vec<Point> = transactions.iter().map(|row| Point::new(row, None)).collect();
            let covered = assign(&intervals, &points);
            prop_assert!(covered.iter().all(|(interval, point)| intervals[*interval].is_covered_by(&points[*point])));
            prop_assert_eq!(covered.iter().map(|(_, point)| point).collect::<HashSet<_>>().len(), covered.len());
            prop_assert_eq!(covered.len(), largest(&intervals, &mut points.clone()));
        }

        #[test]
        fn every_pair_is_within_bounds_and_no_transaction_covers_two((items, transactions) in small_case()) {
            let covered = match_recurring(&items, &transactions);
            for (item, transaction) in &covered {
                let item = items.iter().find(|known| known.id == *item).unwrap();
                let transaction = transactions.iter().find(|known| known.id == *transaction).unwrap();
                prop_assert!(is_covered_by(item, transaction), "{item:?} {transaction:?}");
            }
            prop_assert_eq!(covered.values().collect::<HashSet<_>>().len(), covered.len());
        }

        #[test]
        fn what_is_beyond_the_items_of_its_band_changes_nothing((items, transactions) in crowded_case()) {
            let kept = within_bands(&amount_bands(&items), &transactions);
            prop_assert_eq!(match_recurring(&items, &kept), match_recurring(&items, &transactions));
        }

        #[test]
        fn the_order_of_the_lists_does_not_matter(
            ((items, transactions), (shuffled_items, shuffled_transactions)) in small_case().prop_flat_map(|case| {
                let shuffled = (Just(case.0.clone()).prop_shuffle(), Just(case.1.clone()).prop_shuffle());
                (Just(case), shuffled)
            })
        ) {
            let shuffled = match_recurring(&shuffled_items, &shuffled_transactions);
            prop_assert_eq!(match_recurring(&items, &transactions), shuffled);
        }
    }

    #[test]
    fn among_equals_the_lowest_ids_meet() {
        let covered = match_recurring(&[item(2, 0, 100), item(1, 0, 100)], &[paid(9, 0, 100), paid(8, 0, 100)]);
        assert_eq!(
            covered.into_iter().collect::<Vec<_>>(),
            [
                (RecurringId(1), CoveredBy::Transaction(TransactionId(8))),
                (RecurringId(2), CoveredBy::Transaction(TransactionId(9)))
            ]
        );
    }

    #[test]
    fn among_items_that_fit_the_account_decides_then_the_amount() {
        let on = |item: MatchItem, account| MatchItem { account_id: Some(AccountId(account)), ..item };
        let from = |paid: MatchTransaction, account| MatchTransaction { account_id: Some(AccountId(account)), ..paid };
        let covered = |items: &[MatchItem], transactions: &[MatchTransaction]| {
            let covered = match_recurring(items, transactions).into_values();
            covered.filter_map(CoveredBy::transaction_id).map(|id| id.0).collect::<Vec<_>>()
        };
        let items = [on(item(1, 0, 100), 1), on(item(2, 0, 102), 2)];
        assert_eq!(covered(&items, &[from(paid(8, 0, 100), 2), from(paid(9, 0, 102), 1)]), [9, 8]);
        assert_eq!(covered(&items, &[from(paid(8, 0, 102), 3), from(paid(9, 0, 100), 3)]), [9, 8]);
        let alone = [item(1, 0, 100), item(2, 0, 105)];
        assert_eq!(covered(&alone, &[paid(8, 0, 99), paid(9, 0, 104)]), [8, 9]);
        // As many as can be are covered, whatever the account.
        assert_eq!(covered(&items, &[from(paid(8, 0, 100), 2), from(paid(9, 0, 111), 2)]), [8, 9]);
    }

    #[test]
    fn an_item_of_the_row_s_account_comes_before_one_without_an_account_and_that_before_another_s() {
        let on = |item: MatchItem, account| MatchItem { account_id: Some(AccountId(account)), ..item };
        let row = MatchTransaction { account_id: Some(AccountId(1)), ..paid(9, 0, 100) };
        let of = |items: &[MatchItem]| match_recurring(items, &[row]).into_keys().map(|id| id.0).collect::<Vec<_>>();
        assert_eq!(of(&[item(1, 0, 100), on(item(2, 0, 99), 1)]), [2]);
        assert_eq!(of(&[on(item(1, 0, 100), 2), item(2, 0, 99)]), [2]);
    }

    #[test]
    fn a_row_that_several_items_fit_covers_the_one_that_fits_best() {
        let on = |item: MatchItem, account| MatchItem { account_id: Some(AccountId(account)), ..item };
        let of = |items: &[MatchItem], paid: MatchTransaction| {
            match_recurring(items, &[paid]).into_keys().map(|id| id.0).collect::<Vec<_>>()
        };
        let from = |paid: MatchTransaction, account| MatchTransaction { account_id: Some(AccountId(account)), ..paid };
        for (account, item_id) in [(1, 1), (2, 2), (3, 1)] {
            assert_eq!(
                of(&[on(item(1, 0, 100), 1), on(item(2, 0, 100), 2)], from(paid(8, 0, 100), account)),
                [item_id]
            );
        }
        for (cents, item_id) in [(100, 1), (105, 2), (104, 2), (102, 1)] {
            assert_eq!(of(&[item(1, 0, 100), item(2, 0, 105)], paid(8, 0, cents)), [item_id]);
        }
        // By the day, of items that are equal but for it.
        let day = |day: u8| Some(time::macros::date!(2026 - 02 - 01) + time::Duration::days(i64::from(day) - 1));
        let due = |id, at| Interval { date: day(at), ..Interval::new(&item(id, 0, 100), None) };
        let dues = [due(1, 10), due(2, 20), due(3, 25)];
        let rows = [20, 25].map(|at| Point::new(&paid(i64::from(at), 0, 100), day(at)));
        assert_eq!(assign(&dues, &rows), [(1, 0), (2, 1)]);
    }

    #[test]
    fn of_several_rows_an_item_takes_the_nearest_amount() {
        let of = |items: &[MatchItem], rows: &[MatchTransaction]| {
            let covered = match_recurring(items, rows).into_values();
            covered.filter_map(CoveredBy::transaction_id).map(|id| id.0).collect::<Vec<_>>()
        };
        assert_eq!(of(&[item(1, 0, 1800)], &[paid(8, 0, 1700), paid(9, 0, 1800)]), [9]);
        assert_eq!(of(&[item(1, 0, 1800)], &[paid(8, 0, 1980), paid(9, 0, 1790), paid(10, 0, 1700)]), [9]);
        // Two items share the nearest rows.
        let rows = [paid(7, 0, 95), paid(8, 0, 100), paid(9, 0, 106), paid(10, 0, 110)];
        assert_eq!(of(&[item(1, 0, 100), item(2, 0, 105)], &rows), [8, 9]);
        let range = Some((Money::from_cents(50), Money::from_cents(150)));
        let rows = [51, 100, 149].map(|cents| Point::new(&paid(cents as i64, 0, cents), None));
        assert_eq!(assign(&[Interval::new(&item(1, 0, 100), range)], &rows), [(0, 1)]);
    }

    #[test]
    fn another_type_or_category_covers_nothing() {
        let items = [item(1, 0, 100), item(2, 2, 100)];
        assert!(match_recurring(&items, &[paid(1, 1, 100)]).is_empty());
    }

    #[test]
    fn five_hundred_items_meet_five_thousand_transactions() {
        let items: Vec<_> = (1..=500).map(|id| item(id, 1, 100_000)).collect();
        let transactions: Vec<_> = (1..=5_000).map(|id| paid(id, 1, 85_000 + i128::from(id) * 6)).collect();
        assert_eq!(match_recurring(&items, &transactions).len(), 500);
    }
}
