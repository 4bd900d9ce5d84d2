//! Names of columns and texts of instants, as in the rest of the API.

use finance_domain::export::{Column, Table};

/// The name of a column in an export: `type` for a `kind`, as in the rest of the API. An account's kind is a `kind`
/// there too.
pub(crate) fn field(table: &Table, column: &Column) -> &'static str {
    match column.name {
        "kind" if table.name != "accounts" => "type",
        "statement_kind" => "statement_type",
        "group_name" => "group",
        "is_hidden" => "hidden",
        "is_spendable" => "spendable",
        name => name,
    }
}

/// The text of an instant, without trailing zeros in its fraction.
pub(super) fn instant(text: &str) -> String {
    let digits = text.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    // Without a fraction, the trailing zeros are those of the seconds.
    if text.contains('.') { format!("{digits}Z") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_lose_the_zeros_of_their_fraction_only() {
        assert_eq!(instant("2026-01-31T12:00:00.120000Z"), "2026-01-31T12:00:00.12Z");
        assert_eq!(instant("2026-01-31T12:00:10.000000Z"), "2026-01-31T12:00:10Z");
        assert_eq!(instant("2026-01-31T12:00:00Z"), "2026-01-31T12:00:00Z");
    }
}
