//! What a profile owns: the tables and columns of the document, in the order in which they can be restored.

use finance_domain::export::{Column, Key, Kind, Table};

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false }
}

const CATEGORIES: Kind = Kind::Reference("categories");
const ACCOUNTS: Kind = Kind::Reference("accounts");
const TRANSFERS: Kind = Kind::Reference("transfers");

/// The tables of the document. A table comes after those it refers to.
pub static TABLES: &[Table] = &[
    Table { name: "settings", columns: &[required("savings_goal_pct", Kind::Percentage)], key: Key::Single },
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
    },
    Table { name: "transfers", columns: &[required("id", Kind::Id)], key: Key::Id },
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
    },
    Table {
        name: "category_achievements",
        columns: &[required("category_id", CATEGORIES), required("earned_at", Kind::Instant)],
        key: Key::First,
    },
    Table {
        name: "equipped_cosmetics",
        columns: &[required("kind", Kind::Word), required("cosmetic_id", Kind::Whole)],
        key: Key::First,
    },
];

/// The table of that name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

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
        }
    }
}
