//! What requests changed, so that it can be shown and undone.
//!
//! A change has entries, as (partial) rows of the tables of an export: of a changed row the columns that changed, as they were; of
//! a removed one all of it; of created ones their ids. [`RECORDED`] says which tables are recorded, and of which noun a row is a
//! part. Nothing is recorded that every write derives anew.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use time::{Date, Duration, OffsetDateTime};

use crate::clock::Clock;
use crate::credentials::SecretHash;
use crate::error::Result;
use crate::export::{Column, Key, Kind, Row, Table};
use crate::ids::{AccountId, ChangeId, MemberId, PendingBillId, TokenId, TransactionId};
use crate::imports::{Candidate, Comparison, Stored};
use crate::tables::TABLES;
use crate::words::words;

/// The most days that a change is kept.
pub const HISTORY_DAYS_MAX: u16 = 365;
/// How many days a change is kept if nothing else is configured.
pub const HISTORY_DAYS_DEFAULT: u16 = 30;
/// The most entries of a profile. The oldest changes go first.
pub const ENTRIES_MAX: i64 = 500_000;
/// The most entries that one transaction forgets.
pub const FORGOTTEN_MAX: i64 = 10_000;
/// The most changes that a refusal names.
pub const NAMED_MAX: usize = 100;

words! {
    /// What a request did.
    pub enum ChangeKind {
        /// Created transactions.
        TransactionsCreate = "transactions.create",
        /// Edited transactions.
        TransactionsUpdate = "transactions.update",
        /// Deleted transactions.
        TransactionsDelete = "transactions.delete",
        /// Created a transfer.
        TransfersCreate = "transfers.create",
        /// Deleted a transfer.
        TransfersDelete = "transfers.delete",
        /// Linked two transactions.
        TransfersLink = "transfers.link",
        /// Removed a link.
        TransfersUnlink = "transfers.unlink",
        /// Said that two transactions are no transfer.
        TransfersReject = "transfers.reject",
        /// Linked the transfers that were found.
        TransfersDetect = "transfers.detect",
        /// Created a purchase by instalments.
        InstallmentsCreate = "installments.create",
        /// Ended a purchase by instalments, or took that back.
        InstallmentsUpdate = "installments.update",
        /// Deleted a purchase by instalments.
        InstallmentsDelete = "installments.delete",
        /// Imported a statement.
        ImportsConfirm = "imports.confirm",
        /// Deleted an import.
        ImportsUndo = "imports.undo",
        /// Held a statement.
        PendingBillsHold = "pending_bills.hold",
        /// Imported a held statement.
        PendingBillsConfirm = "pending_bills.confirm",
        /// Discarded a held statement.
        PendingBillsDiscard = "pending_bills.discard",
        /// Created a category.
        CategoriesCreate = "categories.create",
        /// Edited a category or budgets.
        CategoriesUpdate = "categories.update",
        /// Deleted a category.
        CategoriesDelete = "categories.delete",
        /// Created an account.
        AccountsCreate = "accounts.create",
        /// Edited an account, or what it held.
        AccountsUpdate = "accounts.update",
        /// Deleted an account.
        AccountsDelete = "accounts.delete",
        /// Said what an account held on a day, or adjusted it.
        AnchorsSet = "anchors.set",
        /// Took that back.
        AnchorsDelete = "anchors.delete",
        /// Created a recurring item.
        RecurringCreate = "recurring.create",
        /// Edited a recurring item.
        RecurringUpdate = "recurring.update",
        /// Deleted a recurring item.
        RecurringDelete = "recurring.delete",
        /// Confirmed a recurring item.
        RecurringConfirm = "recurring.confirm",
        /// Marked a recurring item as late.
        RecurringLate = "recurring.late",
        /// Removed that mark.
        RecurringUnlate = "recurring.unlate",
        /// Ignored a recurring item in a month.
        RecurringIgnore = "recurring.ignore",
        /// Took that back.
        RecurringUnignore = "recurring.unignore",
        /// Said which transactions cover a due.
        RecurringLink = "recurring.link",
        /// Took that back.
        RecurringUnlink = "recurring.unlink",
        /// Accepted a suggested item, or its new amount.
        RecurringAccept = "recurring.accept",
        /// Refused a suggested item.
        RecurringReject = "recurring.reject",
        /// Created a rule.
        RulesCreate = "rules.create",
        /// Edited a rule.
        RulesUpdate = "rules.update",
        /// Deleted a rule.
        RulesDelete = "rules.delete",
        /// Applied a rule to stored transactions.
        RulesApply = "rules.apply",
        /// Paid a bill.
        CreditBillsPay = "credit_bills.pay",
        /// Took the payments of a bill back.
        CreditBillsUnpay = "credit_bills.unpay",
        /// Set the dates of a bill.
        CreditBillsSetDates = "credit_bills.set_dates",
        /// Changed the settings.
        SettingsUpdate = "settings.update",
        /// Posted yield.
        YieldsPost = "yields.post",
        /// Undid a change.
        ChangesUndo = "changes.undo",
    }
}

impl ChangeKind {
    /// The table of the row that such a request addresses.
    pub fn table(self) -> Option<&'static str> {
        let noun = self.as_str().split_once('.').map(|(noun, _)| noun)?;
        match noun {
            "installments" | "transfers" => Some("transactions"),
            "rules" if self == ChangeKind::RulesApply => None,
            "imports" => Some("imports"),
            "pending_bills" => Some("pending_bills"),
            "categories" => Some("categories"),
            "accounts" | "anchors" => Some("accounts"),
            "recurring" => Some("recurring"),
            "rules" => Some("rules"),
            "transactions" => Some("transactions"),
            _ => None,
        }
    }
}

words! {
    /// What a row is, as a history names it.
    pub enum Noun {
        /// The settings.
        Settings = "settings",
        /// A category with its budgets.
        Categories = "categories",
        /// An account with its days and balances.
        Accounts = "accounts",
        /// A bill with its payments.
        CreditBills = "credit_bills",
        /// An import.
        Imports = "imports",
        /// A transaction with its lines, links and refusals.
        Transactions = "transactions",
        /// A recurring item with its marks.
        Recurring = "recurring",
        /// A held statement with its rows.
        PendingBills = "pending_bills",
        /// A rule with its conditions and actions.
        Rules = "rules",
    }
}

words! {
    /// What became of a row.
    pub enum Op {
        /// It is new.
        Created = "created",
        /// It has other values.
        Changed = "changed",
        /// It is gone.
        Removed = "removed",
    }
}

/// A table whose rows are recorded.
#[derive(Debug)]
pub struct Recorded {
    /// Its name in [`TABLES`].
    pub table: &'static str,
    /// The noun that its rows are parts of.
    pub noun: Noun,
    /// The column with the id of the noun's row. None: the row is the noun's own, or the noun has one row only.
    pub owner: Option<&'static str>,
    /// Whether the service derives its rows, so that they are never in the way.
    pub is_derived: bool,
    /// Stored columns that no export has.
    pub beside: &'static [Column],
    /// How its rows are shown among the values of the noun's row. None: they are not, or are the noun's row.
    pub shown: Option<Shown>,
}

/// How the parts of a row are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of them, as one value.
    Whole,
    /// Those that a change touched.
    Touched,
}

const fn recorded(table: &'static str, noun: Noun, owner: Option<&'static str>) -> Recorded {
    Recorded { table, noun, owner, is_derived: false, beside: &[], shown: None }
}

const fn shown(table: &'static str, noun: Noun, owner: Option<&'static str>, shown: Shown) -> Recorded {
    Recorded { shown: Some(shown), ..recorded(table, noun, owner) }
}

const fn beside(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false, added: true }
}

/// The recorded tables, in the order of [`TABLES`]. A new table of the books has one line here.
pub static RECORDED: &[Recorded] = &[
    recorded("settings", Noun::Settings, None),
    shown("own_names", Noun::Settings, None, Shown::Whole),
    recorded("categories", Noun::Categories, None),
    shown("budgets", Noun::Categories, Some("category_id"), Shown::Touched),
    recorded("budget_defaults", Noun::Categories, Some("category_id")),
    recorded("accounts", Noun::Accounts, None),
    Recorded { is_derived: true, ..recorded("account_keys", Noun::Accounts, Some("account_id")) },
    recorded("card_cycles", Noun::Accounts, Some("account_id")),
    shown("bill_dates", Noun::Accounts, Some("account_id"), Shown::Touched),
    Recorded {
        is_derived: true,
        beside: &[beside("paid_also", Kind::Date), beside("paid_except", Kind::Date)],
        ..recorded("credit_bills", Noun::CreditBills, None)
    },
    recorded("imports", Noun::Imports, None),
    recorded("import_accounts", Noun::Imports, Some("import_id")),
    shown("anchors", Noun::Accounts, Some("account_id"), Shown::Touched),
    recorded("left_out_rows", Noun::Imports, Some("import_id")),
    Recorded { is_derived: true, ..recorded("transfers", Noun::Transactions, None) },
    Recorded { beside: &[beside("created_by", Kind::Whole)], ..recorded("transactions", Noun::Transactions, None) },
    shown("transaction_lines", Noun::Transactions, Some("transaction_id"), Shown::Whole),
    recorded("rejected_transfers", Noun::Transactions, Some("from_id")),
    recorded("repeated_rows", Noun::Imports, Some("import_id")),
    recorded("ended_plans", Noun::Transactions, Some("transaction_id")),
    shown("credit_bill_payments", Noun::CreditBills, Some("bill_id"), Shown::Touched),
    recorded("recurring", Noun::Recurring, None),
    shown("recurring_marks", Noun::Recurring, Some("recurring_id"), Shown::Touched),
    shown("recurring_due_marks", Noun::Recurring, Some("recurring_id"), Shown::Touched),
    shown("recurring_links", Noun::Recurring, Some("recurring_id"), Shown::Touched),
    recorded("rejected_recurring", Noun::Recurring, Some("recurring_id")),
    recorded("pending_bills", Noun::PendingBills, None),
    recorded("pending_bill_rows", Noun::PendingBills, Some("pending_bill_id")),
    recorded("pending_bill_lines", Noun::PendingBills, Some("pending_bill_id")),
    recorded("rules", Noun::Rules, None),
    shown("rule_conditions", Noun::Rules, Some("rule_id"), Shown::Whole),
    shown("rule_actions", Noun::Rules, Some("rule_id"), Shown::Whole),
];

/// The tables of an export that are not recorded, each with the reason.
pub const UNRECORDED: [(&str, &str); 7] = [
    ("account_key_secrets", "never changes"),
    ("inbox", "files, which are no part of the books; their state follows from their imports"),
    ("xp_events", "earned"),
    ("xp_tallies", "earned"),
    ("category_achievements", "earned"),
    ("equipped_cosmetics", "gamification"),
    ("appearances", "gamification"),
];

impl Recorded {
    /// The recorded table with this name.
    pub fn of(table: &str) -> Option<&'static Recorded> {
        RECORDED.iter().find(|recorded| recorded.table == table)
    }

    /// The table as an export reads it.
    ///
    /// # Panics
    ///
    /// Never: a test finds each of [`RECORDED`] in [`TABLES`].
    #[allow(clippy::panic, reason = "a test checks it")]
    pub fn exported(&self) -> &'static Table {
        match TABLES.iter().find(|table| table.name == self.table) {
            Some(table) => table,
            None => panic!("{} is no table of an export", self.table),
        }
    }

    /// Its columns: those of the export, and those beside them.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        self.exported().columns.iter().chain(self.beside)
    }

    /// The position of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns().position(|column| column.name == name)
    }

    /// The number of columns in its key.
    pub fn key_len(&self) -> usize {
        match self.exported().key {
            Key::Single => 0,
            Key::Id | Key::First => 1,
            Key::FirstTwo => 2,
            Key::FirstThree => 3,
        }
    }

    /// The key of a row.
    pub fn key(&self, row: &Row) -> Vec<String> {
        row.iter().take(self.key_len()).flatten().cloned().collect()
    }

    /// The id of the noun's row that a row is a part of. None if the noun has one row only.
    pub fn owner_of(&self, row: &Row) -> Option<i64> {
        let at = match self.owner {
            Some(column) => self.position(column)?,
            None if self.exported().key == Key::Id => 0,
            None => return None,
        };
        row.get(at)?.as_deref()?.parse().ok()
    }

    /// Whether the row is the noun's own, and not a part of it.
    pub fn is_own(&self) -> bool {
        self.table == self.noun.as_str()
    }
}

/// How the changes of a transaction are recorded.
#[derive(Debug, Clone)]
pub struct Recording {
    /// What the request does.
    pub kind: ChangeKind,
    /// When.
    pub at: OffsetDateTime,
    /// The day of the service then.
    pub today: Date,
    /// The id of the row that it addresses.
    pub addressed: Option<i64>,
    /// The month that it addresses, or another name of what it addresses.
    pub subject: Option<String>,
    /// The token of the caller.
    pub token: Option<SecretHash>,
    /// Where the id of the recorded change is told, once it is committed.
    pub change_id: RecordedId,
}

impl Recording {
    /// Of a kind, which addresses nothing, at this moment.
    pub fn of(kind: ChangeKind, clock: &dyn Clock) -> Self {
        let (at, today) = (clock.now(), clock.today());
        Recording { kind, at, today, addressed: None, subject: None, token: None, change_id: RecordedId::default() }
    }
}

/// Since when changes are kept. Older ones are not shown, even while they are still stored. A change must not be older than either,
/// because the service's day may be fixed while time goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSince {
    /// The instant.
    pub at: OffsetDateTime,
    /// The day, by the service's clock.
    pub day: Date,
}

impl KeptSince {
    /// What is kept for as many days.
    ///
    /// ```
    /// use finance_domain::changes::KeptSince;
    /// use time::macros::{date, datetime};
    ///
    /// let kept = KeptSince::of(datetime!(2026-03-31 12:00 UTC), date!(2026-03-31), 30);
    /// assert_eq!((kept.at, kept.day), (datetime!(2026-03-01 12:00 UTC), date!(2026-03-01)));
    /// ```
    pub fn of(now: OffsetDateTime, today: Date, days: u16) -> Self {
        let days = Duration::days(days.into());
        KeptSince { at: now - days, day: today.saturating_sub(days) }
    }
}

/// The id of the change that a transaction recorded. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct RecordedId(Arc<AtomicI64>);

impl RecordedId {
    /// Sets the id.
    pub fn set(&self, id: ChangeId) {
        self.0.store(id.0, Ordering::Release);
    }

    /// The id. None if nothing changed.
    pub fn get(&self) -> Option<ChangeId> {
        Some(self.0.load(Ordering::Acquire)).filter(|id| *id != 0).map(ChangeId)
    }
}

/// How many rows of a noun a change created, changed and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The noun.
    pub noun: Noun,
    /// The new rows.
    pub created: u32,
    /// The rows with other values or parts.
    pub changed: u32,
    /// The rows that are gone.
    pub removed: u32,
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its id. A later change has a larger one.
    pub id: ChangeId,
    /// When it was made.
    pub at: OffsetDateTime,
    /// What was done.
    pub kind: String,
    /// The name of the one row, file or month that was addressed.
    pub subject: Option<String>,
    /// What it did, by noun.
    pub counts: Vec<Count>,
    /// Who made it. None: the service.
    pub member_id: Option<MemberId>,
    /// The name of that member. None if it is gone.
    pub member_name: Option<String>,
    /// The token with which it was made.
    pub token_id: Option<TokenId>,
    /// The change that it undid.
    pub undoes: Option<ChangeId>,
    /// The change that undid it.
    pub undone_by: Option<ChangeId>,
}

/// A value of a row before or after a change.
pub type Values = Vec<(&'static str, Kind, Option<String>)>;

/// The parts of a row that a table holds, in order: all of them, or those that the change touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The table.
    pub table: &'static str,
    /// They before the change.
    pub before: Vec<Row>,
    /// They after it.
    pub after: Vec<Row>,
}

/// What a change did to a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the row is.
    pub noun: Noun,
    /// Its id. None for settings.
    pub id: Option<i64>,
    /// What became of it.
    pub op: Op,
    /// Its values before.
    pub before: Option<Values>,
    /// Its values after.
    pub after: Option<Values>,
    /// Its parts before and after.
    pub parts: Vec<Parts>,
}

/// Which changes to list, the newest first.
#[derive(Debug, Clone, Default)]
pub struct ChangeFilter {
    /// Made on or after that day.
    pub from: Option<Date>,
    /// Made on or before that day.
    pub to: Option<Date>,
    /// Made by that member.
    pub member_id: Option<MemberId>,
    /// That touched that transaction.
    pub transaction_id: Option<TransactionId>,
    /// Made before that one.
    pub before: Option<ChangeId>,
    /// At most so many.
    pub limit: u32,
}

/// What an undo did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undone {
    /// The rows that came back.
    pub restored: u32,
    /// The rows that went.
    pub removed: u32,
    /// The rows that have their old values again.
    pub changed: u32,
}

/// A later change, as far as [`in_the_way`] needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Later {
    /// Its id.
    pub id: ChangeId,
    /// The change that undid it.
    pub undone_by: Option<ChangeId>,
}

/// Which of the later changes keep a change from being undone: those that met its rows and are in effect, the newest first. A
/// change and its undo that both came later are in effect neither.
///
/// ```
/// use std::collections::HashSet;
/// use finance_domain::ChangeId;
/// use finance_domain::changes::{Later, in_the_way};
///
/// let later = |id, undone_by: Option<i64>| Later { id: ChangeId(id), undone_by: undone_by.map(ChangeId) };
/// let met = HashSet::from([ChangeId(2), ChangeId(3), ChangeId(4)]);
/// assert_eq!(in_the_way(&[later(2, Some(3)), later(3, None), later(4, None)], &met), [ChangeId(4)]);
/// // An undo that was undone itself: the third did what the first had done.
/// assert_eq!(in_the_way(&[later(2, Some(3)), later(3, Some(4)), later(4, None)], &met), [ChangeId(4)]);
/// ```
pub fn in_the_way(later: &[Later], met: &HashSet<ChangeId>) -> Vec<ChangeId> {
    let mut ordered: Vec<&Later> = later.iter().collect();
    ordered.sort_unstable_by_key(|change| change.id);
    let mut without_effect: HashSet<ChangeId> = HashSet::new();
    for change in &ordered {
        if let Some(undo) = change.undone_by.filter(|_| !without_effect.contains(&change.id)) {
            without_effect.extend([change.id, undo]);
        }
    }
    let is_in_the_way = |change: &&&Later| met.contains(&change.id) && !without_effect.contains(&change.id);
    ordered.iter().rev().filter(is_in_the_way).map(|change| change.id).collect()
}

/// The port of changes. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ChangeRepo {
    /// Stores what was changed so far in this transaction, and returns the change. Nothing may be changed after it. None if
    /// nothing was changed or nothing is recorded.
    fn change_close(&mut self) -> Result<Option<ChangeId>>;
    /// The name of what the request addresses, where no stored row has it.
    fn change_note_subject(&mut self, subject: &str);
    /// The change that this transaction undoes.
    fn change_note_undo(&mut self, id: ChangeId);
    /// The changes that pass the filter and are kept, the newest first.
    fn change_list(&mut self, filter: &ChangeFilter, since: KeptSince) -> Result<Vec<Change>>;
    /// The change, if it is kept.
    fn change_get(&mut self, id: ChangeId, since: KeptSince) -> Result<Option<Change>>;
    /// The rows of a change after a position, at most `limit`, and the position of the last one.
    fn change_entries(&mut self, id: ChangeId, after: u32, limit: u32) -> Result<Vec<Entry>>;
    /// What a change did to a transaction.
    fn change_entry_of(&mut self, id: ChangeId, transaction: TransactionId) -> Result<Option<Entry>>;
    /// The changes after a change that undid or were undone, or met its rows.
    fn changes_since(&mut self, id: ChangeId) -> Result<Vec<Later>>;
    /// The changes after a change that met its rows: touched one that the undo writes, removed one that a returning row names,
    /// made or changed one that names a row that goes, or took what must be unique.
    fn changes_met(&mut self, id: ChangeId) -> Result<HashSet<ChangeId>>;
    /// What the history shows beyond what the profile wrote: the oldest change that is kept, and the names of the
    /// members.
    fn change_mark(&mut self, since: KeptSince) -> Result<String>;
    /// The rows of statements that a change removed, imported or held, as their statements gave them, with their accounts.
    fn change_imported_rows(&mut self, id: ChangeId) -> Result<Vec<(Option<AccountId>, Candidate)>>;
    /// Those of the transactions that changes after a change stored from statements.
    fn change_imported_since(&mut self, id: ChangeId, ids: &[TransactionId]) -> Result<HashSet<TransactionId>>;
    /// The held rows of the comparison, each with its statement, that changes after a change hold.
    fn change_held_since(&mut self, id: ChangeId, comparison: &Comparison) -> Result<Vec<(PendingBillId, Stored)>>;
    /// The changes after a change that touched one of the held statements.
    fn changes_of_pending_bills(&mut self, id: ChangeId, ids: &[PendingBillId]) -> Result<HashSet<ChangeId>>;
    /// The changes after a change that touched one of the transactions.
    fn changes_of_transactions(&mut self, id: ChangeId, ids: &[TransactionId]) -> Result<HashSet<ChangeId>>;
    /// The held statements that a change made, or brought back.
    fn change_pending_bills(&mut self, id: ChangeId) -> Result<Vec<PendingBillId>>;
    /// Puts every row of a change back.
    fn change_revert(&mut self, id: ChangeId) -> Result<Undone>;
    /// The transactions that a change wrote and that exist.
    fn change_transactions(&mut self, id: ChangeId) -> Result<Vec<TransactionId>>;
}

/// Forgets what is too old, in the background.
pub trait Forgetting: Send + Sync {
    /// Forgets at most [`FORGOTTEN_MAX`] entries of changes that are older than an instant, or beyond [`ENTRIES_MAX`] of their
    /// profile, and the files of inboxes that expired before `today`. Returns whether there may be more. Does nothing while another
    /// node does it.
    ///
    /// # Errors
    ///
    /// As [`Store::transact`](crate::Store::transact).
    fn changes_forget(&self, before: OffsetDateTime, today: Date) -> Result<bool>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_an_export_is_recorded_or_left_out_with_a_reason() {
        let mut recorded = RECORDED.iter();
        for table in TABLES {
            if UNRECORDED.iter().any(|(name, reason)| *name == table.name && !reason.is_empty()) {
                assert!(Recorded::of(table.name).is_none(), "{} is in both lists", table.name);
            } else {
                assert_eq!(recorded.next().map(|recorded| recorded.table), Some(table.name));
            }
        }
        assert!(recorded.next().is_none());
    }

    #[test]
    fn an_owner_is_a_column_that_refers_to_the_noun() {
        for recorded in RECORDED {
            let Some(owner) = recorded.owner else { continue };
            let column = recorded.columns().find(|column| column.name == owner).map(|column| column.kind);
            assert_eq!(column, Some(Kind::Reference(recorded.noun.as_str())), "{}", recorded.table);
        }
    }
}
