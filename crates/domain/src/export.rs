//! Rows of any table as text, as an export reads them and a restore stores them.
//!
//! The crates that use this one define the tables and the constraints between them.

use crate::error::Result;

/// A row: one value for each column of its [`Table`], in the same order, as text in the form of the column's [`Kind`].
pub type Row = Vec<Option<String>>;

/// A table, as an export reads it and a restore stores it.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// The key that makes a row unique in a profile.
    pub key: Key,
}

/// The columns by which rows are ordered, as positions in [`Table::columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// At most one row for each profile.
    Single,
    /// The row's own id, the first column. A restored row gets another id.
    Id,
    /// The first column.
    First,
    /// The first two columns.
    FirstTwo,
    /// The first three columns.
    FirstThree,
}

/// A column of a [`Table`].
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// Whether every row has a value.
    pub required: bool,
    /// Whether documents of older releases do not have the column. In their rows it is null, or false if it is a flag.
    pub added: bool,
}

/// The kind of the values of a column, and their form as text.
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
    /// A percentage with at most two decimals, as `12.5`.
    Percentage,
    /// A name, as [`text::name`](crate::text::name) allows it.
    Name,
    /// A text that people or banks wrote.
    Text,
    /// A note, which may have several lines.
    Note,
    /// The tags of a row, separated by line breaks.
    Tags,
    /// A word of one of the service's enumerations.
    Word,
    /// A calendar date, as `2026-01-31`.
    Date,
    /// A month, as `2026-01`.
    Month,
    /// An instant in UTC with microseconds, as `2026-01-31T12:00:00.123456Z`.
    Instant,
    /// `true` or `false`.
    Flag,
    /// Bytes, in Base64.
    Bytes,
}

impl Table {
    /// The position of a column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|known| known.name == column)
    }

    /// The columns by which its rows are ordered.
    pub fn key_columns(&self) -> &'static [Column] {
        match self.key {
            Key::Single => &[],
            Key::Id | Key::First => &self.columns[..1],
            Key::FirstTwo => &self.columns[..2],
            Key::FirstThree => &self.columns[..3],
        }
    }
}

/// The port from which an export reads. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ExportRepo {
    /// The rows of a table after the row `after`, in the order of its key. Fewer than `limit` rows if
    /// there are no more.
    fn export_page(&mut self, table: &'static Table, after: Option<&Row>, limit: u32) -> Result<Vec<Row>>;
}

/// The port into which rows are restored. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait RestoreRepo {
    /// The first of the tables in which the profile has more rows than a new profile, which has only standard categories.
    fn restore_obstacle(&mut self, tables: &'static [Table]) -> Result<Option<&'static str>>;
    /// Deletes the standard categories. In an empty profile nothing refers to them.
    fn restore_clear(&mut self) -> Result<()>;
    /// `count` ids that no row of the table has ever had, in ascending order.
    fn restore_ids(&mut self, table: &'static Table, count: usize) -> Result<Vec<i64>>;
    /// Completes the data that the store derives from rows of several tables, once all rows are stored.
    fn restore_finish(&mut self) -> Result<()>;
    /// Stores rows in one statement, with the data that the store derives from them;
    /// [`Error::Invalid`](crate::Error::Invalid) if they violate a constraint of the store.
    fn restore_insert(&mut self, table: &'static Table, rows: &[Row]) -> Result<()>;
}
