//! A line cut into words, and which of them are taken.

use super::values::{Part, Span};
use crate::text::normalized;

/// The characters that do not count at the ends of a word.
pub(super) const AT_ENDS: [char; 10] = ['.', ',', ';', ':', '!', '?', '(', ')', '"', '\''];

/// A word of a line.
#[derive(Debug, Clone)]
pub(super) struct Word<'t> {
    /// As it is written.
    pub(super) raw: &'t str,
    /// Where its first character is, in bytes.
    start: usize,
    /// Where the word without the characters at its ends is, in bytes.
    core: (usize, usize),
    /// The form in which it is compared: folded, without the characters at its ends.
    pub(super) folded: String,
    /// Whether a rule took it, or it is an amount that is left out.
    pub(super) state: State,
}

/// What became of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It is text, so far.
    Open,
    /// A rule understood it.
    Taken,
    /// An amount that was not chosen or could not be read.
    LeftOut,
}

impl Word<'_> {
    /// Whether a character that does not count is right before a digit, as in `,50`.
    pub(super) fn begins_in_the_middle(&self) -> bool {
        let before = &self.raw[..self.core.0 - self.start];
        before.ends_with(['.', ',']) && self.folded.starts_with(|first: char| first.is_ascii_digit())
    }
}

/// A line.
#[derive(Debug, Clone)]
pub(super) struct Line<'t> {
    text: &'t str,
    pub(super) words: Vec<Word<'t>>,
    taken: Vec<(usize, usize, Part)>,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut words = Vec::new();
        let mut begun = None;
        for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
            match (character.is_whitespace(), begun) {
                (false, None) => begun = Some(at),
                (true, Some(start)) => {
                    words.push(word(text, start, at));
                    begun = None;
                }
                _ => {}
            }
        }
        Line { text, words, taken: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The folded word at a place, if no rule took it.
    pub(super) fn open(&self, at: usize) -> Option<&str> {
        self.words.get(at).filter(|word| word.state == State::Open).map(|word| word.folded.as_str())
    }

    /// Whether the word at a place is open and in a list.
    pub(super) fn is_in(&self, at: usize, words: &super::words::Words) -> bool {
        self.open(at).is_some_and(|word| words.contains(word))
    }

    /// The place before another one whose word is open and in a list.
    pub(super) fn before_in(&self, at: usize, words: &super::words::Words) -> Option<usize> {
        at.checked_sub(1).filter(|before| self.is_in(*before, words))
    }

    /// Where the longest phrase of a list that begins at a place ends.
    pub(super) fn phrase(&self, at: usize, phrases: &[Vec<String>]) -> Option<usize> {
        let is_here = |phrase: &&Vec<String>| {
            phrase.iter().enumerate().all(|(behind, word)| self.open(at + behind) == Some(word.as_str()))
        };
        phrases.iter().find(is_here).map(|phrase| at + phrase.len())
    }

    /// Takes the words from a place up to another one.
    pub(super) fn take(&mut self, from: usize, to: usize, part: Part) {
        self.words[from..to].iter_mut().for_each(|word| word.state = State::Taken);
        self.taken.push((self.words[from].core.0, self.words[to - 1].core.1, part));
    }

    /// Leaves words out of the description.
    pub(super) fn leave_out(&mut self, from: usize, to: usize) {
        self.words[from..to].iter_mut().for_each(|word| word.state = State::LeftOut);
    }

    /// Splits the word at a place in two, `bytes` after the beginning of its folded form. Only for words that are ASCII.
    pub(super) fn split(&mut self, at: usize, bytes: usize) {
        let Word { start, core, raw, .. } = self.words[at];
        let (middle, end) = (core.0 + bytes, start + raw.len());
        self.words.splice(at..=at, [word(self.text, start, middle), word(self.text, middle, end)]);
    }

    /// Whether the folded form of a word has the bytes of what is written.
    pub(super) fn is_ascii(&self, at: usize) -> bool {
        let (from, to) = self.words[at].core;
        self.text[from..to].is_ascii()
    }

    /// What was understood, in order, in characters.
    pub(super) fn understood(mut self) -> Vec<Span> {
        self.taken.sort_unstable_by_key(|(from, ..)| *from);
        let (mut bytes, mut characters) = (0, 0);
        let mut place = |to: usize| {
            characters += self.text[bytes..to].chars().count();
            bytes = to;
            characters
        };
        let span = |(from, to, part): (usize, usize, Part)| Span {
            start: place(from),
            end: place(to),
            text: self.text[from..to].to_string(),
            part,
        };
        self.taken.into_iter().map(span).collect()
    }
}

fn word(text: &str, start: usize, end: usize) -> Word<'_> {
    let raw = &text[start..end];
    let core = raw.trim_matches(AT_ENDS);
    // A word of such characters alone is compared as nothing.
    let (from, core) =
        if core.is_empty() { (start, raw) } else { (start + (core.as_ptr() as usize - raw.as_ptr() as usize), core) };
    let folded =
        if core.chars().all(|character| AT_ENDS.contains(&character)) { String::new() } else { normalized(core) };
    Word { raw, start, core: (from, from + core.len()), folded, state: State::Open }
}
