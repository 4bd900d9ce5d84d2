//! Sums of income and expenses by category, group, payee, tag, account or member, in the intervals of a period.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::{AddAssign, Sub};

use time::{Date, Duration};

use crate::money::Money;
use crate::month::{Month, day_before};
use crate::refunds::Sums;
use crate::transactions::FlowKind;
use crate::violations::Violation;
use crate::words::words;

/// The most months of a report.
pub const REPORT_MONTHS_MAX: i32 = 120;
/// The months of a report by default, ending with this month.
pub const REPORT_MONTHS_DEFAULT: i32 = 12;
/// The most rows of a report.
pub const REPORT_ROWS_MAX: u32 = 200;
/// The rows of a report by default.
pub const REPORT_ROWS_DEFAULT: u32 = 20;

words! {
    /// What the rows of a report are.
    #[derive(Default)]
    pub enum FlowBy {
        /// Categories.
        #[default]
        Category = "category",
        /// Groups of categories.
        Group = "group",
        /// Payees.
        Payee = "payee",
        /// Tags.
        Tag = "tag",
        /// Accounts.
        Account = "account",
        /// The members who entered or imported the transactions.
        Member = "member",
    }
}

words! {
    /// The intervals of a report.
    #[derive(Default)]
    pub enum Interval {
        /// Months.
        #[default]
        Month = "month",
        /// Quarters of a year.
        Quarter = "quarter",
        /// Years.
        Year = "year",
        /// None: the whole period only.
        None = "none",
    }
}

impl Interval {
    /// The number of months; 0 without intervals.
    fn months(self) -> i32 {
        match self {
            Interval::Month => 1,
            Interval::Quarter => 3,
            Interval::Year => 12,
            Interval::None => 0,
        }
    }

    /// The name of the interval that begins in a month: `2026-01`, `2026-Q1` or `2026`.
    pub fn name(self, first: Month) -> String {
        match self {
            Interval::Month | Interval::None => first.to_string(),
            Interval::Quarter => format!("{}-Q{}", first.year(), (first.number() - 1) / 3 + 1),
            Interval::Year => first.year().to_string(),
        }
    }

    /// The first month of the interval with that month.
    fn beginning(self, month: Month) -> Month {
        match self.months() {
            0 => month,
            months => month.minus((i32::from(month.number()) - 1) % months),
        }
    }
}

words! {
    /// The period that a report is compared with.
    #[derive(Default)]
    pub enum Compare {
        /// None.
        #[default]
        None = "none",
        /// The period of equal length before it.
        Previous = "previous",
        /// The same days a year before.
        Year = "year",
    }
}

/// Consecutive days, both bounds included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first day.
    pub from: Date,
    /// The last day, not before the first.
    pub to: Date,
}

impl Span {
    /// Checks that a report of these days can be made.
    ///
    /// # Errors
    ///
    /// [`Violation::BeforeFrom`] or [`Violation::TooManyMonths`]. Each is about the last day.
    pub fn check(self) -> Result<Self, Violation> {
        if self.to < self.from {
            Err(Violation::BeforeFrom)
        } else if Month::of(self.to).since(Month::of(self.from)) >= REPORT_MONTHS_MAX {
            Err(Violation::TooManyMonths { max: REPORT_MONTHS_MAX.into() })
        } else {
            Ok(self)
        }
    }

    /// Whole months.
    pub fn of_months(first: Month, last: Month) -> Self {
        Span { from: first.first_day(), to: last.last_day() }
    }

    /// Whether it consists of whole months.
    pub fn is_whole(self) -> bool {
        self == Span::of_months(Month::of(self.from), Month::of(self.to))
    }

    /// The period that it is compared with. Whole months are compared with whole months.
    ///
    /// ```
    /// use finance_domain::reports::flow::{Compare, Span};
    /// use time::macros::date;
    ///
    /// let span = |from, to| Span { from, to };
    /// let february = span(date!(2025-02-01), date!(2025-02-28));
    /// assert_eq!(february.compared(Compare::Previous), Some(span(date!(2025-01-01), date!(2025-01-31))));
    /// assert_eq!(february.compared(Compare::Year), Some(span(date!(2024-02-01), date!(2024-02-29))));
    /// let days = span(date!(2026-03-01), date!(2026-03-10));
    /// assert_eq!(days.compared(Compare::Previous), Some(span(date!(2026-02-19), date!(2026-02-28))));
    /// assert_eq!(days.compared(Compare::Year), Some(span(date!(2025-03-01), date!(2025-03-10))));
    /// ```
    pub fn compared(self, compare: Compare) -> Option<Span> {
        let (first, last) = (Month::of(self.from), Month::of(self.to));
        Some(match compare {
            Compare::None => return None,
            Compare::Previous if self.is_whole() => {
                let months = last.since(first) + 1;
                Span::of_months(first.minus(months), last.minus(months))
            }
            Compare::Previous => {
                let to = day_before(self.from);
                Span { from: to.saturating_sub(self.to - self.from), to }
            }
            Compare::Year if self.is_whole() => Span::of_months(first.minus(12), last.minus(12)),
            Compare::Year => self.a_year_before(),
        })
    }

    /// The same days a year before.
    ///
    /// ```
    /// use finance_domain::reports::flow::Span;
    /// use time::macros::date;
    ///
    /// let days = Span { from: date!(2025-01-01), to: date!(2025-02-28) };
    /// assert_eq!(days.a_year_before(), Span { from: date!(2024-01-01), to: date!(2024-02-28) });
    /// ```
    pub fn a_year_before(self) -> Span {
        let day = |date: Date| Month::of(date).minus(12).day_clamped(date.day());
        Span { from: day(self.from), to: day(self.to) }
    }

    /// Its intervals. The first and the last one may be cut.
    ///
    /// ```
    /// use finance_domain::reports::flow::{Interval, Span};
    /// use time::macros::date;
    ///
    /// let span = Span { from: date!(2025-11-15), to: date!(2026-04-10) };
    /// let quarters = span.intervals(Interval::Quarter);
    /// assert_eq!(quarters[0], Span { from: date!(2025-11-15), to: date!(2025-12-31) });
    /// assert_eq!(quarters[2], Span { from: date!(2026-04-01), to: date!(2026-04-10) });
    /// assert_eq!((quarters.len(), span.intervals(Interval::Month).len(), span.intervals(Interval::None).len()), (3, 6, 0));
    /// ```
    pub fn intervals(self, interval: Interval) -> Vec<Span> {
        let months = interval.months();
        let mut spans = Vec::new();
        let mut first = interval.beginning(Month::of(self.from));
        while months > 0 && first.first_day() <= self.to {
            let whole = Span::of_months(first, first.plus(months - 1));
            spans.push(Span { from: whole.from.max(self.from), to: whole.to.min(self.to) });
            first = first.plus(months);
        }
        spans
    }

    /// Its whole months, and the days before and after them.
    pub fn by_whole_months(self) -> (Option<(Month, Month)>, Vec<Span>) {
        let (first, last) = (Month::of(self.from), Month::of(self.to));
        let whole_first = if self.from == first.first_day() { first } else { first.plus(1) };
        let whole_last = if self.to == last.last_day() { last } else { last.minus(1) };
        if whole_first > whole_last {
            return (None, vec![self]);
        }
        let before = Span { from: self.from, to: day_before(whole_first.first_day()) };
        let after = Span { from: whole_last.last_day().saturating_add(Duration::DAY), to: self.to };
        let rest = [before, after].into_iter().filter(|span| span.from <= span.to).collect();
        (Some((whole_first, whole_last)), rest)
    }

    /// The number of its days.
    pub fn days(self) -> i64 {
        (self.to - self.from).whole_days() + 1
    }
}

/// The figures of the rows of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figure {
    /// The incomes among them.
    pub income: Money,
    /// The expenses among them.
    pub expenses: Money,
    /// The part of the incomes that is refunds.
    pub refunds: Money,
    /// What was spent, what was received without refunds, or income less expenses.
    pub net: Money,
}

impl Figure {
    /// The figures of the rows of a kind among those of the sums.
    ///
    /// ```
    /// use finance_domain::Money;
    /// use finance_domain::refunds::Sums;
    /// use finance_domain::reports::flow::Figure;
    /// use finance_domain::transactions::FlowKind;
    ///
    /// let reais = |units: i128| Money::from_cents(units * 100);
    /// let sums = Sums { income: reais(100), expenses: reais(70), refunds: reais(20) };
    /// let of = |kind| Figure::of(kind, sums);
    /// assert_eq!((of(FlowKind::Expense).income, of(FlowKind::Expense).net), (reais(20), reais(50)));
    /// assert_eq!((of(FlowKind::Income).expenses, of(FlowKind::Income).net), (reais(0), reais(80)));
    /// assert_eq!((of(FlowKind::Both).income, of(FlowKind::Both).net), (reais(100), reais(30)));
    /// ```
    pub fn of(kind: FlowKind, sums: Sums) -> Self {
        let Sums { income, expenses, refunds } = sums;
        match kind {
            FlowKind::Expense => Figure { income: refunds, expenses, refunds, net: expenses - refunds },
            FlowKind::Income => {
                let income = income - refunds;
                Figure { income, expenses: Money::ZERO, refunds: Money::ZERO, net: income }
            }
            FlowKind::Both => Figure { income, expenses, refunds, net: income - expenses },
        }
    }
}

impl AddAssign for Figure {
    fn add_assign(&mut self, other: Figure) {
        self.income += other.income;
        self.expenses += other.expenses;
        self.refunds += other.refunds;
        self.net += other.net;
    }
}

impl Sub for Figure {
    type Output = Figure;
    fn sub(self, other: Figure) -> Figure {
        Figure {
            income: self.income - other.income,
            expenses: self.expenses - other.expenses,
            refunds: self.refunds - other.refunds,
            net: self.net - other.net,
        }
    }
}

/// What the transactions of a row have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// The id of a category, an account or a member.
    Id(i64),
    /// A group, a payee's key or a tag.
    Text(String),
}

/// The figures of a row, of the rest or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlowSums {
    /// The whole period.
    pub total: Figure,
    /// Its intervals.
    pub series: Vec<Figure>,
    /// The period that is compared. None if none is.
    pub previous: Option<Figure>,
}

/// A row of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRow {
    /// What its transactions have in common. None: they have none.
    pub key: Option<Key>,
    /// The name of it. None if it has none.
    pub name: Option<String>,
    /// Its figures.
    pub sums: FlowSums,
}

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowReport {
    /// The period.
    pub span: Span,
    /// The kind of its intervals.
    pub interval: Interval,
    /// Its intervals.
    pub intervals: Vec<Span>,
    /// The rows, the largest first.
    pub rows: Vec<FlowRow>,
    /// The transactions of both periods that have no listed key. None if there are none.
    pub other: Option<FlowSums>,
    /// All transactions, each once.
    pub total: FlowSums,
}

/// Where the transactions of a figure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the period, in the interval with this day if the report has intervals.
    Period(Option<Date>),
    /// In the period that is compared.
    Previous,
}

/// The figures of a key while the report is made. Only intervals with transactions take memory.
#[derive(Debug, Clone, Default)]
struct Growing {
    name: Option<String>,
    /// The position of the newest transaction, whose text is the name.
    newest: i64,
    total: Figure,
    series: BTreeMap<usize, Figure>,
    previous: Figure,
}

impl Growing {
    fn add(&mut self, interval: Option<usize>, place: Place, figure: Figure) {
        match place {
            Place::Period(_) => {
                self.total += figure;
                if let Some(at) = interval {
                    *self.series.entry(at).or_default() += figure;
                }
            }
            Place::Previous => self.previous += figure,
        }
    }

    fn finished(&self, intervals: usize, is_compared: bool) -> FlowSums {
        FlowSums {
            total: self.total,
            series: (0..intervals).map(|at| self.series.get(&at).copied().unwrap_or_default()).collect(),
            previous: is_compared.then_some(self.previous),
        }
    }
}

/// A key of transactions, with its name if one is known. The name of the newest transaction is kept.
pub type Named = (Option<Key>, Option<String>);

/// Makes a report from the figures of transactions, in any order.
#[derive(Debug)]
pub struct FlowBuilder {
    span: Span,
    interval: Interval,
    intervals: Vec<Span>,
    is_compared: bool,
    keys: HashMap<Option<Key>, Growing>,
    total: Growing,
    /// The figures of transactions with several keys.
    shared: Vec<Shared>,
}

/// The figure of transactions with several keys.
#[derive(Debug)]
struct Shared {
    keys: Vec<Option<Key>>,
    interval: Option<usize>,
    place: Place,
    figure: Figure,
}

impl FlowBuilder {
    /// An empty report.
    pub fn new(span: Span, interval: Interval, is_compared: bool) -> Self {
        let intervals = span.intervals(interval);
        let (keys, total, shared) = (HashMap::new(), Growing::default(), Vec::new());
        FlowBuilder { span, interval, intervals, is_compared, keys, total, shared }
    }

    /// Adds the figure of transactions that have all these keys.
    pub fn add(&mut self, keys: Vec<Named>, newest: i64, place: Place, figure: Figure) {
        let interval = match place {
            Place::Period(Some(day)) => self.intervals.iter().position(|span| (span.from..=span.to).contains(&day)),
            Place::Period(None) | Place::Previous => None,
        };
        self.total.add(interval, place, figure);
        if keys.len() > 1 {
            let keys = keys.iter().map(|(key, _)| key.clone()).collect();
            self.shared.push(Shared { keys, interval, place, figure });
        }
        for (key, name) in keys {
            let growing = self.keys.entry(key).or_default();
            if name.is_some() && (growing.name.is_none() || growing.newest < newest) {
                (growing.name, growing.newest) = (name, newest);
            }
            growing.add(interval, place, figure);
        }
    }

    /// The report with at most `limit` rows. `name` gives the names of keys that transactions do not tell.
    pub fn finish(self, limit: usize, name: impl Fn(&Key) -> Option<String>) -> FlowReport {
        let FlowBuilder { span, interval, intervals, is_compared, keys, total, shared } = self;
        let named = |(key, growing): (Option<Key>, Growing)| {
            let name = growing.name.clone().or_else(|| key.as_ref().and_then(&name));
            (key, name, growing)
        };
        let mut all: Vec<(Option<Key>, Option<String>, Growing)> = keys.into_iter().map(named).collect();
        all.sort_by(|(key, name, growing), (other_key, other_name, other)| {
            let size = |growing: &Growing| Reverse((growing.total.net.abs(), growing.previous.net.abs()));
            let of = |key: &Option<Key>, name: &Option<String>| (key.is_none(), name.clone(), key.clone());
            size(growing).cmp(&size(other)).then_with(|| of(key, name).cmp(&of(other_key, other_name)))
        });
        let finished = |growing: &Growing| growing.finished(intervals.len(), is_compared);
        let unlisted = all.split_off(limit.min(all.len()));
        let mut other = Growing::default();
        for (_, _, growing) in &unlisted {
            other.total += growing.total;
            other.previous += growing.previous;
            for (at, figure) in &growing.series {
                *other.series.entry(*at).or_default() += *figure;
            }
        }
        let listed: HashSet<&Option<Key>> = all.iter().map(|(key, ..)| key).collect();
        for Shared { keys, interval, place, figure } in &shared {
            // The sum of the unlisted keys counts a transaction once for each of them. It is in the rest once, if no key is listed.
            let times = keys.iter().filter(|key| !listed.contains(key)).count();
            for _ in usize::from(times == keys.len())..times {
                other.add(*interval, *place, Figure::default() - *figure);
            }
        }
        // Amounts are above zero, so no transactions have the sum zero.
        let has_other = other.total != Figure::default() || other.previous != Figure::default();
        let (other, total) = (has_other.then(|| finished(&other)), finished(&total));
        let rows = all.iter().map(|(key, name, growing)| FlowRow {
            key: key.clone(),
            name: name.clone(),
            sums: finished(growing),
        });
        FlowReport { span, interval, rows: rows.collect(), other, total, intervals }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::date;

    use super::*;

    fn spent(cents: i128) -> Figure {
        Figure { expenses: Money::from_cents(cents), net: Money::from_cents(cents), ..Figure::default() }
    }

    fn tag(name: &str) -> Named {
        (Some(Key::Text(name.into())), Some(name.to_uppercase()))
    }

    #[test]
    fn a_row_counts_under_each_tag_and_once_in_the_rest_and_in_all() {
        let mut builder =
            FlowBuilder::new(Span { from: date!(2026 - 01 - 01), to: date!(2026 - 02 - 28) }, Interval::Month, true);
        let january = Place::Period(Some(date!(2026 - 01 - 05)));
        builder.add(vec![tag("a"), tag("b"), tag("c")], 1, january, spent(100));
        builder.add(vec![tag("b"), tag("c")], 2, january, spent(10));
        builder.add(vec![(None, None)], 3, Place::Period(Some(date!(2026 - 02 - 01))), spent(500));
        builder.add(vec![tag("a")], 4, Place::Previous, spent(7));
        let report = builder.finish(2, |_| None);
        let keys: Vec<_> = report.rows.iter().map(|row| (row.name.as_deref(), row.sums.total.net.cents())).collect();
        assert_eq!(keys, [(None, 500), (Some("B"), 110)]);
        let other = report.other.unwrap();
        assert_eq!(other.total, Figure::default(), "the rows of a and c are rows of b");
        assert_eq!(other.previous, Some(spent(7)));
        assert_eq!((report.total.total, report.total.previous), (spent(610), Some(spent(7))));
        assert_eq!(report.total.series, [spent(110), spent(500)]);
    }

    #[test]
    fn a_span_is_split_into_whole_months_and_the_days_around_them() {
        let month = |text: &str| text.parse::<Month>().unwrap();
        let span = |from, to| Span { from, to };
        let (whole, rest) = span(date!(2026 - 01 - 15), date!(2026 - 03 - 10)).by_whole_months();
        assert_eq!(whole, Some((month("2026-02"), month("2026-02"))));
        assert_eq!(
            rest,
            [span(date!(2026 - 01 - 15), date!(2026 - 01 - 31)), span(date!(2026 - 03 - 01), date!(2026 - 03 - 10))]
        );
        assert_eq!(
            span(date!(2026 - 01 - 02), date!(2026 - 02 - 27)).by_whole_months(),
            (None, vec![span(date!(2026 - 01 - 02), date!(2026 - 02 - 27))])
        );
        assert_eq!(
            span(date!(2026 - 02 - 01), date!(2026 - 02 - 28)).by_whole_months(),
            (Some((month("2026-02"), month("2026-02"))), vec![])
        );
    }

    proptest! {
        /// The rows and the rest are all, unless a transaction has several keys; then each is in the rest or under a listed key.
        #[test]
        fn rows_and_the_rest_are_all(
            entries in proptest::collection::vec((proptest::collection::btree_set(0..6_u8, 1..4), 0..90_i64, 1..1_000_i128), 0..40),
            limit in 1..6_usize,
            is_single in any::<bool>(),
        ) {
            let span = Span { from: date!(2026-01-10), to: date!(2026-03-20) };
            let mut builder = FlowBuilder::new(span, Interval::Month, true);
            for (keys, day, cents) in &entries {
                let day = date!(2025-12-20).saturating_add(Duration::days(*day));
                let place = if (span.from..=span.to).contains(&day) { Place::Period(Some(day)) } else { Place::Previous };
                let keys = keys.iter().take(if is_single { 1 } else { 9 });
                builder.add(keys.map(|key| (Some(Key::Id((*key).into())), None)).collect(), 0, place, spent(*cents));
            }
            let report = builder.finish(limit, |_| None);
            prop_assert!(report.rows.len() <= limit);
            let listed: HashSet<i64> = report.rows.iter().filter_map(|row| match row.key { Some(Key::Id(id)) => Some(id), _ => None }).collect();
            let of_other = entries.iter().filter(|(keys, ..)| {
                !keys.iter().take(if is_single { 1 } else { 9 }).any(|key| listed.contains(&i64::from(*key)))
            });
            let expected: i128 = of_other.map(|(_, _, cents)| cents).sum();
            let other = report.other.clone().unwrap_or_default();
            prop_assert_eq!((other.total.net + other.previous.unwrap_or_default().net).cents(), expected);
            prop_assert_eq!(report.other.is_some(), expected != 0);
            let all: i128 = entries.iter().map(|(_, _, cents)| cents).sum();
            prop_assert_eq!((report.total.total.net + report.total.previous.unwrap().net).cents(), all);
            if is_single {
                let mut sum = other.total;
                for row in &report.rows {
                    sum += row.sums.total;
                }
                prop_assert_eq!(sum, report.total.total);
            }
            let mut series = Figure::default();
            report.total.series.iter().for_each(|figure| series += *figure);
            prop_assert_eq!(series, report.total.total);
        }
    }
}
