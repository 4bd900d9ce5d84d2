//! The words by which a line is read as an entry: `config/entries.toml`.

use anyhow::{Context, Result};
use finance_domain::entries::{Grammar, GrammarLists};

const ENTRIES: &str = "config/entries.toml";
const SHIPPED_ENTRIES: &str = include_str!("../../../../config/entries.toml");

/// The words of the grammar.
///
/// # Errors
///
/// If the file is invalid. The message names the list and the text.
pub(super) fn grammar() -> Result<Grammar> {
    parse(SHIPPED_ENTRIES)
}

fn parse(text: &str) -> Result<Grammar> {
    let lists: GrammarLists = toml::from_str(text).context(ENTRIES)?;
    Grammar::new(lists).context(ENTRIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_by_list_and_text() {
        assert!(parse(SHIPPED_ENTRIES).is_ok());
        for (from, to, parts) in [
            ("verbs = [\"paguei\"", "verbs = [\"Paguei\"", ["bill.verbs", "Paguei"]),
            ("subjects", "subject", ["type.subjects", "must not be empty"]),
            ("nouns = [\"fatura\"", "nouns = [\"fatura de\"", ["bill.nouns", "fatura de"]),
            ("\"domingo\"", "\"domingo\", \"dia\"", ["date.weekdays", "7"]),
            ("[amount]", "[amount]\nmore = [\"x\"]", ["amount.more", "no list"]),
        ] {
            let error = format!("{:#}", parse(&SHIPPED_ENTRIES.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(ENTRIES) && parts.iter().all(|part| error.contains(part)), "{error}");
        }
    }
}
