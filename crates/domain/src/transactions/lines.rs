//! Details of a transaction beside its own fields: the lines that it is split into, its tags and its note.
//!
//! A split transaction counts by category as its lines, and by account, date and bill as one. Its lines sum to its amount and
//! it has no category (`is_split`, a check of the database). The statement that writes a transaction also writes its lines;
//! ordinary inserts do not touch them. Tags are stored as an array beside a second array of keys to compare; null means no
//! tags.

use std::collections::HashSet;

use crate::error::FieldErrors;
use crate::ids::CategoryId;
use crate::money::Money;
use crate::text;
use crate::violations::Violation;

/// The fewest lines of a transaction that is split.
pub const LINES_MIN: usize = 2;
/// The most lines of a transaction.
pub const LINES_MAX: usize = 20;

/// Details of a transaction beside its own fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Details {
    /// The lines that it is split into: none, or [`LINES_MIN`] to [`LINES_MAX`] lines that sum to its amount. A transaction with
    /// lines has no category of its own and is no transfer.
    pub lines: Vec<Line>,
    /// At most [`TAGS_MAX`](crate::tags::TAGS_MAX), each once, ignoring case.
    pub tags: Vec<String>,
    /// 1 to [`NOTE_CHARS_MAX`](text::NOTE_CHARS_MAX) characters.
    pub note: Option<String>,
}

impl Details {
    /// Whether the transaction is split into lines.
    pub fn is_split(&self) -> bool {
        !self.lines.is_empty()
    }
}

/// A part of a transaction with a category of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Its category.
    pub category_id: CategoryId,
    /// The amount, above zero.
    pub amount: Money,
}

/// A line as a client sends it, not yet checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineInput {
    /// Required; one of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// Required, above 0, at most 9999999999.99.
    pub amount: Option<Money>,
}

/// Checks the lines of a transaction of that amount, if the amount is known. A line is None if it could not be read; `errors`
/// says so already.
pub(crate) fn check(
    lines: Vec<Option<LineInput>>,
    amount: Option<Money>,
    categories: &HashSet<CategoryId>,
    errors: &mut FieldErrors,
) -> Vec<Line> {
    if !(LINES_MIN..=LINES_MAX).contains(&lines.len()) {
        errors.push("lines", Violation::LineCount { min: LINES_MIN as i64, max: LINES_MAX as i64 });
        return Vec::new();
    }
    let count = lines.len();
    let mut checked = Vec::with_capacity(count);
    for (at, line) in lines.into_iter().enumerate() {
        let Some(line) = line else { continue };
        let category = format!("lines[{at}].category_id");
        let category_id = errors.require(&category, line.category_id);
        if category_id.is_some_and(|id| !categories.contains(&id)) {
            errors.push(category, Violation::NoSuchCategory);
        }
        let field = format!("lines[{at}].amount");
        let amount =
            errors.require(&field, line.amount).and_then(|amount| errors.check(&field, amount.transaction_amount()));
        if let (Some(category_id), Some(amount)) = (category_id, amount) {
            checked.push(Line { category_id, amount });
        }
    }
    let sum: Money = checked.iter().map(|line| line.amount).sum();
    if checked.len() == count && amount.is_some_and(|amount| amount != sum) {
        errors.push("lines", Violation::LinesSum { sum: sum.to_string() });
    }
    checked
}

/// The note, checked.
pub(crate) fn check_note(note: Option<String>, errors: &mut FieldErrors) -> Option<String> {
    note.and_then(|note| errors.check("note", text::note(&note)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(lines: &[(i64, i128)], amount: i128) -> Result<Vec<Line>, Vec<String>> {
        let line = |(id, cents): &(i64, i128)| {
            let (category_id, amount) = (Some(CategoryId(*id)), Some(Money::from_cents(*cents)));
            Some(LineInput { category_id, amount })
        };
        let mut errors = FieldErrors::default();
        let known = HashSet::from([CategoryId(1), CategoryId(2)]);
        let lines = check(lines.iter().map(line).collect(), Some(Money::from_cents(amount)), &known, &mut errors);
        if errors.is_empty() { Ok(lines) } else { Err(errors.iter().map(|error| error.field.clone()).collect()) }
    }

    #[test]
    fn lines_are_two_to_twenty_and_sum_to_the_amount() {
        assert_eq!(checked(&[(1, 40), (2, 60)], 100).map(|lines| lines.len()), Ok(2));
        assert_eq!(checked(&[(1, 5); 20], 100).map(|lines| lines.len()), Ok(20));
        for (lines, wrong) in [
            (vec![], vec!["lines"]),
            (vec![(1, 100)], vec!["lines"]),
            (vec![(1, 5); 21], vec!["lines"]),
            (vec![(1, 40), (2, 61)], vec!["lines"]),
            (vec![(1, 40), (3, 60)], vec!["lines[1].category_id"]),
            (vec![(1, 0), (2, 100)], vec!["lines[0].amount"]),
            (vec![(1, -1), (9, 101)], vec!["lines[0].amount", "lines[1].category_id"]),
        ] {
            assert_eq!(checked(&lines, 100).unwrap_err(), wrong, "{lines:?}");
        }
    }

    #[test]
    fn what_a_line_lacks_is_told_at_once() {
        let mut errors = FieldErrors::default();
        let lines = vec![Some(LineInput::default()), None];
        check(lines, None, &HashSet::new(), &mut errors);
        let wrong: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(wrong, ["lines[0].category_id", "lines[0].amount"]);
    }
}
