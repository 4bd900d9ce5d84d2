//! What items, their dues and what is noted about them are.

use time::Date;

use crate::ids::{AccountId, CategoryId, ProfileId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::words::words;

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
    /// When it is due, and what is expected then.
    pub schedule: Schedule,
}

impl Recurring {
    /// Whether a due may settle long after its day: it is due once, or less than once a month.
    pub fn is_rare(&self) -> bool {
        self.schedule.count == Some(1) || self.schedule.every.is_rarer_than_monthly()
    }

    /// Its category and type: only rows of the same ones may cover it.
    pub(crate) fn group(&self) -> (CategoryId, Kind) {
        (self.category_id, self.kind)
    }
}

words! {
    /// Which amount is expected.
    #[derive(Default)]
    pub enum Expects {
        /// That of the item.
        #[default]
        Amount = "amount",
        /// What came last.
        Last = "last",
        /// The mean of what came the last three times.
        Mean3 = "mean3",
    }
}

/// When an item is due, and what is expected then. The default is once a month, the amount of the item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// How often.
    pub every: Every,
    /// The first possible day. Every rhythm but that of one month has one.
    pub start_on: Option<Date>,
    /// The last possible day.
    pub until: Option<Date>,
    /// How many dues there are, 1 to [`COUNT_MAX`].
    pub count: Option<u16>,
    /// How the day counts.
    pub day_count: DueDayCount,
    /// Where a due moves that is on no business day.
    pub weekend: Weekend,
    /// The least and the most that it usually is. The amount of the item is within.
    pub range: Option<(Money, Money)>,
    /// Which amount is expected.
    pub expects: Expects,
    /// Whether a part of the amount is set aside each month before it is due.
    pub reserve: bool,
}

/// The most dues of an item that ends after a number of them.
pub const COUNT_MAX: u16 = 999;

/// What a note about a due is kept by, so that it outlives a change of the item's day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKey {
    /// The month of the due, of a rhythm of months or years.
    Month(Month),
    /// The due itself, of a rhythm of days or weeks.
    Due(Date),
}

impl NoteKey {
    /// The key of a due in a rhythm.
    pub fn of(every: Every, due: Date) -> Self {
        if every.is_by_days() { NoteKey::Due(due) } else { NoteKey::Month(Month::of(due)) }
    }
}

/// The mark that a client gave a due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It did not arrive when it was expected.
    Late,
    /// It is not expected this time.
    Ignored,
    /// It arrived, and this transaction was created for it. The mark is deleted with the transaction.
    Confirmed(TransactionId),
}

impl Mark {
    /// The status of a due with this mark, if no transaction covers it.
    pub fn status(self) -> Status {
        match self {
            Mark::Late => Status::Late,
            Mark::Ignored => Status::Ignored,
            Mark::Confirmed(_) => Status::Confirmed,
        }
    }
}

/// What is stored about a due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// It is late.
    Late,
    /// It is not expected.
    Ignored,
    /// This transaction, of this amount, was created for it.
    Confirmed(TransactionId, Money),
    /// A person said that this transaction, of this amount, covers it.
    Linked(TransactionId, Money),
}

/// A stored item, and what is stored about its dues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedItem {
    /// The item.
    pub item: Recurring,
    /// The notes. Links are in the order of their transactions.
    pub notes: Vec<(NoteKey, Note)>,
}

words! {
    /// The status of a due.
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

/// A due of an item, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The day of the rhythm, which names it.
    pub due: Date,
    /// The day on which it is expected.
    pub date: Date,
    /// What came, otherwise what is expected.
    pub amount: Money,
    /// Its status.
    pub status: Status,
    /// Whether a person said which transactions cover it.
    pub is_linked: bool,
    /// The transactions that cover or confirm it. Rows of held statements have no id yet.
    pub transaction_ids: Vec<TransactionId>,
}

impl Occurrence {
    /// Whether it is settled: a transaction covers or confirms it.
    pub fn is_settled(&self) -> bool {
        matches!(self.status, Status::Covered | Status::Confirmed)
    }
}

/// An item and its dues of one month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringState {
    /// The item.
    pub item: Recurring,
    /// The first date from today on.
    pub next_on: Option<Date>,
    /// The dues, in their order.
    pub occurrences: Vec<Occurrence>,
}

/// The order in which the status of a month is that of one of its dues.
const STATUS_ORDER: [Status; 5] = [Status::Late, Status::Pending, Status::Covered, Status::Confirmed, Status::Ignored];

impl RecurringState {
    /// The due whose status is that of the month: the first that is late, otherwise pending, covered, confirmed or ignored.
    pub fn leading(&self) -> Option<&Occurrence> {
        STATUS_ORDER.iter().find_map(|status| self.occurrences.iter().find(|occurrence| occurrence.status == *status))
    }

    /// The status of the month. None if nothing is due in it.
    pub fn status(&self) -> Option<Status> {
        self.leading().map(|occurrence| occurrence.status)
    }

    /// The first transaction of the due that gives the month its status.
    pub fn transaction_id(&self) -> Option<TransactionId> {
        self.leading().and_then(|occurrence| occurrence.transaction_ids.first().copied())
    }
}

words! {
    /// The unit of a rhythm.
    #[derive(Default)]
    pub enum Unit {
        /// Days.
        Day = "day",
        /// Weeks.
        Week = "week",
        /// Months.
        #[default]
        Month = "month",
        /// Years.
        Year = "year",
    }
}

words! {
    /// How the day of an item counts in its month.
    #[derive(Default)]
    pub enum DueDayCount {
        /// A day of the calendar.
        #[default]
        Calendar = "calendar",
        /// The k-th business day: Monday to Friday, no holiday.
        Business = "business",
        /// The k-th day from Monday to Saturday that is no holiday, as wages are due.
        Labour = "labour",
    }
}

words! {
    /// Where a due moves that is on no business day.
    #[derive(Default)]
    pub enum Weekend {
        /// It stays.
        #[default]
        Same = "same",
        /// To the business day before.
        Before = "before",
        /// To the business day after.
        After = "after",
    }
}

/// How often an item is due: every n units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Every {
    /// How many units lie between two dues, 1 to [`EVERY_MAX`].
    pub n: u16,
    /// The unit.
    pub unit: Unit,
}

/// The most units between two dues.
pub const EVERY_MAX: u16 = 366;

impl Default for Every {
    fn default() -> Self {
        Every { n: 1, unit: Unit::Month }
    }
}

impl Every {
    /// Whether it is counted in days or weeks, so that the day of the month has no meaning.
    pub fn is_by_days(self) -> bool {
        matches!(self.unit, Unit::Day | Unit::Week)
    }

    /// The days between two dues, of a rhythm of days or weeks.
    pub(super) fn days(self) -> i64 {
        i64::from(self.n) * if self.unit == Unit::Week { 7 } else { 1 }
    }

    /// The months between two dues. None of a rhythm of days or weeks.
    pub fn months(self) -> Option<i32> {
        match self.unit {
            Unit::Month => Some(i32::from(self.n)),
            Unit::Year => Some(i32::from(self.n) * 12),
            Unit::Day | Unit::Week => None,
        }
    }

    /// Whether more than a month lies between two dues.
    pub fn is_rarer_than_monthly(self) -> bool {
        self.months().map_or(self.days() > 31, |months| months > 1)
    }
}
