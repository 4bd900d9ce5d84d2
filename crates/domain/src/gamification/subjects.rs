//! Subjects of awards. A subject is derived from content, not from ids. So a row that is deleted and created again, or imported
//! twice, has the same subject.

use crate::imports::{Candidate, Content};

/// The most characters of a subject. A longer one is cut and ends with a digest.
pub const SUBJECT_CHARS_MAX: usize = 120;

/// The subject of a statement: a digest of the content of its rows, in any order.
///
/// ```
/// use finance_domain::gamification::statement;
/// use finance_domain::imports::{Candidate, Content};
/// use finance_domain::{Money, transactions::Kind};
/// use time::macros::date;
///
/// let row = |cents| Candidate {
///     content: Content {
///         date: date!(2026 - 01 - 31), kind: Kind::Expense, amount: Money::from_cents(cents), description: "bar".into(),
///     },
///     external_id: None,
///     former: None,
/// };
/// assert_eq!(statement(&[row(1), row(2)]), statement(&[row(2), row(1)]));
/// assert_ne!(statement(&[row(1), row(1)]), statement(&[row(1)]));
/// ```
pub fn statement(rows: &[Candidate]) -> String {
    let mut contents: Vec<&Content> = rows.iter().map(|row| &row.content).collect();
    contents.sort_unstable();
    digest(
        contents.into_iter().map(|Content { date, kind, amount, description }| {
            format!("{date}\t{}\t{description}", kind.sign(*amount))
        }),
    )
}

/// A subject of at most [`SUBJECT_CHARS_MAX`] characters.
pub(super) fn bounded(text: String) -> String {
    if text.chars().count() <= SUBJECT_CHARS_MAX {
        return text;
    }
    let digest = digest([&text]);
    let kept: String = text.chars().take(SUBJECT_CHARS_MAX - digest.len() - 1).collect();
    format!("{kept} {digest}")
}

/// A digest of the texts, 128 bits in hexadecimal digits: FNV-1a, the same on every machine and in every release. It is not
/// cryptographic: a user could construct two contents with the same digest, and would only lose an award.
///
/// ```
/// use finance_domain::gamification::digest;
///
/// assert_eq!(digest(["ab", "c"]).len(), 32);
/// assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
/// ```
pub fn digest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = OFFSET;
    for text in texts {
        // Each text ends with a byte that does not occur in UTF-8.
        for byte in text.as_ref().bytes().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_digest_do_not_run_together() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        assert_eq!(digest(["a"]), digest(["a"]));
    }
}
