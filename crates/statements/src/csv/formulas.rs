//! Texts that a spreadsheet would run as a formula: how our tables write them, and how they are read back.

/// The characters that start a formula in a spreadsheet. The wide forms are those of East Asian keyboards.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/// The characters after which a cell may start inside a text. A spreadsheet that separates cells by tabs, or by `;` as in
/// Portuguese settings, ignores the quotes around a text with commas.
const CELL_BREAKS: [char; 4] = [';', '\t', '\r', '\n'];
/// The characters that may stand between the start of a cell and the start of its formula.
const SKIPPED_AT_START: [char; 3] = [' ', '\u{a0}', '"'];

/// Whether a cell may start after a letter.
fn may_start_after(letter: char, is_cell_start: bool) -> bool {
    CELL_BREAKS.contains(&letter) || (is_cell_start && SKIPPED_AT_START.contains(&letter))
}

/// Whether a formula starts here, or one that apostrophes defuse already: without another one, an apostrophe would be taken off.
fn starts_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA_STARTS)
}

/// A text with an apostrophe before each character that would start a formula, wherever a spreadsheet may start a cell. What has one
/// already gets another one.
///
/// ```
/// use finance_statements::defused;
///
/// assert_eq!(defused("=1+1"), "'=1+1");
/// assert_eq!(defused("Loja; -10%"), "Loja; '-10%");
/// assert_eq!(defused("'=1+1"), "''=1+1");
/// assert_eq!(defused("a@b.example"), "a@b.example");
/// ```
pub fn defused(text: &str) -> String {
    let mut defused = String::with_capacity(text.len() + 1);
    let mut is_cell_start = true;
    for (at, letter) in text.char_indices() {
        if is_cell_start && starts_formula(&text[at..]) {
            defused.push('\'');
        }
        is_cell_start = may_start_after(letter, is_cell_start);
        defused.push(letter);
    }
    defused
}

/// The text that [`defused`] has made this one of. Any other text is as it was.
pub(crate) fn undefused(text: &str) -> String {
    let mut undefused = String::with_capacity(text.len());
    let mut is_cell_start = true;
    for (at, letter) in text.char_indices() {
        if is_cell_start && letter == '\'' && starts_formula(&text[at..]) {
            is_cell_start = false;
            continue;
        }
        is_cell_start = may_start_after(letter, is_cell_start);
        undefused.push(letter);
    }
    undefused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_text_is_read_back(text in "['=+@; \"a\t\u{ff0d}-]{0,12}|\\PC{0,20}") {
            prop_assert_eq!(undefused(&defused(&text)), text);
        }
    }

    #[test]
    fn formulas_are_defused_wherever_a_spreadsheet_may_begin_a_cell_and_read_back() {
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("+55 11", "'+55 11"),
            ("-desconto", "'-desconto"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1+1", "'＝1+1"),
            ("x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"),
            ("x;+1;-2;@SUM(A1)", "x;'+1;'-2;'@SUM(A1)"),
            ("x; =1", "x; '=1"),
            ("x;\"=1", "x;\"'=1"),
            ("\"=1", "\"'=1"),
            ("x\t=1", "x\t'=1"),
            ("x\n=1", "x\n'=1"),
            ("x\r\n=1", "x\r\n'=1"),
            ("\t=1", "\t'=1"),
            ("==1", "'==1"),
            ("'=1", "''=1"),
            ("''-1", "'''-1"),
            ("x; '+1", "x; ''+1"),
        ] {
            assert_eq!(defused(text), expected);
            assert_eq!(undefused(expected), text);
        }
        for text in ["a=1", "a@b.example", "Compra 3/10 - loja", "x;y", "a, -b", "d'água", "'n Sync", "x; 'y"] {
            assert_eq!(defused(text), text);
            assert_eq!(undefused(text), text);
        }
    }
}
