//! Rows of any table as text: what an export reads and a restore stores.
//!
//! Which tables there are, and what must hold between them, is known above this crate.

use crate::error::Result;

/// A row: one value a column of its [`Table`], in their order, as text in the one form of its [`Kind`].
pub type Row = Vec<Option<String>>;

/// A table, as an export reads it and a restore stores it.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// What makes a row unique in a profile.
    pub key: Key,
}

/// The columns by which rows are ordered, as positions in [`Table::columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// One row a profile, or none.
    Single,
    /// The row's own id, the first column. A restored row gets another one.
    Id,
    /// The first column.
    First,
    /// The first two columns.
    FirstTwo,
}

/// A column of a [`Table`].
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// Whether every row has a value.
    pub required: bool,
    /// Whether documents of older releases do not have the column. It is null in their rows, or false where it is a flag.
    pub added: bool,
}

/// What the values of a column are, and how they are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The row's own id.
    Id,
    /// The id of a row of the named table.
    Reference(&'static str),
    /// A whole number.
    Whole,
    /// Money, as `1234.50`.
    Money,
    /// A percentage of at most two decimals, as `12.5`.
    Percentage,
    /// A name, as [`text::name`](crate::text::name) has it.
    Name,
    /// What people or banks wrote.
    Text,
    /// A note of several lines, perhaps.
    Note,
    /// The tags of a row, separated by line breaks.
    Tags,
    /// One of the words that the service itself uses.
    Word,
    /// A calendar date, as `2026-01-31`.
    Date,
    /// A month, as `2026-01`.
    Month,
    /// An instant in UTC of microseconds, as `2026-01-31T12:00:00.123456Z`.
    Instant,
    /// `true` or `false`.
    Flag,
}

impl Table {
    /// The position of a column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// The columns its rows are ordered by.
    pub fn key_columns(&self) -> &'static [Column] {
        match self.key {
            Key::Single => &[],
            Key::Id | Key::First => &self.columns[..1],
            Key::FirstTwo => &self.columns[..2],
        }
    }
}

/// Where an export reads from. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait ExportRepo {
    /// The rows of a table after the one given, in the order of its key; less than `limit` where there
    /// are no more.
    fn export_page(&mut self, table: &'static Table, after: Option<&Row>, limit: u32) -> Result<Vec<Row>>;
}

/// Where rows are restored. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait RestoreRepo {
    /// The first of the tables in which the profile owns more than a new one does: its standard categories.
    fn restore_obstacle(&mut self, tables: &'static [Table]) -> Result<Option<&'static str>>;
    /// Deletes the standard categories, which nothing refers to in an empty profile.
    fn restore_clear(&mut self) -> Result<()>;
    /// So many ids that no row of the table has had, in ascending order.
    fn restore_ids(&mut self, table: &'static Table, count: usize) -> Result<Vec<i64>>;
    /// Completes what the store keeps beside rows of several tables, once they are all stored.
    fn restore_finish(&mut self) -> Result<()>;
    /// Stores rows in one statement, with what the store keeps beside them;
    /// [`Error::Invalid`](crate::Error::Invalid) where they break a rule that the store holds.
    fn restore_insert(&mut self, table: &'static Table, rows: &[Row]) -> Result<()>;
}
