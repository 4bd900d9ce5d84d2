//! Names and descriptions: which texts may be stored, and how they are compared.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::violations::Violation;

/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 100;
/// The most characters of a description.
pub const DESCRIPTION_CHARS_MAX: usize = 255;
/// The most characters of an external id or a file name.
pub const EXTERNAL_ID_CHARS_MAX: usize = 255;
/// The most characters of a note.
pub const NOTE_CHARS_MAX: usize = 1_000;

/// A name as it is stored: trimmed, 1 to 100 characters, no NUL.
///
/// ```
/// use finance_domain::Violation;
/// use finance_domain::text::name;
///
/// assert_eq!(name("  Casa "), Ok("Casa".to_string()));
/// assert_eq!(name("   "), Err(Violation::Blank { max: 100 }));
/// ```
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn name(text: &str) -> Result<String, Violation> {
    bounded(text, NAME_CHARS_MAX)
}

/// A description as it is stored: trimmed, 1 to 255 characters, no NUL.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn description(text: &str) -> Result<String, Violation> {
    bounded(text, DESCRIPTION_CHARS_MAX)
}

/// An external id or file name as it is stored: trimmed, up to 255 characters, no NUL. None if blank.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn optional(text: &str) -> Result<Option<String>, Violation> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    bounded(text, EXTERNAL_ID_CHARS_MAX).map(Some)
}

/// A note as it is stored: trimmed, 1 to 1,000 characters, no NUL.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn note(text: &str) -> Result<String, Violation> {
    bounded(text, NOTE_CHARS_MAX)
}

/// A text, trimmed: 1 to `chars_max` characters, no NUL.
pub(crate) fn bounded(text: &str, chars_max: usize) -> Result<String, Violation> {
    let trimmed = text.trim();
    if trimmed.contains('\0') {
        Err(Violation::NulCharacter)
    } else if trimmed.is_empty() {
        Err(Violation::Blank { max: chars_max as i64 })
    } else if trimmed.chars().nth(chars_max).is_some() {
        Err(Violation::TooLong { max: chars_max as i64 })
    } else {
        Ok(trimmed.to_string())
    }
}

/// The form in which names are compared: composed (NFC) and in lower case.
///
/// It is computed here, because the collation of the database may know ASCII only.
///
/// ```
/// use finance_domain::text::name_key;
///
/// assert_eq!(name_key("EDUCAÇÃO"), name_key("Educação"));
/// assert_ne!(name_key("Educação"), name_key("Educacao"), "an accent is a letter of its own");
/// ```
pub fn name_key(name: &str) -> String {
    name.trim().nfc().collect::<String>().to_lowercase()
}

/// The form in which descriptions are compared: trimmed, white space collapsed, without accents, in lower case.
///
/// Digits are kept: `Parcela 2/10` and `Parcela 3/10` are two purchases.
///
/// ```
/// use finance_domain::text::normalized;
///
/// assert_eq!(normalized("  PADARIA   São João "), "padaria sao joao");
/// assert_ne!(normalized("Parcela 2/10"), normalized("Parcela 3/10"));
/// ```
pub fn normalized(description: &str) -> String {
    let mut folded = String::with_capacity(description.len());
    for word in description.split_whitespace() {
        let length = folded.len();
        if length > 0 {
            folded.push(' ');
        }
        let start = folded.len();
        if word.is_ascii() {
            folded.push_str(word);
            folded[start..].make_ascii_lowercase();
        } else {
            // Lower case before and after decomposition: `İ` becomes an i with a mark, and the Kelvin sign becomes a K.
            let letters = word.chars().flat_map(char::to_lowercase).nfd().filter(|letter| !is_combining_mark(*letter));
            folded.extend(letters.flat_map(char::to_lowercase));
        }
        if folded.len() == start {
            // The word consists only of marks.
            folded.truncate(length);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn normalizing_twice_changes_nothing(text in ".{0,60}") {
            let once = normalized(&text);
            prop_assert_eq!(normalized(&once), once);
        }
    }

    #[test]
    fn what_folds_to_nothing_or_to_more_than_one_letter_is_folded_once_and_for_all() {
        for (text, expected) in [("a \u{301} b", "a b"), ("\u{301}", ""), ("İ", "i"), ("\u{212a}", "k"), ("ẞ", "ß")]
        {
            assert_eq!(normalized(text), expected, "{text:?}");
            assert_eq!(normalized(expected), expected, "{text:?}");
        }
    }

    #[test]
    fn lengths_count_characters_and_not_bytes() {
        assert!(name(&"ç".repeat(100)).is_ok());
        assert!(name(&"ç".repeat(101)).is_err());
        assert!(name("a\0b").is_err());
    }
}
