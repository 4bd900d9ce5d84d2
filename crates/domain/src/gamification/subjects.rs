//! Subjects: what an award is for. A subject is made of content and not of ids, so that a row that is
//! deleted and created again, or imported twice, has the same subject.

use time::Date;

use crate::gamification::actions::Action;
use crate::imports::{Candidate, Content};
use crate::money::Money;
use crate::month::Month;
use crate::text::{name_key, normalized};
use crate::transactions::Kind;
use crate::words::Word;

/// The most characters of a subject. A longer one is cut and ends with a digest.
pub const SUBJECT_CHARS_MAX: usize = 120;

/// What a use case did, with what an award depends on.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A client created a transaction.
    TransactionCreated {
        /// The date it counts on.
        date: Date,
        /// Income or expense.
        kind: Kind,
        /// The amount, above zero.
        amount: Money,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A statement was imported, and brought something.
    ImportConfirmed {
        /// The statement, as a [`statement`] subject.
        statement: &'a str,
    },
    /// The dashboard of a month that met the savings goal was read.
    SavingsChecked {
        /// The month.
        month: Month,
    },
    /// A category was created.
    CategoryCreated {
        /// Its name.
        name: &'a str,
    },
    /// A category got a budget, or another one.
    CategoryBudgeted {
        /// Its name.
        name: &'a str,
    },
    /// An account was created.
    AccountCreated {
        /// Its name.
        name: &'a str,
    },
    /// Money was moved between own accounts.
    TransferCreated {
        /// The date it counts on.
        date: Date,
        /// The amount, above zero.
        amount: Money,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A bill was paid.
    BillPaid {
        /// The card's name.
        card: &'a str,
        /// When the bill is due.
        due_date: Date,
    },
    /// A recurring item was created.
    RecurringCreated {
        /// Income or expense.
        kind: Kind,
        /// Its description, 1 to 255 characters.
        description: &'a str,
    },
    /// A recurring income was confirmed.
    RecurringConfirmed {
        /// What the item says.
        description: &'a str,
        /// The month it was confirmed for.
        month: Month,
    },
    /// The savings goal was set; the first time is what counts.
    SettingsChanged,
}

impl Event<'_> {
    /// The action it is.
    pub fn action(&self) -> Action {
        match self {
            Event::TransactionCreated { .. } => Action::TransactionCreated,
            Event::ImportConfirmed { .. } => Action::ImportConfirmed,
            Event::SavingsChecked { .. } => Action::SavingsChecked,
            Event::CategoryCreated { .. } => Action::CategoryCreated,
            Event::CategoryBudgeted { .. } => Action::CategoryBudgeted,
            Event::AccountCreated { .. } => Action::AccountCreated,
            Event::TransferCreated { .. } => Action::TransferCreated,
            Event::BillPaid { .. } => Action::BillPaid,
            Event::RecurringCreated { .. } => Action::RecurringCreated,
            Event::RecurringConfirmed { .. } => Action::RecurringConfirmed,
            Event::SettingsChanged => Action::SettingsChanged,
        }
    }

    /// What an award for it is for, made of its content.
    ///
    /// ```
    /// use finance_domain::gamification::Event;
    /// use finance_domain::{Money, transactions::Kind};
    /// use time::macros::date;
    ///
    /// let lunch = |description| Event::TransactionCreated {
    ///     date: date!(2026 - 01 - 31), kind: Kind::Expense, amount: Money::from_cents(3250), description,
    /// };
    /// assert_eq!(lunch("Padaria São João").subject(), "2026-01-31 expense 32.50 padaria sao joao");
    /// assert_eq!(lunch(" PADARIA  são joão").subject(), lunch("Padaria São João").subject());
    /// assert_ne!(lunch("Padaria").subject(), lunch("Mercado").subject());
    /// ```
    pub fn subject(&self) -> String {
        bounded(match self {
            Event::TransactionCreated { date, kind, amount, description } => {
                format!("{date} {} {amount} {}", kind.as_str(), normalized(description))
            }
            Event::ImportConfirmed { statement } => statement.to_string(),
            Event::SavingsChecked { month } => month.to_string(),
            Event::CategoryCreated { name } | Event::CategoryBudgeted { name } | Event::AccountCreated { name } => {
                name_key(name)
            }
            Event::TransferCreated { date, amount, description } => {
                format!("{date} {amount} {}", normalized(description))
            }
            Event::BillPaid { card, due_date } => format!("{due_date} {}", name_key(card)),
            Event::RecurringCreated { kind, description } => {
                format!("{} {}", kind.as_str(), normalized(description))
            }
            Event::RecurringConfirmed { description, month } => format!("{month} {}", normalized(description)),
            Event::SettingsChanged => "savings_goal_pct".to_string(),
        })
    }
}

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

/// 128 bits of the texts, in hexadecimal digits: FNV-1a, the same on every machine and in every
/// release. It tells contents apart; it does not keep anyone from making two of the same digest,
/// who would only take an award from himself.
pub(super) fn digest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = OFFSET;
    for text in texts {
        // A byte that no text holds ends each of them.
        for byte in text.as_ref().bytes().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_long_subject_is_cut_and_still_told_apart() {
        let created = |description: &str| {
            let (kind, amount) = (Kind::Expense, Money::from_cents(1));
            Event::TransactionCreated { date: date!(2026 - 01 - 31), kind, amount, description }.subject()
        };
        let (one, other) = (created(&format!("{}a", "ç".repeat(254))), created(&format!("{}b", "ç".repeat(254))));
        assert_eq!(one.chars().count(), SUBJECT_CHARS_MAX);
        assert_ne!(one, other);
        assert_eq!(created("bar"), "2026-01-31 expense 0.01 bar");
    }

    #[test]
    fn names_are_the_same_whatever_their_case() {
        let category = |name| Event::CategoryCreated { name }.subject();
        assert_eq!(category("EDUCAÇÃO"), category("educação"));
    }

    #[test]
    fn texts_of_a_digest_do_not_run_together() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        assert_eq!(digest(["a"]), digest(["a"]));
    }
}
