//! Decoding of bytes, and normalization of texts.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr;

use crate::Error;

/// The most characters of a description.
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 255;
/// The most characters that a reason quotes from a file.
const QUOTE_CHARS_MAX: usize = 40;

/// Decodes a file by its BOM, else as UTF-8, and bytes that are no UTF-8 as Windows-1252. The encoding in its header is ignored, because
/// it is often wrong.
///
/// # Errors
///
/// [`Error::Unsupported`] if the bytes are another kind of file, [`Error::Unreadable`] if the file is empty.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    if let Some(what) = other_kind(bytes) {
        return Err(Error::Unsupported(what));
    }
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => single_bytes(rest)?,
        [0xFF, 0xFE, rest @ ..] => UTF_16LE.decode_without_bom_handling(rest).0,
        [0xFE, 0xFF, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0,
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => UTF_16BE.decode_without_bom_handling(bytes).0,
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => UTF_16LE.decode_without_bom_handling(bytes).0,
        _ => single_bytes(bytes)?,
    };
    if text.trim_start().is_empty() {
        return Err(Error::Unreadable(
            "O arquivo está vazio; exporte o extrato de novo e envie o arquivo baixado.".into(),
        ));
    }
    if let Some(what) = markup_kind(&text) {
        return Err(Error::Unsupported(what));
    }
    if text.bytes().take(CONTROLS_SAMPLE_BYTES).filter(|byte| is_odd_control(*byte)).count()
        > text.len().min(CONTROLS_SAMPLE_BYTES) / 16
    {
        return Err(Error::Unsupported("um arquivo binário"));
    }
    Ok(text)
}

/// The most bytes that are searched for control characters.
const CONTROLS_SAMPLE_BYTES: usize = 64 * 1024;

/// The name of another kind of file, by its first bytes.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 12] = [
        (b"PK\x03\x04", "um arquivo ZIP"),
        (b"PK\x05\x06", "um arquivo ZIP vazio"),
        (b"%PDF", "um PDF"),
        (b"{\\rtf", "um documento RTF"),
        (b"\x89PNG", "uma imagem PNG"),
        (b"\xFF\xD8\xFF", "uma imagem JPEG"),
        (b"GIF8", "uma imagem GIF"),
        (b"\x1F\x8B", "um arquivo compactado GZIP"),
        (b"Rar!", "um arquivo compactado RAR"),
        (b"7z\xBC\xAF\x27\x1C", "um arquivo compactado 7-Zip"),
        (b"BZh9", "um arquivo compactado BZIP2"),
        (b"!Type:", "um arquivo QIF"),
    ];
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    KINDS.iter().find(|(mark, _)| start.starts_with(mark) || bytes.starts_with(mark)).map(|(_, what)| *what)
}

/// The name of a markup that is not OFX: some banks export an HTML table as `.xls` or `.csv`.
fn markup_kind(text: &str) -> Option<&'static str> {
    const PAGE: &str = "uma página HTML";
    const KINDS: [(&[u8], &str); 10] = [
        (b"<!doctype html", PAGE),
        (b"<html", PAGE),
        (b"<head", PAGE),
        (b"<body", PAGE),
        (b"<table", PAGE),
        (b"<meta", PAGE),
        (b"<div", PAGE),
        (b"<style", PAGE),
        (b"<script", PAGE),
        (b"<workbook", "uma planilha XML do Excel"),
    ];
    let mut start = text.trim_start_matches(|first: char| first.is_whitespace() || first == '\u{feff}');
    // An XML declaration and comments may precede it.
    while start.starts_with("<?") || start.starts_with("<!--") {
        let end = if start.starts_with("<?") { "?>" } else { "-->" };
        start = start[start.find(end)? + end.len()..].trim_start();
    }
    let starts_with =
        |mark: &[u8]| start.as_bytes().get(..mark.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(mark));
    KINDS.iter().find(|(mark, _)| starts_with(mark)).map(|(_, what)| *what)
}

fn is_odd_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0x1A) || byte == 0x7F
}

/// UTF-8, and Windows-1252 where the bytes are no UTF-8.
fn single_bytes(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    // Old systems pad the last block with NUL or end the file with Ctrl-Z.
    let end = bytes.iter().rposition(|byte| !matches!(byte, 0 | 0x1A)).map_or(0, |last| last + 1);
    let bytes = &bytes[..end];
    if memchr(0, bytes).is_some() {
        return Err(Error::Unsupported("um arquivo binário"));
    }
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let (valid, _) = bytes.split_at(error.valid_up_to());
            match std::str::from_utf8(valid) {
                // UTF-8 that ends inside its last character.
                Ok(text) if error.error_len().is_none() && !text.is_ascii() => Cow::Borrowed(text),
                _ => Cow::Owned(mixed(bytes)),
            }
        }
    })
}

/// The text of bytes of which not all are UTF-8. A bank that cuts texts at a number of bytes leaves half a letter in a file of UTF-8, whose
/// other letters stay what they are. Two letters of Windows-1252 that are one of UTF-8 (`Ã£`) stand in no word.
fn mixed(bytes: &[u8]) -> String {
    let high: Vec<u8> = (0x80..=0xFF).collect();
    let letters: Vec<char> = WINDOWS_1252.decode_without_bom_handling(&high).0.chars().collect();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // A byte below 0x80 is always valid.
        text.extend(chunk.invalid().iter().filter_map(|byte| letters.get(usize::from(byte & 0x7F))));
    }
    text
}

/// The first line that is not blank: the value of an unclosed tag ends with its line.
pub(crate) fn first_line(text: &str) -> &str {
    text.trim().split(['\n', '\r']).next().unwrap_or_default().trim_end()
}

/// A description as it is stored: trimmed, whitespace collapsed, without control characters, at most 255 characters.
pub(crate) fn clean(text: &str) -> String {
    clean_to(text, DESCRIPTION_CHARS_MAX)
}

/// The same as [`clean`], with another maximum length.
pub(crate) fn clean_to(text: &str, chars_max: usize) -> String {
    let text = text.trim_matches(is_blank);
    if text.len() <= chars_max && is_clean(text.as_bytes()) {
        return text.to_string();
    }
    let mut cleaned = String::with_capacity(text.len().min(chars_max * 4));
    let (mut chars, mut blank) = (0, false);
    for character in text.chars() {
        if is_blank(character) {
            blank = chars > 0;
            continue;
        }
        if is_invisible(character) {
            continue;
        }
        let needed = 1 + usize::from(blank);
        if chars + needed > chars_max {
            break;
        }
        if blank {
            cleaned.push(' ');
        }
        cleaned.push(character);
        (chars, blank) = (chars + needed, false);
    }
    cleaned
}

/// Whether a trimmed text needs no cleaning, because it has only ASCII, single spaces, and letters whose first byte in UTF-8 is
/// 0xC3, which are the letters of Portuguese. It may be false for a text that needs no cleaning.
fn is_clean(text: &[u8]) -> bool {
    // There is no early exit, so that the compiler vectorizes the loop.
    let is_plain = text.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | 0xC3 | 0x80..=0xBF));
    let is_spaced = text.windows(2).fold(true, |spaced, pair| spaced & (pair != b"  "));
    is_plain && is_spaced
}

/// Whitespace and control characters.
pub(crate) fn is_blank(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

/// Characters of no width, which can make different texts look the same.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// A text for quoting in a reason: cleaned, at most [`QUOTE_CHARS_MAX`] characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = clean_to(text, QUOTE_CHARS_MAX + 1);
    if let Some((at, _)) = quoted.char_indices().nth(QUOTE_CHARS_MAX) {
        quoted.truncate(at);
        if let Some((last, _)) = quoted.char_indices().next_back() {
            quoted.truncate(last);
        }
        quoted.push('…');
    }
    quoted
}

/// A text for comparison: lower case, without Latin accents, whitespace collapsed.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// The same as [`fold`], into a buffer whose content is replaced.
pub(crate) fn fold_into(text: &str, folded: &mut String) {
    folded.clear();
    folded.reserve(text.len());
    let mut blank = false;
    for character in text.chars() {
        let letter = match character {
            '!'..='~' => Some(character.to_ascii_lowercase()),
            'À'..='ÿ' => latin_letter(character),
            _ if is_blank(character) => {
                blank = !folded.is_empty();
                continue;
            }
            _ if is_invisible(character) || is_combining(character) => continue,
            _ => None,
        };
        if blank {
            folded.push(' ');
            blank = false;
        }
        match letter {
            Some(letter) => folded.push(letter),
            None => folded.extend(character.to_lowercase().map(base_letter).filter(|letter| !is_combining(*letter))),
        }
    }
}

/// The fast path for a letter of Latin-1: in lower case and without its accent. None if it needs the table.
fn latin_letter(letter: char) -> Option<char> {
    let small = match letter {
        '×' => return None,
        // In Latin-1 a lower-case letter is its capital letter with one more bit.
        'À'..='Þ' => char::from(u8::try_from(letter).ok()? | 0x20),
        small => small,
    };
    Some(base_letter(small))
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{0300}'..='\u{036F}')
}

/// The letter without its accent.
fn base_letter(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ĩ' | 'ī' | 'į' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ù'..='ü' | 'ũ' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ś' | 'š' | 'ş' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        letter => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_read_by_their_bom_then_as_utf_8_then_as_windows_1252() {
        let wide = |order: fn(u16) -> [u8; 2], bom: &str| -> Vec<u8> {
            format!("{bom}Data;Pão").encode_utf16().flat_map(order).collect()
        };
        for (bytes, text) in [
            (b"Data;P\xC3\xA3o".to_vec(), "Data;Pão"),
            (b"\xEF\xBB\xBFData;P\xC3\xA3o".to_vec(), "Data;Pão"),
            (b"Data;P\xE3o \x80".to_vec(), "Data;Pão €"),
            (b"\xEF\xBB\xBFData;P\xE3o".to_vec(), "Data;Pão"),
            (wide(u16::to_le_bytes, "\u{feff}"), "Data;Pão"),
            (wide(u16::to_be_bytes, "\u{feff}"), "Data;Pão"),
            (wide(u16::to_le_bytes, ""), "Data;Pão"),
            (wide(u16::to_be_bytes, ""), "Data;Pão"),
            (b"P\xC3\xA3o;caf\xC3".to_vec(), "Pão;caf"),
            (b"caf\xE9".to_vec(), "café"),
            (b"P\xC3\xA3o;PENS\xC3;caf\xE9 \x80".to_vec(), "Pão;PENSÃ;café €"),
            (b"P\xC3O;N\xBA;A\xC7\xC3O".to_vec(), "PÃO;Nº;AÇÃO"),
            (b"Data\x1A\0\0".to_vec(), "Data"),
        ] {
            assert_eq!(decode(&bytes).as_deref(), Ok(text), "{bytes:?}");
        }
    }

    #[test]
    fn other_kinds_of_file_are_named() {
        for (bytes, what) in [
            (&b"PK\x05\x06"[..], "ZIP"),
            (b"\nPK\x03\x04", "ZIP"),
            (b"%PDF-1.4", "PDF"),
            (b"\r\n%PDF-1.4", "PDF"),
            (b"{\\rtf1\\ansi", "RTF"),
            (b"\x89PNG\r\n\x1A\n", "PNG"),
            (b"\xFF\xD8\xFF\xE0", "JPEG"),
            (b"\x1F\x8B\x08\0", "GZIP"),
            (b"!Type:Bank\nD01/31'26", "QIF"),
            (b"<!DOCTYPE html><html>", "HTML"),
            (b"\xEF\xBB\xBF\n <Table border=0><tr>", "HTML"),
            (b"<?xml version='1.0'?><!-- x --><html xmlns=''>", "HTML"),
            (b"<?xml version='1.0'?>\n<?mso-application progid='Excel.Sheet'?>\n<Workbook xmlns=''>", "Excel"),
            (b"Data;Valor\0\0\0;1", "bin"),
            (b"\x01\x02\x03\x04\x05abc", "bin"),
        ] {
            let Err(Error::Unsupported(found)) = decode(bytes) else { panic!("{bytes:?}") };
            assert!(found.contains(what), "{found}");
        }
        let wide_page: Vec<u8> = "\u{feff}<html>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide_page), Err(Error::Unsupported("uma página HTML")));
    }

    #[test]
    fn a_file_without_text_is_unreadable() {
        for bytes in [&b""[..], b" \r\n\t ", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\0\0\0", b"\x1A", b"\xFE\xFF\0\n"] {
            assert!(matches!(decode(bytes), Err(Error::Unreadable(_))), "{bytes:?}");
        }
    }

    #[test]
    fn a_description_is_trimmed_collapsed_and_bounded() {
        for (text, cleaned) in [
            ("PADARIA", "PADARIA"),
            ("  PADARIA   DO  JOÃO \r\n", "PADARIA DO JOÃO"),
            ("a\tb\nc\u{a0}\u{a0}d", "a b c d"),
            ("a\0b\u{7}c", "a b c"),
            ("=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"),
            ("a\u{200B}b\u{202E}c", "abc"),
            ("\u{feff}x", "x"),
            ("", ""),
            ("\0", ""),
        ] {
            assert_eq!(clean(text), cleaned, "{text:?}");
        }
        assert_eq!(clean(&"ç".repeat(300)), "ç".repeat(255));
        assert_eq!(clean(&"a".repeat(300)), "a".repeat(255));
        assert_eq!(clean(&format!("{} b", "a".repeat(254))), "a".repeat(254), "no blank at the end");
    }

    #[test]
    fn a_quote_has_forty_characters_at_the_most() {
        assert_eq!(quote(" 12,3x "), "12,3x");
        assert_eq!(quote(&"ç".repeat(40)), "ç".repeat(40));
        assert_eq!(quote(&"ç".repeat(41)), format!("{}…", "ç".repeat(39)));
    }

    #[test]
    fn names_compare_without_case_accents_and_blanks() {
        for (text, folded) in [
            ("Descrição", "descricao"),
            ("DESCRIÇÃO", "descricao"),
            ("Descric\u{327}a\u{303}o", "descricao"),
            ("  Data   Lançamento ", "data lancamento"),
            ("Valor\u{a0}(R$)", "valor (r$)"),
            ("N° documento", "n° documento"),
            ("\u{feff}Histórico", "historico"),
            ("ÀÉÍÓÚÂÊÔÃÕÜÇÑ", "aeiouaeoaoucn"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }

    #[test]
    fn letters_of_latin_1_fold_as_all_others_do() {
        for letter in '\u{A1}'..='\u{FF}' {
            let slowly: String = letter.to_lowercase().map(base_letter).collect();
            assert_eq!(fold(&letter.to_string()), slowly, "{letter}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_is_clean_is_left_as_it_is(text in "([a-zÀ-ÿ0-9 .×÷]|[\u{80}-\u{200F}]){0,40}") {
            let text = text.trim_matches(is_blank);
            if is_clean(text.as_bytes()) {
                prop_assert!(!text.contains("  ") && !text.chars().any(|letter| letter.is_control() || is_invisible(letter)));
                prop_assert!(text.chars().all(|letter| letter == ' ' || !is_blank(letter)));
            }
        }

        #[test]
        fn cleaning_twice_changes_nothing(text in "(\\PC|[ \\t\\n\\x00\\u{200B}]){0,300}") {
            let once = clean(&text);
            prop_assert!(once.chars().count() <= DESCRIPTION_CHARS_MAX);
            prop_assert!(!once.chars().any(char::is_control));
            prop_assert_eq!(clean(&once), once);
        }

        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,60}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }
}
