//! A year of a household.

use std::collections::BTreeSet;

use time::Date;

use crate::dashboard::MonthTotals;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::month::{day_after, day_before};
use crate::reports::flow::{Figure, FlowRow, Span};

/// The number of payees in the report of a year.
pub const YEAR_PAYEES: usize = 10;
/// The most categories whose spending rose, and the most whose spending fell.
pub const YEAR_CHANGES_MAX: usize = 5;

/// What was spent in a category, compared with the same days a year before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryChange {
    /// The category. None for rows without one.
    pub category_id: Option<CategoryId>,
    /// Its name.
    pub name: Option<String>,
    /// What was spent.
    pub net: Money,
    /// What was spent a year before.
    pub previous: Money,
}

impl CategoryChange {
    /// How much more was spent.
    pub fn change(&self) -> Money {
        self.net - self.previous
    }
}

/// The categories whose spending rose most, and those whose spending fell most, the largest change first.
pub fn rises_and_falls(mut changes: Vec<CategoryChange>) -> (Vec<CategoryChange>, Vec<CategoryChange>) {
    changes.sort_by(|one, other| {
        let by_size = other.change().abs().cmp(&one.change().abs());
        by_size.then_with(|| (&one.name, one.category_id).cmp(&(&other.name, other.category_id)))
    });
    let of = |is_meant: fn(Money) -> bool| {
        changes.iter().filter(|change| is_meant(change.change())).take(YEAR_CHANGES_MAX).cloned().collect()
    };
    (of(|change| change > Money::ZERO), of(|change| change < Money::ZERO))
}

/// The days of a period on which nothing was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuietDays {
    /// The days of the period.
    pub days: i64,
    /// Those without spending.
    pub without_spending: i64,
    /// The longest run of days without spending; the first one of equal length. None if there is no such day.
    pub longest: Option<Span>,
}

/// The days of a period without spending, from the days with spending.
///
/// ```
/// use std::collections::BTreeSet;
/// use finance_domain::reports::flow::Span;
/// use finance_domain::reports::year::quiet_days;
/// use time::macros::date;
///
/// let span = Span { from: date!(2026-01-01), to: date!(2026-01-10) };
/// let quiet = quiet_days(span, &BTreeSet::from([date!(2026-01-04), date!(2026-01-08)]));
/// assert_eq!((quiet.days, quiet.without_spending), (10, 8));
/// assert_eq!(quiet.longest, Some(Span { from: date!(2026-01-01), to: date!(2026-01-03) }));
/// ```
pub fn quiet_days(span: Span, spending: &BTreeSet<Date>) -> QuietDays {
    let mut longest: Option<Span> = None;
    let mut from = span.from;
    let inside = spending.range(span.from..=span.to);
    for end in inside.clone().copied().chain([day_after(span.to)]) {
        let run = Span { from, to: day_before(end) };
        if run.from <= run.to && longest.is_none_or(|longest| run.days() > longest.days()) {
            longest = Some(run);
        }
        from = day_after(end);
    }
    let days = span.days();
    let with_spending = i64::try_from(inside.count()).unwrap_or(days);
    QuietDays { days, without_spending: days - with_spending, longest }
}

/// The report of a year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearReport {
    /// The year.
    pub year: i32,
    /// Its days, until today in this year.
    pub span: Span,
    /// Its months.
    pub months: Vec<MonthTotals>,
    /// All income and expenses.
    pub total: Figure,
    /// The same days a year before.
    pub previous: Figure,
    /// The payees at which most was spent.
    pub payees: Vec<FlowRow>,
    /// The categories whose spending rose most.
    pub rises: Vec<CategoryChange>,
    /// The categories whose spending fell most.
    pub falls: Vec<CategoryChange>,
    /// The days without spending, since the books begin.
    pub quiet: QuietDays,
}
