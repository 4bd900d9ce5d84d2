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

/// A name as it is stored: trimmed, 1 to 100 characters, none of them [`hidden`].
///
/// ```
/// use finance_domain::Violation;
/// use finance_domain::text::name;
///
/// assert_eq!(name("  Casa "), Ok("Casa".to_string()));
/// assert_eq!(name("   "), Err(Violation::Blank { max: 100 }));
/// assert_eq!(name("Ca\u{200b}sa"), Err(Violation::HiddenCharacter { character: "U+200B".to_string() }));
/// ```
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`], [`Violation::NulCharacter`] or [`Violation::HiddenCharacter`].
pub fn name(text: &str) -> Result<String, Violation> {
    stored_name(text).and_then(visible)
}

/// A name that may have been stored by an earlier version, which allowed hidden characters: trimmed, 1 to 100 characters, no
/// NUL.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`] or [`Violation::NulCharacter`].
pub fn stored_name(text: &str) -> Result<String, Violation> {
    bounded(text, NAME_CHARS_MAX)
}

/// The text, if none of its characters is [`hidden`].
pub(crate) fn visible(text: String) -> Result<String, Violation> {
    let first = hidden(&text).next();
    match first {
        Some((_, character)) => {
            Err(Violation::HiddenCharacter { character: format!("U+{:04X}", u32::from(character)) })
        }
        None => Ok(text),
    }
}

/// The characters of a text that are not seen, or that change how others are shown, with their positions in bytes: control
/// characters, line and paragraph separators, marks of the writing direction, and characters without width. With them a name
/// can look like another one, hide a text, or change what a terminal shows. The zero-width joiner is not among them between two
/// emoji, where it makes one of both.
///
/// ```
/// use finance_domain::text::hidden;
///
/// assert_eq!(hidden("a\u{202e}b\n").collect::<Vec<_>>(), [(1, '\u{202e}'), (5, '\n')]);
/// assert_eq!(hidden("👩\u{200d}👦 São João").next(), None);
/// ```
pub fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    let joins_emoji = |at: usize| {
        let after = at + JOINER.len_utf8();
        let before = text[..at].chars().rev().find(|character| *character != EMOJI_STYLE);
        before.is_some_and(is_emoji) && text[after..].chars().next().is_some_and(is_emoji)
    };
    text.char_indices()
        .filter(move |(at, character)| is_hidden(*character) && !(*character == JOINER && joins_emoji(*at)))
}

/// The zero-width joiner.
const JOINER: char = '\u{200D}';
/// Follows a character that is to be shown as an emoji.
const EMOJI_STYLE: char = '\u{FE0F}';

/// Whether a character shows nothing: a control character, or one that people do not see.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, the mark of Arabic letters, and the separator of Mongolian vowels.
            '\u{00AD}' | '\u{061C}' | '\u{180E}'
            // Without width, or marks of the writing direction.
            | '\u{200B}'..='\u{200F}'
            // Separators of lines and paragraphs, and further marks of the writing direction.
            | '\u{2028}'..='\u{202E}'
            // Invisible operators, isolates, and deprecated format characters.
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            // Tags, which spell invisible text.
            | '\u{E0000}'..='\u{E007F}')
}

/// Whether a character is an emoji or a symbol that joins with one. Letters and digits are not.
fn is_emoji(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
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

/// A text as a part of an address: every byte percent-encoded, except the unreserved characters of RFC 3986.
///
/// ```
/// use finance_domain::text::percent_encoded;
///
/// assert_eq!(percent_encoded("ana-1.b_c~"), "ana-1.b_c~");
/// assert_eq!(percent_encoded("Zé & Cia#1 +x%"), "Z%C3%A9%20%26%20Cia%231%20%2Bx%25");
/// ```
pub fn percent_encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
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

    #[test]
    fn a_name_has_no_character_that_is_not_seen() {
        let hidden_ones = "\u{1}\u{7}\u{8}\t\n\r\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\
            \u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2063}\u{2066}\u{2067}\u{2068}\u{2069}\
            \u{206f}\u{feff}\u{fff9}\u{e0041}";
        for character in hidden_ones.chars() {
            let named = Violation::HiddenCharacter { character: format!("U+{:04X}", u32::from(character)) };
            assert_eq!(name(&format!("Ca{character}sa")), Err(named), "{character:?}");
            assert!(stored_name(&format!("Ca{character}sa")).is_ok(), "{character:?}");
        }
    }

    #[test]
    fn a_joiner_is_allowed_between_emoji_only() {
        for joined in [
            "👨\u{200d}👩\u{200d}👧 Casa",
            "🏳️\u{200d}🌈",
            "👩🏽\u{200d}⚕️",
            "❤️\u{200d}🔥",
            "Férias 🏖️ (2026) – «água» ñ",
        ] {
            assert_eq!(name(joined), Ok(joined.to_string()));
        }
        for joined in [
            "A\u{200d}na",
            "👩\u{200d}a",
            "a\u{200d}👩",
            "👩\u{200d}",
            "\u{200d}👩",
            "👩\u{200d}\u{200d}👩",
            "1\u{200d}2",
        ] {
            assert!(name(joined).is_err(), "{joined:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_accepted_unless_a_character_is_hidden(text in "\\PC{1,20}") {
            let is_plain = !text.trim().is_empty() && hidden(text.trim()).next().is_none();
            prop_assert_eq!(name(&text).is_ok(), is_plain);
        }
    }
}
