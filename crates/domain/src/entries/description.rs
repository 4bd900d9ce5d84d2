//! What is left of a line.

use super::line::{Line, State};
use super::words::Grammar;

/// The characters that do not count at the ends of a description.
const AT_ENDS: [char; 7] = ['.', ',', ';', ':', '!', '?', '-'];

/// The words that no rule took, without those that connected them with what was taken. None if nothing is left, or too much.
pub(super) fn read(line: &Line<'_>, grammar: &Grammar, chars_max: usize) -> Option<String> {
    let words = &line.words;
    let mut left: &[usize] = &(0..words.len()).filter(|at| words[*at].state == State::Open).collect::<Vec<_>>();
    let is_gone = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|word| word.state != State::Open);
    let connects = |at: usize| grammar.connecting.contains(&words[at].folded);
    if left.first().is_some_and(|first| is_gone(first.checked_sub(1))) {
        while let Some(rest) = left.split_first().filter(|(first, _)| connects(**first)).map(|(_, rest)| rest) {
            left = rest;
        }
    }
    if left.last().is_some_and(|last| is_gone(Some(last + 1))) {
        while let Some(rest) = left.split_last().filter(|(last, _)| connects(**last)).map(|(_, rest)| rest) {
            left = rest;
        }
    }
    let joined = left.iter().map(|at| words[*at].raw).collect::<Vec<_>>().join(" ");
    let text = joined.trim_matches(|letter: char| AT_ENDS.contains(&letter) || letter.is_whitespace());
    let text = capitalized(text);
    (!text.is_empty() && text.chars().nth(chars_max).is_none()).then_some(text)
}

/// The text with its first letter in upper case, if its first word is all in lower case.
fn capitalized(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if first.is_lowercase() && !first_word.chars().any(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => text.to_string(),
    }
}
