//! The tables and columns of the document, in the order in which they can be restored.

use crate::categories::{Carry, POSITION_MAX, TaxKind};
use crate::error::Error;
use crate::export::{Column, Key, Kind, Row, Table};
use crate::recurring::{DueDayCount, Every, Expects, Weekend};
use crate::transactions::Source;
use crate::violations::Violation;
use crate::yields::YieldTax;

const fn required(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true, added: false }
}

const fn optional(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false, added: false }
}

/// A column that came after the first release of the document.
const fn added(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false, added: true }
}

/// A flag that came after the first release of the document. [`complete`] gives its value for older documents.
const fn added_flag(name: &'static str) -> Column {
    Column { name, kind: Kind::Flag, required: true, added: true }
}

/// A word that came after the first release of the document. [`complete`] gives its value for older documents.
const fn added_word(name: &'static str) -> Column {
    Column { name, kind: Kind::Word, required: true, added: true }
}

/// A number that came after the first release of the document. [`complete`] gives its value for older documents.
const fn added_whole(name: &'static str) -> Column {
    Column { name, kind: Kind::Whole, required: true, added: true }
}

/// The tables that came after the first release of the document. A document without one has no rows of it.
pub const ADDED_TABLES: [&str; 22] = [
    "account_key_secrets",
    "account_keys",
    "anchors",
    "left_out_rows",
    "appearances",
    "budgets",
    "budget_defaults",
    "bill_dates",
    "import_accounts",
    "inbox",
    "own_names",
    "recurring_due_marks",
    "recurring_links",
    "rejected_recurring",
    "rejected_transfers",
    "repeated_rows",
    "ended_plans",
    "rules",
    "rule_conditions",
    "rule_actions",
    "transaction_lines",
    "pending_bill_lines",
];

const CATEGORIES: Kind = Kind::Reference("categories");
const ACCOUNTS: Kind = Kind::Reference("accounts");
const IMPORTS: Kind = Kind::Reference("imports");
const TRANSFERS: Kind = Kind::Reference("transfers");
const TRANSACTIONS: Kind = Kind::Reference("transactions");
const RULES: Kind = Kind::Reference("rules");
const RECURRING: Kind = Kind::Reference("recurring");

/// Declares tables, each with its key and its columns.
macro_rules! tables {
    ($($name:literal by $key:ident [$($column:expr),+ $(,)?])+) => {
        &[$(Table { name: $name, columns: &[$($column),+], key: Key::$key },)+]
    };
}

/// The tables of the document. A table comes after the tables that it refers to.
pub static TABLES: &[Table] = tables! {
    "settings" by Single [
        required("savings_goal_pct", Kind::Percentage),
        added_flag("show_character"),
        added("second_factor_days", Kind::Whole),
    ]
    "own_names" by First [required("position", Kind::Whole), required("name", Kind::Name)]
    "categories" by Id [
        required("id", Kind::Id),
        required("name", Kind::Name),
        required("is_tax", Kind::Flag),
        required("is_standard", Kind::Flag),
        optional("monthly_budget", Kind::Money),
        added_word("tax_kind"),
        added("group_name", Kind::Text),
        added_whole("position"),
        added("icon", Kind::Word),
        added("color", Kind::Word),
        added_flag("is_hidden"),
        added_flag("nets_refunds"),
        added_word("carry"),
        added("carry_since", Kind::Month),
    ]
    "budgets" by FirstTwo [
        required("category_id", CATEGORIES),
        required("month", Kind::Month),
        required("amount", Kind::Money),
    ]
    "budget_defaults" by FirstTwo [
        required("category_id", CATEGORIES),
        required("last_month", Kind::Month),
        optional("amount", Kind::Money),
    ]
    "accounts" by Id [
        required("id", Kind::Id),
        required("name", Kind::Name),
        required("kind", Kind::Word),
        required("yield_type", Kind::Word),
        required("cdi_percentage", Kind::Percentage),
        optional("last_yield_date", Kind::Date),
        optional("closing_day", Kind::Whole),
        optional("due_day", Kind::Whole),
        added("credit_limit", Kind::Money),
        added("yield_rate", Kind::Percentage),
        added("yield_day_count", Kind::Word),
        added_word("yield_tax"),
        added("opening_is_said", Kind::Flag),
        added("is_spendable", Kind::Flag),
    ]
    "account_key_secrets" by Single [required("secret", Kind::Text)]
    "account_keys" by First [
        required("reference", Kind::Text),
        required("account_id", ACCOUNTS),
        required("hint", Kind::Text),
        required("learned_at", Kind::Instant),
    ]
    "card_cycles" by FirstTwo [
        required("account_id", ACCOUNTS),
        required("replaced_on", Kind::Date),
        required("closing_day", Kind::Whole),
        required("due_day", Kind::Whole),
        added("closes_on", Kind::Date),
        added("former_closing", Kind::Date),
    ]
    "bill_dates" by FirstTwo [
        required("account_id", ACCOUNTS),
        required("scheduled_closing", Kind::Date),
        optional("closing_date", Kind::Date),
        optional("due_date", Kind::Date),
    ]
    "credit_bills" by Id [
        required("id", Kind::Id),
        required("account_id", ACCOUNTS),
        required("period_start", Kind::Date),
        required("period_end", Kind::Date),
        required("due_date", Kind::Date),
        required("following_end", Kind::Date),
    ]
    "imports" by Id [
        required("id", Kind::Id),
        optional("file_name", Kind::Text),
        required("format", Kind::Word),
        optional("account_id", ACCOUNTS),
        required("inserted", Kind::Whole),
        required("skipped", Kind::Whole),
        required("created_at", Kind::Instant),
    ]
    "import_accounts" by FirstTwo [required("import_id", IMPORTS), required("account_id", ACCOUNTS)]
    "anchors" by Id [
        required("id", Kind::Id),
        required("account_id", ACCOUNTS),
        optional("import_id", IMPORTS),
        required("date", Kind::Date),
        required("amount", Kind::Money),
    ]
    "left_out_rows" by FirstTwo [
        required("import_id", IMPORTS),
        required("position", Kind::Whole),
        optional("account_id", ACCOUNTS),
        required("date", Kind::Date),
        required("kind", Kind::Word),
        required("amount", Kind::Money),
        required("description", Kind::Text),
    ]
    "transfers" by Id [required("id", Kind::Id)]
    "transactions" by Id [
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
        optional("import_id", IMPORTS),
        optional("yield_from", Kind::Date),
        added("statement_description", Kind::Text),
        added("statement_date", Kind::Date),
        added("statement_amount", Kind::Money),
        added("statement_kind", Kind::Word),
        added("statement_account_id", ACCOUNTS),
        added_flag("is_transfer"),
        added_flag("is_kept_unlinked"),
        added_flag("is_recognised"),
        added("note", Kind::Note),
        added("tags", Kind::Tags),
        required("created_at", Kind::Instant),
    ]
    "transaction_lines" by FirstTwo [
        required("transaction_id", TRANSACTIONS),
        required("position", Kind::Whole),
        required("category_id", CATEGORIES),
        required("amount", Kind::Money),
    ]
    "rejected_transfers" by FirstTwo [required("from_id", TRANSACTIONS), required("to_id", TRANSACTIONS)]
    "repeated_rows" by FirstTwo [
        required("transaction_id", TRANSACTIONS), required("import_id", Kind::Reference("imports")),
    ]
    "ended_plans" by First [required("transaction_id", TRANSACTIONS)]
    "credit_bill_payments" by Id [
        required("id", Kind::Id),
        required("bill_id", Kind::Reference("credit_bills")),
        required("amount", Kind::Money),
        required("date", Kind::Date),
        optional("transfer_id", TRANSFERS),
        added("transaction_id", TRANSACTIONS),
        required("created_at", Kind::Instant),
    ]
    "recurring" by Id [
        required("id", Kind::Id),
        required("kind", Kind::Word),
        required("description", Kind::Text),
        required("amount", Kind::Money),
        required("category_id", CATEGORIES),
        optional("account_id", ACCOUNTS),
        required("day", Kind::Whole),
        added_whole("every_n"),
        added_word("every_unit"),
        added("start_on", Kind::Date),
        added("until_on", Kind::Date),
        added("due_count", Kind::Whole),
        added_word("day_count"),
        added_word("weekend"),
        added("amount_min", Kind::Money),
        added("amount_max", Kind::Money),
        added_word("expects"),
        added_flag("reserves"),
    ]
    "recurring_marks" by FirstTwo [
        required("recurring_id", Kind::Reference("recurring")),
        required("month", Kind::Month),
        required("mark", Kind::Word),
        optional("transaction_id", TRANSACTIONS),
    ]
    "recurring_due_marks" by FirstTwo [
        required("recurring_id", RECURRING),
        required("due", Kind::Date),
        required("mark", Kind::Word),
        optional("transaction_id", TRANSACTIONS),
    ]
    "recurring_links" by First [
        required("transaction_id", TRANSACTIONS),
        required("recurring_id", RECURRING),
        required("is_by_due", Kind::Flag),
        required("due", Kind::Date),
    ]
    "rejected_recurring" by First [required("suggestion", Kind::Text), optional("recurring_id", RECURRING)]
    "pending_bills" by Id [
        required("id", Kind::Id),
        optional("account_id", ACCOUNTS),
        required("payment_date", Kind::Date),
        optional("file_name", Kind::Text),
        required("format", Kind::Word),
        required("total", Kind::Money),
        required("row_count", Kind::Whole),
        required("status", Kind::Word),
        required("created_at", Kind::Instant),
    ]
    "pending_bill_rows" by FirstTwo [
        required("pending_bill_id", Kind::Reference("pending_bills")),
        required("position", Kind::Whole),
        required("date", Kind::Date),
        required("description", Kind::Text),
        required("amount", Kind::Money),
        required("kind", Kind::Word),
        optional("external_id", Kind::Text),
        optional("category_id", CATEGORIES),
        added_flag("is_transfer"),
        added_flag("is_kept_unlinked"),
        added("statement_description", Kind::Text),
        added("note", Kind::Note),
        added("tags", Kind::Tags),
        added_flag("is_stored"),
        added_flag("is_repeated"),
    ]
    "pending_bill_lines" by FirstThree [
        required("pending_bill_id", Kind::Reference("pending_bills")),
        required("row_position", Kind::Whole),
        required("position", Kind::Whole),
        required("category_id", CATEGORIES),
        required("amount", Kind::Money),
    ]
    "inbox" by Id [
        required("id", Kind::Id),
        optional("file_name", Kind::Text),
        required("bytes", Kind::Bytes),
        required("received_at", Kind::Instant),
        required("expires_on", Kind::Date),
        required("is_dismissed", Kind::Flag),
        required("is_settled", Kind::Flag),
        optional("import_id", IMPORTS),
        optional("pending_bill_id", Kind::Reference("pending_bills")),
        optional("reference", Kind::Text),
    ]
    "rules" by Id [
        required("id", Kind::Id),
        required("name", Kind::Name),
        required("position", Kind::Whole),
        required("is_enabled", Kind::Flag),
        required("matching", Kind::Word),
    ]
    "rule_conditions" by FirstTwo [
        required("rule_id", RULES),
        required("position", Kind::Whole),
        required("field", Kind::Word),
        required("op", Kind::Word),
        optional("text", Kind::Text),
        optional("amount_min", Kind::Money),
        optional("amount_max", Kind::Money),
        optional("kind", Kind::Word),
        optional("account_id", ACCOUNTS),
        optional("day_first", Kind::Whole),
        optional("day_last", Kind::Whole),
    ]
    "rule_actions" by FirstTwo [
        required("rule_id", RULES),
        required("position", Kind::Whole),
        required("action", Kind::Word),
        optional("category_id", CATEGORIES),
        optional("description", Kind::Text),
        added("tag", Kind::Text),
    ]
    "xp_events" by Id [
        required("id", Kind::Id),
        required("action", Kind::Word),
        required("subject", Kind::Text),
        required("xp", Kind::Whole),
        required("day", Kind::Date),
        required("created_at", Kind::Instant),
    ]
    "xp_tallies" by First [
        required("action", Kind::Word),
        required("last_day", Kind::Date),
        required("day_count", Kind::Whole),
        required("week_count", Kind::Whole),
        required("month_count", Kind::Whole),
        required("total_count", Kind::Whole),
        required("total_xp", Kind::Whole),
    ]
    "category_achievements" by First [required("category_id", CATEGORIES), required("earned_at", Kind::Instant)]
    "equipped_cosmetics" by First [required("kind", Kind::Word), required("cosmetic_id", Kind::Whole)]
    "appearances" by Single [
        required("skin", Kind::Word), required("hair_style", Kind::Word), required("body", Kind::Word),
    ]
};

/// Gives the flags and words that a row of an older document lacks. In older documents only the service itself made
/// transfers, no row was unlinked or recognized, no yield was taxed, no row was declared in a return of the income tax, and no
/// category was hidden, carried, or had a place. Pages showed the character. Which categories net refunds is told by
/// [`nets_refunds_at_first`](crate::categories::nets_refunds_at_first).
pub fn complete(table: &Table, row: &mut Row) {
    let is_own_leg = table.name == "transactions"
        && table.position("source").and_then(|at| row.get(at)?.as_deref()) == Some(Source::Transfer.as_str());
    for (column, value) in table.columns.iter().zip(row) {
        if value.is_some() || !column.added || !column.required {
            continue;
        }
        match column.name {
            "every_n" => *value = Some(Every::default().n.to_string()),
            "every_unit" => *value = Some(Every::default().unit.as_str().to_string()),
            "day_count" => *value = Some(DueDayCount::default().as_str().to_string()),
            "weekend" => *value = Some(Weekend::default().as_str().to_string()),
            "expects" => *value = Some(Expects::default().as_str().to_string()),
            "carry" => *value = Some(Carry::None.as_str().to_string()),
            "position" => *value = Some(POSITION_MAX.to_string()),
            "tax_kind" => *value = Some(TaxKind::None.as_str().to_string()),
            "yield_tax" => *value = Some(YieldTax::None.as_str().to_string()),
            "show_character" => *value = Some(true.to_string()),
            name if column.kind == Kind::Flag => *value = Some((is_own_leg && name == "is_transfer").to_string()),
            _ => {}
        }
    }
}

/// The table with this name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

/// The error for a value in a document: `settings[0].savings_goal_pct: …`.
pub fn invalid(table: &Table, at: usize, column: &str, violation: Violation) -> Error {
    Error::invalid(format!("{}[{at}].{column}", table.name), violation)
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
