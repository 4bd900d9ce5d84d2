//! What a profile owns: the tables and columns of the document, in the order in which they can be restored.

use crate::imports::base_id;
use crate::text::{name_key, normalized};

/// A table of the document.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// What makes a row the only one of its kind in a profile.
    pub key: Key,
    /// What is stored beside the columns and follows from them, so that no document holds it.
    pub derived: &'static [Derived],
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

/// A column of the document.
#[derive(Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// Whether every row has a value.
    pub required: bool,
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

/// A stored column that follows from one of the document's.
#[derive(Debug)]
pub struct Derived {
    /// Its name.
    pub name: &'static str,
    /// The column it follows from.
    pub from: &'static str,
    /// How; none stays none.
    pub rule: fn(&str) -> String,
}

impl Table {
    /// The table of that name.
    pub fn of_name(name: &str) -> Option<&'static Table> {
        TABLES.iter().find(|table| table.name == name)
    }

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

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false }
}

const NAME_KEY: Derived = Derived { name: "name_key", from: "name", rule: name_key };
const DESCRIPTION_NORMALIZED: Derived =
    Derived { name: "description_normalized", from: "description", rule: normalized };
const EXTERNAL_ID_BASE: Derived =
    Derived { name: "external_id_base", from: "external_id", rule: |id| base_id(id).to_string() };

const CATEGORIES: Kind = Kind::Reference("categories");
const ACCOUNTS: Kind = Kind::Reference("accounts");
const TRANSFERS: Kind = Kind::Reference("transfers");

/// The tables of the document. A table comes after those it refers to.
pub static TABLES: &[Table] = &[
    Table {
        name: "settings",
        columns: &[required("savings_goal_pct", Kind::Percentage)],
        key: Key::Single,
        derived: &[],
    },
    Table {
        name: "categories",
        columns: &[
            required("id", Kind::Id),
            required("name", Kind::Name),
            required("is_tax", Kind::Flag),
            required("is_standard", Kind::Flag),
            optional("monthly_budget", Kind::Money),
        ],
        key: Key::Id,
        derived: &[NAME_KEY],
    },
    Table {
        name: "accounts",
        columns: &[
            required("id", Kind::Id),
            required("name", Kind::Name),
            required("kind", Kind::Word),
            required("yield_type", Kind::Word),
            required("cdi_percentage", Kind::Percentage),
            optional("last_yield_date", Kind::Date),
            optional("closing_day", Kind::Whole),
            optional("due_day", Kind::Whole),
        ],
        key: Key::Id,
        derived: &[NAME_KEY],
    },
    Table {
        name: "card_cycles",
        columns: &[
            required("account_id", ACCOUNTS),
            required("replaced_on", Kind::Date),
            required("closing_day", Kind::Whole),
            required("due_day", Kind::Whole),
        ],
        key: Key::FirstTwo,
        derived: &[],
    },
    Table {
        name: "credit_bills",
        columns: &[
            required("id", Kind::Id),
            required("account_id", ACCOUNTS),
            required("period_start", Kind::Date),
            required("period_end", Kind::Date),
            required("due_date", Kind::Date),
            required("following_end", Kind::Date),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table {
        name: "imports",
        columns: &[
            required("id", Kind::Id),
            optional("file_name", Kind::Text),
            required("format", Kind::Word),
            optional("account_id", ACCOUNTS),
            required("inserted", Kind::Whole),
            required("skipped", Kind::Whole),
            required("created_at", Kind::Instant),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table { name: "transfers", columns: &[required("id", Kind::Id)], key: Key::Id, derived: &[] },
    Table {
        name: "transactions",
        columns: &[
            required("id", Kind::Id),
            required("kind", Kind::Word),
            optional("category_id", CATEGORIES),
            optional("account_id", ACCOUNTS),
            required("date", Kind::Date),
            optional("original_date", Kind::Date),
            optional("external_id", Kind::Text),
            required("source", Kind::Word),
            required("description", Kind::Text),
            required("amount", Kind::Money),
            optional("transfer_id", TRANSFERS),
            optional("import_id", Kind::Reference("imports")),
            optional("yield_from", Kind::Date),
            required("created_at", Kind::Instant),
        ],
        key: Key::Id,
        derived: &[DESCRIPTION_NORMALIZED, EXTERNAL_ID_BASE],
    },
    Table {
        name: "credit_bill_payments",
        columns: &[
            required("id", Kind::Id),
            required("bill_id", Kind::Reference("credit_bills")),
            required("amount", Kind::Money),
            required("date", Kind::Date),
            optional("transfer_id", TRANSFERS),
            required("created_at", Kind::Instant),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table {
        name: "recurring",
        columns: &[
            required("id", Kind::Id),
            required("kind", Kind::Word),
            required("description", Kind::Text),
            required("amount", Kind::Money),
            required("category_id", CATEGORIES),
            optional("account_id", ACCOUNTS),
            required("day", Kind::Whole),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table {
        name: "recurring_marks",
        columns: &[
            required("recurring_id", Kind::Reference("recurring")),
            required("month", Kind::Month),
            required("mark", Kind::Word),
            optional("transaction_id", Kind::Reference("transactions")),
        ],
        key: Key::FirstTwo,
        derived: &[],
    },
    Table {
        name: "pending_bills",
        columns: &[
            required("id", Kind::Id),
            optional("account_id", ACCOUNTS),
            required("payment_date", Kind::Date),
            optional("file_name", Kind::Text),
            required("format", Kind::Word),
            required("total", Kind::Money),
            required("row_count", Kind::Whole),
            required("status", Kind::Word),
            required("created_at", Kind::Instant),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table {
        name: "pending_bill_rows",
        columns: &[
            required("pending_bill_id", Kind::Reference("pending_bills")),
            required("position", Kind::Whole),
            required("date", Kind::Date),
            required("description", Kind::Text),
            required("amount", Kind::Money),
            required("kind", Kind::Word),
            optional("external_id", Kind::Text),
            optional("category_id", CATEGORIES),
        ],
        key: Key::FirstTwo,
        derived: &[DESCRIPTION_NORMALIZED, EXTERNAL_ID_BASE],
    },
    Table {
        name: "xp_events",
        columns: &[
            required("id", Kind::Id),
            required("action", Kind::Word),
            required("subject", Kind::Text),
            required("xp", Kind::Whole),
            required("day", Kind::Date),
            required("created_at", Kind::Instant),
        ],
        key: Key::Id,
        derived: &[],
    },
    Table {
        name: "xp_tallies",
        columns: &[
            required("action", Kind::Word),
            required("last_day", Kind::Date),
            required("day_count", Kind::Whole),
            required("week_count", Kind::Whole),
            required("month_count", Kind::Whole),
            required("total_count", Kind::Whole),
            required("total_xp", Kind::Whole),
        ],
        key: Key::First,
        derived: &[],
    },
    Table {
        name: "category_achievements",
        columns: &[required("category_id", CATEGORIES), required("earned_at", Kind::Instant)],
        key: Key::First,
        derived: &[],
    },
    Table {
        name: "equipped_cosmetics",
        columns: &[required("kind", Kind::Word), required("cosmetic_id", Kind::Whole)],
        key: Key::First,
        derived: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_after_those_it_refers_to() {
        for (at, table) in TABLES.iter().enumerate() {
            for column in table.columns {
                if let Kind::Reference(to) = column.kind {
                    assert!(TABLES[..at].iter().any(|earlier| earlier.name == to), "{} to {to}", table.name);
                }
            }
        }
    }

    #[test]
    fn an_id_is_the_first_column_and_a_key_has_no_gaps() {
        for table in TABLES {
            assert_eq!(table.key == Key::Id, table.columns[0].kind == Kind::Id, "{}", table.name);
            assert!(table.key_columns().iter().all(|column| column.required), "{}", table.name);
            assert!(table.columns[1..].iter().all(|column| column.kind != Kind::Id), "{}", table.name);
            for derived in table.derived {
                assert!(table.position(derived.from).is_some() && table.position(derived.name).is_none());
            }
        }
    }
}
