//! Tags: words with which people classify transactions in addition to the category.

use std::collections::HashSet;

use crate::error::{FieldErrors, Result};
use crate::text::{bounded, name_key, visible};
use crate::violations::Violation;

/// The most tags of one transaction.
pub const TAGS_MAX: usize = 10;
/// The most characters of a tag.
pub const TAG_CHARS_MAX: usize = 30;
/// The most tags in a list, those that are used most.
pub const TAGS_LISTED_MAX: usize = 1_000;

/// A tag, and how often it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedTag {
    /// The tag as its newest transaction writes it.
    pub tag: String,
    /// The number of transactions that have it, ignoring case.
    pub count: u64,
}

/// The form in which tags are compared: composed (NFC) and in lower case.
pub fn key(tag: &str) -> String {
    name_key(tag)
}

/// The tag, trimmed and with each run of white space collapsed into one space: 1 to [`TAG_CHARS_MAX`] characters, none of them
/// [`hidden`](crate::text::hidden).
///
/// ```
/// use finance_domain::tags::tag;
///
/// assert_eq!(tag("  férias   2026 ").unwrap(), "férias 2026");
/// assert!(tag(" ").is_err());
/// assert!(tag("f\u{200b}érias").is_err());
/// ```
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`], [`Violation::NulCharacter`] or [`Violation::HiddenCharacter`].
pub fn tag(text: &str) -> Result<String, Violation> {
    stored_tag(text).and_then(visible)
}

/// A [`tag`] that may have been stored by an earlier version, which allowed hidden characters.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn stored_tag(text: &str) -> Result<String, Violation> {
    bounded(&text.split_whitespace().collect::<Vec<_>>().join(" "), TAG_CHARS_MAX)
}

/// The tags of a transaction: at most [`TAGS_MAX`], each once, ignoring case. Errors are added for `tags` or for a position in
/// it. A tag is None if it could not be read; `errors` says so already.
pub(crate) fn check(tags: Option<Vec<Option<String>>>, errors: &mut FieldErrors) -> Vec<String> {
    let tags = tags.unwrap_or_default();
    if tags.len() > TAGS_MAX {
        errors.push("tags", Violation::TooManyElements { max: TAGS_MAX as i64 });
        return Vec::new();
    }
    let mut known = HashSet::new();
    let mut checked = Vec::with_capacity(tags.len());
    for (at, text) in tags.into_iter().enumerate() {
        let Some(text) = text else { continue };
        let field = format!("tags[{at}]");
        let Some(tag) = errors.check(&field, tag(&text)) else { continue };
        if known.insert(key(&tag)) {
            checked.push(tag);
        } else {
            errors.push(field, Violation::GivenTwice);
        }
    }
    checked
}

/// Adds a tag, unless the same tag exists, ignoring case, or there are already [`TAGS_MAX`].
pub(crate) fn add(tags: &mut Vec<String>, new: &str) {
    let new_key = key(new);
    if tags.len() < TAGS_MAX && !tags.iter().any(|known| key(known) == new_key) {
        tags.push(new.to_string());
    }
}

/// The port of tags. It may fail as [`Store::transact`](crate::Store::transact) does.
pub trait TagRepo {
    /// At most `limit` of the tags that transactions have, the most used first, then by the form in which they are compared.
    fn tag_list(&mut self, limit: usize) -> Result<Vec<UsedTag>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(tags: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let mut errors = FieldErrors::default();
        let tags = check(Some(tags.iter().map(|tag| Some(tag.to_string())).collect()), &mut errors);
        if errors.is_empty() { Ok(tags) } else { Err(errors.iter().map(|error| error.field.clone()).collect()) }
    }

    #[test]
    fn tags_are_short_and_each_is_there_once_whatever_the_case() {
        let long = "ç".repeat(30);
        assert_eq!(checked(&[" Viagem ", &long]), Ok(vec!["Viagem".to_string(), long.clone()]));
        assert_eq!(checked(&["saúde", "saude"]).map(|tags| tags.len()), Ok(2));
        let longer = "x".repeat(31);
        for (tags, wrong) in [
            (vec!["Saúde", "SAÚDE"], vec!["tags[1]"]),
            (vec!["", "a", &longer], vec!["tags[0]", "tags[2]"]),
            (vec!["a\0b"], vec!["tags[0]"]),
        ] {
            assert_eq!(checked(&tags).unwrap_err(), wrong, "{tags:?}");
        }
        let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(checked(&many).unwrap_err(), ["tags"]);
        assert_eq!(checked(&many[..10]).map(|tags| tags.len()), Ok(10));
    }

    #[test]
    fn a_tag_is_added_once_and_while_there_is_room() {
        let mut tags = Vec::new();
        for number in 0..12 {
            add(&mut tags, &format!("T{}", number / 2));
            add(&mut tags, &format!("t{number}"));
        }
        assert_eq!(tags.len(), TAGS_MAX);
        assert_eq!(tags[..3], ["T0", "t1", "t2"]);
    }
}
