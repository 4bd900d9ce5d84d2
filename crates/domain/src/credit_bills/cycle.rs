//! When a card's bills open, close and are due.
//!
//! A bill closes on the closing day. A purchase on that day is on the next bill. When a card's days change, bills that closed
//! under the old days stay as they were. The current bill becomes longer or shorter and closes on the next closing date by the
//! new days, which apply from then on. So the periods of a card tile the calendar, without gap or overlap, however often its days
//! change.
//!
//! A bank may close a single bill some days earlier or later, or make it due on another day ([`BillDates`]). Such a date applies
//! to its bill and to the start of the next one. A closing date moves at most half-way to the closing dates before and after it,
//! so the periods still tile the calendar.
//!
//! The rule is local, so no two dates can contradict each other. `bill_dates` identifies a bill by the date on which it
//! closes by the card's days.
//!
//! A change of days begins with the bill that is actually open ([`Cycles::changed`]). So the bill before it keeps its dates, also
//! those of its own.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use time::{Date, Duration};

use crate::month::{Month, day_after, day_before};

/// The days of the month on which a card's bills close and are due. In a shorter month, they mean its last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cycle {
    /// The day a bill closes, 1 to 31.
    pub closing_day: u8,
    /// The day a bill is due, 1 to 31.
    pub due_day: u8,
}

/// The period of one bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Period {
    /// Its first day: the date the bill before it closed.
    pub start: Date,
    /// Its last day: the day before it closes.
    pub end: Date,
    /// The due date: the first due day after it closes.
    pub due: Date,
}

/// The payment dates whose rows are on a bill: those after its period until a day, another one, and all but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaymentDates {
    /// The last day of the following period.
    pub until: Date,
    /// The due date, if the following bill has closed by then.
    pub also: Option<Date>,
    /// The due date of the bill before, if it is one of these days.
    pub except: Option<Date>,
}

/// The most days from a bill's closing date to its due date: a current bill that becomes longer has two months.
pub const DUE_DAYS_MAX: i64 = 62;

/// The most days by which a bank moves a due date that is no business day: over a weekend and the days of Carnival.
const DUE_MOVED_DAYS_MAX: i64 = 5;

/// The dates of one bill that differ from the card's days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BillDates {
    /// The closing date. None for the date by the card's days.
    pub closing: Option<Date>,
    /// The due date. None for the date by the card's days.
    pub due: Option<Date>,
}

impl BillDates {
    /// Whether it closes and is due by the card's days.
    pub fn is_empty(&self) -> bool {
        *self == BillDates::default()
    }
}

impl Cycle {
    /// The closing date in a month.
    fn closing_in(self, month: Month) -> Date {
        month.day_clamped(self.closing_day)
    }

    /// The first closing date after a date.
    fn closing_after(self, date: Date) -> Date {
        let this_month = self.closing_in(Month::of(date));
        if this_month > date { this_month } else { self.closing_in(Month::of(date).plus(1)) }
    }

    /// The last closing date on or before a date.
    fn closing_until(self, date: Date) -> Date {
        let this_month = self.closing_in(Month::of(date));
        if this_month <= date { this_month } else { self.closing_in(Month::of(date).minus(1)) }
    }

    /// The first due day after a closing date.
    fn due_after(self, closing: Date) -> Date {
        let this_month = Month::of(closing).day_clamped(self.due_day);
        if this_month > closing { this_month } else { Month::of(closing).plus(1).day_clamped(self.due_day) }
    }

    /// The period between two closing dates.
    fn period(self, opening: Date, closing: Date) -> Period {
        Period { start: opening, end: day_before(closing), due: self.due_after(closing) }
    }
}

/// A card's present and former days. They determine the period of any date.
///
/// ```
/// use finance_domain::credit_bills::{Cycle, Cycles};
/// use time::macros::date;
///
/// let card = Cycles::new(Cycle { closing_day: 31, due_day: 10 }, []);
/// let february = card.period_holding(date!(2024-02-28));
/// assert_eq!((february.start, february.end), (date!(2024-01-31), date!(2024-02-28)));
/// assert_eq!(february.due, date!(2024-03-10));
/// assert_eq!(card.period_holding(date!(2024-02-29)).start, date!(2024-02-29), "the closing day is on the next bill");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycles {
    first: Cycle,
    /// In the order of their starts, which are unique.
    changes: Vec<Change>,
    /// The dates of single bills. The key is the date on which the bill closes by the days alone.
    dates: BTreeMap<Date, BillDates>,
}

/// Days that a card had, and the change that replaced them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaced {
    /// The days before the change.
    pub cycle: Cycle,
    /// The first day of the first bill by the new days. Without a [`closing`](Replaced::closing) it is any day of that bill.
    pub on: Date,
    /// The date on which that first bill closes by the new days. None in what earlier releases stored: they did not consider that
    /// a bill may have dates of its own.
    pub closing: Option<Date>,
    /// The date on which the last bill before the change closes by the days before the change. It differs from
    /// [`on`](Replaced::on) if that bill closed on a date of its own.
    pub former_closing: Option<Date>,
}

/// A cycle that applies from a period on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    /// The first day of its first period, which was current at the change.
    start: Date,
    /// The date on which the last period before the change closes by the days before the change.
    former_closing: Date,
    /// The date on which the first period closes. Later periods close by the cycle alone.
    closing: Date,
    cycle: Cycle,
}

/// The middle between two closing dates: the last day to which the first of them may move.
fn half_way(from: Date, to: Date) -> Date {
    from + Duration::days((to - from).whole_days() / 2)
}

impl Cycles {
    /// Takes the present days of a card and its former days, each with the date on which they were replaced.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// // On 25 January the closing day moved from the 10th to the 15th.
    /// let before = (date!(2026-01-25), Cycle { closing_day: 10, due_day: 20 });
    /// let card = Cycles::new(Cycle { closing_day: 15, due_day: 25 }, [before]);
    ///
    /// let last_year = card.period_holding(date!(2026-01-09));
    /// assert_eq!((last_year.end, last_year.due), (date!(2026-01-09), date!(2026-01-20)), "what closed stays");
    /// let current = card.period_holding(date!(2026-01-25));
    /// assert_eq!((current.start, current.end), (date!(2026-01-10), date!(2026-02-14)), "the current bill stretches");
    /// assert_eq!(current.due, date!(2026-02-25));
    /// ```
    pub fn new(present: Cycle, replaced: impl IntoIterator<Item = (Date, Cycle)>) -> Self {
        let without_dates = |(on, cycle)| Replaced { cycle, on, closing: None, former_closing: None };
        Cycles::with_replaced(present, replaced.into_iter().map(without_dates))
    }

    /// Takes the present days of a card and its former days as they are stored. The periods tile the calendar whatever the values.
    pub fn with_replaced(present: Cycle, replaced: impl IntoIterator<Item = Replaced>) -> Self {
        let mut replaced: Vec<Replaced> = replaced.into_iter().collect();
        replaced.sort_by_key(|replaced| replaced.on);
        let first = replaced.first().map_or(present, |replaced| replaced.cycle);
        let mut cycles = Cycles { first, changes: Vec::with_capacity(replaced.len()), dates: BTreeMap::new() };
        let successors: Vec<Cycle> = replaced.iter().skip(1).map(|replaced| replaced.cycle).chain([present]).collect();
        for (Replaced { on, closing, former_closing, .. }, cycle) in replaced.into_iter().zip(successors) {
            let (start, closing) = match closing {
                Some(closing) if closing > on => (on, closing),
                _ => (cycles.scheduled(on).1.start, cycle.closing_after(on)),
            };
            // A change within the same period replaces the one before.
            while cycles.changes.pop_if(|change| change.start >= start).is_some() {}
            let former_closing = former_closing.filter(|former| cycles.can_end(*former, start)).unwrap_or(start);
            cycles.changes.push(Change { start, former_closing, closing, cycle });
        }
        cycles
    }

    /// Whether the last bill before a change may be the one that closes on `former_closing` by the days before, but actually on
    /// `start`.
    fn can_end(&self, former_closing: Date, start: Date) -> bool {
        let (_, last) = self.scheduled(day_before(former_closing));
        self.changes.last().is_none_or(|change| change.start < former_closing)
            && half_way(last.start, former_closing) < start
    }

    /// The present days of the card.
    pub fn present(&self) -> Cycle {
        self.changes.last().map_or(self.first, |change| change.cycle)
    }

    /// The former days, as they are stored, in the order of their changes.
    pub fn replaced(&self) -> Vec<Replaced> {
        let before = [self.first].into_iter().chain(self.changes.iter().map(|change| change.cycle));
        let replaced = |(cycle, change): (Cycle, &Change)| Replaced {
            cycle,
            on: change.start,
            closing: Some(change.closing),
            former_closing: Some(change.former_closing),
        };
        before.zip(&self.changes).map(replaced).collect()
    }

    /// The dates of single bills, each with the date on which the bill closes by the days alone.
    pub fn dates(&self) -> impl Iterator<Item = (Date, BillDates)> {
        self.dates.iter().map(|(scheduled, dates)| (*scheduled, *dates))
    }

    /// The cycles after a change of days on a date. Bills that are closed on that date stay, with all their dates. The open bill
    /// keeps its first day, and closes on the next closing date by the new days. If the closing day is the same, it closes as it
    /// did. Changes that were made at later dates, before the clock went back, no longer apply.
    ///
    /// ```
    /// use finance_domain::credit_bills::{BillDates, Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// // The bill that closes on 25 March by the card's days closed on the 19th. On the 20th the closing day becomes the 22nd.
    /// let early = BillDates { closing: Some(date!(2026-03-19)), due: None };
    /// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []).with_dates([(date!(2026-03-25), early)]);
    /// let changed = card.changed(date!(2026-03-20), Cycle { closing_day: 22, due_day: 2 });
    ///
    /// assert_eq!(changed.period_holding(date!(2026-03-18)), card.period_holding(date!(2026-03-18)), "what closed stays");
    /// let open = changed.period_holding(date!(2026-03-20));
    /// assert_eq!((open.start, open.end, open.due), (date!(2026-03-19), date!(2026-03-21), date!(2026-04-02)));
    /// ```
    pub fn changed(&self, today: Date, new: Cycle) -> Self {
        let open = self.period_holding(today);
        let closed = self.period_before(&open);
        let opened = self.scheduled_start(open.start);
        let scheduled_closing = self.scheduled_closing(&open);
        let mut after = self.clone();
        after.changes.retain(|change| change.start < opened);
        let former = after.changes.last().map_or(after.first, |change| change.cycle);
        // A change within the same bill takes the place of the one before.
        let replaced = self.changes.iter().find(|change| change.start == opened);
        let former_closing = replaced.map_or(opened, |change| change.former_closing);
        let by_former_days = day_after(after.scheduled(former_closing).1.end);
        // A closing date of its own may be further away than the closing dates by the former days allow.
        let closes_as_it_did = new.closing_day == former.closing_day
            && by_former_days == scheduled_closing
            && after.closing_range(scheduled_closing).contains(&day_after(open.end));
        let closing = match new.closing_day == former.closing_day && by_former_days > today {
            _ if closes_as_it_did => scheduled_closing,
            true => by_former_days,
            false => new.closing_after(today),
        };
        let had_later_changes = self.changes.iter().any(|change| change.start > opened);
        after.dates.retain(|scheduled, _| {
            *scheduled < opened
                || *scheduled > opened && closes_as_it_did && (*scheduled == scheduled_closing || !had_later_changes)
        });
        let change = Change { start: open.start, former_closing, closing, cycle: new };
        let is_none = new == former && change.start == former_closing && closing == by_former_days;
        if !is_none {
            after.changes.push(change);
        }
        // The bill that closed last keeps its due date. Its closing date is now the start of the change.
        if after.period_holding(closed.start).due != closed.due {
            after.dates.insert(open.start, BillDates { closing: None, due: Some(closed.due) });
        }
        after
    }

    /// Adds the dates of single bills, each with the date on which the bill closes by the days alone
    /// ([`scheduled_closing`](Cycles::scheduled_closing)). A date that its bill cannot have is ignored, such as one that remains
    /// from former days.
    ///
    /// ```
    /// use finance_domain::credit_bills::{BillDates, Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// // "Fechamento 26/03" on a card that closes on the 25th.
    /// let moved = BillDates { closing: Some(date!(2026-03-26)), due: None };
    /// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []).with_dates([(date!(2026-03-25), moved)]);
    /// let march = card.period_holding(date!(2026-03-25));
    /// assert_eq!((march.start, march.end, march.due), (date!(2026-02-25), date!(2026-03-25), date!(2026-04-05)));
    /// let april = card.period_following(&march);
    /// assert_eq!((april.start, april.end), (date!(2026-03-26), date!(2026-04-24)));
    /// ```
    pub fn with_dates(mut self, dates: impl IntoIterator<Item = (Date, BillDates)>) -> Self {
        self.dates.extend(dates);
        self
    }

    /// The possible closing dates of the bill that closes on `scheduled` by the card's days: up to half-way to the bills before
    /// and after it.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
    /// assert_eq!(card.closing_range(date!(2026-03-25)), date!(2026-03-12)..=date!(2026-04-09));
    /// ```
    pub fn closing_range(&self, scheduled: Date) -> RangeInclusive<Date> {
        let (_, before) = self.scheduled(day_before(scheduled));
        let (_, after) = self.scheduled(scheduled);
        let first = day_after(half_way(before.start, self.seen_from_before(scheduled)));
        first..=half_way(scheduled, self.seen_from_before(day_after(after.end)))
    }

    /// A closing date as the days before it determine it. It differs from `scheduled` only at a change of days, if the last bill
    /// before the change closed on a date of its own. Where closing dates may move depends on it, so that a change does not make
    /// dates of earlier bills invalid.
    fn seen_from_before(&self, scheduled: Date) -> Date {
        let at = self.changes.binary_search_by_key(&scheduled, |change| change.start);
        at.map_or(scheduled, |at| self.changes[at].former_closing)
    }

    /// The period that opens nearest to a date: the one whose first day may be moved to the date.
    pub fn period_opening_near(&self, date: Date) -> Period {
        let (_, around) = self.scheduled(date);
        let closing = day_after(around.end);
        let is_first = date <= half_way(around.start, self.seen_from_before(closing));
        self.actual(self.scheduled(if is_first { around.start } else { closing }))
    }

    /// The possible due dates of a bill that closes on a date.
    pub fn due_range(closing: Date) -> RangeInclusive<Date> {
        day_after(closing)..=closing.saturating_add(Duration::days(DUE_DAYS_MAX))
    }

    /// The date on which the bill of a period closes by the card's days alone.
    pub fn scheduled_closing(&self, period: &Period) -> Date {
        let (_, scheduled) = self.scheduled(self.scheduled_start(period.start));
        day_after(scheduled.end)
    }

    /// The start, by the card's days alone, of the period that actually starts on `start`: the nearest one.
    fn scheduled_start(&self, start: Date) -> Date {
        let (_, around) = self.scheduled(start);
        if self.dates.is_empty() || self.closing(around.start) == start { around.start } else { day_after(around.end) }
    }

    /// The actual closing date of the bill that closes on `scheduled` by the card's days.
    fn closing(&self, scheduled: Date) -> Date {
        let moved = self.dates.get(&scheduled).and_then(|dates| dates.closing);
        moved.filter(|closing| self.closing_range(scheduled).contains(closing)).unwrap_or(scheduled)
    }

    /// The actual period, computed from the one by the card's days alone.
    fn actual(&self, (cycle, scheduled): (Cycle, Period)) -> Period {
        let scheduled_closing = day_after(scheduled.end);
        let (start, closing) = (self.closing(scheduled.start), self.closing(scheduled_closing));
        let moved = self.dates.get(&scheduled_closing).and_then(|dates| dates.due);
        let possible = Self::due_range(closing);
        let known = [moved, Some(scheduled.due)].into_iter().flatten().find(|due| possible.contains(due));
        let due = known.unwrap_or_else(|| cycle.due_after(closing));
        Period { start, end: day_before(closing), due }
    }

    /// The period that contains a date.
    pub fn period_holding(&self, date: Date) -> Period {
        let scheduled = self.scheduled(date);
        if self.dates.is_empty() {
            return scheduled.1;
        }
        let actual = self.actual(scheduled);
        if date < actual.start {
            self.actual(self.scheduled(day_before(scheduled.1.start)))
        } else if date > actual.end {
            self.actual(self.scheduled(day_after(scheduled.1.end)))
        } else {
            actual
        }
    }

    /// The period that contains a date by the card's days alone, and the cycle by which it closes. The last period before a change
    /// of days ends where the change begins.
    fn scheduled(&self, date: Date) -> (Cycle, Period) {
        let at = self.changes.partition_point(|change| change.start <= date);
        let (cycle, opening, closing) = match at.checked_sub(1).map(|at| self.changes[at]) {
            Some(Change { start, closing, cycle, .. }) if date < closing => (cycle, start, closing),
            Some(Change { closing, cycle, .. }) => {
                (cycle, cycle.closing_until(date).max(closing), cycle.closing_after(date))
            }
            None => (self.first, self.first.closing_until(date), self.first.closing_after(date)),
        };
        match self.changes.get(at) {
            // The last bill before the change closed later than by its days.
            Some(next) if opening >= next.former_closing => self.scheduled(day_before(next.former_closing)),
            Some(next) if closing >= next.former_closing || closing >= next.start => {
                (cycle, cycle.period(opening, next.start))
            }
            _ => (cycle, cycle.period(opening, closing)),
        }
    }

    /// The number of a period. The following period has the next number. Numbers of different cards are not comparable.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 31, due_day: 10 }, []);
    /// let number = |date| card.number_of(&card.period_holding(date));
    /// assert_eq!(number(date!(2026-03-31)) - number(date!(2025-12-31)), 3);
    /// ```
    pub fn number_of(&self, period: &Period) -> i32 {
        let start = self.scheduled_start(period.start);
        let (mut cycle_start, mut number) = (None, 0);
        for change in self.changes.iter().take_while(|change| change.start <= start) {
            number = numbered(cycle_start, number, change.former_closing);
            if change.start == start {
                return number;
            }
            // The first period of the change, and the first that closes by its days alone.
            (cycle_start, number) = (Some(change.closing), number + 1);
        }
        numbered(cycle_start, number, start)
    }

    /// The period before a period.
    pub fn period_before(&self, period: &Period) -> Period {
        self.period_holding(day_before(period.start))
    }

    /// The period after a period.
    pub fn period_following(&self, period: &Period) -> Period {
        self.period_holding(day_after(period.end))
    }

    /// The period whose bill is paid on a date: the last one that closed on or before that date.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 3, due_day: 10 }, []);
    /// assert_eq!(card.period_paid_on(date!(2026-02-10)).end, date!(2026-02-02));
    /// assert_eq!(card.period_paid_on(date!(2026-02-03)).end, date!(2026-02-02), "on the closing date itself");
    /// assert_eq!(card.period_paid_on(date!(2026-02-02)).end, date!(2026-01-02));
    /// ```
    pub fn period_paid_on(&self, date: Date) -> Period {
        self.period_before(&self.period_holding(date))
    }

    /// The period of a transaction on the card: the one that contains `date`. A transaction that was imported with a payment date
    /// also has a purchase date, `original_date`. Its period is the one whose bill is due on `date`, or else the last one that
    /// closed on or before `date`.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// let card = Cycles::new(Cycle { closing_day: 10, due_day: 10 }, []);
    /// let of_payment = |paid| card.period_of(paid, Some(date!(2026-02-20))).end;
    /// assert_eq!(of_payment(date!(2026-04-10)), date!(2026-03-09), "the next bill has closed on that day, but is not due");
    /// assert_eq!(of_payment(date!(2026-04-11)), date!(2026-04-09));
    /// ```
    pub fn period_of(&self, date: Date, original_date: Option<Date>) -> Period {
        match original_date {
            Some(_) => self.period_of_payment(date),
            None => self.period_holding(date),
        }
    }

    /// The period of the rows with a payment date: the one whose bill is due on it, or else the last one that closed by then. Where a
    /// due day is not in each month, two bills may be due on one date, as of a card that closes on day 30 and is due on day 31. Then
    /// it is the later one, because the bank asks for the earlier one in the month before.
    pub fn period_of_payment(&self, date: Date) -> Period {
        let closed = self.period_paid_on(date);
        let before = self.period_before(&closed);
        if before.due == date && closed.due != date { before } else { closed }
    }

    /// The period of the bill of which a statement says that it is due on a date: the last one that closed on or before that date. If the
    /// bill before was due a few days earlier, it is that one: the bank moved its due date, over the next closing date.
    ///
    /// ```
    /// use finance_domain::credit_bills::{Cycle, Cycles};
    /// use time::macros::date;
    ///
    /// // 10 May 2026 is a Sunday, and the next bill closes on it.
    /// let card = Cycles::new(Cycle { closing_day: 10, due_day: 10 }, []);
    /// assert_eq!(card.period_named_due(date!(2026-05-11)).end, date!(2026-04-09));
    /// assert_eq!(card.period_named_due(date!(2026-06-10)).end, date!(2026-05-09));
    /// ```
    pub fn period_named_due(&self, due: Date) -> Period {
        let closed = self.period_paid_on(due);
        let before = self.period_before(&closed);
        let is_moved = (0..=DUE_MOVED_DAYS_MAX).contains(&(due - before.due).whole_days());
        if is_moved && due < closed.due { before } else { closed }
    }

    /// The payment dates whose rows are on the bill of a period, by the rule of [`period_of`](Cycles::period_of).
    pub fn payment_dates(&self, period: &Period) -> PaymentDates {
        let following = self.period_following(period);
        PaymentDates {
            until: following.end,
            also: self.due_after_next(period, &following),
            except: self.due_after_next(&self.period_before(period), period),
        }
    }

    /// The due date of a bill, if the following one has closed by then and is due on another date, and the one after that has not
    /// closed.
    pub(super) fn due_after_next(&self, period: &Period, following: &Period) -> Option<Date> {
        let is_later = following.end < period.due && period.due <= self.period_following(following).end;
        (is_later && following.due != period.due).then_some(period.due)
    }
}

/// The number of the period that starts on the closing date `start`, if the one that starts on `first` has the number `number`. A
/// cycle has one closing date in each month, so this counts months.
fn numbered(first: Option<Date>, number: i32, start: Date) -> i32 {
    let month = |date: Date| date.year() * 12 + i32::from(u8::from(date.month()));
    number + month(start) - first.map_or(0, month)
}

#[cfg(test)]
mod tests;
