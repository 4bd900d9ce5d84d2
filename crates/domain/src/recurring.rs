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
mod values;

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId, RecurringId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::{Kind, Referring};

pub use codes::{Code, CodeKind, parse_code};
pub use coverage::{Coverage, NEAR_DAYS_AFTER, NEAR_DAYS_BEFORE, days_around, near_days};
pub(crate) use detection::DAYS_OFF_MAX;
pub use detection::{Detected, HistoryRow, KnownItem, PriceChange, detect};
pub use matching::{AmountBand, CoveredBy, MatchItem, MatchTransaction, amount_bands, match_recurring};
pub use parts::{PARTS_MAX, PARTS_MIN, PartRow, PartWindow};
pub use reserve::{Reserve, reserved};
pub use rhythm::{Due, Rhythm, density, months_over};
pub use templates::{Catalog, Draft, Template, TemplateItem};
pub use values::{
    COUNT_MAX, DueDayCount, EVERY_MAX, Every, Expects, Mark, Note, NoteKey, NotedItem, Occurrence, Recurring,
    RecurringState, Schedule, Status, Unit, Weekend,
};

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

/// What is known of the rows that may cover dues, before they are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownRows {
    /// Whether there are held statements, whose rows may cover dues too.
    pub has_held: bool,
    /// No transaction has a later day or, on a card, a later purchase. None without transactions.
    pub last_day: Option<Date>,
}

/// The port of recurring items. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait RecurringRepo {
    /// All items, by day, then id, each with the notes about its dues from the first day of `first` to the last of `last`. A note
    /// that names a transaction is deleted with the transaction. What is known of the rows is read only if there are items.
    fn recurring_list(&mut self, first: Month, last: Month) -> Result<(Vec<NotedItem>, KnownRows)>;
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
    /// The dues of an item of which something is said.
    fn recurring_note_keys(&mut self, id: RecurringId) -> Result<Vec<NoteKey>>;
    /// Removes the marks and links of dues of an item.
    fn recurring_notes_delete(&mut self, id: RecurringId, keys: &[NoteKey]) -> Result<()>;
    /// The transactions with these ids, as far as there are any.
    fn recurring_linkable(&mut self, ids: &[TransactionId]) -> Result<Vec<LinkableRow>>;
    /// Replaces the links of a due of an item.
    fn recurring_links_set(&mut self, id: RecurringId, key: NoteKey, ids: &[TransactionId]) -> Result<()>;
    /// The transactions and rows of held statements of each month up to the last that may cover an item, with their days. A
    /// row with a payment date is in the month of its purchase. For each band, these are, from its first month on, the first
    /// transactions of the month and account by amount, then id, as many as the band has items, and as many from the highest amount on.
    /// While few transactions are between the amounts of the items, all of them are returned. `bands` has the order of
    /// [`amount_bands`]. Legs of transfers, opening balances and transactions that confirm an item or are linked to one are left out. The
    /// work grows with the number of transactions in the categories, not with that number times the number of bands.
    ///
    /// `months` are the present one, after which few transactions are expected, and the last one. Without `has_held` held statements are
    /// not looked at.
    fn recurring_transactions(
        &mut self,
        months: (Month, Month),
        bands: &[AmountBand],
        has_held: bool,
    ) -> Result<Vec<(Date, MatchTransaction)>>;
    /// The rows of windows, by month and amount, that may be parts of a due, as
    /// [`recurring_transactions`](RecurringRepo::recurring_transactions) has them, but neither split ones nor rows of held statements: of
    /// each window at most `limit`.
    fn recurring_parts(&mut self, windows: &[PartWindow], limit: usize) -> Result<Vec<PartRow>>;
    /// The history that suggestions are found in: the newest rows from a day on that are neither transfers, opening balances,
    /// yields nor instalments, at most `limit`. Their payees are the texts of their statements, normalized, and
    /// their items are not set.
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
