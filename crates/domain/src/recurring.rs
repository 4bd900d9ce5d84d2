//! Recurring items, which are expected in a rhythm, and the status of each of their dues.

mod codes;
mod coverage;
mod detection;
mod matching;
mod near;
mod parts;
mod reserve;
mod rhythm;
mod templates;

use time::Date;

use crate::business_days::Holidays;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, ProfileId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::{Kind, Referring};
use crate::words::words;

pub use codes::{Code, CodeKind, parse_code};
pub use coverage::{Coverage, NEAR_DAYS_AFTER, NEAR_DAYS_BEFORE, PART_ROWS_MAX, PartRow, PartWindow, near_days};
pub use detection::{Detected, HistoryRow, KnownItem, PriceChange, detect};
pub use matching::{AmountBand, CoveredBy, MatchItem, MatchTransaction, amount_bands, match_recurring};
pub use parts::{PARTS_MAX, PARTS_MIN};
pub use reserve::{Reserve, reserved};
pub use rhythm::{Due, DueDayCount, EVERY_MAX, Every, Rhythm, Unit, Weekend, density, months_over};
pub use templates::{Catalog, Draft, Template, TemplateError, TemplateItem};

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
    /// Its rhythm.
    pub fn rhythm<'a>(&'a self, holidays: &'a Holidays) -> Rhythm<'a> {
        Rhythm { day: self.day, schedule: &self.schedule, holidays }
    }

    /// Whether a due may settle long after its day: it is due once, or less than once a month.
    pub fn is_rare(&self) -> bool {
        self.schedule.count == Some(1) || self.schedule.every.is_rarer_than_monthly()
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
    /// When it is due, and what is expected then.
    pub schedule: Schedule,
}

/// A rhythm as a client sends it, not yet checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct EveryInput {
    /// Required, 1 to [`EVERY_MAX`].
    pub n: Option<i64>,
    /// Required.
    pub unit: Option<Unit>,
}

/// A recurring item as a client sends it, not yet checked. Of the fields of its schedule, one that is absent keeps its value, or has
/// its default in a new item; null resets it.
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
    /// 1 to 31. Required without a first possible day.
    pub day: Option<Referring<i64>>,
    /// How often.
    pub every: Option<Referring<EveryInput>>,
    /// The first possible day.
    pub start_on: Option<Referring<Date>>,
    /// The last possible day.
    pub until: Option<Referring<Date>>,
    /// The number of dues.
    pub count: Option<Referring<i64>>,
    /// How the day counts.
    pub day_count: Option<Referring<DueDayCount>>,
    /// Where a due moves.
    pub weekend: Option<Referring<Weekend>>,
    /// The least that it usually is.
    pub amount_min: Option<Referring<Money>>,
    /// The most that it usually is.
    pub amount_max: Option<Referring<Money>>,
    /// Which amount is expected.
    pub expects: Option<Referring<Expects>>,
    /// Whether a part is set aside each month.
    pub reserve: Option<Referring<bool>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

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

    /// Whether something is still expected.
    pub fn is_open(&self) -> bool {
        self.occurrences.iter().any(|occurrence| occurrence.status.is_open())
    }
}

/// The confirmation of an item as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ConfirmInput {
    /// The item's amount if absent.
    pub amount: Option<Money>,
    /// A date in the month or near the due. If absent, today if it is in the month, otherwise the day of the due.
    pub date: Option<Date>,
    /// One of the caller's accounts; the item's account if absent.
    pub account_id: Option<AccountId>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// The most recurring items of one profile.
pub const RECURRING_MAX: usize = 500;

/// The most dues of all items of one profile within 31 days.
pub const OCCURRENCES_MAX: usize = 1_000;

/// The most rows of one due that a person names.
pub const LINKS_MAX: usize = 10;

/// A transaction that a person wants to link to a due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkableRow {
    /// Its id.
    pub id: TransactionId,
    /// Income or expense.
    pub kind: Kind,
    /// Whether it is a side of a transfer or an opening balance.
    pub is_apart: bool,
    /// The item and the due that it covers by a link or confirms.
    pub of: Option<(RecurringId, NoteKey)>,
}

/// The port of recurring items. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait RecurringRepo {
    /// All items, by day, then id, each with the notes about its dues from the first day of `first` to the last of `last`. A note
    /// that names a transaction is deleted with the transaction.
    fn recurring_list(&mut self, first: Month, last: Month) -> Result<Vec<NotedItem>>;
    /// Stores a new item.
    fn recurring_insert(&mut self, new: &NewRecurring) -> Result<RecurringId>;
    /// Replaces the fields of an item. Its notes stay. Returns whether there is such an item.
    fn recurring_update(&mut self, id: RecurringId, new: &NewRecurring) -> Result<bool>;
    /// Deletes an item and its notes, but no transaction. Returns whether there was such an item.
    fn recurring_delete(&mut self, id: RecurringId) -> Result<bool>;
    /// Marks a due of an item. Replaces an earlier mark.
    fn recurring_mark_set(&mut self, id: RecurringId, key: NoteKey, mark: Mark) -> Result<()>;
    /// Removes the mark of a due of an item, if there is one.
    fn recurring_mark_clear(&mut self, id: RecurringId, key: NoteKey) -> Result<()>;
    /// The transactions with these ids, as far as there are any.
    fn recurring_linkable(&mut self, ids: &[TransactionId]) -> Result<Vec<LinkableRow>>;
    /// Replaces the links of a due of an item.
    fn recurring_links_set(&mut self, id: RecurringId, key: NoteKey, ids: &[TransactionId]) -> Result<()>;
    /// The transactions and rows of held statements of each month from `first` to `last` that may cover an item, with their days. A
    /// row with a payment date is in the month of its purchase. For each band, these are the first
    /// transactions of the month by amount, then id, as many as the band has items. `bands` has the order of [`amount_bands`].
    /// Legs of transfers, opening balances and transactions that confirm an item or are linked to one are left out. The work grows
    /// with the number of transactions in the categories, not with that number times the number of bands.
    fn recurring_transactions(
        &mut self,
        first: Month,
        last: Month,
        bands: &[AmountBand],
    ) -> Result<Vec<(Date, MatchTransaction)>>;
    /// The rows of windows that may be parts of a due, as [`recurring_transactions`](RecurringRepo::recurring_transactions)
    /// has them, but neither split ones nor rows of held statements: of each window at most `limit`.
    fn recurring_parts(&mut self, windows: &[PartWindow], limit: usize) -> Result<Vec<PartRow>>;
    /// The history that suggestions are found in: the newest rows from a day on that are neither transfers, opening balances,
    /// yields nor instalments, at most `limit`. Their payees and items are not set.
    fn recurring_history(&mut self, since: Date, limit: usize) -> Result<Vec<HistoryRow>>;
    /// The ids of the suggestions that are no longer made.
    fn rejected_recurring_list(&mut self) -> Result<Vec<String>>;
    /// Remembers that a suggestion is no longer made: at all, or while there is the item that was created from it.
    fn rejected_recurring_insert(&mut self, suggestion: &str, of: Option<RecurringId>) -> Result<()>;
}

/// The most suggestions of one profile that are remembered as rejected.
pub const REJECTED_RECURRING_MAX: usize = 1_000;
/// The most suggestions of an answer.
pub const SUGGESTIONS_MAX: usize = 50;
/// How many months of history suggestions are found in.
pub const SUGGESTION_MONTHS: i32 = 37;
/// The most rows of the history that suggestions are found in: the newest ones.
pub const SUGGESTION_ROWS_MAX: usize = 20_000;
